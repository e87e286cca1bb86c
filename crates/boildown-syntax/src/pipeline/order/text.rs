//! The order for texts in no language: groups and lines, words, bytes.

use boildown_search::algorithms::Algorithm;

use super::limits::{BYTEWISE_LIMIT, PARSE_LIMIT};
use super::{binary, language};
use crate::document::View;
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};

/// Returns whether a text looks like a module of SPIR-V.
pub(in crate::pipeline) fn is_spirv(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(PARSE_LIMIT)];
    let is_model = |window: &[u8]| window == b"OpMemoryModel";
    start.windows(13).any(is_model)
}

/// Returns the order for modules of SPIR-V in text, or designs in RTLIL: instructions, then groups,
/// lines and words. As in a language, bytes are not deleted unless asked for: names would only
/// become shorter.
pub(super) fn order_of_instructions(view: View) -> Vec<Pass> {
    let mut passes = instructions(view);
    passes.extend(without_bytes().into_iter().map(Pass::parsed));
    passes
}

/// Returns the order for modules of SPIR-V as binaries: instructions, then words wherever they are,
/// then that of binaries.
pub(super) fn order_of_spirv_binary() -> Vec<Pass> {
    let words = |id, method| {
        Pass::new(id, View::SpirvWords, method)
            .below(PARSE_LIMIT)
            .parsed()
    };
    let mut passes = instructions(View::Spirv);
    passes.extend([
        words(PassId::Blocks, Method::Tree(SmallestDeletion::OneToken)),
        words(PassId::Words, Method::Window(1)),
    ]);
    passes.extend(binary::order().into_iter().map(Pass::parsed));
    passes
}

fn instructions(view: View) -> Vec<Pass> {
    let mut passes = language::instructions(view);
    if view == View::Spirv {
        passes.retain(|pass| pass.id != PassId::CoarseInstructions);
    }
    passes
}

pub(super) fn order() -> Vec<Pass> {
    let mut passes = without_bytes();
    passes.extend(bytes());
    passes
}

fn without_bytes() -> Vec<Pass> {
    let blocks = |id, method| Pass::new(id, View::Blocks, method).below(PARSE_LIMIT);
    let halving = Method::List(Algorithm::HALVING);
    vec![
        Pass::new(PassId::Lines, View::Lines, halving).starting_at(PARSE_LIMIT),
        blocks(PassId::Blocks, Method::Tree(SmallestDeletion::OneToken)),
        blocks(PassId::Nodes, Method::Nodes),
        blocks(PassId::Delimiters, Method::Delimiters),
        blocks(PassId::Words, Method::Window(1)),
    ]
}

/// Returns the passes over single bytes.
pub(super) fn bytes() -> [Pass; 2] {
    let bytes = |id, method| Pass::new(id, View::Bytes(1), method).below(BYTEWISE_LIMIT);
    [
        bytes(PassId::Bytes, Method::List(Algorithm::Adaptive)),
        bytes(PassId::EachByte, Method::Window(1)),
    ]
}
