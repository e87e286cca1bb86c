//! Runs of a command on a service, one candidate at a time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as reapi;
use boildown_oracle::{Capture, Interrupt, Outcome, Run};
use reapi::command::EnvironmentVariable;
use reapi::platform::Property;
use reapi::{
    Action, ActionResult, Command, Digest, Directory, DirectoryNode, ExecuteResponse, FileNode,
    Platform,
};
use tokio::net::unix::pipe;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::connection::{Patience, lock};
use crate::digest::{Blob, digest};
use crate::input_root::{Frame, SentFiles};
use crate::service::{Execution, OperationName, Service};
use crate::wrapper::{FILES_DIR, ID_PREFIX, Part, RUN_DIR, STATUS_FILE, Script, Status, TMP_DIR};
use crate::{Address, RemoteConfig, RemoteError};

/// Where programs are looked for on workers, unless `PATH` is given.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// How often a run is tried that a worker cannot finish.
const TRIES: u32 = 5;

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
    /// Whether that file is executable.
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

/// A connection to a service, for any number of commands and threads.
#[derive(Debug)]
pub struct RemoteService {
    service: Arc<Service>,
    runtime: Runtime,
}

/// Runs a command on a service.
#[derive(Debug)]
pub struct RemoteRunner {
    remote: Arc<RemoteService>,
    plan: Plan,
    /// How often each candidate was run, by a hash of its content.
    runs: Mutex<HashMap<u64, u32>>,
}

/// What all actions of a command share.
#[derive(Debug)]
struct Plan {
    run_dir: Frame,
    is_executable: bool,
    /// The program, for messages.
    program: String,
    /// Whether the candidate is the program.
    runs_candidate: bool,
    timeout: Duration,
    output_cap: usize,
    platform: Option<Platform>,
    command: Digest,
    files: Option<Digest>,
    /// The command, the files and the empty directory.
    blobs: Vec<Blob>,
}

/// One run: an action, the blobs that only it has, and the identity that its status repeats.
#[derive(Debug)]
struct Question {
    action: Digest,
    blobs: Vec<Blob>,
    id: String,
}

impl RemoteService {
    /// Connects to a service and checks that it can run commands.
    ///
    /// # Errors
    /// [`RemoteError`] when it cannot be reached, refuses us, or lacks something.
    pub fn connect(config: RemoteConfig) -> Result<Self, RemoteError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("remote")
            .enable_all()
            .build()
            .map_err(|source| RemoteError::SetUp {
                source: Box::new(source),
            })?;
        // The endpoint has to be made within the runtime.
        let service = runtime.block_on(async { Service::connect(config).await })?;
        Ok(Self {
            service: Arc::new(service),
            runtime,
        })
    }

    /// Returns its address.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.service.connection.config().address
    }
}

impl RemoteRunner {
    /// Prepares a command and uploads the files that it names.
    ///
    /// # Errors
    /// [`RemoteError`] when the service cannot be reached or refuses the files.
    pub fn new(remote: Arc<RemoteService>, command: RemoteCommand) -> Result<Self, RemoteError> {
        let plan = Plan::new(command, remote.service.connection.config());
        let blobs: Vec<_> = plan.blobs.iter().collect();
        remote
            .runtime
            .block_on(remote.service.store.provide(&blobs, false))?;
        Ok(Self {
            remote,
            plan,
            runs: Mutex::default(),
        })
    }

    /// Runs the command on a candidate. Each run of the same candidate is another one for the
    /// service too, in the order of the calls, so that a flaky property is not asked once only; the
    /// first run of the candidate in another session finds the result of this one's first.
    ///
    /// # Errors
    /// [`RemoteError::Interrupted`] when `interrupt` was triggered; another error when the
    /// candidate could not be tested.
    pub fn run(
        &self,
        candidate: &[u8],
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<Run, RemoteError> {
        if self.plan.runs_candidate && !is_program(candidate) {
            return Err(RemoteError::NotExecutable);
        }
        let question = self.plan.question(candidate, self.next_run_of(candidate));
        let name = OperationName::default();
        self.remote.runtime.block_on(async {
            let result = tokio::select! {
                biased;
                () = triggered(interrupt) => Err(RemoteError::Interrupted),
                run = self.ask(&question, capture, &name) => run,
            };
            // Dropping the stream stops nothing.
            if let Some(name) = name.get()
                && matches!(result, Err(RemoteError::Interrupted))
            {
                self.remote.service.cancel(name).await;
            }
            result
        })
    }

    fn next_run_of(&self, candidate: &[u8]) -> u32 {
        let mut hasher = DefaultHasher::new();
        candidate.hash(&mut hasher);
        let mut runs = lock(&self.runs);
        let count = runs.entry(hasher.finish()).or_insert(0);
        let index = *count;
        *count += 1;
        index
    }

    async fn ask(
        &self,
        question: &Question,
        capture: Capture,
        name: &OperationName,
    ) -> Result<Run, RemoteError> {
        let service = &self.remote.service;
        let started = Instant::now();
        if let Some(result) = service.known(&question.action).await?
            && let Some(run) = self.read(question, &result, capture, started).await?
        {
            return Ok(run);
        }
        let mut problem = String::new();
        let mut patience = service.connection.patience();
        let (mut is_new, mut skip) = (true, false);
        for _ in 0..TRIES {
            let blobs: Vec<_> = match is_new {
                true => question.blobs.iter().collect(),
                false => self.plan.blobs.iter().chain(&question.blobs).collect(),
            };
            service.store.provide(&blobs, is_new).await?;
            let started = Instant::now();
            match service.execute(&question.action, skip, name).await? {
                Execution::Done(response) => {
                    if let Some(run) = self.finish(question, &response, capture, started).await? {
                        return Ok(run);
                    }
                    // The result may have come from a cache, so another one is asked for.
                    skip = true;
                    problem = self.explain(&response).await?;
                }
                // Its store may have lost what was uploaded before.
                Execution::Incomplete => {
                    is_new = false;
                    problem = "files that were uploaded are missing there; its store may be too \
                               small"
                        .to_owned();
                }
                Execution::Failed(status) => {
                    problem = format!("it reports `{}` ({:?})", status.message(), status.code());
                }
            }
            self.pause(&mut patience).await;
        }
        Err(RemoteError::Broken { problem })
    }

    async fn pause(&self, patience: &mut Patience) {
        patience.pause().await;
    }

    /// Returns the run that a response describes; `None` when it describes none.
    async fn finish(
        &self,
        question: &Question,
        response: &ExecuteResponse,
        capture: Capture,
        started: Instant,
    ) -> Result<Option<Run>, RemoteError> {
        let result = response.result.clone().unwrap_or_default();
        let code = response.status.as_ref().map_or(0, |status| status.code);
        if tonic::Code::from_i32(code) == tonic::Code::DeadlineExceeded {
            return self
                .run_of(Outcome::TimedOut, &result, capture, self.plan.timeout)
                .await;
        }
        self.read(question, &result, capture, started).await
    }

    /// Returns the run that a result describes; `None` when the script did not write its status, or
    /// the status is that of another run, or an output is gone.
    async fn read(
        &self,
        question: &Question,
        result: &ActionResult,
        capture: Capture,
        started: Instant,
    ) -> Result<Option<Run>, RemoteError> {
        if result.exit_code != 0 {
            return Ok(None);
        }
        let Some(status) = self.status(question, result).await? else {
            return Ok(None);
        };
        let Status::Ended(outcome) = status else {
            if self.plan.runs_candidate {
                return Err(RemoteError::NotExecutable);
            }
            return Err(RemoteError::Broken {
                problem: format!(
                    "{} is not there; name a program that the image of the workers has, or choose \
                     another image by --remote-property",
                    self.plan.program
                ),
            });
        };
        let took = took(result, self.plan.timeout).unwrap_or_else(|| started.elapsed());
        self.run_of(outcome, result, capture, took).await
    }

    async fn status(
        &self,
        question: &Question,
        result: &ActionResult,
    ) -> Result<Option<Status>, RemoteError> {
        let file = (result.output_files.iter()).find(|file| file.path == STATUS_FILE);
        let Some(file) = file else { return Ok(None) };
        if !file.contents.is_empty() {
            return Ok(Status::parse(&file.contents, &question.id));
        }
        let Some(wanted) = &file.digest else {
            return Ok(None);
        };
        // Most services do not send the content, but there are few that it can have.
        let exits = (0..=255).map(|code| Status::Ended(Outcome::Exited(code)));
        let signals = (1..=64).map(|signal| Status::Ended(Outcome::Signalled(signal)));
        let known = (exits.chain(signals))
            .find(|status| digest(status.text(&question.id).as_bytes()) == *wanted);
        if known.is_some() || wanted.size_bytes > 1000 {
            return Ok(known);
        }
        let text = self.remote.service.store.fetch(wanted, 1000).await?;
        Ok(text.and_then(|text| Status::parse(&text, &question.id)))
    }

    async fn run_of(
        &self,
        outcome: Outcome,
        result: &ActionResult,
        capture: Capture,
        took: Duration,
    ) -> Result<Option<Run>, RemoteError> {
        let mut run = Run {
            outcome,
            stdout: Vec::new(),
            stderr: Vec::new(),
            took,
        };
        if capture == Capture::Nothing {
            return Ok(Some(run));
        }
        let streams = [
            (&mut run.stdout, &result.stdout_raw, &result.stdout_digest),
            (&mut run.stderr, &result.stderr_raw, &result.stderr_digest),
        ];
        for (stream, raw, digest) in streams {
            let Some(bytes) = self.output(raw, digest.as_ref()).await? else {
                return Ok(None);
            };
            *stream = bytes;
        }
        Ok(Some(run))
    }

    /// Returns a stream of output; `None` when the service does not have it any more.
    async fn output(
        &self,
        raw: &[u8],
        digest: Option<&Digest>,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        let cap = self.plan.output_cap;
        if !raw.is_empty() {
            return Ok(Some(clip(raw, cap)));
        }
        match digest {
            None => Ok(Some(Vec::new())),
            Some(digest) => {
                let bytes = self.remote.service.store.fetch(digest, cap).await?;
                Ok(bytes.map(|bytes| bytes.to_vec()))
            }
        }
    }

    /// Returns what is wrong with a response that describes no run.
    async fn explain(&self, response: &ExecuteResponse) -> Result<String, RemoteError> {
        let result = response.result.clone().unwrap_or_default();
        if result.exit_code == 0 {
            return Ok("its result is not that of the test; its cache may be broken".to_owned());
        }
        let (raw, digest) = (&result.stderr_raw, result.stderr_digest.as_ref());
        let stderr = self.output(raw, digest).await?.unwrap_or_default();
        let stderr = String::from_utf8_lossy(&stderr);
        let last = stderr.lines().rfind(|line| !line.trim().is_empty());
        Ok(format!(
            "/bin/sh could not be run there, or could not write beside the test: exit code {}{}; \
             choose an image with a shell by --remote-property container-image=docker://…",
            result.exit_code,
            last.map_or(String::new(), |line| format!(", `{}`", line.trim())),
        ))
    }
}

impl Plan {
    fn new(command: RemoteCommand, config: &RemoteConfig) -> Self {
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
        let platform = (!properties.is_empty()).then_some(Platform { properties });
        #[expect(deprecated, reason = "older services read only these fields")]
        let message = Command {
            arguments: ["/bin/sh", "-c", &script.text()].map(Into::into).to_vec(),
            environment_variables: (variables.into_iter())
                .map(|(name, value)| EnvironmentVariable { name, value })
                .collect(),
            output_files: vec![STATUS_FILE.to_owned()],
            output_paths: vec![STATUS_FILE.to_owned()],
            platform: platform.clone(),
            ..Default::default()
        };
        let message = Blob::of(&message);
        let digest = message.digest.clone();
        let mut blobs = vec![Blob::new(Vec::new()), message];
        let runs_candidate = command
            .words
            .first()
            .is_some_and(|word| *word == [Part::Candidate]);
        let files = (!command.files.is_empty()).then(|| command.files.into_blobs(&mut blobs));
        Self {
            run_dir: command.company.into_frame(&command.candidate, &mut blobs),
            runs_candidate,
            program: program(&command.words),
            is_executable: command.is_executable,
            timeout: command.timeout,
            output_cap: command.output_cap,
            platform,
            command: digest,
            files,
            blobs,
        }
    }

    /// Returns the run of this number on a candidate.
    fn question(&self, candidate: &[u8], run: u32) -> Question {
        let file = Blob::new(candidate.to_vec());
        let id = format!("{}-{run}", file.digest.hash.get(..32).unwrap_or_default());
        let empty = digest(b"");
        let directory = |name: &str, digest: Digest| DirectoryNode {
            name: name.into(),
            digest: Some(digest),
        };
        let mut blobs = Vec::new();
        let run_dir = self
            .run_dir
            .with(file.digest.clone(), self.is_executable, &mut blobs);
        blobs.push(file);
        let files = self
            .files
            .iter()
            .map(|digest| directory(FILES_DIR, digest.clone()));
        let root = Blob::of(&Directory {
            files: vec![FileNode {
                name: format!("{ID_PREFIX}{id}"),
                digest: Some(empty.clone()),
                ..Default::default()
            }],
            // In the order of their names.
            directories: files
                .chain([directory(RUN_DIR, run_dir), directory(TMP_DIR, empty)])
                .collect(),
            ..Default::default()
        });
        let action = Blob::of(&Action {
            command_digest: Some(self.command.clone()),
            input_root_digest: Some(root.digest.clone()),
            timeout: Some(bazel_remote_apis::google::protobuf::Duration {
                seconds: i64::try_from(self.timeout.as_secs()).unwrap_or(i64::MAX),
                nanos: i32::try_from(self.timeout.subsec_nanos()).unwrap_or(0),
            }),
            platform: self.platform.clone(),
            ..Default::default()
        });
        Question {
            action: action.digest.clone(),
            blobs: {
                blobs.extend([root, action]);
                blobs
            },
            id,
        }
    }
}

/// Returns whether the system may execute a file of this content. A shell would also run a text
/// without a first line such as `#!/bin/sh`.
fn is_program(content: &[u8]) -> bool {
    content.starts_with(b"#!") || content.starts_with(b"\x7fELF")
}

/// Returns the program of a command as a user would write it.
fn program(words: &[Vec<Part>]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) | Part::Beside(text) | Part::Sent(text) => text.clone(),
        Part::Candidate => "{}".to_owned(),
    };
    format!(
        "`{}`",
        words.iter().flatten().take(1).map(part).collect::<String>()
    )
}

/// Waits until the interrupt is triggered.
async fn triggered(interrupt: &Interrupt) {
    let Ok(fd) = interrupt.as_fd().try_clone_to_owned() else {
        return std::future::pending().await;
    };
    match pipe::Receiver::from_owned_fd(fd) {
        Ok(pipe) if pipe.readable().await.is_ok() => {}
        _ => std::future::pending().await,
    }
}

/// Returns the time that the command took, by the clock of the worker. `None` when the worker does
/// not say, or when its clock was set meanwhile.
fn took(result: &ActionResult, limit: Duration) -> Option<Duration> {
    let metadata = result.execution_metadata.as_ref()?;
    let start = metadata.execution_start_timestamp.as_ref()?;
    let end = metadata.execution_completed_timestamp.as_ref()?;
    let nanos = |stamp: &bazel_remote_apis::google::protobuf::Timestamp| {
        i128::from(stamp.seconds) * 1_000_000_000 + i128::from(stamp.nanos)
    };
    let nanos = u64::try_from(nanos(end) - nanos(start)).ok()?;
    Some(Duration::from_nanos(nanos)).filter(|took| *took <= limit * 2)
}

/// Keeps the beginning and the end of an output.
fn clip(bytes: &[u8], cap: usize) -> Vec<u8> {
    if bytes.len() <= cap {
        return bytes.to_vec();
    }
    let half = cap / 2;
    [&bytes[..half], &bytes[bytes.len() - half..]].concat()
}

#[cfg(test)]
mod tests {
    use bazel_remote_apis::google::protobuf::Timestamp;
    use reapi::ExecutedActionMetadata;

    use super::*;

    #[test]
    fn a_clock_that_was_set_during_a_run_tells_no_time() {
        let check = |start: i64, end: i64| {
            let stamp = |seconds| Some(Timestamp { seconds, nanos: 0 });
            let metadata = ExecutedActionMetadata {
                execution_start_timestamp: stamp(start),
                execution_completed_timestamp: stamp(end),
                ..Default::default()
            };
            let result = ActionResult {
                execution_metadata: Some(metadata),
                ..Default::default()
            };
            took(&result, Duration::from_secs(10))
        };
        assert_eq!(check(1000, 1003), Some(Duration::from_secs(3)));
        assert_eq!(check(1000, 990), None);
        assert_eq!(check(0, 1_000_000), None);
    }

    #[test]
    fn an_output_is_cut_in_the_middle() {
        assert_eq!(clip(b"0123456789", 10), b"0123456789");
        assert_eq!(clip(b"0123456789", 4), b"0189");
    }
}
