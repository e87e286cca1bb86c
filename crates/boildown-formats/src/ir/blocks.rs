//! The order of the lines of a function: blocks that end in an instruction that leaves them.

/// Where the last line of a module was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum BlockPlace {
    #[default]
    Outside,
    /// After the beginning of a function.
    Begun,
    Inside,
    /// After an instruction that leaves a block.
    Left,
}

/// Follows the blocks of the functions of a module, line by line: each has to end in an instruction
/// that leaves it, and nothing comes after that one.
#[derive(Debug, Default)]
pub(crate) struct BlockOrder {
    last: BlockPlace,
    is_broken: bool,
}

impl BlockOrder {
    /// Returns where the last line was.
    pub(crate) fn last(&self) -> BlockPlace {
        self.last
    }

    /// Takes the next line, which may come after lines at `before`, and leads to `place`.
    pub(crate) fn step(&mut self, before: &[BlockPlace], place: BlockPlace) {
        self.is_broken |= !before.contains(&self.last);
        self.last = place;
    }

    /// Returns whether a line stands where it may not.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }
}
