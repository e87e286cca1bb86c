//! Values that need not be tried in the place of a term: what they make of the script is what a
//! smaller change makes of it too.

use std::collections::BTreeSet;

use super::uses::{Application, TermPlace};

/// Leaves out values whose effect is that of another change.
#[derive(Debug, Default)]
pub(super) struct ImpliedValues {
    /// The numbers of the assertions of which one has become `false`.
    refuted: BTreeSet<usize>,
}

impl ImpliedValues {
    /// Returns whether a value in the place of a term makes of the script what another change makes
    /// of it: a deletion of the assertion, a value of the term around it, or the other argument in
    /// its place. Of the assertions between two checks the first one is asked about for all.
    pub(super) fn contains(&mut self, text: &[u8], term: &Application<'_>, value: &[u8]) -> bool {
        match &term.place {
            TermPlace::Elsewhere => false,
            TermPlace::Body => true,
            TermPlace::Assertion(number) => value == b"true" || !self.refuted.insert(*number),
            TermPlace::Argument {
                head,
                index,
                count,
                other,
            } => {
                let is_other = (other.iter()).any(|range| &text[range.clone()] == value);
                is_other && compares(head)
                    || is_neutral(head, *index == 0, *index + 1 == *count, *count, value)
            }
        }
    }
}

/// Returns whether an operation on two equal terms is a value, or one of them.
fn compares(head: &[u8]) -> bool {
    matches!(
        head,
        b"=" | b"distinct"
            | b"ite"
            | b"<"
            | b"<="
            | b">"
            | b">="
            | b"bvult"
            | b"bvule"
            | b"bvugt"
            | b"bvuge"
            | b"bvslt"
            | b"bvsle"
            | b"bvsgt"
            | b"bvsge"
    )
}

/// Returns whether an operation with a value among its arguments is a value, or what its other
/// arguments are.
fn is_neutral(head: &[u8], is_first: bool, is_last: bool, count: usize, value: &[u8]) -> bool {
    let is_zero = || {
        value.strip_prefix(b"#").map_or(value == b"0", |value| {
            value[1..].iter().all(|&digit| digit == b'0')
        })
    };
    let is_one = || value == b"1" || value.starts_with(b"#") && value.ends_with(b"1");
    match head {
        b"and" | b"or" | b"not" => true,
        b"=>" => !(is_last && value == b"false"),
        b"xor" => value == b"false",
        b"ite" => is_first,
        b"=" => value == b"true" && count == 2,
        b"+" | b"bvadd" | b"bvor" | b"bvxor" | b"bvshl" | b"bvlshr" | b"bvashr" => is_zero(),
        b"-" | b"bvsub" => is_zero() && (!is_first || count == 1),
        b"*" | b"bvmul" => is_zero() || is_one(),
        b"bvand" | b"bvneg" | b"to_real" | b"to_int" | b"abs" => is_zero(),
        b"str.++" | b"str.len" => value == b"\"\"",
        _ => false,
    }
}
