//! Requirements between the elements of a list.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::Subset;

/// For each element of a list, the elements that it requires. Immutable; clones share the data.
///
/// Cycles are allowed: elements that require each other are kept or deleted together. An element
/// beyond the list requires nothing.
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
pub struct Requirements(Arc<RequirementEdges>);

struct RequirementEdges {
    /// For each element, the elements that it requires.
    used: PackedLists,
    /// For each element, the elements that require it.
    direct_users: PackedLists,
}

impl Requirements {
    /// Makes requirements from pairs `(user, used)` of elements in `0..universe`, in any order.
    /// O(edges · log edges).
    ///
    /// # Panics
    /// If a pair names an element that is not in the list.
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
        let used = PackedLists::new(universe, &edges);
        for (user, used) in &mut edges {
            std::mem::swap(user, used);
        }
        let direct_users = PackedLists::new(universe, &edges);
        Self(Arc::new(RequirementEdges { used, direct_users }))
    }

    /// Returns the number of elements of the list.
    #[must_use]
    pub fn universe(&self) -> usize {
        self.0.used.len()
    }

    /// Returns the elements that `user` requires directly, in ascending order.
    #[must_use]
    pub fn direct_requirements(&self, user: usize) -> &[usize] {
        self.0.used.list(user)
    }

    /// Returns the elements that require `used` directly, in ascending order.
    #[must_use]
    pub fn direct_users(&self, used: usize) -> &[usize] {
        self.0.direct_users.list(used)
    }

    /// Returns whether every kept element has everything that it requires.
    #[must_use]
    pub fn is_closed(&self, kept: &Subset) -> bool {
        self.is_closed_in(kept, &Subset::full(kept.universe()))
    }

    /// Returns whether every kept element has everything that it requires among the elements of
    /// `whole`. Takes time proportional to the elements that only `whole` has, and their users.
    #[must_use]
    pub fn is_closed_in(&self, kept: &Subset, whole: &Subset) -> bool {
        self.none_requires(&whole.lost_in(kept), kept)
    }

    /// Returns whether none of the kept elements requires one of the lost ones directly.
    #[must_use]
    pub fn none_requires(&self, lost: &[usize], kept: &Subset) -> bool {
        let mut direct_users = lost.iter().flat_map(|&used| self.direct_users(used));
        !direct_users.any(|&user| kept.contains(user))
    }

    /// Returns the largest closed subset of `kept`: the elements left after deleting everything
    /// that requires, directly or through others, an element that is not kept.
    #[must_use]
    pub fn largest_closed(&self, kept: &Subset) -> Subset {
        self.largest_closed_in(kept, &Subset::full(kept.universe()))
    }

    /// Returns the largest subset of `kept` that is closed among the elements of `whole`. Takes
    /// time proportional to universe / 64, and to the elements that `whole` has more than the
    /// result, and their users.
    #[must_use]
    pub fn largest_closed_in(&self, kept: &Subset, whole: &Subset) -> Subset {
        let mut lost = whole.lost_in(kept);
        if self.none_requires(&lost, kept) {
            return kept.clone();
        }
        let mut left = kept.to_bits();
        while let Some(used) = lost.pop() {
            for &user in self.direct_users(used) {
                if left.contains(user) {
                    left.remove(user);
                    lost.push(user);
                }
            }
        }
        Subset::from_bits(left)
    }

    /// Returns the smallest closed set that includes all of `elements`.
    ///
    /// # Panics
    /// If an element is not in the list.
    #[must_use]
    pub fn closure(&self, elements: impl IntoIterator<Item = usize>) -> Subset {
        let mut reached = FixedBitSet::with_capacity(self.universe());
        let mut pending: Vec<usize> = elements.into_iter().collect();
        while let Some(element) = pending.pop() {
            if !reached.put(element) {
                pending.extend_from_slice(self.direct_requirements(element));
            }
        }
        Subset::from_bits(reached)
    }
}

impl std::fmt::Debug for Requirements {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let direct_users =
            (0..self.universe()).filter(|&user| !self.direct_requirements(user).is_empty());
        f.debug_map()
            .entries(direct_users.map(|user| (user, self.direct_requirements(user))))
            .finish()
    }
}

/// A list of numbers for each index `0..len`, in one allocation.
pub(super) struct PackedLists {
    /// The start of each list in `entries`, and the end of the last one.
    starts: Vec<usize>,
    entries: Vec<usize>,
}

impl PackedLists {
    /// Makes lists from pairs of a list index and an entry. The entries of a list keep their order.
    pub(super) fn new(rows: usize, pairs: &[(usize, usize)]) -> Self {
        let mut starts = vec![0; rows + 1];
        for &(list, _) in pairs {
            starts[list + 1] += 1;
        }
        for list in 0..rows {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; starts[rows]];
        for &(list, entry) in pairs {
            entries[next[list]] = entry;
            next[list] += 1;
        }
        Self { starts, entries }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns a list; empty beyond the last one.
    pub(super) fn list(&self, list: usize) -> &[usize] {
        match self.starts.get(list..list.saturating_add(2)) {
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

    /// Returns six elements: 1 and 2 require each other, 3 requires 1, 5 requires 4; 0 requires
    /// nothing and is not required.
    fn six() -> Requirements {
        Requirements::new(6, [(3, 1), (1, 2), (2, 1), (5, 4), (3, 1), (4, 4)])
    }

    #[test]
    fn requirements_are_known_in_both_directions_without_repeats_and_loops() {
        let six = six();
        assert_eq!(six.direct_requirements(3), [1]);
        assert_eq!(six.direct_users(1), [2, 3]);
        assert_eq!(six.direct_requirements(4), [0; 0]);
        assert_eq!(six.direct_requirements(6), [0; 0], "beyond the list");
        assert_eq!(format!("{six:?}"), "{1: [2], 2: [1], 3: [1], 5: [4]}");
    }

    #[test]
    fn a_cycle_is_kept_or_deleted_with_everything_that_requires_it() {
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
    fn a_requirement_for_a_deleted_element_is_void() {
        let six = six();
        let whole = Subset::full(6).without([1..2]);
        assert!(!six.is_closed(&whole));
        assert!(six.is_closed_in(&whole, &whole));
        let fewer = whole.without([4..5]);
        assert_eq!(kept(&six.largest_closed_in(&fewer, &whole)), [0, 2, 3]);
    }

    #[test]
    #[should_panic(expected = "3 requires 9 in a list of 6")]
    fn a_requirement_beyond_the_list_panics() {
        drop(Requirements::new(6, [(3, 9)]));
    }
}
