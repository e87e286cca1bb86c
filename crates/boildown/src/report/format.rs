//! Numbers and times as text, and text for a terminal.

use std::path::Path;
use std::time::Duration;

pub(crate) use boildown_show::{Visible, clock, count, grouped, size};

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

/// A path, or a word of a command, as messages name it.
pub(crate) trait EscapedPath: AsRef<Path> {
    /// Returns the path as text on one line: line ends, tabs and other control characters, and
    /// bytes that are not UTF-8, are escaped.
    fn escaped(&self) -> String {
        Visible::line(self.as_ref().as_os_str().as_encoded_bytes()).into()
    }
}

impl<P: AsRef<Path> + ?Sized> EscapedPath for P {}

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
    fn slow_runs_have_a_duration_and_fast_ones_a_rate() {
        let pace = |runs, seconds| pace(runs, Duration::from_secs(seconds));
        assert_eq!(pace(0, 5), None);
        assert_eq!(pace(120, 10).unwrap(), "12 runs/s");
        assert_eq!(pace(10, 23).unwrap(), "2.3s a run");
        assert_eq!(pace(2, 300).unwrap(), "2m30s a run");
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
