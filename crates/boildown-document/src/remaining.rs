//! The parts of a text, and the text without each of them: what a report says about an input and
//! about a result.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;

use crate::document::is_binary;
use crate::document::{Document, View};
use crate::{Candidate, Check, Language};

/// The largest text whose parts are listed, in bytes. Larger ones would take seconds.
const MAX_LISTED: usize = 4 << 20;

/// Only below this size, single bytes of a text in no language are units.
const BYTEWISE_LIMIT: usize = 4 << 10;

/// A part of a text, as a node of its tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPart {
    /// The bytes of the part.
    pub bytes: Range<usize>,
    /// The number of parts that hold this one.
    pub depth: usize,
}

/// Returns the nodes of the tree of a text, in preorder, down to this depth. Empty for binaries and
/// for texts that are too large.
#[must_use]
pub fn text_parts(
    text: &Arc<[u8]>,
    language: Option<&'static Language>,
    max_depth: usize,
) -> Vec<TextPart> {
    if text.is_empty() || text.len() > MAX_LISTED || is_binary(text) {
        return Vec::new();
    }
    let document = Document::new(text, language.map_or(View::Blocks, View::Syntax));
    let tree = document.tree();
    let mut ends = Vec::new();
    let mut parts = Vec::new();
    for (id, node) in tree.nodes.enumerate() {
        while ends.last().is_some_and(|end| *end <= id) {
            ends.pop();
        }
        if ends.len() <= max_depth && !node.tokens().is_empty() {
            parts.push(TextPart {
                bytes: document.byte_range(node.tokens()),
                depth: ends.len(),
            });
        }
        ends.push(node.end);
    }
    parts
}

/// The kind of a unit that is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedUnit {
    /// A node of the tree, with or without a separator beside it.
    Node,
    /// Some neighbouring tokens of the language, or words of another text.
    Tokens,
    /// A byte.
    Byte,
}

/// A text without one of its units.
#[derive(Debug, Clone)]
pub struct Removal {
    /// The bytes of the unit in the text.
    pub bytes: Range<usize>,
    /// What the unit is.
    pub unit: RemovedUnit,
    candidate: Candidate,
}

impl Removal {
    /// Returns the text without the unit.
    #[must_use]
    pub fn text(&self) -> &Arc<[u8]> {
        self.candidate.bytes()
    }
}

/// The units of a text that a reduction removes.
#[derive(Debug)]
pub struct Removals {
    document: Arc<Document>,
    /// The ranges of tokens, the shorter ones first.
    units: Vec<(Range<usize>, RemovedUnit)>,
}

impl Removals {
    /// Reads a text. `None` for binaries, and for texts of more than 64 KiB.
    ///
    /// The units are those of the passes that prove that a result is 1-minimal, and pairs and
    /// triples of tokens.
    #[must_use]
    pub fn of(text: &Arc<[u8]>, language: Option<&'static Language>) -> Option<Self> {
        const MAX: usize = 64 << 10;
        if text.is_empty() || text.len() > MAX || is_binary(text) {
            return None;
        }
        let view = match language {
            Some(language) => View::Syntax(language),
            None if text.len() < BYTEWISE_LIMIT => View::Bytes(1),
            None => View::Blocks,
        };
        let document = Arc::new(Document::new(text, view));
        let unit = match view {
            View::Bytes(_) => RemovedUnit::Byte,
            _ => RemovedUnit::Tokens,
        };
        let windows = (1..=3).flat_map(|length| {
            let starts = 0..(document.len() + 1).saturating_sub(length);
            starts.map(move |start| (start..start + length, unit))
        });
        let nodes = document.tree().units().into_iter();
        let mut units: Vec<_> = windows
            .chain(nodes.map(|tokens| (tokens, RemovedUnit::Node)))
            .collect();
        units
            .sort_by_key(|(tokens, unit)| (tokens.len(), tokens.start, *unit == RemovedUnit::Node));
        units.dedup_by(|a, b| a.0 == b.0);
        Some(Self { document, units })
    }

    /// Returns the number of smallest units.
    #[must_use]
    pub fn len(&self) -> usize {
        self.document.len()
    }

    /// Returns whether there are no units.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.document.is_empty()
    }

    /// Returns what the smallest units are: `byte`, or `token`.
    #[must_use]
    pub fn unit_name(&self) -> &'static str {
        match self.document.view() {
            View::Bytes(_) => "byte",
            _ => "token",
        }
    }

    /// Returns the bytes of a smallest unit.
    #[must_use]
    pub fn bytes(&self, unit: usize) -> Range<usize> {
        self.document.byte_range(unit..unit + 1)
    }

    /// Returns the removals that remove a smallest unit, the smaller ones first.
    pub fn removing(&self, unit: usize) -> impl Iterator<Item = Removal> + '_ {
        let holding = (self.units.iter()).filter(move |(tokens, _)| tokens.contains(&unit));
        holding.map(|(tokens, unit)| Removal {
            bytes: self.document.byte_range(tokens.clone()),
            unit: *unit,
            candidate: Candidate::new(
                Arc::clone(&self.document),
                Subset::full(self.document.len()).without([tokens.clone()]),
                Check::Nothing,
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_each_of_its_units_is_what_a_reduction_tests() {
        let c = Language::named("C").unwrap();
        let text = b"int f(int a, int b) { g(); h(); }".as_slice().into();
        let removals = Removals::of(&text, Some(c)).unwrap();
        let texts = |unit| -> Vec<String> {
            (removals.removing(unit))
                .map(|removal| String::from_utf8(removal.text().to_vec()).unwrap())
                .collect()
        };
        let g = (0..removals.len())
            .find(|unit| &text[removals.bytes(*unit)] == b"g")
            .unwrap();
        let without = texts(g);
        assert_eq!(without[0], "int f(int a, int b) {(); h(); }");
        assert!(
            without.contains(&"int f(int a, int b) { h(); }".to_owned()),
            "{without:?}"
        );
        let sizes: Vec<usize> = removals
            .removing(g)
            .map(|removal| removal.bytes.len())
            .collect();
        assert!(sizes[0] < *sizes.last().unwrap());
    }

    #[test]
    fn parts_are_the_nodes_with_their_depth() {
        let c = Language::named("C").unwrap();
        let text = b"int a;\nint f() { g(); }\n".as_slice().into();
        let parts = text_parts(&text, Some(c), 1);
        assert_eq!(parts[0].depth, 0);
        let shown: Vec<&[u8]> = (parts.iter().filter(|part| part.depth == 1))
            .map(|part| &text[part.bytes.clone()])
            .collect();
        assert_eq!(shown, [&b"int a;"[..], b"int f() { g(); }"]);
        assert_eq!(text_parts(&(*b"\0\x01\x02").into(), None, 3), []);
    }
}
