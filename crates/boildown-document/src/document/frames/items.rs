//! Inference of items: values of which the first byte says what they are, and how many bytes or
//! items follow.
//!
//! All of a range is one such value, or a sequence of lists and maps, or it is written in another
//! way.
//!
//! For example, `82 01 61 61` is a list of two in CBOR: a number and a text.

use std::ops::Range;

use super::layout::{DerivedNumber, Frames, NumberMeaning};
use super::numbers::{MessagePackHead, NumberForm};

/// A way to write items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemForm {
    Cbor,
    MessagePack,
    /// Bencode, of `BitTorrent`: decimal lengths of texts, an `e` at the end of lists and maps.
    Bencode,
}

/// The largest depth of items in items.
const DEPTH: usize = 100;

/// The largest number of items.
const ITEMS: usize = 400_000;

/// The most bits that a text counts as evidence.
const TEXT: u32 = 6;

/// Reads items, one after the other.
struct Reader<'a> {
    form: ItemForm,
    bytes: &'a [u8],
    frames: Frames,
    evidence: u32,
    depth: usize,
}

/// The head of an item.
enum ItemHead {
    /// All of the item up to here.
    Value(usize),
    /// The bytes of a length, how it is written, and the content.
    Bytes(Range<usize>, NumberForm, Range<usize>),
    /// A text, likewise.
    Text(Range<usize>, NumberForm, Range<usize>),
    /// A count, how it is written, and its value. Each element is this many items.
    Counted(Range<usize>, NumberForm, u64, usize),
    /// Elements of this many items from here up to an end mark.
    Marked(usize, usize, u8),
    /// An item follows.
    Before(usize),
}

impl ItemForm {
    pub(super) const ALL: [Self; 3] = [Self::Cbor, Self::MessagePack, Self::Bencode];

    /// Reads a range to its end. Returns the parts, lengths and counts, and the evidence for them.
    pub(super) fn read(self, bytes: &[u8], range: Range<usize>) -> Option<(u32, Frames)> {
        let mut reader = Reader {
            form: self,
            bytes: &bytes[..range.end],
            frames: Frames::default(),
            evidence: 0,
            depth: 0,
        };
        let (mut at, mut lists) = (range.start, 0);
        while at < range.end {
            let head = reader.head(at)?;
            if matches!(
                head,
                ItemHead::Value(_) | ItemHead::Bytes(..) | ItemHead::Text(..)
            ) {
                return None;
            }
            let end = reader.item(at)?;
            reader.frames.parts.push(at..end);
            at = end;
            lists += 1;
        }
        let average = range.len() / lists.max(1);
        let evidence = reader.evidence + average.max(1).ilog2();
        (lists > 0).then(|| (evidence, reader.frames.sorted()))
    }
}

impl Reader<'_> {
    /// Reads an item, and returns where it ends.
    fn item(&mut self, at: usize) -> Option<usize> {
        if self.depth > DEPTH || self.frames.parts.len() > ITEMS {
            return None;
        }
        match self.head(at)? {
            ItemHead::Value(end) => (end <= self.bytes.len()).then_some(end),
            ItemHead::Before(next) => self.item(next),
            ItemHead::Bytes(length, form, content) => self.content(length, form, content),
            ItemHead::Text(length, form, content) => {
                let text = std::str::from_utf8(self.bytes.get(content.clone())?).ok()?;
                let is_printable = !text.chars().any(char::is_control);
                let length_of_text = u32::try_from(text.len()).unwrap_or(TEXT);
                self.evidence += length_of_text.min(TEXT) * u32::from(is_printable);
                self.content(length, form, content)
            }
            ItemHead::Counted(count, form, elements, items) => {
                let start = count.end;
                let end = self.elements(start, items, |read, _| read == elements)?;
                self.evidence += u32::from(elements > 0);
                self.frames.numbers.push(DerivedNumber {
                    at: count,
                    form,
                    covers: start..end,
                    meaning: NumberMeaning::Count,
                });
                Some(end)
            }
            ItemHead::Marked(start, items, mark) => {
                let end = self.elements(start, items, |_, next| next == Some(mark))?;
                self.evidence += 4;
                Some(end + 1)
            }
        }
    }

    /// Reads elements until it is the end, by their number and the next byte.
    fn elements(
        &mut self,
        start: usize,
        items: usize,
        is_end: impl Fn(u64, Option<u8>) -> bool,
    ) -> Option<usize> {
        self.depth += 1;
        let (mut at, mut read) = (start, 0);
        while !is_end(read, self.bytes.get(at).copied()) {
            let element = at;
            for _ in 0..items {
                at = self.item(at)?;
            }
            self.frames.parts.push(element..at);
            read += 1;
        }
        self.depth -= 1;
        Some(at)
    }

    fn content(
        &mut self,
        length: Range<usize>,
        form: NumberForm,
        content: Range<usize>,
    ) -> Option<usize> {
        let end = content.end;
        if end > self.bytes.len() {
            return None;
        }
        if !content.is_empty() {
            self.frames.parts.push(content.clone());
            self.frames.numbers.push(DerivedNumber {
                at: length,
                form,
                covers: content,
                meaning: NumberMeaning::Length { minus: 0 },
            });
        }
        Some(end)
    }

    fn head(&self, at: usize) -> Option<ItemHead> {
        match self.form {
            ItemForm::Cbor => cbor(self.bytes, at),
            ItemForm::MessagePack => message_pack(self.bytes, at),
            ItemForm::Bencode => bencode(self.bytes, at),
        }
    }
}

/// Returns the content after a length.
fn after(length: &Range<usize>, value: u64) -> Option<Range<usize>> {
    let end = length.end.checked_add(usize::try_from(value).ok()?)?;
    Some(length.end..end)
}

fn cbor(bytes: &[u8], at: usize) -> Option<ItemHead> {
    let first = *bytes.get(at)?;
    let (major, short) = (first >> 5, first & 0x1f);
    if short == 0x1f {
        return match major {
            // Pieces of bytes or text, a list, a map.
            2..=4 => Some(ItemHead::Marked(at + 1, 1, 0xff)),
            5 => Some(ItemHead::Marked(at + 1, 2, 0xff)),
            _ => None,
        };
    }
    let form = NumberForm::Cbor { major };
    let (value, size) = form.read(bytes.get(at..)?)?;
    let length = at..at + size;
    Some(match major {
        2 => ItemHead::Bytes(length.clone(), form, after(&length, value)?),
        3 => ItemHead::Text(length.clone(), form, after(&length, value)?),
        4 => ItemHead::Counted(length, form, value, 1),
        5 => ItemHead::Counted(length, form, value, 2),
        6 => ItemHead::Before(length.end),
        _ => ItemHead::Value(length.end),
    })
}

fn message_pack(bytes: &[u8], at: usize) -> Option<ItemHead> {
    let first = *bytes.get(at)?;
    let value = |size: usize| Some(ItemHead::Value(at + 1 + size));
    let head = match first {
        0xa0..=0xbf | 0xd9..=0xdb => MessagePackHead::Text,
        0x90..=0x9f | 0xdc | 0xdd => MessagePackHead::List,
        0x80..=0x8f | 0xde | 0xdf => MessagePackHead::Map,
        0xc4..=0xc6 => MessagePackHead::Bytes,
        0xc1 => return None,
        0xc7..=0xc9 => {
            // An extension: its length, its type, its content.
            let form = NumberForm::Big(1 << (first - 0xc7));
            let (value, size) = form.read(bytes.get(at + 1..)?)?;
            let length = at + 1..at + 1 + size;
            let start = length.end + 1;
            let end = start.checked_add(usize::try_from(value).ok()?)?;
            return Some(ItemHead::Bytes(length, form, start..end));
        }
        0xca | 0xce | 0xd2 => return value(4),
        0xcb | 0xcf | 0xd3 => return value(8),
        0xcc | 0xd0 => return value(1),
        0xcd | 0xd1 => return value(2),
        0xd4..=0xd8 => return value(1 + (1 << (first - 0xd4))),
        _ => return value(0),
    };
    let form = NumberForm::MessagePack(head);
    let (value, size) = form.read(bytes.get(at..)?)?;
    let length = at..at + size;
    Some(match head {
        MessagePackHead::Text => ItemHead::Text(length.clone(), form, after(&length, value)?),
        MessagePackHead::Bytes => ItemHead::Bytes(length.clone(), form, after(&length, value)?),
        MessagePackHead::List => ItemHead::Counted(length, form, value, 1),
        MessagePackHead::Map => ItemHead::Counted(length, form, value, 2),
    })
}

fn bencode(bytes: &[u8], at: usize) -> Option<ItemHead> {
    match *bytes.get(at)? {
        b'l' => Some(ItemHead::Marked(at + 1, 1, b'e')),
        b'd' => Some(ItemHead::Marked(at + 1, 2, b'e')),
        b'i' => {
            let sign = usize::from(bytes.get(at + 1) == Some(&b'-'));
            let start = at + 1 + sign;
            let digits = bytes[start..].iter();
            let end = start + digits.take_while(|byte| byte.is_ascii_digit()).count();
            (end > start && bytes.get(end) == Some(&b'e')).then_some(ItemHead::Value(end + 1))
        }
        _ => {
            let form = NumberForm::Decimal;
            let (value, size) = form.read(&bytes[at..])?;
            let length = at..at + size;
            let start = length.end + 1;
            let end = start.checked_add(usize::try_from(value).ok()?)?;
            (size > 0 && bytes.get(length.end) == Some(&b':')).then_some(ItemHead::Bytes(
                length,
                form,
                start..end,
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{check_damaged, without};
    use super::*;
    use crate::steps::at_once;

    /// Returns a map of a text to a list of this many texts.
    fn items(form: ItemForm, count: usize) -> Vec<u8> {
        let head = |form: NumberForm, value: usize| {
            let value = u64::try_from(value).expect("it is small");
            form.write(value).expect("it fits")
        };
        let (map, list, text) = match form {
            ItemForm::Cbor => (
                NumberForm::Cbor { major: 5 },
                NumberForm::Cbor { major: 4 },
                NumberForm::Cbor { major: 3 },
            ),
            _ => (
                NumberForm::MessagePack(MessagePackHead::Map),
                NumberForm::MessagePack(MessagePackHead::List),
                NumberForm::MessagePack(MessagePackHead::Text),
            ),
        };
        let texts = (0..count).map(|number| format!("element {number:02}"));
        let texts = texts.flat_map(|element| [head(text, 10), element.into_bytes()].concat());
        let all: Vec<u8> = texts.collect();
        [
            head(map, 1),
            head(text, 3),
            b"key".to_vec(),
            head(list, count),
            all,
        ]
        .concat()
    }

    fn read(bytes: &[u8]) -> Option<Frames> {
        Some(at_once(Frames::infer(bytes)))
    }

    #[test]
    fn counts_of_lists_and_lengths_of_texts_follow() {
        for form in [ItemForm::Cbor, ItemForm::MessagePack] {
            let bytes = items(form, 30);
            let (_, frames) = form.read(&bytes, 0..bytes.len()).expect("these are items");
            let is_late = |part: &Range<usize>| {
                let text = &bytes[part.clone()];
                part.len() == 11 && text.ends_with(b"2") | text.ends_with(b"5")
            };
            let left = without(&bytes, frames.clone(), is_late);
            let count = NumberForm::Cbor { major: 4 }.write(24).expect("it fits");
            match form {
                ItemForm::Cbor => assert_eq!(left[5..7], count),
                _ => assert_eq!(left[5..8], [0xdc, 0, 24]),
            }
            let few = |part: &Range<usize>| {
                part.len() == 11 && bytes[part.clone()] > b"\x6aelement 05"[..]
            };
            let short = without(&bytes, frames, few);
            assert!(form.read(&short, 0..short.len()).is_some(), "{short:x?}");
        }
    }

    #[test]
    fn entries_of_bencode_go_and_its_texts_become_shorter() {
        let bytes = b"d4:infol5:first6:secondi-5ee4:name11:a long texte";
        let (_, frames) = ItemForm::Bencode
            .read(bytes, 0..bytes.len())
            .expect("these are items");
        let is = |part: &Range<usize>, text: &[u8]| bytes[part.clone()] == *text;
        let left = without(bytes, frames.clone(), |part| {
            is(part, b"i-5e") || is(part, b"a long text")
        });
        assert_eq!(left, b"d4:infol5:first6:seconde4:name0:e");
        let left = without(bytes, frames, |part| is(part, b"4:name11:a long text"));
        assert_eq!(left, b"d4:infol5:first6:secondi-5eee");
    }

    #[test]
    fn lists_without_a_count_and_items_behind_tags_are_read() {
        let bytes = b"\xbf\x64name\x9f\x01\x02\x66needle\xff\x64time\xc1\x1a\0\0\0\x01\xff";
        let (_, frames) = ItemForm::Cbor
            .read(bytes, 0..bytes.len())
            .expect("these are items");
        let left = without(bytes, frames, |part| {
            bytes[part.clone()].ends_with(b"\0\x01")
        });
        assert_eq!(left, b"\xbf\x64name\x9f\x01\x02\x66needle\xff\xff");
    }

    proptest! {
        #[test]
        fn damaged_items_are_written_as_they_were(
            is_cbor in any::<bool>(),
            damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..4),
            length in 0_usize..400,
        ) {
            let form = if is_cbor { ItemForm::Cbor } else { ItemForm::MessagePack };
            check_damaged(&items(form, 30), &damage, length, read);
        }
    }
}
