//! A language: its names, its grammar, and the marks of its files.

use std::fmt;

use tree_sitter_language::LanguageFn;

use super::notation::Notation;

/// A language that boildown has a grammar for.
///
/// Each grammar is a Cargo feature (`lang-c`, `lang-rust`, …); `all-languages`, on by default,
/// enables them all.
///
/// # Example
/// ```
/// use boildown_syntax::Language;
///
/// for language in Language::all() {
///     let mut parser = tree_sitter::Parser::new();
///     parser.set_language(&language.grammar())?;
/// }
/// # Ok::<(), tree_sitter::LanguageError>(())
/// ```
pub struct Language {
    /// The usual name: `C++`, `JavaScript`. Unique.
    pub name: &'static str,
    /// Other names, in lower case: `cpp`, `js`.
    pub aliases: &'static [&'static str],
    /// File extensions without the dot, as usually spelt. Unique.
    pub extensions: &'static [&'static str],
    /// Whole file names, such as `Makefile`.
    pub file_names: &'static [&'static str],
    /// Programs in `#!` lines, without version numbers: `python` also stands for `python3.12`.
    pub interpreters: &'static [&'static str],
    pub(crate) notation: Notation,
    /// The grammar's list of node types, as JSON written by tree-sitter; empty if the grammar has
    /// none.
    ///
    /// Entries without a `type` are to be skipped: the list of Erlang begins with a note of its
    /// generator.
    pub node_types: &'static str,
    pub(super) grammar: LanguageFn,
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

impl Language {
    /// Returns the grammar, ready for [`Parser::set_language`](tree_sitter::Parser::set_language).
    #[must_use]
    pub fn grammar(&self) -> tree_sitter::Language {
        super::grammar::language(self.grammar)
    }
}

impl fmt::Debug for Language {
    /// Writes only the name: the grammar is a pointer, and the node types are pages of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Language")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
