//! The records of a table of comma-separated values.

use std::ops::Range;

use super::Elements;

/// Returns the records after the header. A line break between double quotes ends no record.
pub(super) fn records(input: &[u8]) -> Elements {
    let mut records = all(input);
    if !records.is_empty() {
        records.remove(0);
    }
    Elements::after_head(records)
}

/// Returns the first record.
pub(super) fn header(input: &[u8]) -> &[u8] {
    (all(input).first()).map_or(&[], |header| &input[header.clone()])
}

fn all(input: &[u8]) -> Vec<Range<usize>> {
    let mut records = Vec::new();
    let mut start = 0;
    let mut is_quoted = false;
    for (at, byte) in input.iter().enumerate() {
        match byte {
            // A doubled quote inside of quotes ends them and begins them again.
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => {
                records.push(start..at + 1);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < input.len() {
        records.push(start..input.len());
    }
    records
}
