//! Classes of tokens, for their colours: comments, strings, keywords and so on.

use std::ops::Range;

use tree_sitter::Node;

use crate::Language;
use crate::parse::Parser;
use crate::steps::at_once;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenClass {
    /// A comment.
    Comment,
    /// A string or a character.
    Text,
    /// A number.
    Number,
    /// A word of the language.
    Keyword,
    /// The name of a type.
    Type,
    /// Punctuation.
    Sign,
}

/// A token with its class. A string or a comment is one token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifiedToken {
    /// Its bytes.
    pub bytes: Range<usize>,
    /// What it is.
    pub class: TokenClass,
}

impl Language {
    /// Returns the tokens of a text that have a class, in ascending order. Names have none, nor do
    /// tokens of nested languages. Empty when the parser exceeded its limit of steps.
    ///
    /// The class follows from the kind of the node in the grammar: `line_comment` is a comment,
    /// `string_literal` a string, an unnamed node that begins with a letter a keyword.
    ///
    /// # Cost
    /// A parse.
    #[must_use]
    pub fn classify(&self, text: &[u8]) -> Vec<ClassifiedToken> {
        let mut tokens = Vec::new();
        let Some(tree) = at_once(Parser::new(self).parse(text)) else {
            return tokens;
        };
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let whole = class_of_whole(node);
            if whole.is_none() && cursor.goto_first_child() {
                continue;
            }
            let bytes = node.byte_range();
            let class = whole.or_else(|| class_of_leaf(node, text.get(bytes.clone())?));
            tokens.extend(class.map(|class| ClassifiedToken { bytes, class }));
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return tokens;
                }
            }
        }
    }
}

/// Returns the class of a node whose children have none of their own.
fn class_of_whole(node: Node<'_>) -> Option<TokenClass> {
    if !node.is_named() || node.has_error() {
        return None;
    }
    let kind = node.kind();
    match kind {
        _ if kind.contains("comment") => Some(TokenClass::Comment),
        "char" | "character" => Some(TokenClass::Text),
        _ if kind.contains("string") || kind.contains("char_literal") => Some(TokenClass::Text),
        _ => None,
    }
}

fn class_of_leaf(node: Node<'_>, text: &[u8]) -> Option<TokenClass> {
    let kind = node.kind();
    let first = *text.first()?;
    match first {
        b'0'..=b'9' if node.is_named() => Some(TokenClass::Number),
        _ if node.is_named() && kind.contains("type") => Some(TokenClass::Type),
        // Such as `true` and `null`.
        _ if node.is_named() => (kind.as_bytes() == text).then_some(TokenClass::Keyword),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'#' | b'@' => Some(TokenClass::Keyword),
        _ if first.is_ascii_punctuation() => Some(TokenClass::Sign),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, text: &str, expected: &[(&str, TokenClass)]) {
        let language = Language::named(language).unwrap();
        let tokens = language.classify(text.as_bytes());
        let tokens: Vec<_> = (tokens.iter())
            .map(|token| (&text[token.bytes.clone()], token.class))
            .filter(|(_, class)| *class != TokenClass::Sign)
            .collect();
        assert_eq!(tokens, expected);
    }

    #[test]
    fn tokens_of_c_and_json_have_classes() {
        use TokenClass::{Comment, Keyword, Number, Text, Type};
        check(
            "C",
            "struct s { int a; }; // one\nchar *f(void) { return \"x\" + 23; }",
            &[
                ("struct", Keyword),
                ("s", Type),
                ("int", Type),
                ("// one", Comment),
                ("char", Type),
                ("void", Type),
                ("return", Keyword),
                ("\"x\"", Text),
                ("23", Number),
            ],
        );
        check(
            "JSON",
            "{\"a\": [1, null, true]}",
            &[
                ("\"a\"", Text),
                ("1", Number),
                ("null", Keyword),
                ("true", Keyword),
            ],
        );
    }

    #[test]
    fn tokens_are_in_order_and_inside_the_text() {
        let language = Language::named("C").unwrap();
        let text = "int f( { \u{1b}[2J \" ) } } 日本 /* ";
        let tokens = language.classify(text.as_bytes());
        assert!(tokens.is_sorted_by(|one, next| one.bytes.end <= next.bytes.start));
        assert!(tokens.iter().all(|token| token.bytes.end <= text.len()));
    }
}
