//! Verilog.
//!
//! - `faults.rs`: names that are not declared, and words that are never neighbours

mod faults;
#[cfg(test)]
mod tests;

use crate::facts::{Facts, GatePolicy};
use crate::format::{Format, Input};
use crate::pipeline::{Pass, PassId};
use faults::VerilogFaults;
pub(crate) use faults::is_name;

/// Designs in Verilog.
#[derive(Debug)]
pub(super) struct Verilog;

impl Format for Verilog {
    fn name(&self) -> &'static str {
        "Verilog"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in("Verilog")
    }

    /// Returns the order without passes about columns, which its tools do not care about, and with
    /// the gate before all passes, because all of its tools begin with a parser.
    fn order(&self, _input: &Input<'_>, mut usual: Vec<Pass>) -> Vec<Pass> {
        usual.retain(|pass| !pass.is_of_columns() && pass.id != PassId::RewritingWhole);
        Pass::checked(usual)
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy::STRICT)
    }

    fn facts(&self, text: &[u8]) -> Facts {
        let faults = VerilogFaults::of(text);
        Facts {
            faults: u8::from(faults.is_broken),
            ..Facts::of_undeclared(faults.undeclared)
        }
    }
}
