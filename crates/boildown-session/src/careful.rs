//! Reducing on, more carefully, where a property got lost on the way.

use std::sync::Arc;

use boildown_oracle::store::{Improvement, fingerprint_of};
use boildown_oracle::{Oracle, OracleError, Repeating};
use boildown_search::flaky::Law;
use boildown_syntax::Reduction;

use crate::drive::{Config, Spent};
use crate::event::{Event, Progress, Stopped, Summary};
use crate::reduce::{Goal, reduce};

/// How often each candidate is run once the property got lost, and once it got lost again.
const CARE: [u32; 2] = [4, 16];

/// What a reduction came to.
#[derive(Debug)]
pub struct Reduced {
    /// How it ended, with all that was spent.
    pub summary: Summary,
    /// The best text.
    pub best: Arc<[u8]>,
    /// How often the property held on a candidate and, run again, did not, since it was last lost.
    pub contradictions: u64,
}

/// Runs a reduction of `input` like [`reduce`]. When the property gets lost, another one starts from the last text on which it held, and each
/// candidate has to hold it in several runs.
///
/// `start` makes the search for a text; `law` says how often candidates are run before anything is lost.
///
/// # Errors
/// As [`reduce`].
pub fn reduce_carefully(
    start: &dyn Fn(&Arc<[u8]>) -> Reduction,
    input: &Arc<[u8]>,
    (oracle, mut law): (&dyn Oracle, Law),
    (mut goal, mut config): (Goal, Config),
    on_event: &mut dyn FnMut(&Event),
) -> Result<Reduced, OracleError> {
    let store = config.store.clone();
    let (mut text, mut total, mut care) = (Arc::clone(input), Spent::default(), CARE.iter());
    loop {
        let repeating = Repeating::new(oracle, law);
        let mut announce = |event: &Event| {
            // Of all that was spent, and from the input on.
            let whole = |progress: &Progress| Progress {
                bytes_before: input.len(),
                spent: total.and(progress.spent),
                ..*progress
            };
            on_event(&match event {
                Event::Improved(progress) => Event::Improved(whole(progress)),
                Event::Tick(progress) => Event::Tick(whole(progress)),
                event => event.clone(),
            });
        };
        let (mut summary, best) = reduce(start(&text), &repeating, &goal, &config, &mut announce)?;
        summary.progress.spent.runs = repeating.runs();
        config.budget = config.budget.without(&summary.progress.spent);
        total = total.and(summary.progress.spent);
        let is_lost = summary.stopped == Some(Stopped::Lost);
        if let Some(&runs) = care.next().filter(|_| is_lost) {
            on_event(&Event::Lost {
                bytes: best.len(),
                runs,
            });
            // What earlier runs showed is not to be trusted any more.
            (goal.best, config.store) = (None, None);
            (text, law) = (best, Law::all_of(runs));
            continue;
        }
        if let (Some(store), None) = (&store, &config.store) {
            // The way there is not remembered, but the next session begins with it.
            store.improve(Improvement {
                question: total.questions,
                content: fingerprint_of(&best),
                bytes: best.len(),
                tokens: summary.progress.tokens,
                elapsed: total.elapsed,
                text: Some(Arc::clone(&best)),
            });
        }
        summary.progress.spent = total;
        summary.progress.bytes_before = input.len();
        return Ok(Reduced {
            summary,
            best,
            contradictions: repeating.contradictions(),
        });
    }
}
