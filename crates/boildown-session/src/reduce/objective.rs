//! The comparison of interesting candidates by what their runs use or print.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use boildown_driver::VerdictReview;
use boildown_exec::spawn::{Limits, RunMeter};
use boildown_exec::{RunRequest, Runner};
use boildown_oracle::{
    Answer, Capture, Extreme, Interrupt, Objective, Oracle, OracleError, Run, Verdict,
};
use boildown_search::Fingerprint;
use boildown_store::fingerprint_of;

use super::stages::OracleStage;

/// The most runs that measure a candidate.
const MOST_RUNS: usize = 3;

/// Runs of the input, and of the result, that measure them at the end.
const RUNS_AT_END: usize = 5;

/// Compares interesting candidates by an [`Objective`], in the order of the search.
///
/// A candidate counts if it is not worse than the best values so far. Example: memory is to be
/// small, and the input takes 80 MB. A candidate that takes 50 MB counts; after it, one that takes
/// 60 MB does not, although the property holds on it.
///
/// Quantities are measured in further runs, one at a time, as often as chance may decide. They are
/// not stored: a session that resumes others measures its input and their result again.
#[derive(Debug)]
pub struct ObjectiveReview {
    objective: Objective,
    runner: Runner,
    meter: Arc<RunMeter>,
    /// Held while a run is measured.
    turn: Mutex<()>,
    state: Mutex<ReviewState>,
}

#[derive(Debug, Default)]
struct ReviewState {
    /// What was measured, by the content of the candidate.
    values: HashMap<Fingerprint, Vec<i64>>,
    /// The candidates that count.
    accepted: HashSet<Fingerprint>,
    /// The values that no candidate may be worse than.
    bound: Vec<i64>,
    /// Those of the input.
    of_input: Vec<i64>,
    effort: MeasuringEffort,
}

/// What the comparison has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeasuringEffort {
    /// Runs that measured.
    pub runs: u64,
    /// Their time.
    pub time: Duration,
    /// Interesting candidates that were worse.
    pub refused: u64,
}

/// The quantities of the input and of a result, as the last runs showed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredEnds {
    /// Of the input.
    pub before: Vec<i64>,
    /// Of the result.
    pub after: Vec<i64>,
}

impl ObjectiveReview {
    /// Measures the input, with the command of this runner.
    ///
    /// # Errors
    /// [`OracleError`] when the command could not be run. `None` when a quantity of the input is
    /// not known, such as a number that is not printed.
    pub fn start(
        objective: Objective,
        runner: &Runner,
        input: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Option<Self>, OracleError> {
        let meter = Arc::new(RunMeter::default());
        let runner = Runner {
            limits: Limits {
                meter: Some(Arc::clone(&meter)),
                ..runner.limits.clone()
            },
            ..runner.clone()
        };
        let review = Self {
            objective,
            runner,
            meter,
            turn: Mutex::default(),
            state: Mutex::default(),
        };
        let Some(values) = review.measure(input, None, interrupt)? else {
            return Ok(None);
        };
        let mut state = review.state();
        (state.bound, state.of_input) = (values.clone(), values.clone());
        state.accept(fingerprint_of(input), values);
        drop(state);
        Ok(Some(review))
    }

    /// Measures the result of earlier sessions, which counted in one of them.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn accept(&self, result: &[u8], interrupt: &Interrupt) -> Result<(), OracleError> {
        if let Some(values) = self.measure(result, None, interrupt)? {
            self.state().accept(fingerprint_of(result), values);
        }
        Ok(())
    }

    /// Compares with the input from now on: the result so far was lost.
    pub fn start_over(&self) {
        let mut state = self.state();
        state.bound = state.of_input.clone();
    }

    /// Measures the input and the result again, in turns, and returns the medians; `None` if the
    /// result has no values.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn measure_ends(
        &self,
        input: &[u8],
        result: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Option<MeasuredEnds>, OracleError> {
        let runs = if self.objective.is_noisy() {
            RUNS_AT_END
        } else {
            1
        };
        let mut values = [Vec::new(), Vec::new()];
        for _ in 0..runs {
            for (text, values) in [input, result].into_iter().zip(&mut values) {
                values.extend(self.run_once(text, interrupt)?);
            }
        }
        let [before, after] = values.map(|runs| medians(&runs));
        let ends = before.zip(after);
        Ok(ends.map(|(before, after)| MeasuredEnds { before, after }))
    }

    /// Returns the quantities that are compared.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// Returns what the comparison has cost.
    pub fn effort(&self) -> MeasuringEffort {
        self.state().effort
    }

    /// Measures a candidate: once if its quantities are exact, otherwise until it is not worse than
    /// the bound, or several times. Load makes runs use more, so the least of each quantity counts.
    fn measure(
        &self,
        candidate: &[u8],
        run: Option<&Run>,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<i64>>, OracleError> {
        let is_noisy = self.objective.is_noisy();
        let printed = run.filter(|_| !is_noisy);
        if let Some(values) = printed.and_then(|run| self.objective.values(run, &self.meter.take()))
        {
            return Ok(Some(values));
        }
        let runs = if is_noisy { MOST_RUNS } else { 1 };
        let mut least: Option<Vec<i64>> = None;
        for _ in 0..runs {
            let Some(values) = self.run_once(candidate, interrupt)? else {
                continue;
            };
            let each = |(old, new): (&i64, &i64)| *old.min(new);
            let next = match &least {
                Some(least) => least.iter().zip(&values).map(each).collect(),
                None => values,
            };
            let is_second = least.is_some();
            let is_enough = self.is_admitted(&next) == Some(true);
            least = Some(next);
            // A large quantity may be so by chance.
            if is_enough && (is_second || self.objective.wanted() == Extreme::Least) {
                break;
            }
        }
        Ok(least)
    }

    /// Returns the quantities of one run, if they are known.
    fn run_once(
        &self,
        candidate: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<i64>>, OracleError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let request = RunRequest {
            candidate,
            capture: Capture::Output,
            limits: &self.runner.limits,
        };
        let begun = Instant::now();
        self.meter.take();
        let run = self.runner.run_here(&request, interrupt)?;
        let values = self.objective.values(&run, &self.meter.take());
        let mut state = self.state();
        state.effort.runs += 1;
        state.effort.time += begun.elapsed();
        Ok(values)
    }

    /// Returns whether values are not worse than the bound; `None` before there is one.
    fn is_admitted(&self, values: &[i64]) -> Option<bool> {
        let state = self.state();
        let has_bound = !state.bound.is_empty();
        has_bound.then(|| self.objective.compare(values, &state.bound).is_le())
    }

    fn state(&self) -> MutexGuard<'_, ReviewState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReviewState {
    fn accept(&mut self, content: Fingerprint, values: Vec<i64>) {
        self.values.insert(content, values);
        self.accepted.insert(content);
    }
}

/// Returns the median of each quantity; `None` without values.
fn medians(runs: &[Vec<i64>]) -> Option<Vec<i64>> {
    let quantities = 0..runs.first()?.len();
    let median = |quantity: usize| {
        let mut values: Vec<i64> = runs.iter().map(|values| values[quantity]).collect();
        values.sort_unstable();
        values[values.len() / 2]
    };
    Some(quantities.map(median).collect())
}

impl VerdictReview for ObjectiveReview {
    fn counts(&self, content: Fingerprint) -> bool {
        let mut state = self.state();
        let state = &mut *state;
        // Recalled from an earlier session, in which it counted.
        let Some(values) = state.values.get(&content) else {
            return true;
        };
        let order = self.objective.compare(values, &state.bound);
        if order == Ordering::Greater && !state.accepted.contains(&content) {
            state.effort.refused += 1;
            return false;
        }
        if order.is_le() {
            state.bound = self.objective.tightened(values, &state.bound);
        }
        state.accepted.insert(content);
        true
    }
}

/// Measures interesting candidates, for the review of their verdicts. A candidate that is worse
/// than the bound already is uninteresting: the bound only becomes tighter.
impl OracleStage for ObjectiveReview {
    fn judge(
        &self,
        inner: &dyn Oracle,
        candidate: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Answer, OracleError> {
        let answer = inner.judge(candidate, interrupt)?;
        let content = fingerprint_of(candidate);
        if !answer.verdict.is_interesting() || self.state().accepted.contains(&content) {
            return Ok(answer);
        }
        let known = self.state().values.get(&content).cloned();
        let values = match known {
            Some(values) => Some(values),
            None => self.measure(candidate, answer.run.as_ref(), interrupt)?,
        };
        let is_admitted = (values.as_ref()).and_then(|values| self.is_admitted(values));
        let mut state = self.state();
        if is_admitted != Some(true) {
            state.effort.refused += 1;
            return Ok(Answer {
                verdict: Verdict::Uninteresting,
                ..answer
            });
        }
        state.values.extend(values.map(|values| (content, values)));
        Ok(answer)
    }
}
