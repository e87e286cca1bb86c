//! Wddmin: ddmin with chunks of equal weight instead of equal length.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::{Entry, Family, Registered};
use boildown_search::list::{CumulativeWeights, List, Sweep};
use boildown_search::odds::HitRate;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

use super::ddmin::ChunkMode;

/// Minimises a list with Wddmin: ddmin whose chunks have about the same weight, followed by a
/// sweep.
///
/// Keeps one chunk alone if that is interesting; otherwise drops one chunk if that is interesting;
/// otherwise splits every chunk where its weight halves. A chunk of one element that cannot be
/// dropped is set aside. At the end every element is tried alone.
///
/// # Guarantee
/// 1-minimal: dropping any single kept element was answered `Uninteresting` or `Unresolved`. Unlike
/// [`Ddmin`](super::Ddmin) it may ask about the empty list: at the end, if one element is left.
/// # Cost
/// O(n²) queries for n elements in the worst case, as ddmin. `tell` takes O(k) for k chunks, and
/// O(n / 64 + k) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// X. Zhou et al., *WDD*, ICSE 2025, Algorithm 1, with the split of
/// [`Halving`](boildown_search::list::Halving). The paper starts with the whole list alone,
/// which is known to be interesting and not asked about here. After a chunk was dropped the paper
/// tries the other chunks alone again, and with two chunks their complements; both have just been
/// answered and are not asked about again. The final pass is a [`Sweep`] instead of a loop that
/// restarts at the first element: the same guarantee for fewer queries.
#[derive(Debug, Clone)]
pub struct Wddmin {
    list: List,
    items: CumulativeWeights,
    /// Ranges of positions in `items`, in order. Invariant: all of their elements are kept.
    chunks: Arc<[Range<usize>]>,
    /// The number of kept elements that are in no chunk: each was a chunk of its own that could not
    /// be dropped.
    unchunked: usize,
    mode: ChunkMode,
    /// The index of the chunk under trial. Invariant: below `chunks.len()` until the final pass.
    current: usize,
    rate: HitRate,
    /// The final pass, once no chunks are left.
    finish: Option<Sweep>,
}

impl Wddmin {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut search = Self {
            items: CumulativeWeights::new(&list),
            list,
            chunks: Arc::new([]),
            unchunked: 0,
            mode: ChunkMode::Subset,
            current: 0,
            rate: HitRate::new(0.2),
            finish: None,
        };
        search.restart(search.best());
        search
    }

    /// Splits every chunk and starts to try the halves alone. Chunks of one element are set aside.
    fn split(&mut self) {
        let mut finer = Vec::new();
        for chunk in self.chunks.iter() {
            if chunk.len() == 1 {
                self.unchunked += 1;
            } else {
                let middle = self.items.split(chunk);
                finer.extend([chunk.start..middle, middle..chunk.end]);
            }
        }
        self.chunks = finer.into();
        self.mode = ChunkMode::Subset;
        self.current = 0;
        self.finish_without_chunks();
    }

    /// Starts to try the complements of the chunks, which have all missed alone.
    fn begin_complements(&mut self) {
        self.mode = ChunkMode::Complement;
        self.current = 0;
        self.finish_without_chunks();
        // A single chunk is all that is kept; each of two chunks is the complement of the other.
        if self.unchunked == 0 && (1..=2).contains(&self.chunks.len()) {
            self.split();
        }
    }

    /// Starts the final pass if no chunk is left.
    fn finish_without_chunks(&mut self) {
        if self.chunks.is_empty() {
            self.finish = Some(Sweep::windows(self.list.kept.clone(), 1));
        }
    }

    /// Returns the elements that the query about the chunk under trial leaves.
    fn candidate(&self) -> Subset {
        let elements = self.items.element_range(&self.chunks[self.current]);
        match self.mode {
            ChunkMode::Subset => self.list.kept.only(elements),
            ChunkMode::Complement => self.list.kept.without([elements]),
        }
    }

    /// Records the answer to the query about the chunk under trial; `None` if it was skipped.
    fn record(&mut self, verdict: Option<Verdict>) {
        if let Some(verdict) = verdict
            && self.mode == ChunkMode::Complement
        {
            self.rate.learn(verdict.into());
        }
        if verdict != Some(Verdict::Interesting) {
            return self.miss();
        }
        self.list.kept = self.candidate();
        self.list.kept.commit();
        match self.mode {
            ChunkMode::Subset => {
                self.chunks = Arc::new([self.chunks[self.current].clone()]);
                self.unchunked = 0;
                self.split();
            }
            ChunkMode::Complement => {
                let mut left = self.chunks.to_vec();
                left.remove(self.current);
                self.chunks = left.into();
                self.begin_complements();
            }
        }
    }

    /// Moves on to the next chunk after a miss.
    fn miss(&mut self) {
        self.current += 1;
        if self.current == self.chunks.len() {
            match self.mode {
                ChunkMode::Subset => self.begin_complements(),
                ChunkMode::Complement => self.split(),
            }
        }
    }
}

impl Search for Wddmin {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        match &self.finish {
            Some(sweep) => sweep.ask(),
            None => Some(Query {
                candidate: self.candidate(),
                odds: match self.mode {
                    ChunkMode::Subset => 0.05,
                    ChunkMode::Complement => self.rate.odds(),
                },
            }),
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        match &mut self.finish {
            Some(sweep) => sweep.tell(verdict),
            None => self.record(Some(verdict)),
        }
    }

    fn skip(&mut self) {
        match &mut self.finish {
            Some(sweep) => sweep.skip(),
            None => self.record(None),
        }
    }

    fn best(&self) -> Subset {
        match &self.finish {
            Some(sweep) => sweep.best(),
            None => self.list.kept.clone(),
        }
    }
}

impl ListSearch for Wddmin {
    fn restart(&mut self, best: Subset) {
        self.list.kept = best;
        self.items = CumulativeWeights::new(&self.list);
        self.chunks = if self.items.len() == 0 {
            Arc::new([])
        } else {
            Arc::new([0..self.items.len()])
        };
        self.unchunked = 0;
        self.finish = None;
        self.split();
    }
}

impl Registered for Wddmin {
    type Options = ();

    const ENTRY: Entry = Entry {
        name: "wddmin",
        family: Family::List,
        parameters: "",
        guarantee: "1-minimal",
        cost: "O(n^2)",
        source: "Zhou et al.: WDD, ICSE 2025",
    };

    fn start(list: List, (): ()) -> Self {
        Self::on(list)
    }
}

#[cfg(test)]
mod tests {
    use boildown_search::list::testing::{distinct, eight_statements, trace};

    use super::*;

    #[test]
    fn a_heavy_element_is_isolated_early_and_set_aside_until_the_end() {
        // 4 is needed, and 1 as long as 3 is kept.
        let list = List::weighted([1, 1, 2, 4]);
        let (asked, left) = trace(Wddmin::on(list), |kept| {
            kept.contains(&4) && (!kept.contains(&3) || kept.contains(&1)) && kept.len() > 1
        });
        let expected: [(&[usize], bool); 9] = [
            (&[1, 2, 3], false),
            (&[4], false),
            // 4 is set aside; the rest is halved.
            (&[1, 2], false),
            (&[3], false),
            (&[3, 4], false),
            (&[1, 2, 4], true),
            // 1 and 2 have missed together, and dropping them leaves 4.
            (&[4], false),
            // The only chunk: its halves are tried.
            (&[1], false),
            (&[2], false),
        ];
        let asked: Vec<(&[usize], bool)> =
            asked.iter().map(|(kept, hit)| (&kept[..], *hit)).collect();
        assert_eq!(asked[..9], expected);
        // Their complements, then the final sweep.
        assert_eq!(
            asked[9..],
            [
                (&[2, 4][..], true),
                (&[4], false),
                (&[2], false),
                (&[4], false)
            ]
        );
        assert_eq!(left, [2, 4]);
    }

    #[test]
    fn with_equal_weights_the_queries_for_the_eight_statements_are_as_many_as_with_ddmin() {
        let (asked, left) = trace(Wddmin::on(List::uniform(8)), eight_statements);
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!((asked.len(), distinct(&asked)), (35, 27));
    }

    #[test]
    fn a_list_of_one_element_is_only_swept() {
        let (asked, left) = trace(Wddmin::on(List::uniform(1)), |_| true);
        assert_eq!(asked, [(vec![], true)]);
        assert!(left.is_empty());
    }
}
