//! The delta debugging family on sets of changes, with three verdicts.
//!
//! A program passed with none of the changes and fails with all of them. Any set of changes is a
//! configuration that can be tested. `Interesting` means that the configuration fails,
//! `Uninteresting` that it passes, and `Unresolved` that it cannot be judged: it does not apply,
//! build or run. The empty set passes; the full set fails.
//!
//! | search | for | keeps applied |
//! |---|---|---|
//! | [`SimpleDd`] | one culprit | nothing |
//! | [`Dd`] | culprits that fail only together | the other half |
//! | [`DdPlus`] | configurations that cannot be judged | parts that pass |
//! | [`Bisect`] | a history, of which only prefixes are tested | all older changes |
//! | [`BisectGraph`] | a history with branches and merges | all ancestors |
//! | [`Descent`] | nested groups of changes, down to single ones | parts that pass |
//! | [`GuessedSets`] | sets that are likely to fail | nothing |
//! | [`Isolate`] | the smallest difference between passing and failing | the passing side |
//!
//! They blame changes, they do not minimise: the set that
//! [`Dd::found`] returns may be a union of sets that were
//! tested one by one, and need not have been tested itself. `best` is the smallest configuration
//! that was told `Interesting`, as in every search.
//!
//! Each search remembers all verdicts and asks about no configuration twice. A query that is
//! [skipped](crate::Search::skip) is one that cannot be judged: it counts as `Unresolved`, and
//! updates no hit rates.
//!
//! The memory takes 128 bytes for each verdict, is shared by clones and has no bound: dd returns to
//! configurations that it asked about at the very beginning. A query is a build and a run of a
//! whole program here, of which a million take 128 MB: repeating one costs more than remembering
//! it.
//!
//! ```
//! use boildown_search::changes::{DecisionKind, DdPlus};
//! use boildown_search::{Subset, Verdict, run};
//!
//! // Of eight changes, the third and the sixth cause the failure together.
//! let search = run(DdPlus::on(Subset::full(8)), |applied| {
//!     match applied.contains(2) && applied.contains(5) {
//!         true => Verdict::Interesting,
//!         false => Verdict::Uninteresting,
//!     }
//! });
//! let blamed = search.found().expect("the search is finished");
//! assert_eq!(blamed.iter().collect::<Vec<_>>(), [2, 5]);
//! let first = search.history().next().expect("there is at least one decision");
//! assert_eq!(first.kind, DecisionKind::Interference);
//! assert_eq!(first.part.iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
//! ```

mod ancestry;
mod ask_once;
mod bisect;
mod bisect_graph;
mod change_list;
mod dd;
mod dd_plus;
mod decisions;
mod descent;
mod guesses;
mod isolate;
mod simple_dd;

pub use ancestry::Ancestry;
pub use bisect::Bisect;
pub use bisect_graph::BisectGraph;
pub use change_list::ChangeList;
pub use dd::Dd;
pub use dd_plus::{DdPlus, UnionPolicy};
pub use decisions::{Decision, DecisionKind};
pub use descent::Descent;
pub use guesses::GuessedSets;
pub use isolate::Isolate;
pub use simple_dd::SimpleDd;

#[cfg(test)]
pub(crate) mod testing {
    //! Traces of searches in the notation of the papers, for tests.

    use std::fmt::Write as _;

    use crate::{Search, Subset, Verdict};

    /// Returns the elements counted from 1: `1 3 4`, or `134` if there are fewer than ten.
    pub(crate) fn names(set: &Subset) -> String {
        let gap = if set.universe() < 10 { "" } else { " " };
        let names: Vec<String> = set
            .iter()
            .map(|element| (element + 1).to_string())
            .collect();
        names.join(gap)
    }

    pub(crate) fn sign(verdict: Verdict) -> char {
        match verdict {
            Verdict::Interesting => '✗',
            Verdict::Uninteresting => '✓',
            Verdict::Unresolved => '?',
        }
    }

    /// Returns `Interesting` if all the needed elements, counted from 1, are applied.
    pub(crate) fn needs(set: &Subset, needed: &[usize]) -> Verdict {
        if needed.iter().all(|&element| set.contains(element - 1)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }

    /// Runs a search without a planner. Returns it with its queries and verdicts: `1234✓ 5678✗`.
    pub(crate) fn trace<S: Search<Candidate = Subset>>(
        mut search: S,
        judge: impl Fn(&Subset) -> Verdict,
    ) -> (S, String) {
        let mut text = String::new();
        while let Some(query) = search.ask() {
            let verdict = judge(&query.candidate);
            search.tell(verdict);
            let gap = if text.is_empty() { "" } else { " " };
            write!(text, "{gap}{}{}", names(&query.candidate), sign(verdict))
                .expect("writing to a string");
        }
        (search, text)
    }
}
