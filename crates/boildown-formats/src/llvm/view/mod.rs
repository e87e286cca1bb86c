//! Modules of LLVM IR in text: definitions, blocks and instructions, and any subset of them with
//! everything that mentions the others made right.
//!
//! - `words.rs`: the words of the text
//! - `module.rs`: the definitions, with their blocks and instructions
//! - `debug.rs`: metadata, and what it cannot do without
//! - `optional.rs`: words that a module can do without
//! - `layout.rs`: the tokens and nodes
//! - `flow.rs`: which blocks are left, and the edges between them
//! - `write.rs`: writing what is kept
//! - `opaque.rs`: pointers without the types that they point to
//! - `form.rs`: whether operands and constants have the types that are written with them

mod debug;
mod flow;
mod form;
mod layout;
mod module;
mod opaque;
mod optional;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub(crate) use form::is_ill_formed;
pub(super) use form::{TypedFunction, TypedValue, typed_functions};
pub(super) use module::number_of;
pub(crate) use opaque::with_opaque_pointers;
pub(crate) use words::ends_block;

use std::sync::Arc;

use boildown_document::{Document, FormatView, ReadUnits, View};

/// The definitions, blocks and instructions of a module.
pub(crate) const DEFINITIONS: View = View::Of(FormatView::new(&IrUnits::Definitions));

/// The same, but metadata goes only with what mentions it, and debug information as a whole.
pub(crate) const CODE: View = View::Of(FormatView::new(&IrUnits::Code));

/// The same as [`CODE`], but uses of a deleted value become zero.
pub(crate) const ZEROS: View = View::Of(FormatView::new(&IrUnits::Zeros));

/// The divisions of a module.
#[derive(Debug)]
enum IrUnits {
    Definitions,
    Code,
    Zeros,
}

impl ReadUnits for IrUnits {
    fn name(&self) -> &'static str {
        match self {
            Self::Definitions => "definitions of LLVM IR",
            Self::Code => "code of LLVM IR",
            Self::Zeros => "values of LLVM IR",
        }
    }

    fn read(&self, bytes: &Arc<[u8]>) -> Document {
        match self {
            Self::Definitions => layout::read(bytes, true, false),
            Self::Code => layout::read(bytes, false, false),
            Self::Zeros => layout::read(bytes, false, true),
        }
    }
}
