//! Tables of offsets: records with numbers that lead to contents elsewhere in the text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Alike, Digits, NumberedText, form};
use crate::document::frames::layout::{DerivedNumber, DirectoryRecord, NumberMeaning};
use crate::document::frames::numbers::NumberForm;

/// The evidence, in bits, with which numbers of a kind are taken for offsets.
const ENOUGH_FOR_OFFSETS: u32 = 16;

/// The least number of different offsets.
const FEWEST: usize = 3;

/// The number of lines before a table that may be its head.
const HEAD: usize = 3;

/// What a number of a table says about a content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Second {
    Size,
    End,
}

impl NumberedText<'_> {
    /// Adds numbers that are offsets of lines, and the stretches that they lead to. Returns the
    /// first line of the table.
    pub(super) fn add_offsets(&mut self, numbers: &[Digits]) -> Option<usize> {
        let numbers = self.free(numbers);
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
            if is_sure && base >= self.line(last).end {
                self.bases.insert(base);
            }
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
        let spans: Vec<_> = hits.iter().map(|number| number.at.clone()).collect();
        let records = self.add_records(&spans);
        for (number, record) in hits.iter().zip(records) {
            let target = base + number.value;
            let next = targets.range(target + 1..).next();
            let content = target..next.copied().unwrap_or(target);
            self.add_record(table, record, content);
            self.add(
                number,
                form(number),
                base..target,
                NumberMeaning::Length { minus: 0 },
            );
        }
        hits[0].line
    }

    fn add_record(&mut self, table: usize, record: Range<usize>, content: Range<usize>) {
        if content.is_empty() {
            return;
        }
        self.frames.parts.push(content.clone());
        self.frames.records.push(DirectoryRecord {
            directory: table,
            record,
            contents: vec![content],
        });
    }

    /// Adds the records of a table, in each of which some numbers are, to the parts; returns them.
    /// They are lines, or what separators divide: what is between two of them goes with the second
    /// one, and when no record before it is left.
    fn add_records(&mut self, numbers: &[Range<usize>]) -> Vec<Range<usize>> {
        let lines = numbers.iter().map(|at| self.line(self.line_of(at.start)));
        let lines: Vec<Range<usize>> = lines.collect();
        let divided = self.divided_records(numbers);
        let are_lines = lines.windows(2).all(|pair| pair[0].end <= pair[1].start);
        let records = match divided {
            Some(records) => {
                let list = records[0].start;
                for pair in records.windows(2) {
                    self.frames.parts.push(pair[1].clone());
                    // Without the line breaks around it: a line is a part.
                    let between = pair[0].end..pair[1].start;
                    let text = &self.bytes[between.clone()];
                    let start = between.end - text.trim_ascii_start().len();
                    let rest = self.bytes[start..between.end].iter();
                    let size = rest
                        .take_while(|&&byte| !matches!(byte, b'\n' | b'\r'))
                        .count();
                    self.frames.numbers.push(DerivedNumber {
                        at: start..start + size,
                        form: NumberForm::Separator,
                        covers: list..pair[0].end,
                        meaning: NumberMeaning::Separator,
                    });
                }
                let starts = [list].into_iter().chain(records.iter().map(|one| one.end));
                let ends = records.iter().map(|record| record.end);
                starts.zip(ends).map(|(start, end)| start..end).collect()
            }
            None if are_lines => lines,
            None => Vec::new(),
        };
        self.frames.parts.extend(records.iter().cloned());
        if let (Some(first), Some(last)) = (records.first(), records.last()) {
            self.lists.push((first.start..last.end, records.len()));
        }
        records
    }

    /// Returns the records that separators divide, without them: `{"a": 5}` of `[{"a": 5}, …]`.
    fn divided_records(&self, numbers: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
        let bytes = self.bytes;
        let is_space = |byte: u8| byte.is_ascii_whitespace();
        let is_separator = |byte: u8| matches!(byte, b',' | b';');
        let mut records: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        let mut closings = None;
        for (index, number) in numbers.iter().enumerate() {
            // After the number: closing brackets and quotes, and the separator.
            let (mut end, mut at, mut closed) = (number.end, number.end, 0);
            while closings.is_none_or(|most| closed < most) {
                match bytes.get(at) {
                    Some(b'}' | b']' | b')' | b'"' | b'\'') => {
                        closed += usize::from(!matches!(bytes[at], b'"' | b'\''));
                        end = at + 1;
                    }
                    Some(&byte) if is_space(byte) => {}
                    _ => break,
                }
                at += 1;
            }
            if closings.is_some_and(|before| before != closed) {
                return None;
            }
            closings = Some(closed);
            if index == 0 {
                start = self.start_of_record(number.start, closed)?;
            }
            records.push(start..end);
            if index + 1 < numbers.len() {
                let gap = bytes[end..].iter();
                let spaces = gap.take_while(|&&byte| is_space(byte)).count();
                let separator = end + spaces;
                is_separator(*bytes.get(separator)?).then_some(())?;
                let gap = bytes[separator + 1..].iter();
                start = separator + 1 + gap.take_while(|&&byte| is_space(byte)).count();
            }
        }
        let are_in_order = records.windows(2).all(|pair| pair[0].end < pair[1].start);
        let hold = |(record, number): (&Range<usize>, &Range<usize>)| {
            record.start <= number.start && number.end <= record.end
        };
        (are_in_order && records.iter().zip(numbers).all(hold)).then_some(records)
    }

    /// Returns where the record of a number begins after which this many brackets close.
    fn start_of_record(&self, number: usize, brackets: usize) -> Option<usize> {
        let (mut depth, mut opened) = (0_usize, 0);
        let before = self.bytes[..number].iter().enumerate().rev();
        for (at, byte) in before {
            match byte {
                b'}' | b']' | b')' => depth += 1,
                b'{' | b'[' | b'(' if depth > 0 => depth -= 1,
                b'{' | b'[' | b'(' if opened < brackets => opened += 1,
                b'{' | b'[' | b'(' => return Some(at + 1),
                b',' | b';' if depth == 0 && opened == brackets => return Some(at + 1),
                _ => {}
            }
        }
        (opened == brackets && brackets > 0).then_some(0)
    }

    /// Adds tables that have an offset and a size in each record, of contents that follow each
    /// other. Returns their first lines.
    pub(super) fn add_tables_with_sizes(
        &mut self,
        kinds: &BTreeMap<Alike<'_>, Vec<Digits>>,
    ) -> Vec<usize> {
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
                    (Alike::Label(..), Alike::Label(..)) => alike != other,
                    _ => false,
                };
                is_same && sizes.len() == offsets.len()
            });
            for (_, sizes) in sizes {
                let mut second = [Second::Size, Second::End].into_iter();
                tables.extend(second.find_map(|is| self.add_table_with_sizes(offsets, sizes, is)));
            }
        }
        tables
    }

    fn add_table_with_sizes(
        &mut self,
        offsets: &[Digits],
        sizes: &[Digits],
        second: Second,
    ) -> Option<usize> {
        let (first, last) = (offsets.first()?, offsets.last()?);
        let next = |at: usize| match second {
            Second::Size => offsets[at].value.checked_add(sizes[at].value),
            Second::End => Some(sizes[at].value),
        };
        let hits = (1..offsets.len()).filter(|&at| next(at - 1) == Some(offsets[at].value));
        let all_in_order = hits.count() + 1 == offsets.len();
        let is_free = !self.taken.contains(&first.at.start) && first.at != sizes.first()?.at;
        // Numbers that grow by another one, always the same, are not rare.
        let length = |at: usize| next(at).and_then(|end| end.checked_sub(offsets[at].value));
        let are_equal = (0..offsets.len()).all(|at| length(at) == length(0));
        let descends = (0..offsets.len()).any(|at| length(at).is_none());
        let values: BTreeSet<usize> = offsets.iter().map(|offset| offset.value).collect();
        if !is_free || !all_in_order || values.len() < FEWEST || are_equal || descends {
            return None;
        }
        let end = next(offsets.len() - 1)?;
        let last_line = self.line(last.line.max(sizes.last()?.line));
        let (table, table_end) = (self.lines[first.line], last_line.end);
        let base = match self.bytes.len().checked_sub(end) {
            _ if end <= table && first.value > 0 => 0,
            Some(_) if first.value >= table_end => 0,
            // After the table and what ends it.
            Some(base) if base >= table_end => base,
            _ => return None,
        };
        if base > 0 {
            self.bases.insert(base);
        }
        let pairs = offsets.iter().zip(sizes);
        let spans: Vec<Range<usize>> = pairs
            .clone()
            .map(|(one, other)| one.at.start.min(other.at.start)..one.at.end.max(other.at.end))
            .collect();
        let records = self.add_records(&spans);
        let (offset_form, size_form) = (
            form(self.bytes, &offsets.iter().collect::<Vec<_>>()),
            form(self.bytes, &sizes.iter().collect::<Vec<_>>()),
        );
        let meaning = NumberMeaning::Length { minus: 0 };
        for (at, (offset, size)) in pairs.enumerate() {
            let start = base + offset.value;
            let content = start..start + length(at)?;
            self.add(offset, offset_form(offset), base..start, meaning);
            let covers = match second {
                Second::Size => content.clone(),
                Second::End => base..content.end,
            };
            self.add(size, size_form(size), covers, meaning);
            match records.get(at) {
                Some(record) => self.add_record(table, record.clone(), content),
                None => self.frames.parts.push(content),
            }
        }
        Some(first.line)
    }

    /// Adds numbers that lead to the head of a table, and those that are the length from there to
    /// where its offsets count from.
    pub(super) fn add_heads<'b>(
        &mut self,
        numbers: impl Iterator<Item = &'b Digits>,
        tables: &[usize],
    ) {
        let heads = tables
            .iter()
            .flat_map(|&line| line.saturating_sub(HEAD)..=line);
        let heads: BTreeSet<usize> = heads.map(|line| self.lines[line]).collect();
        let ends = self.bases.iter().flat_map(|&base| {
            let text = self.bytes[..base].trim_ascii_end().len();
            text..=base
        });
        let ends: BTreeSet<usize> = ends.collect();
        for number in numbers.filter(|number| number.value > 0) {
            let is_head = heads.contains(&number.value);
            let starts = [number.at.end, self.line(number.line).end];
            let mut lengths = starts.map(|start| start..start.saturating_add(number.value));
            lengths.sort_unstable_by_key(|length| length.start);
            let length = lengths
                .into_iter()
                .find(|length| ends.contains(&length.end));
            if let Some(covers) = is_head.then_some(0..number.value).or(length) {
                let form = form(self.bytes, &[number]);
                let meaning = NumberMeaning::Length { minus: 0 };
                self.add(number, form(number), covers, meaning);
            }
        }
    }

    /// Adds numbers that lead to lines by their position in the text, counted from zero or one.
    /// They lead to all lines before them, or to lines of which only few are written as these are.
    pub(super) fn add_line_numbers(&mut self, numbers: &[Digits]) {
        let numbers = self.free(numbers);
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
            return;
        };
        let ascends = numbers.windows(2).all(|pair| pair[0].value < pair[1].value);
        if numbers.len() < FEWEST || !ascends {
            return;
        }
        let before = first.line;
        let is_head = |lines: usize| (before.saturating_sub(HEAD)..=before).contains(&lines);
        let first_word = |line: usize| {
            let word = Self::words(self.bytes, self.line(line)).next();
            word.map(|word| &self.bytes[word])
        };
        let order: usize = (2..=numbers.len().min(8))
            .map(|one| one.ilog2() as usize)
            .sum();
        let base = [1, 0].into_iter().find(|&base| {
            let targets = numbers.iter().map(|number| number.value.checked_sub(base));
            let Some(targets) = targets.collect::<Option<Vec<usize>>>() else {
                return false;
            };
            if last.value - base >= before {
                return false;
            }
            if targets.len() == last.value - first.value + 1 {
                return targets[0] == 0 && is_head(targets.len());
            }
            let word = first_word(targets[0]);
            let are_alike = word.is_some() && targets.iter().all(|&at| first_word(at) == word);
            if !are_alike {
                return false;
            }
            let alike = (0..before).filter(|&line| first_word(line) == word).count();
            let bits = (before / alike.max(1)).max(1).ilog2() as usize;
            targets.len() * bits + order >= ENOUGH_FOR_OFFSETS as usize && bits > 0
        });
        let Some(base) = base else {
            return;
        };
        let table = self.lines[before];
        let form = form(self.bytes, &numbers);
        let spans: Vec<_> = numbers.iter().map(|number| number.at.clone()).collect();
        let records = self.add_records(&spans);
        let ends = numbers.iter().skip(1).map(|number| number.value - base);
        // To the next line that a number leads to; the last one alone.
        let ends = ends.chain([last.value - base + 1]);
        for ((number, record), end) in numbers.iter().zip(records).zip(ends) {
            let line = number.value - base;
            let content = self.lines[line]..self.lines[end];
            // No part: what is counted is lines.
            self.frames.records.push(DirectoryRecord {
                directory: table,
                record,
                contents: vec![content],
            });
            let covers = 0..match base {
                0 => self.lines[line],
                _ => self.line(line).end,
            };
            self.add(number, form(number), covers, NumberMeaning::Count);
        }
    }

    /// Adds numbers beside a list that are the number of its parts, and numbers near the begin of
    /// the text that are the number of the lines after theirs.
    pub(super) fn add_counts(&mut self, kinds: &BTreeMap<Alike<'_>, Vec<Digits>>) {
        let lists = std::mem::take(&mut self.lists);
        let alone = kinds.values().flatten();
        let alone: Vec<&Digits> = alone.filter(|number| !number.is_hex).collect();
        for (list, length) in lists {
            let lines = self.line_of(list.start)..self.line_of(list.end.saturating_sub(1)) + 1;
            let near = lines.start.saturating_sub(HEAD)..(lines.end + HEAD);
            let is_count = |number: &&&Digits| {
                let is_inside = list.contains(&number.at.start);
                number.value == length && near.contains(&number.line) && !is_inside
            };
            let found = alone.iter().find(is_count).filter(|_| length >= FEWEST);
            if let Some(number) = found {
                let form = form(self.bytes, &[number]);
                self.add(number, form(number), list, NumberMeaning::Count);
            }
        }
        let lines = self.lines.len();
        let is_count = |number: &&&Digits| {
            number.line <= HEAD && number.value > FEWEST && number.line + 1 + number.value == lines
        };
        if let Some(number) = alone.iter().find(is_count).filter(|_| self.has_lines) {
            let form = form(self.bytes, &[number]);
            let covers = self.line(number.line).end..self.bytes.len();
            self.add(number, form(number), covers, NumberMeaning::Count);
        }
    }
}
