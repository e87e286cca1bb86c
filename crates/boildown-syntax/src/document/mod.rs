//! A text as a row of atoms and a tree over them, and any subset of the atoms as a text again.

mod blocks;
mod builder;
mod delimiters;
mod framed;
mod frames;
mod inside;
mod raw;
mod render;
mod slots;
mod syntax;
mod words;

pub(crate) use inside::openings;
pub(crate) use render::Substitutes;
pub(crate) use slots::ERROR;
pub(crate) use syntax::{WORD, is_lost};
pub(crate) use words::{is_word, words};

use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::{NodeId, Tree};

use crate::Language;
use frames::{Frames, Repairs};

/// How a text is cut into removable units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The nodes and tokens of a language.
    Syntax(&'static Language),
    /// Lines, balanced delimiters and words, of any text.
    Blocks,
    /// Lines only; very long ones in pieces.
    Lines,
    /// Pieces of this many bytes.
    Bytes(usize),
    /// The parts of a binary, and pieces of up to this many bytes in them. Lengths, counts and checksums follow from what is kept.
    Parts(usize),
    /// Pieces of this many bytes that are not all zeros. What is not kept becomes zeros.
    Zeros(usize),
    /// The single characters of words of a language that are no names; all else stays.
    Letters(&'static Language),
    /// The white space between the tokens of a language, byte by byte; all else stays.
    Spaces(&'static Language),
}

/// A text under one view.
///
/// An atom is the smallest unit that can be removed: a token, a word of a string or comment, a byte. What lies between two
/// atoms, their gap, is white space; it is kept, dropped or shortened with the atoms beside it. Rendering all atoms gives the
/// text back byte for byte.
#[derive(Debug)]
pub struct Document {
    view: View,
    bytes: Arc<[u8]>,
    /// The bytes of each atom. Invariant: ascending, disjoint, none empty.
    atoms: Vec<Range<u32>>,
    /// The first atom of each token, ascending. A token is an atom, or several when it is a string or comment of many words.
    tokens: Vec<u32>,
    /// For each atom, where the largest node that starts with it ends, in atoms. The root does not count.
    spans: Vec<u32>,
    /// For each node the field of its parent that it is, by the grammar's number; 0 when it is none.
    fields: Vec<u16>,
    tree: Arc<Tree>,
    /// How a binary is put together; `None` when nobody has looked.
    frames: Option<Arc<Frames>>,
    repairs: Repairs,
}

impl Document {
    /// The largest text, in bytes.
    pub const MAX: usize = u32::MAX as usize;

    /// Reads a text. Never fails: whatever a view cannot make sense of becomes one more unit.
    ///
    /// # Panics
    /// When the text is longer than [`MAX`](Self::MAX).
    #[must_use]
    pub fn new(bytes: &Arc<[u8]>, view: View) -> Self {
        assert!(bytes.len() <= Self::MAX, "a text of more than 4 GiB");
        match view {
            View::Syntax(language) => syntax::read(bytes, language),
            View::Blocks => blocks::read(bytes),
            View::Lines => raw::lines(bytes),
            View::Bytes(size) => raw::pieces(bytes, size.max(1)),
            View::Parts(size) => framed::parts(bytes, size.max(1), Arc::new(Frames::of(bytes))),
            View::Zeros(size) => {
                framed::pieces_to_zero(bytes, size.max(1), Arc::new(Frames::of(bytes)))
            }
            View::Letters(language) => inside::letters(bytes, language),
            View::Spaces(language) => inside::spaces(bytes, language),
        }
    }

    /// Reads a text that is made of the kept atoms of this document. What is known of the parts of a binary goes on to be known: of a
    /// part of it, it could not be read off again.
    pub(crate) fn again(&self, kept: &Subset, bytes: &Arc<[u8]>, view: View) -> Self {
        let Some(frames) = self.frames_of(kept, bytes) else {
            return Self::new(bytes, view);
        };
        match view {
            View::Parts(size) => framed::parts(bytes, size.max(1), frames),
            View::Zeros(size) => framed::pieces_to_zero(bytes, size.max(1), frames),
            view => Self {
                frames: Some(frames),
                ..Self::new(bytes, view)
            },
        }
    }

    /// Returns whether a binary has parts.
    pub(crate) fn has_parts(&self) -> bool {
        (self.frames.as_ref()).is_some_and(|frames| !frames.is_empty())
    }

    /// Returns the text.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// Returns how it is cut into units.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// Returns the tree over the atoms.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Returns which field of its parent a node is, by the grammar's number; 0 when it is none.
    pub(crate) fn field(&self, node: NodeId) -> u16 {
        self.fields[node]
    }

    /// Returns the number of atoms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Returns the text of an atom.
    pub(crate) fn atom(&self, atom: usize) -> &[u8] {
        &self.bytes[self.atoms[atom].start as usize..self.atoms[atom].end as usize]
    }

    /// Returns the text of a range of atoms with the gaps between them.
    pub(crate) fn text(&self, atoms: Range<usize>) -> &[u8] {
        &self.bytes[self.range(atoms)]
    }

    /// Returns the bytes of a range of atoms with the gaps between them.
    pub(crate) fn range(&self, atoms: Range<usize>) -> Range<usize> {
        if atoms.is_empty() {
            return 0..0;
        }
        self.atoms[atoms.start].start as usize..self.atoms[atoms.end - 1].end as usize
    }

    /// Returns whether there is nothing to remove.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    /// Returns the number of tokens of which `kept` holds at least one atom.
    #[must_use]
    pub fn tokens(&self, kept: &Subset) -> usize {
        let ends = self
            .tokens
            .iter()
            .skip(1)
            .map(|&start| start as usize)
            .chain([self.len()]);
        self.tokens
            .iter()
            .zip(ends)
            .filter(|&(&start, end)| kept.count_in(start as usize..end) > 0)
            .count()
    }

    /// Returns each delimiter that is an atom, with its partner, as two atoms.
    #[must_use]
    pub fn delimiters(&self) -> Vec<(usize, usize)> {
        let text = |atom: &Range<u32>| &self.bytes[atom.start as usize..atom.end as usize];
        let partners = delimiters::partners(self.atoms.iter().map(text));
        let pairs = partners.iter().enumerate();
        pairs
            .filter_map(|(open, close)| Some((open, (*close)?)))
            .collect()
    }

    /// The bytes before an atom that belong to no atom; after the last one, the rest.
    fn gap(&self, atom: usize) -> &[u8] {
        let start = atom
            .checked_sub(1)
            .map_or(0, |before| self.atoms[before].end as usize);
        let end = self
            .atoms
            .get(atom)
            .map_or(self.bytes.len(), |atom| atom.start as usize);
        &self.bytes[start..end]
    }
}
