//! The worker: runs commands for a client at the other end of two pipes.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use boildown_exec::spawn::{Limits, Permissions, Sandbox};
use boildown_exec::{
    CandidateFile, PlanLimits, Project, ProjectPlan, ProjectRequest, RunRequest, Runner, Scratch,
};
use boildown_oracle::{Capture, Interrupt, OracleError, Run};
use rustix::event::{PollFd, PollFlags, poll};

use super::error::WorkerError;
use super::frame::{Frame, MAX_TO_WORKER, read_frame};
use super::greeting;
use super::message::{
    self, CommandSetup, FromWorker, RunMessage, ToWorker, ToWorkerReader, WireLimits, with_causes,
};
use super::placed_files::{FileTree, PlacedFiles};

/// The time between two signs of life.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);

/// The longest time to wait for the end of stopped runs. Usually milliseconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest time to wait for the end of the message that is being handled.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// The time between two looks at something that is in use.
const PAUSE: Duration = Duration::from_millis(1);

/// The most files of one command: those of the largest project, and those that its words name.
const MAX_FILES: usize = PlanLimits::STATED.entries + 10_000;

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

/// One run that waits for a thread.
struct Job {
    id: u64,
    runner: Arc<Runner>,
    candidate: Vec<u8>,
    capture: Capture,
    timeout: Duration,
    interrupt: Interrupt,
}

/// Why the worker ends: the client has closed the connection, a signal came, or something failed.
type End = Result<(), WorkerError>;

/// Runs commands for the client that is connected to these streams, until it closes them or `stop`
/// is triggered. Then all runs are stopped, and their directories are removed.
///
/// Threads of their own read, answer and run, and none of them is waited for at the end: a client
/// that does not read, or names a file that cannot be read, holds up its own answers only. If the
/// system permits fewer threads than there are jobs, there are fewer jobs.
///
/// # Errors
/// [`WorkerError`] when the client is not one of boildown, sends what is not a message, or when
/// there is no space for runs, or no thread.
pub fn serve(
    setup: &WorkerSetup,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    stop: &Interrupt,
) -> Result<(), WorkerError> {
    let scratch = Arc::new(Scratch::new(&setup.temp_dir)?);
    let ended = Interrupt::new()?;
    let (ends, end) = channel();
    let output = Output {
        stream: Arc::new(Mutex::new(Box::new(output))),
        failed: ends.clone(),
    };
    let (jobs, queue) = channel();
    let queue = Arc::new(Mutex::new(queue));
    let running: Arc<Running> = Arc::default();
    let count = start_runs(setup.jobs.get(), &queue, &output, &running)?;
    output.greet(&greeting::of_worker(count, &setup.host))?;
    let client = Arc::new(Mutex::new(Some(ClientSetup {
        files: PlacedFiles::new(setup.temp_dir.clone()),
        commands: HashMap::new(),
        jobs: count,
        temp_dir: setup.temp_dir.clone(),
        scratch,
        ended: ended.clone(),
    })));
    let (messages, received) = channel();
    let (answering, answered) = (output.clone(), Arc::clone(&client));
    let accepted = Arc::clone(&running);
    start_thread(move || answer(&received, &answered, &accepted, &jobs, &answering))?;
    let sent = ends.clone();
    start_thread(move || {
        let end = read(input, &messages);
        sent.send(end).ok();
    })?;
    let (sent, stop) = (ends.clone(), stop.clone());
    start_thread(move || {
        if poll(&mut [PollFd::new(&stop, PollFlags::IN)], None).is_ok() {
            sent.send(Ok(())).ok();
        }
    })?;
    let (beating, stopped) = channel::<()>();
    start_thread(move || {
        while stopped.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
            output.send(&Frame::new(&FromWorker::Heartbeat, &[]));
        }
    })?;
    let end = end.recv().unwrap_or(Ok(()));
    drop(beating);
    ended.trigger();
    running.stop(&queue);
    // With it, the directories are removed. If it is still in use, the next session removes them.
    drop(take_within(&client, END_TIMEOUT));
    end
}

/// Starts a thread that is not waited for.
fn start_thread(work: impl FnOnce() + Send + 'static) -> Result<(), OracleError> {
    let started = thread::Builder::new().spawn(work);
    started.map_err(|source| OracleError::Thread { source })?;
    Ok(())
}

/// Starts the threads that run jobs, as many as the system permits. Returns their number.
fn start_runs(
    jobs: usize,
    queue: &Arc<Mutex<Receiver<Job>>>,
    output: &Output,
    running: &Arc<Running>,
) -> Result<usize, OracleError> {
    for started in 0..jobs {
        let (queue, output, running) = (Arc::clone(queue), output.clone(), Arc::clone(running));
        match start_thread(move || work(&queue, &output, &running)) {
            Ok(()) => {}
            Err(error) if started == 0 => return Err(error),
            Err(_) => return Ok(started),
        }
    }
    Ok(jobs)
}

/// Takes a value as soon as no other thread uses it, if that is within this time.
fn take_within<T>(value: &Mutex<Option<T>>, timeout: Duration) -> Option<T> {
    let started = Instant::now();
    loop {
        match value.try_lock() {
            Ok(mut value) => return value.take(),
            Err(TryLockError::Poisoned(value)) => return value.into_inner().take(),
            Err(TryLockError::WouldBlock) if started.elapsed() >= timeout => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
        }
    }
}

/// Reads the messages of the client until it closes the stream.
fn read(input: impl Read, sent: &Sender<(ToWorker, Vec<u8>)>) -> End {
    let mut input = BufReader::with_capacity(1 << 16, input);
    match greeting::read_client(&mut input)? {
        None => return Ok(()),
        Some(Err(line)) => return Err(WorkerError::NotAClient { line }),
        Some(Ok(())) => {}
    }
    let mut reader = ToWorkerReader::default();
    while let Some(payload) = read_frame(&mut input, MAX_TO_WORKER)? {
        let message = reader.read(&payload)?;
        if sent.send(message).is_err() {
            break;
        }
    }
    Ok(())
}

/// The stream to the client, which many threads write to.
#[derive(Clone)]
struct Output {
    stream: Arc<Mutex<Box<dyn Write + Send>>>,
    failed: Sender<End>,
}

impl Output {
    /// Writes the first line.
    fn greet(&self, line: &str) -> std::io::Result<()> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(line.as_bytes())?;
        stream.flush()
    }

    fn send(&self, frame: &Frame) {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = frame.write(&mut *stream) {
            let is_closed = error.kind() == std::io::ErrorKind::BrokenPipe;
            let end = if is_closed { Ok(()) } else { Err(error.into()) };
            self.failed.send(end).ok();
        }
    }
}

/// The runs that wait or have begun.
#[derive(Default)]
struct Running {
    state: Mutex<RunningState>,
    ended: Condvar,
}

#[derive(Default)]
struct RunningState {
    /// By their numbers.
    interrupts: HashMap<u64, Interrupt>,
    /// Whether no run begins any more.
    is_closed: bool,
}

impl Running {
    fn lock(&self) -> MutexGuard<'_, RunningState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a run. Returns `false` when none begins any more.
    fn insert(&self, id: u64, interrupt: Interrupt) -> bool {
        let mut state = self.lock();
        if !state.is_closed {
            state.interrupts.insert(id, interrupt);
        }
        !state.is_closed
    }

    fn cancel(&self, id: u64) {
        if let Some(interrupt) = self.lock().interrupts.get(&id) {
            interrupt.trigger();
        }
    }

    fn remove(&self, id: u64) {
        self.lock().interrupts.remove(&id);
        self.ended.notify_all();
    }

    /// Stops all runs, and waits for their end.
    fn stop(&self, queue: &Mutex<Receiver<Job>>) {
        let mut state = self.lock();
        state.is_closed = true;
        #[expect(clippy::iter_over_hash_type, reason = "all are stopped")]
        for interrupt in state.interrupts.values() {
            interrupt.trigger();
        }
        drop(state);
        // The threads may all wait for a client that does not read. While one of them waits for a
        // job, none is left.
        if let Ok(queue) = queue.try_lock() {
            for job in queue.try_iter() {
                self.remove(job.id);
            }
        }
        let is_running = |state: &mut RunningState| !state.interrupts.is_empty();
        drop(
            self.ended
                .wait_timeout_while(self.lock(), STOP_TIMEOUT, is_running),
        );
    }
}

/// What the client has set up: its files and its commands.
struct ClientSetup {
    files: PlacedFiles,
    commands: HashMap<u32, Arc<Runner>>,
    /// Number of commands that run at the same time.
    jobs: usize,
    temp_dir: PathBuf,
    scratch: Arc<Scratch>,
    /// Triggered at the end.
    ended: Interrupt,
}

/// Handles one message after the other, until the end.
fn answer(
    received: &Receiver<(ToWorker, Vec<u8>)>,
    client: &Mutex<Option<ClientSetup>>,
    running: &Running,
    jobs: &Sender<Job>,
    output: &Output,
) {
    for (message, content) in received {
        let mut used = client.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(client) = &mut *used else {
            return;
        };
        let answer = client.handle(message, content, running, jobs);
        // Writing may have to wait for the client.
        drop(used);
        match answer {
            Ok(Some(answer)) => output.send(&answer),
            Ok(None) => {}
            Err(error) => {
                output.failed.send(Err(error.into())).ok();
                return;
            }
        }
    }
}

impl ClientSetup {
    /// Handles a message. Returns what to answer.
    fn handle(
        &mut self,
        message: ToWorker,
        content: Vec<u8>,
        running: &Running,
        jobs: &Sender<Job>,
    ) -> Result<Option<Frame>, OracleError> {
        match message {
            ToWorker::Files { files, .. } if files.len() > MAX_FILES => {
                Err(OracleError::Elsewhere {
                    action: "receive the files of a command".to_owned(),
                    source: format!(
                        "{} were announced, and {MAX_FILES} are the most",
                        files.len()
                    )
                    .into(),
                })
            }
            ToWorker::Files { files, copies } => {
                let missing = self.files.begin(files, copies);
                Ok(Some(Frame::new(&FromWorker::Missing(missing), &[])))
            }
            ToWorker::FileContent(number) => {
                self.files.receive(number, &content)?;
                Ok(None)
            }
            ToWorker::Command(setup) => {
                let answer = match self.command(&setup) {
                    Ok(runner) => {
                        let sandbox = runner.limits.sandbox.as_ref();
                        let gap = sandbox.and_then(Sandbox::gap).map(ToOwned::to_owned);
                        self.commands.insert(setup.id, Arc::new(runner));
                        FromWorker::Accepted(setup.id, gap)
                    }
                    Err(why) => FromWorker::Refused(setup.id, why),
                };
                Ok(Some(Frame::new(&answer, &[])))
            }
            ToWorker::Run(RunMessage {
                id,
                command,
                captures,
                timeout,
                body: _,
            }) => {
                let Some(runner) = self.commands.get(&command).map(Arc::clone) else {
                    let unknown = OracleError::Elsewhere {
                        action: "run a command".to_owned(),
                        source: "it is unknown".into(),
                    };
                    return Ok(Some(message::ended(id, &Err(unknown))));
                };
                let interrupt = Interrupt::new()?;
                if running.insert(id, interrupt.clone()) {
                    let job = Job {
                        id,
                        runner,
                        candidate: content,
                        capture: match captures {
                            true => Capture::Output,
                            false => Capture::Nothing,
                        },
                        timeout,
                        interrupt,
                    };
                    jobs.send(job).ok();
                }
                Ok(None)
            }
            ToWorker::Cancel(id) => {
                running.cancel(id);
                Ok(None)
            }
        }
    }

    /// Returns the runner of a command. The error is for the user of the client.
    fn command(&mut self, setup: &CommandSetup) -> Result<Runner, String> {
        let failed = |error: OracleError| format!("it failed to {}", with_causes(&error));
        let tree = self.files.place().map_err(failed)?;
        let permissions = setup.permissions.as_ref().map(|permissions| Permissions {
            writable: permissions.writable.iter().map(PathBuf::from).collect(),
            no_network: permissions.no_network,
        });
        let sandbox = permissions.as_ref().map(Sandbox::new);
        let project = setup.project.is_some().then(|| self.project(setup, &tree));
        Ok(Runner {
            command: tree.command(setup)?,
            project: project.transpose()?.map(Arc::new),
            scratch: Arc::clone(&self.scratch),
            file: CandidateFile {
                name: setup.name.clone(),
                mode: setup.mode,
            },
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
        Project::new(plan, self.jobs, &self.temp_dir, &self.ended)
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
        counts_processor_time: false,
        meter: None,
        measures_memory: false,
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

    use boildown_oracle::Outcome;

    use super::super::frame::{MAX_FROM_WORKER, message_and_content};
    use super::super::message::{Body, EntryContent, FileEntry, RunEnd, SentPart};
    use super::*;

    /// A worker on a thread, and the client's ends of its streams.
    struct Client {
        output: Option<PipeWriter>,
        input: BufReader<PipeReader>,
        worker: thread::JoinHandle<Result<(), WorkerError>>,
        stop: Interrupt,
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
            let stop = Interrupt::new().unwrap();
            let stopped = stop.clone();
            let worker = thread::spawn(move || serve(&setup, theirs, their_output, &stopped));
            let mut input = BufReader::new(input);
            let greeting = greeting::read_worker(&mut input).unwrap().unwrap();
            assert_eq!(greeting.jobs, 2);
            output.write_all(greeting::of_client().as_bytes()).unwrap();
            Self {
                output: Some(output),
                input,
                worker,
                stop,
                temp_dir,
            }
        }

        fn send(&mut self, message: &ToWorker, content: &[u8]) {
            let frame = Frame::new(message, &[content]);
            frame.write(self.output.as_mut().unwrap()).unwrap();
        }

        fn send_files(&mut self, files: Vec<FileEntry>) {
            let copies = false;
            self.send(&ToWorker::Files { files, copies }, b"");
        }

        /// Returns the next message that is not a heartbeat.
        fn receive(&mut self) -> (FromWorker, Vec<u8>) {
            loop {
                let payload = read_frame(&mut self.input, MAX_FROM_WORKER)
                    .unwrap()
                    .unwrap();
                match message_and_content(&payload).unwrap() {
                    (FromWorker::Heartbeat, _) => {}
                    (message, content) => return (message, content.to_vec()),
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
            self.send_files(vec![entry]);
            let (missing, _) = self.receive();
            assert!(matches!(&missing, FromWorker::Missing(numbers) if numbers == &[0]));
            self.send(&ToWorker::FileContent(0), script);
            let setup = CommandSetup {
                id: 4,
                words: vec![
                    vec![SentPart::Other("test.sh".into(), path.into())],
                    vec![SentPart::Path],
                ],
                reads_candidate: false,
                name: "in.txt".into(),
                mode: 0o644,
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
            };
            self.send(&ToWorker::Command(Box::new(setup)), b"");
            let (accepted, _) = self.receive();
            assert!(
                matches!(accepted, FromWorker::Accepted(4, None)),
                "{accepted:?}"
            );
        }

        fn run(&mut self, id: u64, command: u32, candidate: &[u8]) {
            let run = RunMessage {
                id,
                command,
                captures: true,
                timeout: Duration::from_secs(100),
                body: Body::Whole,
            };
            self.send(&ToWorker::Run(run), candidate);
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
            let (FromWorker::Ended(ended, end), content) = client.receive() else {
                panic!("a result");
            };
            let run = end.result(&content).unwrap().unwrap();
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
        client.send(&ToWorker::Cancel(1), b"");
        let (ended, _) = client.receive();
        assert!(matches!(ended, FromWorker::Ended(1, RunEnd::Cancelled)));
        for id in 2..9 {
            client.run(id, 4, b"x");
        }
        client.end();
    }

    #[test]
    fn an_unknown_command_is_an_error_and_a_wrong_content_ends_the_worker() {
        let mut client = Client::start();
        client.run(1, 77, b"x");
        let (ended, _) = client.receive();
        assert!(matches!(ended, FromWorker::Ended(1, RunEnd::Failed(_))));
        client.send(&ToWorker::FileContent(5), b"not announced");
        assert!(client.worker.join().unwrap().is_err());
    }

    /// Lets the worker have more to say than its output holds, and waits until it does. It has runs
    /// that wait, and a question about files.
    fn flood(client: &mut Client) {
        let outside = tempfile::tempdir().unwrap();
        let notes = outside.path().join("notes");
        let script = format!(
            "#!/bin/sh\nhead -c 1000000 /dev/zero; echo >>{}",
            notes.display()
        );
        client.send_script(script.as_bytes());
        for id in 0..20 {
            client.run(id, 4, b"x");
        }
        // Each of the two threads has ended a run, and at most one result fits into the output.
        while std::fs::read(&notes).map_or(0, |notes| notes.len()) < 2 {
            thread::yield_now();
        }
        client.send_files(Vec::new());
    }

    #[test]
    fn a_worker_whose_client_does_not_read_ends_with_its_input() {
        let mut client = Client::start();
        flood(&mut client);
        client.end();
    }

    #[test]
    fn a_worker_whose_client_does_not_read_ends_when_it_is_stopped() {
        let mut client = Client::start();
        flood(&mut client);
        client.stop.trigger();
        client.worker.join().unwrap().unwrap();
        let left = std::fs::read_dir(client.temp_dir.path()).unwrap();
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn too_many_files_are_an_error() {
        let mut client = Client::start();
        let entry = FileEntry {
            path: "/a".into(),
            mode: 0o755,
            content: EntryContent::Dir,
        };
        client.send_files(vec![entry; 1_000_000]);
        let error = client.worker.join().unwrap().unwrap_err();
        assert!(error.to_string().contains("receive the files"), "{error}");
    }
}
