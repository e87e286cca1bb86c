//! Texts with their size in tokens.

use std::sync::Arc;

use boildown_document::{Candidate, View};
use boildown_store::ResumedBest;

use super::options::InputForm;

/// A text and its size.
#[derive(Debug, Clone)]
pub(super) struct SizedText {
    pub(super) bytes: Arc<[u8]>,
    /// Its size in bytes; of a state of a folder, that of its files.
    pub(super) size: usize,
    /// Number of tokens, where they are counted: not in passes that work on lines or bytes.
    pub(super) tokens: Option<usize>,
}

impl From<&Candidate> for SizedText {
    fn from(candidate: &Candidate) -> Self {
        let has_tokens = !candidate.is_folder()
            && matches!(candidate.document().view(), View::Syntax(_) | View::Blocks);
        Self {
            bytes: Arc::clone(candidate.bytes()),
            size: candidate.size(),
            tokens: has_tokens.then(|| candidate.token_count()),
        }
    }
}

impl SizedText {
    /// Returns the best result of earlier sessions.
    pub(super) fn resumed(best: &ResumedBest, form: InputForm) -> Self {
        Self {
            bytes: Arc::clone(&best.text),
            size: form.size(&best.text),
            tokens: best.tokens,
        }
    }
}
