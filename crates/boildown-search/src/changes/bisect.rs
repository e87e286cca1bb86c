//! Which change of a history broke it, when only beginnings of the history can be tried?

use rpds::RedBlackTreeSetSync;

use super::Changes;
use super::history::{Case, History, Step};
use super::recall::{Kind, Procedure, Recall, Wish, recalling};
use crate::{Subset, Verdict};

/// Narrows a history to the changes after which it fails, by halves, past configurations that cannot be judged.
///
/// Asks about beginnings of the list only: what somebody once had is likelier to work than any other set of changes. Around a
/// beginning that cannot be judged it looks one further, then two, four and so on, to either side, before it tries all the others.
///
/// # Guarantee
/// [`passing`](Self::passing) changes from the front were told `Uninteresting`, or are none; [`failing`](Self::failing) were told
/// `Interesting`, or are all. All between the two are unresolved; when nothing is, they are neighbours.
/// # Cost
/// At most ⌈log₂ n⌉ questions for n changes when nothing is unresolved, n − 1 in the worst case.
/// # Units
/// Elements are indices into the list of changes, the oldest first; they are never renumbered.
/// # Source
/// What `git bisect` does on a history without branches; its way past commits that cannot be tested is a random one.
/// # Example
/// ```
/// use boildown_search::changes::Bisect;
/// use boildown_search::{Verdict, run};
///
/// let search = run(Bisect::of(10), |applied| match applied.count() {
///     6.. => Verdict::Interesting,
///     4 => Verdict::Unresolved,
///     _ => Verdict::Uninteresting,
/// });
/// assert_eq!((search.passing(), search.failing()), (5, 6));
/// ```
#[derive(Debug, Clone)]
pub struct Bisect {
    recall: Recall<Beginnings>,
}

#[derive(Debug, Clone)]
struct Beginnings {
    all: Subset,
    passing: usize,
    /// Invariant: above `passing`, unless there are no changes.
    failing: usize,
    unresolved: RedBlackTreeSetSync<usize>,
    history: History,
}

impl Beginnings {
    /// How many changes to apply next.
    fn next(&self) -> Option<usize> {
        let open = |length: &usize| {
            self.passing < *length && *length < self.failing && !self.unresolved.contains(length)
        };
        let middle = usize::midpoint(self.passing, self.failing);
        let around = |distance: usize| [middle.checked_sub(distance), middle.checked_add(distance)];
        let widening = std::iter::successors(Some(1_usize), |distance| distance.checked_mul(2))
            .take_while(|distance| *distance < self.failing - self.passing);
        let all = 1..self.failing - self.passing;
        (std::iter::once(0).chain(widening).chain(all))
            .flat_map(around)
            .flatten()
            .find(open)
    }

    fn note(&mut self, case: Case, length: usize) {
        let searched: Changes = (self.passing..self.failing).collect();
        let part = match case {
            Case::SmallerFailing => (self.passing..length).collect(),
            _ => (length..self.failing).collect(),
        };
        self.history.push_back_mut(Step {
            case,
            part,
            searched,
            within: self.all.only(0..self.failing),
        });
    }
}

impl Procedure for Beginnings {
    fn wish(&self) -> Option<Wish> {
        Some(Wish {
            candidate: self.all.only(0..self.next()?),
            kind: Kind::Part,
        })
    }

    fn hear(&mut self, verdict: Verdict) {
        let Some(length) = self.next() else {
            return;
        };
        match verdict {
            Verdict::Interesting => {
                self.note(Case::SmallerFailing, length);
                self.failing = length;
            }
            Verdict::Uninteresting => {
                self.note(Case::LargerPassing, length);
                self.passing = length;
            }
            Verdict::Unresolved => self.unresolved.insert_mut(length),
        }
    }
}

impl Bisect {
    /// Starts from a history of so many changes: with none of them it passes, with all it fails.
    #[must_use]
    pub fn of(changes: usize) -> Self {
        let all = Subset::full(changes);
        let beginnings = Beginnings {
            all: all.clone(),
            passing: 0,
            failing: changes,
            unresolved: RedBlackTreeSetSync::new_sync(),
            history: History::new_sync(),
        };
        Self {
            recall: Recall::new(beginnings, all, [0.5, 0.5]),
        }
    }

    /// Returns how many changes from the front pass.
    #[must_use]
    pub fn passing(&self) -> usize {
        self.recall.procedure().passing
    }

    /// Returns how many changes from the front fail.
    #[must_use]
    pub fn failing(&self) -> usize {
        self.recall.procedure().failing
    }
}

recalling!(Bisect);

#[cfg(test)]
mod tests {
    use super::super::testing::trace;
    use super::*;

    fn judge(first_bad: usize, unresolved: &[usize]) -> impl Fn(&Subset) -> Verdict {
        move |set| match set.count() {
            length if unresolved.contains(&length) => Verdict::Unresolved,
            length if length >= first_bad => Verdict::Interesting,
            _ => Verdict::Uninteresting,
        }
    }

    #[test]
    fn every_first_bad_change_is_found_in_logarithmic_time() {
        for first_bad in 1..=100 {
            let (machine, asked) = trace(Bisect::of(100), judge(first_bad, &[]));
            assert_eq!(
                (machine.passing(), machine.failing()),
                (first_bad - 1, first_bad)
            );
            assert!(asked.matches(['✓', '✗']).count() <= 7);
        }
    }

    #[test]
    fn what_cannot_be_judged_is_walked_around_and_what_is_left_of_it_stays() {
        for first_bad in 1..=30 {
            let unresolved: Vec<usize> = (10..=19).collect();
            let (machine, asked) = trace(Bisect::of(30), judge(first_bad, &unresolved));
            let (passing, failing) = (machine.passing(), machine.failing());
            assert!(passing < first_bad && first_bad <= failing, "{first_bad}");
            let between = (passing + 1..failing).collect::<Vec<_>>();
            assert!(between.is_empty() || between == unresolved, "{first_bad}");
            assert!(asked.matches('?').count() <= 10, "{asked}");
        }
    }

    #[test]
    fn a_single_change_needs_no_question() {
        assert_eq!(trace(Bisect::of(1), judge(1, &[])).1, "");
        assert_eq!(trace(Bisect::of(0), judge(0, &[])).1, "");
    }

    #[test]
    fn when_nothing_can_be_judged_all_are_asked_about_once() {
        let (machine, asked) = trace(Bisect::of(9), |_| Verdict::Unresolved);
        assert_eq!((machine.passing(), machine.failing()), (0, 9));
        assert_eq!(asked.matches('?').count(), 8);
    }
}
