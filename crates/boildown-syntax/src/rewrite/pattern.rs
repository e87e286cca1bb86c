//! Patterns and replacements, as they are written in rules.

/// A row of literal texts and holes.
///
/// White space only separates: literals match tokens whatever is between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// The text of one or several tokens, without white space.
    Literal(Box<[u8]>),
    /// White space. It is written in replacements, and separates literals in patterns.
    Space(Box<[u8]>),
    /// `$X`: one node.
    One(usize),
    /// `$$$X`: any number of neighbouring nodes and tokens, none included.
    Many(usize),
}

/// The names of the holes of a rule; their places are what parts speak of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names(Vec<String>);

impl Names {
    fn place(&mut self, name: &str) -> usize {
        let known = self.0.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        })
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn name(&self, place: usize) -> &str {
        &self.0[place]
    }
}

impl Pattern {
    /// Reads a pattern; new names are added to `names`.
    pub(super) fn read(text: &str, names: &mut Names) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = if first.is_whitespace() {
                let length = rest.len() - rest.trim_start().len();
                parts.push(Part::Space(rest.as_bytes()[..length].into()));
                length
            } else if let Some((name, length)) = hole(rest) {
                let place = names.place(name);
                let many = rest.starts_with("$$$");
                parts.push(if many {
                    Part::Many(place)
                } else {
                    Part::One(place)
                });
                length
            } else {
                let ends = |(at, letter): (usize, char)| {
                    at > 0 && (letter.is_whitespace() || hole(&rest[at..]).is_some())
                };
                let end = rest.char_indices().find(|&place| ends(place));
                let length = end.map_or(rest.len(), |(at, _)| at);
                parts.push(Part::Literal(rest.as_bytes()[..length].into()));
                length
            };
            rest = &rest[length..];
        }
        Self { parts }
    }

    /// The places of the holes, in order.
    pub(super) fn holes(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts.iter().filter_map(|part| match part {
            Part::One(place) | Part::Many(place) => Some(*place),
            Part::Literal(_) | Part::Space(_) => None,
        })
    }

    /// Whether it would match everywhere.
    pub(super) fn says_nothing(&self) -> bool {
        !(self.parts.iter()).any(|part| matches!(part, Part::Literal(_)))
    }
}

/// The name of the hole that a text begins with, and where it ends.
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
    fn a_pattern_is_literals_holes_and_spaces() {
        let mut names = Names::default();
        let pattern = Pattern::read("if ($C) $$$S2;", &mut names);
        let literal = |text: &str| Part::Literal(text.as_bytes().into());
        let space = || Part::Space(b" "[..].into());
        assert_eq!(
            pattern.parts,
            [
                literal("if"),
                space(),
                literal("("),
                Part::One(0),
                literal(")"),
                space(),
                Part::Many(1),
                literal(";"),
            ]
        );
        assert_eq!((names.name(0), names.name(1)), ("C", "S2"));
        let dollars = Pattern::read("$a $ $5", &mut names);
        assert_eq!(dollars.holes().count(), 0, "holes have upper-case names");
    }
}
