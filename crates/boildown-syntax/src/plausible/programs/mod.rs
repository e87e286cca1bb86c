//! Names of programs in C, C++, Java and Rust that are mentioned without being declared.

mod c;
mod java;
mod language;
mod names;
mod rust;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::BTreeSet;

pub(crate) use language::CompiledLanguage;
use names::ProgramNames;
use tokens::Tokens;

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
