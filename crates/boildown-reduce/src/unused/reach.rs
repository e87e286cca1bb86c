//! Reachability in the graph, and the text that goes without some sources.

use boildown_search::Subset;
use boildown_search::tree::NodeId;

use super::{DefinitionUnit, KeptUnits, MostDeleted, Reached, References};
use crate::edit_plan::cuts_of;

impl References {
    /// Marks units as reached, with everything they need, the units around them, and those of
    /// `kept` inside them. Returns those that had been reached before.
    pub(super) fn reach(
        &self,
        reached: &mut Reached,
        mut pending: Vec<usize>,
        kept: &Subset,
    ) -> Vec<usize> {
        let mut before = Vec::new();
        while let Some(unit) = pending.pop() {
            if std::mem::replace(&mut reached.units[unit], true) {
                before.push(unit);
                continue;
            }
            let unit = &self.units[unit];
            self.need(&unit.needs, reached, &mut pending);
            let is_needed = |symbol: &usize| reached.symbols[*symbol];
            let members = unit.members.iter().copied();
            pending.extend(members.filter(|&unit| self.units[unit].defines.iter().any(is_needed)));
            self.beside_needs(unit, kept, &mut pending);
        }
        before
    }

    /// Marks symbols as needed, and adds the units that these mean.
    fn need<'a>(
        &self,
        symbols: impl IntoIterator<Item = &'a usize>,
        reached: &mut Reached,
        pending: &mut Vec<usize>,
    ) {
        for &symbol in symbols {
            if !std::mem::replace(&mut reached.symbols[symbol], true) {
                let definitions = self.definitions[symbol].iter().copied();
                pending.extend(definitions.filter(|&unit| {
                    let around = self.units[unit].type_around;
                    around.is_none_or(|around| reached.units[around])
                }));
                let conditional = self.conditional[symbol].iter().copied();
                pending.extend(conditional.filter(|&unit| {
                    let mut conditions = self.units[unit].conditions.iter();
                    conditions.all(|&symbol| reached.symbols[symbol])
                }));
            }
        }
    }

    /// Returns whether a source is kept.
    fn is_kept(&self, unit: usize, kept: &Subset) -> bool {
        let source = self.units[unit].source;
        source.is_some_and(|source| kept.contains(source))
    }

    /// Returns the tokens of the candidate that keeps these sources.
    pub(super) fn keep(&self, kept: &Subset) -> Subset {
        self.tokens(&self.reach_from(kept))
    }

    /// Returns which units are in the candidate that keeps these sources.
    pub(super) fn reach_from(&self, kept: &Subset) -> Vec<bool> {
        self.reached_from(kept).units
    }

    pub(super) fn reached_from(&self, kept: &Subset) -> Reached {
        let outermost = (self.sources.iter().copied())
            .filter(|&unit| self.units[unit].outer.is_none() && self.is_kept(unit, kept));
        self.reached_with(outermost.collect(), &self.roots, kept)
    }

    /// Returns what is reached from these units and symbols, and from the sources of `kept` inside
    /// of what is reached.
    pub(super) fn reached_with<'a>(
        &self,
        mut pending: Vec<usize>,
        symbols: impl IntoIterator<Item = &'a usize>,
        kept: &Subset,
    ) -> Reached {
        let mut reached = Reached {
            units: vec![false; self.units.len()],
            symbols: vec![false; self.definitions.len()],
        };
        self.need(symbols, &mut reached, &mut pending);
        self.reach(&mut reached, pending, kept);
        reached
    }

    /// Adds the units that are in a candidate with a unit, though it does not refer to them.
    fn beside_needs(&self, unit: &DefinitionUnit, kept: &Subset, pending: &mut Vec<usize>) {
        pending.extend(&unit.anonymous);
        pending.extend(unit.outer);
        let inside = unit.inside.iter().copied();
        pending.extend(inside.filter(|&unit| self.is_kept(unit, kept)));
    }

    /// Returns the tokens of the candidate that consists of these units.
    pub(super) fn tokens(&self, reached: &[bool]) -> Subset {
        let tree = self.document.tree();
        let mut end = NodeId::ROOT;
        let unreached = reached
            .iter()
            .zip(&self.units)
            .filter(|(reached, _)| !**reached);
        let outermost = unreached.filter_map(|(_, unit)| {
            let is_outer = unit.node >= end;
            end = end.max(tree.nodes[unit.node].end);
            is_outer.then_some((unit.node, unit.position))
        });
        let cuts = cuts_of(tree, outermost);
        let mut tokens = Subset::full(self.document.len()).without(cuts);
        tokens.commit();
        tokens
    }

    /// Returns how many tokens less than `base` the candidate that keeps the sources `kept` has at
    /// most. Looks only at what the sources need that are not kept, and no closer than it takes to
    /// see that it is fewer than `smallest`.
    pub(super) fn most_deleted(
        &self,
        smallest: usize,
        base: KeptUnits<'_>,
        kept: &Subset,
    ) -> MostDeleted {
        if !kept.cuts_to(base.sources).is_empty() {
            // It keeps other sources.
            return MostDeleted {
                alone: usize::MAX,
                with_others: usize::MAX,
            };
        }
        let lost = base.sources.cuts_to(kept).into_iter().flatten();
        let lost = lost.filter(|&source| base.sources.contains(source));
        let mut pending: Vec<usize> = lost.map(|source| self.sources[source]).collect();
        let mut doubts = Doubts {
            references: self,
            reached: base.reached,
            units: vec![false; self.units.len()],
            used: Vec::new(),
        };
        let mut doubtful = Vec::new();
        let mut most = 0;
        while let Some(unit) = pending.pop() {
            if base.reached[unit] && !std::mem::replace(&mut doubts.units[unit], true) {
                doubtful.push(unit);
                let unit = &self.units[unit];
                most += unit.most;
                for &symbol in &unit.needs {
                    pending.extend(&self.definitions[symbol]);
                    pending.extend(&self.conditional[symbol]);
                }
                pending.extend(&unit.members);
                self.beside_needs(unit, base.sources, &mut pending);
            }
        }
        let with_others = most;
        if most < smallest {
            return MostDeleted {
                alone: most,
                with_others,
            };
        }
        // What is reached from elsewhere stays, with all that it needs.
        doubts.used = vec![None; self.users.len()];
        doubtful.retain(|&unit| doubts.surely_reach(unit, kept));
        let mut pending = doubtful;
        while let Some(unit) = pending.pop() {
            let around = self.units[unit].type_around;
            if around.is_some_and(|around| doubts.units[around]) {
                // Whether its name means it depends on that.
                continue;
            }
            if std::mem::replace(&mut doubts.units[unit], false) {
                let unit = &self.units[unit];
                most -= unit.most;
                for &symbol in &unit.needs {
                    if doubts.used[symbol].replace(true) != Some(true) {
                        pending.extend(&self.definitions[symbol]);
                        let conditional = self.conditional[symbol].iter().copied();
                        pending.extend(conditional.filter(|&unit| doubts.meets_conditions(unit)));
                    }
                }
                let members = unit.members.iter().copied();
                pending.extend(members.filter(|&member| doubts.is_named(member)));
                self.beside_needs(unit, kept, &mut pending);
            }
        }
        MostDeleted {
            alone: most,
            with_others,
        }
    }
}

/// Which units may be in no candidate that keeps some sources.
struct Doubts<'a> {
    references: &'a References,
    /// The units that were reached before.
    reached: &'a [bool],
    /// For each unit, whether it was reached and need not be any more.
    units: Vec<bool>,
    /// For each symbol, whether a unit refers to it that is surely reached, or the text around all;
    /// found when first asked. Names such as `std` are defined and used by thousands of units.
    used: Vec<Option<bool>>,
}

impl Doubts<'_> {
    fn is_sure(&self, unit: usize) -> bool {
        self.reached[unit] && !self.units[unit]
    }

    /// Returns whether a unit is in the candidate that keeps these sources because it is one of
    /// them, or because a unit is there of which that is sure.
    fn surely_reach(&mut self, unit: usize, kept: &Subset) -> bool {
        let (index, is_kept) = (unit, self.references.is_kept(unit, kept));
        let unit = &self.references.units[unit];
        let are_sure = |units: &[usize]| units.iter().any(|&unit| self.is_sure(unit));
        is_kept && unit.outer.is_none_or(|outer| self.is_sure(outer))
            || are_sure(&unit.inner)
            || are_sure(&unit.heads)
            || self.meets_conditions(index)
            || unit.type_around.is_none_or(|around| self.is_sure(around)) && self.is_named(index)
    }

    /// Returns whether something that a unit defines is used.
    fn is_named(&mut self, unit: usize) -> bool {
        let mut defines = self.references.units[unit].defines.iter();
        defines.any(|&symbol| self.is_used(symbol))
    }

    /// Returns whether a unit has conditions, and units of which that is sure meet them.
    fn meets_conditions(&mut self, unit: usize) -> bool {
        let conditions = &self.references.units[unit].conditions;
        !conditions.is_empty() && conditions.iter().all(|&symbol| self.is_used(symbol))
    }

    fn is_used(&mut self, symbol: usize) -> bool {
        let references = self.references;
        let is_used = self.used[symbol].unwrap_or_else(|| {
            references.roots.binary_search(&symbol).is_ok()
                || (references.users[symbol].iter()).any(|&unit| self.is_sure(unit))
        });
        self.used[symbol] = Some(is_used);
        is_used
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use boildown_document::{Document, Language, View, steps::at_once};
    use proptest::prelude::*;

    use super::*;

    /// Returns the references of a program whose functions call some of the others, and hold
    /// variables that nothing or something refers to.
    fn references(calls: &[(usize, usize)], functions: usize) -> References {
        let mut text = String::from(
            "int shared, other;\nenum { A, B, C };\n\
            struct s { int m0; int m1; int m2; };\nstruct t { int m1; int m2; int m3; };\n\
            struct t *new(struct s *one);\nint m4;\n",
        );
        for function in 0..functions {
            let called = calls.iter().filter(|(caller, _)| *caller == function);
            let called: String = called.map(|(_, callee)| format!(" f{callee}();")).collect();
            let member = format!("m{}", function % 6);
            let local = format!(" int a{function} = B, b{function}; struct s *p; p->{member}++;");
            let local = if function % 2 == 0 {
                local
            } else {
                format!(" new(0)->{member}++;")
            };
            text +=
                &format!("void f{function}() {{{local}{called} a{function}++; shared = 1; }}\n");
        }
        let c = Language::named("C").expect("the grammar is built");
        let document = Arc::new(Document::new(&text.as_bytes().into(), View::Syntax(c)));
        at_once(References::new(&document, c))
    }

    proptest! {
        #[test]
        fn what_is_sure_to_delete_less_does(
            calls in prop::collection::vec((0_usize..12, 0_usize..12), 0..20),
            before in prop::collection::vec(any::<bool>(), 64),
            after in prop::collection::vec(any::<bool>(), 64),
        ) {
            let references = references(&calls, 12);
            let count = references.sources.len();
            let all = Subset::full(count);
            let without = |set: &Subset, keeps: &[bool]| {
                let gone = (0..count).filter(|&source| !keeps[source % keeps.len()]);
                set.without(gone.map(|source| source..source + 1))
            };
            let before = without(&all, &before);
            let after = without(&before, &after);
            let reached = references.reach_from(&before);
            let base = KeptUnits { sources: &before, reached: &reached };
            let deleted = references.tokens(&reached).count() - references.keep(&after).count();
            // As many as that are not fewer than that.
            let bound = references.most_deleted(0, base, &after);
            prop_assert!(bound.alone >= deleted && bound.with_others >= bound.alone);
            let units = references.reach_from(&after);
            let lost = (0..units.len()).filter(|&unit| reached[unit] && !units[unit]);
            let most: usize = lost.map(|unit| references.units[unit].most).sum();
            prop_assert!(most >= deleted);
            prop_assert!(bound.alone <= most);
        }
    }
}
