//! The order for texts in no language: groups and lines, words; and bytes, of any text.

use boildown_document::View;

use super::limits::{BYTEWISE_LIMIT, PARSE_LIMIT};
use crate::pipeline::pass::{Method, Pass, SmallestDeletion, UsualAlgorithm};
use crate::pipeline::pass_id::PassId;

/// Returns the order but for the passes over single bytes.
pub(super) fn order() -> Vec<Pass> {
    let blocks = |id, method| Pass::new(id, View::Blocks, method).below(PARSE_LIMIT);
    let halving = Method::List(UsualAlgorithm::Halving);
    vec![
        Pass::new(PassId::REPORTED, View::Lines, Method::Reported).once(),
        Pass::new(PassId::LINES, View::Lines, halving).starting_at(PARSE_LIMIT),
        blocks(PassId::BLOCKS, Method::Tree(SmallestDeletion::OneToken)),
        blocks(PassId::COLUMNS, Method::Columns),
        blocks(PassId::EQUAL_TOKENS, Method::EqualTokens).once(),
        Pass::new(PassId::LONG_WORDS, View::LongWords, halving),
        blocks(PassId::NODES, Method::Nodes),
        blocks(PassId::DELIMITERS, Method::Delimiters),
        blocks(PassId::WORDS, Method::Window(1)),
    ]
}

/// Returns the passes over single bytes.
pub(super) fn bytes() -> [Pass; 2] {
    let bytes = |id, method| Pass::new(id, View::Bytes(1), method).below(BYTEWISE_LIMIT);
    [
        bytes(PassId::BYTES, Method::List(UsualAlgorithm::Adaptive)),
        bytes(PassId::EACH_BYTE, Method::Window(1)),
    ]
}
