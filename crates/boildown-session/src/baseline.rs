//! What has to be true before a reduction makes sense.

use std::time::Duration;

use boildown_oracle::{Answer, Cancel, Oracle, OracleError, Run, Verdict};

/// What the first runs showed.
#[derive(Debug, Clone, Copy)]
pub struct Baseline {
    /// The longest of the runs on the input.
    pub slowest: Duration,
}

/// Why a reduction would make no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The property does not hold on the input.
    #[error("the property does not hold on the input")]
    NotInteresting {
        /// What happened instead, when a command was run.
        run: Option<Box<Run>>,
    },
    /// The property held on the input in some runs only.
    #[error("the property held on the input in {held} of {runs} runs")]
    Flaky {
        /// Runs in which it held.
        held: usize,
        /// All runs.
        runs: usize,
    },
    /// The property holds on nothing at all.
    #[error("the property holds on the empty input")]
    HoldsOnEmpty,
    /// The oracle could not be asked.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// How often the input is tested.
const RUNS: usize = 3;

/// Checks that the property holds on the input, each time, and not on the empty input.
///
/// `first` is an answer on the input that is there already.
///
/// # Errors
/// [`BaselineError`] says which check failed.
pub fn baseline(
    oracle: &dyn Oracle,
    input: &[u8],
    first: Option<Answer>,
    cancel: &Cancel,
) -> Result<Baseline, BaselineError> {
    let mut answers: Vec<Answer> = first.into_iter().collect();
    while answers.len() < RUNS {
        answers.push(oracle.judge(input, cancel)?);
    }
    let held = answers
        .iter()
        .filter(|answer| answer.verdict.is_interesting())
        .count();
    if held == 0 {
        let run = answers.pop().and_then(|answer| answer.run).map(Box::new);
        return Err(BaselineError::NotInteresting { run });
    }
    if held < RUNS {
        return Err(BaselineError::Flaky { held, runs: RUNS });
    }
    if oracle.judge(b"", cancel)?.verdict == Verdict::Interesting {
        return Err(BaselineError::HoldsOnEmpty);
    }
    let slowest = answers
        .iter()
        .filter_map(|answer| Some(answer.run.as_ref()?.took))
        .max();
    Ok(Baseline {
        slowest: slowest.unwrap_or_default(),
    })
}

/// Returns how long a run may take when one on the input took `slowest`: ten times that, but at least two seconds, since a busy
/// machine slows short runs most, and at most five minutes.
#[must_use]
pub fn time_limit(slowest: Duration) -> Duration {
    (slowest * 10).clamp(Duration::from_secs(2), Duration::from_secs(300))
}
