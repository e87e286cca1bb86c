//! Running a search to its end.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use boildown_oracle::{Oracle, OracleError, Outcome, Verdict, fsx};
use boildown_search::{Planner, QuestionId, Search as _, Told};
use boildown_syntax::{Draft, Reduction, View};

use crate::budget::Budget;
use crate::event::{Event, Progress, Stopped, Summary};
use crate::workers::{Done, Workers};

/// How a search is to be run.
#[derive(Debug, Clone)]
pub struct Config {
    /// How many questions run at once. Changes the time, never the result.
    pub jobs: usize,
    /// The file that always holds the best result so far, written whole.
    pub output: Option<PathBuf>,
    /// When to stop before the search has ended.
    pub budget: Budget,
}

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

/// How long nothing may happen before a session says that time passes, and looks whether to stop.
const TICK: Duration = Duration::from_millis(100);

/// Runs a reduction to its end and returns what it came to, and the best draft.
///
/// # Errors
/// [`OracleError`] when the oracle could not be asked or the best result not be written. What was found so far is on disk.
pub fn reduce(
    search: Reduction,
    oracle: &dyn Oracle,
    config: &Config,
    stop: &Stop,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Draft), OracleError> {
    std::thread::scope(|scope| {
        let workers = Workers::start(scope, oracle, config.jobs.max(1));
        Session::new(search, workers, config, on_event).run(stop)
    })
}

struct Session<'a> {
    planner: Planner<Reduction>,
    workers: Workers,
    config: &'a Config,
    on_event: &'a mut dyn FnMut(&Event),
    progress: Progress,
    /// The best result that was written.
    saved: Arc<[u8]>,
    started: Instant,
    improved: Instant,
    /// The pass that was last spoken of.
    pass: Option<&'static str>,
    /// Questions that could not be asked.
    failed: HashMap<QuestionId, OracleError>,
}

impl<'a> Session<'a> {
    fn new(
        search: Reduction,
        workers: Workers,
        config: &'a Config,
        on_event: &'a mut dyn FnMut(&Event),
    ) -> Self {
        let started = Instant::now();
        let best = search.best();
        let saved = Arc::clone(best.bytes());
        let bytes = saved.len();
        let progress = Progress {
            bytes_before: bytes,
            bytes,
            tokens: tokens(&best),
            ..Progress::default()
        };
        let planner = Planner::new(search);
        Self {
            planner,
            workers,
            config,
            on_event,
            progress,
            saved,
            started,
            improved: started,
            pass: None,
            failed: HashMap::new(),
        }
    }

    fn run(mut self, stop: &Stop) -> Result<(Summary, Draft), OracleError> {
        let stopped = loop {
            self.announce_pass();
            while self.workers.want_more()
                && !stop.is_requested()
                && let Some(ticket) = self.planner.next()
            {
                self.workers
                    .ask(ticket.id, Arc::clone(ticket.candidate.bytes()))?;
            }
            if self.planner.is_finished() {
                break None;
            }
            // Only now: what speculation could not ask is nobody's loss until the search comes to it.
            if let Some(error) = self
                .planner
                .awaited()
                .and_then(|id| self.failed.remove(&id))
            {
                return Err(error);
            }
            if stop.is_requested() {
                break Some(Stopped::Interrupted);
            }
            if let Some(stopped) = self.exceeded() {
                break Some(stopped);
            }
            // While all workers are busy there is time to find out what comes next.
            let done = self.workers.next(Duration::ZERO).or_else(|| {
                self.planner.look_ahead();
                self.workers.next(TICK)
            });
            match done {
                Some(done) => self.hear(done)?,
                None => {
                    let progress = self.now();
                    (self.on_event)(&Event::Tick(progress));
                }
            }
        };
        let search = self.planner.search();
        let summary = Summary {
            progress: self.now(),
            stopped,
            one_minimal: search.inner().is_proved(),
        };
        let best = search.best();
        // Until now the result survives a kill; from here on it survives a power cut too.
        if let Some(path) = &self.config.output {
            fsx::write_durable(path, best.bytes())?;
        }
        Ok((summary, best))
    }

    fn hear(&mut self, done: Done) -> Result<(), OracleError> {
        let answer = match done.answer {
            Ok(answer) => answer,
            Err(OracleError::Cancelled) => return Ok(()),
            Err(error) => {
                self.failed.insert(done.id, error);
                return Ok(());
            }
        };
        self.progress.runs += 1;
        // A hang that is looked for is a success.
        let timed_out = (answer.run).is_some_and(|run| run.outcome == Outcome::TimedOut);
        if timed_out && !answer.verdict.is_interesting() {
            self.progress.timeouts += 1;
        }
        self.planner.answer(done.id, answer.verdict);
        // Told one by one, so that a budget ends at the same question however many answers are there.
        while self.exceeded().is_none()
            && let Some(told) = self.planner.advance()
        {
            self.told(&told)?;
        }
        for id in self.planner.abandoned() {
            self.workers.cancel(id);
        }
        Ok(())
    }

    fn told(&mut self, told: &Told<Draft>) -> Result<(), OracleError> {
        self.progress.questions += 1;
        match told.verdict {
            Verdict::Uninteresting => {}
            Verdict::Unresolved => self.progress.unresolved += 1,
            Verdict::Interesting => self.save()?,
        }
        Ok(())
    }

    /// Writes the best result, when it is another one than before, and says so.
    fn save(&mut self) -> Result<(), OracleError> {
        let best = self.planner.search().best();
        // Of several deletions that are asked about together, the last to work need not be the best.
        if self.saved == *best.bytes() {
            return Ok(());
        }
        if let Some(path) = &self.config.output {
            fsx::write_atomic(path, best.bytes())?;
        }
        self.saved = Arc::clone(best.bytes());
        self.progress.bytes = best.bytes().len();
        self.progress.tokens = tokens(&best);
        self.improved = Instant::now();
        let progress = self.now();
        (self.on_event)(&Event::Improved(progress));
        Ok(())
    }

    fn exceeded(&self) -> Option<Stopped> {
        self.config.budget.exceeded(&self.now())
    }

    fn announce_pass(&mut self) {
        let pass = self.planner.search().inner().pass();
        if pass != self.pass
            && let Some(name) = pass
        {
            (self.on_event)(&Event::Pass { name });
        }
        self.pass = pass;
    }

    fn now(&self) -> Progress {
        Progress {
            elapsed: self.started.elapsed(),
            since_improved: self.improved.elapsed(),
            ..self.progress
        }
    }
}

/// The number of tokens, in the views that have any: lines and bytes are something else.
fn tokens(draft: &Draft) -> Option<usize> {
    let counts = matches!(draft.document().view(), View::Syntax(_) | View::Blocks);
    counts.then(|| draft.tokens())
}
