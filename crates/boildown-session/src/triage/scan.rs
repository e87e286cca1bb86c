//! The runs on all inputs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use boildown_driver::start_up_to;
use boildown_exec::check_set_up;
use boildown_oracle::{Interrupt, OracleError, Outcome, Run};
use boildown_store::{InputRuns, fingerprint_of};
use boildown_triage::{Assessment, FailureKey, RunPlan};

use super::failure_test::FailureTest;

/// An input of a triage.
#[derive(Debug, Clone)]
pub struct TriageInput {
    /// The files with this content; at least one.
    pub files: Vec<PathBuf>,
    /// The content.
    pub content: Arc<[u8]>,
}

/// The runs on all inputs.
pub(super) struct Scan<'a> {
    pub(super) inputs: &'a [TriageInput],
    pub(super) test: &'a FailureTest,
    pub(super) plan: RunPlan,
    /// The runs of earlier sessions; new ones are added.
    pub(super) known: Option<&'a InputRuns>,
    pub(super) jobs: usize,
    pub(super) interrupt: &'a Interrupt,
}

/// The runs on an input, and what they show.
#[derive(Debug, Clone)]
pub(super) struct ScannedInput {
    pub(super) assessment: Assessment,
    /// The first run that failed as assessed.
    pub(super) run: Option<Run>,
}

impl Scan<'_> {
    /// Runs the command on each input as often as planned. `on_done` gets the number of inputs that
    /// are done.
    ///
    /// An input that hung while others ran is run again alone.
    pub(super) fn run(
        &self,
        on_done: &mut dyn FnMut(usize),
    ) -> Result<Vec<ScannedInput>, OracleError> {
        let started = AtomicUsize::new(0);
        let stops = AtomicBool::new(false);
        let results: Mutex<Vec<Option<Result<ScannedInput, OracleError>>>> =
            Mutex::new(self.inputs.iter().map(|_| None).collect());
        let (sender, receiver) = mpsc::channel();
        let work = |sender: mpsc::Sender<()>| {
            loop {
                let index = started.fetch_add(1, Ordering::Relaxed);
                if index >= self.inputs.len() || stops.load(Ordering::Relaxed) {
                    return;
                }
                let scanned = self.scan(&self.inputs[index].content);
                if scanned.is_err() {
                    stops.store(true, Ordering::Relaxed);
                }
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results[index] = Some(scanned);
                drop(results);
                // The receiver only shows progress.
                sender.send(()).ok();
            }
        };
        std::thread::scope(|scope| {
            let jobs = self.jobs.clamp(1, self.inputs.len().max(1));
            let (work, own) = (&work, sender.clone());
            if start_up_to(scope, jobs, move || work(sender)) == 0 {
                work(own);
            } else {
                drop(own);
            }
            for (number, ()) in (1..).zip(&receiver) {
                on_done(number);
            }
        });
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut scanned = Vec::with_capacity(results.len());
        for result in results {
            // Inputs are taken in order, so the first that was not run is after an error.
            scanned.push(result.ok_or(OracleError::Interrupted).flatten()?);
        }
        self.run_hangs_alone(&mut scanned)?;
        Ok(scanned)
    }

    /// Runs an input, and replays the runs of earlier sessions.
    fn scan(&self, input: &[u8]) -> Result<ScannedInput, OracleError> {
        let content = fingerprint_of(input);
        let mut runs = self
            .known
            .map_or_else(Vec::new, |known| known.of_content(content));
        let key = |run: &Run| self.test.key_of(run);
        let mut keys: Vec<Option<FailureKey>> = counted(&runs).iter().map(key).collect();
        while self.plan.wants_more(&keys) {
            let run = self.run_once(input, runs.len())?;
            keys.push(key(&run));
            runs.push(run);
        }
        Ok(self.assess(&runs))
    }

    fn run_once(&self, input: &[u8], number: usize) -> Result<Run, OracleError> {
        let run = self.test.run(input, self.interrupt)?;
        check_set_up(
            &run,
            &self.test.runner.command,
            &self.test.runner.file,
            self.test.stated.as_ref(),
        )?;
        if let Some(known) = self.known {
            known.add(fingerprint_of(input), number, &run);
        }
        Ok(run)
    }

    fn assess(&self, runs: &[Run]) -> ScannedInput {
        let runs = counted(runs);
        let keys: Vec<_> = runs.iter().map(|run| self.test.key_of(run)).collect();
        let assessment = Assessment::of_results(&keys);
        let is_of_key = |(_, key): &(_, &Option<FailureKey>)| **key == assessment.key;
        let run = runs.iter().zip(&keys).find(is_of_key);
        ScannedInput {
            run: run.map(|(run, _)| run.clone()),
            assessment,
        }
    }

    /// Runs inputs again that hung, because on a busy machine another run may end.
    fn run_hangs_alone(&self, scanned: &mut [ScannedInput]) -> Result<(), OracleError> {
        if self.jobs < 2 {
            return Ok(());
        }
        for (input, scanned) in self.inputs.iter().zip(scanned) {
            let runs = self.known.map_or_else(Vec::new, |known| {
                known.of_content(fingerprint_of(&input.content))
            });
            let has_hung = scanned
                .run
                .as_ref()
                .is_some_and(|run| run.outcome == Outcome::TimedOut);
            if has_hung && runs.len() < 2 {
                let first = scanned.run.clone();
                let again = self.run_once(&input.content, 1)?;
                *scanned = self.assess(&first.into_iter().chain([again]).collect::<Vec<_>>());
            }
        }
        Ok(())
    }
}

/// Returns the runs that count: a run that hung while others ran does not if there is another one.
fn counted(runs: &[Run]) -> &[Run] {
    match runs {
        [first, rest @ ..] if first.outcome == Outcome::TimedOut && !rest.is_empty() => rest,
        runs => runs,
    }
}
