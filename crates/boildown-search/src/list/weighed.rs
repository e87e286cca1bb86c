//! A list with its weights, and where the weight of a part of it halves.

use std::ops::Range;
use std::sync::Arc;

use super::List;

/// The elements kept at the start, in order. Parts of the list are ranges of positions in it.
#[derive(Debug, Clone)]
pub(super) struct Weighed(Arc<[Item]>);

#[derive(Debug, Clone, Copy)]
struct Item {
    element: usize,
    /// The weight of everything up to and with this one.
    weight_through: u64,
}

impl Weighed {
    pub(super) fn new(list: &List) -> Self {
        let mut weight_through = 0;
        let items = list.kept.iter().map(|element| {
            weight_through += list.weight(element);
            Item {
                element,
                weight_through,
            }
        });
        Self(items.collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The elements of a part that is not empty, and everything between them.
    pub(super) fn cut(&self, part: &Range<usize>) -> Range<usize> {
        self.0[part.start].element..self.0[part.end - 1].element + 1
    }

    /// Splits a part of at least two elements where its weight halves. Neither half is empty.
    ///
    /// The left half grows while it holds at most half of the weight; the element that crosses the middle goes left when that
    /// brings the left half at least as close to the middle as leaving it out.
    pub(super) fn split(&self, part: &Range<usize>) -> usize {
        let before = |place: usize| {
            place
                .checked_sub(1)
                .map_or(0, |last| self.0[last].weight_through)
        };
        let start = before(part.start);
        let half = (before(part.end) - start) / 2;
        let inside =
            self.0[part.clone()].partition_point(|item| item.weight_through - start <= half);
        let crossing = (part.start + inside).min(part.end - 1);
        let (left, with) = (before(crossing) - start, before(crossing + 1) - start);
        let middle = if half - left >= with - half {
            crossing + 1
        } else {
            crossing
        };
        middle.clamp(part.start + 1, part.end - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Subset;

    /// A list whose weights are exactly these, zeros too.
    fn weighed(weights: &[u32]) -> Weighed {
        Weighed::new(&List {
            kept: Subset::full(weights.len()),
            weights: weights.into(),
        })
    }

    #[track_caller]
    fn check_split(weights: &[u32], left: usize) {
        assert_eq!(weighed(weights).split(&(0..weights.len())), left);
    }

    #[test]
    fn a_list_is_split_where_its_weight_halves_and_ties_go_left() {
        // Half of 10 is 5: 1 + 3 and 1 + 3 + 2 are equally far from it.
        check_split(&[1, 3, 2, 4], 3);
        check_split(&[1, 2], 1);
        check_split(&[2, 1], 1);
        check_split(&[1, 1, 1, 1, 1], 2);
        check_split(&[100, 1, 1, 1], 1);
        check_split(&[1, 1, 1, 100], 3);
    }

    #[test]
    fn weights_of_zero_leave_no_half_empty() {
        check_split(&[5, 0], 1);
        check_split(&[0, 5], 1);
        check_split(&[0, 0], 1);
        check_split(&[0, 0, 0], 2);
    }

    #[test]
    fn the_eight_nodes_of_the_wdd_paper_are_cut_into_20_15_16_and_31() {
        // The paper gives the sums 13, 14, 24 and 31 of neighbours, and which nodes are cut where; how 13 and 31 are divided is ours.
        let weights = [6, 7, 7, 7, 8, 16, 15, 16];
        let items = weighed(&weights);
        let mut parts = vec![0..8];
        for _ in 0..2 {
            parts = (parts.iter())
                .flat_map(|part| {
                    let middle = items.split(part);
                    [part.start..middle, middle..part.end]
                })
                .collect();
        }
        assert_eq!(parts, [0..3, 3..5, 5..6, 6..8]);
        let sums: Vec<u32> = parts
            .into_iter()
            .map(|part| weights[part].iter().sum())
            .collect();
        assert_eq!(sums, [20, 15, 16, 31]);
    }

    proptest! {
        #[test]
        fn a_split_is_as_close_to_the_middle_as_any_other(weights in proptest::collection::vec(0_u32..50, 2..20), cut in 0_usize..8) {
            let part = cut.min(weights.len() - 2)..weights.len();
            let middle = weighed(&weights).split(&part);
            prop_assert!(part.start < middle && middle < part.end);
            // Of an odd weight the smaller half is meant.
            let half = weights[part.clone()].iter().sum::<u32>() / 2;
            let distance = |middle: usize| weights[part.start..middle].iter().sum::<u32>().abs_diff(half);
            let closest = (part.start + 1..part.end).map(distance).min();
            prop_assert_eq!(Some(distance(middle)), closest);
        }
    }
}
