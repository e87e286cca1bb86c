//! Repairs: new lengths, counts and checksums for the kept tokens of a binary.

use std::collections::BTreeMap;
use std::ops::Range;

use super::checksums::{Checksum, write_checksums};
use super::layout::{Frames, NumberMeaning};
use super::numbers::NumberForm;

/// The derived numbers of a document, in terms of its tokens.
#[derive(Debug, Default)]
pub(in crate::document) struct Repairs {
    /// In the order of their tokens.
    numbers: Vec<Repair>,
    /// The lists of parts that numbers count.
    counted: Vec<Box<[Range<usize>]>>,
}

#[derive(Debug)]
struct Repair {
    /// The token of the number.
    token: usize,
    form: NumberForm,
    /// The value in the input.
    value: u64,
    /// The tokens that it is derived from.
    covers: Range<usize>,
    meaning: NumberMeaning,
    /// What it counts, if it counts parts.
    counts: Option<CountedParts>,
}

/// The first parts of a list.
#[derive(Debug, Clone, Copy)]
struct CountedParts {
    list: usize,
    length: usize,
}

/// The most rounds of writing numbers whose sizes depend on each other.
const ROUNDS: usize = 8;

impl Repairs {
    /// Converts numbers; `token` finds the token that begins at a byte.
    pub(in crate::document) fn new(
        frames: &Frames,
        bytes: &[u8],
        token: impl Fn(usize) -> usize,
    ) -> Self {
        let tokens = |range: &Range<usize>| token(range.start)..token(range.end);
        // Numbers often count the parts of the same list up to some part. The lists, by their first
        // byte, each up to the last part that is counted.
        let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
        let counts = frames.numbers.iter();
        for number in counts.filter(|number| number.meaning == NumberMeaning::Count) {
            let end = ends.entry(number.covers.start).or_default();
            *end = number.covers.end.max(*end);
        }
        let lists: Vec<Vec<&Range<usize>>> = (ends.iter())
            .map(|(&start, &end)| frames.outermost(&(start..end)).collect())
            .collect();
        let list_at: BTreeMap<usize, usize> = ends.into_keys().zip(0..).collect();
        let repairs = frames.numbers.iter().filter_map(|number| {
            let list = list_at.get(&number.covers.start).copied();
            let list = list.filter(|_| number.meaning == NumberMeaning::Count);
            let counts = list.map(|list| CountedParts {
                list,
                length: lists[list].partition_point(|part| part.end <= number.covers.end),
            });
            Some(Repair {
                token: token(number.at.start),
                form: number.form,
                value: number.form.read(&bytes[number.at.clone()])?.0,
                covers: tokens(&number.covers),
                meaning: number.meaning,
                counts,
            })
        });
        let numbers = repairs.collect();
        let counted = lists
            .iter()
            .map(|list| list.iter().map(|part| tokens(part)).collect());
        Self {
            numbers,
            counted: counted.collect(),
        }
    }

    /// Returns the tokens of lengths and counts that change, with their new texts, ascending.
    /// `size` returns the number of bytes of a token.
    pub(in crate::document) fn changed_numbers(
        &self,
        kept: &[bool],
        size: impl Fn(usize) -> usize,
    ) -> Vec<(usize, Vec<u8>)> {
        let sums: Vec<Vec<u64>> = (self.counted.iter())
            .map(|list| kept_before(list, kept))
            .collect();
        // The number of bytes from each token to the end, if numbers have the size that they had.
        let mut from = vec![0; kept.len() + 1];
        for token in (0..kept.len()).rev() {
            from[token] = from[token + 1] + if kept[token] { size(token) } else { 0 };
        }
        // Numbers whose size changes move what stands before or after them. A length that stands
        // before what it covers is right after one round.
        let mut changed = Vec::new();
        for _ in 0..ROUNDS {
            let before = from.clone();
            changed.clear();
            let mut repairs = self.numbers.iter().rev().peekable();
            for token in (0..kept.len()).rev() {
                let repair = repairs.next_if(|repair| repair.token == token);
                let mut own = 0;
                if kept[token] {
                    let repair = repair.filter(|repair| !repair.form.is_fixed());
                    let text = repair.and_then(|repair| {
                        let is_before = repair.covers.start > token;
                        repair.new_text(&sums, if is_before { &from } else { &before })
                    });
                    own = text.as_ref().map_or_else(|| size(token), Vec::len);
                    changed.extend(text.map(|text| (token, text)));
                }
                from[token] = from[token + 1] + own;
            }
            if from == before {
                break;
            }
        }
        // Numbers of a fixed size move nothing, so they may stand anywhere.
        let fixed = self.numbers.iter().filter(|repair| repair.form.is_fixed());
        for repair in fixed.filter(|repair| kept[repair.token]) {
            let text = repair.new_text(&sums, &from);
            changed.extend(text.map(|text| (repair.token, text)));
        }
        changed.sort_unstable_by_key(|&(token, _)| token);
        changed
    }

    /// Corrects the checksums. `starts` holds the first byte of each token in the output.
    pub(in crate::document) fn correct_checksums(
        &self,
        out: &mut [u8],
        kept: &[bool],
        starts: &[usize],
    ) {
        let repairs = self.numbers.iter().filter(|repair| kept[repair.token]);
        let checks = repairs.filter_map(|repair| match repair.meaning {
            NumberMeaning::Check(kind) => Some(Checksum {
                at: starts[repair.token],
                form: repair.form,
                kind,
                covers: starts[repair.covers.start]..starts[repair.covers.end],
            }),
            _ => None,
        });
        write_checksums(out, checks);
    }
}

/// Returns for each position in a list how many parts before it are kept.
fn kept_before(list: &[Range<usize>], kept: &[bool]) -> Vec<u64> {
    let mut sum = 0;
    let sums = list.iter().map(|part| {
        sum += u64::from(kept[part.clone()].contains(&true));
        sum
    });
    [0].into_iter().chain(sums).collect()
}

impl Repair {
    /// Returns the new text of a length or count; `None` when it does not change. `sums` holds how
    /// many parts are kept, for each list and position in it.
    fn new_text(&self, sums: &[Vec<u64>], from: &[usize]) -> Option<Vec<u8>> {
        let bytes = from[self.covers.start].checked_sub(from[self.covers.end]);
        let value = match self.meaning {
            NumberMeaning::Length { minus } => {
                u64::try_from(i64::try_from(bytes?).ok()? - minus).ok()?
            }
            NumberMeaning::Separator => u64::from(bytes? > 0),
            NumberMeaning::Units(size) => u64::try_from(bytes? / size).ok()?,
            NumberMeaning::Count => {
                let CountedParts { list, length } = self.counts?;
                *sums[list].get(length)?
            }
            NumberMeaning::Check(_) => return None,
        };
        (value != self.value)
            .then(|| self.form.write(value))
            .flatten()
    }
}
