//! A language: its names, its grammar, and the marks of its files.

use std::fmt;

use tree_sitter_language::LanguageFn;

use super::directives::{Directives, Imports, Packages};
use super::nested::{Inner, Nested, announced};
use crate::text_order::TextOrder;

/// A language that boildown has a grammar for.
///
/// Each grammar is a Cargo feature (`lang-c`, `lang-rust`, …); `all-languages`, on by default,
/// enables them all.
///
/// # Example
/// ```
/// use boildown_document::Language;
///
/// for language in Language::all() {
///     let mut parser = tree_sitter::Parser::new();
///     parser.set_language(&language.grammar())?;
/// }
/// # Ok::<(), tree_sitter::LanguageError>(())
/// ```
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a language"
)]
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
    /// The grammar's list of node types, as JSON written by tree-sitter; empty if the grammar has
    /// none.
    ///
    /// Entries without a `type` are to be skipped: the list of Erlang begins with a note of its
    /// generator.
    pub node_types: &'static str,
    pub(super) grammar: GrammarSource,
    /// How texts are ordered by size.
    pub text_order: TextOrder,
    /// Whether candidates of any size have to parse: all tools begin with a parser that accepts no
    /// more than the grammar. Of other languages, the smallest texts are not parsed.
    pub(crate) is_always_parsed: bool,
    /// How a text is divided of which the grammar lost the structure.
    pub(crate) recovery: Recovery,
    /// Whether a text is a list of statements that run one after another.
    pub is_script: bool,
    /// Whether words in upper and lower case are the same.
    pub ignores_case: bool,
    /// Whether most of its tools reject a text that mentions a name without defining it.
    pub resolves_names: bool,
    /// Whether the name of a parameter or column stands before its type, without a sign between.
    pub has_names_first: bool,
    /// Whether the statement of an expression is that expression, without a mark of its end.
    pub(crate) has_bare_statements: bool,
    /// Whether a block is what is indented.
    pub is_indented: bool,
    /// Whether white space between any tokens is a part of the text, as in a regular expression.
    pub(crate) has_meaningful_spaces: bool,
    /// The name of what a program begins with: without it, tools report other errors first.
    pub entry: &'static str,
    /// The statement that stands for the body of a function, if an empty body does not do: one that
    /// never ends normally where compilers require results.
    pub stub: Option<&'static str>,
    /// What stands before a function so that it is kept though nothing calls it.
    pub export_mark: Option<&'static str>,
    /// The keys of its texts, if it is a language of configuration files.
    pub keys: Keys,
    /// The contents of its files of rewrite rules.
    pub rules: &'static [&'static str],
    /// The directives that stand for the text of another file.
    pub directives: Option<Directives>,
    /// How its texts import modules.
    pub imports: Option<&'static Imports>,
    /// How its packages become modules.
    pub packages: Option<&'static Packages>,
    /// The nodes that hold text in another language.
    pub(crate) nested: &'static [Nested],
}

/// Where the grammar of a language comes from.
#[derive(Clone, Copy)]
pub(super) enum GrammarSource {
    /// A function that is linked into the program.
    BuiltIn(LanguageFn),
    /// A grammar that was loaded while the program runs.
    Loaded(&'static tree_sitter::Language),
}

/// How a text is divided of which the grammar lost the structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// Not at all.
    None,
    /// Into statements, which end with semicolons or blocks.
    Statements,
    /// Into statements, which end with semicolons, and clauses, which begin with words of SQL.
    Clauses,
}

/// The texts of a language that consist of keys with values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// There are no such texts.
    None,
    /// Those that are no arrays, which usually hold data.
    InObjects,
    /// All of them.
    Anywhere,
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

impl Language {
    /// Returns a language whose grammar is linked into the program, and of which no more is known:
    /// entries of the table say what is particular about theirs.
    pub(super) const fn built_in(grammar: LanguageFn, node_types: &'static str) -> Self {
        Self::with(GrammarSource::BuiltIn(grammar), node_types)
    }

    /// Returns a language of which only the grammar is known.
    pub(super) const fn with(grammar: GrammarSource, node_types: &'static str) -> Self {
        Self {
            name: "",
            aliases: &[],
            extensions: &[],
            file_names: &[],
            interpreters: &[],
            node_types,
            grammar,
            text_order: TextOrder::Words,
            is_always_parsed: false,
            recovery: Recovery::None,
            is_script: false,
            ignores_case: false,
            resolves_names: false,
            has_names_first: false,
            has_bare_statements: false,
            is_indented: false,
            has_meaningful_spaces: false,
            entry: "main",
            stub: None,
            export_mark: None,
            keys: Keys::None,
            rules: &[],
            directives: None,
            imports: None,
            packages: None,
            nested: &[],
        }
    }

    /// Returns the kinds of nodes whose text may be in another language.
    pub(crate) fn kinds_of_nested(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.nested.iter().map(|nested| nested.kind)
    }

    /// Returns the language of the text in a node of this kind. `around` returns the kind of its
    /// parent; `before` is all of the input before it. `None` when the text is in this language.
    pub(crate) fn inside<'a>(
        &self,
        kind: &str,
        around: impl FnOnce() -> &'a str,
        before: &[u8],
    ) -> Option<&'static Self> {
        let mut nested = self
            .nested
            .iter()
            .filter(|nested| nested.kind == kind)
            .peekable();
        let around = nested.peek().map(|_| around())?;
        let nested = nested.find(|nested| nested.parent.is_empty() || nested.parent == around)?;
        match nested.inner {
            Inner::Named(name) => Self::named(name),
            Inner::Announced => Self::named(announced(before)?),
        }
    }

    /// Returns the grammar, ready for [`Parser::set_language`](tree_sitter::Parser::set_language).
    #[must_use]
    pub fn grammar(&self) -> tree_sitter::Language {
        match self.grammar {
            GrammarSource::BuiltIn(grammar) => super::grammar::language(grammar),
            GrammarSource::Loaded(grammar) => grammar.clone(),
        }
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
