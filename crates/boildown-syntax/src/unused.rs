//! Dead-definition removal: the pass that deletes definitions that nothing refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{InBatches, List, ListAlgorithm as _};
use boildown_search::tree::{Gaps, IdVec, NodeId};
use boildown_search::{AnyListSearch, Batches, Query, Search, Subset, Verdict};

use crate::edit_plan::{SiblingPosition, cuts_of};
use crate::steps::{Pace, pause};
use crate::symbols::{Symbol, SymbolIndex};
use crate::{Document, Language};

/// Deletes definitions that nothing refers to, together with everything only they use.
///
/// The definitions and the references between them are a graph. A *source* is a definition that no
/// other needs. The elements of a list algorithm are the sources: a candidate consists of some of
/// them, of everything they need, and of all text that is no definition. So no candidate uses what
/// it does not define, however much of the input it deletes. In
///
/// ```text
/// int a() {}   int b() { a(); }   int c() {}   int d() { c(); }   int main() {}
/// ```
///
/// the sources are `b`, `d` and `main`; a candidate without `b` is without `a` too, whether `d`
/// stays or not.
///
/// # Guarantee
/// Ends with an interesting set. No definition that nothing refers to can go alone, except for
/// definitions that refer to each other.
/// # Cost
/// That of the list algorithm over the sources. A candidate is linear in the number of names, a
/// skipped one in what is deleted with it.
/// # Units
/// Elements of candidates are tokens of the document.
/// # Source
/// C. G. Kalhauge, J. Palsberg, *Binary Reduction of Dependency Graphs*, ESEC/FSE 2019: candidates
/// are closed under what they need. Differs from it: only sources are chosen, by a list algorithm,
/// because other passes delete the uses of definitions that are needed.
#[derive(Debug, Clone)]
pub(crate) struct Unused {
    references: Arc<References>,
    /// The search over the sources.
    sources: Batches<AnyListSearch>,
    /// Queries that would delete fewer tokens are skipped.
    smallest: usize,
    best: Subset,
    /// The units that the best candidate keeps.
    reached: Arc<[bool]>,
    next: Option<Query<Subset>>,
}

impl Unused {
    pub(crate) async fn new(
        document: &Arc<Document>,
        language: &'static Language,
        algorithm: InBatches<Algorithm>,
        smallest: usize,
    ) -> Self {
        let references = References::new(document, language).await;
        pause().await;
        let tree = document.tree();
        let weights = references.sources.iter().map(|&source| {
            let tokens = &tree.nodes[references.units[source].node].tokens;
            u32::try_from(tokens.len()).unwrap_or(u32::MAX)
        });
        let sources = algorithm.algorithm.on(List::weighted(weights));
        let sources = Batches::new(sources, algorithm.batch_size);
        let reached = references.reach_from(&sources.best());
        let mut unused = Self {
            best: references.tokens(&reached),
            reached: reached.into(),
            references: Arc::new(references),
            sources,
            smallest: smallest.max(1),
            next: None,
        };
        unused.advance();
        unused
    }

    /// Moves on to the next query that deletes enough.
    fn advance(&mut self) {
        let best = self.best.count();
        let mut sources = self.sources.best();
        loop {
            let Some(query) = self.sources.ask() else {
                self.next = None;
                return;
            };
            let base = KeptUnits {
                sources: &sources,
                reached: &self.reached,
            };
            let kept = &query.candidate;
            if !(self.references).deletes_less(self.smallest, base, kept) {
                let next = query.map(|kept| self.references.keep(&kept));
                let is_small = next.candidate.count() + self.smallest > best;
                self.next = Some(next);
                if !is_small {
                    return;
                }
            }
            self.sources.skip();
            sources = self.sources.best();
        }
    }
}

impl Search for Unused {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.next.clone()
    }

    fn certain(&self) -> Vec<Query<Subset>> {
        let queries = self.sources.certain().into_iter();
        queries
            .map(|query| query.map(|kept| self.references.keep(&kept)))
            .collect()
    }

    fn tell(&mut self, verdict: Verdict) {
        let before = self.sources.best().count();
        self.sources.tell(verdict);
        // After a batch, the verdict that came last need not be the one that counts.
        let best = self.sources.best();
        if best.count() != before {
            let reached = self.references.reach_from(&best);
            self.best = self.references.tokens(&reached);
            self.reached = reached.into();
        }
        self.advance();
    }

    fn skip(&mut self) {
        self.sources.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.best.clone()
    }
}

/// The graph of definitions and of the references between them.
#[derive(Debug)]
struct References {
    document: Arc<Document>,
    /// In the order of their nodes, so that a unit comes before those inside it.
    units: Vec<DefinitionUnit>,
    /// The units that define each symbol. A name such as `std` may have hundreds of definitions and
    /// be used by nearly every unit.
    definitions: Vec<Vec<usize>>,
    /// The units that refer to each symbol themselves.
    users: Vec<Vec<usize>>,
    /// The symbols that text outside of all units refers to. Their definitions are in every
    /// candidate.
    roots: Vec<usize>,
    /// The units that no unit but one of these needs, ascending: the elements of the search.
    sources: Vec<usize>,
}

/// Returns the token at which the head of a definition ends: that of its first block.
fn end_of_head(document: &Document, node: NodeId) -> usize {
    let tokens = document.tree().nodes[node].tokens.clone();
    let mut blocks = tokens
        .clone()
        .filter(|&token| document.token(token) == b"{");
    blocks.next().unwrap_or(tokens.end)
}

/// A node that defines something and can be deleted.
#[derive(Debug, Default)]
struct DefinitionUnit {
    node: NodeId,
    /// The unit around it.
    outer: Option<usize>,
    /// The symbols that it refers to itself, each once, not counting references of units inside it.
    needs: Vec<usize>,
    /// The anonymous units that go with it.
    anonymous: Vec<usize>,
    /// The sources directly inside it.
    inside: Vec<usize>,
    /// The symbols that it defines.
    defines: Vec<usize>,
    /// The units that it is anonymous beside.
    heads: Vec<usize>,
    /// All units directly inside it.
    inner: Vec<usize>,
    /// Its position in `sources`.
    source: Option<usize>,
    /// `None` if it is no element of a list.
    position: Option<SiblingPosition>,
    /// The most tokens that are deleted with it, separators included.
    most: usize,
}

/// The units of a candidate.
#[derive(Debug, Clone, Copy)]
struct KeptUnits<'a> {
    /// The sources that it keeps.
    sources: &'a Subset,
    /// All units that it keeps.
    reached: &'a [bool],
}

/// The names that anonymous definitions refer to in their heads.
#[derive(Debug)]
struct HeadReference {
    /// The number of uses of the symbol.
    uses: usize,
    /// The symbol.
    symbol: usize,
}

impl References {
    async fn new(document: &Arc<Document>, language: &'static Language) -> Self {
        let index = SymbolIndex::new(document, language).await;
        let tree = document.tree();
        let by_node = Self::units_by_node(document, &index);
        pause().await;
        let mut units: Vec<DefinitionUnit> = by_node
            .keys()
            .map(|&node| DefinitionUnit {
                node,
                ..DefinitionUnit::default()
            })
            .collect();
        let mut owners: IdVec<NodeId, Option<usize>> = IdVec::filled(None, tree.nodes.len());
        for node in tree.nodes.ids().skip(1) {
            let outer = owners[index.parent(node)];
            owners[node] = by_node.get(&node).copied().or(outer);
        }
        for unit in &mut units {
            unit.outer = owners[index.parent(unit.node)];
        }
        pause().await;
        let mut roots = Vec::new();
        let mut definitions: Vec<Vec<usize>> = Vec::new();
        // The ends of the heads of anonymous definitions, and what they refer to there.
        let heads: BTreeMap<usize, usize> = (index.anonymous.iter())
            .filter_map(|&node| Some((*by_node.get(&node)?, end_of_head(document, node))))
            .collect();
        let mut head_references: BTreeMap<usize, HeadReference> = BTreeMap::new();
        let mut pace = Pace::default();
        for (symbol, declared) in declared(&index).enumerate() {
            if pace.are_over(declared.uses.len()) {
                pause().await;
            }
            let defined: Vec<usize> = (declared.definitions.iter())
                .filter_map(|definition| by_node.get(&definition.unit).copied())
                .collect();
            let is_defined = !defined.is_empty();
            definitions.push(defined);
            for &mention in declared.uses.iter().filter(|_| is_defined) {
                let needs = owners[mention].map_or(&mut roots, |owner| &mut units[owner].needs);
                if needs.last() != Some(&symbol) {
                    needs.push(symbol);
                }
                let Some(owner) = owners[mention] else {
                    continue;
                };
                let token = tree.nodes[mention].tokens.start;
                let uses = declared.uses.len();
                if heads.get(&owner).is_some_and(|&end| token < end)
                    && head_references
                        .get(&owner)
                        .is_none_or(|known| uses < known.uses)
                {
                    head_references.insert(owner, HeadReference { uses, symbol });
                }
            }
        }
        // Nothing can refer to an anonymous definition such as `impl Clone for A {}`. It goes with
        // the symbol of its head that has the fewest uses.
        for (unit, head) in head_references {
            for &definition in &definitions[head.symbol] {
                units[definition].anonymous.push(unit);
            }
        }
        let mut references = Self {
            document: Arc::clone(document),
            users: vec![Vec::new(); definitions.len()],
            units,
            definitions,
            roots,
            sources: Vec::new(),
        };
        references.find_positions(&owners);
        pause().await;
        references.find_sources();
        references.find_users();
        references
    }

    /// Notes where the units are, and how many tokens are deleted with each.
    fn find_positions(&mut self, owners: &IdVec<NodeId, Option<usize>>) {
        let tree = self.document.tree();
        for unit in &mut self.units {
            unit.most = tree.nodes[unit.node].tokens.len();
        }
        for (list, siblings) in tree.lists.enumerate() {
            let tokens = |element: NodeId| &tree.nodes[element].tokens;
            let ends = siblings.elements.iter().map(|&element| tokens(element).end);
            let starts = siblings.elements.iter().skip(1);
            let starts = starts
                .map(|&element| tokens(element).start)
                .chain([siblings.end]);
            let widest = ends.zip(starts).map(|(end, start)| start - end).max();
            // With the last element, what is before it and what is after it may go.
            let separators = match siblings.gaps {
                Gaps::Separators => 2 * widest.unwrap_or(0),
                Gaps::Ends => widest.unwrap_or(0),
            };
            for (index, &element) in siblings.elements.iter().enumerate() {
                let Some(unit) = owners[element].map(|unit| &mut self.units[unit]) else {
                    continue;
                };
                if unit.node == element {
                    unit.position = Some(SiblingPosition { list, index });
                    unit.most += separators;
                }
            }
        }
    }

    /// Notes from where each unit can be reached.
    fn find_users(&mut self) {
        for (index, &source) in self.sources.iter().enumerate() {
            self.units[source].source = Some(index);
        }
        for unit in 0..self.units.len() {
            for &symbol in &self.units[unit].needs {
                self.users[symbol].push(unit);
            }
            for anonymous in self.units[unit].anonymous.clone() {
                self.units[anonymous].heads.push(unit);
            }
            if let Some(outer) = self.units[unit].outer {
                self.units[outer].inner.push(unit);
            }
        }
        for (symbol, definitions) in self.definitions.iter().enumerate() {
            for &unit in definitions {
                self.units[unit].defines.push(symbol);
            }
        }
    }

    /// Returns the index of the unit of each node that defines something, with a name or without.
    fn units_by_node(document: &Document, index: &SymbolIndex<'_>) -> BTreeMap<NodeId, usize> {
        // A parameter does not go without its arguments.
        let is_parameter = |node: NodeId| {
            let parent = &document.tree().nodes[index.parent(node)];
            matches!(document.token(parent.tokens.start), b"(" | b"<" | b"|")
        };
        let nodes: BTreeSet<NodeId> = declared(index)
            .flat_map(|symbol| &symbol.definitions)
            .map(|definition| definition.unit)
            .chain(index.anonymous.iter().copied())
            .filter(|&node| !is_parameter(node))
            .collect();
        let nodes = nodes.into_iter().enumerate();
        nodes.map(|(unit, node)| (node, unit)).collect()
    }

    fn find_sources(&mut self) {
        let mut reached = vec![false; self.units.len()];
        let roots = self.roots.iter().flat_map(|&root| &self.definitions[root]);
        self.reach(&mut reached, roots.copied().collect());
        let mut sources: BTreeSet<usize> = BTreeSet::new();
        // From the last unit to the first: a later one is less likely to be needed by another. A
        // source is no longer one when a unit that needs it is found. Units inside others follow
        // below.
        for unit in (0..self.units.len()).rev() {
            if self.units[unit].outer.is_none() && !reached[unit] {
                for needed in self.reach(&mut reached, vec![unit]) {
                    sources.remove(&needed);
                }
                sources.insert(unit);
            }
        }
        for unit in 0..self.units.len() {
            if !reached[unit]
                && let Some(outer) = self.units[unit].outer
            {
                self.units[outer].inside.push(unit);
                self.reach(&mut reached, vec![unit]);
                sources.insert(unit);
            }
        }
        self.sources = sources.into_iter().collect();
    }

    /// Marks units as reached, with everything they need and the units around them. Returns those
    /// that had been reached before.
    fn reach(&self, reached: &mut [bool], mut pending: Vec<usize>) -> Vec<usize> {
        let mut before = Vec::new();
        while let Some(unit) = pending.pop() {
            if std::mem::replace(&mut reached[unit], true) {
                before.push(unit);
            } else {
                let unit = &self.units[unit];
                let needs = unit
                    .needs
                    .iter()
                    .flat_map(|&symbol| &self.definitions[symbol]);
                pending.extend(needs.chain(&unit.anonymous));
                pending.extend(unit.outer);
            }
        }
        before
    }

    /// Returns whether a source is kept.
    fn is_kept(&self, unit: usize, kept: &Subset) -> bool {
        let source = self.units[unit].source;
        source.is_some_and(|source| kept.contains(source))
    }

    /// Returns the tokens of the candidate that keeps these sources.
    fn keep(&self, kept: &Subset) -> Subset {
        self.tokens(&self.reach_from(kept))
    }

    /// Returns which units are in the candidate that keeps these sources.
    fn reach_from(&self, kept: &Subset) -> Vec<bool> {
        let mut reached = vec![false; self.units.len()];
        let outermost = (self.sources.iter().copied())
            .filter(|&unit| self.units[unit].outer.is_none() && self.is_kept(unit, kept));
        let mut pending: Vec<usize> = outermost.collect();
        let mut is_needed = vec![false; self.definitions.len()];
        let mut need = |symbols: &[usize], pending: &mut Vec<usize>| {
            for &symbol in symbols {
                if !std::mem::replace(&mut is_needed[symbol], true) {
                    pending.extend(&self.definitions[symbol]);
                }
            }
        };
        need(&self.roots, &mut pending);
        while let Some(unit) = pending.pop() {
            if !std::mem::replace(&mut reached[unit], true) {
                let unit = &self.units[unit];
                need(&unit.needs, &mut pending);
                self.beside_needs(unit, kept, &mut pending);
            }
        }
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
    fn tokens(&self, reached: &[bool]) -> Subset {
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

    /// Returns whether the candidate that keeps the sources `kept` is sure to have fewer than
    /// `smallest` tokens less than `base`. Looks only at what the sources need that are not kept.
    fn deletes_less(&self, smallest: usize, base: KeptUnits<'_>, kept: &Subset) -> bool {
        if !kept.cuts_to(base.sources).is_empty() {
            // It keeps other sources.
            return false;
        }
        let lost = base.sources.cuts_to(kept).into_iter().flatten();
        let lost = lost.filter(|&source| base.sources.contains(source));
        let mut pending: Vec<usize> = lost.map(|source| self.sources[source]).collect();
        let mut is_doubtful = vec![false; self.units.len()];
        let mut doubtful = Vec::new();
        let mut most = 0;
        while let Some(unit) = pending.pop() {
            if base.reached[unit] && !std::mem::replace(&mut is_doubtful[unit], true) {
                doubtful.push(unit);
                let unit = &self.units[unit];
                most += unit.most;
                let needs = unit.needs.iter();
                pending.extend(needs.flat_map(|&symbol| &self.definitions[symbol]));
                self.beside_needs(unit, base.sources, &mut pending);
            }
        }
        if most < smallest {
            return true;
        }
        // What is reached from elsewhere stays, with all that it needs.
        let is_sure = |unit: &usize| base.reached[*unit] && !is_doubtful[*unit];
        doubtful.retain(|&unit| self.is_reached_from(unit, kept, is_sure));
        let mut pending = doubtful;
        while let Some(unit) = pending.pop() {
            if std::mem::replace(&mut is_doubtful[unit], false) {
                let unit = &self.units[unit];
                most -= unit.most;
                let needs = unit.needs.iter();
                pending.extend(needs.flat_map(|&symbol| &self.definitions[symbol]));
                self.beside_needs(unit, kept, &mut pending);
            }
        }
        most < smallest
    }

    /// Returns whether a unit is in the candidate that keeps these sources because it is one of
    /// them, or because a unit is there of which that is sure.
    fn is_reached_from(
        &self,
        unit: usize,
        kept: &Subset,
        is_sure: impl Fn(&usize) -> bool,
    ) -> bool {
        let is_kept = self.is_kept(unit, kept);
        let unit = &self.units[unit];
        is_kept && unit.outer.as_ref().is_none_or(&is_sure)
            || unit.inner.iter().any(&is_sure)
            || unit.heads.iter().any(&is_sure)
            || (unit.defines.iter()).any(|symbol| {
                self.roots.binary_search(symbol).is_ok() || self.users[*symbol].iter().any(&is_sure)
            })
    }
}

/// The symbols of which the grammar tells what defines them.
fn declared<'a>(index: &'a SymbolIndex<'a>) -> impl Iterator<Item = &'a Symbol<'a>> {
    let symbols = index.symbols.iter();
    symbols.filter(|symbol| symbol.is_defined_by_grammar)
}

#[cfg(all(test, feature = "lang-c"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::View;
    use crate::steps::at_once;

    /// Returns the references of a program whose functions call some of the others, and hold
    /// variables that nothing or something refers to.
    fn references(calls: &[(usize, usize)], functions: usize) -> References {
        let mut text = String::from("int shared, other;\nenum { A, B, C };\n");
        for function in 0..functions {
            let called = calls.iter().filter(|(caller, _)| *caller == function);
            let called: String = called.map(|(_, callee)| format!(" f{callee}();")).collect();
            let local = format!(" int a{function} = B, b{function};");
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
            prop_assert!(!references.deletes_less(deleted, base, &after));
            let units = references.reach_from(&after);
            let lost = (0..units.len()).filter(|&unit| reached[unit] && !units[unit]);
            let most: usize = lost.map(|unit| references.units[unit].most).sum();
            prop_assert!(most >= deleted);
            prop_assert!(references.deletes_less(most + 1, base, &after));
        }
    }
}
