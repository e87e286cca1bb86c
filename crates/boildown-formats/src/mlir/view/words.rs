//! The words of MLIR.

use boildown_document::writable_module::string_end;

use crate::ir::{SortOfWord, SortedWord, sorted_words};

pub(super) type MlirWord = SortedWord<MlirSort>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MlirSort {
    /// `%name`, without `#1` or `:2`.
    Value,
    /// `@name`.
    Symbol,
    /// `^name`.
    Block,
    Open,
    Close,
    Comma,
    Colon,
    Other,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$')
}

/// Divides a text into words. `None` if brackets do not match.
pub(super) fn words(text: &[u8]) -> Option<Vec<MlirWord>> {
    let (words, do_match) = sorted_words(text);
    do_match.then_some(words)
}

impl SortOfWord for MlirSort {
    const BRACKETS: [Self; 2] = [Self::Open, Self::Close];
    const COMMENT: &'static [u8] = b"//";

    fn at(text: &[u8], at: usize) -> (usize, Self) {
        word(text, at)
    }
}

/// Returns the end and the sort of the word at a position.
fn word(text: &[u8], at: usize) -> (usize, MlirSort) {
    let name = |from: usize| {
        let letters = text[from..].iter().take_while(|&&byte| is_name(byte));
        from + letters.count()
    };
    let sort = match text[at] {
        b'%' => MlirSort::Value,
        b'@' => MlirSort::Symbol,
        b'^' => MlirSort::Block,
        b'<' | b'>' if text.get(at + 1) == Some(&b'=') => return (at + 2, MlirSort::Other),
        b'(' | b'[' | b'{' | b'<' => return (at + 1, MlirSort::Open),
        b')' | b']' | b'}' | b'>' => return (at + 1, MlirSort::Close),
        b',' => return (at + 1, MlirSort::Comma),
        b':' if text.get(at + 1) == Some(&b':') => return (at + 2, MlirSort::Other),
        b':' => return (at + 1, MlirSort::Colon),
        b'"' => return (string_end(text, at), MlirSort::Other),
        b'-' if text.get(at + 1) == Some(&b'>') => return (at + 2, MlirSort::Other),
        b'=' if text.get(at + 1) == Some(&b'=') => return (at + 2, MlirSort::Other),
        _ => return (name(at).max(at + 1), MlirSort::Other),
    };
    let end = match text.get(at + 1) {
        Some(b'"') => string_end(text, at + 1),
        _ => name(at + 1),
    };
    match end > at + 1 {
        true => (end, sort),
        false => (end, MlirSort::Other),
    }
}
