//! The thread that starts one worker, checks it, listens to it, and starts it again.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Read};
use std::process::ChildStderr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use boildown_exec::RunRequest;
use boildown_exec::spawn::{Companion, CompanionStreams};
use boildown_oracle::{Capture, Interrupt, OracleError};

use super::admission::{Admission, AdmittedCommand, WorkerCheck, read_file};
use super::connection::{Connection, Reply};
use super::frame::{Frame, MAX_FROM_WORKER, message_and_content, read_frame};
use super::greeting::{self, PROTOCOL, VERSION, WorkerGreeting};
use super::message::{FromWorker, ToWorker, with_causes};
use super::shared::{Phase, Shared};

/// The longest time until a worker greets, and until it answers about a command.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// After this time without a sign of life, the runs of a worker are given to others.
const SILENT_AFTER: Duration = Duration::from_secs(5);

/// After this time without a sign of life, a worker is started again.
const LOST_AFTER: Duration = Duration::from_secs(60);

/// The time between two looks at a worker.
const LOOK: Duration = Duration::from_millis(250);

/// The time that a worker has to clean up after its input was closed.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// The times to wait before a worker is started again.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(2),
    Duration::from_secs(10),
];

/// After this time of work, the next loss of a worker counts as its first.
const RECOVERED_AFTER: Duration = Duration::from_secs(120);

/// The most tests that one worker runs at once.
const MAX_JOBS: usize = 1024;

/// Lines of standard error that are kept for messages.
const KEPT_LINES: usize = 3;

/// The largest part of its time limit that a run on the input may take on a worker.
const LARGEST_PART: u32 = 2;

/// Why a worker does not run candidates any more.
enum WorkerEnd {
    /// The pool is closed.
    Closed,
    /// It cannot be used, and starting it again would not help.
    Refused(String),
    /// It may work again when it is started again.
    Lost(String),
}

impl From<OracleError> for WorkerEnd {
    fn from(error: OracleError) -> Self {
        match error {
            OracleError::Interrupted => Self::Closed,
            error => Self::Lost(with_causes(&error)),
        }
    }
}

/// What the thread that reads says.
enum Heard {
    Greeting(Result<WorkerGreeting, String>),
    Message(FromWorker),
    End(String),
}

/// Keeps the worker of this number running until the pool is closed.
pub(crate) fn keep(shared: &Arc<Shared>, number: usize, line: &OsStr) {
    let name = shown(line);
    let mut losses = 0;
    loop {
        let started = Instant::now();
        let keeper = Keeper {
            shared,
            number,
            name: &name,
        };
        let end = keeper.serve(line);
        if shared.is_closing() {
            return;
        }
        if started.elapsed() > RECOVERED_AFTER {
            losses = 0;
        }
        let reason = match end {
            WorkerEnd::Closed => return,
            // It worked before, so it may be able to again.
            WorkerEnd::Refused(reason) if shared.was_ready(number) => reason,
            WorkerEnd::Refused(reason) => {
                shared.note(format!("worker `{name}` is not used: {reason}"));
                shared.set_phase(number, Phase::Gone, &format!("`{name}`: {reason}"));
                return;
            }
            WorkerEnd::Lost(reason) => reason,
        };
        let Some(pause) = PAUSES.get(losses) else {
            shared.note(format!("worker `{name}` is given up: {reason}"));
            shared.set_phase(number, Phase::Gone, &format!("`{name}`: {reason}"));
            return;
        };
        losses += 1;
        shared.note(format!("worker `{name}` is started again: {reason}"));
        shared.set_phase(number, Phase::Starting, "");
        shared.pause(*pause);
    }
}

/// Returns a reason with what the worker printed. It is one line: the worker has written a part of
/// it, which must not look like another message.
fn on_one_line(reason: &str, said: Option<&str>) -> String {
    let text = match said {
        Some(said) => format!("{reason}; it said: {said}"),
        None => reason.to_owned(),
    };
    text.replace(['\n', '\r'], " / ")
}

/// Returns the launch command for messages. Of a long one, the middle is left out: launch commands
/// of several machines differ at the end, after the options of `ssh`.
fn shown(line: &OsStr) -> String {
    const START: usize = 20;
    const END: usize = 60;
    let line = line.to_string_lossy();
    let count = line.chars().count();
    if count <= START + END {
        return line.into_owned();
    }
    let start = line.chars().take(START);
    let end = line.chars().skip(count - END);
    start.chain(['…']).chain(end).collect()
}

/// One start of a worker.
struct Keeper<'a> {
    shared: &'a Arc<Shared>,
    number: usize,
    name: &'a str,
}

impl Keeper<'_> {
    /// Starts the worker, and serves it until it ends.
    fn serve(&self, line: &OsStr) -> WorkerEnd {
        let (mut companion, streams) = match Companion::start(line) {
            Ok(started) => started,
            Err(error) => return WorkerEnd::Refused(format!("it could not be started: {error}")),
        };
        let CompanionStreams {
            mut stdin,
            stdout,
            stderr,
        } = streams;
        let (frames, queue) = channel::<Frame>();
        let connection = Arc::new(Connection::new(frames));
        let (heard, listening) = channel();
        let last_lines = Arc::new(LastLines::default());
        let lines = Arc::clone(&last_lines);
        let (shared, link) = (Arc::clone(self.shared), Arc::clone(&connection));
        // The threads are not joined: a process that outlives the launch command may have the other
        // ends of their streams.
        let writer = thread::Builder::new().spawn(move || {
            // When writing fails, reading ends too, and says why.
            if io::Write::write_all(&mut stdin, greeting::of_client().as_bytes()).is_ok() {
                let mut frames = queue.iter();
                while frames
                    .next()
                    .is_some_and(|frame| frame.write(&mut stdin).is_ok())
                {}
            }
        });
        let errors = thread::Builder::new().spawn(move || lines.read(stderr));
        let reader = thread::Builder::new().spawn(move || listen(stdout, &link, &shared, &heard));
        let errors = match (writer, errors, reader) {
            (Ok(_), Ok(errors), Ok(_)) => errors,
            (Err(source), ..) | (_, Err(source), _) | (.., Err(source)) => {
                let error = OracleError::Thread { source };
                return WorkerEnd::Refused(format!("failed to {}", with_causes(&error)));
            }
        };
        let end = self.talk(&connection, &listening);
        self.shared.set_phase(self.number, Phase::Starting, "");
        connection.close();
        // It cleans up when its input is closed. A worker that is silent may never do so.
        if connection.silence() < SILENT_AFTER {
            companion.wait(END_TIMEOUT);
        }
        drop(companion);
        let ended = Instant::now();
        while !errors.is_finished() && ended.elapsed() < LOOK {
            thread::sleep(Duration::from_millis(1));
        }
        let said = last_lines.text();
        match end {
            WorkerEnd::Lost(reason) => WorkerEnd::Lost(on_one_line(&reason, said.as_deref())),
            WorkerEnd::Refused(reason) => WorkerEnd::Refused(on_one_line(&reason, said.as_deref())),
            WorkerEnd::Closed => WorkerEnd::Closed,
        }
    }

    /// Checks the worker, and watches it until it ends.
    fn talk(&self, connection: &Arc<Connection>, listening: &Receiver<Heard>) -> WorkerEnd {
        let greeting = match self.greeting(listening) {
            Ok(greeting) => greeting,
            Err(end) => return end,
        };
        let Some(admission) = self.shared.wait_for_admission() else {
            return WorkerEnd::Closed;
        };
        for command in &admission.commands {
            if let Err(end) = self.send_command(command, connection, listening) {
                return end;
            }
        }
        for check in &admission.checks {
            if let Err(end) = self.check(check, &admission, connection, listening) {
                return end;
            }
        }
        let jobs = greeting.jobs;
        let tests = if jobs == 1 { "test" } else { "tests" };
        let (name, host) = (self.name, &greeting.host);
        self.shared.note(format!(
            "worker `{name}` is ready on {host}: {jobs} {tests} at once"
        ));
        self.shared.set_ready(self.number, jobs, connection);
        self.watch(connection, listening)
    }

    /// Waits for the greeting, and compares the versions.
    fn greeting(&self, listening: &Receiver<Heard>) -> Result<WorkerGreeting, WorkerEnd> {
        let started = Instant::now();
        loop {
            match self.wait(listening, started)? {
                Heard::Greeting(Ok(greeting)) => {
                    let WorkerGreeting {
                        protocol, version, ..
                    } = &greeting;
                    if *protocol != PROTOCOL || version != VERSION {
                        return Err(WorkerEnd::Refused(format!(
                            "it is boildown {version} (protocol {protocol}), and this is {VERSION} \
                             (protocol {PROTOCOL}): install the same version on both"
                        )));
                    }
                    if !(1..=MAX_JOBS).contains(&greeting.jobs) {
                        return Err(WorkerEnd::Refused(format!(
                            "the number of tests at once that it announces is not from 1 to \
                             {MAX_JOBS}; start it with --jobs N"
                        )));
                    }
                    return Ok(greeting);
                }
                Heard::Greeting(Err(line)) if line.is_empty() => {
                    return Err(WorkerEnd::Refused(
                        "it ended before it said that it is `boildown worker`".to_owned(),
                    ));
                }
                Heard::Greeting(Err(line)) => {
                    return Err(WorkerEnd::Refused(format!(
                        "it is not `boildown worker`: it printed `{line}`"
                    )));
                }
                Heard::Message(_) => {}
                Heard::End(reason) => return Err(WorkerEnd::Lost(reason)),
            }
        }
    }

    /// Waits for something from the worker, at most [`START_TIMEOUT`] after `since`.
    fn wait(&self, listening: &Receiver<Heard>, since: Instant) -> Result<Heard, WorkerEnd> {
        loop {
            match listening.recv_timeout(LOOK) {
                Ok(heard) => return Ok(heard),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(WorkerEnd::Lost("the connection ended".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.shared.is_closing() {
                return Err(WorkerEnd::Closed);
            }
            if since.elapsed() > START_TIMEOUT {
                let seconds = START_TIMEOUT.as_secs();
                return Err(WorkerEnd::Refused(format!(
                    "it did not answer within {seconds} s (a launch command cannot ask for a \
                     password, and must not hold back what the worker sends, as srun does without \
                     --unbuffered)"
                )));
            }
        }
    }

    /// Sends a command with its files, and waits until the worker has accepted it.
    fn send_command(
        &self,
        command: &AdmittedCommand,
        connection: &Connection,
        listening: &Receiver<Heard>,
    ) -> Result<(), WorkerEnd> {
        let started = Instant::now();
        let files = ToWorker::Files {
            files: command
                .files
                .iter()
                .map(|file| file.entry.clone())
                .collect(),
            copies: command.setup.project.is_some(),
        };
        connection.send(Frame::new(&files, &[]));
        loop {
            match self.wait(listening, started)? {
                Heard::Message(FromWorker::Missing(numbers)) => {
                    for number in numbers {
                        let file = command.files.get(number as usize);
                        let file = file.ok_or_else(|| malformed("a file that does not exist"))?;
                        let content = read_file(&file.source).map_err(|error| {
                            let path = file.source.display();
                            WorkerEnd::Refused(format!("failed to read {path} for it: {error}"))
                        })?;
                        connection.send(Frame::new(&ToWorker::FileContent(number), &[&content]));
                    }
                    let setup = ToWorker::Command(Box::new(command.setup.clone()));
                    connection.send(Frame::new(&setup, &[]));
                }
                Heard::Message(FromWorker::Accepted(id, gap)) if id == command.setup.id => {
                    if let Some(gap) = gap.filter(|_| id == 0) {
                        let name = self.name;
                        self.shared
                            .note(format!("on worker `{name}`, a test can {gap}"));
                    }
                    return Ok(());
                }
                Heard::Message(FromWorker::Refused(id, reason)) if id == command.setup.id => {
                    return Err(WorkerEnd::Refused(reason));
                }
                Heard::End(reason) => return Err(WorkerEnd::Lost(reason)),
                Heard::Message(_) | Heard::Greeting(_) => {}
            }
        }
    }

    /// Runs a candidate whose verdict is known.
    fn check(
        &self,
        check: &WorkerCheck,
        admission: &Admission,
        connection: &Connection,
        listening: &Receiver<Heard>,
    ) -> Result<(), WorkerEnd> {
        let Some(command) = admission.commands.get(check.command) else {
            return Ok(());
        };
        let request = RunRequest {
            candidate: &check.candidate,
            capture: Capture::Output,
            limits: &command.runner.limits,
        };
        let mut tries = check.tries.max(1);
        loop {
            let run = self.run(command.setup.id, &request, connection, listening)?;
            tries -= 1;
            let mut judged = (check.judge)(&run);
            let (took, limit) = (run.took, check.limit);
            let is_slow = !run.outcome.is_cut_short() && took > limit / LARGEST_PART;
            if judged.is_ok() && is_slow {
                judged = Err(format!(
                    "it is too slow: a run on the input takes {:.1} s there, and the time limit is \
                     {:.1} s (--timeout)",
                    took.as_secs_f64(),
                    limit.as_secs_f64()
                ));
            }
            match judged {
                Ok(()) => return Ok(()),
                Err(reason) if tries == 0 => return Err(WorkerEnd::Refused(reason)),
                Err(_) => {}
            }
        }
    }

    /// Runs a candidate on this worker, which is not ready yet.
    fn run(
        &self,
        command: u32,
        request: &RunRequest<'_>,
        connection: &Connection,
        listening: &Receiver<Heard>,
    ) -> Result<boildown_oracle::Run, WorkerEnd> {
        let interrupt = Interrupt::new()?;
        connection.take_job(usize::MAX);
        let reply = thread::scope(|scope| {
            let run = thread::Builder::new()
                .spawn_scoped(scope, || connection.run(command, request, &interrupt))
                .map_err(|source| WorkerEnd::from(OracleError::Thread { source }))?;
            let mut end = None;
            while !run.is_finished() {
                match listening.recv_timeout(Duration::from_millis(1)) {
                    Ok(Heard::End(reason)) => end = Some(WorkerEnd::Lost(reason)),
                    Err(RecvTimeoutError::Timeout) if connection.silence() > LOST_AFTER => {
                        end = Some(WorkerEnd::Lost(silence()));
                    }
                    _ if self.shared.is_closing() => end = Some(WorkerEnd::Closed),
                    _ => {}
                }
                if end.is_some() {
                    interrupt.trigger();
                }
            }
            let reply = run.join();
            end.map_or(Ok(reply), Err)
        })?;
        let reply = reply.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        match reply {
            Some(Reply::Ended(run)) => Ok(run.map_err(|error| match error {
                OracleError::Interrupted => WorkerEnd::Lost("it stopped a run".to_owned()),
                error => WorkerEnd::Refused(format!("it failed to {}", with_causes(&error))),
            })?),
            Some(Reply::Lost) => Err(WorkerEnd::Lost("the connection ended".to_owned())),
            None => Err(WorkerEnd::Closed),
        }
    }

    /// Watches a worker that runs candidates.
    fn watch(&self, connection: &Connection, listening: &Receiver<Heard>) -> WorkerEnd {
        let mut is_silent = false;
        loop {
            let looked = Instant::now();
            match listening.recv_timeout(LOOK) {
                Ok(Heard::End(reason)) => return WorkerEnd::Lost(reason),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return WorkerEnd::Lost("the connection ended".to_owned());
                }
            }
            if self.shared.is_closing() {
                return WorkerEnd::Closed;
            }
            let stood_still = looked.elapsed();
            if stood_still > SILENT_AFTER {
                // This process was stopped, for example with Ctrl-Z, and could not listen.
                connection.excuse(stood_still);
            }
            let silence_time = connection.silence();
            if silence_time > LOST_AFTER {
                return WorkerEnd::Lost(silence());
            }
            if let Some(reason) = connection.failure() {
                return WorkerEnd::Lost(reason);
            }
            if connection.is_overdue() {
                return WorkerEnd::Lost("it did not answer within the time limit".to_owned());
            }
            let name = self.name;
            match (is_silent, silence_time > SILENT_AFTER) {
                (false, true) => {
                    self.shared.set_phase(self.number, Phase::Silent, "");
                    connection.give_away();
                    let seconds = SILENT_AFTER.as_secs();
                    self.shared.note(format!(
                        "worker `{name}` is silent since {seconds} s: others do its tests"
                    ));
                }
                (true, false) => {
                    self.shared.set_phase(self.number, Phase::Ready, "");
                    self.shared.note(format!("worker `{name}` is back"));
                }
                _ => {}
            }
            is_silent = silence_time > SILENT_AFTER;
        }
    }
}

fn silence() -> String {
    format!("it was silent for {} s", LOST_AFTER.as_secs())
}

fn malformed(what: &str) -> WorkerEnd {
    WorkerEnd::Lost(format!("it sent what is not a message: {what}"))
}

/// A stream that records signs of life.
struct HeardStream<'a, R> {
    stream: R,
    connection: &'a Connection,
}

impl<R: Read> Read for HeardStream<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.connection.hear();
        Ok(count)
    }
}

/// Reads what a worker sends, delivers the results, and passes on the rest.
fn listen(stdout: impl Read, connection: &Connection, shared: &Shared, heard: &Sender<Heard>) {
    let stream = HeardStream {
        stream: stdout,
        connection,
    };
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    let end = match greeting::read_worker(&mut stream) {
        Ok(greeting) => {
            let is_worker = greeting.is_ok();
            heard.send(Heard::Greeting(greeting)).ok();
            if !is_worker {
                return;
            }
            loop {
                let payload = match read_frame(&mut stream, MAX_FROM_WORKER) {
                    Ok(Some(payload)) => payload,
                    Ok(None) => break "it ended".to_owned(),
                    Err(error) => break with_causes(&error),
                };
                match message_and_content(&payload) {
                    Ok((FromWorker::Ended(id, end), content)) => match end.result(content) {
                        Ok(result) => {
                            connection.deliver(id, result);
                            shared.job_is_free();
                        }
                        Err(error) => break with_causes(&error),
                    },
                    Ok((FromWorker::Heartbeat, _)) => {}
                    Ok((message, _)) => {
                        heard.send(Heard::Message(message)).ok();
                    }
                    Err(error) => break with_causes(&error),
                }
            }
        }
        Err(error) => error.to_string(),
    };
    heard.send(Heard::End(end)).ok();
}

/// The last lines that a worker printed to its standard error.
#[derive(Default)]
struct LastLines(Mutex<VecDeque<String>>);

impl LastLines {
    fn read(&self, stderr: ChildStderr) {
        let mut stderr = BufReader::new(stderr);
        let mut line = Vec::new();
        while (&mut stderr)
            .take(1 << 12)
            .read_until(b'\n', &mut line)
            .is_ok_and(|count| count > 0)
        {
            let text = String::from_utf8_lossy(&line).trim().to_owned();
            line.clear();
            if !text.is_empty() {
                let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                lines.push_back(text.chars().take(200).collect());
                if lines.len() > KEPT_LINES {
                    lines.pop_front();
                }
            }
        }
    }

    fn text(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = lines
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" / ");
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_line_whatever_the_worker_writes() {
        let text = on_one_line("it failed\nboildown: all is well", Some("a\rb"));
        assert_eq!(text, "it failed / boildown: all is well; it said: a / b");
    }

    #[test]
    fn a_long_launch_command_is_shown_with_its_end() {
        let line = |host: &str| {
            format!(
                "ssh -p 2222 -o BatchMode=yes -o ServerAliveInterval=5 -i /home/user/.ssh/key {host} boildown worker --jobs 8"
            )
        };
        let shown = |line: &str| shown(OsStr::new(line));
        assert_eq!(
            shown("ssh host boildown worker"),
            "ssh host boildown worker"
        );
        let one = shown(&line("one.example.org"));
        assert!(
            one.starts_with("ssh -p 2222") && one.ends_with("worker --jobs 8"),
            "{one}"
        );
        assert_ne!(one, shown(&line("two.example.org")));
    }
}
