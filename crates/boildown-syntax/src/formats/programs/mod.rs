//! Programs in C, C++, Java and Rust, whose compilers resolve all names.

mod c;
mod java;
mod language;
mod names;
mod rust;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::BTreeSet;

use crate::facts::{Facts, GatePolicy, MissMemory, Proof, Sampling};
use crate::format::{Format, Input};
use language::CompiledLanguage;
use names::ProgramNames;
use tokens::Tokens;

/// Programs in one of the languages.
#[derive(Debug)]
pub(super) struct CompiledProgram {
    name: &'static str,
    language: CompiledLanguage,
}

/// Programs in C.
pub(super) static C: CompiledProgram = CompiledProgram {
    name: "C",
    language: CompiledLanguage::C,
};

/// Programs in C++.
pub(super) static CXX: CompiledProgram = CompiledProgram {
    name: "C++",
    language: CompiledLanguage::Cxx,
};

/// Programs in Java.
pub(super) static JAVA: CompiledProgram = CompiledProgram {
    name: "Java",
    language: CompiledLanguage::Java,
};

/// Programs in Rust.
pub(super) static RUST: CompiledProgram = CompiledProgram {
    name: "Rust",
    language: CompiledLanguage::Rust,
};

impl Format for CompiledProgram {
    fn name(&self) -> &'static str {
        self.name
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in(self.name)
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            gated_from: 0,
            // The last passes delete single tokens whatever the rest is.
            proof: Proof::Tokens,
            knows_input_names: true,
            // Formatters depend on spaces.
            misses: MissMemory::Nothing,
            // Formatters and parsers read no names.
            malformed: Sampling::Often,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        Facts::of_undeclared(undeclared(self.language, text))
    }
}

/// Returns the names that a program mentions without declaring them: those of libraries, and those
/// whose declaration was deleted. In Rust, also `#`, if an attribute belongs to nothing.
///
/// What is declared anywhere counts as declared everywhere: scopes are not known. Where it is not
/// clear from the tokens beside a name whether it is declared, it counts as declared. Names after a
/// dot, an arrow or a double colon are no mentions, nor are tags of C, attributes and directives.
fn undeclared(language: CompiledLanguage, text: &[u8]) -> BTreeSet<Box<[u8]>> {
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
