//! Repairs: new lengths, counts and checksums for the kept tokens of a binary.

use std::ops::Range;

use super::checksums::{Checksum, write_checksums};
use super::layout::{Frames, NumberMeaning};
use super::numbers::NumberForm;

/// The derived numbers of a document, in terms of its tokens.
#[derive(Debug, Default)]
pub(in crate::document) struct Repairs(Vec<Repair>);

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
    /// The parts that it counts, if it counts parts.
    counted: Box<[Range<usize>]>,
}

impl Repairs {
    /// Converts numbers; `token` finds the token that begins at a byte.
    pub(in crate::document) fn new(
        frames: &Frames,
        bytes: &[u8],
        token: impl Fn(usize) -> usize,
    ) -> Self {
        let tokens = |range: &Range<usize>| token(range.start)..token(range.end);
        let repairs = frames.numbers.iter().filter_map(|number| {
            let counted: Vec<Range<usize>> = match number.meaning {
                NumberMeaning::Count => frames.outermost(&number.covers).map(tokens).collect(),
                _ => Vec::new(),
            };
            Some(Repair {
                token: token(number.at.start),
                form: number.form,
                value: number.form.read(&bytes[number.at.clone()])?.0,
                covers: tokens(&number.covers),
                meaning: number.meaning,
                counted: counted.into(),
            })
        });
        Self(repairs.collect())
    }

    /// Returns the tokens of lengths and counts that change, with their new texts, ascending.
    /// `size` returns the number of bytes of a token.
    pub(in crate::document) fn changed_numbers(
        &self,
        kept: &[bool],
        size: impl Fn(usize) -> usize,
    ) -> Vec<(usize, Vec<u8>)> {
        // The number of bytes from each token to the end. A length stands before what it covers.
        let mut from = vec![0; kept.len() + 1];
        let mut repairs = self.0.iter().rev().peekable();
        let mut changed = Vec::new();
        for token in (0..kept.len()).rev() {
            let repair = repairs.next_if(|repair| repair.token == token);
            let mut own = 0;
            if kept[token] {
                let value = repair.and_then(|repair| repair.new_value(kept, &from));
                let text = repair
                    .zip(value)
                    .and_then(|(repair, value)| repair.form.write(value));
                own = text.as_ref().map_or_else(|| size(token), Vec::len);
                changed.extend(text.map(|text| (token, text)));
            }
            from[token] = from[token + 1] + own;
        }
        // Numbers of offsets have a fixed width, so they move nothing.
        let offsets = (self.0.iter()).filter(|repair| repair.meaning == NumberMeaning::Offset);
        for repair in offsets.filter(|repair| kept[repair.token]) {
            let value = u64::try_from(from[0] - from[repair.covers.end]).ok();
            let text = value.filter(|&value| value != repair.value);
            changed.extend(text.and_then(|value| Some((repair.token, repair.form.write(value)?))));
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
        let checks = self
            .0
            .iter()
            .filter(|repair| repair.meaning == NumberMeaning::Check);
        let checks = checks
            .filter(|repair| kept[repair.token])
            .map(|repair| Checksum {
                at: starts[repair.token],
                form: repair.form,
                covers: starts[repair.covers.start]..starts[repair.covers.end],
            });
        write_checksums(out, checks);
    }
}

impl Repair {
    /// Returns the new value of a length or count; `None` when it does not change.
    fn new_value(&self, kept: &[bool], from: &[usize]) -> Option<u64> {
        let value = match self.meaning {
            NumberMeaning::Length { minus } => {
                let bytes = i64::try_from(from[self.covers.start] - from[self.covers.end]).ok()?;
                u64::try_from(bytes - minus).ok()?
            }
            NumberMeaning::Count => {
                let parts = self.counted.iter();
                let kept = parts.filter(|part| kept[(*part).clone()].contains(&true));
                u64::try_from(kept.count()).ok()?
            }
            NumberMeaning::Offset | NumberMeaning::Check => return None,
        };
        (value != self.value).then_some(value)
    }
}
