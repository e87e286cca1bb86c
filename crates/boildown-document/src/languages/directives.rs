//! The statements of a language that stand for, or import, the text of another file.

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

/// How texts of a language import modules that are files.
#[derive(Debug, Clone, Copy)]
pub struct Imports {
    /// The statements, without their ends. `$path` stands for the module; `$names` for what is
    /// imported from it; `$name` for a name of the whole module; `$member` for a name of a module
    /// in the package `$path`, or of something in the module. Quotes are single ones, without
    /// spaces beside brackets and `=`.
    pub statements: &'static [&'static str],
    /// The sign between the parts of a path. With dots, `.a` is beside the file, `..a` above it.
    pub separator: char,
    /// The files that a path stands for, with `$` for the path.
    pub files: &'static [&'static str],
    /// What exports something from a module, and what takes its place once the module is part of
    /// the text that imports it, with `$` for the name of the module there.
    pub exports: &'static [(&'static str, &'static str)],
}

/// How a package becomes a module of the text that uses it.
#[derive(Debug, Clone, Copy)]
pub struct Packages {
    /// The file that says what a package is and needs.
    pub manifest: &'static str,
    /// The text of a package, beside its manifest.
    pub root: &'static str,
    /// The texts that can take packages in, beside their manifests.
    pub users: &'static [&'static str],
    /// What stands before the text of the module and after it, with `$` for its name.
    pub around: (&'static str, &'static str),
    /// The path of the package itself, and that of the module, with `$` for its name.
    pub own: (&'static str, &'static str),
    /// What only the text of a package begins with, and is left out of a module.
    pub import: &'static str,
}
