//! The layout of a binary: its parts and its derived numbers.

use std::ops::Range;

use super::numbers::{NumberForm, crc32, sum_of_words};

/// The layout of a binary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Frames {
    /// The parts, as ranges of bytes, in preorder: a part comes before those inside it.
    pub(super) parts: Vec<Range<usize>>,
    /// Ascending and disjoint.
    pub(super) numbers: Vec<DerivedNumber>,
    /// The records of directories, each with its contents; those of a directory stand together.
    pub(super) records: Vec<DirectoryRecord>,
    /// Whether all parts are written in the same way, so that one can take the place of another.
    pub(super) are_alike: bool,
}

/// A record of a directory and the contents that only it describes: parts that go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::document) struct DirectoryRecord {
    /// The first byte of the directory in the input.
    pub(in crate::document) directory: usize,
    pub(in crate::document) record: Range<usize>,
    pub(in crate::document) contents: Vec<Range<usize>>,
}

/// A number that can be derived from the rest of the binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DerivedNumber {
    pub(super) at: Range<usize>,
    pub(super) form: NumberForm,
    /// The bytes that it is derived from.
    pub(super) covers: Range<usize>,
    pub(super) meaning: NumberMeaning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberMeaning {
    /// The number of bytes, minus this. An offset is the length from where it counts to where it
    /// points.
    Length { minus: i64 },
    /// The number of units of this many bytes.
    Units(usize),
    /// The number of parts, not counting parts of parts. An index is the number of parts before.
    Count,
    /// Whether there is anything: what separates the parts of a list is needed when there are parts
    /// before it.
    Separator,
    /// A checksum of the bytes.
    Check(ChecksumKind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChecksumKind {
    Crc32,
    SumOfWords,
}

impl ChecksumKind {
    pub(super) fn of(self, bytes: &[u8]) -> u64 {
        u64::from(match self {
            Self::Crc32 => crc32(bytes),
            Self::SumOfWords => sum_of_words(bytes),
        })
    }
}

impl Frames {
    /// Returns whether no layout was recognised.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the parts, in preorder.
    pub(in crate::document) fn parts(&self) -> &[Range<usize>] {
        &self.parts
    }

    /// Returns whether a part can take the place of one around it.
    pub(in crate::document) fn are_alike(&self) -> bool {
        self.are_alike
    }

    /// Returns the bytes of the derived numbers, ascending.
    pub(in crate::document) fn numbers(&self) -> impl Iterator<Item = &Range<usize>> {
        self.numbers.iter().map(|number| &number.at)
    }

    /// Returns the records of all directories, each with its contents, outer directories first.
    pub(in crate::document) fn records(&self) -> &[DirectoryRecord] {
        &self.records
    }

    /// Puts parts and numbers into order. Drops parts that cross another one, and numbers that a
    /// border divides.
    pub(super) fn sorted(mut self) -> Self {
        let order = |part: &Range<usize>| (part.start, std::cmp::Reverse(part.end));
        self.parts.sort_by_key(order);
        self.parts.dedup();
        let mut ends: Vec<usize> = Vec::new();
        self.parts.retain(|part| {
            while ends.pop_if(|end| *end <= part.start).is_some() {}
            let is_nested = ends.last().is_none_or(|&end| part.end <= end);
            if is_nested {
                ends.push(part.end);
            }
            is_nested
        });
        self.numbers.sort_by_key(|number| number.at.start);
        let borders = self.borders();
        self.numbers.retain(|number| {
            let next = borders.partition_point(|&border| border <= number.at.start);
            borders.get(next) == Some(&number.at.end)
        });
        self.numbers.dedup_by_key(|number| number.at.start);
        self
    }

    /// Returns every position where a part, a number or the range of a number begins or ends,
    /// ascending.
    pub(in crate::document) fn borders(&self) -> Vec<usize> {
        let numbers = self.numbers.iter();
        let numbers = numbers.flat_map(|number| [number.at.clone(), number.covers.clone()]);
        let ranges = self.parts.iter().cloned().chain(numbers);
        let mut borders: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
        borders.sort_unstable();
        borders.dedup();
        borders
    }

    /// Returns the layout after deletions. `new_position` maps old borders to new ones. Numbers
    /// that are no longer right are dropped.
    pub(in crate::document) fn moved(
        &self,
        bytes: &[u8],
        new_position: impl Fn(usize) -> usize,
    ) -> Self {
        let moved = |range: &Range<usize>| new_position(range.start)..new_position(range.end);
        let parts: Vec<Range<usize>> = (self.parts.iter().map(moved))
            .filter(|part| !part.is_empty())
            .collect();
        let numbers = self.numbers.iter().map(|number| DerivedNumber {
            at: moved(&number.at),
            covers: moved(&number.covers),
            ..number.clone()
        });
        let frames = Self {
            parts,
            numbers: numbers.collect(),
            are_alike: self.are_alike,
            records: (self.records.iter())
                .map(|record| DirectoryRecord {
                    directory: record.directory,
                    record: moved(&record.record),
                    contents: (record.contents.iter().map(moved))
                        .filter(|content| !content.is_empty())
                        .collect(),
                })
                .filter(|record| !record.record.is_empty())
                .collect(),
        };
        frames.agreeing(bytes)
    }

    /// Drops the numbers that are not right.
    pub(super) fn agreeing(mut self, bytes: &[u8]) -> Self {
        let agree: Vec<bool> = (self.numbers.iter())
            .map(|number| self.agrees(number, bytes))
            .collect();
        let mut agree = agree.into_iter();
        self.numbers.retain(|_| agree.next().unwrap_or(false));
        self
    }

    fn agrees(&self, number: &DerivedNumber, bytes: &[u8]) -> bool {
        let text = &bytes[number.at.clone()];
        let wanted = match number.meaning {
            NumberMeaning::Length { minus } => {
                i64::try_from(number.covers.len()).unwrap_or(i64::MAX) - minus
            }
            NumberMeaning::Count => {
                i64::try_from(self.outermost(&number.covers).count()).unwrap_or(i64::MAX)
            }
            NumberMeaning::Units(size) => {
                i64::try_from(number.covers.len() / size).unwrap_or(i64::MAX)
            }
            NumberMeaning::Separator => i64::from(!number.covers.is_empty()),
            NumberMeaning::Check(kind) => {
                i64::try_from(kind.of(&bytes[number.covers.clone()])).unwrap_or(i64::MAX)
            }
        };
        let read = number.form.read(text);
        read.is_some_and(|(value, size)| {
            size > 0
                && size == text.len()
                && i64::try_from(value).is_ok_and(|value| value == wanted)
        })
    }

    /// Returns the parts in a range that are in no other part there.
    pub(super) fn outermost(&self, within: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let first = self.parts.partition_point(|part| part.start < within.start);
        let mut end = within.start;
        let within = within.clone();
        self.parts[first..]
            .iter()
            .take_while({
                let within = within.clone();
                move |part| part.start < within.end
            })
            .filter(move |part| {
                let outer = part.start >= end && part.end <= within.end;
                if outer {
                    end = part.end;
                }
                outer
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_cross_and_numbers_that_a_border_divides_are_dropped() {
        let number = |at: Range<usize>| DerivedNumber {
            form: NumberForm::Big(at.len()),
            at,
            covers: 10..12,
            meaning: NumberMeaning::Length { minus: 0 },
        };
        let frames = Frames {
            parts: vec![2..6, 0..4, 0..8, 10..12],
            numbers: vec![number(3..5), number(6..8)],
            ..Frames::default()
        };
        let frames = frames.sorted();
        assert_eq!(frames.parts, [0..8, 0..4, 10..12]);
        assert_eq!(frames.numbers, [number(6..8)]);
    }
}
