//! The statements of an SQL script.

use std::ops::Range;

/// Returns the statements, each with its semicolon and the line break after it. What precedes a
/// statement, such as a comment, belongs to it.
///
/// A semicolon inside of quotes, comments or dollar quotes ends no statement, and neither does one
/// between `BEGIN` and `END` of a trigger or routine. A line that begins with a dot or a backslash
/// is a command of a client, and a statement of its own. A backslash escapes a quote if otherwise a
/// quote would stay open.
pub(crate) fn statements(input: &[u8]) -> Vec<Range<usize>> {
    let plain = Scan::new(input, Escape::Doubled).run();
    if plain.is_open {
        let escaped = Scan::new(input, Escape::Backslash).run();
        if !escaped.is_open {
            return escaped.statements;
        }
    }
    plain.statements
}

/// How a quote is written inside of quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// Twice.
    Doubled,
    /// Twice, or after a backslash.
    Backslash,
}

struct Scan<'a> {
    input: &'a [u8],
    at: usize,
    /// Where the statement at hand begins.
    start: usize,
    words: Words,
    statements: Vec<Range<usize>>,
    escape: Escape,
    /// Whether a quote is not closed.
    is_open: bool,
}

/// What the words of a statement so far say about it.
#[derive(Debug, Default)]
struct Words {
    count: usize,
    is_create: bool,
    /// Whether it creates a trigger or a routine, whose body may be a block.
    has_body: bool,
    /// Blocks that are open.
    blocks: usize,
    /// The word before this one was `END`.
    after_end: bool,
}

impl Words {
    fn add(&mut self, word: &[u8]) {
        let is = |name: &str| word.eq_ignore_ascii_case(name.as_bytes());
        self.count += 1;
        self.is_create |= self.count == 1 && (is("CREATE") || is("ALTER"));
        self.has_body |= self.is_create
            && self.count < 8
            && ["TRIGGER", "FUNCTION", "PROCEDURE", "EVENT"]
                .into_iter()
                .any(is);
        if !self.has_body {
            return;
        }
        let after_end = std::mem::replace(&mut self.after_end, false);
        if is("END") {
            self.blocks = self.blocks.saturating_sub(1);
            self.after_end = true;
        } else if is("BEGIN") || is("CASE") || is("LOOP") || is("IF") {
            // `END IF` and `END LOOP` end one block, and begin none.
            let begins = !after_end && (self.blocks > 0 || is("BEGIN"));
            self.blocks += usize::from(begins);
        }
    }
}

impl<'a> Scan<'a> {
    fn new(input: &'a [u8], escape: Escape) -> Self {
        Self {
            input,
            at: 0,
            start: 0,
            words: Words::default(),
            statements: Vec::new(),
            escape,
            is_open: false,
        }
    }

    fn run(mut self) -> Self {
        while self.at < self.input.len() {
            self.step();
        }
        self.end();
        self
    }

    fn rest(&self) -> &'a [u8] {
        &self.input[self.at..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let is_first = self.words.count == 0;
        let begins_line = self.at == 0 || self.input[self.at - 1] == b'\n';
        match rest[0] {
            b'\'' | b'"' | b'`' => {
                let length = quoted(rest, self.escape);
                self.is_open |= length.is_none();
                self.at += length.unwrap_or(rest.len());
            }
            b'-' if rest.starts_with(b"--") => self.at += line(rest),
            b'/' if rest.starts_with(b"/*") => {
                let end = find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
                self.at += end;
            }
            b'$' => self.at += dollar_quoted(rest).unwrap_or(1),
            b'.' | b'\\' if is_first && begins_line => {
                self.at += line(rest);
                self.end();
            }
            b';' => {
                self.at += 1;
                if self.words.blocks == 0 {
                    self.at += white_space_of_line(self.rest());
                    self.end();
                }
            }
            byte if is_word(byte) => {
                let word = rest.iter().take_while(|&&byte| is_word(byte)).count();
                let range = self.at..self.at + word;
                self.at += word;
                self.words.add(&self.input[range]);
            }
            _ => self.at += 1,
        }
    }

    /// Ends the statement at hand. White space alone is none.
    fn end(&mut self) {
        let statement = self.start..self.at;
        let is_empty = self.input[statement.clone()].trim_ascii().is_empty();
        match self.statements.last_mut() {
            Some(last) if is_empty => last.end = self.at,
            _ if is_empty => return,
            _ => self.statements.push(statement),
        }
        self.start = self.at;
        self.words = Words::default();
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the length of a quoted text; `None` when the quote is not closed.
fn quoted(text: &[u8], escape: Escape) -> Option<usize> {
    let quote = text[0];
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if escape == Escape::Backslash => at += 2,
            byte if byte == quote && text.get(at + 1) == Some(&quote) => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Returns the length of `$tag$ … $tag$`.
fn dollar_quoted(text: &[u8]) -> Option<usize> {
    let tag = text[1..].iter().take_while(|&&byte| is_word(byte)).count();
    let tag = text.get(..tag + 2).filter(|tag| tag.ends_with(b"$"))?;
    let end = find(&text[tag.len()..], tag)?;
    Some(end + 2 * tag.len())
}

/// Returns the length of the line with its line break.
fn line(text: &[u8]) -> usize {
    let end = text.iter().position(|&byte| byte == b'\n');
    end.map_or(text.len(), |end| end + 1)
}

/// Returns the length of the white space at the start of a text, up to the first line break and
/// with it; 0 if something else follows on the line.
fn white_space_of_line(text: &[u8]) -> usize {
    let line = &text[..line(text)];
    match line.trim_ascii().is_empty() {
        true => line.len(),
        false => line.len() - line.trim_ascii_start().len(),
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}
