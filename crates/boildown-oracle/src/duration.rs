//! Lengths of time as users write them.

use std::time::Duration;

use crate::OracleError;

/// Units by suffix, with their length in seconds; `ms` stands before `m` and `s` because suffixes are tried in order.
const UNITS: &[(&str, f64)] = &[
    ("ms", 0.001),
    ("s", 1.0),
    ("m", 60.0),
    ("h", 3600.0),
    ("", 1.0),
];

/// Reads `500ms`, `5s`, `2m`, `1.5h`, or a bare number of seconds.
///
/// # Errors
/// [`OracleError::Expectation`] when the text is none of these, or zero.
pub fn parse_duration(text: &str) -> Result<Duration, OracleError> {
    UNITS
        .iter()
        .find_map(|(suffix, seconds)| {
            let number: f64 = text.strip_suffix(suffix)?.trim_end().parse().ok()?;
            Duration::try_from_secs_f64(number * seconds).ok()
        })
        .filter(|length| !length.is_zero())
        .ok_or_else(|| OracleError::Expectation {
            text: text.to_owned(),
            wanted: "a length of time: 500ms, 5s, 2m, or a number of seconds".to_owned(),
        })
}

/// Writes a length of time so that [`parse_duration`] reads it back.
pub(crate) fn format_duration(length: Duration) -> String {
    if length.subsec_nanos() == 0 {
        format!("{}s", length.as_secs())
    } else {
        format!("{}ms", length.as_secs_f64() * 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_form_is_read() {
        for (text, millis) in [
            ("500ms", 500),
            ("5s", 5_000),
            ("2m", 120_000),
            ("7", 7_000),
            ("1.5", 1_500),
            ("1h", 3_600_000),
        ] {
            assert_eq!(
                parse_duration(text).unwrap(),
                Duration::from_millis(millis),
                "{text}"
            );
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_forms_that_work() {
        for text in [
            "",
            "s",
            "-1s",
            "soon",
            "0",
            "0ms",
            "inf",
            "NaN",
            "5 parsecs",
        ] {
            let message = parse_duration(text).unwrap_err().to_string();
            assert!(message.contains("500ms, 5s, 2m"), "{text}: {message}");
        }
    }

    #[test]
    fn a_length_survives_writing_and_reading() {
        for millis in [1, 500, 1_000, 1_500, 90_000] {
            let length = Duration::from_millis(millis);
            assert_eq!(parse_duration(&format_duration(length)).unwrap(), length);
        }
    }
}
