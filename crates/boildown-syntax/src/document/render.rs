//! From a subset of the atoms back to a text that somebody could have written.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;

use super::words::is_word;
use super::{Document, View};

/// Texts that stand in the place of atoms.
pub(crate) type Substitutes = BTreeMap<usize, Arc<[u8]>>;

impl Document {
    /// Returns the text of the kept atoms. All of them: the original, byte for byte.
    ///
    /// Where atoms are missing, one of the gaps around them stays: the one before the next kept atom when that begins a
    /// line, so that it keeps its indentation, or the one before the first missing atom when the removed part was the head of
    /// what follows, which then moves to where that head stood, with all its lines. Two atoms that would run together get a space.
    #[must_use]
    pub fn render(&self, kept: &Subset) -> Vec<u8> {
        self.render_with(kept, &Substitutes::new())
    }

    /// Returns the text of the kept atoms, some of them replaced by other texts.
    pub(crate) fn render_with(&self, kept: &Subset, substitutes: &Substitutes) -> Vec<u8> {
        match self.view {
            View::Parts(_) => return self.render_parts(kept),
            View::Zeros(_) => return self.render_zeros(kept),
            View::Letters(_) | View::Spaces(_) => return self.render_around(kept),
            View::Syntax(_) | View::Blocks | View::Lines | View::Bytes(_) => {}
        }
        let mut out = Vec::with_capacity(self.bytes.len());
        if matches!(self.view, View::Bytes(_) | View::Lines) {
            for run in kept.runs() {
                let mut start = run.start;
                for (&atom, text) in substitutes.range(run.clone()) {
                    out.extend_from_slice(self.text(start..atom));
                    out.extend_from_slice(text);
                    start = atom + 1;
                }
                out.extend_from_slice(self.text(start..run.end));
            }
            return out;
        }
        let mut outdents = Outdents(Vec::new());
        let mut before = None;
        for run in kept.runs() {
            if before.is_none_or(|last| last + 1 < run.start) {
                self.joint(before, run.start, substitutes, &mut outdents, &mut out);
            }
            let mut start = run.start;
            for (&atom, text) in substitutes.range(run.clone()) {
                self.copy(start..atom, &mut outdents, &mut out);
                if start < atom {
                    self.seam(atom, substitutes, &mut outdents, &mut out);
                }
                out.extend_from_slice(text);
                start = atom + 1;
                if start < run.end {
                    self.seam(start, substitutes, &mut outdents, &mut out);
                }
            }
            self.copy(start..run.end, &mut outdents, &mut out);
            before = Some(run.end - 1);
        }
        if before.is_none() {
            out.extend_from_slice(self.gap(0));
        }
        if !self.is_empty() {
            out.extend_from_slice(self.gap(self.len()));
        }
        out
    }

    /// Writes the gap before `next`, of two neighbours one of which is replaced.
    fn seam(
        &self,
        next: usize,
        substitutes: &Substitutes,
        outdents: &mut Outdents,
        out: &mut Vec<u8>,
    ) {
        let gap = self.gap(next);
        if !gap.is_empty() {
            let _end = outdents.active_until(next);
            push_gap(out, gap, outdents.at(next));
        } else if !run_together(self.last(next - 1), self.first(next)) {
            out.extend_from_slice(self.space(next - 1, next, substitutes));
        }
    }

    fn first(&self, atom: usize) -> u8 {
        self.bytes[self.atoms[atom].start as usize]
    }

    fn last(&self, atom: usize) -> u8 {
        self.bytes[self.atoms[atom].end as usize - 1]
    }

    /// Writes neighbouring atoms with the gaps between them.
    fn copy(&self, run: Range<usize>, outdents: &mut Outdents, out: &mut Vec<u8>) {
        let mut start = run.start;
        while let Some(end) = outdents.active_until(start) {
            if start >= run.end {
                return;
            }
            out.extend_from_slice(&self.bytes[self.bytes_of(start..start + 1)]);
            start += 1;
            if start < run.end {
                let by = if start < end { outdents.at(start) } else { 0 };
                push_gap(out, self.gap(start), by);
            }
        }
        if start < run.end {
            out.extend_from_slice(&self.bytes[self.bytes_of(start..run.end)]);
        }
    }

    pub(super) fn bytes_of(&self, atoms: Range<usize>) -> Range<usize> {
        self.atoms[atoms.start].start as usize..self.atoms[atoms.end - 1].end as usize
    }

    /// Writes what stands between two kept atoms that were not neighbours. `before` is `None` at the start of the text.
    fn joint(
        &self,
        before: Option<usize>,
        next: usize,
        substitutes: &Substitutes,
        outdents: &mut Outdents,
        out: &mut Vec<u8>,
    ) {
        let removed = before.map_or(0, |before| before + 1);
        let (front, back) = (self.gap(removed), self.gap(next));
        let Some(before) = before else {
            out.extend_from_slice(front);
            return;
        };
        let headless = self.spans[removed] as usize > next;
        let by = outdents.at(next);
        // What stands for a stretch of atoms is followed by what followed that.
        if substitutes.contains_key(&before) && !back.is_empty() {
            push_gap(out, back, by);
            return;
        }
        match (indent(front), indent(back)) {
            (Some(old), Some(new)) if headless => {
                push_gap(out, front, by);
                outdents.push(self.spans[removed] as usize, new.saturating_sub(old));
            }
            (None, Some(_)) if headless && !front.is_empty() => out.extend_from_slice(front),
            (None, Some(_)) if headless => {
                out.extend_from_slice(self.space(before, next, substitutes));
            }
            (_, Some(_)) => push_gap(out, back, by),
            (Some(_), None) => push_gap(out, front, outdents.at(before)),
            (None, None) if front.is_empty() || back.is_empty() => {
                out.extend_from_slice(self.space(before, next, substitutes));
            }
            (None, None) => out.extend_from_slice(back),
        }
    }

    /// The space that two atoms without a gap between them need so as not to run together.
    fn space(&self, before: usize, next: usize, substitutes: &Substitutes) -> &'static [u8] {
        let ends = substitutes.get(&before).and_then(|text| text.last());
        let begins = substitutes.get(&next).and_then(|text| text.first());
        let last = ends.map_or_else(|| self.last(before), |&byte| byte);
        let first = begins.map_or_else(|| self.first(next), |&byte| byte);
        // A word stood right before `next` until now, as in `"the word"` without `word`: then another one can.
        let seen = self.gap(next).is_empty()
            && is_word(self.last(next - 1))
            && is_word(last)
            && !is_word(first);
        if run_together(last, first) && !seen {
            b" "
        } else {
            b""
        }
    }
}

/// The parts of the text that moved left, innermost last: up to which atom, and by how many bytes a line.
struct Outdents(Vec<(usize, usize)>);

impl Outdents {
    fn push(&mut self, end: usize, by: usize) {
        if by > 0 {
            self.0.push((end, by));
        }
    }

    /// Forgets the parts that end before `atom`; returns where the innermost remaining one ends.
    fn active_until(&mut self, atom: usize) -> Option<usize> {
        self.0.retain(|&(end, _)| end > atom);
        self.0.iter().map(|&(end, _)| end).max()
    }

    /// By how many bytes a line that starts with `atom` moves.
    fn at(&self, atom: usize) -> usize {
        self.0
            .iter()
            .filter(|&&(end, _)| end > atom)
            .map(|&(_, by)| by)
            .sum()
    }
}

/// The bytes after the last line break, when there is one.
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
