//! Modules that were read from a text, whose units are the tokens of a document.
//!
//! [`module_layout`](super::module_layout) makes that document.

use std::fmt;
use std::ops::Range;

/// A module of which any set of units can be written. A module remembers the [`UnitToken`] of each
/// of its units, which `write` looks up with [`is_kept`].
pub trait WritableModule: fmt::Debug + Send + Sync {
    /// Returns the bytes of each word. [`UnitLayout`](super::module_layout::UnitLayout) takes words
    /// by their position in this list; without it, there are none.
    fn words(&self) -> Vec<Range<usize>> {
        Vec::new()
    }

    /// Returns the module that consists of the kept tokens, given by token. All bytes are its own,
    /// white space and line ends too.
    ///
    /// Any set may be kept, also a unit without the one around it, and nothing at all. With all
    /// tokens, it is not called: the input is given back.
    fn write(&self, kept: &[bool]) -> Vec<u8>;

    /// Returns the units that the module does the same without.
    fn idle_units(&self) -> IdleUnits {
        IdleUnits::default()
    }

    /// Returns whether a candidate is worth a test.
    fn accepts(&self, _candidate: &[u8]) -> bool {
        true
    }
}

/// Units of a module that does the same without them.
#[derive(Debug, Default)]
pub struct IdleUnits {
    /// The labels of blocks that only continue another one, or do nothing but jump on.
    pub labels: Vec<UnitToken>,
    /// The local variables that nothing mentions.
    pub variables: Vec<UnitToken>,
    /// Other values that nothing mentions.
    pub values: Vec<UnitToken>,
}

/// The token of a unit; `None` before the tokens are laid out, and for units that are always kept.
pub type UnitToken = Option<usize>;

/// Returns whether a unit is kept.
pub fn is_kept(token: UnitToken, kept: &[bool]) -> bool {
    token.is_none_or(|token| kept[token])
}

/// Returns what stands between two words without its comments, which begin at a semicolon, and
/// without the lines that were nothing else.
pub fn without_comments(gap: &[u8]) -> Vec<u8> {
    if !gap.contains(&b';') {
        return gap.to_vec();
    }
    let lines: Vec<&[u8]> = gap.split(|&byte| byte == b'\n').collect();
    let mut left = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let is_last = index + 1 == lines.len();
        let code = line.split(|&byte| byte == b';').next().unwrap_or_default();
        if code.len() == line.len() || index == 0 {
            left.push(if is_last { code } else { code.trim_ascii_end() });
        }
    }
    left.join(&b'\n')
}

/// Takes away the white space that was written from a position on.
pub fn trim_written(out: &mut Vec<u8>, start: usize) {
    let written = out[start..].iter();
    let space = written.take_while(|byte| byte.is_ascii_whitespace());
    let space = space.count();
    out.drain(start..start + space);
}

/// Returns the end of a string that begins at a quote, in which a backslash takes the meaning from
/// the byte after it.
pub fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}
