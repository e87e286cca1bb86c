//! The arguments of a call in place of the parameters of a function, or a type in place of its type
//! parameters.

use std::ops::Range;

use boildown_document::{Document, View, is_word};

use super::matching::Bindings;
use super::pattern::HoleNames;

/// The holes of a rule whose texts belong together: in the text of `body`, each name of
/// `parameters` becomes its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arguments {
    body: usize,
    parameters: ParameterNames,
    values: ParameterValues,
}

/// The names that become values.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ParameterNames {
    /// The names of the parameters in the text of a hole.
    Hole(usize),
    /// A word of the language, as `this`.
    Word(Box<[u8]>),
}

/// What the names of parameters become.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ParameterValues {
    /// The elements of the text of a hole, by position.
    Elements(usize),
    /// A text, all of them.
    Text(Box<[u8]>),
}

impl Arguments {
    /// Reads `$BODY`, `$$$PARAMETERS` and the values, `$$$ARGUMENTS` or a text. The rule has to
    /// know the holes.
    pub(super) fn read(
        body: &str,
        parameters: &str,
        values: &str,
        hole_names: &HoleNames,
    ) -> Result<Self, String> {
        let known = |text: &str| {
            let name = text.trim().trim_start_matches('$');
            let known = hole_names.find(name);
            known.ok_or_else(|| format!("no pattern before binds `{}`", text.trim()))
        };
        let parameters = parameters.trim();
        Ok(Self {
            body: known(body)?,
            parameters: match parameters.starts_with('$') {
                true => ParameterNames::Hole(known(parameters)?),
                false => ParameterNames::Word(parameters.as_bytes().into()),
            },
            values: match values.starts_with('$') {
                true => ParameterValues::Elements(known(values)?),
                false => ParameterValues::Text(values.as_bytes().into()),
            },
        })
    }

    /// Returns whether they are about the text of a hole.
    pub(super) fn concern(&self, hole: usize) -> bool {
        self.body == hole
    }

    /// Returns the names that have a value in the match, with their values. `text` writes an
    /// argument that a hole contains. One that is more than a name, a literal or a call is put in
    /// parentheses.
    pub(super) fn values<'a>(
        &'a self,
        document: &'a Document,
        bindings: &Bindings,
        text: &dyn Fn(usize, Range<usize>) -> Vec<u8>,
    ) -> Vec<NamedValue<'a>> {
        let bound = |hole: usize| bindings[hole].clone().unwrap_or(0..0);
        let names: Vec<Option<&[u8]>> = match &self.parameters {
            ParameterNames::Hole(hole) => (elements(document, bound(*hole)).into_iter())
                .map(|parameter| name_of(document, parameter))
                .collect(),
            ParameterNames::Word(word) => vec![Some(word)],
        };
        let values: Vec<Vec<u8>> = match &self.values {
            ParameterValues::Elements(hole) => (elements(document, bound(*hole)).into_iter())
                .map(|argument| operand(text(*hole, argument)))
                .collect(),
            ParameterValues::Text(text) => vec![text.to_vec(); names.len()],
        };
        (names.into_iter().zip(values))
            .filter_map(|(name, value)| Some((name?, value)))
            .collect()
    }
}

/// A name, and what takes its place.
pub(super) type NamedValue<'a> = (&'a [u8], Vec<u8>);

/// Returns the elements of a list: what is between the commas outside of brackets.
fn elements(document: &Document, list: Range<usize>) -> Vec<Range<usize>> {
    let mut elements = Vec::new();
    let (mut start, mut depth) = (list.start, 0);
    for token in list.clone() {
        match document.token(token) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            b"," if depth == 0 => {
                elements.push(start..token);
                start = token + 1;
            }
            _ => {}
        }
    }
    if start < list.end {
        elements.push(start..list.end);
    }
    elements
}

/// Returns the name of a parameter: `a` of `int a = 1`, of `mut a: u8` and, in Go, of `a int`. A
/// lifetime of Rust has none.
fn name_of(document: &Document, parameter: Range<usize>) -> Option<&[u8]> {
    if parameter.is_empty() || document.token(parameter.start) == b"'" {
        return None;
    }
    let is_end = |token: &usize| {
        let word = document.token(*token);
        matches!(word, b":" | b"=" | b"[" | b"?" | b"extends")
    };
    let end = parameter.clone().find(is_end).unwrap_or(parameter.end);
    let is_name = |word: &&[u8]| word.first().is_some_and(|&byte| is_word(byte));
    let mut names = (parameter.start..end)
        .map(|token| document.token(token))
        .filter(is_name);
    let comes_first = matches!(document.view(), View::Syntax(language) if language.has_names_first);
    match comes_first {
        true => names.next(),
        false => names.next_back(),
    }
}

/// Returns an argument as an operand: in parentheses if it has operators.
pub(super) fn operand(argument: Vec<u8>) -> Vec<u8> {
    let mut depth = 0;
    let has_operator = argument.iter().any(|&byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        let is_part = is_word(byte) || matches!(byte, b'.' | b'"' | b'\'' | b')' | b']' | b'}');
        depth == 0 && !is_part
    });
    match has_operator {
        true => [b"(", &argument[..], b")"].concat(),
        false => argument,
    }
}
