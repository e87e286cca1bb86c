//! Halving: deletes chunks of a list, largest first, and splits those that have to stay.

use std::ops::Range;

use super::cumulative_weights::CumulativeWeights;
use super::pending_chunks::{HalvingOrder, PendingChunks};
use super::{Direction, List};
use crate::algorithms::{Entry, Family, Options, ParsedName, Registered, non_default};
use crate::odds::RatesBySize;
use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes chunks of a list, largest first, and splits a chunk that cannot be deleted in two.
///
/// Asks to delete everything, then each half, and so on down to single elements. A chunk whose
/// deletion is interesting is dropped; any other chunk is split where its weight halves. No chunk
/// is visited twice. The default order is depth-first, right to left: later elements tend to use
/// the earlier ones, so they are deleted first.
///
/// For example, with the elements 1 to 8 of which only 3 is needed, the queries delete 1-8 (miss),
/// 5-8 (hit), 1-4 (miss), 3-4 (miss), 4 (hit), 3 (miss), 1-2 (hit).
///
/// # Guarantee
/// Ends with an interesting set. It is minimal if the oracle is monotone and unambiguous. It is
/// 1-minimal only when followed by [`Sweep`](super::Sweep).
/// # Cost
/// At most 2n − 1 queries for n elements, in either order. `tell` takes O(log n), and O(n / 64) on
/// a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// G. Gharachorlu, N. Sumner, *Avoiding the Familiar to Speed Up Test Case Reduction*, QRS 2018
/// (one pass, no revisits). The split by weight follows X. Zhou et al., *WDD*, ICSE 2025, §3: the
/// left part grows while it holds at most half of the weight, and the element that crosses the
/// middle goes left unless that is further from the middle. The default order, depth-first and
/// right to left, is our own.
#[derive(Debug, Clone)]
pub struct Halving {
    list: List,
    items: CumulativeWeights,
    order: HalvingOrder,
    direction: Direction,
    /// The chunks that have not been asked about yet, as ranges of positions in `items`. Invariant:
    /// they are disjoint, and all of their elements are kept.
    chunks: PendingChunks,
    rates: RatesBySize,
}

/// Parameters of [`Halving`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HalvingOptions {
    /// The order in which chunks are visited.
    pub order: HalvingOrder,
    /// The end of the list that is deleted first.
    pub direction: Direction,
}

impl HalvingOptions {
    /// Depth-first, the last elements first.
    pub const DEFAULT: Self = Self {
        order: HalvingOrder::Depth,
        direction: Direction::Backwards,
    };
}

impl Default for HalvingOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Halving {
    /// Starts on a list, with the given options.
    #[must_use]
    pub fn with_options(list: List, options: HalvingOptions) -> Self {
        let HalvingOptions { order, direction } = options;
        let items = CumulativeWeights::new(&list);
        Self {
            chunks: PendingChunks::new(order, 0..items.len()),
            list,
            items,
            order,
            direction,
            rates: RatesBySize::new(0.3),
        }
    }

    /// Starts on a list with the default options: depth-first, right to left.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_options(list, HalvingOptions::DEFAULT)
    }

    fn query(&self, chunk: &Range<usize>) -> Query<Subset> {
        Query {
            candidate: self.list.kept.without([self.items.element_range(chunk)]),
            odds: self.rates.odds(chunk.len()),
        }
    }

    /// Returns the halves of a chunk of at least two elements, in the order of asking.
    fn halves(&self, chunk: &Range<usize>) -> [Range<usize>; 2] {
        let middle = self.items.split(chunk);
        let (left, right) = (chunk.start..middle, middle..chunk.end);
        match self.direction {
            Direction::Forwards => [left, right],
            Direction::Backwards => [right, left],
        }
    }
}

impl Halving {
    /// Records the answer to the query of `ask`; `None` if it was skipped.
    fn record(&mut self, verdict: Option<Verdict>) {
        let Some(chunk) = self.chunks.first().cloned() else {
            return;
        };
        if let Some(verdict) = verdict {
            self.rates.learn(chunk.len(), verdict.into());
        }
        let halves = if verdict == Some(Verdict::Interesting) {
            let cut = self.items.element_range(&chunk);
            self.list.kept = self.list.kept.without([cut]);
            self.list.kept.commit();
            None
        } else {
            (chunk.len() > 1).then(|| self.halves(&chunk))
        };
        self.chunks.replace_first(halves);
    }
}

impl Search for Halving {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.chunks.first().map(|chunk| self.query(chunk))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.record(Some(verdict));
    }

    fn skip(&mut self) {
        self.record(None);
    }

    fn best(&self) -> Subset {
        self.list.kept.clone()
    }
}

impl ListSearch for Halving {
    fn restart(&mut self, best: Subset) {
        self.list.kept = best;
        self.items = CumulativeWeights::new(&self.list);
        self.chunks = PendingChunks::new(self.order, 0..self.items.len());
    }

    fn waiting(&self) -> Vec<Range<usize>> {
        let waiting = self.chunks.waiting();
        waiting
            .map(|chunk| self.items.element_range(chunk))
            .collect()
    }
}

impl Options for HalvingOptions {
    const DEFAULT: Self = Self::DEFAULT;

    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String> {
        let default = Self::DEFAULT;
        Ok(Self {
            order: name.choice("order", default.order, &HalvingOrder::NAMES)?,
            direction: name.choice("direction", default.direction, &Direction::NAMES)?,
        })
    }

    fn non_default(self) -> Vec<Option<String>> {
        let default = Self::DEFAULT;
        vec![
            non_default("order", &self.order, &default.order, &HalvingOrder::NAMES),
            non_default(
                "direction",
                &self.direction,
                &default.direction,
                &Direction::NAMES,
            ),
        ]
    }
}

impl Registered for Halving {
    type Options = HalvingOptions;

    const ENTRY: Entry = Entry {
        name: "halving",
        family: Family::List,
        parameters: "order=depth|breadth, direction=backwards|forwards",
        guarantee: "minimal if monotone and unambiguous; 1-minimal after a sweep",
        cost: "at most 2n - 1",
        source: "Gharachorlu, Sumner: Avoiding the Familiar (OPDD), QRS 2018; split by weight as \
            in WDD, ICSE 2025; the default",
    };

    fn start(list: List, options: HalvingOptions) -> Self {
        Self::with_options(list, options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::trace;

    #[test]
    fn chunks_are_deleted_right_to_left_until_one_needed_element_is_left() {
        let (asked, left) = trace(Halving::on(List::uniform(8)), |kept| kept.contains(&3));
        let expected = [
            (vec![], false),
            (vec![1, 2, 3, 4], true),
            (vec![], false),
            (vec![1, 2], false),
            (vec![1, 2, 3], true),
            (vec![1, 2], false),
            (vec![3], true),
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [3]);
    }

    /// Returns what each query deletes of six elements if nothing can be deleted.
    fn deleted(order: HalvingOrder, direction: Direction) -> Vec<Vec<usize>> {
        let (asked, _) = trace(
            Halving::with_options(List::uniform(6), HalvingOptions { order, direction }),
            |_| false,
        );
        (asked.iter())
            .map(|(kept, _)| (1..=6).filter(|element| !kept.contains(element)).collect())
            .collect()
    }

    #[test]
    fn depth_first_visits_halves_at_once_and_breadth_first_level_by_level() {
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[1, 2, 3],
            &[1],
            &[2, 3],
            &[2],
            &[3],
            &[4, 5, 6],
            &[4],
            &[5, 6],
            &[5],
            &[6],
        ];
        assert_eq!(deleted(HalvingOrder::Depth, Direction::Forwards), chunks);
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[4, 5, 6],
            &[5, 6],
            &[6],
            &[5],
            &[4],
            &[1, 2, 3],
            &[2, 3],
            &[3],
            &[2],
            &[1],
        ];
        assert_eq!(deleted(HalvingOrder::Depth, Direction::Backwards), chunks);
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[1, 2, 3],
            &[4, 5, 6],
            &[1],
            &[2, 3],
            &[4],
            &[5, 6],
            &[2],
            &[3],
            &[5],
            &[6],
        ];
        assert_eq!(deleted(HalvingOrder::Breadth, Direction::Forwards), chunks);
        let chunks: [&[usize]; 11] = [
            &[1, 2, 3, 4, 5, 6],
            &[4, 5, 6],
            &[1, 2, 3],
            &[5, 6],
            &[4],
            &[2, 3],
            &[1],
            &[6],
            &[5],
            &[3],
            &[2],
        ];
        assert_eq!(deleted(HalvingOrder::Breadth, Direction::Backwards), chunks);
    }
}
