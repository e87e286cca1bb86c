//! Loop between a search and an oracle.

use std::collections::HashMap;
use std::thread::Scope;
use std::time::{Duration, Instant};

use boildown_oracle::{Answer, Oracle, OracleError, Outcome, Verdict};
use boildown_search::{Fingerprint, Fingerprinted, LookAhead, Planner, QueryId, Search, Told};

use crate::budget::{Spent, StopReason};
use crate::config::Config;
use crate::workers::{FinishedQuery, Workers};

/// The time that [`Drive::step`] waits for an answer before it returns [`Step::Tick`].
const TICK: Duration = Duration::from_millis(100);

/// A search that is run by a number of workers.
///
/// [`step`](Self::step) runs it until something happened; the caller can look at the search, or
/// change it, between two steps. Dropping the drive cancels what runs. The
/// [landing page](crate) has an example.
///
/// A candidate passes these stations:
///
/// 1. The planner returns the candidate that the search will most likely ask about.
/// 2. If the [memory](crate::VerdictMemory) or the caller knows its verdict, that is the answer.
/// 3. Otherwise a worker puts it to the oracle.
/// 4. An answer that was cut short by a limit, whose time counts, or that found the disk full or
///    the system out of processes, while other candidates ran, is *doubtful*: load may be the
///    cause. It is dropped, and the candidate is run once more when the search waits for it, with
///    nothing else running. Only that answer counts.
/// 5. The answer goes to the memory and to the planner, which tells the search in its order.
pub struct Drive<S: Search> {
    planner: Planner<S>,
    workers: Workers<S::Candidate>,
    config: Config,
    spent: Spent,
    started: Instant,
    /// Queries that the oracle could not answer. An error ends the drive only once the search
    /// waits for its query: a failed guess may never matter.
    failed: HashMap<QueryId, OracleError>,
    /// Queries that are with the workers.
    running: HashMap<QueryId, RunningCandidate<S::Candidate>>,
    /// Queries whose answer was doubtful.
    doubtful: HashMap<QueryId, RunningCandidate<S::Candidate>>,
    /// The doubtful query that is being run again, with nothing else running.
    alone: Option<QueryId>,
}

/// A candidate that was handed to the workers.
struct RunningCandidate<C> {
    content: Fingerprint,
    candidate: C,
}

/// The result of a step of a drive.
#[derive(Debug)]
pub enum Step<C> {
    /// The search received a verdict.
    Told(Told<C>),
    /// The search came to its next query, which it had to [prepare](Search::prepare) first. It
    /// receives no verdict before the next step.
    Prepared,
    /// Nothing happened for 100 ms. Lets the caller show that time passes.
    Tick,
    /// The search has finished. Further steps return the same.
    Finished,
    /// The drive stopped before the search finished. Further steps return a stop, too.
    Stopped(StopReason),
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
    /// Starts the workers, on threads of `scope`.
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
            planner: Planner::stepwise(search),
            workers: Workers::start(scope, oracle, config),
            config: config.clone(),
            spent: Spent::default(),
            started: Instant::now(),
            failed: HashMap::new(),
            running: HashMap::new(),
            doubtful: HashMap::new(),
            alone: None,
        }
    }

    /// Runs until something happened.
    ///
    /// # Errors
    /// [`OracleError`] when the oracle could not answer the query that the search waits for.
    pub fn step(&mut self) -> Result<Step<S::Candidate>, OracleError> {
        self.step_knowing(&mut |_| None)
    }

    /// Runs like [`step`](Self::step), but does not run candidates whose verdict `known` returns.
    ///
    /// For a caller that can decide some candidates without the oracle, such as a set of changes
    /// that makes files that were tested before. Unlike the verdicts of a
    /// [memory](crate::VerdictMemory), these are not counted as recalled.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_knowing(
        &mut self,
        known: &mut dyn FnMut(&S::Candidate) -> Option<Verdict>,
    ) -> Result<Step<S::Candidate>, OracleError> {
        let started = Instant::now();
        loop {
            if self.planner.is_finished() {
                return Ok(Step::Finished);
            }
            if let Some(reason) = self.config.interruption() {
                return Ok(Step::Stopped(reason));
            }
            let exceeded = self.config.budget.exceeded(&self.spent());
            // The search may be finished at the limit on tests.
            if let Some(reason) = exceeded
                && (reason != StopReason::QueryLimit || self.planner.is_settled())
            {
                return Ok(Step::Stopped(reason));
            }
            if !self.planner.is_settled() {
                self.planner.settle();
                if self.planner.is_settled() && !self.planner.is_finished() {
                    return Ok(Step::Prepared);
                }
                if started.elapsed() >= TICK {
                    return Ok(Step::Tick);
                }
                continue;
            }
            if let Some(told) = self.advance() {
                self.spent.queries += 1;
                self.spent.unresolved += u64::from(told.verdict == Verdict::Unresolved);
                return Ok(Step::Told(told));
            }
            for id in self.planner.abandoned() {
                self.workers.interrupt(id);
                self.doubtful.remove(&id);
            }
            if self.start_queries(known)? {
                continue;
            }
            let awaited = self.planner.awaited();
            if let Some(error) = awaited.and_then(|id| self.failed.remove(&id)) {
                return Err(error);
            }
            // While all workers are busy there is time to compute the next candidates.
            let mut is_planning = false;
            let finished = self.workers.wait_for_answer(Duration::ZERO).or_else(|| {
                is_planning = match self.planner.look_ahead() {
                    LookAhead::MoreSteps => true,
                    LookAhead::Found => self.can_start(),
                    LookAhead::Nothing => false,
                };
                match is_planning {
                    true => None,
                    false => self.workers.wait_for_answer(TICK),
                }
            });
            match finished {
                Some(finished) => self.take_answer(finished),
                None if is_planning && started.elapsed() < TICK => {}
                None => return Ok(Step::Tick),
            }
        }
    }

    /// Gives queries to the workers. Returns early, with `true`, when a verdict was known.
    fn start_queries(
        &mut self,
        known: &mut dyn FnMut(&S::Candidate) -> Option<Verdict>,
    ) -> Result<bool, OracleError> {
        if let Some(id) = self.awaited_and_doubtful() {
            // Run it alone: wait until all others have ended, and start nothing new.
            if self.workers.are_idle()
                && let Some(candidate) = self.doubtful.remove(&id)
            {
                self.alone = Some(id);
                self.start_query(id, candidate)?;
            }
            return Ok(false);
        }
        while self.can_start()
            && self.config.interruption().is_none()
            && let Some(ticket) = self.planner.next()
        {
            let recalled = self.recall(ticket.fingerprint);
            if let Some(verdict) = recalled.or_else(|| known(&ticket.candidate)) {
                self.planner.answer(ticket.id, verdict);
                return Ok(true);
            }
            let candidate = RunningCandidate {
                content: ticket.fingerprint,
                candidate: ticket.candidate,
            };
            self.start_query(ticket.id, candidate)?;
        }
        Ok(false)
    }

    /// Tells the search the answer to its query, after its review.
    fn advance(&mut self) -> Option<Told<S::Candidate>> {
        let Some(review) = &self.config.review else {
            return self.planner.advance();
        };
        let counts = |content, verdict: Verdict| match verdict {
            Verdict::Interesting if !review.counts(content) => Verdict::Uninteresting,
            verdict => verdict,
        };
        let told = self.planner.advance_after(counts)?;
        if let Some(memory) = &self.config.memory
            && memory.recall(told.fingerprint).is_none()
        {
            let answer = Answer {
                verdict: told.verdict,
                run: None,
            };
            memory.record(told.fingerprint, &answer);
        }
        Some(told)
    }

    /// Returns the query that the search waits for, if it has to be run alone.
    fn awaited_and_doubtful(&self) -> Option<QueryId> {
        let awaited = self.planner.awaited();
        awaited.filter(|id| self.doubtful.contains_key(id))
    }

    /// Returns whether a worker would take another query now.
    fn can_start(&self) -> bool {
        self.alone.is_none() && self.awaited_and_doubtful().is_none() && self.workers.want_more()
    }

    fn recall(&mut self, content: Fingerprint) -> Option<Verdict> {
        let recalled = self.config.memory.as_ref()?.recall(content)?;
        self.spent.recalled += u64::from(recalled.is_earlier);
        Some(recalled.verdict)
    }

    fn start_query(
        &mut self,
        id: QueryId,
        candidate: RunningCandidate<S::Candidate>,
    ) -> Result<(), OracleError> {
        self.workers.start_query(id, candidate.candidate.clone())?;
        self.running.insert(id, candidate);
        Ok(())
    }

    /// Records an answer, unless it is doubtful.
    fn take_answer(&mut self, finished: FinishedQuery) {
        let candidate = self.running.remove(&finished.id);
        let candidate = candidate.expect("only running queries are answered");
        self.alone = self.alone.filter(|id| *id != finished.id);
        let answer = match finished.answer {
            Ok(answer) => answer,
            Err(OracleError::Interrupted) => return,
            Err(error) if error.is_shortage() && !finished.was_alone => {
                if !error.is_full_disk() && !matches!(error, OracleError::NotAlone) {
                    self.workers.reduce_limit();
                }
                self.doubtful.insert(finished.id, candidate);
                return;
            }
            Err(error) => {
                self.failed.insert(finished.id, error);
                return;
            }
        };
        self.spent.runs += 1;
        // A loaded system may have made it too slow, also when the property asks for a hang.
        let cut_short = (answer.run.as_ref()).is_some_and(|run| run.outcome.is_cut_short());
        if cut_short && !finished.was_alone {
            self.doubtful.insert(finished.id, candidate);
            return;
        }
        let is_reviewed = self.config.review.is_some() && answer.verdict.is_interesting();
        if let Some(memory) = (self.config.memory.as_ref()).filter(|_| !is_reviewed) {
            memory.record(candidate.content, &answer);
        }
        // If the property asks for a hang, a timeout is a success.
        let timed_out = (answer.run).is_some_and(|run| run.outcome == Outcome::TimedOut);
        self.spent.timeouts += u64::from(timed_out && !answer.verdict.is_interesting());
        self.planner.answer(finished.id, answer.verdict);
    }

    /// Returns whether the search has come to its next query, or to its end. If not, the next step
    /// continues with that.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.planner.is_settled()
    }

    /// Changes the search between two of its queries. Running queries that the changed search may
    /// no longer ask about are cancelled.
    pub fn change(&mut self, change: impl FnOnce(&mut S)) {
        self.planner.change(change);
    }

    /// Returns the search, with all verdicts so far.
    #[must_use]
    pub fn search(&self) -> &S {
        self.planner.search()
    }

    /// Returns what the drive has spent so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        Spent {
            elapsed: self.started.elapsed(),
            ..self.spent
        }
    }
}
