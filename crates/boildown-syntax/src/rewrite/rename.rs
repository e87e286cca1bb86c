//! Names in the order a, b, c.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ideas::{Ideas, RENAMED};
use super::proposal::Edit;
use crate::Language;
use crate::document::is_word;

/// Where a name stands.
#[derive(Debug, Default)]
struct Name {
    atoms: Vec<usize>,
    kinds: BTreeSet<u16>,
}

impl<'a> Ideas<'a> {
    /// Finds all names.
    fn all_names(&self, language: &'static Language) -> BTreeMap<&'a [u8], Name> {
        let document = self.document;
        let grammar = language.grammar();
        let mut names: BTreeMap<&'a [u8], Name> = BTreeMap::new();
        for (id, node) in self.tree.nodes.iter().enumerate().skip(1) {
            let text = document.text(node.atoms.clone());
            let is_name = node.atoms.len() == 1
                && node.end == id + 1
                && text.iter().all(|&byte| is_word(byte))
                && !text[0].is_ascii_digit()
                && grammar
                    .node_kind_for_id(node.kind)
                    .is_some_and(|kind| !kind.contains("keyword"));
            if is_name {
                let name = names.entry(text).or_default();
                name.atoms.push(node.atoms.start);
                name.kinds.insert(node.kind);
            }
        }
        names
    }

    /// Proposes names in the order a, b, c for those of the text in the order in which they first stand there: for all at once, and for each.
    pub(super) fn canonical(&mut self, language: &'static Language) {
        let names = self.all_names(language);
        let mut order: Vec<(&[u8], &Name)> =
            names.iter().map(|(text, name)| (*text, name)).collect();
        // `int` is a name to some grammars, and cannot be another.
        let grammar = language.grammar();
        let is_fixed = |kind: &u16| {
            let kind = grammar.node_kind_for_id(*kind).unwrap_or("");
            ["primitive", "predefined", "builtin"]
                .iter()
                .any(|part| kind.contains(part))
        };
        order.retain(|(_, name)| !name.kinds.iter().any(is_fixed));
        order.sort_by_key(|(_, name)| name.atoms[0]);
        let edits = |name: &Name, text: Vec<u8>| {
            let text: Arc<[u8]> = text.into();
            let atoms = name.atoms.clone().into_iter();
            atoms.map(move |atom| Edit::new(&(atom..atom + 1), Arc::clone(&text)))
        };
        let fresh = || {
            (0..)
                .map(letters)
                .filter(|name| !is_keyword(language, name))
        };
        let all = order.iter().zip(fresh());
        let all = all.filter(|((old, _), new)| *old != new.as_slice());
        let all = all.flat_map(|((_, name), new)| edits(name, new)).collect();
        self.add(RENAMED, all);
        let unused = fresh().filter(|name| !names.contains_key(name.as_slice()));
        for ((_, name), new) in order.iter().zip(unused) {
            self.add(RENAMED, edits(name, new).collect());
        }
    }
}

/// The names a to z, then aa to zz, and so on.
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

/// Returns whether a word is a token of the language, and so no name.
pub(super) fn is_keyword(language: &'static Language, word: &[u8]) -> bool {
    let word = std::str::from_utf8(word);
    word.is_ok_and(|word| language.grammar().id_for_node_kind(word, false) != 0)
}
