//! The shapes of the lines of a module of MLIR, the types in them, and the ends of its regions.

use std::collections::{BTreeMap, BTreeSet};

use super::format::{ModuleFormat, begins_function, kind};
use super::hashing::{HASH_START, hash};
use crate::document::ends_block_of_mlir;

/// Numbers for the shape of a line: first its own, then those of what it may become.
///
/// The shape is the line without what is inside of its brackets, and without attributes, where
/// names, types and numbers are alike. An operation has a fixed number of operands and types in
/// most dialects. What begins with a word of its own may go: `attributes {…}`, `iter_args(…)`.
pub(super) fn shapes(words: &[&[u8]]) -> Vec<u64> {
    let elements = elements(words);
    let number = |gone: std::ops::Range<usize>| {
        let kept = elements.iter().enumerate();
        let kept = kept.filter(|(index, _)| !gone.contains(index));
        let bytes = kept.flat_map(|(_, element)| element.kind.to_le_bytes());
        hash(HASH_START, &bytes.collect::<Vec<u8>>())
    };
    let mut shapes = vec![number(0..0)];
    for (index, element) in elements.iter().enumerate().skip(1) {
        if element.is_keyword {
            let has_group = elements.get(index + 1).is_some_and(|next| next.is_group);
            shapes.push(number(index..index + 1));
            if has_group {
                shapes.push(number(index..index + 2));
            }
        }
    }
    shapes
}

/// A word, or brackets with all that is inside of them.
struct LineElement {
    kind: u64,
    is_group: bool,
    /// Whether it is a word that may begin an optional part.
    is_keyword: bool,
}

fn elements(words: &[&[u8]]) -> Vec<LineElement> {
    let name = name_of_operation(words);
    let mut elements = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        if let Some(end) = group_end(words, at) {
            // Attributes may go.
            if word != b"{" {
                let kind = hash(HASH_START, word);
                elements.push(LineElement {
                    kind,
                    is_group: true,
                    is_keyword: false,
                });
            }
            at = end;
            continue;
        }
        elements.push(LineElement {
            kind: kind(ModuleFormat::Mlir, word),
            is_group: false,
            is_keyword: at > name && word[0].is_ascii_alphabetic(),
        });
        at += 1;
    }
    elements
}

/// Returns where the name of the operation of a line stands: after its results, if it has any.
fn name_of_operation(words: &[&[u8]]) -> usize {
    let equals = words.iter().position(|word| *word == b"=");
    equals
        .filter(|_| words[0][0] == b'%')
        .map_or(0, |at| at + 1)
}

/// Returns the end of the brackets that begin at a word and are closed on the same line.
fn group_end(words: &[&[u8]], start: usize) -> Option<usize> {
    let mut open: Vec<u8> = Vec::new();
    for at in start..words.len() {
        let is_arrow = at > 0 && words[at - 1] == b"-";
        match words[at] {
            _ if words.get(at + 1) == Some(&&b"="[..]) => {}
            b"(" => open.push(b')'),
            b"[" => open.push(b']'),
            b"{" => open.push(b'}'),
            b"<" => open.push(b'>'),
            b">" if is_arrow => {}
            &[close @ (b')' | b']' | b'}' | b'>')] if open.pop() != Some(close) => return None,
            _ => {}
        }
        if open.is_empty() {
            return (at > start).then_some(at + 1);
        }
    }
    None
}

/// Follows the regions of a module, line by line: that of a function, or of an operation with
/// results, has to end in an operation that ends a block.
#[derive(Debug, Default)]
pub(super) struct RegionEnds {
    /// For each open region, whether it needs an end.
    open: Vec<bool>,
    is_at_end: bool,
    is_broken: bool,
}

impl RegionEnds {
    pub(super) fn line(&mut self, words: &[&[u8]]) {
        let mut needs_end = begins_function(words) || words[0].starts_with(b"%");
        if words[0] == b"}" {
            let needed = self.open.pop().unwrap_or_default();
            self.is_broken |= needed && !self.is_at_end;
            needs_end |= needed;
        }
        self.is_at_end = false;
        if words.ends_with(&[b"{"]) {
            self.open.push(needs_end);
        } else if words[0] != b"}" {
            let name = words.get(name_of_operation(words));
            self.is_at_end = name.is_some_and(|name| ends_block_of_mlir(name))
                // The last line of a table of jumps, or of one with attributes.
                || words.ends_with(&[b"]"]);
        }
    }

    /// Returns whether a region has no end.
    pub(super) fn is_wrong(&self) -> bool {
        self.is_broken
    }
}

/// The types of values, as far as lists of operands say them: `(%a, %b : i32, f32)`, `%a: i32`.
#[derive(Debug, Default)]
pub(super) struct LineTypes {
    /// Numbers of the types with brackets, such as `tensor<2xf32>`.
    pub(super) known: BTreeSet<u64>,
    /// By function and name.
    values: BTreeMap<(usize, Box<[u8]>), u64>,
    is_broken: bool,
}

impl LineTypes {
    pub(super) fn line(&mut self, function: usize, words: &[&[u8]]) {
        for at in 0..words.len() {
            let is_shaped = matches!(words[at], b"tensor" | b"memref" | b"vector");
            if is_shaped && let Some(end) = group_end(words, at + 1) {
                self.known.insert(number(&words[at..end]));
            }
            if words[at] == b"("
                && let Some(end) = group_end(words, at)
            {
                self.group(function, &words[at + 1..end - 1]);
            }
        }
    }

    /// Reads what is between parentheses.
    fn group(&mut self, function: usize, words: &[&[u8]]) {
        let parts = split(words, b":");
        if words.first().is_none_or(|word| word[0] != b'%') {
            return;
        }
        let [names, types] = &parts[..] else {
            return;
        };
        let (names, types) = (split(names, b","), split(types, b","));
        if names.iter().any(|name| name.len() > 1) {
            return;
        }
        self.is_broken |= names.len() != types.len() || types.iter().any(|of| of.is_empty());
        for (name, of) in names.iter().zip(&types) {
            let Some(name) = name.first() else {
                self.is_broken = true;
                continue;
            };
            let of = number(of);
            let known = self.values.entry((function, Box::from(*name)));
            self.is_broken |= *known.or_insert(of) != of;
        }
    }

    /// Returns whether a list of operands lacks a type, or a value has several.
    pub(super) fn is_wrong(&self) -> bool {
        self.is_broken
    }
}

fn number(words: &[&[u8]]) -> u64 {
    let all = words.iter().copied();
    all.fold(HASH_START, |number, word| hash(hash(number, word), b" "))
}

/// Divides words at a sign outside of brackets.
fn split<'a, 'b>(words: &'a [&'b [u8]], sign: &[u8]) -> Vec<&'a [&'b [u8]]> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < words.len() {
        if words[at] == sign {
            parts.push(&words[start..at]);
            start = at + 1;
        }
        at = group_end(words, at).unwrap_or(at + 1);
    }
    parts.push(&words[start..]);
    parts
}
