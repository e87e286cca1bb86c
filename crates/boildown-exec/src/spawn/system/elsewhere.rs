//! System calls for running commands on systems other than Linux.
//!
//! These systems give little information about processes that are not our children, and no process
//! can be limited from outside. So a run has only its process group and its time limit.

use std::io::{self, Write as _, pipe};
use std::os::fd::OwnedFd;
use std::thread;

use rustix::process::{Pid, Resource, WaitId, WaitIdOptions, test_kill_process_group, waitid};

use super::{ClockTicks, Process, ProcessUsage};
use crate::spawn::started_process::IpcNamespace;

/// Returns a descriptor that polls as readable once the process, which is our child, has ended.
///
/// A thread waits for the process. A kernel event queue would need unsafe code.
pub(in crate::spawn) fn exit_watch(pid: Pid) -> io::Result<OwnedFd> {
    let (reader, mut writer) = pipe()?;
    thread::Builder::new().stack_size(64 << 10).spawn(move || {
        // NOWAIT leaves the process to be reaped by its owner. An error means that this has
        // happened.
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), ended)).ok();
        // The write fails when the reader is no longer needed. Closing the pipe is not enough,
        // because a program that is being started may hold a copy of it.
        writer.write_all(b".").ok();
    })?;
    Ok(reader.into())
}

pub(in crate::spawn) fn kill_watched(_: &OwnedFd) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(in crate::spawn) fn ipc_namespace(_: &str) -> Option<IpcNamespace> {
    None
}

pub(in crate::spawn) fn limit(_: Pid, _: Resource, _: u64) {}

pub(in crate::spawn) fn mark_process(_: Pid, _: u64) {}

pub(in crate::spawn) fn mark_ourselves(_: Option<u64>) -> Option<u64> {
    None
}

pub(in crate::spawn) fn mark(_: Pid) -> Option<u64> {
    None
}

pub(in crate::spawn) fn set_adopting_orphans(_: bool) {}

pub(in crate::spawn) fn children_of_all_threads() -> Vec<Pid> {
    Vec::new()
}

pub(in crate::spawn) fn is_self_or_descendant(_: Pid, _: Pid) -> bool {
    false
}

pub(in crate::spawn) fn group_is_running(group: Pid) -> bool {
    // These systems do not signal groups of zombies.
    test_kill_process_group(group).is_ok()
}

pub(in crate::spawn) fn cgroup(_: Pid) -> Option<String> {
    None
}

pub(in crate::spawn) fn is_adopting_orphans() -> bool {
    false
}

pub(in crate::spawn) fn now() -> ClockTicks {
    0
}

pub(in crate::spawn) fn adopted_children() -> Vec<Pid> {
    Vec::new()
}

pub(in crate::spawn) fn all_processes() -> impl Iterator<Item = Pid> {
    std::iter::empty()
}

pub(in crate::spawn) fn inspect(_: Pid) -> Option<Process> {
    None
}

pub(in crate::spawn) fn usage(_: Pid) -> Option<ProcessUsage> {
    None
}

pub(in crate::spawn) fn proportional_memory(process: &ProcessUsage) -> u64 {
    process.memory
}

pub(in crate::spawn) fn shares_user_and_namespace(_: Pid) -> bool {
    false
}

pub(in crate::spawn) fn is_dead(_: Pid) -> bool {
    false
}

pub(in crate::spawn) fn children(_: Pid) -> Vec<Pid> {
    Vec::new()
}

pub(in crate::spawn) fn largest_peak(_: Pid) -> u64 {
    0
}

pub(in crate::spawn) fn total_memory() -> Option<u64> {
    None
}

pub(in crate::spawn) fn available_memory() -> Option<u64> {
    None
}

pub(in crate::spawn) fn task_count() -> Option<u64> {
    None
}
