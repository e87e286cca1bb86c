//! A candidate text: a document, what is kept of it, and what stands in the place of some of that.

use std::sync::{Arc, OnceLock};

use boildown_search::{Fingerprint, Fingerprinted, Subset};

use crate::Document;
use crate::document::Substitutes;

/// A text to be tested: some of the atoms of a document, a few of them replaced by other texts. Its bytes are made once, when they are first needed.
#[derive(Debug, Clone)]
pub struct Draft {
    document: Arc<Document>,
    kept: Subset,
    /// What stands in the place of kept atoms.
    substitutes: Arc<Substitutes>,
    check: Check,
    bytes: Arc<OnceLock<Arc<[u8]>>>,
}

/// Whether a candidate is worth a run only when it parses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// It is.
    Parses,
    /// It is worth a run in any case.
    Nothing,
}

impl Draft {
    /// Returns the given atoms of a document.
    #[must_use]
    pub fn new(document: Arc<Document>, kept: Subset, check: Check) -> Self {
        Self {
            document,
            kept,
            substitutes: Arc::default(),
            check,
            bytes: Arc::default(),
        }
    }

    /// Replaces kept atoms by other texts.
    pub(crate) fn with(self, substitutes: Arc<Substitutes>) -> Self {
        Self {
            substitutes,
            bytes: Arc::default(),
            ..self
        }
    }

    /// Returns what the parse gate is to check.
    #[must_use]
    pub fn check(&self) -> Check {
        self.check
    }

    /// Returns the text.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        self.bytes.get_or_init(|| {
            self.document
                .render_with(&self.kept, &self.substitutes)
                .into()
        })
    }

    /// Returns the document that this is a part of.
    #[must_use]
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// Returns the atoms of the document that are kept.
    #[must_use]
    pub fn kept(&self) -> &Subset {
        &self.kept
    }

    /// Returns the number of tokens, as the document counts them. A rewritten text is read anew for that.
    #[must_use]
    pub fn tokens(&self) -> usize {
        if self.substitutes.is_empty() {
            return self.document.tokens(&self.kept);
        }
        let document = Document::new(self.bytes(), self.document.view());
        document.tokens(&Subset::full(document.len()))
    }

    /// Returns whether this is all of its document.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.substitutes.is_empty() && self.kept.count() == self.document.len()
    }
}

impl AsRef<[u8]> for Draft {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Fingerprinted for Draft {
    fn fingerprint(&self) -> Fingerprint {
        fingerprint(self.bytes())
    }
}

/// The fingerprint of a text.
pub(crate) fn fingerprint(bytes: &[u8]) -> Fingerprint {
    let hash = blake3::hash(bytes);
    let (bits, _) = hash
        .as_bytes()
        .split_first_chunk::<16>()
        .expect("a hash has 32 bytes");
    Fingerprint::new(u128::from_le_bytes(*bits))
}
