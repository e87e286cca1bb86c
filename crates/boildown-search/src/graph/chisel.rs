//! ddmin whose chunks are tried in the order of learned odds.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rpds::VectorSync;

use super::Requirements;
use crate::list::{List, Subsets};
use crate::{Question, Restart, Search, Subset, Verdict, Wide};

/// Minimises with ddmin, except that the tries of a granularity are sorted by learned odds, and those that break a
/// requirement are left out.
///
/// Splits the kept elements into chunks; deletes a chunk, or everything but a chunk, whichever is most promising; halves the
/// chunks when nothing can go. A missed deletion of k elements counts as one needed element, shared equally among the k; the odds
/// of a deletion are those that none of its elements is needed, given what they have come to. Among equals, later chunks first.
///
/// # Guarantee
/// 1-minimal over the deletions that break nothing: dropping any single kept element that no other kept element requires was answered
/// `Uninteresting` or `Unresolved`. Elements that require each other go only when a chunk holds them all. Every
/// candidate is closed among the elements of the start.
/// # Cost
/// O(n²) questions for n elements in the worst case. `tell` is O(n + requirements + chunks · log chunks) when the chunks change.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// K. Heo, W. Lee, P. Pashakhanloo, M. Naik, *Effective Program Debloating via Reinforcement Learning*, CCS 2018 (CHISEL). Differs: odds
/// come from counts, as in a naive Bayes classifier, not from a decision tree over all tries; the order is fixed when the chunks
/// change, not after every try; requirements between elements take the place of its checks of C programs; a granularity is that of
/// ddmin (after a chunk went, as many chunks as are left), and chunks cover the whole list. Like CHISEL's, and unlike
/// ddmin's, a single element that is left is tried too.
#[derive(Debug, Clone)]
pub struct Chisel {
    requirements: Requirements,
    subsets: Subsets,
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// The chunks of this granularity as ranges of positions in `items`.
    chunks: Arc<[Range<usize>]>,
    /// What is tried at this granularity, the most promising first. Empty when finished.
    tries: Arc<[Try]>,
    /// The next of the tries. Invariant: below `tries.len()` unless finished.
    at: usize,
    /// Those of the tries that were told to have missed, not skipped. Counted when the chunks change.
    missed: VectorSync<Try>,
    /// For each element of the original list, the missed deletions that it was part of, in shares of `ONE`.
    blame: Arc<[u64]>,
}

#[derive(Debug, Clone, Copy)]
struct Try {
    chunk: usize,
    mode: Mode,
    /// How many needed elements are expected among those that it deletes, in shares of `ONE`.
    needed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    /// Deletes the chunk.
    Complement,
    /// Deletes everything else.
    Subset,
}

impl Chisel {
    /// One missed deletion. Shares are whole numbers, so that sums do not depend on their order.
    const ONE: u64 = 1 << 32;
    /// What each element is blamed with before anything was asked.
    const PRIOR: u64 = Self::ONE / 10;

    /// Starts on a list, with the subset step of the paper.
    #[must_use]
    pub fn on(list: List, requirements: Requirements) -> Self {
        Self::with_subsets(list, requirements, Subsets::Try)
    }

    /// Starts on a list, with or without the subset step.
    #[must_use]
    pub fn with_subsets(list: List, requirements: Requirements, subsets: Subsets) -> Self {
        let mut machine = Self {
            requirements,
            subsets,
            blame: vec![0; list.kept.universe()].into(),
            kept: list.kept,
            items: Arc::new([]),
            chunks: Arc::new([]),
            tries: Arc::new([]),
            at: 0,
            missed: VectorSync::new_sync(),
        };
        machine.restart(machine.best());
        machine
    }

    fn candidate(&self, tried: Try) -> Subset {
        let chunk = &self.chunks[tried.chunk];
        let elements = self.items[chunk.start]..self.items[chunk.end - 1] + 1;
        match tried.mode {
            Mode::Complement => self.kept.without([elements]),
            Mode::Subset => self.kept.only(elements),
        }
    }

    /// Moves on to the next try, and to smaller chunks when there is none.
    fn next(&mut self) {
        self.at += 1;
        if self.at < self.tries.len() {
            return;
        }
        if self.chunks.len() < self.items.len() {
            self.begin(self.chunks.len() * 2);
        } else {
            self.tries = Arc::new([]);
        }
    }

    /// Starts a granularity of at most `count` chunks, or of more when none of them can be tried.
    fn begin(&mut self, count: usize) {
        self.split(count);
        while self.tries.is_empty() && self.chunks.len() < self.items.len() {
            self.split(self.chunks.len() * 2);
        }
    }

    /// Takes the answers of this granularity into account, and splits what is kept now into at most `count` chunks.
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
        self.tries = self.sorted_tries();
        self.at = 0;
    }

    /// Shares the misses of this granularity among the elements whose deletions they were.
    fn count_misses(&mut self) {
        if self.missed.is_empty() {
            return;
        }
        // The share of everything but a chunk goes to all, and is taken back from the chunk.
        let mut everyone = 0;
        let mut own = vec![(0, 0); self.chunks.len()];
        for tried in &self.missed {
            let length = self.chunks[tried.chunk].len();
            match tried.mode {
                Mode::Complement => own[tried.chunk].0 += Self::ONE / length as u64,
                Mode::Subset => {
                    let share = Self::ONE / (self.items.len() - length) as u64;
                    everyone += share;
                    own[tried.chunk].1 += share;
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

    /// The tries with these chunks that break no requirement, the most promising first.
    fn sorted_tries(&self) -> Arc<[Try]> {
        let suspicion = |chunk: &Range<usize>| -> u64 {
            let elements = self.items[chunk.clone()].iter();
            elements
                .map(|&element| Self::PRIOR + self.blame[element])
                .sum()
        };
        let suspicions: Vec<u64> = self.chunks.iter().map(suspicion).collect();
        let total: u64 = suspicions.iter().sum();
        let (used_outside, uses_outside) = self.ties();
        // With two chunks the subsets are the complements.
        let with_subsets = self.subsets == Subsets::Try && self.chunks.len() > 2;
        let mut tries = Vec::new();
        for (chunk, &needed) in suspicions.iter().enumerate() {
            if !used_outside[chunk] {
                let mode = Mode::Complement;
                tries.push(Try {
                    chunk,
                    mode,
                    needed,
                });
            }
            if with_subsets && !uses_outside[chunk] {
                tries.push(Try {
                    chunk,
                    mode: Mode::Subset,
                    needed: total - needed,
                });
            }
        }
        tries.sort_unstable_by_key(|tried| (tried.needed, tried.mode, Reverse(tried.chunk)));
        tries.into()
    }

    /// Whether each chunk has an element that one outside requires, and one that requires an element outside.
    fn ties(&self) -> (Vec<bool>, Vec<bool>) {
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
            for &used in self.requirements.of(user) {
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

    fn ask(&self) -> Option<Question<Subset>> {
        self.tries.get(self.at).map(|&tried| Question {
            candidate: self.candidate(tried),
            odds: 1.0 / (1.0 + tried.needed as f64 / Self::ONE as f64),
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let tried = self.tries[self.at];
        if !verdict.is_interesting() {
            self.missed.push_back_mut(tried);
            return self.next();
        }
        let count = match tried.mode {
            Mode::Subset => 2,
            Mode::Complement => (self.chunks.len() - 1).max(2),
        };
        self.kept = self.candidate(tried);
        self.kept.commit();
        self.begin(count);
    }

    fn skip(&mut self) {
        self.next();
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for Chisel {}

/// What was learned about elements stays.
impl Restart for Chisel {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.begin(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::kept_sets;

    /// Runs to the end and returns what every question deleted.
    fn deleted(machine: Chisel, hits: impl Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
        let mut best: Vec<usize> = machine.best().iter().collect();
        let (asked, _) = kept_sets(machine, &hits);
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
    fn what_has_missed_is_tried_again_after_what_was_not_tried() {
        let machine =
            Chisel::with_subsets(List::uniform(8), Requirements::new(8, []), Subsets::Skip);
        let asked = deleted(machine, |kept| {
            [2, 3, 6, 7].iter().all(|e| kept.contains(e))
        });
        let expected: [&[usize]; 4] = [
            &[4, 5, 6, 7],
            &[0, 1, 2, 3],
            // Every element of a quarter has a quarter of a miss: the last goes first.
            &[6, 7],
            &[4, 5],
        ];
        assert_eq!(asked[..4], expected);
        // Thirds of what is left: 6 and 7 have been in a missed deletion of two besides, so they come after the others.
        let expected: [&[usize]; 2] = [&[2, 3], &[0, 1]];
        assert_eq!(asked[4..6], expected);
        assert_eq!(asked.len(), 12, "{asked:?}");
    }

    #[test]
    fn a_try_that_breaks_a_requirement_is_left_out() {
        // 3 requires 0: the first half cannot go before the second has gone.
        let requirements = Requirements::new(4, [(3, 0)]);
        let machine = Chisel::on(List::uniform(4), requirements);
        let (asked, left) = kept_sets(machine, |kept| kept.contains(&1));
        assert_eq!(asked, [vec![0, 1], vec![0], vec![1], vec![]]);
        assert_eq!(left, [1]);
    }

    #[test]
    fn a_subset_is_kept_alone_when_deleting_the_rest_is_no_less_promising() {
        let machine = Chisel::on(List::uniform(6), Requirements::new(6, []));
        let (asked, left) = kept_sets(machine, |kept| {
            kept == [0, 1, 2, 3, 4, 5] || kept == [4, 5] || kept == [4]
        });
        assert_eq!(left, [4]);
        assert!(asked.contains(&vec![4, 5]));
    }
}
