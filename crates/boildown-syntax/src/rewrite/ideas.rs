//! Rewritings of any language, read off the document and the kinds that fit its places.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{NodeId, Slot, Tree};

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
/// What defines a name goes, and something else stands in its place elsewhere.
const STAND_IN: usize = 4;
/// Two words become one.
const JOINED: usize = 5;
/// A name becomes a canonical one.
const RENAMED: usize = 6;

/// Short texts by the kind of node they stand for: those of the original text, and those of the rules.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    texts: BTreeMap<u16, Vec<Arc<[u8]>>>,
}

type ByLength = BTreeSet<(usize, Arc<[u8]>)>;

/// So many words are tried that begin as a node does.
const ALIKES: usize = 2;

/// The most texts of one kind.
const TEXTS: usize = 300;

impl Vocabulary {
    pub(super) fn of(original: &Arc<[u8]>, language: &'static Language, least: &[Least]) -> Self {
        let document = Document::new(original, View::Syntax(language));
        let grammar = language.grammar();
        let mut texts: BTreeMap<u16, ByLength> = BTreeMap::new();
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
            vocabulary
                .texts
                .entry(kind)
                .or_default()
                .push(Arc::clone(text));
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

/// Which rewritings are proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sorts {
    /// What is smaller in every way.
    Smaller,
    /// Fewer tokens in the same width, for those who look at the width: formatters do.
    AsWide,
    /// Two words without the white space between them, for those whose lexer needs none. Few grammars take that.
    Joined,
    /// Canonical names.
    Renamed,
}

/// Collects what can become of a document.
pub(super) struct Ideas<'a> {
    document: &'a Document,
    tree: &'a Tree,
    /// By slot.
    slots: Vec<Choices>,
    /// The source of the first idea.
    first: usize,
    proposals: &'a mut Vec<Proposal>,
}

impl<'a> Ideas<'a> {
    pub(super) fn new(
        document: &'a Document,
        vocabulary: &'a Vocabulary,
        first: usize,
        proposals: &'a mut Vec<Proposal>,
    ) -> Self {
        let tree = document.tree();
        let slots = tree.slots.iter().map(|slot| vocabulary.choices(slot));
        Self {
            document,
            tree,
            slots: slots.collect(),
            first,
            proposals,
        }
    }

    fn add(&mut self, idea: usize, edits: Vec<Edit>) {
        let proposal = Proposal::new(self.document, edits, self.first + idea);
        self.proposals.extend(proposal);
    }

    /// Proposes another text for a node.
    fn replace(&mut self, idea: usize, node: NodeId, text: &[u8]) {
        let edit = Edit::new(&self.tree.nodes[node].atoms, text);
        self.add(idea, vec![edit]);
    }

    /// Proposes what each node can become.
    pub(super) fn nodes(&mut self) {
        for (id, node) in self.tree.nodes.iter().enumerate().skip(1) {
            let old = self.document.text(node.atoms.clone());
            if words(old, 0..old.len()).nth(1).is_none() {
                if old.first().is_some_and(u8::is_ascii_digit) && old.len() > 1 {
                    for text in [
                        &b"0"[..],
                        b"1",
                        &old[..old.len() / 2],
                        &old[..old.len() - 1],
                    ] {
                        self.replace(NUMBER, id, text);
                    }
                }
                continue;
            }
            let choices = &self.slots[node.slot];
            let common = |text: &[u8]| text.iter().zip(old).take_while(|(a, b)| a == b).count();
            let mut alike: Vec<Arc<[u8]>> = (choices.names.iter())
                .filter(|text| common(text) > 1)
                .cloned()
                .collect();
            alike.sort_by_key(|text| std::cmp::Reverse(common(text)));
            for text in choices.least().cloned().collect::<Vec<_>>() {
                self.replace(LEAST, id, &text);
            }
            for text in alike.into_iter().take(ALIKES) {
                self.replace(ALIKE, id, &text);
            }
        }
    }

    /// Proposes a word for each node that is as wide as the node.
    pub(super) fn widths(&mut self) {
        for (id, node) in self.tree.nodes.iter().enumerate().skip(1) {
            let old = self.document.text(node.atoms.clone());
            let fits = !self.slots[node.slot].names.is_empty()
                && old.first().is_some_and(u8::is_ascii_alphabetic)
                && old.is_ascii()
                && old.len() < 80;
            if fits {
                let fused = old.iter();
                let fused = fused.map(|&byte| if is_word(byte) { byte } else { b'_' });
                self.replace(FUSED, id, &fused.collect::<Vec<u8>>());
            }
        }
    }
}

impl Ideas<'_> {
    /// Proposes to take the white space away between two words.
    pub(super) fn joins(&mut self) {
        for atom in 1..self.document.len() {
            let both = self.document.text(atom - 1..atom + 1);
            let [left, right] =
                [atom - 1..atom, atom..atom + 1].map(|atom| self.document.text(atom));
            let run_together = left.last().is_some_and(|&byte| is_word(byte))
                && right.first().is_some_and(|&byte| is_word(byte));
            if run_together && left.len() + right.len() < both.len() {
                let edit = Edit::new(&(atom - 1..atom + 1), [left, right].concat());
                self.add(JOINED, vec![edit]);
            }
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

impl<'a> Ideas<'a> {
    /// Proposes what can become of what mentions a name.
    pub(super) fn names(&mut self, language: &'static Language) {
        let names = self.all_names(language);
        let rows = Rows::of(self.tree);
        let mut frequent: Vec<(&[u8], &Name)> =
            names.iter().map(|(text, name)| (*text, name)).collect();
        frequent.sort_by_key(|(_, name)| std::cmp::Reverse(name.atoms.len()));
        for (text, name) in &names {
            let others = (frequent.iter())
                .filter(|(other, found)| other != text && !found.kinds.is_disjoint(&name.kinds));
            let others: Vec<&[u8]> = others.map(|(other, _)| *other).take(3).collect();
            if (2..=MENTIONED).contains(&name.atoms.len()) {
                self.mentions(name, &others, &rows);
            }
        }
    }

    /// Finds all names.
    fn all_names(&self, language: &'static Language) -> BTreeMap<&'a [u8], Name> {
        let document = self.document;
        let grammar = language.grammar();
        let mut names: BTreeMap<&'a [u8], Name> = BTreeMap::new();
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
        names
    }

    /// Proposes names in the order a, b, c for those of the text in the order in which they first stand there: for all at once, and for each.
    pub(super) fn canonical(&mut self, language: &'static Language) {
        let names = self.all_names(language);
        let mut order: Vec<(&[u8], &Name)> =
            names.iter().map(|(text, name)| (*text, name)).collect();
        // `int` is a name to some grammars, and cannot be another.
        let grammar = language.grammar();
        let is_fixed = |kind: &u16| {
            let kind = grammar.node_kind_for_id(*kind).unwrap_or("");
            ["primitive", "predefined", "builtin"]
                .iter()
                .any(|part| kind.contains(part))
        };
        order.retain(|(_, name)| !name.kinds.iter().any(is_fixed));
        order.sort_by_key(|(_, name)| name.atoms[0]);
        let edits = |name: &Name, text: Vec<u8>| {
            let text: Arc<[u8]> = text.into();
            let atoms = name.atoms.clone().into_iter();
            atoms.map(move |atom| Edit::new(&(atom..atom + 1), Arc::clone(&text)))
        };
        let fresh = || {
            (0..)
                .map(letters)
                .filter(|name| !is_keyword(language, name))
        };
        let all = order.iter().zip(fresh());
        let all = all.filter(|((old, _), new)| *old != new.as_slice());
        let all = all.flat_map(|((_, name), new)| edits(name, new)).collect();
        self.add(RENAMED, all);
        let unused = fresh().filter(|name| !names.contains_key(name.as_slice()));
        for ((_, name), new) in order.iter().zip(unused) {
            self.add(RENAMED, edits(name, new).collect());
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
            let choices = &self.slots[self.tree.nodes[first].slot];
            let least = choices.least().take(2).map(Arc::clone);
            let others = others.iter().take(2).map(|&other| Arc::from(other));
            for text in least.chain(others).collect::<Vec<Arc<[u8]>>>() {
                let stand_ins = outside
                    .iter()
                    .map(|&mention| Edit::new(&self.tree.nodes[mention].atoms, Arc::clone(&text)));
                let mut edits = vec![Edit::new(&unit, *b"")];
                edits.extend(stand_ins);
                self.add(STAND_IN, edits);
            }
        }
    }
}

/// The names a to z, then aa to zz, and so on.
fn letters(number: usize) -> Vec<u8> {
    let mut rest = number + 1;
    let mut name = Vec::new();
    while rest > 0 {
        rest -= 1;
        name.insert(0, b"abcdefghijklmnopqrstuvwxyz"[rest % 26]);
        rest /= 26;
    }
    name
}

/// Returns whether a word is a token of the language, and so no name.
pub(super) fn is_keyword(language: &'static Language, word: &[u8]) -> bool {
    let word = std::str::from_utf8(word);
    word.is_ok_and(|word| language.grammar().id_for_node_kind(word, false) != 0)
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
