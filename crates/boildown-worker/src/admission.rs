//! Requirements that a worker has to meet before it counts.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_exec::spawn::{Limits, Permissions};
use boildown_exec::{CopiedEntry, RunRequest, Runner, StdinContent, WordPart};
use boildown_oracle::Run;

use super::frame::MAX_CONTENT;
use super::message::{
    CommandSetup, EntryContent, FileEntry, ProjectSetup, SentPermissions, WireLimits,
};

/// The largest file that is sent. A larger one has to be on the worker.
const MAX_FILE: u64 = 64 << 20;

/// Directories of the system, whose files are never sent: the worker's own are meant.
const SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/run",
    "/sbin", "/snap", "/sys", "/usr",
];

/// A run that every worker has to do as expected before it counts.
pub struct WorkerCheck {
    /// The command: the runner's own (0), or the extra test of this number, from 1.
    pub command: usize,
    /// The candidate.
    pub candidate: Arc<[u8]>,
    /// Runs, one of which has to be as expected.
    pub tries: u32,
    /// The time limit of the search, of which a run may take a half.
    pub limit: Duration,
    /// Returns what is not as expected, as a sentence.
    pub judge: WorkerJudge,
}

/// Judges a run on a worker: an error says, as a sentence, what is not as expected.
pub type WorkerJudge = Box<dyn Fn(&Run) -> Result<(), String> + Send + Sync>;

impl fmt::Debug for WorkerCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerCheck")
            .field("command", &self.command)
            .field("tries", &self.tries)
            .finish_non_exhaustive()
    }
}

/// The commands that workers run, their files, and the checks.
#[derive(Debug)]
pub(crate) struct Admission {
    pub(crate) commands: Vec<AdmittedCommand>,
    pub(crate) checks: Vec<WorkerCheck>,
}

/// One command that workers run.
#[derive(Debug)]
pub(crate) struct AdmittedCommand {
    /// The runner of the client, without an executor.
    pub(crate) runner: Runner,
    pub(crate) setup: CommandSetup,
    pub(crate) files: Vec<SentFile>,
}

/// A file that a command needs, and where its content is.
#[derive(Debug, Clone)]
pub(crate) struct SentFile {
    pub(crate) entry: FileEntry,
    pub(crate) source: PathBuf,
}

impl Admission {
    /// Prepares the command of the runner and its extra tests for workers.
    ///
    /// # Errors
    /// When a file that a command names cannot be read.
    pub(crate) fn new(runner: &Runner, checks: Vec<WorkerCheck>) -> io::Result<Self> {
        let plain = Runner {
            executor: None,
            ..runner.clone()
        };
        let tests = runner.extra_tests.iter().map(|test| Runner {
            command: test.command.clone(),
            ..plain.clone()
        });
        let runners = std::iter::once(plain.clone()).chain(tests);
        let commands = runners.zip(0..).map(|(runner, id)| {
            let setup = setup(id, &runner);
            let files = files(&runner)?;
            Ok(AdmittedCommand {
                runner,
                setup,
                files,
            })
        });
        Ok(Self {
            commands: commands.collect::<io::Result<_>>()?,
            checks,
        })
    }

    /// Returns the number of the command of this runner, if workers have it with these limits.
    pub(crate) fn number(&self, runner: &Runner, request: &RunRequest<'_>) -> Option<u32> {
        let limits = wire_limits(request.limits);
        let permissions = |limits: &Limits| {
            let sandbox = limits.sandbox.as_ref();
            sandbox.map(|sandbox| sandbox.permissions().clone())
        };
        let wanted = permissions(request.limits);
        let is_same = |command: &&AdmittedCommand| {
            command.runner.command == runner.command
                && command.runner.file == runner.file
                && command.setup.limits == limits
                && permissions(&command.runner.limits) == wanted
                && match (&command.runner.project, &runner.project) {
                    (None, None) => true,
                    (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                    _ => false,
                }
        };
        self.commands
            .iter()
            .find(is_same)
            .map(|command| command.setup.id)
    }
}

fn setup(id: u32, runner: &Runner) -> CommandSetup {
    let sandbox = runner.limits.sandbox.as_ref();
    CommandSetup {
        id,
        words: (runner.command.parts())
            .map(|word| word.iter().map(Into::into).collect())
            .collect(),
        reads_candidate: runner.command.stdin() == StdinContent::Candidate,
        name: runner.file.name.clone(),
        mode: runner.file.mode,
        permissions: sandbox.map(|sandbox| absolute(sandbox.permissions())),
        limits: wire_limits(&runner.limits),
        project: runner.project.as_ref().map(|project| {
            let plan = project.plan();
            ProjectSetup {
                root: plan.root().to_owned(),
                input: plan.input().to_owned(),
                user_dir: plan.user_dir().to_owned(),
            }
        }),
    }
}

/// Returns permissions that mean the same in any directory.
fn absolute(permissions: &Permissions) -> SentPermissions {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let writable = permissions.writable.iter().map(absolute);
    SentPermissions {
        writable: writable.map(PathBuf::into_os_string).collect(),
        no_network: permissions.no_network,
    }
}

fn wire_limits(limits: &Limits) -> WireLimits {
    let number = |number: usize| number as u64;
    WireLimits {
        grace: limits.grace,
        output_cap: number(limits.output_cap),
        memory: limits.memory,
        processes: limits.processes.map(number),
        file_size: limits.file_size,
        open_files: limits.open_files,
    }
}

/// Lists the files of the user that the command names, and those of its project.
fn files(runner: &Runner) -> io::Result<Vec<SentFile>> {
    let mut files = Vec::new();
    if let Some(project) = &runner.project {
        let snapshot = project.snapshot();
        for (path, entry) in project.plan().copied() {
            files.push(project_file(
                &snapshot.join(&path),
                project.plan().root(),
                &path,
                entry,
            )?);
        }
    }
    for part in runner.command.parts().flatten() {
        if let WordPart::Other { path, .. } = part
            && is_sent(path)
            && !files.iter().any(|file: &SentFile| file.entry.path == *path)
        {
            files.push(named_file(path)?);
        }
    }
    Ok(files)
}

fn digest(path: &Path) -> io::Result<EntryContent> {
    let content = read_file(path)?;
    Ok(EntryContent::File(*blake3::hash(&content).as_bytes()))
}

fn project_file(
    source: &Path,
    root: &Path,
    path: &Path,
    entry: CopiedEntry,
) -> io::Result<SentFile> {
    let (mode, content) = match entry {
        CopiedEntry::Dir(mode) => (mode, EntryContent::Dir),
        CopiedEntry::File(mode) => (mode, digest(source)?),
        CopiedEntry::Link(target) => (0o777, EntryContent::Link(target)),
    };
    let path = match path.as_os_str().is_empty() {
        true => root.to_owned(),
        false => root.join(path),
    };
    Ok(SentFile {
        entry: FileEntry {
            path,
            mode,
            content,
        },
        source: source.to_owned(),
    })
}

/// Returns a file that a command names; a link stands for the file behind it.
fn named_file(path: &Path) -> io::Result<SentFile> {
    Ok(SentFile {
        entry: FileEntry {
            path: path.to_owned(),
            mode: fs::metadata(path)?.permissions().mode(),
            content: digest(path)?,
        },
        source: path.to_owned(),
    })
}

/// Returns whether a file is sent if the worker does not have it.
fn is_sent(path: &Path) -> bool {
    !SYSTEM.iter().any(|dir| path.starts_with(dir))
        && fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_FILE)
}

/// Reads a file that is sent.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let content = boildown_exec::read_file(path)?;
    match content.len() <= MAX_CONTENT {
        true => Ok(content),
        false => Err(io::ErrorKind::FileTooLarge.into()),
    }
}
