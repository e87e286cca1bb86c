//! Texts as tokens: words, white space and other signs.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// A run of lines or tokens that was replaced by another. Numbers count from 0; either run may be
/// empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

/// Returns whether a text is white space.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    text.trim_ascii().is_empty()
}

/// Splits a text into words, passages of white space, and single other signs.
pub(crate) fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let sort = |byte: &u8| match byte {
        b'_' => 1,
        byte if byte.is_ascii_alphanumeric() || !byte.is_ascii() => 1,
        byte if byte.is_ascii_whitespace() => 2,
        _ => 0,
    };
    text.chunk_by(|one, next| sort(one) == sort(next) && sort(one) > 0)
        .collect()
}

/// Returns the byte at which each token begins, and then the length of the text.
pub(crate) fn starts(tokens: &[&[u8]]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut end = 0;
    for token in tokens {
        end += token.len();
        starts.push(end);
    }
    starts
}

/// Returns the hunks in which two lists of tokens differ. White space at an end of a hunk is a hunk
/// of its own.
pub(crate) fn word_hunks(before: &[&[u8]], after: &[&[u8]]) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let mut found = Vec::new();
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    // What is only inserted or only deleted goes with its white space.
    let is_split = |old: &Range<usize>, new: &Range<usize>| {
        !old.is_empty() && !new.is_empty() && old.len().max(new.len()) > 1
    };
    for hunk in Diff::compute(Algorithm::Histogram, &input).hunks() {
        let (mut old, mut new) = (range(hunk.before), range(hunk.after));
        let (first_old, first_new) = (leading_blank(before, &old), leading_blank(after, &new));
        if is_split(&old, &new) && first_old + first_new > 0 {
            found.push(Hunk {
                before: old.start..old.start + first_old,
                after: new.start..new.start + first_new,
            });
            (old.start, new.start) = (old.start + first_old, new.start + first_new);
        }
        let (last_old, last_new) = (trailing_blank(before, &old), trailing_blank(after, &new));
        let mut last = None;
        if is_split(&old, &new) && last_old + last_new > 0 {
            (old.end, new.end) = (old.end - last_old, new.end - last_new);
            last = Some(Hunk {
                before: old.end..old.end + last_old,
                after: new.end..new.end + last_new,
            });
        }
        found.push(Hunk {
            before: old,
            after: new,
        });
        found.extend(last);
    }
    found.retain(|it| before[it.before.clone()] != after[it.after.clone()]);
    found
}

/// Returns the number of tokens of white space with which a range of tokens begins: 0 or 1.
fn leading_blank(tokens: &[&[u8]], range: &Range<usize>) -> usize {
    usize::from(tokens[range.clone()].first().is_some_and(|it| is_blank(it)))
}

/// Returns the number of tokens of white space with which a range of tokens ends: 0 or 1.
fn trailing_blank(tokens: &[&[u8]], range: &Range<usize>) -> usize {
    usize::from(tokens[range.clone()].last().is_some_and(|it| is_blank(it)))
}

/// Returns whether two texts that differ in these hunks have at least half of what is not white
/// space in common.
pub(crate) fn are_similar(before: &[&[u8]], after: &[&[u8]], hunks: &[Hunk]) -> bool {
    let size = |tokens: &[&[u8]]| -> usize {
        let words = tokens.iter().filter(|token| !is_blank(token));
        words.map(|token| token.len()).sum()
    };
    let replaced: usize = hunks
        .iter()
        .map(|hunk| size(&before[hunk.before.clone()]))
        .sum();
    let (old, new) = (size(before), size(after));
    2 * (old - replaced) >= old.max(new) && old > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[[&str; 2]]) {
        let (old, new) = (tokens(old.as_bytes()), tokens(new.as_bytes()));
        let text = |tokens: &[&[u8]]| String::from_utf8(tokens.concat()).unwrap();
        let found: Vec<[String; 2]> = (word_hunks(&old, &new).into_iter())
            .map(|hunk| [text(&old[hunk.before]), text(&new[hunk.after])])
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_are_told_apart() {
        check(
            "{\"cpu\":4,\"mem\":512}",
            "{\"cpu\":8,\"mem\":128}",
            &[["4", "8"], ["512", "128"]],
        );
        check("f(a)", "f(a, 1)", &[["", ", 1"]]);
        check("C=3", "C=3\r\n", &[["", "\r\n"]]);
    }

    #[test]
    fn white_space_is_a_word_of_its_own() {
        check(
            "    if a < b:\n",
            "        while a <= b:\n",
            &[["    ", "        "], ["if", "while"], ["", "="]],
        );
        check("\ta = 1\n", "  a = 2\n", &[["\t", "  "], ["1", "2"]]);
        check("a=1\n", "a=2", &[["1", "2"], ["\n", ""]]);
        check("w * h", "w * h * 2", &[["", " * 2"]]);
    }
}
