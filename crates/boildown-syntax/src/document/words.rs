//! What any text is made of, whatever its language.

use std::ops::Range;

/// Returns the words and the single other characters of a part of a text, without its white space.
pub(crate) fn words(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = range.start;
    std::iter::from_fn(move || {
        while at < range.end && bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        let start = at;
        while at < range.end && is_word(bytes[at]) {
            at += 1;
        }
        if at == start && at < range.end {
            at += 1;
        }
        (start < at).then_some(start..at)
    })
}

/// Returns whether a byte is part of a word: a letter, a digit, an underscore, or part of a character beyond ASCII.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
