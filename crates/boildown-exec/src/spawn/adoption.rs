//! Adoption of orphans: which children of this process belong to runs.
//!
//! A *subreaper* is a process that the system makes the parent of its orphaned descendants, that
//! is, of processes whose parent has ended. Boildown is one only while an [`Adoption`] exists. Its
//! children are then the processes that it started, which are recorded, and orphans. Not every
//! orphan belongs to a run:
//!
//! * The program may have had children before, for example after
//!   `sh -c 'service & exec boildown …'`. They and their descendants are *strangers*.
//! * A [companion](super::Companion) may start services that outlive it, as `ssh` does with the
//!   process that shares its connections. They have a mark of their own.
//! * The first process of a container is the parent of all orphans in it.
//!
//! So an orphan belongs to a run if its marks or its control group say so, or if no other process
//! can have started it.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError, RwLock};

use rustix::process::{Pid, getpid};

use super::run_marks::RunMarks;
use super::session_cgroup::SessionCgroup;
use super::started_process::StartedProcess;
use super::system;

/// Held for reading while a command is started and recorded in [`RECORDED`], and for writing while
/// orphans are inspected. So a child is not taken for an orphan because it is not recorded yet, and
/// an id that is being given to a new child is not reaped.
static START_LOCK: RwLock<()> = RwLock::new(());

/// The processes that [`start_recorded`] started and that have not been waited for.
/// Reaping one here would make that wait fail.
static RECORDED: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(Mutex::default);

/// The state while orphans are adopted.
static STATE: Mutex<Option<AdoptionState>> = Mutex::new(None);

#[derive(Debug)]
struct AdoptionState {
    /// The number of [`Adoption`]s.
    users: usize,
    /// The mark of this process before.
    mark_before: Option<u64>,
    was_subreaper: bool,
    /// Whether the system makes us the parent of orphans.
    is_subreaper: bool,
    /// Children that were there before, and orphans that belong to no run. Those that end stay in
    /// the list of children, so that no other process gets their ids, until they are reaped.
    strangers: HashSet<Pid>,
    /// Whether nothing but runs can have started an orphan.
    only_runs: bool,
    /// The control group of the session, as `/proc/PID/cgroup` names it, and the directory of the
    /// one that companions are moved to.
    cgroup: Option<(String, PathBuf)>,
}

/// As long as it exists, the system makes this process the parent of orphaned descendants, unless
/// that is forbidden. Then they become children of the init process as usual.
#[derive(Debug)]
pub(super) struct Adoption(());

impl Adoption {
    pub(super) fn begin() -> Self {
        let mut state = state();
        if let Some(state) = &mut *state {
            state.users += 1;
            return Self(());
        }
        let was_subreaper = system::is_adopting_orphans();
        system::set_adopting_orphans(true);
        // Listed afterwards: an orphan that was adopted in between is a stranger, too.
        let strangers: HashSet<_> = system::children_of_all_threads().into_iter().collect();
        *state = Some(AdoptionState {
            users: 1,
            is_subreaper: system::is_adopting_orphans(),
            mark_before: system::mark_ourselves(Some(
                RunMarks::of_session(getpid()).session_mark(),
            )),
            was_subreaper,
            only_runs: strangers.is_empty() && !was_subreaper && !getpid().is_init(),
            strangers,
            cgroup: None,
        });
        Self(())
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        let mut state = state();
        let Some(current) = &mut *state else {
            return;
        };
        current.users -= 1;
        if current.users > 0 {
            return;
        }
        system::mark_ourselves(current.mark_before);
        system::set_adopting_orphans(current.was_subreaper);
        *state = None;
    }
}

fn state() -> MutexGuard<'static, Option<AdoptionState>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether this process is the parent of orphaned descendants.
pub(super) fn is_adopting() -> bool {
    state().as_ref().is_some_and(|state| state.is_subreaper)
}

/// Records the control group that this process has entered.
pub(super) fn set_cgroup(cgroup: &SessionCgroup) {
    if let Some(state) = &mut *state() {
        state.cgroup = system::cgroup(getpid()).zip(cgroup.parent());
    }
}

/// Returns whether this process can be made the parent of orphaned descendants.
pub(crate) fn has_subreaper() -> bool {
    let before = system::is_adopting_orphans();
    system::set_adopting_orphans(true);
    let can = system::is_adopting_orphans();
    system::set_adopting_orphans(before);
    can
}

/// Starts a child, and records that only its owner may reap it, until [`forget_child`] is called.
pub(super) fn start_recorded(
    start: impl FnOnce() -> io::Result<StartedProcess>,
) -> io::Result<StartedProcess> {
    let _lock = START_LOCK.read().unwrap_or_else(PoisonError::into_inner);
    let process = start()?;
    with_recorded(|pids| pids.insert(process.pid));
    Ok(process)
}

/// Starts a child that is not a run, as [`start_recorded`] does. It gets the directory of the
/// control group that it has to move to, if there is one.
///
/// It and its descendants have the mark of companions from their first instruction on, where this
/// process has a mark.
pub(super) fn start_companion(
    start: impl FnOnce(Option<PathBuf>) -> io::Result<StartedProcess>,
) -> io::Result<StartedProcess> {
    // No run is started as long as this process has the mark of companions.
    let _lock = START_LOCK.write().unwrap_or_else(PoisonError::into_inner);
    let mut state = state();
    let cgroup = state.as_mut().and_then(|state| {
        // A companion may give its descendants other limits, as `sudo` does.
        state.only_runs = false;
        Some(state.cgroup.as_ref()?.1.clone())
    });
    let mark = RunMarks::of_session(getpid()).companion_mark();
    let before = state.as_ref().map(|_| system::mark_ourselves(Some(mark)));
    let process = start(cgroup);
    if let Some(before) = before {
        system::mark_ourselves(before);
    }
    let process = process?;
    with_recorded(|pids| pids.insert(process.pid));
    Ok(process)
}

/// Ends the record of a child: it was reaped, or its owner has given it up.
pub(super) fn forget_child(pid: Pid) {
    with_recorded(|pids| pids.remove(&pid));
}

fn with_recorded<T>(access: impl FnOnce(&mut HashSet<Pid>) -> T) -> T {
    access(&mut RECORDED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The orphans of this process, while no command is being started.
pub(super) struct Orphans<'a>(&'a mut AdoptionState);

impl Orphans<'_> {
    /// Returns our children that are neither recorded nor known as strangers.
    pub(super) fn list(&self) -> Vec<Pid> {
        let mut children = system::adopted_children();
        if !children.is_empty() {
            children.retain(|pid| !self.0.strangers.contains(pid));
            with_recorded(|pids| children.retain(|pid| !pids.contains(pid)));
        }
        children
    }

    /// Returns whether an orphan without marks belongs to some run.
    pub(super) fn are_of_runs(&self, orphan: Pid) -> bool {
        self.0.only_runs
            || (self.0.cgroup.as_ref()).is_some_and(|(ours, _)| {
                let theirs = system::cgroup(orphan);
                theirs.is_some_and(|theirs| is_in_group(&theirs, ours))
            })
    }

    /// Records that an orphan belongs to no run.
    pub(super) fn add_stranger(&mut self, orphan: Pid) {
        self.0.strangers.insert(orphan);
    }
}

/// Returns whether a control group is this one or one in it.
fn is_in_group(group: &str, ours: &str) -> bool {
    let rest = group.strip_prefix(ours);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether there are no orphans. While another thread reaps orphans, the list of the system
/// is incomplete, so this waits for that thread.
pub(super) fn has_no_orphans() -> bool {
    let _lock = START_LOCK.read().unwrap_or_else(PoisonError::into_inner);
    let mut state = state();
    let orphans = state.as_mut().map(|state| Orphans(state).list());
    orphans.is_none_or(|orphans| orphans.is_empty())
}

/// Calls `handle` with the orphans, if they are adopted. No command is started in the meantime.
pub(super) fn with_orphans(handle: impl FnOnce(&mut Orphans<'_>)) {
    let _lock = START_LOCK.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(state) = &mut *state() {
        handle(&mut Orphans(state));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_in_itself_and_its_parents_only() {
        let is_ours = |group| is_in_group(group, "/a/boildown-7-1");
        assert!(is_ours("/a/boildown-7-1"));
        assert!(is_ours("/a/boildown-7-1/inner"));
        assert!(!is_ours("/a/boildown-7-10"));
        assert!(!is_ours("/a"));
    }
}
