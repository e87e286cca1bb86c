//! Differences between two contents: what has to be sent so that the other side can make the second
//! one from the first.

use serde::{Deserialize, Serialize};

use super::frame::{MAX_CONTENT, Malformed};

/// Bytes of a block of the base. A common part that is shorter may be sent again.
const BLOCK: usize = 32;

/// A content that later ones are compared with.
#[derive(Debug)]
pub(crate) struct Base {
    content: Vec<u8>,
    /// The hash and the position of each whole block, sorted.
    blocks: Vec<(u64, u32)>,
}

/// A part of a content: bytes copied from the base, and then bytes that are new.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    from: u32,
    length: u32,
    new: u32,
}

/// A content as pieces of a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference<'a> {
    pub(crate) pieces: Vec<Piece>,
    /// What is new in each piece.
    pub(crate) new: Vec<&'a [u8]>,
}

/// A polynomial hash of blocks that can be moved on by a byte.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

fn hash(block: &[u8]) -> u64 {
    (block.iter()).fold(0, |hash: u64, byte| {
        hash.wrapping_mul(FACTOR).wrapping_add(u64::from(*byte))
    })
}

/// The factor of the first byte of a block.
const OLDEST: u64 = {
    let mut factor: u64 = 1;
    let mut number = 1;
    while number < BLOCK {
        factor = factor.wrapping_mul(FACTOR);
        number += 1;
    }
    factor
};

/// Returns the number of bytes at the beginning that are the same.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

impl Base {
    pub(crate) fn new(content: &[u8]) -> Self {
        let positions = (0u32..).step_by(BLOCK);
        let blocks = content.chunks_exact(BLOCK).zip(positions);
        let mut blocks: Vec<_> = blocks.map(|(block, at)| (hash(block), at)).collect();
        blocks.sort_unstable();
        Self {
            content: content.to_vec(),
            blocks,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.content.len()
    }

    /// Returns the difference from this base to a content.
    ///
    /// Each piece is copied as far as base and content agree. After that, the next place in the
    /// content is looked for that begins with a whole block of the base, preferably one further on.
    ///
    /// # Cost
    /// A few operations for each byte of the content, and a binary search for each new one.
    pub(crate) fn difference<'a>(&self, content: &'a [u8]) -> Difference<'a> {
        let (mut pieces, mut all_new) = (Vec::new(), Vec::new());
        let (mut from, mut at) = (0, 0);
        loop {
            let length = common(&self.content[from..], &content[at..]);
            let end = at + length;
            let next = self.next_block(content, end, from + length);
            let (new_end, next_from) = next.unwrap_or((content.len(), 0));
            let new = &content[end..new_end];
            pieces.push(Piece {
                from: small(from),
                length: small(length),
                new: small(new.len()),
            });
            all_new.push(new);
            if next.is_none() {
                return Difference {
                    pieces,
                    new: all_new,
                };
            }
            (from, at) = (next_from, new_end);
        }
    }

    /// Returns the next position in the content, not before `at`, that begins with a block of the
    /// base, and the position of that block: the first one after `after`, or the first of all.
    fn next_block(&self, content: &[u8], at: usize, after: usize) -> Option<(usize, usize)> {
        let mut window = hash(content.get(at..at + BLOCK)?);
        for start in at.. {
            let wanted = (window, small(after));
            let index = self.blocks.partition_point(|block| *block < wanted);
            let first = self.blocks.partition_point(|(hash, _)| *hash < window);
            for candidate in [index, first] {
                if let Some(&(hash, from)) = self.blocks.get(candidate)
                    && hash == window
                    && self.content[from as usize..].starts_with(&content[start..start + BLOCK])
                {
                    return Some((start, from as usize));
                }
            }
            let next = content.get(start + BLOCK)?;
            window = window
                .wrapping_sub(u64::from(content[start]).wrapping_mul(OLDEST))
                .wrapping_mul(FACTOR)
                .wrapping_add(u64::from(*next));
        }
        None
    }
}

/// Returns a position or a length as it is sent. Contents are limited to less.
fn small(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// About how many bytes a piece takes in JSON.
const PIECE: usize = 42;

impl Difference<'_> {
    /// Returns about how many bytes it takes to send.
    pub(crate) fn size(&self) -> usize {
        self.new.iter().map(|new| PIECE + new.len()).sum()
    }
}

/// Applies pieces, of which these bytes are new, to the base.
pub(crate) fn apply(base: &[u8], pieces: &[Piece], mut new: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut content = Vec::new();
    for piece in pieces {
        let [from, length, added] = [piece.from, piece.length, piece.new].map(|it| it as usize);
        let end = from.checked_add(length).ok_or(Malformed)?;
        let copied = base.get(from..end).ok_or(Malformed)?;
        let (added, rest) = new.split_at_checked(added).ok_or(Malformed)?;
        if content.len() + copied.len() + added.len() > MAX_CONTENT {
            return Err(Malformed);
        }
        content.extend_from_slice(copied);
        content.extend_from_slice(added);
        new = rest;
    }
    match new.is_empty() {
        true => Ok(content),
        false => Err(Malformed),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sent(base: &[u8], content: &[u8]) -> usize {
        let difference = Base::new(base).difference(content);
        let made = apply(base, &difference.pieces, &difference.new.concat());
        assert_eq!(made.unwrap(), content);
        difference.size()
    }

    fn numbered_lines(lines: std::ops::Range<u32>) -> Vec<u8> {
        lines
            .map(|line| format!("line number {line};\n"))
            .collect::<String>()
            .into_bytes()
    }

    #[test]
    fn deletions_take_few_bytes() {
        let base = numbered_lines(0..2000);
        let mut content = numbered_lines(0..500);
        content.extend(numbered_lines(510..511));
        content.extend(numbered_lines(900..2000));
        assert!(sent(&base, &content) < 200);
        assert!(sent(&base, &base) < 50);
        assert!(sent(&base, b"") < 50);
        assert!(sent(b"", &content) > content.len());
    }

    proptest! {
        #[test]
        fn applying_a_difference_gives_the_content(
            base in prop::collection::vec(0u8..3, 0..400),
            cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..60, 0u8..3), 0..6),
        ) {
            let mut content = base.clone();
            for (at, length, inserted) in cuts {
                if !content.is_empty() {
                    let at = at.index(content.len());
                    let end = (at + length).min(content.len());
                    content.splice(at..end, [inserted; 3]);
                }
            }
            sent(&base, &content);
        }

        #[test]
        fn garbage_is_an_error_or_a_content(base: Vec<u8>, numbers: Vec<[u32; 3]>, new: Vec<u8>) {
            let pieces = numbers.into_iter().map(|[from, length, new]| Piece { from, length, new });
            // No panic, and no more than can be made of the base.
            apply(&base, &pieces.collect::<Vec<_>>(), &new).ok();
        }
    }
}
