//! The names of the kinds and fields of a grammar, read once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use boildown_document::Language;

use super::kinds::KindClass;

/// The names of the kinds and fields of a grammar. To ask the grammar takes a call and a check of
/// the name each time.
#[derive(Debug)]
pub(super) struct KindNames {
    grammar: tree_sitter::Language,
    /// `None` for a number that no kind has.
    kinds: Vec<Option<Box<str>>>,
    fields: Vec<Box<str>>,
    /// The tokens that are no names of kinds: keywords, operators.
    tokens: BTreeSet<Box<str>>,
    /// For each kind a bit for each class that was asked about, and 32 bits higher one for each of
    /// these that it is of. To compare names takes longer than all else about a node.
    classes: Vec<AtomicU64>,
}

/// The names that were read. There are few grammars in a process.
static KNOWN: Mutex<Vec<Arc<KindNames>>> = Mutex::new(Vec::new());

impl KindNames {
    pub(super) fn of(language: &Language) -> Arc<Self> {
        let grammar = language.grammar();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = known.iter().find(|names| names.grammar == grammar) {
            return Arc::clone(names);
        }
        let names = Arc::new(Self::read(&grammar));
        known.push(Arc::clone(&names));
        names
    }

    fn read(grammar: &tree_sitter::Language) -> Self {
        let numbers = |count: usize| 0..u16::try_from(count).unwrap_or(u16::MAX);
        let kind = |kind: u16| grammar.node_kind_for_id(kind).map(Into::into);
        let field = |field: u16| grammar.field_name_for_id(field).unwrap_or("").into();
        let kinds: Vec<Option<Box<str>>> = numbers(grammar.node_kind_count()).map(kind).collect();
        let is_token =
            |kind: &u16| grammar.node_kind_is_visible(*kind) && !grammar.node_kind_is_named(*kind);
        let tokens = numbers(kinds.len()).filter(is_token);
        Self {
            tokens: tokens.filter_map(kind).collect(),
            // Fields are counted from 1.
            fields: numbers(grammar.field_count() + 1).map(field).collect(),
            classes: kinds.iter().map(|_| AtomicU64::new(0)).collect(),
            kinds,
            grammar: grammar.clone(),
        }
    }

    /// Returns the name of a kind of this grammar.
    pub(super) fn known_kind(&self, kind: u16) -> Option<&str> {
        match self.kinds.get(usize::from(kind)) {
            Some(name) => name.as_deref(),
            None => self.grammar.node_kind_for_id(kind),
        }
    }

    /// Returns the name of a kind; an empty one if there is none.
    pub(super) fn kind(&self, kind: u16) -> &str {
        self.known_kind(kind).unwrap_or("")
    }

    /// Returns whether a kind is of a class.
    pub(super) fn is(&self, kind: u16, class: KindClass) -> bool {
        let is_of_class = || {
            let name = self.kind(kind);
            class.parts().any(|part| name.contains(part))
        };
        let Some(known) = self.classes.get(usize::from(kind)) else {
            return is_of_class();
        };
        let asked = 1_u64 << class as u32;
        let is = asked << 32;
        let bits = known.load(Ordering::Relaxed);
        if bits & asked != 0 {
            return bits & is != 0;
        }
        let is_of_class = is_of_class();
        let answer = if is_of_class { asked | is } else { asked };
        known.fetch_or(answer, Ordering::Relaxed);
        is_of_class
    }

    /// Returns the name of a field; an empty one if there is none.
    pub(super) fn field(&self, field: u16) -> &str {
        self.fields.get(usize::from(field)).map_or("", |name| name)
    }

    /// Returns whether the grammar has a token that is this word.
    pub(super) fn has_token(&self, word: &str) -> bool {
        self.tokens.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_grammar_tells() {
        for name in ["C", "C++", "Python", "Rust", "SQL"] {
            let language = Language::named(name).expect("the grammar is built");
            let (grammar, names) = (language.grammar(), KindNames::of(language));
            for kind in (0..2000).chain([u16::MAX - 1, u16::MAX]) {
                let told = grammar.node_kind_for_id(kind);
                assert_eq!(names.known_kind(kind), told, "kind {kind} of {name}");
                for class in [
                    KindClass::Annotation,
                    KindClass::Stray,
                    KindClass::Annotation,
                ] {
                    let is = class.parts().any(|part| told.unwrap_or("").contains(part));
                    assert_eq!(
                        names.is(kind, class),
                        is,
                        "{class:?}, kind {kind} of {name}"
                    );
                }
            }
            for field in 0..200 {
                let told = grammar.field_name_for_id(field).unwrap_or("");
                assert_eq!(names.field(field), told, "field {field} of {name}");
            }
            for word in ["if", "noexcept", "identifier", "no_such_word", "end", ""] {
                let told = grammar.id_for_node_kind(word, false) != 0;
                assert_eq!(names.has_token(word), told, "{word} in {name}");
            }
        }
    }
}
