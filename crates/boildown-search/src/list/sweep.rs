//! Sweep: deletes one unit at a time until none can be deleted, which proves 1-minimality.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::algorithms::{Entry, Family, Registered};
use crate::odds::HitRate;
use crate::{ListSearch, Query, Search, Subset, Verdict};

/// Deletes one unit at a time, right to left, and repeats the round until no unit can be deleted.
///
/// A unit is a set of elements that are deleted together: a single element, a window of neighbours,
/// or a set that the caller names, such as the nodes of a tree, or a delimiter and its partner.
/// Units may overlap. The sweep ends as soon as every unit has missed since the last hit, not at
/// the end of a round.
///
/// For example, with four elements of which 0 can be deleted, and after it 1, the queries delete 3,
/// 2, 1, 0 (hit), 3, 2, 1 (hit), 3, 2.
///
/// # Guarantee
/// 1-minimal over the units: the deletion of any unit from the result was answered `Uninteresting`
/// or `Unresolved`.
/// # Cost
/// At most n + k·n queries for n units and k hits; n if nothing can be deleted.
/// # Units
/// Sets of elements of the original list, as ranges; elements are never renumbered.
/// # Source
/// The last loop of ddmin without its restarts (A. Zeller, R. Hildebrandt, *Simplifying and
/// Isolating Failure-Inducing Input*, IEEE TSE 28(2), 2002); right to left as in C-Reduce and
/// Lithium.
#[derive(Debug, Clone)]
pub struct Sweep {
    kept: Subset,
    units: SweepUnits,
    /// The units of this round, in ascending order of their ends.
    round: Arc<[SweepUnit]>,
    /// The index in `round` of the unit to ask about next. Invariant: below `round.len()` unless
    /// `unmissed` is 0.
    next_unit: usize,
    /// The number of units that have not missed since the last hit; 0 when finished.
    unmissed: usize,
    rate: HitRate,
}

/// The units of a sweep.
#[derive(Debug, Clone)]
enum SweepUnits {
    /// All windows of this many neighbouring kept elements.
    Window(usize),
    /// The units that the caller named.
    Named(Arc<[SweepUnit]>),
}

/// Ranges of elements that are deleted together: ascending, disjoint, at least one.
type SweepUnit = Arc<[Range<usize>]>;

impl Sweep {
    /// Sweeps windows of `size` neighbouring kept elements. A size of 0 counts as 1.
    #[must_use]
    pub fn windows(kept: Subset, size: usize) -> Self {
        Self::over(kept, SweepUnits::Window(size.max(1)))
    }

    /// Sweeps the given units, each of them one or more ranges of elements in ascending order.
    /// Units with a later end are asked about first, and among units with the same end the one with
    /// the earliest start.
    #[must_use]
    pub fn units(kept: Subset, units: impl IntoIterator<Item = Vec<Range<usize>>>) -> Self {
        let mut units: Vec<SweepUnit> = units
            .into_iter()
            .filter(|unit| !unit.is_empty())
            .map(Into::into)
            .collect();
        units.sort_by_key(|unit| (unit[unit.len() - 1].end, Reverse(unit[0].start)));
        units.dedup();
        Self::over(kept, SweepUnits::Named(units.into()))
    }

    fn over(kept: Subset, units: SweepUnits) -> Self {
        let mut search = Self {
            kept,
            units,
            round: Arc::new([]),
            next_unit: 0,
            unmissed: 0,
            rate: HitRate::new(0.05),
        };
        search.restart(search.best());
        search
    }

    /// Returns the units that delete something from the current set.
    fn live_units(&self) -> Arc<[SweepUnit]> {
        match &self.units {
            SweepUnits::Window(size) => {
                let elements: Vec<usize> = self.kept.iter().collect();
                let window = |window: &[usize]| SweepUnit::from([window[0]..window[size - 1] + 1]);
                elements.windows(*size).map(window).collect()
            }
            SweepUnits::Named(units) => units
                .iter()
                .filter(|unit| self.deletes_something(unit))
                .cloned()
                .collect(),
        }
    }

    fn deletes_something(&self, unit: &SweepUnit) -> bool {
        unit.iter()
            .any(|range| self.kept.count_in(range.clone()) > 0)
    }

    /// Returns how many new windows a deletion makes.
    fn overlap(&self) -> usize {
        match self.units {
            SweepUnits::Window(size) => size - 1,
            SweepUnits::Named(_) => 0,
        }
    }

    /// Moves to the next unit that deletes something. After the first unit of the round a new round
    /// starts at the end of the list.
    fn advance(&mut self) {
        while self.unmissed > 0 {
            if self.next_unit == 0 {
                self.round = self.live_units();
                self.next_unit = self.round.len();
                self.unmissed = self.unmissed.min(self.round.len());
                continue;
            }
            self.next_unit -= 1;
            if self.deletes_something(&self.round[self.next_unit]) {
                return;
            }
            self.unmissed -= 1;
        }
    }
}

impl Sweep {
    /// Returns the best set without the next unit.
    fn without_next(&self) -> Subset {
        self.kept
            .without(self.round[self.next_unit].iter().cloned())
    }

    /// Records the answer to the query of `ask`; `None` if it was skipped.
    fn record(&mut self, verdict: Option<Verdict>) {
        if self.unmissed == 0 {
            return;
        }
        if let Some(verdict) = verdict {
            self.rate.learn(verdict.into());
        }
        if verdict == Some(Verdict::Interesting) {
            self.kept = self.without_next();
            self.kept.commit();
            // Every unit has to miss again, and the windows that span the gap have not been asked
            // about at all.
            self.unmissed = self.round.len() + self.overlap();
        } else {
            self.unmissed -= 1;
        }
        self.advance();
    }

    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::windows(list.kept, 1)
    }
}

impl Search for Sweep {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        (self.unmissed > 0).then(|| Query {
            candidate: self.without_next(),
            odds: self.rate.odds(),
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

impl ListSearch for Sweep {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.round = self.live_units();
        self.unmissed = self.round.len();
        self.next_unit = self.round.len();
        self.advance();
    }
}

impl Registered for Sweep {
    type Options = ();

    const ENTRY: Entry = Entry {
        name: "sweep",
        family: Family::List,
        parameters: "",
        guarantee: "1-minimal",
        cost: "n, and at most n more for each hit; n if nothing can be deleted",
        source: "the last loop of ddmin, without its restarts; the proof that ends every \
            reduction",
    };

    fn start(list: List, (): ()) -> Self {
        Self::on(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a sweep and returns what each query deletes, and what is left.
    fn run(mut search: Sweep, hits: impl Fn(&[usize]) -> bool) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut asked = Vec::new();
        while let Some(query) = search.ask() {
            let kept: Vec<usize> = query.candidate.iter().collect();
            asked.push(
                search
                    .best()
                    .iter()
                    .filter(|element| !kept.contains(element))
                    .collect(),
            );
            let hit = hits(&kept);
            search.tell(if hit {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        (asked, search.best().iter().collect())
    }

    #[test]
    fn a_sweep_goes_right_to_left_and_stops_when_all_units_missed_since_the_last_hit() {
        let search = Sweep::on(List::uniform(4));
        // 1 can only be deleted after 0, so the sweep needs another round; 3 and 2 are asked about
        // again because 0 was deleted after them.
        let (asked, left) = run(search, |kept| {
            kept.contains(&3) && kept.contains(&2) && (!kept.contains(&0) || kept.contains(&1))
        });
        assert_eq!(asked, [[3], [2], [1], [0], [3], [2], [1], [3], [2]]);
        assert_eq!(left, [2, 3]);
    }

    #[test]
    fn a_window_of_two_deletes_a_pair_that_cannot_be_deleted_one_by_one() {
        let search = Sweep::windows(Subset::full(5), 2);
        let (asked, left) = run(search, |kept| {
            kept.contains(&1) == kept.contains(&2) && kept.contains(&3)
        });
        // After the deletion of 1, the window of 0 and 1 is 0 alone.
        let expected: [&[usize]; 5] = [&[3, 4], &[2, 3], &[1, 2], &[0], &[3, 4]];
        assert_eq!(asked, expected);
        assert_eq!(left, [3, 4]);
    }

    #[test]
    fn among_units_that_end_together_the_longest_is_asked_first() {
        let pair = vec![0..1, 2..3];
        let units = [vec![3..4], vec![0..2], vec![1..4], pair, vec![2..4]];
        let (asked, left) = run(Sweep::units(Subset::full(4), units), |_| false);
        assert_eq!(
            asked,
            [vec![1, 2, 3], vec![2, 3], vec![3], vec![0, 2], vec![0, 1]]
        );
        assert_eq!(left.len(), 4);
    }
}
