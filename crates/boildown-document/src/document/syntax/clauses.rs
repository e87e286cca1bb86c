//! Statements of SQL in a dialect that the grammar does not know: their clauses and the elements of
//! lists.
//!
//! The dialects differ in what a clause may contain, hardly in how a statement is divided. In
//! `SELECT a, b FROM t ASOF JOIN u USING (k)`, which does not parse, the clauses begin with
//! `SELECT`, `FROM` and `JOIN`, and the first has a list of two elements. What is in brackets is
//! parsed alone, and divided in turn if it does not parse.

use std::ops::Range;

use super::division::Division;
use super::reader::{Context, Grammar, SyntaxReader};
use super::statements::DEEPEST;
use crate::document::builder::NodePosition;
use crate::document::kinds::{CLAUSE, ERROR, UNPARSED};
use crate::document::words::is_word;
use crate::steps::Computation;

/// The words that begin a clause.
#[rustfmt::skip]
const CLAUSES: [&str; 28] = [
    "CROSS", "EXCEPT", "FETCH", "FROM", "FULL", "GROUP", "HAVING", "INNER", "INTERSECT", "INTO",
    "JOIN", "LEFT", "LIMIT", "NATURAL", "OFFSET", "ON", "ORDER", "QUALIFY", "RETURNING", "RIGHT",
    "SELECT", "SET", "UNION", "USING", "VALUES", "WHERE", "WINDOW", "WITH",
];

/// The words that may stand before the word of a clause, and then begin it.
const BEFORE: [&str; 6] = ["CROSS", "FULL", "INNER", "LEFT", "NATURAL", "RIGHT"];

/// Other words that are no names where they stand without a qualifier.
#[rustfmt::skip]
const WORDS: [&str; 48] = [
    "ALL", "ALTER", "AND", "AS", "ASC", "BEGIN", "BETWEEN", "BY", "CASE", "CREATE", "DEFAULT",
    "DELETE", "DESC", "DISTINCT", "DROP", "ELSE", "END", "EXISTS", "EXPLAIN", "FALSE", "FUNCTION",
    "IF", "IN", "INDEX", "INSERT", "IS", "LIKE", "MACRO", "MATERIALIZED", "NOT", "NULL", "OR",
    "OUTER", "OVER", "PROCEDURE", "RECURSIVE", "REPLACE", "SCHEMA", "SEQUENCE", "TABLE", "TEMP",
    "TEMPORARY", "THEN", "TRIGGER", "TRUE", "TYPE", "UNIQUE", "UPDATE",
];

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    (words.iter()).any(|one| word.eq_ignore_ascii_case(one.as_bytes()))
}

impl SyntaxReader<'_> {
    /// Reads a statement, or what is in brackets, clause by clause.
    pub(super) fn read_clauses<'f>(
        &'f mut self,
        division: &'f Division<'_>,
        tokens: Range<usize>,
        grammar: &'f Grammar,
        context: Context,
    ) -> Computation<'f, ()> {
        Box::pin(async move {
            let is_statement = context.divided == 1;
            let kind = if is_statement { UNPARSED } else { CLAUSE };
            let last = tokens.clone().last();
            let semicolon = last.filter(|&last| is_statement && division.text(last) == b";");
            self.open_part(kind, context);
            let clauses = clauses(division, tokens.start..semicolon.unwrap_or(tokens.end));
            for clause in &clauses {
                if clauses.len() > 1 {
                    self.open_part(CLAUSE, context);
                }
                self.read_clause(division, clause.clone(), grammar, context)
                    .await;
                if clauses.len() > 1 {
                    self.builder.close();
                }
            }
            self.builder.close();
            if let Some(semicolon) = semicolon {
                self.read_separator(division, semicolon);
            }
        })
    }

    /// Reads the words that a clause begins with, and its list.
    async fn read_clause(
        &mut self,
        division: &Division<'_>,
        tokens: Range<usize>,
        grammar: &Grammar,
        context: Context,
    ) {
        let is_word = |at: &usize| {
            is_one_of(division.text(*at), &CLAUSES) || is_one_of(division.text(*at), &WORDS)
        };
        let start = tokens.clone().find(|at| !is_word(at)).unwrap_or(tokens.end);
        self.read_parts(division, tokens.start..start, grammar, context)
            .await;
        let (elements, separators) = elements(division, start..tokens.end);
        let is_list = elements.len() > 1;
        for (number, element) in elements.into_iter().enumerate() {
            let before = number
                .checked_sub(1)
                .and_then(|before| separators.get(before));
            if let Some(&comma) = before {
                self.read_separator(division, comma);
            }
            if is_list {
                self.open_part(CLAUSE, context);
            }
            self.read_parts(division, element, grammar, context).await;
            if is_list {
                self.builder.close();
            }
        }
    }

    /// Reads tokens; what is in brackets is read as a statement.
    async fn read_parts(
        &mut self,
        division: &Division<'_>,
        tokens: Range<usize>,
        grammar: &Grammar,
        context: Context,
    ) {
        let mut at = tokens.start;
        while at < tokens.end {
            let close = division.after(at) - 1;
            let is_group = close > at && close < tokens.end;
            if is_group {
                self.open_part(CLAUSE, context);
            }
            self.read_word(division, at, grammar);
            if is_group {
                let inside = at + 1..close;
                if context.divided < DEEPEST && !inside.is_empty() {
                    Box::pin(self.read_statement(division, inside, grammar, context)).await;
                } else {
                    inside.for_each(|at| self.read_word(division, at, grammar));
                }
                self.read_word(division, close, grammar);
                self.builder.close();
            }
            at = if is_group { close } else { at } + 1;
        }
    }

    fn read_separator(&mut self, division: &Division<'_>, at: usize) {
        let bytes = division.token(at);
        self.catch_up(bytes.start);
        self.covered = bytes.end;
        self.builder.separator(bytes);
    }

    /// Reads a token. A word that may be a name gets the kind of names.
    fn read_word(&mut self, division: &Division<'_>, at: usize, grammar: &Grammar) {
        let (bytes, text) = (division.token(at), division.text(at));
        self.catch_up(bytes.start);
        let is_name = is_word(text[0]) && !is_one_of(text, &CLAUSES) && !is_one_of(text, &WORDS);
        let kind = match is_name {
            true => grammar.kinds.named("identifier").unwrap_or(ERROR),
            false => ERROR,
        };
        self.builder.open(kind, NodePosition::default());
        self.token(bytes);
        self.builder.close();
    }

    fn open_part(&mut self, kind: u16, context: Context) {
        let slot = self.slots.slot_for(context.kind, 0, kind);
        self.builder.open(
            kind,
            NodePosition {
                slot,
                ..NodePosition::default()
            },
        );
    }
}

/// Divides tokens into clauses. Text before the first one is a part of its own.
fn clauses(division: &Division<'_>, tokens: Range<usize>) -> Vec<Range<usize>> {
    let mut clauses = Vec::new();
    let (mut start, mut at) = (tokens.start, tokens.start);
    while at < tokens.end {
        let begins = is_one_of(division.text(at), &CLAUSES);
        let goes_on = at > tokens.start && is_one_of(division.text(at - 1), &BEFORE);
        if begins && !goes_on && at > start {
            clauses.push(start..at);
            start = at;
        }
        at = division.after(at);
    }
    clauses.push(start..tokens.end);
    clauses
}

/// Divides tokens into the elements of a list; also returns the commas between them.
fn elements(division: &Division<'_>, tokens: Range<usize>) -> (Vec<Range<usize>>, Vec<usize>) {
    let (mut elements, mut separators) = (Vec::new(), Vec::new());
    let (mut start, mut at) = (tokens.start, tokens.start);
    while at < tokens.end {
        if division.text(at) == b"," {
            elements.push(start..at);
            separators.push(at);
            start = at + 1;
        }
        at = division.after(at);
    }
    elements.push(start..tokens.end);
    (elements, separators)
}

#[cfg(all(test, feature = "lang-sql"))]
mod tests {
    use std::sync::Arc;

    use boildown_search::tree::NodeId;

    use crate::{Document, Language, View};

    /// Returns the texts of the nodes of several tokens, outer before inner.
    fn nodes(text: &str) -> Vec<String> {
        let sql = Language::named("SQL").expect("the grammar is built");
        let bytes: Arc<[u8]> = text.as_bytes().into();
        let document = Document::new(&bytes, View::Syntax(sql));
        let nodes = &document.tree().nodes;
        let several = |node: &NodeId| nodes[*node].tokens().len() > 1;
        let text = |node: NodeId| {
            let text = document.text(nodes[node].tokens());
            String::from_utf8_lossy(text).into_owned()
        };
        nodes.ids().skip(1).filter(several).map(text).collect()
    }

    #[test]
    fn a_statement_that_does_not_parse_has_clauses_and_elements() {
        let long = "{} ".repeat(100);
        let long = long.trim_end();
        let nodes = nodes(&format!(
            "SELECT a, b {long} FROM c LEFT JOIN (d {long}, SELECT e) USING (f) ORDER BY g, h;"
        ));
        let short: Vec<&str> = (nodes.iter().map(String::as_str))
            .filter(|text| !text.contains(long) && !text.ends_with("{}"))
            .collect();
        assert_eq!(
            short,
            ["FROM c", "SELECT e", "USING (f)", "(f)", "ORDER BY g, h"]
        );
        let starts: Vec<String> = (nodes.iter())
            .filter(|text| text.contains(long))
            .map(|text| text.replace(long, "…"))
            .collect();
        assert_eq!(
            starts,
            [
                "SELECT a, b … FROM c LEFT JOIN (d …, SELECT e) USING (f) ORDER BY g, h",
                "SELECT a, b …",
                "b …",
                "LEFT JOIN (d …, SELECT e)",
                "(d …, SELECT e)",
                "d …, SELECT e",
                "d …,",
                "d …",
            ]
        );
    }

    #[test]
    fn what_parses_within_a_statement_that_does_not_is_read_by_the_grammar() {
        let long = "{} ".repeat(100);
        let text = format!("WITH a AS (SELECT b FROM c WHERE d = 1) {long};");
        assert!(nodes(&text).contains(&"d = 1".to_owned()));
    }
}
