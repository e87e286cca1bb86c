//! What a run may not do: write outside its own directories, signal others, use the network.
//!
//! A thread that enters a sandbox stays in it, and so does all that it starts. So a command is started, the ordinary way, by such a
//! thread: no code of ours runs between fork and execution, and no program between us and the command.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::start::start;
use super::survivors::Claim;
use super::{Invocation, Limits};
use crate::OracleError;

#[cfg_attr(target_os = "linux", path = "sandbox_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "sandbox_elsewhere.rs")]
mod system;

/// What a run may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Directories with all that is in them, and files, that it may write to, beside its own directories.
    pub writable: Vec<PathBuf>,
    /// Whether the network is closed to it.
    pub no_network: bool,
}

/// A sandbox for runs. Clones share it.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<system::Sandbox>);

impl Sandbox {
    /// Prepares a sandbox, as far as the system can make one.
    ///
    /// # Errors
    /// [`OracleError::File`] when something that is to be writable is not there, [`OracleError::Confine`] when the network is to be
    /// closed and the system cannot do that.
    pub fn new(permissions: &Permissions) -> Result<Self, OracleError> {
        Ok(Self(Arc::new(system::Sandbox::new(permissions)?)))
    }

    /// Returns what the system cannot protect, as the end of a sentence that begins with "a test can". `None` when all is well.
    #[must_use]
    pub fn gap(&self) -> Option<&'static str> {
        self.0.gap()
    }

    /// Returns a place in the sandbox for one run at a time, with these directories to write to.
    pub(crate) fn cell(&self, own: &[&Path]) -> Result<Cell, OracleError> {
        let (jobs, queue) = sync_channel::<Job>(1);
        let (results, started) = sync_channel(1);
        let (sandbox, own): (_, Vec<_>) = (self.clone(), own.iter().map(PathBuf::from).collect());
        let work = move || {
            let own: Vec<_> = own.iter().map(PathBuf::as_path).collect();
            let entered = sandbox
                .0
                .enter(&own)
                .map_err(|source| OracleError::Confine {
                    what: "in their directories",
                    source,
                });
            if let Err(error) = entered {
                // Sent before anybody asks; there is room for it.
                results.send(Err(error)).ok();
                return;
            }
            for (invocation, limits, claim) in queue {
                if results.send(start(&invocation, &limits, &claim)).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().stack_size(STACK).spawn(work);
        let thread = thread.map_err(|source| OracleError::Confine {
            what: "in a thread of their own",
            source,
        })?;
        Ok(Cell {
            jobs: Some(jobs),
            started,
            thread: Some(thread),
        })
    }

    /// Returns whether both are the same sandbox.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Bytes of stack of a thread that starts commands, several times what it needs.
const STACK: usize = 256 * 1024;

/// A thread in a sandbox, which starts commands there. It has to live as long as they do: when a thread ends, its children are
/// handed to another one, where they could be taken for orphans.
#[derive(Debug)]
pub(crate) struct Cell {
    /// `None` from the end on.
    jobs: Option<SyncSender<Job>>,
    started: Receiver<Result<Child, OracleError>>,
    thread: Option<JoinHandle<()>>,
}

type Job = (Invocation, Limits, Claim);

impl Cell {
    /// Starts the command in the sandbox.
    pub(super) fn start(
        &mut self,
        invocation: &Invocation,
        limits: &Limits,
        claim: &Claim,
    ) -> Result<Child, OracleError> {
        if let Some(jobs) = &self.jobs {
            // It may have ended because it could not enter the sandbox: it has said so.
            jobs.send((invocation.clone(), limits.clone(), claim.clone()))
                .ok();
        }
        self.started.recv().unwrap_or_else(|_| {
            let ended = self.thread.take().map(JoinHandle::join);
            resume_unwind(
                ended
                    .and_then(Result::err)
                    .unwrap_or(Box::new("a cell ended")),
            )
        })
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Whoever asked has heard of a panic.
            thread.join().ok();
        }
    }
}
