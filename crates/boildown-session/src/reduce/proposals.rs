//! The candidates that other programs propose.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use boildown_driver::{Drive, Spent, Step, start_up_to};
use boildown_exec::{Proposal, Proposer};
use boildown_oracle::{Oracle, OracleError};
use boildown_search::{Fingerprint, Fingerprinted, Proposals, Search as _};
use boildown_show::StopReason;
use boildown_store::{Improvement, RunStore, fingerprint_of};

use super::options::ReduceOptions;
use crate::bytes_oracle::BytesOracle;
use crate::config::SessionConfig;
use crate::event::{Event, Progress, stop_of_drive};

/// The most proposals that are made before the first of them is tested. A constant, because the
/// number of jobs must not influence the result.
const BATCH: usize = 8;

/// The number of proposals in a row that change nothing, or fail, after which there are no more.
const IDLE: usize = 3;

/// The largest number of a proposal.
const LAST: usize = 10_000;

/// A text that a program has proposed.
#[derive(Debug, Clone)]
struct ProposedText(Arc<[u8]>);

impl AsRef<[u8]> for ProposedText {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Fingerprinted for ProposedText {
    fn fingerprint(&self) -> Fingerprint {
        fingerprint_of(&self.0)
    }
}

/// Tests what programs propose for the best text, in the order of the programs.
///
/// A program is asked for its proposals from 1 up. The first proposal that is smaller and
/// interesting becomes the best text, and the program is asked again for the proposal of that
/// number, now for the new text: of a program that deletes the Nth function, the Nth is another
/// one.
pub(super) struct ProposalPhase<'a> {
    oracle: &'a dyn Oracle,
    options: &'a ReduceOptions,
    config: &'a SessionConfig,
    store: Option<&'a RunStore>,
    /// What was spent before.
    before: Spent,
    pub(super) best: Arc<[u8]>,
    pub(super) spent: Spent,
}

impl<'a> ProposalPhase<'a> {
    /// Begins with the result of a search, when this was spent already.
    pub(super) fn new(
        oracle: &'a dyn Oracle,
        (options, config): (&'a ReduceOptions, &'a SessionConfig),
        store: Option<&'a RunStore>,
        before: Spent,
        best: &Arc<[u8]>,
    ) -> Self {
        Self {
            oracle,
            options,
            config,
            store,
            before,
            best: Arc::clone(best),
            spent: Spent::default(),
        }
    }

    /// Runs all programs once. Returns why it stopped, if it did not come to the end.
    pub(super) fn run(
        &mut self,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Option<StopReason>, OracleError> {
        match self.run_proposers(on_event) {
            Err(OracleError::Interrupted) => Ok(Some(self.config.interruption())),
            result => result,
        }
    }

    /// Asks all programs for their first proposals together: most have none.
    fn run_proposers(
        &mut self,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Option<StopReason>, OracleError> {
        let all = self.options.proposers.iter();
        let proposers: Vec<_> = all.filter(|one| one.concerns(&self.best)).collect();
        if proposers.is_empty() {
            return Ok(None);
        }
        on_event(&Event::PassStarted {
            name: "proposals",
            spent: self.before.plus(self.spent),
        });
        let start = Arc::clone(&self.best);
        let firsts: Vec<_> = proposers.iter().map(|proposer| (*proposer, 1)).collect();
        let firsts = self.make(&firsts)?;
        for (proposer, first) in proposers.into_iter().zip(firsts) {
            if first == Proposal::End {
                continue;
            }
            let first = Arc::ptr_eq(&self.best, &start).then_some(first);
            let stopped = self.run_proposer(proposer, first, on_event)?;
            if stopped.is_some() {
                return Ok(stopped);
            }
        }
        Ok((self.time_left().is_zero()).then_some(StopReason::TimeLimit))
    }

    /// Asks a program for one proposal, then for two, four and so on, and tests them. `first` is
    /// its first one for the best text, if that is known.
    fn run_proposer(
        &mut self,
        proposer: &Proposer,
        mut first: Option<Proposal>,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<Option<StopReason>, OracleError> {
        let (mut index, mut idle, mut count) = (1, 0, 1);
        while index <= LAST {
            let made = match first.take() {
                Some(first) => vec![first],
                None => {
                    let numbers = index..index + count;
                    let wanted: Vec<_> = numbers.map(|number| (proposer, number)).collect();
                    self.make(&wanted)?
                }
            };
            if self.time_left().is_zero() {
                return Ok(Some(StopReason::TimeLimit));
            }
            let end = made.iter().position(|one| *one == Proposal::End);
            let made = &made[..end.unwrap_or(made.len())];
            let smaller = |(place, one): (usize, &Proposal)| match one {
                Proposal::Text(text) if text.len() < self.best.len() => {
                    Some((place, ProposedText(Arc::clone(text))))
                }
                _ => None,
            };
            let (places, texts): (Vec<_>, Vec<_>) =
                made.iter().enumerate().filter_map(smaller).unzip();
            let (found, stopped) = self.test(texts, on_event)?;
            if stopped.is_some() {
                return Ok(stopped);
            }
            if let Some(found) = found {
                (index, idle, count) = (index + places[found], 0, 1);
                continue;
            }
            for one in made {
                idle = if matches!(one, Proposal::Text(_)) {
                    0
                } else {
                    idle + 1
                };
            }
            if end.is_some() || idle >= IDLE || !proposer.is_indexed() {
                break;
            }
            (index, count) = (index + count, BATCH.min(2 * count));
        }
        Ok(None)
    }

    /// Returns the time that making and testing proposals may still take.
    fn time_left(&self) -> Duration {
        let left = self.config.budget.without(&self.spent).time;
        left.unwrap_or(Duration::MAX)
    }

    /// Makes the proposals of these numbers, several at a time, as many as the time allows.
    fn make(&mut self, wanted: &[(&Proposer, usize)]) -> Result<Vec<Proposal>, OracleError> {
        let interrupt = self.config.interrupt_handle()?;
        let (begun, time) = (Instant::now(), self.time_left());
        let next = AtomicUsize::new(0);
        let made = Mutex::new(Vec::with_capacity(wanted.len()));
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let left = time.saturating_sub(begun.elapsed());
                let Some((proposer, number)) = wanted.get(place).filter(|_| !left.is_zero()) else {
                    return;
                };
                let one = proposer.propose(&self.best, *number, left, &interrupt);
                let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                made.push((place, one));
            }
        };
        std::thread::scope(|scope| {
            start_up_to(
                scope,
                self.config.jobs.clamp(1, wanted.len().max(1)) - 1,
                work,
            );
            work();
        });
        self.spent.elapsed += begun.elapsed();
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_by_key(|(place, _)| *place);
        made.into_iter().map(|(_, one)| one).collect()
    }

    /// Tests texts until one is interesting, which becomes the best one. Returns its place.
    fn test(
        &mut self,
        texts: Vec<ProposedText>,
        on_event: &mut dyn FnMut(&Event),
    ) -> Result<(Option<usize>, Option<StopReason>), OracleError> {
        let oracle = BytesOracle(self.oracle);
        let search = Proposals::new(ProposedText(Arc::clone(&self.best)), texts);
        let mut config = self.config.driver();
        config.budget = config.budget.without(&self.spent);
        let before = self.spent;
        let (found, stopped) = std::thread::scope(|scope| {
            let mut drive = Drive::start(scope, search, &oracle, &config);
            let stopped = loop {
                let step = drive.step_knowing(&mut |_| None)?;
                self.spent = before.plus(drive.spent());
                let progress = self.progress();
                match step {
                    Step::Told(told) => on_event(&Event::Tested {
                        verdict: told.verdict,
                        progress,
                    }),
                    Step::Tick => on_event(&Event::Tick(progress)),
                    Step::Prepared => {}
                    Step::Finished => break None,
                    Step::Stopped(reason) => break Some(stop_of_drive(reason)),
                }
            };
            let found = drive.search().found();
            let found = found.map(|place| (place, drive.search().best().0));
            Ok::<_, OracleError>((found, stopped))
        })?;
        let Some((place, text)) = found else {
            return Ok((None, stopped));
        };
        self.write(text)?;
        on_event(&Event::NewBest(Arc::clone(&self.best)));
        on_event(&Event::Improved(self.progress()));
        Ok((Some(place), stopped))
    }

    /// Makes a text the best result, in the store and in the output.
    fn write(&mut self, text: Arc<[u8]>) -> Result<(), OracleError> {
        if let Some(store) = self.store {
            let total = self.before.plus(self.spent);
            store.improve(Improvement::of_text(&text, total.queries, total.elapsed));
        }
        if let Some(output) = &self.options.output {
            if let Some(known) = &self.options.known_results {
                known.record(output.content(&text));
            }
            output.write(&text, self.store)?;
        }
        self.best = text;
        Ok(())
    }

    fn progress(&self) -> Progress {
        Progress {
            bytes_before: self.best.len(),
            bytes: self.best.len(),
            spent: self.spent,
            ..Progress::default()
        }
    }
}
