//! Built-in rewritings: proposals for any language, from the document and the kinds of nodes that
//! its grammar accepts in each slot.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{
    Document, ERROR, Language, is_word,
    steps::{Pace, pause},
    words,
};
use boildown_search::tree::{IdVec, NodeId, Slot, SlotId, Tree};

use super::literals::{plain_string, shorter_decimals, value_of_based_number, value_of_operation};
use super::proposal::Proposal;
use super::rules::MinimalReplacement;
use crate::edit::Edit;
use crate::inclusions::inlined_files;

/// The built-in rewritings. Each has a hit rate of its own.
#[derive(Debug, Clone, Copy)]
pub enum BuiltIn {
    /// A node becomes the shortest text that fits its slot: `f(a, b)` → `0`.
    Minimal,
    /// A node becomes a single word that begins like it: `u64 *` → `u64`.
    Similar,
    /// A node becomes a single word of the same width: `f(a, b)` → `f_a__b_`.
    SameWidth,
    /// A number becomes a shorter one: `1234` → `12`; an operation on numbers becomes its value.
    Number,
    /// A string in triple quotes becomes a plain one.
    PlainString,
    /// Two words become one: `0 AS` → `0AS`.
    Joined,
    /// A character inside a string becomes a space.
    Space,
    /// The definitions of a symbol are deleted; minimal replacements take the place of its uses.
    UsesByMinimal,
    /// The definitions of a symbol are deleted; another name takes the place of its uses.
    UsesByOther,
    /// A symbol is deleted with everything that mentions it.
    WithUses,
    /// A parameter is deleted with its arguments.
    Parameter,
    /// The uses of a symbol are deleted, and its definition among others is renamed to `_`.
    Blank,
    /// A name becomes a canonical one.
    Canonical,
    /// The whole input becomes one of a few texts.
    WholeInput,
    /// A node is deleted, and a word beside it becomes wider by as much.
    Widened,
    /// The calls of a macro become what it stands for, and its definition is deleted.
    Expanded,
    /// A file is moved to where another one includes it.
    Inlined,
    /// The whole text in other forms of its format, which the tools of the format read more easily.
    OwnForm,
    /// The contents of a module of Verilog take the place of its only instance.
    Instance,
    /// A column of a table goes with its values.
    Column,
    /// A term of SMT-LIB becomes a value of its sort.
    TermByValue,
    /// A term of SMT-LIB becomes another value of its sort, or a constant of it.
    TermByOther,
    /// A constant of SMT-LIB takes the place of the terms that it is used in.
    Raised,
    /// The uses of a symbol of SMT-LIB become a value of its sort, and its declaration is deleted.
    SymbolByValue,
    /// An assertion of a short script in SMT-LIB is deleted.
    Dropped,
    /// A use of a constant of SMT-LIB becomes a value of its sort, when nothing else hits any more.
    ConstantByValue,
    /// A relation of SMT-LIB becomes an equation for a term in it, when nothing else hits.
    Equation,
    /// Two constants of SMT-LIB become one while an assertion goes, when nothing else hits.
    Merged,
}

impl BuiltIn {
    /// The number of variants.
    pub(super) const COUNT: usize = Self::Merged as usize + 1;
}

/// Texts that break many parsers: a carriage return without a line feed, a NUL, also before a
/// comment, an operator without operands, a block without an end.
const WHOLE_INPUTS: [&[u8]; 5] = [b"\r", b"\0", b"+", b"{", b"\0//"];

/// Returns the proposals to replace the whole input by one of [`WHOLE_INPUTS`]. `first` is the
/// source number of the first built-in rewriting.
pub(super) fn whole(document: &Document, first: usize) -> impl Iterator<Item = Proposal> + '_ {
    WHOLE_INPUTS.into_iter().filter_map(move |text| {
        let edit = Edit::new(&(0..document.len()), text);
        Proposal::new(document, vec![edit], first + BuiltIn::WholeInput as usize)
    })
}

/// Returns the proposals to write the whole input in other forms.
pub(super) fn own_forms_of(
    document: &Document,
    texts: impl IntoIterator<Item = Vec<u8>>,
    first: usize,
) -> Vec<Proposal> {
    let proposals = texts.into_iter().filter_map(|text| {
        let edit = Edit::new(&(0..document.len()), text);
        Proposal::new(document, vec![edit], first + BuiltIn::OwnForm as usize)
    });
    proposals.collect()
}

/// Short texts by the kind of node they can stand for: the minimal replacements of the rules, then
/// texts of the original input.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    texts: BTreeMap<u16, Vec<Arc<[u8]>>>,
}

type ByLength = BTreeSet<(usize, Arc<[u8]>)>;

/// Only up to this many words and other characters: replacements whatever the grammar says.
const TINY: usize = 16;

/// Only from this many words in a row: joins of more than two.
const LONG_RUN: usize = 8;

/// The largest number of similar words that are tried for a node.
const SIMILAR: usize = 2;

/// The largest number of texts of one kind.
const TEXTS: usize = 300;

impl Vocabulary {
    pub(super) async fn new(
        document: &Document,
        language: &'static Language,
        minimal: &[MinimalReplacement],
    ) -> Self {
        let grammar = language.grammar();
        let mut pace = Pace::default();
        let mut texts: BTreeMap<u16, ByLength> = BTreeMap::new();
        for node in document.tree().nodes.iter().skip(1) {
            if pace.is_over() {
                pause().await;
            }
            let text = document.text(node.tokens());
            if node.tokens().len() > 2 || text.len() > 80 {
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
        for MinimalReplacement { kind, text, .. } in minimal {
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

    /// Returns the texts for a slot. `current` is the vocabulary of the text that is left.
    fn choices(&self, current: &Self, slot: &Slot) -> Choices {
        let present: BTreeSet<&[u8]> = current.texts(slot).map(|text| &**text).collect();
        let mut choices = Choices::default();
        for text in current.texts(slot).chain(self.texts(slot)) {
            let list = match text.first() {
                Some(byte) if byte.is_ascii_digit() => &mut choices.numbers,
                Some(&byte) if is_word(byte) => &mut choices.names,
                _ => &mut choices.others,
            };
            if !list.contains(text) {
                list.push(Arc::clone(text));
            }
        }
        choices
            .numbers
            .sort_by_key(|text| (text.len(), Arc::clone(text)));
        for list in [&mut choices.names, &mut choices.others] {
            list.sort_by_key(|text| (!present.contains(&**text), text.len(), Arc::clone(text)));
        }
        choices
    }

    fn texts(&self, slot: &Slot) -> impl Iterator<Item = &Arc<[u8]>> {
        let kinds = slot.kinds.iter();
        kinds.filter_map(|kind| self.texts.get(kind)).flatten()
    }
}

/// The short texts that fit a slot, shortest first. Names and other texts that are left come before
/// those of the original input: what a name meant there may be deleted.
#[derive(Debug, Default)]
pub(super) struct Choices {
    numbers: Vec<Arc<[u8]>>,
    pub(super) names: Vec<Arc<[u8]>>,
    others: Vec<Arc<[u8]>>,
}

impl Choices {
    /// Returns the shortest number, name and other text.
    pub(super) fn minimal(&self) -> impl Iterator<Item = &Arc<[u8]>> {
        [&self.numbers, &self.names, &self.others]
            .into_iter()
            .filter_map(|list| list.first())
    }
}

/// The kind of rewritings that a pass proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewriteKind {
    /// A text of a few characters replaces the whole input.
    WholeInput,
    /// Fewer words, or shorter ones: rules, minimal replacements, deletions of a symbol with its
    /// uses.
    Smaller,
    /// Fewer words in the same width, for properties that depend on the width of lines: those of
    /// formatters do.
    WidthPreserving,
    /// What may not parse: two words without the white space between them, which most lexers need
    /// and some do not; in a tiny text, a node that goes and whose width a word takes.
    Joined,
    /// Names become a, b, c and so on.
    CanonicalNames,
    /// Files of a joined text are moved to where other files include them.
    InlinedFiles,
    /// Calls of macros become what these stand for.
    ExpandedMacros,
    /// The whole text in other forms of its format, which the tools of the format read more easily.
    OwnForms,
}

/// Collects the proposals of the built-in rewritings for a document.
#[derive(Debug)]
pub struct BuiltIns<'a> {
    pub(super) document: &'a Document,
    pub(super) tree: &'a Tree,
    /// The texts that fit each slot.
    pub(super) slots: IdVec<SlotId, Choices>,
    /// The source number of the first built-in rewriting; rules have the numbers before it.
    first: usize,
    proposals: &'a mut Vec<Proposal>,
}

impl<'a> BuiltIns<'a> {
    pub(super) fn new(
        document: &'a Document,
        vocabulary: &'a Vocabulary,
        current: &'a Vocabulary,
        first: usize,
        proposals: &'a mut Vec<Proposal>,
    ) -> Self {
        let tree = document.tree();
        let slots = tree
            .slots
            .iter()
            .map(|slot| vocabulary.choices(current, slot));
        Self {
            document,
            tree,
            slots: slots.collect(),
            first,
            proposals,
        }
    }

    /// Returns the document that proposals are for.
    pub fn document(&self) -> &'a Document {
        self.document
    }

    /// Adds the proposal to make these edits, if it makes the document smaller.
    pub fn add(&mut self, source: BuiltIn, edits: Vec<Edit>) {
        let proposal = Proposal::new(self.document, edits, self.first + source as usize);
        self.proposals.extend(proposal);
    }

    /// Proposes to replace a node by a text.
    pub(super) fn replace(&mut self, source: BuiltIn, node: NodeId, text: &[u8]) {
        let edit = Edit::new(&self.tree.nodes[node].tokens(), text);
        self.add(source, vec![edit]);
    }

    /// Proposes smaller numbers: `1234` → `0`, `1`, `12`, `123`, `3.25` → `0.3`, `8 - 1` → `7`, and
    /// `4'b0101` → `5`.
    pub(super) fn numbers(&mut self) {
        for (id, node) in self.tree.nodes.enumerate().skip(1) {
            let old = self.document.text(node.tokens());
            if let Some(value) = value_of_operation(old).or_else(|| value_of_based_number(old)) {
                self.replace(BuiltIn::Number, id, value.to_string().as_bytes());
                continue;
            }
            for text in shorter_decimals(old) {
                self.replace(BuiltIn::Number, id, &text);
            }
            let is_number = old.first().is_some_and(u8::is_ascii_digit) && old.len() > 1;
            if !is_number || words(old, 0..old.len()).nth(1).is_some() {
                continue;
            }
            for text in [
                &b"0"[..],
                b"1",
                &old[..old.len() / 2],
                &old[..old.len() - 1],
            ] {
                self.replace(BuiltIn::Number, id, text);
            }
        }
    }

    /// Proposes shorter texts for each node of several words: `f(a, b)` → `0`, `f`.
    pub(super) fn nodes(&mut self) {
        for (id, node) in self.tree.nodes.enumerate().skip(1) {
            let old = self.document.text(node.tokens());
            if words(old, 0..old.len()).nth(1).is_none() {
                continue;
            }
            let choices = &self.slots[node.slot];
            let common = |text: &[u8]| text.iter().zip(old).take_while(|(a, b)| a == b).count();
            let mut similar: Vec<Arc<[u8]>> = (choices.names.iter())
                .filter(|text| common(text) > 1)
                .cloned()
                .collect();
            similar.sort_by_key(|text| std::cmp::Reverse(common(text)));
            for text in choices.minimal().cloned().collect::<Vec<_>>() {
                self.replace(BuiltIn::Minimal, id, &text);
            }
            for text in similar.into_iter().take(SIMILAR) {
                self.replace(BuiltIn::Similar, id, &text);
            }
            if let Some(text) = plain_string(old) {
                self.replace(BuiltIn::PlainString, id, &text);
            }
        }
    }

    /// Proposes to move each file to where other files include it: `#include "a.h"` → `int a;`.
    pub(super) fn inlined_files(&mut self) {
        for edits in inlined_files(self.document) {
            self.add(BuiltIn::Inlined, edits);
        }
    }

    /// Proposes to delete the white space between two words of a line: `0 AS` → `0AS`. In an input
    /// with syntax errors, also with `0` for the first word. Of many words in a row, proposes it
    /// for all of them, for halves and so on.
    pub(super) fn joins(&mut self) {
        let is_broken = self.tree.nodes.iter().any(|node| node.kind == ERROR);
        let mut start = 0;
        for token in 1..self.document.len() {
            if !self.can_join(token) {
                self.joins_of_runs(start..token);
                start = token;
                continue;
            }
            self.join(token - 1..token + 1);
            let left = self.document.token(token - 1);
            if is_broken && !left[0].is_ascii_digit() {
                let text = [b"0", self.document.token(token)].concat();
                let edit = Edit::new(&(token - 1..token + 1), text);
                self.add(BuiltIn::Joined, vec![edit]);
            }
        }
        self.joins_of_runs(start..self.document.len());
    }

    /// Returns whether a token and the one before it are words with white space between them.
    /// Lines stay apart: only a compact layout joins them.
    fn can_join(&self, token: usize) -> bool {
        let both = self.document.text(token - 1..token + 1);
        let [left, right] = [token - 1, token].map(|token| self.document.token(token));
        let run_together = left.last().is_some_and(|&byte| is_word(byte))
            && right.first().is_some_and(|&byte| is_word(byte));
        let gap = &both[left.len()..both.len() - right.len()];
        run_together && !gap.is_empty() && !gap.contains(&b'\n')
    }

    fn join(&mut self, tokens: Range<usize>) {
        let words = tokens.clone().map(|token| self.document.token(token));
        let edit = Edit::new(&tokens, words.collect::<Vec<_>>().concat());
        self.add(BuiltIn::Joined, vec![edit]);
    }

    /// Proposes to join a long run of words, its halves, quarters and so on.
    fn joins_of_runs(&mut self, run: Range<usize>) {
        let mut runs = vec![run];
        while let Some(run) = runs.pop() {
            if run.len() < LONG_RUN {
                continue;
            }
            let middle = run.start + run.len() / 2;
            self.join(run.clone());
            runs.extend([run.start..middle, middle..run.end]);
        }
    }

    /// Proposes a space for each word or other character of a tiny text that has no white space
    /// beside it and no token of its own, as in a string: `' \x'` for `'(\x'`. Where it is deleted,
    /// its neighbours touch.
    pub(super) fn spaces(&mut self) {
        if self.document.len() > TINY {
            return;
        }
        for token in 1..self.document.len().saturating_sub(1) {
            let [all, old] = [token - 1..token + 2, token..token + 1]
                .map(|tokens| self.document.text(tokens).len());
            let beside = [token - 1, token + 1].map(|token| self.document.token(token).len());
            let is_quote = matches!(self.document.token(token), b"\"" | b"'" | b"`");
            let touches = !is_quote && all == old + beside[0] + beside[1];
            if touches
                && [token, token + 1]
                    .iter()
                    .any(|&at| !self.document.starts_token(at))
            {
                let edit = Edit::new(&(token..token + 1), *b" ");
                self.add(BuiltIn::Space, vec![edit]);
            }
        }
    }
}
