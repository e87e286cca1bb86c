//! Checks whether the environment of the command is still the one in which the property held.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use boildown_driver::map_at_once;
use boildown_exec::WarmStatus;
use boildown_oracle::{Answer, Interrupt, Oracle, OracleError, Outcome, Run};
use boildown_reduce::Reduction;
use boildown_search::flaky::{RepeatPolicy, RunCounts};
use boildown_store::RunStore;

use super::stages::OracleStage;

/// Number of tests without a hit after which the best result is run again: one run more for at
/// least fifty tests.
pub(super) const EVERY: u64 = 50;

/// Number of runs in a row in which a tool could not be started after which the best result is run
/// again earlier.
const TOOL_FAILURES: u32 = 8;

/// Number of runs on the input, none of which hits, after which the environment counts as changed.
/// For a property that held in each baseline run.
const RUNS: u32 = 10;

/// Number of these runs that are cut short by a limit after which no more are made.
const CUT_SHORT_RUNS: u32 = 3;

/// Makes the search that reduces a text.
pub(super) type StartSearch<'a> = dyn Fn(&Arc<[u8]>) -> Reduction + 'a;

/// A check of the environment by runs on the input, on which the property held before the search.
#[derive(Clone, Copy)]
pub(super) struct EnvironmentCheck<'a> {
    /// Decides whether a text is interesting, in one run.
    pub(super) oracle: &'a dyn Oracle,
    /// The oracle of the search, without the second runs of some candidates.
    pub(super) confirming: &'a dyn Oracle,
    /// Returns the runs of a candidate so far.
    pub(super) runs_on: &'a dyn Fn(&[u8]) -> RunCounts,
    /// The input of the reduction.
    pub(super) input: &'a [u8],
    /// The number of runs of a candidate.
    pub(super) policy: RepeatPolicy,
    /// Makes the search that reduces a text.
    pub(super) start: Option<&'a StartSearch<'a>>,
}

impl EnvironmentCheck<'_> {
    /// Runs the input until the property holds on it. Returns `false` when it holds in no run.
    pub(super) fn holds(&self, interrupt: &Interrupt) -> Result<bool, OracleError> {
        self.holds_on(self.input, interrupt)
    }

    /// Runs a text until the property holds on it. Returns `false` when it holds in no run.
    pub(super) fn holds_on(&self, text: &[u8], interrupt: &Interrupt) -> Result<bool, OracleError> {
        let mut cut_short = 0;
        for _ in 0..runs_until_hit(self.policy, RUNS) {
            match judge_once(self.oracle, text, interrupt)? {
                Once::Hit | Once::Unknown => return Ok(true),
                Once::Miss => {}
                Once::CutShort => cut_short += 1,
            }
            if cut_short == CUT_SHORT_RUNS {
                break;
            }
        }
        Ok(false)
    }
}

/// Returns the number of runs of which one hits in at least 999 of 1000 cases, if the rate of the
/// property is what it was. At least `least`, for a property that held in each baseline run.
pub(crate) fn runs_until_hit(policy: RepeatPolicy, least: u32) -> u32 {
    let Some(rate) = policy.clearly_lower() else {
        return least;
    };
    let enough = (0.001_f64.ln() / (1.0 - rate).ln()).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number, small because rates are at least `RepeatPolicy::LOWEST`"
    )]
    (enough as u32).max(least)
}

/// The result of one run of a text.
pub(super) enum Once {
    Hit,
    Miss,
    /// A limit ended the run.
    CutShort,
    /// There was no run: it was interrupted, or the disk is full.
    Unknown,
}

/// Runs a text once.
pub(super) fn judge_once(
    oracle: &dyn Oracle,
    text: &[u8],
    interrupt: &Interrupt,
) -> Result<Once, OracleError> {
    let answer = match oracle.judge(text, interrupt) {
        Ok(answer) => answer,
        Err(OracleError::Interrupted) => return Ok(Once::Unknown),
        Err(error) if error.is_shortage() => return Ok(Once::Unknown),
        Err(error) => return Err(error),
    };
    let is_cut_short = || (answer.run.as_ref()).is_some_and(|run| run.outcome.is_cut_short());
    Ok(match answer.verdict.is_interesting() {
        true => Once::Hit,
        false if is_cut_short() => Once::CutShort,
        false => Once::Miss,
    })
}

/// Runs each of some texts once, all at the same time. Returns the results in their order.
pub(super) fn judge_each_once(
    oracle: &dyn Oracle,
    texts: &[&[u8]],
    interrupt: &Interrupt,
) -> Result<Vec<Once>, OracleError> {
    let judged = map_at_once(texts, |text| judge_once(oracle, text, interrupt));
    judged.into_iter().collect()
}

/// Notes when the property held last.
///
/// It tells the store which verdicts were recorded before a run that hit began. The environment was
/// intact when these were found. It also counts the runs in a row in which a tool could not be
/// started.
pub(super) struct EnvironmentObserver<'a> {
    store: Option<&'a RunStore>,
    warm: Option<WarmConfirmation<'a>>,
    tool_failures: AtomicU32,
}

/// Confirmation of the verdicts that warm runs gave: at the next agreement with a fresh run but
/// one, because some of them are recorded between a run and its comparison.
struct WarmConfirmation<'a> {
    status: &'a WarmStatus,
    /// The number of agreements when it last grew, and of the verdicts recorded then.
    last: Mutex<(u64, u64)>,
}

impl WarmConfirmation<'_> {
    fn confirm(&self, store: &RunStore) {
        let agreements = self.status.agreements();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if agreements > last.0 {
            store.confirm(last.1);
            *last = (agreements, store.recorded());
        }
    }
}

impl<'a> EnvironmentObserver<'a> {
    pub(super) fn new(store: Option<&'a RunStore>, warm: Option<&'a WarmStatus>) -> Self {
        Self {
            store,
            warm: warm.map(|status| WarmConfirmation {
                status,
                last: Mutex::new((status.agreements(), store.map_or(0, RunStore::recorded))),
            }),
            tool_failures: AtomicU32::new(0),
        }
    }

    /// Returns whether tools could not be started in the last few runs.
    pub(super) fn lacks_tools(&self) -> bool {
        self.tool_failures.load(Ordering::Relaxed) >= TOOL_FAILURES
    }
}

impl OracleStage for EnvironmentObserver<'_> {
    fn judge(
        &self,
        inner: &dyn Oracle,
        candidate: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Answer, OracleError> {
        let recorded = self.store.map(|store| (store, store.recorded()));
        let answer = inner.judge(candidate, interrupt)?;
        let warm = self.warm.as_ref().filter(|warm| !warm.status.is_off());
        if let (Some((store, _)), Some(warm)) = (recorded, warm) {
            warm.confirm(store);
        }
        if answer.verdict.is_interesting() {
            if let (Some((store, before)), None) = (recorded, warm) {
                store.confirm(before);
            }
            self.tool_failures.store(0, Ordering::Relaxed);
        } else if answer.run.as_ref().is_some_and(is_tool_failure) {
            self.tool_failures.fetch_add(1, Ordering::Relaxed);
        } else {
            self.tool_failures.store(0, Ordering::Relaxed);
        }
        Ok(answer)
    }
}

/// Returns whether the run looks as if a tool was missing, could not be loaded, or found no space.
///
/// The candidate may be the reason as well, so this proves nothing.
fn is_tool_failure(run: &Run) -> bool {
    let says = |what: &[u8]| run.stderr.windows(what.len()).any(|part| part == what);
    matches!(run.outcome, Outcome::Exited(126 | 127))
        || says(b"error while loading shared libraries")
        || says(b"No space left on device")
}

#[cfg(test)]
mod tests {
    use super::*;
    use boildown_oracle::{FnOracle, Verdict};

    #[test]
    fn a_flaky_property_is_given_more_runs_to_hold_again() {
        let runs = |policy| {
            let oracle = FnOracle::new(|_: &[u8]| Verdict::Uninteresting);
            let check = EnvironmentCheck {
                oracle: &oracle,
                confirming: &oracle,
                runs_on: &|_| RunCounts::default(),
                input: b"x",
                policy,
                start: None,
            };
            assert!(!check.holds(&Interrupt::new().unwrap()).unwrap());
            runs_until_hit(policy, RUNS)
        };
        let flaky = |hits| RepeatPolicy::for_rate(RunCounts { runs: 300, hits }).unwrap();
        assert_eq!(runs(RepeatPolicy::once()), 10);
        assert_eq!(runs(flaky(290)), 10);
        assert_eq!(runs(flaky(150)), 21);
        assert!(runs(flaky(15)) > 200);
    }
}
