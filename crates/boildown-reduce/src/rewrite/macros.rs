//! Macros by example, as of Rust: each call becomes what the macro stands for, and the definition
//! goes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use boildown_document::{Document, Language, is_word};
use boildown_search::tree::NodeId;

use super::arguments::operand;
use super::built_in::{BuiltIn, BuiltIns};
use crate::edit::Edit;
use crate::symbols::parents;

/// Returns whether a language has such macros.
pub(crate) fn has_macros(language: &Language) -> bool {
    language
        .grammar()
        .id_for_node_kind("macro_definition", true)
        != 0
}

impl BuiltIns<'_> {
    /// Proposes for each macro to expand all of its calls. What a macro stands for is a list of
    /// tokens to the grammar, and a part of the tree where it is called.
    pub(super) fn macros(&mut self, language: &'static Language) {
        for edits in expansions(self.document, language) {
            self.add(BuiltIn::Expanded, edits);
        }
    }
}

/// Returns for each macro the edits that expand its calls and delete its definition.
fn expansions(document: &Document, language: &'static Language) -> Vec<Vec<Edit>> {
    let grammar = language.grammar();
    let tree = document.tree();
    let kind = |name| grammar.id_for_node_kind(name, true);
    let [definition, rule, call] = ["macro_definition", "macro_rule", "macro_invocation"].map(kind);
    if definition == 0 || document.is_empty() {
        return Vec::new();
    }
    let source = MacroSource {
        document,
        grammar: &grammar,
    };
    let parents = parents(tree);
    let of_kind = |kind: u16| {
        let nodes = tree.nodes.enumerate();
        nodes.filter(move |(_, node)| node.kind == kind)
    };
    let calls: Vec<NodeId> = of_kind(call).map(|(id, _)| id).collect();
    let definitions = of_kind(definition).filter_map(|(id, _)| {
        // A definition with attributes is in a node of the same kind.
        let outer = parents[id];
        let whole = match tree.nodes[outer].kind == definition {
            true => outer,
            false => id,
        };
        let name = source.name_after(id, b"macro_rules!")?;
        let rules = tree
            .children(id)
            .filter(|&part| tree.nodes[part].kind == rule);
        let rules: Option<Vec<MacroRule<'_>>> = rules.map(|rule| source.rule(rule)).collect();
        let calls: Vec<NodeId> = (calls.iter().copied())
            .filter(|&call| document.token(tree.nodes[call].tokens().start) == name)
            .collect();
        // It may be called by another macro, or by itself.
        let is_mention = |token: &usize| document.token(*token) == name;
        if (0..document.len()).filter(is_mention).count() != calls.len() + 1 {
            return None;
        }
        let rules = rules?;
        let edits = calls
            .iter()
            .map(|&call| source.expand(&rules, call, parents[call]));
        let mut edits: Vec<Edit> = edits.collect::<Option<_>>()?;
        edits.push(Edit::new(&tree.nodes[whole].tokens(), *b""));
        Some(edits)
    });
    definitions.collect()
}

/// A rule: what is called, and what this stands for.
struct MacroRule<'a> {
    pattern: Vec<Part<'a>>,
    body: Vec<Part<'a>>,
}

/// A part of a pattern or a body.
struct Part<'a> {
    tokens: Range<usize>,
    kind: PartKind<'a>,
}

enum PartKind<'a> {
    Token,
    /// `$a`, and in a pattern `$a:expr`.
    Variable {
        name: &'a [u8],
        fragment: &'a [u8],
    },
    /// `$crate`.
    Crate,
    /// `$( … ),*`.
    Repeated {
        parts: Vec<Part<'a>>,
        separator: Option<usize>,
        is_once: bool,
    },
}

/// What the variables of a pattern stand for in a call.
#[derive(Default)]
struct Matched<'a> {
    texts: BTreeMap<&'a [u8], (Range<usize>, &'a [u8])>,
    /// For each repetition, its variables and each time.
    repeated: Vec<(BTreeSet<&'a [u8]>, Vec<Self>)>,
}

/// A program that defines macros.
struct MacroSource<'a> {
    document: &'a Document,
    grammar: &'a tree_sitter::Language,
}

impl<'a> MacroSource<'a> {
    /// Returns the name after a token of a node.
    fn name_after(&self, node: NodeId, token: &[u8]) -> Option<&'a [u8]> {
        let mut tokens = self.document.tree().nodes[node].tokens();
        tokens.find(|&other| self.document.token(other) == token)?;
        Some(self.document.token(tokens.next()?))
    }

    fn rule(&self, rule: NodeId) -> Option<MacroRule<'a>> {
        let tree = self.document.tree();
        let field = |name: &str| {
            let field = self.grammar.field_id_for_name(name).map_or(0, u16::from);
            let mut parts = tree.children(rule);
            let part = parts.find(|&part| self.document.field(part) == field)?;
            let tokens = tree.nodes[part].tokens();
            (tokens.len() >= 2).then(|| tokens.start + 1..tokens.end - 1)
        };
        Some(MacroRule {
            pattern: self.parts(field("left")?, true)?,
            body: self.parts(field("right")?, false)?,
        })
    }

    /// Divides a pattern or a body.
    fn parts(&self, tokens: Range<usize>, is_pattern: bool) -> Option<Vec<Part<'a>>> {
        let mut parts = Vec::new();
        let mut at = tokens.start;
        while at < tokens.end {
            let next = |ahead: usize| {
                let token = at + ahead;
                (token < tokens.end).then(|| self.document.token(token))
            };
            let (length, kind) = match (self.document.token(at), next(1)) {
                (b"$", Some(b"(")) => self.repetition(at, tokens.end, is_pattern)?,
                (b"$", Some(b"crate")) => (2, PartKind::Crate),
                (b"$", Some(name)) if name.first().is_some_and(|&byte| is_word(byte)) => {
                    match (is_pattern, next(2), next(3)) {
                        (true, Some(b":"), Some(fragment)) => {
                            (4, PartKind::Variable { name, fragment })
                        }
                        (true, ..) => return None,
                        (false, ..) => (
                            2,
                            PartKind::Variable {
                                name,
                                fragment: b"",
                            },
                        ),
                    }
                }
                (b"$", _) => return None,
                // What a macro defines may be called where it is.
                (b"macro_rules" | b"macro_rules!", _) => return None,
                _ => (1, PartKind::Token),
            };
            parts.push(Part {
                tokens: at..at + length,
                kind,
            });
            at += length;
        }
        Some(parts)
    }

    /// Returns the repetition that begins at a token, and its length.
    fn repetition(&self, at: usize, end: usize, is_pattern: bool) -> Option<(usize, PartKind<'a>)> {
        let close = self.end_of_group(at + 1, end)?;
        let parts = self.parts(at + 2..close - 1, is_pattern)?;
        let is_operator =
            |token: usize| token < end && matches!(self.document.token(token), b"*" | b"+" | b"?");
        let separator = (!is_operator(close)).then_some(close);
        let operator = close + usize::from(separator.is_some());
        if !is_operator(operator) {
            return None;
        }
        let kind = PartKind::Repeated {
            parts,
            separator,
            is_once: self.document.token(operator) == b"?",
        };
        Some((operator + 1 - at, kind))
    }

    /// Returns the end of the group of brackets that begins at a token, or of that token.
    fn end_of_group(&self, at: usize, end: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for token in at..end {
            match self.document.token(token) {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(token + 1);
            }
        }
        None
    }

    /// Returns the edit that expands a call.
    fn expand(&self, rules: &[MacroRule<'a>], call: NodeId, parent: NodeId) -> Option<Edit> {
        let tree = self.document.tree();
        let tokens = tree.nodes[call].tokens();
        let open = tokens.clone().nth(2)?;
        let arguments = open + 1..tokens.end.checked_sub(1)?;
        let mut found = rules.iter().filter_map(|rule| {
            let mut matched = Matched::default();
            let end = self.matches(&rule.pattern, arguments.clone(), &[], &mut matched)?;
            (end == arguments.end).then_some((rule, matched))
        });
        let (rule, matched) = found.next()?;
        let mut text = Vec::new();
        self.write(&rule.body, &[&matched], &mut text)?;
        let parent_kind = self.grammar.node_kind_for_id(tree.nodes[parent].kind);
        Some(match parent_kind.unwrap_or_default() {
            "expression_statement" => {
                let is_item = tree.children(NodeId::ROOT).any(|item| item == parent);
                if !is_item && !text.trim_ascii_end().ends_with(b";") {
                    text.push(b';');
                }
                Edit::new(&tree.nodes[parent].tokens(), text)
            }
            "source_file" | "declaration_list" | "block" => Edit::new(&tokens, text),
            _ if text.contains(&b';') => Edit::new(&tokens, [b"{ ", &text[..], b" }"].concat()),
            _ => Edit::new(&tokens, operand(text)),
        })
    }

    /// Matches a pattern with tokens; returns the end of what it matches. After it comes one of
    /// `stops`.
    fn matches(
        &self,
        pattern: &[Part<'a>],
        tokens: Range<usize>,
        stops: &[&[u8]],
        matched: &mut Matched<'a>,
    ) -> Option<usize> {
        let mut at = tokens.start;
        for (index, part) in pattern.iter().enumerate() {
            let next = pattern.get(index + 1);
            let next = next.filter(|next| matches!(next.kind, PartKind::Token));
            let next = next.map(|next| [self.document.token(next.tokens.start)]);
            let stops = next.as_ref().map_or(stops, |next| &next[..]);
            let rest = at..tokens.end;
            at = match &part.kind {
                PartKind::Token => {
                    let is_same = !rest.is_empty()
                        && self.document.token(at) == self.document.token(part.tokens.start);
                    is_same.then_some(at + 1)?
                }
                PartKind::Variable { name, fragment } => {
                    let end = self.end_of_fragment(rest, fragment, stops)?;
                    matched.texts.insert(name, (at..end, fragment));
                    end
                }
                PartKind::Repeated {
                    parts,
                    separator,
                    is_once,
                } => {
                    let separator = separator.map(|token| self.document.token(token));
                    let mut times = Vec::new();
                    let after: Vec<&[u8]> = separator.iter().chain(stops).copied().collect();
                    let most = if *is_once { 1 } else { usize::MAX };
                    let end = self.repeat(parts, rest, separator, &after, most, &mut times);
                    matched.repeated.push((variables(parts), times));
                    end
                }
                PartKind::Crate => return None,
            };
        }
        Some(at)
    }

    /// Matches a repetition as often as possible; returns the end of what it matches.
    fn repeat(
        &self,
        parts: &[Part<'a>],
        tokens: Range<usize>,
        separator: Option<&[u8]>,
        stops: &[&[u8]],
        most: usize,
        times: &mut Vec<Matched<'a>>,
    ) -> usize {
        let mut at = tokens.start;
        while at < tokens.end && times.len() < most {
            let start = match separator {
                Some(separator) if !times.is_empty() => {
                    if self.document.token(at) != separator {
                        break;
                    }
                    at + 1
                }
                _ => at,
            };
            let mut matched = Matched::default();
            match self.matches(parts, start..tokens.end, stops, &mut matched) {
                Some(end) if end > start => {
                    times.push(matched);
                    at = end;
                }
                _ => break,
            }
        }
        at
    }

    /// Returns the end of a fragment, such as an expression, at the beginning of tokens.
    fn end_of_fragment(
        &self,
        tokens: Range<usize>,
        fragment: &[u8],
        stops: &[&[u8]],
    ) -> Option<usize> {
        if tokens.is_empty() {
            return (fragment == b"vis").then_some(tokens.end);
        }
        let first = self.document.token(tokens.start);
        match fragment {
            b"ident" => (first.iter().all(|&byte| is_word(byte))).then_some(tokens.start + 1),
            b"tt" => self.end_of_group(tokens.start, tokens.end),
            _ => {
                let mut at = tokens.start;
                let mut angles = 0_usize;
                while at < tokens.end {
                    let token = self.document.token(at);
                    if angles == 0 && stops.contains(&token) {
                        break;
                    }
                    match token {
                        b"<" if fragment == b"ty" => angles += 1,
                        b">" if fragment == b"ty" => angles = angles.saturating_sub(1),
                        _ => {}
                    }
                    at = self.end_of_group(at, tokens.end)?;
                }
                (at > tokens.start || fragment == b"vis").then_some(at)
            }
        }
    }

    /// Writes what a body stands for. The variables of inner repetitions come last.
    fn write(&self, body: &[Part<'a>], matched: &[&Matched<'a>], text: &mut Vec<u8>) -> Option<()> {
        let mut before: Option<usize> = None;
        for part in body {
            if let Some(before) = before {
                text.extend(self.gap(before, part.tokens.start));
            }
            before = Some(part.tokens.end - 1);
            match &part.kind {
                PartKind::Token => text.extend(self.document.token(part.tokens.start)),
                PartKind::Crate => text.extend(b"crate"),
                PartKind::Variable { name, .. } => {
                    let mut inner_first = matched.iter().rev();
                    let (tokens, fragment) =
                        inner_first.find_map(|matched| matched.texts.get(name))?;
                    let value = match tokens.is_empty() {
                        true => Vec::new(),
                        false => self.document.text(tokens.clone()).to_vec(),
                    };
                    match *fragment {
                        b"expr" => text.extend(operand(value)),
                        _ => text.extend(value),
                    }
                }
                PartKind::Repeated {
                    parts, separator, ..
                } => {
                    let own = variables(parts);
                    let mut repeated = matched.iter().rev().flat_map(|one| &one.repeated);
                    let (_, times) = repeated.find(|(of, _)| !of.is_disjoint(&own))?;
                    for (index, time) in times.iter().enumerate() {
                        if index > 0 {
                            text.extend(separator.map_or(&b""[..], |one| self.document.token(one)));
                            text.push(b' ');
                        }
                        let inner: Vec<&Matched<'a>> =
                            matched.iter().copied().chain([time]).collect();
                        self.write(parts, &inner, text)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Returns the text between two neighbouring tokens.
    fn gap(&self, before: usize, after: usize) -> &'a [u8] {
        let text = self.document.text(before..after + 1);
        let tokens = [before, after].map(|token| self.document.token(token).len());
        &text[tokens[0]..text.len() - tokens[1]]
    }
}

/// Returns the variables in parts of a pattern or a body.
fn variables<'a>(parts: &[Part<'a>]) -> BTreeSet<&'a [u8]> {
    let mut found = BTreeSet::new();
    for part in parts {
        match &part.kind {
            PartKind::Variable { name, .. } => found.extend([*name]),
            PartKind::Repeated { parts, .. } => found.extend(variables(parts)),
            PartKind::Token | PartKind::Crate => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduced_text::program_in;
    use crate::rewrite::proposal::text_after;

    /// Returns the words of a program in which the only macro is expanded.
    fn expanded(text: &str) -> Option<String> {
        let (document, rust) = program_in("Rust", text);
        let edits = expansions(&document, rust).into_iter().next()?;
        Some(text_after(&document, edits))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(expanded(text).as_deref(), Some(expected));
    }

    #[test]
    fn a_function_that_a_macro_defines_takes_the_place_of_the_call() {
        check(
            "#[macro_use] macro_rules! m { ($n:ident => $t:ty) => { fn $n(a: $t) -> $t { a } }; } \
             m!(f => Vec<u8, B>); m! { g => u8 }",
            "fn f(a: Vec<u8, B>) -> Vec<u8, B> { a } fn g(a: u8) -> u8 { a }",
        );
    }

    #[test]
    fn a_repetition_is_written_as_often_as_it_matches() {
        check(
            "macro_rules! m { ($($t:ty: $($v:expr),+);*) => { $(impl A for $t { $(b!($v);)* })* }; } \
             m!(u8: 1, 2 + 3; u16: f(4, 5));",
            "impl A for u8 { b!(1); b!((2 + 3)); } impl A for u16 { b!(f(4, 5)); }",
        );
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        check(
            "macro_rules! m { (a $b:ident) => { $b }; ($($b:tt)*) => { $crate::c($($b)*) } } \
             fn f() -> u8 { m!(a d); g(m!((e) + 1)) }",
            "fn f() -> u8 { d; g( (crate::c((e) + 1)) ) }",
        );
    }

    #[test]
    fn several_statements_in_an_expression_get_braces() {
        check(
            "macro_rules! m { ($a:expr) => { let b = $a; b } } fn f() -> u8 { g(m!(1)) }",
            "fn f() -> u8 { g( { let b = 1; b } ) }",
        );
    }

    #[test]
    fn a_macro_that_is_called_by_a_macro_stays() {
        assert_eq!(
            expanded("macro_rules! m { () => { 1 }; (a) => { m!() } } fn f() { m!(a); }"),
            None
        );
        let text = "macro_rules! m { () => { 1 } } fn f() { println!(\"{}\", m!()); }";
        assert_eq!(expanded(text), None);
    }
}
