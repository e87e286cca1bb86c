//! The words of LLVM IR.

use crate::ir::{SortOfWord, SortedWord, sorted_words};

pub(super) type IrWord = SortedWord<WordSort>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordSort {
    /// `%name`: a value, block or type.
    Local,
    /// `@name`.
    Global,
    /// `!name` or `!7`.
    Metadata,
    /// `#7`.
    Attributes,
    /// `$name`.
    Comdat,
    /// `name:`, without the colon.
    Label,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    Comma,
    Other,
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'$')
}

/// Divides a text into words. Comments are no words.
pub(super) fn words(text: &[u8]) -> Vec<IrWord> {
    sorted_words(text).0
}

impl SortOfWord for WordSort {
    const BRACKETS: [Self; 2] = [Self::Open, Self::Close];
    const COMMENT: &'static [u8] = b";";

    fn at(text: &[u8], at: usize) -> (usize, Self) {
        word(text, at)
    }
}

/// Returns the end and the sort of the word at a position.
fn word(text: &[u8], at: usize) -> (usize, WordSort) {
    let name = |from: usize| {
        if text.get(from) == Some(&b'"') {
            return string(text, from);
        }
        from + text[from..]
            .iter()
            .take_while(|&&byte| is_name(byte))
            .count()
    };
    let sort = match text[at] {
        b'%' => WordSort::Local,
        b'@' => WordSort::Global,
        b'!' => WordSort::Metadata,
        b'#' => WordSort::Attributes,
        b'$' => WordSort::Comdat,
        b'(' | b'[' | b'{' | b'<' => return (at + 1, WordSort::Open),
        b')' | b']' | b'}' | b'>' => return (at + 1, WordSort::Close),
        b',' => return (at + 1, WordSort::Comma),
        _ => WordSort::Other,
    };
    if sort != WordSort::Other {
        let end = name(at + 1);
        let is_sigil = end > at + 1;
        return (
            end.max(at + 1),
            if is_sigil { sort } else { WordSort::Other },
        );
    }
    let end = name(at).max(at + 1);
    // `c"text"`.
    let end = match text.get(end) {
        Some(b'"') if &text[at..end] == b"c" => string(text, end),
        _ => end,
    };
    let is_label = text.get(end) == Some(&b':') && text.get(end + 1) != Some(&b':');
    let is_field =
        is_label && text.get(end + 1) == Some(&b' ') && end > at && !starts_line(text, at);
    match is_label && !is_field && starts_line(text, at) {
        true => (end, WordSort::Label),
        false => (end, WordSort::Other),
    }
}

/// Returns whether there is only white space before a position on its line.
fn starts_line(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev();
    let mut before = before.take_while(|&&byte| byte != b'\n');
    before.all(u8::is_ascii_whitespace)
}

/// Returns the end of a string.
fn string(text: &[u8], at: usize) -> usize {
    let inside = &text[at + 1..];
    let length = inside.iter().position(|&byte| byte == b'"');
    length.map_or(text.len(), |length| at + length + 2)
}

/// Returns whether an operation ends a block.
pub(crate) fn ends_block(operation: &[u8]) -> bool {
    matches!(
        operation,
        b"ret"
            | b"br"
            | b"switch"
            | b"indirectbr"
            | b"invoke"
            | b"callbr"
            | b"resume"
            | b"catchswitch"
            | b"catchret"
            | b"cleanupret"
            | b"unreachable"
    )
}
