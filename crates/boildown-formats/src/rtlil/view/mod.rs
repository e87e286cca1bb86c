//! Designs in RTLIL, the text format of yosys: statements, and any subset of them with everything
//! that mentions the others made right.
//!
//! - `words.rs`: the words of the text
//! - `design.rs`: the statements, and what they are inside of
//! - `forms.rs`: the forms of statements and cells
//! - `signals.rs`: signals, their widths, and the ports that drive them
//! - `layout.rs`: the tokens and nodes
//! - `remains.rs`: which statements are left, and what takes the place of the other wires
//! - `write.rs`: writing what is kept

mod design;
mod forms;
mod layout;
mod remains;
mod signals;
#[cfg(test)]
mod tests;
mod words;
mod write;

pub(crate) use forms::rtlil_cells;
pub(crate) use signals::is_rtlil;

use std::sync::Arc;

use boildown_document::{Document, FormatView, ReadUnits, View};

/// The statements of a design.
pub(crate) const STATEMENTS: View = View::Of(FormatView::new(&RtlilStatements));

/// Reads them.
#[derive(Debug)]
struct RtlilStatements;

impl ReadUnits for RtlilStatements {
    fn name(&self) -> &'static str {
        "statements of RTLIL"
    }

    fn read(&self, bytes: &Arc<[u8]>) -> Document {
        layout::read(bytes)
    }
}
