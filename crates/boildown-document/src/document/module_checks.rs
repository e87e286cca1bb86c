//! Checks that the tests of every view of modules in text make.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use proptest::prelude::Strategy;

use super::{Document, View};

/// Returns the nodes whose first word one of these texts begins with.
///
/// # Panics
/// Panics if there is none.
pub fn units_at(document: &Document, text: &str, starts: &[&str]) -> Vec<Range<usize>> {
    let begins = |token: &Range<u32>| {
        let rest = &text[token.start as usize..];
        starts.iter().any(|start| rest.starts_with(start))
    };
    let nodes = document.tree().nodes.iter().skip(1);
    let nodes = nodes.filter(|node| !node.tokens().is_empty());
    let nodes = nodes.filter(|node| begins(&document.tokens[node.tokens().start]));
    let units: Vec<_> = nodes.map(|node| node.tokens()).collect();
    assert!(!units.is_empty(), "no {starts:?}");
    units
}

/// Returns a module without some of its units.
///
/// # Panics
/// When the module is no text.
pub fn without_units(document: &Document, cuts: impl IntoIterator<Item = Range<usize>>) -> String {
    let all = Subset::full(document.len());
    String::from_utf8(document.render(&all.without(cuts))).expect("the input is UTF-8")
}

/// Returns a module without the units whose first words these texts begin with.
pub fn without(view: View, text: &str, starts: &[&str]) -> String {
    let document = Document::new(&text.as_bytes().into(), view);
    without_units(&document, units_at(&document, text, starts))
}

/// Returns a module without the units that it does the same without.
pub fn without_idle_units(view: View, text: &str) -> String {
    let document = Document::new(&text.as_bytes().into(), view);
    let mut idle = document.idle_tokens().concat();
    idle.sort_unstable();
    without_units(&document, idle.into_iter().map(|token| token..token + 1))
}

/// Returns the tokens that are not kept, where `kept` is repeated.
pub fn cuts_of<'a>(
    document: &Document,
    kept: &'a [bool],
) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let gone = (0..document.len()).filter(|token| !kept[token % kept.len()]);
    gone.map(|token| token..token + 1)
}

/// Checks that each of these stands in a text.
///
/// # Panics
/// When it is not so.
#[track_caller]
pub fn assert_has(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "no {expected:?} in {text}");
    }
}

/// Checks that none of these stands in a text.
///
/// # Panics
/// When it is not so.
#[track_caller]
pub fn assert_lacks(text: &str, unexpected: &[&str]) {
    for unexpected in unexpected {
        assert!(!text.contains(unexpected), "{unexpected:?} in {text}");
    }
}

/// Asserts that a text is a module, and that all of its units give it back.
///
/// # Panics
/// When it is not so.
#[track_caller]
pub fn assert_given_back(view: View, text: &str) {
    let document = Document::new(&text.as_bytes().into(), view);
    assert!(document.is_module());
    assert_eq!(without_units(&document, []), text);
}

/// Edits of a text of some length: a position, and what takes the place of its character.
pub fn edits(length: usize) -> impl Strategy<Value = Vec<(usize, String)>> {
    proptest::collection::vec((0..length, "[ -~\n]{0,3}"), 0..6)
}

/// Asserts that any text is given back by all of its units, and that any set of them is written.
///
/// # Panics
/// When it is not so.
#[track_caller]
pub fn assert_anything_is_written(
    view: View,
    module: &str,
    edits: &[(usize, String)],
    kept: &[bool],
) {
    let mut text = module.to_owned();
    for (at, inserted) in edits {
        let at = (*at).min(text.len().saturating_sub(1));
        text.replace_range(at..=at, inserted);
    }
    let bytes: Arc<[u8]> = text.as_bytes().into();
    let document = Document::new(&bytes, view);
    assert_eq!(without_units(&document, []), text);
    let rest = without_units(&document, cuts_of(&document, kept));
    // Everything may be deleted; what is not read as a name is never made up.
    assert!(rest.len() < 64 * (bytes.len() + 64));
}
