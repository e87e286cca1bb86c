//! The elements of an input, and why it may have none.

use std::ops::Range;

/// The parts of a command that are elements. An option goes with its value; the program stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandParts {
    /// Its arguments.
    Arguments,
    /// The variables before it.
    Variables,
    /// Both.
    All,
}

/// The elements of an input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements {
    /// The bytes of each token, ascending. What is between two of them separates them.
    pub(crate) tokens: Vec<Range<usize>>,
    /// The tokens of each element, in order; empty if each token is an element.
    pub(crate) groups: Vec<Range<usize>>,
    /// The tokens before which the input holds a text that always stays; the number of tokens for a
    /// text at the end.
    pub(crate) pinned: Vec<usize>,
}

/// Why an input is no list of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The input is no JSON array.
    #[error("it is not a JSON array")]
    NoArray,
    /// A line is no JSON value.
    #[error("line {0} is not a JSON value")]
    NoValue(usize),
    /// A quote is not closed.
    #[error("a quote is not closed")]
    OpenQuote,
    /// The input has no element.
    #[error("it has no element")]
    NoElement,
}

impl From<Vec<Range<usize>>> for Elements {
    fn from(tokens: Vec<Range<usize>>) -> Self {
        Self {
            tokens,
            ..Self::default()
        }
    }
}

impl Elements {
    /// Returns the elements after a text that always stays.
    pub(super) fn after_head(tokens: Vec<Range<usize>>) -> Self {
        Self {
            tokens,
            pinned: vec![0],
            ..Self::default()
        }
    }
}
