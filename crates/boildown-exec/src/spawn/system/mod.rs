//! System calls for running commands: waiting for the end of a process and, on Linux, information
//! about other processes and limits that are set from outside.
#![cfg_attr(
    not(target_os = "linux"),
    expect(
        dead_code,
        reason = "other systems give no information about other processes"
    )
)]

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod this;

use rustix::process::Pid;

pub(super) use this::*;

/// A moment in clock ticks since the system was booted, as the system counts them for processes.
pub(super) type ClockTicks = u64;

/// The state of a process at one moment.
#[derive(Debug)]
pub(super) struct Process {
    /// Whether the process has ended and waits to be reaped.
    pub(super) ended: bool,
    /// The process group.
    pub(super) group: Pid,
    /// The moment when the process was created.
    pub(super) began: ClockTicks,
    /// The environment with which its program was started.
    pub(super) environment: Environment,
}

/// The environment of a process, as far as it can be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Environment {
    /// The entries, each ended by a zero byte.
    Known(Vec<u8>),
    /// It cannot be read completely at the moment, because the process is in the middle of `exec`,
    /// or is ending. It should be read again.
    Changing,
    /// It may not be read, because the process belongs to another user.
    Hidden,
}

/// The resources that a process uses.
#[derive(Debug)]
pub(super) struct ProcessUsage {
    pub(super) pid: Pid,
    pub(super) group: Pid,
    /// Whether the process has ended and waits to be reaped.
    pub(super) ended: bool,
    /// The start time, in clock ticks since the system was booted.
    pub(super) started: u64,
    /// The resident memory in bytes, including shared pages.
    pub(super) memory: u64,
}
