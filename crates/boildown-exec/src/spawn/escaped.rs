//! Escaped processes: those that have left the process group of the command that started them.
//!
//! Killing the process group reaches the ordinary descendants of a command, but not those that
//! leave the group (by `setsid`, or like a daemon that forks twice). A process is killed only if it
//! is known to belong to a run: by its [marks](RunMarks), by the IPC namespace of the run, by the
//! control group of the session, or by its parents. After each run they are found as follows:
//!
//! * Where boildown [adopts orphans](super::adoption), as the command line does, the orphans of the
//!   run are among its children. Those with the marks of the run are killed at once; those that
//!   belong to some run, but are not marked with it, as soon as every run has ended that ran when
//!   they began. So are those of the runs of a session inside ours that was killed.
//! * Otherwise, in a program that embeds boildown, every process is inspected that began after the
//!   run. Those with the marks of the run are killed.
//!
//! For example, a command starts `env -i setsid sleep 1000 &` and exits. The `sleep` is in a group
//! of its own and has no environment, but it has the limit that marks the run.
//!
//! Not found, on systems without marks: every process that has left its group.

use std::os::fd::{AsFd as _, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, waitpid};

use super::abandoned::settled_environment;
use super::adoption::{self, Adoption};
use super::poll::poll_readable;
use super::run_marks::{ActiveRun, RunMarks, first_of_other_runs, session_of};
use super::session_cgroup::SessionCgroup;
use super::system::{self, ClockTicks, Environment, Process, ProcessUsage};

/// The longest time of one sweep. Killing takes microseconds; a sweep only takes longer when a
/// process cannot be killed.
const SWEEP_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest time to wait for a process that is in the middle of `exec`. Usually microseconds,
/// unless the machine is overloaded.
const EXEC_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest time to wait for a process after SIGKILL.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Kills what is left of the run with these marks and of runs that have ended before, except the
/// descendants of its command. Returns when they have ended.
///
/// # Cost
/// Where orphans are adopted: one short read when there are none. Otherwise a few microseconds for
/// each process of the machine.
pub(super) fn sweep(marks: &RunMarks, own: &ActiveRun) {
    if adoption::is_adopting() {
        sweep_orphans(marks, Some(own));
    } else {
        sweep_all(marks);
    }
}

/// Kills and reaps the orphans that have these marks, or that belong to some run and began before
/// all active runs but this one, and their descendants. Reaps orphans that have ended.
fn sweep_orphans(marks: &RunMarks, own: Option<&ActiveRun>) {
    if adoption::has_no_orphans() {
        return;
    }
    let others = first_of_other_runs(own);
    let started = Instant::now();
    adoption::with_orphans(|orphans| {
        // When a process dies, its children become orphans. So this repeats until nothing is left
        // to do.
        while started.elapsed() < SWEEP_TIMEOUT {
            let actions: Vec<_> = orphans
                .list()
                .into_iter()
                .map(|orphan| handle_orphan(orphan, marks, others, orphans))
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
    });
}

/// When dropped, kills every process that outlived a run of this session.
///
/// As long as it exists, this program adopts the orphaned descendants of its children, and every
/// process that it starts counts as one of a run, except those that it had started before and
/// [companions](super::Companion). So it is for a program that starts nothing else, such as the
/// command line. Without it, escaped processes are found by their marks, among all processes of the
/// machine; those without marks are not found.
///
/// Escaped processes are already killed after each run, except those that were in the middle of
/// `exec` at that moment, and those without marks that began during another run. Keep a value of
/// this type from before the first run until the end of the session.
#[derive(Debug)]
#[must_use = "it has to be dropped at the end of the session"]
pub struct ReapOnDrop {
    cgroup: Option<SessionCgroup>,
    _adoption: Adoption,
}

impl ReapOnDrop {
    /// Begins a session. This process enters a control group of its own, where it can make one, so
    /// that every process that it starts from now on can be found.
    pub fn begin() -> Self {
        let adoption = Adoption::begin();
        let cgroup = SessionCgroup::enter();
        if let Some(cgroup) = &cgroup {
            adoption::set_cgroup(cgroup);
        }
        Self {
            cgroup,
            _adoption: adoption,
        }
    }
}

impl Drop for ReapOnDrop {
    fn drop(&mut self) {
        sweep_orphans(&RunMarks::of_session(getpid()), None);
        if self.cgroup.take().is_some_and(SessionCgroup::leave) {
            // Reaps those that were killed.
            sweep_orphans(&RunMarks::of_session(getpid()), None);
        }
    }
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

/// Kills an orphan that has these marks, or that belongs to some run and began before the other
/// runs did; reaps an orphan that has ended.
fn handle_orphan(
    orphan: Pid,
    marks: &RunMarks,
    others: Option<ClockTicks>,
    orphans: &mut adoption::Orphans<'_>,
) -> OrphanAction {
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
    match judge_orphan(orphan, &process, marks, others, orphans) {
        OrphanVerdict::Kill => {
            kill(orphan);
            OrphanAction::Killed
        }
        OrphanVerdict::Leave => OrphanAction::None,
        OrphanVerdict::Changing => OrphanAction::Postponed,
        OrphanVerdict::Stranger => {
            orphans.add_stranger(orphan);
            OrphanAction::None
        }
    }
}

/// What is known about an orphan that runs.
enum OrphanVerdict {
    /// It belongs to the run that has ended, or to one that ended before.
    Kill,
    /// It belongs to a run, which may not have ended.
    Leave,
    /// It is in the middle of `exec`, and may have a mark afterwards.
    Changing,
    /// It belongs to no run.
    Stranger,
}

fn judge_orphan(
    orphan: Pid,
    process: &Process,
    marks: &RunMarks,
    others: Option<ClockTicks>,
    orphans: &adoption::Orphans<'_>,
) -> OrphanVerdict {
    let limit = system::mark(orphan);
    if marks.includes_group(process.group)
        || marks.includes_mark(limit)
        || marks.includes_namespace_of(orphan)
    {
        return OrphanVerdict::Kill;
    }
    let session = RunMarks::of_session(getpid());
    // The clock is coarse, so a process that began at the same tick can belong to the other run.
    let is_of_no_active_run = others.is_none_or(|others| process.began < others);
    let is_of_some_run = session.includes_mark(limit) || orphans.are_of_runs(orphan);
    if is_of_some_run && is_of_no_active_run {
        return OrphanVerdict::Kill;
    }
    if limit.is_some_and(|mark| session.is_of_some_run(mark)) {
        return OrphanVerdict::Leave;
    }
    // A session that was started by ours, such as a worker on this machine, and was killed.
    if limit.and_then(session_of).is_some_and(system::is_dead) {
        return OrphanVerdict::Kill;
    }
    match &process.environment {
        Environment::Known(entries) if marks.includes_environment(entries) => OrphanVerdict::Kill,
        Environment::Known(entries) if session.includes_environment(entries) => {
            match is_of_no_active_run {
                true => OrphanVerdict::Kill,
                false => OrphanVerdict::Leave,
            }
        }
        Environment::Changing => OrphanVerdict::Changing,
        _ if is_of_some_run => OrphanVerdict::Leave,
        _ => OrphanVerdict::Stranger,
    }
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

/// Kills all processes with these marks, except the descendants of the command. Reaps none: they
/// are children of other processes.
fn sweep_all(marks: &RunMarks) {
    let started = Instant::now();
    // While the processes were inspected, others may have been started. So this repeats, but only
    // if there was a process to kill: usually one pass is enough.
    while started.elapsed() < SWEEP_TIMEOUT {
        let dying: Vec<_> = system::all_processes()
            .filter_map(|pid| kill_if_escaped(pid, marks))
            .collect();
        if dying.is_empty() {
            return;
        }
        for exit in &dying {
            poll_readable([Some(exit.as_fd())], Some(KILL_TIMEOUT)).ok();
        }
    }
}

/// Kills a process that has these marks and is no descendant of the command. Returns the descriptor
/// to poll for its end.
fn kill_if_escaped(pid: Pid, marks: &RunMarks) -> Option<OwnedFd> {
    // The time excludes most processes of others, without further reads.
    let is_younger = |process: &ProcessUsage| !process.ended && process.started >= marks.began();
    system::usage(pid).filter(is_younger)?;
    // Opened before the marks are read: it refers to one process even if the id is reused.
    let exit = system::exit_watch(pid).ok()?;
    let process = system::usage(pid).filter(is_younger)?;
    let is_marked = marks.includes_group(process.group)
        || marks.includes_mark(system::mark(pid))
        || marks.includes_namespace_of(pid)
        || matches!(settled_environment(pid)?, Environment::Known(entries)
            if marks.includes_environment(&entries));
    let command = marks.command();
    if !is_marked || command.is_some_and(|command| system::is_self_or_descendant(pid, command)) {
        return None;
    }
    system::kill_watched(&exit).ok()?;
    Some(exit)
}
