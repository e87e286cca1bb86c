//! The order for texts in no language: groups and lines, words; and bytes, of any text.

use boildown_search::algorithms::Algorithm;

use super::limits::{BYTEWISE_LIMIT, PARSE_LIMIT};
use crate::document::View;
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};

/// Returns the order but for the passes over single bytes.
pub(super) fn order() -> Vec<Pass> {
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
