//! The document of a module in text, whose tokens are its units.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::IdVec;

use super::builder::{Builder, NodePosition};
use super::module_text::{ModuleText, UnitToken};
use super::{Document, View, flat};

/// The units of a module that were laid out so far.
pub(super) struct UnitLayout {
    builder: Builder,
    /// The bytes of each word of the module.
    words: Vec<Range<usize>>,
    /// The end of the last token.
    end: usize,
}

/// Returns the document of a module whose units `lay_out` has put in their places. An input that is
/// no module becomes a single token.
pub(super) fn document<M: ModuleText + 'static>(
    bytes: &Arc<[u8]>,
    view: View,
    module: Option<M>,
    lay_out: impl FnOnce(&mut UnitLayout, &mut M),
) -> Document {
    let Some(mut module) = module else {
        return Document {
            view,
            ..flat::pieces(bytes, usize::MAX)
        };
    };
    let mut layout = UnitLayout {
        builder: Builder::new(Arc::clone(bytes)),
        words: module.words(),
        end: 0,
    };
    layout.builder.open(0, NodePosition::default());
    lay_out(&mut layout, &mut module);
    layout.close();
    Document {
        ir: Some(Arc::new(module)),
        ..layout.builder.finish(view, IdVec::default())
    }
}

impl UnitLayout {
    /// Begins a node.
    pub(super) fn open(&mut self) {
        self.builder.open(1, NodePosition::default());
    }

    /// Ends a node.
    pub(super) fn close(&mut self) {
        self.builder.close();
    }

    /// Adds a token of a word. In a broken text units may overlap; then the token is empty.
    pub(super) fn token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        let bytes = &self.words[word];
        let end = bytes.end.max(self.end);
        self.builder.token(bytes.start.max(self.end)..end);
        self.end = end;
        Some(token)
    }

    /// Adds a token before a word, for a unit that the text has no bytes for.
    pub(super) fn empty_token(&mut self, word: usize) -> UnitToken {
        let token = self.builder.count();
        let at = self.words[word].start.max(self.end);
        self.builder.token(at..at);
        Some(token)
    }

    /// Adds a node of one token.
    pub(super) fn leaf(&mut self, word: usize) -> UnitToken {
        self.open();
        let token = self.token(word);
        self.close();
        token
    }
}
