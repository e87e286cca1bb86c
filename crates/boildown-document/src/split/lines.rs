//! Lines, words, records that end with a byte, and the matches of a regular expression.

use std::ops::Range;

use regex::bytes::Regex;

use super::elements::Elements;

/// Returns the records that end with this byte, each with it. The last one may end without.
pub(super) fn ended_by(input: &[u8], end: u8) -> Vec<Range<usize>> {
    let mut start = 0;
    (input.split_inclusive(|&byte| byte == end))
        .map(|record| {
            start += record.len();
            start - record.len()..start
        })
        .collect()
}

/// Returns the words between white space.
pub(super) fn words(input: &[u8]) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in input.iter().enumerate() {
        match (byte.is_ascii_whitespace(), start) {
            (true, Some(first)) => {
                words.push(first..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    words.extend(start.map(|first| first..input.len()));
    words
}

/// Returns the texts between matches that are not empty.
pub(super) fn between(input: &[u8], separator: &Regex) -> Vec<Range<usize>> {
    let mut texts = Vec::new();
    let mut start = 0;
    for found in separator.find_iter(input) {
        texts.push(start..found.start());
        start = found.end();
    }
    texts.push(start..input.len());
    texts.retain(|text| !text.is_empty());
    texts
}

/// Returns the texts that begin with a match.
pub(super) fn starting_with(input: &[u8], start: &Regex) -> Elements {
    let starts: Vec<usize> = start.find_iter(input).map(|found| found.start()).collect();
    let ends = starts.iter().skip(1).copied().chain([input.len()]);
    let ranges = starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end);
    Elements::after_head(ranges.collect())
}
