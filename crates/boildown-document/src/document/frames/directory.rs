//! Inference of a directory: records of one size that say where in the file their contents are.
//!
//! Fonts, archives and executables begin with such a directory. It shows: in each record, at the
//! same place, are an offset and a length of four bytes; the contents do not overlap, and together
//! with the directory they fill the file to its end.
//!
//! For example, a font has records of 16 bytes: a tag, a checksum, an offset, a length.

use std::ops::Range;

use super::font_layout;
use super::layout::{ChecksumKind, DerivedNumber, DirectoryRecord, Frames, NumberMeaning};
use super::numbers::NumberForm;
use super::offset_arrays;

/// The directory of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directory {
    /// The bytes of the records.
    records: Range<usize>,
    /// The number of bytes of a record.
    size: usize,
    form: NumberForm,
    /// The byte of the first offset.
    offset: usize,
    /// The byte of the first length.
    length: usize,
    /// The bytes of each record's content, in the order of the records.
    contents: Vec<Range<usize>>,
}

/// The least number of records. Fewer may be there by chance.
const FEWEST: usize = 3;

/// The largest number of records.
const MOST: usize = 4096;

/// The first offset is not searched for beyond this byte.
const LATEST: usize = 1024;

/// The number of bytes of an offset or a length.
const WIDTH: usize = 4;

/// Contents begin at a multiple of this, or of less.
const ALIGN: usize = 16;

const SUM: NumberMeaning = NumberMeaning::Check(ChecksumKind::SumOfWords);

/// Returns whether a sum is the one of the bytes that it covers.
fn is_right(sum: &DerivedNumber, bytes: &[u8]) -> bool {
    let wanted = ChecksumKind::SumOfWords.of(&bytes[sum.covers.clone()]);
    sum.form.read(&bytes[sum.at.clone()]) == Some((wanted, WIDTH))
}

impl Directory {
    /// Finds the directory with the most records.
    pub(super) fn find(bytes: &[u8]) -> Option<Self> {
        let latest = bytes.len().min(LATEST);
        let found = (0..latest).flat_map(|offset| {
            let sizes = (2 * WIDTH..=64).step_by(WIDTH);
            sizes.flat_map(move |size| {
                let forms = [NumberForm::Big(WIDTH), NumberForm::Little(WIDTH)];
                forms.into_iter().flat_map(move |form| {
                    let lengths = [Some(offset + WIDTH), offset.checked_sub(WIDTH)];
                    let lengths = lengths.into_iter().flatten();
                    lengths.filter_map(move |length| Self::at(bytes, form, size, offset, length))
                })
            })
        });
        found.max_by_key(|directory| directory.contents.len())
    }

    /// Reads records of this size from the first offset and length on.
    fn at(
        bytes: &[u8],
        form: NumberForm,
        size: usize,
        offset: usize,
        length: usize,
    ) -> Option<Self> {
        let read = |at: usize| usize::try_from(form.read(bytes.get(at..)?)?.0).ok();
        let content = |record: usize| {
            let start = read(offset + record * size)?;
            let end = start.checked_add(read(length + record * size)?)?;
            (start < end && end <= bytes.len()).then_some(start..end)
        };
        let mut contents: Vec<Range<usize>> = Vec::new();
        let mut end = bytes.len();
        while let Some(next) = content(contents.len()) {
            // Records end before all contents, and neighbours differ: a list of equal numbers, of
            // any length, is read no further.
            let last = offset.max(length) + contents.len() * size + WIDTH;
            end = end.min(next.start);
            let repeats =
                |before: &Range<usize>| before.start < next.end && next.start < before.end;
            if last > end || contents.last().is_some_and(repeats) || contents.len() == MOST {
                return None;
            }
            contents.push(next);
        }
        if contents.len() < FEWEST {
            return None;
        }
        let mut sorted = contents.clone();
        sorted.sort_unstable_by_key(|content| content.start);
        let gap = |start: usize, end: usize| (start..start + ALIGN).contains(&end);
        let is_tiled = sorted
            .windows(2)
            .all(|pair| gap(pair[0].end, pair[1].start))
            && sorted.last().is_some_and(|last| gap(last.end, bytes.len()));
        // The directory ends with a whole record, right before the contents.
        let first = offset.min(length);
        let start = end.checked_sub(contents.len() * size)?;
        (is_tiled && start <= first && first + 2 * WIDTH <= start + size).then_some(Self {
            records: start..end,
            size,
            form,
            offset,
            length,
            contents,
        })
    }

    /// Adds the records and their contents to the parts, and their numbers.
    pub(super) fn add_to(&self, frames: &mut Frames, bytes: &[u8]) {
        let mut starts: Vec<usize> = self.contents.iter().map(|content| content.start).collect();
        starts.push(bytes.len());
        starts.sort_unstable();
        let sum = self.checksum(bytes);
        for (record, content) in self.contents.iter().enumerate() {
            let at = self.records.start + record * self.size;
            let next = starts.partition_point(|&start| start <= content.start);
            let record = at..at + self.size;
            // With the padding after it.
            let whole = content.start..starts[next];
            frames.parts.extend([record.clone(), whole.clone()]);
            frames.records.push(DirectoryRecord {
                directory: self.records.start,
                record,
                contents: vec![whole],
            });
            let number = |first: usize, covers, meaning| DerivedNumber {
                at: at + first..at + first + WIDTH,
                form: self.form,
                covers,
                meaning,
            };
            let (offset, length) = (
                self.offset - self.records.start,
                self.length - self.records.start,
            );
            let minus = NumberMeaning::Length { minus: 0 };
            frames.numbers.push(number(length, content.clone(), minus));
            frames.numbers.push(number(offset, 0..content.start, minus));
            let sum = sum.map(|sum| number(sum, content.clone(), SUM));
            frames
                .numbers
                .extend(sum.filter(|sum| is_right(sum, bytes)));
        }
        frames.numbers.extend(self.count(bytes));
        offset_arrays::add_to(frames, bytes, &self.contents, self.form);
        for (record, content) in self.contents.iter().enumerate() {
            let name = self.records.start + record * self.size;
            font_layout::add_to(frames, bytes, &bytes[name..name + WIDTH], content);
        }
    }

    /// Returns the position in the records of the sum of the words of the contents. A record may
    /// have another number there, as that of the table of a font that holds the sum of all.
    fn checksum(&self, bytes: &[u8]) -> Option<usize> {
        let is_free = |at: usize| {
            let taken = [self.offset, self.length].map(|taken| taken - self.records.start);
            taken.iter().all(|taken| taken.abs_diff(at) >= WIDTH)
        };
        let places = (0..=self.size - WIDTH)
            .step_by(WIDTH)
            .filter(|&at| is_free(at));
        places
            .max_by_key(|place| self.sums_at(bytes, *place))
            .filter(|&place| 2 * self.sums_at(bytes, place) > self.contents.len())
    }

    /// Returns how many records have the sum of their content at this position in them.
    fn sums_at(&self, bytes: &[u8], place: usize) -> usize {
        let records = self.contents.iter().enumerate();
        records
            .filter(|(record, content)| {
                let at = self.records.start + record * self.size + place;
                is_right(
                    &DerivedNumber {
                        at: at..at + WIDTH,
                        form: self.form,
                        covers: (*content).clone(),
                        meaning: SUM,
                    },
                    bytes,
                )
            })
            .count()
    }

    /// Returns the number before the records that counts them.
    fn count(&self, bytes: &[u8]) -> Option<DerivedNumber> {
        let forms = match self.form {
            NumberForm::Little(_) => [NumberForm::Little(4), NumberForm::Little(2)],
            _ => [NumberForm::Big(4), NumberForm::Big(2)],
        };
        let count = u64::try_from(self.contents.len()).ok()?;
        let found = forms.into_iter().flat_map(|form| {
            let reads = (0..self.records.start).step_by(2).filter_map(move |at| {
                let (value, size) = form.read(&bytes[at..self.records.start])?;
                (value == count).then_some((at..at + size, form))
            });
            reads.take(1)
        });
        let (at, form) = found.into_iter().next()?;
        Some(DerivedNumber {
            at,
            form,
            covers: self.records.clone(),
            meaning: NumberMeaning::Count,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use boildown_search::Subset;

    use super::*;
    use crate::document::binary;
    use crate::steps::at_once;

    /// Returns a file with a directory: tag, offset, length, as big-endian numbers.
    fn file(contents: &[&[u8]]) -> Vec<u8> {
        let count = u16::try_from(contents.len()).expect("there are few");
        let mut bytes = b"MAGI".to_vec();
        bytes.extend(count.to_be_bytes());
        let mut offset = u32::from(count) * 12 + 6;
        for (number, content) in contents.iter().enumerate() {
            let length = u32::try_from(content.len()).expect("it is short");
            bytes.extend(b"tab");
            bytes.push(b'a' + u8::try_from(number).expect("there are few"));
            bytes.extend(offset.to_be_bytes());
            bytes.extend(length.to_be_bytes());
            offset += length;
        }
        bytes.extend(contents.concat());
        bytes
    }

    #[test]
    fn records_their_contents_and_their_count_are_found() {
        let bytes = file(&[b"first", b"second one", b"3"]);
        let mut frames = Frames::default();
        Directory::find(&bytes)
            .expect("there is a directory")
            .add_to(&mut frames, &bytes);
        let parts: Vec<&[u8]> = (frames.parts.iter())
            .map(|part| &bytes[part.clone()])
            .collect();
        assert_eq!(parts[0], b"taba\0\0\0\x2a\0\0\0\x05");
        assert_eq!(parts[1], b"first");
        assert_eq!(parts[3], b"second one");
        assert_eq!(parts.len(), 6);
        let counts = (frames.numbers.iter()).filter(|n| n.meaning == NumberMeaning::Count);
        assert_eq!(counts.map(|n| n.at.clone()).collect::<Vec<_>>(), [4..6]);
    }

    #[test]
    fn a_record_goes_with_its_content_and_the_other_offsets_follow() {
        let contents: [&[u8]; 4] = [b"first", b"second one", b"3", b"fourth"];
        let bytes: Arc<[u8]> = file(&contents).into();
        let mut frames = Frames::default();
        let directory = Directory::find(&bytes).expect("there is a directory");
        directory.add_to(&mut frames, &bytes);
        frames.parts.sort_by_key(|part| part.start);
        frames.numbers.sort_by_key(|number| number.at.start);
        let document = binary::parts(&bytes, 4096, Arc::new(frames));
        let everything = Subset::full(document.len());
        let units = document.records_with_contents();
        let left: Vec<Vec<u8>> = (units.into_iter())
            .map(|unit| document.render(&everything.without(unit)))
            .collect();
        for gone in 0..contents.len() {
            let mut others = contents.to_vec();
            others.remove(gone);
            let mut want = file(&others);
            // The names of tables are part of the records.
            let names = (b'a'..).enumerate().filter(|&(at, _)| at != gone);
            for (record, (_, name)) in names.take(others.len()).enumerate() {
                want[6 + record * 12 + 3] = name;
            }
            assert!(left.contains(&want), "without {gone}: {left:?}");
        }
    }

    #[test]
    fn a_text_has_no_directory() {
        let text = b"There is a number of words here, but no offset and no length. ".repeat(20);
        assert_eq!(Directory::find(&text), None);
        assert_eq!(Directory::find(&[0; 2000]), None);
        // Each number may be an offset, and a length.
        for number in [1_u32, 2 << 20] {
            assert_eq!(Directory::find(&number.to_le_bytes().repeat(1 << 20)), None);
        }
    }

    /// Returns a font with these tables, whose names are `a`, `b` and so on.
    fn font(tables: &[(u8, Vec<u8>)]) -> Vec<u8> {
        let count = u16::try_from(tables.len()).expect("there are few");
        let mut bytes = [&[0, 1, 0, 0], count.to_be_bytes().as_slice(), &[0; 6]].concat();
        let mut offset = u32::from(count) * 16 + 12;
        for (name, table) in tables {
            let length = u32::try_from(table.len()).expect("it is short");
            let sum = u32::try_from(ChecksumKind::SumOfWords.of(table)).expect("it is a word");
            bytes.extend([b't', b'a', b'b', *name]);
            bytes.extend([sum, offset, length].map(u32::to_be_bytes).concat());
            offset += length;
        }
        bytes.extend(tables.iter().flat_map(|(_, table)| table));
        bytes
    }

    #[test]
    fn items_go_from_a_table_and_offsets_and_checksums_follow() {
        let offsets = |offsets: &[u16]| offsets.iter().flat_map(|n| n.to_be_bytes()).collect();
        let tables = |offsets: Vec<u8>, glyphs: &[u8]| {
            let head = b"head".to_vec();
            font(&[(b'a', head), (b'b', offsets), (b'c', glyphs.to_vec())])
        };
        let bytes = tables(offsets(&[0, 2, 3, 5, 6]), b"aaaabbccccdd");
        let bytes: Arc<[u8]> = bytes.into();
        let document = binary::parts(&bytes, 4096, Arc::new(at_once(Frames::infer(&bytes))));
        let everything = Subset::full(document.len());
        let glyph = (0..document.len()).find(|&token| document.token(token) == b"cccc");
        let glyph = glyph.expect("a glyph is a token");
        let out = document.render(&everything.without([glyph..glyph + 1]));
        assert_eq!(out, tables(offsets(&[0, 2, 3, 3, 4]), b"aaaabbdd"));
    }

    #[test]
    fn a_directory_is_preferred_to_a_list() {
        // The last contents are a list of parts with lengths of one byte.
        let names = [b"\x04abcd\x05abcde\x03abc\x07abcdefg".as_slice(); 8].concat();
        let bytes = font(&[(b'a', vec![7; 6]), (b'b', vec![9; 8]), (b'c', names)]);
        assert_eq!(at_once(Frames::infer(&bytes)).records().len(), 3);
    }
}
