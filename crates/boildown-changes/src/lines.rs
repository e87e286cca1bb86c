//! Line differences of two texts: hunks, and the single line changes inside a hunk.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, sources::byte_lines};

use crate::tokens::{Hunk, are_similar, tokens, word_hunks};

/// A text as lines, each with its line break.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextLines<'a> {
    pub(crate) text: &'a [u8],
}

impl<'a> TextLines<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        self.text.split_inclusive(|&byte| byte == b'\n')
    }

    /// Returns the byte at which each line begins, and then the length of the text.
    pub(crate) fn starts(self) -> Vec<usize> {
        let mut starts = vec![0];
        let mut offset = 0;
        for line in self.iter() {
            offset += line.len();
            starts.push(offset);
        }
        starts
    }
}

/// Returns whether a content is text by git's rule: no zero byte among its first 8000.
///
/// Contents of 4 GiB and more are not text here either, so that offsets fit in 32 bits.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(8000)].contains(&0) && u32::try_from(bytes.len()).is_ok()
}

/// Returns the hunks in which two texts differ, in ascending order. At least one equal line lies
/// between two hunks.
pub(crate) fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let lines = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks()
        .map(|hunk| Hunk {
            before: lines(hunk.before),
            after: lines(hunk.after),
        })
        .collect()
}

/// A smallest change inside a hunk. Line numbers count from the start of the hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineChange {
    /// The old line is deleted.
    Delete(usize),
    /// The new line is inserted.
    Insert(usize),
    /// The old line is replaced by a similar new line.
    Replace(usize, usize),
}

/// Largest number of line pairs (old lines times new lines) whose similarity is computed.
const MAX_COMPARED_PAIRS: usize = 1 << 16;

/// Splits a hunk into single line changes.
///
/// An old and a new line that are similar become one [`LineChange::Replace`]: applying only half of
/// such a change would leave both lines, or neither. The replacements are chosen such that their
/// total similarity is highest, in the order of both texts (dynamic programming, as for the longest
/// common subsequence). In a hunk with too many pairs of lines, a line is compared with the one
/// that has its number if both texts have as many, and else with none.
pub(crate) fn line_changes(before: &[&[u8]], after: &[&[u8]]) -> Vec<LineChange> {
    let (rows, columns) = (before.len(), after.len());
    if rows * columns > MAX_COMPARED_PAIRS {
        if rows == columns {
            let pairs = (0..rows).map(|row| (row, similarity(before[row], after[row]) > 0));
            return pairs
                .flat_map(|(row, is_similar)| match is_similar {
                    true => vec![LineChange::Replace(row, row)],
                    false => vec![LineChange::Delete(row), LineChange::Insert(row)],
                })
                .collect();
        }
        let deleted = (0..rows).map(LineChange::Delete);
        return deleted
            .chain((0..columns).map(LineChange::Insert))
            .collect();
    }
    // best[r][c]: the highest total similarity of the old lines from r on and the new from c on.
    let mut best = vec![vec![0_usize; columns + 1]; rows + 1];
    let mut similarities = vec![vec![0_usize; columns]; rows];
    let has_few_pairs = rows * columns <= MAX_PAIRS_BY_WORDS;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let (old, new) = (before[row], after[column]);
            similarities[row][column] = match similarity(old, new) {
                0 if has_few_pairs && has_similar_words(old, new) => SAME_KEY,
                similarity => similarity,
            };
            let paired = match similarities[row][column] {
                0 => 0,
                similarity => similarity + best[row + 1][column + 1],
            };
            best[row][column] = paired.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut changes = Vec::with_capacity(rows + columns);
    while row < rows || column < columns {
        let paired = row < rows
            && column < columns
            && similarities[row][column] > 0
            && best[row][column] == similarities[row][column] + best[row + 1][column + 1];
        if paired {
            changes.push(LineChange::Replace(row, column));
            row += 1;
            column += 1;
        } else if row < rows && (column == columns || best[row][column] == best[row + 1][column]) {
            changes.push(LineChange::Delete(row));
            row += 1;
        } else {
            changes.push(LineChange::Insert(column));
            column += 1;
        }
    }
    changes
}

/// Number of line pairs up to which words are compared where the ends of the lines differ.
const MAX_PAIRS_BY_WORDS: usize = 64;
/// Length of a line, in bytes, from which on its words are compared.
const MIN_LENGTH_BY_WORDS: usize = 24;

/// Returns whether two long lines have at least half of their words in common.
fn has_similar_words(one: &[u8], two: &[u8]) -> bool {
    if one.len().min(two.len()) < MIN_LENGTH_BY_WORDS {
        return false;
    }
    let (one, two) = (tokens(one), tokens(two));
    are_similar(&one, &two, &word_hunks(&one, &two))
}

/// The similarity of two lines that have the same key and little else in common.
const SAME_KEY: usize = 250;

/// Returns what a line of data begins with: the text before a comma, an equals sign or the like.
/// `None` if that is empty or several words.
fn key(line: &[u8]) -> Option<&[u8]> {
    let end = line.iter().position(|byte| b",=:;|\t".contains(byte))?;
    let key = line[..end].trim_ascii_end();
    let is_word = |byte: &u8| !byte.is_ascii_whitespace() && !b"([{<".contains(byte);
    (!key.is_empty() && key.iter().all(is_word)).then_some(key)
}

/// Returns the length of the common prefix and suffix of two lines, in thousandths of the longer
/// line. When that is less than half, the lines are similar only if they have the same key; if not,
/// returns 0. Leading and trailing white space is ignored.
fn similarity(one: &[u8], two: &[u8]) -> usize {
    let (one, two) = (one.trim_ascii(), two.trim_ascii());
    let has_same_key = key(one).is_some_and(|it| key(two) == Some(it));
    let longer = one.len().max(two.len());
    if longer == 0 {
        return 1000;
    }
    let prefix = one.iter().zip(two).take_while(|(a, b)| a == b).count();
    let (one, two) = (&one[prefix..], &two[prefix..]);
    let suffix = (one.iter().rev().zip(two.iter().rev()))
        .take_while(|(a, b)| a == b)
        .count();
    let similarity = (prefix + suffix) * 1000 / longer;
    match similarity {
        500.. => similarity,
        _ if has_same_key => SAME_KEY,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&[u8]> {
        TextLines {
            text: text.as_bytes(),
        }
        .iter()
        .collect()
    }

    #[test]
    fn similar_lines_are_one_change_and_different_lines_are_two() {
        let changes = line_changes(
            &split("let a = 1;\nreturn a;\n"),
            &split("// why\nlet a = 2;\n"),
        );
        assert_eq!(
            changes,
            [
                LineChange::Insert(0),
                LineChange::Replace(0, 1),
                LineChange::Delete(1)
            ]
        );
    }

    #[test]
    fn lines_of_a_large_hunk_are_paired_by_their_numbers() {
        let mut lines = vec![&b"same\n"[..]; 258];
        let changes = line_changes(&lines[1..], &lines);
        assert_eq!(changes.len(), 515);
        assert_eq!(changes[256], LineChange::Delete(256));
        assert_eq!(changes[257], LineChange::Insert(0));
        let before = lines.clone();
        lines[1] = b"other\n";
        let changes = line_changes(&before, &lines);
        assert_eq!(changes.len(), 259);
        assert_eq!(
            changes[..4],
            [
                LineChange::Replace(0, 0),
                LineChange::Delete(1),
                LineChange::Insert(1),
                LineChange::Replace(2, 2),
            ]
        );
    }

    #[test]
    fn long_lines_with_the_same_words_are_one_change() {
        let check = |old: &str, new: &str| line_changes(&split(old), &split(new)).len();
        let old = "a(x){return x+1} b(x){return x*2} c(x){return x-3}";
        assert_eq!(
            check(old, "A(x){return x+2} b(x){return x*4} d(x){return x-5}"),
            1
        );
        assert_eq!(
            check(old, "import { several, things } from \"the other module\";"),
            2
        );
    }

    #[test]
    fn lines_of_data_with_the_same_key_are_one_change() {
        let check = |old: &str, new: &str| line_changes(&split(old), &split(new)).len();
        assert_eq!(check("57,171,x\n", "57,-1,y\n"), 1);
        assert_eq!(check("limit = 5\n", "limit = one hundred and two\n"), 1);
        assert_eq!(check("57,171,x\n", "58,-1,y\n"), 2);
        assert_eq!(check("f(a, 1)\n", "f(b, x, y, z)\n"), 2);
    }

    #[test]
    fn hunks_are_ranges_of_line_numbers() {
        let found = hunks(b"a\nb\nc\nd\n", b"a\nx\nc\nd\ne");
        let expected = [(1..2, 1..2), (4..4, 4..5)];
        assert_eq!(
            found,
            expected.map(|(before, after)| Hunk { before, after })
        );
    }

    #[test]
    fn a_content_with_a_zero_byte_is_not_text() {
        assert!(is_text(b"\xff\xfe text"));
        assert!(!is_text(b"a\0b"));
    }
}
