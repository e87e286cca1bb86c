//! Oracle over trees of files, which runs each tree once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use boildown_changes::{Configuration, ObjectId};
use boildown_exec::spawn::Sandbox;
use boildown_oracle::{Answer, Capture, Interrupt, OracleError, Run, Symptom, Verdict};
use boildown_search::Fingerprint;
use boildown_search::flaky::RunCounts;
use boildown_store::{BaselineRecording, RunStore, fingerprint_of};

use super::end_rates::EndRates;
use super::outcome_rule::{OutcomeRule, SearchTarget, StateVerdict, UnresolvedReason};
use super::tree_runner::{TreeRun, TreeRunner};

/// The answer on a tree of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeAnswer {
    /// Its meaning to the search.
    pub verdict: Verdict,
    /// Why the verdict is `Unresolved`, if it is.
    pub reason: Option<UnresolvedReason>,
    /// The run that showed it, if one was needed just now. After a failed build: that of the build.
    pub run: Option<Run>,
}

/// Oracle over trees of files. Identifies a tree by its hash, and runs the commands once in it.
///
/// Several sets of changes may make the same tree, also in different phases of a culprit search;
/// so verdicts are remembered for trees here, not for sets of changes in the driver.
#[derive(Debug)]
pub(super) struct TreeOracle {
    runner: TreeRunner,
    /// The rates of the two states; `None` if one run tells good from bad.
    rates: Option<EndRates>,
    /// The verdicts on trees that this session knows.
    known: Mutex<HashMap<ObjectId, StateVerdict>>,
    /// The verdicts of earlier sessions, and for later ones.
    store: Option<Arc<RunStore>>,
    /// What a tree must print to be bad, beside what the rule says.
    required: Mutex<Option<RequiredSymptom>>,
    /// Whether the verdicts of the store come from one run each, although runs may disagree.
    uses_single_runs: bool,
    /// The runs of this session, as long as they are small.
    kept: Mutex<KeptRuns>,
    /// The last run without a verdict.
    last_unresolved: Mutex<Option<Run>>,
    /// Number of trees that only an earlier session has run.
    recalled: AtomicU64,
    /// Number of runs that have started.
    started: AtomicU64,
    /// Number of runs that have started and not ended.
    running: AtomicU64,
}

/// What a tree must print to be bad.
#[derive(Debug, Clone)]
struct RequiredSymptom {
    symptom: Symptom,
    /// The tree that it was read off.
    origin: ObjectId,
    /// Whether trees that are bad by the rule have it.
    known: HashMap<ObjectId, bool>,
}

/// Runs a tree again whose run took too long: one that does so once says nothing about the tree.
fn again_if_timed_out(
    ran: TreeRun,
    run_once: impl Fn() -> Result<TreeRun, OracleError>,
) -> Result<TreeRun, OracleError> {
    use UnresolvedReason::{BuildTimedOut, TimedOut};
    match ran.verdict {
        StateVerdict::Unresolved(TimedOut | BuildTimedOut) => run_once(),
        _ => Ok(ran),
    }
}

/// Returns a name that no tree has.
fn no_tree() -> ObjectId {
    ObjectId::from([0; 20])
}

/// The number of runs of a tree in which its symptom is looked for.
const RUNS_FOR_SYMPTOM: usize = 2;

/// Returns the name in the store of the question whether a tree has the symptom of another.
fn symptom_name(tree: ObjectId, origin: ObjectId) -> Fingerprint {
    fingerprint_of(&[tree.as_slice(), origin.as_slice()].concat())
}

/// The runs on each tree.
#[derive(Debug, Default)]
struct KeptRuns {
    runs: HashMap<ObjectId, Vec<Run>>,
    /// The size of their outputs, in bytes.
    bytes: usize,
}

impl KeptRuns {
    /// The most bytes of outputs that are kept.
    const MAX_BYTES: usize = 32 << 20;

    fn keep(&mut self, tree: ObjectId, run: &Run) {
        let bytes = run.stdout.len() + run.stderr.len();
        if self.bytes + bytes <= Self::MAX_BYTES {
            self.bytes += bytes;
            self.runs.entry(tree).or_default().push(run.clone());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TreeOracle {
    pub(super) fn new(runner: TreeRunner) -> Self {
        Self {
            runner,
            rates: None,
            known: Mutex::default(),
            store: None,
            required: Mutex::default(),
            uses_single_runs: true,
            kept: Mutex::default(),
            last_unresolved: Mutex::default(),
            recalled: AtomicU64::new(0),
            started: AtomicU64::new(0),
            running: AtomicU64::new(0),
        }
    }

    pub(super) fn runner(&self) -> &TreeRunner {
        &self.runner
    }

    pub(super) fn set_rule(&mut self, rule: OutcomeRule) {
        self.runner.set_rule(rule);
    }

    pub(super) fn set_sandbox(&mut self, sandbox: Option<Sandbox>) {
        self.runner.set_sandbox(sandbox);
    }

    /// Runs each tree from now on until it is certain enough which of the two states it is like.
    pub(super) fn set_rates(&mut self, rates: Option<EndRates>) {
        self.rates = rates;
    }

    pub(super) fn rates(&self) -> Option<EndRates> {
        self.rates
    }

    /// Looks up and records verdicts in `store` from now on.
    pub(super) fn set_store(&mut self, store: Option<Arc<RunStore>>) {
        self.store = store;
    }

    /// Forgets the verdicts so far, because they depend on what earlier runs left in the trees, and
    /// gives each run a new tree from now on.
    pub(super) fn go_on_in_fresh_trees(&self) {
        self.runner.use_fresh_trees_only();
        lock(&self.known).clear();
        *lock(&self.kept) = KeptRuns::default();
    }

    /// Returns the last run without a verdict, if this session had one.
    pub(super) fn last_unresolved(&self) -> Option<Run> {
        lock(&self.last_unresolved).clone()
    }

    /// Returns the number of trees that only an earlier session has run.
    pub(super) fn recalled(&self) -> u64 {
        self.recalled.load(Ordering::Relaxed)
    }

    /// Requires a symptom of trees that are bad from now on, which was read off the tree `origin`.
    pub(super) fn require(&self, symptom: Option<(Symptom, ObjectId)>) {
        *lock(&self.required) = symptom.map(|(symptom, origin)| RequiredSymptom {
            symptom,
            origin,
            known: HashMap::new(),
        });
    }

    /// Records that repeated runs on a tree had the same verdict.
    pub(super) fn record_steady(&self, tree: ObjectId) {
        self.record_symptom(tree, tree, true);
    }

    /// Returns whether an earlier session has recorded that.
    pub(super) fn recall_steady(&self, tree: ObjectId) -> bool {
        self.recall_symptom(tree, tree) == Some(true)
    }

    /// Returns whether runs are known to disagree, so that each tree has to be run repeatedly.
    pub(super) fn recall_disagreement(&self) -> bool {
        self.recall_symptom(no_tree(), no_tree()) == Some(true)
    }

    /// Forgets all verdicts, because runs disagree, and records that they do.
    pub(super) fn forget_single_runs(&mut self) {
        self.record_symptom(no_tree(), no_tree(), true);
        lock(&self.known).clear();
        *lock(&self.kept) = KeptRuns::default();
        self.uses_single_runs = false;
    }

    /// Returns the name of a verdict in the store.
    fn verdict_name(&self, tree: ObjectId) -> Fingerprint {
        match self.uses_single_runs {
            true => fingerprint_of(tree.as_slice()),
            false => symptom_name(tree, no_tree()),
        }
    }

    /// Returns runs on a configuration, at least this many: the ones of this session, and new ones.
    pub(super) fn runs_on(
        &self,
        configuration: &Configuration,
        at_least: usize,
        interrupt: &Interrupt,
    ) -> Result<Vec<Run>, OracleError> {
        let kept = lock(&self.kept).runs.get(&configuration.id()).cloned();
        let mut runs = kept.unwrap_or_default();
        while runs.len() < at_least {
            let ran = (self.runner).run(configuration, Capture::Output, interrupt)?;
            lock(&self.kept).keep(configuration.id(), &ran.run);
            runs.push(ran.run);
        }
        Ok(runs)
    }

    /// Returns the answer on a configuration. Runs the commands if it is not known.
    pub(super) fn judge(
        &self,
        configuration: &Configuration,
        interrupt: &Interrupt,
    ) -> Result<TreeAnswer, OracleError> {
        let answer = self.judge_by_rule(configuration, interrupt)?;
        if !self.is_bad(&answer) || self.has_symptom(configuration, interrupt)? {
            return Ok(answer);
        }
        Ok(self.fails_otherwise(answer.run))
    }

    fn is_bad(&self, answer: &TreeAnswer) -> bool {
        self.runner.test().target == SearchTarget::Culprit && answer.verdict == Verdict::Interesting
    }

    fn fails_otherwise(&self, run: Option<Run>) -> TreeAnswer {
        let reason = UnresolvedReason::FailsOtherwise;
        self.answer(StateVerdict::Unresolved(reason), run)
    }

    /// Returns whether a tree that is bad by the rule has the symptom that is required. It is run
    /// again before it is said to lack it: lines may differ from run to run.
    fn has_symptom(
        &self,
        configuration: &Configuration,
        interrupt: &Interrupt,
    ) -> Result<bool, OracleError> {
        let tree = configuration.id();
        let Some(required) = lock(&self.required).clone() else {
            return Ok(true);
        };
        if let Some(known) = self.known_symptom(tree) {
            return Ok(known);
        }
        let mut has = false;
        for count in 1..=RUNS_FOR_SYMPTOM {
            let runs = self.runs_on(configuration, count, interrupt)?;
            has = required.symptom.missing_in(&runs).is_none();
            if has {
                break;
            }
        }
        if let Some(required) = lock(&self.required).as_mut() {
            required.known.insert(tree, has);
        }
        self.record_symptom(tree, required.origin, has);
        Ok(has)
    }

    /// Records whether a tree has the symptom of another.
    pub(super) fn record_symptom(&self, tree: ObjectId, origin: ObjectId, has: bool) {
        if let Some(store) = &self.store {
            let verdict = match has {
                true => Verdict::Interesting,
                false => Verdict::Unresolved,
            };
            let answer = Answer { verdict, run: None };
            store.learn(symptom_name(tree, origin), &answer);
        }
    }

    /// Returns whether a tree has the symptom of another, if an earlier session has recorded it.
    pub(super) fn recall_symptom(&self, tree: ObjectId, origin: ObjectId) -> Option<bool> {
        let store = self.store.as_ref()?;
        let recalled = store.recall(symptom_name(tree, origin))?;
        Some(recalled.verdict == Verdict::Interesting)
    }

    /// Returns whether a tree has the symptom that is required, if that is known.
    fn known_symptom(&self, tree: ObjectId) -> Option<bool> {
        let mut required = lock(&self.required);
        let Some(required) = required.as_mut() else {
            return Some(true);
        };
        if let Some(known) = required.known.get(&tree) {
            return Some(*known);
        }
        let has = self.recall_symptom(tree, required.origin)?;
        required.known.insert(tree, has);
        Some(has)
    }

    fn judge_by_rule(
        &self,
        configuration: &Configuration,
        interrupt: &Interrupt,
    ) -> Result<TreeAnswer, OracleError> {
        if let Some(answer) = self.known_by_rule(configuration) {
            return Ok(answer);
        }
        // Also if the rule reads no output: it shows why a run could not be judged.
        let capture = Capture::Output;
        let started = self.started.fetch_add(1, Ordering::SeqCst);
        let others = self.running.fetch_add(1, Ordering::SeqCst);
        let run_once = || self.runner.run(configuration, capture, interrupt);
        let mut ran = self.until_certain(run_once);
        let was_alone = others == 0 && self.started.load(Ordering::SeqCst) == started + 1;
        // With rates, one run decides nothing.
        if was_alone && self.rates.is_none() {
            ran = ran.and_then(|ran| again_if_timed_out(ran, run_once));
        }
        self.running.fetch_sub(1, Ordering::SeqCst);
        let TreeRun { verdict, run } = ran?;
        if matches!(verdict, StateVerdict::Unresolved(_)) {
            *lock(&self.last_unresolved) = Some(run.clone());
        }
        // A run that was cut short beside others is repeated alone by the driver.
        lock(&self.kept).keep(configuration.id(), &run);
        if was_alone || !run.outcome.is_cut_short() {
            self.record(configuration.id(), verdict, &run);
        }
        Ok(self.answer(verdict, Some(run)))
    }

    /// Returns whether this session knows the verdict on a configuration already.
    pub(super) fn has_judged(&self, configuration: &Configuration) -> bool {
        lock(&self.known).contains_key(&configuration.id())
    }

    /// Returns the answer on a configuration if it is known.
    pub(super) fn known(&self, configuration: &Configuration) -> Option<TreeAnswer> {
        let answer = self.known_by_rule(configuration)?;
        match self.is_bad(&answer) {
            true if self.known_symptom(configuration.id())? => Some(answer),
            true => Some(self.fails_otherwise(None)),
            false => Some(answer),
        }
    }

    fn known_by_rule(&self, configuration: &Configuration) -> Option<TreeAnswer> {
        let name = configuration.id();
        let known = lock(&self.known).get(&name).copied();
        let verdict = known.or_else(|| self.recall(name))?;
        Some(self.answer(verdict, None))
    }

    fn recall(&self, name: ObjectId) -> Option<StateVerdict> {
        if self.runner.uses_fresh_trees_only() && !self.runner.test().clean {
            // Recorded before it was known that runs depend on earlier ones.
            return None;
        }
        let recalled = self.store.as_ref()?.recall(self.verdict_name(name))?;
        let target = self.runner.test().target;
        let verdict = StateVerdict::from_record(recalled.verdict, recalled.outcome, target);
        lock(&self.known).insert(name, verdict);
        self.recalled
            .fetch_add(u64::from(recalled.is_earlier), Ordering::Relaxed);
        Some(verdict)
    }

    fn record(&self, name: ObjectId, verdict: StateVerdict, run: &Run) {
        lock(&self.known).insert(name, verdict);
        if let Some(store) = &self.store {
            let was_run =
                !matches!(verdict, StateVerdict::Unresolved(reason) if reason.is_of_build());
            let answer = Answer {
                verdict: verdict.verdict(self.runner.test().target),
                run: was_run.then(|| run.clone()),
            };
            store.learn(self.verdict_name(name), &answer);
        }
    }

    /// Runs the commands once, even if the answer is known or recorded, and though one run may not
    /// tell good from bad.
    pub(super) fn judge_now(
        &self,
        configuration: &Configuration,
        interrupt: &Interrupt,
    ) -> Result<TreeAnswer, OracleError> {
        let run_once = || (self.runner).run(configuration, Capture::Output, interrupt);
        let ran = again_if_timed_out(run_once()?, run_once)?;
        Ok(self.answer(ran.verdict, Some(ran.run)))
    }

    /// Runs the commands even if the answer is known, and captures their output. Plays back the
    /// answer from the recording of an earlier session if there is one.
    pub(super) fn judge_recorded(
        &self,
        configuration: &Configuration,
        recording: &BaselineRecording,
        interrupt: &Interrupt,
    ) -> Result<TreeAnswer, OracleError> {
        let mut reason = None;
        let answer = recording.replay_or_ask(configuration.id().as_slice(), || {
            let run_once = || self.runner.run(configuration, Capture::Output, interrupt);
            let ran = again_if_timed_out(run_once()?, run_once)?;
            let answer = self.answer(ran.verdict, Some(ran.run));
            reason = answer.reason;
            Ok(Answer {
                verdict: answer.verdict,
                run: answer.run,
            })
        })?;
        if let Some(run) = &answer.run {
            lock(&self.kept).keep(configuration.id(), run);
        }
        Ok(TreeAnswer {
            verdict: answer.verdict,
            reason,
            run: answer.run,
        })
    }

    /// Runs the commands in a new tree even if the answer is known, and captures their output.
    pub(super) fn judge_in_fresh_tree(
        &self,
        configuration: &Configuration,
        interrupt: &Interrupt,
    ) -> Result<TreeAnswer, OracleError> {
        let capture = Capture::Output;
        let run_once = || (self.runner).run_in_fresh_tree(configuration, capture, interrupt);
        let ran = self.until_certain(|| again_if_timed_out(run_once()?, run_once))?;
        Ok(self.answer(ran.verdict, Some(ran.run)))
    }

    /// Runs a tree once, or as often as the rates of the two states require.
    fn until_certain(
        &self,
        run: impl Fn() -> Result<TreeRun, OracleError>,
    ) -> Result<TreeRun, OracleError> {
        let Some(policy) = self.rates.and_then(|rates| rates.policy()) else {
            return run();
        };
        let target = self.runner.test().target;
        let mut counts = RunCounts::default();
        let (mut hit, mut miss) = (None, None);
        loop {
            let ran = run()?;
            let is_hit = ran.verdict.verdict(target) == Verdict::Interesting;
            if let StateVerdict::Unresolved(reason) = ran.verdict
                && reason.is_of_build()
            {
                return Ok(ran);
            }
            counts.count(is_hit);
            if is_hit {
                hit = Some(ran);
            } else {
                miss = Some(ran);
            }
            let decided = match policy.decide(counts) {
                None => None,
                Some(true) => hit.take(),
                Some(false) => miss.take(),
            };
            if let Some(decided) = decided {
                return Ok(decided);
            }
        }
    }

    fn answer(&self, verdict: StateVerdict, run: Option<Run>) -> TreeAnswer {
        TreeAnswer {
            verdict: verdict.verdict(self.runner.test().target),
            reason: match verdict {
                StateVerdict::Unresolved(reason) => Some(reason),
                StateVerdict::Good | StateVerdict::Bad => None,
            },
            run,
        }
    }
}
