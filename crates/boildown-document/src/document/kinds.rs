//! The kinds of nodes of a document, as numbers.

use tree_sitter::Node;

use crate::Language;

/// The kind of what did not parse, in any language.
pub const ERROR: u16 = u16::MAX;

/// The kind of a word inside a string or comment. No grammar has this many kinds.
pub const WORD: u16 = u16::MAX - 1;

/// The kind of a statement that does not parse and was divided.
pub const UNPARSED: u16 = u16::MAX - 2;

/// The kind of a part of such a statement: a clause of SQL, or an element of its list.
pub const CLAUSE: u16 = u16::MAX - 3;

/// The numbers of a language's kinds of nodes in a document: those of its grammar, after those of
/// the languages before it.
pub(super) struct KindNumbers {
    grammar: tree_sitter::Language,
    offset: u16,
}

impl KindNumbers {
    /// Numbers the kinds of a language from this offset on. `None` when there are too many.
    pub(super) fn after(offset: u16, language: &Language) -> Option<Self> {
        let kinds = Self {
            grammar: language.grammar(),
            offset,
        };
        (kinds.end()? < CLAUSE).then_some(kinds)
    }

    /// Returns the number of the first of them.
    pub(super) fn offset(&self) -> u16 {
        self.offset
    }

    /// Returns the number after the last of them.
    pub(super) fn end(&self) -> Option<u16> {
        let count = u16::try_from(self.grammar.node_kind_count()).ok()?;
        self.offset.checked_add(count)
    }

    pub(super) fn number(&self, node: Node<'_>) -> u16 {
        match node.kind_id() {
            ERROR => ERROR,
            id => self.offset + id,
        }
    }

    /// Returns the number of the kind of this name, when the grammar has it.
    pub(super) fn named(&self, name: &str) -> Option<u16> {
        let id = self.grammar.id_for_node_kind(name, true);
        (id != 0).then_some(self.offset + id)
    }

    /// Returns the grammar's name for a kind, when it is one of these.
    pub(super) fn name(&self, kind: u16) -> Option<&str> {
        self.grammar
            .node_kind_for_id(kind.checked_sub(self.offset)?)
    }
}
