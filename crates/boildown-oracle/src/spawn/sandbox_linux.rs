//! The sandbox of Linux: Landlock for files and signals, a filter of system calls for the network.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule,
};

use super::Permissions;
use crate::OracleError;

/// Files that programs write to and that keep nothing; terminals.
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
pub(super) struct Sandbox {
    /// What may be written to, opened once.
    writable: Vec<(PathFd, BitFlags<AccessFs>)>,
    support: Support,
    no_network: Option<BpfProgram>,
}

/// What this kernel has of what is asked for here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Support {
    /// Linux before 5.13, or one that was told to do without.
    Nothing,
    /// From 5.13 on.
    Files,
    /// From 6.2 on.
    FilesAlsoFromTruncation,
    /// From 6.12 on.
    FilesAndSignals,
}

impl Support {
    fn detect() -> Self {
        let has =
            |ruleset: Result<Ruleset, RulesetError>| ruleset.and_then(Ruleset::create).is_ok();
        let exactly = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        if has(exactly().scope(Scope::Signal)) {
            Self::FilesAndSignals
        } else if has(exactly().handle_access(AccessFs::from_write(ABI::V3))) {
            Self::FilesAlsoFromTruncation
        } else if has(exactly().handle_access(AccessFs::from_write(ABI::V1))) {
            Self::Files
        } else {
            Self::Nothing
        }
    }
}

/// All that the kernel counts as writing, but for asking devices this or that.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V3)
}

impl Sandbox {
    pub(super) fn new(permissions: &Permissions) -> Result<Self, OracleError> {
        let mut writable = Vec::new();
        for path in &permissions.writable {
            writable.push(open(path).map_err(|source| OracleError::File {
                action: "let a test write to",
                path: path.clone(),
                source,
            })?);
        }
        // Not every system has all of them.
        writable.extend(DEVICES.iter().filter_map(|path| open(path.as_ref()).ok()));
        Ok(Self {
            writable,
            support: Support::detect(),
            no_network: match permissions.no_network {
                true => Some(no_network()?),
                false => None,
            },
        })
    }

    pub(super) fn gap(&self) -> Option<&'static str> {
        match self.support {
            Support::Nothing => {
                Some("write wherever you may (Landlock, of Linux 5.13 and later, is missing)")
            }
            Support::Files => Some(
                "empty files and signal processes of yours (Linux 6.2 and 6.12 can prevent that)",
            ),
            Support::FilesAlsoFromTruncation => {
                Some("signal processes of yours (Linux 6.12 and later can prevent that)")
            }
            Support::FilesAndSignals => None,
        }
    }

    pub(super) fn enter(&self, own: &[&Path]) -> io::Result<()> {
        if self.support > Support::Nothing {
            self.ruleset(own)
                .and_then(RulesetCreated::restrict_self)
                .map_err(io::Error::other)?;
        }
        if let Some(filter) = &self.no_network {
            seccompiler::apply_filter(filter).map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn ruleset(&self, own: &[&Path]) -> Result<RulesetCreated, RulesetError> {
        let mut ruleset = Ruleset::default().handle_access(writing())?;
        if self.support >= Support::FilesAndSignals {
            ruleset = ruleset.scope(Scope::Signal)?;
        }
        let mut ruleset = ruleset.create()?;
        for (place, access) in &self.writable {
            ruleset = ruleset.add_rule(PathBeneath::new(place, *access))?;
        }
        for path in own {
            // A directory that is gone needs no right to be written to.
            if let Ok(place) = PathFd::new(path) {
                ruleset = ruleset.add_rule(PathBeneath::new(place, writing()))?;
            }
        }
        Ok(ruleset)
    }
}

/// Opens a place that may be written to, and returns what can be done there.
fn open(path: &Path) -> io::Result<(PathFd, BitFlags<AccessFs>)> {
    let is_dir = fs::metadata(path)?.is_dir();
    let place = PathFd::new(path).map_err(|error| match error {
        PathFdError::OpenCall { source, .. } => source,
        error => io::Error::other(error),
    })?;
    Ok((
        place,
        if is_dir {
            writing()
        } else {
            writing() & AccessFs::from_file(ABI::V3)
        },
    ))
}

/// Returns a filter that refuses sockets, but for those that lead to other programs of this machine or to the kernel.
fn no_network() -> Result<BpfProgram, OracleError> {
    let fail = |error: BackendError| OracleError::Confine {
        what: "from the network",
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
    let others = SeccompRule::new(vec![
        family_is_not(libc::AF_UNIX).map_err(fail)?,
        family_is_not(libc::AF_NETLINK).map_err(fail)?,
    ])
    .map_err(fail)?;
    let refused = BTreeMap::from([
        (libc::SYS_socket, vec![others]),
        // It makes sockets too, past any filter.
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
