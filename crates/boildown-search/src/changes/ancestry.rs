//! The commits of a history with their parents, and weights over ancestors.

use std::sync::Arc;

use crate::Subset;

/// The commits of a history with branches and merges, with their parents.
///
/// Commits are numbered so that each comes after its parents. The last one descends from all
/// others. Parents outside of the history are left out.
///
/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Ancestry {
    parents: Arc<[Vec<usize>]>,
}

impl Ancestry {
    /// Returns the history of these lists of parents, one for each commit.
    ///
    /// # Panics
    /// If a commit does not come after its parents.
    #[must_use]
    pub fn new(parents: Vec<Vec<usize>>) -> Self {
        let is_sorted =
            |(commit, parents): (usize, &Vec<usize>)| parents.iter().all(|p| *p < commit);
        assert!(
            parents.iter().enumerate().all(is_sorted),
            "each commit comes after its parents"
        );
        Self {
            parents: parents.into(),
        }
    }

    /// Returns a history of this many commits without branches.
    #[must_use]
    pub fn line(commits: usize) -> Self {
        Self::new(
            (0..commits)
                .map(|commit| commit.checked_sub(1).into_iter().collect())
                .collect(),
        )
    }

    /// Returns the number of commits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether there are no commits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the parents of a commit that are in the history.
    #[must_use]
    pub fn parents(&self, commit: usize) -> &[usize] {
        &self.parents[commit]
    }

    /// Returns for each commit whether it is this one or an ancestor of it.
    pub(crate) fn closure(&self, commit: usize) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut pending = vec![commit];
        while let Some(commit) = pending.pop() {
            if !std::mem::replace(&mut reached[commit], true) {
                pending.extend(&self.parents[commit]);
            }
        }
        reached
    }

    /// Returns a commit with all its ancestors, as a set of changes that can be applied.
    #[must_use]
    pub fn with_ancestors(&self, commit: usize) -> Subset {
        let reached = self.closure(commit);
        let absent = (0..self.len()).filter(|commit| !reached[*commit]);
        Subset::full(self.len()).without(absent.map(|commit| commit..commit + 1))
    }

    /// Returns for each commit the sum of a weight over it and its ancestors.
    ///
    /// Takes time proportional to the number of commits, once more for each merge.
    pub(crate) fn sums(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums: Vec<f64> = Vec::with_capacity(self.len());
        let mut reached_for = vec![usize::MAX; self.len()];
        let mut pending = Vec::new();
        for commit in 0..self.len() {
            let sum = match self.parents[commit][..] {
                [] => weight(commit),
                [parent] => sums[parent] + weight(commit),
                _ => {
                    let mut sum = 0.0;
                    pending.push(commit);
                    while let Some(found) = pending.pop() {
                        if std::mem::replace(&mut reached_for[found], commit) != commit {
                            sum += weight(found);
                            pending.extend(&self.parents[found]);
                        }
                    }
                    sum
                }
            };
            sums.push(sum);
        }
        sums
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Histories with many merges, in which the last commit descends from all others.
    pub(in super::super) fn histories(most: usize) -> impl Strategy<Value = Ancestry> {
        let parents = proptest::collection::vec((any::<u16>(), any::<u16>(), 0..3_u8), 1..most);
        parents.prop_map(|choices| {
            let mut all: Vec<Vec<usize>> = vec![Vec::new()];
            for (commit, (one, two, kind)) in (1..).zip(&choices) {
                // Mostly one of the last few commits.
                let near = |choice: u16| {
                    let back = usize::from(choice % 256).min(usize::from(choice / 256));
                    commit - 1 - back % commit
                };
                let mut parents = vec![near(*one)];
                if *kind == 0 && near(*two) != parents[0] {
                    parents.push(near(*two));
                }
                all.push(parents);
            }
            // The last one merges all branches.
            let heads = (0..all.len()).filter(|commit| !all.iter().any(|p| p.contains(commit)));
            let heads: Vec<usize> = heads.collect();
            if heads.len() > 1 {
                all.push(heads);
            }
            Ancestry::new(all)
        })
    }

    proptest! {
        #[test]
        fn sums_are_those_over_the_ancestors(history in histories(40)) {
            let sums = history.sums(|commit| (commit + 1) as f64);
            for (commit, sum) in sums.iter().enumerate() {
                let ancestors = history.with_ancestors(commit);
                let expected: usize = ancestors.iter().map(|commit| commit + 1).sum();
                prop_assert!((sum - expected as f64).abs() < 1e-6);
            }
            prop_assert_eq!(history.with_ancestors(history.len() - 1).count(), history.len());
        }
    }
}
