//! Quoting of words for a shell, so that messages can print commands to paste.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;

/// Returns the word quoted so that a POSIX shell reads it back unchanged.
///
/// Words with control characters or bytes that are not UTF-8 need bash.
#[must_use]
pub fn quote(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(byte);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.bytes().all(|byte| is_plain(&byte)) => {
            text.to_owned()
        }
        Some(text) if !text.contains(char::is_control) => {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
        _ => quote_bytes(word.as_bytes()),
    }
}

fn quote_bytes(bytes: &[u8]) -> String {
    let mut quoted = String::from("$'");
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => write!(quoted, "\\x{byte:02x}").expect("writing to a String cannot fail"),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "bash reads the quoted words")]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_words_that_need_it_are_quoted() {
        assert_eq!(quote("-O2"), "-O2");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("a\nb"), r"$'a\x0ab'");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn bash_reads_a_quoted_word_back(bytes in prop::collection::vec(1u8..=255, 0..20)) {
            let word = OsStr::from_bytes(&bytes);
            let script = format!("printf %s {}", quote(word));
            let output = Command::new("bash").env("LC_ALL", "C").args(["-c", &script]).output().unwrap();
            prop_assert_eq!(output.stdout, bytes);
        }
    }
}
