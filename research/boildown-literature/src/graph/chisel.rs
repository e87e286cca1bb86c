//! Chisel: ddmin whose deletions are tried in the order of learned odds.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rpds::VectorSync;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::graph::Requirements;
use boildown_search::list::List;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use crate::list::Subsets;

/// Minimises a list with ddmin, except that the deletions of a granularity are sorted by learned
/// odds, and those that break a requirement are left out.
///
/// Splits the kept elements into chunks. Deletes a chunk, or everything but a chunk, whichever is
/// more promising, and halves the chunks if nothing can be deleted. A missed deletion of k elements
/// counts as one needed element, shared equally among the k. The odds of a deletion are those that
/// none of its elements is needed, given these shares. Of equally promising deletions, later chunks
/// come first.
///
/// # Guarantee
/// 1-minimal over the deletions that break no requirement: dropping any single kept element that no
/// other kept element requires was answered `Uninteresting` or `Unresolved`. Elements that require
/// each other are deleted only if one chunk holds them all. Every candidate is closed among the
/// elements of the start.
/// # Cost
/// O(n²) queries for n elements in the worst case. `tell` takes O(n + requirements + chunks · log
/// chunks) when the chunks change.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// K. Heo, W. Lee, P. Pashakhanloo, M. Naik, *Effective Program Debloating via Reinforcement
/// Learning*, CCS 2018 (CHISEL). The differences: odds come from counts, as in a naive Bayes
/// classifier, instead of a decision tree over all attempts. The order is fixed when the chunks
/// change instead of after every attempt. Requirements between elements take the place of its
/// checks of C programs. The granularity is that of ddmin (after a chunk was dropped, as many
/// chunks as are left), and chunks cover the whole list. As in CHISEL, and unlike in ddmin, a
/// single element that is left is tried too.
/// # Example
/// ```
/// use boildown_literature::graph::Chisel;
/// use boildown_search::graph::Requirements;
/// use boildown_search::list::List;
/// use boildown_search::{Search as _, Verdict, run};
///
/// // 3 requires 0, so the first half is not deleted before the second half.
/// let requirements = Requirements::new(4, [(3, 0)]);
/// let search = run(Chisel::on(List::uniform(4), requirements), |kept| match kept.contains(1) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// });
/// assert_eq!(search.best().iter().collect::<Vec<_>>(), [1]);
/// ```
#[derive(Debug, Clone)]
pub struct Chisel {
    requirements: Requirements,
    subsets: Subsets,
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// The chunks of this granularity, as ranges of positions in `items`.
    chunks: Arc<[Range<usize>]>,
    /// The deletions to be tried at this granularity, the most promising first. Empty when
    /// finished.
    attempts: Arc<[Attempt]>,
    /// The index of the current attempt. Invariant: below `attempts.len()` unless finished.
    current: usize,
    /// The attempts that missed and were not skipped. They are counted when the chunks change.
    missed: VectorSync<Attempt>,
    /// The missed deletions of each element of the original list, in shares of `ONE`.
    blame: Arc<[u64]>,
}

/// A deletion to be tried.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    chunk: usize,
    kind: AttemptKind,
    /// The expected number of needed elements among those that it deletes, in shares of `ONE`.
    needed: u64,
}

/// The elements that an attempt deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AttemptKind {
    /// Deletes the chunk.
    Complement,
    /// Deletes everything but the chunk.
    Subset,
}

impl Chisel {
    /// One missed deletion. Shares are whole numbers, so that sums do not depend on their order.
    const ONE: u64 = 1 << 32;
    /// The share of each element before anything was asked.
    const PRIOR: u64 = Self::ONE / 10;

    /// Starts on a list, with the subset step of the paper.
    #[must_use]
    pub fn on(list: List, requirements: Requirements) -> Self {
        Self::with_subsets(list, requirements, Subsets::Try)
    }

    /// Starts on a list, with or without the subset step.
    #[must_use]
    pub fn with_subsets(list: List, requirements: Requirements, subsets: Subsets) -> Self {
        let mut search = Self {
            requirements,
            subsets,
            blame: vec![0; list.kept.universe()].into(),
            kept: list.kept,
            items: Arc::new([]),
            chunks: Arc::new([]),
            attempts: Arc::new([]),
            current: 0,
            missed: VectorSync::new_sync(),
        };
        search.restart(search.best());
        search
    }

    fn candidate(&self, attempt: Attempt) -> Subset {
        let chunk = &self.chunks[attempt.chunk];
        let elements = self.items[chunk.start]..self.items[chunk.end - 1] + 1;
        match attempt.kind {
            AttemptKind::Complement => self.kept.without([elements]),
            AttemptKind::Subset => self.kept.only(elements),
        }
    }

    /// Moves to the next attempt, or to smaller chunks if there is none.
    fn advance(&mut self) {
        self.current += 1;
        if self.current < self.attempts.len() {
            return;
        }
        if self.chunks.len() < self.items.len() {
            self.begin(self.chunks.len() * 2);
        } else {
            self.attempts = Arc::new([]);
        }
    }

    /// Starts a granularity of at most `count` chunks, or of more if nothing can be tried with
    /// them.
    fn begin(&mut self, count: usize) {
        self.split(count);
        while self.attempts.is_empty() && self.chunks.len() < self.items.len() {
            self.split(self.chunks.len() * 2);
        }
    }

    /// Counts the misses of this granularity, and splits the kept elements into at most `count`
    /// chunks.
    fn split(&mut self, count: usize) {
        self.count_misses();
        self.items = self.kept.iter().collect();
        let length = self.items.len();
        let count = count.min(length);
        let mut start = 0;
        self.chunks = (0..count)
            .map(|chunk| {
                let end = start + (length - start) / (count - chunk);
                std::mem::replace(&mut start, end)..end
            })
            .collect();
        self.attempts = self.sorted_attempts();
        self.current = 0;
    }

    /// Shares the misses of this granularity among the elements of the missed deletions.
    fn count_misses(&mut self) {
        if self.missed.is_empty() {
            return;
        }
        // The share of a deletion of everything but a chunk is given to all, and taken back from
        // the chunk.
        let mut everyone = 0;
        let mut own = vec![(0, 0); self.chunks.len()];
        for attempt in &self.missed {
            let length = self.chunks[attempt.chunk].len();
            match attempt.kind {
                AttemptKind::Complement => own[attempt.chunk].0 += Self::ONE / length as u64,
                AttemptKind::Subset => {
                    let share = Self::ONE / (self.items.len() - length) as u64;
                    everyone += share;
                    own[attempt.chunk].1 += share;
                }
            }
        }
        let mut blame = self.blame.to_vec();
        for (chunk, (given, taken)) in self.chunks.iter().zip(own) {
            for &element in &self.items[chunk.clone()] {
                blame[element] += everyone + given - taken;
            }
        }
        self.blame = blame.into();
        self.missed = VectorSync::new_sync();
    }

    /// Returns the deletions with these chunks that break no requirement, the most promising first.
    fn sorted_attempts(&self) -> Arc<[Attempt]> {
        let suspicion = |chunk: &Range<usize>| -> u64 {
            let elements = self.items[chunk.clone()].iter();
            elements
                .map(|&element| Self::PRIOR + self.blame[element])
                .sum()
        };
        let suspicions: Vec<u64> = self.chunks.iter().map(suspicion).collect();
        let total: u64 = suspicions.iter().sum();
        let (used_outside, uses_outside) = self.dependence();
        // With two chunks the subsets are the complements.
        let with_subsets = self.subsets == Subsets::Try && self.chunks.len() > 2;
        let mut attempts = Vec::new();
        for (chunk, &needed) in suspicions.iter().enumerate() {
            if !used_outside[chunk] {
                let kind = AttemptKind::Complement;
                attempts.push(Attempt {
                    chunk,
                    kind,
                    needed,
                });
            }
            if with_subsets && !uses_outside[chunk] {
                attempts.push(Attempt {
                    chunk,
                    kind: AttemptKind::Subset,
                    needed: total - needed,
                });
            }
        }
        attempts
            .sort_unstable_by_key(|attempt| (attempt.needed, attempt.kind, Reverse(attempt.chunk)));
        attempts.into()
    }

    /// Returns for each chunk whether an element outside requires one in it, and whether one in it
    /// requires an element outside.
    fn dependence(&self) -> (Vec<bool>, Vec<bool>) {
        let outside = usize::MAX;
        let mut chunk_of = vec![outside; self.kept.universe()];
        for (number, chunk) in self.chunks.iter().enumerate() {
            for &element in &self.items[chunk.clone()] {
                chunk_of[element] = number;
            }
        }
        let mut used_outside = vec![false; self.chunks.len()];
        let mut uses_outside = used_outside.clone();
        for &user in self.items.iter() {
            for &used in self.requirements.direct_requirements(user) {
                let (user, used) = (chunk_of[user], chunk_of[used]);
                if used != outside && user != used {
                    used_outside[used] = true;
                    uses_outside[user] = true;
                }
            }
        }
        (used_outside, uses_outside)
    }
}

impl Search for Chisel {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.attempts.get(self.current).map(|&attempt| Query {
            candidate: self.candidate(attempt),
            odds: 1.0 / (1.0 + attempt.needed as f64 / Self::ONE as f64),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let attempt = self.attempts[self.current];
        if !verdict.is_interesting() {
            self.missed.push_back_mut(attempt);
            return self.advance();
        }
        let count = match attempt.kind {
            AttemptKind::Subset => 2,
            AttemptKind::Complement => (self.chunks.len() - 1).max(2),
        };
        self.kept = self.candidate(attempt);
        self.kept.commit();
        self.begin(count);
    }

    fn skip(&mut self) {
        self.advance();
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for Chisel {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.begin(2);
    }
}

impl Chisel {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "chisel",
        family: Family::Requirements,
        parameters: "",
        guarantee: "1-minimal over deletions that break no requirement",
        cost: "O(n^2)",
        source: "after CHISEL, Heo et al., CCS 2018; counts instead of a decision tree",
    };
}

#[cfg(test)]
mod tests {
    use boildown_search::list::testing::kept_sets;

    use super::*;

    /// Runs a search to its end and returns what each query deletes.
    fn deleted(search: Chisel, hits: impl Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
        let mut best: Vec<usize> = search.best().iter().collect();
        let (asked, _) = kept_sets(search, &hits);
        let delete = |kept: Vec<usize>| {
            let deleted = best.iter().copied();
            let deleted = deleted.filter(|element| !kept.contains(element)).collect();
            if hits(&kept) {
                best = kept;
            }
            deleted
        };
        asked.into_iter().map(delete).collect()
    }

    #[test]
    fn elements_of_missed_deletions_are_tried_after_the_others() {
        let search =
            Chisel::with_subsets(List::uniform(8), Requirements::new(8, []), Subsets::Skip);
        let asked = deleted(search, |kept| [2, 3, 6, 7].iter().all(|e| kept.contains(e)));
        let expected: [&[usize]; 4] = [
            &[4, 5, 6, 7],
            &[0, 1, 2, 3],
            // Every element has a quarter of a miss, so the last quarter comes first.
            &[6, 7],
            &[4, 5],
        ];
        assert_eq!(asked[..4], expected);
        // Thirds of the rest: 6 and 7 were also in a missed deletion of two elements, so they come
        // last.
        let expected: [&[usize]; 2] = [&[2, 3], &[0, 1]];
        assert_eq!(asked[4..6], expected);
        assert_eq!(asked.len(), 12, "{asked:?}");
    }

    #[test]
    fn a_deletion_that_breaks_a_requirement_is_left_out() {
        // 3 requires 0, so the first half cannot be deleted before the second half.
        let requirements = Requirements::new(4, [(3, 0)]);
        let search = Chisel::on(List::uniform(4), requirements);
        let (asked, left) = kept_sets(search, |kept| kept.contains(&1));
        assert_eq!(asked, [vec![0, 1], vec![0], vec![1], vec![]]);
        assert_eq!(left, [1]);
    }

    #[test]
    fn a_subset_is_kept_alone_when_that_is_no_less_promising() {
        let search = Chisel::on(List::uniform(6), Requirements::new(6, []));
        let (asked, left) = kept_sets(search, |kept| {
            kept == [0, 1, 2, 3, 4, 5] || kept == [4, 5] || kept == [4]
        });
        assert_eq!(left, [4]);
        assert!(asked.contains(&vec![4, 5]));
    }
}
