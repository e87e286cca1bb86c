//! Inference of arrays of offsets: a content of a directory that says where the items of another
//! content begin.
//!
//! Such an array shows: all of it is numbers of one size that begin with zero, never descend, and
//! end with the length of the other content. The numbers may count units of several bytes.
//!
//! For example, the glyphs of a font are in one table, and a table before it has their offsets, in
//! numbers of two bytes that count pairs of bytes.

use std::ops::Range;

use super::layout::{DerivedNumber, Frames, NumberMeaning};
use super::numbers::NumberForm;

/// The least number of items. Fewer may be there by chance.
const FEWEST: usize = 4;

/// The content may end this many bytes after the last item.
const PADDING: usize = 4;

/// Adds the items of contents to the parts, and the numbers of their arrays. `form` is that of the
/// directory.
pub(super) fn add_to(
    frames: &mut Frames,
    bytes: &[u8],
    contents: &[Range<usize>],
    form: NumberForm,
) {
    let mut divided: Vec<&Range<usize>> = Vec::new();
    for array in contents {
        let is_other = |items: &&Range<usize>| *items != array && !divided.contains(items);
        let others = contents.iter().filter(is_other);
        let mut found =
            others.filter_map(|items| Some((items, offsets(bytes, array, items, form)?)));
        let Some((items, numbers)) = found.next() else {
            continue;
        };
        let starts = numbers.iter().map(|number| number.covers.end);
        let mut starts: Vec<usize> = starts.chain([items.end]).collect();
        starts.dedup();
        let parts = starts.windows(2).map(|pair| pair[0]..pair[1]);
        frames.parts.extend(parts);
        // The numbers may go too, when the items are not reached through them.
        frames
            .parts
            .extend(numbers.iter().map(|number| number.at.clone()));
        frames.numbers.extend(numbers);
        divided.push(items);
    }
}

/// Reads an array as the offsets of items.
fn offsets(
    bytes: &[u8],
    array: &Range<usize>,
    items: &Range<usize>,
    form: NumberForm,
) -> Option<Vec<DerivedNumber>> {
    let form = |width: usize| match form {
        NumberForm::Little(_) => NumberForm::Little(width),
        _ => NumberForm::Big(width),
    };
    let shapes = [(4, 1), (4, 2), (4, 4), (2, 1), (2, 2), (2, 4)];
    shapes.into_iter().find_map(|(width, unit)| {
        let form = form(width);
        if !array.len().is_multiple_of(width) {
            return None;
        }
        let mut numbers = Vec::new();
        let (mut last, mut distinct) = (0, 0);
        for at in array.clone().step_by(width) {
            let offset = usize::try_from(form.read(&bytes[at..at + width])?.0).ok()?;
            let offset = offset.checked_mul(unit)?;
            if offset < last || offset > items.len() || at == array.start && offset > 0 {
                return None;
            }
            distinct += usize::from(offset > last);
            last = offset;
            numbers.push(DerivedNumber {
                at: at..at + width,
                form,
                covers: items.start..items.start + offset,
                meaning: NumberMeaning::Units(unit),
            });
        }
        (distinct >= FEWEST && items.len() - last < PADDING).then_some(numbers)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_ascend_to_the_length_of_another_content_are_offsets_into_it() {
        let mut bytes: Vec<u8> = [0_u16, 1, 1, 3, 4, 6]
            .iter()
            .flat_map(|n| n.to_be_bytes())
            .collect();
        bytes.extend(b"aabbbbccdddd");
        let contents = [0..12, 12..24];
        let mut frames = Frames::default();
        add_to(&mut frames, &bytes, &contents, NumberForm::Big(4));
        let items = frames.parts.iter().filter(|part| part.start >= 12);
        let items: Vec<&[u8]> = items.map(|part| &bytes[part.clone()]).collect();
        assert_eq!(items, [b"aa".as_slice(), b"bbbb", b"cc", b"dddd"]);
        assert_eq!(frames.numbers.len(), 6);
    }

    #[test]
    fn numbers_that_end_elsewhere_are_no_offsets() {
        let mut bytes: Vec<u8> = [0_u16, 1, 1, 3, 4, 5]
            .iter()
            .flat_map(|n| n.to_be_bytes())
            .collect();
        bytes.extend(b"aabbbbccdddd....");
        let mut frames = Frames::default();
        add_to(&mut frames, &bytes, &[0..12, 12..28], NumberForm::Big(4));
        assert_eq!(frames, Frames::default());
    }
}
