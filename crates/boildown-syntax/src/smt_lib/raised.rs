//! Constants that take the place of the terms around them.

use std::ops::Range;

use super::sorts::Sort;
use super::uses::{Application, ByteEdits, ScriptUses, SymbolUses};

/// Returns, for each constant that is only used in terms of one other sort, the edits that give it
/// that sort and put it in the place of the terms: `(select a 1)` becomes `a`, a number.
pub(super) fn constants_raised(script: &ScriptUses<'_>) -> Vec<ByteEdits> {
    let constants = script
        .symbols
        .iter()
        .filter(|symbol| symbol.parameters.is_empty() && symbol.body.is_none());
    constants
        .filter_map(|constant| raised(constant, &script.applications))
        .collect()
}

fn raised(constant: &SymbolUses<'_>, applications: &[Application<'_>]) -> Option<ByteEdits> {
    let declaration = constant.declaration.clone()?;
    let mut terms: Vec<&Application<'_>> = (constant.uses.iter())
        .map(|(place, _)| smallest_around(place, applications))
        .collect::<Option<_>>()?;
    terms.sort_by_key(|term| term.range.start);
    terms.dedup_by_key(|term| term.range.clone());
    let sort: &Sort = &terms.first()?.sort;
    let is_apart = |pair: &[&Application<'_>]| pair[0].range.end <= pair[1].range.start;
    // A formula has become a value before.
    if *sort == Sort::Bool
        || *sort == constant.sort
        || terms.iter().any(|term| term.sort != *sort)
        || !terms.windows(2).all(is_apart)
    {
        return None;
    }
    let mut declared = b"(declare-const ".to_vec();
    declared.extend(constant.name);
    declared.push(b' ');
    declared.extend(sort.text()?);
    declared.push(b')');
    let mut edits = vec![(declaration, declared)];
    edits.extend((terms.iter()).map(|term| (term.range.clone(), constant.name.to_vec())));
    Some(edits)
}

fn smallest_around<'s, 'a>(
    place: &Range<usize>,
    applications: &'s [Application<'a>],
) -> Option<&'s Application<'a>> {
    let is_around =
        |term: &&Application<'_>| term.range.start < place.start && place.end < term.range.end;
    let around = applications.iter().filter(is_around);
    around.min_by_key(|term| term.range.len())
}
