//! Words: the units of any text, whatever its language.

use std::ops::Range;

/// Returns the words and the single other characters in a range of bytes, without white space.
pub fn words(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
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

/// Returns whether a byte is part of a word: a letter, a digit, an underscore, or part of a
/// character beyond ASCII.
#[inline]
pub fn is_word(byte: u8) -> bool {
    // Without branches: all bytes of a text are asked about.
    let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let is_digit = byte.wrapping_sub(b'0') < 10;
    is_letter | is_digit | (byte == b'_') | (byte >= 0x80)
}

/// Returns a range without the white space at its ends.
pub(super) fn trim(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &bytes[range.clone()];
    let end = range.start + text.trim_ascii_end().len();
    let start = range.end - text.trim_ascii_start().len();
    start.min(end)..end
}

/// Returns whether there is a NUL byte near the start, which texts do not have.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8192).any(|&byte| byte == 0)
}
