//! Inference of lengths and offsets that are written in digits.
//!
//! Texts with places of their own, such as PDF files, mailboxes, HTTP messages and indices, say in
//! decimal or hexadecimal digits where something begins or how long it is. It shows: all numbers of
//! one kind, which stand at the same place of lines that are alike, or after the same word, lead to
//! places where lines begin or end. The offsets may count from the begin of the file, or from the
//! end of their table.
//!
//! For example, in `Content-Length: 5`, an empty line and `hello`, five is the length of the text
//! from the empty line to the end.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::layout::{DerivedNumber, DirectoryRecord, Frames, NumberMeaning};
use super::numbers::NumberForm;

/// The evidence, in bits, with which numbers of a kind are taken for offsets.
const ENOUGH_FOR_OFFSETS: u32 = 16;

/// The same, for lengths.
const ENOUGH_FOR_LENGTHS: u32 = 12;

/// What a word counts that says that its number is a length: of all that follows, and of less.
const SAYS_SO: [u32; 2] = [8, 4];

/// The least number of different offsets.
const FEWEST: usize = 3;

/// The largest number of parts.
const PARTS: usize = 200_000;

/// A sequence of contents has its first length before this line.
const FIRST_LINES: usize = 32;

/// The longest head of a content in such a sequence.
const LONGEST_HEAD: usize = 4096;

/// The number of bytes with which all heads begin.
const ALIKE: usize = 4;

/// The largest number of words with digits.
const NUMBERS: usize = 100_000;

/// The number of lines before a table that may be its head.
const HEAD: usize = 3;

/// Lines are compared up to this many bytes.
const LONGEST_SHAPE: usize = 80;

/// The longest word that is a label.
const LONGEST_LABEL: usize = 32;

/// A number in digits.
#[derive(Debug, Clone)]
struct Digits {
    at: Range<usize>,
    value: usize,
    is_hex: bool,
    /// The number of the line that it is in.
    line: usize,
}

/// What makes numbers alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Alike<'a> {
    /// The line, with one zero for each run of digits and one space for several, and the position
    /// of the word in it.
    Shape(Vec<u8>, usize, bool),
    /// The word before, or the characters before in the same word.
    Label(&'a [u8], bool),
    /// How many words the line has, and which one it is.
    Column(usize, usize, bool),
}

/// Where the content of a length begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    /// After the character that follows the number.
    Character,
    Line,
    LineAfter,
    /// After the next empty line.
    EmptyLine,
}

/// A content with its length before it.
struct NumberedContent {
    /// With its head.
    whole: Range<usize>,
    number: Digits,
    content: Range<usize>,
}

/// A text whose numbers are being looked at.
struct NumberedText<'a> {
    bytes: &'a [u8],
    /// The first bytes of lines, ascending.
    lines: Vec<usize>,
    /// The bits of evidence in a number that leads to the begin of a line.
    bits: u32,
    kinds: BTreeMap<Alike<'a>, Vec<Digits>>,
    frames: Frames,
    /// The values of all numbers.
    values: BTreeSet<usize>,
    /// The positions of the numbers that are known.
    taken: BTreeSet<usize>,
}

/// Reads the lengths and offsets of a text; `None` when there is not enough evidence for any.
pub(super) fn read(bytes: &[u8]) -> Option<Frames> {
    let breaks = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    let lines = breaks.map(|(at, _)| at + 1).filter(|&at| at < bytes.len());
    let lines: Vec<usize> = [0].into_iter().chain(lines).collect();
    let average = bytes.len() / lines.len().max(1);
    let mut text = NumberedText {
        bytes,
        lines,
        bits: average.max(2).ilog2(),
        kinds: BTreeMap::new(),
        frames: Frames::default(),
        values: BTreeSet::new(),
        taken: BTreeSet::new(),
    };
    text.collect()?;
    let kinds = std::mem::take(&mut text.kinds);
    let numbers = kinds.values().flatten();
    text.values = numbers.map(|number| number.value).collect();
    text.add_sequence(&kinds);
    let mut tables = text.add_tables_with_sizes(&kinds);
    for numbers in kinds.values() {
        tables.extend(text.add_offsets(numbers));
    }
    for (alike, numbers) in &kinds {
        text.add_lengths(alike, numbers);
    }
    if !tables.is_empty() {
        text.add_heads(kinds.values().flatten(), &tables);
    }
    if text.frames.numbers.is_empty() {
        return None;
    }
    text.add_lines_and_words();
    Some(text.frames.sorted().agreeing(bytes))
}

impl<'a> NumberedText<'a> {
    /// Returns the bytes of a line, with the line break.
    fn line(&self, line: usize) -> Range<usize> {
        let end = self.lines.get(line + 1).copied();
        self.lines[line]..end.unwrap_or(self.bytes.len())
    }

    fn words(bytes: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
        let is_space = |at: usize| bytes[at].is_ascii_whitespace() || bytes[at] == 0;
        let mut words = Vec::new();
        let mut start = range.start;
        for at in range.start..=range.end {
            if at == range.end || is_space(at) {
                if start < at {
                    words.push(start..at);
                }
                start = at + 1;
            }
        }
        words
    }

    /// Finds the numbers, by what makes them alike; `None` when there are too many.
    fn collect(&mut self) -> Option<()> {
        let mut left = NUMBERS;
        for line in 0..self.lines.len() {
            let range = self.line(line);
            let words = Self::words(self.bytes, range.clone());
            let has_digit =
                |word: &Range<usize>| self.bytes[word.clone()].iter().any(u8::is_ascii_digit);
            left = left.checked_sub(words.iter().filter(|word| has_digit(word)).count())?;
            let line_end = range.end.min(range.start + LONGEST_SHAPE);
            let digits_as_zeros = self.bytes[range.start..line_end]
                .iter()
                .map(|byte| match byte {
                    b'0'..=b'9' => b'0',
                    &byte => byte,
                });
            let mut shape: Vec<u8> = digits_as_zeros.collect();
            shape.dedup_by(|next, before| next == before && matches!(next, b'0' | b' '));
            for (column, word) in words.iter().enumerate() {
                self.add_numbers(line, &shape, &words, column, word.clone());
            }
        }
        Some(())
    }

    fn add_numbers(
        &mut self,
        line: usize,
        shape: &[u8],
        words: &[Range<usize>],
        column: usize,
        word: Range<usize>,
    ) {
        let bytes: &'a [u8] = self.bytes;
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let mut start = word.start;
        while start < word.end {
            let rest = bytes[start..word.end].iter();
            let size = rest.take_while(|&&byte| is_word(byte)).count();
            let run = start..start + size;
            start += size + 1;
            for is_hex in [false, true] {
                let Some((at, value)) = digits(bytes, run.clone(), is_hex) else {
                    continue;
                };
                let number = Digits {
                    at: at.clone(),
                    value,
                    is_hex,
                    line,
                };
                let is_inside = run != word;
                if !is_inside {
                    let shape = Alike::Shape(shape.to_vec(), column, is_hex);
                    self.kinds.entry(shape).or_default().push(number.clone());
                }
                let label = match column.checked_sub(1) {
                    _ if word.start < at.start => word.start..at.start,
                    Some(before) => words[before].clone(),
                    None => at.start..at.start,
                };
                if !label.is_empty() && label.len() <= LONGEST_LABEL {
                    let label = Alike::Label(&bytes[label], is_hex);
                    self.kinds.entry(label).or_default().push(number.clone());
                }
                if !is_inside || word.start == at.start {
                    let column = Alike::Column(words.len(), column, is_hex);
                    self.kinds.entry(column).or_default().push(number);
                }
            }
        }
    }

    fn is_line_start(&self, at: usize) -> bool {
        at == self.bytes.len() || self.lines.binary_search(&at).is_ok()
    }

    /// Adds numbers that are offsets of lines, and the stretches that they lead to. Returns the
    /// first line of the table.
    fn add_offsets(&mut self, numbers: &[Digits]) -> Option<usize> {
        let free = numbers
            .iter()
            .filter(|number| !self.taken.contains(&number.at.start));
        let numbers: Vec<&Digits> = free.collect();
        let (first, last) = (numbers.first()?.line, numbers.last()?.line);
        let bases = [0, self.line(last).end, self.lines[first]];
        bases.into_iter().find_map(|base| {
            let is_hit = |number: &&&Digits| {
                number
                    .value
                    .checked_add(base)
                    .is_some_and(|at| self.is_line_start(at))
            };
            let hits: Vec<&Digits> = numbers.iter().filter(is_hit).copied().collect();
            let values: BTreeSet<usize> = hits.iter().map(|number| number.value).collect();
            let different = values.iter().filter(|&&value| value > 0).count();
            let different = u32::try_from(different).ok()?;
            // Of four numbers, one order in 24 is ascending.
            let ascends = hits.windows(2).all(|pair| pair[0].value < pair[1].value);
            let order = if ascends {
                (2..=different.min(8)).map(u32::ilog2).sum()
            } else {
                0
            };
            let is_sure = values.len() >= FEWEST
                && different * self.bits + order >= ENOUGH_FOR_OFFSETS
                && 10 * hits.len() >= 9 * numbers.len();
            is_sure.then(|| self.add_table(base, &hits, &values))
        })
    }

    fn add_table(&mut self, base: usize, hits: &[&Digits], values: &BTreeSet<usize>) -> usize {
        let form = form(self.bytes, hits);
        let table = self.lines[hits[0].line];
        let mut targets: BTreeSet<usize> = values.iter().map(|value| value + base).collect();
        // What is before the table, or before its head, to which another number leads, belongs to
        // what the last offset leads to.
        let head = hits[0].line.saturating_sub(HEAD)..hits[0].line;
        let heads = head.map(|line| self.lines[line]);
        targets.extend(heads.filter(|at| self.values.contains(at)));
        targets.extend([self.bytes.len(), table]);
        for number in hits {
            let target = base + number.value;
            let next = targets.range(target + 1..).next();
            let content = target..next.copied().unwrap_or(target);
            let record = self.line(number.line);
            if !content.is_empty() {
                self.frames.parts.push(content.clone());
                self.frames.records.push(DirectoryRecord {
                    directory: table,
                    record,
                    contents: vec![content],
                });
            }
            self.add(number, &form, base..target);
        }
        hits[0].line
    }

    /// Adds tables that have an offset and a size in each line, of contents that follow each other.
    /// Returns their first lines.
    fn add_tables_with_sizes(&mut self, kinds: &BTreeMap<Alike<'_>, Vec<Digits>>) -> Vec<usize> {
        let mut tables = Vec::new();
        let kinds: Vec<_> = kinds.iter().collect();
        for (index, (alike, offsets)) in kinds.iter().enumerate() {
            let others = kinds[index.saturating_sub(8)..].iter().take(16);
            let sizes = others.filter(|(other, sizes)| {
                let is_same = match (alike, other) {
                    (Alike::Shape(shape, at, _), Alike::Shape(other, column, _)) => {
                        shape == other && at != column
                    }
                    (Alike::Column(words, at, _), Alike::Column(others, column, _)) => {
                        words == others && at != column
                    }
                    _ => false,
                };
                is_same && sizes.len() == offsets.len()
            });
            for (_, sizes) in sizes {
                tables.extend(self.add_table_with_sizes(offsets, sizes));
            }
        }
        tables
    }

    fn add_table_with_sizes(&mut self, offsets: &[Digits], sizes: &[Digits]) -> Option<usize> {
        let (first, last) = (offsets.first()?, offsets.last()?);
        let next = |at: usize| offsets[at].value.checked_add(sizes[at].value);
        let hits = (1..offsets.len()).filter(|&at| next(at - 1) == Some(offsets[at].value));
        let all_in_order = hits.count() + 1 == offsets.len();
        let is_free = !self.taken.contains(&first.at.start);
        // Numbers that grow by another one, always the same, are not rare.
        let are_equal = sizes.iter().all(|size| size.value == sizes[0].value);
        if !is_free || !all_in_order || offsets.len() < FEWEST || are_equal {
            return None;
        }
        let end = next(offsets.len() - 1)?;
        let (table, table_end) = (self.lines[first.line], self.line(last.line).end);
        let base = match self.bytes.len().checked_sub(end) {
            _ if end <= table && first.value > 0 => 0,
            Some(_) if first.value >= table_end => 0,
            // After the table and what ends it.
            Some(base) if base >= table_end => base,
            _ => return None,
        };
        let (offset_form, size_form) = (
            form(self.bytes, &offsets.iter().collect::<Vec<_>>()),
            form(self.bytes, &sizes.iter().collect::<Vec<_>>()),
        );
        for (offset, size) in offsets.iter().zip(sizes) {
            let start = base + offset.value;
            let content = start..start + size.value;
            self.add(offset, &offset_form, base..start);
            self.add(size, &size_form, content.clone());
            self.frames.parts.push(content.clone());
            self.frames.records.push(DirectoryRecord {
                directory: table,
                record: self.line(offset.line),
                contents: vec![content],
            });
        }
        Some(first.line)
    }

    /// Adds a sequence of contents that fills the file, each after a head with the same label and
    /// its length.
    fn add_sequence(&mut self, kinds: &BTreeMap<Alike<'_>, Vec<Digits>>) {
        let numbers = kinds.iter().filter_map(|(alike, numbers)| match alike {
            Alike::Label(label, false) => Some((*label, numbers.first()?)),
            _ => None,
        });
        let anchors = [Anchor::Character, Anchor::Line, Anchor::EmptyLine];
        let mut best: Vec<NumberedContent> = Vec::new();
        for (label, number) in numbers.filter(|(_, number)| number.line < FIRST_LINES) {
            for anchor in anchors {
                let read = self.sequence(label, number, anchor);
                best = read.filter(|read| read.len() > best.len()).unwrap_or(best);
            }
        }
        for NumberedContent {
            whole,
            number,
            content,
        } in best
        {
            let form = form(self.bytes, &[&number]);
            self.frames.parts.extend([whole, content.clone()]);
            self.add(&number, &form, content);
        }
    }

    /// Reads the whole file as such a sequence.
    fn sequence(
        &self,
        label: &[u8],
        first: &Digits,
        anchor: Anchor,
    ) -> Option<Vec<NumberedContent>> {
        let bytes = self.bytes;
        let between = bytes[..first.at.start].windows(label.len());
        let label = &bytes[between
            .rev()
            .position(|word| word == label)
            .map(|back| first.at.start - label.len() - back)?
            ..first.at.start];
        let mut read: Vec<NumberedContent> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let head = &bytes[at..bytes.len().min(at + LONGEST_HEAD)];
            let start =
                at + head.windows(label.len()).position(|word| word == label)? + label.len();
            let (value, size) = NumberForm::Decimal.read(&bytes[start..])?;
            let line = self.lines.partition_point(|&line| line <= start) - 1;
            let number = Digits {
                at: start..start + size,
                value: usize::try_from(value).ok()?,
                is_hex: false,
                line,
            };
            let content = self.content_start(&number, anchor)?;
            let content = content..content.checked_add(number.value)?;
            let begins_alike = bytes
                .get(content.end..)?
                .starts_with(&bytes[..bytes.len().min(ALIKE)]);
            if size == 0 || content.end < bytes.len() && !begins_alike {
                return None;
            }
            let whole = at..content.end;
            at = content.end;
            read.push(NumberedContent {
                whole,
                number,
                content,
            });
        }
        (read.len() > 1).then_some(read)
    }

    fn add(
        &mut self,
        number: &Digits,
        form: &impl Fn(&Digits) -> NumberForm,
        covers: Range<usize>,
    ) {
        if self.taken.insert(number.at.start) {
            let form = form(number);
            let at = match form {
                NumberForm::LeftAligned(width) => number.at.start..number.at.start + width,
                _ => number.at.clone(),
            };
            self.frames.numbers.push(DerivedNumber {
                at,
                form,
                covers,
                meaning: NumberMeaning::Length { minus: 0 },
            });
        }
    }

    /// Adds numbers that lead to the head of a table.
    fn add_heads<'b>(&mut self, numbers: impl Iterator<Item = &'b Digits>, tables: &[usize]) {
        let heads = tables
            .iter()
            .flat_map(|&line| line.saturating_sub(HEAD)..=line);
        let heads: BTreeSet<usize> = heads.map(|line| self.lines[line]).collect();
        for number in numbers.filter(|number| number.value > 0 && heads.contains(&number.value)) {
            let form = form(self.bytes, &[number]);
            self.add(number, &form, 0..number.value);
        }
    }

    /// Adds numbers that are the lengths of what follows them, and that as a part.
    fn add_lengths(&mut self, alike: &Alike<'_>, numbers: &[Digits]) {
        let free = numbers
            .iter()
            .filter(|number| !self.taken.contains(&number.at.start));
        let numbers: Vec<&Digits> = free.collect();
        let label = match alike {
            Alike::Label(label, _) => label.to_ascii_lowercase(),
            Alike::Shape(..) | Alike::Column(..) => Vec::new(),
        };
        let says_so = |word: &[u8]| label.windows(word.len()).any(|part| part == word);
        let says_so = says_so(b"len") || says_so(b"size");
        let anchors = [
            Anchor::Character,
            Anchor::Line,
            Anchor::LineAfter,
            Anchor::EmptyLine,
        ];
        let read = anchors.into_iter().filter_map(|anchor| {
            let mut evidence = 0;
            let mut contents = Vec::new();
            for number in &numbers {
                let start = self.content_start(number, anchor)?;
                let content = start..start.checked_add(number.value)?;
                if contents
                    .last()
                    .is_some_and(|before: &Range<usize>| start < before.end)
                {
                    return None;
                }
                let next = self.bytes.get(content.end);
                let bits = number.value.max(1).ilog2();
                evidence += match next {
                    None if content.end == self.bytes.len() => bits,
                    Some(b'\n' | b'\r') => bits.min(self.bits - 1),
                    _ if self.is_line_start(content.end) => bits.min(self.bits - 1),
                    _ => return None,
                };
                contents.push(content);
            }
            let is_all = contents.last()?.end == self.bytes.len();
            let said = if says_so {
                SAYS_SO[usize::from(!is_all)]
            } else {
                0
            };
            let evidence = evidence + said;
            (evidence >= ENOUGH_FOR_LENGTHS).then_some((evidence, contents))
        });
        let Some((_, contents)) = read.max_by_key(|(evidence, _)| *evidence) else {
            return;
        };
        let form = form(self.bytes, &numbers);
        let mut end_before = 0;
        for (number, content) in numbers.iter().zip(contents) {
            let start = self.lines[number.line].max(end_before);
            // What is between two contents of the same kind is the head of the second.
            let start = if end_before > 0 && end_before < start {
                end_before
            } else {
                start
            };
            let end = self.bytes[content.end..].iter();
            end_before = content.end + end.take_while(|byte| byte.is_ascii_whitespace()).count();
            self.frames
                .parts
                .extend([start..end_before, content.clone()]);
            self.add(number, &form, content);
        }
    }

    fn content_start(&self, number: &Digits, anchor: Anchor) -> Option<usize> {
        let next_line = self.line(number.line).end;
        match anchor {
            Anchor::Character => Some(number.at.end + 1),
            Anchor::Line => Some(next_line),
            Anchor::LineAfter => Some(self.line(self.line_at(next_line)?).end),
            Anchor::EmptyLine => {
                let mut line = self.line_at(next_line)?;
                while !self.bytes[self.line(line)].trim_ascii().is_empty() {
                    line = self.line_at(self.line(line).end)?;
                }
                Some(self.line(line).end)
            }
        }
    }

    fn line_at(&self, at: usize) -> Option<usize> {
        self.lines.binary_search(&at).ok()
    }

    fn add_lines_and_words(&mut self) {
        // A content may begin or end within a line.
        let covers = self.frames.numbers.iter().map(|number| &number.covers);
        let ends = covers.flat_map(|covers| [covers.start, covers.end]);
        let mut starts: BTreeSet<usize> = ends.chain(self.lines.iter().copied()).collect();
        starts.insert(self.bytes.len());
        let starts: Vec<usize> = starts.into_iter().collect();
        for pair in starts.windows(2) {
            let range = pair[0]..pair[1];
            let words = Self::words(self.bytes, range.clone());
            if self.frames.parts.len() + words.len() > PARTS {
                return;
            }
            self.frames.parts.push(range.clone());
            if words.len() > 1 {
                // With the white space after it.
                let ends = words[1..].iter().map(|word| word.start);
                let ends = ends.chain([words[words.len() - 1].end]);
                let parts = words.iter().zip(ends).map(|(word, end)| word.start..end);
                self.frames.parts.extend(parts);
            }
        }
    }
}

/// Returns the number that a word is, and its digits.
fn digits(bytes: &[u8], word: Range<usize>, is_hex: bool) -> Option<(Range<usize>, usize)> {
    let is_prefixed = bytes[word.clone()].starts_with(b"0x");
    let at = match (is_hex, is_prefixed) {
        (false, true) => return None,
        (true, true) => word.start + 2..word.end,
        _ => word,
    };
    let least = if is_hex && !is_prefixed { 4 } else { 1 };
    let form = match is_hex {
        true => NumberForm::HexDigits {
            size: at.len(),
            is_upper: false,
        },
        false => NumberForm::Digits(at.len()),
    };
    if at.len() < least {
        return None;
    }
    let (value, _) = form.read(&bytes[at.clone()])?;
    // An offset or a length of more than this is none.
    (value < 1 << 32).then_some((at, usize::try_from(value).ok()?))
}

/// Returns how numbers of one kind are written: with zeros in front of shorter ones if one is.
fn form(bytes: &[u8], numbers: &[&Digits]) -> impl Fn(&Digits) -> NumberForm + use<> {
    let is_padded = |number: &&Digits| number.at.len() > 1 && bytes[number.at.start] == b'0';
    let is_padded = numbers.iter().any(is_padded);
    let mut digits = numbers.iter().flat_map(|number| &bytes[number.at.clone()]);
    let is_upper = digits.any(u8::is_ascii_uppercase);
    // In a column of a fixed width, spaces follow the shorter ones.
    let spaces = |number: &&Digits| {
        let rest = bytes[number.at.end..].iter();
        rest.take_while(|&&byte| byte == b' ').count()
    };
    let width = |number: &&Digits| number.at.len() + spaces(number);
    let widths: Vec<usize> = numbers.iter().map(width).collect();
    let has_width = widths.iter().all(|&width| width == widths[0])
        && numbers.iter().any(|number| spaces(number) > 1);
    move |number| match number.is_hex {
        _ if has_width => NumberForm::LeftAligned(widths[0]),
        true => NumberForm::HexDigits {
            size: number.at.len(),
            is_upper,
        },
        false if is_padded => NumberForm::Digits(number.at.len()),
        false => NumberForm::Decimal,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{check_damaged, without};
    use super::*;

    /// Removes the parts that are these texts.
    fn left(text: &str, gone: &[&str]) -> String {
        let frames = read(text.as_bytes()).expect("it has lengths or offsets");
        let is_gone = |part: &Range<usize>| gone.contains(&&text[part.clone()]);
        assert!(frames.parts().iter().any(is_gone), "a part: {gone:?}");
        String::from_utf8(without(text.as_bytes(), frames, is_gone)).expect("it is a text")
    }

    const OBJECTS: [&str; 4] = [
        "object one\nwith several words\n",
        "object two\n",
        "object three\nwith a second line\n",
        "object four\n",
    ];

    /// Returns objects, the table of their offsets, and at last the offset of the table.
    fn table(objects: &[&str]) -> String {
        let mut text = String::from("header\n");
        let mut offsets = String::new();
        for object in objects {
            offsets += &format!("{:06} entry\n", text.len());
            text += object;
        }
        let start = text.len();
        text + "table\n" + &offsets + &format!("start\n{start}\nend\n")
    }

    #[test]
    fn a_table_of_offsets_and_the_offset_of_the_table_follow() {
        let gone = left(&table(&OBJECTS), &["with several words\n", "second "]);
        let shorter = OBJECTS.map(|object| object.replace("with several words\n", ""));
        let shorter = shorter.map(|object| object.replace("second ", ""));
        assert_eq!(gone, table(&shorter.each_ref().map(String::as_str)));
    }

    #[test]
    fn an_object_is_a_record_with_its_entry() {
        let text = table(&OBJECTS);
        let frames = read(text.as_bytes()).expect("it has offsets");
        let record = &frames.records()[2];
        assert_eq!(text[record.record.clone()], *"000048 entry\n");
        assert_eq!(text[record.contents[0].clone()], *OBJECTS[2]);
        let parts = [record.record.clone(), record.contents[0].clone()];
        let rest = without(text.as_bytes(), frames, |part| parts.contains(part));
        let rest = String::from_utf8(rest).expect("it is a text");
        assert_eq!(rest, table(&[OBJECTS[0], OBJECTS[1], OBJECTS[3]]));
    }

    #[test]
    fn offsets_and_sizes_count_from_the_end_of_their_table() {
        let index = |contents: &[&str]| {
            let mut at = 0;
            let mut text = String::new();
            for content in contents {
                text += &format!("{:04x} {:04x} name\n", at, content.len());
                at += content.len();
            }
            text + "\n" + &contents.concat()
        };
        let all = ["some words here", "x and y", "the longest of all contents"];
        assert_eq!(
            left(&index(&all), &["words "]),
            index(&["some here", all[1], all[2]])
        );
    }

    #[test]
    fn the_length_of_what_follows_an_empty_line_follows() {
        let message = |body: &str| {
            let length = body.len();
            format!("POST /a\r\nContent-Length: {length}\r\nX-Count: 3\r\n\r\n{body}")
        };
        let two = message("first words\nand more words") + &message("second body");
        let short = message("first words\n") + &message("second body");
        assert_eq!(left(&two, &["and more words"]), short);
        assert_eq!(
            left(&message("a body\nof two lines"), &["a body\n"]),
            message("of two lines")
        );
    }

    #[test]
    fn lengths_in_columns_keep_the_width_of_the_column() {
        let member = |name: &str, content: &str| {
            format!("{name:<8}{:<6}{:<10}`\n{content}", 0, content.len())
        };
        let all = |second: &str| {
            let contents = [
                second,
                "five\nwords of\nmember three\n",
                "and\n4\nof the fourth\n",
            ];
            let names = ["two", "three", "four", "five", "six", "seven"];
            let members = names.iter().zip(contents.iter().cycle());
            let members = members
                .enumerate()
                .map(|(place, (name, content))| match place {
                    3 => member(name, "another content of this length\n"),
                    _ => member(name, content),
                });
            String::from("!archive\n") + &members.collect::<String>()
        };
        let long = "a line\nanother line of this member, so that it is longer\n";
        assert_eq!(left(&all(long), &["a line\n"]), all(&long[7..]));
    }

    #[test]
    fn contents_follow_each_other_without_a_line_break() {
        let blob = |content: &str| format!("blob {}\0{content}", content.len());
        let all = blob("first content") + &blob("the second") + &blob("third");
        assert_eq!(
            left(&all, &["the second"]),
            blob("first content") + &blob("") + &blob("third")
        );
    }

    #[test]
    fn a_text_with_numbers_has_no_offsets() {
        let lines = (0..60).map(|line| format!("Line {line} of {} is no index {}\n", 60, line * 7));
        assert_eq!(read(lines.collect::<String>().as_bytes()), None);
        let list: String = (1..100).map(|number| format!("{number}\n")).collect();
        assert_eq!(read(list.as_bytes()), None);
    }

    proptest! {
        #[test]
        fn a_damaged_table_is_written_as_it_was(
            damage in prop::collection::vec((any::<usize>(), any::<u8>()), 0..8),
            length in 0_usize..300,
        ) {
            check_damaged(table(&OBJECTS).as_bytes(), &damage, length, read);
        }
    }
}
