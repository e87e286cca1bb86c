//! The order for binaries: parts whose lengths are kept right, then bytes wherever they are.

use boildown_search::algorithms::Algorithm;

use super::limits::{BYTEWISE_LIMIT, KIB, PARSE_LIMIT};
use crate::document::View;
use crate::pipeline::pass::{Method, Pass, PassId, SmallestDeletion};

/// Only below this size: single bytes inside parts, and single bytes overwritten with zeros. In
/// larger binaries they wait until the other passes have deleted enough.
const PARTWISE_LIMIT: usize = 64 * KIB;

/// Only below this size: blocks of 64 bytes.
const BLOCKS_LIMIT: usize = 8 * PARSE_LIMIT;

pub(super) fn order() -> Vec<Pass> {
    let parts = |id, piece, method| Pass::new(id, View::Parts(piece), method);
    let tree = Method::Tree(SmallestDeletion::OneToken);
    let list = Method::List(Algorithm::HALVING);
    // Of single bytes, either hardly any can go or most: the length of runs follows from that.
    let single = Method::List(Algorithm::GroupTesting);
    let method = |block| if block == 1 { single } else { list };
    let bytes = |id, block| Pass::new(id, View::Bytes(block), method(block));
    let zeros = |id, block| Pass::new(id, View::Zeros(block), method(block));
    vec![
        parts(PassId::LoneParts, 4096, Method::AllButOne),
        // A content without its record, or a record without its content, is rarely of use.
        parts(PassId::Records, 4096, Method::Records),
        parts(PassId::Parts, 4096, tree),
        parts(PassId::ParallelParts, 4096, Method::Parallel),
        parts(PassId::BlocksInParts, 64, tree).below(BLOCKS_LIMIT),
        bytes(PassId::Blocks4096, 4096),
        bytes(PassId::Blocks64, 64).below(BLOCKS_LIMIT),
        // Zeros come before the deletion of single bytes: what was needed only as it is goes as
        // zeros, and deletions in a run of zeros are all the same candidate.
        zeros(PassId::ZeroBlocks, 64).below(BLOCKS_LIMIT),
        zeros(PassId::ZeroBytes, 1).below(PARTWISE_LIMIT),
        bytes(PassId::Blocks4096AfterZeros, 4096),
        bytes(PassId::Blocks64AfterZeros, 64).below(BLOCKS_LIMIT),
        parts(PassId::BytesInParts, 1, tree).below(PARTWISE_LIMIT),
        bytes(PassId::Bytes, 1).below(BYTEWISE_LIMIT),
        Pass::new(PassId::EachByte, View::Bytes(1), Method::Window(1)).below(BYTEWISE_LIMIT),
    ]
}
