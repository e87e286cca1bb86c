//! Strongly connected components of requirements: elements that require each other.

use fixedbitset::FixedBitSet;

use super::Requirements;
use super::requirements::PackedLists;
use crate::Subset;

/// The strongly connected components of the requirements among some elements: elements that require
/// each other are one component.
///
/// Components are numbered so that each one comes after everything that it requires.
pub(super) struct Components {
    /// The elements of each component, in ascending order.
    members: PackedLists,
    /// The components that each component requires directly, in ascending order. All of them have
    /// lower numbers.
    requires: PackedLists,
}

/// The weight that a closure adds. In this order every closure comes after those inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AddedWeight {
    /// The weight of a closure of at most [`Components::EXACT`] components.
    Exactly(u64),
    /// The weight of the heaviest chain of requirements in a larger closure.
    AtLeast(u64),
}

impl Components {
    /// The largest closure, in components, whose weight is computed; larger ones are ordered by a
    /// bound. That keeps the work linear: the weights of all closures of a chain are quadratic
    /// work.
    const EXACT: usize = 256;

    /// Finds the components among the kept elements. O(elements + requirements), without recursion.
    ///
    /// R. E. Tarjan, *Depth-First Search and Linear Graph Algorithms*, SIAM J. Comput. 1(2), 1972.
    /// The usual graph library has a recursive implementation, which overflows the stack on a chain
    /// of a hundred thousand elements.
    pub(super) fn among(kept: &Subset, requirements: &Requirements) -> Self {
        let bits = kept.to_bits();
        let none = usize::MAX;
        // The time at which each element was first seen, the earliest element in an open component
        // that it reaches, and its component.
        let mut seen = vec![none; bits.len()];
        let mut low = vec![none; bits.len()];
        let mut component = vec![none; bits.len()];
        let (mut clock, mut count) = (0, 0);
        let mut open = Vec::new();
        // The path from the root, with the index of the next requirement to follow.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for root in bits.ones() {
            if seen[root] == none {
                path.push((root, 0));
            }
            while let Some((element, next)) = path.last_mut() {
                let element = *element;
                if seen[element] == none {
                    (seen[element], low[element]) = (clock, clock);
                    clock += 1;
                    open.push(element);
                }
                let index = *next;
                *next += 1;
                if let Some(&used) = requirements.direct_requirements(element).get(index) {
                    if !bits.contains(used) {
                        continue;
                    }
                    if seen[used] == none {
                        path.push((used, 0));
                    } else if component[used] == none {
                        low[element] = low[element].min(seen[used]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[element]);
                }
                if low[element] == seen[element] {
                    while let Some(member) = open.pop() {
                        component[member] = count;
                        if member == element {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        let members: Vec<(usize, usize)> = bits
            .ones()
            .map(|element| (component[element], element))
            .collect();
        let mut requires: Vec<(usize, usize)> = bits
            .ones()
            .flat_map(|user| {
                requirements
                    .direct_requirements(user)
                    .iter()
                    .map(move |&used| (user, used))
            })
            .filter(|(_, used)| bits.contains(*used))
            .map(|(user, used)| (component[user], component[used]))
            .filter(|(user, used)| user != used)
            .collect();
        requires.sort_unstable();
        requires.dedup();
        Self {
            members: PackedLists::new(count, &members),
            requires: PackedLists::new(count, &requires),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.members.len()
    }

    pub(super) fn members(&self, component: usize) -> &[usize] {
        self.members.list(component)
    }

    /// Returns the components that `component` requires, directly or through others, and itself,
    /// without those in `known`.
    pub(super) fn closure(&self, component: usize, known: &FixedBitSet) -> Vec<usize> {
        let mut found = vec![component];
        let mut reached = FixedBitSet::with_capacity(self.count());
        reached.insert(component);
        let mut at = 0;
        while let Some(&user) = found.get(at) {
            at += 1;
            for &used in self.requires.list(user) {
                if !known.contains(used) && !reached.put(used) {
                    found.push(used);
                }
            }
        }
        found
    }

    /// Orders components by what their closures add to `known`, then by their first elements. Every
    /// prefix of the result is closed, together with `known`.
    ///
    /// `live` and `known` together hold everything that they require.
    pub(super) fn progression(
        &self,
        mut live: Vec<usize>,
        known: &FixedBitSet,
        weight: impl Fn(usize) -> u64,
    ) -> Vec<usize> {
        let of_component = |component: usize| -> u64 {
            self.members(component)
                .iter()
                .map(|&element| weight(element))
                .sum()
        };
        // A required component has a lower number, so its chain is already known.
        live.sort_unstable();
        let mut weights = vec![0; self.count()];
        let mut chains = vec![0; self.count()];
        let mut reached_for = vec![usize::MAX; self.count()];
        let mut closure = Vec::new();
        let mut keys = Vec::with_capacity(live.len());
        for component in live {
            weights[component] = of_component(component);
            // The chains of known components are 0.
            let below = self.requires.list(component).iter();
            let heaviest = below.map(|&used| chains[used]).max().unwrap_or(0);
            chains[component] = weights[component] + heaviest;
            closure.clear();
            closure.push(component);
            reached_for[component] = component;
            let mut at = 0;
            while at < closure.len() && closure.len() <= Self::EXACT {
                for &used in self.requires.list(closure[at]) {
                    if !known.contains(used) && reached_for[used] != component {
                        reached_for[used] = component;
                        closure.push(used);
                    }
                }
                at += 1;
            }
            let added = if closure.len() > Self::EXACT {
                AddedWeight::AtLeast(chains[component])
            } else {
                AddedWeight::Exactly(closure.iter().map(|&used| weights[used]).sum())
            };
            keys.push((added, self.members(component)[0], component));
        }
        keys.sort_unstable();
        keys.into_iter()
            .map(|(_, _, component)| component)
            .collect()
    }
}

impl std::fmt::Debug for Components {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries((0..self.count()).map(|component| self.members(component)))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn progression(components: &Components, weights: &[u64]) -> Vec<Vec<usize>> {
        let known = FixedBitSet::with_capacity(components.count());
        components
            .progression((0..components.count()).collect(), &known, |element| {
                weights[element]
            })
            .into_iter()
            .map(|component| components.members(component).to_vec())
            .collect()
    }

    #[test]
    fn a_cycle_is_one_component_and_comes_after_what_it_requires() {
        // 0 → 3 → 1 → 3, 2 → 0, 4 alone.
        let requirements = Requirements::new(5, [(0, 3), (3, 1), (1, 3), (2, 0)]);
        let components = Components::among(&Subset::full(5), &requirements);
        assert_eq!(format!("{components:?}"), "[[1, 3], [0], [2], [4]]");
        assert_eq!(components.requires.list(1), [0]);
        assert_eq!(components.requires.list(2), [1]);
        let broken = Components::among(&Subset::full(5).without([1..2]), &requirements);
        assert_eq!(
            format!("{broken:?}"),
            "[[3], [0], [2], [4]]",
            "without 1 there is no cycle"
        );
    }

    #[test]
    fn closures_are_ordered_by_weight_then_by_first_element() {
        let requirements = Requirements::new(5, [(0, 3), (3, 1), (1, 3), (2, 0)]);
        let components = Components::among(&Subset::full(5), &requirements);
        assert_eq!(
            progression(&components, &[1, 1, 1, 1, 1]),
            [vec![4], vec![1, 3], vec![0], vec![2]]
        );
        assert_eq!(
            progression(&components, &[1, 1, 1, 1, 3]),
            [vec![1, 3], vec![0], vec![4], vec![2]],
            "{{0, 1, 3}} weighs as much as {{4}}, and starts first"
        );
    }

    #[test]
    fn closures_too_large_to_be_weighed_come_after_what_they_require() {
        let n = 3 * Components::EXACT;
        let requirements = Requirements::new(n, (1..n).map(|user| (n - 1 - user, n - user)));
        let components = Components::among(&Subset::full(n), &requirements);
        let expected: Vec<Vec<usize>> = (0..n).rev().map(|element| vec![element]).collect();
        assert_eq!(progression(&components, &vec![1; n]), expected);
    }

    proptest! {
        #[test]
        fn elements_of_a_component_are_in_the_closures_of_each_other(
            (n, edges, absent) in (1_usize..=12).prop_flat_map(|n| {
                let edges = proptest::collection::vec((0..n, 0..n), 0..2 * n);
                (Just(n), edges, proptest::collection::vec(0..n, 0..3))
            }),
        ) {
            let kept = Subset::full(n).without(absent.iter().map(|&element| element..element + 1));
            let among = |edge: &(usize, usize)| kept.contains(edge.0) && kept.contains(edge.1);
            let inside = Requirements::new(n, edges.iter().copied().filter(among));
            let components = Components::among(&kept, &Requirements::new(n, edges));
            let mut component_of = vec![None; n];
            for component in 0..components.count() {
                let list = components.requires.list(component);
                prop_assert!(list.iter().all(|&used| used < component), "{component} requires {list:?}");
                for &member in components.members(component) {
                    component_of[member] = Some(component);
                }
            }
            for one in 0..n {
                prop_assert_eq!(component_of[one].is_some(), kept.contains(one));
                for other in kept.iter().filter(|_| kept.contains(one)) {
                    let together = inside.closure([one]).contains(other) && inside.closure([other]).contains(one);
                    prop_assert_eq!(component_of[one] == component_of[other], together);
                }
            }
        }
    }
}
