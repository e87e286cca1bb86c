//! The views of binaries: their parts, and pieces that can become zeros.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use boildown_search::Subset;
use boildown_search::tree::{IdVec, NodeId, Slot, SlotId};

use super::builder::{Builder, NodePosition};
use super::frames::{Frames, Repairs};
use super::render::Substitutes;
use super::{Document, View};

/// The kinds of nodes: a part, and a piece of bytes.
const PART: u16 = 1;
const PIECE: u16 = 2;

/// Reads the parts; what is in no part inside is cut into pieces of up to `size` bytes.
pub(super) fn parts(bytes: &Arc<[u8]>, size: usize, frames: Arc<Frames>) -> Document {
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, NodePosition::default());
    let borders = frames.borders();
    let mut borders = borders.iter().copied().chain([bytes.len()]).peekable();
    let mut numbers = frames.numbers().peekable();
    let mut parts = frames.parts().iter().peekable();
    let mut ends: Vec<usize> = Vec::new();
    let mut at = 0;
    let parts_fit = Slot {
        kinds: vec![PART],
        many: false,
    };
    let slots = IdVec::from(vec![Slot::default(), parts_fit]);
    let position = NodePosition {
        slot: SlotId::new(usize::from(frames.are_alike())),
        ..NodePosition::default()
    };
    loop {
        while ends.pop_if(|end| *end == at).is_some() {
            builder.close();
        }
        while let Some(part) = parts.next_if(|part| part.start == at) {
            builder.open(PART, position);
            ends.push(part.end);
        }
        while borders.next_if(|&border| border <= at).is_some() {}
        let Some(&next) = borders.peek() else {
            break;
        };
        if numbers.next_if(|number| number.start == at).is_some() {
            builder.token(at..next);
        } else {
            for start in (at..next).step_by(size) {
                builder.open(PIECE, NodePosition::default());
                builder.token(start..next.min(start.saturating_add(size)));
                builder.close();
            }
        }
        at = next;
    }
    builder.close();
    drop(numbers);
    builder.finish(View::Parts(size), slots).with(frames)
}

/// Reads the pieces of up to `size` bytes that are not all zeros.
pub(super) fn pieces_to_zero(bytes: &Arc<[u8]>, size: usize, frames: Arc<Frames>) -> Document {
    let mut builder = Builder::new(Arc::clone(bytes));
    builder.open(0, NodePosition::default());
    let mut start = 0;
    // Numbers are left out: they are computed from the rest.
    for number in frames.numbers().cloned().chain([bytes.len()..bytes.len()]) {
        let pieces = (start..number.start).step_by(size);
        for piece in pieces.map(|at| at..number.start.min(at.saturating_add(size))) {
            if bytes[piece.clone()].iter().any(|&byte| byte != 0) {
                builder.open(PIECE, NodePosition::default());
                builder.token(piece);
                builder.close();
            }
        }
        start = number.end;
    }
    builder.close();
    builder
        .finish(View::Zeros(size), IdVec::default())
        .with(frames)
}

impl Document {
    fn with(self, frames: Arc<Frames>) -> Self {
        let token = |byte| {
            self.tokens
                .partition_point(|token| (token.start as usize) < byte)
        };
        let repairs = match self.view {
            View::Parts(_) => Repairs::new(&frames, &self.bytes, token),
            _ => Repairs::default(),
        };
        Self {
            frames: Some(frames),
            repairs,
            ..self
        }
    }

    /// Returns the kept tokens as bytes, with corrected lengths, counts and checksums.
    pub(super) fn render_parts(&self, kept: &Subset) -> Vec<u8> {
        let mut is_kept = vec![false; self.len()];
        for run in kept.runs() {
            is_kept[run].fill(true);
        }
        let size = |token: usize| self.token(token).len();
        let lengths = self.repairs.changed_numbers(&is_kept, size);
        let mut lengths = lengths.into_iter().peekable();
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut starts = Vec::with_capacity(self.len() + 1);
        for (token, &kept) in is_kept.iter().enumerate() {
            starts.push(out.len());
            if let Some((_, text)) = lengths.next_if(|&(changed, _)| changed == token) {
                out.extend_from_slice(&text);
            } else if kept {
                out.extend_from_slice(self.token(token));
            }
        }
        starts.push(out.len());
        self.repairs.correct_checksums(&mut out, &is_kept, &starts);
        out
    }

    /// Returns the input with zeros for the tokens that are not kept, and with corrected checksums.
    /// A substitute has the size of its token.
    pub(super) fn render_zeros(&self, kept: &Subset, substitutes: &Substitutes) -> Vec<u8> {
        let mut out = self.bytes.to_vec();
        let mut end = 0;
        for run in kept.runs().chain(std::iter::once(self.len()..self.len())) {
            for token in end..run.start {
                out[self.byte_range(token..token + 1)].fill(0);
            }
            end = run.end;
        }
        for (&token, text) in substitutes {
            out[self.byte_range(token..token + 1)].copy_from_slice(text);
        }
        if let Some(frames) = &self.frames {
            frames.correct_checksums(&mut out);
        }
        out
    }

    /// Returns for each part of the outermost sibling list all others of that list, as ranges of
    /// tokens. Empty when the list has more than 64 parts.
    pub fn other_parts(&self) -> Vec<Vec<Range<usize>>> {
        const LONG: usize = 64;
        let outermost = self.lists_of_parts().min_by_key(|list| list[0]);
        let list = outermost.filter(|list| list.len() <= LONG).unwrap_or(&[]);
        list.iter()
            .map(|&element| {
                let before = self.tokens_of(list[0]).start..self.tokens_of(element).start;
                let after = self.tokens_of(element).end..self.tokens_of(list[list.len() - 1]).end;
                let others = [before, after].into_iter();
                others.filter(|range| !range.is_empty()).collect()
            })
            .collect()
    }

    /// Returns units over the records of each directory: a run of them with their contents, for
    /// halves, quarters and so on down to single records.
    pub fn records_with_contents(&self) -> Vec<Vec<Range<usize>>> {
        let token = |byte: usize| {
            self.tokens
                .partition_point(|token| (token.start as usize) < byte)
        };
        let frames = self.frames.as_ref();
        let records = frames.map_or(&[][..], |frames| frames.records());
        let directories = records.chunk_by(|one, other| one.directory == other.directory);
        let units = directories.flat_map(|records| {
            halves(records.len()).map(|run| {
                let run = records[run].iter();
                let parts =
                    run.flat_map(|record| [&record.record].into_iter().chain(&record.contents));
                let mut unit: Vec<Range<usize>> = parts
                    .map(|part| token(part.start)..token(part.end))
                    .collect();
                unit.sort_unstable_by_key(|tokens| tokens.start);
                unit
            })
        });
        units.collect()
    }

    /// Returns units over sibling lists of equal length: the same run of positions of all these
    /// lists, for halves, quarters and so on down to single positions. Such lists often describe
    /// the same items, like the types and the bodies of functions. None with a directory, whose
    /// records are known.
    pub fn parallel_parts(&self) -> Vec<Vec<Range<usize>>> {
        let frames = self.frames.as_ref();
        if frames.is_some_and(|frames| !frames.records().is_empty()) {
            return Vec::new();
        }
        let mut by_length: BTreeMap<usize, Vec<&[NodeId]>> = BTreeMap::new();
        for list in self.lists_of_parts() {
            by_length.entry(list.len()).or_default().push(list);
        }
        let mut units = Vec::new();
        for (length, lists) in by_length.into_iter().filter(|(_, lists)| lists.len() > 1) {
            units.extend(halves(length).map(|run| {
                let tokens = |list: &&[NodeId]| {
                    self.tokens_of(list[run.start]).start..self.tokens_of(list[run.end - 1]).end
                };
                lists.iter().map(tokens).collect()
            }));
        }
        units
    }

    /// Returns the tokens of a node.
    fn tokens_of(&self, node: NodeId) -> Range<usize> {
        self.tree.nodes[node].tokens()
    }

    /// Returns the sibling lists of more than one part.
    fn lists_of_parts(&self) -> impl Iterator<Item = &[NodeId]> {
        let is_part = |node: NodeId| self.tree.nodes[node].kind == PART;
        let lists = self.tree.lists.iter().flat_map(move |list| {
            let alike = move |&left: &NodeId, &right: &NodeId| is_part(left) == is_part(right);
            self.tree.elements(list).chunk_by(alike)
        });
        lists.filter(move |list| list.len() > 1 && is_part(list[0]))
    }

    /// Returns the layout of the binary that consists of the kept tokens; `None` when this one was
    /// not analysed.
    pub(super) fn frames_of(&self, kept: &Subset, bytes: &[u8]) -> Option<Arc<Frames>> {
        let frames = self.frames.as_ref()?;
        let sizes = match self.view {
            View::Zeros(_) => return Some(Arc::new(frames.moved(bytes, |border| border))),
            View::Parts(_) => {
                let mut is_kept = vec![false; self.len()];
                for run in kept.runs() {
                    is_kept[run].fill(true);
                }
                self.repairs
                    .changed_numbers(&is_kept, |token| self.token(token).len())
            }
            View::Bytes(_) => Vec::new(),
            // White space between tokens comes and goes.
            _ if kept.count() < self.len() => return None,
            _ => return Some(Arc::clone(frames)),
        };
        let mut sizes = sizes.into_iter().peekable();
        // The old bytes of each kept token, and the new position of its first byte.
        let mut moves: Vec<(Range<usize>, usize)> = Vec::new();
        let mut at = 0;
        for token in kept.iter() {
            let old = self.byte_range(token..token + 1);
            let changed = sizes.next_if(|&(changed, _)| changed == token);
            let size = changed.map_or(old.len(), |(_, text)| text.len());
            moves.push((old, at));
            at += size;
        }
        moves.push((self.bytes.len()..self.bytes.len(), at));
        let new_position = |border: usize| {
            let (old, new) = &moves[moves
                .partition_point(|(old, _)| old.end <= border)
                .min(moves.len() - 1)];
            new + border.saturating_sub(old.start)
        };
        Some(Arc::new(frames.moved(bytes, new_position)))
    }
}

/// Returns all positions of a list, its halves, quarters and so on down to single positions.
pub(super) fn halves(length: usize) -> impl Iterator<Item = Range<usize>> {
    let mut runs = vec![0..length];
    std::iter::from_fn(move || {
        let run = runs.pop()?;
        let middle = run.start + run.len() / 2;
        if run.len() > 1 {
            runs.extend([run.start..middle, middle..run.end]);
        }
        Some(run)
    })
}
