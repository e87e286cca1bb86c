//! Patterns and replacements, as they are written in rules.

/// A sequence of literal texts and holes.
///
/// White space only separates items: neighbouring literals match whatever white space is between
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(super) items: Vec<PatternItem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternItem {
    /// The text of one or several tokens, without white space.
    Literal(Box<[u8]>),
    /// White space. It is written by replacements, and separates literals in patterns.
    Space(Box<[u8]>),
    /// `$X`: one node.
    One(usize),
    /// `$$$X`: any number of neighbouring nodes and tokens, including none.
    Many(usize),
}

/// The names of the holes of a rule. Patterns refer to them by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HoleNames(Vec<String>);

impl HoleNames {
    /// Returns the index of a name that is known.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|known| known == name)
    }

    fn index(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        })
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn name(&self, index: usize) -> &str {
        &self.0[index]
    }
}

impl Pattern {
    /// Reads a pattern; new names are added to `hole_names`.
    pub(super) fn read(text: &str, hole_names: &mut HoleNames) -> Self {
        let mut items = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = if first.is_whitespace() {
                let length = rest.len() - rest.trim_start().len();
                items.push(PatternItem::Space(rest.as_bytes()[..length].into()));
                length
            } else if let Some((name, length)) = hole(rest) {
                let index = hole_names.index(name);
                let many = rest.starts_with("$$$");
                items.push(if many {
                    PatternItem::Many(index)
                } else {
                    PatternItem::One(index)
                });
                length
            } else {
                let ends = |(at, letter): (usize, char)| {
                    at > 0 && (letter.is_whitespace() || hole(&rest[at..]).is_some())
                };
                let end = rest.char_indices().find(|&found| ends(found));
                let length = end.map_or(rest.len(), |(at, _)| at);
                items.push(PatternItem::Literal(rest.as_bytes()[..length].into()));
                length
            };
            rest = &rest[length..];
        }
        Self { items }
    }

    /// Returns the indices of the holes, in order.
    pub(super) fn holes(&self) -> impl Iterator<Item = usize> + '_ {
        self.items.iter().filter_map(|part| match part {
            PatternItem::One(index) | PatternItem::Many(index) => Some(*index),
            PatternItem::Literal(_) | PatternItem::Space(_) => None,
        })
    }

    /// Returns whether the pattern has no literal, so that it matches everywhere.
    pub(super) fn matches_everything(&self) -> bool {
        !(self.items.iter()).any(|part| matches!(part, PatternItem::Literal(_)))
    }
}

/// Returns the name of the hole that a text begins with, and the length of the hole in bytes.
fn hole(text: &str) -> Option<(&str, usize)> {
    let rest = text
        .strip_prefix("$$$")
        .or_else(|| text.strip_prefix('$'))?;
    let length = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        .count();
    let name = &rest[..length];
    let is_name = name.starts_with(|first: char| first.is_ascii_uppercase());
    is_name.then_some((name, text.len() - rest.len() + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_consists_of_literals_holes_and_spaces() {
        let mut hole_names = HoleNames::default();
        let pattern = Pattern::read("if ($C) $$$S2;", &mut hole_names);
        let literal = |text: &str| PatternItem::Literal(text.as_bytes().into());
        let space = || PatternItem::Space(b" "[..].into());
        assert_eq!(
            pattern.items,
            [
                literal("if"),
                space(),
                literal("("),
                PatternItem::One(0),
                literal(")"),
                space(),
                PatternItem::Many(1),
                literal(";"),
            ]
        );
        assert_eq!((hole_names.name(0), hole_names.name(1)), ("C", "S2"));
        let dollars = Pattern::read("$a $ $5", &mut hole_names);
        assert_eq!(dollars.holes().count(), 0, "holes have upper-case names");
    }
}
