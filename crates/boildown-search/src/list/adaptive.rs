//! Adaptive deletion: runs as long as they go.

use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::{Question, Restart, Search, Subset, Verdict, Wide};

/// Removes runs of neighbours, right to left, as long as they go.
///
/// At each place it tries to delete 1, 2, 3, 4 elements, then doubles while that succeeds, then bisects to the longest run.
///
/// # Guarantee
/// Ends with an interesting set. Minimal when the oracle is monotone and unambiguous; 1-minimal only when followed by
/// [`Sweep`](super::Sweep).
/// # Cost
/// One question for each needed element, O(log k) for a removable run of k: about n when nothing can go.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// D. R. MacIver, A. F. Donaldson, *Test-Case Reduction via Test-Case Generation*, ECOOP 2020 (Hypothesis' `find_integer`
/// and adaptive deletion).
#[derive(Debug, Clone)]
pub struct Adaptive {
    kept: Subset,
    /// The elements kept at the start, in order.
    items: Arc<[usize]>,
    /// The run under trial ends before this position in `items`. Invariant: everything from here on is decided.
    end: usize,
    phase: Phase,
}

/// Where the search for the longest deletable run stands. `known` elements before `end` are already deleted.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// Trying `known + 1`, up to 4.
    Linear { known: usize },
    /// Doubling: `known` go; trying `next`.
    Gallop { known: usize, next: usize },
    /// `known` go and `known < fails` do not; trying the middle.
    Bisect { known: usize, fails: usize },
}

impl Adaptive {
    /// The longest run tried one by one before doubling.
    const LINEAR: usize = 4;

    fn known(&self) -> usize {
        match self.phase {
            Phase::Linear { known } | Phase::Gallop { known, .. } | Phase::Bisect { known, .. } => {
                known
            }
        }
    }

    fn length(&self) -> usize {
        match self.phase {
            Phase::Linear { known } => known + 1,
            Phase::Gallop { next, .. } => next,
            Phase::Bisect { known, fails } => known.midpoint(fails),
        }
    }

    fn cut(&self) -> Range<usize> {
        self.items[self.end - self.length()]..self.items[self.end - 1] + 1
    }

    /// Moves on after deleting a run of the length under trial was found to work or not, through everything that needs no question.
    fn step(&mut self, worked: bool) {
        let length = self.length();
        self.phase = match (self.phase, worked) {
            (Phase::Linear { .. }, true) if length < Self::LINEAR => {
                Phase::Linear { known: length }
            }
            (Phase::Linear { .. }, true) => Phase::Gallop {
                known: length,
                next: length + 1,
            },
            (Phase::Gallop { .. }, true) => Phase::Gallop {
                known: length,
                next: length * 2,
            },
            (Phase::Bisect { fails, .. }, true) => Phase::Bisect {
                known: length,
                fails,
            },
            (
                Phase::Linear { known } | Phase::Gallop { known, .. } | Phase::Bisect { known, .. },
                false,
            ) => Phase::Bisect {
                known,
                fails: length,
            },
        };
        // A run cannot reach beyond the front of the list: that needs no question.
        if self.length() > self.end {
            self.phase = Phase::Bisect {
                known: self.known(),
                fails: self.end + 1,
            };
        }
        if let Phase::Bisect { known, fails } = self.phase
            && known + 1 >= fails
        {
            self.end = self.end.saturating_sub(fails);
            self.phase = Phase::Linear { known: 0 };
        }
    }
}

impl Adaptive {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut machine = Self {
            kept: list.kept,
            items: Arc::new([]),
            end: 0,
            phase: Phase::Linear { known: 0 },
        };
        machine.restart(machine.best());
        machine
    }
}

impl Search for Adaptive {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        (self.end > 0).then(|| Question {
            candidate: self.kept.without([self.cut()]),
            odds: match self.phase {
                Phase::Linear { known: 0 } => 0.1,
                Phase::Linear { .. } | Phase::Gallop { .. } => 0.7,
                Phase::Bisect { .. } => 0.5,
            },
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if verdict.is_interesting() {
            self.kept = self.kept.without([self.cut()]);
            self.kept.commit();
        }
        self.step(verdict.is_interesting());
    }

    fn skip(&mut self) {
        self.step(false);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for Adaptive {}

impl Restart for Adaptive {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.end = self.items.len();
        self.phase = Phase::Linear { known: 0 };
        self.kept = best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(n: usize, needed: &[usize]) -> (usize, Vec<usize>) {
        let mut machine = Adaptive::on(List::uniform(n));
        let mut count = 0;
        while let Some(question) = machine.ask() {
            count += 1;
            let hit = needed
                .iter()
                .all(|&element| question.candidate.contains(element));
            machine.tell(if hit {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        (count, machine.best().iter().collect())
    }

    #[test]
    fn a_needed_element_costs_one_question() {
        assert_eq!(questions(5, &[0, 1, 2, 3, 4]), (5, vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn a_long_removable_run_costs_a_logarithm() {
        assert_eq!(questions(1000, &[0]), (21, vec![0]));
        assert_eq!(questions(1000, &[]), (21, vec![]));
    }
}
