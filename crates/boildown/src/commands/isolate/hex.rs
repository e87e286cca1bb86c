//! Differences of binary files: the offset of each, and the bytes around it in hexadecimal digits.

use std::fmt::Write as _;
use std::ops::Range;

/// Bytes in a row.
const ROW: usize = 16;
/// Rows shown of each side of a difference, at most.
const ROWS: usize = 16;
/// Bytes shown of each side in a heading, at most.
const HEADING: usize = 8;

/// A row of one of the two files.
pub(super) struct HexRow {
    /// Whether it is of the file that fails.
    pub(super) fails: bool,
    pub(super) text: String,
}

/// Returns whether a file is shown by its bytes: it has a NUL, or a third of it is no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let odd: usize = (bytes.utf8_chunks())
        .map(|chunk| {
            let controls = |letter: &char| letter.is_control() && !letter.is_whitespace();
            chunk.invalid().len() + chunk.valid().chars().filter(controls).count()
        })
        .sum();
    bytes.contains(&0) || odd * 3 > bytes.len()
}

/// Returns the heading of a difference: `offset 1333 (0x535): 01 -> fe`.
pub(super) fn heading(
    [passing, failing]: [&[u8]; 2],
    (old, new): &(Range<usize>, Range<usize>),
) -> String {
    let bytes = |text: &[u8], range: &Range<usize>| match range.len() {
        0 => "nothing".to_owned(),
        1..=HEADING => hex(&text[range.clone()]),
        many => format!("{many} bytes"),
    };
    let (was, is) = (bytes(passing, old), bytes(failing, new));
    let start = new.start;
    let elsewhere = match old.start == start {
        true => String::new(),
        false => format!(", {} where it passes", old.start),
    };
    format!("offset {start} (0x{start:x}){elsewhere}: {was} -> {is}")
}

/// Returns the rows of both files that hold a difference.
pub(super) fn rows(files: [&[u8]; 2], (old, new): &(Range<usize>, Range<usize>)) -> Vec<HexRow> {
    let mut rows = Vec::new();
    for (bytes, range, fails) in [(files[0], old, false), (files[1], new, true)] {
        let first = range.start / ROW * ROW;
        // A difference without bytes is before the byte at its offset.
        let end = range.end.max(range.start + 1).min(bytes.len());
        for start in (first..end).step_by(ROW).take(ROWS) {
            let row = &bytes[start..(start + ROW).min(bytes.len())];
            let letters = row.iter().map(|&byte| match byte {
                b' '..=b'~' => char::from(byte),
                _ => '.',
            });
            let letters: String = letters.collect();
            let text = format!("{start:08x}  {:<47}  |{letters}|", hex(row));
            rows.push(HexRow { fails, text });
        }
    }
    rows
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        let separator = if index == 0 { "" } else { " " };
        write!(text, "{separator}{byte:02x}").expect("writing to a String cannot fail");
    }
    text
}
