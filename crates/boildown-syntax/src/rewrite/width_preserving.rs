//! Width-preserving rewritings: fewer tokens in the same width.
//!
//! They are for properties that depend on the width of a line, such as bugs of formatters, which
//! break lines that are too long.

use std::ops::Range;

use boildown_search::tree::NodeId;

use super::built_in::{BuiltIn, BuiltIns};
use super::canonical_names::is_keyword;
use super::proposal::Edit;
use crate::document::{WORD, is_word};
use crate::edit_plan::{EditPlan, sibling_positions};
use crate::{Document, Language};

/// Only up to this many tokens: in longer inputs the width rarely depends on a single word.
const TOKEN_LIMIT: usize = 500;

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
    }

    /// Proposes for each node a single word of the same width: `f(a, b)` → `f_a__b_`.
    fn same_width(&mut self) {
        for (id, node) in self.tree.nodes.enumerate().skip(1) {
            let old = self.document.text(node.tokens.clone());
            let fits = !self.slots[node.slot].names.is_empty()
                && old.first().is_some_and(u8::is_ascii_alphabetic)
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
                    let around = [
                        node.tokens.start..below.tokens.start,
                        below.tokens.end..node.tokens.end,
                    ];
                    self.widen(word, indentation - margin, around.to_vec());
                }
                inner = below.end;
            }
        }
    }

    /// Returns the indentation of a node that begins a line, in bytes.
    fn indentation(&self, node: NodeId) -> Option<usize> {
        let start = self
            .document
            .byte_range(self.tree.nodes[node].tokens.clone())
            .start;
        let before = &self.document.bytes()[..start];
        let line = before.rsplit(|&byte| byte == b'\n').next()?;
        line.trim_ascii().is_empty().then_some(line.len())
    }

    /// Returns the first word of a node that is neither a keyword nor part of a word.
    fn word(&self, node: NodeId, language: &'static Language) -> Option<usize> {
        self.tree.nodes[node].tokens.clone().find(|&token| {
            let text = self.document.token(token);
            text[0].is_ascii_alphabetic()
                && text.iter().all(|&byte| is_word(byte))
                && !splits_word(self.document, token..token + 1)
                && !is_keyword(language, text)
        })
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
