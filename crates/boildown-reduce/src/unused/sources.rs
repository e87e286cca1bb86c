//! The choice of the sources: the units that the others are reached from.

use std::collections::BTreeSet;

use boildown_search::Subset;

use super::{Reached, References};

impl References {
    /// Finds units that everything is reached from, as few as one look at each unit tells.
    pub(super) fn find_sources(&mut self) {
        let mut is_held = vec![false; self.units.len()];
        for &held in self.units.iter().flat_map(|unit| &unit.anonymous) {
            is_held[held] = true;
        }
        // From the last unit to the first: a later one is less likely to be needed by another. What
        // goes with others comes after all of these.
        let mut order: Vec<usize> = (0..self.units.len()).rev().collect();
        order.sort_by_key(|&unit| is_held[unit]);
        let mut sources = BTreeSet::new();
        let mut dropped = BTreeSet::new();
        let mut reached = self.reached_from(&Subset::full(0));
        self.add_sources(&order, &mut reached, &mut sources, &mut dropped);
        let kept = sources.difference(&dropped).copied().collect();
        self.set_sources(kept);
        // A unit that needs what is no longer a source may be inside of one that this needs.
        let mut reached = self.reached_from(&Subset::full(self.sources.len()));
        let mut sources: BTreeSet<usize> = self.sources.iter().copied().collect();
        self.add_sources(&order, &mut reached, &mut sources, &mut BTreeSet::new());
        self.set_sources(sources);
    }

    /// Adds those units that are not reached, each with those around it, in this order. Notes the
    /// sources that a later one needs.
    fn add_sources(
        &self,
        order: &[usize],
        reached: &mut Reached,
        sources: &mut BTreeSet<usize>,
        needed: &mut BTreeSet<usize>,
    ) {
        let none = Subset::full(self.sources.len()).without([0..self.sources.len()]);
        for &unit in order {
            if reached.units[unit] {
                continue;
            }
            // A source counts only where the units around it are reached.
            let around: Vec<usize> = self.around(unit).collect();
            for &unit in around.iter().rev() {
                if !reached.units[unit] {
                    let before = self.reach(reached, vec![unit], &none);
                    needed.extend(before.iter().filter(|unit| !around.contains(unit)));
                    sources.insert(unit);
                }
            }
        }
    }

    fn set_sources(&mut self, sources: BTreeSet<usize>) {
        for unit in &mut self.units {
            unit.inside.clear();
            unit.source = None;
        }
        for (index, &source) in sources.iter().enumerate() {
            self.units[source].source = Some(index);
            if let Some(outer) = self.units[source].outer {
                self.units[outer].inside.push(source);
            }
        }
        self.sources = sources.into_iter().collect();
    }

    /// Returns a unit and those around it, inner before outer.
    pub(super) fn around(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(unit), |&unit| self.units[unit].outer)
    }
}
