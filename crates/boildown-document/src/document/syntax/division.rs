//! Division of a text into statements, without a grammar.
//!
//! Grammars recover from an error by giving up what is around it. A large text with several errors
//! may keep little structure. But in nearly any language statements end, blocks close and lines are
//! indented, and most statements can be parsed alone.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::delimiters::partners;
use super::super::words::is_word;
use crate::split::sql;

/// The tokens of a text, with the partners of delimiters.
pub(super) struct Division<'a> {
    bytes: &'a [u8],
    tokens: Vec<Range<usize>>,
    partners: Vec<Option<usize>>,
    /// For each token that is the first of its line, the indentation of the line.
    indents: Vec<Option<usize>>,
    /// The first tokens of the statements of a script of SQL; empty for other languages.
    script: Vec<usize>,
}

/// The names of preprocessor directives.
const DIRECTIVES: [&[u8]; 12] = [
    b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif", b"define", b"undef", b"include",
    b"pragma", b"error", b"line",
];

impl<'a> Division<'a> {
    /// Starts from the tokens of a text, in order.
    pub(super) fn new(bytes: &'a [u8], tokens: Vec<Range<usize>>) -> Self {
        let partners = partners(tokens.iter().map(|token| &bytes[token.clone()]));
        let ends = std::iter::once(0).chain(tokens.iter().map(|token| token.end));
        let gaps = ends.zip(&tokens).map(|(end, token)| end..token.start);
        let indents = gaps.map(|gap| indent(bytes, gap)).collect();
        Self {
            bytes,
            tokens,
            partners,
            indents,
            script: Vec::new(),
        }
    }

    /// Takes the statements of a script of SQL for those of the text.
    pub(super) fn of_script(mut self) -> Self {
        let statements = sql::statements(self.bytes).into_iter();
        let tokens = &self.tokens;
        let first = |bytes: Range<usize>| tokens.partition_point(|token| token.start < bytes.start);
        self.script = statements.map(first).collect();
        self
    }

    /// Returns whether the text is a script of SQL.
    pub(super) fn is_script(&self) -> bool {
        !self.script.is_empty()
    }

    /// Returns the token after what begins with this one: after the partner of an opening
    /// delimiter.
    pub(super) fn after(&self, token: usize) -> usize {
        self.partners[token].unwrap_or(token).max(token) + 1
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the bytes of a token.
    pub(super) fn token(&self, token: usize) -> Range<usize> {
        self.tokens[token].clone()
    }

    /// Returns the bytes from the first to the last token of a range.
    pub(super) fn bytes_of(&self, tokens: &Range<usize>) -> Range<usize> {
        match tokens.is_empty() {
            true => 0..0,
            false => self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end,
        }
    }

    /// Divides tokens into statements. A statement ends with a `;` or with a block. If there is no
    /// `;` at all, it begins with each line of the smallest indentation.
    pub(super) fn statements(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let outer = || self.outer(tokens.clone());
        let mut starts: Vec<usize> = if self.is_script() {
            self.script.clone()
        } else if outer().any(|at| self.text(at) == b";") {
            let after_directives: BTreeSet<usize> =
                self.ends_of_directives(tokens.clone()).collect();
            let mut start = tokens.start;
            let mut starts = Vec::new();
            for at in outer() {
                if after_directives.contains(&at) {
                    start = at;
                }
                if self.text(at) == b";" || self.is_block(at) && !self.goes_on(start, at) {
                    start = self.partners[at].unwrap_or(at) + 1;
                    starts.push(start);
                }
            }
            starts
                .into_iter()
                .chain(outer().filter(|&at| self.is_directive(at)))
                .chain(after_directives)
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

    /// Returns the contents of the blocks of a statement, including blocks within brackets.
    pub(super) fn bodies(&self, statement: Range<usize>) -> Vec<Range<usize>> {
        let mut bodies = Vec::new();
        let mut at = statement.start;
        while at < statement.end {
            let close =
                self.partners[at].filter(|&close| self.is_block(at) && close < statement.end);
            bodies.extend(close.map(|close| at + 1..close));
            at = close.unwrap_or(at) + 1;
        }
        bodies
    }

    /// Returns the tokens outside of all delimiters of the range, and the opening delimiters.
    fn outer(&self, tokens: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let end = tokens.end;
        let within = move |at: usize| (at < end).then_some(at);
        std::iter::successors(within(tokens.start), move |&at| {
            let last = self.partners[at].filter(|&last| last < end).unwrap_or(at);
            within(last + 1)
        })
    }

    pub(super) fn text(&self, token: usize) -> &[u8] {
        &self.bytes[self.tokens[token].clone()]
    }

    fn is_block(&self, open: usize) -> bool {
        self.text(open) == b"{" && self.partners[open].is_some()
    }

    /// Returns whether the statement with this block continues after it.
    fn goes_on(&self, start: usize, open: usize) -> bool {
        let after = self.partners[open].map_or(open, |close| close + 1);
        let is_comment =
            |at: &usize| self.text(*at).starts_with(b"//") || self.text(*at).starts_with(b"/*");
        let Some(after) = (after..self.len()).find(|at| !is_comment(at)) else {
            return false;
        };
        // Variables of the type, or another name for it, may follow.
        let is_type = [&b"typedef"[..], b"struct", b"union", b"enum", b"class"]
            .contains(&self.text(start))
            && self.text(open - 1) != b")"
            && open > start;
        is_type
            || matches!(self.text(after), b"else" | b"catch" | b"while" | b"finally")
            || b";,.=()]:?*&|<>-+".contains(&self.text(after)[0])
    }

    /// Returns whether a token begins a preprocessor directive, or a line marker.
    fn is_directive(&self, token: usize) -> bool {
        let Some((b'#', rest)) = self.bytes[self.tokens[token].start..].split_first() else {
            return false;
        };
        let rest = rest.trim_ascii_start();
        let word = &rest[..rest.iter().take_while(|&&byte| is_word(byte)).count()];
        let is_marker = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        self.indents[token].is_some() && (is_marker || DIRECTIVES.contains(&word))
    }

    /// Returns the first tokens of the lines after directives.
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

/// Returns the indentation of the line that begins in a gap, unless the line continues the one
/// before.
fn indent(bytes: &[u8], gap: Range<usize>) -> Option<usize> {
    let is_first = gap.start == 0;
    let newline = bytes[gap.clone()].iter().rposition(|&byte| byte == b'\n');
    let goes_on = newline.is_some_and(|newline| bytes[..gap.start + newline].ends_with(b"\\"));
    match newline {
        Some(newline) if !goes_on => Some(gap.len() - newline - 1),
        None if is_first => Some(gap.len()),
        _ => None,
    }
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
    fn what_follows_a_type_is_part_of_the_statement() {
        let text = "int z;\n# 4 \"a.h\"\ntypedef struct { int a; } b; struct c { int d; } e; struct f *g() { } int h() { }";
        assert_eq!(
            statements(text),
            [
                "int z;",
                "# 4 \"a.h\"",
                "typedef struct { int a; } b;",
                "struct c { int d; } e;",
                "struct f *g() { }",
                "int h() { }"
            ]
        );
    }

    #[test]
    fn without_semicolons_statements_begin_with_the_least_indented_lines() {
        let text = "def a():\n    b\n    c(d,\ne)\ndef f():\n    g";
        assert_eq!(
            statements(text),
            ["def a():\n    b\n    c(d,\ne)", "def f():\n    g"]
        );
    }

    #[test]
    fn a_directive_is_a_statement() {
        let text = "#define a \\\n b\nint c;\n#endif\nint d;";
        assert_eq!(
            statements(text),
            ["#define a \\\n b", "int c;", "#endif", "int d;"]
        );
    }

    #[test]
    fn a_block_has_a_body() {
        let bodies = |text: &str| texts(text, |division| division.bodies(0..division.len()));
        assert_eq!(
            bodies("a (b { g }) { c; { d } } e { f }"),
            ["g", "c; { d }", "f"]
        );
        assert_eq!(bodies("a [ { ]"), [""; 0]);
    }
}
