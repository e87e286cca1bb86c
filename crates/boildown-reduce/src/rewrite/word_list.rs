//! The words of a document without its comments, for rewritings that read lists in brackets
//! whatever the grammar makes of them.

use std::ops::Range;

use boildown_document::Document;

use crate::edit::Edit;

/// The words of a document. All ranges are of words.
#[derive(Debug)]
pub struct WordList<'a> {
    document: &'a Document,
    /// Each with its index in the document.
    words: Vec<(usize, &'a [u8])>,
}

impl<'a> WordList<'a> {
    /// Returns the words of a document.
    #[must_use]
    pub fn of(document: &'a Document) -> Self {
        let tokens = (0..document.len()).map(|token| (token, document.token(token)));
        Self {
            document,
            words: tokens.filter(|(_, text)| !is_comment(text)).collect(),
        }
    }

    /// Returns the number of words.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// Returns a word; nothing after the last one.
    pub fn word(&self, at: usize) -> &'a [u8] {
        self.words.get(at).map_or(b"", |word| word.1)
    }

    /// Returns where a word comes next.
    pub fn next(&self, mut range: Range<usize>, word: &[u8]) -> Option<usize> {
        range.find(|&at| self.word(at) == word)
    }

    /// Returns the bytes of words, as they stand in the document.
    pub fn source(&self, range: &Range<usize>) -> &'a [u8] {
        match range.is_empty() {
            true => b"",
            false => self.document.text(self.tokens(range)),
        }
    }

    /// Returns the edit that writes a text in the place of words, which are at least one.
    pub fn edit(&self, range: &Range<usize>, text: Vec<u8>) -> Edit {
        Edit::new(&self.tokens(range), text)
    }

    /// Returns the word after a bracket and what is in it, if one opens at a word.
    pub fn bracket(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in open..self.words.len() {
            match self.word(at) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return (at > open).then_some(at + 1);
            }
        }
        None
    }

    /// Divides a list at its commas.
    pub fn elements(&self, list: &Range<usize>) -> Vec<Range<usize>> {
        let mut elements = Vec::new();
        let mut start = list.start;
        let mut at = list.start;
        while at < list.end {
            match self.word(at) {
                b"(" | b"[" | b"{" => at = self.bracket(at).unwrap_or(list.end),
                b"," => {
                    elements.push(start..at);
                    at += 1;
                    start = at;
                }
                _ => at += 1,
            }
        }
        if start < list.end {
            elements.push(start..list.end);
        }
        elements
    }

    fn tokens(&self, range: &Range<usize>) -> Range<usize> {
        self.words[range.start].0..self.words[range.end - 1].0 + 1
    }
}

/// Returns whether a token is a comment of a hardware description or of SQL.
fn is_comment(text: &[u8]) -> bool {
    [&b"//"[..], b"/*"]
        .iter()
        .any(|start| text.starts_with(start))
        || text.len() > 2 && text.starts_with(b"--")
}
