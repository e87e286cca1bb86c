//! Processes that outlive the command that started them.
//!
//! A process group catches a command's ordinary descendants, not those that leave it (`setsid`, a daemon's double fork). So
//! this process makes itself the one that orphans are handed to (a *subreaper*), and each run carries an environment variable
//! of its own, which descendants inherit. After a run, the orphans that carry its variable are killed and reaped.
//!
//! What escapes: a process that cleared its environment *and* left its group. Where the system knows no subreaper, every
//! process that left its group does.

use std::collections::HashSet;
use std::io;
use std::os::fd::AsFd as _;
use std::process::{self, Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, Once, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpgrp, kill_process, waitpid};

use super::linux::{self, Environment};
use super::ready::ready;

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
    ADOPTING.call_once(linux::adopt_orphans);
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
    group: Option<Pid>,
}

impl Claim {
    /// Returns the claim of a new run.
    ///
    /// The variable is one of its own for each run, so that a boildown inside a boildown adds to it and hides nothing. It is of
    /// constant length, so that the stack of the command starts at the same place each time.
    pub(super) fn new() -> Self {
        let run = NEXT_RUN.fetch_add(1, Ordering::Relaxed);
        Self {
            variable: format!("{}{run:012}", Self::of_this_process().variable),
            group: None,
        }
    }

    /// Returns the claim of all runs of this process.
    fn of_this_process() -> Self {
        Self {
            variable: format!("BOILDOWN_RUN_{:010}_", process::id()),
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

    fn covers_group(&self, group: Pid) -> bool {
        self.group == Some(group)
    }

    fn covers_environment(&self, entries: &[u8]) -> bool {
        entries
            .split(|byte| *byte == 0)
            .any(|entry| entry.starts_with(self.variable.as_bytes()))
    }
}

/// Kills and reaps the orphans that the claim covers, and their descendants; reaps orphans that have ended.
///
/// Free of locks, and one short read, when there are no orphans.
pub(super) fn sweep(claim: &Claim) {
    if orphans().is_empty() {
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

/// Kills every process that outlived a run of this process. For the end of a session: what a run left is killed after that
/// run already, but for processes that were changing their program at that very moment.
pub fn reap_survivors() {
    sweep(&Claim::of_this_process());
}

/// Returns our children but for the recorded ones.
fn orphans() -> Vec<Pid> {
    let mut children = linux::adopted();
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
    let Some(process) = linux::inspect(orphan) else {
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
        || match &process.environment {
            Environment::Known(entries) => claim.covers_environment(entries),
            Environment::Changing => return Visit::Changing,
            Environment::Hidden => false,
        };
    if !covered {
        return Visit::LeftAlone;
    }
    kill(orphan);
    Visit::Killed
}

/// Kills a child of ours and reaps it. Failures show as the process being there still at the next look.
fn kill(pid: Pid) {
    let Ok(exit) = linux::exit_watch(pid) else {
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
