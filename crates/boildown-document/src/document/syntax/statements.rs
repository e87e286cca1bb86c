//! Recovery from syntax errors: a text of which the grammar lost much structure is read statement
//! by statement.
//!
//! A statement that cannot be parsed is parsed again with the contents of its blocks blanked out,
//! and those contents are read as statements in turn. In `int a() { if (b { c(); } d(); }` the
//! error then is confined to the statement with the `if`.

use std::ops::Range;

use tree_sitter::Tree;

use super::damage::{has_token, is_understood, tokens};
use super::division::Division;
use super::reader::{Blocks, Context, Grammar, Section, SyntaxReader};
use crate::document::builder::NodePosition;
use crate::document::kinds::{ERROR, UNPARSED};
use crate::languages::language::Recovery;
use crate::steps::{Computation, pause};

/// The largest number of divided statements inside each other.
pub(super) const DEEPEST: usize = 32;

impl SyntaxReader<'_> {
    /// Reads a part of the text statement by statement.
    pub(super) async fn divide(
        &mut self,
        tree: &Tree,
        start: usize,
        grammar: &Grammar,
        context: Context,
    ) {
        let tokens = tokens(tree, self.bytes, start);
        pause().await;
        let mut division = Division::new(self.bytes, tokens);
        if grammar.language.recovery == Recovery::Clauses {
            division = division.of_script();
        }
        pause().await;
        let kind = grammar.kinds.number(tree.root_node());
        let position = NodePosition {
            slot: self.slots.slot_for(context.kind, 0, kind),
            ..NodePosition::default()
        };
        self.builder.open(kind, position);
        let empty = grammar.parser.parse(b"").await;
        let kind = empty.map_or(0, |empty| grammar.kinds.number(empty.root_node()));
        let context = Context { kind, ..context };
        self.read_statements(&division, 0..division.len(), grammar, context)
            .await;
        self.catch_up(start + tree.root_node().end_byte());
        self.builder.close();
    }

    fn read_statements<'f>(
        &'f mut self,
        division: &'f Division<'_>,
        tokens: Range<usize>,
        grammar: &'f Grammar,
        context: Context,
    ) -> Computation<'f, ()> {
        Box::pin(async move {
            for statement in division.statements(tokens) {
                // Each is parsed.
                pause().await;
                let bytes = division.bytes_of(&statement);
                self.catch_up(bytes.start);
                self.read_statement(division, statement, grammar, context)
                    .await;
                self.catch_up(bytes.end);
            }
        })
    }

    pub(super) async fn read_statement(
        &mut self,
        division: &Division<'_>,
        statement: Range<usize>,
        grammar: &Grammar,
        context: Context,
    ) {
        let bytes = division.bytes_of(&statement);
        let text = &self.bytes[bytes.clone()];
        let whole = grammar.parser.parse(text).await;
        // What is within the brackets of SQL need not be a statement.
        let is_inner = division.is_script() && context.divided > 0;
        let is_read = |tree: &Tree| match is_inner {
            true => !tree.root_node().has_error(),
            false => is_understood(tree, text),
        };
        if let Some(tree) = whole.filter(is_read) {
            let part = Section::new(grammar, bytes.start, context);
            return self.read_alone(&tree, part).await;
        }
        let divided = context.divided + 1;
        let context = Context { divided, ..context };
        if division.is_script() {
            return self
                .read_clauses(division, statement, grammar, context)
                .await;
        }
        let bodies = division.bodies(statement.clone());
        let is_open = |tree: &Tree| {
            let open = |body: &Range<usize>| division.token(body.start - 1).start - bytes.start;
            (bodies.iter()).all(|body| has_token(tree, open(body), "{"))
        };
        if bodies.is_empty() || divided > DEEPEST {
            return self
                .read_flat(division, statement, &[], grammar, context)
                .await;
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
        let tree = grammar.parser.parse(&shown).await;
        match tree.filter(|tree| is_understood(tree, &shown) && is_open(tree)) {
            Some(tree) => {
                let blocks = Some(Blocks { division, bodies });
                let part = Section::new(grammar, bytes.start, context);
                self.read_alone(&tree, Section { blocks, ..part }).await;
            }
            None => {
                self.read_flat(division, statement, &bodies, grammar, context)
                    .await;
            }
        }
    }

    /// Reads the tree of a statement, without its root, which stands for a whole text.
    pub(super) async fn read_alone(&mut self, tree: &Tree, part: Section<'_>) {
        let mut cursor = tree.walk();
        if !tree.root_node().is_error() {
            cursor.goto_first_child();
        }
        self.walk(cursor, part).await;
    }

    /// Reads the contents of the block that begins at this byte, if they were blanked out.
    pub(super) async fn read_block(&mut self, open: usize, part: &Section<'_>) {
        let Some(blocks) = &part.blocks else { return };
        let division = blocks.division;
        let is_here = |body: &&Range<usize>| division.token(body.start - 1).start == open;
        if let Some(body) = blocks.bodies.iter().find(is_here) {
            let kind = part.parent();
            let context = Context {
                kind,
                ..part.context
            };
            self.read_statements(division, body.clone(), part.grammar, context)
                .await;
        }
    }

    /// Reads a statement without a tree. Only the contents of its blocks have structure.
    async fn read_flat(
        &mut self,
        division: &Division<'_>,
        statement: Range<usize>,
        bodies: &[Range<usize>],
        grammar: &Grammar,
        context: Context,
    ) {
        let position = NodePosition {
            slot: self.slots.slot_for(context.kind, 0, UNPARSED),
            ..NodePosition::default()
        };
        self.builder.open(UNPARSED, position);
        let mut at = statement.start;
        for body in bodies.iter().chain([&(statement.end..statement.end)]) {
            for token in at..body.start {
                let bytes = division.token(token);
                self.catch_up(bytes.start);
                // Not a kind of name: a word that did not parse may or may not be one.
                self.builder.open(ERROR, NodePosition::default());
                self.token(bytes);
                self.builder.close();
            }
            self.read_statements(division, body.clone(), grammar, context)
                .await;
            at = body.end;
        }
        self.builder.close();
    }
}

#[cfg(all(test, feature = "lang-c"))]
mod tests {
    use std::sync::Arc;

    use boildown_search::tree::NodeId;

    use crate::{Document, Language, View};

    /// Returns the texts of the nodes right below the root, and the texts of all nodes.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let c = Language::named("C").expect("the grammar is built");
        let bytes: Arc<[u8]> = text.as_bytes().into();
        let document = Document::new(&bytes, View::Syntax(c));
        let tree = document.tree();
        let text = |node: NodeId| {
            let text = document.text(tree.nodes[node].tokens());
            String::from_utf8_lossy(text).into_owned()
        };
        let all = tree.nodes.ids().skip(1).map(text).collect();
        (tree.children(NodeId::ROOT).map(text).collect(), all)
    }

    #[test]
    fn an_error_is_confined_to_its_statement() {
        let text = "int a() { return 1; }\nint b() { c(); if (d { e(); }\nf(); }\nint g;";
        let (statements, all) = read(text);
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
    fn text_around_stray_delimiters_is_not_lost() {
        let text = "int a;\nint b() { c(1; } }";
        let (statements, _) = read(text);
        let visible = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(visible(&statements.concat()), visible(text));
    }
}
