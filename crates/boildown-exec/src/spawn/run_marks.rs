//! Marks of the processes of a run, and the runs that have not ended.
//!
//! A run has two marks that its descendants inherit: an environment variable, which is set from the
//! start, and a resource limit, which cannot be removed (see
//! [`Limits::apply`](super::Limits::apply)). In the sandbox, a run of root has an IPC namespace
//! too.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, getpid};

use super::started_process::{IpcNamespace, StartedProcess};
use super::system::{self, ClockTicks};

/// The number of the next run.
static NEXT_RUN: AtomicU64 = AtomicU64::new(0);

/// The runs that have not ended: the moment before each began, by a number of its own.
static ACTIVE_RUNS: Mutex<BTreeMap<u64, ClockTicks>> = Mutex::new(BTreeMap::new());

/// A run that has not ended.
#[derive(Debug)]
pub(super) struct ActiveRun(u64);

impl ActiveRun {
    /// Records a run that is about to begin.
    pub(super) fn begin() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        with_active_runs(|runs| runs.insert(number, system::now()));
        Self(number)
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        with_active_runs(|runs| runs.remove(&self.0));
    }
}

fn with_active_runs<T>(access: impl FnOnce(&mut BTreeMap<u64, ClockTicks>) -> T) -> T {
    access(&mut ACTIVE_RUNS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns when the first of the active runs began, except this one.
pub(super) fn first_of_other_runs(own: Option<&ActiveRun>) -> Option<ClockTicks> {
    let is_other = |number: &u64| own.is_none_or(|own| own.0 != *number);
    with_active_runs(|runs| {
        let others = runs.iter().filter(|(number, _)| is_other(number));
        others.map(|(_, began)| *began).min()
    })
}

/// The marks that identify the processes of one run, or of all runs of a session.
#[derive(Debug, Clone)]
pub(super) struct RunMarks {
    /// The environment variable of the run, or the common prefix of the variables of all runs.
    variable: String,
    /// The resource limit that marks the run, or the range of those of all runs.
    limits: RangeInclusive<u64>,
    /// The moment before the first process with these marks began.
    began: ClockTicks,
    /// The command of the run, which is also its process group.
    command: Option<Pid>,
    ipc_namespace: Option<IpcNamespace>,
}

/// All marks are larger than this, and so larger than any realistic limit.
const MIN_MARK: u64 = 1 << 62;

/// Returns the session to whose runs this limit belongs; `None` if it is not the mark of a run.
pub(super) fn session_of(mark: u64) -> Option<Pid> {
    let session = i32::try_from(mark.checked_sub(MIN_MARK)? >> 32).ok()?;
    let session = Pid::from_raw(session)?;
    RunMarks::of_session(session)
        .includes_mark(Some(mark))
        .then_some(session)
}

impl RunMarks {
    /// Returns the marks of a new run.
    ///
    /// Each run has its own variable, so a boildown that is run by another one adds a variable and
    /// hides none. The name has a constant length, so that the stack of the command begins at the
    /// same address each time.
    pub(super) fn new() -> Self {
        let run = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
        let session = Self::of_session(getpid());
        let mark = session.limits.start() + run % (u64::from(u32::MAX) - 1);
        Self {
            variable: format!("{}{run:012}", session.variable),
            limits: mark..=mark,
            began: system::now(),
            command: None,
            ipc_namespace: None,
        }
    }

    /// Returns the marks of all runs of the session with this process id.
    pub(super) fn of_session(pid: Pid) -> Self {
        let first = MIN_MARK + (u64::from(pid.as_raw_nonzero().get().unsigned_abs()) << 32);
        Self {
            variable: format!("BOILDOWN_RUN_{:010}_", pid.as_raw_nonzero()),
            // The first is the mark of companions, which are not runs.
            limits: first + 1..=first + u64::from(u32::MAX),
            began: 0,
            command: None,
            ipc_namespace: None,
        }
    }

    /// Returns these marks with the group and the IPC namespace of the command, which are included
    /// too.
    pub(super) fn with_process(self, command: &StartedProcess) -> Self {
        Self {
            command: Some(command.pid),
            ipc_namespace: command.ipc_namespace,
            ..self
        }
    }

    /// Returns the moment before the first process with these marks began.
    pub(super) fn began(&self) -> ClockTicks {
        self.began
    }

    /// Returns the command of the run, if it was started.
    pub(super) fn command(&self) -> Option<Pid> {
        self.command
    }

    /// Returns the name of the environment variable that marks the processes of the run.
    pub(super) fn variable(&self) -> &str {
        &self.variable
    }

    /// Returns the resource limit that marks the processes of the run.
    pub(super) fn mark(&self) -> u64 {
        *self.limits.start()
    }

    /// Returns the mark of processes that have not been marked with their run yet. For the marks of
    /// a session that adopts orphans: every child inherits it from boildown, so a process of a run
    /// always has a mark.
    pub(super) fn session_mark(&self) -> u64 {
        *self.limits.end()
    }

    /// Returns the mark of the companions of a session and of what they start. For the marks of a
    /// session, which do not include it.
    pub(super) fn companion_mark(&self) -> u64 {
        self.limits.start() - 1
    }

    /// Returns whether this is the process group of the run.
    pub(super) fn includes_group(&self, group: Pid) -> bool {
        self.command == Some(group)
    }

    /// Returns whether this is the mark of one of the runs of the session. For the marks of a
    /// session.
    pub(super) fn is_of_some_run(&self, mark: u64) -> bool {
        self.limits.contains(&mark) && mark != self.session_mark()
    }

    /// Returns whether this resource limit is one of these marks.
    pub(super) fn includes_mark(&self, mark: Option<u64>) -> bool {
        mark.is_some_and(|mark| self.limits.contains(&mark))
    }

    /// Returns whether the process is in the IPC namespace of the run. Its descendants are in it
    /// from their first instruction on.
    pub(super) fn includes_namespace_of(&self, pid: Pid) -> bool {
        self.ipc_namespace.is_some()
            && self.ipc_namespace == system::ipc_namespace(&pid.as_raw_nonzero().to_string())
    }

    /// Returns whether the environment, with entries that end in zero bytes, has one of these
    /// marks.
    pub(super) fn includes_environment(&self, entries: &[u8]) -> bool {
        entries
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(self.variable.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_companion_has_no_mark_of_a_run() {
        let session = RunMarks::of_session(getpid());
        let companion = Some(session.companion_mark());
        assert!(session.includes_mark(Some(session.session_mark())));
        assert!(session.includes_mark(Some(RunMarks::new().mark())));
        assert!(!session.includes_mark(companion));
        assert_eq!(session_of(session.companion_mark()), None);
        assert_eq!(session_of(session.session_mark()), Some(getpid()));
        assert_eq!(session_of(1_000_000), None);
        // That of the session with the next smaller process id.
        let smaller = Pid::from_raw(getpid().as_raw_nonzero().get() - 1).unwrap();
        assert!(!RunMarks::of_session(smaller).includes_mark(companion));
    }

    #[test]
    fn a_claim_covers_the_runs_of_its_session_and_of_no_other() {
        let covers = |entries: &[u8]| {
            RunMarks::of_session(Pid::from_raw(12).unwrap()).includes_environment(entries)
        };
        assert!(covers(b"A=1\0BOILDOWN_RUN_0000000012_000000000345=1\0"));
        assert!(!covers(b"BOILDOWN_RUN_0000000123_000000000345=1\0"));
        assert!(!covers(b"A=BOILDOWN_RUN_0000000012_000000000345\0"));
        assert!(!covers(b""));
    }
}
