//! The sandbox of Linux: Landlock for files and signals, a seccomp filter for the network.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};
use nix::sched::{CloneFlags, unshare};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule,
};

use crate::spawn::started_process::IpcNamespace;
use crate::spawn::{Permissions, system};
use boildown_oracle::OracleError;

/// Device files and terminals, which programs write to and which keep nothing.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

#[derive(Debug)]
pub(super) struct PlatformSandbox {
    /// The files and directories that may be written to, opened once.
    writable: Vec<(PathFd, BitFlags<AccessFs>)>,
    support: LandlockSupport,
    no_network: Option<BpfProgram>,
}

/// The parts of Landlock that this kernel supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LandlockSupport {
    /// Nothing: Linux before 5.13, or Landlock is disabled.
    Nothing,
    /// Files, except truncation: Linux 5.13.
    Files,
    /// Files: Linux 6.2.
    FilesAndTruncation,
    /// Files and signals: Linux 6.12.
    FilesAndSignals,
}

impl LandlockSupport {
    fn detect() -> Self {
        let has =
            |ruleset: Result<Ruleset, RulesetError>| ruleset.and_then(Ruleset::create).is_ok();
        let exactly = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        if has(exactly().scope(Scope::Signal)) {
            Self::FilesAndSignals
        } else if has(exactly().handle_access(AccessFs::from_write(ABI::V3))) {
            Self::FilesAndTruncation
        } else if has(exactly().handle_access(AccessFs::from_write(ABI::V1))) {
            Self::Files
        } else {
            Self::Nothing
        }
    }
}

/// Returns all kinds of access that write, except `ioctl` on devices.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V3)
}

/// Returns the kinds of access that a run has to its directories: all that write, but making
/// devices. Programs that gain privileges when they are started do not in the sandbox, so both
/// together are what the mount options `nodev` and `nosuid` would give.
fn granted() -> BitFlags<AccessFs> {
    writing() & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

impl PlatformSandbox {
    pub(super) fn new(permissions: &Permissions) -> Result<Self, OracleError> {
        let mut writable = Vec::new();
        for path in &permissions.writable {
            writable.push(open(path).map_err(|source| OracleError::File {
                action: "open the writable path",
                path: path.clone(),
                source,
            })?);
        }
        // Not every system has all of these devices.
        writable.extend(DEVICES.iter().filter_map(|path| open(path.as_ref()).ok()));
        Ok(Self {
            writable,
            support: LandlockSupport::detect(),
            no_network: match permissions.no_network {
                true => Some(no_network()?),
                false => None,
            },
        })
    }

    pub(super) fn gap(&self) -> Option<&'static str> {
        match self.support {
            LandlockSupport::Nothing => Some(
                "write to every file that you can (Landlock, in Linux 5.13 and later, is missing)",
            ),
            LandlockSupport::Files => Some(
                "truncate files and signal your processes (Linux 6.2 and 6.12 can prevent this)",
            ),
            LandlockSupport::FilesAndTruncation => {
                Some("signal your processes (Linux 6.12 and later can prevent this)")
            }
            LandlockSupport::FilesAndSignals => None,
        }
    }

    pub(super) fn enter(&self, own: &[&Path]) -> io::Result<()> {
        if self.support > LandlockSupport::Nothing {
            self.ruleset(own)
                .and_then(RulesetCreated::restrict_self)
                .map_err(io::Error::other)?;
        }
        if let Some(filter) = &self.no_network {
            seccompiler::apply_filter(filter).map_err(io::Error::other)?;
        }
        Ok(())
    }

    pub(super) fn begin_run(&self) -> Option<IpcNamespace> {
        // Only an administrator can do that.
        separate_ipc().ok()?;
        system::ipc_namespace("thread-self")
    }

    fn ruleset(&self, own: &[&Path]) -> Result<RulesetCreated, RulesetError> {
        let mut ruleset = Ruleset::default().handle_access(writing())?;
        if self.support >= LandlockSupport::FilesAndSignals {
            ruleset = ruleset.scope(Scope::Signal)?;
        }
        let mut ruleset = ruleset.create()?;
        for (file, access) in &self.writable {
            ruleset = ruleset.add_rule(PathBeneath::new(file, *access))?;
        }
        for path in own {
            // A directory that no longer exists needs no rule.
            if let Ok(dir) = PathFd::new(path) {
                ruleset = ruleset.add_rule(PathBeneath::new(dir, granted()))?;
            }
        }
        Ok(ruleset)
    }
}

/// Opens a file or directory that may be written to, and returns the access that applies to it.
fn open(path: &Path) -> io::Result<(PathFd, BitFlags<AccessFs>)> {
    let is_dir = fs::metadata(path)?.is_dir();
    let file = PathFd::new(path).map_err(|error| match error {
        PathFdError::OpenCall { source, .. } => source,
        error => io::Error::other(error),
    })?;
    Ok((
        file,
        if is_dir {
            granted()
        } else {
            granted() & AccessFs::from_file(ABI::V3)
        },
    ))
}

/// Returns a filter that refuses to create sockets, except Unix sockets, which lead to programs on
/// this machine, and netlink sockets, which lead to the kernel.
fn no_network() -> Result<BpfProgram, OracleError> {
    let fail = |error: BackendError| OracleError::Confine {
        action: "close the network to the command",
        source: io::Error::other(error),
    };
    let family_is_not = |family: i32| {
        SeccompCondition::new(
            0,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Ne,
            family.unsigned_abs().into(),
        )
    };
    let other_families = SeccompRule::new(vec![
        family_is_not(libc::AF_UNIX).map_err(fail)?,
        family_is_not(libc::AF_NETLINK).map_err(fail)?,
    ])
    .map_err(fail)?;
    let refused = BTreeMap::from([
        (libc::SYS_socket, vec![other_families]),
        // io_uring creates sockets too, without the system call that is filtered.
        (libc::SYS_io_uring_setup, Vec::new()),
    ]);
    let filter = SeccompFilter::new(
        refused,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EACCES.unsigned_abs()),
        std::env::consts::ARCH.try_into().map_err(fail)?,
    );
    filter.and_then(BpfProgram::try_from).map_err(fail)
}

/// Gives the current thread an IPC namespace.
fn separate_ipc() -> nix::Result<()> {
    unshare(CloneFlags::CLONE_NEWIPC)
}

/// Returns whether a thread can have an IPC namespace here.
pub(crate) fn has_own_ipc() -> bool {
    let separated = std::thread::Builder::new().spawn(separate_ipc);
    let separated = separated.map(std::thread::JoinHandle::join);
    matches!(separated, Ok(Ok(Ok(()))))
}
