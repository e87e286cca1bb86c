//! Rewritings of any language, read off the document and the kinds that fit its places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use boildown_search::tree::{NodeId, Slot, Tree};

use super::proposal::{Edit, Proposal};
use super::rules::Least;
use crate::document::{ERROR, is_word, words};
use crate::{Document, Language, View};

/// How many ideas there are; each has a hit rate of its own.
pub(super) const COUNT: usize = 13;

/// A node becomes the least text that fits.
const LEAST: usize = 0;
/// A node becomes a single word that begins like it.
const ALIKE: usize = 1;
/// A node becomes a word as wide as it is.
pub(super) const FUSED: usize = 2;
/// A number becomes a shorter one.
const NUMBER: usize = 3;
/// Two words become one.
const JOINED: usize = 4;
/// What defines a name goes, and the least text stands where it was used.
pub(super) const DEFAULT: usize = 5;
/// What defines a name goes, and another name stands where it was used.
pub(super) const STAND_IN: usize = 6;
/// What defines a name goes with all that mentions it.
pub(super) const WITH_ALL: usize = 7;
/// A parameter goes with its arguments.
pub(super) const PARAMETER: usize = 8;
/// What mentions a name goes, and where it is defined beside others, it becomes the blank one.
pub(super) const BLANK: usize = 9;
/// A name becomes a canonical one.
pub(super) const RENAMED: usize = 10;
/// The whole text becomes one of the least that there are.
const WHOLE: usize = 11;
/// A node goes, and a word beside it becomes wider by what it took.
pub(super) const WIDENED: usize = 12;

/// What tools forget to think of: an end of a line without its line, a NUL, also before a comment, an operator without operands, a block that
/// does not end.
const LEAST_TEXTS: [&[u8]; 5] = [b"\r", b"\0", b"+", b"{", b"\0//"];

/// Returns the proposals to put one of the least texts in the place of all. `first` is the source of the first idea.
pub(super) fn whole(document: &Document, first: usize) -> impl Iterator<Item = Proposal> + '_ {
    LEAST_TEXTS.into_iter().filter_map(move |text| {
        let edit = Edit::new(&(0..document.len()), text);
        Proposal::new(document, vec![edit], first + WHOLE)
    })
}

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
pub(super) struct Choices {
    numbers: Vec<Arc<[u8]>>,
    pub(super) names: Vec<Arc<[u8]>>,
    others: Vec<Arc<[u8]>>,
}

impl Choices {
    /// The least text of each sort.
    pub(super) fn least(&self) -> impl Iterator<Item = &Arc<[u8]>> {
        [&self.numbers, &self.names, &self.others]
            .into_iter()
            .filter_map(|row| row.first())
    }
}

/// Which rewritings are proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sorts {
    /// A text of a few characters instead of all.
    Whole,
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
    pub(super) document: &'a Document,
    pub(super) tree: &'a Tree,
    /// By slot.
    pub(super) slots: Vec<Choices>,
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

    pub(super) fn add(&mut self, idea: usize, edits: Vec<Edit>) {
        let proposal = Proposal::new(self.document, edits, self.first + idea);
        self.proposals.extend(proposal);
    }

    /// Proposes another text for a node.
    pub(super) fn replace(&mut self, idea: usize, node: NodeId, text: &[u8]) {
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

    /// Proposes to take the white space away between two words; in a text that the grammar does not understand also that the first is a
    /// number.
    pub(super) fn joins(&mut self) {
        let is_broken = self.tree.nodes.iter().any(|node| node.kind == ERROR);
        for atom in 1..self.document.len() {
            let both = self.document.text(atom - 1..atom + 1);
            let [left, right] =
                [atom - 1..atom, atom..atom + 1].map(|atom| self.document.text(atom));
            let run_together = left.last().is_some_and(|&byte| is_word(byte))
                && right.first().is_some_and(|&byte| is_word(byte));
            if run_together && left.len() + right.len() < both.len() {
                let edit = Edit::new(&(atom - 1..atom + 1), [left, right].concat());
                self.add(JOINED, vec![edit]);
                if is_broken && !left[0].is_ascii_digit() {
                    let edit = Edit::new(&(atom - 1..atom + 1), [b"0", right].concat());
                    self.add(JOINED, vec![edit]);
                }
            }
        }
    }
}
