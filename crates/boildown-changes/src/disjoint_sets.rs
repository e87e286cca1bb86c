//! A union-find structure.

/// Disjoint sets of numbers. The smallest number of a set represents it.
///
/// The vector holds, for each number, a number of its set that is smaller, or itself.
#[derive(Debug, Clone)]
pub struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Puts each number below `count` into a set of its own.
    #[must_use]
    pub fn new(count: u32) -> Self {
        Self((0..count).collect())
    }

    /// Returns the smallest number of a set. Halves the path to it on the way.
    ///
    /// # Panics
    /// When the number is not below the count.
    pub fn find(&mut self, mut number: u32) -> u32 {
        loop {
            let parent = self.0[number as usize];
            if parent == number {
                return number;
            }
            self.0[number as usize] = self.0[parent as usize];
            number = parent;
        }
    }

    /// Makes one set of the sets of two numbers.
    ///
    /// # Panics
    /// When one of the numbers is not below the count.
    pub fn union(&mut self, one: u32, two: u32) {
        let (one, two) = (self.find(one), self.find(two));
        self.0[one.max(two) as usize] = one.min(two);
    }

    /// Makes one set of all numbers to which `groups` gives the same group.
    ///
    /// # Panics
    /// When there are more groups than numbers.
    pub fn union_groups(&mut self, groups: &[u32]) {
        let mut first = std::collections::HashMap::new();
        for (number, group) in (0..).zip(groups) {
            let first = *first.entry(group).or_insert(number);
            self.union(first, number);
        }
    }

    /// Returns the set of each number, by its smallest number.
    pub fn into_groups(mut self) -> Vec<u32> {
        let numbers = (0..).take(self.0.len());
        numbers.map(|number| self.find(number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_represented_by_its_smallest_member() {
        let mut sets = DisjointSets::new(6);
        sets.union(5, 3);
        sets.union(4, 5);
        sets.union(1, 4);
        assert_eq!(sets.into_groups(), [0, 1, 2, 1, 1, 1]);
    }

    #[test]
    fn groups_become_sets() {
        let mut sets = DisjointSets::new(5);
        sets.union(0, 3);
        sets.union_groups(&[7, 2, 2, 9, 7]);
        assert_eq!(sets.into_groups(), [0, 1, 1, 0, 0]);
    }
}
