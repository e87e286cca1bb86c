//! Any list machine, with deletions that take along whatever requires what they delete.

use std::num::NonZeroUsize;

use super::Requirements;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Asks only about closed sets: deleting an element deletes all that requires it, directly or through others.
///
/// Each candidate of the machine is shrunk to its largest closed subset before it is asked about. When that leaves the best as
/// it is, since all that the machine would delete went along with something else, the machine is told `Interesting` without
/// a question.
///
/// # Guarantee
/// That of the machine, over closed deletions: 1-minimal, when the machine is, means that deleting any one element of the result and
/// all that requires it was answered `Uninteresting` or `Unresolved`. Every candidate is closed among the elements of the start.
/// # Cost
/// At most the machine's questions. `tell` costs what is deleted and what requires it, and O(n / 64) when something goes along.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// C. G. Kalhauge, J. Palsberg, *Binary Reduction of Dependency Graphs*, ESEC/FSE 2019: the valid inputs are the closed sets. There
/// delta debugging runs over closures to keep; here a machine deletes what it likes, and its deletions grow.
#[derive(Debug, Clone)]
pub struct Closed<M> {
    /// Its best holds all of `best`; what it has more went along with other deletions, and it does not know so.
    machine: M,
    requirements: Requirements,
    best: Subset,
    /// The machine's question about a closed set, smaller than `best`. `None` when finished.
    question: Option<Question<Subset>>,
}

impl<M: Search<Candidate = Subset>> Closed<M> {
    /// Makes the deletions of `machine` closed. It has to stand at its start.
    pub fn new(machine: M, requirements: Requirements) -> Self {
        let mut closed = Self {
            best: machine.best(),
            machine,
            requirements,
            question: None,
        };
        closed.advance();
        closed
    }

    /// Returns the machine, told everything so far.
    pub fn inner(&self) -> &M {
        &self.machine
    }

    /// The question over the largest closed set in its candidate; `None` when that is all of the best.
    fn close(&self, question: &Question<Subset>) -> Option<Question<Subset>> {
        let kept = question.candidate.intersection([&self.best]);
        if self.best.lost_in(&kept).is_empty() {
            return None;
        }
        Some(Question {
            candidate: self.requirements.largest_closed_in(&kept, &self.best),
            odds: question.odds,
        })
    }

    /// Walks on to the next question that deletes something. Ends, since the machine ends whatever it is told.
    fn advance(&mut self) {
        loop {
            let Some(question) = self.machine.ask() else {
                self.question = None;
                return;
            };
            self.question = self.close(&question);
            if self.question.is_some() {
                return;
            }
            self.machine.tell(Verdict::Interesting);
            self.share();
        }
    }

    /// Takes the machine's own form of the best when it holds no more: candidates that share its base are cheap.
    fn share(&mut self) {
        let known = self.machine.best();
        if known.lost_in(&self.best).is_empty() {
            self.best = known;
        }
        self.best.commit();
    }
}

impl<M: Search<Candidate = Subset>> Search for Closed<M> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.question.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.machine.tell(verdict);
        if verdict.is_interesting() {
            let question = self.question.take();
            self.best = question
                .expect("only a machine that asks is told")
                .candidate;
            self.share();
        }
        self.advance();
    }

    fn skip(&mut self) {
        self.machine.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.best.clone()
    }
}

/// What two closed sets have in common is closed: an element of both has all that it requires in both. So deletions that worked
/// alone can be merged as the machine's own. They may overlap in what they take along; what a miss has in common with a hit
/// is gone, and the machine hears so when it asks about it. An epoch ends before a deletion that holds an earlier one.
impl<M: Wide> Wide for Closed<M> {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        // What changes nothing has to become the machine's first question before it can be told.
        let questions = self.machine.pending(width).into_iter();
        questions
            .map_while(|question| self.close(&question))
            .collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let width = NonZeroUsize::new(fates.len()).unwrap_or(NonZeroUsize::MIN);
        let questions = self.pending(width);
        let hits = questions
            .iter()
            .zip(fates)
            .filter(|(_, fate)| **fate == Fate::Told(Verdict::Interesting))
            .map(|(question, _)| &question.candidate);
        self.best = self.best.intersection(hits);
        self.machine.settle(fates);
        self.share();
        self.advance();
    }
}

impl<M: Restart<Candidate = Subset>> Restart for Closed<M> {
    fn restart(&mut self, best: Subset) {
        self.machine.restart(best.clone());
        self.best = best;
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::kept_sets;
    use crate::list::{Halving, List, Sweep};

    #[test]
    fn what_went_along_is_not_asked_about() {
        // 0 and 3 require each other, 2 requires 1.
        let requirements = Requirements::new(5, [(0, 3), (3, 0), (2, 1)]);
        let sweep = Closed::new(Sweep::on(List::uniform(5)), requirements);
        let (asked, left) = kept_sets(sweep, |kept| kept.contains(&4));
        let expected: [&[usize]; 5] = [
            &[0, 1, 2, 3],
            &[1, 2, 4],
            &[1, 4],
            &[4],
            // 0 went with 3: the sweep comes round to the last one, 4.
            &[],
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [4]);
    }

    #[test]
    fn a_use_goes_with_its_definition_when_the_machine_comes_to_the_definition_first() {
        // All of 2..8 require 0, which is asked about last; 1 is needed.
        let requirements = Requirements::new(8, (2..8).map(|user| (user, 0)));
        let (asked, left) = kept_sets(
            Closed::new(Halving::on(List::uniform(8)), requirements),
            |kept| kept.contains(&1) && !(2..7).all(|element| kept.contains(&element)),
        );
        assert!(
            asked
                .iter()
                .all(|kept| kept.contains(&0) || kept.iter().all(|element| *element < 2))
        );
        assert_eq!(left, [1]);
    }

    #[test]
    fn the_requirements_of_the_start_count_not_those_that_are_already_void() {
        let requirements = Requirements::new(4, [(3, 0), (2, 1)]);
        let mut closed = Closed::new(Sweep::on(List::uniform(4)), requirements);
        closed.restart(Subset::full(4).without([0..1]));
        let (asked, left) = kept_sets(closed, |kept| kept.contains(&3));
        assert_eq!(asked, [vec![1, 2], vec![1, 3], vec![3], vec![]]);
        assert_eq!(left, [3]);
    }
}
