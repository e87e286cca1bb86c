//! A change to a document that makes it smaller.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;

use crate::Document;
use crate::document::{Substitutes, words};

/// A new text for a stretch of atoms; an empty one deletes them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    /// Not empty.
    pub(super) atoms: (usize, usize),
    pub(super) text: Arc<[u8]>,
}

impl Edit {
    pub(crate) fn new(atoms: &Range<usize>, text: impl Into<Arc<[u8]>>) -> Self {
        Self {
            atoms: (atoms.start, atoms.end),
            text: text.into(),
        }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.atoms.0..self.atoms.1
    }
}

/// Edits that are made together.
///
/// Invariant: the text becomes strictly smaller in words, then in visible bytes, then in the order of its bytes. A word is what
/// [`words`] finds, so it is one for `foo` and two for `->`; deleting atoms never adds one, whatever the grammar makes of the rest.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    /// In order, without overlaps.
    pub(super) edits: Box<[Edit]>,
    /// By how much the text becomes smaller.
    pub(super) saved: Saved,
    /// Which rule or idea it comes from; an index into their hit rates.
    pub(super) source: usize,
}

/// A difference of sizes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Saved {
    pub(super) words: i64,
    bytes: i64,
}

impl Saved {
    fn of(text: &[u8]) -> Self {
        let visible = text.iter().filter(|byte| !byte.is_ascii_whitespace());
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        Self {
            words: count(words(text, 0..text.len()).count()),
            bytes: count(visible.count()),
        }
    }
}

impl Proposal {
    /// Returns the proposal to make these edits, unless they overlap or do not make the text smaller.
    pub(super) fn new(document: &Document, mut edits: Vec<Edit>, source: usize) -> Option<Self> {
        edits.sort_unstable();
        edits.dedup();
        let disjoint = edits
            .windows(2)
            .all(|pair| pair[0].atoms.1 <= pair[1].atoms.0);
        let mut saved = Saved::default();
        let mut order = std::cmp::Ordering::Equal;
        for edit in &edits {
            let old = document.text(edit.range());
            let (before, after) = (Saved::of(old), Saved::of(&edit.text));
            saved.words += before.words - after.words;
            saved.bytes += before.bytes - after.bytes;
            order = order.then_with(|| edit.text[..].cmp(old));
        }
        let smaller = saved > Saved::default() || saved == Saved::default() && order.is_lt();
        (disjoint && smaller).then(|| Self {
            edits: edits.into(),
            saved,
            source,
        })
    }

    /// The first atom that changes.
    pub(super) fn start(&self) -> usize {
        self.edits.first().map_or(0, |edit| edit.atoms.0)
    }
}

impl Proposal {
    /// Returns what is kept of a document, and what stands in the place of atoms, once the edits are made too.
    pub(super) fn apply(&self, kept: &Subset, substitutes: &Substitutes) -> (Subset, Substitutes) {
        let mut substitutes = substitutes.clone();
        let mut cuts = Vec::with_capacity(self.edits.len());
        for edit in &self.edits {
            let (start, end) = edit.atoms;
            if edit.text.is_empty() {
                cuts.push(start..end);
            } else {
                substitutes.insert(start, Arc::clone(&edit.text));
                cuts.push(start + 1..end);
            }
        }
        (kept.without(cuts), substitutes)
    }

    /// Returns whether no edit touches what was changed before.
    pub(super) fn applies(&self, kept: &Subset, substitutes: &Substitutes) -> bool {
        self.edits.iter().all(|edit| {
            let atoms = edit.range();
            kept.count_in(atoms.clone()) == atoms.len() && substitutes.range(atoms).next().is_none()
        })
    }
}
