//! The outline of a text: the statements and other parts that begin a line, one within another.

mod align;

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::Language;
use crate::parse::Parser;
use crate::steps::at_once;

pub use align::Alignment;

/// The parts of a text that begin a line, read from the tree of any grammar.
///
/// In `if a:`, `    f()`, `    g()` the items are the `if` with three lines, and in it the two
/// calls. Nodes that only hold statements, such as blocks, are no items.
#[derive(Debug, Clone)]
pub struct Outline {
    /// The items, each after the one that it is in.
    pub items: Vec<OutlineItem>,
    /// The number of nodes that are errors or missing; `usize::MAX` when the parser gave up.
    pub errors: usize,
}

/// A statement, a definition, a clause, or another node of the tree that begins a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineItem {
    /// Its lines, from 0.
    pub lines: Range<usize>,
    /// The index of the item that it is in.
    pub parent: Option<usize>,
    /// The number of the kind of its node in the grammar.
    pub kind: u16,
    /// Its sort, the same in all grammars.
    pub sort: ItemSort,
}

/// The sort of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemSort {
    /// A statement, a definition, or the like.
    Statement,
    /// A part that continues the statement around it, such as an `else`.
    Clause,
    /// A comment.
    Comment,
    /// A part of an expression, such as an element of a list.
    Expression,
}

/// Ends of the kinds of nodes that hold statements and nothing else.
#[rustfmt::skip]
const CONTAINERS: [&str; 11] = [
    "block", "body", "suite", "compound_statement", "_list", "statements", "do_group",
    "block_node", "mapping", "sequence", "document",
];

/// Parts of the kinds of nodes that are statements wherever they stand.
#[rustfmt::skip]
const STATEMENTS: [&str; 14] = [
    "statement", "declaration", "definition", "_item", "command", "assignment", "function",
    "method", "class", "import", "include", "pipeline", "case", "preproc",
];

fn is_container(kind: &str) -> bool {
    CONTAINERS.iter().any(|end| kind.ends_with(end))
}

/// Returns the sort of a node, from its kind and from whether it stands where statements do.
fn sort(kind: &str, is_among_statements: bool) -> ItemSort {
    if kind.contains("comment") {
        ItemSort::Comment
    } else if kind.contains("clause") || kind.contains("else") {
        ItemSort::Clause
    } else if is_among_statements || STATEMENTS.iter().any(|part| kind.contains(part)) {
        ItemSort::Statement
    } else {
        ItemSort::Expression
    }
}

impl Language {
    /// Returns the outline of a text.
    #[must_use]
    pub fn outline(&self, text: &[u8]) -> Outline {
        let tree = at_once(Parser::new(self).parse(text));
        tree.map_or(
            Outline {
                items: Vec::new(),
                errors: usize::MAX,
            },
            |tree| read(&tree, text),
        )
    }
}

/// Reads the outline off a tree. Nodes within one line are passed over, unless they hold statements
/// or errors.
fn read(tree: &Tree, text: &[u8]) -> Outline {
    let mut outline = Outline {
        items: Vec::new(),
        errors: 0,
    };
    let mut cursor = tree.walk();
    // Whether each node around holds statements only, and the items around with their end; the
    // innermost last.
    let mut holders: Vec<bool> = Vec::new();
    let mut around: Vec<(usize, usize)> = Vec::new();
    loop {
        let node = cursor.node();
        outline.errors += usize::from(node.is_error() || node.is_missing());
        while around
            .last()
            .is_some_and(|&(_, end)| end <= node.start_byte())
        {
            around.pop();
        }
        let parent = around.last().map(|&(item, _)| item);
        if let Some(&among_statements) = holders.last()
            && begins_line(&node, text)
            && (node.is_named() && !is_container(node.kind()) && !node.is_error())
            && parent.is_none_or(|at| outline.items[at].lines.start < node.start_position().row)
        {
            around.push((outline.items.len(), node.end_byte()));
            outline.items.push(OutlineItem {
                lines: lines(&node),
                parent,
                kind: node.kind_id(),
                sort: sort(node.kind(), among_statements),
            });
        }
        let has_more = node.has_error()
            || is_container(node.kind())
            || node.start_position().row < node.end_position().row;
        if has_more && cursor.goto_first_child() {
            holders.push(holders.is_empty() || is_container(node.kind()));
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return outline;
            }
            holders.pop();
        }
    }
}

/// Returns whether only white space is before a node on its line.
fn begins_line(node: &Node<'_>, text: &[u8]) -> bool {
    let start = node.start_byte();
    let line = start.saturating_sub(node.start_position().column);
    node.end_byte() > start
        && (text.get(line..start)).is_some_and(|before| before.trim_ascii().is_empty())
}

fn lines(node: &Node<'_>) -> Range<usize> {
    let (start, end) = (node.start_position(), node.end_position());
    start.row..(end.row + usize::from(end.column > 0)).max(start.row + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(language: &str, text: &str) -> Vec<(Range<usize>, Option<usize>)> {
        let language = Language::named(language).unwrap();
        let outline = language.outline(text.as_bytes());
        assert_eq!(outline.errors, 0, "{text}");
        (outline.items.into_iter())
            .map(|item| (item.lines, item.parent))
            .collect()
    }

    #[test]
    fn statements_are_in_the_statement_around_their_block() {
        let found = outline(
            "Python",
            "if a:\n    f()\n    g(1,\n      2)\nelse:\n    h()\n",
        );
        let expected = [
            (0..6, None),
            (1..2, Some(0)),
            (2..4, Some(0)),
            (3..4, Some(2)),
            (4..6, Some(0)),
            (5..6, Some(4)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn braces_and_keywords_belong_to_the_statement_around() {
        let c = outline("C", "int f(void)\n{\n  g();\n  return 1;\n}\n");
        assert_eq!(c, [(0..5, None), (2..3, Some(0)), (3..4, Some(0))]);
        let shell = outline("Bash", "if a; then\n  b\nfi\nc\n");
        assert_eq!(shell, [(0..3, None), (1..2, Some(0)), (3..4, None)]);
    }

    #[test]
    fn an_empty_block_is_no_error_and_holds_nothing() {
        let found = outline("Python", "def f(a):\n    while a:\n    return a\n");
        assert_eq!(found, [(0..3, None), (1..2, Some(0)), (2..3, Some(0))]);
    }

    #[test]
    fn elements_of_a_list_are_items_but_no_statements() {
        let python = Language::named("Python").unwrap();
        let items = python.outline(b"x = [\n    1,\n    2,\n]\n").items;
        let found: Vec<ItemSort> = items.iter().map(|item| item.sort).collect();
        let element = ItemSort::Expression;
        assert_eq!(found, [ItemSort::Statement, element, element]);
    }
}
