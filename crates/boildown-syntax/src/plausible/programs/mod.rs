//! Names of programs in C, C++, Java and Rust that are mentioned without being declared.

mod c;
mod java;
mod rust;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::BTreeSet;

use tokens::{Tokens, is_name};

/// The language of a program whose compiler resolves all names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompiledLanguage {
    C,
    Cxx,
    Java,
    Rust,
}

impl CompiledLanguage {
    /// Returns the language with a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "C" => Some(Self::C),
            "C++" => Some(Self::Cxx),
            "Java" => Some(Self::Java),
            "Rust" => Some(Self::Rust),
            _ => None,
        }
    }
}

/// Returns the names that a program mentions without declaring them: those of libraries, and those
/// whose declaration was deleted. In Rust, also `#`, if an attribute belongs to nothing.
///
/// What is declared anywhere counts as declared everywhere: scopes are not known. Where it is not
/// clear from the tokens beside a name whether it is declared, it counts as declared. Names after a
/// dot, an arrow or a double colon are no mentions, nor are tags of C, attributes and directives.
pub(super) fn undeclared(language: CompiledLanguage, text: &[u8]) -> BTreeSet<Box<[u8]>> {
    let tokens = Tokens::read(language, text);
    let mut names = ProgramNames::default();
    match language {
        CompiledLanguage::C | CompiledLanguage::Cxx => c::read(language, &tokens, &mut names),
        CompiledLanguage::Java => java::read(&tokens, &mut names),
        CompiledLanguage::Rust => rust::read(&tokens, &mut names),
    }
    let undeclared = names.mentioned.difference(&names.declared);
    undeclared.map(|&name| Box::from(name)).collect()
}

/// What a program declares and mentions.
#[derive(Debug, Default)]
struct ProgramNames<'a> {
    declared: BTreeSet<&'a [u8]>,
    mentioned: BTreeSet<&'a [u8]>,
}

/// Where a comma is followed by another name that the same declaration declares.
#[derive(Debug, Default)]
struct Declarators {
    depth: usize,
    /// Within a declaration, the depth of its commas.
    declaring: Option<usize>,
    /// The number of initializers in braces that are open.
    initializers: usize,
}

impl Declarators {
    /// Takes the next token, after the one before it.
    fn step(&mut self, token: &[u8], last: &[u8]) {
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
    fn declare(&mut self) {
        self.declaring = Some(self.depth);
    }

    /// Returns whether a comma here is followed by a name that is declared.
    fn is_open(&self) -> bool {
        self.declaring == Some(self.depth) && self.initializers == 0
    }
}

/// Adds the names in a range of tokens that stand at the beginning of an element of a list, within
/// no brackets of their own: the constants of an enum, or type parameters.
fn add_elements<'a>(tokens: &Tokens<'a>, from: usize, end: usize, names: &mut ProgramNames<'a>) {
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
