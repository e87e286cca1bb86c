//! Splits: the elements of an input that is a list, and what they stand for.
//!
//! - `lines.rs`: lines, words, records that end with a NUL, matches of a regular expression
//! - `json.rs`: the elements of an array, and one value a line
//! - `sql.rs`: the statements of a script
//! - `csv.rs`: the records of a table
//! - `shell.rs`: the words of a command, with its environment

mod csv;
mod elements;
mod json;
mod lines;
mod shell;
pub(crate) mod sql;

use std::fmt;
use std::str::FromStr;

use regex::bytes::Regex;

use crate::Language;
pub(crate) use elements::Elements;
pub use elements::{CommandParts, SplitError};
pub use shell::{CommandWords, command_words};

/// What the elements of an input are.
///
/// Written as one of the names, or as a regular expression: one that begins with `^` matches where
/// an element begins, any other matches the text between two elements.
#[derive(Debug, Clone)]
pub enum Split {
    /// Lines.
    Lines,
    /// Words between white space.
    Words,
    /// Records that end with a NUL.
    Nul,
    /// Lines, each of them a JSON value.
    JsonLines,
    /// The elements of a JSON array.
    JsonArray,
    /// Statements of SQL, each with its semicolon.
    Sql,
    /// Records of comma-separated values. The first one is the header, which stays.
    Csv,
    /// The texts between matches of an expression.
    Separator(Regex),
    /// The texts that begin with a match of an expression. What precedes the first match stays.
    Start(Regex),
    /// The parts of a command that is written for a shell.
    Command(CommandParts),
}

/// The names of splits that users write.
const NAMES: [(&str, Split); 7] = [
    ("lines", Split::Lines),
    ("words", Split::Words),
    ("nul", Split::Nul),
    ("json-lines", Split::JsonLines),
    ("json-array", Split::JsonArray),
    ("sql", Split::Sql),
    ("csv", Split::Csv),
];

impl Split {
    /// Returns the number of elements.
    ///
    /// # Errors
    /// [`SplitError`] when the input is no list of this kind, or has no element.
    pub fn count(&self, input: &[u8]) -> Result<usize, SplitError> {
        let elements = self.elements(input)?;
        match (elements.groups.len(), elements.tokens.len()) {
            (0, 0) => Err(SplitError::NoElement),
            (0, tokens) => Ok(tokens),
            (groups, _) => Ok(groups),
        }
    }

    /// Returns the elements as the items that a command receives: without what separates or ends
    /// them. Empty lines are no items. None when the input is no list of this kind.
    #[must_use]
    pub fn items<'a>(&self, input: &'a [u8]) -> Vec<&'a [u8]> {
        let elements = self.elements(input).unwrap_or_default();
        let items = elements.tokens.into_iter().map(|range| &input[range]);
        let items = items.map(|item| self.item(item));
        let is_item = |item: &&[u8]| !item.is_empty() || matches!(self, Self::Nul);
        items.filter(is_item).collect()
    }

    /// Returns the elements as they are written. None when the input is no list of this kind.
    #[must_use]
    pub fn elements_text<'a>(&self, input: &'a [u8]) -> Vec<&'a [u8]> {
        let Elements { tokens, groups, .. } = self.elements(input).unwrap_or_default();
        match groups.is_empty() {
            true => tokens.into_iter().map(|token| &input[token]).collect(),
            false => (groups.into_iter())
                .map(|group| &input[tokens[group.start].start..tokens[group.end - 1].end])
                .collect(),
        }
    }

    /// Returns an element without its end.
    pub fn item<'a>(&self, element: &'a [u8]) -> &'a [u8] {
        let without = |end: &[u8]| element.strip_suffix(end).unwrap_or(element);
        match self {
            Self::Lines | Self::Csv | Self::Start(_) => {
                let line = without(b"\n");
                line.strip_suffix(b"\r").unwrap_or(line)
            }
            Self::Nul => without(b"\0"),
            Self::JsonLines | Self::Sql => element.trim_ascii_end(),
            Self::Words | Self::JsonArray | Self::Separator(_) | Self::Command(_) => element,
        }
    }

    /// Returns the language of the elements, if the kind of list tells it.
    #[must_use]
    pub fn language(&self) -> Option<&'static Language> {
        match self {
            Self::JsonLines | Self::JsonArray => Language::named("JSON"),
            Self::Sql => Language::named("SQL"),
            _ => None,
        }
    }

    /// Returns whether the elements of a candidate can be told apart as those of the input: an
    /// array stays an array, and a table keeps its header.
    #[must_use]
    pub fn accepts(&self, candidate: &[u8], input: &[u8]) -> bool {
        match self {
            Self::JsonLines | Self::JsonArray => self.elements(candidate).is_ok(),
            Self::Csv => candidate.starts_with(csv::header(input)),
            Self::Command(which) => shell::is_same(candidate, input, *which),
            _ => true,
        }
    }

    /// Returns the elements of an input.
    ///
    /// # Errors
    /// [`SplitError`] when the input is no list of this kind.
    pub fn elements(&self, input: &[u8]) -> Result<Elements, SplitError> {
        match self {
            Self::Lines => Ok(lines::ended_by(input, b'\n').into()),
            Self::Words => Ok(lines::words(input).into()),
            Self::Nul => Ok(lines::ended_by(input, 0).into()),
            Self::JsonLines => json::lines(input),
            Self::JsonArray => json::array(input),
            Self::Sql => Ok(sql::statements(input).into()),
            Self::Csv => Ok(csv::records(input)),
            Self::Separator(separator) => Ok(lines::between(input, separator).into()),
            Self::Start(start) => Ok(lines::starting_with(input, start)),
            Self::Command(which) => shell::elements(input, *which),
        }
    }
}

impl FromStr for Split {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, split)) = NAMES.into_iter().find(|(name, _)| *name == text) {
            return Ok(split);
        }
        let names = NAMES.map(|(name, _)| name).join(", ");
        if text.len() > 2
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
        {
            return Err(format!(
                "it is none of {names}; a regular expression of letters is written as `({text})`"
            ));
        }
        let pattern = Regex::new(&format!("(?m){text}")).map_err(|error| {
            format!("it is none of {names}, and no regular expression: {error}")
        })?;
        if pattern.is_match(b"") {
            return Err("it matches the empty text".to_owned());
        }
        Ok(match text.starts_with('^') {
            true => Self::Start(pattern),
            false => Self::Separator(pattern),
        })
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Lines => "lines",
            Self::Words => "words",
            Self::Nul => "nul",
            Self::JsonLines => "json-lines",
            Self::JsonArray => "json-array",
            Self::Sql => "sql",
            Self::Csv => "csv",
            Self::Separator(pattern) | Self::Start(pattern) => {
                let text = pattern.as_str();
                text.strip_prefix("(?m)").unwrap_or(text)
            }
            Self::Command(CommandParts::Arguments) => "arguments",
            Self::Command(CommandParts::Variables) => "variables",
            Self::Command(CommandParts::All) => "arguments and variables",
        };
        f.write_str(name)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
