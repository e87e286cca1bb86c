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

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::layout::{DerivedNumber, Frames, NumberMeaning};
use super::numbers::NumberForm;
use crate::document::is_binary;

mod sequences;
mod tables;

/// The evidence, in bits, with which numbers of a kind are taken for lengths.
const ENOUGH_FOR_LENGTHS: u32 = 12;

/// What a word counts that says that its number is a length: of all that follows, and of less.
const SAYS_SO: [u32; 2] = [8, 4];

/// The largest number of parts.
const PARTS: usize = 200_000;

/// The largest number of words with digits.
const NUMBERS: usize = 100_000;

/// Hexadecimal numbers that all have as many digits as this, or more, stay as wide as they are.
const FIXED: usize = 4;

/// Lines are compared up to this many bytes.
const LONGEST_SHAPE: usize = 80;

/// Up to this many numbers in a row have the same label.
const ROW: usize = 3;

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
    Shape(Rc<[u8]>, usize, bool),
    /// The word before with what follows it, and how many numbers are between.
    Label(&'a [u8], usize, bool),
    /// How many words the line has, and which one it is.
    Column(usize, usize, bool),
}

/// Where the content of a length begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    /// At the number, the length of which counts too.
    Itself,
    /// After the number.
    Digits,
    /// After the character that follows the number.
    Character,
    Line,
    LineAfter,
    /// After the next empty line.
    EmptyLine,
}

/// A text whose numbers are being looked at.
struct NumberedText<'a> {
    bytes: &'a [u8],
    /// The first bytes of lines, ascending.
    lines: Vec<usize>,
    /// The numbers of the lines without a word, ascending.
    empty_lines: Vec<usize>,
    /// Whether its lines mean something: it is no binary.
    has_lines: bool,
    /// The bits of evidence in a number that leads to the begin of a line.
    bits: u32,
    kinds: BTreeMap<Alike<'a>, Vec<Digits>>,
    frames: Frames,
    /// The values of all numbers.
    values: BTreeSet<usize>,
    /// The positions of the numbers that are known.
    taken: BTreeSet<usize>,
    /// Where offsets count from that follow their table.
    bases: BTreeSet<usize>,
    /// The lists that were found, with the numbers of their parts.
    lists: Vec<(Range<usize>, usize)>,
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
        empty_lines: Vec::new(),
        has_lines: !is_binary(bytes),
        bits: average.max(2).ilog2(),
        kinds: BTreeMap::new(),
        frames: Frames::default(),
        values: BTreeSet::new(),
        taken: BTreeSet::new(),
        bases: BTreeSet::new(),
        lists: Vec::new(),
    };
    let is_empty = |line: &usize| text.bytes[text.line(*line)].trim_ascii().is_empty();
    text.empty_lines = (0..text.lines.len()).filter(is_empty).collect();
    text.collect()?;
    let mut kinds = std::mem::take(&mut text.kinds);
    kinds.retain(|_, numbers| text.may_be(numbers));
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
    if text.has_lines {
        for numbers in kinds.values() {
            text.add_line_numbers(numbers);
        }
    }
    text.add_counts(&kinds);
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

    fn words(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let is_space = |at: usize| bytes[at].is_ascii_whitespace() || bytes[at] == 0;
        let mut next = range.start;
        std::iter::from_fn(move || {
            let start = (next..range.end).find(|&at| !is_space(at))?;
            let end = (start..range.end).find(|&at| is_space(at));
            next = end.unwrap_or(range.end);
            Some(start..next)
        })
    }

    /// Finds the numbers, by what makes them alike; `None` when there are too many.
    fn collect(&mut self) -> Option<()> {
        let mut left = NUMBERS;
        let mut words = Vec::new();
        for line in 0..self.lines.len() {
            words.clear();
            words.extend(Self::words(self.bytes, self.line(line)));
            let has_digit =
                |word: &Range<usize>| self.bytes[word.clone()].iter().any(u8::is_ascii_digit);
            left = left.checked_sub(words.iter().filter(|word| has_digit(word)).count())?;
            // Digits are zeros in it, whichever of them are the number.
            let shape = OnceCell::new();
            for column in 0..words.len() {
                self.add_numbers(line, &words, column, &shape);
            }
        }
        Some(())
    }

    fn add_numbers(
        &mut self,
        line: usize,
        words: &[Range<usize>],
        column: usize,
        line_shape: &OnceCell<Rc<[u8]>>,
    ) {
        let bytes: &'a [u8] = self.bytes;
        let word = words[column].clone();
        let line_start = self.lines[line];
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
                    let shape = match bytes[at.clone()].iter().all(u8::is_ascii_digit) {
                        true => Rc::clone(line_shape.get_or_init(|| self.shape(line, &at))),
                        false => self.shape(line, &at),
                    };
                    let shape = Alike::Shape(shape, column, is_hex);
                    self.kinds.entry(shape).or_default().push(number.clone());
                }
                let label = Self::label(bytes, line_start, run.start);
                if let Some((label, place)) = label
                    && label.len() <= LONGEST_LABEL
                {
                    let label = Alike::Label(&bytes[label], place, is_hex);
                    self.kinds.entry(label).or_default().push(number.clone());
                }
                if !is_inside || word.start == at.start {
                    let column = Alike::Column(words.len(), column, is_hex);
                    self.kinds.entry(column).or_default().push(number);
                }
            }
        }
    }

    /// Returns the beginning of a line with one zero for a number in it, one for each run of
    /// digits, and one space for several.
    fn shape(&self, line: usize, number: &Range<usize>) -> Rc<[u8]> {
        let range = self.line(line);
        let range = range.start..range.end.min(range.start + LONGEST_SHAPE);
        let bytes = range.map(|at| match self.bytes[at] {
            _ if number.contains(&at) => b'0',
            b'0'..=b'9' => b'0',
            byte => byte,
        });
        let mut shape: Vec<u8> = bytes.collect();
        shape.dedup_by(|next, before| next == before && matches!(next, b'0' | b' '));
        shape.into()
    }

    /// Returns the word before a number, with all that is between, and how many numbers are: few.
    fn label(bytes: &[u8], line: usize, number: usize) -> Option<(Range<usize>, usize)> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let mut end = number;
        for numbers in 0..ROW {
            let back = |end: usize, of_word: bool| {
                let before = bytes[line..end].iter().rev();
                end - before.take_while(|&byte| is_word(byte) == of_word).count()
            };
            let word_end = back(end, false);
            let start = back(word_end, true);
            if start == word_end {
                return (start < end).then_some((start..end, numbers));
            }
            if !bytes[start..word_end].iter().all(u8::is_ascii_digit) {
                return Some((start..end, numbers));
            }
            end = start;
        }
        None
    }

    /// Returns whether numbers may be what they are read as: hexadecimal ones have a sign of it.
    fn may_be(&self, numbers: &[Digits]) -> bool {
        let is_hex = |number: &Digits| {
            let at = number.at.clone();
            let is_prefixed = self.bytes[..at.start].ends_with(b"0x");
            let has_letter = self.bytes[at.clone()].iter().any(u8::is_ascii_alphabetic);
            is_prefixed || has_letter || at.len() >= FIXED
        };
        numbers
            .iter()
            .any(|number| !number.is_hex || is_hex(number))
    }

    fn is_line_start(&self, at: usize) -> bool {
        at == self.bytes.len() || self.lines.binary_search(&at).is_ok()
    }

    fn add(
        &mut self,
        number: &Digits,
        form: NumberForm,
        covers: Range<usize>,
        meaning: NumberMeaning,
    ) {
        if self.taken.insert(number.at.start) {
            let at = match form {
                NumberForm::LeftAligned(width) => number.at.start..number.at.start + width,
                _ => number.at.clone(),
            };
            self.frames.numbers.push(DerivedNumber {
                at,
                form,
                covers,
                meaning,
            });
        }
    }

    /// Returns the numbers that nothing is known about.
    fn free<'n>(&self, numbers: &'n [Digits]) -> Vec<&'n Digits> {
        let is_free = |number: &&Digits| !self.taken.contains(&number.at.start);
        numbers.iter().filter(is_free).collect()
    }

    /// Adds numbers that are the lengths of what follows them, and that as a part.
    fn add_lengths(&mut self, alike: &Alike<'_>, numbers: &[Digits]) {
        let numbers = self.free(numbers);
        let label = match alike {
            Alike::Label(label, ..) => label.to_ascii_lowercase(),
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
            self.add(
                number,
                form(number),
                content,
                NumberMeaning::Length { minus: 0 },
            );
        }
    }

    fn content_start(&self, number: &Digits, anchor: Anchor) -> Option<usize> {
        let next_line = self.line(number.line).end;
        match anchor {
            Anchor::Digits | Anchor::Itself => Some(number.at.end),
            Anchor::Character => Some(number.at.end + 1),
            Anchor::Line => Some(next_line),
            Anchor::LineAfter => Some(self.line(self.line_at(next_line)?).end),
            Anchor::EmptyLine => {
                let after = self
                    .empty_lines
                    .partition_point(|&line| line <= number.line);
                Some(self.line(*self.empty_lines.get(after)?).end)
            }
        }
    }

    fn line_at(&self, at: usize) -> Option<usize> {
        self.lines.binary_search(&at).ok()
    }

    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|&line| line <= at) - 1
    }

    /// Returns where a number of lines ends that begin with this one.
    fn line_after(&self, line: usize, lines: usize) -> Option<usize> {
        let next = line.checked_add(lines)?;
        let is_end = next == self.lines.len();
        let end = is_end.then_some(self.bytes.len());
        self.lines.get(next).copied().or(end)
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
            let words: Vec<Range<usize>> = Self::words(self.bytes, range.clone()).collect();
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
    let has_decimal = bytes[at.clone()].iter().any(u8::is_ascii_digit);
    let least = if is_hex && !is_prefixed && !has_decimal {
        4
    } else {
        1
    };
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
    let sizes = numbers.iter().map(|number| number.at.len());
    let (least, most) = sizes.fold((usize::MAX, 0), |(least, most), size| {
        (least.min(size), most.max(size))
    });
    let is_fixed = is_padded || least == most && least >= FIXED;
    move |number| match number.is_hex {
        _ if has_width => NumberForm::LeftAligned(widths[0]),
        true if is_fixed => NumberForm::HexDigits {
            size: number.at.len(),
            is_upper,
        },
        true => NumberForm::Hex { is_upper },
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
    fn chunks_have_their_hexadecimal_lengths_before_them() {
        let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
        let all = |second: &str| {
            let chunks = ["a first chunk", second, "\n", "and the last of them", ""];
            "Encoding: chunked\n\n".to_owned() + &chunks.map(chunk).concat()
        };
        assert_eq!(
            left(&all("the second, which is long"), &["which "]),
            all("the second, is long")
        );
        let third = chunk("and the last of them");
        assert_eq!(left(&all("one"), &[&third]), all("one").replace(&third, ""));
    }

    #[test]
    fn a_length_counts_its_own_digits() {
        let line = |text: &str| format!("{:04x}{text}", text.len() + 4);
        let all = |second: &str| {
            let lines = ["want a thing\n", second, "want something else\n"].map(line);
            lines.concat() + "0000"
        };
        assert_eq!(
            left(&all("want a second thing\n"), &["second "]),
            all("want a thing\n")
        );
    }

    #[test]
    fn blocks_of_lines_have_their_number_before_them() {
        let text = "3\none a\none b\none c\n2\ntwo a\ntwo b\n4\nx\ny\nz\nw\n3\na\nb\nc\n";
        assert_eq!(
            left(text, &["one b\n", "y\n"]),
            "2\none a\none c\n2\ntwo a\ntwo b\n3\nx\nz\nw\n3\na\nb\nc\n"
        );
    }

    #[test]
    fn the_number_of_the_lines_after_a_head_follows() {
        let lines = |lines: &[&str]| format!("p cnf 5 {}\n{}", lines.len(), lines.concat());
        let all = [
            "1 -2 0\n", "2 3 0\n", "-3 4 0\n", "4 5 0\n", "1 0\n", "-5 0\n",
        ];
        let gone = [all[0], all[2], all[3], all[4], all[5]];
        assert_eq!(left(&lines(&all), &[all[1]]), lines(&gone));
    }

    /// Returns objects of JSON with the place of each content, and the contents.
    fn places(contents: &[&str], size: &str, separator: &str) -> String {
        let mut at = 0;
        let entries = contents.iter().map(|content| {
            let start = at;
            at += content.len();
            let second = if size == "end" { at } else { content.len() };
            let name = content.split(' ').next().unwrap_or_default();
            format!("\"{name}\": {{\"start\": {start}, \"{size}\": {second}}}")
        });
        let entries: Vec<String> = entries.collect();
        format!("{{{}}}\n{}", entries.join(separator), contents.concat())
    }

    #[test]
    fn entries_with_the_places_of_contents_go_with_them_and_with_separators() {
        let all = ["one x", "two and more", "three yy", "four z"];
        for (size, separator) in [("size", ", "), ("end", ", "), ("size", ",\n")] {
            let text = places(&all, size, separator);
            for kept in [&all[..2], &all[1..3], &all[2..]] {
                let frames = read(text.as_bytes()).expect("it has offsets");
                assert_eq!(frames.records().len(), all.len());
                let gone = frames.records().iter().zip(all);
                let gone = gone.filter(|(_, content)| !kept.contains(content));
                let gone = gone.flat_map(|(one, _)| [one.record.clone(), one.contents[0].clone()]);
                let gone: Vec<Range<usize>> = gone.collect();
                let rest = without(text.as_bytes(), frames, |part| gone.contains(part));
                let rest = String::from_utf8(rest).expect("it is a text");
                // The line of the first of them stays one.
                let rest = rest.replace("{\n", "{");
                assert_eq!(rest, places(kept, size, separator));
            }
        }
    }

    #[test]
    fn an_index_has_the_numbers_of_lines_and_their_count() {
        let index = |lines: &[&str]| {
            let numbers = (1..=lines.len()).map(|line| format!("to {line}\n"));
            let numbers: String = numbers.collect();
            format!("{}index\n{numbers}count {}\n", lines.concat(), lines.len())
        };
        let all = [
            "a line\n",
            "another\n",
            "more\n",
            "the fourth\n",
            "the last\n",
        ];
        let text = index(&all);
        let frames = read(text.as_bytes()).expect("it has numbers of lines");
        let gone = [&frames.records()[1], &frames.records()[4]];
        let gone = gone.map(|one| [one.record.clone(), one.contents[0].clone()]);
        let rest = without(text.as_bytes(), frames, |part| {
            gone.as_flattened().contains(part)
        });
        let rest = String::from_utf8(rest).expect("it is a text");
        assert_eq!(rest, index(&[all[0], all[2], all[3]]));
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
