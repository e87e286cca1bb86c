//! Regular expressions that match the output of a command.

use std::fmt;
use std::str::FromStr;

use regex::bytes::{Regex, RegexBuilder};

use crate::OracleError;

/// A regular expression that matches the output of a command, which may contain any bytes.
///
/// `^` and `$` match at the beginning and the end of every line.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Returns whether the expression matches anywhere in the output.
    #[must_use]
    pub fn matches(&self, output: &[u8]) -> bool {
        self.0.is_match(output)
    }

    /// Returns the text of the last match: that of its first group, or all of it.
    pub(super) fn last_text(&self, output: &[u8]) -> Option<String> {
        let found = self.0.captures_iter(output).last()?;
        let text = found.get(1).or(found.get(0))?.as_bytes();
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// Returns the expression as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for Pattern {
    type Err = OracleError;

    fn from_str(text: &str) -> Result<Self, OracleError> {
        RegexBuilder::new(text)
            .multi_line(true)
            .build()
            .map(Self)
            .map_err(|error| OracleError::Expectation {
                text: text.to_owned(),
                wanted: format!("a regular expression: {error}"),
            })
    }
}

/// Patterns are equal when they are written the same.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_expression_is_refused_with_the_position_of_the_mistake() {
        let message = "a(b".parse::<Pattern>().unwrap_err().to_string();
        assert!(
            message.starts_with("read `a(b` as a regular expression"),
            "{message}"
        );
        assert!(message.contains("unclosed group"), "{message}");
    }
}
