//! Reading off a binary how it is put together, without knowing its format.
//!
//! Many formats are rows of parts that say how long they are. Such a row betrays itself: read the lengths in the right way, from the right
//! place on, and the last part ends exactly where the row has to. That, and a number before the row that is the number of its parts, and
//! checksums that hold, is the evidence; the more peculiar a way of reading is, the more of it is asked for.

use std::ops::Range;

use super::form::{Form, crc32};
use super::{Frames, Number, What};

/// How the parts of a row are laid out: some bytes, the length, the content, and what fills it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    before: usize,
    form: Form,
    /// How many bytes more than the length says there are after it.
    more: i64,
    /// Contents are filled up to a multiple of this.
    align: u64,
}

/// One part, by its ranges of bytes.
#[derive(Debug, Clone)]
struct Part {
    whole: Range<usize>,
    length: Range<usize>,
    /// From the length to the filling.
    content: Range<usize>,
}

/// A row of parts that fill a range to its end.
#[derive(Debug)]
struct Row {
    /// Where the first part begins.
    first: usize,
    shape: Shape,
    count: Option<(Range<usize>, Form)>,
}

/// Formats whose lengths are so short that a small file holds little evidence: what they begin with, and where their parts begin.
const FORMATS: [(&[u8], usize, Shape); 1] = [(
    b"\0asm\x01\0\0\0",
    8,
    Shape {
        before: 1,
        form: Form::Leb128,
        more: 0,
        align: 1,
    },
)];

/// So deep are parts looked for in parts.
const DEPTH: usize = 8;

/// The most parts that are looked for.
const PARTS: usize = 200_000;

/// Returns the parts and numbers of a binary.
pub(super) fn frames(bytes: &[u8]) -> Frames {
    let mut frames = Frames::default();
    let known = FORMATS.iter().find_map(|&(magic, first, shape)| {
        let row = Row {
            first,
            shape,
            count: None,
        };
        (bytes.starts_with(magic) && tile(bytes, first..bytes.len(), shape).is_some())
            .then_some((0..bytes.len(), row))
    });
    let whole = 0..bytes.len();
    let first = known.or_else(|| Some((whole.clone(), find(bytes, whole, Place::File)?)));
    let mut rows: Vec<(Range<usize>, Row, usize)> = first
        .into_iter()
        .map(|(range, row)| (range, row, 0))
        .collect();
    while let Some((range, row, depth)) = rows.pop() {
        let parts: Vec<Part> = parts(bytes, row.first..range.end, row.shape).collect();
        if let Some((at, form)) = row.count {
            frames.numbers.push(Number {
                at,
                form,
                of: row.first..range.end,
                what: What::Count,
            });
        }
        let check = Check::of(bytes, &parts, row.shape);
        for part in parts {
            frames.parts.push(part.whole.clone());
            // Not the number of an element of a row of numbers: these are all there is of it.
            if row.shape != NUMBERS {
                frames.numbers.push(Number {
                    at: part.length.clone(),
                    form: row.shape.form,
                    of: part.content.clone(),
                    what: What::Length {
                        but: row.shape.more,
                    },
                });
            }
            let mut inner = part.content.clone();
            let more = usize::try_from(row.shape.more).unwrap_or(0);
            if let Some(check) = check {
                frames.numbers.push(check.number(&part));
                inner = inner.start + (more - Check::SIZE)..inner.end - Check::SIZE;
            } else {
                inner.end -= more;
            }
            if !inner.is_empty() && inner != part.content {
                frames.parts.push(inner.clone());
            }
            if depth < DEPTH
                && frames.parts.len() < PARTS
                && let Some(row) = find(bytes, inner.clone(), Place::In(row.shape))
            {
                rows.push((inner, row, depth + 1));
            }
        }
    }
    frames.numbers.sort_by_key(|number| number.at.start);
    let disjoint = |pair: &[Number]| pair[0].at.end <= pair[1].at.start;
    debug_assert!(
        frames.numbers.windows(2).all(disjoint),
        "one number, one meaning"
    );
    (frames.parts).sort_by_key(|part| (part.start, std::cmp::Reverse(part.end)));
    frames
}

/// A checksum at the end of every part of a row.
#[derive(Debug, Clone, Copy)]
struct Check {
    form: Form,
    /// Whether it is the sum of all before it, not of what stands after the length.
    all: bool,
}

impl Check {
    const SIZE: usize = 4;

    fn of(bytes: &[u8], parts: &[Part], shape: Shape) -> Option<Self> {
        if shape.more < 4 || shape.align != 1 {
            return None;
        }
        let forms = [Form::Big(Self::SIZE), Form::Little(Self::SIZE)];
        let ways = forms
            .into_iter()
            .flat_map(|form| [false, true].map(|all| Self { form, all }));
        ways.into_iter().find(|check| {
            !parts.is_empty()
                && parts.iter().all(|part| {
                    let number = check.number(part);
                    let sum = u64::from(crc32(&bytes[number.of]));
                    check.form.read(&bytes[number.at]) == Some((sum, Self::SIZE))
                })
        })
    }

    fn number(self, part: &Part) -> Number {
        let end = part.content.end - Self::SIZE;
        let start = if self.all {
            part.whole.start
        } else {
            part.content.start
        };
        Number {
            at: end..part.content.end,
            form: self.form,
            of: start..end,
            what: What::Check,
        }
    }
}

/// Where a row is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    /// In a part of this shape.
    In(Shape),
}

/// Numbers in a row, of seven bits a byte, without anything to them.
const NUMBERS: Shape = Shape {
    before: 0,
    form: Form::Leb128,
    more: i64::MIN,
    align: 1,
};

/// All ways of reading a length that are tried, with how peculiar each is.
fn shapes() -> impl Iterator<Item = (Shape, u32)> {
    let forms = [
        (Form::Leb128, 2, 1),
        (Form::Der, 1, 1),
        (Form::Little(1), 2, 2),
        (Form::Little(2), 4, 2),
        (Form::Big(2), 4, 2),
        (Form::Little(4), 8, 1),
        (Form::Big(4), 8, 1),
    ];
    forms.into_iter().flat_map(|(form, widest, price)| {
        (0..=widest).flat_map(move |before| {
            let size = match form {
                Form::Little(size) | Form::Big(size) => size,
                Form::Leb128 | Form::Der => 0,
            };
            let itself = [size, size + before].map(|size| -i64::try_from(size).unwrap_or(0));
            let more: &[i64] = match (form, size) {
                (Form::Der, _) => &[],
                (_, 4) => &[4, 8],
                _ => &[1, 2, 3, 4],
            };
            let itself = itself
                .into_iter()
                .filter(|&more| more != 0)
                .map(|more| (more, 2));
            let more = more.iter().map(|&more| (more, 3));
            let wide = if size == 4 { [2, 4].as_slice() } else { &[] };
            let align = wide.iter().map(|&align| (0, align, 3));
            let shapes = [(0, 1)].into_iter().chain(itself).chain(more);
            let shapes = shapes.map(|(more, price)| (more, 1, price)).chain(align);
            shapes.map(move |(more, align, of_more)| {
                let shape = Shape {
                    before,
                    form,
                    more,
                    align,
                };
                let of_before = match before {
                    0 => 1,
                    4 => 2,
                    _ => 3,
                };
                (shape, price + of_before + of_more)
            })
        })
    })
}

/// Returns the row that a range holds up to its end, when there is evidence enough for one.
fn find(bytes: &[u8], range: Range<usize>, place: Place) -> Option<Row> {
    let (furthest, wanted, odd) = match place {
        Place::File => (64, 4, 6),
        Place::In(_) => (12, 2, 4),
    };
    if range.len() < 4 {
        return None;
    }
    let mut best: Option<(u32, Row)> = None;
    for (shape, price) in shapes() {
        // Parts of parts are often laid out as these are.
        let price = if place == Place::In(shape) { 0 } else { price };
        for head in 0..=furthest.min(range.len() - 2) {
            let first = range.start + head;
            let Some(tiled) = tile(bytes, first..range.end, shape) else {
                continue;
            };
            let count = count(bytes, range.start..first, tiled.parts);
            let (counted, of_head) = match (&count, head) {
                (Some(_), _) if tiled.parts == 1 => (4, 2),
                (Some((at, _)), _) if at.start == range.start => (7, 2),
                (Some(_), _) => (7, 4),
                (None, 0) => (0, 1),
                (None, 4 | 8 | 12) => (0, 3),
                (None, _) => (0, odd),
            };
            let surplus = (tiled.evidence + counted).checked_sub(2 + price + of_head);
            if let Some(surplus) = surplus
                && surplus >= wanted
                && best.as_ref().is_none_or(|&(most, _)| surplus > most)
            {
                let row = Row {
                    first,
                    shape,
                    count,
                };
                best = Some((surplus, row));
            }
        }
    }
    best.map(|(_, row)| row).or_else(|| numbers(bytes, &range))
}

/// A row of numbers, counted.
fn numbers(bytes: &[u8], range: &Range<usize>) -> Option<Row> {
    let (wanted, size) = Form::Leb128.read(&bytes[range.clone()])?;
    let first = range.start + size;
    let row = &bytes[first..range.end];
    let ends = row.iter().filter(|&&byte| byte < 0x80).count();
    let whole = row.last().is_some_and(|&byte| byte < 0x80);
    (whole && ends > 1 && u64::try_from(ends) == Ok(wanted)).then_some(Row {
        first,
        shape: NUMBERS,
        count: Some((range.start..first, Form::Leb128)),
    })
}

/// What is to be said of a row of parts.
struct Tiled {
    parts: usize,
    /// In bits, roughly.
    evidence: u32,
}

/// Returns whether parts of a shape fill a range exactly.
fn tile(bytes: &[u8], range: Range<usize>, shape: Shape) -> Option<Tiled> {
    let (mut parts, mut empty, mut evidence) = (0_usize, 0_usize, 0);
    let mut at = range.start;
    while at < range.end {
        let part = part(bytes, at..range.end, shape)?;
        let (value, size) = shape.form.read(&bytes[part.length.clone()])?;
        if shape.form == Form::Der && size > 1 {
            evidence += 8;
        }
        if matches!(shape.form, Form::Little(2..) | Form::Big(2..)) && value > 0 {
            let width = 8 * u32::try_from(size).unwrap_or(0);
            evidence += width.saturating_sub((range.end - at).ilog2() + 1);
        }
        parts += 1;
        empty += usize::from(part.content.is_empty());
        if parts > 64 && empty > parts / 2 {
            return None;
        }
        at = part.whole.end;
    }
    let landing = (range.len() / parts.max(1)).max(1).ilog2();
    // Lengths of a byte or two land anywhere soon.
    let sure = parts > 1 || landing > 7 || evidence > 7;
    sure.then_some(Tiled {
        parts,
        evidence: evidence + landing,
    })
}

/// Reads the part that a range begins with.
fn part(bytes: &[u8], range: Range<usize>, shape: Shape) -> Option<Part> {
    let at = range.start + shape.before;
    let (value, size) = shape.form.read(bytes.get(at..range.end)?)?;
    let start = at + size;
    if shape == NUMBERS {
        return Some(Part {
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
    Some(Part {
        whole: range.start..(end + filling).min(range.end),
        length: at..start,
        content: start..end,
    })
}

fn parts(bytes: &[u8], range: Range<usize>, shape: Shape) -> impl Iterator<Item = Part> + '_ {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let part = part(bytes, at..range.end, shape)?;
        at = part.whole.end;
        Some(part)
    })
}

/// Returns the number of parts, when it stands right before them.
fn count(bytes: &[u8], head: Range<usize>, parts: usize) -> Option<(Range<usize>, Form)> {
    let wanted = u64::try_from(parts).ok()?;
    let forms = [
        Form::Little(4),
        Form::Big(4),
        Form::Little(2),
        Form::Big(2),
        Form::Leb128,
    ];
    forms.into_iter().find_map(|form| {
        let sizes = match form {
            Form::Little(size) | Form::Big(size) => size..=size,
            Form::Leb128 | Form::Der => 1..=5,
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
