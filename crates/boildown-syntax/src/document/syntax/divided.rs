//! Texts that grammars make little of are read statement by statement.
//!
//! A statement that does not parse is read without what is in its blocks, and that as statements again.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::super::builder::Place;
use super::super::delimiters::partners;
use super::super::slots::ERROR;
use super::super::words::words;
use super::division::Division;
use crate::{Language, parse};

use super::{Around, Grammar, Part, Reader, UNPARSED, trim};

/// An error of more bytes has swallowed structure.
const SWALLOWED: usize = 256;

/// So many statements that are divided may be within each other.
const DEEPEST: usize = 32;

/// The blocks of a statement that was parsed without what is in them.
pub(super) struct Blocks<'a> {
    division: &'a Division<'a>,
    bodies: Vec<Range<usize>>,
}

/// The languages of statements that end with semicolons and blocks.
const BLOCKS: [&str; 21] = [
    "C",
    "C#",
    "C++",
    "CSS",
    "D",
    "Dart",
    "GLSL",
    "Go",
    "HLSL",
    "Java",
    "JavaScript",
    "Kotlin",
    "Objective-C",
    "Rust",
    "Scala",
    "Solidity",
    "Swift",
    "TSX",
    "TypeScript",
    "WGSL",
    "Zig",
];

/// Whether structure of a text has gone lost, and its language is one of those that have statements and blocks.
pub(super) fn is_needed(tree: &Tree, grammar: &Grammar, bytes: &[u8], start: usize) -> bool {
    BLOCKS.contains(&grammar.language.name) && has_swallowed(tree, &bytes[start..])
}

/// Whether structure of a text has gone lost to its grammar.
pub(crate) fn is_lost(bytes: &[u8], language: &Language) -> bool {
    let tree = parse::Parser::new(language).parse(bytes);
    tree.is_none_or(|tree| has_swallowed(&tree, bytes))
}

impl Reader<'_> {
    /// Reads a part of the text statement by statement.
    pub(super) fn divide(&mut self, tree: &Tree, start: usize, grammar: &Grammar, around: Around) {
        let tokens = tokens(tree, self.bytes, start);
        let division = Division::new(self.bytes, tokens);
        let kind = grammar.kinds.of(tree.root_node());
        let place = Place {
            slot: self.slots.of_place(around.kind, (0, ""), kind),
            ..Place::default()
        };
        self.builder.open(kind, place);
        let empty = grammar.parser.parse(b"");
        let kind = empty.map_or(0, |empty| grammar.kinds.of(empty.root_node()));
        let around = Around { kind, ..around };
        self.read_statements(&division, 0..division.len(), grammar, around);
        self.catch_up(start + tree.root_node().end_byte());
        self.builder.close();
    }

    fn read_statements(
        &mut self,
        division: &Division<'_>,
        tokens: Range<usize>,
        grammar: &Grammar,
        around: Around,
    ) {
        for statement in division.statements(tokens) {
            let bytes = division.bytes_of(&statement);
            self.catch_up(bytes.start);
            self.read_statement(division, statement, grammar, around);
            self.catch_up(bytes.end);
        }
    }

    fn read_statement(
        &mut self,
        division: &Division<'_>,
        statement: Range<usize>,
        grammar: &Grammar,
        around: Around,
    ) {
        let bytes = division.bytes_of(&statement);
        let text = &self.bytes[bytes.clone()];
        let whole = grammar.parser.parse(text);
        if let Some(tree) = whole.filter(|tree| is_understood(tree, text)) {
            return self.read_alone(&tree, Part::new(grammar, bytes.start, around));
        }
        let divided = around.divided + 1;
        let around = Around { divided, ..around };
        let bodies = division.bodies(statement.clone());
        let is_open = |tree: &Tree| {
            let open = |body: &Range<usize>| division.token(body.start - 1).start - bytes.start;
            (bodies.iter()).all(|body| has_token(tree, open(body), "{"))
        };
        if bodies.is_empty() || divided > DEEPEST {
            return self.read_flat(division, statement, &[], grammar, around);
        }
        let mut shown = text.to_vec();
        for body in &bodies {
            let inside = division.token(body.start - 1).end..division.token(body.end).start;
            let hidden = &mut shown[inside.start - bytes.start..inside.end - bytes.start];
            hidden
                .iter_mut()
                .filter(|byte| **byte != b'\n')
                .for_each(|byte| *byte = b' ');
        }
        let tree = grammar.parser.parse(&shown);
        match tree.filter(|tree| is_understood(tree, &shown) && is_open(tree)) {
            Some(tree) => {
                let blocks = Some(Blocks { division, bodies });
                let part = Part::new(grammar, bytes.start, around);
                self.read_alone(&tree, Part { blocks, ..part });
            }
            None => self.read_flat(division, statement, &bodies, grammar, around),
        }
    }

    /// Reads the tree of a statement, without the root, which would be that of a text.
    fn read_alone(&mut self, tree: &Tree, part: Part<'_>) {
        let mut cursor = tree.walk();
        if !tree.root_node().is_error() {
            cursor.goto_first_child();
        }
        self.walk(cursor, part);
    }

    /// Reads what is in a block that begins here, when the tree does not know.
    pub(super) fn read_block(&mut self, open: usize, part: &Part<'_>) {
        let Some(blocks) = &part.blocks else { return };
        let division = blocks.division;
        let is_here = |body: &&Range<usize>| division.token(body.start - 1).start == open;
        if let Some(body) = blocks.bodies.iter().find(is_here) {
            let kind = part.parent();
            let around = Around {
                kind,
                ..part.around
            };
            self.read_statements(division, body.clone(), part.grammar, around);
        }
    }

    /// Reads a statement of which at most what is in its blocks has structure.
    fn read_flat(
        &mut self,
        division: &Division<'_>,
        statement: Range<usize>,
        bodies: &[Range<usize>],
        grammar: &Grammar,
        around: Around,
    ) {
        let place = Place {
            slot: self.slots.of_place(around.kind, (0, ""), UNPARSED),
            ..Place::default()
        };
        self.builder.open(UNPARSED, place);
        let mut at = statement.start;
        for body in bodies.iter().chain([&(statement.end..statement.end)]) {
            for token in at..body.start {
                let bytes = division.token(token);
                self.catch_up(bytes.start);
                // Whether a word is a name cannot be told.
                self.builder.open(ERROR, Place::default());
                self.token(bytes);
                self.builder.close();
            }
            self.read_statements(division, body.clone(), grammar, around);
            at = body.end;
        }
        self.builder.close();
    }
}

/// Whether all of a statement's structure is in its tree.
fn is_understood(tree: &Tree, text: &[u8]) -> bool {
    !has_swallowed(tree, text)
        && troubles(tree).all(|node| !node.is_missing() || node.kind() != ";")
}

/// Whether there is an error that holds much, or a delimiter without its partner; or one is missing.
fn has_swallowed(tree: &Tree, text: &[u8]) -> bool {
    troubles(tree).any(|node| {
        let bytes = node.byte_range();
        bytes.len() > SWALLOWED || is_unbalanced(node, text)
    })
}

fn is_unbalanced(node: Node<'_>, text: &[u8]) -> bool {
    let is_delimiter = |text: &[u8]| matches!(text, b"(" | b")" | b"[" | b"]" | b"{" | b"}");
    if node.is_missing() {
        return is_delimiter(node.kind().as_bytes());
    }
    let mut texts: Vec<&[u8]> = Vec::new();
    each_token(node, |token| match token.is_error() {
        true => texts.extend(words(text, token.byte_range()).map(|word| &text[word])),
        false => texts.push(&text[token.byte_range()]),
    });
    texts.retain(|text| is_delimiter(text));
    2 * partners(texts.iter().copied()).iter().flatten().count() != texts.len()
}

/// The outermost nodes that are errors, or missing.
fn troubles(tree: &Tree) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = tree.walk();
    let mut is_over = false;
    std::iter::from_fn(move || {
        while !is_over {
            let node = cursor.node();
            let is_one = node.is_error() || node.is_missing();
            if is_one || !node.has_error() || !cursor.goto_first_child() {
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        is_over = true;
                        break;
                    }
                }
            }
            if is_one {
                return Some(node);
            }
        }
        None
    })
}

/// Whether a token stands at a byte.
fn has_token(tree: &Tree, at: usize, token: &str) -> bool {
    let node = tree.root_node().descendant_for_byte_range(at, at + 1);
    node.is_some_and(|node| node.kind() == token && node.start_byte() == at)
}

/// The tokens of a text, strings and comments as one.
fn tokens(tree: &Tree, bytes: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    each_token(tree.root_node(), |token| {
        let at = start + token.start_byte()..start + token.end_byte();
        match token.is_error() {
            true => tokens.extend(words(bytes, at)),
            false => tokens.push(trim(bytes, at)),
        }
    });
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Tells the tokens of a node, strings and comments as one.
fn each_token<'t>(node: Node<'t>, mut tell: impl FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    let is_text = |kind: &str| {
        ["string", "comment", "char"]
            .iter()
            .any(|part| kind.contains(part))
    };
    loop {
        let node = cursor.node();
        let is_token = node.is_named() && !node.has_error() && is_text(node.kind());
        if !is_token && cursor.goto_first_child() {
            continue;
        }
        tell(node);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Document, Language, View};

    /// The texts of the nodes right below the root, and of those that an error inside did not swallow.
    fn read(language: &str, text: &str) -> Option<(Vec<String>, Vec<String>)> {
        let bytes: Arc<[u8]> = text.as_bytes().into();
        let document = Document::new(&bytes, View::Syntax(Language::named(language)?));
        let tree = document.tree();
        let text = |node: usize| {
            let text = document.text(tree.nodes[node].atoms.clone());
            String::from_utf8_lossy(text).into_owned()
        };
        let all = (1..tree.nodes.len()).map(text).collect();
        Some((tree.children(0).map(text).collect(), all))
    }

    #[test]
    fn an_error_stays_in_its_statement() {
        let text = "int a() { return 1; }\nint b() { c(); if (d { e(); }\nf(); }\nint g;";
        let Some((statements, all)) = read("C", text) else {
            return;
        };
        assert_eq!(
            statements,
            [
                "int a() { return 1; }",
                "int b() { c(); if (d { e(); }\nf(); }",
                "int g;"
            ]
        );
        for inner in ["b", "c();", "e();", "f();"] {
            assert!(all.iter().any(|text| text == inner), "{inner}: {all:?}");
        }
    }

    #[test]
    fn of_stray_delimiters_nothing_goes_lost() {
        let text = "int a;\nint b() { c(1; } }";
        let Some((statements, _)) = read("C", text) else {
            return;
        };
        let visible = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(visible(&statements.concat()), visible(text));
    }
}
