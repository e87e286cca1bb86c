//! SQL, in any dialect.
//!
//! - `columns.rs`: columns of tables that go with their values
//! - `faults.rs`: words that no dialect allows beside each other

mod columns;
mod faults;
#[cfg(test)]
mod tests;

use boildown_reduce::{
    BuiltIn, BuiltIns, Facts, Format, GatePolicy, Input, MissMemory, Pass, PassId, Proof,
};

use columns::columns_with_values;

/// Scripts of SQL.
#[derive(Debug)]
pub(super) struct Sql;

impl Format for Sql {
    fn name(&self) -> &'static str {
        "SQL"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in("SQL")
    }

    /// Returns the order without the pass over blocks: a script that its grammar does not know is
    /// divided into statements and clauses, which are more than blocks.
    fn order(&self, _input: &Input<'_>, mut usual: Vec<Pass>) -> Vec<Pass> {
        usual.retain(|pass| pass.id != PassId::BLOCKS);
        usual
    }

    fn propose(&self, proposals: &mut BuiltIns<'_>) {
        for edits in columns_with_values(proposals.document()) {
            proposals.add(BuiltIn::Column, edits);
        }
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            proof: Proof::Tokens,
            // Formatters depend on spaces.
            misses: MissMemory::Nothing,
            ..GatePolicy::STRICT
        })
    }

    fn facts(&self, text: &[u8]) -> Facts {
        Facts::of_validity(!faults::has_faults_of_sql(text))
    }
}
