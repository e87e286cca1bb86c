//! Group testing: deletes runs whose length follows from the share of elements that are needed.

use std::ops::Range;
use std::sync::Arc;

use super::List;
use super::needed_share::NeededShare;
use crate::algorithms::{Entry, Family, Registered};
use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes runs of neighbours, right to left, as long as the odds are about even, and bisects those
/// that have to stay for the needed element that comes first.
///
/// To delete a run is a group test for needed elements. The length of the next run is chosen so
/// that the deletion succeeds in about half of all cases, by the share of needed elements among
/// those that are decided: apart for elements beside a needed one, which often are needed too. A
/// run that has to stay is bisected for its rightmost needed element. That one is not asked about
/// alone when the other elements of the run right of it could be deleted, and what is left of it
/// counts as unknown again.
///
/// For example, with the elements 1 to 8 of which only 3 is needed, the queries delete 2-8 (miss),
/// 6-8 (hit), 4-5 (hit), 3 (miss), 1-2 (hit).
///
/// # Guarantee
/// Ends with an interesting set. It is minimal if the oracle is monotone and unambiguous. It is
/// 1-minimal only when followed by [`Sweep`](super::Sweep).
/// # Cost
/// At most k·(2 + log₂ n) + 2·log₂ n queries for n elements of which k are needed, as for any run
/// length; about n times the entropy of the share for independent elements: 0.29 n for one in
/// twenty, n if half of them are needed. `tell` takes O(n / 64).
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// M. Sobel, P. A. Groll, *Group Testing to Eliminate Efficiently All Defectives in a Binomial
/// Sample*, Bell System Technical Journal 38, 1959; F. K. Hwang, *A Method for Detecting All
/// Defective Members in a Population by Group Testing*, JASA 67, 1972 (generalised binary
/// splitting). Differs from them: the share is estimated on the way, as that of a Markov chain.
#[derive(Debug, Clone)]
pub struct GroupTesting {
    kept: Subset,
    /// The elements kept at the start, in order.
    items: Arc<[usize]>,
    /// Everything from this position in `items` on is decided.
    end: usize,
    run: Run,
    share: NeededShare,
}

/// The run of undecided elements before `end` that is asked about.
#[derive(Debug, Clone, Copy)]
enum Run {
    /// Nothing is known about the run of this length. 0 when the search is finished.
    Unknown(usize),
    /// The run of this length, at least 2, cannot be deleted: asks about its right half.
    HoldsNeeded(usize),
    /// As `Unknown`, but a longer run was skipped: nothing was learned from it.
    AfterSkip(usize),
}

impl GroupTesting {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut search = Self {
            kept: list.kept,
            items: Arc::new([]),
            end: 0,
            run: Run::Unknown(0),
            share: NeededShare::new(),
        };
        search.restart(search.best());
        search
    }

    fn tried_length(&self) -> usize {
        match self.run {
            Run::Unknown(length) | Run::AfterSkip(length) => length,
            Run::HoldsNeeded(length) => length / 2,
        }
    }

    fn tried_range(&self) -> Range<usize> {
        self.items[self.end - self.tried_length()]..self.items[self.end - 1] + 1
    }

    fn next_run(&mut self) {
        self.run = Run::Unknown(match self.end {
            0 => 0,
            end => self.share.even_run(end),
        });
    }

    /// Decides that the last `count` undecided elements can be deleted.
    fn decide_removable(&mut self, count: usize) {
        self.share.removable(count);
        self.end -= count;
    }

    /// Continues with a run that holds a needed element.
    fn bisect(&mut self, length: usize) {
        match length {
            1 => {
                self.share.needed();
                self.end -= 1;
                self.next_run();
            }
            _ => self.run = Run::HoldsNeeded(length),
        }
    }
}

impl Search for GroupTesting {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        let length = self.tried_length();
        (length > 0).then(|| Query {
            candidate: self.kept.without([self.tried_range()]),
            odds: match self.run {
                Run::Unknown(_) | Run::AfterSkip(_) => self.share.all_removable(length),
                Run::HoldsNeeded(whole) => {
                    let needed = |length| 1.0 - self.share.all_removable(length);
                    1.0 - needed(length) / needed(whole)
                }
            },
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let length = self.tried_length();
        if verdict.is_interesting() {
            self.kept = self.kept.without([self.tried_range()]);
            self.kept.commit();
            self.decide_removable(length);
            match self.run {
                Run::Unknown(_) | Run::AfterSkip(_) => self.next_run(),
                Run::HoldsNeeded(whole) => self.bisect(whole - length),
            }
        } else {
            self.bisect(length);
        }
    }

    fn skip(&mut self) {
        let length = self.tried_length();
        match (self.run, length) {
            // The half that is left over is the one to ask about.
            (_, 2..) => self.run = Run::AfterSkip(length / 2),
            _ => {
                self.end -= 1;
                self.next_run();
            }
        }
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for GroupTesting {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.end = self.items.len();
        self.share = self.share.at_a_new_end();
        self.kept = best;
        self.next_run();
    }
}

impl Registered for GroupTesting {
    type Options = ();

    const ENTRY: Entry = Entry {
        name: "group-testing",
        family: Family::List,
        parameters: "",
        guarantee: "minimal if monotone and unambiguous; 1-minimal after a sweep",
        cost: "about n times the entropy of the share of needed elements",
        source: "Sobel, Groll 1959; Hwang: A Method for Detecting All Defective Members, JASA \
            1972; the share is estimated on the way",
    };

    fn start(list: List, (): ()) -> Self {
        Self::on(list)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::list::Sweep;
    use crate::list::testing::{distinct, trace};
    use crate::{Sequence, run};

    #[test]
    fn a_run_that_holds_a_needed_element_is_bisected() {
        let (asked, left) = trace(GroupTesting::on(List::uniform(8)), |kept| kept.contains(&3));
        let expected: [(&[usize], bool); 5] = [
            (&[1], false),
            (&[1, 2, 3, 4, 5], true),
            (&[1, 2, 3], true),
            (&[1, 2], false),
            (&[3], true),
        ];
        let asked: Vec<_> = asked.iter().map(|(kept, hit)| (&kept[..], *hit)).collect();
        assert_eq!(asked, expected);
        assert_eq!(left, [3]);
    }

    #[test]
    fn the_last_element_of_a_run_that_has_to_stay_is_not_asked_about() {
        let (asked, left) = trace(GroupTesting::on(List::uniform(4)), |kept| kept.contains(&1));
        // 1-4 cannot be deleted, 3-4 and 2 can: so 1 is needed.
        assert_eq!(asked.len(), 3);
        assert_eq!(left, [1]);
    }

    #[test]
    fn a_skipped_run_is_asked_about_in_parts() {
        let mut search = GroupTesting::on(List::uniform(4));
        let mut deleted: Vec<Vec<usize>> = Vec::new();
        while let Some(query) = search.ask() {
            let kept = query.candidate;
            deleted.push((0..4).filter(|&element| !kept.contains(element)).collect());
            search.skip();
        }
        let expected: [Vec<usize>; 8] = [
            vec![0, 1, 2, 3],
            vec![2, 3],
            vec![3],
            vec![0, 1, 2],
            vec![2],
            vec![0, 1],
            vec![1],
            vec![0],
        ];
        assert_eq!(deleted, expected);
        assert_eq!(search.best(), Subset::full(4));
    }

    proptest! {
        /// Brute force over all sets of needed elements of a short list.
        #[test]
        fn what_is_left_of_a_monotone_oracle_is_what_is_needed(n in 0_usize..40, bits: u64) {
            let needed: Vec<usize> = (0..n).filter(|element| bits >> element & 1 == 1).collect();
            let hits = |kept: &Subset| match needed.iter().all(|&element| kept.contains(element)) {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            };
            let search = run(GroupTesting::on(List::uniform(n)), hits);
            prop_assert_eq!(search.best().iter().collect::<Vec<_>>(), needed);
        }

        #[test]
        fn the_cost_is_bounded(n in 1_usize..200, elements in prop::collection::btree_set(0_usize..200, 0..20)) {
            let needed: Vec<usize> = elements.into_iter().filter(|&element| element < n).collect();
            let hits = |kept: &[usize]| needed.iter().all(|&element| kept.contains(&(element + 1)));
            let (asked, _) = trace(GroupTesting::on(List::uniform(n)), hits);
            prop_assert_eq!(distinct(&asked), asked.len());
            let log = n.ilog2() as usize + 1;
            prop_assert!(asked.len() <= needed.len() * (2 + log) + 2 * log, "{} of {n}", asked.len());
        }
    }

    #[test]
    fn a_sweep_mends_what_an_inference_missed() {
        // 2 can only be deleted after 1, so a run of both hides it.
        let list = List::uniform(6);
        let search = Sequence::new(GroupTesting::on(list.clone()), Sweep::on(list));
        let (_, left) = trace(search, |kept| {
            kept.contains(&4) && (kept.contains(&2) || !kept.contains(&1))
        });
        assert_eq!(left, [4]);
    }
}
