//! The tokens of a program.

use super::language::CompiledLanguage;

/// The tokens of a program: names, numbers, strings and signs, and directives of C as a whole.
/// Comments are left out. `::`, `->`, `=>`, `==`, `&&`, `||` and `...` are one token.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    tokens: Vec<&'a [u8]>,
    /// For each bracket that opens, but for angle brackets, the place of the one that closes it, or
    /// the end. For each other token, its own place.
    ends: Vec<usize>,
}

/// The signs of more than one character that are a token.
const LONG_SIGNS: [&[u8]; 10] = [
    b"...", b"::", b"->", b"=>", b"==", b"!=", b"<=", b">=", b"&&", b"||",
];

impl<'a> Tokens<'a> {
    pub(super) fn read(language: CompiledLanguage, text: &'a [u8]) -> Self {
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let (length, is_token) = first_token(language, rest);
            if is_token {
                tokens.push(&rest[..length]);
            }
            at += length;
        }
        let ends = ends_of_brackets(&tokens);
        Self { tokens, ends }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the token at a place; an empty one beyond the end.
    pub(super) fn at(&self, at: usize) -> &'a [u8] {
        self.tokens.get(at).copied().unwrap_or_default()
    }

    /// Returns the token that stands `distance` before a place; an empty one before the first.
    pub(super) fn before(&self, at: usize, distance: usize) -> &'a [u8] {
        at.checked_sub(distance).map_or(b"", |at| self.at(at))
    }

    /// Returns the place of the bracket that closes the one at a place, or the end. Angle brackets
    /// only if the one at the place is one.
    pub(super) fn end_of_brackets(&self, from: usize) -> usize {
        if self.at(from) != b"<" {
            return self.ends.get(from).copied().unwrap_or(self.len());
        }
        let mut depth = 0_usize;
        let mut at = from;
        while at < self.len() {
            match self.at(at) {
                b"<" => depth += 1,
                b">" => depth -= 1,
                // No list of parameters or types continues here.
                b";" | b"}" => break,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
            at = self.ends[at] + 1;
        }
        at.min(self.len())
    }
}

/// Returns for each bracket that opens where the one stands that closes it. Brackets of the three
/// kinds are alike, because what is left of a program may mix them up.
fn ends_of_brackets(tokens: &[&[u8]]) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..tokens.len()).collect();
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            b"(" | b"[" | b"{" => {
                ends[at] = tokens.len();
                open.push(at);
            }
            b")" | b"]" | b"}" => {
                if let Some(start) = open.pop() {
                    ends[start] = at;
                }
            }
            _ => {}
        }
    }
    ends
}

/// Returns the length of what a text begins with, and whether it is a token.
fn first_token(language: CompiledLanguage, rest: &[u8]) -> (usize, bool) {
    let line = || {
        let end = rest.iter().position(|&byte| byte == b'\n');
        end.unwrap_or(rest.len())
    };
    let is_c = matches!(language, CompiledLanguage::C | CompiledLanguage::Cxx);
    match rest {
        [b'/', b'/', ..] => (line(), false),
        [b'/', b'*', ..] => {
            let end = rest[2..].windows(2).position(|pair| pair == b"*/");
            (end.map_or(rest.len(), |end| end + 4), false)
        }
        [first, ..] if first.is_ascii_whitespace() => (1, false),
        [b'#', ..] if is_c => (line(), true),
        [b'"', b'"', b'"', ..] if language == CompiledLanguage::Java => {
            let end = rest[3..].windows(3).position(|three| three == b"\"\"\"");
            (end.map_or(rest.len(), |end| end + 6), true)
        }
        [b'r', b'"' | b'#', ..] if language == CompiledLanguage::Rust => (raw_string(rest), true),
        [b'"', ..] => (string(rest), true),
        [b'\'', ..] => (character(language, rest), true),
        [first, ..] if is_letter(*first) => {
            let is_number = first.is_ascii_digit();
            let letters = rest.iter().enumerate().take_while(|&(at, &byte)| {
                is_letter(byte) || is_number && byte == b'.' && rest.get(at + 1) != Some(&b'.')
            });
            (letters.count(), true)
        }
        _ => {
            let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(sign));
            (long.map_or(1, |sign| sign.len()), true)
        }
    }
}

/// Returns the length of a string in double quotes, or up to the end of the text.
fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Returns the length of a character in quotes, or of a lifetime of Rust.
fn character(language: CompiledLanguage, rest: &[u8]) -> usize {
    let closed = match rest {
        [_, b'\\', ..] => rest[3.min(rest.len())..]
            .iter()
            .position(|&byte| byte == b'\'')
            .map(|at| at + 4),
        _ => rest[1..]
            .iter()
            .take(5)
            .position(|&byte| byte == b'\'')
            .map(|at| at + 2),
    };
    let letters = rest[1..]
        .iter()
        .take_while(|&&byte| is_letter(byte))
        .count();
    let is_lifetime = language == CompiledLanguage::Rust
        && letters > 0
        && rest[1] < 0x80
        && rest.get(1 + letters) != Some(&b'\'');
    match closed {
        Some(length) if !is_lifetime => length,
        _ => 1 + letters,
    }
}

/// Returns the length of a raw string of Rust, or of the name that begins with an r.
fn raw_string(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        // `r#type` is a name.
        return 1
            + hashes
            + rest[1 + hashes..]
                .iter()
                .take_while(|&&byte| is_letter(byte))
                .count();
    }
    let end = [&b"\""[..], &b"#".repeat(hashes)].concat();
    let inside = &rest[2 + hashes..];
    let length = inside.windows(end.len()).position(|part| part == end);
    length.map_or(rest.len(), |length| 2 + hashes + length + end.len())
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// Returns whether a token is a name or a word of the language.
pub(super) fn is_name(token: &[u8]) -> bool {
    // A raw string of Rust begins like a name.
    let is_string = matches!(token, [b'r', .., b'"' | b'#']);
    let begins = |&first: &u8| is_letter(first) && !first.is_ascii_digit();
    token.first().is_some_and(begins) && !is_string
}
