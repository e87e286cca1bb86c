//! Rewritings of any language, read off the document and the kinds that fit its places.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{NodeId, Slot, Tree};

use super::matching::Index;
use super::proposal::{Edit, Proposal};
use super::rules::Least;
use crate::document::{is_word, words};
use crate::{Document, Language, View};

/// How many ideas there are; each has a hit rate of its own.
pub(super) const COUNT: usize = 7;

/// A node becomes the least text that fits.
const LEAST: usize = 0;
/// A node becomes a single word that begins like it.
const ALIKE: usize = 1;
/// A node becomes a word as wide as it is.
const FUSED: usize = 2;
/// A number becomes a shorter one.
const NUMBER: usize = 3;
/// All that mentions a name goes.
const MENTIONS: usize = 4;
/// What defines a name goes, and something else stands in its place elsewhere.
const STAND_IN: usize = 5;
/// A name becomes another one.
const MERGED: usize = 6;

/// Short texts by the kind of node they stand for: those of the original text, and those of the rules.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    texts: BTreeMap<u16, Vec<Arc<[u8]>>>,
}

/// The most texts of one kind.
const TEXTS: usize = 300;

impl Vocabulary {
    pub(super) fn of(original: &Arc<[u8]>, language: &'static Language, least: &[Least]) -> Self {
        let document = Document::new(original, View::Syntax(language));
        let grammar = language.grammar();
        let mut texts: BTreeMap<u16, BTreeSet<(usize, Arc<[u8]>)>> = BTreeMap::new();
        for node in document.tree().nodes.iter().skip(1) {
            let text = document.text(node.atoms.clone());
            if node.atoms.len() > 2 || text.len() > 80 {
                continue;
            }
            let short = match words(text, 0..text.len()).count() {
                1 => true,
                2 => !text.iter().any(|&byte| is_word(byte)),
                _ => false,
            };
            if short {
                let seen = texts.entry(node.kind).or_default();
                seen.insert((text.len(), text.into()));
            }
        }
        let mut vocabulary = Self::default();
        for Least { kind, text, .. } in least {
            let kind = grammar.id_for_node_kind(kind, true);
            vocabulary.texts.entry(kind).or_default().push(Arc::clone(text));
        }
        for (kind, seen) in texts {
            let all = vocabulary.texts.entry(kind).or_default();
            all.extend(seen.into_iter().map(|(_, text)| text).take(TEXTS));
        }
        vocabulary
    }

    fn choices(&self, slot: &Slot) -> Choices {
        let mut choices = Choices::default();
        for kind in &slot.kinds {
            for text in self.texts.get(kind).into_iter().flatten() {
                let row = match text.first() {
                    Some(byte) if byte.is_ascii_digit() => &mut choices.numbers,
                    Some(&byte) if is_word(byte) => &mut choices.names,
                    _ => &mut choices.others,
                };
                if !row.contains(text) {
                    row.push(Arc::clone(text));
                }
            }
        }
        for row in [
            &mut choices.numbers,
            &mut choices.names,
            &mut choices.others,
        ] {
            row.sort_by_key(|text| (text.len(), Arc::clone(text)));
        }
        choices
    }
}

/// The short texts that fit into a slot, shortest first.
#[derive(Debug, Default)]
struct Choices {
    numbers: Vec<Arc<[u8]>>,
    names: Vec<Arc<[u8]>>,
    others: Vec<Arc<[u8]>>,
}

impl Choices {
    /// The least text of each sort.
    fn least(&self) -> impl Iterator<Item = &Arc<[u8]>> {
        [&self.numbers, &self.names, &self.others]
            .into_iter()
            .filter_map(|row| row.first())
    }
}

/// Adds all ideas for a document. `first` is the source of the first idea.
pub(super) fn propose(
    index: &Index<'_>,
    vocabulary: &Vocabulary,
    language: &'static Language,
    first: usize,
    proposals: &mut Vec<Proposal>,
) {
    let document = index.document;
    let tree = document.tree();
    let slots: Vec<Choices> = (tree.slots.iter())
        .map(|slot| vocabulary.choices(slot))
        .collect();
    let mut ideas = Ideas {
        document,
        tree,
        slots: &slots,
        first,
        proposals,
    };
    for node in 1..tree.nodes.len() {
        ideas.node(node);
    }
    ideas.names(language);
}

struct Ideas<'a> {
    document: &'a Document,
    tree: &'a Tree,
    /// By slot.
    slots: &'a [Choices],
    first: usize,
    proposals: &'a mut Vec<Proposal>,
}

impl Ideas<'_> {
    fn add(&mut self, idea: usize, edits: Vec<Edit>) {
        let proposal = Proposal::new(self.document, edits, self.first + idea);
        self.proposals.extend(proposal);
    }

    /// What one node can become.
    fn node(&mut self, node: NodeId) {
        let (atoms, slot) = (self.tree.nodes[node].atoms.clone(), self.tree.nodes[node].slot);
        let old = self.document.text(atoms.clone());
        let mut become_ = |this: &mut Self, idea, text: &[u8]| {
            this.add(idea, vec![Edit::new(&atoms, text)]);
        };
        if words(old, 0..old.len()).nth(1).is_none() {
            if old.first().is_some_and(u8::is_ascii_digit) && old.len() > 1 {
                for text in [&b"0"[..], b"1", &old[..old.len() / 2], &old[..old.len() - 1]] {
                    become_(self, NUMBER, text);
                }
            }
            return;
        }
        let choices = &self.slots[slot];
        for text in choices.least() {
            become_(self, LEAST, text);
        }
        if choices.names.is_empty() {
            return;
        }
        let common = |text: &[u8]| text.iter().zip(old).take_while(|(a, b)| a == b).count();
        let mut alike: Vec<&Arc<[u8]>> =
            choices.names.iter().filter(|text| common(text) > 1).collect();
        alike.sort_by_key(|text| std::cmp::Reverse(common(text)));
        for text in alike.into_iter().take(4) {
            become_(self, ALIKE, text);
        }
        if old.first().is_some_and(u8::is_ascii_alphabetic) && old.is_ascii() && old.len() < 80 {
            let fused: Vec<u8> = (old.iter())
                .map(|&byte| if is_word(byte) { byte } else { b'_' })
                .collect();
            become_(self, FUSED, &fused);
        }
    }
}

/// Where a name stands.
#[derive(Debug, Default)]
struct Name {
    atoms: Vec<usize>,
    nodes: Vec<NodeId>,
    kinds: BTreeSet<u16>,
}

/// Names that stand in more places are none of a few things that hang together.
const MENTIONED: usize = 12;

/// How many of the rows around a mention are looked at.
const LEVELS: usize = 3;

impl Ideas<'_> {
    /// What can become of the names.
    fn names(&mut self, language: &'static Language) {
        let document = self.document;
        let grammar = language.grammar();
        let mut names: BTreeMap<&[u8], Name> = BTreeMap::new();
        for (id, node) in self.tree.nodes.iter().enumerate().skip(1) {
            let text = document.text(node.atoms.clone());
            let is_name = node.atoms.len() == 1
                && node.end == id + 1
                && text.iter().all(|&byte| is_word(byte))
                && !text[0].is_ascii_digit()
                && grammar
                    .node_kind_for_id(node.kind)
                    .is_some_and(|kind| !kind.contains("keyword"));
            if is_name {
                let name = names.entry(text).or_default();
                name.atoms.push(node.atoms.start);
                name.nodes.push(id);
                name.kinds.insert(node.kind);
            }
        }
        let rows = Rows::of(self.tree);
        let mut frequent: Vec<(&[u8], &Name)> =
            names.iter().map(|(text, name)| (*text, name)).collect();
        frequent.sort_by_key(|(_, name)| std::cmp::Reverse(name.atoms.len()));
        for (text, name) in &names {
            let others = (frequent.iter()).filter(|(other, found)| {
                other != text && !found.kinds.is_disjoint(&name.kinds)
            });
            let others: Vec<&[u8]> = others.map(|(other, _)| *other).take(3).collect();
            if (2..=MENTIONED).contains(&name.atoms.len()) {
                self.mentions(name, &others, &rows);
            }
            for other in others {
                let edits = name.atoms.iter();
                let edits = edits.map(|&atom| Edit::new(&(atom..atom + 1), other));
                self.add(MERGED, edits.collect());
            }
        }
    }

    /// What can become of the places that mention a name, the first of which defines it, as it often does.
    fn mentions(&mut self, name: &Name, others: &[&[u8]], rows: &Rows) {
        let Some((&definition, uses)) = name.nodes.split_first() else {
            return;
        };
        for unit in rows.around(self.tree, definition).into_iter().take(LEVELS) {
            let outside: Vec<NodeId> = (uses.iter().copied())
                .filter(|&mention| !unit.contains(&self.tree.nodes[mention].atoms.start))
                .collect();
            let Some(&first) = outside.first() else {
                break;
            };
            for level in 0..LEVELS - 1 {
                let mut units: Vec<Range<usize>> = vec![unit.clone()];
                for &mention in &outside {
                    let around = rows.around(self.tree, mention);
                    units.extend(around.get(level).cloned());
                }
                if units.len() == outside.len() + 1 {
                    let units = union(units).into_iter();
                    self.add(MENTIONS, units.map(|unit| Edit::new(&unit, *b"")).collect());
                }
            }
            let choices = &self.slots[self.tree.nodes[first].slot];
            let texts = choices.least().map(|text| &text[..]).take(2);
            let texts: Vec<&[u8]> = texts.chain(others.iter().copied().take(2)).collect();
            for text in texts {
                let mut edits = vec![Edit::new(&unit, *b"")];
                edits.extend(outside.iter().map(|&mention| {
                    Edit::new(&self.tree.nodes[mention].atoms, text)
                }));
                self.add(STAND_IN, edits);
            }
        }
    }
}

/// What any of the ranges covers.
fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut covered: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match covered.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => covered.push(range),
        }
    }
    covered
}

/// For each node its parent, and the row it is an element of, with its place there.
struct Rows {
    parents: Vec<NodeId>,
    places: BTreeMap<NodeId, (usize, usize)>,
}

impl Rows {
    fn of(tree: &Tree) -> Self {
        let mut parents = vec![0; tree.nodes.len()];
        let mut open: Vec<NodeId> = Vec::new();
        for (id, _) in tree.nodes.iter().enumerate() {
            while open.last().is_some_and(|&last| tree.nodes[last].end <= id) {
                open.pop();
            }
            parents[id] = open.last().copied().unwrap_or(0);
            open.push(id);
        }
        let mut places = BTreeMap::new();
        for (row, list) in tree.lists.iter().enumerate() {
            for (place, &element) in list.elements.iter().enumerate() {
                places.insert(element, (row, place));
            }
        }
        Self { parents, places }
    }

    /// The elements of rows around a node, each with one separator, innermost first.
    fn around(&self, tree: &Tree, node: NodeId) -> Vec<Range<usize>> {
        let mut units: Vec<Range<usize>> = Vec::new();
        let mut node = node;
        while node != 0 && units.len() <= LEVELS {
            if let Some(&(row, place)) = self.places.get(&node) {
                let list = &tree.lists[row];
                let atoms = |place: usize| tree.nodes[list.elements[place]].atoms.clone();
                let unit = if place > 0 {
                    atoms(place - 1).end..atoms(place).end
                } else {
                    let next = list.elements.get(1);
                    let end = next.map_or(list.end, |&next| tree.nodes[next].atoms.start);
                    atoms(0).start..end
                };
                if units.last() != Some(&unit) {
                    units.push(unit);
                }
            }
            node = self.parents[node];
        }
        units
    }
}
