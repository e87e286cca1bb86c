//! Languages that are not in the table: of a grammar that was loaded while the program runs.

use std::sync::{PoisonError, RwLock};

use super::Language;
use super::directives::Directives;
use super::language::{GrammarSource, Recovery};

/// The languages that were added, which live as long as the program.
static ADDED: RwLock<Vec<&'static Language>> = RwLock::new(Vec::new());

/// A language to be added: what a user knows about it. All but the name may be left out. The fields
/// are those of an entry in the table of languages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a language"
)]
pub struct OwnLanguage {
    /// The name by which users state it. No other language may have it.
    pub name: String,
    /// File extensions without the dot.
    pub extensions: Vec<String>,
    /// Whole file names.
    pub file_names: Vec<String>,
    /// The grammar's list of node types, `node-types.json`; empty if it is not known. It says which
    /// kinds of nodes fit in which places.
    pub node_types: String,
    /// The contents of files with rewrite rules.
    pub rules: Vec<String>,
    /// Whether statements end with semicolons or blocks.
    pub has_statements: bool,
    /// Whether words in upper and lower case are the same.
    pub ignores_case: bool,
    /// Whether a block is what is indented.
    pub is_indented: bool,
    /// Whether the statement of an expression is that expression, without a mark of its end.
    pub has_bare_statements: bool,
    /// Whether all tools begin with a parser that accepts no more than the grammar.
    pub is_always_parsed: bool,
    /// The statement that never ends normally, to stand for the body of a function.
    pub stub: Option<String>,
    /// The words before the name of a file whose text is included: `#include`.
    pub includes: Vec<String>,
}

/// Why a language could not be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnLanguageError {
    /// There is a language of this name.
    #[error("there is a language `{0}` already")]
    Name(String),
    /// The grammar was made by another version of tree-sitter.
    #[error("the grammar was generated for another version of tree-sitter")]
    Version(#[from] tree_sitter::LanguageError),
    /// The list of node types is no JSON.
    #[error("the list of node types is no JSON")]
    NodeTypes(#[source] serde_json::Error),
}

impl OwnLanguage {
    /// Makes the entry of the language, which lives as long as the program. It is not found by
    /// anything before it is [added](Language::add).
    ///
    /// # Errors
    /// [`OwnLanguageError`].
    pub fn entry(
        self,
        grammar: tree_sitter::Language,
    ) -> Result<&'static Language, OwnLanguageError> {
        if Language::named(&self.name).is_some() {
            return Err(OwnLanguageError::Name(self.name));
        }
        tree_sitter::Parser::new().set_language(&grammar)?;
        if !self.node_types.is_empty() {
            let types: Result<Vec<serde_json::Value>, _> = serde_json::from_str(&self.node_types);
            types.map_err(OwnLanguageError::NodeTypes)?;
        }
        Ok(Box::leak(Box::new(Language {
            name: leaked(self.name),
            extensions: leaked_all(self.extensions),
            file_names: leaked_all(self.file_names),
            recovery: match self.has_statements {
                true => Recovery::Statements,
                false => Recovery::None,
            },
            ignores_case: self.ignores_case,
            is_indented: self.is_indented,
            has_bare_statements: self.has_bare_statements,
            is_always_parsed: self.is_always_parsed,
            stub: self.stub.map(leaked),
            directives: match self.includes.is_empty() {
                true => None,
                false => Some(Directives::quoted(leaked_all(self.includes))),
            },
            rules: leaked_all(self.rules),
            ..Language::with(
                GrammarSource::Loaded(Box::leak(Box::new(grammar))),
                leaked(self.node_types),
            )
        })))
    }
}

impl Language {
    /// Adds a language: it is detected by its file names and extensions before all others, and
    /// found by its name. It cannot be removed.
    pub fn add(&'static self) {
        let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
        added.push(self);
    }
}

/// Returns the languages that were added.
pub(super) fn added() -> Vec<&'static Language> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    added.clone()
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn leaked_all(texts: Vec<String>) -> &'static [&'static str] {
    let texts: Vec<_> = texts.into_iter().map(leaked).collect();
    Box::leak(texts.into_boxed_slice())
}

#[cfg(all(test, feature = "lang-json"))]
mod tests {
    use super::*;

    fn grammar() -> tree_sitter::Language {
        Language::named("JSON")
            .expect("the grammar is built")
            .grammar()
    }

    #[test]
    fn an_added_language_is_found_by_its_name_and_its_files() {
        let own = OwnLanguage {
            name: "Own notation".to_owned(),
            extensions: vec!["ownnotation".to_owned()],
            includes: vec!["@use".to_owned()],
            ..OwnLanguage::default()
        };
        let language = own.clone().entry(grammar()).expect("it is new");
        assert_eq!(Language::named("own NOTATION"), None);
        language.add();
        assert_eq!(Language::named("own NOTATION"), Some(language));
        assert_eq!(Language::detect("a.ownnotation", b""), Some(language));
        assert_eq!(language.errors(b"[1, 2]"), 0);
        let again = own.entry(grammar()).expect_err("the name is taken");
        assert_eq!(
            again.to_string(),
            "there is a language `Own notation` already"
        );
    }

    #[test]
    fn a_list_of_node_types_that_is_no_json_is_refused() {
        let own = OwnLanguage {
            name: "Wrong notation".to_owned(),
            node_types: "{".to_owned(),
            ..OwnLanguage::default()
        };
        let error = own.entry(grammar()).expect_err("it is wrong");
        assert_eq!(error.to_string(), "the list of node types is no JSON");
    }
}
