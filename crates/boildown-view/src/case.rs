//! The best test case with its colours, and what the last step removed.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::ClassifiedToken;
use imara_diff::{Algorithm, Diff, InternedInput, sources::byte_lines};

/// Bytes in which two test cases differ, from the first to the last, above which lines are not
/// compared: it would take too long.
pub(crate) const MAX_DIFFERING: usize = 256 << 10;

/// A test case as it is drawn.
#[derive(Debug, Clone, Default)]
pub struct TestCase {
    pub(crate) text: Arc<[u8]>,
    pub(crate) colours: Vec<ClassifiedToken>,
    pub(crate) step: LastStep,
}

/// What changed from one test case to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LastStep {
    pub(crate) lines: Vec<ChangedLine>,
    /// The byte of the new test case at which the first change is.
    pub(crate) at: Option<usize>,
    /// Bytes that went.
    pub(crate) bytes: u64,
}

/// A line that was removed or added, or that stands between such lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedLine {
    pub(crate) kind: LineKind,
    /// Its number in the text that it is of, from 1.
    pub(crate) number: usize,
    pub(crate) text: Vec<u8>,
    /// The part that differs, if the line was replaced by a similar one.
    pub(crate) differs: Option<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineKind {
    Removed,
    Added,
    Same,
    /// Lines that are left out. The number says how many.
    Gap,
}

/// Longest part of a line that is kept for the list of changes.
const MAX_LINE: usize = 400;

/// Longest list of changes.
const MAX_LINES: usize = 20_000;

impl TestCase {
    /// Prepares a test case and the step that led to it.
    #[must_use]
    pub fn new(text: Arc<[u8]>, previous: Option<&[u8]>, colours: Vec<ClassifiedToken>) -> Self {
        let step = previous.map_or_else(LastStep::default, |previous| {
            LastStep::between(previous, &text)
        });
        Self {
            text,
            colours,
            step,
        }
    }
}

impl LastStep {
    fn between(before: &[u8], after: &[u8]) -> Self {
        let [old, new] = differing(before, after);
        let mut step = Self {
            bytes: (before.len() as u64).saturating_sub(after.len() as u64),
            at: Some(new.start),
            lines: Vec::new(),
        };
        if old.len() <= MAX_DIFFERING {
            step.lines = changed_lines(before, after, 0);
        }
        step
    }
}

/// Returns the smallest ranges of bytes that hold all differences of two texts.
pub fn differing(before: &[u8], after: &[u8]) -> [Range<usize>; 2] {
    // Whole chunks are compared fast.
    const CHUNK: usize = 512;
    let chunks = before.chunks_exact(CHUNK).zip(after.chunks_exact(CHUNK));
    let equal = CHUNK * chunks.take_while(|(old, new)| old == new).count();
    let pairs = before[equal..].iter().zip(&after[equal..]);
    let start = equal + pairs.take_while(|(old, new)| old == new).count();
    let [old, new] = [&before[start..], &after[start..]];
    let chunks = old.rchunks_exact(CHUNK).zip(new.rchunks_exact(CHUNK));
    let equal = CHUNK * chunks.take_while(|(old, new)| old == new).count();
    let [old, new] = [&old[..old.len() - equal], &new[..new.len() - equal]];
    let pairs = old.iter().rev().zip(new.iter().rev());
    let end = equal + pairs.take_while(|(old, new)| old == new).count();
    [start..before.len() - end, start..after.len() - end]
}

/// Returns the lines that differ, with lines around them. Lines at both ends that are equal are not
/// looked at.
pub(crate) fn changed_lines(before: &[u8], after: &[u8], context: usize) -> Vec<ChangedLine> {
    let [old, new] = differing(before, after);
    // Whole lines, with those around them.
    let line_start = |text: &[u8], at: usize, back: usize| {
        let mut ends = text[..at]
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, byte)| **byte == b'\n');
        ends.nth(back).map_or(0, |(place, _)| place + 1)
    };
    let line_end = |text: &[u8], at: usize| {
        let mut ends = text[at..]
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n');
        ends.nth(context + 1)
            .map_or(text.len(), |(place, _)| at + place + 1)
    };
    let start = line_start(before, old.start, context);
    let first = before[..start]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count();
    let (old_end, new_end) = (line_end(before, old.end), line_end(after, new.end));
    let before = &before[start..old_end];
    let after = &after[start.min(new_end)..new_end];
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (old_lines, new_lines) = (lines_of(before), lines_of(after));
    let mut lines = Changes {
        lines: Vec::new(),
        first,
    };
    let (mut shown, mut last) = (0, None::<usize>);
    for hunk in diff.hunks() {
        let [removed, added] =
            [&hunk.before, &hunk.after].map(|range| range.start as usize..range.end as usize);
        let from = removed.start.saturating_sub(context).max(shown);
        if let Some(last) = last {
            let until = (last + context).min(from);
            lines.add_same(&old_lines, last..until);
            lines.add_gap(from - until);
        }
        lines.add_same(&old_lines, from..removed.start);
        lines.add_hunk(
            &old_lines[removed.clone()],
            &new_lines[added.clone()],
            &removed,
            &added,
        );
        (shown, last) = (removed.end, Some(removed.end));
        if lines.lines.len() > MAX_LINES {
            break;
        }
    }
    if let Some(last) = last {
        lines.add_same(&old_lines, last..(last + context).min(old_lines.len()));
    }
    lines.lines
}

fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

struct Changes {
    lines: Vec<ChangedLine>,
    /// Lines before the first one.
    first: usize,
}

impl Changes {
    fn add(&mut self, kind: LineKind, number: usize, text: &[u8], differs: Option<Range<usize>>) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        self.lines.push(ChangedLine {
            kind,
            number: self.first + number + 1,
            text: text[..text.len().min(MAX_LINE)].to_owned(),
            differs,
        });
    }

    fn add_same(&mut self, lines: &[&[u8]], range: Range<usize>) {
        for number in range {
            self.add(LineKind::Same, number, lines[number], None);
        }
    }

    fn add_gap(&mut self, lines: usize) {
        if lines > 0 {
            self.lines.push(ChangedLine {
                kind: LineKind::Gap,
                number: lines,
                text: Vec::new(),
                differs: None,
            });
        }
    }

    /// Adds lines that were replaced. If a line was replaced by one, only what differs is kept of
    /// long ones.
    fn add_hunk(
        &mut self,
        removed: &[&[u8]],
        added: &[&[u8]],
        removed_at: &Range<usize>,
        added_at: &Range<usize>,
    ) {
        if let ([old], [new]) = (removed, added) {
            let ranges = differing(old, new);
            for (kind, line, range, number) in [
                (LineKind::Removed, old, &ranges[0], removed_at.start),
                (LineKind::Added, new, &ranges[1], added_at.start),
            ] {
                // Some of the line before the difference.
                let from = range.start.saturating_sub(AROUND);
                let from = if from < AROUND {
                    0
                } else {
                    character_start(line, from)
                };
                let differs = range.start - from..range.end - from;
                self.add(kind, number, &line[from..], Some(differs));
            }
            return;
        }
        for (number, line) in removed_at.clone().zip(removed) {
            self.add(LineKind::Removed, number, line, None);
        }
        for (number, line) in added_at.clone().zip(added) {
            self.add(LineKind::Added, number, line, None);
        }
    }
}

/// Bytes of a line that are shown before the first difference.
const AROUND: usize = 24;

/// Returns the byte at or after `at` at which a character begins.
pub(crate) fn character_start(text: &[u8], at: usize) -> usize {
    let is_inside = |byte: &&u8| **byte & 0xc0 == 0x80;
    at + text
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take(3)
        .take_while(is_inside)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str, context: usize) -> Vec<String> {
        changed_lines(before.as_bytes(), after.as_bytes(), context)
            .iter()
            .map(|line| {
                let sign = match line.kind {
                    LineKind::Removed => "-",
                    LineKind::Added => "+",
                    LineKind::Same => " ",
                    LineKind::Gap => "@",
                };
                format!(
                    "{sign}{} {}",
                    line.number,
                    String::from_utf8_lossy(&line.text)
                )
            })
            .collect()
    }

    #[test]
    fn lines_that_went_have_their_numbers() {
        let before = "a\nb\nc\nd\ne\nf\ng\n";
        assert_eq!(shown(before, "a\nb\nd\ne\nf\ng\n", 0), ["-3 c"]);
        assert_eq!(shown(before, "a\nb\nd\ne\ng\n", 0), ["-3 c", "@2 ", "-6 f"]);
        assert_eq!(
            shown(before, "a\nb\nd\ne\nf\ng\n", 1),
            [" 2 b", "-3 c", " 4 d"]
        );
        assert_eq!(shown(before, "b\nc\nd\ne\nf\n", 0), ["-1 a", "@5 ", "-7 g"]);
    }

    #[test]
    fn of_a_replaced_line_the_part_that_differs_is_known() {
        let lines = changed_lines(b"x\nint f(int a, int b);\ny\n", b"x\nint f(int b);\ny\n", 0);
        let parts: Vec<_> = (lines.iter())
            .map(|line| &line.text[line.differs.clone().unwrap()])
            .collect();
        assert_eq!(parts, [b"a, int ".as_slice(), b""]);
        let long = format!("{}abc{}\n", "x".repeat(1000), "y".repeat(1000));
        let lines = changed_lines(long.as_bytes(), long.replace("abc", "").as_bytes(), 0);
        assert_eq!(lines[0].text.len(), MAX_LINE);
        assert_eq!(lines[0].text[lines[0].differs.clone().unwrap()], *b"abc");
    }

    #[test]
    fn equal_texts_and_empty_ones_have_no_changes() {
        assert!(shown("a\nb", "a\nb", 2).is_empty());
        assert!(shown("", "", 2).is_empty());
        assert_eq!(shown("a\nb", "", 0), ["-1 a", "-2 b"]);
    }

    #[test]
    fn the_ranges_that_differ_are_the_smallest() {
        let long = b"0123456789".repeat(500);
        for (from, to) in [(0, 1), (700, 1500), (1024, 1536), (4999, 5000), (0, 5000)] {
            let without = [&long[..from], b"x", &long[to..]].concat();
            assert_eq!(differing(&long, &without), [from..to, from..from + 1]);
            assert_eq!(differing(&without, &long), [from..from + 1, from..to]);
        }
        assert_eq!(differing(&long, &long), [5000..5000, 5000..5000]);
        // Equal characters on both sides count as the beginning.
        assert_eq!(differing(b"aaa", b"aa"), [2..3, 2..2]);
    }

    #[test]
    fn large_differences_are_not_computed() {
        let before = vec![b'a'; MAX_DIFFERING + 1];
        let step = LastStep::between(&before, b"");
        assert_eq!(
            (step.bytes, step.lines.len(), step.at),
            (before.len() as u64, 0, Some(0))
        );
    }
}
