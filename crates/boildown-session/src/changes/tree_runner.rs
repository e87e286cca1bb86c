//! Runs of the command in trees of files on the disk. Each worker keeps one tree and changes it
//! from candidate to candidate.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use boildown_changes::{ChangesError, Configuration, Contents, Workspace};
use boildown_exec::Scratch;
use boildown_exec::spawn::{self, Limits, Sandbox};
use boildown_oracle::{Capture, Interrupt, OracleError, Outcome, Run};

use super::command::TreeCommand;
use super::outcome_rule::{OutcomeRule, SearchTarget, StateVerdict, UnresolvedReason};

/// The test of a tree of files.
#[derive(Debug, Clone)]
pub struct TreeTest {
    /// The command that tells good from bad.
    pub command: TreeCommand,
    /// A command that is run first. If it fails, the tree cannot be judged.
    pub build: Option<TreeCommand>,
    /// The rule by which the outcome of a run is read.
    pub rule: OutcomeRule,
    /// The goal of the search.
    pub target: SearchTarget,
    /// Limits of each of the two commands.
    pub limits: Limits,
}

impl TreeTest {
    /// Returns the duration of a hang, if a hang is what is bad.
    pub(super) fn hang(&self) -> Option<Duration> {
        self.rule.property()?.hang()
    }
}

/// The permissions of the command beyond the sandbox of the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loosened {
    /// To write temporary files to the system's directories for them.
    Temporary,
    /// Everything: there is no sandbox.
    Everything,
}

/// Puts into a new tree what is not part of any state, such as a skeleton of `.git`.
pub type PrepareTree = Box<dyn Fn(&Path) -> Result<(), ChangesError> + Send + Sync>;

/// Runs the commands of a test in trees of files.
pub(super) struct TreeRunner {
    test: TreeTest,
    contents: Arc<Contents>,
    scratch: Arc<Scratch>,
    prepare_tree: PrepareTree,
    /// The trees that no worker uses at the moment.
    free: Mutex<Vec<Workspace>>,
    /// Number of trees made so far.
    trees_made: AtomicU64,
    runs: AtomicU64,
    /// Number of files of trees that commands changed or removed, and that were written again.
    restored_files: AtomicU64,
    /// Time limit of a run, in nanoseconds. Lowered after the runs on the two states.
    timeout: AtomicU64,
}

/// The answer of the command about a tree, and its run.
pub(super) type TreeRun = (StateVerdict, Run);

impl fmt::Debug for TreeRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeRunner")
            .field("test", &self.test)
            .finish_non_exhaustive()
    }
}

impl TreeRunner {
    pub(super) fn new(
        test: TreeTest,
        contents: Arc<Contents>,
        scratch: Arc<Scratch>,
        prepare_tree: PrepareTree,
    ) -> Self {
        let runner = Self {
            timeout: AtomicU64::default(),
            contents,
            scratch,
            prepare_tree,
            free: Mutex::default(),
            trees_made: AtomicU64::new(0),
            runs: AtomicU64::new(0),
            restored_files: AtomicU64::new(0),
            test,
        };
        runner.set_timeout(runner.test.hang().unwrap_or(runner.test.limits.timeout));
        runner
    }

    pub(super) fn test(&self) -> &TreeTest {
        &self.test
    }

    /// Returns the number of runs so far. A build and the command after it count as one.
    pub(super) fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    pub(super) fn restored_files(&self) -> u64 {
        self.restored_files.load(Ordering::Relaxed)
    }

    pub(super) fn set_sandbox(&mut self, sandbox: Option<Sandbox>) {
        self.test.limits.sandbox = sandbox;
    }

    pub(super) fn set_timeout(&self, timeout: Duration) {
        let nanos = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        self.timeout.store(nanos, Ordering::Relaxed);
    }

    fn limits(&self) -> Limits {
        Limits {
            timeout: Duration::from_nanos(self.timeout.load(Ordering::Relaxed)),
            ..self.test.limits.clone()
        }
    }

    /// Runs the commands in a tree that holds the configuration: one that was used before, if one
    /// is free.
    pub(super) fn run(
        &self,
        configuration: &Configuration,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<TreeRun, OracleError> {
        let free = (self.free.lock().unwrap_or_else(PoisonError::into_inner)).pop();
        self.run_in(free, configuration, capture, interrupt)
    }

    /// Runs the commands in a new tree.
    pub(super) fn run_in_fresh_tree(
        &self,
        configuration: &Configuration,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<TreeRun, OracleError> {
        self.run_in(None, configuration, capture, interrupt)
    }

    fn run_in(
        &self,
        workspace: Option<Workspace>,
        configuration: &Configuration,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<TreeRun, OracleError> {
        let workspace = self.prepared(workspace, configuration)?;
        let ran = self.build_and_run(&workspace, capture, interrupt);
        if ran.is_ok()
            && let Err(full) = self.scratch.check_room()
        {
            // What was built in this tree may be what fills the disk. What cannot be removed now is
            // removed with the scratch space at the end.
            for dir in [workspace.root(), &tmp_dir(&workspace)] {
                fs::remove_dir_all(dir).ok();
            }
            return Err(full);
        }
        // A tree whose command was cancelled is used again, too: it holds what any interrupted
        // build leaves behind.
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(workspace);
        self.runs.fetch_add(1, Ordering::Relaxed);
        ran
    }

    /// Returns a tree that holds the configuration. A tree that cannot be changed, because of what
    /// a command did to it, is replaced by a new one.
    fn prepared(
        &self,
        workspace: Option<Workspace>,
        configuration: &Configuration,
    ) -> Result<Workspace, OracleError> {
        if let Some(mut workspace) = workspace
            && let Ok(written) = workspace.update(configuration, &self.contents)
            && make_empty_dir(&tmp_dir(&workspace)).is_ok()
        {
            let restored = u64::try_from(written.restored).unwrap_or(u64::MAX);
            self.restored_files.fetch_add(restored, Ordering::Relaxed);
            return Ok(workspace);
        }
        let number = self.trees_made.fetch_add(1, Ordering::Relaxed);
        // All paths have the same length, so that messages with a path have it in every tree.
        let root = self.scratch.path().join(format!("tree-{number:06}"));
        let mut workspace = Workspace::create(root).map_err(tree_error)?;
        workspace
            .update(configuration, &self.contents)
            .map_err(tree_error)?;
        (self.prepare_tree)(workspace.root()).map_err(tree_error)?;
        let tmp = tmp_dir(&workspace);
        make_empty_dir(&tmp).map_err(|source| OracleError::Scratch {
            action: "create",
            path: tmp,
            source,
        })?;
        Ok(workspace)
    }

    fn build_and_run(
        &self,
        workspace: &Workspace,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<TreeRun, OracleError> {
        if let Some(build) = &self.test.build {
            let (_, run) = self.spawn(build, workspace, capture, interrupt)?;
            let failure = match run.outcome {
                Outcome::Exited(0) => None,
                Outcome::Exited(_) | Outcome::Signalled(_) => Some(UnresolvedReason::DoesNotBuild),
                Outcome::Exceeded(_) => Some(UnresolvedReason::LimitExceeded),
                Outcome::TimedOut => Some(UnresolvedReason::TimedOut),
            };
            if let Some(reason) = failure {
                return Ok((StateVerdict::Unresolved(reason), run));
            }
        }
        let (started, run) = self.spawn(&self.test.command, workspace, capture, interrupt)?;
        let verdict = match started {
            Started::Yes => self.test.rule.state_verdict(&run)?,
            Started::No => StateVerdict::Unresolved(UnresolvedReason::CannotRun),
        };
        Ok((verdict, run))
    }

    /// Runs a command in a tree. A program or directory of the tree that does not exist there is
    /// a fact about the tree, not an error.
    fn spawn(
        &self,
        command: &TreeCommand,
        workspace: &Workspace,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<(Started, Run), OracleError> {
        let root = workspace.root();
        let invocation = command.invocation(root, tmp_dir(workspace), capture);
        let is_in_tree = Path::new(&invocation.program).starts_with(root);
        let not_started = |stderr: String| {
            let run = Run {
                outcome: Outcome::Exited(NOT_FOUND),
                stdout: Vec::new(),
                stderr: stderr.into_bytes(),
                took: Duration::ZERO,
            };
            (Started::No, run)
        };
        if !invocation.current_dir.is_dir() {
            return Ok(not_started(format!(
                "there is no directory {}",
                invocation.current_dir.display()
            )));
        }
        match spawn::run_within(root, &invocation, &self.limits(), interrupt) {
            Err(error) if is_in_tree && spawn::is_not_executable(&error) => {
                Ok(not_started(error.to_string()))
            }
            run => run.map(|run| (Started::Yes, run)),
        }
    }
}

/// Whether a program of the tree could be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    Yes,
    No,
}

/// Exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

/// Returns the directory for temporary files of the commands in a tree: beside the tree.
fn tmp_dir(workspace: &Workspace) -> PathBuf {
    let mut path = workspace.root().as_os_str().to_owned();
    path.push("-tmp");
    path.into()
}

/// Makes an empty directory, in place of whatever has its name.
fn make_empty_dir(dir: &Path) -> io::Result<()> {
    match fs::symlink_metadata(dir) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(dir)?,
        Ok(_) => fs::remove_file(dir)?,
        Err(_) => {}
    }
    fs::create_dir(dir)
}

/// Returns the error of a tree that could not be made.
fn tree_error(error: ChangesError) -> OracleError {
    match error {
        ChangesError::File {
            action,
            path,
            source,
        } if source.kind() != io::ErrorKind::NotFound => OracleError::Scratch {
            action,
            path,
            source,
        },
        error => OracleError::Candidate {
            source: error.into(),
        },
    }
}
