//! Processes of sessions that were killed.
//!
//! When boildown is killed, its commands continue to run (see [`start`](super::start::start) for
//! the reason). Their marks name the session, so the next session that finds the directory of a
//! dead one kills them.

use std::os::fd::{AsFd as _, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpid};

use super::poll::poll_readable;
use super::run_marks::RunMarks;
use super::system::{self, Environment};

/// The longest time of one search for processes.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest time to wait for a process that is in the middle of `exec`. Usually microseconds,
/// unless the machine is overloaded.
const EXEC_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest time to wait for a process after SIGKILL.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

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
    while !session_marks.is_empty() && started.elapsed() < SEARCH_TIMEOUT {
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
            || marks.includes_mark(system::mark(pid))
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

/// Returns the environment of a process that runs, after waiting for the end of an `exec`. A
/// process that was passed over in the middle of it would go on to write to the directories of its
/// session.
pub(super) fn settled_environment(pid: Pid) -> Option<Environment> {
    let started = Instant::now();
    loop {
        let process = system::inspect(pid)?;
        match process.environment {
            _ if process.ended => return None,
            Environment::Changing if started.elapsed() < EXEC_TIMEOUT => {
                thread::sleep(Duration::from_millis(1));
            }
            environment => return Some(environment),
        }
    }
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
}
