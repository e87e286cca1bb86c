//! The indentation of what a rule writes, in languages whose blocks are what is indented.

use std::ops::Range;

use boildown_document::{Document, View};

/// One level, as rules write it.
const LEVEL: &[u8] = b"    ";

/// The lines of a replacement, in such a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indentation<'a> {
    document: &'a Document,
    /// The white space before the line in which the replacement begins.
    base: &'a [u8],
    /// One level, as the document writes it.
    level: &'a [u8],
}

impl<'a> Indentation<'a> {
    /// Returns the indentation of what takes the place of tokens; `None` in other languages.
    pub(super) fn of(document: &'a Document, replaced: &Range<usize>) -> Option<Self> {
        let View::Syntax(language) = document.view() else {
            return None;
        };
        language.is_indented.then(|| Self {
            document,
            base: line_indent(document, replaced.start),
            level: first_indent(document).unwrap_or(LEVEL),
        })
    }

    /// Writes white space of a rule. A line that it begins stands where the replacement does.
    pub(super) fn push_space(self, text: &mut Vec<u8>, space: &[u8]) {
        match space.iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => {
                text.extend_from_slice(&space[..=newline]);
                text.extend_from_slice(self.base);
                let levels = (space.len() - newline - 1) / LEVEL.len();
                text.extend_from_slice(&self.level.repeat(levels));
            }
            None => text.extend_from_slice(space),
        }
    }

    /// Writes the text of a hole. Its lines stand where the last line of the text does. After the
    /// header of a block, what began a line begins one again, deeper than the header.
    pub(super) fn push_hole(self, text: &mut Vec<u8>, tokens: &Range<usize>, piece: &[u8]) {
        if tokens.is_empty() {
            return;
        }
        let own = line_indent(self.document, tokens.start);
        let began_line = self.document.gap(tokens.start).contains(&b'\n');
        let header = text.trim_ascii_end();
        // A simple statement can stand behind the colon.
        if began_line && header.ends_with(b":") && (piece.contains(&b'\n') || piece.ends_with(b":"))
        {
            text.truncate(header.len());
            let outer = self.last_indent(text);
            text.push(b'\n');
            text.extend_from_slice(&outer);
            text.extend_from_slice(self.level);
        }
        let place = self.last_indent(text);
        push_moved(text, piece, own, &place);
    }

    /// Returns the white space before the last line of a text.
    fn last_indent(self, text: &[u8]) -> Vec<u8> {
        let newline = text.iter().rposition(|&byte| byte == b'\n');
        newline.map_or(self.base.to_vec(), |newline| {
            let line = &text[newline + 1..];
            line[..line.len() - line.trim_ascii_start().len()].to_vec()
        })
    }
}

/// Writes a text whose lines move from one indentation to another.
fn push_moved(text: &mut Vec<u8>, piece: &[u8], from: &[u8], to: &[u8]) {
    let mut lines = piece.split(|&byte| byte == b'\n');
    text.extend_from_slice(lines.next().unwrap_or_default());
    for line in lines {
        text.push(b'\n');
        match line.strip_prefix(from) {
            Some(rest) => {
                text.extend_from_slice(to);
                text.extend_from_slice(rest);
            }
            None => text.extend_from_slice(line),
        }
    }
}

/// Returns the white space before the line of a token.
fn line_indent(document: &Document, token: usize) -> &[u8] {
    let mut indents = (0..=token)
        .rev()
        .filter_map(|token| indent(document, token));
    indents.next().unwrap_or_default()
}

/// Returns the white space before the first line that has some.
fn first_indent(document: &Document) -> Option<&[u8]> {
    let mut indents = (0..document.len()).filter_map(|token| indent(document, token));
    indents.find(|indent| !indent.is_empty())
}

/// Returns the white space between the last line break before a token and the token.
fn indent(document: &Document, token: usize) -> Option<&[u8]> {
    let gap = document.gap(token);
    let newline = gap.iter().rposition(|&byte| byte == b'\n')?;
    Some(&gap[newline + 1..])
}
