//! An oracle over trees of files: each worker keeps one on the disk and changes it from question to question.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use boildown_changes::{ChangesError, Configuration, Contents, ObjectId, Workspace};
use boildown_oracle::spawn::{self, Capture, Limits, Sandbox};
use boildown_oracle::store::{RunStore, StoreError, Tape, fingerprint_of};
use boildown_oracle::{Answer, Cancel, OracleError, Outcome, Run, Scratch, Verdict};

use super::command::TreeCommand;
use super::rule::{Goal, Reason, Rule, Says};

/// How trees are judged.
#[derive(Debug, Clone)]
pub struct Judge {
    /// The command that says whether it works.
    pub command: TreeCommand,
    /// A command that is run before, whose failure says that nobody can tell.
    pub build: Option<TreeCommand>,
    /// How a run is read.
    pub rule: Rule,
    /// What is looked for.
    pub goal: Goal,
    /// How much each of the two commands may take.
    pub limits: Limits,
}

impl Judge {
    /// The length of the hang that is bad, if one is.
    pub(super) fn hang(&self) -> Option<Duration> {
        self.rule.property()?.hang()
    }
}

/// What is known of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What it means to the search.
    pub verdict: Verdict,
    /// Why nobody can tell.
    pub reason: Option<Reason>,
    /// The last run that it took, if it took one just now.
    pub run: Option<Run>,
}

/// An oracle over trees of files.
pub(super) struct Trees {
    judge: Judge,
    contents: Arc<Contents>,
    scratch: Arc<Scratch>,
    /// Those that no worker uses at the moment.
    free: Mutex<Vec<Workspace>>,
    made: AtomicU64,
    /// What trees of these names said.
    known: Mutex<HashMap<ObjectId, Says>>,
    /// What earlier sessions know, and later ones will.
    store: Option<Arc<RunStore>>,
    /// How many trees only an earlier session has run something in.
    recalled: AtomicU64,
    /// Runs that have begun, and those of them that go on.
    begun: AtomicU64,
    going_on: AtomicU64,
    runs: AtomicU64,
    /// Files of trees that commands changed or removed.
    restored: AtomicU64,
    /// Limits the time of a run once the baseline has shown how long one takes, in nanoseconds.
    timeout: AtomicU64,
    /// Made before the first run in a tree.
    furnish: Furnish,
}

/// Puts into a new tree what is no part of any state.
pub type Furnish = Box<dyn Fn(&Path) -> Result<(), ChangesError> + Send + Sync>;

impl fmt::Debug for Trees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trees")
            .field("judge", &self.judge)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trees {
    pub(super) fn new(
        judge: Judge,
        contents: Arc<Contents>,
        scratch: Arc<Scratch>,
        furnish: Furnish,
    ) -> Self {
        let timeout = judge.hang();
        let trees = Self {
            timeout: AtomicU64::default(),
            contents,
            scratch,
            free: Mutex::default(),
            made: AtomicU64::new(0),
            known: Mutex::default(),
            store: None,
            recalled: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            going_on: AtomicU64::new(0),
            runs: AtomicU64::new(0),
            restored: AtomicU64::new(0),
            furnish,
            judge,
        };
        trees.set_timeout(timeout.unwrap_or(trees.judge.limits.timeout));
        trees
    }

    pub(super) fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    pub(super) fn recalled(&self) -> u64 {
        self.recalled.load(Ordering::Relaxed)
    }

    /// Remembers beyond this session from now on.
    pub(super) fn remember(&mut self, store: Option<Arc<RunStore>>) {
        self.store = store;
    }

    /// Returns why nothing is remembered any more, once.
    pub(super) fn trouble(&self) -> Option<StoreError> {
        self.store.as_ref()?.trouble()
    }

    pub(super) fn sandbox(&self) -> Option<&Sandbox> {
        self.judge.limits.sandbox.as_ref()
    }

    pub(super) fn set_sandbox(&mut self, sandbox: Option<Sandbox>) {
        self.judge.limits.sandbox = sandbox;
    }

    pub(super) fn restored(&self) -> u64 {
        self.restored.load(Ordering::Relaxed)
    }

    pub(super) fn set_timeout(&self, timeout: Duration) {
        let nanos = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        self.timeout.store(nanos, Ordering::Relaxed);
    }

    fn limits(&self) -> Limits {
        Limits {
            timeout: Duration::from_nanos(self.timeout.load(Ordering::Relaxed)),
            ..self.judge.limits.clone()
        }
    }

    /// Says what is known of a configuration, or runs the commands in it.
    pub(super) fn judge(
        &self,
        configuration: &Configuration,
        cancel: &Cancel,
    ) -> Result<Judgement, OracleError> {
        if let Some(judgement) = self.known(configuration) {
            return Ok(judgement);
        }
        let begun = self.begun.fetch_add(1, Ordering::SeqCst);
        let others = self.going_on.fetch_add(1, Ordering::SeqCst);
        let free = lock(&self.free).pop();
        let ran = self.run_in(free, configuration, self.judge.rule.capture(), cancel);
        self.going_on.fetch_sub(1, Ordering::SeqCst);
        let was_alone = others == 0 && self.begun.load(Ordering::SeqCst) == begun + 1;
        let (says, run) = ran?;
        // Beside others it may have been too slow for that alone: it will be asked about again.
        if was_alone || !run.outcome.is_cut_short() {
            self.learn(configuration.name(), says, &run);
        }
        Ok(self.judgement(says, Some(run)))
    }

    /// Returns what is known of a configuration.
    pub(super) fn known(&self, configuration: &Configuration) -> Option<Judgement> {
        let name = configuration.name();
        let known = lock(&self.known).get(&name).copied();
        let says = known.or_else(|| self.recall(name))?;
        Some(self.judgement(says, None))
    }

    fn recall(&self, name: ObjectId) -> Option<Says> {
        let found = self
            .store
            .as_ref()?
            .recall(fingerprint_of(name.as_slice()))?;
        let says = Says::of(found.verdict, found.outcome, self.judge.goal);
        lock(&self.known).insert(name, says);
        self.recalled
            .fetch_add(u64::from(found.is_earlier), Ordering::Relaxed);
        Some(says)
    }

    fn learn(&self, name: ObjectId, says: Says, run: &Run) {
        lock(&self.known).insert(name, says);
        if let Some(store) = &self.store {
            let was_run = says != Says::CannotTell(Reason::DoesNotBuild);
            let answer = Answer {
                verdict: says.verdict(self.judge.goal),
                run: was_run.then(|| run.clone()),
            };
            store.learn(fingerprint_of(name.as_slice()), &answer);
        }
    }

    /// Runs the commands whatever is known, and keeps what they print; or plays back what an earlier session saw.
    pub(super) fn judge_again(
        &self,
        configuration: &Configuration,
        tape: &Tape,
        cancel: &Cancel,
    ) -> Result<Judgement, OracleError> {
        let mut reason = None;
        let answer = tape.play(configuration.name().as_slice(), || {
            let free = lock(&self.free).pop();
            let (says, run) = self.run_in(free, configuration, Capture::Output, cancel)?;
            let judgement = self.judgement(says, Some(run));
            reason = judgement.reason;
            Ok(Answer {
                verdict: judgement.verdict,
                run: judgement.run,
            })
        })?;
        Ok(Judgement {
            verdict: answer.verdict,
            reason,
            run: answer.run,
        })
    }

    /// Runs the commands in a tree that nothing was run in before, and keeps what they print.
    pub(super) fn judge_afresh(
        &self,
        configuration: &Configuration,
        cancel: &Cancel,
    ) -> Result<Judgement, OracleError> {
        let (says, run) = self.run_in(None, configuration, Capture::Output, cancel)?;
        Ok(self.judgement(says, Some(run)))
    }

    fn judgement(&self, says: Says, run: Option<Run>) -> Judgement {
        Judgement {
            verdict: says.verdict(self.judge.goal),
            reason: match says {
                Says::CannotTell(reason) => Some(reason),
                Says::Good | Says::Bad => None,
            },
            run,
        }
    }

    fn run_in(
        &self,
        workspace: Option<Workspace>,
        configuration: &Configuration,
        capture: Capture,
        cancel: &Cancel,
    ) -> Result<(Says, Run), OracleError> {
        let workspace = self.prepared(workspace, configuration)?;
        let ran = self.run(&workspace, capture, cancel);
        if ran.is_ok()
            && let Err(full) = self.scratch.check_room()
        {
            // What was built there may be what fills the disk. What cannot be removed now goes with the session.
            for place in [workspace.root(), &tmp(&workspace)] {
                fs::remove_dir_all(place).ok();
            }
            return Err(full);
        }
        // Also one in which a command was stopped in the middle: what it left is what any build leaves that is stopped.
        lock(&self.free).push(workspace);
        self.runs.fetch_add(1, Ordering::Relaxed);
        ran
    }

    /// A tree that holds the configuration. One that cannot be changed, whatever a command has done to it, is left for a new one.
    fn prepared(
        &self,
        workspace: Option<Workspace>,
        configuration: &Configuration,
    ) -> Result<Workspace, OracleError> {
        if let Some(mut workspace) = workspace
            && let Ok(written) = workspace.update(configuration, &self.contents)
            && emptied(&tmp(&workspace)).is_ok()
        {
            let restored = u64::try_from(written.restored).unwrap_or(u64::MAX);
            self.restored.fetch_add(restored, Ordering::Relaxed);
            return Ok(workspace);
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        // Of constant length, so that a path in a message is as long in each tree.
        let root = self.scratch.path().join(format!("tree-{number:06}"));
        let mut workspace = Workspace::create(root).map_err(broken)?;
        workspace
            .update(configuration, &self.contents)
            .map_err(broken)?;
        (self.furnish)(workspace.root()).map_err(broken)?;
        let tmp = tmp(&workspace);
        emptied(&tmp).map_err(|source| OracleError::Scratch {
            action: "create",
            path: tmp,
            source,
        })?;
        Ok(workspace)
    }

    fn run(
        &self,
        workspace: &Workspace,
        capture: Capture,
        cancel: &Cancel,
    ) -> Result<(Says, Run), OracleError> {
        if let Some(build) = &self.judge.build {
            let (_, run) = self.spawn(build, workspace, capture, cancel)?;
            let says = match run.outcome {
                Outcome::Exited(0) => None,
                Outcome::Exited(_) | Outcome::Signalled(_) => Some(Reason::DoesNotBuild),
                Outcome::Exceeded(_) => Some(Reason::TookTooMuch),
                Outcome::TimedOut => Some(Reason::TimedOut),
            };
            if let Some(reason) = says {
                return Ok((Says::CannotTell(reason), run));
            }
        }
        let (started, run) = self.spawn(&self.judge.command, workspace, capture, cancel)?;
        let says = match started {
            Started::Yes => self.judge.rule.read(&run)?,
            Started::No => Says::CannotTell(Reason::CannotRun),
        };
        Ok((says, run))
    }

    fn spawn(
        &self,
        command: &TreeCommand,
        workspace: &Workspace,
        capture: Capture,
        cancel: &Cancel,
    ) -> Result<(Started, Run), OracleError> {
        let root = workspace.root();
        let invocation = command.invocation(root, tmp(workspace), capture);
        let inside = Path::new(&invocation.program).starts_with(root);
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
        match spawn::run_within(root, &invocation, &self.limits(), cancel) {
            Err(error) if inside && error.is_no_program() => Ok(not_started(error.to_string())),
            run => run.map(|run| (Started::Yes, run)),
        }
    }
}

/// The directory for temporary files of the commands in a tree, beside it.
fn tmp(workspace: &Workspace) -> PathBuf {
    let mut path = workspace.root().as_os_str().to_owned();
    path.push("-tmp");
    path.into()
}

/// Makes an empty directory of whatever is there.
fn emptied(dir: &Path) -> io::Result<()> {
    match fs::symlink_metadata(dir) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(dir)?,
        Ok(_) => fs::remove_file(dir)?,
        Err(_) => {}
    }
    fs::create_dir(dir)
}

/// Whether a program of the tree was there, and one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Started {
    Yes,
    No,
}

/// What a shell exits with when there is no such program.
const NOT_FOUND: i32 = 127;

/// A tree that could not be made.
fn broken(error: ChangesError) -> OracleError {
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
