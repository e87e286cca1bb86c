//! The document of a module in text, whose tokens are its units.
//!
//! A unit is a token, which stands for all that the unit is: its bytes are a single word, as a rule
//! the first one of the unit, and [`WritableModule::write`] decides what is written. Units that are
//! deleted together are in one node. A unit with others inside of it is a node that begins with a
//! token of its own.
//!
//! # Example
//! ```
//! use std::{ops::Range, sync::Arc};
//!
//! use boildown_document::module_layout;
//! use boildown_document::writable_module::{UnitToken, WritableModule, is_kept};
//! use boildown_document::{Document, FormatView, ReadUnits, View};
//! use boildown_search::Subset;
//!
//! /// A name and two arguments, which go with it.
//! #[derive(Debug)]
//! struct Call {
//!     text: Arc<[u8]>,
//!     words: [Range<usize>; 3],
//!     tokens: [UnitToken; 3],
//! }
//!
//! impl WritableModule for Call {
//!     fn words(&self) -> Vec<Range<usize>> {
//!         self.words.to_vec()
//!     }
//!
//!     fn write(&self, kept: &[bool]) -> Vec<u8> {
//!         let has_name = is_kept(self.tokens[0], kept);
//!         let units = self.words.iter().zip(self.tokens);
//!         let left = units.filter(|(_, token)| has_name && is_kept(*token, kept));
//!         let left: Vec<_> = left.map(|(word, _)| &self.text[word.clone()]).collect();
//!         left.join(&b' ')
//!     }
//! }
//!
//! /// Reads calls whose words are of one letter, and two spaces between them.
//! #[derive(Debug)]
//! struct Calls;
//!
//! impl ReadUnits for Calls {
//!     fn name(&self) -> &'static str {
//!         "calls"
//!     }
//!
//!     fn read(&self, bytes: &Arc<[u8]>) -> Document {
//!         let call = (bytes.len() == 7).then(|| Call {
//!             text: Arc::clone(bytes),
//!             words: [0..1, 3..4, 6..7],
//!             tokens: [None; 3],
//!         });
//!         module_layout::document(bytes, call, |units, call| {
//!             units.open();
//!             call.tokens = [units.token(0), units.leaf(1), units.leaf(2)];
//!             units.close();
//!         })
//!     }
//! }
//!
//! let view = View::Of(FormatView::new(&Calls));
//! let document = Document::new(&b"f  x  y".as_slice().into(), view);
//! let all = Subset::full(document.len());
//! assert_eq!(document.render(&all), b"f  x  y");
//! assert_eq!(document.render(&all.without([1..2])), b"f y");
//! assert_eq!(document.render(&all.without([0..1])), b"");
//! ```

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::IdVec;

use super::builder::{Builder, NodePosition};
use super::writable_module::{UnitToken, WritableModule};
use super::{Document, View, flat};

/// The view of the document of a module until it is known which one of the format read it.
pub const UNSET: View = View::Bytes(usize::MAX);

/// Returns the document of an input that is no module: a single token.
pub fn no_module(bytes: &Arc<[u8]>) -> Document {
    flat::pieces(bytes, usize::MAX)
}

impl Document {
    /// Returns this document as that of a module, whose bytes may not be those that were laid out.
    #[must_use]
    pub fn of_module<M: WritableModule + 'static>(self, bytes: &Arc<[u8]>, module: M) -> Self {
        Self {
            bytes: Arc::clone(bytes),
            module: Some(Arc::new(module)),
            ..self
        }
    }
}

/// The units of a module that were laid out so far.
#[derive(Debug)]
pub struct UnitLayout {
    builder: Builder,
    /// The bytes of each word of the module.
    words: Vec<Range<usize>>,
    /// The end of the last token.
    end: usize,
}

/// Returns the document of a module whose units `lay_out` has put in their places, for
/// [`ReadUnits::read`](super::ReadUnits::read) to return. An input that is no module becomes a
/// single token.
///
/// # Panics
/// Panics if `lay_out` leaves a node open (in builds with debug assertions), closes one that it
/// did not open, or takes a word that [`WritableModule::words`] does not return.
pub fn document<M: WritableModule + 'static>(
    bytes: &Arc<[u8]>,
    module: Option<M>,
    lay_out: impl FnOnce(&mut UnitLayout, &mut M),
) -> Document {
    let Some(mut module) = module else {
        return no_module(bytes);
    };
    let mut layout = UnitLayout {
        builder: Builder::new(Arc::clone(bytes)),
        words: module.words(),
        end: 0,
    };
    layout.builder.open(0, NodePosition::default());
    lay_out(&mut layout, &mut module);
    layout.close();
    // Units outside of the root would be reduced by no search over trees.
    debug_assert!(
        !layout.builder.is_open(),
        "`lay_out` closes each node that it opens"
    );
    let document = layout.builder.finish(UNSET, IdVec::default());
    document.of_module(bytes, module)
}

impl UnitLayout {
    /// Begins a node: a unit with those inside of it, or units that are deleted together.
    pub fn open(&mut self) {
        self.builder.open(1, NodePosition::default());
    }

    /// Ends a node.
    pub fn close(&mut self) {
        self.builder.close();
    }

    /// Adds the token of a unit that begins with a word, to the open node. In a broken text units
    /// may overlap; then the token is empty.
    pub fn token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        let bytes = self.word(word);
        let end = bytes.end.max(self.end);
        self.builder.token(bytes.start.max(self.end)..end);
        self.end = end;
        Some(token)
    }

    /// Adds a token before a word, for a unit that the text has no bytes for.
    pub fn empty_token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        let at = self.word(word).start.max(self.end);
        self.builder.token(at..at);
        Some(token)
    }

    /// Adds a unit with nothing inside of it: a node of one token.
    pub fn leaf(&mut self, word: usize) -> UnitToken {
        self.open();
        let token = self.token(word);
        self.close();
        token
    }

    fn word(&self, word: usize) -> Range<usize> {
        let bytes = self.words.get(word);
        bytes
            .expect("`WritableModule::words` returns the word")
            .clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Pair;

    impl WritableModule for Pair {
        fn words(&self) -> Vec<Range<usize>> {
            vec![0..1, 2..3]
        }

        fn write(&self, _kept: &[bool]) -> Vec<u8> {
            Vec::new()
        }
    }

    fn laid_out(lay_out: impl FnOnce(&mut UnitLayout)) -> Document {
        document(&b"f x".as_slice().into(), Some(Pair), |units, _| {
            lay_out(units);
        })
    }

    #[test]
    fn units_are_inside_of_the_root() {
        let document = laid_out(|units| {
            units.open();
            units.token(0);
            units.leaf(1);
            units.close();
        });
        let nodes = document.tree().nodes.iter();
        let nodes: Vec<_> = nodes.map(|node| node.tokens()).collect();
        assert_eq!(nodes, [0..2, 0..2, 1..2]);
    }

    #[test]
    #[should_panic = "`lay_out` closes each node that it opens"]
    fn a_node_that_stays_open_is_a_mistake_of_the_format() {
        laid_out(UnitLayout::open);
    }

    #[test]
    #[should_panic = "`WritableModule::words` returns the word"]
    fn a_word_that_the_module_does_not_have_is_a_mistake_of_the_format() {
        laid_out(|units| {
            units.leaf(2);
        });
    }
}
