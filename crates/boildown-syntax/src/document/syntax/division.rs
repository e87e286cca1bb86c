//! How a text is divided that cannot be parsed as a whole, so that most of its parts can.
//!
//! Grammars recover from an error by giving up what is around it; of a large text with several of them, little structure may be left.
//! But statements end, blocks close and lines are indented in nearly any language, and most statements parse alone.

use std::ops::Range;

use super::super::delimiters::partners;

/// The tokens of a text, and which delimiters belong together.
pub(super) struct Division<'a> {
    bytes: &'a [u8],
    tokens: Vec<Range<usize>>,
    partners: Vec<Option<usize>>,
    /// For each token how far its line is indented, when it is the first of it.
    indents: Vec<Option<usize>>,
}

/// What lines for the preprocessor begin with.
const DIRECTIVES: [&[u8]; 9] = [
    b"if", b"el", b"endif", b"define", b"undef", b"include", b"pragma", b"error", b"line",
];

impl<'a> Division<'a> {
    /// Starts from the tokens of a text, in order.
    pub(super) fn new(bytes: &'a [u8], tokens: Vec<Range<usize>>) -> Self {
        let partners = partners(tokens.iter().map(|token| &bytes[token.clone()]));
        let indents = tokens.iter().map(|token| indent(bytes, token.start));
        Self {
            indents: indents.collect(),
            bytes,
            tokens,
            partners,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the bytes of a token.
    pub(super) fn token(&self, token: usize) -> Range<usize> {
        self.tokens[token].clone()
    }

    /// Returns the bytes from the first to the last of some tokens.
    pub(super) fn bytes_of(&self, tokens: &Range<usize>) -> Range<usize> {
        match tokens.is_empty() {
            true => 0..0,
            false => self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end,
        }
    }

    /// Divides tokens into statements: each ends with a `;` or a block; without any `;`, where a line begins that is indented least.
    pub(super) fn statements(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let outer = || self.outer(tokens.clone());
        let mut starts: Vec<usize> = if tokens.clone().any(|at| self.text(at) == b";") {
            outer()
                .filter(|&at| self.text(at) == b";" || self.is_block(at) && !self.goes_on(at))
                .map(|at| self.partners[at].unwrap_or(at) + 1)
                .chain(outer().filter(|&at| self.is_directive(at)))
                .chain(self.ends_of_directives(tokens.clone()))
                .collect()
        } else {
            let least = outer().filter_map(|at| self.indents[at]).min();
            outer()
                .filter(|&at| self.indents[at].is_some() && self.indents[at] == least)
                .collect()
        };
        starts.retain(|&start| tokens.start < start && start < tokens.end);
        starts.sort_unstable();
        starts.dedup();
        let ends = starts.iter().copied().chain([tokens.end]);
        let begins = [tokens.start].into_iter().chain(starts.iter().copied());
        begins.zip(ends).map(|(start, end)| start..end).collect()
    }

    /// Returns what is in the blocks of a statement.
    pub(super) fn bodies(&self, statement: Range<usize>) -> Vec<Range<usize>> {
        let blocks = self.outer(statement).filter(|&at| self.is_block(at));
        let inside = |open: usize| Some(open + 1..self.partners[open]?);
        blocks.filter_map(inside).collect()
    }

    /// The tokens that are in no delimiters of their own; of these, the opening ones.
    fn outer(&self, tokens: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let end = tokens.end;
        let within = move |at: usize| (at < end).then_some(at);
        std::iter::successors(within(tokens.start), move |&at| {
            let last = self.partners[at].filter(|&last| last < end).unwrap_or(at);
            within(last + 1)
        })
    }

    fn text(&self, token: usize) -> &[u8] {
        &self.bytes[self.tokens[token].clone()]
    }

    fn is_block(&self, open: usize) -> bool {
        self.text(open) == b"{" && self.partners[open].is_some()
    }

    /// Whether what a block is a part of goes on after it.
    fn goes_on(&self, open: usize) -> bool {
        let after = self.partners[open].map_or(open, |close| close + 1);
        after < self.len()
            && (matches!(self.text(after), b"else" | b"catch" | b"while" | b"finally")
                || b";,.=)]:?*&|<>-+".contains(&self.text(after)[0]))
    }

    /// Whether a token begins a line for the preprocessor.
    fn is_directive(&self, token: usize) -> bool {
        let Some((b'#', rest)) = self.bytes[self.tokens[token].start..].split_first() else {
            return false;
        };
        let rest = rest.trim_ascii_start();
        self.indents[token].is_some() && DIRECTIVES.iter().any(|word| rest.starts_with(word))
    }

    /// The first tokens of the lines after those.
    fn ends_of_directives(&self, tokens: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let mut is_in_one = false;
        self.outer(tokens).filter(move |&at| {
            let begins = self.indents[at].is_some();
            let ends = is_in_one && begins;
            is_in_one = self.is_directive(at) || is_in_one && !begins;
            ends
        })
    }
}

/// How far the line of a token is indented, when nothing is before it there, and the line before does not go on here.
fn indent(bytes: &[u8], start: usize) -> Option<usize> {
    let line = bytes[..start].iter().rposition(|&byte| byte == b'\n');
    let begin = line.map_or(0, |newline| newline + 1);
    let before = &bytes[..begin.saturating_sub(1)];
    let goes_on = before.trim_ascii_end().len() == before.len() && before.ends_with(b"\\");
    let is_first = bytes[begin..start].iter().all(u8::is_ascii_whitespace);
    (is_first && !goes_on).then_some(start - begin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::words;

    fn texts(text: &str, divide: impl Fn(&Division<'_>) -> Vec<Range<usize>>) -> Vec<String> {
        let bytes = text.as_bytes();
        let division = Division::new(bytes, words(bytes, 0..bytes.len()).collect());
        let ranges = divide(&division).into_iter();
        ranges
            .map(|tokens| text[division.bytes_of(&tokens)].to_owned())
            .collect()
    }

    fn statements(text: &str) -> Vec<String> {
        texts(text, |division| division.statements(0..division.len()))
    }

    #[test]
    fn statements_end_with_semicolons_and_blocks() {
        let text =
            "int a; struct b { int c; }; void d() { e(); } f = { 1, 2 }; if (g) { } else { }";
        assert_eq!(
            statements(text),
            [
                "int a;",
                "struct b { int c; };",
                "void d() { e(); }",
                "f = { 1, 2 };",
                "if (g) { } else { }"
            ]
        );
    }

    #[test]
    fn without_either_they_begin_with_the_lines_that_are_indented_least() {
        let text = "def a():\n    b\n    c(d,\ne)\ndef f():\n    g";
        assert_eq!(
            statements(text),
            ["def a():\n    b\n    c(d,\ne)", "def f():\n    g"]
        );
    }

    #[test]
    fn directives_are_lines() {
        let text = "#define a \\\n b\nint c;\n#endif\nint d;";
        assert_eq!(
            statements(text),
            ["#define a \\\n b", "int c;", "#endif", "int d;"]
        );
    }

    #[test]
    fn blocks_have_bodies() {
        let bodies = |text: &str| texts(text, |division| division.bodies(0..division.len()));
        assert_eq!(bodies("a (b { }) { c; { d } } e { f }"), ["c; { d }", "f"]);
        assert_eq!(bodies("a [ { ]"), [""; 0]);
    }
}
