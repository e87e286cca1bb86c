//! The names of a program, as they are collected.

use std::collections::BTreeSet;

use super::tokens::{Tokens, is_name};

/// What a program declares and mentions.
#[derive(Debug, Default)]
pub(super) struct ProgramNames<'a> {
    pub(super) declared: BTreeSet<&'a [u8]>,
    pub(super) mentioned: BTreeSet<&'a [u8]>,
}

/// Where a comma is followed by another name that the same declaration declares.
#[derive(Debug, Default)]
pub(super) struct Declarators {
    depth: usize,
    /// Within a declaration, the depth of its commas.
    declaring: Option<usize>,
    /// The number of initializers in braces that are open.
    initializers: usize,
}

impl Declarators {
    /// Takes the next token, after the one before it.
    pub(super) fn step(&mut self, token: &[u8], last: &[u8]) {
        match token {
            b"(" | b"[" => self.depth += 1,
            b")" | b"]" => self.depth = self.depth.saturating_sub(1),
            b"{" if matches!(last, b"=" | b"]") || self.initializers > 0 => self.initializers += 1,
            b"}" if self.initializers > 0 => self.initializers -= 1,
            b"{" | b"}" | b";" => (self.declaring, self.initializers) = (None, 0),
            _ => {}
        }
    }

    /// Notes that the last token is a name that is declared.
    pub(super) fn declare(&mut self) {
        self.declaring = Some(self.depth);
    }

    /// Returns whether a comma here is followed by a name that is declared.
    pub(super) fn is_open(&self) -> bool {
        self.declaring == Some(self.depth) && self.initializers == 0
    }
}

/// Adds the names in a range of tokens that stand at the beginning of an element of a list, within
/// no brackets of their own: the constants of an enum, or type parameters.
pub(super) fn add_elements<'a>(
    tokens: &Tokens<'a>,
    from: usize,
    end: usize,
    names: &mut ProgramNames<'a>,
) {
    let mut depth = 0_usize;
    for at in from..end {
        match tokens.at(at) {
            b"(" | b"[" | b"{" | b"<" => depth += 1,
            b")" | b"]" | b"}" | b">" => depth = depth.saturating_sub(1),
            name if depth == 0
                && is_name(name)
                && (at == from || matches!(tokens.before(at, 1), b"," | b"]")) =>
            {
                names.declared.insert(name);
            }
            _ => {}
        }
    }
}
