//! One deletion at a time, until none can go: the proof of 1-minimality.

use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::List;
use crate::odds::HitRate;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Removes one unit at a time, right to left, round and round until a whole round has no hit.
///
/// A unit is a set of elements that go together: single elements, windows of a fixed width, or whatever the caller names, such
/// as the nodes of a tree or a delimiter and its partner; they may overlap. The round ends as soon as every unit has missed
/// since the last hit, not at the end of the list.
///
/// # Guarantee
/// 1-minimal over the units: dropping any one of them from the result was answered `Uninteresting` or `Unresolved`.
/// # Cost
/// At most n + k·n questions for n units and k hits; n when nothing can go.
/// # Units
/// Sets of elements of the original list, as ranges; elements are never renumbered.
/// # Source
/// The last loop of ddmin, without its restarts (A. Zeller, R. Hildebrandt, *Simplifying and Isolating Failure-Inducing
/// Input*, IEEE TSE 28(2), 2002); right to left as in C-Reduce and Lithium.
#[derive(Debug, Clone)]
pub struct Sweep {
    kept: Subset,
    units: Units,
    /// The units of this round, in ascending order of their ends.
    round: Arc<[Unit]>,
    /// The unit to ask next. Invariant: below `round.len()` unless `pending` is 0.
    at: usize,
    /// Units that have not missed since the last hit; 0 when finished.
    pending: usize,
    rate: HitRate,
}

/// What one question of a sweep deletes.
#[derive(Debug, Clone)]
enum Units {
    /// This many neighbouring kept elements.
    Window(usize),
    /// One of these.
    Named(Arc<[Unit]>),
}

/// Ranges of elements that go together: ascending, disjoint, at least one.
type Unit = Arc<[Range<usize>]>;

impl Sweep {
    /// Sweeps windows of `width` neighbouring kept elements.
    #[must_use]
    pub fn windows(kept: Subset, width: usize) -> Self {
        Self::over(kept, Units::Window(width.max(1)))
    }

    /// Sweeps the given units, each one or more ranges of elements in ascending order: last ones first, and among those that
    /// end together the one that starts first.
    #[must_use]
    pub fn units(kept: Subset, units: impl IntoIterator<Item = Vec<Range<usize>>>) -> Self {
        let mut units: Vec<Unit> = units
            .into_iter()
            .filter(|unit| !unit.is_empty())
            .map(Into::into)
            .collect();
        units.sort_by_key(|unit| (unit[unit.len() - 1].end, Reverse(unit[0].start)));
        units.dedup();
        Self::over(kept, Units::Named(units.into()))
    }

    fn over(kept: Subset, units: Units) -> Self {
        let mut machine = Self {
            kept,
            units,
            round: Arc::new([]),
            at: 0,
            pending: 0,
            rate: HitRate::new(0.05),
        };
        machine.restart(machine.best());
        machine
    }

    /// The units that delete anything from the current set.
    fn living(&self) -> Arc<[Unit]> {
        match &self.units {
            Units::Window(width) => {
                let elements: Vec<usize> = self.kept.iter().collect();
                let window = |window: &[usize]| Unit::from([window[0]..window[width - 1] + 1]);
                elements.windows(*width).map(window).collect()
            }
            Units::Named(units) => units
                .iter()
                .filter(|unit| self.lives(unit))
                .cloned()
                .collect(),
        }
    }

    fn lives(&self, unit: &Unit) -> bool {
        unit.iter()
            .any(|range| self.kept.count_in(range.clone()) > 0)
    }

    /// The question about the unit at a place in the round.
    fn question(&self, place: usize) -> Question<Subset> {
        Question {
            candidate: self.kept.without(self.round[place].iter().cloned()),
            odds: self.rate.odds(),
        }
    }

    /// The places of the next units that still delete something, up to the end of this round or of the sweep.
    fn next_places(&self, width: usize) -> Vec<usize> {
        if self.pending == 0 {
            return Vec::new();
        }
        // The unit at `at` is known to live; those behind it count as missed when they do not.
        let window = self.at + 1 - self.pending.min(self.at + 1)..self.at + 1;
        let living = window
            .rev()
            .filter(|&place| place == self.at || self.lives(&self.round[place]));
        living.take(width).collect()
    }

    /// How many windows a deletion makes new.
    fn overlap(&self) -> usize {
        match self.units {
            Units::Window(width) => width - 1,
            Units::Named(_) => 0,
        }
    }

    /// Walks on to the next unit that still deletes something, wrapping to a fresh round at the front of the list.
    fn advance(&mut self) {
        while self.pending > 0 {
            if self.at == 0 {
                self.round = self.living();
                self.at = self.round.len();
                self.pending = self.pending.min(self.round.len());
                continue;
            }
            self.at -= 1;
            if self.lives(&self.round[self.at]) {
                return;
            }
            self.pending -= 1;
        }
    }
}

impl Sweep {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::windows(list.kept, 1)
    }
}

impl Search for Sweep {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        (self.pending > 0).then(|| self.question(self.at))
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

impl Wide for Sweep {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let places = self.next_places(width.get()).into_iter();
        places.map(|place| self.question(place)).collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let places = self.next_places(fates.len());
        let Some(&last) = places.last() else {
            return;
        };
        let mut cuts = Vec::new();
        let mut first_hit = None;
        for (&place, fate) in places.iter().zip(fates) {
            if let Fate::Told(verdict) = fate {
                self.rate.learn((*verdict).into());
            }
            if *fate == Fate::Told(Verdict::Interesting) {
                cuts.extend(self.round[place].iter().cloned());
                first_hit.get_or_insert(place);
            }
        }
        if first_hit.is_none() {
            self.pending -= self.at + 1 - last;
        } else {
            self.kept = self.kept.without(cuts);
            self.kept.commit();
            // Every unit has to miss again, and windows that now reach across the gap have not been asked at all.
            self.pending = self.round.len() + self.overlap();
        }
        // Those behind the first hit were asked about too early: what they need may be what has just gone.
        self.at = first_hit.unwrap_or(last);
        self.advance();
    }
}

impl Restart for Sweep {
    fn restart(&mut self, best: Subset) {
        self.kept = best;
        self.round = self.living();
        self.pending = self.round.len();
        self.at = self.round.len();
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a sweep and returns what every question deleted, and what is left.
    fn run(mut machine: Sweep, hits: impl Fn(&[usize]) -> bool) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut asked = Vec::new();
        while let Some(question) = machine.ask() {
            let kept: Vec<usize> = question.candidate.iter().collect();
            asked.push(
                machine
                    .best()
                    .iter()
                    .filter(|element| !kept.contains(element))
                    .collect(),
            );
            let hit = hits(&kept);
            machine.tell(if hit {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        (asked, machine.best().iter().collect())
    }

    #[test]
    fn a_sweep_goes_right_to_left_and_stops_once_all_have_missed_since_the_last_hit() {
        let machine = Sweep::on(List::uniform(4));
        // 1 can only go after 0 went, so the sweep has to come round again; 3 and 2 are asked again because 0 went after them.
        let (asked, left) = run(machine, |kept| {
            kept.contains(&3) && kept.contains(&2) && (!kept.contains(&0) || kept.contains(&1))
        });
        assert_eq!(asked, [[3], [2], [1], [0], [3], [2], [1], [3], [2]]);
        assert_eq!(left, [2, 3]);
    }

    #[test]
    fn a_window_of_two_removes_a_pair_that_must_go_together() {
        let machine = Sweep::windows(Subset::full(5), 2);
        let (asked, left) = run(machine, |kept| {
            kept.contains(&1) == kept.contains(&2) && kept.contains(&3)
        });
        // With 1 gone, what is left of the window of 0 and 1 is 0 alone.
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
