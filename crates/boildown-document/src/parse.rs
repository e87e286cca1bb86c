//! Parsing with tree-sitter, and counting syntax errors.

mod alone;
mod edits;
mod items;
mod patches;
mod places;

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use tree_sitter::{Node, ParseOptions, ParseState, Tree};

use self::alone::{Alone, KnownParts};
use self::edits::TreeEdits;
use self::items::{ItemList, count_errors};
use crate::Language;
use crate::allocations::allocations;
use crate::candidate::{Candidate, fingerprint};
use crate::document::{JoinedPart, parts_of_joined};
use crate::shield::Shield;
use crate::steps::{Computation, at_once, pause};

/// A parser for one language. Each parse has a parser of tree-sitter of its own: one that is used
/// again allocates less, so that what is given up would depend on what was parsed before.
#[derive(Clone)]
pub struct Parser {
    grammar: tree_sitter::Language,
    /// The name of the language.
    language: &'static str,
    shield: Option<&'static Shield>,
    known: Arc<KnownParts>,
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parser")
    }
}

impl Parser {
    /// Returns a parser of texts in a language.
    #[must_use]
    pub fn new(language: &Language) -> Self {
        Self {
            grammar: language.grammar(),
            language: language.name,
            shield: Shield::for_language(language),
            known: Arc::default(),
        }
    }

    fn start(&self) -> tree_sitter::Parser {
        let mut parser = tree_sitter::Parser::new();
        parser
            .set_language(&self.grammar)
            .expect("a test loads every grammar of the build");
        parser
    }

    /// Returns the bytes as the grammar's scanner may see them (see [`Shield`]).
    fn shown<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.shield
            .map_or(bytes.into(), |shield| shield.mask(bytes))
    }

    /// Parses a text. `None` when the parser exceeded its limit of steps.
    pub async fn parse(&self, bytes: &[u8]) -> Option<Tree> {
        self.parse_from(bytes, None, Errors::Any).await
    }

    /// Parses a part of a text alone, unless that is known. `None` when the parser gave up.
    async fn parse_alone(&self, text: &[u8], errors: Errors) -> Option<Arc<Alone>> {
        let part = (fingerprint(text), errors == Errors::Any);
        if let Some(known) = self.known.get(part) {
            return known;
        }
        let tree = self.parse_from(text, None, errors).await;
        let alone = tree.map(|tree| Arc::new(Alone::of(&tree)));
        self.known.insert(part, alone.clone());
        alone
    }

    /// Returns the edits between two texts, as the scanner may see them. `None` when too little of
    /// the older one stays for its tree to be reused.
    fn edits(&self, before: &[u8], after: &[u8]) -> Option<TreeEdits> {
        let edits = TreeEdits::between(&self.shown(before), &self.shown(after));
        let replaced = edits.replaced;
        // Reuse marks the tree node by node along the change: with little to reuse, a new parse
        // costs less.
        (replaced / REUSE <= before.len() - replaced).then_some(edits)
    }

    /// Parses a text, reusing the tree of an older one if there is one. `None` when the parser gave
    /// up.
    async fn parse_from(&self, bytes: &[u8], older: Option<Tree>, errors: Errors) -> Option<Tree> {
        if (self.shield).is_some_and(|shield| shield.is_too_deep(bytes)) {
            return None;
        }
        let mut parser = self.start();
        let shown = self.shown(bytes);
        let mut left = WorkLeft {
            callbacks: EXTRA_CALLBACKS + bytes.len() / 4,
            allocations: EXTRA_ALLOCATIONS + ALLOCATIONS_PER_BYTE * bytes.len() as u64,
            reads: EXTRA_READS + READS_PER_PIECE * (bytes.len() / PIECE + 1),
        };
        loop {
            if let Some(tree) = left.parse_step(&mut parser, &shown, older.as_ref(), errors) {
                return tree;
            }
            pause().await;
        }
    }
}

/// The work that a parse may still do before it is given up. All of it is counted, not timed, so
/// that the same texts are given up everywhere.
struct WorkLeft {
    callbacks: usize,
    allocations: u64,
    reads: usize,
}

impl WorkLeft {
    /// Does a step of a parse. Returns the tree when it has ended, or `None` in its place when the
    /// parser gave up.
    fn parse_step(
        &mut self,
        parser: &mut tree_sitter::Parser,
        text: &[u8],
        older: Option<&Tree>,
        errors: Errors,
    ) -> Option<Option<Tree>> {
        let reads = Cell::new(self.reads);
        let mut is_given_up = false;
        let mut in_step = CALLBACKS_IN_STEP;
        let mut counted = allocations();
        let mut watch = |state: &ParseState| {
            let made = allocations() - std::mem::replace(&mut counted, allocations());
            self.allocations = self.allocations.saturating_sub(made);
            (self.callbacks, in_step) = (self.callbacks.saturating_sub(1), in_step - 1);
            is_given_up = self.callbacks == 0
                || self.allocations == 0
                || reads.get() == 0
                || errors == Errors::None && state.has_error();
            match is_given_up || in_step == 0 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        // After a break, the parser continues where it was.
        let tree = parser.parse_with_options(
            &mut |at, _| read_piece(text, at, &reads),
            older,
            Some(options),
        );
        self.reads = reads.get();
        // A text that was not read to its end has no tree.
        let whole = (self.reads > 0).then_some(tree);
        match whole {
            Some(Some(tree)) => Some(Some(tree)),
            Some(None) if !is_given_up => None,
            _ => Some(None),
        }
    }
}

/// Returns the piece of a text that is read at `at`; nothing, as at the end of the text, when none
/// of the reads are left.
fn read_piece<'a>(text: &'a [u8], at: usize, left: &Cell<usize>) -> &'a [u8] {
    left.set(left.get().saturating_sub(1));
    if left.get() == 0 || at >= text.len() {
        return &[];
    }
    &text[at..(at / PIECE + 1).saturating_mul(PIECE).min(text.len())]
}

/// The bytes that the parser reads at a time.
const PIECE: usize = 1 << 12;

/// How often the parser may read a piece before it is stopped: this many times for each piece of
/// the text, and in addition. Usual texts need up to 5 for a piece. A scanner that looks for the
/// end of a comment or a here-document at each place where one may begin needs as many as there are
/// such places: 36,000 for 100 KB of `<!--` in HTML, and 1.4 million for as many zeros in Bash,
/// without a callback in between.
const READS_PER_PIECE: usize = 16;
const EXTRA_READS: usize = 4096;

/// How often the parser may call back before it is stopped, in addition to once for every four
/// bytes. Normally it calls back at most once for every 50 bytes; more often only while it tries
/// out ways to recover from errors.
const EXTRA_CALLBACKS: usize = 1000;

/// How many allocations the parser may make before it is stopped, for each byte of the text and in
/// addition. Usual texts need up to 4 for a byte, texts that lack every 97th character up to 11;
/// recovery that takes seconds for a few thousand bytes makes 80 to 2,000.
const ALLOCATIONS_PER_BYTE: u64 = 40;
const EXTRA_ALLOCATIONS: u64 = 100_000;

/// How often the parser calls back in one step: about every 0.1 ms, but up to 50 ms apart while it
/// recovers from errors. Part of the result: where versions of the stack compete, it depends on
/// which of them continues after a pause.
const CALLBACKS_IN_STEP: usize = 16;

/// The errors for which parsing continues. Recovering from one costs more than all the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Errors {
    /// None: the parser gives up once every interpretation of the text has an error.
    None,
    Any,
}

impl Errors {
    /// Returns the errors that a text may have when the one before had this number.
    fn up_to(errors: usize) -> Self {
        match errors {
            0 => Self::None,
            _ => Self::Any,
        }
    }
}

/// A text is parsed from scratch when less than one part in this many of the older one is reusable.
const REUSE: usize = 4;

impl Language {
    /// Returns the number of syntax errors: nodes of the tree that are errors or missing.
    /// `usize::MAX` when the parser exceeded its limit of steps.
    #[must_use]
    pub fn errors(&self, text: &[u8]) -> usize {
        at_once(Parsed::new(&Parser::new(self), text.into())).errors
    }

    /// Returns whether a text begins with a list whose first element is a symbol, and one of the
    /// first eight nodes is such a list that contains another list.
    pub(crate) fn begins_with_lists(&self, text: &[u8]) -> bool {
        let Some(tree) = at_once(Parser::new(self).parse(text)) else {
            return false;
        };
        let mut cursor = tree.walk();
        let nodes = tree.root_node().named_children(&mut cursor);
        let nodes = nodes.filter(|node| {
            !node.is_extra() && !node.is_error() && !node.kind().contains("comment")
        });
        let begin: Vec<Node<'_>> = nodes.take(8).collect();
        let is = |node: &Node<'_>, at, kind| {
            (node.named_child(at)).is_some_and(|child: Node<'_>| child.kind() == kind)
        };
        let is_list = |node: &&Node<'_>| node.kind() == "list" && is(node, 0, "symbol");
        let holds_list = |node: &Node<'_>| (1..8).any(|at| is(node, at, "list"));
        begin.first().is_some_and(|first| is_list(&first))
            && begin.iter().filter(is_list).any(holds_list)
    }
}

/// A text, parsed.
#[derive(Debug, Clone)]
pub(crate) struct Parsed {
    pub(crate) bytes: Arc<[u8]>,
    tree: KnownTree,
    /// The nodes below the root; found when first needed. `None` without a list of them.
    items: Arc<OnceLock<Option<ItemList>>>,
    /// The number of nodes that are errors or missing; `usize::MAX` without a tree.
    pub(crate) errors: usize,
    /// Of a joined text, its files; then there is no tree of the whole.
    files: Option<Arc<[ParsedFile]>>,
}

/// The tree of a text, or that of a text before some edits.
#[derive(Debug, Clone)]
enum KnownTree {
    /// `None` when the parser exceeded its limit of steps.
    Own(Option<Tree>),
    Earlier(Arc<(Arc<[u8]>, Tree)>),
}

impl KnownTree {
    /// Returns the tree of the text, if there is one.
    fn own(&self) -> Option<&Tree> {
        match self {
            Self::Own(tree) => tree.as_ref(),
            Self::Earlier(_) => None,
        }
    }

    /// Returns what is known of a text that edits make of `text`, whose tree this is.
    fn after(&self, text: &Arc<[u8]>) -> Self {
        match self {
            Self::Own(Some(tree)) => Self::Earlier(Arc::new((Arc::clone(text), tree.clone()))),
            known => known.clone(),
        }
    }

    /// Returns the tree to be reused for a text, which edits make of `text`, whose tree this is.
    fn marked(&self, parser: &Parser, text: &[u8], after: &[u8]) -> Option<Tree> {
        let (before, tree) = match self {
            Self::Own(tree) => (text, tree.as_ref()?),
            Self::Earlier(earlier) => (&*earlier.0, &earlier.1),
        };
        Some(parser.edits(before, after)?.mark(tree))
    }
}

/// A file of a joined text.
#[derive(Debug, Clone)]
struct ParsedFile {
    part: JoinedPart,
    /// `None` if it is in no known language.
    parsed: Option<(Parser, Parsed)>,
}

impl Parsed {
    pub(crate) async fn new(parser: &Parser, bytes: Arc<[u8]>) -> Self {
        if let Some(parts) = parts_of_joined(&bytes) {
            return Self::of_files(bytes, parts).await;
        }
        let tree = parser.parse(&bytes).await;
        let errors = tree.as_ref().map_or(usize::MAX, count_errors);
        Self::with_tree(bytes, tree, errors)
    }

    fn with_tree(bytes: Arc<[u8]>, tree: Option<Tree>, errors: usize) -> Self {
        Self {
            bytes,
            tree: KnownTree::Own(tree),
            items: Arc::default(),
            errors,
            files: None,
        }
    }

    fn with_files(bytes: Arc<[u8]>, files: Vec<ParsedFile>, errors: usize) -> Self {
        Self {
            files: Some(files.into()),
            ..Self::with_tree(bytes, None, errors)
        }
    }

    /// Parses each file of a joined text.
    fn of_files(bytes: Arc<[u8]>, parts: Vec<JoinedPart>) -> Computation<'static, Self> {
        Box::pin(async move {
            let mut files = Vec::with_capacity(parts.len());
            let mut errors: usize = 0;
            for part in parts {
                let mut parsed = None;
                if let Some(language) = part.language(&bytes) {
                    let parser = Parser::new(language);
                    let content = bytes[part.content.clone()].into();
                    let file = Self::new(&parser, content).await;
                    errors = errors.saturating_add(file.errors);
                    parsed = Some((parser, file));
                }
                files.push(ParsedFile { part, parsed });
            }
            Self::with_files(bytes, files, errors)
        })
    }

    /// Parses those files of a joined text that differ from this one. `None` when one of them has
    /// more errors than before, or the text is no joined text.
    fn reparse_files<'a>(
        &'a self,
        before: &'a [ParsedFile],
        bytes: Arc<[u8]>,
    ) -> Computation<'a, Option<Self>> {
        Box::pin(async move {
            let path = |bytes: &'a [u8], file: &ParsedFile| &bytes[file.part.path.clone()];
            let mut before = before.iter();
            let mut files = Vec::new();
            let mut errors: usize = 0;
            let parts = match bytes.is_empty() {
                true => Vec::new(),
                false => parts_of_joined(&bytes)?,
            };
            for part in parts {
                let own = &bytes[part.path.clone()];
                let base = before.find(|base| path(&self.bytes, base) == own)?;
                let content = &bytes[part.content.clone()];
                let parsed = match &base.parsed {
                    Some((parser, base)) if *base.bytes != *content => {
                        let parsed = base.reparse(parser, content.into()).await?;
                        Some((parser.clone(), parsed))
                    }
                    same => same.clone(),
                };
                let errors_here = parsed.as_ref().map_or(0, |(_, parsed)| parsed.errors);
                errors = errors.saturating_add(errors_here);
                files.push(ParsedFile { part, parsed });
            }
            Some(Self::with_files(bytes, files, errors))
        })
    }

    /// Returns a candidate with its tree. Parses it only if that was not done when its document was
    /// read.
    pub(crate) async fn of_candidate(parser: Parser, candidate: Candidate) -> Self {
        let bytes = Arc::clone(candidate.bytes());
        let tree = candidate.document().parsed(parser.language);
        let Some(tree) = tree.filter(|_| candidate.is_whole()) else {
            return Self::new(&parser, bytes).await;
        };
        Self::with_tree(bytes, Some(tree.clone()), count_errors(tree))
    }

    /// Returns whether the grammar made no sense of the text at all.
    pub(crate) fn is_one_error(&self) -> bool {
        // With a tree of an earlier text, there is a list of items.
        match &self.tree {
            KnownTree::Own(tree) => {
                let tree = tree.as_ref();
                self.files.is_none() && tree.is_none_or(|tree| tree.root_node().is_error())
            }
            KnownTree::Earlier(_) => false,
        }
    }

    /// Returns the nodes below the root, if they are known or the tree is.
    fn items(&self) -> Option<&ItemList> {
        let items = || ItemList::of(self.tree.own()?);
        self.items.get_or_init(items).as_ref()
    }

    /// Parses a text that differs from this one. `None` when it has more errors than this one.
    ///
    /// Of a large text only what differs is parsed, if that tells. Otherwise its tree, or that of a
    /// text before it, is reused for the rest.
    pub(crate) async fn reparse(&self, parser: &Parser, bytes: Arc<[u8]>) -> Option<Self> {
        if let Some(files) = &self.files {
            return self.reparse_files(files, bytes).await;
        }
        if let Some(decided) = self.reparse_patches(parser, &bytes).await {
            return decided;
        }
        let older = self.tree.marked(parser, &self.bytes, &bytes);
        let bearable = Errors::up_to(self.errors);
        let tree = parser.parse_from(&bytes, older, bearable).await?;
        let errors = count_errors(&tree);
        (errors <= self.errors).then(|| Self::with_tree(bytes, Some(tree), errors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "lang-cpp")]
    #[test]
    fn a_text_that_takes_too_many_steps_is_given_up_and_the_next_one_is_parsed() {
        let cpp = Language::named("C++").expect("the grammar is built");
        let parser = Parser::new(cpp);
        let endless = "<!--".repeat(1500);
        assert!(at_once(parser.parse(endless.as_bytes())).is_none());
        assert!(at_once(parser.parse(b"int a;")).is_some());
        let base = at_once(Parsed::new(&parser, endless.as_bytes().into()));
        let short = base.reparse(&parser, b"int a;".as_slice().into());
        assert!(at_once(short).is_some());
    }

    #[cfg(feature = "lang-json")]
    #[test]
    fn a_text_with_more_errors_than_its_base_is_rejected() {
        let json = Language::named("JSON").expect("the grammar is built");
        let parser = Parser::new(json);
        let parses = |base: &str, text: &str| {
            let base = at_once(Parsed::new(&parser, base.as_bytes().into()));
            at_once(base.reparse(&parser, text.as_bytes().into())).is_some()
        };
        assert!(parses("[1, 2, 3]", "[1, 3]"));
        assert!(!parses("[1, 2, 3]", "[1,, 3]"));
        assert!(parses("[1,, 2, 3]", "[1,, 3]"));
        let long = "[1, 2, 3, 4, 5, 6, 7, 8, 9]";
        assert!(parses(long, "1"), "parsed from scratch");
        assert!(!parses(long, "["));
        assert!(
            parses("[1, 2, 3]", "[1]"),
            "giving up on one text does not affect the next"
        );
    }
}
