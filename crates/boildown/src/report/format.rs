//! Numbers and times as text, and text for a terminal.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

/// Returns a number with its noun: `1 test`, `2,000 tests`.
pub(crate) fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!(
        "{} {noun}{}",
        grouped(number),
        if number == 1 { "" } else { "s" }
    )
}

/// Returns a number with a comma before each group of three digits: `127,611`.
pub(crate) fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (place, digit) in (1..=digits.len()).rev().zip(digits.chars()) {
        text.push(digit);
        if place > 1 && place % 3 == 1 {
            text.push(',');
        }
    }
    text
}

/// Returns a size in bytes, with two or three digits: `812 bytes`, `45 kB`, `3.9 MB`.
#[expect(clippy::cast_precision_loss, reason = "shown with two or three digits")]
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => count(bytes, "byte"),
        1_000..1_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Returns how fast runs follow each other: `12 runs/s`, or `2.3s a run` when they are slow.
/// `None` before the first one.
#[expect(
    clippy::cast_precision_loss,
    reason = "shown without digits after the point"
)]
pub(crate) fn pace(runs: u64, elapsed: Duration) -> Option<String> {
    let rate = runs as f64 / elapsed.as_secs_f64().max(0.001);
    Some(match rate {
        _ if runs == 0 => return None,
        1.0.. => format!("{rate:.0} runs/s"),
        _ => format!("{} a run", clock(elapsed.div_f64(runs as f64))),
    })
}

/// Returns a duration: `1.5s`, `2m05s`, `3h07m`.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.1}s", time.as_secs_f64()),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A path, or a word of a command, as messages name it.
pub(crate) trait EscapedPath: AsRef<Path> {
    /// Returns the path as text on one line: line ends, tabs and other control characters, and
    /// bytes that are not UTF-8, are escaped.
    fn escaped(&self) -> String {
        let mut text = String::new();
        for chunk in self.as_ref().as_os_str().as_encoded_bytes().utf8_chunks() {
            let valid = printable(chunk.valid());
            text += &valid.replace('\n', "\\n").replace('\t', "\\t");
            for byte in chunk.invalid() {
                text += &format!("\\x{byte:02x}");
            }
        }
        text
    }
}

impl<P: AsRef<Path> + ?Sized> EscapedPath for P {}

/// Returns a text for the user's terminal: control characters are escaped, except line ends and
/// tabs. A test or a file name could change the terminal with them, or hide what is printed.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // `\x1b` rather than `\u{1b}`, as in shells.
            control if is_unprintable(control) && control.is_ascii() => {
                escaped += &format!("\\x{:02x}", u32::from(control));
            }
            control if is_unprintable(control) => escaped.extend(control.escape_unicode()),
            character => escaped.push(character),
        }
    }
    escaped.into()
}

/// Returns whether a character controls a terminal, or changes the direction of the text around it.
fn is_unprintable(character: char) -> bool {
    let changes_direction = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    changes_direction || character.is_control() && !matches!(character, '\n' | '\t')
}

/// The longest word of a message, in bytes: longer than paths are.
const MAX_WORD: usize = 1000;

/// Returns a text without the middle of words too long to read, such as an option value of 70 kB.
pub(crate) fn with_short_words(text: &str) -> String {
    let shortened = |word: &str| {
        let length = word.trim_end().len();
        if length <= MAX_WORD {
            return word.to_owned();
        }
        let start: String = word.chars().take(MAX_WORD / 10).collect();
        let mut end: Vec<char> = word.chars().rev().take(MAX_WORD / 50).collect();
        end.reverse();
        let end: String = end.into_iter().collect();
        format!("{start}[... {length} bytes ...]{end}")
    };
    text.split_inclusive(char::is_whitespace)
        .map(shortened)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_other_characters_are_not() {
        let check = |text, expected| assert_eq!(printable(text), expected);
        check("naïve\n\tline 日本", "naïve\n\tline 日本");
        check("\x1b]0;title\x07", "\\x1b]0;title\\x07");
        check("a\rb\x7f", "a\\x0db\\x7f");
        check("\u{9b}2J \u{202e}evil", "\\u{9b}2J \\u{202e}evil");
    }

    #[test]
    fn a_path_is_one_line_whatever_its_bytes_are() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let check = |name: &[u8], text| assert_eq!(OsStr::from_bytes(name).escaped(), text);
        check(b"dir/plain name.c", "dir/plain name.c");
        check("naïve\\日本".as_bytes(), "naïve\\日本");
        check(b"a\xff\x1b[31m\nb\t.c", "a\\xff\\x1b[31m\\nb\\t.c");
    }

    #[test]
    fn digits_are_grouped_by_three() {
        for (number, text) in [
            (0_u64, "0"),
            (999, "999"),
            (1000, "1,000"),
            (127_611, "127,611"),
            (1_000_000, "1,000,000"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(count(1_u64, "test"), "1 test");
        assert_eq!(count(2000_u64, "test"), "2,000 tests");
    }

    #[test]
    fn slow_runs_have_a_duration_and_fast_ones_a_rate() {
        let pace = |runs, seconds| pace(runs, Duration::from_secs(seconds));
        assert_eq!(pace(0, 5), None);
        assert_eq!(pace(120, 10).unwrap(), "12 runs/s");
        assert_eq!(pace(10, 23).unwrap(), "2.3s a run");
        assert_eq!(pace(2, 300).unwrap(), "2m30s a run");
    }

    #[test]
    fn sizes_have_two_or_three_digits() {
        let sizes = [1, 999, 45_200, 3_909_725].map(size);
        assert_eq!(sizes, ["1 byte", "999 bytes", "45 kB", "3.9 MB"]);
    }

    #[test]
    fn long_words_are_cut_and_short_ones_stay() {
        let text = "invalid value `short` for --x: \n a path/to/it";
        assert_eq!(with_short_words(text), text);
        let long = format!("value `{}` is wrong", "\u{e9}".repeat(40_000));
        let cut = with_short_words(&long);
        assert!(cut.len() < 400 && cut.ends_with("` is wrong"), "{cut}");
        assert!(cut.contains("80002 bytes"), "{cut}");
    }
}
