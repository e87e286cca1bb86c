//! Reordering: looks for an order of a list with few inversions.

use std::ops::Range;
use std::sync::Arc;

use crate::{Query, Search, Verdict};

/// Looks for an order of a list that is as close to a wanted order as possible.
///
/// An inversion is a pair of elements that are not in the wanted order. The search first asks for
/// the wanted order of the whole list, and then of halves, quarters and so on of those parts that
/// have to stay as they are. After that it moves single elements, those first that undo the most
/// inversions.
///
/// For example, if 2 has to precede 1, the order 3 2 1 becomes 2 1 3: the queries are 1 2 3 (miss),
/// 2 3 1 (hit), 1 2 3 (miss), 2 1 3 (hit), 1 2 3 (miss).
///
/// # Guarantee
/// Ends with an interesting order. No move of a single element that undoes more inversions than it
/// makes is interesting; among more than 64 elements, no exchange of two neighbours is.
/// # Cost
/// At most 2n queries over parts of n elements, and up to n² moves after each hit of one.
/// # Units
/// Elements are their positions in the wanted order.
/// # Source
/// Our own.
#[derive(Debug, Clone)]
pub struct Reordering {
    best: Arc<[usize]>,
    stage: ReorderingStage,
}

#[derive(Debug, Clone)]
enum ReorderingStage {
    /// The parts that have not been asked about, the next one last.
    Parts(Vec<Range<usize>>),
    /// The moves that have not been asked about, the next one last.
    Moves(Vec<Move>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Move {
    from: usize,
    to: usize,
}

/// The largest list of which elements are moved by more than one place.
const LARGEST: usize = 64;

impl Reordering {
    /// Starts on elements in an order that is interesting.
    #[must_use]
    pub fn new(elements: impl IntoIterator<Item = usize>) -> Self {
        let best: Arc<[usize]> = elements.into_iter().collect();
        let whole = ReorderingStage::Parts(vec![Range {
            start: 0,
            end: best.len(),
        }]);
        let mut search = Self { best, stage: whole };
        search.settle();
        search
    }

    /// Moves to the next part or move that changes something.
    fn settle(&mut self) {
        if let ReorderingStage::Parts(parts) = &mut self.stage {
            while let Some(part) = parts.last()
                && self.best[part.clone()].is_sorted()
            {
                parts.pop();
            }
            if parts.is_empty() {
                self.stage = ReorderingStage::Moves(moves(&self.best));
            }
        }
    }

    /// Returns the order that the next query asks about.
    fn order(&self) -> Option<Arc<[usize]>> {
        let mut order = self.best.to_vec();
        match &self.stage {
            ReorderingStage::Parts(parts) => order[parts.last()?.clone()].sort_unstable(),
            ReorderingStage::Moves(moves) => {
                let next = moves.last()?;
                let element = order.remove(next.from);
                order.insert(next.to, element);
            }
        }
        Some(order.into())
    }

    fn advance(&mut self, verdict: Option<Verdict>) {
        let is_hit = verdict.is_some_and(Verdict::is_interesting);
        if is_hit && let Some(order) = self.order() {
            self.best = order;
        }
        match &mut self.stage {
            ReorderingStage::Parts(parts) => {
                if let Some(part) = parts.pop()
                    && !is_hit
                    && part.len() > 2
                {
                    let middle = part.start + part.len() / 2;
                    parts.extend([part.start..middle, middle..part.end]);
                }
            }
            ReorderingStage::Moves(left) if is_hit => *left = moves(&self.best),
            ReorderingStage::Moves(left) => {
                left.pop();
            }
        }
        self.settle();
    }
}

/// Returns the moves that undo more inversions than they make, the best one last.
fn moves(order: &[usize]) -> Vec<Move> {
    let farthest = match order.len() {
        0..=LARGEST => order.len(),
        _ => 1,
    };
    let mut moves = Vec::new();
    for (from, &element) in order.iter().enumerate() {
        let mut gain = 0_i64;
        for to in (from.saturating_sub(farthest)..from).rev() {
            gain += if order[to] > element { 1 } else { -1 };
            moves.push((gain, Move { from, to }));
        }
        gain = 0;
        // To exchange neighbours, the left one is enough.
        for (to, &other) in order.iter().enumerate().skip(from + 1).take(farthest) {
            gain += if other < element { 1 } else { -1 };
            if to > from + 1 {
                moves.push((gain, Move { from, to }));
            }
        }
    }
    moves.retain(|(gain, _)| *gain > 0);
    moves.sort_by_key(|(gain, _)| *gain);
    moves.into_iter().map(|(_, next)| next).collect()
}

impl Search for Reordering {
    type Candidate = Arc<[usize]>;

    fn ask(&self) -> Option<Query<Arc<[usize]>>> {
        Some(Query {
            candidate: self.order()?,
            odds: 0.5,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.advance(Some(verdict));
    }

    fn skip(&mut self) {
        self.advance(None);
    }

    fn best(&self) -> Arc<[usize]> {
        Arc::clone(&self.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the order that is found when these pairs have to stay in this order, and the number
    /// of queries.
    fn reordered(start: &[usize], pairs: &[(usize, usize)]) -> (Vec<usize>, usize) {
        let mut asked = 0;
        let mut search = Reordering::new(start.iter().copied());
        while let Some(query) = search.ask() {
            asked += 1;
            let order = query.candidate;
            let at = |element| order.iter().position(|&other| other == element);
            search.tell(
                match pairs.iter().all(|&(first, second)| at(first) < at(second)) {
                    true => Verdict::Interesting,
                    false => Verdict::Uninteresting,
                },
            );
        }
        (search.best().to_vec(), asked)
    }

    #[test]
    fn the_wanted_order_is_asked_about_first() {
        assert_eq!(reordered(&[3, 2, 1, 0], &[]), (vec![0, 1, 2, 3], 1));
        assert_eq!(reordered(&[0, 1, 2], &[]), (vec![0, 1, 2], 0));
        assert_eq!(reordered(&[], &[]), (vec![], 0));
    }

    #[test]
    fn only_the_inversions_that_are_needed_are_left() {
        let inversions = |pairs| {
            let (order, _) = reordered(&[4, 3, 2, 1, 0], pairs);
            let after = |place: usize| order[place..].iter();
            let counts = order.iter().enumerate();
            let counts =
                counts.map(|(place, one)| after(place).filter(|other| *other < one).count());
            counts.sum::<usize>()
        };
        assert_eq!(reordered(&[2, 1, 0], &[(1, 0)]).0, [1, 0, 2]);
        assert_eq!(inversions(&[(1, 0)]), 1);
        // Each of the three elements between them is on the wrong side of one of them.
        assert_eq!(inversions(&[(4, 0)]), 4);
        assert_eq!(inversions(&[(4, 3), (1, 0)]), 2);
    }

    #[test]
    fn the_search_ends_whatever_the_verdicts_are() {
        let backwards: Vec<usize> = (0..100).rev().collect();
        let (order, _) = reordered(&backwards, &[(99, 0), (50, 49)]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        let (order, _) = reordered(&backwards, &[(99, 98), (98, 97), (97, 96)]);
        assert_eq!(order.iter().position(|&element| element == 99), Some(96));
    }
}
