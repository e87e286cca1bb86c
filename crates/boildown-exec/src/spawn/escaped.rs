//! Escaped processes: those that have left the process group of the command that started them.
//!
//! Killing the process group reaches the ordinary descendants of a command, but not those that
//! leave the group (by `setsid`, or like a daemon that forks twice). They are found as follows:
//!
//! * Boildown makes itself a *subreaper*: the system makes it the parent of orphaned descendants,
//!   that is, of processes whose parent has ended.
//! * Each run has two marks that descendants inherit: an environment variable, which is set from
//!   the start, and a resource limit, which cannot be removed (see
//!   [`Limits::apply`](super::Limits::apply)).
//! * After the run, the orphans with either mark are killed and reaped.
//! * So are those in the IPC namespace of the run, if it has one.
//! * So is every orphan that no other run can have started, because no run that still runs began
//!   before the orphan did, whatever its marks are.
//!
//! For example, a command starts `env -i setsid sleep 1000 &` and exits. The `sleep` is in a group
//! of its own and has no environment, but it is an orphan with the limit that marks the run. If it
//! was created before its run had been marked, or has raised the limit as an administrator can, it
//! is killed as soon as every run has ended that ran when it began.
//!
//! Not found, on systems without subreapers: every process that has left its group.
//!
//! When boildown itself is killed, its commands continue to run (see
//! [`start`](super::start::start) for the reason). The marks name the session, so the next session
//! that finds the directory of a dead one kills them: [`kill_processes_of_sessions`].

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, Once, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, waitpid};

use super::poll::poll_readable;
use super::session_cgroup::SessionCgroup;
use super::started_process::{IpcNamespace, StartedProcess};
use super::system::{self, ClockTicks, Environment};

/// The longest time of one sweep. Killing takes microseconds; a sweep only takes longer when a
/// process cannot be killed.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest time to wait for a process that is in the middle of `exec`. Usually microseconds,
/// unless the machine is overloaded.
const EXEC_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest time to wait for a process after SIGKILL.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Held for reading while a command is started and recorded in [`RECORDED`], and for writing while
/// orphans are inspected. So a child is not taken for an orphan because it is not recorded yet, and
/// an id that is being given to a new child is not reaped.
static START_LOCK: RwLock<()> = RwLock::new(());

/// The processes that [`start_recorded`] started and that have not been waited for.
/// Reaping one here would make that wait fail.
static RECORDED: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(Mutex::default);

/// The number of the next run.
static NEXT_RUN: AtomicU64 = AtomicU64::new(0);

/// Starts a child, and records that only its owner may reap it, until [`forget_child`] is called.
pub(super) fn start_recorded(
    start: impl FnOnce() -> io::Result<StartedProcess>,
) -> io::Result<StartedProcess> {
    static BECOME_SUBREAPER: Once = Once::new();
    BECOME_SUBREAPER.call_once(|| {
        system::adopt_orphans();
        system::mark_ourselves(RunMarks::of_session(getpid()).session_mark());
    });
    let _lock = START_LOCK.read().unwrap_or_else(PoisonError::into_inner);
    let process = start()?;
    with_recorded(|pids| pids.insert(process.pid));
    Ok(process)
}

/// Returns whether this process can be made the parent of orphaned descendants.
pub(crate) fn has_subreaper() -> bool {
    system::adopt_orphans();
    system::is_adopting_orphans()
}

/// Ends the record of a child: it was reaped, or its owner has given it up.
pub(super) fn forget_child(pid: Pid) {
    with_recorded(|pids| pids.remove(&pid));
}

fn with_recorded<T>(access: impl FnOnce(&mut HashSet<Pid>) -> T) -> T {
    access(&mut RECORDED.lock().unwrap_or_else(PoisonError::into_inner))
}

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
fn first_of_other_runs(own: Option<&ActiveRun>) -> Option<ClockTicks> {
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
    group: Option<Pid>,
    ipc_namespace: Option<IpcNamespace>,
}

/// All marks are larger than this, and so larger than any realistic limit.
const MIN_MARK: u64 = 1 << 62;

impl RunMarks {
    /// Returns the marks of a new run.
    ///
    /// Each run has its own variable, so a boildown that is run by another one adds a variable and
    /// hides none. The name has a constant length, so that the stack of the command begins at the
    /// same address each time.
    pub(super) fn new() -> Self {
        let run = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
        let session = Self::of_session(getpid());
        let mark = session.limits.start() + (run & u64::from(u32::MAX));
        Self {
            variable: format!("{}{run:012}", session.variable),
            limits: mark..=mark,
            group: None,
            ipc_namespace: None,
        }
    }

    /// Returns the marks of all runs of the session with this process id.
    fn of_session(pid: Pid) -> Self {
        let first = MIN_MARK + (u64::from(pid.as_raw_nonzero().get().unsigned_abs()) << 32);
        Self {
            variable: format!("BOILDOWN_RUN_{:010}_", pid.as_raw_nonzero()),
            limits: first..=first + u64::from(u32::MAX),
            group: None,
            ipc_namespace: None,
        }
    }

    /// Returns these marks with the group and the IPC namespace of the command, which are included
    /// too.
    pub(super) fn with_process(self, command: &StartedProcess) -> Self {
        Self {
            group: Some(command.pid),
            ipc_namespace: command.ipc_namespace,
            ..self
        }
    }

    /// Returns the name of the environment variable that marks the processes of the run.
    pub(super) fn variable(&self) -> &str {
        &self.variable
    }

    /// Returns the resource limit that marks the processes of the run.
    pub(super) fn mark(&self) -> u64 {
        *self.limits.start()
    }

    /// Returns the mark of processes that have not been marked with their run yet. Every child
    /// inherits it from boildown, so a process always has a mark.
    fn session_mark(&self) -> u64 {
        *self.limits.end()
    }

    /// Returns whether this is the process group of the run.
    pub(super) fn includes_group(&self, group: Pid) -> bool {
        self.group == Some(group)
    }

    /// Returns whether this is the mark of one of the runs of the session. For the marks of a
    /// session.
    fn is_of_some_run(&self, mark: u64) -> bool {
        self.limits.contains(&mark) && mark != self.session_mark()
    }

    /// Returns whether the resource limit of the process is one of these marks.
    pub(super) fn includes_mark_of(&self, pid: Pid) -> bool {
        system::mark(pid).is_some_and(|mark| self.limits.contains(&mark))
    }

    /// Returns whether the process is in the IPC namespace of the run. Its descendants are in it
    /// from their first instruction on.
    fn includes_namespace_of(&self, pid: Pid) -> bool {
        self.ipc_namespace.is_some()
            && self.ipc_namespace == system::ipc_namespace(&pid.as_raw_nonzero().to_string())
    }

    /// Returns whether the environment, with entries that end in zero bytes, has one of these
    /// marks.
    fn includes_environment(&self, entries: &[u8]) -> bool {
        entries
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(self.variable.as_bytes()))
    }
}

/// Kills and reaps the orphans that have these marks or that no active run but this one can have
/// started, and their descendants. Reaps orphans that have ended.
///
/// # Cost
/// One short read when there are no orphans.
pub(super) fn sweep(marks: &RunMarks, own: Option<&ActiveRun>) {
    if has_no_orphans() {
        return;
    }
    let _lock = START_LOCK.write().unwrap_or_else(PoisonError::into_inner);
    let started = Instant::now();
    let others = first_of_other_runs(own);
    // When a process dies, its children become orphans. So this repeats until nothing is left to
    // do.
    while started.elapsed() < SWEEP_TIMEOUT {
        let actions: Vec<_> = orphans()
            .into_iter()
            .map(|orphan| handle_orphan(orphan, marks, others))
            .collect();
        // The list of children is incomplete when one of them is reaped while it is read.
        let changed = [OrphanAction::Killed, OrphanAction::Reaped];
        if changed.iter().any(|action| actions.contains(action)) {
            continue;
        }
        if actions.contains(&OrphanAction::Postponed) && started.elapsed() < EXEC_TIMEOUT {
            thread::sleep(Duration::from_millis(1));
            continue;
        }
        return;
    }
}

/// When dropped, kills every process that outlived a run of this session.
///
/// Escaped processes are already killed after each run, except those that were in the middle of
/// `exec` at that moment, and those without marks that began during another run. Keep a value of
/// this type until the end of the session.
#[derive(Debug)]
#[must_use = "it has to be dropped at the end of the session"]
pub struct ReapOnDrop {
    cgroup: Option<SessionCgroup>,
}

impl ReapOnDrop {
    /// Begins a session. This process enters a control group of its own, where it can make one, so
    /// that every process that it starts from now on can be found.
    pub fn begin() -> Self {
        Self {
            cgroup: SessionCgroup::enter(),
        }
    }
}

impl Drop for ReapOnDrop {
    fn drop(&mut self) {
        sweep(&RunMarks::of_session(getpid()), None);
        if self.cgroup.take().is_some_and(SessionCgroup::leave) {
            // Reaps those that were killed.
            sweep(&RunMarks::of_session(getpid()), None);
        }
    }
}

/// Kills the processes of the runs of these sessions, if the sessions are dead and the processes
/// belong to our user. Returns when they have ended, so that they no longer write to their
/// directories.
///
/// If the id of a session belongs to another process by now, even to another boildown, nothing is
/// killed.
pub(crate) fn kill_processes_of_sessions(sessions: &[Pid]) {
    if sessions.is_empty() {
        return;
    }
    let Some(Environment::Known(ourselves)) = system::inspect(getpid()).map(|us| us.environment)
    else {
        return;
    };
    let session_marks = marks_of_other_sessions(sessions, &ourselves);
    let started = Instant::now();
    // While the processes were inspected, others may have been started, or been in the middle of
    // `exec`. So this repeats, but only if there was a process to kill: usually one pass over all
    // processes is enough.
    while !session_marks.is_empty() && started.elapsed() < SWEEP_TIMEOUT {
        let dying: Vec<_> = system::all_processes()
            .filter_map(|pid| kill_if_abandoned(pid, &session_marks))
            .collect();
        if dying.is_empty() {
            return;
        }
        for exit in &dying {
            poll_readable([Some(exit.as_fd())], Some(KILL_TIMEOUT)).ok();
        }
    }
}

/// Returns the marks of these sessions, except of those whose runs this process is part of: such a
/// run is in use, not abandoned.
fn marks_of_other_sessions(sessions: &[Pid], ourselves: &[u8]) -> Vec<(Pid, RunMarks)> {
    sessions
        .iter()
        .map(|pid| (*pid, RunMarks::of_session(*pid)))
        .filter(|(_, marks)| !marks.includes_environment(ourselves))
        .collect()
}

/// Kills a process that has the marks of a dead session. Returns the descriptor to poll for its
/// end.
fn kill_if_abandoned(pid: Pid, session_marks: &[(Pid, RunMarks)]) -> Option<OwnedFd> {
    if !system::shares_user_and_namespace(pid) {
        return None;
    }
    // Opened first: it refers to one process even if the id is reused, so the process that is
    // killed is the one that is inspected.
    let exit = system::exit_watch(pid).ok()?;
    let environment = settled_environment(pid)?;
    let covered = |marks: &RunMarks| {
        matches!(&environment, Environment::Known(entries) if marks.includes_environment(entries))
            || marks.includes_mark_of(pid)
    };
    // Checked last: the session that started this process had its id before, so a process that gets
    // the id later did not start it.
    let abandoned =
        |(session, marks): &(Pid, RunMarks)| covered(marks) && system::is_dead(*session);
    if !session_marks.iter().any(abandoned) {
        return None;
    }
    system::kill_watched(&exit).ok()?;
    Some(exit)
}

/// Returns the environment of a process, after waiting for the end of an `exec`. A process that was
/// passed over in the middle of it would go on to write to the directories of its session.
fn settled_environment(pid: Pid) -> Option<Environment> {
    let started = Instant::now();
    loop {
        match system::inspect(pid)?.environment {
            Environment::Changing if started.elapsed() < EXEC_TIMEOUT => {
                thread::sleep(Duration::from_millis(1));
            }
            environment => return Some(environment),
        }
    }
}

/// Returns whether there are no orphans. While another thread reaps orphans, the list of the system
/// is incomplete, so this waits for that thread.
fn has_no_orphans() -> bool {
    let _lock = START_LOCK.read().unwrap_or_else(PoisonError::into_inner);
    orphans().is_empty()
}

/// Returns our children that are not recorded.
fn orphans() -> Vec<Pid> {
    let mut children = system::adopted_children();
    if !children.is_empty() {
        with_recorded(|pids| children.retain(|pid| !pids.contains(pid)));
    }
    children
}

/// The action taken on an orphan.
#[derive(Debug, PartialEq, Eq)]
enum OrphanAction {
    Killed,
    /// It had ended.
    Reaped,
    /// None yet: it is in the middle of `exec`.
    Postponed,
    None,
}

/// Kills an orphan that has these marks, or that began before the other runs did; reaps an orphan
/// that has ended.
fn handle_orphan(orphan: Pid, marks: &RunMarks, others: Option<ClockTicks>) -> OrphanAction {
    let Some(process) = system::inspect(orphan) else {
        return OrphanAction::None;
    };
    // Commands have groups of their own. A child in our group was started by other code of this
    // program, which waits for it.
    if process.group == getpgrp() {
        return OrphanAction::None;
    }
    if process.ended {
        return match reap(orphan) {
            true => OrphanAction::Reaped,
            false => OrphanAction::None,
        };
    }
    // The clock is coarse, so a process that began at the same tick can belong to the other run.
    let is_of_no_other = others.is_none_or(|others| process.began < others);
    let covered = is_of_no_other
        || marks.includes_group(process.group)
        || marks.includes_namespace_of(orphan)
        || match (system::mark(orphan), &process.environment) {
            (Some(mark), _) if marks.limits.contains(&mark) => true,
            (Some(mark), _) if RunMarks::of_session(getpid()).is_of_some_run(mark) => false,
            (_, Environment::Known(entries)) => marks.includes_environment(entries),
            (_, Environment::Changing) => return OrphanAction::Postponed,
            (_, Environment::Hidden) => false,
        };
    if !covered {
        return OrphanAction::None;
    }
    kill(orphan);
    OrphanAction::Killed
}

/// Kills a child and reaps it. If that fails, the next pass finds the process again.
fn kill(pid: Pid) {
    let Ok(exit) = system::exit_watch(pid) else {
        return;
    };
    kill_process(pid, Signal::KILL).ok();
    if poll_readable([Some(exit.as_fd())], Some(KILL_TIMEOUT)).is_ok_and(|[ended]| ended) {
        reap(pid);
    }
}

/// Reaps a child if it has ended. Returns whether it is gone.
fn reap(pid: Pid) -> bool {
    waitpid(Some(pid), WaitOptions::NOHANG).is_ok_and(|ended| ended.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boildown_inside_a_run_of_a_dead_one_has_no_claim_to_that_run() {
        let [theirs, outer] = [7, 8].map(|pid| Pid::from_raw(pid).unwrap());
        let ourselves = b"HOME=/\0BOILDOWN_RUN_0000000008_000000000001=1\0";
        let session_marks = marks_of_other_sessions(&[theirs, outer], ourselves);
        let sessions: Vec<_> = session_marks.iter().map(|(session, _)| *session).collect();
        assert_eq!(sessions, [theirs]);
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
