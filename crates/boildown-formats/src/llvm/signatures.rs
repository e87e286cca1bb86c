//! The declarations of operations that LLVM knows, by name and types, and strings of LLVM IR.

use boildown_document::hashing::{HASH_START, hash};

/// Returns a number for a line of LLVM IR that declares an operation that LLVM knows.
pub(super) fn known_operation(words: &[&[u8]]) -> Option<u64> {
    declares_known_operation(words).then(|| types_and_names(words))
}

/// Returns whether a line of LLVM IR declares an operation that LLVM knows.
fn declares_known_operation(words: &[&[u8]]) -> bool {
    words[0] == b"declare" && words.iter().any(|word| word.starts_with(b"@llvm."))
}

/// Returns a number for declarations of LLVM IR with the same name and types, whatever their
/// attributes.
fn types_and_names(words: &[&[u8]]) -> u64 {
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

/// Returns numbers for the strings of a line of LLVM IR: one for the name of an attribute, which
/// stands before a sign of equality, and one for each element of other strings, in which commas
/// divide lists of features.
pub(super) fn string_elements(words: &[&[u8]]) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut last = &b""[..];
    for (index, &word) in words.iter().enumerate() {
        let is_name = words.get(index + 1) == Some(&&b"="[..]);
        if word[0] == b'"' {
            let start = hash(HASH_START, if last == b"=" { last } else { b"" });
            let inside = word[1..].strip_suffix(b"\"").unwrap_or(&word[1..]);
            match is_name {
                true => numbers.push(hash(start, word)),
                false => {
                    let elements = inside.split(|&byte| byte == b',');
                    let elements = elements.filter(|element| !element.is_empty());
                    numbers.extend(elements.map(|element| hash(start, element)));
                }
            }
        }
        last = word;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_consist_of_elements_that_they_had_before() {
        let all = string_elements(&[b"{", b"\"features\"", b"=", b"\"+ab,+cd\"", b"}"]);
        let is_known = |words: &[&[u8]]| string_elements(words).iter().all(|one| all.contains(one));
        assert!(is_known(&[b"\"features\"", b"=", b"\"+cd\""]));
        assert!(!is_known(&[b"\"features\"", b"=", b"\"+ab+cd\""]));
        assert!(!is_known(&[b"\"+ab,+cd\""]), "a value is no name");
    }
}
