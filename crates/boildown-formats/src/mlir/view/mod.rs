//! Modules of MLIR in text: operations with their regions and blocks, and any subset of them with
//! everything that mentions the others made right.
//!
//! - `words.rs`: the words of the text
//! - `module.rs`: the operations, regions and blocks
//! - `reader.rs`: reading them
//! - `results.rs`: the types of results, as far as the text tells them
//! - `types.rs`: values of a type, made from nothing
//! - `layout.rs`: the tokens and nodes
//! - `remains.rs`: which operations are left, and what takes the place of the others
//! - `write.rs`: writing what is kept
//! - `own_form/`: operations in generic form, written in the form of their dialect

mod layout;
mod module;
mod own_form;
mod reader;
mod remains;
mod results;
#[cfg(test)]
mod tests;
mod types;
mod words;
mod write;

pub(crate) use module::ends_block;
pub(crate) use own_form::own_forms;

use std::sync::Arc;

use boildown_document::{Document, FormatView, ReadUnits, View};

/// The operations, blocks and parameters of a module.
pub(crate) const OPERATIONS: View = View::Of(FormatView::new(&MlirOperations));

/// Reads them.
#[derive(Debug)]
struct MlirOperations;

impl ReadUnits for MlirOperations {
    fn name(&self) -> &'static str {
        "operations of MLIR"
    }

    fn read(&self, bytes: &Arc<[u8]>) -> Document {
        layout::read(bytes)
    }
}
