//! Bytes of which some are deleted and some become others.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Substitutes};
use boildown_search::Subset;

/// The best candidate of a search over single bytes that deletes some and changes others.
#[derive(Debug, Clone)]
pub(super) struct EditedBytes {
    /// In single bytes.
    document: Arc<Document>,
    kept: Subset,
    substitutes: Arc<Substitutes>,
}

impl EditedBytes {
    /// Returns all bytes of a document of single bytes.
    pub(super) fn of(document: &Arc<Document>) -> Self {
        Self {
            document: Arc::clone(document),
            kept: Subset::full(document.len()),
            substitutes: Arc::default(),
        }
    }

    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the kept tokens, in order.
    pub(super) fn tokens(&self) -> Vec<usize> {
        self.kept.iter().collect()
    }

    /// Returns the byte of a token.
    pub(super) fn byte(&self, token: usize) -> u8 {
        match self.substitutes.get(&token) {
            Some(text) => text[0],
            None => self.document.token(token)[0],
        }
    }

    /// Returns the bytes with other values for these tokens.
    pub(super) fn with(&self, values: impl IntoIterator<Item = (usize, u8)>) -> Self {
        let mut substitutes = (*self.substitutes).clone();
        for (token, value) in values {
            substitutes.insert(token, Arc::new([value]));
        }
        Self {
            substitutes: Arc::new(substitutes),
            ..self.clone()
        }
    }

    /// Returns the bytes without these tokens.
    pub(super) fn without(mut self, gone: Range<usize>) -> Self {
        Arc::make_mut(&mut self.substitutes).retain(|token, _| !gone.contains(token));
        self.kept = self.kept.without([gone]);
        self
    }

    /// Makes the deletions quick to look up, after a hit.
    pub(super) fn commit(&mut self) {
        self.kept.commit();
    }

    pub(super) fn candidate(&self) -> Candidate {
        let document = Arc::clone(&self.document);
        let candidate = Candidate::new(document, self.kept.clone(), Check::Nothing);
        candidate.with(Arc::clone(&self.substitutes))
    }
}
