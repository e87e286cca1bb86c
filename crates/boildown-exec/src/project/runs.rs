//! Runs of a command in copies of a project.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{Mode, OFlags, mkdirat, openat};

use super::copy::TreeCopy;
use super::folder::FolderSource;
use super::folder_plan::FolderPlan;
use super::kept_artifacts::{CleanRuns, KeptArtifacts, is_run_again};
use super::node::{DirNode, Node};
use super::plan::ProjectPlan;
use super::written_tree::{Leftovers, open_dir};
use crate::command_line::{Moved, RunSite};
use crate::scratch::{Attributes, empty, remove_at};
use crate::spawn::{self, Limits, Sandbox, SandboxThread, Stdin};
use crate::{CommandLine, Scratch};
use boildown_folder::{FolderInput, FolderText};
use boildown_oracle::{Capture, Interrupt, OracleError, Run};

/// The name of the snapshot in the scratch space.
const SNAPSHOT: &str = "project";

/// The permissions of a copy: only its owner has to read it.
const COPY_MODE: u32 = 0o700;

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
    /// The folder that is reduced, if the candidates are states of a folder.
    folder: Option<FolderSource>,
    kept: KeptArtifacts,
}

/// A copy, with a thread that starts commands there; in a sandbox, they may write nowhere else.
#[derive(Debug)]
struct ReusableCopy {
    // Declared first, because the thread has to end before the copy is removed.
    /// `None` if there was no run so far.
    thread: Option<(Option<Sandbox>, SandboxThread)>,
    dirs: CopyDirs,
    tree: TreeCopy,
    /// The state of the folder that it holds, if it was not changed since.
    held: Option<(DirNode, FolderText)>,
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

/// Where the files of a snapshot come from, and how much space its copies take.
struct SnapshotSpace<'a> {
    source: &'a Path,
    /// The name that the files get as a directory in the snapshot.
    name: Option<&'a OsStr>,
    jobs: usize,
    temp_dir: &'a Path,
}

/// Returns the error of a copy.
fn not_copied(path: PathBuf, source: io::Error, interrupt: &Interrupt) -> OracleError {
    if interrupt.is_triggered() {
        return OracleError::Interrupted;
    }
    OracleError::Scratch {
        action: "copy the project to",
        path,
        source,
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
    /// Which copy it is run in: one that keeps what runs create, or a clean one.
    pub(crate) leftovers: Leftovers,
}

impl Project {
    /// Takes a snapshot of a project, in a memory file system if it has space for as many copies as
    /// there are jobs, otherwise in `temp_dir`. Of a file that grows while it is
    /// copied, what it held when it was opened is copied.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when it cannot be written; [`OracleError::Interrupted`].
    pub fn new(
        plan: ProjectPlan,
        jobs: usize,
        temp_dir: &Path,
        interrupt: &Interrupt,
    ) -> Result<Self, OracleError> {
        let snapshot = plan.tree.clone();
        let space = SnapshotSpace {
            source: &plan.root.clone(),
            name: None,
            jobs,
            temp_dir,
        };
        Self::with_snapshot(plan, &snapshot, &space, interrupt)
    }

    /// Takes a snapshot of a folder to reduce, as [`new`](Self::new) does of a project. Candidates
    /// are states of that folder, and each run has one of them in its directory.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when the folder cannot be read, or the snapshot not be written;
    /// [`OracleError::Interrupted`].
    pub fn of_folder(
        plan: &FolderPlan,
        jobs: usize,
        temp_dir: &Path,
        interrupt: &Interrupt,
    ) -> Result<Self, OracleError> {
        let project_plan = plan.project_plan();
        let name = plan.name.as_os_str();
        let space = SnapshotSpace {
            source: &plan.root.join(&plan.prefix),
            name: (!name.is_empty()).then_some(name),
            jobs,
            temp_dir,
        };
        let mut project = Self::with_snapshot(project_plan, &plan.tree, &space, interrupt)?;
        let source = FolderSource::new(plan, project.snapshot.as_fd());
        project.folder = Some(source.map_err(|source| OracleError::Scratch {
            action: "read",
            path: project.scratch.path().join(SNAPSHOT),
            source,
        })?);
        Ok(project)
    }

    /// Takes a snapshot of the tree in this directory.
    fn with_snapshot(
        plan: ProjectPlan,
        tree: &DirNode,
        space: &SnapshotSpace<'_>,
        interrupt: &Interrupt,
    ) -> Result<Self, OracleError> {
        let jobs = u64::try_from(space.jobs).unwrap_or(u64::MAX);
        let bytes = plan.bytes().saturating_mul(jobs.saturating_add(1));
        let scratch = Scratch::with_space(space.temp_dir, bytes)?;
        let fail = |source| not_copied(scratch.path().join(SNAPSHOT), source, interrupt);
        let source = File::open(space.source).map_err(fail)?;
        let mut parent = Arc::clone(scratch.opened());
        if space.name.is_some() {
            mkdirat(&parent, SNAPSHOT, Mode::RWXU).map_err(|error| fail(error.into()))?;
            parent = Arc::new(open_dir(parent.as_fd(), OsStr::new(SNAPSHOT)).map_err(fail)?);
        }
        let name = space.name.unwrap_or(OsStr::new(SNAPSHOT));
        let (into, from) = (parent.as_fd(), source.as_fd());
        TreeCopy::create_until(into, name, COPY_MODE, tree, from, Some(interrupt)).map_err(fail)?;
        let copied = open_dir(parent.as_fd(), name).map_err(fail)?;
        let snapshot = open_dir(scratch.opened().as_fd(), OsStr::new(SNAPSHOT)).map_err(fail)?;
        let mut hasher = blake3::Hasher::new();
        hash(tree, copied.as_fd(), &mut hasher).map_err(fail)?;
        Ok(Self {
            hash: hasher.finalize().to_hex()[..32].to_owned(),
            plan,
            snapshot,
            idle: Mutex::default(),
            copies: AtomicU64::new(0),
            scratch,
            folder: None,
            kept: KeptArtifacts::default(),
        })
    }

    /// Keeps what runs create in the copies, such as object files, for the next runs. A
    /// [`LocalOracle`](crate::LocalOracle) runs each interesting candidate again in a clean copy,
    /// and artefacts are not kept any more when these runs often differ.
    pub fn keep_artifacts(&self) {
        self.kept.begin();
    }

    /// Returns what the runs in clean copies have shown.
    #[must_use]
    pub fn clean_runs(&self) -> CleanRuns {
        self.kept.counts()
    }

    /// Returns what happens at present to the files that runs create.
    pub(crate) fn leftovers(&self) -> Leftovers {
        self.kept.leftovers()
    }

    /// Returns whether the candidate of a run in a copy with artefacts is to be run in a clean one.
    pub(crate) fn is_run_again(&self, candidate: &[u8], was_hit: bool) -> bool {
        was_hit || is_run_again(candidate)
    }

    /// Records the verdicts on a candidate in a copy with artefacts and in a clean one.
    pub(crate) fn record_clean_run(&self, was_hit: bool, is_hit: bool) {
        self.kept.record(was_hit, is_hit);
    }

    /// Returns the folder that is reduced; `None` if it is a single file.
    #[must_use]
    pub fn folder(&self) -> Option<&FolderInput> {
        self.folder.as_ref().map(|folder| &folder.input)
    }

    /// Returns the folder at this path as a state of the folder that is reduced; `None` if it holds
    /// anything that is not in that folder.
    #[must_use]
    pub fn state_of(&self, dir: &Path) -> Option<Vec<u8>> {
        self.folder.as_ref()?.state_of(dir)
    }

    /// Returns a hash of the files that a state of the folder holds, whatever else the folder
    /// holds; `None` if it is no state of the folder.
    #[must_use]
    pub fn content_hash(&self, state: &[u8]) -> Option<String> {
        let listing = &self.folder()?.listing;
        let text = FolderText::read(state, listing).ok()?;
        Some(text.content_hash(listing))
    }

    /// Returns where the states of the folder come from.
    pub(super) fn folder_source(&self) -> Option<&FolderSource> {
        self.folder.as_ref()
    }

    /// Returns what a copy holds.
    #[must_use]
    pub fn plan(&self) -> &ProjectPlan {
        &self.plan
    }

    /// Returns the directory that holds all that a copy holds, except the candidate. Nothing may be
    /// changed in it.
    #[must_use]
    pub fn snapshot(&self) -> PathBuf {
        self.scratch.path().join(SNAPSHOT)
    }

    /// Returns the file which is at this path for the user, and in no copy because `..` leads out
    /// of what is copied.
    #[must_use]
    pub fn file_left_behind(&self, path: &Path) -> Option<PathBuf> {
        let is_up = |part: &Component<'_>| *part == Component::ParentDir;
        let levels = path.components().take_while(is_up).count();
        let below: PathBuf = path.components().skip(levels).collect();
        let mut dirs = self.plan.root.ancestors().take(levels + 1);
        dirs.find_map(|dir| {
            let is_copied = || dir == self.plan.root && self.snapshot().join(&below).exists();
            Some(dir.join(&below)).filter(|file| file.exists() && !is_copied())
        })
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
        let folder = self.folder.as_ref();
        let mut copy = match folder {
            None => self.idle_copy(run.leftovers, interrupt)?,
            Some(folder) => {
                let text = folder.read(run.candidate);
                let text = text.map_err(|source| OracleError::Candidate {
                    source: source.into(),
                })?;
                self.copy_of_state(folder, text, run.leftovers, interrupt)?
            }
        };
        let candidate = match self.plan.input.as_os_str().is_empty() {
            true => copy.dirs.path.clone(),
            false => copy.dirs.path.join(&self.plan.input),
        };
        if folder.is_none() {
            let written = copy.tree.write(&self.plan.input, run.mode, run.candidate);
            written.map_err(|source| OracleError::Scratch {
                action: "write",
                path: candidate.clone(),
                source,
            })?;
        }
        let mut invocation = run.command.invocation_at(
            &RunSite {
                dir: &copy.dirs.path.join(&self.plan.user_dir),
                candidate: &candidate,
                tmp: &copy.dirs.tmp_path,
                moved: Some(Moved {
                    from: &self.plan.root,
                    to: &copy.dirs.path,
                    inputs: folder.map_or(&[], |folder| &folder.inputs),
                    originals: folder.map_or(&[], |folder| &folder.scripts),
                }),
            },
            run.capture,
        );
        if folder.is_some() {
            // A folder cannot be read as a stream.
            invocation.stdin = Stdin::Null;
        }
        let thread = copy.thread_for(run.limits.sandbox.as_ref())?;
        let result = spawn::run_in(thread, &invocation, run.limits, interrupt);
        self.scratch.restore(None);
        // After an error, the state of the copy and the thread is unknown.
        let is_intact = matches!(result, Ok(_) | Err(OracleError::Interrupted));
        if is_intact && self.make_idle(&mut copy).is_ok() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(copy);
        }
        self.scratch.check_room()?;
        result
    }

    fn pop_idle(&self, leftovers: Leftovers) -> Option<ReusableCopy> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let is_right = |copy: &ReusableCopy| copy.tree.leftovers() == leftovers;
        let last = idle.iter().rposition(is_right)?;
        Some(idle.remove(last))
    }

    fn idle_copy(
        &self,
        leftovers: Leftovers,
        interrupt: &Interrupt,
    ) -> Result<ReusableCopy, OracleError> {
        match self.pop_idle(leftovers) {
            Some(copy) => Ok(copy),
            None => self.new_copy(&self.plan.tree, leftovers, interrupt),
        }
    }

    /// Returns a copy that holds a state of the folder.
    fn copy_of_state(
        &self,
        folder: &FolderSource,
        text: FolderText,
        leftovers: Leftovers,
        interrupt: &Interrupt,
    ) -> Result<ReusableCopy, OracleError> {
        if let Some(mut copy) = self.pop_idle(leftovers)
            && let Some((mut tree, held)) = copy.held.take()
        {
            let differing = folder.update(&mut tree, &held, &text);
            let (parent, source) = (self.scratch.opened().as_fd(), self.snapshot.as_fd());
            let path = &copy.dirs.path;
            if (copy.tree.hold(parent, path, &tree, differing, source)).is_ok() {
                copy.held = Some((tree, text));
                return Ok(copy);
            }
        }
        let tree = folder.run_tree(&text);
        let mut copy = self.new_copy(&tree, leftovers, interrupt)?;
        copy.tree.begin_watch(&copy.dirs.path);
        copy.held = Some((tree, text));
        Ok(copy)
    }

    /// Makes a copy ready for the next run. The next state of a folder is written when it is known.
    fn make_idle(&self, copy: &mut ReusableCopy) -> io::Result<()> {
        if Attributes::read(&copy.tmp)? != copy.tmp_attributes {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        empty(&copy.tmp)?;
        match self.folder {
            Some(_) => Ok(()),
            None => self.restore(copy, &self.plan.tree),
        }
    }

    fn restore(&self, copy: &mut ReusableCopy, tree: &DirNode) -> io::Result<()> {
        let parent = self.scratch.opened().as_fd();
        let name = &copy.dirs.name;
        (copy.tree).restore(parent, name, tree, self.snapshot.as_fd())
    }

    fn new_copy(
        &self,
        tree: &DirNode,
        leftovers: Leftovers,
        interrupt: &Interrupt,
    ) -> Result<ReusableCopy, OracleError> {
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
            let source = self.snapshot.as_fd();
            let name = &dirs.name;
            let mut tree =
                TreeCopy::create_until(parent, name, COPY_MODE, tree, source, Some(interrupt))?;
            if leftovers == Leftovers::Kept {
                tree.keep_leftovers();
            }
            mkdirat(parent, &dirs.tmp_name, Mode::RWXU)?;
            let tmp = open_dir(parent, OsStr::new(&dirs.tmp_name))?;
            io::Result::Ok((tree, Attributes::read(&tmp)?, tmp))
        };
        let (tree, tmp_attributes, tmp) =
            create().map_err(|source| not_copied(dirs.path.clone(), source, interrupt))?;
        Ok(ReusableCopy {
            thread: None,
            dirs,
            tree,
            held: None,
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
            Node::Changed(_, content) => add(b"file", name, content),
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
