//! What has to be true before a reduction makes sense.

use std::time::Duration;

use boildown_oracle::{Answer, Cancel, Oracle, OracleError, Outcome, Repeating, Run, Verdict};
use boildown_search::flaky::{Law, Tally};

use crate::rate::Rate;

/// What the first runs showed.
#[derive(Debug, Clone, Copy)]
pub struct Baseline {
    /// The runs on the input.
    pub rate: Rate,
    /// How often a candidate is to be run.
    pub law: Law,
}

/// How closely to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// A property that held each of a few times is taken to hold always.
    Usual,
    /// The rate is measured in any case.
    Flaky,
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
    /// The property held on the input so rarely that candidates could not be told apart.
    #[error("the property held on the input in {} of {} runs, which is too rarely", .tally.hits, .tally.runs)]
    TooRare {
        /// The runs.
        tally: Tally,
    },
    /// The property holds on nothing at all.
    #[error("the property holds on the empty input")]
    HoldsOnEmpty,
    /// The oracle could not be asked.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

/// How often the input is tested.
const RUNS: u32 = 3;

/// Checks that the property holds on the input and not on the empty input. Where it holds in some runs only, its rate is measured.
///
/// `first` is an answer on the input that is there already. At most `jobs` runs are done at once.
///
/// # Errors
/// [`BaselineError`] says which check failed.
pub fn baseline(
    oracle: &dyn Oracle,
    input: &[u8],
    first: Option<Answer>,
    (care, jobs): (Care, usize),
    cancel: &Cancel,
) -> Result<Baseline, BaselineError> {
    let mut rate = Rate::default();
    let mut shown = None;
    let more = std::iter::repeat_with(|| oracle.judge(input, cancel));
    for answer in first.into_iter().map(Ok).chain(more).take(RUNS as usize) {
        let answer = answer?;
        rate.count(&answer);
        let timed_out = (answer.run.as_ref()).is_some_and(|run| run.outcome == Outcome::TimedOut);
        // The first one may have been captured though the property does not read it.
        shown = shown.or(answer.run);
        if timed_out && rate.tally.hits == 0 && care == Care::Usual {
            // To wait for that three times would tell nothing new.
            break;
        }
    }
    let is_flaky = rate.tally.is_mixed() || care == Care::Flaky;
    if is_flaky {
        rate = rate.measure(oracle, input, jobs, cancel)?;
    }
    if rate.tally.hits == 0 {
        let run = shown.map(Box::new);
        return Err(BaselineError::NotInteresting { run });
    }
    let law = if is_flaky {
        let tally = rate.tally;
        Law::for_rate(tally).ok_or(BaselineError::TooRare { tally })?
    } else {
        Law::once()
    };
    if Repeating::new(oracle, law).judge(b"", cancel)?.verdict == Verdict::Interesting {
        return Err(BaselineError::HoldsOnEmpty);
    }
    Ok(Baseline { rate, law })
}

/// Returns how long a run may take when one on the input took `slowest`: ten times that, but at least two seconds, since a busy
/// machine slows short runs most, and at most five minutes.
#[must_use]
pub fn time_limit(slowest: Duration) -> Duration {
    (slowest * 10).clamp(Duration::from_secs(2), Duration::from_secs(300))
}
