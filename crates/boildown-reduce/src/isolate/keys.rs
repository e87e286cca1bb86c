//! The keys of configuration files, and the entries of lock files.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Document, Keys, Language, View};
use tree_sitter::Node;

use super::text_units::TextUnits;

/// The kinds of nodes that hold a key and its value, in JSON, TOML, YAML and INI.
const PAIRS: [&str; 4] = ["pair", "block_mapping_pair", "flow_pair", "setting"];

/// The kinds of nodes that hold pairs after a heading, in TOML and INI.
const SECTIONS: [&str; 3] = ["table", "table_array_element", "section"];

/// Keys that identify the entry that holds them: in the list of a lock file, for example.
const NAMES: [&[u8]; 3] = [b"name", b"id", b"key"];

/// Keys of which an entry of a lock file has at least one. Its values only fit together.
const VERSIONS: [&[u8]; 2] = [b"version", b"resolved"];

/// The depth from which on nodes are units.
const DEEPEST: usize = 200;

/// Cuts a text into keys with their values, and what is between them. A value that holds keys
/// itself is cut too, unless it is an entry of a lock file.
///
/// In no language with keys, each line begins a unit that holds the deeper lines after it.
pub(super) fn cut(text: &Arc<[u8]>, language: Option<&'static Language>) -> TextUnits {
    let mut cut = Cut {
        text,
        units: Vec::new(),
    };
    let document = language.map(|language| Document::new(text, View::Syntax(language)));
    let parsed = (document.as_ref().zip(language))
        .and_then(|(document, language)| document.parsed(language.name));
    match parsed {
        Some(tree) if holds_pair(tree.root_node(), 0) => cut.node(tree.root_node(), b"", 0),
        _ => cut.lines(),
    }
    cut.with_gaps()
}

/// Returns whether these texts are configuration files: in a language of such files, without syntax
/// errors, and with a key. JSON has to be an object, because an array usually holds data.
#[must_use]
pub fn have_keys(texts: [&Arc<[u8]>; 2], language: &'static Language) -> bool {
    let has_keys = |text: &Arc<[u8]>| {
        let document = Document::new(text, View::Syntax(language));
        let tree = document.parsed(language.name);
        tree.is_some_and(|tree| !tree.root_node().has_error() && holds_pair(tree.root_node(), 0))
    };
    let is_array = |text: &Arc<[u8]>| text.trim_ascii_start().starts_with(b"[");
    let may_have_keys = match language.keys {
        Keys::None => false,
        Keys::InObjects => !texts.into_iter().any(is_array),
        Keys::Anywhere => true,
    };
    may_have_keys && texts.into_iter().all(has_keys)
}

struct Cut<'a> {
    text: &'a [u8],
    /// The bytes and the key of each unit.
    units: Vec<(Range<usize>, Vec<u8>)>,
}

impl Cut<'_> {
    fn of(&self, node: Node<'_>) -> &[u8] {
        &self.text[node.byte_range()]
    }

    /// Adds the units of a node. `path` names the node.
    fn node(&mut self, node: Node<'_>, path: &[u8], depth: usize) {
        let is_pair = PAIRS.contains(&node.kind());
        let is_section = SECTIONS.contains(&node.kind());
        let mut path = path.to_vec();
        if is_pair || is_section {
            path.push(0);
            path.extend_from_slice(trimmed(self.key(node)));
            if is_section && let Some(name) = self.name(node) {
                path.push(0);
                path.extend_from_slice(&name);
            }
        }
        let holds_others = match is_pair {
            true => (children(node).into_iter()).any(|child| holds_pair(child, depth + 1)),
            false => true,
        };
        if is_pair && !holds_others || self.is_entry(node, is_pair || is_section) {
            self.units.push((node.byte_range(), path));
            return;
        }
        let inner = children(node);
        if inner.is_empty() || depth >= DEEPEST {
            if !node.byte_range().is_empty() {
                path.push(1);
                path.extend_from_slice(self.of(node));
                self.units.push((node.byte_range(), path));
            }
            return;
        }
        for child in inner {
            self.node(child, &path, depth + 1);
        }
    }

    /// Returns the key of a pair, or the heading of a section.
    fn key(&self, node: Node<'_>) -> &[u8] {
        let mut cursor = node.walk();
        let first = node.named_children(&mut cursor).next();
        first.map_or(&[], |first| self.of(first))
    }

    /// Returns the pairs that a node holds directly, each with its key.
    fn pairs<'t>(&self, node: Node<'t>) -> Vec<(Vec<u8>, Node<'t>)> {
        let mut found = Vec::new();
        let mut open = children(node);
        while let Some(child) = open.pop() {
            if PAIRS.contains(&child.kind()) {
                found.push((trimmed(self.key(child)).to_vec(), child));
            } else {
                open.extend(children(child));
            }
        }
        found
    }

    /// Returns the pair that names a section.
    fn name(&self, node: Node<'_>) -> Option<Vec<u8>> {
        let pairs = self.pairs(node);
        let is_name = |key: &Vec<u8>| NAMES.contains(&key.as_slice());
        let (_, name) = pairs.iter().find(|(key, _)| is_name(key))?;
        Some(self.of(*name).to_vec())
    }

    /// Returns whether a pair or section is an entry of a lock file.
    fn is_entry(&self, node: Node<'_>, has_key: bool) -> bool {
        let is_version = |key: &Vec<u8>| VERSIONS.contains(&key.as_slice());
        has_key && self.pairs(node).iter().any(|(key, _)| is_version(key))
    }

    /// Adds each line with the deeper lines after it.
    fn lines(&mut self) {
        let mut at = 0;
        for line in self.text.split_inclusive(|&byte| byte == b'\n') {
            let range = at..at + line.len();
            at = range.end;
            let is_deeper = line[0].is_ascii_whitespace();
            match self.units.last_mut() {
                Some((last, _)) if is_deeper => last.end = range.end,
                _ => {
                    let ends = line.iter().enumerate().skip(1);
                    let key = ends
                        .filter(|(_, byte)| b"=:@ \t<>~!;\n".contains(byte))
                        .map(|(end, _)| &line[..end])
                        .next();
                    self.units.push((range, key.unwrap_or(line).to_vec()));
                }
            }
        }
    }

    /// Returns the units with those between them.
    fn with_gaps(self) -> TextUnits {
        let mut cut = TextUnits {
            units: Vec::new(),
            goes_deeper: false,
            keys: Vec::new(),
        };
        let mut end = 0;
        let last = self.text.len()..self.text.len();
        for (range, key) in self.units.into_iter().chain([(last, Vec::new())]) {
            let gap = end..range.start;
            end = range.end;
            if !gap.is_empty() {
                cut.keys.push(self.text[gap.clone()].to_vec());
                cut.units.push(gap);
            }
            if !range.is_empty() {
                cut.units.push(range);
                cut.keys.push(key);
            }
        }
        cut
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Returns whether a node at this depth is a pair or holds one.
fn holds_pair(node: Node<'_>, depth: usize) -> bool {
    let inside = || (children(node).into_iter()).any(|child| holds_pair(child, depth + 1));
    depth < DEEPEST && (PAIRS.contains(&node.kind()) || inside())
}

/// Returns the text without quotes, brackets and white space around it.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_around = |byte: &u8| b"\"'[] \t\r\n".contains(byte);
    let start = text.iter().take_while(|byte| is_around(byte)).count();
    let end = text[start..]
        .iter()
        .rev()
        .take_while(|byte| is_around(byte));
    let end = text.len() - end.count();
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the units that have a key.
    fn units(language: Option<&str>, text: &str) -> Vec<String> {
        let language = language.and_then(Language::named);
        let cut = cut(&text.as_bytes().into(), language);
        let units = cut.units.iter().zip(&cut.keys);
        let is_key = |unit: &Range<usize>, key: &[u8]| text.as_bytes()[unit.clone()] != *key;
        units
            .filter(|(unit, key)| is_key(unit, key) && !key.contains(&1))
            .map(|(unit, _)| text[unit.clone()].to_owned())
            .collect()
    }

    #[test]
    fn a_value_that_holds_keys_is_cut_too() {
        assert_eq!(
            units(
                Some("JSON"),
                r#"{"a": 1, "b": {"c": [2, 3], "d": {"e": 4}}}"#
            ),
            ["\"a\": 1", "\"c\": [2, 3]", "\"e\": 4"]
        );
        assert_eq!(
            units(Some("TOML"), "a = 1\n[b]\nc = 2\nd = 3\n"),
            ["a = 1", "c = 2", "d = 3"]
        );
    }

    #[test]
    fn an_entry_of_a_lock_file_is_one_unit() {
        let serde = "[[package]]\nname = \"serde\"\nversion = \"1.0.1\"\nchecksum = \"a\"\n";
        let text = format!("version = 4\n\n{serde}\n[[package]]\nname = \"b\"\nversion = \"2\"\n");
        let units = units(Some("TOML"), &text);
        assert_eq!(units[0], "version = 4");
        assert_eq!(units[1].trim_end(), serde.trim_end());
        assert_eq!(units.len(), 3);
        assert_eq!(
            super::tests::units(
                Some("JSON"),
                r#"{"packages": {"node_modules/a": {"version": "1", "integrity": "x"}}}"#
            ),
            [r#""node_modules/a": {"version": "1", "integrity": "x"}"#]
        );
    }

    #[test]
    fn lines_in_no_language_have_their_deeper_lines() {
        let lock = "lodash@^4.1:\n  version \"4.1\"\n\nA=1\nflask==2.0\n";
        assert_eq!(
            units(None, lock),
            [
                "lodash@^4.1:\n  version \"4.1\"\n\n",
                "A=1\n",
                "flask==2.0\n"
            ]
        );
    }
}
