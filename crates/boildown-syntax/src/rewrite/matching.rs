//! Where a pattern matches a document.

use std::collections::HashMap;
use std::ops::Range;

use super::pattern::{Part, Pattern};
use crate::Document;

/// A document, prepared for matching.
pub(super) struct Index<'a> {
    pub(super) document: &'a Document,
    /// For each atom, where the nodes that start with it end: largest first, each end once.
    ends: Vec<Vec<u32>>,
    /// For each place between two atoms, the first atom of the largest node that ends there.
    starts: Vec<u32>,
    /// The atoms with a text.
    places: HashMap<&'a [u8], Vec<usize>>,
}

/// What the holes of a rule stand for, as atoms.
pub(super) type Bindings = Vec<Option<Range<usize>>>;

/// A stretch of a document that looks like a pattern.
#[derive(Debug, Clone)]
pub(super) struct Match {
    pub(super) atoms: Range<usize>,
    pub(super) bindings: Bindings,
}

/// How many steps one attempt may take: a pattern of many holes over deep nesting could take as many as there are ways to fill them.
const STEPS: usize = 1000;

/// How many ways to match from the same atom on are looked for.
const WAYS: usize = 4;

impl<'a> Index<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let mut ends: Vec<Vec<u32>> = vec![Vec::new(); document.len()];
        let mut starts: Vec<u32> = (0..=document.len()).map(small).collect();
        for node in document.tree().nodes.iter().skip(1) {
            let (start, end) = (small(node.atoms.start), small(node.atoms.end));
            // An outer node comes before the inner ones.
            if start < end && ends[node.atoms.start].last() != Some(&end) {
                ends[node.atoms.start].push(end);
            }
            let earliest = &mut starts[node.atoms.end];
            *earliest = start.min(*earliest);
        }
        let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for atom in 0..document.len() {
            places.entry(document.atom(atom)).or_default().push(atom);
        }
        Self {
            document,
            ends,
            starts,
            places,
        }
    }

    /// The atoms with this text, in order.
    pub(super) fn places(&self, text: &[u8]) -> &[usize] {
        self.places.get(text).map_or(&[], Vec::as_slice)
    }

    /// Returns the matches of a pattern, from left to right, and for each start those with the largest nodes first. `known` holds what is bound already.
    pub(super) fn matches(&self, pattern: &Pattern, known: &Bindings) -> Vec<Match> {
        let at = |start| self.match_at(pattern, known, start);
        match self.first_text(pattern, known) {
            Some(text) => {
                let mut starts: Vec<usize> = Vec::new();
                // A literal may be several tokens: `+=` where the grammar has `+` and `=`.
                for length in 1..=text.len().min(16) {
                    starts.extend(self.places(&text[..length]));
                }
                if text.len() > 16 {
                    starts.extend(self.places(text));
                }
                starts.sort_unstable();
                starts.into_iter().flat_map(at).collect()
            }
            None => (0..self.document.len()).flat_map(at).collect(),
        }
    }

    /// The text that a match must begin with, when it is known.
    fn first_text<'p>(&self, pattern: &'p Pattern, known: &Bindings) -> Option<&'p [u8]>
    where
        'a: 'p,
    {
        match pattern.parts.first()? {
            Part::Literal(text) => Some(text),
            Part::One(place) | Part::Many(place) => {
                let bound = known.get(*place)?.clone()?;
                (!bound.is_empty()).then(|| self.document.atom(bound.start))
            }
            Part::Space(_) => None,
        }
    }

    fn match_at(&self, pattern: &Pattern, known: &Bindings, start: usize) -> Vec<Match> {
        let mut attempt = Attempt {
            index: self,
            bindings: known.clone(),
            start,
            steps: STEPS,
            found: Vec::new(),
        };
        let _enough = attempt.run(&pattern.parts, start);
        attempt.found
    }

    /// Whether a range of atoms is made of whole nodes, as far as it reaches into them.
    pub(super) fn is_whole(&self, atoms: &Range<usize>) -> bool {
        (atoms.start + 1..atoms.end).all(|at| {
            let longest = self.ends[at].first();
            longest.is_none_or(|&end| end as usize <= atoms.end)
                && self.starts[at] as usize >= atoms.start
        })
    }

    fn same(&self, left: &Range<usize>, right: &Range<usize>) -> bool {
        left.len() == right.len()
            && (left.clone())
                .zip(right.clone())
                .all(|(left, right)| self.document.atom(left) == self.document.atom(right))
    }
}

fn small(index: usize) -> u32 {
    u32::try_from(index).expect("documents are at most 4 GiB, and an atom is at least a byte")
}

/// All ways to match a pattern from one atom on.
struct Attempt<'a> {
    index: &'a Index<'a>,
    bindings: Bindings,
    start: usize,
    steps: usize,
    found: Vec<Match>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enough {
    Yes,
    No,
}

impl Attempt<'_> {
    /// Matches the parts from an atom on, in every way.
    fn run(&mut self, parts: &[Part], at: usize) -> Enough {
        if self.steps == 0 {
            return Enough::Yes;
        }
        self.steps -= 1;
        let Some((part, rest)) = parts.split_first() else {
            return self.end(at);
        };
        match part {
            Part::Space(_) => self.run(rest, at),
            Part::Literal(text) => match self.literal(text, at) {
                Some(end) => self.run(rest, end),
                None => Enough::No,
            },
            Part::One(place) | Part::Many(place) => {
                if let Some(bound) = self.bindings[*place].clone() {
                    let end = at + bound.len();
                    let same =
                        end <= self.index.document.len() && self.index.same(&bound, &(at..end));
                    return if same {
                        self.run(rest, end)
                    } else {
                        Enough::No
                    };
                }
                let enough = if matches!(part, Part::One(_)) {
                    self.one(*place, rest, at)
                } else {
                    self.many(*place, rest, at, at)
                };
                self.bindings[*place] = None;
                enough
            }
        }
    }

    fn end(&mut self, at: usize) -> Enough {
        if at > self.start && self.index.is_whole(&(self.start..at)) {
            self.found.push(Match {
                atoms: self.start..at,
                bindings: self.bindings.clone(),
            });
        }
        if self.found.len() == WAYS {
            Enough::Yes
        } else {
            Enough::No
        }
    }

    fn literal(&self, text: &[u8], at: usize) -> Option<usize> {
        let mut rest = text;
        let mut at = at;
        while !rest.is_empty() {
            if at == self.index.document.len() {
                return None;
            }
            rest = rest.strip_prefix(self.index.document.atom(at))?;
            at += 1;
        }
        Some(at)
    }

    fn one(&mut self, place: usize, rest: &[Part], at: usize) -> Enough {
        let index = self.index;
        for &end in index.ends.get(at).into_iter().flatten() {
            self.bindings[place] = Some(at..end as usize);
            if self.run(rest, end as usize) == Enough::Yes {
                return Enough::Yes;
            }
        }
        Enough::No
    }

    fn many(&mut self, place: usize, rest: &[Part], start: usize, at: usize) -> Enough {
        self.bindings[place] = Some(start..at);
        if self.run(rest, at) == Enough::Yes {
            return Enough::Yes;
        }
        let index = self.index;
        let Some(ends) = index.ends.get(at) else {
            return Enough::No;
        };
        // Whole nodes first, then what is inside of them.
        for &end in ends {
            if self.many(place, rest, start, end as usize) == Enough::Yes {
                return Enough::Yes;
            }
        }
        match ends.last() {
            Some(&end) if end as usize == at + 1 => Enough::No,
            _ => self.many(place, rest, start, at + 1),
        }
    }
}
