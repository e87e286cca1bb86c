//! The terms and commands of a script, as nested lists.

use std::ops::Range;

/// A word, a string, a quoted symbol, or a list.
#[derive(Debug)]
pub(super) struct Term<'a> {
    /// Its bytes in the script.
    pub(super) range: Range<usize>,
    pub(super) content: TermContent<'a>,
}

#[derive(Debug)]
pub(super) enum TermContent<'a> {
    Atom(&'a [u8]),
    List(Vec<Term<'a>>),
}

impl<'a> Term<'a> {
    pub(super) fn atom(&self) -> Option<&'a [u8]> {
        match &self.content {
            TermContent::Atom(atom) => Some(atom),
            TermContent::List(_) => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        match &self.content {
            TermContent::Atom(_) => None,
            TermContent::List(parts) => Some(parts),
        }
    }

    /// Returns a list with an atom in front: that, and the rest.
    pub(super) fn application(&self) -> Option<(&'a [u8], &[Self])> {
        let (head, arguments) = self.list()?.split_first()?;
        Some((head.atom()?, arguments))
    }
}

pub(super) enum ReadTerms<'a> {
    Script(Vec<Term<'a>>),
    Unbalanced,
    TooDeep,
}

/// Terms that are nested deeper than this are not looked at.
const DEEPEST: usize = 200;

pub(super) fn parse(text: &[u8]) -> ReadTerms<'_> {
    let mut open: Vec<(usize, Vec<Term<'_>>)> = vec![(0, Vec::new())];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match rest[0] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b';' => {
                at += rest.iter().take_while(|&&byte| byte != b'\n').count();
                continue;
            }
            b'(' => {
                open.push((at, Vec::new()));
                at += 1;
                if open.len() > DEEPEST {
                    return ReadTerms::TooDeep;
                }
                continue;
            }
            b')' => {
                at += 1;
                let (Some((start, list)), Some((_, outer))) = (open.pop(), open.last_mut()) else {
                    return ReadTerms::Unbalanced;
                };
                let (range, content) = (start..at, TermContent::List(list));
                outer.push(Term { range, content });
                continue;
            }
            _ => match length_of_atom(rest) {
                Some(length) => length,
                None => return ReadTerms::Unbalanced,
            },
        };
        if let Some((_, list)) = open.last_mut() {
            let content = TermContent::Atom(&rest[..length]);
            let range = at..at + length;
            list.push(Term { range, content });
        }
        at += length;
    }
    match (open.pop(), open.is_empty()) {
        (Some((_, script)), true) => ReadTerms::Script(script),
        _ => ReadTerms::Unbalanced,
    }
}

/// Returns the length of the word, string or quoted symbol that a text begins with; `None` without
/// its end.
fn length_of_atom(text: &[u8]) -> Option<usize> {
    let is_end =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b';' | b'|');
    let length_to = |from: usize, end: u8| {
        let length = text[from..].iter().position(|&byte| byte == end)?;
        Some(from + length + 1)
    };
    match text[0] {
        b'|' => length_to(1, b'|'),
        b'"' => {
            let mut length = length_to(1, b'"')?;
            // A quote in a string is written twice.
            while text.get(length) == Some(&b'"') {
                length = length_to(length + 1, b'"')?;
            }
            Some(length)
        }
        _ => Some(text.iter().take_while(|byte| !is_end(byte)).count()),
    }
}
