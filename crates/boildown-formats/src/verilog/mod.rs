//! Verilog.
//!
//! - `faults.rs`: names that are not declared, and words that are never neighbours
//! - `instances.rs`: modules in the place of their only instance

mod faults;
mod instances;
#[cfg(test)]
mod tests;

use boildown_reduce::{BuiltIn, BuiltIns, Facts, Format, GatePolicy, Input, Pass, PassId, Proof};

use faults::VerilogFaults;
use instances::contents_for_instances;

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
        usual.retain(|pass| !pass.is_of_columns() && pass.id != PassId::REWRITING_WHOLE);
        Pass::checked(usual)
    }

    fn propose(&self, proposals: &mut BuiltIns<'_>) {
        for edits in contents_for_instances(proposals.document()) {
            proposals.add(BuiltIn::Instance, edits);
        }
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            proof: Proof::WellFormedTokens,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        let faults = VerilogFaults::of(text);
        Facts {
            faults: u8::from(faults.is_broken),
            ..Facts::of_undeclared(faults.undeclared)
        }
    }
}
