//! Inference of a directory: records of one size that say where in the file their contents are.
//!
//! Fonts, archives and executables begin with such a directory. It shows: in each record, at the
//! same place, are an offset and a length of four bytes; the contents do not overlap, and together
//! with the directory they fill the file to its end.
//!
//! For example, a font has records of 16 bytes: a tag, a checksum, an offset, a length.

use std::ops::Range;

use super::layout::{DerivedNumber, Frames, NumberMeaning};
use super::numbers::NumberForm;

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
        for (record, content) in self.contents.iter().enumerate() {
            let at = self.records.start + record * self.size;
            let next = starts.partition_point(|&start| start <= content.start);
            frames.parts.push(at..at + self.size);
            // With the padding after it.
            frames.parts.push(content.start..starts[next]);
            let number = |first: usize, covers, meaning| DerivedNumber {
                at: first + record * self.size..first + record * self.size + WIDTH,
                form: self.form,
                covers,
                meaning,
            };
            let length = NumberMeaning::Length { minus: 0 };
            frames
                .numbers
                .push(number(self.length, content.clone(), length));
            let offset = number(self.offset, 0..content.start, NumberMeaning::Offset);
            frames.numbers.push(offset);
        }
        frames.numbers.extend(self.count(bytes));
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
        let units = document.parallel_parts();
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
}
