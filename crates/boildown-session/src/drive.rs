//! One loop between any search and any oracle.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;
use std::time::{Duration, Instant};

use boildown_oracle::store::RunStore;
use boildown_oracle::{Oracle, OracleError, Outcome, Verdict};
use boildown_search::{Fingerprint, Fingerprinted, Planner, QuestionId, Search, Told};

use crate::budget::Budget;
use crate::event::Stopped;
use crate::workers::{Done, Workers};

/// A handle to stop a session from elsewhere, such as a signal handler.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the session to stop: what runs is killed, the best result stays.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was asked to.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the flag itself, for those who can set nothing else.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// A handle to have a reduction leave the pass that it is at, such as a key.
#[derive(Debug, Clone, Default)]
pub struct Leave(Arc<AtomicBool>);

impl Leave {
    /// Asks the reduction to go on with the next pass.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was asked to since the last time.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// How a search is to be run.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// How many questions run at once; none is one. Changes the time, never the result.
    pub jobs: usize,
    /// When to stop before the search has ended.
    pub budget: Budget,
    /// Stops it from elsewhere.
    pub stop: Stop,
    /// What is remembered beyond this session: what it knows is not run again, and all answers are added to it.
    pub store: Option<Arc<RunStore>>,
}

/// How long nothing may happen before a session says that time passes, and looks whether to stop.
const TICK: Duration = Duration::from_millis(100);

/// A search that runs on some workers. [`step`](Self::step) moves it on, and the caller looks at it in between.
///
/// The verdicts that the search hears, and their order, depend on the search and the oracle only, never on the number of workers.
/// Dropping it cancels what runs.
///
/// ```
/// use boildown_oracle::{FnOracle, OracleError, Verdict};
/// use boildown_search::list::{Halving, List};
/// use boildown_search::{Search as _, Subset};
/// use boildown_session::{Config, Drive, Step};
///
/// let oracle = FnOracle::new(|kept: &Subset| match kept.contains(3) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// });
/// let best = std::thread::scope(|scope| {
///     let search = Halving::on(List::uniform(8));
///     let mut drive = Drive::start(scope, search, &oracle, &Config::default());
///     while !matches!(drive.step()?, Step::Ended(_)) {}
///     Ok::<_, OracleError>(drive.search().best())
/// });
/// assert_eq!(best.unwrap().iter().collect::<Vec<_>>(), [3]);
/// ```
pub struct Drive<S: Search> {
    planner: Planner<S>,
    workers: Workers<S::Candidate>,
    config: Config,
    spent: Spent,
    started: Instant,
    /// Questions that could not be asked.
    failed: HashMap<QuestionId, OracleError>,
    /// What is being asked about.
    asked: HashMap<QuestionId, Asked<S::Candidate>>,
    /// Questions whose runs were cut short, or found the disk full, while others ran beside them: how they would have ended alone is not
    /// known. Asked again, alone, when the search comes to them.
    doubtful: HashMap<QuestionId, Asked<S::Candidate>>,
    /// The question that is being asked again.
    alone: Option<QuestionId>,
}

/// A candidate and its content.
type Asked<C> = (Fingerprint, C);

/// What happened next.
#[derive(Debug)]
pub enum Step<C> {
    /// The search heard a verdict.
    Told(Told<C>),
    /// Nothing for a while: a moment to show that time passes.
    Tick,
    /// It is over, for this reason; `None` when the search finished. It stays so.
    Ended(Option<Stopped>),
}

/// What a session has spent so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    /// Questions of the search that were answered.
    pub questions: u64,
    /// Runs of the oracle, those included that speculation asked for in vain.
    pub runs: u64,
    /// Questions that an earlier session had the answers to.
    pub recalled: u64,
    /// Answers that were `Unresolved`.
    pub unresolved: u64,
    /// Runs that hit the time limit.
    pub timeouts: u64,
    /// Time since the beginning.
    pub elapsed: Duration,
}

impl Spent {
    /// Returns what was spent in all.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            questions: self.questions + other.questions,
            runs: self.runs + other.runs,
            recalled: self.recalled + other.recalled,
            unresolved: self.unresolved + other.unresolved,
            timeouts: self.timeouts + other.timeouts,
            elapsed: self.elapsed + other.elapsed,
        }
    }
}

impl<S: Search> std::fmt::Debug for Drive<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drive")
            .field("spent", &self.spent)
            .finish_non_exhaustive()
    }
}

impl<S> Drive<S>
where
    S: Search<Candidate: Fingerprinted + Send>,
{
    /// Starts workers on a search.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        search: S,
        oracle: &'scope dyn Oracle<S::Candidate>,
        config: &Config,
    ) -> Self
    where
        S::Candidate: 'scope,
    {
        Self {
            planner: Planner::new(search),
            workers: Workers::start(scope, oracle, config.jobs.max(1)),
            config: config.clone(),
            spent: Spent::default(),
            started: Instant::now(),
            failed: HashMap::new(),
            asked: HashMap::new(),
            doubtful: HashMap::new(),
            alone: None,
        }
    }

    /// Works until something happened. A budget ends the search at the same question however many answers are there.
    ///
    /// # Errors
    /// [`OracleError`] when the question that the search has come to could not be asked.
    pub fn step(&mut self) -> Result<Step<S::Candidate>, OracleError> {
        self.step_knowing(&mut |_| None)
    }

    /// Works like [`step`](Self::step); what is `known` of a candidate is not asked, nor is anything guessed beyond it.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_knowing(
        &mut self,
        known: &mut dyn FnMut(&S::Candidate) -> Option<Verdict>,
    ) -> Result<Step<S::Candidate>, OracleError> {
        loop {
            if self.planner.is_finished() {
                return Ok(Step::Ended(None));
            }
            if self.config.stop.is_requested() {
                return Ok(Step::Ended(Some(Stopped::Interrupted)));
            }
            if let Some(stopped) = self.config.budget.exceeded(&self.spent()) {
                return Ok(Step::Ended(Some(stopped)));
            }
            if let Some(told) = self.planner.advance() {
                self.spent.questions += 1;
                self.spent.unresolved += u64::from(told.verdict == Verdict::Unresolved);
                return Ok(Step::Told(told));
            }
            for id in self.planner.abandoned() {
                self.workers.cancel(id);
                self.doubtful.remove(&id);
            }
            if self.hand_out(known)? {
                continue;
            }
            // Only now: what speculation could not ask is nobody's loss until the search comes to it.
            if let Some(error) = self
                .planner
                .awaited()
                .and_then(|id| self.failed.remove(&id))
            {
                return Err(error);
            }
            // While all workers are busy there is time to find out what comes next.
            let done = self.workers.next(Duration::ZERO).or_else(|| {
                self.planner.look_ahead();
                self.workers.next(TICK)
            });
            match done {
                Some(done) => self.hear(done),
                None => return Ok(Step::Tick),
            }
        }
    }

    fn recall(&mut self, content: Fingerprint) -> Option<Verdict> {
        let found = self.config.store.as_ref()?.recall(content)?;
        self.spent.recalled += u64::from(found.is_earlier);
        Some(found.verdict)
    }

    /// Gives the workers something to do. Returns whether an answer was remembered instead.
    fn hand_out(
        &mut self,
        known: &mut dyn FnMut(&S::Candidate) -> Option<Verdict>,
    ) -> Result<bool, OracleError> {
        let waited_for = self
            .planner
            .awaited()
            .filter(|id| self.doubtful.contains_key(id));
        if let Some(id) = waited_for {
            // Alone means that the others have ended and that nothing new begins.
            if self.workers.are_idle()
                && let Some(asked) = self.doubtful.remove(&id)
            {
                self.alone = Some(id);
                self.ask(id, asked)?;
            }
            return Ok(false);
        }
        while self.alone.is_none()
            && self.workers.want_more()
            && !self.config.stop.is_requested()
            && let Some(ticket) = self.planner.next()
        {
            let recalled = self.recall(ticket.fingerprint);
            if let Some(verdict) = recalled.or_else(|| known(&ticket.candidate)) {
                self.planner.answer(ticket.id, verdict);
                return Ok(true);
            }
            self.ask(ticket.id, (ticket.fingerprint, ticket.candidate))?;
        }
        Ok(false)
    }

    fn ask(&mut self, id: QuestionId, asked: Asked<S::Candidate>) -> Result<(), OracleError> {
        self.workers.ask(id, asked.1.clone())?;
        self.asked.insert(id, asked);
        Ok(())
    }

    fn hear(&mut self, done: Done) {
        let asked = self.asked.remove(&done.id);
        let asked = asked.expect("only what is asked is answered");
        self.alone = self.alone.filter(|id| *id != done.id);
        let answer = match done.answer {
            Ok(answer) => answer,
            Err(OracleError::Cancelled) => return,
            Err(error) if error.is_full_disk() && !done.was_alone => {
                self.doubtful.insert(done.id, asked);
                return;
            }
            Err(error) => {
                self.failed.insert(done.id, error);
                return;
            }
        };
        self.spent.runs += 1;
        // On a busy machine it may have been too slow for that alone, also when a hang is what is looked for.
        let cut_short = (answer.run.as_ref()).is_some_and(|run| run.outcome.is_cut_short());
        if cut_short && !done.was_alone {
            self.doubtful.insert(done.id, asked);
            return;
        }
        if let Some(store) = &self.config.store {
            store.learn(asked.0, &answer);
        }
        // A hang that is looked for is a success.
        let timed_out = (answer.run).is_some_and(|run| run.outcome == Outcome::TimedOut);
        self.spent.timeouts += u64::from(timed_out && !answer.verdict.is_interesting());
        self.planner.answer(done.id, answer.verdict);
    }

    /// Changes the search between two of its questions. What is being asked and does not matter any more is dropped.
    pub fn change(&mut self, change: impl FnOnce(&mut S)) {
        self.planner.change(change);
    }

    /// Returns the search, told everything so far.
    #[must_use]
    pub fn search(&self) -> &S {
        self.planner.search()
    }

    /// Returns what it has spent so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        Spent {
            elapsed: self.started.elapsed(),
            ..self.spent
        }
    }
}
