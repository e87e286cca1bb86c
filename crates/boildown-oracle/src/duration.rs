//! Durations as users write them.

use std::time::Duration;

use crate::OracleError;

/// Suffixes of units and their length in seconds. `ms` comes before `m` and `s`, because suffixes
/// are tried in order.
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
/// [`OracleError::Expectation`] when the text is not one of these forms, or the duration is zero.
pub fn parse_duration(text: &str) -> Result<Duration, OracleError> {
    UNITS
        .iter()
        .find_map(|(suffix, seconds)| {
            let number: f64 = text.strip_suffix(suffix)?.trim_end().parse().ok()?;
            Duration::try_from_secs_f64(number * seconds).ok()
        })
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| OracleError::Expectation {
            text: text.to_owned(),
            wanted: "a duration above zero: 500ms, 5s, 2m, or a number of seconds".to_owned(),
        })
}

/// Returns the duration in a form that [`parse_duration`] accepts.
pub(crate) fn format_duration(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 {
        format!("{}s", duration.as_secs())
    } else {
        format!("{}ms", duration.as_nanos() as f64 / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_form_is_parsed() {
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
    fn an_invalid_duration_is_refused_with_the_accepted_forms() {
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
    fn a_formatted_duration_parses_to_the_same_duration() {
        for millis in [1, 500, 1_000, 1_500, 4_015, 90_000] {
            let duration = Duration::from_millis(millis);
            assert_eq!(
                parse_duration(&format_duration(duration)).unwrap(),
                duration
            );
        }
        assert_eq!(format_duration(Duration::from_millis(4_015)), "4015ms");
    }
}
