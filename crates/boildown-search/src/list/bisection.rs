//! Binary search for a part of a list that is interesting alone.

use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict, Wide};

/// Throws away one half as long as the other one alone is interesting.
///
/// Throws the second half away first; when the first half alone is not interesting, throws that away instead. Ends when neither half is
/// interesting alone.
///
/// # Guarantee
/// Ends with an interesting run of neighbours of the list, neither half of which is interesting alone. Nothing more: with two
/// needed elements in different halves it ends at once. One needed element is found exactly, when the oracle is monotone.
/// Never asks about the empty list, and returns a single element unasked.
/// # Cost
/// At most 2 log₂ n questions for n elements. `tell` is O(1), and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// What lectures on delta debugging begin with: what one would do by hand. They leave open which half goes first; here as in ddmin
/// with two chunks, whose first questions these are. Of an odd number of elements the first half is the smaller one.
#[derive(Debug, Clone)]
pub struct Bisection {
    kept: Subset,
    /// The elements kept at the start, in order.
    items: Arc<[usize]>,
    /// What is kept of them.
    span: Range<usize>,
    trial: Trial,
    rate: HitRate,
}

/// What is asked next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trial {
    FirstHalf,
    SecondHalf,
    /// Nothing: neither half will do, or there are no two.
    Finished,
}

impl Bisection {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut machine = Self {
            kept: list.kept,
            items: Arc::new([]),
            span: 0..0,
            trial: Trial::Finished,
            rate: HitRate::new(0.5),
        };
        machine.restart(machine.best());
        machine
    }

    /// The half under trial, as positions in `items`.
    fn half(&self) -> Option<Range<usize>> {
        let middle = self.span.start.midpoint(self.span.end);
        match self.trial {
            Trial::FirstHalf => Some(self.span.start..middle),
            Trial::SecondHalf => Some(middle..self.span.end),
            Trial::Finished => None,
        }
    }

    fn candidate(&self, half: &Range<usize>) -> Subset {
        self.kept
            .only(self.items[half.start]..self.items[half.end - 1] + 1)
    }

    fn keep(&mut self, span: Range<usize>) {
        self.trial = if span.len() < 2 {
            Trial::Finished
        } else {
            Trial::FirstHalf
        };
        self.span = span;
    }

    fn miss(&mut self) {
        self.trial = match self.trial {
            Trial::FirstHalf => Trial::SecondHalf,
            Trial::SecondHalf | Trial::Finished => Trial::Finished,
        };
    }
}

impl Search for Bisection {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.half().map(|half| Question {
            candidate: self.candidate(&half),
            odds: self.rate.odds(),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.rate.learn(verdict.into());
        match self.half() {
            Some(half) if verdict.is_interesting() => {
                self.kept = self.candidate(&half);
                self.kept.commit();
                self.keep(half);
            }
            _ => self.miss(),
        }
    }

    fn skip(&mut self) {
        self.miss();
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for Bisection {}

impl Restart for Bisection {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.kept = best;
        self.keep(0..self.items.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::trace;

    #[test]
    fn one_needed_element_is_found_in_at_most_two_questions_a_halving() {
        let (asked, left) = trace(Bisection::on(List::uniform(8)), |kept| kept.contains(&7));
        let expected = [
            (vec![1, 2, 3, 4], false),
            (vec![5, 6, 7, 8], true),
            (vec![5, 6], false),
            (vec![7, 8], true),
            (vec![7], true),
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [7]);
    }

    #[test]
    fn two_needed_elements_in_different_halves_end_it() {
        let (asked, left) = trace(Bisection::on(List::uniform(9)), |kept| {
            kept.contains(&1) && kept.contains(&9)
        });
        assert_eq!(
            asked,
            [(vec![1, 2, 3, 4], false), (vec![5, 6, 7, 8, 9], false)]
        );
        assert_eq!(left.len(), 9);
    }
}
