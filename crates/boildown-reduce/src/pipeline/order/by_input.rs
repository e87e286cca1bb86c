//! The choice of an order by the input: its format, its language, or whether it is a binary.

use boildown_document::{Split, View, is_binary};

use super::limits::{MIB, PARSE_LIMIT};
use super::{binary, elements, language, lines, text};
use crate::format::{Format, Input};
use crate::pipeline::pass::{Method, Pass};
use crate::pipeline::pass_id::PassId;
use crate::strategy::Units;

/// The view of a text as one token.
const WHOLE: View = View::Bytes(usize::MAX);

/// Returns the passes for an input, in the order in which they begin.
#[must_use]
pub fn order_for(
    input: &Input<'_>,
    format: Option<&'static dyn Format>,
    units: Units,
    split: Option<&Split>,
) -> Vec<Pass> {
    let mut passes = match split {
        Some(_) => elements::order(),
        None => Vec::new(),
    };
    if units != Units::Elements {
        passes.extend(order_inside(input, format, units));
        let is_text = input.language.is_some() || !is_binary(input.bytes);
        if is_text && units != Units::Lines {
            passes.push(redaction());
        }
    }
    passes
}

/// Returns the pass that replaces words.
pub(in crate::pipeline) fn redaction() -> Pass {
    Pass::new(PassId::REDACTION, WHOLE, Method::Redaction).below(PARSE_LIMIT)
}

/// Returns the passes for an input whatever its elements are.
fn order_inside(input: &Input<'_>, format: Option<&'static dyn Format>, units: Units) -> Vec<Pass> {
    if units == Units::Lines {
        return lines::order();
    }
    let is_text = input.language.is_some() || !is_binary(input.bytes);
    let usual = match input.language {
        Some(language) => language::order(language),
        // Of a text that no format divides, there may be lengths and offsets in digits.
        None if is_text && format.is_none() => [binary::parts(), text::order()].concat(),
        None if is_text => text::order(),
        None => binary::order(),
    };
    let mut passes = match format {
        Some(format) => format.order(input, usual),
        None => usual,
    };
    // Of a text that is divided in a better way, single bytes would only shorten its names.
    let is_divided = input.language.is_some() || format.is_some();
    if is_text && (units == Units::Bytes || !is_divided) {
        passes.extend(text::bytes());
    }
    passes
}

/// Returns how much of an input rewriting learns its vocabulary from: all of it, or the beginning
/// of one that is too large to be parsed.
pub(in crate::pipeline) fn size_of_example(bytes: &[u8]) -> usize {
    if bytes.len() < PARSE_LIMIT {
        return bytes.len();
    }
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    bytes[..MIB].iter().rposition(is_space).unwrap_or(0)
}
