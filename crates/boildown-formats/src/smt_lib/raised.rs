//! Constants that take the place of the terms around them.

use std::cmp::Reverse;
use std::ops::Range;

use super::sorts::Sort;
use super::uses::{Application, ByteEdits, ScriptUses, SymbolUses};

/// Returns, for each constant that is only used in terms of one other sort, the edits that give it
/// that sort and put it in the place of the terms: `(select a 1)` becomes `a`, a number.
pub(super) fn constants_raised(script: &ScriptUses<'_>) -> Vec<ByteEdits> {
    let terms = NestedTerms::new(&script.applications);
    let constants = script
        .symbols
        .iter()
        .filter(|symbol| symbol.parameters.is_empty() && symbol.body.is_none());
    constants
        .filter_map(|constant| raised(constant, &terms))
        .collect()
}

fn raised(constant: &SymbolUses<'_>, all: &NestedTerms<'_>) -> Option<ByteEdits> {
    let declaration = constant.declaration.clone()?;
    let mut terms: Vec<&Application<'_>> = (constant.uses.iter())
        .map(|(place, _)| all.smallest_around(place))
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

/// The terms of a script, each with the one around it.
struct NestedTerms<'a> {
    /// In the order in which they begin, outer ones first.
    terms: Vec<&'a Application<'a>>,
    around: Vec<Option<usize>>,
}

impl<'a> NestedTerms<'a> {
    fn new(applications: &'a [Application<'a>]) -> Self {
        let mut terms: Vec<&Application<'_>> = applications.iter().collect();
        terms.sort_by_key(|term| (term.range.start, Reverse(term.range.end)));
        let mut around: Vec<Option<usize>> = Vec::with_capacity(terms.len());
        for term in &terms {
            let mut outer = around.len().checked_sub(1);
            while let Some(index) = outer.filter(|&index| terms[index].range.end < term.range.end) {
                outer = around[index];
            }
            around.push(outer);
        }
        Self { terms, around }
    }

    fn smallest_around(&self, place: &Range<usize>) -> Option<&'a Application<'a>> {
        let after = (self.terms).partition_point(|term| term.range.start < place.start);
        let last = after.checked_sub(1);
        let mut outwards = std::iter::successors(last, |&index| self.around[index]);
        let found = outwards.find(|&index| place.end < self.terms[index].range.end)?;
        Some(self.terms[found])
    }
}
