//! The control group of a session: all processes that boildown starts are in it from their first
//! instruction on, whatever session, environment and limits they give themselves.
//!
//! A group is a directory of a cgroup2 file system below the group of boildown. An administrator
//! may make one, and so may an ordinary user whose groups were delegated, for example by systemd to
//! the programs of a desktop session. At the end of the session boildown leaves the group, and what
//! is left in it is killed all at once. Where no group can be made, escaped processes are found by
//! their marks and their parentage only (see [`escaped`](super::escaped)).
//!
//! A group is marked and locked while it is in use. When boildown is killed, its group and the
//! processes in it stay; the next session in the same group removes them.

use std::fs::{self, File};
use std::io;
use std::io::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, FlockOperation, XattrFlags, access, fgetxattr, flock, fsetxattr};
use rustix::process::{Pid, geteuid};

use super::poll::poll_readable;
use super::system;

/// The prefix of the names of all groups.
const PREFIX: &str = "boildown-";

/// The extended attribute that marks a group as ours.
const MARKER: &str = "user.boildown";

/// The longest time to wait for the end of killed processes.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// The most processes that are watched at once, because each takes a file descriptor.
const MOST_WATCHED: usize = 128;

/// The time between two looks at a group whose processes were killed.
const PAUSE: Duration = Duration::from_micros(100);

/// The group of a session, and the group that boildown comes from.
#[derive(Debug)]
pub(super) struct SessionCgroup(ControlGroup);

impl SessionCgroup {
    /// Makes a group, and moves this process into it; `None` where that is not possible.
    pub(super) fn enter() -> Option<Self> {
        let parent = parent().ok()?;
        remove_abandoned(&parent);
        let group = ControlGroup::create(&parent)?;
        add_ourselves(&group.path).ok()?;
        Some(Self(group))
    }

    /// Returns the group that boildown comes from.
    pub(super) fn parent(&self) -> Option<PathBuf> {
        self.0.path.parent().map(Path::to_owned)
    }

    /// Moves this process back, and kills what is left in the group. Returns whether there was
    /// something.
    pub(super) fn leave(self) -> bool {
        let Some(parent) = self.0.path.parent() else {
            return false;
        };
        if add_ourselves(parent).is_err() {
            return false;
        }
        let has_left = self.0.has_processes();
        self.0.kill();
        has_left
    }
}

/// Moves this process into a group.
fn add_ourselves(group: &Path) -> io::Result<()> {
    let mut processes = File::options()
        .write(true)
        .open(group.join("cgroup.procs"))?;
    write!(processes, "{}", std::process::id())
}

/// A group that is marked as ours and locked. Dropping it removes it if it is empty.
#[derive(Debug)]
struct ControlGroup {
    path: PathBuf,
    /// The directory. Closing it releases the lock.
    _lock: File,
}

impl ControlGroup {
    /// Creates an empty group; `None` where that is not possible.
    fn create(parent: &Path) -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        fs::create_dir(&path).ok()?;
        let group = Self::lock(&path);
        if group.is_none() {
            fs::remove_dir(&path).ok();
        }
        group
    }

    /// Locks, marks and opens a new group.
    fn lock(path: &Path) -> Option<Self> {
        let dir = File::open(path).ok()?;
        flock(&dir, FlockOperation::NonBlockingLockExclusive).ok()?;
        fsetxattr(&dir, MARKER, b"session", XattrFlags::CREATE).ok()?;
        let is_complete = fs::exists(path.join("cgroup.kill")).is_ok_and(|exists| exists);
        is_complete.then(|| Self {
            path: path.to_owned(),
            _lock: dir,
        })
    }

    /// Kills all processes of the group, and waits for their end. They are zombies then, or reaped.
    ///
    /// # Cost
    /// One short read when there are none.
    pub(super) fn kill(&self) {
        let started = Instant::now();
        while self.has_processes() && started.elapsed() < KILL_TIMEOUT {
            // A process leaves its group a moment before it becomes a zombie.
            let dying = self.watch_processes();
            fs::write(self.path.join("cgroup.kill"), "1").ok();
            for exit in dying {
                let left = KILL_TIMEOUT.saturating_sub(started.elapsed());
                poll_readable([Some(exit.as_fd())], Some(left)).ok();
            }
            thread::sleep(PAUSE);
        }
    }

    /// Returns descriptors to poll for the ends of processes of the group.
    fn watch_processes(&self) -> Vec<OwnedFd> {
        let processes = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        let pids = processes.lines().filter_map(|line| line.parse().ok());
        pids.filter_map(Pid::from_raw)
            .take(MOST_WATCHED)
            .filter_map(|pid| system::exit_watch(pid).ok())
            .collect()
    }

    /// Returns whether a process of the group or of a group in it lives.
    fn has_processes(&self) -> bool {
        fs::read_to_string(self.path.join("cgroup.events"))
            .is_ok_and(|events| events.contains("populated 1"))
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Returns why sessions have no groups of their own; `None` when they have.
pub(crate) fn cgroup_gap() -> Option<&'static str> {
    match parent() {
        Ok(parent) if ControlGroup::create(&parent).is_some() => None,
        Ok(_) => Some("no control group can be made"),
        Err(gap) => Some(gap),
    }
}

/// Returns the group of boildown, in which that of its session is made, or why none can be made.
fn parent() -> Result<PathBuf, &'static str> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let dir = own_group(&groups, &mounts).ok_or("no cgroup2 file system is mounted")?;
    let limited = |name, unlimited: &str| {
        fs::read_to_string(dir.join(name)).is_ok_and(|limit| !limit.starts_with(unlimited))
    };
    // Virtual machines of languages read the limits of their own group only, and so would use more
    // than there is.
    if limited("memory.max", "max") || limited("cpu.max", "max") {
        return Err("the limits of the control group would be hidden from the runs");
    }
    // To move a process, one needs the permission to write to the group that it leaves.
    let permitted =
        access(&dir, Access::WRITE_OK).and(access(dir.join("cgroup.procs"), Access::WRITE_OK));
    permitted.map_err(|_| "the control group of boildown belongs to another user")?;
    Ok(dir)
}

/// Returns the directory of our group, by `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn own_group(groups: &str, mounts: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    // The group of a process that was moved to another place than the namespace shows.
    if path.split('/').any(|step| step == "..") {
        return None;
    }
    mounts.lines().find_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        if !system.starts_with("cgroup2 ") {
            return None;
        }
        let fields: Vec<_> = mount.split(' ').collect();
        let [root, place] = [fields.get(3)?, fields.get(4)?];
        let below = Path::new(path).strip_prefix(root).ok()?;
        Some(Path::new(place).join(below))
    })
}

/// Kills the processes of groups that sessions of ours left when they were killed, and removes the
/// groups.
fn remove_abandoned(parent: &Path) {
    let is_named = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for group in entries
        .filter(is_named)
        .filter_map(|entry| abandoned(&entry.path()))
    {
        group.kill();
    }
}

/// Returns the group if it has our mark and no boildown uses it.
fn abandoned(path: &Path) -> Option<ControlGroup> {
    let dir = File::open(path).ok()?;
    let is_ours = dir.metadata().ok()?.uid() == geteuid().as_raw()
        && fgetxattr(&dir, MARKER, &mut [0; 8]).is_ok()
        && flock(&dir, FlockOperation::NonBlockingLockExclusive).is_ok();
    is_ours.then(|| ControlGroup {
        path: path.to_owned(),
        _lock: dir,
    })
}

/// Removes a group with the groups that its processes made in it. The files of a group go with it.
fn remove(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove(&entry.path());
        }
    }
    // What cannot be removed now is removed by the next session.
    fs::remove_dir(path).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
        30 23 0:26 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs rw\n\
        31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
        32 30 0:28 /user.slice /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n";

    #[test]
    fn the_own_group_is_found_below_the_root_of_the_mount() {
        let own = |groups| own_group(groups, MOUNTS);
        let found = own("4:memory:/x\n0::/user.slice/user-7.slice/a.scope\n");
        let wanted = "/sys/fs/cgroup/unified/user-7.slice/a.scope";
        assert_eq!(found, Some(wanted.into()));
        assert_eq!(own("0::/system.slice/a.service\n"), None);
        assert_eq!(own("0::/../a.scope\n"), None);
        assert_eq!(own("4:memory:/user.slice\n"), None);
    }

    /// Starts a process that is in this group.
    fn sleep_in(group: &Path) -> std::process::Child {
        let child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        fs::write(group.join("cgroup.procs"), child.id().to_string()).unwrap();
        child
    }

    #[test]
    fn a_killed_group_has_no_processes_and_a_dropped_one_no_directory() {
        let Ok(parent) = parent() else {
            return;
        };
        let group = ControlGroup::create(&parent).unwrap();
        assert!(!group.has_processes());
        let mut child = sleep_in(&group.path);
        assert!(group.has_processes());
        group.kill();
        assert!(!group.has_processes());
        assert!(!child.wait().unwrap().success());
        let path = group.path.clone();
        assert!(abandoned(&path).is_none(), "it is in use");
        drop(group);
        assert!(!path.exists());
    }

    #[test]
    fn an_abandoned_group_is_removed_with_its_processes_and_a_foreign_one_is_left() {
        let Ok(parent) = &parent() else {
            return;
        };
        let make = |name: &str| {
            let path = parent.join(format!("{PREFIX}test-{}-{name}", std::process::id()));
            fs::create_dir(&path).unwrap();
            path
        };
        let (ours, foreign) = (make("ours"), make("foreign"));
        fsetxattr(
            File::open(&ours).unwrap(),
            MARKER,
            b"run",
            XattrFlags::CREATE,
        )
        .unwrap();
        fs::create_dir(ours.join("inner")).unwrap();
        let mut child = sleep_in(&ours.join("inner"));
        remove_abandoned(parent);
        let left = (ours.exists(), foreign.exists());
        fs::remove_dir(&foreign).unwrap();
        assert_eq!(left, (false, true));
        assert!(!child.wait().unwrap().success());
    }
}
