//! Runs that tell about edits that nothing is known about, on bases that are hardly reached.

use std::collections::HashSet;

use super::{LEAST_PROBABILITY, MostLikely, Open, PlanNode, Planner};
use crate::{Fingerprint, Fingerprinted, Search, Verdict};

/// The worth of a run that tells about an edit that will be asked about for certain, on whatever
/// base. A run of a query that will be asked for certain is worth 1.
const WORTH_OF_EDIT: f64 = 0.6;

/// The factor by which that worth falls with each verdict that has to be guessed before.
const WORTH_BEYOND_GUESS: f64 = 0.98;

/// The probability that a wrong guess changes which edits are asked about after it.
const DIVERGENCE: f64 = 0.3;

impl<S: Search> Planner<S>
where
    S::Candidate: Fingerprinted,
{
    /// Returns the query to run next, when `likely` is the most likely open one and is reached with
    /// a `probability`: that one, or one about an edit that nothing is known about.
    ///
    /// An answer about an edit is worth a run even on a base that will hardly be reached: the
    /// search probably asks about the same edit on another base, and then the answer is a good
    /// guess. For example, twenty deletions that hit one time in four are asked about in a row. All
    /// of them are run on the base at hand. The search asks about most of them on smaller bases, of
    /// which no one is likely, and the answers tell which.
    ///
    /// Follows the likeliest verdicts from the root. The worth of a run falls with each guess.
    pub(super) fn or_unknown_edit(
        &mut self,
        probability: f64,
        likely: Option<Open<S::Candidate>>,
    ) -> MostLikely<S::Candidate> {
        let in_flight = self.running.values().filter_map(|query| query.edit);
        let in_flight: HashSet<Fingerprint> = in_flight.collect();
        let miss = self.likelier_miss();
        let (mut node, mut reached, mut worth) = (self.root, 1.0, WORTH_OF_EDIT);
        let least = probability.max(LEAST_PROBABILITY);
        while worth > least && !self.is_left_out(node, reached) {
            if !self.settle_node(node) {
                return MostLikely::Unsettled;
            }
            let PlanNode { edit, count, .. } = *self.node(node);
            let Some((fingerprint, query)) = &self.node(node).query else {
                break;
            };
            let (fingerprint, odds) = (*fingerprint, self.known_edits.odds(edit, query.odds));
            let is_unknown =
                |edit: Fingerprint| !self.known_edits.knows(edit) && !in_flight.contains(&edit);
            if edit.is_some_and(is_unknown) && self.is_open(fingerprint, count) {
                return MostLikely::Open(Open {
                    fingerprint,
                    edit,
                    candidate: query.candidate.clone(),
                    odds,
                });
            }
            let verdict = match self.answer_to(fingerprint) {
                Some(verdict) => verdict,
                None => {
                    let right = odds.max(1.0 - odds);
                    reached *= right;
                    worth *= WORTH_BEYOND_GUESS * (1.0 - DIVERGENCE * (1.0 - right));
                    if odds > 0.5 {
                        Verdict::Interesting
                    } else {
                        miss
                    }
                }
            };
            node = self.child(node, verdict);
        }
        likely.map_or(MostLikely::Nothing, MostLikely::Open)
    }
}
