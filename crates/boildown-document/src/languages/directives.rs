//! The directives of a language that stand for the text of another file.

/// The directives of a language that stand for the text of a file.
#[derive(Debug, Clone, Copy)]
pub struct Directives {
    /// The words before the name of the file.
    pub keywords: &'static [&'static str],
    pub form: DirectiveForm,
}

impl Directives {
    /// Returns directives with a path in quotes.
    pub(super) const fn quoted(keywords: &'static [&'static str]) -> Self {
        let form = DirectiveForm::Quoted;
        Self { keywords, form }
    }

    /// Returns directives with a path that need not be in quotes.
    pub(super) const fn word(keywords: &'static [&'static str]) -> Self {
        let form = DirectiveForm::Word;
        Self { keywords, form }
    }

    /// Returns directives with the name of a module.
    pub(super) const fn module(keywords: &'static [&'static str]) -> Self {
        let form = DirectiveForm::Module;
        Self { keywords, form }
    }
}

/// What follows the keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectiveForm {
    /// A path in quotes, angle brackets or parentheses: `"a.h"`, `<a.h>`, `("a.hrl")`.
    Quoted,
    /// A path with or without quotes: `rules.mk`.
    Word,
    /// The name of a module, whose text stands in braces: `mod a;`, `mod a { ... }`.
    Module,
}
