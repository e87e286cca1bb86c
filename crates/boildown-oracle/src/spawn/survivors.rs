//! Processes that outlive the command that started them.
//!
//! A process group catches a command's ordinary descendants, not those that leave it (`setsid`, a daemon's double fork). So
//! this process makes itself the one that orphans are handed to (a *subreaper*), and each run carries two marks of its own, which
//! descendants inherit: a variable of the environment, which is there from the start, and one among its limits, which
//! cannot be cleared (see [`Limits::impose`](super::Limits::impose)). After a run, the orphans that carry either are killed and reaped.
//!
//! Under load, a run's own mark may come later than a daemon is made; that one has the mark of the session, and dies with it at the latest.
//!
//! What escapes: a process with more rights than ours that raised its limits again. Where the system knows no subreaper, every
//! process that left its group does.
//!
//! When this process itself is killed, its commands run on (see [`start`](super::start::start) for why). The marks say
//! whose they are, so the next session that finds the directory of a dead one kills them: [`kill_survivors_of`].

use std::collections::HashSet;
use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, Once, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, waitpid};

use super::ready::ready;
use super::system::{self, Environment};

/// How long one sweep may take. Killing takes microseconds; only a process that cannot be killed makes it this long.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait for a process that is changing programs. Microseconds in fact, unless the machine is overloaded.
const CHANGE: Duration = Duration::from_secs(1);

/// How long to wait for a process that was sent SIGKILL.
const DEATH: Duration = Duration::from_secs(1);

/// Held for reading while a command is started and recorded as direct, for writing while orphans are looked at: nobody may
/// take a child for an orphan because it is not recorded yet, nor reap an id that is being given to a new child.
static GATE: RwLock<()> = RwLock::new(());

/// The commands that [`spawn_direct`] started and whose [`Child`] has not been awaited. Reaping one would make that wait fail.
static DIRECT: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(Mutex::default);

/// Number of the next run.
static NEXT_RUN: AtomicU64 = AtomicU64::new(0);

/// Starts a child and records it as one that only its owner may reap, until [`forget_direct`].
pub(super) fn spawn_direct(command: &mut Command) -> io::Result<Child> {
    static ADOPTING: Once = Once::new();
    ADOPTING.call_once(|| {
        system::adopt_orphans();
        system::mark_ourselves(Claim::of_session(getpid()).any_mark());
    });
    let _gate = GATE.read().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    direct(|pids| pids.insert(Pid::from_child(&child)));
    Ok(child)
}

/// Ends the record of a child: it was awaited, or given up.
pub(super) fn forget_direct(pid: Pid) {
    direct(|pids| pids.remove(&pid));
}

fn direct<T>(access: impl FnOnce(&mut HashSet<Pid>) -> T) -> T {
    access(&mut DIRECT.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Says which processes belong to a run.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    /// The environment variable of the run, or the common beginning of all our runs' variables.
    variable: String,
    /// The marks of the run among limits, or those of all our runs.
    marks: RangeInclusive<u64>,
    group: Option<Pid>,
}

/// All marks are larger, and larger than any limit that somebody means.
const MARKS: u64 = 1 << 62;

impl Claim {
    /// Returns the claim of a new run.
    ///
    /// The variable is one of its own for each run, so that a boildown inside a boildown adds to it and hides nothing. It is of
    /// constant length, so that the stack of the command starts at the same place each time.
    pub(super) fn new() -> Self {
        let run = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
        let session = Self::of_session(getpid());
        let mark = session.marks.start() + (run & u64::from(u32::MAX));
        Self {
            variable: format!("{}{run:012}", session.variable),
            marks: mark..=mark,
            group: None,
        }
    }

    /// Returns the claim of all runs of a boildown.
    fn of_session(pid: Pid) -> Self {
        let marks = MARKS + (u64::from(pid.as_raw_nonzero().get().unsigned_abs()) << 32);
        Self {
            variable: format!("BOILDOWN_RUN_{:010}_", pid.as_raw_nonzero()),
            marks: marks..=marks + u64::from(u32::MAX),
            group: None,
        }
    }

    /// Returns the claim that also covers a process group.
    pub(super) fn of_group(self, leader: Pid) -> Self {
        Self {
            group: Some(leader),
            ..self
        }
    }

    /// Returns the name of the environment variable that marks the run's processes.
    pub(super) fn variable(&self) -> &str {
        &self.variable
    }

    /// Returns the number that marks the run's processes among their limits.
    pub(super) fn mark(&self) -> u64 {
        *self.marks.start()
    }

    /// Returns the mark of what nobody has said the run of yet. Every child inherits it from us, so that none is ever without a
    /// mark, however late its own comes.
    fn any_mark(&self) -> u64 {
        *self.marks.end()
    }

    pub(super) fn covers_group(&self, group: Pid) -> bool {
        self.group == Some(group)
    }

    /// Returns whether this is the mark of one of the session's runs, for the claim of a session.
    fn is_of_some_run(&self, mark: u64) -> bool {
        self.marks.contains(&mark) && mark != self.any_mark()
    }

    pub(super) fn covers_mark_of(&self, pid: Pid) -> bool {
        system::mark(pid).is_some_and(|mark| self.marks.contains(&mark))
    }

    fn covers_environment(&self, entries: &[u8]) -> bool {
        entries
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(self.variable.as_bytes()))
    }
}

/// Kills and reaps the orphans that the claim covers, and their descendants; reaps orphans that have ended.
///
/// One short read when there are no orphans.
pub(super) fn sweep(claim: &Claim) {
    if none_in_sight() {
        return;
    }
    let _gate = GATE.write().unwrap_or_else(PoisonError::into_inner);
    let started = Instant::now();
    // The death of a process hands its children to us: look again until there is nothing to do.
    while started.elapsed() < PATIENCE {
        let todo: Vec<_> = orphans()
            .into_iter()
            .map(|orphan| visit(orphan, claim))
            .collect();
        if todo.contains(&Visit::Killed) {
            continue;
        }
        if todo.contains(&Visit::Changing) && started.elapsed() < CHANGE {
            thread::sleep(Duration::from_millis(1));
            continue;
        }
        return;
    }
}

/// Kills, when dropped, every process that outlived a run of this process. For the end of a session, however it comes: what a
/// run left is killed after that run already, but for processes that were changing their program at that very moment.
#[derive(Debug)]
#[must_use = "it is to be dropped at the end"]
pub struct ReapOnDrop;

impl Drop for ReapOnDrop {
    fn drop(&mut self) {
        sweep(&Claim::of_session(getpid()));
    }
}

/// Kills what the runs of these boildowns left, as far as the boildowns are dead and the processes are our user's. Returns when
/// they are gone, so that they no longer write where they were run.
///
/// An id may belong to another process by now, to another boildown even: then nothing is killed.
pub(crate) fn kill_survivors_of(sessions: &[Pid]) {
    if sessions.is_empty() {
        return;
    }
    let Some(Environment::Known(ourselves)) = system::inspect(getpid()).map(|us| us.environment)
    else {
        return;
    };
    let claims = claims_to_others(sessions, &ourselves);
    let started = Instant::now();
    // A process may have been started, or have been changing programs, while others were looked at. Look again, but only
    // when there was something to kill: usually one look at all processes does.
    while !claims.is_empty() && started.elapsed() < PATIENCE {
        let dying: Vec<_> = system::all_processes()
            .filter_map(|pid| kill_if_abandoned(pid, &claims))
            .collect();
        if dying.is_empty() {
            return;
        }
        for exit in &dying {
            ready([Some(exit.as_fd())], Some(DEATH)).ok();
        }
    }
}

/// Returns the claims of these boildowns, but for those whose runs we are part of ourselves: what goes on in such a run is what
/// somebody works with, not what was forgotten.
fn claims_to_others(sessions: &[Pid], ourselves: &[u8]) -> Vec<(Pid, Claim)> {
    sessions
        .iter()
        .map(|pid| (*pid, Claim::of_session(*pid)))
        .filter(|(_, claim)| !claim.covers_environment(ourselves))
        .collect()
}

/// Kills a process that carries the variable of a dead boildown, and returns what to poll for its end.
fn kill_if_abandoned(pid: Pid, claims: &[(Pid, Claim)]) -> Option<OwnedFd> {
    if !system::is_like_us(pid) {
        return None;
    }
    // First of all: it stands for one process for good, so the one that is killed is not younger than the one looked at.
    let exit = system::exit_watch(pid).ok()?;
    let environment = system::inspect(pid)?.environment;
    let covered = |claim: &Claim| {
        matches!(&environment, Environment::Known(entries) if claim.covers_environment(entries))
            || claim.covers_mark_of(pid)
    };
    // Whether the boildown is dead is looked at last: whoever started this process had that id before, so nobody who has it
    // from now on did.
    let abandoned = |(session, claim): &(Pid, Claim)| covered(claim) && system::is_dead(*session);
    if !claims.iter().any(abandoned) {
        return None;
    }
    system::kill_watched(&exit).ok()?;
    Some(exit)
}

/// Returns whether there are no orphans. While another thread reaps some, the system's list of them leaves out others, so
/// that thread is waited for.
fn none_in_sight() -> bool {
    let _gate = GATE.read().unwrap_or_else(PoisonError::into_inner);
    orphans().is_empty()
}

/// Returns our children but for the recorded ones.
fn orphans() -> Vec<Pid> {
    let mut children = system::adopted();
    if !children.is_empty() {
        direct(|pids| children.retain(|pid| !pids.contains(pid)));
    }
    children
}

#[derive(Debug, PartialEq, Eq)]
enum Visit {
    Killed,
    Changing,
    LeftAlone,
}

fn visit(orphan: Pid, claim: &Claim) -> Visit {
    let Some(process) = system::inspect(orphan) else {
        return Visit::LeftAlone;
    };
    if process.ended {
        // Commands get groups of their own: what is in our group was started by other code of this program, which waits for it.
        if process.group != getpgrp() {
            reap(orphan);
        }
        return Visit::LeftAlone;
    }
    let covered = claim.covers_group(process.group)
        || match (system::mark(orphan), &process.environment) {
            (Some(mark), _) if claim.marks.contains(&mark) => true,
            (Some(mark), _) if Claim::of_session(getpid()).is_of_some_run(mark) => false,
            (_, Environment::Known(entries)) => claim.covers_environment(entries),
            (_, Environment::Changing) => return Visit::Changing,
            (_, Environment::Hidden) => false,
        };
    if !covered {
        return Visit::LeftAlone;
    }
    kill(orphan);
    Visit::Killed
}

/// Kills a child of ours and reaps it. Failures show as the process being there still at the next look.
fn kill(pid: Pid) {
    let Ok(exit) = system::exit_watch(pid) else {
        return;
    };
    kill_process(pid, Signal::KILL).ok();
    if ready([Some(exit.as_fd())], Some(DEATH)).is_ok_and(|[ended]| ended) {
        reap(pid);
    }
}

/// Reaps a child of ours if it has ended.
fn reap(pid: Pid) {
    waitpid(Some(pid), WaitOptions::NOHANG).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boildown_inside_a_run_of_a_dead_one_has_no_claim_to_that_run() {
        let [theirs, outer] = [7, 8].map(|pid| Pid::from_raw(pid).unwrap());
        let ourselves = b"HOME=/\0BOILDOWN_RUN_0000000008_000000000001=1\0";
        let claims = claims_to_others(&[theirs, outer], ourselves);
        let sessions: Vec<_> = claims.iter().map(|(session, _)| *session).collect();
        assert_eq!(sessions, [theirs]);
    }

    #[test]
    fn a_claim_covers_the_runs_of_its_session_and_of_no_other() {
        let covers = |entries: &[u8]| {
            Claim::of_session(Pid::from_raw(12).unwrap()).covers_environment(entries)
        };
        assert!(covers(b"A=1\0BOILDOWN_RUN_0000000012_000000000345=1\0"));
        assert!(!covers(b"BOILDOWN_RUN_0000000123_000000000345=1\0"));
        assert!(!covers(b"A=BOILDOWN_RUN_0000000012_000000000345\0"));
        assert!(!covers(b""));
    }
}
