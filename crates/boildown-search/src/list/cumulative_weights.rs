//! Cumulative weights of a list, to split a range of it where its weight halves.

use std::ops::Range;
use std::sync::Arc;

use super::List;

/// The elements that a list keeps at the start, in order, with cumulative weights. Ranges are
/// ranges of positions in it.
#[derive(Debug, Clone)]
pub struct CumulativeWeights(Arc<[CumulativeWeight]>);

#[derive(Debug, Clone, Copy)]
struct CumulativeWeight {
    element: usize,
    /// The weight of all elements up to and including this one.
    weight_through: u64,
}

impl CumulativeWeights {
    /// Sums the weights of what is left of a list. O(n).
    #[must_use]
    pub fn new(list: &List) -> Self {
        let mut weight_through = 0;
        let items = list.kept.iter().map(|element| {
            weight_through += list.weight(element);
            CumulativeWeight {
                element,
                weight_through,
            }
        });
        Self(items.collect())
    }

    /// Returns the number of positions.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "a list that is searched is not empty"
    )]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the range of elements from the first to the last one of a non-empty range of
    /// positions.
    #[must_use]
    pub fn element_range(&self, range: &Range<usize>) -> Range<usize> {
        self.0[range.start].element..self.0[range.end - 1].element + 1
    }

    /// Returns the position at which a range of at least two elements is split so that its weight
    /// halves. Neither half is empty.
    ///
    /// The left half grows while it holds at most half of the weight. The element that crosses the
    /// middle goes left if that brings the left half at least as close to the middle as leaving it
    /// out.
    #[must_use]
    pub fn split(&self, range: &Range<usize>) -> usize {
        let before = |index: usize| {
            index
                .checked_sub(1)
                .map_or(0, |last| self.0[last].weight_through)
        };
        let start = before(range.start);
        let half = (before(range.end) - start) / 2;
        let inside =
            self.0[range.clone()].partition_point(|item| item.weight_through - start <= half);
        let crossing = (range.start + inside).min(range.end - 1);
        let (left, with) = (before(crossing) - start, before(crossing + 1) - start);
        let middle = if half - left >= with - half {
            crossing + 1
        } else {
            crossing
        };
        middle.clamp(range.start + 1, range.end - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Subset;

    /// Returns a list with exactly these weights, zeros included.
    fn cumulative_weights(weights: &[u32]) -> CumulativeWeights {
        CumulativeWeights::new(&List {
            kept: Subset::full(weights.len()),
            weights: weights.into(),
        })
    }

    #[track_caller]
    fn check_split(weights: &[u32], left: usize) {
        assert_eq!(cumulative_weights(weights).split(&(0..weights.len())), left);
    }

    #[test]
    fn a_list_is_split_where_its_weight_halves_and_ties_are_resolved_to_the_left() {
        // Half of 10 is 5: the sums 1 + 3 and 1 + 3 + 2 are equally far from it.
        check_split(&[1, 3, 2, 4], 3);
        check_split(&[1, 2], 1);
        check_split(&[2, 1], 1);
        check_split(&[1, 1, 1, 1, 1], 2);
        check_split(&[100, 1, 1, 1], 1);
        check_split(&[1, 1, 1, 100], 3);
    }

    #[test]
    fn no_half_is_empty_when_weights_are_zero() {
        check_split(&[5, 0], 1);
        check_split(&[0, 5], 1);
        check_split(&[0, 0], 1);
        check_split(&[0, 0, 0], 2);
    }

    #[test]
    fn the_eight_nodes_of_the_wdd_paper_are_split_into_20_15_16_and_31() {
        // The paper gives the sums 13, 14, 24 and 31 of neighbours, and which nodes are split
        // where; the splits of 13 and 31 are our own choice.
        let weights = [6, 7, 7, 7, 8, 16, 15, 16];
        let items = cumulative_weights(&weights);
        let mut parts = vec![0..8];
        for _ in 0..2 {
            parts = (parts.iter())
                .flat_map(|range| {
                    let middle = items.split(range);
                    [range.start..middle, middle..range.end]
                })
                .collect();
        }
        assert_eq!(parts, [0..3, 3..5, 5..6, 6..8]);
        let sums: Vec<u32> = parts
            .into_iter()
            .map(|range| weights[range].iter().sum())
            .collect();
        assert_eq!(sums, [20, 15, 16, 31]);
    }

    proptest! {
        #[test]
        fn a_split_is_as_close_to_the_middle_as_any_other(weights in proptest::collection::vec(0_u32..50, 2..20), cut in 0_usize..8) {
            let range = cut.min(weights.len() - 2)..weights.len();
            let middle = cumulative_weights(&weights).split(&range);
            prop_assert!(range.start < middle && middle < range.end);
            // For an odd weight, the middle is rounded down.
            let half = weights[range.clone()].iter().sum::<u32>() / 2;
            let distance = |middle: usize| weights[range.start..middle].iter().sum::<u32>().abs_diff(half);
            let closest = (range.start + 1..range.end).map(distance).min();
            prop_assert_eq!(Some(distance(middle)), closest);
        }
    }
}
