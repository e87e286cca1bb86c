//! A command as actions of a service: what all of them share, and what is new in each.

use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as reapi;
use reapi::command::EnvironmentVariable;
use reapi::platform::Property;
use reapi::{Action, Command, Digest, Directory, DirectoryNode, FileNode, Platform};

use crate::RemoteConfig;
use crate::digest::{Blob, digest};
use crate::input_root::{Frame, SentFiles};
use crate::wrapper::{
    FILES_DIR, ID_PREFIX, Part, RUN_DIR, STATUS_FILE, STDERR_FILE, STDOUT_FILE, Script, TMP_DIR,
};

/// Where programs are looked for on workers, unless `PATH` is given.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A command, ready to be run on a service.
#[derive(Debug)]
pub struct RemoteCommand {
    /// The program and its arguments, each a word of parts.
    pub words: Vec<Vec<Part>>,
    /// The path of the candidate, relative to the directory of the run.
    pub candidate: String,
    /// The working directory, relative to the directory of the run; usually empty.
    pub dir: String,
    /// What the directory of the run holds beside the candidate.
    pub company: SentFiles,
    /// Whether the candidate is executable.
    pub is_executable: bool,
    /// Whether the candidate is on the standard input too.
    pub reads_candidate: bool,
    /// Other files that the command names.
    pub files: SentFiles,
    /// The time limit. It is the same for all runs, because it is a part of what results are cached
    /// by.
    pub timeout: Duration,
    /// Bytes kept of each output stream.
    pub output_cap: usize,
}

/// What all actions of a command share.
#[derive(Debug)]
pub(crate) struct Plan {
    run_dir: Frame,
    is_executable: bool,
    /// The program, for messages.
    pub(crate) program: String,
    /// Whether the candidate is the program.
    pub(crate) runs_candidate: bool,
    pub(crate) timeout: Duration,
    pub(crate) output_cap: usize,
    platform: Option<Platform>,
    variables: Vec<EnvironmentVariable>,
    /// What the script does for each candidate.
    script: String,
    command: Digest,
    files: Option<Digest>,
    /// The command, the files and the empty directory.
    pub(crate) blobs: Vec<Blob>,
}

/// An action, the blobs that only it has, and the identities that its statuses repeat.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) action: Digest,
    pub(crate) blobs: Vec<Blob>,
    /// One for each candidate.
    pub(crate) ids: Vec<String>,
}

/// A candidate, and how often it was run before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberedRun<'a> {
    pub(crate) candidate: &'a [u8],
    pub(crate) number: u32,
}

impl Plan {
    pub(crate) fn new(command: RemoteCommand, config: &RemoteConfig) -> Self {
        let script = Script {
            words: &command.words,
            candidate: &command.candidate,
            dir: &command.dir,
            reads_candidate: command.reads_candidate,
        };
        let mut variables = config.variables.clone();
        if !variables.iter().any(|(name, _)| name == "PATH") {
            variables.push(("PATH".into(), PATH.into()));
        }
        variables.sort();
        let mut properties = config.properties.clone();
        properties.sort();
        let properties: Vec<_> = (properties.into_iter())
            .map(|(name, value)| Property { name, value })
            .collect();
        let mut blobs = vec![Blob::new(Vec::new())];
        let first = command.words.first();
        let mut plan = Self {
            runs_candidate: first.is_some_and(|word| *word == [Part::Candidate]),
            program: program(&command.words),
            is_executable: command.is_executable,
            timeout: command.timeout,
            output_cap: command.output_cap,
            platform: (!properties.is_empty()).then_some(Platform { properties }),
            variables: (variables.into_iter())
                .map(|(name, value)| EnvironmentVariable { name, value })
                .collect(),
            script: script.text(),
            command: Digest::default(),
            files: (!command.files.is_empty()).then(|| command.files.into_blobs(&mut blobs)),
            run_dir: command.company.into_frame(&command.candidate, &mut blobs),
            blobs,
        };
        let message = plan.command(Script::alone(&plan.script), vec![STATUS_FILE.to_owned()]);
        plan.command = message.digest.clone();
        plan.blobs.push(message);
        plan
    }

    fn command(&self, script: String, mut outputs: Vec<String>) -> Blob {
        outputs.sort();
        #[expect(deprecated, reason = "older services read only these fields")]
        let message = Command {
            arguments: vec!["/bin/sh".into(), "-c".into(), script],
            environment_variables: self.variables.clone(),
            output_files: outputs.clone(),
            output_paths: outputs,
            platform: self.platform.clone(),
            ..Default::default()
        };
        Blob::of(&message)
    }

    /// Returns the action for one run.
    pub(crate) fn question(&self, run: NumberedRun<'_>) -> Question {
        let mut blobs = Vec::new();
        let (mut root, id) = self.place(run, &mut blobs);
        self.add_files(&mut root);
        self.action(&self.command, &root, blobs, vec![id])
    }

    /// Returns the action for several runs, one after another.
    pub(crate) fn group(&self, runs: &[NumberedRun<'_>]) -> Question {
        let mut blobs = Vec::new();
        let mut root = Directory::default();
        let mut ids = Vec::new();
        let mut outputs = Vec::new();
        let mut names = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let name = group_dir(index);
            let (place, id) = self.place(*run, &mut blobs);
            let place = Blob::of(&place);
            root.directories
                .push(directory(&name, place.digest.clone()));
            blobs.push(place);
            let files = [STATUS_FILE, STDOUT_FILE, STDERR_FILE];
            outputs.extend(files.map(|file| format!("{name}/{file}")));
            names.push(name);
            ids.push(id);
        }
        self.add_files(&mut root);
        let command = self.command(Script::together(&self.script, &names), outputs);
        let digest = command.digest.clone();
        blobs.push(command);
        self.action(&digest, &root, blobs, ids)
    }

    /// Returns the directory in which a run takes place, and its identity.
    fn place(&self, run: NumberedRun<'_>, blobs: &mut Vec<Blob>) -> (Directory, String) {
        let file = Blob::new(run.candidate.to_vec());
        let hash = file.digest.hash.get(..32).unwrap_or_default();
        let id = format!("{hash}-{}", run.number);
        let digest = file.digest.clone();
        blobs.push(file);
        let run_dir = self.run_dir.with(digest, self.is_executable, blobs);
        let place = Directory {
            files: vec![FileNode {
                name: format!("{ID_PREFIX}{id}"),
                digest: Some(empty()),
                ..Default::default()
            }],
            directories: vec![directory(RUN_DIR, run_dir), directory(TMP_DIR, empty())],
            ..Default::default()
        };
        (place, id)
    }

    /// Adds the files that the command names to the input root.
    fn add_files(&self, root: &mut Directory) {
        if let Some(files) = &self.files {
            root.directories.push(directory(FILES_DIR, files.clone()));
            root.directories
                .sort_by(|one, other| one.name.cmp(&other.name));
        }
    }

    fn action(
        &self,
        command: &Digest,
        root: &Directory,
        mut blobs: Vec<Blob>,
        ids: Vec<String>,
    ) -> Question {
        let root = Blob::of(root);
        let action = Blob::of(&Action {
            command_digest: Some(command.clone()),
            input_root_digest: Some(root.digest.clone()),
            timeout: Some(bazel_remote_apis::google::protobuf::Duration {
                seconds: i64::try_from(self.timeout.as_secs()).unwrap_or(i64::MAX),
                nanos: i32::try_from(self.timeout.subsec_nanos()).unwrap_or(0),
            }),
            platform: self.platform.clone(),
            ..Default::default()
        });
        let digest = action.digest.clone();
        blobs.extend([root, action]);
        Question {
            action: digest,
            blobs,
            ids,
        }
    }
}

/// Returns the name of the directory of a run in a group. The names are in the order of the runs.
pub(crate) fn group_dir(index: usize) -> String {
    format!("{index:03}")
}

fn directory(name: &str, digest: Digest) -> DirectoryNode {
    DirectoryNode {
        name: name.into(),
        digest: Some(digest),
    }
}

/// Returns the digest of an empty file, which is that of an empty directory too.
fn empty() -> Digest {
    digest(b"")
}

/// Returns the program of a command as a user would write it.
fn program(words: &[Vec<Part>]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) | Part::Beside(text) | Part::Sent(text) => text.clone(),
        Part::Candidate => "{}".to_owned(),
    };
    let parts = words.first().into_iter().flatten().map(part);
    format!("`{}`", parts.collect::<String>())
}
