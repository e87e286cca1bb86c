//! Data about the blocks of a function whose form is looked at.

use std::ops::Range;

/// What is known of the blocks of a function.
#[derive(Debug, Default)]
pub(super) struct ControlFlow {
    pub(super) blocks: Vec<BlockForm>,
    /// The type of what is received with an exception, which is the same in a whole function.
    pub(super) received: Option<Range<usize>>,
}

/// What is known of a block.
#[derive(Debug)]
pub(super) struct BlockForm {
    /// With its sign.
    pub(super) name: Box<[u8]>,
    /// The first instruction that is no phi.
    pub(super) first: Option<usize>,
    /// The words of the blocks that it may continue at.
    pub(super) targets: Vec<usize>,
    /// For each phi, the words of the blocks that it names.
    pub(super) phis: Vec<Vec<usize>>,
}
