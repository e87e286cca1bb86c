//! Which element requires which.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::Subset;

/// For each element of a list, the elements without which it is worth nothing. Immutable; a clone shares it.
///
/// Cycles are allowed: elements that require each other stay or go together. An element beyond the list requires nothing.
///
/// ```
/// use boildown_search::Subset;
/// use boildown_search::graph::Requirements;
///
/// // 0: `type A`, 1: `type B`, 2: `fn f(A)`, 3: `f()`.
/// let requirements = Requirements::new(4, [(2, 0), (3, 2)]);
/// let kept = |set: Subset| set.iter().collect::<Vec<_>>();
/// assert_eq!(kept(requirements.closure([3])), [0, 2, 3]);
/// assert_eq!(kept(requirements.largest_closed(&Subset::full(4).without([0..1]))), [1]);
/// ```
#[derive(Clone)]
pub struct Requirements(Arc<Edges>);

struct Edges {
    /// For each element, what it requires.
    used: Rows,
    /// For each element, what requires it.
    users: Rows,
}

impl Requirements {
    /// Takes edges `(user, used)` between the elements `0..universe`, in any order. O(edges · log edges).
    ///
    /// # Panics
    /// When an edge names an element that is not in the list.
    #[must_use]
    pub fn new(universe: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut edges: Vec<(usize, usize)> = edges
            .into_iter()
            .filter(|(user, used)| user != used)
            .inspect(|(user, used)| {
                assert!(
                    *user < universe && *used < universe,
                    "{user} requires {used} in a list of {universe}"
                );
            })
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let used = Rows::new(universe, &edges);
        for (user, used) in &mut edges {
            std::mem::swap(user, used);
        }
        let users = Rows::new(universe, &edges);
        Self(Arc::new(Edges { used, users }))
    }

    /// Returns the number of elements of the list.
    #[must_use]
    pub fn universe(&self) -> usize {
        self.0.used.len()
    }

    /// Returns what `user` requires directly, in ascending order.
    #[must_use]
    pub fn of(&self, user: usize) -> &[usize] {
        self.0.used.row(user)
    }

    /// Returns what requires `used` directly, in ascending order.
    #[must_use]
    pub fn users(&self, used: usize) -> &[usize] {
        self.0.users.row(used)
    }

    /// Returns whether every kept element has all that it requires.
    #[must_use]
    pub fn is_closed(&self, kept: &Subset) -> bool {
        self.is_closed_in(kept, &Subset::full(kept.universe()))
    }

    /// Returns whether every kept element has all that it requires of `whole`. Proportional to what `whole` has more, and its users.
    #[must_use]
    pub fn is_closed_in(&self, kept: &Subset, whole: &Subset) -> bool {
        self.none_requires(&whole.lost_in(kept), kept)
    }

    /// Whether none of the kept elements requires one of the lost directly.
    pub(super) fn none_requires(&self, lost: &[usize], kept: &Subset) -> bool {
        let mut users = lost.iter().flat_map(|&used| self.users(used));
        !users.any(|&user| kept.contains(user))
    }

    /// Returns the largest closed subset of `kept`: what is left after deleting all that requires, directly or through
    /// others, something that is not kept.
    #[must_use]
    pub fn largest_closed(&self, kept: &Subset) -> Subset {
        self.largest_closed_in(kept, &Subset::full(kept.universe()))
    }

    /// Returns the largest subset of `kept` that is closed among the elements of `whole`. Proportional to what `whole` has more
    /// than the result, and its users, and to universe / 64.
    #[must_use]
    pub fn largest_closed_in(&self, kept: &Subset, whole: &Subset) -> Subset {
        let mut lost = whole.lost_in(kept);
        if self.none_requires(&lost, kept) {
            return kept.clone();
        }
        let mut left = kept.to_bits();
        while let Some(used) = lost.pop() {
            for &user in self.users(used) {
                if left.contains(user) {
                    left.remove(user);
                    lost.push(user);
                }
            }
        }
        Subset::from_bits(left)
    }

    /// Returns the smallest closed set that holds all of `elements`.
    ///
    /// # Panics
    /// When an element is not in the list.
    #[must_use]
    pub fn closure(&self, elements: impl IntoIterator<Item = usize>) -> Subset {
        let mut reached = FixedBitSet::with_capacity(self.universe());
        let mut pending: Vec<usize> = elements.into_iter().collect();
        while let Some(element) = pending.pop() {
            if !reached.put(element) {
                pending.extend_from_slice(self.of(element));
            }
        }
        Subset::from_bits(reached)
    }
}

impl std::fmt::Debug for Requirements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let users = (0..self.universe()).filter(|&user| !self.of(user).is_empty());
        f.debug_map()
            .entries(users.map(|user| (user, self.of(user))))
            .finish()
    }
}

/// A row of numbers for each number `0..len`, in one piece.
pub(super) struct Rows {
    /// Where each row starts in `entries`, and where the last one ends.
    starts: Vec<usize>,
    entries: Vec<usize>,
}

impl Rows {
    /// Takes pairs of a row and an entry; a row keeps the order in which its entries come.
    pub(super) fn new(rows: usize, pairs: &[(usize, usize)]) -> Self {
        let mut starts = vec![0; rows + 1];
        for &(row, _) in pairs {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; starts[rows]];
        for &(row, entry) in pairs {
            entries[next[row]] = entry;
            next[row] += 1;
        }
        Self { starts, entries }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Empty beyond the last row.
    pub(super) fn row(&self, row: usize) -> &[usize] {
        match self.starts.get(row..row.saturating_add(2)) {
            Some(&[start, end]) => &self.entries[start..end],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(set: &Subset) -> Vec<usize> {
        set.iter().collect()
    }

    /// 1 and 2 require each other, 3 requires 1, 5 requires 4; 0 stands alone.
    fn six() -> Requirements {
        Requirements::new(6, [(3, 1), (1, 2), (2, 1), (5, 4), (3, 1), (4, 4)])
    }

    #[test]
    fn edges_are_read_both_ways_once_each_and_without_loops() {
        let six = six();
        assert_eq!(six.of(3), [1]);
        assert_eq!(six.users(1), [2, 3]);
        assert_eq!(six.of(4), [0; 0]);
        assert_eq!(six.of(6), [0; 0], "beyond the list");
        assert_eq!(format!("{six:?}"), "{1: [2], 2: [1], 3: [1], 5: [4]}");
    }

    #[test]
    fn a_cycle_stays_or_goes_together_with_all_that_requires_it() {
        let six = six();
        assert_eq!(kept(&six.closure([3])), [1, 2, 3]);
        assert_eq!(kept(&six.closure([5, 0])), [0, 4, 5]);
        let without = |element: usize| Subset::full(6).without([element..element + 1]);
        assert_eq!(kept(&six.largest_closed(&without(2))), [0, 4, 5]);
        assert_eq!(kept(&six.largest_closed(&without(4))), [0, 1, 2, 3]);
        assert_eq!(kept(&six.largest_closed(&without(5))), [0, 1, 2, 3, 4]);
        assert!(six.is_closed(&without(5)));
        assert!(!six.is_closed(&without(4)));
    }

    #[test]
    fn a_requirement_on_what_is_already_gone_is_void() {
        let six = six();
        let whole = Subset::full(6).without([1..2]);
        assert!(!six.is_closed(&whole));
        assert!(six.is_closed_in(&whole, &whole));
        let fewer = whole.without([4..5]);
        assert_eq!(kept(&six.largest_closed_in(&fewer, &whole)), [0, 2, 3]);
    }

    #[test]
    #[should_panic(expected = "3 requires 9 in a list of 6")]
    fn an_edge_out_of_the_list_is_refused() {
        drop(Requirements::new(6, [(3, 9)]));
    }
}
