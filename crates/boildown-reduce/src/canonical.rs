//! The canonical form of a text: equal for texts that differ only in names, literals and layout.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use boildown_document::{Language, Parser, is_word, steps::at_once};
use tree_sitter::Node;

use crate::rewrite::is_keyword;

/// Returns the canonical form of a text in a language: its tokens without white space and comments,
/// with the names numbered in the order in which they first appear, and literals replaced by their
/// kinds. Names for which `is_fixed` returns true stay as they are.
///
/// Without a language, or if the text cannot be parsed, the form is that of its bytes.
///
/// # Guarantee
/// Two texts of a language have the same form exactly if their tokens are equal up to a one-to-one
/// renaming of the names that are not fixed, and up to literals of the same kind.
/// # Source
/// The idea is that of T-Rec: reduced test cases of the same bug are often equal once their names
/// and literals are canonical. T-Rec changes them where the property allows it. Here the reduction
/// does that too, and `is_fixed` is for the names that it could not change.
///
/// # Example
/// ```
/// use boildown_document::Language;
/// use boildown_reduce::canonical_form;
/// # let Some(c) = Language::named("c") else { return };
/// let form = |text: &[u8]| canonical_form(text, Some(c), &|_| false);
/// assert_eq!(form(b"int f(int a) { return a + 1; }"), form(b"int g(int b){return b+23;} // x"));
/// assert_ne!(form(b"int f(int a) { return a; }"), form(b"int f(int a) { return f; }"));
/// ```
#[must_use]
pub fn canonical_form(
    text: &[u8],
    language: Option<&'static Language>,
    is_fixed: &dyn Fn(&[u8]) -> bool,
) -> String {
    let parsed = language.and_then(|language| {
        let tree = at_once(Parser::new(language).parse(text))?;
        Some((language, tree))
    });
    let Some((language, tree)) = parsed else {
        return format!("bytes {}", text.escape_ascii());
    };
    let mut form = Form {
        text,
        language,
        is_fixed,
        names: BTreeMap::new(),
        written: language.name.to_owned(),
    };
    let mut cursor = tree.walk();
    loop {
        let descends = form.add(cursor.node());
        if descends && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return form.written;
            }
        }
    }
}

/// A form while it is written.
struct Form<'a> {
    text: &'a [u8],
    language: &'static Language,
    is_fixed: &'a dyn Fn(&[u8]) -> bool,
    /// The numbers of the names so far.
    names: BTreeMap<&'a [u8], usize>,
    written: String,
}

impl<'a> Form<'a> {
    /// Adds a node that is a token, and returns whether its children have to be added.
    fn add(&mut self, node: Node<'_>) -> bool {
        let text = &self.text[node.byte_range()];
        if node.is_extra() && node.kind().contains("comment") {
            return false;
        }
        if let Some(kind) = literal_kind(node, text) {
            // Marks are not ASCII, so no token of the text is written like one.
            write!(self.written, " ‹{kind}›").ok();
            return false;
        }
        if node.child_count() > 0 {
            return true;
        }
        let text = text.trim_ascii();
        if text.is_empty() {
            return false;
        }
        if self.is_name(node, text) {
            let next = self.names.len();
            let number = *self.names.entry(text).or_insert(next);
            write!(self.written, " ‹{number}›").ok();
        } else {
            let escaped = text.escape_ascii().to_string().replace(' ', "\\x20");
            write!(self.written, " {escaped}").ok();
        }
        false
    }

    fn is_name(&self, node: Node<'_>, text: &'a [u8]) -> bool {
        node.is_named()
            && !is_of_language(node)
            && text.iter().all(|&byte| is_word(byte))
            && !text[0].is_ascii_digit()
            && !is_keyword(self.language, text)
            && !(self.is_fixed)(text)
    }
}

/// Returns whether a node is a word of the language, such as a type.
fn is_of_language(node: Node<'_>) -> bool {
    ["keyword", "primitive", "predefined", "builtin"]
        .iter()
        .any(|part| node.kind().contains(part))
}

/// Returns the words of a text that belong to the language, as far as its grammar names them.
pub(crate) fn words_of_language<'a>(
    text: &'a [u8],
    language: &'static Language,
) -> BTreeSet<&'a [u8]> {
    let mut words = BTreeSet::new();
    let Some(tree) = at_once(Parser::new(language).parse(text)) else {
        return words;
    };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let word = &text[node.byte_range()];
        if node.child_count() == 0 && (is_of_language(node) || is_keyword(language, word)) {
            words.insert(word);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return words;
            }
        }
    }
}

/// Returns the kind of a literal, which is told by its first characters. `None` for another node,
/// and for a string with code in it.
fn literal_kind(node: Node<'_>, text: &[u8]) -> Option<&'static str> {
    let kind = node.kind();
    let is_literal = node.is_named()
        && [
            "string", "char", "number", "integer", "float", "numeric", "decimal", "literal",
        ]
        .iter()
        .any(|part| kind.contains(part));
    if !is_literal || has_code(node) {
        return None;
    }
    let unsigned = text
        .strip_prefix(b"-")
        .or(text.strip_prefix(b"+"))
        .unwrap_or(text);
    let unsigned = unsigned.strip_prefix(b".").unwrap_or(unsigned);
    if unsigned.first().is_some_and(u8::is_ascii_digit) {
        return Some("number");
    }
    // A prefix, as in u8"text" and r#"text"#.
    let quote = text.iter().take(4).find(|byte| !is_word(**byte));
    match quote {
        Some(b'\'') if kind.contains("char") => Some("character"),
        Some(b'"' | b'\'' | b'`' | b'#') if text.len() > 1 => Some("string"),
        _ => None,
    }
}

/// Returns whether a string holds expressions.
fn has_code(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| {
        ["interpolation", "substitution", "embedded", "expression"]
            .iter()
            .any(|part| child.kind().contains(part))
            || has_code(child)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static C: LazyLock<&'static Language> = LazyLock::new(|| Language::named("c").unwrap());

    fn form(text: &str, language: Option<&'static Language>) -> String {
        canonical_form(text.as_bytes(), language, &|_| false)
    }

    #[track_caller]
    fn check(left: &str, right: &str, are_equal: bool) {
        let [left_form, right_form] = [left, right].map(|text| form(text, Some(*C)));
        assert_eq!(
            left_form == right_form,
            are_equal,
            "{left}: {left_form}\n{right}: {right_form}"
        );
    }

    #[test]
    fn names_layout_comments_and_literals_make_no_difference() {
        check("int a = 1;", "int  xyz=0x7f; /* b */\n", true);
        check("char *s = \"a b\";", "char *t = \"\";", true);
        check("a(b, a);", "p(q, p);", true);
        check("int x = 'a';", "int x = '\\n';", true);
    }

    #[test]
    fn structure_keywords_and_the_use_of_names_make_a_difference() {
        check("a(b, a);", "p(q, q);", false);
        check("int a;", "long a;", false);
        check("if (a) b;", "while (a) b;", false);
        check("int a = 1;", "int a = \"1\";", false);
        check("int x = 'a';", "int x = 97;", false);
        check("a + b;", "a - b;", false);
        check("f();", "f(a);", false);
    }

    #[test]
    fn fixed_names_stay() {
        let fixed =
            |text: &str| canonical_form(text.as_bytes(), Some(*C), &|name| name.starts_with(b"__"));
        assert_eq!(fixed("a = __builtin_f(b);"), fixed("x = __builtin_f(y);"));
        assert_ne!(fixed("a = __builtin_f(b);"), fixed("a = __builtin_g(b);"));
    }

    #[test]
    fn the_form_of_a_text_in_no_language_is_its_bytes() {
        assert_eq!(form("a \u{7f}\n", None), "bytes a \\x7f\\n");
        assert_ne!(form("a", None), form("b", None));
    }

    /// A program over names with these numbers, and the text of its literals.
    fn program(tokens: &[Token], names: &dyn Fn(u8) -> String, literal: &str) -> String {
        let mut text = String::from("int main(void) {\n");
        for token in tokens {
            let statement = match token {
                Token::Assign(left, right) => format!("{} = {};", names(*left), names(*right)),
                Token::Number(left) => format!("{} = {literal};", names(*left)),
                Token::Call(function, argument) => {
                    format!("{}({});", names(*function), names(*argument))
                }
                Token::If(condition) => format!("if ({}) ;", names(*condition)),
            };
            text += &statement;
            text.push('\n');
        }
        text + "}\n"
    }

    #[derive(Debug, Clone, PartialEq)]
    enum Token {
        Assign(u8, u8),
        Number(u8),
        Call(u8, u8),
        If(u8),
    }

    fn token() -> impl Strategy<Value = Token> {
        let name = 0_u8..4;
        prop_oneof![
            (name.clone(), name.clone()).prop_map(|(left, right)| Token::Assign(left, right)),
            name.clone().prop_map(Token::Number),
            (name.clone(), name.clone()).prop_map(|(left, right)| Token::Call(left, right)),
            name.prop_map(Token::If),
        ]
    }

    /// Returns the statements with the names numbered by their first use: the definition of
    /// equality up to renaming.
    fn numbered(tokens: &[Token]) -> Vec<Token> {
        let mut order: Vec<u8> = Vec::new();
        let mut number = |name: &u8| {
            let found = order.iter().position(|known| known == name);
            u8::try_from(found.unwrap_or_else(|| {
                order.push(*name);
                order.len() - 1
            }))
            .unwrap()
        };
        let numbered = tokens.iter().map(|token| match token {
            Token::Assign(left, right) => {
                let left = number(left);
                Token::Assign(left, number(right))
            }
            Token::Number(left) => Token::Number(number(left)),
            Token::Call(function, argument) => {
                let function = number(function);
                Token::Call(function, number(argument))
            }
            Token::If(condition) => Token::If(number(condition)),
        });
        numbered.collect()
    }

    proptest! {
        #[test]
        fn forms_are_equal_exactly_if_the_texts_are_equal_up_to_renaming(
            left in proptest::collection::vec(token(), 0..5),
            right in proptest::collection::vec(token(), 0..5),
        ) {
            let left_text = program(&left, &|name| format!("x{name}"), "1");
            let right_text = program(&right, &|name| format!("other_{}", 9 - name), "2.5e3");
            let are_equal = form(&left_text, Some(*C)) == form(&right_text, Some(*C));
            prop_assert_eq!(are_equal, numbered(&left) == numbered(&right));
        }

        #[test]
        fn a_renamed_text_has_the_same_form(
            tokens in proptest::collection::vec(token(), 0..20),
            offset in 0_u8..50,
        ) {
            let text = program(&tokens, &|name| format!("n{name}"), "7");
            let renamed = program(&tokens, &|name| format!("m{}", name + offset), "'c'");
            let same = program(&tokens, &|name| format!("m{}", name + offset), "70");
            prop_assert_eq!(form(&text, Some(*C)), form(&same, Some(*C)));
            let has_number = tokens.iter().any(|token| matches!(token, Token::Number(_)));
            prop_assert_eq!(form(&text, Some(*C)) == form(&renamed, Some(*C)), !has_number);
        }

        #[test]
        fn any_text_has_a_form(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            prop_assert!(!canonical_form(&bytes, Some(*C), &|_| false).is_empty());
            prop_assert!(!canonical_form(&bytes, None, &|_| true).is_empty());
        }
    }
}
