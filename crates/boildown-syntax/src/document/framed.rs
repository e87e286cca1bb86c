//! The views of binaries: their parts, and pieces that can become zeros.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::NodeId;

use super::builder::{Builder, Place};
use super::frames::{Frames, Repairs};
use super::{Document, View};

/// The kind of a part, and of a piece of one.
const PART: u16 = 1;
const PIECE: u16 = 2;

/// Reads the parts, and what is in none in pieces of up to `size` bytes.
pub(super) fn parts(bytes: &Arc<[u8]>, size: usize, frames: Arc<Frames>) -> Document {
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, Place::default());
    let borders = frames.borders();
    let mut borders = borders.iter().copied().chain([bytes.len()]).peekable();
    let mut numbers = frames.numbers().peekable();
    let mut parts = frames.parts().iter().peekable();
    let mut ends: Vec<usize> = Vec::new();
    let mut at = 0;
    loop {
        while ends.pop_if(|end| *end == at).is_some() {
            builder.close();
        }
        while let Some(part) = parts.next_if(|part| part.start == at) {
            builder.open(PART, Place::default());
            ends.push(part.end);
        }
        while borders.next_if(|&border| border <= at).is_some() {}
        let Some(&next) = borders.peek() else {
            break;
        };
        if numbers.next_if(|number| number.start == at).is_some() {
            builder.atom(at..next);
        } else {
            for start in (at..next).step_by(size) {
                builder.open(PIECE, Place::default());
                builder.atom(start..next.min(start.saturating_add(size)));
                builder.close();
            }
        }
        at = next;
    }
    builder.close();
    drop(numbers);
    builder.finish(View::Parts(size), Vec::new()).with(frames)
}

/// Reads the pieces of up to `size` bytes that are not all zeros.
pub(super) fn pieces_to_zero(bytes: &Arc<[u8]>, size: usize, frames: Arc<Frames>) -> Document {
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, Place::default());
    let mut start = 0;
    // Not the numbers: they follow from the rest.
    for number in frames.numbers().cloned().chain([bytes.len()..bytes.len()]) {
        let pieces = (start..number.start).step_by(size);
        for piece in pieces.map(|at| at..number.start.min(at.saturating_add(size))) {
            if bytes[piece.clone()].iter().any(|&byte| byte != 0) {
                builder.open(PIECE, Place::default());
                builder.atom(piece);
                builder.close();
            }
        }
        start = number.end;
    }
    builder.close();
    builder.finish(View::Zeros(size), Vec::new()).with(frames)
}

impl Document {
    fn with(self, frames: Arc<Frames>) -> Self {
        let atom = |byte| {
            self.atoms
                .partition_point(|atom| (atom.start as usize) < byte)
        };
        let repairs = match self.view {
            View::Parts(_) => Repairs::new(&frames, &self.bytes, atom),
            _ => Repairs::default(),
        };
        Self {
            frames: Some(frames),
            repairs,
            ..self
        }
    }

    /// Returns the text of the kept atoms, with the lengths, counts and checksums that follow.
    pub(super) fn render_parts(&self, kept: &Subset) -> Vec<u8> {
        let mut is_kept = vec![false; self.len()];
        for run in kept.runs() {
            is_kept[run].fill(true);
        }
        let size = |atom: usize| self.atom(atom).len();
        let lengths = self.repairs.lengths(&is_kept, size);
        let mut lengths = lengths.into_iter().peekable();
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut places = Vec::with_capacity(self.len() + 1);
        for (atom, &kept) in is_kept.iter().enumerate() {
            places.push(out.len());
            if let Some((_, text)) = lengths.next_if(|&(changed, _)| changed == atom) {
                out.extend_from_slice(&text);
            } else if kept {
                out.extend_from_slice(self.atom(atom));
            }
        }
        places.push(out.len());
        self.repairs.check(&mut out, &is_kept, &places);
        out
    }

    /// Returns the text with zeros in the place of what is not kept.
    pub(super) fn render_zeros(&self, kept: &Subset) -> Vec<u8> {
        let mut out = self.bytes.to_vec();
        let mut end = 0;
        for run in kept.runs().chain(std::iter::once(self.len()..self.len())) {
            for atom in end..run.start {
                out[self.bytes_of(atom..atom + 1)].fill(0);
            }
            end = run.end;
        }
        if let Some(frames) = &self.frames {
            frames.check(&mut out);
        }
        out
    }

    /// Returns for each part of the outermost row all the others of that row, as ranges of atoms. Nothing when the row is long.
    pub(crate) fn other_parts(&self) -> Vec<Vec<Range<usize>>> {
        const LONG: usize = 64;
        let outermost = self.rows_of_parts().min_by_key(|row| row[0]);
        let row = outermost.filter(|row| row.len() <= LONG).unwrap_or(&[]);
        row.iter()
            .map(|&element| {
                let before = self.below(row[0]).start..self.below(element).start;
                let after = self.below(element).end..self.below(row[row.len() - 1]).end;
                let others = [before, after].into_iter();
                others.filter(|range| !range.is_empty()).collect()
            })
            .collect()
    }

    /// Returns what can go of rows that have as many parts as each other, at the same places of all of them: halves, quarters and so on, down to
    /// single parts. Such rows often say several things of the same items.
    pub(crate) fn parallel_parts(&self) -> Vec<Vec<Range<usize>>> {
        let mut by_length: BTreeMap<usize, Vec<&[NodeId]>> = BTreeMap::new();
        for row in self.rows_of_parts() {
            by_length.entry(row.len()).or_default().push(row);
        }
        let mut units = Vec::new();
        for (length, rows) in by_length.into_iter().filter(|(_, rows)| rows.len() > 1) {
            let mut places = vec![0..length];
            while let Some(place) = places.pop() {
                let atoms = |row: &&[NodeId]| {
                    self.below(row[place.start]).start..self.below(row[place.end - 1]).end
                };
                units.push(rows.iter().map(atoms).collect());
                let middle = place.start + place.len() / 2;
                if place.len() > 1 {
                    places.extend([place.start..middle, middle..place.end]);
                }
            }
        }
        units
    }

    /// The atoms of a node.
    fn below(&self, node: NodeId) -> Range<usize> {
        self.tree.nodes[node].atoms.clone()
    }

    /// The rows of more than one part.
    fn rows_of_parts(&self) -> impl Iterator<Item = &[NodeId]> {
        let is_part = |node: NodeId| self.tree.nodes[node].kind == PART;
        let rows = self.tree.lists.iter().flat_map(move |list| {
            let alike = move |&left: &NodeId, &right: &NodeId| is_part(left) == is_part(right);
            list.elements.chunk_by(alike)
        });
        rows.filter(move |row| row.len() > 1 && is_part(row[0]))
    }

    /// Returns what is known of the parts of a text made of the kept atoms of this one; `None` when nobody has looked.
    pub(super) fn frames_of(&self, kept: &Subset, bytes: &[u8]) -> Option<Arc<Frames>> {
        let frames = self.frames.as_ref()?;
        let sizes = match self.view {
            View::Zeros(_) => return Some(Arc::new(frames.moved(bytes, |border| border))),
            View::Parts(_) => {
                let mut is_kept = vec![false; self.len()];
                for run in kept.runs() {
                    is_kept[run].fill(true);
                }
                self.repairs.lengths(&is_kept, |atom| self.atom(atom).len())
            }
            _ => Vec::new(),
        };
        let mut sizes = sizes.into_iter().peekable();
        // Where kept bytes went: where they were, and where they are.
        let mut moves: Vec<(Range<usize>, usize)> = Vec::new();
        let mut at = 0;
        for atom in kept.iter() {
            let old = self.bytes_of(atom..atom + 1);
            let changed = sizes.next_if(|&(changed, _)| changed == atom);
            let size = changed.map_or(old.len(), |(_, text)| text.len());
            moves.push((old, at));
            at += size;
        }
        moves.push((self.bytes.len()..self.bytes.len(), at));
        let place = |border: usize| {
            let (old, new) = &moves[moves
                .partition_point(|(old, _)| old.end <= border)
                .min(moves.len() - 1)];
            new + border.saturating_sub(old.start)
        };
        Some(Arc::new(frames.moved(bytes, place)))
    }
}
