//! The records of a table of comma-separated values.

use super::elements::Elements;

/// Returns the records after the header. A line break between double quotes ends no record.
pub(super) fn records(input: &[u8]) -> Elements {
    let mut records = Vec::new();
    let mut start = header(input).len();
    while start < input.len() {
        let end = start + record(&input[start..]);
        records.push(start..end);
        start = end;
    }
    Elements::after_head(records)
}

/// Returns the first record.
pub(super) fn header(input: &[u8]) -> &[u8] {
    &input[..record(input)]
}

/// Returns the length of the first record, with its line break.
fn record(input: &[u8]) -> usize {
    let mut is_quoted = false;
    let end = input.iter().position(|byte| {
        // A doubled quote inside of quotes ends them and begins them again.
        is_quoted ^= *byte == b'"';
        *byte == b'\n' && !is_quoted
    });
    end.map_or(input.len(), |end| end + 1)
}
