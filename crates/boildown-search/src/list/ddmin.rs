//! The minimising delta debugging algorithm.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::{Direction, List};
use crate::odds::HitRate;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Minimises with ddmin: subsets, then complements, then finer.
///
/// Splits the kept elements into chunks; keeps one chunk alone when that is interesting, else drops one chunk when that is,
/// else halves the chunks.
///
/// # Guarantee
/// 1-minimal, with any options: dropping any single kept element was answered `Uninteresting` or `Unresolved`. Never asks
/// about the empty list, and returns a single element unasked.
/// # Cost
/// O(n²) questions for n elements in the worst case, O(log n) when one element is needed. `tell` is O(n) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2), 2002, ddmin. Chunks are cut as in
/// its Python listing (earlier chunks are the smaller ones). At two chunks the complements are the subsets again and are not
/// asked twice. Unresolved answers count as misses. Repeated to a fixed point ([`Fixpoint`](crate::Fixpoint)) it is DD* (D. Vince,
/// *Iterating the Minimizing Delta Debugging Algorithm*, A-TEST 2022).
#[derive(Debug, Clone)]
pub struct Ddmin {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// The chunks of this granularity as ranges of positions in `items`. Empty when finished.
    chunks: Arc<[Range<usize>]>,
    options: DdminOptions,
    mode: Mode,
    /// The chunk under trial. Invariant: below `chunks.len()` unless finished.
    at: usize,
    /// Chunks that have not missed yet in this mode. Invariant: at least 1 unless finished.
    due: usize,
    /// The chunk whose complement is tried first.
    first_complement: usize,
    rate: HitRate,
}

/// What the variants of ddmin do differently. The default is the paper's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DdminOptions {
    /// Whether chunks are tried alone.
    pub subsets: Subsets,
    /// The chunk that is tried alone first.
    pub subset_direction: Direction,
    /// The chunk that is dropped first.
    pub complement_direction: Direction,
    /// How it goes on after a chunk was dropped.
    pub resume: Resume,
}

impl DdminOptions {
    /// As in the paper.
    pub const PAPER: Self = Self {
        subsets: Subsets::Try,
        subset_direction: Direction::Forwards,
        complement_direction: Direction::Forwards,
        resume: Resume::Restart,
    };
}

impl Default for DdminOptions {
    fn default() -> Self {
        Self::PAPER
    }
}

/// Whether ddmin tries to keep a chunk alone before it tries to drop one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subsets {
    /// As in the paper.
    Try,
    /// Complements only: the same guarantee, usually for fewer questions.
    Skip,
}

/// How ddmin goes on after it dropped a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// What is left is cut again into one chunk less, and all of them are tried from the first: as in the paper.
    Restart,
    /// The other chunks stay as they are, and the one after the dropped one is next, round and round until each has missed since
    /// the last hit; finer chunks are begun with at the same place of the list: as in Picire. That the other chunks miss alone is
    /// known and not asked again.
    Onwards,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Subset,
    Complement,
}

impl Ddmin {
    /// Starts on a list.
    #[must_use]
    pub fn with_options(list: List, options: DdminOptions) -> Self {
        let mut machine = Self {
            kept: list.kept,
            items: Arc::new([]),
            chunks: Arc::new([]),
            options,
            mode: Mode::Subset,
            at: 0,
            due: 0,
            first_complement: 0,
            rate: HitRate::new(0.2),
        };
        machine.restart(machine.best());
        machine
    }

    /// Starts on a list, as in the paper.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_options(list, DdminOptions::default())
    }

    /// Cuts what is kept into at most `count` chunks, or finishes when there is nothing to cut.
    fn cut(&mut self, count: usize) {
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
    }

    /// Starts a round of at most `count` chunks from its beginning.
    fn split(&mut self, count: usize) {
        self.cut(count);
        self.first_complement = self.options.complement_direction.first(self.chunks.len());
        self.begin();
    }

    /// Starts a round of finer chunks where this one started, or finishes.
    fn refine(&mut self) {
        let before = self.chunks.len();
        if before == self.items.len() {
            self.chunks = Arc::new([]);
            return;
        }
        self.cut(before * 2);
        let now = self.chunks.len();
        self.first_complement = match self.options.complement_direction {
            Direction::Forwards => self.first_complement * now / before,
            Direction::Backwards => (self.first_complement + 1) * now / before - 1,
        };
        self.begin();
    }

    fn begin(&mut self) {
        match self.options.subsets {
            Subsets::Try => {
                self.mode = Mode::Subset;
                self.at = self.options.subset_direction.first(self.chunks.len());
                self.due = self.chunks.len();
            }
            Subsets::Skip => self.begin_complements(),
        }
    }

    /// Starts on the complements of chunks that have missed alone, when chunks are tried alone.
    fn begin_complements(&mut self) {
        self.mode = Mode::Complement;
        self.at = self.first_complement;
        self.due = self.chunks.len();
        // Of two chunks each is the complement of the other.
        if self.options.subsets == Subsets::Try && self.chunks.len() == 2 {
            self.refine();
        }
    }

    /// The elements of a chunk, and everything between them.
    fn elements(&self, chunk: usize) -> Range<usize> {
        let chunk = &self.chunks[chunk];
        self.items[chunk.start]..self.items[chunk.end - 1] + 1
    }

    fn question(&self, chunk: usize) -> Question<Subset> {
        match self.mode {
            Mode::Subset => Question {
                candidate: self.kept.only(self.elements(chunk)),
                odds: 0.05,
            },
            Mode::Complement => Question {
                candidate: self.kept.without([self.elements(chunk)]),
                odds: self.rate.odds(),
            },
        }
    }

    /// The chunks that come next whatever the answers are, if they are misses or are merged.
    fn next_chunks(&self, width: usize) -> impl Iterator<Item = usize> + use<> {
        let together = match self.mode {
            Mode::Subset => 1,
            // Dropped together, all chunks would leave nothing.
            Mode::Complement => self.chunks.len().saturating_sub(1),
        };
        let (direction, at, length) = (self.direction(), self.at, self.chunks.len());
        (0..self.due.min(together).min(width)).map(move |steps| direction.step(at, steps, length))
    }

    fn direction(&self) -> Direction {
        match self.mode {
            Mode::Subset => self.options.subset_direction,
            Mode::Complement => self.options.complement_direction,
        }
    }

    fn miss(&mut self, count: usize) {
        self.at = self.direction().step(self.at, count, self.chunks.len());
        self.due -= count;
        if self.due == 0 {
            match self.mode {
                Mode::Subset => self.begin_complements(),
                Mode::Complement => self.refine(),
            }
        }
    }

    fn keep_only(&mut self, chunk: usize) {
        self.keep(self.kept.only(self.elements(chunk)));
        self.split(2);
    }

    /// Drops some chunks, but not all; `last` is the last one that was tried.
    fn drop_chunks(&mut self, dropped: &[usize], last: usize) {
        self.keep(
            self.kept
                .without(dropped.iter().map(|&chunk| self.elements(chunk))),
        );
        let left = self.chunks.len() - dropped.len();
        if self.options.resume == Resume::Restart || left < 2 {
            return self.split(left.max(2));
        }
        let lives = |chunk: &usize| !dropped.contains(chunk);
        let next = (1..=self.chunks.len())
            .map(|steps| self.direction().step(last, steps, self.chunks.len()))
            .find(lives)
            .expect("some chunk is left");
        self.first_complement = (0..next).filter(lives).count();
        let mut start = 0;
        self.chunks = (0..self.chunks.len())
            .filter(lives)
            .map(|chunk| {
                let end = start + self.chunks[chunk].len();
                std::mem::replace(&mut start, end)..end
            })
            .collect();
        self.begin_complements();
    }

    fn keep(&mut self, kept: Subset) {
        self.kept = kept;
        self.kept.commit();
        self.items = self.kept.iter().collect();
    }
}

impl Search for Ddmin {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        (!self.chunks.is_empty()).then(|| self.question(self.at))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.settle(&[Fate::Told(verdict)]);
    }

    fn skip(&mut self) {
        self.settle(&[Fate::Skipped]);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for Ddmin {
    /// Several when they drop chunks: to keep one chunk alone excludes to keep another one.
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let chunks = self.next_chunks(width.get());
        chunks.map(|chunk| self.question(chunk)).collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let mut asked = 0;
        let mut last = self.at;
        let mut hits = Vec::new();
        for (chunk, fate) in self.next_chunks(fates.len()).zip(fates) {
            if let Fate::Told(verdict) = fate
                && self.mode == Mode::Complement
            {
                self.rate.learn((*verdict).into());
            }
            if *fate == Fate::Told(Verdict::Interesting) {
                hits.push(chunk);
            }
            last = chunk;
            asked += 1;
        }
        match (hits.as_slice(), self.mode) {
            ([], _) if asked == 0 => {}
            ([], _) => self.miss(asked),
            ([only, ..], Mode::Subset) => self.keep_only(*only),
            (dropped, Mode::Complement) => self.drop_chunks(dropped, last),
        }
    }
}

impl Restart for Ddmin {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.kept = best;
        self.split(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fixpoint;
    use crate::list::testing::{distinct, eight_statements, trace};

    const PAPER: DdminOptions = DdminOptions {
        subsets: Subsets::Try,
        subset_direction: Direction::Forwards,
        complement_direction: Direction::Forwards,
        resume: Resume::Restart,
    };
    const COMPLEMENTS: DdminOptions = DdminOptions {
        subsets: Subsets::Skip,
        ..PAPER
    };

    fn with(n: usize, options: DdminOptions) -> Ddmin {
        Ddmin::with_options(List::uniform(n), options)
    }

    #[test]
    fn the_eight_statements_boil_down_to_seven_in_35_questions_27_of_them_distinct() {
        let (asked, left) = trace(Ddmin::on(List::uniform(8)), eight_statements);
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!((asked.len(), distinct(&asked)), (35, 27));
        let hits: Vec<&Vec<usize>> = (asked.iter())
            .filter(|(_, hit)| *hit)
            .map(|(kept, _)| kept)
            .collect();
        let without_3 = vec![1, 2, 4, 5, 6, 7, 8];
        assert_eq!(hits, [&without_3], "the only hit is a complement");
    }

    #[test]
    fn the_eight_statements_cost_each_variant_as_much() {
        let variants = [
            (Subsets::Try, Direction::Forwards, Resume::Restart, (35, 27)),
            // 28 as in the ProbDD paper, whose table has one question twice.
            (Subsets::Try, Direction::Forwards, Resume::Onwards, (28, 27)),
            (
                Subsets::Try,
                Direction::Backwards,
                Resume::Restart,
                (34, 26),
            ),
            (
                Subsets::Try,
                Direction::Backwards,
                Resume::Onwards,
                (27, 26),
            ),
            (
                Subsets::Skip,
                Direction::Forwards,
                Resume::Restart,
                (16, 15),
            ),
            (
                Subsets::Skip,
                Direction::Forwards,
                Resume::Onwards,
                (16, 15),
            ),
            (
                Subsets::Skip,
                Direction::Backwards,
                Resume::Restart,
                (15, 14),
            ),
            (
                Subsets::Skip,
                Direction::Backwards,
                Resume::Onwards,
                (15, 14),
            ),
        ];
        for (subsets, complement_direction, resume, questions) in variants {
            let options = DdminOptions {
                subsets,
                complement_direction,
                resume,
                ..PAPER
            };
            let (asked, left) = trace(with(8, options), eight_statements);
            assert_eq!((asked.len(), distinct(&asked)), questions, "{options:?}");
            // Either 3 or 7 has to stay, and whichever is tried first goes.
            let expected = match complement_direction {
                Direction::Forwards => [1, 2, 4, 5, 6, 7, 8],
                Direction::Backwards => [1, 2, 3, 4, 5, 6, 8],
            };
            assert_eq!(left, expected, "{options:?}");
        }
    }

    /// What is kept of `2424`.
    fn text(kept: &[usize]) -> String {
        kept.iter()
            .map(|&at| if at % 2 == 1 { '2' } else { '4' })
            .collect()
    }

    /// The quiz: which characters of `2424` are needed for a 42? Returns the texts asked and what is left.
    fn quiz(options: DdminOptions) -> (Vec<String>, Vec<usize>) {
        let (asked, left) = trace(with(4, options), |kept| text(kept).contains("42"));
        let mut texts = Vec::new();
        for (kept, _) in asked {
            let text = text(&kept);
            // A cache of texts answers the others.
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        (texts, left)
    }

    #[test]
    fn the_42_quiz_takes_six_distinct_texts_in_either_direction() {
        let (texts, left) = quiz(PAPER);
        assert_eq!(left, [2, 3]);
        assert_eq!(texts, ["24", "2", "4", "424", "44", "42"]);
        let backwards = DdminOptions {
            complement_direction: Direction::Backwards,
            ..PAPER
        };
        let (texts, left) = quiz(backwards);
        assert_eq!(left, [2, 3]);
        // The lecture's way: 2424, 242, 42.
        assert_eq!(texts, ["24", "2", "4", "242", "22", "42"]);
        let both = DdminOptions {
            subset_direction: Direction::Backwards,
            ..backwards
        };
        assert_eq!(quiz(both).0, ["24", "4", "2", "242", "22", "42"]);
    }

    #[test]
    fn the_42_quiz_takes_nine_distinct_positions_in_either_direction() {
        for complement_direction in [Direction::Forwards, Direction::Backwards] {
            let options = DdminOptions {
                complement_direction,
                ..PAPER
            };
            let (asked, _) = trace(with(4, options), |kept| text(kept).contains("42"));
            assert_eq!(distinct(&asked), 9);
        }
    }

    #[test]
    fn onwards_the_chunks_stay_and_the_one_behind_the_dropped_one_is_next() {
        let dropped = |resume, complement_direction| {
            let options = DdminOptions {
                resume,
                complement_direction,
                ..COMPLEMENTS
            };
            let mut machine = with(6, options);
            let mut dropped = Vec::new();
            while let Some(question) = machine.ask() {
                let hit = question.candidate.contains(0) && question.candidate.contains(5);
                let gone = machine.best().cuts_to(&question.candidate);
                dropped.push(
                    gone.into_iter()
                        .flatten()
                        .map(|element| element + 1)
                        .collect::<Vec<_>>(),
                );
                machine.tell(if hit {
                    Verdict::Interesting
                } else {
                    Verdict::Uninteresting
                });
            }
            dropped
        };
        let restart: [&[usize]; 12] = [
            &[1, 2, 3],
            &[4, 5, 6],
            &[1],
            &[2],
            &[1],
            &[3, 4],
            &[1],
            &[5, 6],
            &[1],
            &[5],
            &[1],
            &[6],
        ];
        assert_eq!(dropped(Resume::Restart, Direction::Forwards), restart);
        let onwards: [&[usize]; 10] = [
            &[1, 2, 3],
            &[4, 5, 6],
            &[1],
            &[2],
            &[3, 4],
            &[5, 6],
            &[1],
            &[5],
            &[6],
            &[1],
        ];
        assert_eq!(dropped(Resume::Onwards, Direction::Forwards), onwards);
        let backwards: [&[usize]; 12] = [
            &[4, 5, 6],
            &[1, 2, 3],
            &[5, 6],
            &[3, 4],
            &[2],
            &[1],
            &[5, 6],
            &[1],
            &[6],
            &[5],
            &[1],
            &[6],
        ];
        assert_eq!(dropped(Resume::Onwards, Direction::Backwards), backwards);
    }

    #[test]
    fn repeated_to_a_fixed_point_it_goes_on_where_chunks_fall_differently() {
        // 4 and 8 are needed, and 1 and 3 go together only.
        let hit = |kept: &[usize]| {
            kept.contains(&4) && kept.contains(&8) && kept.contains(&1) == kept.contains(&3)
        };
        let (once, left) = trace(with(8, PAPER), hit);
        assert_eq!(left, [1, 3, 4, 8], "1-minimal: neither 1 nor 3 goes alone");
        let (repeated, left) = trace(Fixpoint::new(with(8, PAPER)), hit);
        assert_eq!(left, [4, 8]);
        // Of four elements the halves are 1 with 3 and 4 with 8.
        assert_eq!(repeated[..once.len()], once);
        assert_eq!(
            repeated[once.len()..once.len() + 2],
            [(vec![1, 3], false), (vec![4, 8], true)]
        );
    }
}
