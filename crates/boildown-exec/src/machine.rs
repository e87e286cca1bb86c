//! The facilities of the machine that contain runs and make them fast.

use std::fs;
use std::path::Path;

use rustix::fs::statvfs;
use rustix::process::{Resource, geteuid, getrlimit};

use crate::scratch::{MEMORY, is_suitable_memory};
use crate::spawn::{
    Limits, Permissions, Sandbox, cgroup_gap, has_own_ipc, has_own_sessions, has_subreaper,
};

/// Something that the machine offers or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facility {
    /// What it is: a word or two.
    pub name: &'static str,
    /// Whether boildown uses it here.
    pub state: State,
    /// What was found, and what follows for runs.
    pub finding: String,
    /// How to turn on what is off.
    pub remedy: Option<&'static str>,
}

/// Whether boildown uses a facility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is there, and used.
    On,
    /// A part of it is there, and used.
    Partial,
    /// It is not there.
    Off,
}

/// Returns the facilities of this machine. `temp_dir` is the directory for temporary files.
#[must_use]
pub fn facilities(temp_dir: &Path) -> Vec<Facility> {
    let mut found = vec![
        sandbox(),
        network(),
        sessions(),
        daemons(),
        cgroup(),
        ipc(),
        memory(temp_dir),
    ];
    found.extend(limits());
    found
}

fn facility(name: &'static str, is_on: bool, finding: [&str; 2]) -> Facility {
    let [on, off] = finding;
    Facility {
        name,
        state: if is_on { State::On } else { State::Off },
        finding: if is_on { on } else { off }.to_owned(),
        remedy: None,
    }
}

fn sandbox() -> Facility {
    let gap = Sandbox::new(&Permissions::default()).map_or(
        Some("do all that you can: the sandbox cannot be made"),
        |sandbox| sandbox.gap(),
    );
    let listed = fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    let Some(gap) = gap else {
        return facility(
            "sandbox",
            true,
            [
                "Landlock: a run writes to its own directories and signals its own processes only",
                "",
            ],
        );
    };
    Facility {
        name: "sandbox",
        state: match gap.contains("every file") {
            true => State::Off,
            false => State::Partial,
        },
        finding: format!("a run can {gap}"),
        remedy: Some(match listed.is_empty() || listed.contains("landlock") {
            true => "use a newer Linux, 6.12 or later, on which Landlock is built in",
            false => "add landlock to the list `lsm=` of the kernel's command line",
        }),
    }
}

fn network() -> Facility {
    let permissions = Permissions {
        no_network: true,
        ..Permissions::default()
    };
    let is_on = Sandbox::new(&permissions).is_ok()
        && Path::new("/proc/sys/kernel/seccomp/actions_avail").exists();
    facility(
        "--no-network",
        is_on,
        [
            "seccomp: sockets can be refused",
            "seccomp is missing: --no-network cannot be used",
        ],
    )
}

fn sessions() -> Facility {
    let mut sessions = facility(
        "own sessions",
        has_own_sessions(),
        [
            "a run has no terminal and inherits no files",
            "a run has your terminal: it can read /dev/tty and change its settings",
        ],
    );
    if sessions.state == State::Off && cfg!(target_os = "linux") {
        sessions.remedy =
            Some("permit the system call `unshare` (in a container: its seccomp profile)");
    }
    sessions
}

fn daemons() -> Facility {
    facility(
        "daemons",
        has_subreaper(),
        [
            "boildown adopts the orphans of its runs and kills them",
            "a daemon that leaves its process group survives its run",
        ],
    )
}

fn memory(temp_dir: &Path) -> Facility {
    let memory = Path::new(MEMORY);
    let free = statvfs(memory).map_or(0, |fs| fs.f_bavail.saturating_mul(fs.f_frsize));
    let is_on = is_suitable_memory(memory, 0);
    let place = temp_dir.display();
    Facility {
        name: "memory files",
        state: if is_on { State::On } else { State::Off },
        finding: match is_on {
            true => format!("runs are in {MEMORY}, which has {} MiB free", free >> 20),
            false => {
                format!("runs are in {place}: {MEMORY} is missing, noexec or below 1 GiB free")
            }
        },
        remedy: (!is_on && cfg!(target_os = "linux"))
            .then_some("mount -o remount,exec,size=2G /dev/shm (docker run --shm-size=2g)"),
    }
}

/// Returns the inherited limits that are lower than what boildown would give to a run.
fn limits() -> impl Iterator<Item = Facility> {
    let wanted = Limits::default();
    let limits = [
        ("ulimit -n", Resource::Nofile, wanted.open_files),
        ("ulimit -f", Resource::Fsize, wanted.file_size),
        (
            "ulimit -u",
            Resource::Nproc,
            wanted.processes.map(|count| count as u64),
        ),
    ];
    limits.into_iter().filter_map(|(name, resource, wanted)| {
        let (ours, wanted) = (getrlimit(resource).current?, wanted?);
        (ours < wanted).then(|| Facility {
            name,
            state: State::Partial,
            finding: format!("{ours}; a run would get {wanted}"),
            remedy: Some("raise it in the shell, or in /etc/security/limits.conf"),
        })
    })
}

/// Returns whether a session has a control group of its own.
fn cgroup() -> Facility {
    let gap = cgroup_gap();
    Facility {
        name: "cgroup",
        state: if gap.is_none() { State::On } else { State::Off },
        finding: match gap {
            None => {
                "a session has a control group: all that it left is killed when it ends".to_owned()
            }
            Some(gap) => format!("{gap}; what a run left is found by marks and parentage"),
        },
        remedy: (gap.is_some() && cfg!(target_os = "linux"))
            .then_some("run boildown by `systemd-run --user --scope -p Delegate=yes`"),
    }
}

/// Returns whether System V objects and message queues end with the run that made them.
fn ipc() -> Facility {
    let is_on = has_own_ipc();
    let left = fs::read_to_string("/proc/sysvipc/shm").map_or(0, |table| {
        let is_abandoned = |creator| fs::metadata(format!("/proc/{creator}")).is_err();
        abandoned_segments(&table, geteuid().as_raw(), is_abandoned)
    });
    let mut finding = match is_on {
        true => "a run in the sandbox has an IPC namespace, which ends with it",
        false => "System V objects and message queues that a run makes outlive it",
    }
    .to_owned();
    if left > 0 {
        finding += &format!("; {left} shared memory segments have no owner, see `ipcs -mp`");
    }
    Facility {
        name: "IPC",
        state: if is_on { State::On } else { State::Off },
        finding,
        remedy: (!is_on && cfg!(target_os = "linux"))
            .then_some("run boildown as root, or in a container with CAP_SYS_ADMIN"),
    }
}

/// Returns the number of shared memory segments of the user that no process uses and whose creator
/// has ended, in a table like `/proc/sysvipc/shm`.
fn abandoned_segments(table: &str, user: u32, has_ended: impl Fn(u32) -> bool) -> usize {
    let is_abandoned = |line: &&str| {
        let fields: Vec<u32> = line
            .split_whitespace()
            .map(|field| field.parse().unwrap_or(u32::MAX))
            .collect();
        // Process id of the creator, number of users, and the creator's user id.
        matches!(fields[..], [_, _, _, _, creator, _, 0, _, _, owner, ..]
            if owner == user && has_ended(creator))
    };
    table.lines().skip(1).filter(is_abandoned).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_facility_says_what_was_found() {
        let found = facilities(Path::new("/tmp"));
        let names: Vec<_> = found.iter().map(|facility| facility.name).collect();
        assert!(names.starts_with(&["sandbox", "--no-network", "own sessions", "daemons"]));
        assert!(found.iter().all(|facility| !facility.finding.is_empty()));
    }

    #[test]
    fn the_sandbox_is_on_exactly_when_it_has_no_gap() {
        let gap = Sandbox::new(&Permissions::default()).unwrap().gap();
        assert_eq!(sandbox().state == State::On, gap.is_none());
    }

    #[test]
    fn a_segment_without_users_whose_creator_has_ended_is_abandoned() {
        let table = "\
       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap
         0          1   600                  4096    11     0      0  1000  1000  1000  1000          0          0 1700000000                     0                     0
         0          2   600                  4096    12     0      0  1000  1000  1000  1000          0          0 1700000000                     0                     0
-123456789          3   600                  4096    11     0      1  1000  1000  1000  1000          0          0 1700000000                     0                     0
-123456789          4   600                  4096    11     0      0  1001  1001  1001  1001          0          0 1700000000                     0                     0
-123456789          5   600                  4096    11     0      0  1000  1000  1000  1000          0          0 1700000000                     0                     0
";
        assert_eq!(abandoned_segments(table, 1000, |creator| creator == 11), 2);
        assert_eq!(abandoned_segments("", 1000, |_| true), 0);
    }
}
