//! The document of a module in text, whose tokens are its units.

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

/// Returns the document of a module whose units `lay_out` has put in their places. An input that is
/// no module becomes a single token.
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
    let document = layout.builder.finish(UNSET, IdVec::default());
    document.of_module(bytes, module)
}

impl UnitLayout {
    /// Begins a node.
    pub fn open(&mut self) {
        self.builder.open(1, NodePosition::default());
    }

    /// Ends a node.
    pub fn close(&mut self) {
        self.builder.close();
    }

    /// Adds a token of a word. In a broken text units may overlap; then the token is empty.
    pub fn token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        let bytes = &self.words[word];
        let end = bytes.end.max(self.end);
        self.builder.token(bytes.start.max(self.end)..end);
        self.end = end;
        Some(token)
    }

    /// Adds a token before a word, for a unit that the text has no bytes for.
    pub fn empty_token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        let at = self.words[word].start.max(self.end);
        self.builder.token(at..at);
        Some(token)
    }

    /// Adds a node of one token.
    pub fn leaf(&mut self, word: usize) -> UnitToken {
        self.open();
        let token = self.token(word);
        self.close();
        token
    }
}
