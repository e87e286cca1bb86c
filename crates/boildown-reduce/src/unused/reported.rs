//! The references of a text that some tokens need.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Document, Language};
use boildown_search::Subset;

use super::References;
use super::read::is_inside;
use crate::bodies::outermost;

/// The most mentions of what a program begins with that are looked at.
const MAX_ENTRIES: usize = 32;

/// Returns the sets of tokens that consist of what these tokens refer to, of the definitions that
/// they are in, and of all text that is no definition. In the first one, every type has all of its
/// members, and every function all of its statements; in the second one, only those definitions
/// have, types have their fields, and functions that a compiler evaluates their statements; in the
/// third one, statements that have none of the tokens are left out of these definitions too. None
/// if the text has no definitions.
pub(crate) async fn needed_by(
    document: &Arc<Document>,
    language: &'static Language,
    tokens: &[Range<usize>],
) -> Vec<Subset> {
    let references = References::new(document, language).await;
    if references.units.is_empty() {
        return Vec::new();
    }
    let needed: Vec<usize> = (tokens.iter())
        .filter_map(|tokens| references.innermost_around(tokens))
        .collect();
    let entry = language.entry.as_bytes();
    let entries = (0..document.len()).filter(|&token| document.token(token) == entry);
    let entries = entries
        .take(MAX_ENTRIES)
        .filter_map(|token| references.innermost_around(&(token..token + 1)));
    let within = (0..references.units.len()).filter(|&unit| {
        let unit = references.tokens_of(unit);
        let mut tokens = tokens.iter();
        tokens.any(|tokens| tokens.start <= unit.start && unit.end <= tokens.end)
    });
    let innermost: Vec<usize> = (needed.iter().copied())
        .chain(entries)
        .chain(within)
        .collect();
    let definitions = needed
        .iter()
        .map(|&unit| references.definition_around(unit));
    let whole: Vec<Range<usize>> = definitions.map(|unit| references.tokens_of(unit)).collect();
    let bodies = outermost(document, language);
    let is_part = |unit: usize| {
        let unit = &references.units[unit];
        unit.type_around.is_some()
            || unit.defines.is_empty()
            || is_inside(document, &bodies, unit.node)
    };
    let meets = |unit: usize, parts: &[Range<usize>]| {
        let unit = references.tokens_of(unit);
        let mut parts = parts.iter();
        parts.any(|part| part.start < unit.end && unit.start < part.end)
    };
    let kept_by = |is_kept: &dyn Fn(usize) -> bool| {
        let sources = references.sources.iter().enumerate();
        let dropped = sources.filter(|&(_, &unit)| !is_kept(unit));
        let all = Subset::full(references.sources.len());
        let kept = all.without(dropped.map(|(source, _)| source..source + 1));
        let reached = references.reached_with(innermost.clone(), &references.roots, &kept);
        references.tokens(&reached.units)
    };
    let mut evaluated = bodies.clone();
    evaluated.retain(|body| body.is_evaluated);
    let is_of_value = |unit: usize| {
        let unit = &references.units[unit];
        unit.is_field || is_inside(document, &evaluated, unit.node)
    };
    vec![
        kept_by(&|unit| {
            is_part(unit) && references.units[unit].outer.is_some() || meets(unit, &whole)
        }),
        kept_by(&|unit| is_of_value(unit) || meets(unit, &whole)),
        kept_by(&|unit| is_of_value(unit) || meets(unit, tokens)),
    ]
}

impl References {
    fn tokens_of(&self, unit: usize) -> Range<usize> {
        self.document.tree().nodes[self.units[unit].node].tokens()
    }

    /// Returns the innermost unit that has some of these tokens and begins first.
    fn innermost_around(&self, tokens: &Range<usize>) -> Option<usize> {
        let first = tokens.start..tokens.start + 1;
        let has = |unit: &usize| {
            let whole = self.tokens_of(*unit);
            whole.start < first.end && first.start < whole.end
        };
        // A unit comes before those inside it and after it.
        let begun = (self.units).partition_point(|unit| {
            self.document.tree().nodes[unit.node].tokens().start <= first.start
        });
        (0..begun).rev().find(has)
    }

    /// Returns the innermost unit around this one, or itself, that defines something.
    fn definition_around(&self, unit: usize) -> usize {
        let mut around = std::iter::successors(Some(unit), |&unit| self.units[unit].outer);
        let definition = around.find(|&unit| !self.units[unit].defines.is_empty());
        definition.unwrap_or(unit)
    }
}
