//! The choice of an order by the input: its language, or whether it is a binary.

use super::limits::{MIB, PARSE_LIMIT};
use super::{binary, elements, language, lines, text, wasm};
use crate::Language;
use crate::document::{View, is_rtlil, is_spirv_binary, is_valid_module_text};
use crate::pipeline::pass::Pass;
use crate::split::Split;
use crate::strategy::Units;

/// Returns the passes for an input, in the order in which they begin.
pub(in crate::pipeline) fn order_for(
    bytes: &[u8],
    language: Option<&'static Language>,
    units: Units,
    split: Option<&Split>,
) -> Vec<Pass> {
    let mut passes = match split {
        Some(_) => elements::order(),
        None => Vec::new(),
    };
    if units != Units::Elements {
        passes.extend(order_inside(bytes, language, units));
    }
    passes
}

/// Returns the passes for an input whatever its elements are.
fn order_inside(bytes: &[u8], language: Option<&'static Language>, units: Units) -> Vec<Pass> {
    match language {
        _ if units == Units::Lines => lines::order(),
        Some(language) if units == Units::Bytes => {
            let mut passes = language::order(language);
            passes.extend(text::bytes());
            passes
        }
        Some(language) if language.name == "S-expressions" && wasm::is_wat(bytes) => {
            wasm::order_of_text(language::order(language), is_valid_module_text(bytes))
        }
        Some(language) if language.name == "LLVM IR" => language::order_of_ir(language, bytes),
        Some(language) => language::order(language),
        None if wasm::is_wasm(bytes) => wasm::order(),
        None if is_spirv_binary(bytes) => text::order_of_spirv_binary(),
        None if is_binary(bytes) => binary::order(),
        None if text::is_spirv(bytes) || is_rtlil(bytes) => {
            let view = match text::is_spirv(bytes) {
                true => View::Spirv,
                false => View::Rtlil,
            };
            let mut passes = text::order_of_instructions(view);
            if units == Units::Bytes {
                passes.extend(text::bytes());
            }
            passes
        }
        None => text::order(),
    }
}

/// Returns whether there is a NUL byte near the start, which texts do not have.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8192).any(|&byte| byte == 0)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_pass_stands_twice_in_an_order() {
        let orders = [
            text::order(),
            text::order_of_instructions(View::Spirv),
            text::order_of_spirv_binary(),
            binary::order(),
            wasm::order(),
            lines::order(),
        ];
        let languages: Vec<_> = Language::all().iter().map(language::order).collect();
        let module_texts = (languages.iter()).map(|order| wasm::order_of_text(order.clone(), true));
        let languages = languages.iter().cloned().chain(module_texts);
        for order in orders.into_iter().chain(languages) {
            let ids: BTreeSet<_> = order.iter().map(|pass| pass.id).collect();
            assert_eq!(ids.len(), order.len(), "{order:?}");
        }
    }
}
