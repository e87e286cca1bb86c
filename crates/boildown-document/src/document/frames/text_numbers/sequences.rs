//! Sequences of contents, each after a head with its length, that fill a text to its end.
//!
//! All heads are written in the same way: a label and the length, or the length at once, and then
//! the content. The length may count bytes or lines, and the bytes of the number itself. Between a
//! content and the next head there are the same one or two characters, or none.
//!
//! For example, `3`, `abc`, `a`, `0123456789` in four lines are two contents with their lengths in
//! hexadecimal digits.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Alike, Anchor, Digits, NumberedText};
use crate::document::frames::layout::NumberMeaning;
use crate::document::frames::numbers::NumberForm;

/// A sequence begins before this line.
const FIRST_LINES: usize = 32;

/// The longest head of a content.
const LONGEST_HEAD: usize = 4096;

/// The number of bytes with which all heads with a label begin.
const ALIKE: usize = 4;

/// The most characters between a content and the next head.
const LONGEST_GAP: usize = 2;

/// The least number of contents of a sequence without a label.
const FEWEST: usize = 3;

/// The evidence, in bits, with which lengths without a label are taken for a sequence.
const ENOUGH: u32 = 10;

/// How the contents of a sequence are written.
#[derive(Clone, Copy)]
struct SequenceForm<'a> {
    start: usize,
    /// What is before each length. Empty when the length begins the head.
    label: &'a [u8],
    number: NumberForm,
    anchor: Anchor,
    unit: NumberMeaning,
}

/// A content with its length before it.
#[derive(Clone)]
struct NumberedContent {
    /// With its head, and what is before the next one.
    whole: Range<usize>,
    number: Digits,
    content: Range<usize>,
}

const BYTES: NumberMeaning = NumberMeaning::Length { minus: 0 };

impl<'a> NumberedText<'a> {
    /// Adds the longest sequence of contents that ends where the text ends.
    pub(super) fn add_sequence(&mut self, kinds: &BTreeMap<Alike<'a>, Vec<Digits>>) {
        let Some((form, best)) = self.longest_sequence(kinds) else {
            return;
        };
        let numbers: Vec<&Digits> = best.iter().map(|content| &content.number).collect();
        let written = match form.number {
            NumberForm::HexDigits { .. } => None,
            _ => Some(super::form(self.bytes, &numbers)),
        };
        let items = best[0].whole.start..best[best.len() - 1].whole.end;
        for NumberedContent {
            whole,
            number,
            content,
        } in best.iter().cloned()
        {
            self.frames.parts.push(whole);
            if form.unit == BYTES {
                self.frames.parts.push(content.clone());
            }
            let covers = match form.anchor {
                Anchor::Itself => number.at.start..content.end,
                _ => content,
            };
            let written = written.as_ref().map_or(form.number, |form| form(&number));
            if number.value > 0 {
                self.add(&number, written, covers, form.unit);
            }
        }
        self.lists.push((items, best.len()));
    }

    fn longest_sequence(
        &self,
        kinds: &BTreeMap<Alike<'a>, Vec<Digits>>,
    ) -> Option<(SequenceForm<'a>, Vec<NumberedContent>)> {
        let mut best: Option<(SequenceForm<'a>, Vec<NumberedContent>)> = None;
        let mut consider = |form: SequenceForm<'a>, fewest: usize| {
            let fewest = best.as_ref().map_or(fewest, |(_, best)| best.len() + 1);
            let read = self.sequence(&form).filter(|read| read.len() >= fewest);
            best = read.map(|read| (form, read)).or_else(|| best.take());
        };
        let numbers = kinds.iter().filter_map(|(alike, numbers)| match alike {
            Alike::Label(label, 0, false) => Some((*label, numbers.first()?)),
            _ => None,
        });
        for (label, number) in numbers.filter(|(_, number)| number.line < FIRST_LINES) {
            let bytes: &'a [u8] = self.bytes;
            let before = &bytes[..number.at.start];
            let mut places = before.windows(label.len()).rev();
            let Some(back) = places.position(|word| word == label) else {
                continue;
            };
            for anchor in [Anchor::Character, Anchor::Line, Anchor::EmptyLine] {
                let form = SequenceForm {
                    start: 0,
                    label: &before[before.len() - label.len() - back..],
                    number: NumberForm::Decimal,
                    anchor,
                    unit: BYTES,
                };
                consider(form, 2);
            }
        }
        let hex = NumberForm::Hex { is_upper: false };
        let digits = [4, 8].map(|size| NumberForm::HexDigits {
            size,
            is_upper: false,
        });
        for &start in self.lines.iter().take(FIRST_LINES) {
            for number in [NumberForm::Decimal, hex] {
                for anchor in [Anchor::Character, Anchor::Line] {
                    let units = [BYTES, NumberMeaning::Count].into_iter();
                    for unit in units.take(1 + usize::from(self.has_lines)) {
                        consider(
                            SequenceForm {
                                start,
                                label: b"",
                                number,
                                anchor,
                                unit,
                            },
                            FEWEST,
                        );
                    }
                }
            }
            for number in digits {
                for anchor in [Anchor::Digits, Anchor::Itself] {
                    let unit = BYTES;
                    consider(
                        SequenceForm {
                            start,
                            label: b"",
                            number,
                            anchor,
                            unit,
                        },
                        FEWEST,
                    );
                }
            }
        }
        best
    }

    /// Reads the text as such a sequence, from its start to the end of the text.
    fn sequence(&self, form: &SequenceForm<'_>) -> Option<Vec<NumberedContent>> {
        let bytes: &[u8] = self.bytes;
        let mut read: Vec<NumberedContent> = Vec::new();
        let mut at = form.start;
        let mut gap: Option<&[u8]> = None;
        while at < bytes.len() {
            let number = self.number_of_head(at, form)?;
            let content = self.content_start(&number, form.anchor)?;
            let content = content..self.content_end(content, &number, form)?;
            let end = content.end;
            let rest = bytes.get(end..)?;
            let between = match gap {
                Some(gap) => gap,
                None => {
                    let is_end =
                        |&size: &usize| end + size == bytes.len() || self.is_head(end + size, form);
                    let size = (0..=LONGEST_GAP.min(rest.len())).find(is_end)?;
                    let is_word = rest[..size].iter().any(u8::is_ascii_alphanumeric);
                    *gap.insert((!is_word).then_some(&rest[..size])?)
                }
            };
            let whole = at..match rest.strip_prefix(between) {
                Some(_) => end + between.len(),
                None if rest.trim_ascii().is_empty() => bytes.len(),
                None => return None,
            };
            at = whole.end;
            if at < bytes.len() && !self.is_head(at, form) {
                return None;
            }
            read.push(NumberedContent {
                whole,
                number,
                content,
            });
        }
        let is_sure = !form.label.is_empty() || self.evidence(&read, form) >= ENOUGH;
        (is_sure && !read.is_empty()).then_some(read)
    }

    fn is_head(&self, at: usize, form: &SequenceForm<'_>) -> bool {
        let alike = &self.bytes[..self.bytes.len().min(ALIKE)];
        match form.label {
            b"" => self.number_of_head(at, form).is_some(),
            _ => self.bytes[at..].starts_with(alike),
        }
    }

    /// Returns the length in the head that begins at a position.
    fn number_of_head(&self, at: usize, form: &SequenceForm<'_>) -> Option<Digits> {
        let bytes = self.bytes;
        let label = form.label;
        let mut start = at;
        if !label.is_empty() {
            let head = &bytes[at..bytes.len().min(at + LONGEST_HEAD)];
            start += head.windows(label.len()).position(|word| word == label)? + label.len();
        }
        let is_hex = !matches!(form.number, NumberForm::Decimal);
        start += if is_hex && bytes[start..].starts_with(b"0x") {
            2
        } else {
            0
        };
        let (value, size) = form.number.read(bytes.get(start..)?)?;
        let next = bytes.get(start + size);
        let is_divided = match form.anchor {
            Anchor::Digits | Anchor::Itself => true,
            _ if label.is_empty() => next.is_some_and(|next| !next.is_ascii_alphanumeric()),
            _ => true,
        };
        (size > 0 && is_divided && value < 1 << 32).then_some(())?;
        Some(Digits {
            at: start..start + size,
            value: usize::try_from(value).ok()?,
            is_hex,
            line: self.lines.partition_point(|&line| line <= start) - 1,
        })
    }

    fn content_end(&self, start: usize, number: &Digits, form: &SequenceForm<'_>) -> Option<usize> {
        match form.unit {
            NumberMeaning::Count => self.line_after(self.line_at(start)?, number.value),
            // An end mark counts not even itself.
            _ if form.anchor == Anchor::Itself && number.value == 0 => Some(start),
            _ if form.anchor == Anchor::Itself => {
                let end = number.at.start.checked_add(number.value)?;
                (end >= start).then_some(end)
            }
            _ => start.checked_add(number.value),
        }
    }

    /// Returns the evidence, in bits, that what begins with lengths is a sequence.
    fn evidence(&self, read: &[NumberedContent], form: &SequenceForm<'_>) -> u32 {
        let heads = u32::try_from(read.len()).unwrap_or(u32::MAX);
        let values = read
            .iter()
            .map(|content| content.number.value.max(1).ilog2());
        if form.unit == BYTES {
            return heads.saturating_add(values.sum());
        }
        // Of lines that begin with numbers anyway, only the end of the last content tells.
        let lines = self.lines.iter().filter(|&&line| line >= form.start);
        let with_numbers = lines
            .clone()
            .filter(|&&line| self.is_head(line, form))
            .count();
        let landing = (lines.count() / with_numbers.max(1)).max(1).ilog2();
        values.max().unwrap_or(0) + heads.saturating_mul(landing)
    }
}
