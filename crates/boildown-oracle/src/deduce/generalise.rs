//! From a line of one run to an expression that matches it in the next.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

use super::signs::Found;

/// Characters of the line that are kept as they are; what follows is left open.
const ENOUGH: usize = 120;

/// Characters that mean something in an expression. [`regex::escape`] escapes more, for contexts that do not occur here; people
/// read and edit these.
const META: &str = r"\.+*?()|[]{}^$";

/// A word with a slash.
static SLASHED: LazyLock<Regex> = LazyLock::new(|| {
    let part = r#"[^\s/'"`‘’“”()\[\]<>{},;:=|]"#;
    Regex::new(&format!("{part}*/(?:{part}|/)*")).expect("a test compiles it")
});

/// An address or a number.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?<address>0[xX][0-9a-fA-F]+)|[0-9]+").expect("a test compiles it")
});

/// Returns an expression that matches the text, and what another run would print in its place.
pub(super) fn generalise(found: &Found<'_>) -> String {
    let mut expression = Expression {
        text: String::new(),
        room: ENOUGH,
    };
    if found.begins_line {
        expression.text.push('^');
    }
    for chunk in found.text.utf8_chunks() {
        expression.push_text(chunk.valid());
        expression.push_bytes(chunk.invalid());
    }
    if found.ends_line && expression.room > 0 {
        expression.text.push('$');
    }
    expression.text
}

/// An expression being written. Each part matches its part of the line, so that any number of them match its beginning.
struct Expression {
    text: String,
    /// How many characters may still be taken as they are. Nothing more is written once it is zero.
    room: usize,
}

impl Expression {
    fn push_text(&mut self, text: &str) {
        let mut done = 0;
        for word in SLASHED
            .find_iter(text)
            .filter(|word| is_path(word.as_str()))
        {
            self.push_words(&text[done..word.start()]);
            self.push_path(word.as_str(), &text[word.end()..]);
            done = word.end();
        }
        self.push_words(&text[done..]);
    }

    fn push_path(&mut self, path: &str, after: &str) {
        self.push_open(r"\S*");
        // A place in a source file: the directory depends on the machine, the file says where it went wrong.
        if is_line_number(after) {
            let name = path.rfind('/').map_or(path, |slash| &path[slash + 1..]);
            self.push_words(name);
        }
    }

    fn push_words(&mut self, text: &str) {
        let mut done = 0;
        for number in NUMBER.captures_iter(text) {
            let whole = number.get_match();
            self.push_literal(&text[done..whole.start()]);
            self.push_open(if number.name("address").is_some() {
                "0[xX][0-9a-fA-F]+"
            } else {
                r"\d+"
            });
            done = whole.end();
        }
        self.push_literal(&text[done..]);
    }

    fn push_open(&mut self, expression: &str) {
        if self.room > 0 {
            self.text.push_str(expression);
        }
    }

    fn push_literal(&mut self, text: &str) {
        for character in text.chars().take(self.room) {
            self.room -= 1;
            match character {
                '\n' => self.text.push_str(r"\n"),
                _ if character.is_control() => {
                    write!(self.text, r"\x{{{:X}}}", u32::from(character))
                        .expect("writing to a String cannot fail");
                }
                _ if META.contains(character) => self.text.extend(['\\', character]),
                _ => self.text.push(character),
            }
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().take(self.room) {
            self.room -= 1;
            write!(self.text, r"(?-u:\x{byte:02X})").expect("writing to a String cannot fail");
        }
    }
}

/// `I/O` is a word like others; what starts like a path is one, and what ends in a file name.
fn is_path(word: &str) -> bool {
    let name = word.rfind('/').map_or(word, |slash| &word[slash + 1..]);
    ["/", "./", "../", "~/"]
        .iter()
        .any(|start| word.starts_with(start))
        || name.contains('.')
}

fn is_line_number(text: &str) -> bool {
    text.strip_prefix(':')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}
