//! What running commands needs of the system, on Linux.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::process;
use std::sync::OnceLock;

use rustix::param::page_size;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, geteuid, getpid, getrlimit, pidfd_open,
    pidfd_send_signal, prlimit, set_child_subreaper, setrlimit,
};

use super::{Environment, Process, Usage};

/// Returns a descriptor that polls as readable once the process has ended.
pub(in crate::spawn) fn exit_watch(pid: Pid) -> io::Result<OwnedFd> {
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

/// Kills the process that a watch was made for, though another one may have its id by now.
pub(in crate::spawn) fn kill_watched(watch: &OwnedFd) -> io::Result<()> {
    Ok(pidfd_send_signal(watch, Signal::KILL)?)
}

/// Has the system hold a process, and what it starts from now on, to this limit, or to ours if that is lower.
pub(in crate::spawn) fn limit(pid: Pid, resource: Resource, limit: u64) {
    // It may have ended already.
    prlimit(Some(pid), resource, lowered(resource, limit)).ok();
}

/// Marks a process, and what it starts from now on.
pub(in crate::spawn) fn mark_process(pid: Pid, mark: u64) {
    limit(pid, Resource::Rttime, mark);
}

/// Marks this process, so that what it starts is marked from the first instruction on.
pub(in crate::spawn) fn mark_ourselves(mark: u64) {
    // A mark that is there, of a boildown that runs us, is lower or cannot be replaced.
    setrlimit(Resource::Rttime, lowered(Resource::Rttime, mark)).ok();
}

/// Returns our own limits, lowered to this.
fn lowered(resource: Resource, limit: u64) -> Rlimit {
    let ours = getrlimit(resource);
    let lower = |ours: Option<u64>| Some(ours.map_or(limit, |ours| ours.min(limit)));
    Rlimit {
        current: lower(ours.current),
        maximum: lower(ours.maximum),
    }
}

/// Makes this process the parent of its descendants' orphans. Where that is forbidden, orphans go to the system's first process
/// as usual, and are not found by us.
pub(in crate::spawn) fn adopt_orphans() {
    set_child_subreaper(Some(getpid())).ok();
}

/// Returns the children of our first thread: the orphans among our descendants, which the kernel hands to it, and the
/// processes that it started itself.
pub(in crate::spawn) fn adopted() -> Vec<Pid> {
    /// Kept open, for reading it anew is all that an ordinary run has to do about orphans.
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

/// Reads a file of /proc from its beginning; its size says nothing.
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
    // A process that is just being removed shows negative ids.
    let id: i32 = str::from_utf8(text).ok()?.parse().ok()?;
    (id > 0).then(|| Pid::from_raw(id)).flatten()
}

/// Finds our children among all processes, for kernels built without lists of children. Slower by a hundred times.
fn find_children() -> Vec<Pid> {
    all_processes()
        .filter(|pid| Stat::read(*pid).is_some_and(|stat| stat.parent == Some(getpid())))
        .collect()
}

/// Returns every process there is.
pub(in crate::spawn) fn all_processes() -> impl Iterator<Item = Pid> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| parse_pid(entry.file_name().as_encoded_bytes()))
}

/// Returns whether the process runs as our user and numbers processes as we do: inside a container, ids mean others.
pub(in crate::spawn) fn is_like_us(pid: Pid) -> bool {
    let namespace = |pid: Pid| {
        let metadata = fs::metadata(format!("/proc/{}/ns/pid", pid.as_raw_nonzero())).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    fs::metadata(format!("/proc/{}", pid.as_raw_nonzero()))
        .is_ok_and(|metadata| metadata.uid() == geteuid().as_raw())
        && namespace(pid).is_some_and(|theirs| Some(theirs) == namespace(getpid()))
}

/// Returns the children of a process that its first thread started, as far as the kernel lists them.
pub(in crate::spawn) fn children(pid: Pid) -> Vec<Pid> {
    let pid = pid.as_raw_nonzero();
    fs::read(format!("/proc/{pid}/task/{pid}/children"))
        .map(|text| parse_pids(&text))
        .unwrap_or_default()
}

/// Returns the process's mark, or whatever else limits its time with priority over all others.
pub(in crate::spawn) fn mark(pid: Pid) -> Option<u64> {
    let limits = fs::read_to_string(format!("/proc/{}/limits", pid.as_raw_nonzero())).ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the bytes of memory that there are for us: the machine's, or fewer in a container.
pub(in crate::spawn) fn memory() -> Option<u64> {
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

/// Returns the bytes of memory that are free or can be made free at once.
pub(in crate::spawn) fn memory_left() -> Option<u64> {
    meminfo("MemAvailable")
}

fn meminfo(name: &str) -> Option<u64> {
    kib(&fs::read_to_string("/proc/meminfo").ok()?, name)
}

/// Returns the bytes that a line `NAME:  COUNT kB` says.
fn kib(text: &str, name: &str) -> Option<u64> {
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

/// Returns how many processes and threads there are on the machine.
pub(in crate::spawn) fn tasks() -> Option<u64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let (_, total) = text.split_whitespace().nth(3)?.split_once('/')?;
    total.parse().ok()
}

/// Returns whether there is no such process, or only what is left of one until its parent takes note.
pub(in crate::spawn) fn is_dead(pid: Pid) -> bool {
    Stat::read(pid).is_none_or(|stat| stat.ended)
}

/// Looks at a process. `None` when there is no such process.
pub(in crate::spawn) fn inspect(pid: Pid) -> Option<Process> {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()));
    // Looked at second: if it shows an environment of another size than there was to read, the process has just changed
    // programs. What is read then ends anywhere, for the old program's memory goes while it is being read.
    let stat = Stat::read(pid)?;
    let environment = match environment {
        Ok(entries) if Some(entries.len()) == stat.environment_size => Environment::Known(entries),
        Ok(_) => Environment::Changing,
        Err(_) => Environment::Hidden,
    };
    Some(Process {
        ended: stat.ended,
        group: stat.group,
        environment,
    })
}

/// Returns what a process has. `None` when there is no such process.
pub(in crate::spawn) fn usage(pid: Pid) -> Option<Usage> {
    let stat = Stat::read(pid)?;
    Some(Usage {
        pid,
        group: stat.group,
        ended: stat.ended,
        started: stat.started,
        memory: stat.pages.saturating_mul(page_size() as u64),
    })
}

/// Returns the bytes of memory that a process fills, with its part only of what it shares, when the system tells.
pub(in crate::spawn) fn fair_memory(process: &Usage) -> u64 {
    fs::read_to_string(format!(
        "/proc/{}/smaps_rollup",
        process.pid.as_raw_nonzero()
    ))
    .ok()
    .and_then(|text| kib(&text, "Pss"))
    .unwrap_or(process.memory)
}

/// The fields of `/proc/PID/stat` that matter here.
struct Stat {
    ended: bool,
    parent: Option<Pid>,
    group: Pid,
    /// When it was started, in ticks since the machine was.
    started: u64,
    /// Memory that it fills, in pages.
    pages: u64,
    /// Bytes of its environment; `None` when it has none at the moment, as opposed to an empty one.
    environment_size: Option<usize>,
}

impl Stat {
    fn read(pid: Pid) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?)
    }

    /// Parses `PID (NAME) STATE PARENT GROUP …`, where the name may hold anything, spaces and parentheses included.
    fn parse(text: &[u8]) -> Option<Self> {
        let name_end = text.iter().rposition(|byte| *byte == b')')?;
        let fields: Vec<_> = text[name_end + 1..]
            .trim_ascii()
            .split(|byte| *byte == b' ')
            .collect();
        // The manual counts from 1 and from the process id, which makes the state the third.
        let field = |number: usize| fields.get(number - 3).copied();
        let number = |at| str::from_utf8(field(at)?).ok()?.parse::<u64>().ok();
        let address = |number| str::from_utf8(field(number)?).ok()?.parse::<usize>().ok();
        Some(Self {
            ended: matches!(field(3)?, b"Z" | b"X"),
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
    fn a_name_with_spaces_and_parentheses_does_not_confuse_the_fields_after_it() {
        let stat = Stat::parse(
            b"12 (a) Z 9 (b)) Z 7 12 12 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 123 8192 5\n",
        )
        .unwrap();
        assert!(stat.ended);
        assert_eq!(stat.parent, Pid::from_raw(7));
        assert_eq!(Some(stat.group), Pid::from_raw(12));
        assert_eq!((stat.started, stat.pages), (123, 5));
    }

    #[test]
    fn a_process_that_is_just_being_removed_is_none() {
        assert!(
            Stat::parse(b"12 (a) X 0 -1 -1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 123 8192 5\n").is_none()
        );
    }

    #[test]
    fn our_own_process_can_be_inspected() {
        let ourselves = inspect(getpid()).unwrap();
        assert!(!ourselves.ended);
        assert_eq!(ourselves.group, rustix::process::getpgrp());
        assert!(
            matches!(ourselves.environment, Environment::Known(entries) if !entries.is_empty())
        );
    }

    #[test]
    fn an_empty_environment_is_not_taken_for_one_that_changes() {
        let mut child = process::Command::new("/bin/sleep")
            .arg("100")
            .env_clear()
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        // `spawn` returns when the new program is in place or just before.
        let environment = loop {
            match inspect(pid).unwrap().environment {
                Environment::Changing => {}
                settled => break settled,
            }
        };
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(environment, Environment::Known(Vec::new()));
    }

    #[test]
    fn a_process_is_dead_when_it_has_ended_and_when_it_was_reaped() {
        let mut child = process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(is_like_us(pid));
        assert!(!is_dead(pid));
        let exit = exit_watch(pid).unwrap();
        child.kill().unwrap();
        crate::spawn::ready::ready([Some(std::os::fd::AsFd::as_fd(&exit))], None).unwrap();
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
    fn a_file_longer_than_the_first_guess_is_read_whole() {
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, &[b'7'; 2000]).unwrap();
        assert_eq!(read_all(&file).unwrap(), [b'7'; 2000]);
    }
}
