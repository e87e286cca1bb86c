//! Deletion-only halving.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::frontier::{Following, Frontier};
use super::weighed::Weighed;
use super::{Direction, List};
use crate::odds::RatesBySize;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Removes elements by halving, cut by weight: depth-first and right to left unless told otherwise.
///
/// Asks to delete everything, then the right half, then the left half, and so on: a chunk that can go is dropped, a chunk
/// that cannot is split where its weight halves. No chunk is visited twice. Later elements go first because they tend to
/// use the earlier ones.
///
/// # Guarantee
/// Ends with an interesting set. Minimal when the oracle is monotone and unambiguous; 1-minimal only when followed by
/// [`Sweep`](super::Sweep).
/// # Cost
/// At most 2n − 1 questions for n elements, in either order. `tell` is O(log n), and O(n / 64) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// G. Gharachorlu, N. Sumner, *Avoiding the Familiar to Speed Up Test Case Reduction*, QRS 2018 (one pass, no revisits). The
/// split by weight follows X. Zhou et al., *WDD*, ICSE 2025, §3: the left part grows while it holds at most half, and the
/// element that crosses the middle goes left when that is not further from it. The usual order is our
/// own: depth-first, right to left.
#[derive(Debug, Clone)]
pub struct Halving {
    list: List,
    items: Weighed,
    order: Order,
    direction: Direction,
    /// Chunks still to be asked, as positions in `items`. Invariant: disjoint, and all of their elements are kept.
    chunks: Frontier,
    rates: RatesBySize,
}

/// The order in which a halving visits the chunks of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Both halves of a chunk, down to their elements, before what lies beside it: each question is close to the last one.
    #[default]
    Depth,
    /// All chunks of a size before their halves: what is large goes first.
    Breadth,
}

impl Halving {
    /// Starts on a list, with an order and the end of the list that goes first.
    #[must_use]
    pub fn with_order(list: List, order: Order, direction: Direction) -> Self {
        let items = Weighed::new(&list);
        Self {
            chunks: Frontier::new(order, 0..items.len()),
            list,
            items,
            order,
            direction,
            rates: RatesBySize::new(0.3),
        }
    }

    /// Starts on a list: depth-first, right to left.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_order(list, Order::Depth, Direction::Backwards)
    }

    fn question(&self, chunk: &Range<usize>) -> Question<Subset> {
        Question {
            candidate: self.list.kept.without([self.items.cut(chunk)]),
            odds: self.rates.odds(chunk.len()),
        }
    }

    /// The halves of a chunk of at least two elements, in the order of asking.
    fn halves(&self, chunk: &Range<usize>) -> [Following; 2] {
        let middle = self.items.split(chunk);
        let (left, right) = (chunk.start..middle, middle..chunk.end);
        match self.direction {
            Direction::Forwards => [left, right],
            Direction::Backwards => [right, left],
        }
        .map(Following::Half)
    }
}

impl Search for Halving {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.chunks
            .first(1)
            .first()
            .map(|chunk| self.question(chunk))
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
        let chunks = self.chunks.first(width.get());
        chunks.iter().map(|chunk| self.question(chunk)).collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let mut cuts = Vec::new();
        let mut following = Vec::new();
        for (chunk, fate) in self.chunks.first(fates.len()).into_iter().zip(fates) {
            if let Fate::Told(verdict) = fate {
                self.rates.learn(chunk.len(), (*verdict).into());
            }
            match fate {
                Fate::Told(Verdict::Interesting) => cuts.push(self.items.cut(&chunk)),
                Fate::Postponed => following.push(Following::Again(chunk)),
                Fate::Told(_) | Fate::Skipped if chunk.len() > 1 => {
                    following.extend(self.halves(&chunk));
                }
                Fate::Told(_) | Fate::Skipped => {}
            }
        }
        self.chunks.replace(fates.len(), following);
        if !cuts.is_empty() {
            self.list.kept = self.list.kept.without(cuts);
            self.list.kept.commit();
        }
    }
}

impl Restart for Halving {
    fn restart(&mut self, best: Subset) {
        self.list.kept = best;
        self.items = Weighed::new(&self.list);
        self.chunks = Frontier::new(self.order, 0..self.items.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::trace;

    #[test]
    fn one_needed_element_among_eight_is_found_right_to_left() {
        let (asked, left) = trace(Halving::on(List::uniform(8)), |kept| kept.contains(&3));
        let expected = [
            (vec![], false),
            (vec![1, 2, 3, 4], true),
            (vec![], false),
            (vec![1, 2], false),
            (vec![1, 2, 3], true),
            (vec![1, 2], false),
            (vec![3], true),
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [3]);
    }

    /// What each question deletes of six elements when nothing can go.
    fn deleted(order: Order, direction: Direction) -> Vec<Vec<usize>> {
        let (asked, _) = trace(
            Halving::with_order(List::uniform(6), order, direction),
            |_| false,
        );
        (asked.iter())
            .map(|(kept, _)| (1..=6).filter(|element| !kept.contains(element)).collect())
            .collect()
    }

    #[test]
    fn depth_first_goes_down_to_the_elements_and_breadth_first_level_by_level() {
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[1, 2, 3],
            &[1],
            &[2, 3],
            &[2],
            &[3],
            &[4, 5, 6],
            &[4],
            &[5, 6],
            &[5],
            &[6],
        ];
        assert_eq!(deleted(Order::Depth, Direction::Forwards), chunks);
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[4, 5, 6],
            &[5, 6],
            &[6],
            &[5],
            &[4],
            &[1, 2, 3],
            &[2, 3],
            &[3],
            &[2],
            &[1],
        ];
        assert_eq!(deleted(Order::Depth, Direction::Backwards), chunks);
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[1, 2, 3],
            &[4, 5, 6],
            &[1],
            &[2, 3],
            &[4],
            &[5, 6],
            &[2],
            &[3],
            &[5],
            &[6],
        ];
        assert_eq!(deleted(Order::Breadth, Direction::Forwards), chunks);
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[4, 5, 6],
            &[1, 2, 3],
            &[5, 6],
            &[4],
            &[2, 3],
            &[1],
            &[6],
            &[5],
            &[3],
            &[2],
        ];
        assert_eq!(deleted(Order::Breadth, Direction::Backwards), chunks);
    }
}
