//! Modules of SPIR-V: instructions, and any subset of them with everything that mentions
//! the others made right.
//!
//! - `words.rs`: the words of the text
//! - `module.rs`: the instructions, by function and block
//! - `layout.rs`: the tokens and nodes
//! - `flow.rs`: which blocks are left, and how each of them ends
//! - `stand_in.rs`: which instructions are left, and what takes the place of the others
//! - `write.rs`: writing what is kept
//! - `inlined.rs`: functions in the place of their calls
//! - `entered.rs`: functions in the place of the contents of the entry point
//! - `binary.rs`: modules as binaries, which are read as texts
//! - `pieces.rs`: the single words of binaries

use std::sync::Arc;

use boildown_document::{Document, FormatView, ReadUnits, View};

mod binary;
mod entered;
mod flow;
mod inlined;
mod layout;
mod module;
mod pieces;
mod stand_in;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub(crate) use binary::{is_spirv_binary, spirv_text};

/// The instructions of a module, in text or not.
pub(crate) const INSTRUCTIONS: View = View::Of(FormatView::new(&SpirvUnits::Instructions));

/// The words of a module as a binary. The lengths of instructions are made right.
pub(crate) const WORDS: View = View::Of(FormatView::new(&SpirvUnits::Words));

/// The divisions of a module.
#[derive(Debug)]
enum SpirvUnits {
    Instructions,
    Words,
}

impl ReadUnits for SpirvUnits {
    fn name(&self) -> &'static str {
        match self {
            Self::Instructions => "instructions of SPIR-V",
            Self::Words => "words of SPIR-V",
        }
    }

    fn read(&self, bytes: &Arc<[u8]>) -> Document {
        match self {
            Self::Instructions if is_spirv_binary(bytes) => binary::read(bytes),
            Self::Instructions => layout::read(bytes),
            Self::Words => pieces::read_words(bytes),
        }
    }
}
