//! The declarations of operations that LLVM knows, by name and types.

use super::hashing::{HASH_START, hash};

/// Returns whether a line of LLVM IR declares an operation that LLVM knows.
pub(super) fn declares_known_operation(words: &[&[u8]]) -> bool {
    words[0] == b"declare" && words.iter().any(|word| word.starts_with(b"@llvm."))
}

/// Returns a number for declarations of LLVM IR with the same name and types, whatever their
/// attributes.
pub(super) fn types_and_names(words: &[&[u8]]) -> u64 {
    let plain = [
        "ptr", "void", "x", "half", "bfloat", "float", "double", "metadata", "token",
    ];
    let is_type = |word: &[u8]| {
        let is_integer = |width: &[u8]| !width.is_empty() && width.iter().all(u8::is_ascii_digit);
        word.strip_prefix(b"i").is_some_and(is_integer)
            || plain.iter().any(|name| word == name.as_bytes())
    };
    let (mut number, mut depth, mut last) = (HASH_START, 0_usize, &b""[..]);
    for &word in words {
        let is_argument =
            depth > 0 || word == b"(" && last.first().is_some_and(u8::is_ascii_alphabetic);
        match word {
            b"(" if is_argument => depth += 1,
            b")" if is_argument => depth -= 1,
            _ => {}
        }
        let is_skipped = is_argument
            || word[0].is_ascii_alphabetic() && !is_type(word)
            || word[0] == b'#'
            || last == b"align";
        if !is_skipped {
            number = hash(hash(number, word), b" ");
        }
        last = word;
    }
    number
}
