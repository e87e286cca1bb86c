//! What running commands needs of the system: a watch for the end of a process, and on Linux what is known of other processes, and
//! limits that are set from outside.
#![cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "nothing is known of other processes there")
)]

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod this;

use rustix::process::Pid;

pub(super) use this::*;

/// A process as it is at one moment.
#[derive(Debug)]
pub(super) struct Process {
    /// Whether it is only waiting to be reaped.
    pub(super) ended: bool,
    /// Its process group.
    pub(super) group: Pid,
    /// The environment it was started with.
    pub(super) environment: Environment,
}

/// What is known of a process's environment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Environment {
    /// Entries ended by zero bytes.
    Known(Vec<u8>),
    /// It cannot be read whole at the moment: the process is about to run another program, or to end. Worth another look.
    Changing,
    /// It is none of our business.
    Hidden,
}

/// What a process has of the machine.
#[derive(Debug)]
pub(super) struct Usage {
    pub(super) pid: Pid,
    pub(super) group: Pid,
    /// Whether it is only waiting to be reaped.
    pub(super) ended: bool,
    /// When it was started, in ticks since the machine was.
    pub(super) started: u64,
    /// Bytes of memory that it fills, those included that it shares.
    pub(super) memory: u64,
}
