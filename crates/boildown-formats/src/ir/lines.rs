//! Lines of a module in text as words, and the kinds of words.

use boildown_document::hashing::{HASH_START, hash};

/// What is particular about the lines of a format.
pub(crate) struct LineForm {
    /// What a comment begins with. It ends with its line.
    pub(crate) comment: &'static [u8],
    /// Returns the length of the rest of a word that continues after a sign, as in `1.0e+01`: of
    /// the word so far, and of what follows it.
    pub(crate) rest_of_word: fn(&[u8], &[u8]) -> usize,
}

/// Divides a line into words, names, strings and signs, without comments.
pub(crate) fn words<'a>(form: &LineForm, line: &'a [u8]) -> Vec<&'a [u8]> {
    let is_letter = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$') || byte >= 0x80
    };
    let mut words = Vec::new();
    let mut at = 0;
    while at < line.len() && !line[at..].starts_with(form.comment) {
        let byte = line[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let is_sign = matches!(byte, b'%' | b'@' | b'!' | b'#' | b'^' | b'$');
        let start = at;
        at += usize::from(is_sign);
        if line.get(at) == Some(&b'"') {
            let inside = &line[at + 1..];
            let length = inside.iter().position(|&byte| byte == b'"');
            at = length.map_or(line.len(), |length| at + length + 2);
        } else {
            at += (line[at..].iter())
                .take_while(|&&byte| is_letter(byte))
                .count();
            at = at.max(start + 1);
            at += (form.rest_of_word)(&line[start..at], &line[at..]);
        }
        words.push(&line[start..at]);
    }
    words
}

/// Returns whether a word consists of digits and dots.
pub(crate) fn is_number(word: &[u8]) -> bool {
    word.iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Returns whether a word is a type of numbers or pointers: `i32`, `double`, `ptr`.
pub(crate) fn is_sized_type(word: &[u8]) -> bool {
    match word {
        b"ptr" | b"float" | b"double" | b"half" | b"index" => true,
        [b'i' | b'f', width @ ..] if !width.is_empty() => width.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns whether a word is a constant of LLVM that is no number.
pub(crate) fn is_constant(word: &[u8]) -> bool {
    [
        "poison",
        "undef",
        "null",
        "true",
        "false",
        "zeroinitializer",
    ]
    .iter()
    .any(|constant| word == constant.as_bytes())
}

/// Returns a number for words that are alike: all that stand for the same text; of names and
/// strings, those with the same sign.
pub(crate) fn kind_of(alike: &[u8]) -> u64 {
    match alike[0] {
        first @ (b'%' | b'@' | b'!' | b'#' | b'^' | b'"') if alike.len() > 1 => u64::from(first),
        _ => kind_of_text(alike),
    }
}

/// Returns a number for a word that is like no other.
pub(crate) fn kind_of_text(word: &[u8]) -> u64 {
    // 0 stands for the ends of lines.
    hash(HASH_START, word) | 256
}
