//! RTLIL, the designs of yosys.

#[cfg(test)]
pub(super) mod tests;
mod view;

use boildown_document::{
    View,
    hashing::{HASH_START, hash},
};
use boildown_reduce::{Facts, Format, GatePolicy, Input, Pass};

use crate::ir::instructions;
use view::{STATEMENTS, is_rtlil, rtlil_cells};

/// Designs in RTLIL, as `write_rtlil` writes them.
#[derive(Debug)]
pub(super) struct Rtlil;

impl Format for Rtlil {
    fn name(&self) -> &'static str {
        "RTLIL"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_plain_text() && is_rtlil(input.bytes)
    }

    fn views(&self) -> Vec<View> {
        vec![STATEMENTS]
    }

    /// Returns the order for statements, then that for texts. What one statement mentions may go
    /// with it later, so trees are searched in each round.
    fn order(&self, _input: &Input<'_>, usual: Vec<Pass>) -> Vec<Pass> {
        let mut passes = Vec::from(instructions(STATEMENTS));
        passes.extend(usual.into_iter().map(Pass::parsed));
        passes
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            gated_from: 0,
            ..GatePolicy::STRICT
        })
    }

    /// Returns the forms of cells. Of what yosys does not read, no cell is known.
    fn facts(&self, text: &[u8]) -> Facts {
        let cells = rtlil_cells(text);
        let forms = cells.iter().flatten().map(|form| hash(HASH_START, form));
        Facts {
            forms: forms.collect(),
            faults: u8::from(cells.is_none()),
            ..Facts::default()
        }
    }
}
