//! Inference of tagged units: a tag, a length, a content that may hold tagged units again.
//!
//! The tag says what a content is, and sometimes how its length is written. Which contents are
//! units again is not written anywhere. It shows: all contents under the same tags, from the
//! outermost one on, can be read as units that end where the content ends.
//!
//! For example, `3a 07 22 05 12 03 b a d` are three units in each other, with keys of Protocol
//! Buffers as tags.

use std::collections::BTreeMap;
use std::ops::Range;

use super::layout::{DerivedNumber, Frames, NumberMeaning};
use super::numbers::NumberForm;
use super::work::Work;

/// A way to write tagged units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaggedUnits {
    /// Protocol Buffers: a LEB128 number whose lowest three bits say what follows.
    Keys,
    /// ASN.1: a bit of the tag says that units follow.
    Der,
    /// EBML, of Matroska: the number of leading zeros is the size of a tag or length.
    Ebml,
    /// A decimal length, a colon, the content, a comma. There is no tag.
    Netstrings,
}

/// One unit.
#[derive(Debug)]
struct Unit {
    tag: u64,
    whole: Range<usize>,
    /// The bytes of the length. Empty without one: the unit has a fixed size, or ends with the
    /// content that it is in.
    length: Range<usize>,
    content: Range<usize>,
    nesting: Nesting,
    /// In bits, roughly.
    evidence: u32,
}

/// Whether units are in a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Never,
    /// If all contents under the same tags can be read so, after a head of up to this many zeros.
    Maybe {
        head: usize,
    },
    Always,
}

/// The contents under the same tags.
struct Contents {
    ranges: Vec<Range<usize>>,
    nesting: Nesting,
    depth: usize,
}

/// The evidence, in bits, with which contents are read as units.
const ENOUGH_INSIDE: u32 = 3;

/// The same, for each of several contents that all look like texts.
const ENOUGH_IN_TEXT: u32 = 10;

/// The largest depth of units in units.
const DEPTH: usize = 100;

/// The largest number of units.
const UNITS: usize = 200_000;

impl TaggedUnits {
    pub(super) const ALL: [Self; 4] = [Self::Keys, Self::Der, Self::Ebml, Self::Netstrings];

    /// Reads a range to its end. Returns the parts and lengths, and the evidence for them.
    pub(super) async fn read(
        self,
        bytes: &[u8],
        range: Range<usize>,
        work: &mut Work,
    ) -> Option<(u32, Frames)> {
        let mut frames = Frames::default();
        let mut evidence = 0;
        let mut left = vec![Contents {
            ranges: vec![range],
            nesting: Nesting::Always,
            depth: 0,
        }];
        while let Some(contents) = left.pop() {
            let read = self.units_of(bytes, &contents, work).await;
            let Some((sure, units)) = read else {
                // A unit that has to hold units does not: the whole is written in another way.
                if contents.nesting == Nesting::Always {
                    return None;
                }
                continue;
            };
            if contents.depth == 0 && units.iter().all(|unit| unit.length.is_empty()) {
                return None;
            }
            evidence += sure;
            let mut inside: BTreeMap<u64, Contents> = BTreeMap::new();
            for unit in units {
                frames.parts.push(unit.whole);
                if unit.content.is_empty() {
                    continue;
                }
                frames.parts.push(unit.content.clone());
                if !unit.length.is_empty() {
                    frames.numbers.push(DerivedNumber {
                        at: unit.length,
                        form: self.form(),
                        covers: unit.content.clone(),
                        meaning: NumberMeaning::Length { minus: 0 },
                    });
                }
                if unit.nesting != Nesting::Never && contents.depth < DEPTH {
                    let same = inside.entry(unit.tag).or_insert_with(|| Contents {
                        ranges: Vec::new(),
                        nesting: unit.nesting,
                        depth: contents.depth + 1,
                    });
                    same.ranges.push(unit.content);
                }
            }
            if frames.parts.len() > UNITS {
                return None;
            }
            left.extend(inside.into_values());
        }
        Some((evidence, frames.sorted()))
    }

    fn form(self) -> NumberForm {
        match self {
            Self::Keys => NumberForm::Leb128,
            Self::Der => NumberForm::Der,
            Self::Ebml => NumberForm::Ebml,
            Self::Netstrings => NumberForm::Decimal,
        }
    }

    /// Reads contents under the same tags as units, if there is enough evidence for them.
    async fn units_of(
        self,
        bytes: &[u8],
        contents: &Contents,
        work: &mut Work,
    ) -> Option<(u32, Vec<Unit>)> {
        let head = match contents.nesting {
            Nesting::Maybe { head } => head,
            _ => 0,
        };
        let mut units: Vec<Unit> = Vec::new();
        let mut evidence = 0;
        for range in &contents.ranges {
            let mut at = range.start + head;
            if at > range.end || bytes[range.start..at].iter().any(|&byte| byte != 0) {
                return None;
            }
            let before = units.len();
            while at < range.end {
                let unit = self.unit(bytes, at..range.end);
                if !work.count(1).await {
                    return None;
                }
                let unit = unit?;
                at = unit.whole.end;
                units.push(unit);
            }
            // A unit of unknown size ends with the range, whatever the range is.
            let sized = match units.last() {
                Some(unit) if self == Self::Ebml && unit.length.is_empty() => unit.whole.start,
                _ => range.end,
            };
            let average = (sized - range.start) / (units.len() - before).max(1);
            evidence += average.max(1).ilog2();
        }
        // The tags of a format are few.
        let mut seen: BTreeMap<u64, ()> = BTreeMap::new();
        for unit in &units {
            let is_known = seen.insert(unit.tag, ()).is_some();
            evidence += unit.evidence + if is_known { 2 } else { 0 };
        }
        let mut texts = contents.ranges.iter().map(|range| &bytes[range.clone()]);
        let enough = match contents.nesting {
            Nesting::Always => 0,
            _ if texts.all(is_text) => {
                ENOUGH_IN_TEXT * u32::try_from(contents.ranges.len()).ok()?
            }
            _ => ENOUGH_INSIDE,
        };
        (evidence >= enough && !units.is_empty()).then_some((evidence, units))
    }

    /// Reads the first unit of a range.
    fn unit(self, bytes: &[u8], range: Range<usize>) -> Option<Unit> {
        match self {
            Self::Keys => key_unit(bytes, range),
            Self::Der => der_unit(bytes, range),
            Self::Ebml => ebml_unit(bytes, range),
            Self::Netstrings => netstring(bytes, range),
        }
    }
}

/// Returns whether a content looks like a text: no control character but white space.
fn is_text(content: &[u8]) -> bool {
    let is_control = |&byte: &u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    // The first byte would be the key of the first field.
    content.first() != Some(&b'\n')
        && !content.iter().any(is_control)
        && std::str::from_utf8(content).is_ok()
}

/// Returns a unit with a length before its content.
fn with_length(
    tag: u64,
    (start, form): (usize, NumberForm),
    bytes: &[u8],
    range: Range<usize>,
) -> Option<Unit> {
    let (length, size) = form.read(bytes.get(start..range.end)?)?;
    let first = start + size;
    let end = first.checked_add(usize::try_from(length).ok()?)?;
    (end <= range.end).then_some(Unit {
        tag,
        whole: range.start..end,
        length: start..first,
        content: first..end,
        nesting: Nesting::Maybe { head: 0 },
        evidence: 0,
    })
}

fn key_unit(bytes: &[u8], range: Range<usize>) -> Option<Unit> {
    let form = NumberForm::Leb128;
    let (key, size) = form.read(&bytes[range.clone()])?;
    let start = range.start + size;
    if key < 8 || key > u64::from(u32::MAX) || size > 1 && bytes[start - 1] == 0 {
        return None;
    }
    let evidence = if size == 1 { 2 } else { 1 };
    let size = match key & 7 {
        0 => {
            let value = bytes[start..range.end].iter().take(10);
            1 + value.take_while(|&&byte| byte >= 0x80).count()
        }
        1 => 8,
        5 => 4,
        2 => {
            let unit = with_length(key, (start, form), bytes, range)?;
            return Some(Unit { evidence, ..unit });
        }
        _ => return None,
    };
    let end = start + size;
    (end <= range.end).then_some(Unit {
        tag: key,
        whole: range.start..end,
        length: start..start,
        content: end..end,
        nesting: Nesting::Never,
        evidence,
    })
}

fn der_unit(bytes: &[u8], range: Range<usize>) -> Option<Unit> {
    let first = bytes[range.start];
    let number = first & 0x1f;
    let mut start = range.start + 1;
    if number == 0x1f {
        let more = bytes[start..range.end].iter();
        start += 1 + more.take_while(|&&byte| byte >= 0x80).count();
    }
    let (is_universal, is_constructed) = (first < 0x40, first & 0x20 != 0);
    // Sequences and sets are constructed, other types of the standard are not.
    if is_universal && (number == 0 || is_constructed != matches!(number, 16 | 17)) {
        return None;
    }
    let tag = u64::from(first);
    let unit = with_length(tag, (start, NumberForm::Der), bytes, range)?;
    let length = &bytes[unit.length.clone()];
    let evidence = if is_universal { 2 } else { 0 };
    if length.len() > 1 && length[1] == 0 || length.len() == 2 && length[1] < 0x80 {
        return None;
    }
    let nesting = match (is_constructed, is_universal, number) {
        (true, _, _) => Nesting::Always,
        // Bits, of which none in the last byte is unused.
        (_, true, 3) => Nesting::Maybe { head: 1 },
        (_, true, 4) | (_, false, _) => Nesting::Maybe { head: 0 },
        _ => Nesting::Never,
    };
    Some(Unit {
        nesting,
        evidence: evidence + if length.len() > 1 { 8 } else { 0 },
        ..unit
    })
}

fn ebml_unit(bytes: &[u8], range: Range<usize>) -> Option<Unit> {
    let size = bytes[range.start].leading_zeros() as usize + 1;
    let start = range.start + size;
    if size > 4 || start >= range.end {
        return None;
    }
    let tag = NumberForm::Big(size).read(&bytes[range.clone()])?.0;
    let width = bytes[start].leading_zeros() as usize + 1;
    let end_of_length = start + width;
    let is_unknown = width <= 8 && end_of_length <= range.end && {
        let mask = 0xff_u8.checked_shr(u32::try_from(width).ok()?).unwrap_or(0);
        bytes[start] & mask == mask && bytes[start + 1..end_of_length].iter().all(|&b| b == 0xff)
    };
    // Only large units are of unknown size, and have long tags.
    if is_unknown && size == 4 {
        // The content ends with what it is in.
        return Some(Unit {
            tag,
            whole: range.clone(),
            length: start..start,
            content: end_of_length..range.end,
            nesting: Nesting::Maybe { head: 0 },
            evidence: u32::try_from(size).ok()?,
        });
    }
    let left = u32::try_from(range.len()).unwrap_or(u32::MAX);
    let unit = with_length(tag, (start, NumberForm::Ebml), bytes, range)?;
    let surplus = (7 * u32::try_from(width).ok()?).saturating_sub(left.ilog2() + 1);
    Some(Unit {
        evidence: u32::try_from(size).ok()? - 1 + surplus,
        ..unit
    })
}

fn netstring(bytes: &[u8], range: Range<usize>) -> Option<Unit> {
    let form = NumberForm::Decimal;
    let (length, size) = form.read(&bytes[range.clone()])?;
    let first = range.start + size + 1;
    let end = first.checked_add(usize::try_from(length).ok()?)?;
    let is_separated = bytes.get(first - 1) == Some(&b':') && bytes.get(end) == Some(&b',');
    (size > 0 && end < range.end && is_separated).then_some(Unit {
        tag: 0,
        whole: range.start..end + 1,
        length: range.start..first - 1,
        content: first..end,
        nesting: Nesting::Maybe { head: 0 },
        evidence: 12,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{check_damaged, noise, without};
    use super::*;
    use crate::steps::at_once;

    /// Writes a unit with a length in front of its content.
    fn unit(tag: &[u8], form: NumberForm, content: &[u8]) -> Vec<u8> {
        let length = u64::try_from(content.len()).expect("it is short");
        [tag, &form.write(length).expect("it fits"), content].concat()
    }

    /// Returns twenty units in a unit, each with a name and a value in another unit.
    fn nested(tags: [&[u8]; 4], form: NumberForm) -> Vec<u8> {
        let [outer, inner, name, value] = tags;
        let one = |number: u8| {
            let text = unit(name, form, format!("name {number}").as_bytes());
            let value = unit(value, form, &unit(name, form, &[number; 12]));
            unit(inner, form, &[text, value].concat())
        };
        unit(outer, form, &(1..21).flat_map(one).collect::<Vec<u8>>())
    }

    fn samples() -> [(TaggedUnits, Vec<u8>); 3] {
        let keys = nested([&[0x3a], &[0x22], &[0x0a], &[0x12]], NumberForm::Leb128);
        let der = nested([&[0x30], &[0x30], &[0x0c], &[0xa0]], NumberForm::Der);
        let ids: [&[u8]; 4] = [&[0x18, 0x53, 0x80, 0x67], &[0xae], &[0x86], &[0xe0]];
        [
            (TaggedUnits::Keys, keys),
            (TaggedUnits::Der, der),
            (TaggedUnits::Ebml, nested(ids, NumberForm::Ebml)),
        ]
    }

    fn read(bytes: &[u8]) -> Option<Frames> {
        Some(at_once(Frames::infer(bytes)))
    }

    #[test]
    fn all_lengths_around_a_unit_follow() {
        for (units, bytes) in samples() {
            let mut work = Work::new(&bytes);
            let frames = at_once(units.read(&bytes, 0..bytes.len(), &mut work));
            let (_, frames) = frames.expect("it consists of units");
            assert_eq!(without(&bytes, frames.clone(), |_| false), bytes);
            // Two levels of units in the outermost content, and the content of each.
            let inside = |part: &Range<usize>| bytes[part.clone()] == [7; 12];
            assert!(frames.parts().iter().any(inside), "{units:?}");
            let left = without(&bytes, frames, |part| part.len() > 60 || inside(part));
            assert!(left.is_empty() || left.len() < 8, "{units:?}: {left:x?}");
        }
    }

    #[test]
    fn a_length_becomes_shorter_than_before() {
        for (units, bytes) in samples() {
            let frames = read(&bytes).expect("it is read");
            let is_inner = |part: &Range<usize>| (20..60).contains(&part.len());
            let mut inner = frames.parts().iter().filter(|part| is_inner(part));
            let last = inner
                .next_back()
                .expect("a unit in the outermost one")
                .clone();
            // All but one of the units; the outermost length has one byte then.
            let left = without(&bytes, frames, |part| {
                is_inner(part) && part.end < last.start
            });
            let rest = &bytes[last.start..];
            assert!(
                left.ends_with(rest) && left.len() < rest.len() + 8,
                "{units:?}"
            );
            let mut work = Work::new(&left);
            let again = at_once(units.read(&left, 0..left.len(), &mut work));
            assert!(again.is_some(), "{units:?}: {left:x?}");
        }
    }

    #[test]
    fn netstrings_in_netstrings_are_units() {
        let write = |content: &str| format!("{}:{content},", content.len());
        let one = |name: &str| write(&(write(name) + &write("a value that is longer")));
        let bytes = (one("first") + &one("second") + &one("3")).into_bytes();
        let frames = read(&bytes).expect("it is read");
        let value = |part: &Range<usize>| bytes[part.clone()].starts_with(b"22:a ");
        let left = without(&bytes, frames, value);
        assert_eq!(left, b"8:5:first,,9:6:second,,4:1:3,,");
    }

    #[test]
    fn random_bytes_and_texts_are_no_units() {
        for size in [30, 300, 3000] {
            let noises = (0..50).map(|seed| noise(seed, size));
            let read = noises.filter_map(|bytes| Some(read(&bytes)?.numbers().count()));
            assert!(read.sum::<usize>() < 5);
        }
        let text = b"Neither this text nor its words are units. ".repeat(20);
        assert_eq!(read(&text), Some(Frames::default()));
    }

    proptest! {
        #[test]
        fn damaged_units_are_written_as_they_were(
            sample in 0_usize..3,
            damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
            length in 0_usize..1000,
        ) {
            check_damaged(&samples()[sample].1, &damage, length, read);
        }
    }
}
