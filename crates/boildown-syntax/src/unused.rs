//! What nothing needs goes, with all that only this needs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_search::list::{Algorithm, InEpochs, List, Machine, Minimise as _};
use boildown_search::tree::NodeId;
use boildown_search::{Epochs, Question, Search, Subset, Verdict};

use crate::names::Names;
use crate::plan::{Places, Plan, places};
use crate::{Document, Language};

/// Deletes definitions that nothing refers to, each with everything that is referred to by what goes only.
///
/// The elements of a list minimiser are the definitions that nothing else in the text needs: what is
/// kept is they, all that they need, and all that is no definition. So every candidate is closed under references, however much of the text it deletes.
///
/// # Guarantee
/// Ends with an interesting set. No definition that nothing refers to can go alone, unless it is one of several that refer to each
/// other.
/// # Cost
/// That of the list minimiser over such definitions; `tell` is linear in the number of names.
/// # Units
/// Elements of candidates are atoms of the document.
/// # Source
/// C. G. Kalhauge, J. Palsberg, *Binary Reduction of Dependency Graphs*, ESEC/FSE 2019: candidates are closed under what they need. Differs from
/// it: only what nothing needs is chosen among, by a list minimiser, since definitions that are needed lose their users in the other passes.
#[derive(Debug, Clone)]
pub(crate) struct Unused {
    references: Arc<References>,
    machine: Epochs<Machine>,
    /// Questions that would delete fewer atoms are left out.
    smallest: usize,
    next: Option<Question<Subset>>,
}

impl Unused {
    pub(crate) fn new(
        document: &Arc<Document>,
        language: &'static Language,
        algorithm: InEpochs<Algorithm>,
        smallest: usize,
    ) -> Self {
        let references = References::of(document, language);
        let tree = document.tree();
        let weights = references.sources.iter().map(|&source| {
            let atoms = &tree.nodes[references.units[source].node].atoms;
            u32::try_from(atoms.len()).unwrap_or(u32::MAX)
        });
        let machine = algorithm.algorithm.on(List::weighted(weights));
        let mut unused = Self {
            references: Arc::new(references),
            machine: Epochs::new(machine, algorithm.width),
            smallest: smallest.max(1),
            next: None,
        };
        unused.ready();
        unused
    }

    fn ready(&mut self) {
        let best = self.best().count();
        loop {
            let question = self.machine.ask();
            self.next = question.map(|question| question.map(|kept| self.references.keep(&kept)));
            match &self.next {
                Some(next) if next.candidate.count() + self.smallest > best => self.machine.skip(),
                _ => return,
            }
        }
    }
}

impl Search for Unused {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.next.clone()
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        let questions = self.machine.certain().into_iter();
        questions
            .map(|question| question.map(|kept| self.references.keep(&kept)))
            .collect()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.machine.tell(verdict);
        self.ready();
    }

    fn skip(&mut self) {
        self.machine.skip();
        self.ready();
    }

    fn best(&self) -> Subset {
        self.references.keep(&self.machine.best())
    }
}

/// Which definitions refer to which.
#[derive(Debug)]
struct References {
    document: Arc<Document>,
    places: Places,
    /// In order of their nodes, so that an outer one comes before those inside.
    units: Vec<Unit>,
    /// The units that are needed whatever goes.
    roots: Vec<usize>,
    /// The units that nothing needs but what is in here, in order: the elements.
    sources: Vec<usize>,
}

/// Where the head of a definition ends: all before its first block.
fn head(document: &Document, node: NodeId) -> usize {
    let atoms = document.tree().nodes[node].atoms.clone();
    let mut blocks = atoms.clone().filter(|&atom| document.atom(atom) == b"{");
    blocks.next().unwrap_or(atoms.end)
}

/// A node that defines something, and can go.
#[derive(Debug, Default)]
struct Unit {
    node: NodeId,
    /// The unit around it.
    outer: Option<usize>,
    /// What it refers to, itself, and not one of the units inside.
    needs: Vec<usize>,
    /// The sources right inside.
    inside: Vec<usize>,
}

impl References {
    fn of(document: &Arc<Document>, language: &'static Language) -> Self {
        let names = Names::of(document, language);
        let tree = document.tree();
        // A parameter does not go without its arguments.
        let goes = |node: NodeId| {
            let around = tree.nodes[names.parent(node)].atoms.start;
            !matches!(document.atom(around), b"(" | b"<" | b"|")
        };
        let told = || names.things.iter().filter(|thing| thing.is_told);
        let mut by_node: BTreeMap<NodeId, usize> = told()
            .flat_map(|thing| &thing.definitions)
            .map(|definition| definition.unit)
            .chain(names.nameless.iter().copied())
            .map(|node| (node, 0))
            .filter(|&(node, _)| goes(node))
            .collect();
        let mut units: Vec<Unit> = Vec::new();
        for (&node, index) in &mut by_node {
            *index = units.len();
            units.push(Unit {
                node,
                ..Unit::default()
            });
        }
        let mut owners: Vec<Option<usize>> = vec![None; tree.nodes.len()];
        for node in 1..tree.nodes.len() {
            let outer = owners[names.parent(node)];
            owners[node] = by_node.get(&node).copied().or(outer);
        }
        for unit in &mut units {
            unit.outer = owners[names.parent(unit.node)];
        }
        let mut roots = Vec::new();
        // Of what each of those without a name speaks, and how often others do.
        let mut spoken: BTreeMap<usize, (usize, Vec<usize>)> = BTreeMap::new();
        let nameless: BTreeMap<usize, usize> = (names.nameless.iter())
            .filter_map(|&node| Some((*by_node.get(&node)?, head(document, node))))
            .collect();
        for thing in told() {
            let defined: Vec<usize> = (thing.definitions.iter())
                .filter_map(|definition| by_node.get(&definition.unit).copied())
                .collect();
            for &mention in &thing.uses {
                let Some(owner) = owners[mention] else {
                    roots.extend(&defined);
                    continue;
                };
                units[owner].needs.extend(&defined);
                let at = tree.nodes[mention].atoms.start;
                let is_first = |known: &(usize, Vec<usize>)| thing.uses.len() < known.0;
                if nameless.get(&owner).is_some_and(|&head| at < head)
                    && !defined.is_empty()
                    && spoken.get(&owner).is_none_or(is_first)
                {
                    spoken.insert(owner, (thing.uses.len(), defined.clone()));
                }
            }
        }
        // Nothing can refer to it, but it says something of what it speaks of: it goes with what is spoken of least.
        for (unit, (_, defined)) in spoken {
            for definition in defined {
                units[definition].needs.push(unit);
            }
        }
        let mut references = Self {
            document: Arc::clone(document),
            places: places(tree),
            units,
            roots,
            sources: Vec::new(),
        };
        references.find_sources();
        references
    }

    fn find_sources(&mut self) {
        let mut alive = vec![false; self.units.len()];
        self.enliven(&mut alive, self.roots.clone());
        let mut sources: BTreeSet<usize> = BTreeSet::new();
        // What comes last is least likely to be needed by another; inner units wait for what is around them.
        for unit in (0..self.units.len()).rev() {
            if self.units[unit].outer.is_none() && !alive[unit] {
                for reached in self.enliven(&mut alive, vec![unit]) {
                    sources.remove(&reached);
                }
                sources.insert(unit);
            }
        }
        for unit in 0..self.units.len() {
            if !alive[unit]
                && let Some(outer) = self.units[unit].outer
            {
                self.units[outer].inside.push(unit);
                self.enliven(&mut alive, vec![unit]);
                sources.insert(unit);
            }
        }
        self.sources = sources.into_iter().collect();
    }

    /// Marks units and all that they need, the units around them included. Returns what of that was marked before.
    fn enliven(&self, alive: &mut [bool], mut new: Vec<usize>) -> Vec<usize> {
        let mut before = Vec::new();
        while let Some(unit) = new.pop() {
            if std::mem::replace(&mut alive[unit], true) {
                before.push(unit);
            } else {
                new.extend(&self.units[unit].needs);
                new.extend(self.units[unit].outer);
            }
        }
        before
    }

    /// Returns the atoms that are left when these sources are kept.
    fn keep(&self, kept: &Subset) -> Subset {
        let mut alive = vec![false; self.units.len()];
        let is_kept = |unit: usize| {
            let source = self.sources.binary_search(&unit);
            source.is_ok_and(|source| kept.contains(source))
        };
        let outermost = (self.sources.iter().copied())
            .filter(|&unit| self.units[unit].outer.is_none() && is_kept(unit));
        let mut new: Vec<usize> = self.roots.iter().copied().chain(outermost).collect();
        while let Some(unit) = new.pop() {
            if !std::mem::replace(&mut alive[unit], true) {
                new.extend(&self.units[unit].needs);
                new.extend(self.units[unit].outer);
                new.extend(
                    self.units[unit]
                        .inside
                        .iter()
                        .copied()
                        .filter(|&unit| is_kept(unit)),
                );
            }
        }
        let mut plan = Plan::default();
        for (unit, _) in alive.iter().enumerate().filter(|(_, alive)| !**alive) {
            plan.delete(self.units[unit].node);
        }
        let cuts: Vec<Range<usize>> = plan.cuts(self.document.tree(), &self.places);
        let mut atoms = Subset::full(self.document.len()).without(cuts);
        atoms.commit();
        atoms
    }
}
