//! Width-preserving rewritings: fewer tokens in the same width.
//!
//! They are for properties that depend on the width of a line, such as bugs of formatters, which
//! break lines that are too long.

use std::ops::Range;

use boildown_document::{Document, Language, WORD, is_word};
use boildown_search::tree::NodeId;

use super::built_in::{BuiltIn, BuiltIns};
use super::canonical_names::is_keyword;
use crate::edit::Edit;
use crate::edit_plan::{EditPlan, sibling_positions};

/// Only up to this many tokens: in longer inputs the width rarely depends on a single word.
const TOKEN_LIMIT: usize = 500;

/// Only up to this many tokens any node is deleted, or a part takes its place: what is left then
/// has been through everything else.
const TINY: usize = 40;

/// Where the width of a line matters, shorter names did not do, and some word is this long.
const LONG_WORD: usize = 16;

/// The width that texts get that are to fill a line, as formatters count them: those that break
/// lines at 80 columns often break in the same way for a few columns more.
const LINE: usize = 81;

/// Only below this width: what is wider breaks the line anyway.
const WIDTH_LIMIT: usize = 80;

impl BuiltIns<'_> {
    /// Proposes single words for nodes, and wider words for what is deleted beside or around them.
    pub(super) fn width_preserving(&mut self, language: &'static Language) {
        self.same_width();
        if self.document.len() <= TOKEN_LIMIT {
            self.widened_neighbours(language);
            self.widened_insides(language);
        }
        if self.is_tiny_and_wide(language) {
            self.widened_parts(language);
            self.widened_elsewhere(language);
        }
    }

    /// Proposes to delete each node of a tiny text, whether the rest parses or not, and to widen
    /// the word before it by as much.
    pub(super) fn widened_unparsed(&mut self, language: &'static Language) {
        if !self.is_tiny_and_wide(language) {
            return;
        }
        let tree = self.tree;
        let words: Vec<usize> = (0..self.document.len())
            .filter(|&token| self.is_free_word(token, language))
            .collect();
        for (_, node) in tree.nodes.enumerate().skip(1) {
            let gone = node.tokens();
            let before = words.iter().rfind(|&&word| word < gone.start);
            let word = before.or_else(|| words.iter().find(|&&word| word >= gone.end));
            if let (Some(&word), true) = (word, node.kind != WORD && gone.len() > 1) {
                let width = width(self.document.text(gone.clone()));
                self.widen(word, width, vec![gone.clone()]);
            }
        }
    }

    /// Returns whether a text is tiny, and has a word that may be wide for the width of its line.
    fn is_tiny_and_wide(&self, language: &'static Language) -> bool {
        let is_long = |token| {
            self.document.token(token).len() >= LONG_WORD && self.is_free_word(token, language)
        };
        self.document.len() <= TINY && (0..self.document.len()).any(is_long)
    }

    /// Proposes for each node a single word of the same width: `f(a, b)` → `f_a__b_`.
    fn same_width(&mut self) {
        for (id, node) in self.tree.nodes.enumerate().skip(1) {
            let old = self.document.text(node.tokens());
            let fits = !self.slots[node.slot].names.is_empty()
                && old.first().is_some_and(begins_a_word)
                && old.is_ascii()
                && old.len() < WIDTH_LIMIT;
            if fits {
                let word = old
                    .iter()
                    .map(|&byte| if is_word(byte) { byte } else { b'_' });
                self.replace(BuiltIn::SameWidth, id, &word.collect::<Vec<u8>>());
            }
        }
    }

    /// Proposes to delete each element of a sibling list, and to widen the first word of a node
    /// beside it by as much.
    fn widened_neighbours(&mut self, language: &'static Language) {
        let (document, tree) = (self.document, self.tree);
        let sibling_positions = sibling_positions(tree);
        for parent in tree.nodes.ids() {
            let children: Vec<NodeId> = tree.children(parent).collect();
            for (at, &gone) in children.iter().enumerate() {
                // A word of a comment or a string is no token of the language.
                if !sibling_positions.contains_key(&gone) || tree.nodes[gone].kind == WORD {
                    continue;
                }
                let mut plan = EditPlan::default();
                plan.delete(gone);
                let cuts = plan.cuts(tree, &sibling_positions);
                let width = cuts
                    .iter()
                    .map(|cut| width(document.text(cut.clone())))
                    .sum();
                let mut neighbours = children[..at].iter().rev().chain(&children[at + 1..]);
                if let Some(word) = neighbours.find_map(|&node| self.word(node, language)) {
                    self.widen(word, width, cuts);
                }
            }
        }
    }

    /// Proposes to delete what is around a statement, and to widen its first word by the
    /// indentation that is lost.
    fn widened_insides(&mut self, language: &'static Language) {
        let tree = self.tree;
        for (outer, node) in tree.nodes.enumerate().skip(1) {
            let slot = &tree.slots[node.slot];
            let Some(margin) = self.indentation(outer).filter(|_| slot.many) else {
                continue;
            };
            let mut inner = outer.next();
            while inner < node.end {
                let below = &tree.nodes[inner];
                let indented = self.indentation(inner).filter(|_| slot.accepts(below.kind));
                let Some(indentation) = indented.filter(|&indentation| indentation > margin) else {
                    inner = inner.next();
                    continue;
                };
                if let Some(word) = self.word(inner, language) {
                    let around = around(&node.tokens(), &below.tokens());
                    self.widen(word, indentation - margin, around.to_vec());
                }
                inner = below.end;
            }
        }
    }

    /// Proposes parts of a node in its place, with the first word widened by what is around them,
    /// or to the width of a line: `a = {b: {c: d}}` becomes `a = {c_____: d}`.
    fn widened_parts(&mut self, language: &'static Language) {
        let tree = self.tree;
        for (outer, node) in tree.nodes.enumerate().skip(1) {
            let slot = &tree.slots[node.slot];
            let mut inner = outer.next();
            while inner < node.end {
                let below = &tree.nodes[inner];
                // A single word is proposed for most nodes anyway.
                let is_part =
                    below.tokens().len() > 1 && below.tokens().len() < node.tokens().len();
                if !is_part || !slot.accepts(below.kind) {
                    inner = inner.next();
                    continue;
                }
                if let Some(word) = self.word(inner, language) {
                    let around = around(&node.tokens(), &below.tokens());
                    let left = [
                        0..node.tokens().start,
                        below.tokens(),
                        node.tokens().end..self.document.len(),
                    ];
                    self.widen(word, self.total_width(&around), around.to_vec());
                    if let Some(by) = LINE.checked_sub(self.total_width(&left)) {
                        self.widen(word, by, around.to_vec());
                    }
                }
                inner = below.end;
            }
        }
    }

    /// Proposes nodes in place of smaller later ones, as wide as a line, without what they were
    /// part of: `a<b = {c: d}> = e` becomes `a = {c_____: d}`.
    fn widened_elsewhere(&mut self, language: &'static Language) {
        let (document, tree) = (self.document, self.tree);
        for (taken, node) in tree.nodes.enumerate().skip(1) {
            for (moved, other) in tree.nodes.enumerate().skip(1) {
                let is_larger = other.tokens().len() > node.tokens().len().max(2);
                let fits = other.end <= taken && tree.slots[node.slot].accepts(other.kind);
                let mut around = tree.nodes.enumerate().skip(1);
                let around = around
                    .find(|(id, whole)| *id < moved && moved < whole.end && whole.end <= taken);
                let (true, Some((_, gone))) = (is_larger && fits, around) else {
                    continue;
                };
                let Some(word) = self.word(moved, language) else {
                    continue;
                };
                let left = [
                    0..gone.tokens().start,
                    gone.tokens().end..node.tokens().start,
                    other.tokens(),
                    node.tokens().end..document.len(),
                ];
                let by = LINE.saturating_sub(self.total_width(&left));
                let mut text = document.text(other.tokens().start..word + 1).to_vec();
                let rest = document.text(other.tokens())[text.len()..].to_vec();
                text.resize(text.len() + by, b'_');
                text.extend(rest);
                let edits = [(gone.tokens(), Vec::new()), (node.tokens(), text)];
                let edits = edits.map(|(tokens, text)| Edit::new(&tokens, text));
                self.add(BuiltIn::Widened, edits.to_vec());
            }
        }
    }

    /// Returns the width that some texts have in a line, with a space after each.
    fn total_width(&self, texts: &[Range<usize>]) -> usize {
        let texts = texts.iter().filter(|tokens| !tokens.is_empty());
        texts
            .map(|tokens| width(self.document.text(tokens.clone())))
            .sum()
    }

    /// Returns the indentation of a node that begins a line, in bytes.
    fn indentation(&self, node: NodeId) -> Option<usize> {
        let start = self
            .document
            .byte_range(self.tree.nodes[node].tokens())
            .start;
        let before = &self.document.bytes()[..start];
        let line = before.rsplit(|&byte| byte == b'\n').next()?;
        line.trim_ascii().is_empty().then_some(line.len())
    }

    /// Returns the first word of a node that is neither a keyword nor part of a word.
    fn word(&self, node: NodeId, language: &'static Language) -> Option<usize> {
        let mut tokens = self.tree.nodes[node].tokens();
        tokens.find(|&token| self.is_free_word(token, language))
    }

    /// Returns whether a token is a word that is neither a keyword nor part of a word.
    fn is_free_word(&self, token: usize, language: &'static Language) -> bool {
        let text = self.document.token(token);
        text[0].is_ascii_alphabetic()
            && text.iter().all(|&byte| is_word(byte))
            && !splits_word(self.document, token..token + 1)
            && !is_keyword(language, text)
    }

    /// Proposes to delete tokens and to widen a word.
    fn widen(&mut self, word: usize, by: usize, mut cuts: Vec<Range<usize>>) {
        cuts.retain(|cut| !cut.is_empty());
        // A remainder of a word would be a word too, and nothing would be saved.
        if by > WIDTH_LIMIT
            || cuts
                .iter()
                .any(|cut| splits_word(self.document, cut.clone()))
        {
            return;
        }
        let mut wide = self.document.token(word).to_vec();
        wide.resize(wide.len() + by, b'_');
        let mut edits: Vec<Edit> = cuts.iter().map(|cut| Edit::new(cut, *b"")).collect();
        edits.push(Edit::new(&(word..word + 1), wide));
        self.add(BuiltIn::Widened, edits);
    }
}

/// Returns the tokens of a node before and behind those of a part.
fn around(node: &Range<usize>, part: &Range<usize>) -> [Range<usize>; 2] {
    [node.start..part.start, part.end..node.end]
}

/// Returns whether a word may take the place of a node: of one that begins with a word, and of one
/// with an operator or parentheses around it.
fn begins_a_word(first: &u8) -> bool {
    first.is_ascii_alphabetic() || b"!-+~*&(".contains(first)
}

/// Returns whether some tokens begin or end within a word.
fn splits_word(document: &Document, tokens: Range<usize>) -> bool {
    let at = document.byte_range(tokens);
    [at.start, at.end].iter().any(|&at| {
        let before = at.checked_sub(1);
        let around = before.and_then(|before| document.bytes().get(before..=at));
        around.is_some_and(|around| around.iter().all(|&byte| is_word(byte)))
    })
}

/// Returns the width of a text in a line, once a formatter has put spaces after its punctuation.
fn width(text: &[u8]) -> usize {
    let visible = text.trim_ascii();
    let runs =
        visible.chunk_by(|one, other| one.is_ascii_whitespace() && other.is_ascii_whitespace());
    let spaced = |pair: &&[u8]| b",:;={}".contains(&pair[0]) && !pair[1].is_ascii_whitespace();
    runs.count() + visible.windows(2).filter(spaced).count() + 1
}
