//! The views of an input, and a document: its tokens under one of them, and a tree over these.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::{IdVec, NodeId, Tree};

use super::delimiters;
use super::frames::{Frames, Repairs};
use super::joined::JoinedFiles;
use super::writable_module::WritableModule;
use crate::Language;

/// The division of an input into removable units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// The nodes and tokens of a language, and of the languages nested in it.
    Syntax(&'static Language),
    /// Lines, bracket groups and words, of any text.
    Blocks,
    /// Lines only. Lines longer than 4096 bytes are cut into pieces.
    Lines,
    /// Whole lines, of any length, nested by brackets and indentation.
    NestedLines,
    /// The elements of a list, and their words where the kind of list tells them. Read by
    /// `Document::of_elements`; without a kind of list, lines.
    Elements,
    /// Pieces of this many bytes.
    Bytes(usize),
    /// The pieces of words of more than 4096 bytes, of any text; everything else is kept.
    LongWords,
    /// The parts of a binary, and their contents in pieces of up to this many bytes. Lengths,
    /// counts and checksums are computed from what is kept.
    Parts(usize),
    /// The units of a module, as one of the formats divides it. What mentions a deleted unit is
    /// made right.
    Of(FormatView),
    /// The pieces of this many bytes that are not all zeros. What is not kept becomes zeros.
    Zeros(usize),
    /// The single characters of words that are no names; everything else is kept.
    Letters(&'static Language),
    /// The white space between tokens, byte by byte; everything else is kept.
    Spaces(&'static Language),
}

/// A view that belongs to a format.
#[derive(Debug, Clone, Copy)]
pub struct FormatView(&'static dyn ReadUnits);

/// Divides inputs of a format into units, of which any set can be written.
pub trait ReadUnits: Debug + Send + Sync {
    /// Returns the name of the view. Unique.
    fn name(&self) -> &'static str;

    /// Reads an input; one that makes no sense becomes a single token.
    fn read(&self, bytes: &Arc<[u8]>) -> Document;
}

impl FormatView {
    /// Returns the view of a reader.
    pub const fn new(reader: &'static dyn ReadUnits) -> Self {
        Self(reader)
    }

    /// Reads an input under the view.
    pub(super) fn read(self, bytes: &Arc<[u8]>) -> Document {
        Document {
            view: View::Of(self),
            ..self.0.read(bytes)
        }
    }
}

impl PartialEq for FormatView {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for FormatView {}

/// An input under one view.
///
/// # Tokens
/// A token is the smallest unit that can be removed: a token of the language, a word of a string or
/// comment, a byte. White space between two tokens is their *gap*; it belongs to no token, and is
/// kept, dropped or shortened with the tokens beside it. Rendering all tokens yields the input byte
/// for byte.
///
/// What [`count_tokens`](Self::count_tokens) counts is coarser. A string or a comment is one token
/// of the language, but every word in it can be removed, so it consists of several tokens here and
/// counts once. Likewise, in the views of single characters a word is several tokens and counts
/// once.
///
/// # Example
/// ```
/// use boildown_search::Subset;
/// use boildown_document::{Document, Language, View};
///
/// let c = Language::named("C").expect("C is in the default build");
/// let document = Document::new(&b"f(\"two words\")".as_slice().into(), View::Syntax(c));
/// // f ( " two words " )
/// assert_eq!(document.len(), 7);
/// // f ( " [two words] " )
/// let everything = Subset::full(document.len());
/// assert_eq!(document.count_tokens(&everything), 6);
/// assert_eq!(document.render(&everything.without([3..4])), b"f(\"words\")");
/// ```
#[derive(Debug)]
pub struct Document {
    pub(crate) view: View,
    pub(crate) bytes: Arc<[u8]>,
    /// The bytes of each token. Invariant: ascending and disjoint. Only tokens of modules may be
    /// empty: parameters and local variables need not have bytes of their own.
    pub tokens: Vec<Range<u32>>,
    /// The tokens that begin a counted token, ascending. A counted token ends where the next
    /// begins.
    pub(crate) counted_starts: Vec<u32>,
    /// For each token, the end of the largest node that starts with it, in tokens. The root is left
    /// out.
    pub(crate) spans: Vec<u32>,
    /// For each node its field in its parent, by the grammar's number; 0 when it has none.
    pub(crate) fields: IdVec<NodeId, u16>,
    pub(crate) tree: Arc<Tree>,
    /// The files of a joined text; none for another input.
    pub(super) files: JoinedFiles,
    /// The layout of a binary; `None` when it was not analysed.
    pub(super) frames: Option<Arc<Frames>>,
    pub(super) repairs: Repairs,
    /// The module that the input is; `None` for other views.
    pub module: Option<Arc<dyn WritableModule>>,
    /// The grammar's tree of the whole input; `None` for other views, and when the parser gave up.
    pub(crate) parsed: Option<tree_sitter::Tree>,
    /// The stretches of tokens that are regular expressions, ascending: white space between such
    /// tokens would be a part of them.
    pub(crate) patterns: Vec<Range<usize>>,
    /// The tokens before which a list holds a text that always stays, ascending.
    pub(crate) pinned: Vec<usize>,
}

impl Document {
    /// Returns whether the input is a binary with parts.
    pub fn has_parts(&self) -> bool {
        (self.frames.as_ref()).is_some_and(|frames| !frames.is_empty())
    }

    /// Returns whether the input is a module that could be read.
    pub fn is_module(&self) -> bool {
        self.module.is_some()
    }

    /// Returns whether a candidate is worth a test: of a valid module, only valid ones are.
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        (self.module.as_ref()).is_none_or(|module| module.accepts(bytes))
    }

    /// Returns the tokens that a module does the same without, in classes, ascending.
    pub fn idle_tokens(&self) -> Vec<Vec<usize>> {
        let Some(module) = &self.module else {
            return Vec::new();
        };
        let idle = module.idle_units();
        let classes = [idle.labels, idle.variables, idle.values];
        let classes = classes.into_iter().map(|units| {
            let mut tokens: Vec<usize> = units.into_iter().flatten().collect();
            tokens.sort_unstable();
            tokens
        });
        classes.collect()
    }

    /// Returns the tree that this grammar makes of the whole input, if it was parsed.
    pub fn parsed(&self, language: &str) -> Option<&tree_sitter::Tree> {
        let is_parsed = matches!(self.view, View::Syntax(view) if view.name == language);
        self.parsed.as_ref().filter(|_| is_parsed)
    }

    /// Returns the input.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// Returns the view.
    #[must_use]
    pub fn view(&self) -> View {
        self.view
    }

    /// Returns the tree over the tokens.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Returns the field of a node in its parent, by the grammar's number; 0 when it has none.
    pub fn field(&self, node: NodeId) -> u16 {
        self.fields[node]
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the text of a token.
    pub fn token(&self, token: usize) -> &[u8] {
        &self.bytes[self.tokens[token].start as usize..self.tokens[token].end as usize]
    }

    /// Returns the text of a range of tokens with the gaps between them.
    pub fn text(&self, tokens: Range<usize>) -> &[u8] {
        &self.bytes[self.byte_range(tokens)]
    }

    /// Returns the tokens that these bytes are; `None` if they begin or end inside of one, or are
    /// none.
    pub fn tokens_between(&self, bytes: &Range<usize>) -> Option<Range<usize>> {
        let first = self
            .tokens
            .partition_point(|token| (token.start as usize) < bytes.start);
        let end = self
            .tokens
            .partition_point(|token| (token.end as usize) <= bytes.end);
        let is_whole = first < end && self.byte_range(first..end) == *bytes;
        is_whole.then_some(first..end)
    }

    /// Returns the tokens that have some of these bytes.
    pub fn tokens_in(&self, bytes: &Range<usize>) -> Range<usize> {
        let first = (self.tokens).partition_point(|token| token.end as usize <= bytes.start);
        let end = (self.tokens).partition_point(|token| (token.start as usize) < bytes.end);
        first..end.max(first)
    }

    /// Returns the bytes of a range of tokens with the gaps between them.
    pub fn byte_range(&self, tokens: Range<usize>) -> Range<usize> {
        if tokens.is_empty() {
            return 0..0;
        }
        self.tokens[tokens.start].start as usize..self.tokens[tokens.end - 1].end as usize
    }

    /// Returns whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns whether a token begins a counted token.
    pub fn starts_token(&self, token: usize) -> bool {
        u32::try_from(token).is_ok_and(|token| self.counted_starts.binary_search(&token).is_ok())
    }

    /// Returns the number of counted tokens of which `kept` holds at least one token. Proportional
    /// to the runs of kept tokens, but for a logarithm.
    #[must_use]
    pub fn count_tokens(&self, kept: &Subset) -> usize {
        let before = |limit: usize| {
            let starts = &self.counted_starts;
            starts.partition_point(|&start| (start as usize) < limit)
        };
        let (mut count, mut next) = (0, 0);
        for run in kept.runs() {
            // The token that the run begins in may have been counted.
            let first = before(run.start + 1).saturating_sub(1).max(next);
            let end = before(run.end);
            count += end.saturating_sub(first);
            next = end.max(next);
        }
        count
    }

    /// Returns every pair of matching delimiters, as the tokens of the opening and the closing one.
    #[must_use]
    pub fn delimiters(&self) -> Vec<(usize, usize)> {
        if self.view == View::NestedLines {
            return delimiters::pairs_of_lines(&self.bytes, &self.tokens);
        }
        let text = |token: &Range<u32>| &self.bytes[token.start as usize..token.end as usize];
        let partners = delimiters::partners(self.tokens.iter().map(text));
        let pairs = partners.iter().enumerate();
        pairs
            .filter_map(|(open, close)| Some((open, (*close)?)))
            .collect()
    }

    /// Returns the tokens of each text that occurs at least `least` times, those that are most
    /// bytes first, at most `most` of them.
    #[must_use]
    pub fn equal_tokens(&self, least: usize, most: usize) -> Vec<Vec<Range<usize>>> {
        let mut by_text: BTreeMap<&[u8], Vec<Range<usize>>> = BTreeMap::new();
        for token in 0..self.len() {
            let tokens = by_text.entry(self.token(token)).or_default();
            tokens.push(token..token + 1);
        }
        let mut groups: Vec<_> = by_text
            .into_iter()
            .filter(|(_, tokens)| tokens.len() >= least)
            .collect();
        groups.sort_by_key(|(text, tokens)| Reverse(text.len() * tokens.len()));
        groups.truncate(most);
        groups.into_iter().map(|(_, tokens)| tokens).collect()
    }

    /// Returns whether a token is the header of a file.
    pub fn is_header(&self, token: usize) -> bool {
        self.files.headers.binary_search(&token).is_ok()
    }

    /// Returns the first header after a token.
    pub(crate) fn header_after(&self, token: usize) -> Option<usize> {
        let after = self
            .files
            .headers
            .partition_point(|&header| header <= token);
        self.files.headers.get(after).copied()
    }

    /// Returns whether a node holds the whole text of a file.
    pub fn is_whole_file(&self, node: NodeId) -> bool {
        // The node of the text comes right after that of the file.
        let after = self.files.nodes.partition_point(|&file| file < node);
        after > 0 && self.files.nodes[after - 1].next() == node
    }

    /// Returns the files of a joined text: the node of each, and the token that is its header.
    pub fn files(&self) -> impl Iterator<Item = (NodeId, usize)> + '_ {
        let nodes = self.files.nodes.iter().copied();
        nodes.zip(self.files.headers.iter().copied())
    }

    /// Returns the gap before a token; for the number of tokens, the rest of the input.
    pub fn gap(&self, token: usize) -> &[u8] {
        let start = token
            .checked_sub(1)
            .map_or(0, |before| self.tokens[before].end as usize);
        let end = self
            .tokens
            .get(token)
            .map_or(self.bytes.len(), |token| token.start as usize);
        &self.bytes[start..end]
    }
}

#[cfg(all(test, feature = "lang-c"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tokens_of_a_frequent_text_are_equal_those_of_most_bytes_first() {
        let text = "aa b, aa b, aa c, b b";
        let document = Document::new(&text.as_bytes().into(), View::Blocks);
        let groups = |least, most| -> Vec<(String, usize)> {
            let groups = document.equal_tokens(least, most).into_iter();
            let shown = groups.map(|tokens| {
                let text = document.token(tokens[0].start);
                (String::from_utf8_lossy(text).into_owned(), tokens.len())
            });
            shown.collect()
        };
        let group = |text: &str, number| (text.to_owned(), number);
        assert_eq!(groups(3, 8), [group("aa", 3), group("b", 4), group(",", 3)]);
        assert_eq!(groups(4, 8), [group("b", 4)]);
        assert_eq!(groups(1, 1), [group("aa", 3)]);
    }

    proptest! {
        #[test]
        fn a_token_counts_once_however_many_of_its_words_are_kept(
            kept in prop::collection::vec(any::<bool>(), 64),
            cut in (0_usize..16, 0_usize..16),
        ) {
            let text = "/* a few words */ f(\"more words\", 1); // end of it\nint x = \"y z\"[0];";
            let c = Language::named("C").expect("the grammar is built");
            let document = Document::new(&text.as_bytes().into(), View::Syntax(c));
            let gone = (0..document.len()).filter(|&token| !kept[token % kept.len()]);
            let mut kept = Subset::full(document.len()).without(gone.map(|token| token..token + 1));
            kept.commit();
            let kept = kept.without([cut.0..cut.0 + cut.1]);
            let ends = document.counted_starts[1..].iter().copied();
            let ends = ends.map(|end| end as usize).chain([document.len()]);
            let tokens = document.counted_starts.iter().zip(ends);
            let counted = tokens.filter(|&(&start, end)| kept.any_in(start as usize..end)).count();
            prop_assert_eq!(document.count_tokens(&kept), counted);
        }
    }
}
