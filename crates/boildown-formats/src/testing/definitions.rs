//! Names that lines define, and brackets.

use std::collections::BTreeSet;

use crate::ir::{LineForm, words};

/// Returns what is wrong with a text whose lines begin with the names that they define: brackets
/// without a partner, or a name that is defined twice between the same braces.
pub(crate) fn fault_of_lines(form: &LineForm, text: &[u8]) -> Option<String> {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut scopes: Vec<BTreeSet<&[u8]>> = vec![BTreeSet::new()];
    for line in text.split(|&byte| byte == b'\n') {
        let words = words(form, line);
        let is_definition = matches!(words[..], [_, b"=" | b":", ..] | [[b'^', ..], ..]);
        let name = words.first().filter(|_| is_definition);
        let is_new = name.is_none_or(|name| {
            let inner = scopes.last_mut().expect("the text has a scope");
            inner.insert(name)
        });
        if !is_new {
            return Some(format!("defines twice: {}", String::from_utf8_lossy(line)));
        }
        for word in words {
            match word {
                b"{" | b"(" | b"[" => {
                    open.push(word);
                    scopes.push(BTreeSet::new());
                }
                b"}" | b")" | b"]" => {
                    scopes.pop();
                    let is_partner = |open: &[u8]| {
                        matches!((open, word), (b"{", b"}") | (b"(", b")") | (b"[", b"]"))
                    };
                    if !open.pop().is_some_and(is_partner) {
                        return Some(format!(
                            "closes no bracket: {}",
                            String::from_utf8_lossy(line)
                        ));
                    }
                }
                _ => {}
            }
        }
    }
    (!open.is_empty()).then(|| "leaves a bracket open".to_owned())
}
