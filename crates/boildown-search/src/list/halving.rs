//! Deletion-only halving, right to left.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::odds::RatesBySize;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Removes elements by halving depth-first, right to left, cut by weight.
///
/// Asks to delete everything, then the right half, then the left half, and so on: a chunk that can go is dropped, a chunk
/// that cannot is split where its weight halves. No chunk is visited twice. Later elements go first because they tend to
/// use the earlier ones.
///
/// # Guarantee
/// Ends with an interesting set. Minimal when the oracle is monotone and unambiguous; 1-minimal only when followed by
/// [`Sweep`](super::Sweep).
/// # Cost
/// At most 2n − 1 questions for n elements. `tell` is O(log n), and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// G. Gharachorlu, N. Sumner, *Avoiding the Familiar to Speed Up Test Case Reduction*, QRS 2018 (one pass, no revisits). The
/// split by weight follows X. Zhou et al., *WDD*, ICSE 2025, §3: the left part grows while it holds at most half, and the
/// element that crosses the middle goes left when that is not further from it. Differs from both: depth-first, right to left.
#[derive(Debug, Clone)]
pub struct Halving {
    list: List,
    /// The elements kept at the start, in order, with the weight of everything before each.
    items: Arc<[Item]>,
    /// Chunks still to be asked, as positions in `items`; the last one is next. Invariant: disjoint, and all of their elements are kept.
    chunks: Vec<Range<usize>>,
    rates: RatesBySize,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    element: usize,
    weight_before: u64,
}

impl Halving {
    fn cut(&self, chunk: &Range<usize>) -> Range<usize> {
        self.items[chunk.start].element..self.items[chunk.end - 1].element + 1
    }

    /// Splits a chunk of at least two items where its weight halves. Both parts are non-empty.
    fn split(&self, chunk: &Range<usize>) -> usize {
        let weight = |item: usize| self.list.weight(self.items[item].element);
        let before =
            |item: usize| self.items[item].weight_before - self.items[chunk.start].weight_before;
        let total = before(chunk.end - 1) + weight(chunk.end - 1);
        let half = total / 2;
        // The first item whose end lies beyond the middle.
        let inside = self.items[chunk.clone()].partition_point(|item| {
            item.weight_before - self.items[chunk.start].weight_before
                + self.list.weight(item.element)
                <= half
        });
        let crossing = (chunk.start + inside).min(chunk.end - 1);
        let (left, with) = (before(crossing), before(crossing) + weight(crossing));
        let middle = if half - left >= with - half {
            crossing + 1
        } else {
            crossing
        };
        middle.clamp(chunk.start + 1, chunk.end - 1)
    }

    fn question(&self, chunk: &Range<usize>) -> Question<Subset> {
        Question {
            candidate: self.list.kept.without([self.cut(chunk)]),
            odds: self.rates.odds(chunk.len()),
        }
    }
}

impl Halving {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut machine = Self {
            list,
            items: Arc::new([]),
            chunks: Vec::new(),
            rates: RatesBySize::new(0.3),
        };
        machine.restart(machine.best());
        machine
    }
}

impl Search for Halving {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.chunks.last().map(|chunk| self.question(chunk))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.settle(&[Fate::Told(verdict)]);
    }

    fn skip(&mut self) {
        self.settle(&[Fate::Skipped]);
    }

    fn best(&self) -> Subset {
        self.list.kept.clone()
    }
}

impl Wide for Halving {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let first = self.chunks.len().saturating_sub(width.get());
        let chunks = self.chunks[first..].iter().rev();
        chunks.map(|chunk| self.question(chunk)).collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let asked = self.chunks.split_off(self.chunks.len() - fates.len());
        let mut cuts = Vec::new();
        // The first question was about the last chunk.
        for (chunk, fate) in asked.into_iter().zip(fates.iter().rev()) {
            if let Fate::Told(verdict) = fate {
                self.rates.learn(chunk.len(), (*verdict).into());
            }
            match fate {
                Fate::Told(Verdict::Interesting) => cuts.push(self.cut(&chunk)),
                Fate::Postponed => self.chunks.push(chunk),
                Fate::Told(_) | Fate::Skipped if chunk.len() > 1 => {
                    let middle = self.split(&chunk);
                    self.chunks.push(chunk.start..middle);
                    self.chunks.push(middle..chunk.end);
                }
                Fate::Told(_) | Fate::Skipped => {}
            }
        }
        if !cuts.is_empty() {
            self.list.kept = self.list.kept.without(cuts);
            self.list.kept.commit();
        }
    }
}

impl Restart for Halving {
    fn restart(&mut self, best: Subset) {
        let mut weight_before = 0;
        self.items = best
            .iter()
            .map(|element| {
                let item = Item {
                    element,
                    weight_before,
                };
                weight_before += self.list.weight(element);
                item
            })
            .collect();
        self.list.kept = best;
        self.chunks = if self.items.is_empty() {
            Vec::new()
        } else {
            vec![0..self.items.len()]
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_split(weights: &[u32], left: usize) {
        let machine = Halving::on(List::weighted(weights.iter().copied()));
        assert_eq!(machine.split(&(0..weights.len())), left);
    }

    #[test]
    fn a_list_is_split_where_its_weight_halves_and_ties_go_left() {
        check_split(&[1, 3, 2, 4], 3);
        check_split(&[1, 2], 1);
        check_split(&[2, 1], 1);
        check_split(&[5, 0], 1);
        check_split(&[0, 0], 1);
        check_split(&[1, 1, 1, 1, 1], 2);
        check_split(&[100, 1, 1, 1], 1);
        check_split(&[1, 1, 1, 100], 3);
    }

    #[test]
    fn one_needed_element_among_eight_is_found_right_to_left() {
        let mut machine = Halving::on(List::uniform(8));
        let mut asked = Vec::new();
        while let Some(question) = machine.ask() {
            let kept: Vec<usize> = question.candidate.iter().collect();
            let hit = kept.contains(&2);
            asked.push(kept);
            machine.tell(if hit {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        assert_eq!(
            asked,
            [
                vec![],
                vec![0, 1, 2, 3],
                vec![],
                vec![0, 1],
                vec![0, 1, 2],
                vec![0, 1],
                vec![2]
            ]
        );
        assert_eq!(machine.best().iter().collect::<Vec<_>>(), [2]);
    }
}
