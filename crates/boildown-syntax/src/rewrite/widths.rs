//! What is as wide with fewer tokens, for properties that depend on the width of a line: those of formatters do.

use std::ops::Range;

use boildown_search::tree::NodeId;

use super::ideas::{FUSED, Ideas, WIDENED};
use super::proposal::Edit;
use super::rename::is_keyword;
use crate::document::{WORD, is_word};
use crate::plan::{Plan, places};
use crate::{Document, Language};

/// Longer texts are wide in many places, whatever a word in them is.
const NARROW: usize = 500;

/// What takes up more than a line changes the line whatever stands there.
const WIDE: usize = 80;

impl Ideas<'_> {
    /// Proposes a word for a node, and a wider word for what goes beside or around it.
    pub(super) fn widths(&mut self, language: &'static Language) {
        self.fused();
        if self.document.len() <= NARROW {
            self.beside(language);
            self.lifted(language);
        }
    }

    /// Proposes a word for each node that is as wide as the node.
    fn fused(&mut self) {
        for (id, node) in self.tree.nodes.iter().enumerate().skip(1) {
            let old = self.document.text(node.atoms.clone());
            let fits = !self.slots[node.slot].names.is_empty()
                && old.first().is_some_and(u8::is_ascii_alphabetic)
                && old.is_ascii()
                && old.len() < WIDE;
            if fits {
                let fused = old.iter();
                let fused = fused.map(|&byte| if is_word(byte) { byte } else { b'_' });
                self.replace(FUSED, id, &fused.collect::<Vec<u8>>());
            }
        }
    }

    /// Proposes to let each element of a row go, and to widen the first word of a node beside it.
    fn beside(&mut self, language: &'static Language) {
        let (document, tree) = (self.document, self.tree);
        let places = places(tree);
        for above in 0..tree.nodes.len() {
            let children: Vec<NodeId> = tree.children(above).collect();
            for (at, &gone) in children.iter().enumerate() {
                // A word of a comment or a string is no token.
                if !places.contains_key(&gone) || tree.nodes[gone].kind == WORD {
                    continue;
                }
                let mut plan = Plan::default();
                plan.delete(gone);
                let cuts = plan.cuts(tree, &places);
                let width = cuts
                    .iter()
                    .map(|cut| width(document.text(cut.clone())))
                    .sum();
                let mut near = children[..at].iter().rev().chain(&children[at + 1..]);
                if let Some(word) = near.find_map(|&node| self.word(node, language)) {
                    self.widen(word, width, cuts);
                }
            }
        }
    }

    /// Proposes to let what is around a statement go, and to widen its first word by the indentation that it loses.
    fn lifted(&mut self, language: &'static Language) {
        let tree = self.tree;
        for (outer, node) in tree.nodes.iter().enumerate().skip(1) {
            let slot = &tree.slots[node.slot];
            let Some(margin) = self.indentation(outer).filter(|_| slot.many) else {
                continue;
            };
            let mut inner = outer + 1;
            while inner < node.end {
                let below = &tree.nodes[inner];
                let indented = self.indentation(inner).filter(|_| slot.accepts(below.kind));
                let Some(indentation) = indented.filter(|&indentation| indentation > margin) else {
                    inner += 1;
                    continue;
                };
                if let Some(word) = self.word(inner, language) {
                    let around = [
                        node.atoms.start..below.atoms.start,
                        below.atoms.end..node.atoms.end,
                    ];
                    self.widen(word, indentation - margin, around.to_vec());
                }
                inner = below.end;
            }
        }
    }

    /// How far a node that begins a line is from the margin, in bytes.
    fn indentation(&self, node: NodeId) -> Option<usize> {
        let start = self
            .document
            .range(self.tree.nodes[node].atoms.clone())
            .start;
        let before = &self.document.bytes()[..start];
        let line = before.rsplit(|&byte| byte == b'\n').next()?;
        line.trim_ascii().is_empty().then_some(line.len())
    }

    /// The first word of a node that can be another one.
    fn word(&self, node: NodeId, language: &'static Language) -> Option<usize> {
        self.tree.nodes[node].atoms.clone().find(|&atom| {
            let text = self.document.atom(atom);
            text[0].is_ascii_alphabetic()
                && text.iter().all(|&byte| is_word(byte))
                && !splits_word(self.document, atom..atom + 1)
                && !is_keyword(language, text)
        })
    }

    /// Proposes to let something go and to widen a word that stays.
    fn widen(&mut self, word: usize, by: usize, mut cuts: Vec<Range<usize>>) {
        cuts.retain(|cut| !cut.is_empty());
        // What is left of a word is a word too, and nothing is won.
        if by > WIDE
            || cuts
                .iter()
                .any(|cut| splits_word(self.document, cut.clone()))
        {
            return;
        }
        let mut wide = self.document.atom(word).to_vec();
        wide.resize(wide.len() + by, b'_');
        let mut edits: Vec<Edit> = cuts.iter().map(|cut| Edit::new(cut, *b"")).collect();
        edits.push(Edit::new(&(word..word + 1), wide));
        self.add(WIDENED, edits);
    }
}

/// Whether some atoms begin or end within a word.
fn splits_word(document: &Document, atoms: Range<usize>) -> bool {
    let at = document.range(atoms);
    [at.start, at.end].iter().any(|&at| {
        let before = at.checked_sub(1);
        let around = before.and_then(|before| document.bytes().get(before..=at));
        around.is_some_and(|around| around.iter().all(|&byte| is_word(byte)))
    })
}

/// How much of a line a text takes once a formatter has put spaces behind its punctuation.
fn width(text: &[u8]) -> usize {
    let visible = text.trim_ascii();
    let runs =
        visible.chunk_by(|one, other| one.is_ascii_whitespace() && other.is_ascii_whitespace());
    let spaced = |pair: &&[u8]| b",:;={}".contains(&pair[0]) && !pair[1].is_ascii_whitespace();
    runs.count() + visible.windows(2).filter(spaced).count() + 1
}
