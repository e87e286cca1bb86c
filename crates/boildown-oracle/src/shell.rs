//! Quoting of words for a shell, so that messages can print commands to paste, its reverse, and
//! what shells say about commands that they cannot run.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::LazyLock;

use regex::Regex;

/// Returns the word quoted so that a POSIX shell reads it back unchanged.
///
/// Words with control characters or bytes that are not UTF-8 need bash.
#[must_use]
pub fn quote(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    match word.to_str() {
        Some(text) if !text.contains(char::is_control) => quote_visible(text),
        _ => quote_bytes(word.as_bytes()),
    }
}

/// Returns the text quoted so that every POSIX shell reads it back unchanged, for scripts.
///
/// What a reader of the script would not see, or see elsewhere, is written as an octal number,
/// unless the text ends with a line break, which a substitution loses.
#[must_use]
pub fn quote_text(text: &str) -> String {
    let turns = |letter| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_hidden = |letter: char| letter.is_control() || turns(letter);
    if !text.contains(is_hidden) || text.ends_with('\n') {
        return quote_visible(text);
    }
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '\\' => escaped += r"\\",
            letter if is_hidden(letter) => {
                for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                    write!(escaped, "\\0{byte:03o}").expect("writing to a String cannot fail");
                }
            }
            letter => escaped.push(letter),
        }
    }
    format!("\"$(printf %b {})\"", quote_visible(&escaped))
}

fn quote_visible(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte);
    match !text.is_empty() && text.bytes().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
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

/// Returns the words of a line that was written with [`quote`]; `None` when a quote is not closed
/// or a word is not UTF-8.
#[must_use]
pub fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let mut word = Vec::new();
        while !rest.is_empty() && !rest.starts_with(' ') {
            rest = unquote_part(rest, &mut word)?;
        }
        words.push(String::from_utf8(word).ok()?);
        rest = rest.trim_start();
    }
    Some(words)
}

/// Appends the first part of a word, up to where the quoting changes, and returns what follows it.
fn unquote_part<'a>(text: &'a str, word: &mut Vec<u8>) -> Option<&'a str> {
    if let Some(quoted) = text.strip_prefix("$'") {
        return unquote_escapes(quoted, word);
    }
    if let Some(quoted) = text.strip_prefix('\'') {
        let (inside, rest) = quoted.split_once('\'')?;
        word.extend_from_slice(inside.as_bytes());
        return Some(rest);
    }
    let escaped = text.strip_prefix('\\').unwrap_or(text);
    let first = escaped.chars().next()?;
    let (character, rest) = escaped.split_at(first.len_utf8());
    word.extend_from_slice(character.as_bytes());
    Some(rest)
}

/// Appends a text that [`quote_bytes`] wrote, and returns what follows its closing quote.
fn unquote_escapes<'a>(quoted: &'a str, word: &mut Vec<u8>) -> Option<&'a str> {
    let mut rest = quoted;
    loop {
        let first = rest.chars().next()?;
        rest = &rest[first.len_utf8()..];
        match first {
            '\'' => return Some(rest),
            '\\' if rest.starts_with('x') => {
                word.push(u8::from_str_radix(rest.get(1..3)?, 16).ok()?);
                rest = &rest[3..];
            }
            '\\' => {
                let escaped = rest.chars().next()?;
                word.extend_from_slice(escaped.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[escaped.len_utf8()..];
            }
            _ => word.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Returns whether an output says, as a shell or a program that runs another one does, that a
/// program cannot be run.
#[must_use]
pub fn says_that_it_cannot_run(stderr: &str) -> bool {
    static CANNOT_RUN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?mx)
            (?i: not\ found | no\ such\ file\ or\ directory | permission\ denied
                | is\ a\ directory | exec\ format\ error | bad\ interpreter.* ) \W* $
            | (?i: cannot\ execute | unknown\ command | while\ loading\ shared\ libraries )
            | ^ (?: \S*/ )?
                (?: (?: ba|c|da|fi|k|mk|tc|z )?sh | \S+\.sh | env | nice | nohup | stdbuf | sudo | timeout | xargs ) :",
        )
        .expect("a test compiles it")
    });
    CANNOT_RUN.is_match(stderr)
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
        #[test]
        fn quoted_words_are_split_again(words in prop::collection::vec(any::<String>(), 0..4)) {
            let line: Vec<String> = words.iter().map(quote).collect();
            prop_assert_eq!(split(&line.join(" ")), Some(words));
        }
    }

    #[test]
    fn a_quote_that_is_not_closed_is_refused() {
        assert_eq!(split("--stderr 'a"), None);
        assert_eq!(split(r"--stderr $'a\'"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn sh_reads_a_quoted_text_back(text in "[a'\\\\$`\"%\\n\\t\\x1b\\u{202e}\u{9b}é0-9]{0,12}") {
            let script = format!("printf %s {}", quote_text(&text));
            prop_assert!(text.ends_with('\n') || !script.contains(char::is_control));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            prop_assert_eq!(output.stdout, text.as_bytes());
        }

        #[test]
        fn bash_reads_a_quoted_word_back(bytes in prop::collection::vec(1u8..=255, 0..20)) {
            let word = OsStr::from_bytes(&bytes);
            let script = format!("printf %s {}", quote(word));
            let output = Command::new("bash").env("LC_ALL", "C").args(["-c", &script]).output().unwrap();
            prop_assert_eq!(output.stdout, bytes);
        }
    }
}
