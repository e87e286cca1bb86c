//! The view of whole lines: a tree of lines, nested by brackets and by indentation.

use std::ops::Range;
use std::sync::Arc;

use boildown_search::tree::{Slot, SlotId};

use super::builder::{Builder, NodePosition};
use super::delimiters::partners;
use super::words::words;
use super::{Document, View};

const ROOT: u16 = 0;
const LINE: u16 = 1;

/// Reads lines, with their line breaks. A line is the parent of the lines after it that are deeper:
/// inside brackets that it opens, or indented further. A line that begins by closing a bracket of
/// an earlier line is a child of that line, and so is all that it opens anew:
///
/// ```text
/// if (a) {        1
///     b();        1.1
/// } else {        1.2
///     c();        1.2.1
/// }               1.3
/// ```
pub(super) fn read(bytes: &Arc<[u8]>) -> Document {
    let lines = lines(bytes);
    let depths = depths(bytes, &lines);
    let inside = NodePosition {
        slot: SlotId::default(),
        ..NodePosition::default()
    };
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(ROOT, NodePosition::default());
    let mut open: Vec<Depth> = Vec::new();
    for (line, depth) in lines.into_iter().zip(depths) {
        while open.last().is_some_and(|above| *above >= depth) {
            open.pop();
            builder.close();
        }
        builder.open(LINE, inside);
        builder.token(line);
        open.push(depth);
    }
    for _ in open {
        builder.close();
    }
    builder.close();
    builder.finish(
        View::NestedLines,
        vec![Slot {
            kinds: vec![LINE],
            many: true,
        }]
        .into(),
    )
}

/// How deep a line is: by brackets, and for equal ones by indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Depth {
    /// Twice the number of brackets that are open before the line, without those that it closes at
    /// its beginning; one more if there are such.
    brackets: usize,
    /// The width of the white space before its first word.
    indent: usize,
}

fn lines(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| {
            start += line.len();
            start - line.len()..start
        })
        .collect()
}

fn depths(bytes: &[u8], lines: &[Range<usize>]) -> Vec<Depth> {
    let words: Vec<Range<usize>> = words(bytes, 0..bytes.len()).collect();
    let partners = partners(words.iter().map(|word| &bytes[word.clone()]));
    let mut closes = vec![false; words.len()];
    for &partner in partners.iter().flatten() {
        closes[partner] = true;
    }
    let (mut at, mut brackets) = (0, 0);
    let mut before = Depth {
        brackets: 0,
        indent: 0,
    };
    lines
        .iter()
        .map(|line| {
            let first = at;
            while words.get(at).is_some_and(|word| word.start < line.end) {
                at += 1;
            }
            if first == at {
                // An empty line is beside the line before it.
                return before;
            }
            let closed = (first..at).take_while(|&word| closes[word]).count();
            before = Depth {
                brackets: 2 * (brackets - closed) + usize::from(closed > 0),
                indent: words[first].start.saturating_sub(line.start),
            };
            for word in first..at {
                brackets += usize::from(partners[word].is_some());
                brackets -= usize::from(closes[word]);
            }
            before
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each line with the number of its ancestors before it.
    fn nesting(text: &str) -> Vec<String> {
        let document = read(&text.as_bytes().into());
        let nodes = &document.tree().nodes;
        let mut ends = Vec::new();
        let mut shown = Vec::new();
        for node in nodes.iter().skip(1) {
            while ends.last().is_some_and(|end| *end <= node.tokens().start) {
                ends.pop();
            }
            let line = String::from_utf8_lossy(document.token(node.tokens().start));
            shown.push(format!("{} {}", ends.len(), line.trim()));
            ends.push(node.tokens().end);
        }
        shown
    }

    #[test]
    fn lines_in_brackets_are_inside_the_line_that_opens_them() {
        assert_eq!(
            nesting("if (a) {\nb();\n} else {\nc(1,\n2);\n}\nd();\n"),
            [
                "0 if (a) {",
                "1 b();",
                "1 } else {",
                "2 c(1,",
                "3 2);",
                "1 }",
                "0 d();"
            ]
        );
    }

    #[test]
    fn indented_lines_are_inside_the_line_before_them() {
        assert_eq!(
            nesting("def f():\n    if a:\n        b\n\n    c\nd\n"),
            ["0 def f():", "1 if a:", "2 b", "2 ", "1 c", "0 d"]
        );
    }

    #[test]
    fn stray_brackets_open_and_close_nothing() {
        assert_eq!(nesting("}\n(\n)]\na\n"), ["0 }", "0 (", "1 )]", "0 a"]);
    }
}
