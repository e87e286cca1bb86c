//! Runs of the command in trees of files on the disk. Each worker keeps one tree and changes it
//! from candidate to candidate.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use boildown_changes::{ChangesError, Configuration, Contents, Workspace};
use boildown_exec::spawn::{self, Limits, Sandbox};
use boildown_exec::{DirHandle, Scratch, remove_tree};
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
    /// The time limit of the build; `None` if it follows from the builds of the two states.
    pub build_timeout: Option<Duration>,
    /// Whether each run gets a new tree, so that nothing that runs leave behind counts.
    pub clean: bool,
    /// Files that are no part of a state, and that each tree has a link to.
    pub company: Vec<Company>,
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

/// A file or directory of the user that the command needs, such as installed packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// The path of the link in a tree.
    pub path: PathBuf,
    /// What it leads to.
    pub target: PathBuf,
}

/// Puts into a new tree what is not part of any state, such as a skeleton of `.git`.
pub type PrepareTree = Box<dyn Fn(&Workspace) -> Result<(), ChangesError> + Send + Sync>;

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
    /// Time limit of the command. Lowered after the runs on the two states.
    timeout: SharedDuration,
    /// Time limit of the build. Lowered after the builds of the two states.
    build_timeout: SharedDuration,
    /// The longest build that succeeded.
    slowest_build: SharedDuration,
    /// Whether each run gets a new tree.
    always_fresh: AtomicBool,
}

/// Time limit of a build until the builds of the two states have been measured.
const FIRST_BUILD_TIMEOUT: Duration = Duration::from_secs(3600);

/// The shortest time limit of a build that is not stated. A build in a tree that was built before
/// takes seconds where one in a new tree takes minutes.
const MIN_BUILD_TIMEOUT: Duration = Duration::from_secs(60);

/// A duration that threads share.
#[derive(Debug, Default)]
struct SharedDuration(AtomicU64);

impl SharedDuration {
    fn new(duration: Duration) -> Self {
        let shared = Self::default();
        shared.set(duration);
        shared
    }

    fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, duration: Duration) {
        self.0.store(nanos(duration), Ordering::Relaxed);
    }

    /// Makes it at least this long.
    fn raise(&self, duration: Duration) {
        self.0.fetch_max(nanos(duration), Ordering::Relaxed);
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A run of the commands of a test in a tree.
#[derive(Debug)]
pub(super) struct TreeRun {
    /// What it shows about the tree.
    pub(super) verdict: StateVerdict,
    /// The run of the command, or of the build if that failed.
    pub(super) run: Run,
}

impl TreeRun {
    /// Returns whether the build failed, so that the command was not run.
    fn build_failed(&self) -> bool {
        matches!(self.verdict, StateVerdict::Unresolved(reason) if reason.is_of_build())
    }
}

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
        let timeout = test.hang().unwrap_or(test.limits.timeout);
        let build_timeout = test.build_timeout.unwrap_or(FIRST_BUILD_TIMEOUT);
        Self {
            timeout: SharedDuration::new(timeout),
            build_timeout: SharedDuration::new(build_timeout),
            slowest_build: SharedDuration::default(),
            always_fresh: AtomicBool::new(test.clean),
            contents,
            scratch,
            prepare_tree,
            free: Mutex::default(),
            trees_made: AtomicU64::new(0),
            runs: AtomicU64::new(0),
            restored_files: AtomicU64::new(0),
            test,
        }
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

    pub(super) fn set_rule(&mut self, rule: OutcomeRule) {
        self.test.rule = rule;
    }

    pub(super) fn set_sandbox(&mut self, sandbox: Option<Sandbox>) {
        self.test.limits.sandbox = sandbox;
    }

    /// Sets the time limit of the command, and that of the build from the builds so far.
    pub(super) fn set_timeout(&self, timeout: Duration) {
        self.timeout.set(timeout);
        let slowest = self.slowest_build.get();
        if self.test.build_timeout.is_none() && !slowest.is_zero() {
            let limit = (slowest * 10).clamp(MIN_BUILD_TIMEOUT, FIRST_BUILD_TIMEOUT);
            self.build_timeout.set(limit);
        }
    }

    /// Gives each run a new tree from now on.
    pub(super) fn use_fresh_trees_only(&self) {
        self.always_fresh.store(true, Ordering::Relaxed);
        let free = std::mem::take(&mut *self.lock_free());
        free.iter().for_each(discard);
    }

    /// Lets runs have trees that were used before, from now on.
    pub(super) fn use_used_trees(&self) {
        self.always_fresh.store(false, Ordering::Relaxed);
    }

    pub(super) fn uses_fresh_trees_only(&self) -> bool {
        self.always_fresh.load(Ordering::Relaxed)
    }

    fn lock_free(&self) -> MutexGuard<'_, Vec<Workspace>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the commands in a tree that holds the configuration: one that was used before, if one
    /// is free and new trees are not asked for.
    ///
    /// What an earlier run left in a tree may be why a build fails there. So a failure is believed
    /// only in a new tree.
    pub(super) fn run(
        &self,
        configuration: &Configuration,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<TreeRun, OracleError> {
        let free = self.lock_free().pop();
        if free.is_some() {
            let ran = self.run_in(free, configuration, capture, interrupt)?;
            if !ran.build_failed() {
                return Ok(ran);
            }
        }
        self.run_in_fresh_tree(configuration, capture, interrupt)
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
        // A short command could end before anyone looks.
        if interrupt.is_triggered() {
            return Err(OracleError::Interrupted);
        }
        let was_used = workspace.is_some();
        let workspace = self.prepared(workspace, configuration)?;
        let built = self.build(&workspace, capture, interrupt);
        // A build that was killed may have left half a file with a new modification time.
        let (ran, is_sound) = match built {
            Ok(None) => (self.run_command(&workspace, capture, interrupt), true),
            Ok(Some(failed)) => {
                let was_killed = !matches!(failed.run.outcome, Outcome::Exited(_));
                (Ok(failed), !was_killed && !was_used)
            }
            Err(error) => (Err(error), false),
        };
        self.runs.fetch_add(1, Ordering::Relaxed);
        if ran.is_ok()
            && let Err(full) = self.scratch.check_room()
        {
            // What was built in this tree may be what fills the disk.
            discard(&workspace);
            return Err(full);
        }
        // A tree whose command was cancelled is used again: it is as any run leaves it.
        if is_sound && !self.uses_fresh_trees_only() {
            self.lock_free().push(workspace);
        } else {
            discard(&workspace);
        }
        ran
    }

    /// Returns a tree that holds the configuration. A tree that cannot be changed, because of what
    /// a command did to it, is replaced by a new one. A command that mounts something in its tree
    /// is an error, because neither can be removed.
    fn prepared(
        &self,
        workspace: Option<Workspace>,
        configuration: &Configuration,
    ) -> Result<Workspace, OracleError> {
        if let Some(mut workspace) = workspace {
            let updated = (workspace.update(configuration, &self.contents))
                .and_then(|counts| self.link_company(&workspace).map(|()| counts))
                .and_then(|counts| emptied_tmp_dir(&workspace).map(|()| counts));
            match updated {
                Ok(counts) => {
                    let restored = u64::try_from(counts.restored).unwrap_or(u64::MAX);
                    self.restored_files.fetch_add(restored, Ordering::Relaxed);
                    return Ok(workspace);
                }
                Err(error) if is_mount(&error) => return Err(tree_error(error)),
                Err(_) => {}
            }
        }
        let number = self.trees_made.fetch_add(1, Ordering::Relaxed);
        // All paths have the same length, so that messages with a path have it in every tree.
        let root = self.scratch.path().join(format!("tree-{number:06}"));
        let mut workspace = Workspace::create(root).map_err(tree_error)?;
        workspace
            .update(configuration, &self.contents)
            .map_err(tree_error)?;
        (self.prepare_tree)(&workspace).map_err(tree_error)?;
        self.link_company(&workspace).map_err(tree_error)?;
        emptied_tmp_dir(&workspace).map_err(tree_error)?;
        Ok(workspace)
    }

    /// Makes the links to files of the user, also those that a command has replaced.
    fn link_company(&self, workspace: &Workspace) -> Result<(), ChangesError> {
        let mut company = self.test.company.iter();
        company.try_for_each(|it| workspace.link(&it.path, &it.target))
    }

    /// Runs the build, if there is one. Returns its run if it fails.
    fn build(
        &self,
        workspace: &Workspace,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<Option<TreeRun>, OracleError> {
        let Some(build) = &self.test.build else {
            return Ok(None);
        };
        let timeout = self.build_timeout.get();
        let (_, run) = self.spawn(build, timeout, workspace, capture, interrupt)?;
        let reason = match run.outcome {
            Outcome::Exited(0) => {
                self.slowest_build.raise(run.took);
                return Ok(None);
            }
            Outcome::Exited(_) | Outcome::Signalled(_) => UnresolvedReason::DoesNotBuild,
            Outcome::Exceeded(_) => UnresolvedReason::BuildLimitExceeded,
            Outcome::TimedOut => UnresolvedReason::BuildTimedOut,
        };
        let verdict = StateVerdict::Unresolved(reason);
        Ok(Some(TreeRun { verdict, run }))
    }

    fn run_command(
        &self,
        workspace: &Workspace,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<TreeRun, OracleError> {
        let (command, timeout) = (&self.test.command, self.timeout.get());
        let (started, run) = self.spawn(command, timeout, workspace, capture, interrupt)?;
        let verdict = match started {
            Started::Yes => self.test.rule.state_verdict(&run)?,
            // As if a shell had tried, if that is what was stated.
            Started::No if self.test.rule.states(run.outcome) => {
                self.test.rule.state_verdict(&run)?
            }
            Started::No => StateVerdict::Unresolved(UnresolvedReason::CannotRun),
        };
        Ok(TreeRun { verdict, run })
    }

    /// Runs a command in a tree. A program or directory of the tree that does not exist there is
    /// a fact about the tree, not an error.
    fn spawn(
        &self,
        command: &TreeCommand,
        timeout: Duration,
        workspace: &Workspace,
        capture: Capture,
        interrupt: &Interrupt,
    ) -> Result<(Started, Run), OracleError> {
        let root = workspace.root();
        let invocation = command.invocation(root, tmp_dir(workspace), capture);
        let is_in_tree = Path::new(&invocation.program).starts_with(root);
        let not_started = |code, stderr: String| {
            let run = Run::ended(Outcome::Exited(code), stderr);
            (Started::No, run)
        };
        if !is_dir_in(workspace, &invocation.current_dir) {
            let dir = invocation.current_dir.display();
            return Ok(not_started(
                NOT_FOUND,
                format!("there is no directory {dir}"),
            ));
        }
        let limits = Limits {
            timeout,
            ..self.test.limits.clone()
        };
        match spawn::run_within(root, &invocation, &limits, interrupt) {
            Err(error) if is_in_tree && spawn::is_not_executable(&error) => {
                let code = match &error {
                    OracleError::Spawn { source, .. }
                        if source.kind() != io::ErrorKind::NotFound =>
                    {
                        NOT_EXECUTABLE
                    }
                    _ => NOT_FOUND,
                };
                Ok(not_started(code, error.to_string()))
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

/// Returns whether the path is a directory of the tree, and no link leads to it.
fn is_dir_in(workspace: &Workspace, path: &Path) -> bool {
    let inner = path.strip_prefix(workspace.root());
    let dir = inner.map(|inner| workspace.dir().subdirectory(inner));
    matches!(dir, Ok(Ok(Some(_))))
}

/// Exit codes of a shell that cannot execute a program, or does not find it.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Returns the directory for temporary files of the commands in a tree: beside the tree.
fn tmp_dir(workspace: &Workspace) -> PathBuf {
    let mut path = workspace.root().as_os_str().to_owned();
    path.push("-tmp");
    path.into()
}

/// Removes a tree from the disk. What cannot be removed now is removed with the scratch space at
/// the end.
fn discard(workspace: &Workspace) {
    for dir in [workspace.root(), &tmp_dir(workspace)] {
        remove_tree(dir).ok();
    }
}

/// Makes the directory for temporary files empty, and creates it if there is none.
fn emptied_tmp_dir(workspace: &Workspace) -> Result<(), ChangesError> {
    let path = tmp_dir(workspace);
    let emptied = remove_tree(&path).and_then(|()| DirHandle::create(path.clone()));
    emptied.map(drop).map_err(|source| ChangesError::File {
        action: "empty",
        path,
        source,
    })
}

/// Returns whether something is mounted in a tree.
fn is_mount(error: &ChangesError) -> bool {
    let kind = match error {
        ChangesError::File { source, .. } => Some(source.kind()),
        _ => None,
    };
    kind == Some(io::ErrorKind::CrossesDevices)
}

/// Returns the error of a tree that could not be made.
fn tree_error(error: ChangesError) -> OracleError {
    match error {
        ChangesError::Interrupted { .. } => OracleError::Interrupted,
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
