//! Index spaces, the mentions of indices, and the tokens of units.

use wasm_encoder::reencode::{self, Reencode};

/// The number of index spaces.
pub(super) const SPACES: usize = 8;

/// An index space of modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Type,
    Function,
    Table,
    Memory,
    Global,
    Tag,
    Data,
    Element,
}

/// A use of an entity by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) space: Space,
    pub(super) index: u32,
}

/// The token of a unit. Units that have none are always kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token(u32);

impl Token {
    /// The token of a unit that has none.
    pub(super) const NONE: Self = Self(u32::MAX);

    pub(super) fn new(index: usize) -> Self {
        u32::try_from(index).map_or(Self::NONE, Self)
    }

    /// Returns whether the token is kept.
    pub(super) fn is_in(self, kept: &[bool]) -> bool {
        kept.get(self.0 as usize).copied().unwrap_or(true)
    }
}

/// Collects the indices that something mentions.
#[derive(Debug, Default)]
pub(super) struct Mentions(pub(super) Vec<Mention>);

impl Mentions {
    pub(super) fn add(&mut self, space: Space, index: u32) -> u32 {
        self.0.push(Mention { space, index });
        index
    }
}

impl Reencode for Mentions {
    type Error = std::convert::Infallible;

    fn type_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Type, index))
    }

    fn function_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Function, index))
    }

    fn table_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Table, index))
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Memory, index))
    }

    fn global_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Global, index))
    }

    fn tag_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Tag, index))
    }

    fn data_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Data, index))
    }

    fn element_index(&mut self, index: u32) -> Result<u32, reencode::Error> {
        Ok(self.add(Space::Element, index))
    }
}

/// Returns a position in the module as an index.
pub(super) fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

impl Default for Token {
    fn default() -> Self {
        Self::NONE
    }
}
