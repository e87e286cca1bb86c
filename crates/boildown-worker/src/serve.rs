//! The worker: runs commands for a client at the other end of two pipes.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use boildown_exec::spawn::{Limits, Sandbox};
use boildown_exec::{
    PlanLimits, Project, ProjectPlan, ProjectRequest, RunRequest, Runner, Scratch,
};
use boildown_oracle::{Capture, Interrupt, OracleError, Run};
use rustix::event::{PollFd, PollFlags, poll};

use super::error::WorkerError;
use super::frame::{Frame, MAX_TO_WORKER, read_frame};
use super::greeting;
use super::message::{self, CommandSetup, ToWorker, ToWorkerReader, WireLimits, with_causes};
use super::placed_files::{FileTree, PlacedFiles};

/// The time between two signs of life.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);

/// The longest time to wait for the end of stopped runs. Usually milliseconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// What a worker is.
#[derive(Debug, Clone)]
pub struct WorkerSetup {
    /// Commands to run at the same time.
    pub jobs: NonZeroUsize,
    /// The directory for runs, if there is no memory for them, and for files.
    pub temp_dir: PathBuf,
    /// The name of this machine, for messages.
    pub host: String,
}

/// What the main thread of a worker waits for.
enum Incoming {
    Message(ToWorker),
    /// The client has closed the connection, a signal came, or something failed.
    End(Result<(), WorkerError>),
}

/// One run that waits for a thread.
struct Job {
    id: u64,
    runner: Arc<Runner>,
    candidate: Vec<u8>,
    capture: Capture,
    timeout: Duration,
    interrupt: Interrupt,
}

/// Runs commands for the client that is connected to these streams, until it closes them or `stop`
/// is triggered. Then all runs are stopped, and their directories are removed.
///
/// # Errors
/// [`WorkerError`] when the client is not one of boildown, sends what is not a message, or when
/// there is no space for runs.
pub fn serve(
    setup: &WorkerSetup,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    stop: &Interrupt,
) -> Result<(), WorkerError> {
    let scratch = Arc::new(Scratch::new(&setup.temp_dir)?);
    let mut output: Box<dyn Write + Send> = Box::new(output);
    output.write_all(greeting::of_worker(setup.jobs.get(), &setup.host).as_bytes())?;
    output.flush()?;
    let (sender, incoming) = channel();
    let sent = sender.clone();
    thread::spawn(move || {
        let end = read(input, &sent);
        sent.send(Incoming::End(end)).ok();
    });
    let sent = sender.clone();
    let (stop, stopped) = (stop.clone(), stop.clone());
    thread::spawn(move || {
        if poll(&mut [PollFd::new(&stopped, PollFlags::IN)], None).is_ok() {
            sent.send(Incoming::End(Ok(()))).ok();
        }
    });
    let output = Output {
        stream: Arc::new(Mutex::new(output)),
        failed: sender,
    };
    let mut worker = Worker {
        files: PlacedFiles::new(setup.temp_dir.clone()),
        commands: HashMap::new(),
        running: Arc::default(),
        setup,
        stop,
        scratch,
        output,
    };
    worker.run(&incoming)
}

/// Reads the messages of the client until it closes the stream.
fn read(input: impl Read, sent: &Sender<Incoming>) -> Result<(), WorkerError> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    match greeting::read_client(&mut input)? {
        None => return Ok(()),
        Some(Err(line)) => return Err(WorkerError::NotAClient { line }),
        Some(Ok(())) => {}
    }
    let mut reader = ToWorkerReader::default();
    while let Some(payload) = read_frame(&mut input, MAX_TO_WORKER)? {
        let message = reader.read(&payload)?;
        if sent.send(Incoming::Message(message)).is_err() {
            break;
        }
    }
    Ok(())
}

/// The stream to the client, which many threads write to.
#[derive(Clone)]
struct Output {
    stream: Arc<Mutex<Box<dyn Write + Send>>>,
    failed: Sender<Incoming>,
}

impl Output {
    fn send(&self, frame: &Frame) {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = frame.write(&mut *stream) {
            let is_closed = error.kind() == std::io::ErrorKind::BrokenPipe;
            let end = if is_closed { Ok(()) } else { Err(error.into()) };
            self.failed.send(Incoming::End(end)).ok();
        }
    }
}

/// The runs that wait or have begun, by their numbers.
#[derive(Default)]
struct Running {
    interrupts: Mutex<HashMap<u64, Interrupt>>,
    ended: Condvar,
}

impl Running {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Interrupt>> {
        (self.interrupts.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn remove(&self, id: u64) {
        self.lock().remove(&id);
        self.ended.notify_all();
    }

    /// Stops all runs, and waits for their end.
    fn stop(&self) {
        let running = self.lock();
        #[expect(clippy::iter_over_hash_type, reason = "all are stopped")]
        for interrupt in running.values() {
            interrupt.trigger();
        }
        let is_running = |running: &mut HashMap<u64, Interrupt>| !running.is_empty();
        drop(
            self.ended
                .wait_timeout_while(running, STOP_TIMEOUT, is_running),
        );
    }
}

/// The state of the main thread.
struct Worker<'a> {
    setup: &'a WorkerSetup,
    stop: Interrupt,
    scratch: Arc<Scratch>,
    files: PlacedFiles,
    commands: HashMap<u32, Arc<Runner>>,
    running: Arc<Running>,
    output: Output,
}

impl Worker<'_> {
    /// Serves until the end, and then stops all runs.
    fn run(&mut self, incoming: &Receiver<Incoming>) -> Result<(), WorkerError> {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let (beating, stopped) = channel::<()>();
        for _ in 0..self.setup.jobs.get() {
            let (queue, output) = (Arc::clone(&queue), self.output.clone());
            let running = Arc::clone(&self.running);
            // Not joined at the end: it may wait for a client that does not read.
            thread::spawn(move || work(&queue, &output, &running));
        }
        let output = self.output.clone();
        thread::spawn(move || {
            while stopped.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
                output.send(&message::heartbeat());
            }
        });
        let end = loop {
            match incoming.recv() {
                Ok(Incoming::Message(message)) => {
                    if let Err(error) = self.handle(message, &jobs) {
                        break Err(error.into());
                    }
                }
                Ok(Incoming::End(end)) => break end,
                Err(_) => break Ok(()),
            }
        };
        drop((jobs, beating));
        self.running.stop();
        end
    }

    fn handle(&mut self, message: ToWorker, jobs: &Sender<Job>) -> Result<(), OracleError> {
        match message {
            ToWorker::Files { files, copies } => {
                let missing = self.files.begin(files, copies);
                self.output.send(&message::missing(&missing));
            }
            ToWorker::FileContent(number, content) => self.files.receive(number, &content)?,
            ToWorker::Command(setup) => {
                let answer = match self.command(&setup) {
                    Ok(runner) => {
                        let sandbox = runner.limits.sandbox.as_ref();
                        let gap = sandbox.and_then(Sandbox::gap);
                        self.commands.insert(setup.id, Arc::new(runner));
                        message::accepted(setup.id, gap)
                    }
                    Err(why) => message::refused(setup.id, &why),
                };
                self.output.send(&answer);
            }
            ToWorker::Run {
                id,
                command,
                capture,
                timeout,
                candidate,
            } => {
                let Some(runner) = self.commands.get(&command).map(Arc::clone) else {
                    let unknown = OracleError::Elsewhere {
                        action: "run a command".to_owned(),
                        source: "it is unknown".into(),
                    };
                    self.output.send(&message::ended(id, &Err(unknown)));
                    return Ok(());
                };
                let interrupt = Interrupt::new()?;
                self.running.lock().insert(id, interrupt.clone());
                let job = Job {
                    id,
                    runner,
                    candidate,
                    capture,
                    timeout,
                    interrupt,
                };
                jobs.send(job).ok();
            }
            ToWorker::Cancel(id) => {
                if let Some(interrupt) = self.running.lock().get(&id) {
                    interrupt.trigger();
                }
            }
        }
        Ok(())
    }

    /// Returns the runner of a command. The error is for the user of the client.
    fn command(&mut self, setup: &CommandSetup) -> Result<Runner, String> {
        let failed = |error: OracleError| format!("it failed to {}", with_causes(&error));
        let tree = self.files.place().map_err(failed)?;
        let sandbox = setup.permissions.as_ref().map(Sandbox::new);
        let project = setup.project.is_some().then(|| self.project(setup, &tree));
        Ok(Runner {
            command: tree.command(&setup.command)?,
            project: project.transpose()?.map(Arc::new),
            scratch: Arc::clone(&self.scratch),
            file: setup.file.clone(),
            limits: Limits {
                sandbox: sandbox.transpose().map_err(failed)?,
                ..limits(&setup.limits)
            },
            extra_tests: Vec::new(),
            executor: None,
        })
    }

    /// Returns the project that a command is run in.
    fn project(&self, setup: &CommandSetup, tree: &FileTree) -> Result<Project, String> {
        let Some(project) = &setup.project else {
            return Err("there is no project".to_owned());
        };
        let root = tree.path(&project.root);
        let plan = ProjectPlan::new(&ProjectRequest {
            root: &root,
            input: &root.join(&project.input),
            user_dir: &root.join(&project.user_dir),
            left_out: &[],
            limits: PlanLimits::STATED,
        });
        let plan = plan.map_err(|error| with_causes(&error))?;
        Project::new(
            plan,
            self.setup.jobs.get(),
            &self.setup.temp_dir,
            &self.stop,
        )
        .map_err(|error| with_causes(&error))
    }
}

/// Runs one job after the other.
fn work(queue: &Mutex<Receiver<Job>>, output: &Output, running: &Running) {
    loop {
        // Locked while waiting: the thread that holds the lock takes the next job.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else {
            return;
        };
        let result = run(&job);
        let id = job.id;
        drop(job);
        running.remove(id);
        output.send(&message::ended(id, &result));
    }
}

fn run(job: &Job) -> Result<Run, OracleError> {
    if job.interrupt.is_triggered() {
        return Err(OracleError::Interrupted);
    }
    let limits = Limits {
        timeout: job.timeout,
        ..job.runner.limits.clone()
    };
    let request = RunRequest {
        candidate: &job.candidate,
        capture: job.capture,
        limits: &limits,
    };
    job.runner.run_here(&request, &job.interrupt)
}

/// Returns the limits of the client. The time limit comes with each run.
fn limits(limits: &WireLimits) -> Limits {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        timeout: Duration::MAX,
        grace: limits.grace,
        // Two streams have to fit into a frame.
        output_cap: number(limits.output_cap).min(super::frame::MAX_FROM_WORKER / 4),
        memory: limits.memory,
        processes: limits.processes.map(number),
        file_size: limits.file_size,
        open_files: limits.open_files,
        sandbox: None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, PipeWriter, pipe};

    use boildown_exec::{CandidateFile, CommandLine};
    use boildown_oracle::Outcome;

    use super::super::frame::MAX_FROM_WORKER;
    use super::super::message::{Body, EntryContent, FileEntry, FromWorker, RunMessage};
    use super::*;

    /// A worker on a thread, and the client's ends of its streams.
    struct Client {
        output: Option<PipeWriter>,
        input: BufReader<PipeReader>,
        worker: thread::JoinHandle<Result<(), WorkerError>>,
        temp_dir: tempfile::TempDir,
    }

    impl Client {
        fn start() -> Self {
            let temp_dir = tempfile::tempdir().unwrap();
            let setup = WorkerSetup {
                jobs: NonZeroUsize::new(2).unwrap(),
                temp_dir: temp_dir.path().to_owned(),
                host: "here".to_owned(),
            };
            let (theirs, mut output) = pipe().unwrap();
            let (input, their_output) = pipe().unwrap();
            let worker = thread::spawn(move || {
                serve(&setup, theirs, their_output, &Interrupt::new().unwrap())
            });
            let mut input = BufReader::new(input);
            let greeting = greeting::read_worker(&mut input).unwrap().unwrap();
            assert_eq!(greeting.jobs, 2);
            output.write_all(greeting::of_client().as_bytes()).unwrap();
            Self {
                output: Some(output),
                input,
                worker,
                temp_dir,
            }
        }

        fn send(&mut self, frame: &Frame) {
            frame.write(self.output.as_mut().unwrap()).unwrap();
        }

        /// Returns the next message that is not a heartbeat.
        fn receive(&mut self) -> FromWorker {
            loop {
                let payload = read_frame(&mut self.input, MAX_FROM_WORKER)
                    .unwrap()
                    .unwrap();
                match FromWorker::read(&payload).unwrap() {
                    FromWorker::Heartbeat => {}
                    message => return message,
                }
            }
        }

        /// Sends a script that the client has at a path that this machine does not have.
        fn send_script(&mut self, script: &[u8]) {
            let path = PathBuf::from("/missing here/home/test.sh");
            let entry = FileEntry {
                path: path.clone(),
                mode: 0o755,
                content: EntryContent::File(*blake3::hash(script).as_bytes()),
            };
            self.send(&message::files(&[&entry], false));
            let missing = self.receive();
            assert!(matches!(&missing, FromWorker::Missing(numbers) if numbers == &[0]));
            self.send(&message::file_content(0, script));
            self.send(&message::command(&CommandSetup {
                id: 4,
                command: CommandLine::script(&path, std::path::Path::new("/")),
                file: CandidateFile::named("in.txt"),
                permissions: None,
                limits: WireLimits {
                    grace: Duration::from_millis(150),
                    output_cap: 1 << 20,
                    memory: None,
                    processes: None,
                    file_size: None,
                    open_files: None,
                },
                project: None,
            }));
            let accepted = self.receive();
            assert!(
                matches!(accepted, FromWorker::Accepted(4, None)),
                "{accepted:?}"
            );
        }

        fn run(&mut self, id: u64, command: u32, candidate: &[u8]) {
            self.send(&message::run(&RunMessage {
                id,
                command,
                capture: Capture::Output,
                timeout: Duration::from_secs(100),
                body: Body::Whole(candidate),
            }));
        }

        /// Closes the connection, and checks that nothing is left.
        fn end(mut self) {
            self.output = None;
            self.worker.join().unwrap().unwrap();
            let left = std::fs::read_dir(self.temp_dir.path()).unwrap();
            assert_eq!(left.count(), 0);
        }
    }

    #[test]
    fn a_script_of_the_client_is_run_on_candidates() {
        let mut client = Client::start();
        client.send_script(b"#!/bin/sh\ncat in.txt; grep -q needle $1");
        for (id, candidate, code) in [(1, "a needle", 0), (2, "hay", 1)] {
            client.run(id, 4, candidate.as_bytes());
            let FromWorker::Ended(ended, Ok(run)) = client.receive() else {
                panic!("a result");
            };
            assert_eq!((ended, run.outcome), (id, Outcome::Exited(code)));
            assert_eq!(run.stdout, candidate.as_bytes());
        }
        client.end();
    }

    #[test]
    fn a_run_is_cancelled_and_the_end_stops_all_runs() {
        let mut client = Client::start();
        client.send_script(b"#!/bin/sh\nsleep 1000");
        client.run(1, 4, b"x");
        client.send(&message::cancel(1));
        let ended = client.receive();
        assert!(matches!(
            ended,
            FromWorker::Ended(1, Err(OracleError::Interrupted))
        ));
        for id in 2..9 {
            client.run(id, 4, b"x");
        }
        client.end();
    }

    #[test]
    fn an_unknown_command_is_an_error_and_a_wrong_content_ends_the_worker() {
        let mut client = Client::start();
        client.run(1, 77, b"x");
        assert!(matches!(client.receive(), FromWorker::Ended(1, Err(_))));
        client.send(&message::file_content(5, b"not announced"));
        assert!(client.worker.join().unwrap().is_err());
    }
}
