//! The elements of a JSON array, and JSON values on lines of their own.

use std::ops::Range;

use serde_json::Value;

use super::elements::{Elements, SplitError};
use super::lines::ended_by;

/// Returns the lines, each of which is a JSON value or empty.
pub(super) fn lines(input: &[u8]) -> Result<Elements, SplitError> {
    let lines = ended_by(input, b'\n');
    for (number, line) in (1..).zip(&lines) {
        let line = input[line.clone()].trim_ascii();
        if !line.is_empty() && serde_json::from_slice::<Value>(line).is_err() {
            return Err(SplitError::NoValue(number));
        }
    }
    Ok(lines.into())
}

/// Returns the elements of an array, without the white space around them.
pub(super) fn array(input: &[u8]) -> Result<Elements, SplitError> {
    let is_array = |value: Value| value.is_array();
    if !serde_json::from_slice(input).is_ok_and(is_array) {
        return Err(SplitError::NoArray);
    }
    let mut ranges = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let mut in_string = false;
    let mut bytes = input.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            b']' | b'}' | b',' => {
                if depth == 1 {
                    ranges.push(trimmed(input, start..at));
                    start = at + 1;
                }
                depth -= usize::from(*byte != b',');
            }
            _ => {}
        }
    }
    ranges.retain(|range| !range.is_empty());
    Ok(ranges.into())
}

/// Returns the range without white space at its ends.
fn trimmed(input: &[u8], range: Range<usize>) -> Range<usize> {
    let text = &input[range.clone()];
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    start..start + text.trim_ascii().len()
}
