//! Restarts of a reduction, with more runs per candidate, after the property was lost.

use std::sync::Arc;

use boildown_driver::Spent;
use boildown_oracle::{Oracle, OracleError, RepeatedOracle};
use boildown_search::flaky::RepeatPolicy;
use boildown_store::{Improvement, fingerprint_of};
use boildown_syntax::Reduction;

use super::options::ReduceOptions;
use super::run::reduce;
use crate::config::SessionConfig;
use crate::event::{Event, Progress, Stopped, Summary};

/// Runs of each candidate after the property was lost for the first and the second time.
const RUNS_AFTER_LOSS: [u32; 2] = [4, 16];

/// A reduction that can be started from any text.
pub struct ReductionPlan<'a> {
    /// The text to reduce.
    pub input: &'a Arc<[u8]>,
    /// Makes the search that reduces a text.
    pub start: &'a dyn Fn(&Arc<[u8]>) -> Reduction,
    /// Decides whether a text is interesting, in one run.
    pub oracle: &'a dyn Oracle,
    /// The number of runs of a candidate before the property is lost for the first time.
    pub repeat_policy: RepeatPolicy,
}

impl std::fmt::Debug for ReductionPlan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReductionPlan")
            .field("repeat_policy", &self.repeat_policy)
            .finish_non_exhaustive()
    }
}

/// The result of a reduction.
#[derive(Debug)]
pub struct Reduced {
    /// The summary of the reduction, with everything that was spent.
    pub summary: Summary,
    /// The best text.
    pub best: Arc<[u8]>,
    /// Candidates on which the property held in one run and not in another, since it was last lost.
    pub contradictions: u64,
}

/// Runs a reduction like [`reduce`]. If the property is lost, starts again from the last confirmed
/// text, with several runs of each candidate: 4, and after a second loss 16. A third loss ends it.
///
/// # Errors
/// As [`reduce`].
pub fn reduce_with_restarts(
    plan: &ReductionPlan<'_>,
    mut options: ReduceOptions,
    mut config: SessionConfig,
    on_event: &mut dyn FnMut(&Event),
) -> Result<Reduced, OracleError> {
    let store = config.store.clone();
    let bytes_before = plan.input.len();
    let (mut text, mut repeat_policy) = (Arc::clone(plan.input), plan.repeat_policy);
    let mut total = Spent::default();
    let mut runs_after_loss = RUNS_AFTER_LOSS.iter();
    loop {
        let repeating = RepeatedOracle::new(plan.oracle, repeat_policy);
        let mut report_total = |event: &Event| on_event(&with_totals(event, bytes_before, total));
        let (mut summary, best) = reduce(
            (plan.start)(&text),
            &repeating,
            &options,
            &config,
            &mut report_total,
        )?;
        summary.progress.spent.runs = repeating.runs();
        config.budget = config.budget.without(&summary.progress.spent);
        total = total.plus(summary.progress.spent);
        let is_lost = summary.stopped == Some(Stopped::PropertyLost);
        if let Some(&runs) = runs_after_loss.next().filter(|_| is_lost) {
            on_event(&Event::PropertyLost {
                bytes: best.len(),
                runs,
            });
            // Earlier verdicts may be wrong, so neither the store nor its best result is used.
            (options.resumed_best, config.store) = (None, None);
            (text, repeat_policy) = (best, RepeatPolicy::all_of(runs));
            continue;
        }
        if let (Some(store), None) = (&store, &config.store) {
            // The verdicts since the restart are not recorded, but the result is: the next session
            // begins with it.
            store.improve(Improvement {
                query: total.queries,
                content: fingerprint_of(&best),
                bytes: best.len(),
                tokens: summary.progress.tokens,
                elapsed: total.elapsed,
                text: Some(Arc::clone(&best)),
            });
        }
        summary.progress.spent = total;
        summary.progress.bytes_before = bytes_before;
        return Ok(Reduced {
            summary,
            best,
            contradictions: repeating.contradictions(),
        });
    }
}

/// Returns an event of one reduction with the progress since the first: what was spent includes
/// `earlier`, and the size before is that of the input.
fn with_totals(event: &Event, bytes_before: usize, earlier: Spent) -> Event {
    let whole = |progress: &Progress| Progress {
        bytes_before,
        spent: earlier.plus(progress.spent),
        ..*progress
    };
    match event {
        Event::Improved(progress) => Event::Improved(whole(progress)),
        Event::Tick(progress) => Event::Tick(whole(progress)),
        event => event.clone(),
    }
}
