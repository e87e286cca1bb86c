//! Dead-definition removal: the pass that deletes definitions that nothing refers to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{InBatches, List, ListAlgorithm as _};
use boildown_search::tree::{IdVec, NodeId};
use boildown_search::{AnyListSearch, Batches, Query, Search, Subset, Verdict};

use crate::edit_plan::{EditPlan, SiblingPositions, sibling_positions};
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
/// That of the list algorithm over the sources; `tell` is linear in the number of names.
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
        let mut unused = Self {
            best: references.keep(&sources.best()),
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
        loop {
            let query = self.sources.ask();
            self.next = query.map(|query| query.map(|kept| self.references.keep(&kept)));
            match &self.next {
                Some(next) if next.candidate.count() + self.smallest > best => self.sources.skip(),
                _ => return,
            }
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
            self.best = self.references.keep(&best);
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
    sibling_positions: SiblingPositions,
    /// In the order of their nodes, so that a unit comes before those inside it.
    units: Vec<DefinitionUnit>,
    /// The units that define each symbol. A name such as `std` may have hundreds of definitions and
    /// be used by nearly every unit.
    definitions: Vec<Vec<usize>>,
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
            sibling_positions: sibling_positions(tree),
            units,
            definitions,
            roots,
            sources: Vec::new(),
        };
        pause().await;
        references.find_sources();
        references
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

    /// Returns the tokens of the candidate that keeps these sources.
    fn keep(&self, kept: &Subset) -> Subset {
        let mut reached = vec![false; self.units.len()];
        let is_kept = |unit: usize| {
            let source = self.sources.binary_search(&unit);
            source.is_ok_and(|source| kept.contains(source))
        };
        let outermost = (self.sources.iter().copied())
            .filter(|&unit| self.units[unit].outer.is_none() && is_kept(unit));
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
                pending.extend(&unit.anonymous);
                pending.extend(unit.outer);
                pending.extend(unit.inside.iter().copied().filter(|&unit| is_kept(unit)));
            }
        }
        let mut plan = EditPlan::default();
        let unreached = reached
            .iter()
            .zip(&self.units)
            .filter(|(reached, _)| !**reached);
        for (_, unit) in unreached {
            plan.delete(unit.node);
        }
        let cuts: Vec<Range<usize>> = plan.cuts(self.document.tree(), &self.sibling_positions);
        let mut tokens = Subset::full(self.document.len()).without(cuts);
        tokens.commit();
        tokens
    }
}

/// The symbols of which the grammar tells what defines them.
fn declared<'a>(index: &'a SymbolIndex<'a>) -> impl Iterator<Item = &'a Symbol<'a>> {
    let symbols = index.symbols.iter();
    symbols.filter(|symbol| symbol.is_defined_by_grammar)
}
