//! CDD, counter-based delta debugging: the chunk sizes of ProbDD without its probabilities.

use std::ops::Range;
use std::sync::Arc;

use rpds::QueueSync;

use boildown_search::algorithms::{Entry, Family, Options, ParsedName, Registered, non_default};
use boildown_search::list::{Direction, List};
use boildown_search::odds::RatesBySize;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::Sigma;
use super::sigma::is_worth_adding;

/// Deletes chunks of neighbours in rounds with smaller and smaller chunks, down to single elements.
///
/// A round asks about every chunk once, right to left by default, and drops those that can be
/// deleted. The chunk sizes are those that `ProbDD` would choose if all elements had missed equally
/// often, so they depend only on the number of the round: 10, 6, 3, 2, 1 if σ is a tenth, and 4, 2,
/// 1 if it is a quarter.
///
/// # Guarantee
/// Ends with an interesting set. It is minimal if the oracle is monotone, and the minimum if it is
/// also unambiguous: each remaining element missed alone at some time. It is 1-minimal only when
/// followed by [`Sweep`](boildown_search::list::Sweep).
/// # Cost
/// n/s queries in a round with chunks of s elements if nothing can be deleted. In total that is 2.1
/// n for n elements if σ is a tenth, and 1.75 n if it is a quarter. The chunks of a round are
/// disjoint. `tell` takes O(1), O(n / 64) on a hit, and O(n) at the end of each round.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// M. Zhang et al., *Toward a Better Understanding of Probabilistic Delta Debugging*, ICSE 2025
/// (CDD). The probability grows by the factor 1/(1 − 1/e) in each round, which is the effect of a
/// miss on a group of the best size in the limit of small probabilities. Exact updates with whole
/// group sizes would give slightly different chunks (10, 6, 4, 2, 1 for a tenth). The chunk size of
/// a round is that of `ProbDD`, the larger one of two equally good ones. A chunk of one element
/// that missed is not asked about again. The authors' implementation has no rounds: it counts the
/// misses of each element, and fills the last chunk of a round with the first elements of the next
/// ([`Rounds::Counter`]).
#[derive(Debug, Clone)]
pub struct Cdd {
    kept: Subset,
    /// The chunk size of each round.
    sizes: Arc<[usize]>,
    options: CddOptions,
    /// The elements that are not decided, in the order of asking: those with fewer misses first.
    undecided: QueueSync<Undecided>,
    rates: RatesBySize,
}

/// An element that may be asked about again.
#[derive(Debug, Clone, Copy)]
struct Undecided {
    element: usize,
    /// The round that it is in: the number of chunks with it that missed.
    round: usize,
}

/// The chunk at the end of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounds {
    /// It holds what is left of the round. Where a chunk is the whole list, the rounds that would
    /// ask about it again are left out.
    Apart,
    /// It is filled with the first elements of the next round, as in the authors' implementation.
    Counter,
}

impl Rounds {
    const NAMES: [(&str, Self); 2] = [("apart", Self::Apart), ("counter", Self::Counter)];
}

/// Parameters of [`Cdd`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CddOptions {
    /// The initial probability that an element is needed. It decides the chunk sizes.
    pub sigma: Sigma,
    /// The end of the list that is deleted first.
    pub direction: Direction,
    /// The chunk at the end of a round.
    pub rounds: Rounds,
}

impl CddOptions {
    /// A sigma of a tenth, the last elements first.
    pub const DEFAULT: Self = Self {
        sigma: Sigma::TENTH,
        direction: Direction::Backwards,
        rounds: Rounds::Apart,
    };
}

impl Default for CddOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Returns the chunk sizes of all rounds.
fn chunk_sizes(sigma: Sigma) -> Vec<usize> {
    /// 1/(1 − 1/e), as a number so that it is the same on every platform.
    const GROWTH: f64 = 1.581_976_706_869_326_5;
    let mut p = sigma.get();
    let mut sizes = Vec::new();
    loop {
        let size = best_size(p);
        sizes.push(size);
        if size == 1 {
            return sizes;
        }
        p *= GROWTH;
    }
}

/// Returns the size that maximises size·(1 − p)^size, the larger one of two.
fn best_size(p: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and at most 2³⁰ for the least sigma"
    )]
    let mut size = (1.0 / p) as usize;
    // The quotient is rounded, so it may be off by one.
    while size > 1 && !is_worth_adding(size, p) {
        size -= 1;
    }
    while is_worth_adding(size + 1, p) {
        size += 1;
    }
    size.max(1)
}

impl Cdd {
    /// Starts on a list, with the default options.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_options(list, CddOptions::DEFAULT)
    }

    /// Starts on a list, with the given options.
    #[must_use]
    pub fn with_options(list: List, options: CddOptions) -> Self {
        let mut search = Self {
            kept: list.kept,
            sizes: chunk_sizes(options.sigma).into(),
            options,
            undecided: QueueSync::new_sync(),
            rates: RatesBySize::new(0.4),
        };
        search.restart(search.best());
        search
    }

    /// Returns the chunk size of a round.
    fn size(&self, round: usize) -> usize {
        self.sizes.get(round).copied().unwrap_or(1)
    }

    /// Returns the chunk to be asked about next; nothing when all elements are decided.
    fn chunk(&self) -> Vec<Undecided> {
        let Some(first) = self.undecided.peek() else {
            return Vec::new();
        };
        let chunk = self.undecided.iter().take(self.size(first.round)).copied();
        match self.options.rounds {
            Rounds::Apart => chunk.take_while(|next| next.round == first.round).collect(),
            Rounds::Counter => chunk.collect(),
        }
    }

    /// Returns the list without a chunk.
    fn without(&self, chunk: &[Undecided]) -> Subset {
        // The elements of a round are in the order of the list: no other is kept between them.
        let runs = chunk.chunk_by(|one, next| one.round == next.round);
        self.kept.without(runs.map(|run| -> Range<usize> {
            let (first, last) = (run[0].element, run[run.len() - 1].element);
            first.min(last)..first.max(last) + 1
        }))
    }

    /// Records the answer to the query of `ask`; `None` if it was skipped.
    fn record(&mut self, verdict: Option<Verdict>) {
        let chunk = self.chunk();
        let is_all = chunk.len() == self.undecided.len();
        for _ in &chunk {
            self.undecided.dequeue_mut();
        }
        if let Some(verdict) = verdict {
            self.rates.learn(chunk.len(), verdict.into());
        }
        if verdict == Some(Verdict::Interesting) {
            self.kept = self.without(&chunk);
            self.kept.commit();
        } else if chunk.len() > 1 {
            for missed in &chunk {
                let mut round = missed.round + 1;
                while is_all
                    && self.options.rounds == Rounds::Apart
                    && self.size(round) >= chunk.len()
                {
                    round += 1;
                }
                self.undecided.enqueue_mut(Undecided { round, ..*missed });
            }
        }
    }
}

impl Search for Cdd {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        let chunk = self.chunk();
        (!chunk.is_empty()).then(|| Query {
            candidate: self.without(&chunk),
            odds: self.rates.odds(chunk.len()),
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

impl ListSearch for Cdd {
    fn restart(&mut self, best: Subset) {
        let mut elements: Vec<usize> = best.iter().collect();
        if self.options.direction == Direction::Backwards {
            elements.reverse();
        }
        let undecided = elements.into_iter();
        self.undecided = undecided
            .map(|element| Undecided { element, round: 0 })
            .collect();
        self.kept = best;
    }
}

impl Options for CddOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let default = Self::DEFAULT;
        Ok(Self {
            sigma: Sigma::parse(name, default.sigma)?,
            direction: name.choice("direction", default.direction, &Direction::NAMES)?,
            rounds: name.choice("rounds", default.rounds, &Rounds::NAMES)?,
        })
    }

    fn non_default(self) -> Vec<Option<String>> {
        let default = Self::DEFAULT;
        vec![
            self.sigma.non_default(default.sigma),
            non_default(
                "direction",
                &self.direction,
                &default.direction,
                &Direction::NAMES,
            ),
            non_default("rounds", &self.rounds, &default.rounds, &Rounds::NAMES),
        ]
    }
}

impl Registered for Cdd {
    type Options = CddOptions;

    const ENTRY: Entry = Entry {
        name: "cdd",
        family: Family::List,
        parameters: "sigma=0.1, direction=backwards|forwards, rounds=apart|counter",
        guarantee: "minimal if monotone, the minimum if also unambiguous; 1-minimal after a sweep",
        cost: "2.1 n if nothing can be deleted, 1.75 n with sigma=0.25",
        source: "Zhang et al.: Toward a Better Understanding of ProbDD, ICSE 2025",
    };

    fn start(list: List, options: CddOptions) -> Self {
        Self::with_options(list, options)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check_chunk_sizes(sigma: f64, expected: &[usize]) {
        assert_eq!(chunk_sizes(Sigma::new(sigma).unwrap()), expected);
    }

    #[test]
    fn chunk_sizes_depend_only_on_sigma() {
        check_chunk_sizes(0.1, &[10, 6, 3, 2, 1]);
        check_chunk_sizes(0.25, &[4, 2, 1]);
        check_chunk_sizes(0.05, &[20, 12, 7, 5, 3, 2, 1]);
        check_chunk_sizes(0.01, &[100, 63, 39, 25, 15, 10, 6, 4, 2, 1]);
        check_chunk_sizes(0.9, &[1]);
        check_chunk_sizes(0.5, &[2, 1]);
    }

    #[test]
    fn the_smallest_sigma_has_finitely_many_rounds() {
        let sizes = chunk_sizes(Sigma::new(1.0 / f64::from(1 << 30)).unwrap());
        assert_eq!(sizes.first(), Some(&(1 << 30)));
        assert!(sizes.len() < 60);
    }

    /// Returns what each query deletes, and what is left.
    fn trace(mut search: Cdd, hits: impl Fn(&Subset) -> bool) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut asked = Vec::new();
        while let Some(query) = search.ask() {
            let (kept, best) = (query.candidate, search.best());
            asked.push(
                best.iter()
                    .filter(|&element| !kept.contains(element))
                    .collect(),
            );
            let verdict = [Verdict::Uninteresting, Verdict::Interesting][usize::from(hits(&kept))];
            search.tell(verdict);
        }
        (asked, search.best().iter().collect())
    }

    #[test]
    fn rounds_of_four_two_and_one_right_to_left() {
        let search = Cdd::with_options(
            List::uniform(11),
            CddOptions {
                sigma: Sigma::QUARTER,
                ..CddOptions::DEFAULT
            },
        );
        let (asked, left) = trace(search, |kept| kept.contains(1) && kept.contains(5));
        let expected: [&[usize]; 8] = [
            &[7, 8, 9, 10],
            &[3, 4, 5, 6],
            &[0, 1, 2],
            &[5, 6],
            &[3, 4],
            &[1, 2],
            // 0 is left over: it is a chunk of its own.
            &[0],
            &[6],
        ];
        assert_eq!(asked[..8], expected);
        assert_eq!(asked[8..], [[5], [2], [1]]);
        assert_eq!(left, [1, 5]);
    }

    #[test]
    fn the_last_chunk_of_a_round_is_filled_from_the_next_one() {
        let options = CddOptions {
            sigma: Sigma::QUARTER,
            rounds: Rounds::Counter,
            ..CddOptions::DEFAULT
        };
        let search = Cdd::with_options(List::uniform(11), options);
        let (asked, left) = trace(search, |_| false);
        let expected: [&[usize]; 10] = [
            &[7, 8, 9, 10],
            &[3, 4, 5, 6],
            &[0, 1, 2, 10],
            &[8, 9],
            &[6, 7],
            &[4, 5],
            &[2, 3],
            &[0, 1],
            &[10],
            &[9],
        ];
        assert_eq!(asked[..10], expected);
        assert_eq!(asked.len(), 19);
        assert_eq!(left.len(), 11);
    }

    #[test]
    fn a_chunk_that_is_the_whole_list_is_asked_about_once() {
        let options = CddOptions {
            sigma: Sigma::new(0.05).unwrap(),
            ..CddOptions::DEFAULT
        };
        let search = Cdd::with_options(List::uniform(2), options);
        let (asked, _) = trace(search, |_| false);
        assert_eq!(asked, [vec![0, 1], vec![1], vec![0]]);
    }

    #[test]
    fn an_element_that_missed_alone_is_not_asked_about_again() {
        let search = Cdd::with_options(
            List::uniform(5),
            CddOptions {
                sigma: Sigma::QUARTER,
                direction: Direction::Forwards,
                ..CddOptions::DEFAULT
            },
        );
        let (asked, left) = trace(search, |_| false);
        let expected: [&[usize]; 8] = [
            &[0, 1, 2, 3],
            &[4],
            &[0, 1],
            &[2, 3],
            &[0],
            &[1],
            &[2],
            &[3],
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [0, 1, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn queries_are_at_most_the_chunks_of_all_rounds(
            n in 1_usize..200,
            sigma in prop_oneof![Just(0.1), Just(0.25), 0.01..0.9],
            rounds in prop_oneof![Just(Rounds::Apart), Just(Rounds::Counter)],
            verdicts in proptest::collection::vec(0_u8..5, 1..60),
        ) {
            let sigma = Sigma::new(sigma).unwrap();
            let mut search = Cdd::with_options(List::uniform(n), CddOptions { sigma, rounds, ..CddOptions::DEFAULT });
            let sizes = chunk_sizes(sigma);
            let most: usize = match rounds {
                Rounds::Apart => sizes.into_iter().map(|size| n.div_ceil(size)).sum(),
                // Each query decides an element, or takes an element out of a round.
                Rounds::Counter => n * (sizes.len() + 1),
            };
            let mut verdicts = verdicts.iter().cycle();
            let mut asked = 0;
            while search.ask().is_some() {
                asked += 1;
                match verdicts.next() {
                    Some(0) => search.tell(Verdict::Interesting),
                    Some(1) => search.skip(),
                    _ => search.tell(Verdict::Uninteresting),
                }
            }
            prop_assert!(asked <= most, "{asked} > {most}");
        }
    }
}
