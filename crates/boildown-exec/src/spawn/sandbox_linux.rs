//! The sandbox of Linux: Landlock for files and signals, a seccomp filter for the network.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};
use nix::sched::{CloneFlags, unshare};
use rustix::io::Errno;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule,
};

use crate::spawn::started_process::IpcNamespace;
use crate::spawn::{Permissions, system};
use boildown_oracle::OracleError;

/// Device files and terminals, which programs write to and which keep nothing.
#[rustfmt::skip]
const DEVICES: &[&str] = &[
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
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
    /// Returns what this kernel supports.
    ///
    /// # Errors
    /// The process is out of file descriptors or memory, so that this cannot be found out.
    fn detect() -> io::Result<Self> {
        let has = |ruleset: Result<Ruleset, RulesetError>| {
            let made = ruleset.and_then(Ruleset::create);
            made.map_or_else(
                |error| shortage(&error).map_or(Ok(false), Err),
                |_| Ok(true),
            )
        };
        let exactly = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        Ok(if has(exactly().scope(Scope::Signal))? {
            Self::FilesAndSignals
        } else if has(exactly().handle_access(AccessFs::from_write(ABI::V3)))? {
            Self::FilesAndTruncation
        } else if has(exactly().handle_access(AccessFs::from_write(ABI::V1)))? {
            Self::Files
        } else {
            Self::Nothing
        })
    }
}

/// Returns the error of the system behind another one, if it says that something is used up.
fn shortage(error: &(dyn Error + 'static)) -> Option<io::Error> {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    let mut causes = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    let code = causes.find_map(io::Error::raw_os_error)?;
    let used_up = [Errno::MFILE, Errno::NFILE, Errno::NOMEM];
    let is_used_up = used_up.iter().any(|errno| errno.raw_os_error() == code);
    is_used_up.then(|| io::Error::from_raw_os_error(code))
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
        let confine = |source| OracleError::Confine {
            action: "find out what the sandbox can do",
            source,
        };
        for path in DEVICES {
            match open(path.as_ref()) {
                Ok(device) => writable.push(device),
                // Not every system has all of these devices.
                Err(error) => shortage(&error).map_or(Ok(()), Err).map_err(confine)?,
            }
        }
        Ok(Self {
            writable,
            support: LandlockSupport::detect().map_err(confine)?,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_file_descriptors_is_no_kernel_without_landlock() {
        let refused = |errno: Errno| OracleError::Confine {
            action: "make a set of rules",
            source: errno.into(),
        };
        assert!(shortage(&refused(Errno::MFILE)).is_some());
        assert!(shortage(&refused(Errno::OPNOTSUPP)).is_none());
    }
}
