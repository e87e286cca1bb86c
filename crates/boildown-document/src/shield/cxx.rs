//! Shows the parser of C++ what its grammar knows in the place of extensions of compilers and of
//! rare syntax. A standard library is full of both, and a deletion next to an error in the tree
//! rarely leaves what compiles.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::shown_bytes::ShownBytes;

/// What is hidden: the groups.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    let expression = r"(?x-u)
        # Attributes of a namespace, in which whole libraries stand.
        namespace\s+\w*\s*(__attribute__\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))
        # Without it, `extern template class a<int>;` is a declaration.
        | \bextern\s+(template)\b
        # Members that are pointed to: `a b::*`, `a->*b`, `a.*b`.
        | ((?:\b\w+\s*::\s*)+)\*
        | (?:->|\w\.)(\*)
        | (=\s*delete)\s*;
        # References and pointers as the default of a parameter of a template.
        | (?:typename|class)\s+\w+\s*=\s*[\w:]+(\s*(?:&&|[*&]))\s*[,>]
        | \b(_Complex)\b
        # Parameters, and then any others: `a... ...`.
        | \.\.\.(\s*\.\.\.)
        | \b(?:return|using)\s+(typename)\b
        # A value of a type that a parameter has: `(typename a::b())`.
        | [(,]\s*(typename)\s+\w+(?:<[^<>]*>)?::[\w:]+\s*[({]
        # Attributes of what a pointer is declared to.
        | \(\*\s*(__attribute__\s*\(\(\w*\)\))";
    Regex::new(expression).expect("a test uses the expression")
});

/// What is shown as other words: the groups.
static SHOWN: LazyLock<Regex> = LazyLock::new(|| {
    let expression = r"(?x-u)
        # A declaration begins with its first word that is not hidden, so another one stands there.
        \b__extension__\s+(?<template>template)\b
        | \[\[[^\[\]]{2,}\]\]\s*(?<friend>friend)\b
        | \b(?<type>__decltype|__typeof__|__typeof)\s*\(
        | (?:->|\.)\s*operator\s*(?<name>->|\(\)|\[\]|[<>=!+\-*/&|^%~]+)";
    Regex::new(expression).expect("a test uses the expression")
});

/// Returns the positions of what is hidden.
pub(super) fn hidden(text: &[u8]) -> Vec<usize> {
    let found = HIDDEN.captures_iter(text);
    let groups = found.filter_map(|found| found.iter().skip(1).flatten().next());
    let mut hidden: Vec<usize> = groups.flat_map(|group| group.range()).collect();
    hidden.retain(|&at| text[at] != b'\n');
    hidden.extend(markers_inside(text));
    hidden
}

/// Returns the positions of line markers that stand inside of a statement.
fn markers_inside(text: &[u8]) -> Vec<usize> {
    let mut inside = Vec::new();
    let (mut start, mut is_inside) = (0, false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let trimmed = line.trim_ascii();
        let is_marker =
            trimmed.starts_with(b"# ") && trimmed.get(2).is_some_and(u8::is_ascii_digit);
        if is_marker && is_inside {
            inside.extend(start..start + line.trim_ascii_end().len());
        } else if let Some(last) = before_comment(trimmed).last() {
            is_inside = !trimmed.starts_with(b"#") && !b";{}:/".contains(last);
        }
        start += line.len();
    }
    inside
}

/// Returns a line without a comment that lasts until its end.
fn before_comment(line: &[u8]) -> &[u8] {
    let comment = line.windows(2).position(|pair| pair == b"//");
    line[..comment.unwrap_or(line.len())].trim_ascii_end()
}

/// Returns what is shown in the place of words.
pub(super) fn shown_words(text: &[u8]) -> Vec<ShownBytes> {
    let mut shown: Vec<ShownBytes> = Vec::new();
    for found in SHOWN.captures_iter(text) {
        let start = found.get(0).map_or(0, |whole| whole.start());
        if let Some(word) = found.name("type") {
            let is_short = word.len() == b"decltype".len();
            shown.push((start, if is_short { b"decltype" } else { b"decltype  " }));
        } else if let Some(word) = found.name("name") {
            shown.push((word.start(), &b"________"[..word.len().min(8)]));
        }
        for (name, moved) in [("template", &b"template"[..]), ("friend", b"friend")] {
            if let Some(word) = found.name(name) {
                let blanks = (start..word.end()).filter(|&at| text[at] != b'\n');
                shown.extend(blanks.map(|at| (at, &b" "[..])));
                shown.push((start, moved));
            }
        }
    }
    shown
}
