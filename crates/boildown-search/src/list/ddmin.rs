//! The minimising delta debugging algorithm.

use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::odds::HitRate;
use crate::{Question, Restart, Search, Subset, Verdict, Wide};

/// Minimises with ddmin: subsets, then complements, then finer.
///
/// Splits the kept elements into chunks; keeps one chunk alone when that is interesting, else drops one chunk when that is,
/// else halves the chunks.
///
/// # Guarantee
/// 1-minimal: dropping any single kept element was answered `Uninteresting` or `Unresolved`. Never asks about the empty
/// list, and returns a single element unasked.
/// # Cost
/// O(n²) questions for n elements in the worst case, O(log n) when one element is needed. `tell` is O(n) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2), 2002, ddmin. Chunks are cut as in
/// its Python listing (earlier chunks are the smaller ones). At two chunks the complements are the subsets again and are not
/// asked twice. Unresolved answers count as misses.
#[derive(Debug, Clone)]
pub struct Ddmin {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// The chunks of this granularity as ranges of positions in `items`. Empty when finished.
    chunks: Arc<[Range<usize>]>,
    subsets: Subsets,
    mode: Mode,
    /// The chunk under trial. Invariant: below `chunks.len()` unless finished.
    at: usize,
    rate: HitRate,
}

/// Whether ddmin tries to keep a chunk alone before it tries to drop one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subsets {
    /// As in the paper.
    Try,
    /// Complements only: the same guarantee, usually for fewer questions.
    Skip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Subset,
    Complement,
}

impl Ddmin {
    /// Starts on a list, with or without the subset step.
    #[must_use]
    pub fn with_subsets(list: List, subsets: Subsets) -> Self {
        let mut machine = Self {
            kept: list.kept,
            items: Arc::new([]),
            chunks: Arc::new([]),
            subsets,
            mode: Mode::Subset,
            at: 0,
            rate: HitRate::new(0.2),
        };
        machine.restart(machine.best());
        machine
    }

    /// Starts a round of at most `count` chunks, or finishes when there is nothing to split.
    fn split(&mut self, count: usize) {
        let length = self.items.len();
        let count = count.min(length);
        let mut start = 0;
        self.chunks = if length < 2 {
            Arc::new([])
        } else {
            (0..count)
                .map(|chunk| {
                    let end = start + (length - start) / (count - chunk);
                    std::mem::replace(&mut start, end)..end
                })
                .collect()
        };
        self.at = 0;
        self.mode = match self.subsets {
            Subsets::Try => Mode::Subset,
            Subsets::Skip => Mode::Complement,
        };
    }

    /// The elements of the chunk under trial, and everything between them.
    fn chunk(&self) -> Range<usize> {
        let chunk = &self.chunks[self.at];
        self.items[chunk.start]..self.items[chunk.end - 1] + 1
    }

    fn candidate(&self) -> Subset {
        match self.mode {
            Mode::Subset => self.kept.only(self.chunk()),
            Mode::Complement => self.kept.without([self.chunk()]),
        }
    }

    fn miss(&mut self) {
        self.at += 1;
        if self.at < self.chunks.len() {
            return;
        }
        let repeats = self.mode == Mode::Subset && self.chunks.len() == 2;
        if self.mode == Mode::Subset && !repeats {
            self.mode = Mode::Complement;
            self.at = 0;
        } else if self.chunks.len() < self.items.len() {
            self.split(self.chunks.len() * 2);
        } else {
            self.chunks = Arc::new([]);
        }
    }
}

impl Ddmin {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_subsets(list, Subsets::Try)
    }
}

impl Search for Ddmin {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        (!self.chunks.is_empty()).then(|| Question {
            candidate: self.candidate(),
            odds: match self.mode {
                Mode::Subset => 0.05,
                Mode::Complement => self.rate.odds(),
            },
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if self.mode == Mode::Complement {
            self.rate.learn(verdict.into());
        }
        if !verdict.is_interesting() {
            return self.miss();
        }
        let count = match self.mode {
            Mode::Subset => 2,
            Mode::Complement => (self.chunks.len() - 1).max(2),
        };
        self.kept = self.candidate();
        self.kept.commit();
        self.items = self.kept.iter().collect();
        self.split(count);
    }

    fn skip(&mut self) {
        self.miss();
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for Ddmin {}

impl Restart for Ddmin {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.kept = best;
        self.split(2);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Runs ddmin and returns every question (1-based elements) with its answer, and the result.
    fn trace(
        n: usize,
        subsets: Subsets,
        hits: impl Fn(&[usize]) -> bool,
    ) -> (Vec<(Vec<usize>, bool)>, Vec<usize>) {
        let mut machine = Ddmin::with_subsets(List::uniform(n), subsets);
        let mut asked = Vec::new();
        let names = |set: &Subset| set.iter().map(|element| element + 1).collect::<Vec<_>>();
        while let Some(question) = machine.ask() {
            let kept = names(&question.candidate);
            let hit = hits(&kept);
            machine.tell(if hit {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
            asked.push((kept, hit));
        }
        (asked, names(&machine.best()))
    }

    /// The eight statements of the running example of the ProbDD paper (G. Wang et al., ESEC/FSE 2021, Fig. 1).
    fn eight_statements(kept: &[usize]) -> bool {
        let has = |statement: usize| kept.contains(&statement);
        let needs = [
            (2, vec![1]),
            (4, vec![1]),
            (5, vec![2, 4]),
            (6, vec![2, 4]),
            (7, vec![2, 4, 5, 6]),
        ];
        has(8)
            && needs
                .iter()
                .all(|(user, used)| !has(*user) || used.iter().all(|&statement| has(statement)))
            && (!has(4) || has(5) && has(6))
            && (has(3) || has(7))
    }

    #[test]
    fn the_eight_statements_boil_down_to_seven_in_35_questions_27_of_them_distinct() {
        let (asked, left) = trace(8, Subsets::Try, eight_statements);
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!(asked.len(), 35);
        assert_eq!(
            asked
                .iter()
                .map(|(kept, _)| kept)
                .collect::<HashSet<_>>()
                .len(),
            27
        );
        let hits: Vec<&Vec<usize>> = asked
            .iter()
            .filter(|(_, hit)| *hit)
            .map(|(kept, _)| kept)
            .collect();
        assert_eq!(
            hits,
            [&[1, 2, 4, 5, 6, 7, 8]],
            "the only hit is the complement of statement 3"
        );
    }

    #[test]
    fn complements_alone_need_15_distinct_questions_for_the_eight_statements() {
        let (asked, left) = trace(8, Subsets::Skip, eight_statements);
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!(
            asked
                .iter()
                .map(|(kept, _)| kept)
                .collect::<HashSet<_>>()
                .len(),
            15
        );
    }

    #[test]
    fn the_42_quiz_is_solved_in_six_distinct_texts() {
        let text = |kept: &[usize]| {
            kept.iter()
                .map(|&at| "2424".as_bytes()[at - 1] as char)
                .collect::<String>()
        };
        let (asked, left) = trace(4, Subsets::Try, |kept| text(kept).contains("42"));
        assert_eq!(text(&left), "42");
        let mut seen = HashSet::new();
        let distinct: Vec<String> = asked
            .iter()
            .map(|(kept, _)| text(kept))
            .filter(|text| seen.insert(text.clone()))
            .collect();
        assert_eq!(distinct, ["24", "2", "4", "424", "44", "42"]);
    }
}
