//! Characters of a test case as cells of a terminal.
//!
//! A test case may hold anything. Control characters, which would command the terminal, characters
//! that change the direction of the text, and those without a width of their own are shown as
//! escapes such as `\x1b`; so are bytes that are not UTF-8.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// What is shown of a piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glyph<'a> {
    /// The byte at which the piece begins.
    pub(crate) at: usize,
    pub(crate) shown: Shown<'a>,
}

/// A character, or what stands for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shown<'a> {
    /// A character with its combining characters, one or two columns wide.
    Character(&'a str),
    /// An escape.
    Escaped(String),
    Tab,
    LineEnd,
}

impl Glyph<'_> {
    /// Returns the number of columns; a tab has at most four, up to the next multiple.
    pub(crate) fn width(&self, column: usize) -> usize {
        match &self.shown {
            Shown::Character(text) => text.width(),
            Shown::Escaped(text) => text.len(),
            Shown::Tab => TAB - column % TAB,
            Shown::LineEnd => 0,
        }
    }
}

/// Columns between the stops of tabs.
const TAB: usize = 4;

/// Longest character with combining characters that is shown as one.
const MAX_CLUSTER: usize = 32;

/// Returns the glyphs of a text.
pub(crate) fn glyphs(text: &[u8]) -> impl Iterator<Item = Glyph<'_>> {
    let mut offset = 0;
    text.utf8_chunks().flat_map(move |chunk| {
        let start = offset;
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        offset += valid.len() + invalid.len();
        let characters = valid.grapheme_indices(true).flat_map(move |(at, text)| {
            let at = start + at;
            // A line end may be one cluster with the character before it.
            let parts: Vec<Glyph<'_>> = match is_shown(text) {
                true => vec![Glyph {
                    at,
                    shown: Shown::Character(text),
                }],
                false => (text.char_indices())
                    .map(|(inside, character)| Glyph {
                        at: at + inside,
                        shown: shown_alone(text, inside, character),
                    })
                    .collect(),
            };
            parts
        });
        let bytes = invalid.iter().enumerate().map(move |(place, byte)| Glyph {
            at: start + valid.len() + place,
            shown: Shown::Escaped(format!("\\x{byte:02x}")),
        });
        characters.chain(bytes)
    })
}

/// Returns whether a cluster can be given to a terminal as it is.
fn is_shown(text: &str) -> bool {
    if let [byte] = text.as_bytes() {
        return byte.is_ascii_graphic() || *byte == b' ';
    }
    text.len() <= MAX_CLUSTER
        && (1..=2).contains(&text.width())
        && !text.chars().any(is_dangerous)
        && text
            .chars()
            .next()
            .is_some_and(|first| first.to_string().width() > 0)
}

fn shown_alone(text: &str, at: usize, character: char) -> Shown<'_> {
    let alone = &text[at..at + character.len_utf8()];
    match character {
        '\n' => Shown::LineEnd,
        '\t' => Shown::Tab,
        _ if character.is_ascii_control() => {
            Shown::Escaped(format!("\\x{:02x}", u32::from(character)))
        }
        _ if is_shown(alone) => Shown::Character(alone),
        _ => Shown::Escaped(character.escape_unicode().to_string()),
    }
}

/// Returns whether a character controls a terminal, changes the direction of the text, or is one of
/// those that join others, on whose width terminals disagree.
fn is_dangerous(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Returns a text on one line, as the view shows it. For names, signatures and notes.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for glyph in glyphs(text.as_bytes()) {
        match glyph.shown {
            Shown::Character(text) => line += text,
            Shown::Escaped(text) => line += &text,
            Shown::Tab | Shown::LineEnd => line.push(' '),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_invalid_bytes_are_escaped() {
        assert_eq!(
            one_line("\x1b]0;title\x07\x1b[2J"),
            "\\x1b]0;title\\x07\\x1b[2J"
        );
        assert_eq!(
            one_line("a\u{9b}2J\u{202e}b\r\nc"),
            "a\\u{9b}2J\\u{202e}b\\x0d c"
        );
        let bytes = glyphs(b"a\xff\xc3").map(|glyph| (glyph.at, glyph.shown));
        assert_eq!(
            bytes.collect::<Vec<_>>(),
            [
                (0, Shown::Character("a")),
                (1, Shown::Escaped("\\xff".to_owned())),
                (2, Shown::Escaped("\\xc3".to_owned()))
            ]
        );
    }

    #[test]
    fn wide_characters_and_accents_are_one_glyph_each() {
        let text = "日e\u{301}\tx";
        let widths: Vec<_> = glyphs(text.as_bytes())
            .map(|glyph| (glyph.at, glyph.width(3)))
            .collect();
        assert_eq!(widths, [(0, 2), (3, 1), (6, 1), (7, 1)]);
        assert_eq!(one_line(text), "日e\u{301} x");
    }

    #[test]
    fn an_accent_alone_and_endless_accents_are_escaped() {
        assert_eq!(one_line("\u{301}"), "\\u{301}");
        let endless = format!("a{}", "\u{301}".repeat(40));
        assert!(one_line(&endless).starts_with("a\\u{301}\\u{301}"));
    }

    #[test]
    fn no_text_becomes_a_control_character() {
        let all: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        assert!(!one_line(&all).contains(char::is_control));
    }
}
