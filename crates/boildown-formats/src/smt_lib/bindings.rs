//! Values in the place of names that `let` binds.

use super::terms::{ReadTerms, Term, TermContent, parse};
use super::uses::ByteEdits;

/// A term without places.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression<'a> {
    Atom(&'a [u8]),
    List(Vec<Self>),
}

impl<'a> Expression<'a> {
    fn of(term: &Term<'a>) -> Self {
        match &term.content {
            TermContent::Atom(atom) => Self::Atom(atom),
            TermContent::List(parts) => Self::List(parts.iter().map(Self::of).collect()),
        }
    }

    /// Returns the number of its atoms and brackets.
    fn size(&self) -> usize {
        match self {
            Self::Atom(_) => 1,
            Self::List(parts) => 2 + parts.iter().map(Self::size).sum::<usize>(),
        }
    }

    fn count(&self, name: &[u8]) -> usize {
        match self {
            Self::Atom(atom) => usize::from(*atom == name),
            Self::List(parts) => parts.iter().map(|part| part.count(name)).sum(),
        }
    }

    fn replace(&mut self, name: &[u8], value: &Self) {
        match self {
            Self::Atom(atom) if *atom == name => *self = value.clone(),
            Self::Atom(_) => {}
            Self::List(parts) => {
                for part in parts {
                    part.replace(name, value);
                }
            }
        }
    }

    /// Puts values in the place of names that are bound, where that adds no words. A binding that
    /// is not used is deleted.
    fn without_bindings(self) -> Self {
        let Self::List(parts) = self else {
            return self;
        };
        let parts: Vec<Self> = parts.into_iter().map(Self::without_bindings).collect();
        let [Self::Atom(b"let"), Self::List(bindings), body] = &parts[..] else {
            return Self::List(parts);
        };
        let mut body = body.clone();
        let mut kept = Vec::new();
        let brackets = if bindings.len() == 1 { 8 } else { 3 };
        for binding in bindings {
            match binding {
                Self::List(pair) => match &pair[..] {
                    [Self::Atom(name), value] => {
                        let (uses, size) = (body.count(name), value.size());
                        if uses * size <= size + uses + brackets {
                            body.replace(name, value);
                        } else {
                            kept.push(binding.clone());
                        }
                    }
                    _ => return Self::List(parts),
                },
                Self::Atom(_) => return Self::List(parts),
            }
        }
        match kept.is_empty() {
            true => body,
            false => Self::List(vec![Self::Atom(b"let"), Self::List(kept), body]),
        }
    }

    fn write(&self, text: &mut Vec<u8>) {
        match self {
            Self::Atom(atom) => text.extend(*atom),
            Self::List(parts) => {
                text.push(b'(');
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        text.push(b' ');
                    }
                    part.write(text);
                }
                text.push(b')');
            }
        }
    }
}

/// Returns the edits that put values in the place of bound names: in all commands, and in each.
pub(super) fn without_bindings(text: &[u8]) -> Vec<ByteEdits> {
    let ReadTerms::Script(commands) = parse(text) else {
        return Vec::new();
    };
    let mut each: Vec<ByteEdits> = Vec::new();
    for command in &commands {
        let mut edits = Vec::new();
        let mut rest = vec![command];
        while let Some(term) = rest.pop() {
            match (term.application(), &term.content) {
                (Some((b"let", _)), _) => {
                    let before = Expression::of(term);
                    let after = before.clone().without_bindings();
                    if after != before {
                        let mut text = Vec::new();
                        after.write(&mut text);
                        edits.push((term.range.clone(), text));
                    }
                }
                (_, TermContent::List(parts)) => rest.extend(parts),
                (_, TermContent::Atom(_)) => {}
            }
        }
        if !edits.is_empty() {
            each.push(edits);
        }
    }
    let all = (each.len() > 1).then(|| each.concat());
    all.into_iter().chain(each).collect()
}
