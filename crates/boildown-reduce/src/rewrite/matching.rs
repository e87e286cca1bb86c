//! Pattern matching over documents.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use boildown_document::{Document, View};

use super::pattern::{Pattern, PatternItem};

/// A document, prepared for matching.
pub(super) struct MatchIndex<'a> {
    pub(super) document: &'a Document,
    /// For each token, the ends of the nodes that start with it: largest first, each once.
    ends: Vec<Vec<u32>>,
    /// For each position between two tokens, the first token of the largest node that ends there.
    starts: Vec<u32>,
    /// The number of brackets that are open before each token, and at the end.
    depths: Vec<i64>,
    /// Whether each token is part of a string.
    in_string: Vec<bool>,
    /// The tokens with each text.
    by_text: HashMap<Cow<'a, [u8]>, Vec<usize>>,
    /// Whether a word may be in upper or lower case: in SQL.
    ignores_case: bool,
}

/// The tokens bound to each hole of a rule.
pub(super) type Bindings = Vec<Option<Range<usize>>>;

/// A range of tokens that matches a pattern.
#[derive(Debug, Clone)]
pub(super) struct Match {
    pub(super) tokens: Range<usize>,
    pub(super) bindings: Bindings,
}

/// The largest number of steps of one attempt. With several holes over deep nesting, the number of
/// possible bindings explodes.
const STEPS: usize = 1000;

/// The largest number of matches that start at the same token.
const MATCHES: usize = 4;

impl<'a> MatchIndex<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let mut ends: Vec<Vec<u32>> = vec![Vec::new(); document.len()];
        let mut starts: Vec<u32> = (0..=document.len()).map(small).collect();
        for node in document.tree().nodes.iter().skip(1) {
            let (start, end) = (small(node.tokens().start), small(node.tokens().end));
            // An outer node comes before those inside it.
            if start < end && ends[node.tokens().start].last() != Some(&end) {
                ends[node.tokens().start].push(end);
            }
            let earliest = &mut starts[node.tokens().end];
            *earliest = start.min(*earliest);
        }
        let ignores_case =
            matches!(document.view(), View::Syntax(language) if language.ignores_case);
        let in_string = in_string(document);
        let mut index = Self {
            document,
            ends,
            starts,
            depths: depths(document, &in_string),
            in_string,
            by_text: HashMap::new(),
            ignores_case,
        };
        for token in 0..document.len() {
            let text = index.spelling(document.token(token));
            index.by_text.entry(text).or_default().push(token);
        }
        index
    }

    /// Returns a text in the case in which texts are compared.
    fn spelling<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        match self.ignores_case {
            true => text.to_ascii_uppercase().into(),
            false => text.into(),
        }
    }

    /// Returns the tokens with this text, in order.
    pub(super) fn tokens_with(&self, text: &[u8]) -> &[usize] {
        let tokens = self.by_text.get(&*self.spelling(text));
        tokens.map_or(&[], Vec::as_slice)
    }

    /// Returns the matches of a pattern, from left to right; of those with the same start, the ones
    /// with the largest nodes first. `known` are the holes that are bound already.
    pub(super) fn matches(&self, pattern: &Pattern, known: &Bindings) -> Vec<Match> {
        let at = |start| self.match_at(pattern, known, start);
        match self.first_text(pattern, known) {
            Some(text) => {
                let mut starts: Vec<usize> = Vec::new();
                // A literal may be several tokens: `+=` where the grammar has `+` and `=`.
                for length in 1..=text.len().min(16) {
                    starts.extend(self.tokens_with(&text[..length]));
                }
                if text.len() > 16 {
                    starts.extend(self.tokens_with(text));
                }
                starts.sort_unstable();
                starts.into_iter().flat_map(at).collect()
            }
            None => (0..self.document.len()).flat_map(at).collect(),
        }
    }

    /// Returns the text that every match begins with, if it is known.
    fn first_text<'p>(&self, pattern: &'p Pattern, known: &Bindings) -> Option<&'p [u8]>
    where
        'a: 'p,
    {
        match pattern.items.first()? {
            PatternItem::Literal(text) => Some(text),
            PatternItem::One(hole) | PatternItem::Many(hole) => {
                let bound = known.get(*hole)?.clone()?;
                (!bound.is_empty()).then(|| self.document.token(bound.start))
            }
            PatternItem::Space(_) => None,
        }
    }

    fn match_at(&self, pattern: &Pattern, known: &Bindings, start: usize) -> Vec<Match> {
        let mut attempt = MatchAttempt {
            index: self,
            bindings: known.clone(),
            start,
            steps: STEPS,
            found: Vec::new(),
        };
        let _enough = attempt.run(&pattern.items, start);
        attempt.found
    }

    /// Returns whether no node lies partly inside and partly outside of a range of tokens, except
    /// for nodes that contain it.
    pub(super) fn is_whole(&self, tokens: &Range<usize>) -> bool {
        (tokens.start + 1..tokens.end).all(|at| {
            let longest = self.ends[at].first();
            longest.is_none_or(|&end| end as usize <= tokens.end)
                && self.starts[at] as usize >= tokens.start
        })
    }

    /// Returns whether two ranges have the same text, and are both in strings or both outside: a
    /// word of a string is no use of a name.
    fn same(&self, left: &Range<usize>, right: &Range<usize>) -> bool {
        let is_in_string = |tokens: &Range<usize>| self.in_string.get(tokens.start);
        left.len() == right.len()
            && is_in_string(left) == is_in_string(right)
            && (left.clone())
                .zip(right.clone())
                .all(|(left, right)| self.document.token(left) == self.document.token(right))
    }
}

/// Returns for each token whether it is part of a string, the quotes included.
fn in_string(document: &Document) -> Vec<bool> {
    let mut in_string = vec![false; document.len()];
    for node in document.tree().nodes.iter().skip(1) {
        let tokens = node.tokens();
        let quotes = tokens.len() > 1 && matches!(document.token(tokens.start), b"\"" | b"'");
        if quotes && document.token(tokens.start) == document.token(tokens.end - 1) {
            in_string[tokens].fill(true);
        }
    }
    in_string
}

/// Returns the number of brackets that are open before each token, and at the end. What looks like
/// a bracket in a string is none.
fn depths(document: &Document, in_string: &[bool]) -> Vec<i64> {
    let change = |token: usize| match document.token(token) {
        _ if in_string[token] => 0,
        b"(" | b"[" | b"{" => 1,
        b")" | b"]" | b"}" => -1,
        _ => 0,
    };
    let changes = (0..document.len()).map(change);
    let after = changes.scan(0, |depth, change| {
        *depth += change;
        Some(*depth)
    });
    std::iter::once(0).chain(after).collect()
}

fn small(index: usize) -> u32 {
    u32::try_from(index).expect("documents are at most 4 GiB, and a token is at least a byte")
}

/// The search for all matches of a pattern that start at one token.
struct MatchAttempt<'a> {
    index: &'a MatchIndex<'a>,
    bindings: Bindings,
    start: usize,
    steps: usize,
    found: Vec<Match>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enough {
    Yes,
    No,
}

impl MatchAttempt<'_> {
    /// Matches the items from a token on, in every way.
    fn run(&mut self, items: &[PatternItem], at: usize) -> Enough {
        if self.steps == 0 {
            return Enough::Yes;
        }
        self.steps -= 1;
        let Some((part, rest)) = items.split_first() else {
            return self.end(at);
        };
        match part {
            PatternItem::Space(_) => self.run(rest, at),
            PatternItem::Literal(text) => match self.literal(text, at) {
                Some(end) => self.run(rest, end),
                None => Enough::No,
            },
            PatternItem::One(hole) | PatternItem::Many(hole) => {
                if let Some(bound) = self.bindings[*hole].clone() {
                    let end = at + bound.len();
                    let same =
                        end <= self.index.document.len() && self.index.same(&bound, &(at..end));
                    return if same {
                        self.run(rest, end)
                    } else {
                        Enough::No
                    };
                }
                let enough = if matches!(part, PatternItem::One(_)) {
                    self.one(*hole, rest, at)
                } else {
                    self.many(*hole, rest, at, at)
                };
                self.bindings[*hole] = None;
                enough
            }
        }
    }

    fn end(&mut self, at: usize) -> Enough {
        if at > self.start && self.index.is_whole(&(self.start..at)) {
            self.found.push(Match {
                tokens: self.start..at,
                bindings: self.bindings.clone(),
            });
        }
        if self.found.len() == MATCHES {
            Enough::Yes
        } else {
            Enough::No
        }
    }

    fn literal(&self, text: &[u8], at: usize) -> Option<usize> {
        let spelling = self.index.spelling(text);
        let (mut rest, mut at) = (&*spelling, at);
        while !rest.is_empty() {
            if at == self.index.document.len() {
                return None;
            }
            let token = self.index.spelling(self.index.document.token(at));
            rest = rest.strip_prefix(&*token)?;
            at += 1;
        }
        Some(at)
    }

    fn one(&mut self, hole: usize, rest: &[PatternItem], at: usize) -> Enough {
        let index = self.index;
        for &end in index.ends.get(at).into_iter().flatten() {
            self.bindings[hole] = Some(at..end as usize);
            if self.run(rest, end as usize) == Enough::Yes {
                return Enough::Yes;
            }
        }
        Enough::No
    }

    fn many(&mut self, hole: usize, rest: &[PatternItem], start: usize, at: usize) -> Enough {
        let index = self.index;
        // What a hole stands for has all of its brackets: not `) { } void g(` of two methods.
        if index.depths[at] < index.depths[start] {
            return Enough::No;
        }
        self.bindings[hole] = Some(start..at);
        if index.depths[at] == index.depths[start] && self.run(rest, at) == Enough::Yes {
            return Enough::Yes;
        }
        let Some(ends) = index.ends.get(at) else {
            return Enough::No;
        };
        // Whole nodes first, then what is inside them.
        for &end in ends {
            if self.many(hole, rest, start, end as usize) == Enough::Yes {
                return Enough::Yes;
            }
        }
        match ends.last() {
            Some(&end) if end as usize == at + 1 => Enough::No,
            _ => self.many(hole, rest, start, at + 1),
        }
    }
}
