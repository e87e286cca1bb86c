//! From a line of one run to an expression that matches it in the next.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::signs::Found;

/// Characters of the line that are kept as they are; what follows is left open.
const ENOUGH: usize = 120;

/// The parts of a line that differ between runs: addresses, paths, numbers. A word with a slash is a path when it starts like
/// one or its last part has a dot: `I/O` is none.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    let part = r#"[^\s/'"`‘’“”()\[\]<>{},;:=|]"#;
    let expression = format!(
        r"(?x)
        (?<address> 0[xX][0-9a-fA-F]+ )
        | (?<path> (?: (?: \.{{1,2}} | ~ )? / {part}* (?: /{part}* )* | {part}+ / (?: {part}* / )* {part}* \. {part}+ ) )
        | (?<number> [0-9]+ )
        "
    );
    Regex::new(&expression).expect("a test compiles it")
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
        for variable in VARIABLE.captures_iter(text) {
            let whole = variable.get_match();
            self.push_literal(&text[done..whole.start()]);
            self.push_variable(&variable, &text[whole.end()..]);
            done = whole.end();
        }
        self.push_literal(&text[done..]);
    }

    fn push_variable(&mut self, variable: &Captures<'_>, after: &str) {
        if self.room == 0 {
            return;
        }
        if variable.name("address").is_some() {
            self.text.push_str("0[xX][0-9a-fA-F]+");
        } else if variable.name("number").is_some() {
            self.text.push_str(r"\d+");
        } else {
            self.text.push_str(r"\S*");
            // A place in a source file: the directory depends on the machine, the file says where it went wrong.
            if is_line_number(after) {
                let path = variable.get_match().as_str();
                let name = path.rfind('/').map_or(path, |slash| &path[slash + 1..]);
                self.push_text(name);
            }
        }
    }

    fn push_literal(&mut self, text: &str) {
        for character in text.chars().take(self.room) {
            self.room -= 1;
            if character.is_control() {
                self.push_code(u32::from(character));
            } else {
                self.text
                    .push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
            }
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().take(self.room) {
            self.room -= 1;
            write!(self.text, r"(?-u:\x{byte:02X})").expect("writing to a String cannot fail");
        }
    }

    fn push_code(&mut self, code: u32) {
        if code == u32::from('\n') {
            self.text.push_str(r"\n");
        } else {
            write!(self.text, r"\x{{{code:X}}}").expect("writing to a String cannot fail");
        }
    }
}

fn is_line_number(text: &str) -> bool {
    text.strip_prefix(':')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}
