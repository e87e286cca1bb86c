//! The layout tables of fonts: trees of structures that say, in two bytes, how far from their begin
//! others are.
//!
//! The structures are those of the OpenType specification, chapters "Common Table Formats", GSUB,
//! GPOS and GDEF. What has a form that is not known is a part without parts.
//!
//! For example, a list of two scripts is `00 02`, their names with their offsets, and the scripts:
//! without the second one it is `00 01`, and the offset of the first is six less.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use super::layout::{DerivedNumber, DirectoryRecord, Frames, NumberMeaning};
use super::numbers::NumberForm;

/// A field of a structure.
#[derive(Debug, Clone, Copy)]
enum LayoutField {
    /// This many bytes of other numbers.
    Bytes(usize),
    /// The offset of another structure; zero if there is none.
    Offset(LayoutShape),
    /// The number of records, and the records.
    List(&'static [Self]),
}

/// What a structure consists of.
#[derive(Debug, Clone, Copy)]
enum LayoutShape {
    /// These fields, and other bytes after them.
    Fields(&'static [LayoutField]),
    /// The fields of its format: the number that it begins with, counted from 1.
    Formats(&'static [&'static [LayoutField]]),
    /// A lookup with subtables of its type: the number that it begins with, counted from 1.
    Lookup(&'static [Self]),
    /// A subtable that says where the real one is, of the type that it has.
    Extension(&'static [Self]),
}

use LayoutField::{Bytes, List, Offset};
use LayoutShape::{Extension, Fields, Formats, Lookup};

const GLYPHS: LayoutShape = Fields(&[List(&[Bytes(2)])]);
const OPAQUE: LayoutShape = Fields(&[]);
const COVERAGE: LayoutShape = Formats(&[
    &[Bytes(2), List(&[Bytes(2)])],
    &[Bytes(2), List(&[Bytes(6)])],
]);
const CLASSES: LayoutShape = Formats(&[
    &[Bytes(4), List(&[Bytes(2)])],
    &[Bytes(2), List(&[Bytes(6)])],
]);
const LANGUAGE: LayoutShape = Fields(&[Bytes(4), List(&[Bytes(2)])]);
const SCRIPT: LayoutShape = Fields(&[Offset(LANGUAGE), List(&[Bytes(4), Offset(LANGUAGE)])]);
const SCRIPTS: LayoutShape = Fields(&[List(&[Bytes(4), Offset(SCRIPT)])]);
const FEATURE: LayoutShape = Fields(&[Bytes(2), List(&[Bytes(2)])]);
const FEATURES: LayoutShape = Fields(&[List(&[Bytes(4), Offset(FEATURE)])]);

/// A list of sets of structures without offsets.
const SETS: LayoutField = List(&[Offset(Fields(&[List(&[Offset(OPAQUE)])]))]);
const COVERAGES: LayoutField = List(&[Offset(COVERAGE)]);
const SEQUENCES: LayoutShape = Formats(&[&[Bytes(2), Offset(COVERAGE), List(&[Offset(GLYPHS)])]]);
const CONTEXT: LayoutShape = Formats(&[
    &[Bytes(2), Offset(COVERAGE), SETS],
    &[Bytes(2), Offset(COVERAGE), Offset(CLASSES), SETS],
]);
const CHAINED_CONTEXT: LayoutShape = Formats(&[
    &[Bytes(2), Offset(COVERAGE), SETS],
    &[
        Bytes(2),
        Offset(COVERAGE),
        Offset(CLASSES),
        Offset(CLASSES),
        Offset(CLASSES),
        SETS,
    ],
    &[Bytes(2), COVERAGES, COVERAGES, COVERAGES, List(&[Bytes(4)])],
]);
const MARKS: LayoutShape = Fields(&[List(&[Bytes(2), Offset(OPAQUE)])]);
const MARK_ATTACHMENT: LayoutShape = Formats(&[&[
    Bytes(2),
    Offset(COVERAGE),
    Offset(COVERAGE),
    Bytes(2),
    Offset(MARKS),
    Offset(OPAQUE),
]]);

/// The types of lookups in GSUB.
static SUBSTITUTIONS: [LayoutShape; 8] = [
    Formats(&[
        &[Bytes(2), Offset(COVERAGE)],
        &[Bytes(2), Offset(COVERAGE), List(&[Bytes(2)])],
    ]),
    SEQUENCES,
    SEQUENCES,
    Formats(&[&[Bytes(2), Offset(COVERAGE), SETS]]),
    CONTEXT,
    CHAINED_CONTEXT,
    Extension(&SUBSTITUTIONS),
    Formats(&[&[
        Bytes(2),
        Offset(COVERAGE),
        COVERAGES,
        COVERAGES,
        List(&[Bytes(2)]),
    ]]),
];

/// The types of lookups in GPOS.
static POSITIONINGS: [LayoutShape; 9] = [
    Formats(&[&[Bytes(2), Offset(COVERAGE)], &[Bytes(2), Offset(COVERAGE)]]),
    Formats(&[
        &[
            Bytes(2),
            Offset(COVERAGE),
            Bytes(4),
            List(&[Offset(OPAQUE)]),
        ],
        &[
            Bytes(2),
            Offset(COVERAGE),
            Bytes(4),
            Offset(CLASSES),
            Offset(CLASSES),
        ],
    ]),
    Formats(&[&[
        Bytes(2),
        Offset(COVERAGE),
        List(&[Offset(OPAQUE), Offset(OPAQUE)]),
    ]]),
    MARK_ATTACHMENT,
    MARK_ATTACHMENT,
    MARK_ATTACHMENT,
    CONTEXT,
    CHAINED_CONTEXT,
    Extension(&POSITIONINGS),
];

static GSUB: [LayoutField; 4] = [
    Bytes(4),
    Offset(SCRIPTS),
    Offset(FEATURES),
    Offset(Fields(&[List(&[Offset(Lookup(&SUBSTITUTIONS))])])),
];
static GPOS: [LayoutField; 4] = [
    Bytes(4),
    Offset(SCRIPTS),
    Offset(FEATURES),
    Offset(Fields(&[List(&[Offset(Lookup(&POSITIONINGS))])])),
];
static GDEF: [LayoutField; 5] = [
    Bytes(4),
    Offset(CLASSES),
    Offset(Fields(&[Offset(COVERAGE), List(&[Offset(GLYPHS)])])),
    Offset(Fields(&[Offset(COVERAGE), List(&[Offset(OPAQUE)])])),
    Offset(CLASSES),
];

/// Returns the shape of the table with this tag.
fn table(tag: &[u8]) -> Option<LayoutShape> {
    let fields: &[LayoutField] = match tag {
        b"GSUB" => &GSUB,
        b"GPOS" => &GPOS,
        b"GDEF" => &GDEF,
        _ => return None,
    };
    Some(Fields(fields))
}

/// Adds the structures of the table with this tag, if its form is known.
pub(super) fn add_to(frames: &mut Frames, bytes: &[u8], tag: &[u8], content: &Range<usize>) {
    let Some(shape) = table(tag) else {
        return;
    };
    let mut tree = OffsetTree {
        bytes: &bytes[..content.end],
        starts: BTreeSet::from([content.start]),
        records: Vec::new(),
        offsets: Vec::new(),
        numbers: Vec::new(),
        left: VecDeque::from([(content.start, shape)]),
    };
    while let Some((start, shape)) = tree.left.pop_front() {
        // Of a structure that is cut off, or has another form, is known what came before.
        let _is_known = tree.structure(start, shape).is_some();
    }
    tree.finish(frames);
}

/// The structures of a table that is being read.
struct OffsetTree<'a> {
    /// Up to the end of the table.
    bytes: &'a [u8],
    /// Where structures begin.
    starts: BTreeSet<usize>,
    /// The records, each with the begin of its list.
    records: Vec<(usize, Range<usize>)>,
    /// Where each offset stands, and where it leads to.
    offsets: Vec<(usize, usize)>,
    numbers: Vec<DerivedNumber>,
    /// The structures that have to be read, those near the root first.
    left: VecDeque<(usize, LayoutShape)>,
}

impl OffsetTree<'_> {
    fn number(&self, at: Range<usize>) -> Option<usize> {
        let (value, _) = NumberForm::Big(at.len()).read(self.bytes.get(at)?)?;
        usize::try_from(value).ok()
    }

    /// Reads a structure as far as it is known.
    fn structure(&mut self, start: usize, shape: LayoutShape) -> Option<()> {
        let first = || self.number(start..start + 2)?.checked_sub(1);
        match shape {
            Fields(fields) => self.fields(start, fields),
            Formats(formats) => self.fields(start, formats.get(first()?)?),
            Lookup(types) => {
                let subtable = *types.get(first()?)?;
                self.list(start, start + 4, &[Offset(subtable)]).map(drop)
            }
            Extension(types) => {
                let ty = self.number(start + 2..start + 4)?.checked_sub(1)?;
                // An extension of an extension would be endless.
                let shape = *types.get(ty)?;
                match shape {
                    Extension(_) => None,
                    _ => self.offset(start, start + 4..start + 8, shape).map(drop),
                }
            }
        }
    }

    fn fields(&mut self, start: usize, fields: &[LayoutField]) -> Option<()> {
        let mut at = start;
        for &field in fields {
            at = self.field(start, at, field)?;
        }
        Some(())
    }

    /// Reads a field; returns its end.
    fn field(&mut self, start: usize, at: usize, field: LayoutField) -> Option<usize> {
        match field {
            Bytes(size) => Some(at + size),
            Offset(shape) => self.offset(start, at..at + 2, shape),
            List(fields) => self.list(start, at, fields),
        }
    }

    /// Reads a list of records; returns its end.
    fn list(&mut self, start: usize, at: usize, fields: &[LayoutField]) -> Option<usize> {
        let count = self.number(at..at + 2)?;
        let first = at + 2;
        let mut end = first;
        for _ in 0..count {
            let record = end;
            for &field in fields {
                end = self.field(start, end, field)?;
            }
            // Records that do not overlap have two bytes each.
            if end > self.bytes.len() || 2 * self.records.len() > self.bytes.len() {
                return None;
            }
            self.records.push((at, record..end));
        }
        self.derived(at..first, first..end, NumberMeaning::Count);
        Some(end)
    }

    /// Reads an offset; returns its end.
    fn offset(&mut self, start: usize, at: Range<usize>, shape: LayoutShape) -> Option<usize> {
        let end = at.end;
        let offset = self.number(at.clone())?;
        let target = start + offset;
        if offset > 0 && target < self.bytes.len() {
            self.derived(
                at.clone(),
                start..target,
                NumberMeaning::Length { minus: 0 },
            );
            self.offsets.push((at.start, target));
            if self.starts.insert(target) {
                self.left.push_back((target, shape));
            }
        }
        Some(end)
    }

    fn derived(&mut self, at: Range<usize>, covers: Range<usize>, meaning: NumberMeaning) {
        self.numbers.push(DerivedNumber {
            form: NumberForm::Big(at.len()),
            at,
            covers,
            meaning,
        });
    }

    /// Adds all that was read. A structure extends to the next one.
    fn finish(mut self, frames: &mut Frames) {
        self.offsets.sort_unstable();
        let starts: Vec<usize> = std::mem::take(&mut self.starts).into_iter().collect();
        let mut sources: BTreeMap<usize, usize> = BTreeMap::new();
        for &(_, target) in &self.offsets {
            *sources.entry(target).or_default() += 1;
        }
        let structure = |start: usize| {
            let next = starts.partition_point(|&other| other <= start);
            start..starts.get(next).copied().unwrap_or(self.bytes.len())
        };
        for (directory, record) in self.records {
            // The structures to which all offsets are in the record or in such structures.
            let mut contents = Vec::new();
            let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
            let mut left = vec![record.clone()];
            while let Some(range) = left.pop() {
                let first = self.offsets.partition_point(|&(at, _)| at < range.start);
                let inside = self.offsets[first..].iter();
                for &(_, target) in inside.take_while(|&&(at, _)| at < range.end) {
                    let count = seen.entry(target).or_default();
                    *count += 1;
                    if *count == sources[&target] {
                        left.push(structure(target));
                    }
                }
                contents.push(range);
            }
            contents.remove(0);
            frames.parts.push(record.clone());
            if !contents.is_empty() {
                frames.records.push(DirectoryRecord {
                    directory,
                    record,
                    contents,
                });
            }
        }
        frames.parts.extend(starts.iter().copied().map(structure));
        frames.numbers.extend(self.numbers);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{check_damaged, without};
    use super::*;

    fn words(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// A table GSUB: a script, a feature, and a lookup of two ligatures in two sets.
    fn substitutions() -> Vec<u8> {
        [
            words(&[1, 0, 10, 30, 44]),
            // The script and its only language.
            words(&[1, 0x6c61, 0x746e, 8, 4, 0, 0, 0xffff, 1, 0]),
            // The feature.
            words(&[1, 0x6c69, 0x6761, 8, 0, 1, 0]),
            // The lookup and its subtable.
            words(&[1, 4, 4, 0, 1, 8, 1, 10, 2, 18, 28]),
            // The glyphs that it is for, and their sets.
            words(&[1, 2, 5, 6]),
            words(&[1, 4, 70, 2, 7]),
            words(&[1, 4, 71, 2, 8]),
        ]
        .concat()
    }

    fn frames(table: &[u8]) -> Frames {
        let mut frames = Frames::default();
        add_to(&mut frames, table, b"GSUB", &(0..table.len()));
        frames.sorted().agreeing(table)
    }

    #[test]
    fn a_set_goes_with_its_record_and_offsets_follow() {
        let table = substitutions();
        let read = frames(&table);
        let last = read.records().iter().max_by_key(|set| set.record.start);
        let DirectoryRecord {
            record, contents, ..
        } = last.expect("a record");
        // The second ligature is in the second set.
        let end = table.len();
        assert_eq!(*contents, [end - 6..end]);
        let subtable = 44 + 12;
        let set = &read
            .records()
            .iter()
            .find(|set| set.record.start == subtable + 8);
        let set = set.expect("the record of the second set");
        assert_eq!(set.contents, [end - 10..end - 6, end - 6..end]);
        assert_eq!(*record, end - 8..end - 6);
        let gone = [vec![set.record.clone()], set.contents.clone()].concat();
        let left = without(&table, read.clone(), |part| gone.contains(part));
        let mut expected = table[..table.len() - 10].to_vec();
        // The number of sets, and the offset of the coverage and of the first set.
        expected.drain(subtable + 8..subtable + 10);
        expected[subtable + 2..subtable + 8].copy_from_slice(&words(&[8, 1, 16]));
        assert_eq!(left, expected);
        let glyphs = frames(&left);
        assert_eq!(glyphs.records().len(), read.records().len() - 2);
    }

    #[test]
    fn an_extension_leads_to_the_subtable_of_its_type() {
        let table = [
            words(&[1, 0, 0, 0, 10]),
            // The lookup and its subtable, which says that the real one is eight bytes further.
            words(&[1, 4, 7, 0, 1, 8, 1, 4, 0, 8]),
            // A ligature.
            words(&[1, 8, 1, 14, 1, 1, 5, 1, 4, 70, 2, 7]),
        ]
        .concat();
        let read = frames(&table);
        assert_eq!(read.numbers().filter(|at| at.len() == 4).count(), 1);
        let lookup = &read.records()[0];
        assert_eq!(lookup.record, 12..14);
        // All that follows: the lookup, both subtables, the glyphs, the set and the ligature.
        let first = lookup.contents.iter().map(|part| part.start).min();
        assert_eq!(first, Some(14));
        let length: usize = lookup.contents.iter().map(Range::len).sum();
        assert_eq!(length, table.len() - 14);
        assert_eq!(lookup.contents.len(), 6);
    }

    #[test]
    fn the_classes_of_glyphs_are_parts_with_their_records() {
        // Two ranges of glyphs with their classes, and nothing else.
        let table = words(&[1, 0, 12, 0, 0, 0, 2, 2, 3, 4, 1, 7, 8, 2]);
        let mut read = Frames::default();
        add_to(&mut read, &table, b"GDEF", &(0..table.len()));
        let read = read.sorted().agreeing(&table);
        let left = without(&table, read, |part| *part == (22..28));
        assert_eq!(left, words(&[1, 0, 12, 0, 0, 0, 2, 1, 3, 4, 1]));
    }

    proptest! {
        #[test]
        fn a_damaged_table_is_written_as_it_was(
            damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..12),
            length in 0_usize..200,
        ) {
            check_damaged(&substitutions(), &damage, length, |bytes| Some(frames(bytes)));
        }
    }

    #[test]
    fn structures_of_unknown_formats_and_outside_of_the_table_are_left_out() {
        let mut table = substitutions();
        let all = frames(&table).parts().len();
        table[44 + 12..][..2].copy_from_slice(&[0, 9]);
        let known = frames(&table).parts().len();
        assert!((5..all).contains(&known), "{known} of {all}");
        table[8..10].copy_from_slice(&[0xff, 0xff]);
        assert!(frames(&table).parts().len() < known);
        let mut none = Frames::default();
        add_to(&mut none, &table, b"glyf", &(0..table.len()));
        assert!(none.is_empty());
    }
}
