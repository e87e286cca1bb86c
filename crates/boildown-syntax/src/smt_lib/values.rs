//! Values that can take the places of terms and symbols of a script.

use std::ops::Range;

use super::form::ScriptForm;
use super::sorts::Sort;
use super::uses::SymbolUses;

impl SymbolUses<'_> {
    fn is_constant(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Returns the edits that delete a parameter with its arguments; `None` if a use lacks it.
    fn without_parameter(&self, parameter: usize) -> Option<ByteEdits> {
        let mut edits = vec![(self.parameters[parameter].clone(), Vec::new())];
        for (term, arguments) in &self.uses {
            edits.push(match &arguments[..] {
                [_] => (term.clone(), self.name.to_vec()),
                _ => (arguments.get(parameter)?.clone(), Vec::new()),
            });
        }
        Some(edits)
    }
}

/// Replacements for ranges of bytes, to be made together.
type ByteEdits = Vec<(Range<usize>, Vec<u8>)>;

/// A change to a script that leaves all terms with their sorts.
#[derive(Debug)]
pub(crate) struct SortedChange {
    pub(crate) kind: SortedChangeKind,
    /// Replacements for ranges of bytes, made together. An empty one deletes.
    pub(crate) edits: ByteEdits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortedChangeKind {
    /// An application becomes a value of its sort, or, where these need a declaration, a constant
    /// that is declared before.
    Term,
    /// So do all uses of a declared function, or of a constant that is a bit vector, and the
    /// declaration is deleted. The rules do that for other constants.
    Symbol,
    /// A parameter of a function, or a field of a constructor, is deleted with its arguments.
    Parameter,
    /// One of several datatypes is deleted with its constructors.
    Datatype,
}

/// Returns changes to a script that leave all terms with their sorts.
pub(crate) fn changes_by_sort(text: &[u8]) -> Vec<SortedChange> {
    let script = ScriptForm::uses(text);
    let mut all = Vec::new();
    let mut add = |kind, edits| all.push(SortedChange { kind, edits });
    for term in &script.applications {
        for value in values(&term.sort, &script.symbols[..term.symbols_before]) {
            add(SortedChangeKind::Term, vec![(term.range.clone(), value)]);
        }
    }
    for (index, symbol) in script.symbols.iter().enumerate() {
        let parameters = 0..symbol.parameters.len();
        for edits in parameters.filter_map(|parameter| symbol.without_parameter(parameter)) {
            add(SortedChangeKind::Parameter, edits);
        }
        let Some(declaration) = &symbol.declaration else {
            continue;
        };
        if symbol.is_constant() && !matches!(symbol.sort, Sort::Bits(_)) {
            continue;
        }
        for value in values(&symbol.sort, &script.symbols[..index]) {
            let mut edits = vec![(declaration.clone(), Vec::new())];
            let uses = symbol.uses.iter();
            edits.extend(uses.map(|(term, _)| (term.clone(), value.clone())));
            add(SortedChangeKind::Symbol, edits);
        }
    }
    if script.datatypes.len() > 1 {
        for both in &script.datatypes {
            let edits = both.clone().map(|range| (range, Vec::new()));
            add(SortedChangeKind::Datatype, edits.to_vec());
        }
    }
    all
}

/// Returns values of a sort, or, where these need a declaration, one of these symbols.
fn values(sort: &Sort, symbols: &[SymbolUses<'_>]) -> Vec<Vec<u8>> {
    let mut values = sort.values();
    if values.is_empty() && sort.is_known() {
        let mut symbols = symbols.iter();
        let other = symbols.find(|symbol| symbol.is_constant() && symbol.sort == *sort);
        values.extend(other.map(|symbol| symbol.name.to_vec()));
    }
    values
}
