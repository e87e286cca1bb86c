//! ddmin, the minimising delta debugging algorithm.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::{
    Entry, Family, Options, ParsedName, Registered, Repeated, non_default,
};
use boildown_search::list::{Direction, List};
use boildown_search::odds::HitRate;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::SplitFactor;

/// Minimises a list with ddmin: tries subsets, then complements, then finer chunks.
///
/// Splits the kept elements into chunks, two at first. If one chunk alone is interesting, it keeps
/// only that chunk and starts again with two chunks. Otherwise, if the list without one chunk is
/// interesting, it drops that chunk. Otherwise it halves the chunks. It ends when every chunk is a
/// single element and none can be dropped.
///
/// For example, with the elements 1 to 4 of which 2 and 3 are needed, the queries keep 1-2, 3-4, 1,
/// 2, 3, 4 (all miss), 2-4 (hit: 1 is dropped), 2, 3, 4, 3-4, 2 and 4 (all miss), 2-3 (hit), 2, 3
/// (both miss).
///
/// # Guarantee
/// 1-minimal, with any options: dropping any single kept element was answered `Uninteresting` or
/// `Unresolved`. Never asks about the empty list, and returns a single element without a query.
/// # Cost
/// O(n²) queries for n elements in the worst case, O(log n) if one element is needed. `tell` takes
/// O(n) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28(2),
/// 2002, ddmin. The list is split into chunks as in its Python listing (earlier chunks are the
/// smaller ones). With two chunks, the complements are the subsets and are not asked about again.
/// Unresolved answers count as misses. Repeated to a fixed point
/// ([`Fixpoint`](boildown_search::Fixpoint)) it is DD* (D. Vince, *Iterating the Minimizing Delta
/// Debugging Algorithm*, A-TEST 2022). The [split factor](SplitFactor) is that of Á. Kiss,
/// *Generalizing the Split Factor of the Minimizing Delta Debugging Algorithm*, IEEE Access 8,
/// 2020, as in Picire.
/// # Example
/// ```
/// use boildown_literature::list::{Ddmin, DdminOptions, Subsets};
/// use boildown_search::list::List;
/// use boildown_search::{Search as _, Subset, Verdict, run};
///
/// let judge = |kept: &Subset| match kept.contains(2) && kept.contains(5) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// };
/// let search = run(Ddmin::on(List::uniform(8)), judge);
/// assert_eq!(search.best().iter().collect::<Vec<_>>(), [2, 5]);
///
/// // Complements only, as many tools do.
/// let options = DdminOptions { subsets: Subsets::Skip, ..DdminOptions::PAPER };
/// let search = run(Ddmin::with_options(List::uniform(8), options), judge);
/// assert_eq!(search.best().iter().collect::<Vec<_>>(), [2, 5]);
/// ```
#[derive(Debug, Clone)]
pub struct Ddmin {
    kept: Subset,
    /// The kept elements, in order.
    items: Arc<[usize]>,
    /// The chunks of this granularity, as ranges of positions in `items`. Empty when finished.
    chunks: Arc<[Range<usize>]>,
    options: DdminOptions,
    mode: ChunkMode,
    /// The chunk under trial. Invariant: below `chunks.len()` unless finished.
    current: usize,
    /// The number of chunks that have not missed yet in this mode. Invariant: at least 1 unless
    /// finished.
    untried: usize,
    /// The chunk whose complement is tried first.
    first_complement: usize,
    rate: HitRate,
}

/// Parameters of [`Ddmin`]. The default is the paper's algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DdminOptions {
    /// Whether single chunks are tried before complements.
    pub subsets: Subsets,
    /// The end of the list from which single chunks are tried.
    pub subset_direction: Direction,
    /// The end of the list from which complements are tried.
    pub complement_direction: Direction,
    /// The next step after a chunk was dropped.
    pub resume: Resume,
    /// The number of chunks that a chunk is split into.
    pub split: SplitFactor,
}

impl DdminOptions {
    /// The options of the paper, [`PAPER`](Self::PAPER).
    pub const DEFAULT: Self = Self::PAPER;
    /// The parameters as they are written after a name.
    const PARAMETERS: &str =
        "subsets=try|skip, direction=forwards|backwards, resume=restart|onwards, split=2";
    /// As in the paper.
    pub const PAPER: Self = Self {
        subsets: Subsets::Try,
        subset_direction: Direction::Forwards,
        complement_direction: Direction::Forwards,
        resume: Resume::Restart,
        split: SplitFactor::HALVES,
    };
}

impl Default for DdminOptions {
    fn default() -> Self {
        Self::PAPER
    }
}

/// Whether ddmin tries to keep one chunk alone before it tries to drop one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subsets {
    /// As in the paper.
    Try,
    /// Complements only. The guarantee is the same, usually for fewer queries.
    Skip,
}

impl Subsets {
    /// The values of the parameter `subsets`.
    const NAMES: [(&str, Self); 2] = [("try", Self::Try), ("skip", Self::Skip)];
}

/// The next step of ddmin after it dropped a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// As in the paper: splits the remaining elements again, into one chunk less, and tries all
    /// chunks from the first one.
    Restart,
    /// As in Picire: keeps the other chunks and continues with the one after the dropped chunk,
    /// cyclically, until every chunk has missed since the last hit. Finer chunks start at the same
    /// position of the list; the two halves of the only chunk that is left, with the other place
    /// than usual if the second of two chunks was dropped. Single chunks have already missed and
    /// are not tried again.
    Onwards,
}

impl Resume {
    /// The values of the parameter `resume`.
    const NAMES: [(&str, Self); 2] = [("restart", Self::Restart), ("onwards", Self::Onwards)];
}

/// The use of the chunk under trial in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkMode {
    /// Keeps the chunk alone.
    Subset,
    /// Drops the chunk.
    Complement,
}

impl Ddmin {
    /// Starts on a list, with the given options.
    #[must_use]
    pub fn with_options(list: List, options: DdminOptions) -> Self {
        let mut search = Self {
            kept: list.kept,
            items: Arc::new([]),
            chunks: Arc::new([]),
            options,
            mode: ChunkMode::Subset,
            current: 0,
            untried: 0,
            first_complement: 0,
            rate: HitRate::new(0.2),
        };
        search.restart(search.best());
        search
    }

    /// Starts on a list, with the paper's options.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_options(list, DdminOptions::default())
    }

    /// Splits the kept elements into at most `count` chunks, or finishes if there are fewer than
    /// two elements.
    fn cut_into_chunks(&mut self, count: usize) {
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

    /// Starts a round of at most `count` chunks, with the first one.
    fn split(&mut self, count: usize) {
        self.cut_into_chunks(count);
        self.first_complement = self.options.complement_direction.first(self.chunks.len());
        self.begin();
    }

    /// Starts a round of finer chunks at the position where this round started, or finishes.
    fn refine(&mut self) {
        let before = self.chunks.len();
        if before == self.items.len() {
            self.chunks = Arc::new([]);
            return;
        }
        self.cut_into_chunks(before.saturating_mul(self.options.split.get()));
        let now = self.chunks.len();
        self.first_complement = match self.options.complement_direction {
            Direction::Forwards => self.first_complement * now / before,
            Direction::Backwards => (self.first_complement + 1) * now / before - 1,
        };
        self.begin();
    }

    /// Starts a round: with single chunks, or with complements if single chunks are skipped.
    fn begin(&mut self) {
        match self.options.subsets {
            Subsets::Try => {
                self.mode = ChunkMode::Subset;
                self.current = self.options.subset_direction.first(self.chunks.len());
                self.untried = self.chunks.len();
            }
            Subsets::Skip => self.begin_complements(),
        }
    }

    /// Starts to try complements. If single chunks are tried, all of them have missed.
    fn begin_complements(&mut self) {
        self.mode = ChunkMode::Complement;
        self.current = self.first_complement;
        self.untried = self.chunks.len();
        // Each of two chunks is the complement of the other.
        if self.options.subsets == Subsets::Try && self.chunks.len() == 2 {
            self.refine();
        }
    }

    /// Returns the range of elements from the first to the last one of a chunk.
    fn elements(&self, chunk: usize) -> Range<usize> {
        let chunk = &self.chunks[chunk];
        self.items[chunk.start]..self.items[chunk.end - 1] + 1
    }

    /// Returns the elements that the query about the chunk under trial leaves.
    fn candidate(&self) -> Subset {
        match self.mode {
            ChunkMode::Subset => self.kept.only(self.elements(self.current)),
            ChunkMode::Complement => self.kept.without([self.elements(self.current)]),
        }
    }

    fn direction(&self) -> Direction {
        match self.mode {
            ChunkMode::Subset => self.options.subset_direction,
            ChunkMode::Complement => self.options.complement_direction,
        }
    }

    /// Records the answer to the query of `ask`; `None` if it was skipped.
    fn record(&mut self, verdict: Option<Verdict>) {
        if self.chunks.is_empty() {
            return;
        }
        if let Some(verdict) = verdict
            && self.mode == ChunkMode::Complement
        {
            self.rate.learn(verdict.into());
        }
        if verdict != Some(Verdict::Interesting) {
            return self.miss();
        }
        self.keep(self.candidate());
        match self.mode {
            // Only the elements of one chunk are left: starts again with the first split.
            ChunkMode::Subset => self.split(self.options.split.get()),
            ChunkMode::Complement => self.drop_current(),
        }
    }

    /// Moves on to the next chunk after a miss.
    fn miss(&mut self) {
        self.current = (self.direction()).step(self.current, 1, self.chunks.len());
        self.untried -= 1;
        if self.untried == 0 {
            match self.mode {
                ChunkMode::Subset => self.begin_complements(),
                ChunkMode::Complement => self.refine(),
            }
        }
    }

    /// Continues without the chunk under trial, whose elements were dropped.
    fn drop_current(&mut self) {
        let (dropped, left) = (self.current, self.chunks.len() - 1);
        let split = self.options.split.get();
        if self.options.resume == Resume::Restart {
            return self.split(if left < 2 { split } else { left });
        }
        if left < 2 {
            self.cut_into_chunks(split);
            // Picire counts the chunks from the place of the dropped one, also in the parts of the
            // chunk that is left.
            let count = self.chunks.len().max(1);
            let first = self.options.complement_direction.first(count);
            self.first_complement = (first + dropped) % count;
            return self.begin();
        }
        let next = (self.direction()).step(dropped, 1, self.chunks.len());
        self.first_complement = next - usize::from(next > dropped);
        let mut start = 0;
        self.chunks = (0..self.chunks.len())
            .filter(|&chunk| chunk != dropped)
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

    fn ask(&self) -> Option<Query<Subset>> {
        let odds = match self.mode {
            ChunkMode::Subset => 0.05,
            ChunkMode::Complement => self.rate.odds(),
        };
        (!self.chunks.is_empty()).then(|| Query {
            candidate: self.candidate(),
            odds,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        self.record(Some(verdict));
    }

    fn skip(&mut self) {
        self.record(None);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl ListSearch for Ddmin {
    fn restart(&mut self, best: Subset) {
        self.items = best.iter().collect();
        self.kept = best;
        self.split(self.options.split.get());
    }
}

impl Options for DdminOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let default = Self::DEFAULT;
        let direction = default.complement_direction;
        let direction = name.choice("direction", direction, &Direction::NAMES)?;
        Ok(Self {
            subsets: name.choice("subsets", default.subsets, &Subsets::NAMES)?,
            subset_direction: direction,
            complement_direction: direction,
            resume: name.choice("resume", default.resume, &Resume::NAMES)?,
            split: SplitFactor::parse(name, default.split)?,
        })
    }

    fn non_default(self) -> Vec<Option<String>> {
        let default = Self::DEFAULT;
        vec![
            non_default("subsets", &self.subsets, &default.subsets, &Subsets::NAMES),
            non_default(
                "direction",
                &self.complement_direction,
                &default.complement_direction,
                &Direction::NAMES,
            ),
            non_default("resume", &self.resume, &default.resume, &Resume::NAMES),
            self.split.non_default(default.split),
        ]
    }
}

impl Registered for Ddmin {
    type Options = DdminOptions;

    const ENTRY: Entry = Entry {
        name: "ddmin",
        family: Family::List,
        parameters: DdminOptions::PARAMETERS,
        guarantee: "1-minimal",
        cost: "O(n^2); O(log n) if one element is needed",
        source: "Zeller, Hildebrandt, IEEE TSE 2002; complements only and backwards as in Picire; split \
            factor: Kiss, IEEE Access 2020",
    };

    fn start(list: List, options: DdminOptions) -> Self {
        Self::with_options(list, options)
    }
}

impl Repeated for Ddmin {
    const FIXPOINT: Entry = Entry {
        name: "ddmin*",
        family: Family::List,
        parameters: DdminOptions::PARAMETERS,
        guarantee: "1-minimal, and another run of ddmin finds nothing",
        cost: "as ddmin for each run that deletes something, and for one more",
        source: "Vince: Iterating the Minimizing Delta Debugging Algorithm (DD*), A-TEST 2022",
    };
}

#[cfg(test)]
mod tests {
    use boildown_search::list::testing::{distinct, eight_statements, trace};

    use super::*;
    use boildown_search::Fixpoint;

    const PAPER: DdminOptions = DdminOptions {
        subsets: Subsets::Try,
        subset_direction: Direction::Forwards,
        complement_direction: Direction::Forwards,
        resume: Resume::Restart,
        split: SplitFactor::HALVES,
    };
    const COMPLEMENTS: DdminOptions = DdminOptions {
        subsets: Subsets::Skip,
        ..PAPER
    };

    fn with(n: usize, options: DdminOptions) -> Ddmin {
        Ddmin::with_options(List::uniform(n), options)
    }

    #[test]
    fn the_eight_statements_are_reduced_to_seven_in_35_queries_27_of_them_distinct() {
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
    fn the_eight_statements_cost_every_variant_a_known_number_of_queries() {
        let variants = [
            (Subsets::Try, Direction::Forwards, Resume::Restart, (35, 27)),
            // 28 as in the ProbDD paper, whose table lists one query twice.
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
        for (subsets, complement_direction, resume, queries) in variants {
            let options = DdminOptions {
                subsets,
                complement_direction,
                resume,
                ..PAPER
            };
            let (asked, left) = trace(with(8, options), eight_statements);
            assert_eq!((asked.len(), distinct(&asked)), queries, "{options:?}");
            // Either 3 or 7 is needed; the one that is tried first is deleted.
            let expected = match complement_direction {
                Direction::Forwards => [1, 2, 4, 5, 6, 7, 8],
                Direction::Backwards => [1, 2, 3, 4, 5, 6, 8],
            };
            assert_eq!(left, expected, "{options:?}");
        }
    }

    /// Returns the kept characters of `2424`.
    fn text(kept: &[usize]) -> String {
        kept.iter()
            .map(|&current| if current % 2 == 1 { '2' } else { '4' })
            .collect()
    }

    /// Searches for the characters of `2424` that are needed for a 42. Returns the texts asked
    /// about and the elements left.
    fn quiz(options: DdminOptions) -> (Vec<String>, Vec<usize>) {
        let (asked, left) = trace(with(4, options), |kept| text(kept).contains("42"));
        let mut texts = Vec::new();
        for (kept, _) in asked {
            let text = text(&kept);
            // A cache of texts would answer the others.
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
        // The sequence of the lecture: 2424, 242, 42.
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
    fn after_the_second_of_two_chunks_was_dropped_picire_begins_with_the_other_half() {
        let picire = DdminOptions {
            subset_direction: Direction::Backwards,
            complement_direction: Direction::Backwards,
            resume: Resume::Onwards,
            ..COMPLEMENTS
        };
        let first_two = |options| {
            // One of the first three elements is needed.
            let (asked, left) = trace(with(7, options), |kept| kept.contains(&2));
            assert_eq!(left, [2]);
            [asked[0].0.clone(), asked[1].0.clone()]
        };
        assert_eq!(first_two(picire), [vec![1, 2, 3], vec![2, 3]]);
        let restarting = DdminOptions {
            resume: Resume::Restart,
            ..picire
        };
        assert_eq!(first_two(restarting), [vec![1, 2, 3], vec![1]]);
    }

    /// Returns the options with another split factor.
    fn splitting(factor: usize, options: DdminOptions) -> DdminOptions {
        DdminOptions {
            split: SplitFactor::new(factor).unwrap(),
            ..options
        }
    }

    #[test]
    fn with_a_split_factor_of_three_nine_elements_are_thirds_and_then_single() {
        let asked = |factor| {
            let search = with(9, splitting(factor, PAPER));
            let (asked, left) = trace(search, |kept| kept.contains(&5));
            assert_eq!(left, [5]);
            asked.into_iter().map(|(kept, _)| kept).collect::<Vec<_>>()
        };
        // The middle third is kept alone, and then the middle element of it.
        let thirds: [&[usize]; 4] = [&[1, 2, 3], &[4, 5, 6], &[4], &[5]];
        assert_eq!(asked(3), thirds);
        // Every chunk is one element from the start.
        let singles: [&[usize]; 5] = [&[1], &[2], &[3], &[4], &[5]];
        assert_eq!(asked(usize::MAX), singles);
    }

    #[test]
    fn in_thirds_onwards_a_new_split_begins_at_the_place_of_the_chunk_dropped_last() {
        let picire = DdminOptions {
            resume: Resume::Onwards,
            ..COMPLEMENTS
        };
        let (asked, left) = trace(with(9, splitting(3, picire)), |kept| kept.contains(&1));
        assert_eq!(left, [1]);
        let kept: Vec<&[usize]> = asked.iter().map(|(kept, _)| &kept[..]).collect();
        let expected: [&[usize]; 5] = [
            &[4, 5, 6, 7, 8, 9],
            &[1, 2, 3, 7, 8, 9],
            // The second of two chunks goes; of the new three, the second is tried first.
            &[1, 2, 3],
            &[1, 3],
            &[1],
        ];
        assert_eq!(kept, expected);
    }

    #[test]
    fn resuming_onwards_keeps_the_chunks_and_continues_after_the_dropped_one() {
        let dropped = |resume, complement_direction| {
            let options = DdminOptions {
                resume,
                complement_direction,
                ..COMPLEMENTS
            };
            let mut search = with(6, options);
            let mut dropped = Vec::new();
            while let Some(query) = search.ask() {
                let hit = query.candidate.contains(0) && query.candidate.contains(5);
                let deleted = search.best().cuts_to(&query.candidate);
                dropped.push(
                    deleted
                        .into_iter()
                        .flatten()
                        .map(|element| element + 1)
                        .collect::<Vec<_>>(),
                );
                search.tell(if hit {
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
    fn a_second_run_of_ddmin_deletes_a_pair_that_is_now_one_chunk() {
        // 4 and 8 are needed; 1 and 3 can only be deleted together.
        let hit = |kept: &[usize]| {
            kept.contains(&4) && kept.contains(&8) && kept.contains(&1) == kept.contains(&3)
        };
        let (once, left) = trace(with(8, PAPER), hit);
        assert_eq!(left, [1, 3, 4, 8], "1-minimal: neither 1 nor 3 goes alone");
        let (repeated, left) = trace(Fixpoint::new(with(8, PAPER)), hit);
        assert_eq!(left, [4, 8]);
        // The halves of the four elements are 1 with 3, and 4 with 8.
        assert_eq!(repeated[..once.len()], once);
        assert_eq!(
            repeated[once.len()..once.len() + 2],
            [(vec![1, 3], false), (vec![4, 8], true)]
        );
    }
}
