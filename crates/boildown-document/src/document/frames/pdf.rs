//! The layout of PDF files.
//!
//! A PDF file is a list of objects, `12 0 obj … endobj`, then a table with the position of each,
//! and a dictionary. An object is a dictionary, an array or another value, and a dictionary may
//! have a stream of bytes after it, whose length is in it: in decimal digits, or in an object of
//! its own. The parts are the objects, the entries of dictionaries, the elements of arrays and the
//! streams.
//!
//! Tables that are compressed streams are not known. Readers then look for the objects themselves.

use std::collections::BTreeMap;
use std::ops::Range;

use super::layout::{DerivedNumber, Frames, NumberMeaning};
use super::numbers::NumberForm;

/// The largest depth of dictionaries and arrays in each other.
const DEPTH: usize = 64;

/// A PDF file that is being read.
struct Pdf<'a> {
    bytes: &'a [u8],
    frames: Frames,
    /// The positions of the objects, and the ranges of their values, by number.
    objects: BTreeMap<usize, Vec<Range<usize>>>,
    /// Ascending.
    starts: Vec<usize>,
    /// The lengths of streams that are in other objects: the number of the object, and the stream.
    lengths: Vec<(usize, Range<usize>)>,
}

/// A value, and what its dictionary says about a stream that follows.
struct Value {
    end: usize,
    length: Option<StreamLength>,
}

enum StreamLength {
    /// The bytes of the number.
    Here(Range<usize>),
    /// The number of an object.
    InObject(usize),
}

/// Reads a PDF file; `None` when it is none, or has no objects.
pub(super) fn read(bytes: &[u8]) -> Option<Frames> {
    let head = &bytes[..bytes.len().min(1024)];
    head.windows(5).position(|window| window == b"%PDF-")?;
    let mut pdf = Pdf {
        bytes,
        frames: Frames::default(),
        objects: BTreeMap::new(),
        starts: Vec::new(),
        lengths: Vec::new(),
    };
    let mut at = 0;
    while at < bytes.len() {
        let is_line = at == 0 || bytes[at - 1].is_ascii_whitespace();
        let next = is_line.then(|| pdf.read_object(at).or_else(|| pdf.read_trailer(at)));
        at = next.flatten().unwrap_or(at + 1);
    }
    if pdf.starts.is_empty() {
        return None;
    }
    pdf.add_lengths();
    pdf.add_positions();
    Some(pdf.frames.sorted())
}

impl Pdf<'_> {
    /// Returns the first byte from a position on that is no white space and in no comment.
    fn skip_space(&self, mut at: usize) -> usize {
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'%' => at = self.line_end(at),
                b'\0' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' => at += 1,
                _ => break,
            }
        }
        at
    }

    fn line_end(&self, at: usize) -> usize {
        let is_end = |&byte: &u8| matches!(byte, b'\n' | b'\r');
        let rest = self.bytes[at..].iter();
        rest.take_while(|byte| !is_end(byte)).count() + at
    }

    /// Returns the end of a keyword, after white space.
    fn keyword(&self, at: usize, word: &[u8]) -> Option<usize> {
        let at = self.skip_space(at);
        self.bytes[at..].starts_with(word).then(|| at + word.len())
    }

    /// Reads decimal digits after white space; returns the number and its bytes.
    fn digits(&self, at: usize) -> Option<(usize, Range<usize>)> {
        let start = self.skip_space(at);
        let (value, size) = NumberForm::Decimal.read(&self.bytes[start..])?;
        let value = usize::try_from(value).ok()?;
        Some((value, start..start + size))
    }

    /// Reads an object, and returns where it ends.
    fn read_object(&mut self, start: usize) -> Option<usize> {
        self.bytes[start].is_ascii_digit().then_some(())?;
        let (number, digits) = self.digits(start)?;
        let (_, generation) = self.digits(digits.end)?;
        let value_start = self.skip_space(self.keyword(generation.end, b"obj")?);
        // What cannot be read is a part as a whole.
        let value = self.value(value_start, 0);
        let (end, length) = value.map_or((value_start, None), |value| (value.end, value.length));
        let mut at = end;
        if let Some(stream) = self.keyword(end, b"stream") {
            let content = self.stream(stream, length.as_ref())?;
            self.frames.parts.push(content.clone());
            at = content.end;
            self.add_stream_length(length, content);
        }
        let rest = &self.bytes[at..];
        let end_word = rest.windows(6).position(|window| window == b"endobj")?;
        let end_of_object = self.skip_line_break(at + end_word + 6);
        self.frames.parts.push(start..end_of_object);
        self.objects
            .entry(number)
            .or_default()
            .push(value_start..end);
        self.starts.push(start);
        Some(end_of_object)
    }

    fn skip_line_break(&self, at: usize) -> usize {
        match self.bytes.get(at..) {
            Some([b'\r', b'\n', ..]) => at + 2,
            Some([b'\r' | b'\n' | b' ', ..]) => at + 1,
            _ => at,
        }
    }

    /// Returns the bytes of a stream, from the keyword on.
    fn stream(&self, after: usize, length: Option<&StreamLength>) -> Option<Range<usize>> {
        let start = self.skip_line_break(after);
        if let Some(StreamLength::Here(number)) = length {
            let (length, _) = self.digits(number.start)?;
            let end = start.saturating_add(length);
            let is_end = end <= self.bytes.len() && self.keyword(end, b"endstream").is_some();
            if is_end {
                return Some(start..end);
            }
        }
        let rest = &self.bytes[start..];
        let end = start + rest.windows(9).position(|window| window == b"endstream")?;
        let line_break = match &self.bytes[start..end] {
            [.., b'\r', b'\n'] => 2,
            [.., b'\r' | b'\n'] => 1,
            _ => 0,
        };
        Some(start..end - line_break)
    }

    fn add_stream_length(&mut self, length: Option<StreamLength>, content: Range<usize>) {
        match length {
            Some(StreamLength::Here(at)) => self.add(at, NumberForm::Decimal, content),
            Some(StreamLength::InObject(object)) => self.lengths.push((object, content)),
            None => {}
        }
    }

    /// Adds a number that is the length of a range.
    fn add(&mut self, at: Range<usize>, form: NumberForm, covers: Range<usize>) {
        let is_right = form.read(&self.bytes[at.clone()])
            == u64::try_from(covers.len())
                .ok()
                .map(|length| (length, at.len()));
        if is_right {
            self.frames.numbers.push(DerivedNumber {
                at,
                form,
                covers,
                meaning: NumberMeaning::Length { minus: 0 },
            });
        }
    }

    /// Adds the lengths that are objects. They may stand anywhere, so their size stays.
    fn add_lengths(&mut self) {
        for (object, content) in std::mem::take(&mut self.lengths) {
            if let Some([value]) = self.objects.get(&object).map(Vec::as_slice) {
                let value = value.clone();
                self.add(value.clone(), NumberForm::Digits(value.len()), content);
            }
        }
    }

    /// Adds the positions of objects and tables.
    fn add_positions(&mut self) {
        let is_space = |at: usize| at == 0 || self.bytes[at - 1].is_ascii_whitespace();
        let mut found = Vec::new();
        for at in (0..self.bytes.len()).filter(|&at| is_space(at)) {
            if let Some(after) = self.bytes[at..].starts_with(b"xref").then_some(at + 4) {
                found.extend(self.table_entries(after));
            } else if self.bytes[at..].starts_with(b"startxref") {
                found.extend(self.digits(at + 9));
            }
        }
        for (position, at) in found {
            if position <= self.bytes.len() {
                self.add(at.clone(), NumberForm::Digits(at.len()), 0..position);
            }
        }
    }

    /// Reads the entries of the table of positions: those of objects that are in use.
    fn table_entries(&self, mut at: usize) -> Vec<(usize, Range<usize>)> {
        let mut entries = Vec::new();
        while let Some((first, number)) = self.digits(at) {
            let Some((_, next)) = self.digits(number.end) else {
                break;
            };
            at = next.end;
            let word = self.skip_space(at);
            match self.bytes.get(word) {
                Some(b'n') => {
                    at = word + 1;
                    let is_object = self.starts.binary_search(&first).is_ok();
                    entries.extend(is_object.then_some((first, number)));
                }
                Some(b'f') => at = word + 1,
                _ => {}
            }
        }
        entries
    }

    /// Reads the table of positions, or the dictionary after it; returns where it ends.
    fn read_trailer(&mut self, start: usize) -> Option<usize> {
        let after = self.bytes[start..]
            .starts_with(b"trailer")
            .then_some(start + 7)?;
        let value = self.value(self.skip_space(after), 0)?;
        Some(value.end)
    }

    /// Reads a value, adding its entries and elements to the parts.
    fn value(&mut self, at: usize, depth: usize) -> Option<Value> {
        let plain = |end| Some(Value { end, length: None });
        if depth > DEPTH {
            return None;
        }
        match self.bytes.get(at..)? {
            [b'<', b'<', ..] => self.dictionary(at, depth),
            [b'<', ..] => {
                let end = self.bytes[at..].iter().position(|&byte| byte == b'>')?;
                plain(at + end + 1)
            }
            [b'(', ..] => plain(self.string_end(at)?),
            [b'[', ..] => {
                let mut next = self.skip_space(at + 1);
                while self.bytes.get(next)? != &b']' {
                    let end = self.value(next, depth + 1)?.end;
                    let end = self.skip_space(end);
                    self.frames.parts.push(next..end);
                    next = end;
                }
                plain(next + 1)
            }
            [b'/', ..] => plain(self.word_end(at + 1)),
            [byte, ..] if byte.is_ascii_digit() => {
                let (_, number) = self.digits(at)?;
                let reference = (self.digits(number.end))
                    .and_then(|(_, generation)| self.keyword(generation.end, b"R"))
                    .filter(|&end| self.word_end(end) == end);
                plain(reference.unwrap_or_else(|| self.word_end(at)))
            }
            _ => {
                let end = self.word_end(at);
                (end > at).then_some(Value { end, length: None })
            }
        }
    }

    fn dictionary(&mut self, start: usize, depth: usize) -> Option<Value> {
        let mut length = None;
        let mut at = self.skip_space(start + 2);
        while !self.bytes[at..].starts_with(b">>") {
            if self.bytes.get(at)? != &b'/' {
                return None;
            }
            let name_end = self.word_end(at + 1);
            let value_start = self.skip_space(name_end);
            let value_end = self.value(value_start, depth + 1)?.end;
            if &self.bytes[at..name_end] == b"/Length" {
                let digits = self.digits(value_start);
                length = digits.map(|(value, digits)| match digits.end == value_end {
                    true => StreamLength::Here(digits),
                    false => StreamLength::InObject(value),
                });
            }
            let end = self.skip_space(value_end);
            self.frames.parts.push(at..end);
            at = end;
        }
        Some(Value {
            end: at + 2,
            length,
        })
    }

    /// Returns the end of a string in brackets.
    fn string_end(&self, start: usize) -> Option<usize> {
        let (mut depth, mut at) = (0_usize, start);
        loop {
            match self.bytes.get(at)? {
                b'\\' => at += 1,
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    /// Returns the end of a name, number or keyword.
    fn word_end(&self, at: usize) -> usize {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\0()<>[]{}/%".contains(byte);
        let rest = self.bytes[at..].iter();
        at + rest.take_while(|byte| !is_end(byte)).count()
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::super::testing;
    use super::*;

    /// Returns a file of objects with its table of positions.
    fn file(objects: &[&str]) -> Vec<u8> {
        let mut text = String::from("%PDF-1.4\n");
        let mut table = String::from("0000000000 65535 f \n");
        for (object, number) in objects.iter().zip(1..) {
            writeln!(table, "{:010} 00000 n ", text.len()).expect("it is a text");
            write!(text, "{number} 0 obj\n{object}\nendobj\n").expect("it is a text");
        }
        let count = objects.len() + 1;
        let trailer = format!("trailer\n<</Size {count} /Root 1 0 R>>");
        let start = text.len();
        text += &format!("xref\n0 {count}\n{table}{trailer}\nstartxref\n{start:04}\n%%EOF\n");
        text.into_bytes()
    }

    const ROOT: &str = "<</Type /Catalog /Kids [2 0 R (a \\) b) 3 0 R] /Names <</A 1>> >>";
    const STREAM: &str = "<</Length 12>>\nstream\nendobj 12345\nendstream";
    const OTHER: &str = "<</Length 4 0 R>>\nstream\nabcdefghij\nendstream";

    /// Returns the file without the parts that are these texts.
    fn without(bytes: &[u8], gone: &[&str]) -> Vec<u8> {
        let frames = read(bytes).expect("it is a PDF file");
        let is = |part: &Range<usize>, text: &&str| bytes[part.clone()] == *text.as_bytes();
        let is_part = |text| frames.parts().iter().any(|part| is(part, text));
        assert!(gone.iter().all(is_part), "all are parts");
        testing::without(bytes, frames, |part| gone.iter().any(|text| is(part, text)))
    }

    proptest! {
        #[test]
        fn a_damaged_file_is_read_or_refused(
            damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8),
            length in 0_usize..1000,
        ) {
            testing::check_damaged(&file(&[ROOT, STREAM, OTHER, "10"]), &damage, length, read);
        }
    }

    #[test]
    fn the_lengths_of_streams_and_the_positions_of_objects_follow() {
        let bytes = file(&[ROOT, STREAM, OTHER, "10"]);
        assert_eq!(without(&bytes, &[]), bytes);
        let gone = ["(a \\) b) ", "/A 1", "endobj 12345", "abcdefghij"];
        let root = "<</Type /Catalog /Kids [2 0 R 3 0 R] /Names <<>> >>";
        let stream = "<</Length 0>>\nstream\n\nendstream";
        let other = OTHER.replace("abcdefghij", "");
        let out = without(&bytes, &gone);
        assert_eq!(
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(&file(&[root, stream, &other, "00"])),
        );
    }

    #[test]
    fn a_file_without_a_table_or_the_ends_of_objects_is_read() {
        for bytes in [
            b"%PDF-1.4\n1 0 obj\n<</A 1>>\nendobj\n".as_slice(),
            b"%PDF-1.4\n1 0 obj\n<</A 1>>\nendobj\n2 0 obj << /B",
            b"%PDF-1.4\n1 0 obj\n[ (a\nendobj\nxref\n0 1\n00000 1 n\nstartxref\n999",
        ] {
            assert_eq!(without(bytes, &[]), bytes);
        }
        assert_eq!(read(b"%PDF-1.4 and no object"), None);
    }
}
