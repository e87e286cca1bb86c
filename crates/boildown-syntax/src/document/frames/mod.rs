//! The parts of a binary, and the numbers in it that follow from the rest: lengths, counts, checksums.
//!
//! With them a part can go without a trace: the numbers around it are written anew.

mod form;
mod infer;

use std::ops::Range;

use form::{Form, crc32};

/// What is known of how a binary is put together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Frames {
    /// The parts, as ranges of bytes, in preorder: one that holds others stands before them.
    parts: Vec<Range<usize>>,
    /// In ascending order, disjoint.
    numbers: Vec<Number>,
}

/// A number that follows from the rest of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number {
    at: Range<usize>,
    form: Form,
    /// The bytes that it speaks of.
    of: Range<usize>,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// How many bytes there are, but for so many.
    Length { but: i64 },
    /// How many parts there are, not counting parts of parts.
    Count,
    /// The checksum of the bytes.
    Check,
}

impl Frames {
    /// Returns what can be read off a text.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        infer::frames(bytes)
    }

    /// Returns whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the parts, in preorder.
    pub(super) fn parts(&self) -> &[Range<usize>] {
        &self.parts
    }

    /// Returns where numbers stand, in ascending order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &Range<usize>> {
        self.numbers.iter().map(|number| &number.at)
    }

    /// Returns every place where a part, a number or what one speaks of begins or ends, in ascending order.
    pub(super) fn borders(&self) -> Vec<usize> {
        let numbers = self.numbers.iter();
        let numbers = numbers.flat_map(|number| [number.at.clone(), number.of.clone()]);
        let ranges = self.parts.iter().cloned().chain(numbers);
        let mut borders: Vec<usize> = ranges.flat_map(|range| [range.start, range.end]).collect();
        borders.sort_unstable();
        borders.dedup();
        borders
    }

    /// Returns what is known of a text that pieces of this one were deleted from. `place` says where a border went; what no longer
    /// agrees with the text is forgotten.
    pub(super) fn moved(&self, bytes: &[u8], place: impl Fn(usize) -> usize) -> Self {
        let moved = |range: &Range<usize>| place(range.start)..place(range.end);
        let parts: Vec<Range<usize>> = (self.parts.iter().map(moved))
            .filter(|part| !part.is_empty())
            .collect();
        let numbers = self.numbers.iter().map(|number| Number {
            at: moved(&number.at),
            of: moved(&number.of),
            ..number.clone()
        });
        let mut frames = Self {
            parts,
            numbers: numbers.collect(),
        };
        let agree: Vec<bool> = (frames.numbers.iter())
            .map(|number| frames.agrees(number, bytes))
            .collect();
        let mut agree = agree.into_iter();
        frames.numbers.retain(|_| agree.next().unwrap_or(false));
        frames
    }

    /// Writes the checksums of a text anew, nothing of which has moved.
    pub(super) fn check(&self, out: &mut [u8]) {
        let checks = self.numbers.iter();
        let checks = checks.filter(|number| number.what == What::Check);
        let checks = checks.map(|number| (number.at.start, number.form, number.of.clone()));
        write_checks(out, checks);
    }

    fn agrees(&self, number: &Number, bytes: &[u8]) -> bool {
        let text = &bytes[number.at.clone()];
        let wanted = match number.what {
            What::Length { but } => i64::try_from(number.of.len()).unwrap_or(i64::MAX) - but,
            What::Count => i64::try_from(self.outermost(&number.of).count()).unwrap_or(i64::MAX),
            What::Check => i64::from(crc32(&bytes[number.of.clone()])),
        };
        let read = number.form.read(text);
        read.is_some_and(|(value, size)| {
            size == text.len() && i64::try_from(value).is_ok_and(|value| value == wanted)
        })
    }

    /// The parts in a range that are in no other one there.
    fn outermost(&self, of: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let first = self.parts.partition_point(|part| part.start < of.start);
        let mut end = of.start;
        let of = of.clone();
        self.parts[first..]
            .iter()
            .take_while({
                let of = of.clone();
                move |part| part.start < of.end
            })
            .filter(move |part| {
                let outer = part.start >= end && part.end <= of.end;
                if outer {
                    end = part.end;
                }
                outer
            })
    }
}

/// The numbers of a document, in terms of its atoms.
#[derive(Debug, Default)]
pub(super) struct Repairs(Vec<Repair>);

#[derive(Debug)]
struct Repair {
    /// The atom that the number is.
    atom: usize,
    form: Form,
    /// What the number is in the text as it was read.
    value: u64,
    /// The atoms that it speaks of.
    of: Range<usize>,
    what: What,
    /// What is counted, when it counts.
    counted: Box<[Range<usize>]>,
}

impl Repairs {
    /// Translates numbers, with `atom` to find the atom that begins at a byte.
    pub(super) fn new(frames: &Frames, bytes: &[u8], atom: impl Fn(usize) -> usize) -> Self {
        let atoms = |range: &Range<usize>| atom(range.start)..atom(range.end);
        let repairs = frames.numbers.iter().filter_map(|number| {
            let counted: Vec<Range<usize>> = match number.what {
                What::Count => frames.outermost(&number.of).map(atoms).collect(),
                What::Length { .. } | What::Check => Vec::new(),
            };
            Some(Repair {
                atom: atom(number.at.start),
                form: number.form,
                value: number.form.read(&bytes[number.at.clone()])?.0,
                of: atoms(&number.of),
                what: number.what,
                counted: counted.into(),
            })
        });
        Self(repairs.collect())
    }

    /// Returns the texts of the numbers that change, by their atoms, in ascending order. `size` is the number of bytes of an atom.
    pub(super) fn lengths(
        &self,
        kept: &[bool],
        size: impl Fn(usize) -> usize,
    ) -> Vec<(usize, Vec<u8>)> {
        // How many bytes there are from each atom on. A length stands before what it speaks of.
        let mut from = vec![0; kept.len() + 1];
        let mut repairs = self.0.iter().rev().peekable();
        let mut changed = Vec::new();
        for atom in (0..kept.len()).rev() {
            let repair = repairs.next_if(|repair| repair.atom == atom);
            let mut own = 0;
            if kept[atom] {
                let value = repair.and_then(|repair| repair.now(kept, &from));
                let text = repair
                    .zip(value)
                    .and_then(|(repair, value)| repair.form.write(value));
                own = text.as_ref().map_or_else(|| size(atom), Vec::len);
                changed.extend(text.map(|text| (atom, text)));
            }
            from[atom] = from[atom + 1] + own;
        }
        changed.reverse();
        changed
    }

    /// Writes the checksums anew. `places` says where each atom begins in the text.
    pub(super) fn check(&self, out: &mut [u8], kept: &[bool], places: &[usize]) {
        let checks = self.0.iter().filter(|repair| repair.what == What::Check);
        let checks = checks.filter(|repair| kept[repair.atom]).map(|repair| {
            let of = places[repair.of.start]..places[repair.of.end];
            (places[repair.atom], repair.form, of)
        });
        write_checks(out, checks);
    }
}

impl Repair {
    /// Returns what the number has to be now, when that is not what it was.
    fn now(&self, kept: &[bool], from: &[usize]) -> Option<u64> {
        let value = match self.what {
            What::Length { but } => {
                let bytes = i64::try_from(from[self.of.start] - from[self.of.end]).ok()?;
                u64::try_from(bytes - but).ok()?
            }
            What::Count => {
                let parts = self.counted.iter();
                let kept = parts.filter(|part| kept[(*part).clone()].contains(&true));
                u64::try_from(kept.count()).ok()?
            }
            What::Check => return None,
        };
        (value != self.value).then_some(value)
    }
}

/// Writes checksums, each at a place, over a range of bytes.
fn write_checks(out: &mut [u8], checks: impl Iterator<Item = (usize, Form, Range<usize>)>) {
    let mut checks: Vec<_> = checks.collect();
    // What is inside goes first: it ends first.
    checks.sort_by_key(|(_, _, of)| of.end);
    for (at, form, of) in checks {
        let sum = u64::from(crc32(&out[of]));
        if let Some(text) = form.write(sum) {
            out[at..at + text.len()].copy_from_slice(&text);
        }
    }
}
