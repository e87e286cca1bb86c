//! System calls for running commands on Linux.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::process;
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, child_subreaper, geteuid, getpid, getrlimit,
    pidfd_open, pidfd_send_signal, prlimit, set_child_subreaper, setrlimit,
};
use rustix::time::{ClockId, clock_gettime};

use super::{ClockTicks, Environment, Process, ProcessUsage};
use crate::spawn::started_process::IpcNamespace;

/// Returns a descriptor that polls as readable once the process has ended.
pub(in crate::spawn) fn exit_watch(pid: Pid) -> io::Result<OwnedFd> {
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

/// Kills the process that [`exit_watch`] was called for, even if its id was reused since.
pub(in crate::spawn) fn kill_watched(watch: &OwnedFd) -> io::Result<()> {
    Ok(pidfd_send_signal(watch, Signal::KILL)?)
}

/// Sets a limit of a process, which the processes it starts from now on inherit. The limit is ours
/// if that is lower.
pub(in crate::spawn) fn limit(pid: Pid, resource: Resource, limit: u64) {
    let ours = own_limit(resource);
    let wanted = lowered(ours, limit);
    if wanted == ours {
        return;
    }
    // The process may have ended already.
    if let Ok(inherited) = prlimit(Some(pid), resource, wanted)
        && lowered(inherited, limit) != wanted
    {
        // Ours was lowered since it was read, for example by a boildown that runs this one.
        prlimit(Some(pid), resource, lowered(inherited, limit)).ok();
    }
}

/// Marks a process. The processes that it starts from now on inherit the mark. If a boildown runs
/// this one, its mark stays if it is lower, or cannot be replaced.
pub(in crate::spawn) fn mark_process(pid: Pid, mark: u64) {
    let lowest = |highest: Option<u64>| Some(highest.map_or(mark, |highest| highest.min(mark)));
    let both = |mark| Rlimit {
        current: mark,
        maximum: mark,
    };
    // Not the current limit of ours, which is a mark, too.
    let wanted = lowest(own_limit(Resource::Rttime).maximum);
    if let Ok(inherited) = prlimit(Some(pid), Resource::Rttime, both(wanted))
        && lowest(inherited.maximum) != wanted
    {
        let lower = both(lowest(inherited.maximum));
        prlimit(Some(pid), Resource::Rttime, lower).ok();
    }
}

/// Returns a limit of this process as it was when it was first asked for.
fn own_limit(resource: Resource) -> Rlimit {
    static OWN: Mutex<Vec<(Resource, Rlimit)>> = Mutex::new(Vec::new());
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, limit)) = own.iter().find(|(known, _)| *known == resource) {
        return *limit;
    }
    let limit = getrlimit(resource);
    own.push((resource, limit));
    limit
}

/// Gives this process another mark, which every process that it starts from now on has from its
/// first instruction. Returns the one before. If a boildown runs this one, a higher mark than its
/// own cannot be set.
pub(in crate::spawn) fn mark_ourselves(mark: Option<u64>) -> Option<u64> {
    let ours = getrlimit(Resource::Rttime);
    let marked = Rlimit {
        current: match (mark, ours.maximum) {
            (Some(mark), Some(highest)) => Some(mark.min(highest)),
            (mark, highest) => mark.or(highest),
        },
        // It stays as it is: a lower one could not be raised again.
        maximum: ours.maximum,
    };
    setrlimit(Resource::Rttime, marked).ok();
    ours.current
}

/// Returns a limit lowered to this one.
fn lowered(given: Rlimit, limit: u64) -> Rlimit {
    let lower = |given: Option<u64>| Some(given.map_or(limit, |given| given.min(limit)));
    Rlimit {
        current: lower(given.current),
        maximum: lower(given.maximum),
    }
}

/// Makes this process the parent of orphaned descendants, or lets them become children of the init
/// process as usual. It may be forbidden.
pub(in crate::spawn) fn set_adopting_orphans(adopting: bool) {
    set_child_subreaper(adopting.then(getpid)).ok();
}

/// Returns whether this process is the parent of orphaned descendants.
pub(in crate::spawn) fn is_adopting_orphans() -> bool {
    child_subreaper().is_ok_and(|reaper| reaper.is_some())
}

/// Returns the current moment.
pub(in crate::spawn) fn now() -> ClockTicks {
    let now = clock_gettime(ClockId::Boottime);
    let per_second = clock_ticks_per_second();
    let (seconds, nanoseconds) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    seconds * per_second + nanoseconds * per_second / 1_000_000_000
}

/// Returns the children of our first thread: orphaned descendants, which the kernel gives to it,
/// and the processes that it started itself.
pub(in crate::spawn) fn adopted_children() -> Vec<Pid> {
    /// Kept open, because reading it is all that an ordinary run does about orphans.
    static CHILDREN: OnceLock<Option<File>> = OnceLock::new();
    let children = CHILDREN.get_or_init(|| {
        let id = process::id();
        File::open(format!("/proc/{id}/task/{id}/children")).ok()
    });
    match children {
        Some(file) => read_all(file)
            .map(|text| parse_pids(&text))
            .unwrap_or_default(),
        None => find_children(),
    }
}

/// Returns all our children.
pub(in crate::spawn) fn children_of_all_threads() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists: Option<Vec<_>> = threads
        .map(|thread| fs::read(thread.ok()?.path().join("children")).ok())
        .collect();
    match lists {
        Some(lists) if !lists.is_empty() => {
            lists.iter().flat_map(|list| parse_pids(list)).collect()
        }
        _ => find_children(),
    }
}

/// Returns whether a process is this one, or a descendant of it.
pub(in crate::spawn) fn is_self_or_descendant(mut pid: Pid, ancestor: Pid) -> bool {
    loop {
        if pid == ancestor {
            return true;
        }
        match Stat::read(pid).and_then(|stat| stat.parent) {
            Some(parent) => pid = parent,
            None => return false,
        }
    }
}

/// Returns whether a process of the group has not ended.
pub(in crate::spawn) fn group_is_running(group: Pid) -> bool {
    all_processes()
        .filter_map(Stat::read)
        .any(|stat| stat.group == group && !stat.ended)
}

/// Returns the control group of a process in the unified hierarchy.
pub(in crate::spawn) fn cgroup(pid: Pid) -> Option<String> {
    let groups = fs::read_to_string(format!("/proc/{}/cgroup", pid.as_raw_nonzero())).ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(own.to_owned())
}

/// Reads a file of `/proc` from its beginning. The file size in the metadata is not meaningful.
fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut text = vec![0; 512];
    let mut filled = 0;
    loop {
        match file.read_at(&mut text[filled..], filled as u64)? {
            0 => break,
            count => filled += count,
        }
        if filled == text.len() {
            text.resize(2 * filled, 0);
        }
    }
    text.truncate(filled);
    Ok(text)
}

fn parse_pids(text: &[u8]) -> Vec<Pid> {
    text.split(u8::is_ascii_whitespace)
        .filter_map(parse_pid)
        .collect()
}

fn parse_pid(text: &[u8]) -> Option<Pid> {
    // The ids of a process that is being removed are negative.
    let id: i32 = str::from_utf8(text).ok()?.parse().ok()?;
    (id > 0).then(|| Pid::from_raw(id)).flatten()
}

/// Finds our children among all processes, for kernels without lists of children. This is about a
/// hundred times slower.
fn find_children() -> Vec<Pid> {
    all_processes()
        .filter(|pid| Stat::read(*pid).is_some_and(|stat| stat.parent == Some(getpid())))
        .collect()
}

/// Returns the ids of all processes.
pub(in crate::spawn) fn all_processes() -> impl Iterator<Item = Pid> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| parse_pid(entry.file_name().as_encoded_bytes()))
}

/// Returns whether the process runs as our user and in our namespace of process ids. Inside a
/// container, ids refer to other processes.
pub(in crate::spawn) fn shares_user_and_namespace(pid: Pid) -> bool {
    let namespace = |pid: Pid| {
        let metadata = fs::metadata(format!("/proc/{}/ns/pid", pid.as_raw_nonzero())).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    fs::metadata(format!("/proc/{}", pid.as_raw_nonzero()))
        .is_ok_and(|metadata| metadata.uid() == geteuid().as_raw())
        && namespace(pid).is_some_and(|theirs| Some(theirs) == namespace(getpid()))
}

/// Returns the children that the first thread of a process started, if the kernel lists them.
pub(in crate::spawn) fn children(pid: Pid) -> Vec<Pid> {
    let pid = pid.as_raw_nonzero();
    File::open(format!("/proc/{pid}/task/{pid}/children"))
        .and_then(|file| read_all(&file))
        .map(|text| parse_pids(&text))
        .unwrap_or_default()
}

/// Returns the largest memory that a process or one of its descendants has used, in bytes. A sum
/// would count pages twice that a process shares with its parent, as after a fork.
pub(in crate::spawn) fn largest_peak(pid: Pid) -> u64 {
    let process = format!("/proc/{}", pid.as_raw_nonzero());
    let status = fs::read_to_string(format!("{process}/status")).unwrap_or_default();
    let threads = fs::read_dir(format!("{process}/task"));
    let children = threads.into_iter().flatten().flatten().flat_map(|thread| {
        let children = fs::read(thread.path().join("children"));
        parse_pids(&children.unwrap_or_default())
    });
    let own = kib_field(&status, "VmHWM").unwrap_or(0);
    children.map(largest_peak).fold(own, u64::max)
}

/// Returns the mark of a process, or another limit of real-time processes that it has.
pub(in crate::spawn) fn mark(pid: Pid) -> Option<u64> {
    let limits = fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_nonzero())).ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the IPC namespace of a process, by the name of its directory in `/proc`.
pub(in crate::spawn) fn ipc_namespace(process: &str) -> Option<IpcNamespace> {
    let namespace = fs::metadata(format!("/proc/{process}/ns/ipc")).ok()?;
    Some(IpcNamespace(namespace.ino()))
}

/// Returns the memory of the machine, or of the container if it has less, in bytes.
pub(in crate::spawn) fn total_memory() -> Option<u64> {
    let allowed = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    let allowed = allowed
        .iter()
        .find_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    let total = meminfo("MemTotal")?;
    Some(allowed.map_or(total, |allowed: u64| allowed.min(total)))
}

/// Returns the memory that is free or can be freed at once, in bytes.
pub(in crate::spawn) fn available_memory() -> Option<u64> {
    meminfo("MemAvailable")
}

fn meminfo(name: &str) -> Option<u64> {
    kib_field(&fs::read_to_string("/proc/meminfo").ok()?, name)
}

/// Returns the number of bytes in a line `NAME:  COUNT kB`.
fn kib_field(text: &str, name: &str) -> Option<u64> {
    let value = |line: &str| {
        Some(
            line.strip_prefix(name)?
                .strip_prefix(':')?
                .trim()
                .to_owned(),
        )
    };
    let count = text.lines().find_map(value)?;
    count
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// Returns the number of processes and threads on the machine.
pub(in crate::spawn) fn task_count() -> Option<u64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let (_, total) = text.split_whitespace().nth(3)?.split_once('/')?;
    total.parse().ok()
}

/// Returns whether the process does not exist, or has ended and was not reaped yet, or is ending:
/// its locks are released before it counts as ended.
pub(in crate::spawn) fn is_dead(pid: Pid) -> bool {
    Stat::read(pid).is_none_or(|stat| stat.ended || stat.ending)
}

/// Returns the state of a process; `None` when it does not exist.
pub(in crate::spawn) fn inspect(pid: Pid) -> Option<Process> {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
    // Read second: if the size of the environment differs from the number of bytes that were read,
    // the process was in the middle of `exec`. The bytes are cut off then, because the memory of
    // the old program was freed while it was being read.
    let stat = Stat::read(pid)?;
    let environment = match environment {
        Ok(entries) if Some(entries.len()) == stat.environment_size => Environment::Known(entries),
        // A part of the kernel never has one.
        Ok(_) if stat.is_of_kernel => Environment::Hidden,
        Ok(_) => Environment::Changing,
        Err(_) => Environment::Hidden,
    };
    Some(Process {
        ended: stat.ended,
        group: stat.group,
        began: stat.started,
        environment,
    })
}

/// Returns the resources that a process uses; `None` when it does not exist.
pub(in crate::spawn) fn usage(pid: Pid) -> Option<ProcessUsage> {
    let stat = Stat::read(pid)?;
    Some(ProcessUsage {
        pid,
        group: stat.group,
        ended: stat.ended,
        started: stat.started,
        memory: stat.pages.saturating_mul(page_size() as u64),
    })
}

/// Returns the memory of a process in bytes, with its share of shared pages. If the system does not
/// provide that, shared pages count completely.
pub(in crate::spawn) fn proportional_memory(process: &ProcessUsage) -> u64 {
    fs::read_to_string(format!(
        "/proc/{}/smaps_rollup",
        process.pid.as_raw_nonzero()
    ))
    .ok()
    .and_then(|text| kib_field(&text, "Pss"))
    .unwrap_or(process.memory)
}

/// The flag of a process that is ending, from `linux/sched.h`.
const PF_EXITING: u64 = 0x4;

/// The flag of a thread of the kernel, from `linux/sched.h`.
const PF_KTHREAD: u64 = 0x0020_0000;

/// Fields of `/proc/PID/stat`.
struct Stat {
    ended: bool,
    /// It runs no code of its program any more.
    ending: bool,
    /// It is a thread of the kernel.
    is_of_kernel: bool,
    parent: Option<Pid>,
    group: Pid,
    /// The start time, in clock ticks since the system was booted.
    started: ClockTicks,
    /// The resident memory in pages.
    pages: u64,
    /// The size of the environment in bytes; `None` when the process has none at the moment, as
    /// opposed to an empty one.
    environment_size: Option<usize>,
}

impl Stat {
    fn read(pid: Pid) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?)
    }

    /// Parses `PID (NAME) STATE PARENT GROUP …`. The name may contain any characters, including
    /// spaces and parentheses.
    fn parse(text: &[u8]) -> Option<Self> {
        let name_end = text.iter().rposition(|byte| *byte == b')')?;
        let fields: Vec<_> = text[name_end + 1..]
            .trim_ascii()
            .split(|byte| *byte == b' ')
            .collect();
        // The manual counts fields from 1, beginning with the process id, so the state is field 3.
        let field = |index: usize| fields.get(index - 3).copied();
        let number = |index| str::from_utf8(field(index)?).ok()?.parse::<u64>().ok();
        let address = |index| str::from_utf8(field(index)?).ok()?.parse::<usize>().ok();
        Some(Self {
            ended: matches!(field(3)?, b"Z" | b"X"),
            ending: number(9)? & PF_EXITING != 0,
            is_of_kernel: number(9)? & PF_KTHREAD != 0,
            parent: parse_pid(field(4)?),
            group: parse_pid(field(5)?)?,
            started: number(22)?,
            pages: number(24)?,
            environment_size: match (address(50), address(51)) {
                (Some(start), Some(end)) if end != 0 => end.checked_sub(start),
                _ => None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_is_parsed() {
        let stat = Stat::parse(
            b"12 (a) Z 9 (b)) Z 7 12 12 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 123 8192 5\n",
        )
        .unwrap();
        assert!(stat.ended);
        assert!(!stat.ending);
        assert_eq!(stat.parent, Pid::from_raw(7));
        assert_eq!(Some(stat.group), Pid::from_raw(12));
        assert_eq!((stat.started, stat.pages), (123, 5));
    }

    #[test]
    fn a_process_ends_before_it_has_ended() {
        let stat =
            Stat::parse(b"12 (a) R 7 12 12 0 -1 4194308 0 0 0 0 0 0 0 0 20 0 1 0 123 8192 5\n");
        assert!(stat.is_some_and(|stat| stat.ending && !stat.ended));
    }

    #[test]
    fn a_process_that_is_being_removed_is_ignored() {
        assert!(
            Stat::parse(b"12 (a) X 0 -1 -1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 123 8192 5\n").is_none()
        );
    }

    #[test]
    fn the_own_process_can_be_inspected() {
        let ourselves = inspect(getpid()).unwrap();
        assert!(!ourselves.ended);
        assert_eq!(ourselves.group, rustix::process::getpgrp());
        assert!(
            matches!(ourselves.environment, Environment::Known(entries) if !entries.is_empty())
        );
    }

    #[test]
    fn an_empty_environment_is_not_mistaken_for_a_changing_one() {
        let mut child = process::Command::new("/bin/sleep")
            .arg("100")
            .env_clear()
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        // `spawn` may return just before the new program is in place.
        let environment = loop {
            match inspect(pid).unwrap().environment {
                Environment::Changing => {}
                known => break known,
            }
        };
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(environment, Environment::Known(Vec::new()));
    }

    #[test]
    fn a_process_is_dead_before_and_after_it_is_reaped() {
        let mut child = process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(shares_user_and_namespace(pid));
        assert!(!is_dead(pid));
        let exit = exit_watch(pid).unwrap();
        child.kill().unwrap();
        crate::spawn::poll::poll_readable([Some(std::os::fd::AsFd::as_fd(&exit))], None).unwrap();
        assert!(is_dead(pid), "a zombie");
        child.wait().unwrap();
        assert!(is_dead(pid));
    }

    #[test]
    fn a_child_is_found_among_all_processes() {
        let mut child = process::Command::new("sleep").arg("100").spawn().unwrap();
        let found = find_children().contains(&Pid::from_child(&child));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found);
    }

    #[test]
    fn a_file_longer_than_the_buffer_is_read_completely() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &[b'7'; 2000]).unwrap();
        assert_eq!(read_all(&file).unwrap(), [b'7'; 2000]);
    }
}
