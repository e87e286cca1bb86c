//! Words of WGSL that the grammar, which is older than the standard, does not know.

use super::shown_bytes::ShownBytes;

/// Words that are no functions, although parentheses may follow them.
const KEYWORDS: [&[u8]; 5] = [b"for", b"if", b"return", b"switch", b"while"];

/// Returns what takes the place of bytes: constants are shown as `let`, aliases as `type`, atomic
/// types and arrays of an inferred type as types that the grammar knows. A call that is a statement
/// is shown as an assignment, whose left side takes the place of two bytes of white space.
pub(super) fn masked_words(text: &[u8]) -> Vec<ShownBytes> {
    let mut found = Vec::new();
    let mut reader = ShaderReader {
        before: b';',
        gap: 0,
        depth: 0,
    };
    let mut at = 0;
    while at < text.len() {
        let end = match &text[at..] {
            [b'/', b'/', ..] => until(text, at, b"\n").saturating_add(1),
            [b'/', b'*', ..] => until(text, at, b"*/").saturating_add(2),
            [byte, ..] if is_part(*byte) => {
                let length = text[at..].iter().take_while(|byte| is_part(**byte)).count();
                found.extend(reader.masked(text, at, at + length));
                reader.before = b'a';
                at + length
            }
            [byte, ..] if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            rest => {
                reader.punctuation(rest[0]);
                at + 1
            }
        };
        (at, reader.gap) = (end, end);
    }
    found
}

/// What stands before a word.
struct ShaderReader {
    /// The last byte that is no white space nor part of a comment; `a` for any word.
    before: u8,
    /// Where the white space begins.
    gap: usize,
    /// The number of open parentheses.
    depth: usize,
}

impl ShaderReader {
    fn punctuation(&mut self, byte: u8) {
        match byte {
            b'(' => self.depth += 1,
            b')' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.before = byte;
    }

    /// Returns what takes the place of a word, or of the white space before it.
    fn masked(&self, text: &[u8], start: usize, end: usize) -> Option<ShownBytes> {
        let is_first = matches!(self.before, b';' | b'{' | b'}') && self.depth == 0;
        let next = text[end..].iter().find(|byte| !byte.is_ascii_whitespace());
        match (&text[start..end], next) {
            (b"const", _) if is_first => Some((start, b"let  ")),
            (b"alias", _) if is_first => Some((start, b"type ")),
            (b"atomic", Some(b'<')) => Some((start, b"array ")),
            (b"array", Some(b'(')) => Some((start, b"Array")),
            (word, Some(b'('))
                if is_first && !KEYWORDS.contains(&word) && start >= self.gap + 2 =>
            {
                Some((start - 2, b"_="))
            }
            _ => None,
        }
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns the position of some bytes, or the end of the text.
fn until(text: &[u8], from: usize, bytes: &[u8]) -> usize {
    let mut windows = text[from..].windows(bytes.len());
    windows
        .position(|window| window == bytes)
        .map_or(text.len(), |position| from + position)
}
