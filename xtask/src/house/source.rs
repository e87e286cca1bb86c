//! Rust files, cut into tokens, comments and strings by a real parser.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr as _;

use anyhow::{Context as _, Result, anyhow};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use crate::checkout::WrittenFile;

/// A token of Rust, without its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// An identifier or keyword.
    Ident(String),
    /// One character of punctuation, brackets included.
    Punct(char),
    /// A string, character or number.
    Literal,
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub struct Token {
    /// Token without its position.
    pub word: Word,
    /// Bytes of the file that it covers.
    pub range: Range<usize>,
}

impl Token {
    fn new(word: Word, span: Span) -> Self {
        let range = span.byte_range();
        Self { word, range }
    }
}

/// The part of a file that a comment documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentKind {
    /// `//!` or `/*!`.
    ModuleDoc,
    /// `///` or `/**`.
    ItemDoc,
    /// `//` or `/*`.
    Plain,
}

/// A comment of one line, or a block comment.
#[derive(Debug, Clone)]
pub struct Comment {
    /// What it documents.
    pub kind: CommentKind,
    /// Bytes of the file that it covers, its slashes included.
    pub range: Range<usize>,
}

/// A parsed Rust file.
pub struct RustFile {
    /// Path relative to the top of the checkout.
    pub path: PathBuf,
    /// Content.
    pub text: String,
    /// Comments in order.
    pub comments: Vec<Comment>,
    /// Bytes that string, character and number literals cover, in order.
    pub literals: Vec<Range<usize>>,
    /// Items of the file.
    pub syntax: syn::File,
    /// Offset at which each line starts.
    line_starts: Vec<usize>,
}

impl fmt::Debug for RustFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RustFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl RustFile {
    /// Parses a file.
    ///
    /// # Errors
    /// A text that is not Rust.
    pub fn parse(file: &WrittenFile) -> Result<Self> {
        let path = &file.path;
        let stream = TokenStream::from_str(&file.text)
            .map_err(|error| anyhow!("read {} as Rust: {error}", path.display()))?;
        let tokens = flatten(stream.clone());
        let syntax =
            syn::parse2(stream).with_context(|| format!("parse {} as Rust", path.display()))?;
        let literals = tokens
            .iter()
            .filter(|token| token.word == Word::Literal && !is_comment(&file.text, &token.range))
            .map(|token| token.range.clone())
            .collect();
        let newlines = file.text.match_indices('\n').map(|(index, _)| index + 1);
        Ok(Self {
            path: file.path.clone(),
            comments: comments(&file.text, &tokens),
            literals,
            syntax,
            line_starts: std::iter::once(0).chain(newlines).collect(),
            text: file.text.clone(),
        })
    }

    /// Returns the number of the line that holds the byte at `offset`, counted from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// Returns `path:line` of the byte at `offset`.
    pub fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path.display(), self.line(offset))
    }

    /// Returns whether the byte at `offset` is part of a comment.
    fn is_in_comment(&self, offset: usize) -> bool {
        let next = self
            .comments
            .partition_point(|comment| comment.range.start <= offset);
        let before = next.checked_sub(1).map(|index| &self.comments[index]);
        before.is_some_and(|comment| comment.range.contains(&offset))
    }

    /// Returns the numbers of the lines that hold a token of `stream`, comments left out.
    pub fn lines_of(&self, stream: TokenStream) -> BTreeSet<usize> {
        flatten(stream)
            .iter()
            .filter(|token| !self.is_in_comment(token.range.start))
            .flat_map(|token| self.line(token.range.start)..=self.line(token.range.end))
            .collect()
    }
}

/// Returns the tokens of a stream in order, with an opening and a closing token for each group.
pub fn flatten(stream: TokenStream) -> Vec<Token> {
    let mut tokens = Vec::new();
    push_flat(stream, &mut tokens);
    tokens
}

fn push_flat(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let (word, span) = match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ('(', ')'),
                    Delimiter::Brace => ('{', '}'),
                    Delimiter::Bracket => ('[', ']'),
                    Delimiter::None => {
                        push_flat(group.stream(), tokens);
                        continue;
                    }
                };
                tokens.push(Token::new(Word::Punct(open), group.span_open()));
                push_flat(group.stream(), tokens);
                (Word::Punct(close), group.span_close())
            }
            TokenTree::Ident(ident) => (Word::Ident(ident.to_string()), ident.span()),
            TokenTree::Punct(punct) => (Word::Punct(punct.as_char()), punct.span()),
            TokenTree::Literal(literal) => (Word::Literal, literal.span()),
        };
        tokens.push(Token::new(word, span));
    }
}

/// Returns whether a token stands for a doc comment: the parser turns `/// text` into
/// `#[doc = "text"]`, and each of these tokens covers the whole comment.
fn is_comment(text: &str, range: &Range<usize>) -> bool {
    let covered = &text[range.clone()];
    covered.starts_with("//") || covered.starts_with("/*")
}

/// Returns all comments: those that are tokens, and those between tokens.
fn comments(text: &str, tokens: &[Token]) -> Vec<Comment> {
    let mut comments = Vec::new();
    let mut end = 0;
    for token in tokens {
        if token.range.start < end {
            continue;
        }
        comments_between_tokens(text, end..token.range.start, &mut comments);
        if is_comment(text, &token.range) {
            push_comment(text, token.range.clone(), &mut comments);
        }
        end = token.range.end;
    }
    comments_between_tokens(text, end..text.len(), &mut comments);
    comments
}

fn comments_between_tokens(text: &str, gap: Range<usize>, comments: &mut Vec<Comment>) {
    let mut start = gap.start;
    while let Some(found) = text[start..gap.end].find('/') {
        start += found;
        let rest = &text[start..gap.end];
        let length = if rest.starts_with("/*") {
            block_comment_length(rest)
        } else {
            rest.find('\n').unwrap_or(rest.len())
        };
        push_comment(text, start..start + length, comments);
        start += length;
    }
}

/// Returns the length of a block comment, with those nested in it.
fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut index = 0;
    while index < text.len() {
        let rest = &text.as_bytes()[index..];
        if rest.starts_with(b"/*") {
            depth += 1;
            index += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            index += 2;
            if depth == 0 {
                break;
            }
        } else {
            index += 1;
        }
    }
    index
}

fn push_comment(text: &str, range: Range<usize>, comments: &mut Vec<Comment>) {
    let covered = &text[range.clone()];
    let kind = if covered.starts_with("//!") || covered.starts_with("/*!") {
        CommentKind::ModuleDoc
    } else if covered.starts_with("///") || covered.starts_with("/**") {
        CommentKind::ItemDoc
    } else {
        CommentKind::Plain
    };
    comments.push(Comment { kind, range });
}

/// Returns whether attributes leave an item to tests: `#[test]`, or a `cfg` that names `test` and
/// does not negate it.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return attribute.path().is_ident("test");
        };
        list.path.is_ident("cfg") && {
            let condition = list.tokens.to_string();
            condition == "test"
                || condition.starts_with("all (test")
                || condition.starts_with("all(test")
        }
    })
}

/// Parses a text as a file of that path.
#[cfg(test)]
pub(super) fn parse_example(path: &str, text: &str) -> RustFile {
    let file = WrittenFile {
        path: PathBuf::from(path),
        text: text.to_owned(),
    };
    RustFile::parse(&file).expect("the example is Rust")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> RustFile {
        parse_example("a.rs", text)
    }

    #[test]
    fn comments_are_told_from_strings() {
        let file = parse(
            "//! é Doc.\nconst A: &str = \"// no\\n/* no */\"; // yes\n/* a /* b */ c */\n\
             /// Item.\nfn f() {\n    // Plain.\n    let _ = 1 / 2;\n}\n// Last.",
        );
        let found: Vec<(CommentKind, &str)> = file
            .comments
            .iter()
            .map(|comment| (comment.kind, &file.text[comment.range.clone()]))
            .collect();
        assert_eq!(
            found,
            [
                (CommentKind::ModuleDoc, "//! é Doc."),
                (CommentKind::Plain, "// yes"),
                (CommentKind::Plain, "/* a /* b */ c */"),
                (CommentKind::ItemDoc, "/// Item."),
                (CommentKind::Plain, "// Plain."),
                (CommentKind::Plain, "// Last."),
            ]
        );
        assert_eq!(file.literals.len(), 3);
        assert_eq!(file.place(file.comments[5].range.start), "a.rs:9");
    }

    #[test]
    fn items_for_tests_are_recognised() {
        let file = parse("#[cfg(test)] mod a {}\n#[cfg(not(test))] mod b {}\n#[test] fn c() {}");
        let for_tests = |item: &syn::Item| match item {
            syn::Item::Mod(item) => is_for_tests(&item.attrs),
            syn::Item::Fn(item) => is_for_tests(&item.attrs),
            _ => false,
        };
        let found: Vec<bool> = file.syntax.items.iter().map(for_tests).collect();
        assert_eq!(found, [true, false, true]);
    }
}
