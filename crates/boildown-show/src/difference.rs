//! Differences of two texts, by tokens, or by lines where texts are large.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};

/// Texts that are longer together are compared by lines only, in bytes.
const BY_TOKENS: usize = 96 << 10;

/// A part of two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Both have it: the bytes of the old text, and those of the new one.
    Kept(Range<usize>, Range<usize>),
    /// Only the old text has it.
    Removed(Range<usize>),
    /// Only the new text has it.
    Added(Range<usize>),
}

/// Returns the segments of two texts, in order: those of the tokens in lines that differ.
pub(crate) fn segments(old: &[u8], new: &[u8]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut lines = compare(old, new, PieceSize::Line).into_iter().peekable();
    while let Some(segment) = lines.next() {
        let Segment::Removed(removed) = &segment else {
            segments.push(segment);
            continue;
        };
        let is_added = |next: &Segment| matches!(next, Segment::Added(_));
        let Some(Segment::Added(added)) = lines.next_if(is_added) else {
            segments.push(segment);
            continue;
        };
        if removed.len() + added.len() > BY_TOKENS {
            segments.extend([segment, Segment::Added(added)]);
            continue;
        }
        let within = compare(&old[removed.clone()], &new[added.clone()], PieceSize::Token);
        let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        segments.extend(within.into_iter().map(|segment| match segment {
            Segment::Kept(a, b) => Segment::Kept(moved(a, removed.start), moved(b, added.start)),
            Segment::Removed(range) => Segment::Removed(moved(range, removed.start)),
            Segment::Added(range) => Segment::Added(moved(range, added.start)),
        }));
    }
    segments
}

/// The size of the pieces that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceSize {
    Line,
    Token,
}

/// The number of tokens up to which the longest common text is found; beyond that, a good one.
const EXACT: usize = 12_000;

fn compare(old: &[u8], new: &[u8], size: PieceSize) -> Vec<Segment> {
    let by_lines = size == PieceSize::Line;
    let [old_pieces, new_pieces] = [old, new].map(|text| Pieces::of(text, by_lines));
    let input = InternedInput::new(&old_pieces, &new_pieces);
    let is_small = old_pieces.ends.len() + new_pieces.ends.len() < EXACT;
    let algorithm = match size {
        PieceSize::Line => Algorithm::Histogram,
        PieceSize::Token if is_small => Algorithm::MyersMinimal,
        PieceSize::Token => Algorithm::Myers,
    };
    let diff = Diff::compute(algorithm, &input);
    let mut segments = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for hunk in diff.hunks() {
        let removed = old_pieces.bytes(&hunk.before);
        let added = new_pieces.bytes(&hunk.after);
        if old_at < removed.start {
            segments.push(Segment::Kept(old_at..removed.start, new_at..added.start));
        }
        (old_at, new_at) = (removed.end, added.end);
        if !removed.is_empty() {
            segments.push(Segment::Removed(removed));
        }
        if !added.is_empty() {
            segments.push(Segment::Added(added));
        }
    }
    if old_at < old.len() {
        segments.push(Segment::Kept(old_at..old.len(), new_at..new.len()));
    }
    segments
}

/// A text in pieces: words, white space, single other characters; or lines.
struct Pieces<'a> {
    text: &'a [u8],
    /// Where each piece ends.
    ends: Vec<usize>,
}

impl<'a> Pieces<'a> {
    fn of(text: &'a [u8], by_lines: bool) -> Self {
        let mut ends = Vec::new();
        let mut from = 0;
        while from < text.len() {
            let first = text[from];
            let rest = &text[from + 1..];
            let same = |is_same: fn(u8) -> bool| {
                let end = rest.iter().position(|byte| !is_same(*byte));
                1 + end.unwrap_or(rest.len())
            };
            let length = match first {
                _ if by_lines => {
                    let end = text[from..].iter().position(|byte| *byte == b'\n');
                    end.map_or(text.len() - from, |end| end + 1)
                }
                _ if is_word(first) => same(is_word),
                b' ' | b'\t' => same(|byte| matches!(byte, b' ' | b'\t')),
                _ => 1,
            };
            from += length;
            ends.push(from);
        }
        Self { text, ends }
    }

    fn start(&self, piece: usize) -> usize {
        piece
            .checked_sub(1)
            .map_or(0, |before| self.ends[before.min(self.ends.len() - 1)])
    }

    fn bytes(&self, pieces: &Range<u32>) -> Range<usize> {
        self.start(pieces.start as usize)..self.start(pieces.end as usize)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl<'a> TokenSource for &Pieces<'a> {
    type Token = &'a [u8];
    type Tokenizer = std::vec::IntoIter<&'a [u8]>;

    fn tokenize(&self) -> Self::Tokenizer {
        let pieces =
            (0..self.ends.len()).map(|piece| &self.text[self.start(piece)..self.ends[piece]]);
        pieces.collect::<Vec<_>>().into_iter()
    }

    fn estimate_tokens(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }
}

/// For each byte of an input, the step at which it went. Steps are given in order, as the texts
/// that are known.
#[derive(Debug)]
pub(crate) struct Fates {
    /// Invariant: as long as the input.
    gone: Vec<u32>,
    /// For each byte of the last text, its place in the input, or [`NOWHERE`].
    origins: Vec<u32>,
    last: Vec<u8>,
}

/// The fate of a byte that stays.
pub(crate) const STAYS: u32 = u32::MAX;

/// The origin of a byte that is no part of the input.
const NOWHERE: u32 = u32::MAX;

impl Fates {
    pub(crate) fn of(input: &[u8]) -> Self {
        let length = u32::try_from(input.len()).unwrap_or(u32::MAX);
        Self {
            gone: vec![STAYS; input.len()],
            origins: (0..length).collect(),
            last: input.to_vec(),
        }
    }

    /// Adds the text of a step.
    pub(crate) fn step(&mut self, step: u32, text: &[u8]) {
        let mut origins = Vec::with_capacity(text.len());
        for segment in segments(&self.last, text) {
            match segment {
                Segment::Kept(old, _) => {
                    origins.extend(self.origins.get(old).into_iter().flatten());
                }
                Segment::Removed(old) => {
                    for origin in self.origins.get(old).into_iter().flatten() {
                        if let Some(fate) = self.gone.get_mut(*origin as usize) {
                            *fate = step;
                        }
                    }
                }
                Segment::Added(new) => origins.extend(new.map(|_| NOWHERE)),
            }
        }
        self.origins = origins;
        self.last = text.to_vec();
    }

    /// Returns the bytes of the last text that come from nowhere in the input, as ranges.
    pub(crate) fn added(&self) -> Vec<Range<usize>> {
        let mut added: Vec<Range<usize>> = Vec::new();
        for (byte, _) in (self.origins.iter().enumerate()).filter(|(_, from)| **from == NOWHERE) {
            match added.last_mut() {
                Some(range) if range.end == byte => range.end += 1,
                _ => added.push(byte..byte + 1),
            }
        }
        added
    }

    /// Returns the fates of the bytes of the input: the step at which each went, or [`STAYS`].
    pub(crate) fn gone(&self) -> &[u32] {
        &self.gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> String {
        segments(old.as_bytes(), new.as_bytes())
            .into_iter()
            .map(|segment| match segment {
                Segment::Kept(old_bytes, new_bytes) => {
                    assert_eq!(&old[old_bytes.clone()], &new[new_bytes]);
                    old[old_bytes].to_owned()
                }
                Segment::Removed(bytes) => format!("[-{}]", &old[bytes]),
                Segment::Added(bytes) => format!("[+{}]", &new[bytes]),
            })
            .collect()
    }

    #[test]
    fn differences_are_those_of_words() {
        assert_eq!(shown("a(b, c);\n", "a(c);\n"), "a([-b, ]c);\n");
        assert_eq!(shown("x = 12;", "x = 0;"), "x = [-12][+0];");
        assert_eq!(shown("", "new"), "[+new]");
        assert_eq!(shown("old", ""), "[-old]");
        assert_eq!(shown("same", "same"), "same");
    }

    #[test]
    fn what_is_left_of_a_long_text_is_found_in_it() {
        let old = "<TR><TD NAME=a>x</TD></TR>\n".repeat(200)
            + "<SELECT NAME=b>\n"
            + &"<P>y</P>\n".repeat(200);
        let found = segments(old.as_bytes(), b"<SELECT>");
        let is_added = |segment: &Segment| matches!(segment, Segment::Added(_));
        assert!(!found.iter().any(is_added), "{found:?}");
    }

    #[test]
    fn large_texts_are_compared_by_lines_and_then_by_tokens() {
        let old = "a b\n".repeat(40_000) + "c d\n";
        let new = "a b\n".repeat(39_999) + "c e\n";
        let segments = segments(old.as_bytes(), new.as_bytes());
        assert!(segments.contains(&Segment::Added(new.len() - 2..new.len() - 1)));
    }

    #[test]
    fn every_byte_of_the_input_has_the_step_at_which_it_went() {
        let mut fates = Fates::of(b"one two three");
        fates.step(1, b"one three");
        fates.step(2, b"1 three");
        fates.step(3, b"three");
        let gone: Vec<u32> = fates.gone().to_vec();
        assert_eq!(gone[..3], [2, 2, 2]);
        assert_eq!(gone[4..7], [1, 1, 1]);
        assert_eq!(gone[8..], [STAYS; 5]);
    }
}
