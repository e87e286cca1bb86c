//! The walk over tree-sitter's trees, which become the nodes and tokens of a document.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::{Node, TreeCursor};

use super::damage::is_division_needed;
use super::reader::{Context, Grammar, Section, SyntaxReader};
use crate::Language;
use crate::document::builder::{Builder, NodePosition, Role};
use crate::document::joined::{self, JoinedFiles, JoinedPart};
use crate::document::slots::Slots;
use crate::document::words::trim;
use crate::document::{Document, View};
use crate::steps::{Computation, Pace, pause};

/// The largest number of languages inside each other: documents with pages with scripts.
const DEEPEST: usize = 3;

pub(in crate::document) async fn read(bytes: &Arc<[u8]>, language: &'static Language) -> Document {
    read_with_kinds(bytes, language).await.0
}

/// Returns the document and the names of its kinds of nodes.
pub(in crate::document) async fn read_with_kinds(
    bytes: &Arc<[u8]>,
    language: &'static Language,
) -> (Document, KindNames) {
    let mut reader = SyntaxReader {
        grammars: Vec::new(),
        slots: Slots::default(),
        builder: Builder::new(Arc::clone(bytes)),
        covered: 0,
        bytes,
        patterns: Vec::new(),
        parsed: None,
        pace: Pace::default(),
    };
    let outermost = reader.grammar(language).expect("one grammar always fits");
    let files = match joined::parts(bytes) {
        Some(files) => reader.read_files(&files, &outermost).await,
        None => {
            let all = 0..bytes.len();
            reader.read(all, &outermost, Context::default()).await;
            JoinedFiles::default()
        }
    };
    pause().await;
    let mut document = (reader.builder).finish(View::Syntax(language), reader.slots.into_used());
    if files.headers.is_empty() {
        document.parsed = reader.parsed;
    }
    document.files = files;
    document.patterns = reader.patterns;
    (document, KindNames(reader.grammars))
}

/// The names of the kinds of nodes of a document.
pub(in crate::document) struct KindNames(Vec<Arc<Grammar>>);

impl KindNames {
    pub(in crate::document) fn name(&self, kind: u16) -> &str {
        let mut names = (self.0.iter().rev()).map(|grammar| grammar.kinds.name(kind));
        names.find_map(|name| name).unwrap_or("")
    }
}

/// What there is to read after the beginning of a node.
enum Inside {
    Nothing,
    Nodes,
    /// The block that this delimiter may begin, if its contents were hidden from the parser.
    Block,
    /// A text in another language.
    Language(Arc<Grammar>),
}

impl SyntaxReader<'_> {
    /// Reads the texts of a folder, each in its language: a node for each folder and file, with the
    /// text of the file as the only child. `main` is the language whose fields are known.
    async fn read_files(&mut self, files: &[JoinedPart], main: &Arc<Grammar>) -> JoinedFiles {
        let rigid = NodePosition {
            slot: self.slots.rigid(),
            ..NodePosition::default()
        };
        let bytes = self.bytes;
        let mut found = JoinedFiles::default();
        let mut open: Vec<&[u8]> = Vec::new();
        self.builder.open(0, rigid);
        for file in files {
            let mut folders: Vec<&[u8]> = bytes[file.path.clone()]
                .split(|&byte| byte == b'/')
                .collect();
            folders.pop();
            let same = open
                .iter()
                .zip(&folders)
                .take_while(|(open, folder)| open == folder);
            let same = same.count();
            for _ in same..open.len() {
                self.builder.close();
            }
            for _ in same..folders.len() {
                self.builder.open(0, rigid);
            }
            open = folders;
            found.nodes.push(self.builder.next_node());
            found.headers.push(self.builder.count());
            self.builder.open(0, rigid);
            self.builder.token(file.header.clone());
            self.covered = file.header.end;
            let content = file.content.clone();
            match file
                .language(bytes)
                .and_then(|language| self.grammar(language))
            {
                Some(grammar) => {
                    let depth = usize::from(grammar.language != main.language);
                    let context = Context {
                        depth,
                        ..Context::default()
                    };
                    self.read(content, &grammar, context).await;
                }
                None => self.read_lines(content, rigid),
            }
            self.catch_up(file.content.end);
            self.builder.close();
        }
        for _ in 0..=open.len() {
            self.builder.close();
        }
        found
    }

    /// Reads a text in no known language: its lines, and their words.
    fn read_lines(&mut self, bytes: Range<usize>, rigid: NodePosition) {
        if trim(self.bytes, bytes.clone()).is_empty() {
            return;
        }
        self.builder.open(0, rigid);
        let mut start = bytes.start;
        while start < bytes.end {
            let rest = &self.bytes[start..bytes.end];
            let end = rest
                .iter()
                .position(|&byte| byte == b'\n')
                .map_or(bytes.end, |end| start + end + 1);
            if !trim(self.bytes, start..end).is_empty() {
                self.builder.open(0, rigid);
                self.catch_up(end);
                self.builder.close();
            }
            start = end;
        }
        self.builder.close();
    }

    /// Reads a part of the input.
    fn read<'f>(
        &'f mut self,
        bytes: Range<usize>,
        grammar: &'f Grammar,
        context: Context,
    ) -> Computation<'f, ()> {
        Box::pin(async move {
            let first = self.builder.count();
            let tree = grammar.parser.parse(&self.bytes[bytes.clone()]).await;
            if context.depth == 0 {
                self.parsed.clone_from(&tree);
            }
            match tree {
                Some(tree)
                    if is_division_needed(&tree, grammar.language, &self.bytes[bytes.start..]) =>
                {
                    self.divide(&tree, bytes.start, grammar, context).await;
                }
                Some(tree) => {
                    let section = Section::new(grammar, bytes.start, context);
                    self.walk(tree.walk(), section).await;
                }
                None => self.read_words(bytes),
            }
            if grammar.language.has_meaningful_spaces {
                self.patterns.push(first..self.builder.count());
            }
        })
    }

    /// Reads the node of a cursor and the siblings after it.
    pub(super) async fn walk(&mut self, mut cursor: TreeCursor<'_>, mut part: Section<'_>) {
        // Counted here, because a cursor takes as many steps as it is deep to tell.
        let mut depth = 0_usize;
        // Depth-first without recursion: inputs may be nested 10,000 levels deep.
        loop {
            if self.pace.is_over() {
                pause().await;
            }
            match self.enter(&cursor, &mut part) {
                Inside::Nodes if cursor.goto_first_child() => {
                    depth += 1;
                    continue;
                }
                Inside::Nodes | Inside::Nothing => {}
                Inside::Block => {
                    let open = part.bytes_of(cursor.node()).start;
                    self.read_block(open, &part).await;
                }
                Inside::Language(grammar) => {
                    let context = Context {
                        kind: part.parent(),
                        depth: part.context.depth + 1,
                        divided: 0,
                    };
                    let bytes = part.bytes_of(cursor.node());
                    self.read(bytes, &grammar, context).await;
                }
            }
            loop {
                self.leave(cursor.node(), &mut part);
                if cursor.goto_next_sibling() {
                    break;
                }
                if depth == 0 || !cursor.goto_parent() {
                    return;
                }
                depth -= 1;
            }
        }
    }

    /// Reads a part of the input that cannot be parsed, word by word.
    fn read_words(&mut self, bytes: Range<usize>) {
        self.builder.open(0, NodePosition::default());
        self.catch_up(bytes.end);
        self.builder.close();
    }

    /// Begins a node; returns what there is to read inside it, or right after a delimiter.
    fn enter(&mut self, cursor: &TreeCursor<'_>, part: &mut Section<'_>) -> Inside {
        let node = cursor.node();
        let bytes = part.bytes_of(node);
        if is_nothing(&bytes, self.bytes) {
            return Inside::Nothing;
        }
        self.catch_up(bytes.start);
        if node.child_count() == 0 && !node.is_named() {
            self.covered = bytes.end;
            self.builder.separator(bytes);
            return Inside::Block;
        }
        let role = if node.is_extra() && !node.is_error() {
            Role::Extra
        } else if Some(node.kind_id()) == part.grammar.label {
            Role::Label
        } else {
            Role::Element
        };
        let kind = part.grammar.kinds.number(node);
        let field = cursor.field_id().map_or(0, u16::from);
        self.open_attributed(cursor, part, field);
        let position = NodePosition {
            slot: match part.attributed.last() == Some(&node.id()) {
                // It goes with its attributes.
                true => self.slots.rigid(),
                false => self.slots.slot_for(part.parent(), field, kind),
            },
            // Fields have numbers of their own in every grammar.
            field: if part.is_outermost() { field } else { 0 },
            role,
        };
        self.builder.open(kind, position);
        if (part.grammar.declarations).contains(&Some(node.kind_id())) {
            self.builder.end_elements();
        }
        part.open.push(kind);
        if let Some(grammar) = self.inside(node, part) {
            return Inside::Language(grammar);
        }
        if node.child_count() == 0 {
            self.token(bytes);
            return Inside::Nothing;
        }
        Inside::Nodes
    }

    /// Begins the node of an item with attributes before the first of these, where the grammar has
    /// attributes as nodes of their own: in Rust, `#[inline] fn f() {}` would be two. A part of an
    /// item, such as the type of a field, is none.
    fn open_attributed(&mut self, cursor: &TreeCursor<'_>, part: &mut Section<'_>, field: u16) {
        let attribute = part.grammar.attribute;
        let is_attribute = |node: &Node<'_>| Some(node.kind_id()) == attribute;
        if !is_attribute(&cursor.node()) {
            return;
        }
        let mut next = cursor.clone();
        let item = loop {
            let is_last = !next.goto_next_sibling();
            let node = next.node();
            if is_last || !is_attribute(&node) && !node.is_extra() {
                break (!is_last).then_some(node);
            }
        };
        let is_item = |node: &Node<'_>| {
            let is_part = next.field_id().is_some() || node.kind() == "visibility_modifier";
            node.is_named() && !node.is_error() && !is_part
        };
        let Some(item) = item.filter(is_item) else {
            return;
        };
        if part.attributed.last() != Some(&item.id()) {
            let kind = part.grammar.kinds.number(item);
            let slot = self.slots.slot_for(part.parent(), field, kind);
            let position = NodePosition {
                slot,
                ..NodePosition::default()
            };
            self.builder.open(kind, position);
            part.attributed.push(item.id());
        }
    }

    /// Returns the language of the text of a node, when it is another one.
    fn inside(&mut self, node: Node<'_>, part: &Section<'_>) -> Option<Arc<Grammar>> {
        if !part.grammar.foreign.contains(&node.kind_id()) {
            return None;
        }
        let before = &self.bytes[..part.start + node.start_byte()];
        let context = || node.parent().map_or("", |parent| parent.kind());
        let language = (part.grammar.language).inside(node.kind(), context, before)?;
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        // In plain text, grammars tell at most signs and line beginnings apart.
        let is_text = children
            .all(|child| !child.is_named() || is_nothing(&part.bytes_of(child), self.bytes));
        (is_text && part.context.depth + 1 < DEEPEST).then(|| self.grammar(language))?
    }

    /// Ends the node that `enter` began.
    fn leave(&mut self, node: Node<'_>, part: &mut Section<'_>) {
        let bytes = part.bytes_of(node);
        if is_nothing(&bytes, self.bytes) || node.child_count() == 0 && !node.is_named() {
            return;
        }
        self.catch_up(bytes.end);
        self.builder.close();
        part.open.pop();
        if part.attributed.last() == Some(&node.id()) {
            self.builder.close();
            part.attributed.pop();
        }
    }
}

/// Returns whether a node holds no visible text: it is empty, or a line break that the grammar
/// calls a token.
fn is_nothing(node: &Range<usize>, bytes: &[u8]) -> bool {
    trim(bytes, node.clone()).is_empty()
}

#[cfg(all(test, feature = "lang-scheme"))]
mod tests {
    use std::sync::Arc;

    use crate::{Document, Language, View};

    #[test]
    fn two_hundred_thousand_nested_lists_are_read_in_time_in_proportion_to_their_number() {
        // Steps that grow with the depth would take minutes.
        let language = Language::named("S-expressions").expect("the grammar is built");
        let levels = 200_000;
        let text = format!("{}b{}", "(a ".repeat(levels), ")".repeat(levels));
        let bytes: Arc<[u8]> = text.into_bytes().into();
        let document = Document::new(&bytes, View::Syntax(language));
        assert_eq!(document.len(), 3 * levels + 1);
    }
}

#[cfg(all(test, feature = "lang-rust"))]
mod attribute_tests {
    use boildown_search::tree::NodeId;

    use crate::{Document, Language, View};

    #[test]
    fn an_item_and_its_attributes_are_one_element() {
        let text = "struct A { #[a] b: u8, c: u8 } #[d] #[e(f)] /* g */ fn h() {} #[i]";
        let rust = Language::named("Rust").expect("the grammar is built");
        let document = Document::new(&text.as_bytes().into(), View::Syntax(rust));
        let tree = document.tree();
        let elements = |node: NodeId| {
            let tokens = tree.children(node).map(|child| tree.nodes[child].tokens());
            let texts = tokens.map(|tokens| String::from_utf8_lossy(document.text(tokens.clone())));
            texts.map(|text| text.into_owned()).collect::<Vec<_>>()
        };
        let items = elements(NodeId::ROOT);
        let expected = [
            "struct A { #[a] b: u8, c: u8 }",
            "#[d] #[e(f)] /* g */ fn h() {}",
            "#[i]",
        ];
        assert_eq!(items, expected);
        let of_fields = tree.nodes.ids().map(elements);
        let mut of_fields =
            of_fields.filter(|elements| elements.iter().any(|text| text == "c: u8"));
        assert_eq!(
            of_fields.next().unwrap_or_default(),
            ["#[a] b: u8", "c: u8"]
        );
    }
}
