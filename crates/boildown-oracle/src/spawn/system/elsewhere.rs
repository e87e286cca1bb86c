//! What running commands needs of a system that is not Linux. Little is known there of processes that are no children of ours, and no
//! process can be limited from outside, so a run has its process group and its time limit and no more.

use std::io::{self, Write as _, pipe};
use std::os::fd::OwnedFd;
use std::thread;

use rustix::process::{Pid, Resource, WaitId, WaitIdOptions, waitid};

use super::{Process, Usage};

/// Returns a descriptor that polls as readable once the process, a child of ours, has ended.
///
/// A thread waits for that: a queue of kernel events would do, but cannot be had without unsafe code.
pub(in crate::spawn) fn exit_watch(pid: Pid) -> io::Result<OwnedFd> {
    let (reader, mut writer) = pipe()?;
    thread::Builder::new().stack_size(64 << 10).spawn(move || {
        // It stays to be reaped by its owner. There is no such child only when that has happened.
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), ended)).ok();
        // Nobody reads when nobody waits any more. Closing it would not do, as a program that is just being started may hold it open, too.
        writer.write_all(b".").ok();
    })?;
    Ok(reader.into())
}

pub(in crate::spawn) fn kill_watched(_: &OwnedFd) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(in crate::spawn) fn limit(_: Pid, _: Resource, _: u64) {}

pub(in crate::spawn) fn mark_process(_: Pid, _: u64) {}

pub(in crate::spawn) fn mark_ourselves(_: u64) {}

pub(in crate::spawn) fn mark(_: Pid) -> Option<u64> {
    None
}

pub(in crate::spawn) fn adopt_orphans() {}

pub(in crate::spawn) fn adopted() -> Vec<Pid> {
    Vec::new()
}

pub(in crate::spawn) fn all_processes() -> impl Iterator<Item = Pid> {
    std::iter::empty()
}

pub(in crate::spawn) fn inspect(_: Pid) -> Option<Process> {
    None
}

pub(in crate::spawn) fn usage(_: Pid) -> Option<Usage> {
    None
}

pub(in crate::spawn) fn fair_memory(process: &Usage) -> u64 {
    process.memory
}

pub(in crate::spawn) fn is_like_us(_: Pid) -> bool {
    false
}

pub(in crate::spawn) fn is_dead(_: Pid) -> bool {
    false
}

pub(in crate::spawn) fn children(_: Pid) -> Vec<Pid> {
    Vec::new()
}

pub(in crate::spawn) fn memory() -> Option<u64> {
    None
}

pub(in crate::spawn) fn memory_left() -> Option<u64> {
    None
}

pub(in crate::spawn) fn tasks() -> Option<u64> {
    None
}
