//! Proposals: edits that are made together and make the input smaller.

use boildown_document::{Document, Substitutes, TextOrder, TextSize, View};
use boildown_search::Subset;

use crate::edit::{Edit, edited};

/// Edits that are made together.
///
/// Invariant: the input becomes strictly smaller, measured in words, then in names (in scripts of
/// SMT-LIB), then in visible bytes, then in the order of its bytes: see [`TextSize`]. Unlike
/// tokens, deleting never adds a word, whatever the grammar makes of the rest.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    /// Ascending and disjoint.
    pub(super) edits: Box<[Edit]>,
    /// By how much the input becomes smaller.
    pub(super) saved: SizeReduction,
    /// The rule or built-in rewriting that it comes from, as an index into their hit rates.
    pub(super) source: usize,
}

/// A difference of sizes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SizeReduction {
    pub(super) words: i64,
    bytes: i64,
}

impl Proposal {
    /// Returns the proposal to make these edits; `None` if they overlap or do not make the input
    /// smaller.
    pub(crate) fn new(document: &Document, mut edits: Vec<Edit>, source: usize) -> Option<Self> {
        edits.sort_unstable();
        edits.dedup();
        let disjoint = edits
            .windows(2)
            .all(|pair| pair[0].range().end <= pair[1].range().start);
        let mut saved = SizeReduction::default();
        let mut names = 0;
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let text_order = match document.view() {
            View::Syntax(language) => language.text_order,
            _ => TextOrder::Words,
        };
        let mut order = std::cmp::Ordering::Equal;
        for edit in &edits {
            let old = document.text(edit.range());
            let [before, after] = [old, &edit.text[..]].map(|text| TextSize::of(text, text_order));
            let less = |before, after| count(before) - count(after);
            saved.words += less(before.words, after.words);
            names += less(before.names, after.names);
            saved.bytes += less(before.visible, after.visible);
            order = order.then_with(|| edit.text[..].cmp(old));
        }
        let size = (saved.words, names, saved.bytes);
        let smaller = size > (0, 0, 0) || size == (0, 0, 0) && order.is_lt();
        (disjoint && smaller).then(|| Self {
            edits: edits.into(),
            saved,
            source,
        })
    }

    /// Returns the first token that changes.
    pub(super) fn start(&self) -> usize {
        self.edits.first().map_or(0, |edit| edit.range().start)
    }
}

impl Proposal {
    /// Returns the kept tokens and the substitutes of a document after these edits.
    pub(crate) fn apply(&self, kept: &Subset, substitutes: &Substitutes) -> (Subset, Substitutes) {
        edited(kept, substitutes, self.edits.iter())
    }

    /// Returns whether no edit touches tokens that were deleted or replaced before.
    pub(super) fn applies(&self, kept: &Subset, substitutes: &Substitutes) -> bool {
        self.edits.iter().all(|edit| {
            let tokens = edit.range();
            kept.count_in(tokens.clone()) == tokens.len()
                && substitutes.range(tokens).next().is_none()
        })
    }
}

/// Returns the text after edits, with single spaces; for tests.
///
/// # Panics
/// When the document is no text.
#[cfg(any(test, feature = "testing"))]
#[must_use]
pub fn text_after(document: &Document, mut edits: Vec<Edit>) -> String {
    edits.sort_unstable();
    let mut result = Vec::new();
    let mut at = 0;
    for edit in &edits {
        if edit.range().start > at {
            result.extend_from_slice(document.text(at..edit.range().start));
        }
        result.extend([b" ", &*edit.text, b" "].concat());
        at = edit.range().end;
    }
    if at < document.len() {
        result.extend_from_slice(document.text(at..document.len()));
    }
    let text = String::from_utf8(result).expect("it is UTF-8");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
