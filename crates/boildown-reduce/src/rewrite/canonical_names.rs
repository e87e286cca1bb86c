//! Canonical names: a, b, c and so on, in the order in which names first appear.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use boildown_document::{Language, is_digits, is_word};

use super::built_in::{BuiltIn, BuiltIns};
use crate::edit::Edit;

/// The mentions of a name.
#[derive(Debug, Default)]
struct NameMentions {
    tokens: Vec<usize>,
    kinds: BTreeSet<u16>,
}

impl<'a> BuiltIns<'a> {
    /// Returns whether a token is the `x0f` of `#x0f`.
    fn is_literal(&self, token: usize) -> bool {
        let before = token
            .checked_sub(1)
            .map(|before| self.document.token(before));
        before == Some(b"#") && is_digits(self.document.token(token))
    }

    /// Returns the mentions of all names.
    fn all_names(&self, language: &'static Language) -> BTreeMap<&'a [u8], NameMentions> {
        let document = self.document;
        let grammar = language.grammar();
        let mut names: BTreeMap<&'a [u8], NameMentions> = BTreeMap::new();
        for (id, node) in self.tree.nodes.enumerate().skip(1) {
            let text = document.text(node.tokens());
            let is_name = node.tokens().len() == 1
                && node.end == id.next()
                && text.iter().all(|&byte| is_word(byte))
                && !text[0].is_ascii_digit()
                && !self.is_literal(node.tokens().start)
                && grammar
                    .node_kind_for_id(node.kind)
                    .is_some_and(|kind| !kind.contains("keyword"));
            if is_name {
                let name = names.entry(text).or_default();
                name.tokens.push(node.tokens().start);
                name.kinds.insert(node.kind);
            }
        }
        names
    }

    /// Proposes canonical names for the names of the input: for all at once, and for each alone.
    pub(super) fn canonical_names(&mut self, language: &'static Language) {
        let names = self.all_names(language);
        let mut order: Vec<(&[u8], &NameMentions)> =
            names.iter().map(|(text, name)| (*text, name)).collect();
        // Some grammars call `int` a name; it cannot be renamed.
        let grammar = language.grammar();
        let is_fixed = |kind: &u16| {
            let kind = grammar.node_kind_for_id(*kind).unwrap_or("");
            ["primitive", "predefined", "builtin"]
                .iter()
                .any(|part| kind.contains(part))
        };
        order.retain(|(_, name)| !name.kinds.iter().any(is_fixed));
        order.sort_by_key(|(_, name)| name.tokens[0]);
        let edits = |name: &NameMentions, text: Vec<u8>| {
            let text: Arc<[u8]> = text.into();
            let tokens = name.tokens.clone().into_iter();
            tokens.map(move |token| Edit::new(&(token..token + 1), Arc::clone(&text)))
        };
        let fresh = || {
            (0..)
                .map(letters)
                .filter(|name| !is_keyword(language, name))
        };
        let all = order.iter().zip(fresh());
        let all = all.filter(|((old, _), new)| *old != new.as_slice());
        let all = all.flat_map(|((_, name), new)| edits(name, new)).collect();
        self.add(BuiltIn::Canonical, all);
        let unused = fresh().filter(|name| !names.contains_key(name.as_slice()));
        for ((_, name), new) in order.iter().zip(unused) {
            self.add(BuiltIn::Canonical, edits(name, new).collect());
        }
    }
}

/// Returns the name with this number: a to z, then aa to zz, and so on.
fn letters(number: usize) -> Vec<u8> {
    let mut rest = number + 1;
    let mut name = Vec::new();
    while rest > 0 {
        rest -= 1;
        name.insert(0, b"abcdefghijklmnopqrstuvwxyz"[rest % 26]);
        rest /= 26;
    }
    name
}

/// Returns whether a word is a keyword of the language.
pub(crate) fn is_keyword(language: &'static Language, word: &[u8]) -> bool {
    let word = std::str::from_utf8(word);
    word.is_ok_and(|word| language.grammar().id_for_node_kind(word, false) != 0)
}
