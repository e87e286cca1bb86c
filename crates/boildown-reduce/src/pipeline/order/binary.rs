//! The order for binaries: parts whose lengths are kept right, then bytes wherever they are.

use boildown_document::View;

use super::limits::{BYTEWISE_LIMIT, KIB, PARSE_LIMIT};
use crate::pipeline::pass::{Method, Pass, SmallestDeletion, UsualAlgorithm};
use crate::pipeline::pass_id::PassId;

/// Only below this size: single bytes inside parts, and single bytes overwritten with zeros. In
/// larger binaries they wait until the other passes have deleted enough.
const PARTWISE_LIMIT: usize = 64 * KIB;

/// Only below this size: blocks of 64 bytes.
const BLOCKS_LIMIT: usize = 8 * PARSE_LIMIT;

pub(super) fn order() -> Vec<Pass> {
    let list = Method::List(UsualAlgorithm::Halving);
    // Of single bytes, either hardly any can go or most: the length of runs follows from that.
    let single = Method::List(UsualAlgorithm::GroupTesting);
    let method = |block| if block == 1 { single } else { list };
    let bytes = |id, block| Pass::new(id, View::Bytes(block), method(block));
    let zeros = |id, block| Pass::new(id, View::Zeros(block), method(block));
    let mut passes = parts();
    let bytes_in_parts = passes.pop();
    passes.extend([
        bytes(PassId::BLOCKS_4096, 4096),
        bytes(PassId::BLOCKS_64, 64).below(BLOCKS_LIMIT),
        // Zeros come before the deletion of single bytes: what was needed only as it is goes as
        // zeros, and deletions in a run of zeros are all the same candidate.
        zeros(PassId::ZERO_BLOCKS, 64).below(BLOCKS_LIMIT),
        zeros(PassId::ZERO_BYTES, 1).below(PARTWISE_LIMIT),
        Pass::new(PassId::LOWERED_BYTES, View::Zeros(1), Method::Lowered)
            .once()
            .below(PARTWISE_LIMIT),
        bytes(PassId::BLOCKS_4096_AFTER_ZEROS, 4096),
        bytes(PassId::BLOCKS_64_AFTER_ZEROS, 64).below(BLOCKS_LIMIT),
    ]);
    passes.push(Pass::new(PassId::OFFSETS, View::Bytes(1), Method::Offsets).below(PARTWISE_LIMIT));
    passes.extend(bytes_in_parts);
    passes.extend([
        bytes(PassId::BYTES, 1).below(BYTEWISE_LIMIT),
        Pass::new(PassId::COUNTS, View::Bytes(1), Method::Counts)
            .once()
            .below(PARTWISE_LIMIT),
        Pass::new(PassId::RUNS_OF_BYTES, View::Bytes(1), Method::Runs)
            .once()
            .below(KIB),
        Pass::new(PassId::EACH_BYTE, View::Bytes(1), Method::Window(1)).below(BYTEWISE_LIMIT),
    ]);
    passes
}

/// Returns the passes over the parts of an input that has lengths, counts or offsets.
pub(super) fn parts() -> Vec<Pass> {
    let parts = |id, piece, method| Pass::new(id, View::Parts(piece), method);
    let tree = Method::Tree(SmallestDeletion::OneToken);
    vec![
        parts(PassId::LONE_PARTS, 4096, Method::AllButOne).once(),
        // A content without its record, or a record without its content, is rarely of use.
        parts(PassId::RECORDS, 4096, Method::Records),
        parts(PassId::PARTS, 4096, tree),
        parts(PassId::PARALLEL_PARTS, 4096, Method::Parallel),
        parts(PassId::BLOCKS_IN_PARTS, 64, tree).below(BLOCKS_LIMIT),
        parts(PassId::BYTES_IN_PARTS, 1, tree).below(PARTWISE_LIMIT),
    ]
}
