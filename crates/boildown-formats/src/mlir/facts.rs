//! Facts that candidates in MLIR are compared by: values and symbols, shapes of lines, types,
//! regions.

use boildown_reduce::Facts;

use super::lines::{LineTypes, RegionEnds, begins_function, defines_symbol, exponent, shapes};
use crate::ir::{LineForm, ScopedNames, words};

pub(super) const LINES: LineForm = LineForm {
    comment: b"//",
    rest_of_word: exponent,
};

/// The fault of a region without its end.
const BROKEN_REGIONS: u8 = 1;

/// The fault of a value with a type that it does not have.
const WRONG_TYPES: u8 = 2;

/// Reads a module.
pub(super) fn facts(text: &[u8]) -> Facts {
    let mut facts = Facts::default();
    let mut names = ScopedNames::default();
    let mut regions = RegionEnds::default();
    let mut types = LineTypes::default();
    let mut function = 0;
    for line in text.split(|&byte| byte == b'\n') {
        let words = words(&LINES, line);
        if words.is_empty() {
            continue;
        }
        let begins = begins_function(&words);
        function += usize::from(begins);
        regions.line(&words);
        types.line(function, &words);
        let shapes = shapes(&words);
        facts.forms.extend(shapes.own);
        facts.may_become.extend(shapes.others);
        for attribute in shapes.attributes {
            *facts.needs.entry(attribute).or_insert(0) += 1;
        }
        for (index, &word) in words.iter().enumerate() {
            // `%a#1` is one of several results.
            let is_result = word[0] == b'#' && word.get(1).is_some_and(u8::is_ascii_digit);
            if word.len() < 2 || !matches!(word[0], b'%' | b'^' | b'#' | b'@') || is_result {
                continue;
            }
            let is_local = matches!(word[0], b'%' | b'^');
            let scope = if is_local { function } else { 0 };
            match is_definition(&words, index) || begins && is_local {
                true => names.define(scope, word.into()),
                false => names.mention(scope, word.into()),
            }
        }
    }
    facts.undeclared = names.undefined();
    facts.faults |= if regions.is_wrong() {
        BROKEN_REGIONS
    } else {
        0
    };
    facts.faults |= if types.is_wrong() { WRONG_TYPES } else { 0 };
    facts.forms.extend(types.known);
    facts.forms.extend(&regions.pairs);
    // Operations are deleted by the view, which makes all mentions right.
    facts.never_fewer = regions.operations;
    // A type has to change everywhere.
    facts.never_more = types.of_dialects.len();
    facts
}

/// Returns whether a name is defined by its line.
fn is_definition(words: &[&[u8]], index: usize) -> bool {
    let (word, next) = (words[index], words.get(index + 1).copied());
    if word[0] == b'@' {
        return defines_symbol(words, index);
    }
    let is_plain = |word: &&[u8]| !word[0].is_ascii_alphabetic() && word[0] != b'"';
    let before_sign = words.iter().take_while(|word| *word != b"=");
    let has_results = words.contains(&&b"="[..]) && before_sign.clone().all(is_plain);
    // A use has a space before the colon.
    let is_joined = next.is_some_and(|next| std::ptr::eq(word.as_ptr_range().end, next.as_ptr()));
    next == Some(b":") && is_joined || index == 0 || has_results && index < before_sign.count()
}
