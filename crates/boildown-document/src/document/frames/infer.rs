//! Inference of the layout of a binary, without knowing its format.
//!
//! Many formats are lists of parts, each with its length in front. Such a list shows: read with the
//! right number form, from the right position, the last part ends exactly where the list has to
//! end. That is evidence, and so are a number in front of the list that equals the number of parts,
//! and checksums that hold. Of an unusual way of reading, more evidence is required.
//!
//! For example, `03 a b c 01 d` can be read as two parts with lengths of one byte.

use std::collections::BTreeMap;
use std::ops::Range;

use super::directory::Directory;
use super::elf;
use super::items::ItemForm;
use super::layout::{ChecksumKind, DerivedNumber, Frames, NumberMeaning};
use super::numbers::{NumberForm, crc32};
use super::pdf;
use super::tagged::TaggedUnits;
use super::text_numbers;
use super::work::Work;
use crate::document::is_binary;

/// The layout of the parts of a list: some bytes, the length, the content, the padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PartShape {
    before: usize,
    form: NumberForm,
    /// The number of bytes after the length, minus the length.
    more: i64,
    /// Contents are padded to a multiple of this.
    align: u64,
}

/// One part, as ranges of bytes.
#[derive(Debug, Clone)]
struct PartLayout {
    whole: Range<usize>,
    length: Range<usize>,
    /// From the length to the padding.
    content: Range<usize>,
}

/// A list of parts that fills a range to its end.
#[derive(Debug)]
struct PartList {
    /// The first byte of the first part.
    first: usize,
    shape: PartShape,
    count: Option<(Range<usize>, NumberForm)>,
}

/// Formats with lengths so short that a small file gives little evidence: their magic numbers, and
/// the start and shape of their parts.
const FORMATS: [(&[u8], usize, PartShape); 1] = [(
    b"\0asm\x01\0\0\0",
    8,
    PartShape {
        before: 1,
        form: NumberForm::Leb128,
        more: 0,
        align: 1,
    },
)];

/// The evidence, in bits, with which a list is taken although one of the same shape that begins
/// later may have more.
const SURE: u32 = 20;

/// The largest depth of parts in parts.
const DEPTH: usize = 8;

/// The largest number of parts.
const PARTS: usize = 200_000;

impl Frames {
    /// Infers the layout of a binary.
    pub(crate) async fn infer(bytes: &[u8]) -> Self {
        frames(bytes).await
    }
}

/// Returns the parts and the derived numbers of a binary.
async fn frames(bytes: &[u8]) -> Frames {
    if let Some(frames) = elf::read(bytes).or_else(|| pdf::read(bytes)) {
        return frames;
    }
    let mut frames = Frames::default();
    let mut work = Work::new(bytes);
    let known = of_known_format(bytes);
    let is_binary = is_binary(bytes);
    // The evidence for a directory is stronger: each of its records has two numbers that are right.
    if known.is_none()
        && is_binary
        && let Some(directory) = Directory::find(bytes)
    {
        directory.add_to(&mut frames, bytes);
        // A list of a damaged table may have lost the parts that cross others.
        return frames.sorted().agreeing(bytes);
    }
    let whole = 0..bytes.len();
    if known.is_none() {
        let container = Container::File;
        if let Some(read) = self_describing(bytes, whole.clone(), container, &mut work).await {
            let frames = with_contents(bytes, read, &mut work).await;
            return Frames {
                are_alike: true,
                ..frames
            };
        }
        if let Some(frames) = text_numbers::read(bytes) {
            return frames;
        }
        if !is_binary {
            return frames;
        }
    }
    let first = match known {
        Some(known) => Some(known),
        None => find(bytes, whole.clone(), Container::File, &mut work)
            .await
            .map(|list| (whole, list)),
    };
    if let Some((_, list)) = &first {
        frames.numbers.extend(lengths_of_file(bytes, list.first));
    }
    let mut lists: Vec<(Range<usize>, PartList, usize)> = first
        .into_iter()
        .map(|(range, list)| (range, list, 0))
        .collect();
    while let Some((range, list, depth)) = lists.pop() {
        let parts: Vec<PartLayout> = parts(bytes, list.first..range.end, list.shape).collect();
        if let Some((at, form)) = list.count {
            frames.numbers.push(DerivedNumber {
                at,
                form,
                covers: list.first..range.end,
                meaning: NumberMeaning::Count,
            });
        }
        let check = ChecksumForm::find(bytes, &parts, list.shape);
        for part in parts {
            frames.parts.push(part.whole.clone());
            // The elements of a list of numbers are numbers and nothing else.
            if list.shape != NUMBERS {
                frames.numbers.push(DerivedNumber {
                    at: part.length.clone(),
                    form: list.shape.form,
                    covers: part.content.clone(),
                    meaning: NumberMeaning::Length {
                        minus: list.shape.more,
                    },
                });
            }
            let mut inner = part.content.clone();
            let more = usize::try_from(list.shape.more).unwrap_or(0);
            if let Some(check) = check {
                frames.numbers.push(check.number(&part));
                inner = inner.start + (more - ChecksumForm::SIZE)..inner.end - ChecksumForm::SIZE;
            } else {
                inner.end -= more;
            }
            if !inner.is_empty() && inner != part.content {
                frames.parts.push(inner.clone());
            }
            if depth == DEPTH || frames.parts.len() >= PARTS {
                continue;
            }
            let container = Container::In(list.shape);
            if let Some(read) = self_describing(bytes, inner.clone(), container, &mut work).await {
                frames.parts.extend(read.parts);
                frames.numbers.extend(read.numbers);
            } else if let Some(list) = find(bytes, inner.clone(), container, &mut work).await {
                lists.push((inner, list, depth + 1));
            }
        }
    }
    frames.sorted()
}

/// Returns the layout of a range whose tags or first bytes say what follows, after a head.
async fn self_describing(
    bytes: &[u8],
    range: Range<usize>,
    container: Container,
    work: &mut Work,
) -> Option<Frames> {
    let (furthest, wanted, other_head) = match container {
        Container::File => (64, 14, 6),
        Container::In(_) => (12, 10, 4),
    };
    let mut best: Option<(u32, Frames)> = None;
    for head in 0..=furthest.min(range.len()) {
        let inside = range.start + head..range.end;
        let mut found: Vec<(u32, Frames)> = Vec::new();
        for units in TaggedUnits::ALL {
            found.extend(units.read(bytes, inside.clone(), work).await);
        }
        let items = ItemForm::ALL.into_iter();
        found.extend(items.filter_map(|items| items.read(bytes, inside.clone())));
        let wanted = wanted + if head == 0 { 0 } else { other_head };
        for (evidence, frames) in found {
            let surplus = evidence.saturating_sub(wanted);
            if evidence >= wanted && best.as_ref().is_none_or(|&(most, _)| surplus > most) {
                best = Some((surplus, frames));
            }
        }
        // Units at the end of a longer sequence can also be read alone.
        if best.as_ref().is_some_and(|&(surplus, _)| surplus >= SURE) {
            break;
        }
    }
    best.map(|(_, frames)| frames)
}

/// Adds the layouts of contents without parts that can be read by themselves.
async fn with_contents(bytes: &[u8], mut frames: Frames, work: &mut Work) -> Frames {
    const LEAST: usize = 8;
    const LIKELY: u32 = 10;
    const MANY: usize = 4;
    let is_leaf = |content: &Range<usize>| {
        let mut inside = frames.outermost(content);
        content.len() >= LEAST && inside.all(|part| part == content)
    };
    let numbers = frames.numbers.iter().map(|number| &number.covers);
    let leaves: Vec<Range<usize>> = numbers.filter(|range| is_leaf(range)).cloned().collect();
    let mut found: BTreeMap<usize, (u32, Frames)> = BTreeMap::new();
    for items in ItemForm::ALL {
        let mut read = Vec::new();
        for leaf in leaves
            .iter()
            .filter(|leaf| !found.contains_key(&leaf.start))
        {
            if work.count(leaf.len()).await {
                let items = items.read(bytes, leaf.clone());
                read.extend(items.map(|items| (leaf.start, items)));
            }
        }
        // Contents that can all be read in the same way are evidence for each other.
        read.retain(|(_, (evidence, _))| *evidence >= LIKELY);
        if read.len() < MANY {
            read.retain(|(_, (evidence, _))| *evidence >= SURE);
        }
        found.extend(read);
    }
    for (_, read) in found.into_values() {
        frames.parts.extend(read.parts);
        frames.numbers.extend(read.numbers);
    }
    frames.sorted()
}

/// Returns the list that fills a file of a known format.
fn of_known_format(bytes: &[u8]) -> Option<(Range<usize>, PartList)> {
    FORMATS.iter().find_map(|&(magic, first, shape)| {
        let list = PartList {
            first,
            shape,
            count: None,
        };
        (bytes.starts_with(magic) && tile(bytes, first..bytes.len(), shape).0.is_some())
            .then_some((0..bytes.len(), list))
    })
}

/// A checksum at the end of every part of a list.
#[derive(Debug, Clone, Copy)]
struct ChecksumForm {
    form: NumberForm,
    /// Whether it covers the whole part before it, not only what follows the length.
    all: bool,
}

impl ChecksumForm {
    const SIZE: usize = 4;

    fn find(bytes: &[u8], parts: &[PartLayout], shape: PartShape) -> Option<Self> {
        if shape.more < 4 || shape.align != 1 {
            return None;
        }
        let forms = [NumberForm::Big(Self::SIZE), NumberForm::Little(Self::SIZE)];
        let checks = forms
            .into_iter()
            .flat_map(|form| [false, true].map(|all| Self { form, all }));
        checks.into_iter().find(|check| {
            !parts.is_empty()
                && parts.iter().all(|part| {
                    let number = check.number(part);
                    let sum = u64::from(crc32(&bytes[number.covers]));
                    check.form.read(&bytes[number.at]) == Some((sum, Self::SIZE))
                })
        })
    }

    fn number(self, part: &PartLayout) -> DerivedNumber {
        let end = part.content.end - Self::SIZE;
        let start = if self.all {
            part.whole.start
        } else {
            part.content.start
        };
        DerivedNumber {
            at: end..part.content.end,
            form: self.form,
            covers: start..end,
            meaning: NumberMeaning::Check(ChecksumKind::Crc32),
        }
    }
}

/// The surroundings in which a list is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    File,
    /// In a part of this shape.
    In(PartShape),
}

/// The shape of a list of bare numbers in LEB128.
const NUMBERS: PartShape = PartShape {
    before: 0,
    form: NumberForm::Leb128,
    more: i64::MIN,
    align: 1,
};

/// Returns all shapes that are tried, with a price: how unusual each is.
fn shapes() -> impl Iterator<Item = (PartShape, u32)> {
    let forms = [
        (NumberForm::Leb128, 2, 1),
        (NumberForm::Der, 1, 1),
        (NumberForm::Little(1), 2, 2),
        (NumberForm::Little(2), 4, 2),
        (NumberForm::Big(2), 4, 2),
        (NumberForm::Little(4), 8, 1),
        (NumberForm::Big(4), 8, 1),
        (NumberForm::Little(8), 8, 2),
        (NumberForm::Big(8), 8, 2),
    ];
    forms.into_iter().flat_map(|(form, widest, price)| {
        (0..=widest).flat_map(move |before| {
            let size = match form {
                NumberForm::Little(size) | NumberForm::Big(size) => size,
                _ => 0,
            };
            let itself = [size, size + before].map(|size| -i64::try_from(size).unwrap_or(0));
            let more: &[i64] = match (form, size) {
                (NumberForm::Der, _) => &[],
                (_, 4 | 8) => &[4, 8],
                _ => &[1, 2, 3, 4],
            };
            let itself = itself
                .into_iter()
                .filter(|&more| more != 0)
                .map(|more| (more, 2));
            let more = more.iter().map(|&more| (more, 3));
            let wide = if size >= 4 { [2, 4].as_slice() } else { &[] };
            let align = wide.iter().map(|&align| (0, align, 3));
            let shapes = [(0, 1)].into_iter().chain(itself).chain(more);
            let shapes = shapes.map(|(more, price)| (more, 1, price)).chain(align);
            shapes.map(move |(more, align, price_more)| {
                let shape = PartShape {
                    before,
                    form,
                    more,
                    align,
                };
                let price_before = match before {
                    0 => 1,
                    4 => 2,
                    _ => 3,
                };
                (shape, price + price_before + price_more)
            })
        })
    })
}

/// Returns the list that fills a range to its end, if there is enough evidence for one.
async fn find(
    bytes: &[u8],
    range: Range<usize>,
    container: Container,
    work: &mut Work,
) -> Option<PartList> {
    let (furthest, wanted, other_head) = match container {
        Container::File => (64, 4, 6),
        Container::In(_) => (12, 2, 4),
    };
    if range.len() < 4 {
        return None;
    }
    let mut best: Option<(u32, PartList)> = None;
    let is_narrow = |form| !matches!(form, NumberForm::Little(8) | NumberForm::Big(8));
    // Lengths of eight bytes are for whole files; parts have many zeros.
    let shapes =
        shapes().filter(|(shape, _)| container == Container::File || is_narrow(shape.form));
    for (shape, price) in shapes {
        // Parts inside parts often have the same shape.
        let price = if container == Container::In(shape) {
            0
        } else {
            price
        };
        for head in 0..=furthest.min(range.len() - 2) {
            let first = range.start + head;
            let (tiled, read) = tile(bytes, first..range.end, shape);
            if !work.count(read).await {
                return None;
            }
            let Some(tiled) = tiled else {
                continue;
            };
            let count = count(bytes, range.start..first, tiled.parts);
            let (counted, price_head) = match (&count, head) {
                (Some(_), _) if tiled.parts == 1 => (4, 2),
                (Some((at, _)), _) if at.start == range.start => (7, 2),
                (Some(_), _) => (7, 4),
                (None, 0) => (0, 1),
                (None, 4 | 8 | 12) => (0, 3),
                (None, _) => (0, other_head),
            };
            let surplus = (tiled.evidence + counted).checked_sub(2 + price + price_head);
            let is_sure = surplus.is_some_and(|surplus| surplus >= SURE);
            if let Some(surplus) = surplus
                && surplus >= wanted
                && best.as_ref().is_none_or(|&(most, _)| surplus > most)
            {
                let list = PartList {
                    first,
                    shape,
                    count,
                };
                best = Some((surplus, list));
            }
            // A list inside the first part, together with the parts after it, also ends there.
            if is_sure {
                break;
            }
        }
    }
    best.map(|(_, list)| list)
        .or_else(|| numbers(bytes, &range))
}

/// Returns the numbers in the head of a file that are its length, or the length of what follows
/// them. For example, a RIFF file begins with `RIFF`, then the length of all that follows, then the
/// type of the file, and only then a list of parts.
fn lengths_of_file(bytes: &[u8], head: usize) -> impl Iterator<Item = DerivedNumber> {
    const SIZE: usize = 4;
    let places = (0..head.saturating_sub(SIZE - 1)).step_by(2);
    places.filter_map(|at| {
        let end = at + SIZE;
        let forms = [NumberForm::Little(SIZE), NumberForm::Big(SIZE)];
        let covers = [end..bytes.len(), 0..bytes.len()];
        let mut pairs = forms
            .into_iter()
            .flat_map(|form| covers.clone().map(|range| (form, range)));
        let is_right = |(form, covers): &(NumberForm, Range<usize>)| {
            let read = form.read(&bytes[at..end]);
            read.is_some_and(|(value, _)| usize::try_from(value) == Ok(covers.len()))
        };
        let (form, covers) = pairs.find(is_right)?;
        Some(DerivedNumber {
            at: at..end,
            form,
            covers,
            meaning: NumberMeaning::Length { minus: 0 },
        })
    })
}

/// Returns the list of bare numbers that a range holds, with their count in front.
fn numbers(bytes: &[u8], range: &Range<usize>) -> Option<PartList> {
    let (wanted, size) = NumberForm::Leb128.read(&bytes[range.clone()])?;
    let first = range.start + size;
    let list = &bytes[first..range.end];
    let ends = list.iter().filter(|&&byte| byte < 0x80).count();
    let whole = list.last().is_some_and(|&byte| byte < 0x80);
    (whole && ends > 1 && u64::try_from(ends) == Ok(wanted)).then_some(PartList {
        first,
        shape: NUMBERS,
        count: Some((range.start..first, NumberForm::Leb128)),
    })
}

/// The evidence for a list of parts.
struct Tiling {
    parts: usize,
    /// In bits, roughly.
    evidence: u32,
}

/// Returns the evidence that parts of a shape fill a range, or `None` when they do not; and the
/// number of parts that were read.
fn tile(bytes: &[u8], range: Range<usize>, shape: PartShape) -> (Option<Tiling>, usize) {
    let (mut parts, mut empty, mut evidence) = (0_usize, 0_usize, 0);
    let mut at = range.start;
    while at < range.end {
        let Some(part) = part(bytes, at..range.end, shape) else {
            return (None, parts);
        };
        let Some((value, size)) = shape.form.read(&bytes[part.length.clone()]) else {
            return (None, parts);
        };
        if shape.form == NumberForm::Der && size > 1 {
            evidence += 8;
        }
        if matches!(shape.form, NumberForm::Little(2..) | NumberForm::Big(2..)) && value > 0 {
            // The upper half of eight bytes is zeros, as are many bytes.
            let bits = 8 * u32::try_from(size.min(4)).unwrap_or(0);
            evidence += bits.saturating_sub((range.end - at).ilog2() + 1);
        }
        parts += 1;
        empty += usize::from(part.content.is_empty());
        if parts > 64 && empty > parts / 2 {
            return (None, parts);
        }
        at = part.whole.end;
    }
    let landing = (range.len() / parts.max(1)).max(1).ilog2();
    // With lengths of one or two bytes, parts often end at a given position by chance.
    let sure = parts > 1 || landing > 7 || evidence > 7;
    let tiling = Tiling {
        parts,
        evidence: evidence + landing,
    };
    (sure.then_some(tiling), parts)
}

/// Reads the first part of a range.
fn part(bytes: &[u8], range: Range<usize>, shape: PartShape) -> Option<PartLayout> {
    let at = range.start + shape.before;
    let (value, size) = shape.form.read(bytes.get(at..range.end)?)?;
    let start = at + size;
    if shape == NUMBERS {
        return Some(PartLayout {
            whole: range.start..start,
            length: at..start,
            content: start..start,
        });
    }
    let long = usize::try_from(i64::try_from(value).ok()?.checked_add(shape.more)?).ok()?;
    let end = start.checked_add(long)?;
    if end > range.end {
        return None;
    }
    let filling = usize::try_from(value.next_multiple_of(shape.align) - value).ok()?;
    Some(PartLayout {
        whole: range.start..(end + filling).min(range.end),
        length: at..start,
        content: start..end,
    })
}

fn parts(
    bytes: &[u8],
    range: Range<usize>,
    shape: PartShape,
) -> impl Iterator<Item = PartLayout> + '_ {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let part = part(bytes, at..range.end, shape)?;
        at = part.whole.end;
        Some(part)
    })
}

/// Returns the number that equals the number of parts and stands right before them.
fn count(bytes: &[u8], head: Range<usize>, parts: usize) -> Option<(Range<usize>, NumberForm)> {
    let wanted = u64::try_from(parts).ok()?;
    let forms = [
        NumberForm::Little(4),
        NumberForm::Big(4),
        NumberForm::Little(2),
        NumberForm::Big(2),
        NumberForm::Leb128,
    ];
    forms.into_iter().find_map(|form| {
        let sizes = match form {
            NumberForm::Little(size) | NumberForm::Big(size) => size..=size,
            _ => 1..=5,
        };
        sizes.into_iter().find_map(|size| {
            let start = head
                .end
                .checked_sub(size)
                .filter(|&start| start >= head.start)?;
            let read = form.read(&bytes[start..head.end]);
            (read == Some((wanted, size))).then_some((start..head.end, form))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::work::READ_PARTS;
    use super::*;
    use crate::steps::at_once;

    #[test]
    fn the_length_of_a_file_in_its_head_is_a_number() {
        let parts = [b"fmt \x04\0\0\0abcd".as_slice(), b"data\x08\0\0\0datadata"].concat();
        let parts = [parts.as_slice(), b"note\x06\0\0\0nothin"].concat();
        let length = u32::try_from(parts.len() + 4).expect("it is short");
        let bytes = [b"RIFF", length.to_le_bytes().as_slice(), b"KIND", &parts].concat();
        let frames = at_once(Frames::infer(&bytes));
        let number = frames.numbers.iter().find(|number| number.at == (4..8));
        assert_eq!(
            number.map(|number| number.covers.clone()),
            Some(8..bytes.len())
        );
    }

    #[test]
    fn a_list_in_the_first_part_is_not_taken_for_the_whole() {
        let part = |name: &[u8; 4], content: &[u8]| {
            let length = u32::try_from(content.len() + 8).expect("it is short");
            [length.to_be_bytes().as_slice(), name, content].concat()
        };
        let inner = [
            part(b"aaaa", b"first"),
            part(b"bbbb", b"second"),
            part(b"cccc", b"3"),
        ];
        let outer = [
            part(b"outr", &inner.concat()),
            part(b"next", b"and the next"),
        ];
        let bytes = outer.concat();
        let frames = at_once(Frames::infer(&bytes));
        assert_eq!(frames.parts[0], 0..outer[0].len());
        let [first, second] = [13, 13 + 14].map(|end| 8..8 + end);
        assert!(frames.parts.contains(&first) && frames.parts.contains(&(first.end..second.end)));
    }

    #[test]
    fn contents_that_are_written_alike_are_read_although_each_is_short() {
        // A list of two texts, as bytes.
        let short = |text: &[u8; 6]| [b"\x4d\x82\x64name\x66".as_slice(), text].concat();
        let all = [b"text 1", b"text 2", b"text 3", b"text 4"].map(short);
        let head = b"\xa2\x67version\x03\x67entries\x84";
        let bytes = [head.as_slice(), &all.concat()].concat();
        let frames = at_once(Frames::infer(&bytes));
        let second = head.len() + all[0].len();
        for inner in [second + 2..second + 7, second + 7..second + 14] {
            assert!(frames.parts.contains(&inner), "{:?}", frames.parts);
        }
    }

    #[test]
    fn runs_of_the_same_byte_are_not_read_in_every_way_as_lists() {
        for byte in [0, 1, 2, 0x7f, 0x80, 0xff] {
            let bytes = vec![byte; 300_000];
            let mut work = Work::new(&bytes);
            let range = 0..bytes.len();
            at_once(find(&bytes, range, Container::File, &mut work));
            let most = READ_PARTS + 3 * bytes.len();
            assert!(work.read <= most, "{byte}: {} parts", work.read);
            at_once(Frames::infer(&bytes));
        }
    }
}
