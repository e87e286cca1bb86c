//! Texts with their size in tokens.

use std::sync::Arc;

use boildown_store::ResumedBest;
use boildown_syntax::{Candidate, View};

/// A text and its size.
#[derive(Debug, Clone)]
pub(super) struct SizedText {
    pub(super) bytes: Arc<[u8]>,
    /// Number of tokens, where they are counted: not in passes that work on lines or bytes.
    pub(super) tokens: Option<usize>,
}

impl From<&Candidate> for SizedText {
    fn from(candidate: &Candidate) -> Self {
        let has_tokens = matches!(candidate.document().view(), View::Syntax(_) | View::Blocks);
        Self {
            bytes: Arc::clone(candidate.bytes()),
            tokens: has_tokens.then(|| candidate.token_count()),
        }
    }
}

impl From<&ResumedBest> for SizedText {
    fn from(best: &ResumedBest) -> Self {
        Self {
            bytes: Arc::clone(&best.text),
            tokens: best.tokens,
        }
    }
}
