//! Which changes broke it? The delta debugging family on sets of changes, with three outcomes.
//!
//! Yesterday it passed, today it fails; between the two lie changes, and any set of them can be applied: a configuration. To these
//! machines `Interesting` says that the failure shows, `Uninteresting` that the configuration passes, `Unresolved` that
//! nobody can tell: it does not apply, build or run. No changes at all are known to pass, all of them are known to fail.
//!
//! | machine | for | keeps applied |
//! |---|---|---|
//! | [`SimpleDd`] | one culprit | nothing |
//! | [`Dd`] | culprits that fail only together | the other half |
//! | [`DdPlus`] | configurations that cannot be judged | whatever passes |
//! | [`Bisect`] | a history, of which only beginnings are tried | all that is older |
//! | [`Descent`] | groups of groups of changes, down to single ones | whatever passes, until the last sweep |
//! | [`Isolate`] | the smallest difference between passing and failing | the passing side |
//!
//! They are no minimisers: what [`Dd::found`] blames may be a union of sets that were asked about one by one. `best` is, as always,
//! the smallest configuration that was told `Interesting`.
//!
//! Each machine remembers what it was told and asks about no configuration twice: to them a repeat with a known answer is not a
//! miss. What is left for [`skip`](crate::Search::skip) cannot be judged, so it counts as `Unresolved`; that moves no odds.
//!
//! That memory takes 128 bytes for each answer, shared by clones, and has no bound: dd comes back to what it asked at the very beginning,
//! and running that again costs more than it can take. Questions here are builds and runs of whole programs; a million of them are 128 MB.
//!
//! ```
//! use boildown_search::changes::{Case, DdPlus};
//! use boildown_search::{Subset, Verdict, run};
//!
//! // Of eight changes, the third breaks it together with the sixth.
//! let search = run(DdPlus::on(Subset::full(8)), |applied| {
//!     if applied.contains(2) && applied.contains(5) { Verdict::Interesting } else { Verdict::Uninteresting }
//! });
//! let blamed = search.found().expect("the search is finished");
//! assert_eq!(blamed.iter().collect::<Vec<_>>(), [2, 5]);
//! let first = search.history().next().expect("it took steps");
//! assert_eq!(first.case, Case::Interference);
//! assert_eq!(first.part.iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
//! ```

mod bisect;
mod dd;
mod dd_plus;
mod descent;
mod history;
mod isolate;
mod recall;
mod simple_dd;
mod stretch;

pub use bisect::Bisect;
pub use dd::Dd;
pub use dd_plus::{DdPlus, Unions};
pub use descent::Descent;
pub use history::{Case, Step};
pub use isolate::Isolate;
pub use simple_dd::SimpleDd;
pub use stretch::Changes;

#[cfg(test)]
mod testing {
    //! Traces in the notation of the papers.

    use std::fmt::Write as _;

    use crate::{Search, Subset, Verdict};

    /// The names of the elements, counted from 1: `1 3 4`, or `134` when all are below ten.
    pub(super) fn names(set: &Subset) -> String {
        let gap = if set.universe() < 10 { "" } else { " " };
        let names: Vec<String> = set
            .iter()
            .map(|element| (element + 1).to_string())
            .collect();
        names.join(gap)
    }

    pub(super) fn sign(verdict: Verdict) -> char {
        match verdict {
            Verdict::Interesting => '✗',
            Verdict::Uninteresting => '✓',
            Verdict::Unresolved => '?',
        }
    }

    /// Whether all of these elements, counted from 1, are applied.
    pub(super) fn needs(set: &Subset, needed: &[usize]) -> Verdict {
        if needed.iter().all(|&element| set.contains(element - 1)) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }

    /// Runs a machine without a planner; returns it with its questions and answers: `1234✓ 5678✗`.
    pub(super) fn trace<S: Search<Candidate = Subset>>(
        mut machine: S,
        judge: impl Fn(&Subset) -> Verdict,
    ) -> (S, String) {
        let mut text = String::new();
        while let Some(question) = machine.ask() {
            let verdict = judge(&question.candidate);
            machine.tell(verdict);
            let gap = if text.is_empty() { "" } else { " " };
            write!(text, "{gap}{}{}", names(&question.candidate), sign(verdict))
                .expect("writing to a string");
        }
        (machine, text)
    }
}
