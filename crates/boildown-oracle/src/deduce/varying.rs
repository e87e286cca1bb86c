//! Placeholders for the parts of a message that differ from run to run.

use std::sync::LazyLock;

/// The placeholder for a quoted text.
pub(super) const QUOTED: &str = "'…'";

/// Matches a word of hexadecimal digits, of which all may be letters, or a long number.
pub(super) const DIGEST: &str = r"\b(?:[0-9a-f]{7,}|[0-9A-F]{7,})\b";

/// Matches what a number counts: after 1, the word is another one than after 2.
pub(super) const COUNTED: &str = r"\x20(?:(?:[a-z]+\x20)?(?:error|failure|warning)|argument|byte|character|difference|element|exception|field|file|issue|item|message|parameter|problem|test|value|violation)s?\b";

/// What happens to quoted texts in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    Kept,
    Replaced,
}

/// Returns the message with placeholders for the parts that differ from run to run.
pub(super) fn without_varying_parts(text: &[u8], quoted: Quoted) -> String {
    static VARYING: LazyLock<regex::Regex> = LazyLock::new(|| {
        regex::Regex::new(&format!(
            r#"(?x)
            (?<space>\s*\n\s*)
            |(?<directory>(?:[\w.~+-]*/)+)(?:[\w.+-]*\.)
            |(?<address>0[xX][0-9a-fA-F]+)
            |(?<quoted>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|‘[^’\n]*’|“[^”\n]*”)
            |(?<number>\b\d+(?:\.\d+)*(?:[eE][+-]?\d+)?(?:[a-zµ]{{1,2}})?\b(?<counted>{COUNTED})?|{DIGEST})"#,
        ))
        .expect("a test compiles it")
    });
    let text = String::from_utf8_lossy(text);
    let replaced = VARYING.replace_all(&text, |part: &regex::Captures<'_>| {
        let all = &part[0];
        if part.name("space").is_some() {
            " ".to_owned()
        } else if let Some(directory) = part.name("directory") {
            all[directory.as_str().len()..].to_owned()
        } else if part.name("address").is_some() {
            "0x…".to_owned()
        } else if part.name("number").is_some() {
            // All letters of a word may happen to be digits.
            let is_number = all.bytes().any(|byte| byte.is_ascii_digit());
            let counted = part.name("counted").map_or("", |counted| counted.as_str());
            let is_of_compound = text[part.get_match().end()..].starts_with('-');
            match (is_number, is_of_compound) {
                (false, _) => all.to_owned(),
                (true, true) => format!("N{counted}"),
                (true, false) => format!("N{}", counted.trim_end_matches('s')),
            }
        } else if quoted == Quoted::Replaced {
            QUOTED.to_owned()
        } else {
            all.to_owned()
        }
    });
    replaced
        .chars()
        .filter(|character| !character.is_control())
        .collect()
}
