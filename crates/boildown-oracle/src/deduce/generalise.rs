//! Generalises a line of output to an expression that also matches the line of another run.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::input_file::InputFile;
use super::plain_output::{ESCAPE, FailureLine};
use super::varying::{self, DIGEST};

/// The number of literal characters of an expression, at most. Of a longer line, what is between
/// its beginning and its end is left open.
const MAX_LITERALS: usize = 120;

/// The length of a line of which only the beginning is matched, in bytes: it is data, and not a
/// message.
const DATA_LENGTH: usize = 1000;

/// Characters with a meaning in an expression. [`regex::escape`] escapes more of them, for contexts
/// that do not occur here; fewer escapes make expressions that are easier to read and edit.
const META: &str = r"\.+*?()|[]{}^$";

/// A word that contains a slash.
static SLASHED: LazyLock<Regex> = LazyLock::new(|| {
    let part = r#"[^\s/'"`‘’“”()\[\]<>{},;:=|]"#;
    Regex::new(&format!("{part}*/(?:{part}|/)*")).expect("a test compiles it")
});

/// An address, a UUID, a word of hexadecimal digits or a number.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    Regex::new(&format!(
        "(?<address>0[xX][0-9a-fA-F]+)|(?<uuid>{uuid})|{DIGEST}|[0-9]+"
    ))
    .expect("a test compiles it")
});

/// A line number in words.
static LINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bline [0-9]+").expect("a test compiles it"));

/// A position in a file: its name, and the number of the line with that of the column.
static POSITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?<file>[^\s:()'"`,;]+\.[A-Za-z]\w{0,4})(?::|(?:["'`],?|,) line )(?<line>[0-9]+(?::[0-9]+)?)"#,
    )
    .expect("a test compiles it")
});

/// The condition of an assertion, which is source code.
static CONDITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bAssertion [`'‘](.*)['’] failed").expect("a test compiles it"));

/// The values that a test compares, which the group holds: they are made by the test or its input.
static VALUES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[\w.]*AssertionError: (?:\w+ differ: )?|Expected: )(.+ (?:[!=<>]=|not found in|not (?:less|greater) than) .+)$|^Expected: (.+)$",
    )
    .expect("a test compiles it")
});

/// What becomes of positions in files that are taken for sources of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PositionRule {
    /// They stay, with what is asserted there.
    Literal,
    /// Their numbers are left open, as those of all others.
    Open,
}

/// Returns an expression that matches the line, and the corresponding line of other runs:
/// addresses, numbers, directories and the words in these ranges are left open. Of a path that the
/// input names, the last component is literal. Of data, only the beginning is read.
pub(super) fn generalise(
    line: &FailureLine<'_>,
    varying: &[Range<usize>],
    input: &InputFile<'_>,
    rule: PositionRule,
) -> String {
    if line.text.len() > DATA_LENGTH {
        let (start, _) = split_at_character(line.text, DATA_LENGTH);
        let start = FailureLine {
            text: start,
            literal_from: line.literal_from.min(start.len()),
            ends_line: false,
            ..*line
        };
        return generalise(&start, varying, input, rule);
    }
    let is_long = (2 * MAX_LITERALS..DATA_LENGTH).contains(&line.text.len());
    if is_long && line.literal_from >= line.text.len() {
        let (head, _) = split_at_character(line.text, MAX_LITERALS);
        let (_, tail) = split_at_character(line.text, line.text.len() - MAX_LITERALS / 2);
        let end = FailureLine {
            text: tail,
            literal_from: tail.len(),
            begins_line: false,
            ..*line
        };
        let start = FailureLine {
            text: head,
            literal_from: head.len(),
            ends_line: false,
            ..*line
        };
        let [start, end] = [start, end].map(|part| generalise(&part, &[], input, rule));
        return start + "(?s-u:.*)" + &end;
    }
    let mut expression = ExpressionBuilder {
        input,
        rule,
        text: String::new(),
        literals_left: match line.text.len() < 2 * MAX_LITERALS {
            true => 2 * MAX_LITERALS,
            false => MAX_LITERALS,
        },
    };
    if line.begins_line {
        expression.text.push('^');
    }
    let (open, literal) = line.text.split_at(line.literal_from.min(line.text.len()));
    // The directories of a path are open anyway.
    let paths = SLASHED.find_iter(std::str::from_utf8(open).unwrap_or_default());
    let paths: Vec<_> = paths.filter(|word| is_path(word.as_str())).collect();
    let is_apart = |range: &&Range<usize>| {
        let mut paths = paths.iter().map(regex::Match::range);
        range.end <= open.len()
            && paths.all(|path| path.end <= range.start || range.end <= path.start)
    };
    let mut done = 0;
    for range in varying.iter().filter(is_apart) {
        expression.push_printed(&open[done..range.start], ExpressionBuilder::push_text);
        expression.push_open(r"\S+");
        done = range.end;
    }
    expression.push_printed(&open[done..], ExpressionBuilder::push_text);
    expression.push_printed(literal, ExpressionBuilder::push_name);
    if expression.literals_left > 0 {
        if line.ends_line {
            expression.text.push('$');
        } else if !literal.is_empty() {
            // Another name may begin with this one.
            expression.text.push_str(r"(\s|$)");
        }
    }
    expression.text
}

/// Splits a text at this offset, or before it if a character is there.
fn split_at_character(text: &[u8], mut offset: usize) -> (&[u8], &[u8]) {
    while offset > 0 && text[offset] & 0xc0 == 0x80 {
        offset -= 1;
    }
    text.split_at(offset)
}

/// An expression under construction. Each part matches its part of the line, so the parts written
/// so far match the beginning of the line.
struct ExpressionBuilder<'a> {
    input: &'a InputFile<'a>,
    rule: PositionRule,
    text: String,
    /// How many more literal characters may be written. At zero, nothing is written any more.
    literals_left: usize,
}

impl ExpressionBuilder<'_> {
    /// Writes output with a function for its text. Escape sequences of terminals are left open.
    fn push_printed(&mut self, output: &[u8], push: fn(&mut Self, &str)) {
        let mut done = 0;
        for escape in ESCAPE.find_iter(output) {
            self.push_chunks(&output[done..escape.start()], push);
            if !self.text.ends_with(r"\S*") {
                self.push_open(r"\S*");
            }
            done = escape.end();
        }
        self.push_chunks(&output[done..], push);
    }

    fn push_chunks(&mut self, output: &[u8], push: fn(&mut Self, &str)) {
        for chunk in output.utf8_chunks() {
            push(self, chunk.valid());
            self.push_bytes(chunk.invalid());
        }
    }

    /// Writes a message. An excerpt of the input is left open, and so are values that are compared.
    fn push_text(&mut self, text: &str) {
        let values = VALUES
            .captures(text)
            .and_then(|found| found.iter().skip(1).flatten().next());
        let values = values.map(|values| values.range());
        match values.or_else(|| self.input.excerpt_in(text)) {
            Some(excerpt) => {
                self.push_message(&text[..excerpt.start]);
                self.push_open(".*");
                self.push_message(&text[excerpt.end..]);
            }
            None => self.push_message(text),
        }
    }

    fn push_message(&mut self, text: &str) {
        let positions = POSITION.captures_iter(text);
        let mut fixed: Vec<Range<usize>> = positions
            .filter(|found| {
                self.rule == PositionRule::Literal && self.input.is_beside(&found["file"])
            })
            .filter_map(|found| Some(found.name("line")?.range()))
            .collect();
        if let Some(position) = fixed.first()
            && let Some(condition) = CONDITION.captures_at(text, position.end)
            && let Some(condition) = condition.get(1)
        {
            fixed.retain(|position| position.end <= condition.start());
            fixed.push(condition.range());
        }
        let mut done = 0;
        for range in fixed {
            self.push_open_part(text, done..range.start);
            self.push_literal(&text[range.clone()]);
            done = range.end;
        }
        self.push_open_part(text, done..text.len());
    }

    /// Writes a part of a message, of which numbers and directories are left open.
    fn push_open_part(&mut self, text: &str, part: Range<usize>) {
        let mut done = part.start;
        for word in SLASHED.find_iter(&text[part.clone()]) {
            let (start, end) = (part.start + word.start(), part.start + word.end());
            if is_path(word.as_str()) {
                self.push_words(&text[done..start]);
                self.push_path(word.as_str(), &text[end..]);
                done = end;
            }
        }
        self.push_words(&text[done..part.end]);
    }

    /// Writes the name of a test. Only line numbers, which are part of the names of doctests, are
    /// left open.
    fn push_name(&mut self, text: &str) {
        let mut done = 0;
        for line in LINE.find_iter(text) {
            self.push_literal(&text[done..line.start()]);
            self.push_words(line.as_str());
            done = line.end();
        }
        self.push_literal(&text[done..]);
    }

    fn push_path(&mut self, path: &str, after: &str) {
        self.push_open(r"\S*");
        let name = path.rfind('/').map_or(path, |slash| &path[slash + 1..]);
        // A position in a source file: the directory depends on the machine, the file name does
        // not. A path in the input is not one of the directory of a run.
        if self.input.mentions(path) {
            self.push_literal(name);
        } else if is_line_number(after) {
            self.push_words(name);
        }
    }

    fn push_words(&mut self, text: &str) {
        static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(&format!("^{}", varying::COUNTED)).expect("a test compiles it")
        });
        let mut done = 0;
        for number in NUMBER.captures_iter(text) {
            let whole = number.get_match();
            let has = |is: fn(&char) -> bool| whole.as_str().chars().any(|letter| is(&letter));
            self.push_literal(&text[done..whole.start()]);
            done = whole.end();
            self.push_open(if number.name("address").is_some() {
                "0[xX][0-9a-fA-F]+"
            } else if number.name("uuid").is_some() {
                "[0-9a-f-]{36}"
            } else if !has(char::is_ascii_digit) {
                // A word, of which all letters happen to be digits.
                self.push_literal(whole.as_str());
                continue;
            } else if has(char::is_ascii_alphabetic) {
                "[0-9a-fA-F]+"
            } else {
                r"\d+"
            });
            let counted = COUNTED.find(&text[done..]);
            let is_of_compound = |end: usize| text[done + end..].starts_with('-');
            if let Some(counted) = counted.filter(|counted| !is_of_compound(counted.end())) {
                self.push_literal(counted.as_str().trim_end_matches('s'));
                self.push_open("s?");
                done += counted.end();
            }
        }
        self.push_literal(&text[done..]);
    }

    fn push_open(&mut self, expression: &str) {
        if self.literals_left > 0 {
            self.text.push_str(expression);
        }
    }

    fn push_literal(&mut self, text: &str) {
        for character in text.chars().take(self.literals_left) {
            self.literals_left -= 1;
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
        for byte in bytes.iter().take(self.literals_left) {
            self.literals_left -= 1;
            write!(self.text, r"(?-u:\x{byte:02X})").expect("writing to a String cannot fail");
        }
    }
}

/// Returns whether a word with a slash is a path: it begins like one, or ends in a file name with a
/// dot. `I/O`, `//`, `/undefined` and `</div>` are no paths.
fn is_path(word: &str) -> bool {
    let (folder, name) = word.rsplit_once('/').unwrap_or(("", word));
    let is_absolute = folder.starts_with('/') && !folder.trim_start_matches('/').is_empty();
    let mut relative = ["./", "../", "~/"].into_iter();
    is_absolute || relative.any(|start| word.starts_with(start)) || name.contains('.')
}

/// Returns whether the text begins with `:` and a line number.
fn is_line_number(text: &str) -> bool {
    text.strip_prefix(':')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}
