//! Texts of inputs and programs, made visible: they may hold anything.

use std::fmt::{self, Write as _};
use std::ops::Deref;

/// A text that a terminal may show. It is made by escaping, and in no other way: it holds no
/// control characters but line feeds and tabs, and nothing that hides or turns the text around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visible(String);

impl Visible {
    /// Makes bytes visible. Line feeds and tabs stay.
    #[must_use]
    pub fn lines(bytes: impl AsRef<[u8]>) -> Self {
        Self(visible(bytes.as_ref()))
    }

    /// Makes bytes visible on one line: `\n` and `\t` stand for line feeds and tabs. For a part of
    /// a message that could pretend to be another message.
    #[must_use]
    pub fn line(bytes: impl AsRef<[u8]>) -> Self {
        Self(
            visible(bytes.as_ref())
                .replace('\n', "\\n")
                .replace('\t', "\\t"),
        )
    }
}

impl From<&str> for Visible {
    fn from(text: &str) -> Self {
        Self::lines(text)
    }
}

impl From<&String> for Visible {
    fn from(text: &String) -> Self {
        Self::lines(text)
    }
}

impl From<String> for Visible {
    fn from(text: String) -> Self {
        Self::lines(text)
    }
}

impl From<Visible> for String {
    fn from(text: Visible) -> Self {
        text.0
    }
}

impl Deref for Visible {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Visible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Returns bytes as a text without control characters, invalid bytes and characters that change the
/// direction or are invisible; these are written as `\x1b`, `\xff` and `\u{202e}`. Line feeds and
/// tabs stay.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    each(bytes, |part| match part {
        Part::Plain(plain) => text.push_str(plain),
        Part::Escaped(escaped) => text.push_str(escaped),
    });
    text
}

/// Returns bytes as HTML. What is not visible is in elements of the class `x`.
pub(crate) fn html(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    each(bytes, |part| match part {
        Part::Plain(plain) => push_escaped(plain, &mut text),
        Part::Escaped(escaped) => {
            write!(text, "<span class=x>{escaped}</span>").ok();
        }
    });
    text
}

/// Returns a text of our own or of the user as HTML.
pub(crate) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    push_escaped(&visible(text.as_bytes()), &mut escaped);
    escaped
}

/// Returns JSON that may stand inside a `script` element.
pub(crate) fn json_in_html(json: &str) -> String {
    visible_json(json)
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// Returns JSON in which escapes stand for what is not visible, which is inside strings only.
pub fn visible_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(text, "\\u{unit:04x}").ok();
            }
        } else {
            text.push(character);
        }
    }
    text
}

/// A part of a text.
enum Part<'a> {
    Plain(&'a str),
    Escaped(&'a str),
}

fn each(bytes: &[u8], mut push: impl FnMut(Part<'_>)) {
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        let mut from = 0;
        for (at, character) in valid.char_indices() {
            if !is_hidden(character) {
                continue;
            }
            push(Part::Plain(&valid[from..at]));
            from = at + character.len_utf8();
            let code = u32::from(character);
            push(Part::Escaped(&match code {
                0..0x80 => format!("\\x{code:02x}"),
                _ => format!("\\u{{{code:x}}}"),
            }));
        }
        push(Part::Plain(&valid[from..]));
        for byte in chunk.invalid() {
            push(Part::Escaped(&format!("\\x{byte:02x}")));
        }
    }
}

/// Returns whether a character would not be seen, or would change how others are seen.
fn is_hidden(character: char) -> bool {
    if matches!(character, '\n' | '\t') {
        return false;
    }
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffc}'
                | '\u{e0000}'..='\u{e007f}'
                | '\u{fdd0}'..='\u{fdef}'
        )
        || u32::from(character) & 0xfffe == 0xfffe
}

fn push_escaped(plain: &str, text: &mut String) {
    for character in plain.chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            character => text.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_for_a_terminal_controls_nothing_and_other_characters_stay() {
        let check = |bytes: &[u8], shown: &str| assert_eq!(&*Visible::lines(bytes), shown);
        check("naïve\n\tline 日本".as_bytes(), "naïve\n\tline 日本");
        check(
            b"\x1b]0;title\x07a\rb\x7f",
            "\\x1b]0;title\\x07a\\x0db\\x7f",
        );
        check(
            "\u{9b}2J \u{202e}evil".as_bytes(),
            "\\u{9b}2J \\u{202e}evil",
        );
        let line = Visible::line(b"a\xff\x1b[31m\nb\t.c");
        assert_eq!(line.to_string(), "a\\xff\\x1b[31m\\nb\\t.c");
    }

    #[test]
    fn hostile_texts_are_made_visible() {
        let hostile = b"</script>\0\x1b[2J\xff\xe2\x80\xaea\tb\r\n";
        assert_eq!(
            visible(hostile),
            "</script>\\x00\\x1b[2J\\xff\\u{202e}a\tb\\x0d\n"
        );
        assert_eq!(
            html(b"<\0'\xfe\""),
            "&lt;<span class=x>\\x00</span>&#39;<span class=x>\\xfe</span>&quot;"
        );
        assert_eq!(text("a\u{200b}<b>"), "a\\u{200b}&lt;b&gt;");
        assert_eq!(
            visible_json("[\"\u{9b}\u{e0001}\"]"),
            "[\"\\u009b\\udb40\\udc01\"]"
        );
        assert_eq!(
            json_in_html("[\"</script><!--&\"]"),
            "[\"\\u003c/script\\u003e\\u003c!--\\u0026\"]"
        );
    }
}
