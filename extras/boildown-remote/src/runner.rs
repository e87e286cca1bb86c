//! Runs of a command on a service.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bazel_remote_apis::build::bazel::remote::execution::v2 as reapi;
use boildown_oracle::{Capture, Interrupt, Outcome, Run};
use reapi::{ActionResult, Digest, ExecuteResponse};
use tokio::net::unix::pipe;
use tokio::runtime::Runtime;
use tokio::time::Instant;
use tonic::Code;

use crate::connection::lock;
use crate::digest::digest;
use crate::group::{Follower, Grouping, Groups, Turn, WaitingRun};
use crate::plan::{NumberedRun, Plan, Question, RemoteCommand, group_dir};
use crate::service::{Execution, OperationName, Service};
use crate::wrapper::{STATUS_FILE, STDERR_FILE, STDOUT_FILE, Status};
use crate::{Address, RemoteConfig, RemoteError};

/// How often a run is tried that a worker cannot finish.
const TRIES: u32 = 5;

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
    groups: Arc<Groups>,
}

/// A stream of output: its content if the service sent it, and its digest.
#[derive(Debug, Clone, Copy)]
struct Stream<'a> {
    content: &'a [u8],
    digest: Option<&'a Digest>,
}

/// The facts about one run in the result of an action.
#[derive(Debug, Clone, Copy)]
struct Report<'a> {
    id: &'a str,
    status: Stream<'a>,
    stdout: Stream<'a>,
    stderr: Stream<'a>,
    took: Duration,
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
            groups: Groups::new(Grouping {
                size: 1,
                actions: 1,
            }),
        })
    }

    /// Returns this runner with several runs in one action.
    #[must_use]
    pub fn grouping(self, grouping: Grouping) -> Self {
        Self {
            groups: Groups::new(grouping),
            ..self
        }
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
        let run = NumberedRun {
            candidate,
            number: self.next_run_of(candidate),
        };
        let name = OperationName::default();
        self.remote.runtime.block_on(async {
            let result = tokio::select! {
                biased;
                () = triggered(interrupt) => Err(RemoteError::Interrupted),
                run = self.ask(run, capture, &name) => run,
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

    /// Looks a run up in the cache of the service, and makes it if it is not there.
    async fn ask(
        &self,
        run: NumberedRun<'_>,
        capture: Capture,
        name: &OperationName,
    ) -> Result<Run, RemoteError> {
        let question = self.plan.question(run);
        let known = self.remote.service.known(&question.action).await?;
        if let Some(result) = &known
            && let Ok(Some(run)) = (self.read(&question, result, capture, Instant::now())).await
        {
            return Ok(run);
        }
        // A result that says nothing would be sent again.
        let skip = known.is_some();
        if skip || !self.groups.are_used() {
            return self.execute(&question, skip, capture, name).await;
        }
        let turn = self.groups.wait(WaitingRun {
            candidate: run.candidate.into(),
            number: run.number,
            capture,
        });
        match turn.await {
            Ok(Turn::Answered(run)) => Ok(run),
            Ok(Turn::Leads(followers, _under_way)) if !followers.is_empty() => {
                match self.lead(run, followers, capture, name).await? {
                    Some(run) => Ok(run),
                    None => self.execute(&question, false, capture, name).await,
                }
            }
            _ => self.execute(&question, false, capture, name).await,
        }
    }

    /// Makes a run together with others, and gives them their results. `None` when the result says
    /// nothing about this run. Whatever is unusual, such as a run that hangs and takes the time of
    /// the others, is left to actions of their own.
    async fn lead(
        &self,
        run: NumberedRun<'_>,
        followers: Vec<Follower>,
        capture: Capture,
        name: &OperationName,
    ) -> Result<Option<Run>, RemoteError> {
        let service = &self.remote.service;
        let others = followers.iter().map(|follower| NumberedRun {
            candidate: &follower.run.candidate,
            number: follower.run.number,
        });
        let runs: Vec<_> = std::iter::once(run).chain(others).collect();
        let question = self.plan.group(&runs);
        let blobs: Vec<_> = question.blobs.iter().collect();
        service.store.provide(&blobs, true).await?;
        let started = Instant::now();
        let execution = service.execute(&question.action, false, name).await?;
        let Execution::Done(response) = execution else {
            return Ok(None);
        };
        let result = response.result.clone().unwrap_or_default();
        if response.status.unwrap_or_default().code != 0 || result.exit_code != 0 {
            return Ok(None);
        }
        let count = u32::try_from(runs.len()).unwrap_or(u32::MAX);
        let took = took(&result, self.plan.timeout).unwrap_or_else(|| started.elapsed()) / count;
        let report = |index: usize| {
            let file = |name| file(&result, &format!("{}/{name}", group_dir(index)));
            Some(Report {
                id: &question.ids[index],
                status: file(STATUS_FILE)?,
                stdout: file(STDOUT_FILE)?,
                stderr: file(STDERR_FILE)?,
                took,
            })
        };
        for (index, follower) in followers.into_iter().enumerate() {
            if let Some(report) = report(index + 1)
                && let Ok(Some(run)) = self.judged(report, follower.run.capture).await
            {
                follower.answer(run);
            }
        }
        match report(0) {
            Some(report) => self.judged(report, capture).await,
            None => Ok(None),
        }
    }

    /// Makes a run in an action of its own.
    async fn execute(
        &self,
        question: &Question,
        skip: bool,
        capture: Capture,
        name: &OperationName,
    ) -> Result<Run, RemoteError> {
        let service = &self.remote.service;
        let mut problem = String::new();
        let mut patience = service.connection.patience();
        let (mut is_new, mut skip) = (true, skip);
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
            patience.pause().await;
        }
        Err(RemoteError::Broken { problem })
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
        if Code::from_i32(code) != Code::DeadlineExceeded {
            return self.read(question, &result, capture, started).await;
        }
        let streams = streams(&result);
        let timeout = self.plan.timeout;
        self.run_of(Outcome::TimedOut, streams, capture, timeout)
            .await
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
        let ([id], Some(status), 0) = (
            question.ids.as_slice(),
            file(result, STATUS_FILE),
            result.exit_code,
        ) else {
            return Ok(None);
        };
        let [stdout, stderr] = streams(result);
        let report = Report {
            id,
            status,
            stdout,
            stderr,
            took: took(result, self.plan.timeout).unwrap_or_else(|| started.elapsed()),
        };
        self.judged(report, capture).await
    }

    async fn judged(
        &self,
        report: Report<'_>,
        capture: Capture,
    ) -> Result<Option<Run>, RemoteError> {
        match self.status(report).await? {
            Some(Status::Ended(outcome)) => {
                self.groups.note(report.took);
                let streams = [report.stdout, report.stderr];
                self.run_of(outcome, streams, capture, report.took).await
            }
            Some(Status::Missing) if self.plan.runs_candidate => Err(RemoteError::NotExecutable),
            Some(Status::Missing) => Err(RemoteError::Broken {
                problem: format!(
                    "{} is not there; name a program that the image of the workers has, or choose \
                     another image by --remote property=NAME=VALUE",
                    self.plan.program
                ),
            }),
            None => Ok(None),
        }
    }

    async fn status(&self, report: Report<'_>) -> Result<Option<Status>, RemoteError> {
        let (id, file) = (report.id, report.status);
        if !file.content.is_empty() {
            return Ok(Status::parse(file.content, id));
        }
        let Some(wanted) = file.digest else {
            return Ok(None);
        };
        // Most services do not send the content, but there are few that it can have.
        let exits = (0..=255).map(|code| Status::Ended(Outcome::Exited(code)));
        let signals = (1..=64).map(|signal| Status::Ended(Outcome::Signalled(signal)));
        let known =
            (exits.chain(signals)).find(|status| digest(status.text(id).as_bytes()) == *wanted);
        if known.is_some() || wanted.size_bytes > 1000 {
            return Ok(known);
        }
        let text = self.remote.service.store.fetch(wanted, 1000).await?;
        Ok(text.and_then(|text| Status::parse(&text, id)))
    }

    async fn run_of(
        &self,
        outcome: Outcome,
        streams: [Stream<'_>; 2],
        capture: Capture,
        took: Duration,
    ) -> Result<Option<Run>, RemoteError> {
        let mut run = Run {
            outcome,
            stdout: Vec::new(),
            stderr: Vec::new(),
            took,
        };
        if capture == Capture::Output {
            for (kept, stream) in [&mut run.stdout, &mut run.stderr].into_iter().zip(streams) {
                let Some(bytes) = self.output(stream).await? else {
                    return Ok(None);
                };
                *kept = bytes;
            }
        }
        Ok(Some(run))
    }

    /// Returns a stream of output; `None` when the service does not have it any more.
    async fn output(&self, stream: Stream<'_>) -> Result<Option<Vec<u8>>, RemoteError> {
        let cap = self.plan.output_cap;
        match stream.digest {
            _ if !stream.content.is_empty() => Ok(Some(clip(stream.content, cap))),
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
        let [_, stderr] = streams(&result);
        let stderr = self.output(stderr).await?.unwrap_or_default();
        let stderr = String::from_utf8_lossy(&stderr);
        let last = stderr.lines().rfind(|line| !line.trim().is_empty());
        Ok(format!(
            "/bin/sh could not be run there, or could not write beside the test: exit code {}{}; \
             choose an image with a shell by --remote property=container-image=docker://…",
            result.exit_code,
            last.map_or(String::new(), |line| format!(", `{}`", line.trim())),
        ))
    }
}

/// Returns whether the system may execute a file of this content. A shell would also run a text
/// without a first line such as `#!/bin/sh`.
fn is_program(content: &[u8]) -> bool {
    content.starts_with(b"#!") || content.starts_with(b"\x7fELF")
}

/// Returns an output file of a result.
fn file<'a>(result: &'a ActionResult, path: &str) -> Option<Stream<'a>> {
    let file = result.output_files.iter().find(|file| file.path == path)?;
    Some(Stream {
        content: &file.contents,
        digest: file.digest.as_ref(),
    })
}

/// Returns the standard output and the standard error of a result.
fn streams(result: &ActionResult) -> [Stream<'_>; 2] {
    [
        Stream {
            content: &result.stdout_raw,
            digest: result.stdout_digest.as_ref(),
        },
        Stream {
            content: &result.stderr_raw,
            digest: result.stderr_digest.as_ref(),
        },
    ]
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
/// not say, or when its clock was set during the run.
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
