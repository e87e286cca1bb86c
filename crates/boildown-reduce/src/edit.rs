//! Edits: replacements for ranges of tokens, which any pass, rule or format produces.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::Substitutes;
use boildown_search::Subset;

/// A replacement for a range of tokens; an empty one deletes them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// First token and end. Not empty.
    tokens: (usize, usize),
    pub(crate) text: Arc<[u8]>,
}

/// Edits that are made together. No two of them overlap.
pub(crate) type EditSet = Vec<Edit>;

impl Edit {
    /// Returns the edit that puts a text in the place of tokens of the document.
    pub fn new(tokens: &Range<usize>, text: impl Into<Arc<[u8]>>) -> Self {
        Self {
            tokens: (tokens.start, tokens.end),
            text: text.into(),
        }
    }

    /// Returns the edit that deletes tokens of the document.
    pub(crate) fn deletion(tokens: &Range<usize>) -> Self {
        Self::new(tokens, *b"")
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.tokens.0..self.tokens.1
    }

    pub(crate) fn is_deletion(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the tokens that the document has no longer: a text takes the place of the first one.
    pub(crate) fn cut(&self) -> Range<usize> {
        self.tokens.0 + usize::from(!self.is_deletion())..self.tokens.1
    }
}

/// Returns the kept tokens and the substitutes of a document after edits.
pub(crate) fn edited<'a>(
    kept: &Subset,
    substitutes: &Substitutes,
    edits: impl Iterator<Item = &'a Edit> + Clone,
) -> (Subset, Substitutes) {
    let texts = edits.clone().filter(|edit| !edit.is_deletion());
    let texts = texts.map(|edit| (edit.range().start, Arc::clone(&edit.text)));
    let mut substitutes = substitutes.clone();
    substitutes.extend(texts);
    (kept.without(edits.map(Edit::cut)), substitutes)
}
