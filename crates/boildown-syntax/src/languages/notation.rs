//! What is known about the texts of a language beside its grammar.

use crate::text_order::TextOrder;

/// What is particular about the texts of a language. Data: the code that reads it knows no
/// language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notation {
    /// How texts are ordered by size.
    pub(crate) text_order: TextOrder,
    /// Whether candidates of any size have to parse: all tools begin with a parser that accepts no
    /// more than the grammar. Of other languages, the smallest texts are not parsed.
    pub(crate) is_always_parsed: bool,
}

impl Notation {
    /// That of a language of which nothing is known but its grammar.
    pub(crate) const PLAIN: Self = Self {
        text_order: TextOrder::Words,
        is_always_parsed: false,
    };
}
