//! Deletions in groups, by a list algorithm over each group.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{InBatches, List, ListAlgorithm as _};
use boildown_search::{AnyListSearch, Batches, Query, Search, Subset, Verdict};

/// Tokens that go together.
pub(crate) type Deletion = Vec<Range<usize>>;

/// Makes as many deletions of each group as possible, one group after the other.
///
/// # Guarantee
/// Ends with an interesting set. What it asks about deletes at least `smallest` tokens.
/// # Cost
/// That of the list algorithm over each group, whose elements weigh as many tokens as they delete.
/// A candidate is linear in the number of deletions of the group.
/// # Units
/// Elements of candidates are tokens of the document.
#[derive(Debug, Clone)]
pub(crate) struct GroupedDeletions {
    group: Group,
    /// The groups that are to come, the next one last.
    later: Vec<Group>,
    /// The tokens that are kept where the list of `group` begins.
    before: Subset,
    /// Queries that would delete fewer tokens are skipped.
    smallest: usize,
    next: Option<Query<Subset>>,
}

#[derive(Debug, Clone)]
struct Group {
    deletions: Arc<[Deletion]>,
    list: Batches<AnyListSearch>,
}

impl GroupedDeletions {
    /// Starts a search in a document of this number of tokens.
    pub(crate) fn new(
        tokens: usize,
        groups: impl IntoIterator<Item = Vec<Deletion>>,
        algorithm: InBatches<Algorithm>,
        smallest: usize,
    ) -> Self {
        let groups = groups.into_iter();
        let mut later: Vec<Group> = groups.map(|group| Group::new(group, algorithm)).collect();
        later.reverse();
        let mut search = Self {
            group: Group::new(Vec::new(), algorithm),
            later,
            before: Subset::full(tokens),
            smallest: smallest.max(1),
            next: None,
        };
        search.advance();
        search
    }

    /// Moves on to the next query that deletes enough.
    fn advance(&mut self) {
        self.next = loop {
            let Some(query) = self.group.list.ask() else {
                let Some(later) = self.later.pop() else {
                    break None;
                };
                self.before = self.best();
                self.group = later;
                continue;
            };
            if self.group.deletes(&query.candidate) >= self.smallest {
                break Some(query.map(|kept| self.group.keep(&self.before, &kept)));
            }
            self.group.list.skip();
        };
    }
}

impl Group {
    fn new(deletions: Vec<Deletion>, algorithm: InBatches<Algorithm>) -> Self {
        let weights = deletions.iter().map(|deletion| weight(deletion));
        let weights = weights.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
        let list = algorithm.algorithm.on(List::weighted(weights));
        Self {
            deletions: deletions.into(),
            list: Batches::new(list, algorithm.batch_size),
        }
    }

    /// Returns the number of tokens that go when only `kept` stay.
    fn deletes(&self, kept: &Subset) -> usize {
        let best = self.list.best();
        let gone = best.cuts_to(kept).into_iter().flatten();
        let gone = gone.filter(|&deletion| best.contains(deletion));
        gone.map(|deletion| weight(&self.deletions[deletion])).sum()
    }

    /// Returns the tokens of `before` without these deletions.
    fn keep(&self, before: &Subset, kept: &Subset) -> Subset {
        let gone = self.deletions.iter().enumerate();
        let gone = gone.filter(|(deletion, _)| !kept.contains(*deletion));
        let mut tokens = before.without(gone.flat_map(|(_, deletion)| deletion.iter().cloned()));
        tokens.commit();
        tokens
    }
}

/// Returns the number of tokens that a deletion deletes.
fn weight(deletion: &[Range<usize>]) -> usize {
    deletion.iter().map(ExactSizeIterator::len).sum()
}

impl Search for GroupedDeletions {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.next.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.group.list.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.group.list.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.group.keep(&self.before, &self.group.list.best())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduced_text::one_by_one;

    /// Returns what is kept, and the number of queries, when `needed` has to stay.
    fn run(groups: Vec<Vec<Deletion>>, smallest: usize, needed: usize) -> (Vec<usize>, usize) {
        let mut search = GroupedDeletions::new(10, groups, one_by_one(), smallest);
        let mut queries = 0;
        while let Some(query) = search.ask() {
            queries += 1;
            search.tell(match query.candidate.contains(needed) {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
        }
        (search.best().iter().collect(), queries)
    }

    #[test]
    fn a_group_that_may_go_goes_in_one_query() {
        let groups = vec![vec![vec![0..2], vec![3..4, 6..9]], vec![vec![5..6]]];
        assert_eq!(run(groups, 1, 9), (vec![2, 4, 9], 2));
    }

    #[test]
    fn what_a_deletion_needs_keeps_all_of_it() {
        let groups = vec![vec![vec![0..2], vec![3..4, 6..9]], vec![vec![5..6]]];
        let (kept, _) = run(groups, 1, 7);
        assert_eq!(kept, [2, 3, 4, 6, 7, 8, 9]);
    }

    #[test]
    fn queries_that_delete_too_little_are_not_asked() {
        let groups = vec![vec![vec![0..2], vec![3..4]], vec![vec![5..9]]];
        assert_eq!(run(groups, 4, 9), (vec![0, 1, 2, 3, 4, 9], 1));
    }
}
