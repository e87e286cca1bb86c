//! The views of an input: what its tokens and nodes are.

use std::fmt::Debug;
use std::sync::Arc;

use super::Document;
use crate::Language;

/// The division of an input into removable units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The nodes and tokens of a language, and of the languages nested in it.
    Syntax(&'static Language),
    /// Lines, bracket groups and words, of any text.
    Blocks,
    /// Lines only. Lines longer than 4096 bytes are cut into pieces.
    Lines,
    /// Whole lines, of any length, nested by brackets and indentation.
    NestedLines,
    /// The elements of a list, and their words where the kind of list tells them. Read by
    /// `Document::of_elements`; without a kind of list, lines.
    Elements,
    /// Pieces of this many bytes.
    Bytes(usize),
    /// The parts of a binary, and their contents in pieces of up to this many bytes. Lengths,
    /// counts and checksums are computed from what is kept.
    Parts(usize),
    /// The units of a module, as one of the formats divides it. What mentions a deleted unit is made
    /// right.
    Of(FormatView),
    /// The pieces of this many bytes that are not all zeros. What is not kept becomes zeros.
    Zeros(usize),
    /// The single characters of words that are no names; everything else is kept.
    Letters(&'static Language),
    /// The white space between tokens, byte by byte; everything else is kept.
    Spaces(&'static Language),
}

/// A view that belongs to a format.
#[derive(Debug, Clone, Copy)]
pub struct FormatView(&'static dyn ReadUnits);

/// Divides inputs of a format into units, of which any set can be written.
pub(crate) trait ReadUnits: Debug + Send + Sync {
    /// Returns the name of the view. Unique.
    fn name(&self) -> &'static str;

    /// Reads an input; one that makes no sense becomes a single token.
    fn read(&self, bytes: &Arc<[u8]>) -> Document;
}

impl FormatView {
    /// Returns the view of a reader.
    pub(crate) const fn new(reader: &'static dyn ReadUnits) -> Self {
        Self(reader)
    }

    /// Reads an input under the view.
    pub(super) fn read(self, bytes: &Arc<[u8]>) -> Document {
        Document {
            view: View::Of(self),
            ..self.0.read(bytes)
        }
    }
}

impl PartialEq for FormatView {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for FormatView {}
