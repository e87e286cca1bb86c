//! Runs of a command in copies of a project.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{Mode, OFlags, mkdirat, openat};

use super::copy::{TreeCopy, open_dir};
use super::node::{DirNode, Node};
use super::plan::ProjectPlan;
use crate::command_line::{Moved, RunSite};
use crate::scratch::{Attributes, empty, remove_at};
use crate::spawn::{self, Limits, Sandbox, SandboxThread};
use crate::{CommandLine, Scratch};
use boildown_oracle::{Capture, Interrupt, OracleError, Run};

/// The name of the snapshot in the scratch space.
const SNAPSHOT: &str = "project";

/// A project in which a command is run, with the candidate in the place of the input.
///
/// Holds a snapshot, so that the user may go on working in the project. Each worker has a copy of
/// the snapshot, and puts back what its run changed, created or removed.
#[derive(Debug)]
pub struct Project {
    plan: ProjectPlan,
    scratch: Scratch,
    snapshot: OwnedFd,
    /// A hash of all names, permissions and contents in the snapshot.
    hash: String,
    /// Copies that are not in use.
    idle: Mutex<Vec<ReusableCopy>>,
    /// Number of copies made so far.
    copies: AtomicU64,
}

/// A copy, with a thread that starts commands there; in a sandbox, they may write nowhere else.
#[derive(Debug)]
struct ReusableCopy {
    // Declared first, because the thread has to end before the copy is removed.
    /// `None` if there was no run so far.
    thread: Option<(Option<Sandbox>, SandboxThread)>,
    dirs: CopyDirs,
    tree: TreeCopy,
    tmp: OwnedFd,
    /// The attributes of the directory for temporary files when it was made.
    tmp_attributes: Attributes,
}

/// The directories of a copy, which are removed when dropped.
#[derive(Debug)]
struct CopyDirs {
    scratch: Arc<OwnedFd>,
    name: String,
    path: PathBuf,
    tmp_name: String,
    tmp_path: PathBuf,
}

impl Drop for CopyDirs {
    fn drop(&mut self) {
        for name in [&self.name, &self.tmp_name] {
            // If this fails, the end of the session tries again.
            remove_at(self.scratch.as_fd(), name.as_str()).ok();
        }
    }
}

/// A run in a copy of a project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProjectRun<'a> {
    pub(crate) command: &'a CommandLine,
    pub(crate) capture: Capture,
    /// The permissions of the file that the candidate is written to.
    pub(crate) mode: u32,
    pub(crate) candidate: &'a [u8],
    pub(crate) limits: &'a Limits,
}

impl Project {
    /// Takes a snapshot of a project, in a memory file system if it has space for as many copies as
    /// there are jobs, otherwise in `temp_dir`.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when it cannot be written.
    pub fn new(plan: ProjectPlan, jobs: usize, temp_dir: &Path) -> Result<Self, OracleError> {
        let copies = u64::try_from(jobs).unwrap_or(u64::MAX).saturating_add(1);
        let scratch = Scratch::with_space(temp_dir, plan.bytes().saturating_mul(copies))?;
        let fail = |source| OracleError::Scratch {
            action: "copy the project to",
            path: scratch.path().join(SNAPSHOT),
            source,
        };
        let source = File::open(&plan.root).map_err(fail)?;
        let snapshot = TreeCopy::create(
            scratch.opened().as_fd(),
            SNAPSHOT,
            &plan.tree,
            source.as_fd(),
        );
        snapshot.map_err(fail)?;
        let snapshot = open_dir(scratch.opened().as_fd(), OsStr::new(SNAPSHOT)).map_err(fail)?;
        let mut hasher = blake3::Hasher::new();
        hash(&plan.tree, snapshot.as_fd(), &mut hasher).map_err(fail)?;
        Ok(Self {
            hash: hasher.finalize().to_hex()[..32].to_owned(),
            plan,
            snapshot,
            idle: Mutex::default(),
            copies: AtomicU64::new(0),
            scratch,
        })
    }

    /// Returns the directory of the snapshot, which nothing changes.
    #[must_use]
    pub fn snapshot(&self) -> PathBuf {
        self.scratch.path().join(SNAPSHOT)
    }

    /// Returns what a copy holds.
    #[must_use]
    pub fn plan(&self) -> &ProjectPlan {
        &self.plan
    }

    /// Returns a hash of everything that a copy holds.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Runs the command in a copy of the project that holds the candidate.
    pub(crate) fn run(
        &self,
        run: &ProjectRun<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut copy = idle.map_or_else(|| self.new_copy(), Ok)?;
        let candidate = copy.dirs.path.join(&self.plan.input);
        let written = copy.tree.write(&self.plan.input, run.mode, run.candidate);
        written.map_err(|source| OracleError::Scratch {
            action: "write",
            path: candidate.clone(),
            source,
        })?;
        let invocation = run.command.invocation_at(
            &RunSite {
                dir: &copy.dirs.path.join(&self.plan.user_dir),
                candidate: &candidate,
                tmp: &copy.dirs.tmp_path,
                moved: Some(Moved {
                    from: &self.plan.root,
                    to: &copy.dirs.path,
                }),
            },
            run.capture,
        );
        let thread = copy.thread_for(run.limits.sandbox.as_ref())?;
        let result = spawn::run_in(thread, &invocation, run.limits, interrupt);
        self.scratch.restore();
        // After an error, the state of the copy and the thread is unknown.
        let is_intact = matches!(result, Ok(_) | Err(OracleError::Interrupted));
        if is_intact && self.restore(&mut copy).is_ok() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(copy);
        }
        self.scratch.check_room()?;
        result
    }

    fn restore(&self, copy: &mut ReusableCopy) -> io::Result<()> {
        let parent = self.scratch.opened();
        if Attributes::read(&copy.tmp)? != copy.tmp_attributes {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        empty(&copy.tmp)?;
        copy.tree.restore(
            parent.as_fd(),
            &copy.dirs.name,
            &self.plan.tree,
            self.snapshot.as_fd(),
        )
    }

    fn new_copy(&self) -> Result<ReusableCopy, OracleError> {
        // All names have the same length, so that messages with a path have it in every copy.
        let name = format!("copy-{:06}", self.copies.fetch_add(1, Ordering::Relaxed));
        let tmp_name = format!("{name}-tmp");
        let scratch = Arc::clone(self.scratch.opened());
        let dirs = CopyDirs {
            path: self.scratch.path().join(&name),
            tmp_path: self.scratch.path().join(&tmp_name),
            scratch,
            name,
            tmp_name,
        };
        let create = || {
            let parent = dirs.scratch.as_fd();
            let tree =
                TreeCopy::create(parent, &dirs.name, &self.plan.tree, self.snapshot.as_fd())?;
            mkdirat(parent, &dirs.tmp_name, Mode::RWXU)?;
            let tmp = open_dir(parent, OsStr::new(&dirs.tmp_name))?;
            io::Result::Ok((tree, Attributes::read(&tmp)?, tmp))
        };
        let (tree, tmp_attributes, tmp) = create().map_err(|source| OracleError::Scratch {
            action: "copy the project to",
            path: dirs.path.clone(),
            source,
        })?;
        Ok(ReusableCopy {
            thread: None,
            dirs,
            tree,
            tmp,
            tmp_attributes,
        })
    }
}

impl ReusableCopy {
    /// Returns a thread in this sandbox that starts the command.
    fn thread_for(&mut self, sandbox: Option<&Sandbox>) -> Result<&mut SandboxThread, OracleError> {
        let is_same = |other: &Option<Sandbox>| match (other, sandbox) {
            (Some(other), Some(sandbox)) => other.is(sandbox),
            (None, None) => true,
            _ => false,
        };
        let known = self.thread.take().filter(|(other, _)| is_same(other));
        let known = match known {
            Some(known) => known,
            None => {
                let dirs: [&Path; 2] = [&self.dirs.path, &self.dirs.tmp_path];
                (sandbox.cloned(), SandboxThread::new(sandbox, &dirs)?)
            }
        };
        Ok(&mut self.thread.insert(known).1)
    }
}

/// Adds the names, permissions and contents of a tree to a hash.
fn hash(tree: &DirNode, dir: BorrowedFd<'_>, hasher: &mut blake3::Hasher) -> io::Result<()> {
    let mut add = |kind: &[u8], name: &OsStr, value: &[u8]| {
        for text in [kind, name.as_encoded_bytes(), value] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text);
        }
    };
    for (name, node) in &tree.children {
        match node {
            Node::Link(target) => add(b"link", name, target.as_encoded_bytes()),
            Node::File(mode) => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let mut bytes = Vec::new();
                File::from(openat(dir, name.as_os_str(), flags, Mode::empty())?)
                    .read_to_end(&mut bytes)?;
                add(
                    if mode & 0o100 == 0 {
                        b"file"
                    } else {
                        b"program"
                    },
                    name,
                    &bytes,
                );
            }
            Node::Dir(_) => add(b"directory", name, b""),
        }
    }
    for (name, node) in &tree.children {
        if let Node::Dir(inner) = node {
            hash(inner, open_dir(dir, name)?.as_fd(), hasher)?;
        }
    }
    hasher.update(b"end");
    Ok(())
}
