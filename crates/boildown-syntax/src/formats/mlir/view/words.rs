//! The words of MLIR.

use std::ops::Range;

use crate::document::writable_module::string_end;

/// A word, string, name or sign.
#[derive(Debug, Clone)]
pub(super) struct MlirWord {
    pub(super) bytes: Range<usize>,
    pub(super) sort: MlirSort,
    /// Whether it is the first on its line.
    pub(super) begins_line: bool,
    /// The bracket that closes or opens this one; the word itself for other words.
    pub(super) partner: usize,
}

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
    let mut words: Vec<MlirWord> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    let mut begins_line = true;
    while at < text.len() {
        let byte = text[at];
        if byte == b'\n' {
            begins_line = true;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if text[at..].starts_with(b"//") {
            at += text[at..].iter().take_while(|&&byte| byte != b'\n').count();
            continue;
        }
        let (end, sort) = word(text, at);
        let index = words.len();
        let mut partner = index;
        match sort {
            MlirSort::Open => open.push(index),
            MlirSort::Close => {
                partner = open.pop()?;
                let opening = &mut words[partner];
                opening.partner = index;
                let fits = match text[opening.bytes.start] {
                    b'(' => b')',
                    b'[' => b']',
                    b'{' => b'}',
                    _ => b'>',
                };
                if byte != fits {
                    return None;
                }
            }
            _ => {}
        }
        words.push(MlirWord {
            bytes: at..end,
            sort,
            begins_line,
            partner,
        });
        begins_line = false;
        at = end;
    }
    open.is_empty().then_some(words)
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
