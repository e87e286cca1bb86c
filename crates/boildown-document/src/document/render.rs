//! Rendering: from kept tokens to bytes that look hand-written.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;

use super::words::is_word;
use super::{Document, View};

/// The texts that replace tokens.
pub type Substitutes = BTreeMap<usize, Arc<[u8]>>;

impl Document {
    /// Returns the kept tokens as bytes. With all tokens kept, that is the input, byte for byte.
    ///
    /// Where tokens are missing, one of the gaps around them is kept:
    ///
    /// - the gap before the next kept token when that token begins a line, so that its indentation
    ///   stays;
    /// - but the gap before the first missing token when the missing tokens were the head of what
    ///   follows; all lines of that then move left, to where the head stood.
    ///
    /// So without its head and its brace, `if (a) {␤    b();␤}` becomes `b();`. Two tokens that
    /// would run together get a space, unless they were parts of one word.
    #[must_use]
    pub fn render(&self, kept: &Subset) -> Vec<u8> {
        self.render_with(kept, &Substitutes::new())
    }

    /// Returns the kept tokens as bytes, some of them replaced by other texts.
    pub fn render_with(&self, kept: &Subset, substitutes: &Substitutes) -> Vec<u8> {
        match self.view {
            View::Parts(_) => return self.render_parts(kept),
            View::Of(_) => return self.render_module(kept),
            View::Zeros(_) => return self.render_zeros(kept, substitutes),
            View::Letters(_) | View::Spaces(_) | View::LongWords => {
                return self.render_around(kept);
            }
            View::Elements => return self.render_elements(kept, substitutes),
            View::Syntax(_) | View::Blocks | View::Lines | View::NestedLines | View::Bytes(_) => {}
        }
        let mut out = Vec::with_capacity(self.bytes.len());
        if matches!(self.view, View::Bytes(_) | View::Lines | View::NestedLines) {
            for run in kept.runs() {
                let mut start = run.start;
                for (&token, text) in substitutes.range(run.clone()) {
                    out.extend_from_slice(self.text(start..token));
                    out.extend_from_slice(text);
                    start = token + 1;
                }
                out.extend_from_slice(self.text(start..run.end));
            }
            return out;
        }
        let mut writer = Writer {
            document: self,
            substitutes,
            outdents: Outdents(Vec::new()),
            out,
        };
        let mut before = None;
        for run in kept.runs() {
            if before.is_none_or(|last| last + 1 < run.start) {
                match before.filter(|_| self.is_header(run.start)) {
                    Some(last) => writer.end_file(last),
                    None => writer.join(before, run.start),
                }
            }
            let mut start = run.start;
            for (&token, text) in substitutes.range(run.clone()) {
                writer.copy(start..token);
                if start < token {
                    writer.gap_beside_substitute(token);
                }
                writer.out.extend_from_slice(text);
                start = token + 1;
                if start < run.end {
                    writer.gap_beside_substitute(start);
                }
            }
            writer.copy(start..run.end);
            before = Some(run.end - 1);
        }
        let mut out = writer.out;
        if before.is_none() {
            out.extend_from_slice(self.gap(0));
        }
        match before.and_then(|last| self.header_after(last)) {
            // Of a joined text, the last files are deleted.
            Some(_) if before.is_some_and(|last| self.is_header(last)) => {}
            Some(header) => out.extend_from_slice(self.gap(header)),
            None if self.is_empty() => {}
            None => out.extend_from_slice(self.gap(self.len())),
        }
        out
    }

    /// Returns the kept tokens of a module as a module.
    fn render_module(&self, kept: &Subset) -> Vec<u8> {
        if kept.count() == self.len() {
            return self.bytes.to_vec();
        }
        let mut is_kept = vec![false; self.len()];
        for run in kept.runs() {
            is_kept[run].fill(true);
        }
        match &self.module {
            Some(module) => module.write(&is_kept),
            None => Vec::new(),
        }
    }

    fn first(&self, token: usize) -> u8 {
        self.bytes[self.tokens[token].start as usize]
    }

    /// Returns the bytes between two tokens.
    fn between(&self, before: usize, next: usize) -> &[u8] {
        &self.bytes[self.tokens[before].end as usize..self.tokens[next].start as usize]
    }

    fn last(&self, token: usize) -> u8 {
        self.bytes[self.tokens[token].end as usize - 1]
    }
}

/// Writes kept tokens and the gaps between them.
struct Writer<'a> {
    document: &'a Document,
    substitutes: &'a Substitutes,
    outdents: Outdents,
    out: Vec<u8>,
}

impl Writer<'_> {
    /// Writes the gap before `next`, which or whose predecessor is replaced.
    fn gap_beside_substitute(&mut self, next: usize) {
        let document = self.document;
        let gap = document.gap(next);
        if !gap.is_empty() {
            let _end = self.outdents.active_until(next);
            push_gap(&mut self.out, gap, self.outdents.at(next));
        } else if !run_together(document.last(next - 1), document.first(next)) {
            self.out.extend_from_slice(self.space(next - 1, next));
        }
    }

    /// Writes neighbouring tokens with the gaps between them.
    fn copy(&mut self, run: Range<usize>) {
        let document = self.document;
        let mut start = run.start;
        while let Some(end) = self.outdents.active_until(start) {
            if start >= run.end {
                return;
            }
            self.out.extend_from_slice(document.token(start));
            start += 1;
            if start < run.end {
                let by = match start < end {
                    true => self.outdents.at(start),
                    false => 0,
                };
                push_gap(&mut self.out, document.gap(start), by);
            }
        }
        if start < run.end {
            self.out.extend_from_slice(document.text(start..run.end));
        }
    }

    /// Ends a file of a joined text, whose last kept token is given: what ended it in the input
    /// stays, if anything of it does.
    fn end_file(&mut self, last: usize) {
        let document = self.document;
        if let Some(header) = document.header_after(last)
            && !document.is_header(last)
        {
            self.out.extend_from_slice(document.gap(header));
        }
    }

    /// Writes what separates two kept tokens that were not neighbours. `before` is `None` at the
    /// start of the input.
    fn join(&mut self, before: Option<usize>, next: usize) {
        let document = self.document;
        let removed = before.map_or(0, |before| before + 1);
        let (front, back) = (document.gap(removed), document.gap(next));
        let Some(before) = before else {
            self.out.extend_from_slice(front);
            return;
        };
        let headless = document.spans[removed] as usize > next;
        let by = self.outdents.at(next);
        // A replaced stretch of tokens is followed by the gap that followed the stretch.
        if self.substitutes.contains_key(&before) && !back.is_empty() {
            push_gap(&mut self.out, back, by);
            return;
        }
        match (indent(front), indent(back)) {
            (Some(old), Some(new)) if headless => {
                push_gap(&mut self.out, front, by);
                let end = document.spans[removed] as usize;
                self.outdents.push(end, new.saturating_sub(old));
            }
            (None, Some(_)) if headless && !front.is_empty() => self.out.extend_from_slice(front),
            (None, Some(_)) if headless => self.out.extend_from_slice(self.space(before, next)),
            (_, Some(_)) => push_gap(&mut self.out, back, by),
            (Some(_), None) => push_gap(&mut self.out, front, self.outdents.at(before)),
            (None, None) if front.is_empty() || back.is_empty() => {
                self.out.extend_from_slice(self.space(before, next));
            }
            (None, None) => self.out.extend_from_slice(back),
        }
    }

    /// Returns the space that two tokens without a gap between them need to stay apart.
    fn space(&self, before: usize, next: usize) -> &'static [u8] {
        let document = self.document;
        let ends = self.substitutes.get(&before).and_then(|text| text.last());
        let begins = self.substitutes.get(&next).and_then(|text| text.first());
        let last = ends.map_or_else(|| document.last(before), |&byte| byte);
        let first = begins.map_or_else(|| document.first(next), |&byte| byte);
        // A word stood right before `next` in the input, as in `"the word"` without `word`: then
        // another word can stand there.
        let followed_a_word = document.gap(next).is_empty()
            && is_word(document.last(next - 1))
            && is_word(last)
            && !is_word(first);
        // A token inside of a word was deleted, such as the `b` of the regular expression `abc`. In
        // two words, the rest would not be smaller.
        let was_one_word = ends.is_none()
            && begins.is_none()
            && is_word(last)
            && is_word(first)
            && document.between(before, next).iter().copied().all(is_word);
        let is_pattern = (document.patterns.iter())
            .any(|tokens| tokens.contains(&before) && tokens.contains(&next));
        if run_together(last, first) && !followed_a_word && !was_one_word && !is_pattern {
            b" "
        } else {
            b""
        }
    }
}

/// The stretches of the input that moved left, innermost last.
struct Outdents(Vec<Outdent>);

struct Outdent {
    /// The end of the stretch, in tokens.
    end: usize,
    /// The number of bytes by which each of its lines moved.
    by: usize,
}

impl Outdents {
    fn push(&mut self, end: usize, by: usize) {
        if by > 0 {
            self.0.push(Outdent { end, by });
        }
    }

    /// Forgets the stretches that end before `token`; returns where the outermost remaining one
    /// ends.
    fn active_until(&mut self, token: usize) -> Option<usize> {
        self.0.retain(|outdent| outdent.end > token);
        self.0.iter().map(|outdent| outdent.end).max()
    }

    /// Returns by how many bytes a line that starts with `token` moves.
    fn at(&self, token: usize) -> usize {
        self.0
            .iter()
            .filter(|outdent| outdent.end > token)
            .map(|outdent| outdent.by)
            .sum()
    }
}

/// Returns the number of bytes after the last line break; `None` without one.
fn indent(gap: &[u8]) -> Option<usize> {
    gap.iter()
        .rposition(|&byte| byte == b'\n')
        .map(|newline| gap.len() - newline - 1)
}

/// Writes a gap, its last line moved left by up to `by` bytes.
fn push_gap(out: &mut Vec<u8>, gap: &[u8], by: usize) {
    match indent(gap) {
        Some(width) => out.extend_from_slice(&gap[..gap.len() - by.min(width)]),
        None => out.extend_from_slice(gap),
    }
}

fn run_together(last: u8, next: u8) -> bool {
    let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
    let operator = |byte: u8| b"+-*/%&|^=<>!~?:.#@$\\".contains(&byte);
    is_word(last) && (is_word(next) || quote(next)) || operator(last) && operator(next)
}

#[cfg(all(test, feature = "all-languages"))]
mod tests {
    use super::*;
    use crate::Language;

    /// Returns what is left of a text without one token.
    fn without(language: &str, text: &str, token: &str) -> String {
        let language = Language::named(language).expect("the grammar is built");
        let document = Document::new(&text.as_bytes().into(), View::Syntax(language));
        let is_it = |at: &usize| document.token(*at) == token.as_bytes();
        let at = (0..document.len()).find(is_it).expect("the token is there");
        let kept = Subset::full(document.len()).without(vec![at..at + 1]);
        String::from_utf8_lossy(&document.render(&kept)).into_owned()
    }

    #[test]
    fn tokens_of_a_regular_expression_stay_side_by_side() {
        assert_eq!(
            without("JavaScript", "x = /(a)*b:c/;", "b"),
            "x = /(a)*:c/;"
        );
        assert_eq!(without("Regex", "(a)*b:c", "b"), "(a)*:c");
        assert_eq!(without("JavaScript", "x = a * b - c;", "b"), "x = a * - c;");
        assert_eq!(without("JavaScript", "x = a*b-c;", "b"), "x = a* -c;");
    }
}
