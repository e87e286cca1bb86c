//! Two texts: where they differ, in hunks and in lines.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, sources::byte_lines};

/// Lines of one text that stand where lines of the other do. Line numbers from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

/// A text and where its lines begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines<'a> {
    pub(crate) text: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        self.text.split_inclusive(|&byte| byte == b'\n')
    }

    /// The byte at which each line begins, and the end of the text.
    pub(crate) fn starts(self) -> Vec<usize> {
        let mut starts = vec![0];
        let mut at = 0;
        for line in self.iter() {
            at += line.len();
            starts.push(at);
        }
        starts
    }
}

/// Whether a content is text, as git decides it: no zero byte among its first 8000.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(8000)].contains(&0) && u32::try_from(bytes.len()).is_ok()
}

/// Where two texts differ, in ascending order; between two hunks at least one line is the same.
pub(crate) fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let wide = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks()
        .map(|hunk| Hunk {
            before: wide(hunk.before),
            after: wide(hunk.after),
        })
        .collect()
}

/// A smallest change inside a hunk, in lines from the hunk's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// This line is deleted.
    Delete(usize),
    /// This line is inserted.
    Insert(usize),
    /// A line becomes a similar one.
    Replace(usize, usize),
}

/// Up to this many pairs of lines are compared.
const PAIRS: usize = 1 << 16;

/// Cuts a hunk into the smallest changes. Similar lines go together, so that no half of them leaves the old line and the new.
pub(crate) fn cuts(before: &[&[u8]], after: &[&[u8]]) -> Vec<Cut> {
    let (rows, columns) = (before.len(), after.len());
    if rows * columns > PAIRS {
        let deleted = (0..rows).map(Cut::Delete);
        return deleted.chain((0..columns).map(Cut::Insert)).collect();
    }
    // best[r][c]: how much similarity the lines from r and c on can keep.
    let mut best = vec![vec![0_usize; columns + 1]; rows + 1];
    let mut alike = vec![vec![0_usize; columns]; rows];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            alike[row][column] = similarity(before[row], after[column]);
            let paired = match alike[row][column] {
                0 => 0,
                kept => kept + best[row + 1][column + 1],
            };
            best[row][column] = paired.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut cuts = Vec::with_capacity(rows + columns);
    while row < rows || column < columns {
        let paired = row < rows
            && column < columns
            && alike[row][column] > 0
            && best[row][column] == alike[row][column] + best[row + 1][column + 1];
        if paired {
            cuts.push(Cut::Replace(row, column));
            row += 1;
            column += 1;
        } else if row < rows && (column == columns || best[row][column] == best[row + 1][column]) {
            cuts.push(Cut::Delete(row));
            row += 1;
        } else {
            cuts.push(Cut::Insert(column));
            column += 1;
        }
    }
    cuts
}

/// How much two lines have in common, in thousandths; 0 when it is less than half.
fn similarity(one: &[u8], two: &[u8]) -> usize {
    let (one, two) = (one.trim_ascii(), two.trim_ascii());
    let longer = one.len().max(two.len());
    if longer == 0 {
        return 1000;
    }
    let front = one.iter().zip(two).take_while(|(a, b)| a == b).count();
    let (one, two) = (&one[front..], &two[front..]);
    let back = (one.iter().rev().zip(two.iter().rev()))
        .take_while(|(a, b)| a == b)
        .count();
    let kept = (front + back) * 1000 / longer;
    if kept >= 500 { kept } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&[u8]> {
        Lines {
            text: text.as_bytes(),
        }
        .iter()
        .collect()
    }

    #[test]
    fn similar_lines_are_one_change_and_others_are_two() {
        let cut = cuts(
            &split("let a = 1;\nreturn a;\n"),
            &split("// why\nlet a = 2;\n"),
        );
        assert_eq!(cut, [Cut::Insert(0), Cut::Replace(0, 1), Cut::Delete(1)]);
    }

    #[test]
    fn hunks_are_apart_and_name_lines() {
        let found = hunks(b"a\nb\nc\nd\n", b"a\nx\nc\nd\ne");
        let expected = [(1..2, 1..2), (4..4, 4..5)];
        assert_eq!(
            found,
            expected.map(|(before, after)| Hunk { before, after })
        );
    }

    #[test]
    fn a_text_has_no_zero_byte() {
        assert!(is_text(b"\xff\xfe text"));
        assert!(!is_text(b"a\0b"));
    }
}
