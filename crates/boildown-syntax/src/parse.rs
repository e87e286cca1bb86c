//! Parsing with tree-sitter, and counting what did not parse.

use std::sync::{Arc, Mutex, PoisonError};

use tree_sitter::{InputEdit, Point, Tree};

use crate::Language;

/// A parser for one language that clones share.
#[derive(Clone)]
pub(crate) struct Parser(Arc<Mutex<tree_sitter::Parser>>);

impl std::fmt::Debug for Parser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parser")
    }
}

impl Parser {
    pub(crate) fn new(language: &Language) -> Self {
        let mut parser = tree_sitter::Parser::new();
        parser
            .set_language(&language.grammar())
            .expect("a test loads every grammar of the build");
        Self(Arc::new(Mutex::new(parser)))
    }

    /// Parses a text, from the tree of an older one when there is one.
    pub(crate) fn parse(&self, bytes: &[u8], older: Option<&Tree>) -> Tree {
        let mut parser = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parser
            .parse(bytes, older)
            .expect("a parser with a language and no time limit returns a tree")
    }
}

/// A text and its tree.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub(crate) bytes: Arc<[u8]>,
    tree: Tree,
    /// Nodes of the tree that are errors or missing.
    pub(crate) errors: usize,
}

impl Parsed {
    pub(crate) fn new(parser: &Parser, bytes: Arc<[u8]>) -> Self {
        let tree = parser.parse(&bytes, None);
        let errors = count_errors(&tree);
        Self {
            bytes,
            tree,
            errors,
        }
    }

    /// Parses a text that differs little from this one, anew only where it differs.
    pub(crate) fn reparse(&self, parser: &Parser, bytes: Arc<[u8]>) -> Self {
        let mut tree = self.tree.clone();
        if let Some(edit) = difference(&self.bytes, &bytes) {
            tree.edit(&edit);
        }
        let tree = parser.parse(&bytes, Some(&tree));
        let errors = count_errors(&tree);
        Self {
            bytes,
            tree,
            errors,
        }
    }
}

/// The one stretch outside of which two texts are equal.
fn difference(old: &[u8], new: &[u8]) -> Option<InputEdit> {
    let start = common(old.iter(), new.iter());
    if start == old.len() && start == new.len() {
        return None;
    }
    let after = common(old[start..].iter().rev(), new[start..].iter().rev());
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    let start_position = advance(Point::new(0, 0), &old[..start]);
    Some(InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position,
        old_end_position: advance(start_position, &old[start..old_end]),
        new_end_position: advance(start_position, &new[start..new_end]),
    })
}

fn common<'a>(left: impl Iterator<Item = &'a u8>, right: impl Iterator<Item = &'a u8>) -> usize {
    left.zip(right)
        .take_while(|(left, right)| left == right)
        .count()
}

fn advance(from: Point, text: &[u8]) -> Point {
    match text.iter().rposition(|&byte| byte == b'\n') {
        Some(last) => {
            let rows = text.iter().filter(|&&byte| byte == b'\n').count();
            Point::new(from.row + rows, text.len() - last - 1)
        }
        None => Point::new(from.row, from.column + text.len()),
    }
}

/// Counts error and missing nodes, looking only where there are any.
fn count_errors(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut errors = 0;
    loop {
        let node = cursor.node();
        errors += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}
