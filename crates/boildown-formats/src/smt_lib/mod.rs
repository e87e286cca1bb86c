//! Scripts of SMT-LIB: terms, their sorts, and what can take their places.
//!
//! - `terms.rs`: commands and terms as nested lists
//! - `sorts.rs`: sorts, and what operations take and give
//! - `datatypes.rs`: declarations of sorts and datatypes, and cases by constructors
//! - `form.rs`: what is declared, and whether each term has the sort that its place asks for
//! - `uses.rs`: terms and uses of symbols, with their places
//! - `values.rs`: replacements of terms and constants by values of their sorts
//! - `bindings.rs`: values in the place of names that are bound
//! - `implied.rs`: values that need not be tried
//! - `literals.rs`: values of operations on literals, and narrower bit vectors
//! - `names.rs`: shorter names
//! - `raised.rs`: constants in the place of the terms around them

mod bindings;
mod datatypes;
mod form;
#[cfg(test)]
mod gate_tests;
mod implied;
mod literals;
mod names;
mod raised;
mod sorts;
mod terms;
#[cfg(test)]
mod tests;
mod uses;
mod values;

use boildown_document::hashing::{HASH_START, hash};
use boildown_reduce::{
    BuiltIn, BuiltIns, Edit, Facts, Format, GatePolicy, Input, Pass, PassId, Proof,
};

use form::ScriptForm;
use values::{SortedChangeKind, changes_by_sort};

/// Scripts of SMT-LIB.
#[derive(Debug)]
pub(super) struct SmtLib;

impl Format for SmtLib {
    fn name(&self) -> &'static str {
        "SMT-LIB"
    }

    fn detects(&self, input: &Input<'_>) -> bool {
        input.is_in("SMT-LIB")
    }

    /// Returns the order with rewriting before the fine deletions: terms can rarely be deleted,
    /// because operations have fixed numbers of arguments, but each can become a value of its sort.
    ///
    /// The width of a term does not matter, and what is joined is hard to read: `0x` for `0 x`.
    /// Each hit is a reason to run all passes again. A few characters are no script.
    fn order(&self, _input: &Input<'_>, mut usual: Vec<Pass>) -> Vec<Pass> {
        let index_of = |id| usual.iter().position(|pass| pass.id == id);
        if let (Some(from), Some(to)) = (index_of(PassId::REWRITING), index_of(PassId::FINE_TREE)) {
            usual[to..=from].rotate_right(1);
        }
        usual.retain(|pass| !pass.is_of_columns() && pass.id != PassId::REWRITING_WHOLE);
        Pass::checked(usual)
    }

    /// Adds values in the place of terms, which say more than texts of the same kind.
    fn propose(&self, proposals: &mut BuiltIns<'_>) {
        for change in changes_by_sort(proposals.document().bytes()) {
            let source = match change.kind {
                SortedChangeKind::Term => BuiltIn::TermByValue,
                SortedChangeKind::OtherTerm => BuiltIn::TermByOther,
                SortedChangeKind::Renamed => BuiltIn::Canonical,
                SortedChangeKind::Raised => BuiltIn::Raised,
                SortedChangeKind::Symbol => BuiltIn::SymbolByValue,
                SortedChangeKind::Parameter => BuiltIn::Parameter,
                SortedChangeKind::Pair => BuiltIn::WithUses,
                SortedChangeKind::Constant => BuiltIn::ConstantByValue,
                SortedChangeKind::Merged => BuiltIn::Merged,
                SortedChangeKind::Equation => BuiltIn::Equation,
                SortedChangeKind::Dropped => BuiltIn::Dropped,
                SortedChangeKind::Inlined => BuiltIn::Inlined,
                SortedChangeKind::Folded | SortedChangeKind::Narrowed => BuiltIn::Number,
            };
            let edits = change.edits.into_iter();
            let edits = edits.map(|(bytes, text)| {
                Some(Edit::new(
                    &proposals.document().tokens_between(&bytes)?,
                    text,
                ))
            });
            if let Some(edits) = edits.collect() {
                proposals.add(source, edits);
            }
        }
    }

    fn has_usual_rewritings(&self) -> bool {
        false
    }

    fn gate(&self, _input: &Input<'_>) -> Option<GatePolicy> {
        Some(GatePolicy {
            gated_from: 0,
            proof: Proof::WellFormedTokens,
            ..GatePolicy::STRICT
        })
    }

    /// Reads a script: a form is an operation with its number of arguments.
    fn facts(&self, text: &[u8]) -> Facts {
        let form = ScriptForm::read(text);
        let undeclared = form.undeclared.iter().map(|&name| name.into());
        let forms = form.heads.iter().map(|&(head, arguments)| {
            hash(hash(HASH_START, head), &(arguments as u64).to_le_bytes())
        });
        Facts {
            forms: forms.collect(),
            faults: u8::from(form.is_wrong),
            ..Facts::of_undeclared(undeclared.collect())
        }
    }
}
