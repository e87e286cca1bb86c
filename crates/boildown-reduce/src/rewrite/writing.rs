//! The texts that a rule writes for its matches.

use std::borrow::Cow;
use std::ops::Range;

use boildown_document::{Document, is_word};

use super::arguments::{Arguments, NamedValue};
use super::indentation::Indentation;
use super::matching::{Bindings, Match};
use super::pattern::{Pattern, PatternItem};
use crate::edit::Edit;

/// How many levels of occurrences in occurrences are replaced. A text may have the same hole
/// several times, so each level may double it.
const DEEPEST: usize = 8;

/// A match of a pattern, and what takes its place.
#[derive(Debug)]
pub(super) struct Occurrence<'a> {
    pub(super) found: Match,
    pub(super) replacement: &'a Pattern,
}

/// Writes the texts of one proposal of a rule.
#[derive(Debug)]
pub(super) struct Writing<'a> {
    document: &'a Document,
    arguments: &'a [Arguments],
    /// What the lines before `everywhere` have bound.
    known: &'a Bindings,
    /// What is replaced everywhere, the most important occurrence first.
    occurrences: &'a [Occurrence<'a>],
    /// The occurrences as indices, by their first tokens.
    by_start: Vec<usize>,
}

impl<'a> Writing<'a> {
    pub(super) fn new(
        document: &'a Document,
        arguments: &'a [Arguments],
        known: &'a Bindings,
        occurrences: &'a [Occurrence<'a>],
    ) -> Self {
        let mut by_start: Vec<usize> = (0..occurrences.len()).collect();
        by_start.sort_by_key(|&occurrence| occurrences[occurrence].found.tokens.start);
        Self {
            document,
            arguments,
            known,
            occurrences,
            by_start,
        }
    }

    /// Returns the edit at the match that the proposal begins with.
    pub(super) fn edit_here(&self, found: &Match, replacement: &Pattern) -> Edit {
        let text = self.text(found, replacement, &|_| true, DEEPEST);
        Edit::new(&found.tokens, text.trim_ascii())
    }

    /// Returns the edit at one of the occurrences.
    pub(super) fn edit_at(&self, occurrence: &Occurrence<'_>) -> Edit {
        Edit::new(
            &occurrence.found.tokens,
            self.text_at(occurrence, DEEPEST).trim_ascii(),
        )
    }

    fn text_at(&self, occurrence: &Occurrence<'_>, levels: usize) -> Vec<u8> {
        // What comes from elsewhere may contain the occurrence, as the value of `a` in `a = a + 1`.
        let is_own = |hole: usize| self.known[hole].is_none();
        self.text(&occurrence.found, occurrence.replacement, &is_own, levels)
    }

    /// Returns the text of a replacement. In the holes that are its own, occurrences are replaced,
    /// and those inside them, down to this many levels.
    fn text(
        &self,
        found: &Match,
        replacement: &Pattern,
        is_own: &dyn Fn(usize) -> bool,
        levels: usize,
    ) -> Vec<u8> {
        let indentation = Indentation::of(self.document, &found.tokens);
        let mut text: Vec<u8> = Vec::new();
        for part in &replacement.items {
            let (piece, tokens) = match part {
                PatternItem::Literal(literal) => (Cow::Borrowed(&literal[..]), None),
                PatternItem::Space(space) => {
                    match indentation {
                        Some(indentation) => indentation.push_space(&mut text, space),
                        None => text.extend_from_slice(space),
                    }
                    continue;
                }
                PatternItem::One(hole) | PatternItem::Many(hole) => {
                    let tokens = found.bindings[*hole].clone().unwrap_or(0..0);
                    let piece = self.hole(*hole, &found.bindings, is_own, levels);
                    (Cow::Owned(piece), Some(tokens))
                }
            };
            let meet = |(&last, &next): (&u8, &u8)| is_word(last) && is_word(next);
            if text.last().zip(piece.first()).is_some_and(meet) {
                text.push(b' ');
            }
            match indentation.zip(tokens) {
                Some((indentation, tokens)) => indentation.push_hole(&mut text, &tokens, &piece),
                None => text.extend_from_slice(&piece),
            }
        }
        text
    }

    /// Returns the text of a hole with the arguments in it.
    fn hole(
        &self,
        hole: usize,
        bindings: &Bindings,
        is_own: &dyn Fn(usize) -> bool,
        levels: usize,
    ) -> Vec<u8> {
        let Some(tokens) = bindings[hole].clone() else {
            return Vec::new();
        };
        let levels_in = |hole: usize| if is_own(hole) { levels } else { 0 };
        let argument = |from: usize, tokens: Range<usize>| self.range(tokens, &[], levels_in(from));
        let concerned = (self.arguments.iter()).filter(|arguments| arguments.concern(hole));
        let values: Vec<NamedValue<'_>> = concerned
            .flat_map(|arguments| arguments.values(self.document, bindings, &argument))
            .collect();
        // The name of what the rule is about stays in its own definition.
        let levels = if tokens.len() > 1 { levels_in(hole) } else { 0 };
        self.range(tokens, &values, levels)
    }

    /// Returns the text of tokens. Names become their values; names after a dot are members, and
    /// stay.
    fn range(&self, tokens: Range<usize>, values: &[NamedValue<'_>], levels: usize) -> Vec<u8> {
        let mut text = Vec::new();
        let mut token = tokens.start;
        while token < tokens.end {
            if token > tokens.start {
                text.extend_from_slice(self.document.gap(token));
            }
            if let Some(occurrence) = self.occurrence_at(token, tokens.end).filter(|_| levels > 0) {
                text.extend_from_slice(self.text_at(occurrence, levels - 1).trim_ascii());
                token = occurrence.found.tokens.end;
                continue;
            }
            let word = self.document.token(token);
            // The arrow before a type, at the start, has no object.
            let is_member = token > tokens.start + 1
                && matches!(self.document.token(token - 1), b"." | b"->" | b"::");
            let value = (values.iter()).find(|(name, _)| *name == word && !is_member);
            text.extend_from_slice(value.map_or(word, |(_, value)| value));
            token += 1;
        }
        text
    }

    /// Returns the most important occurrence that begins with a token and ends within a range.
    fn occurrence_at(&self, token: usize, end: usize) -> Option<&Occurrence<'a>> {
        let tokens = |occurrence: &usize| &self.occurrences[*occurrence].found.tokens;
        let first = (self.by_start).partition_point(|occurrence| tokens(occurrence).start < token);
        let here = self.by_start[first..].iter();
        here.take_while(|occurrence| tokens(occurrence).start == token)
            .find(|occurrence| tokens(occurrence).end <= end)
            .map(|&occurrence| &self.occurrences[occurrence])
    }
}
