//! The blocks of a function, and the jumps between them.

/// The jumps of a function.
pub(crate) struct BlockJumps {
    /// By block: those that it jumps to, for each target.
    targets: Vec<Vec<usize>>,
    /// By block: those that jump to it, for each target.
    sources: Vec<Vec<usize>>,
}

impl BlockJumps {
    /// Collects jumps, given the blocks that each block jumps to.
    pub(crate) fn new(targets: Vec<Vec<usize>>) -> Self {
        let mut sources = vec![Vec::new(); targets.len()];
        for (block, targets) in targets.iter().enumerate() {
            for &target in targets {
                sources[target].push(block);
            }
        }
        Self { targets, sources }
    }

    /// Returns whether something jumps to a block.
    pub(crate) fn is_target(&self, block: usize) -> bool {
        !self.sources[block].is_empty()
    }

    /// Returns the block that a block continues: the only other one that jumps to it, and jumps
    /// nowhere else.
    pub(crate) fn continued(&self, block: usize) -> Option<usize> {
        match self.sources[block][..] {
            [before] if before != block && self.targets[before].len() == 1 => Some(before),
            _ => None,
        }
    }
}

/// Marks the blocks that can be reached from some, given the targets of each.
pub(crate) fn reached(
    count: usize,
    roots: Vec<usize>,
    targets: impl Fn(usize) -> Vec<usize>,
) -> Vec<bool> {
    let mut is_reached = vec![false; count];
    for &root in &roots {
        is_reached[root] = true;
    }
    let mut waiting = roots;
    while let Some(block) = waiting.pop() {
        for target in targets(block) {
            if !std::mem::replace(&mut is_reached[target], true) {
                waiting.push(target);
            }
        }
    }
    is_reached
}
