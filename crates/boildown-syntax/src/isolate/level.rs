//! How finely a difference is cut: from the largest nodes of a text down to its characters.

use std::ops::Range;
use std::sync::Arc;

use crate::pipeline::is_binary;
use crate::{Document, Language, View};

/// The finest units of a difference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finest {
    /// Whole lines.
    Lines,
    /// Tokens, after the nodes that hold them.
    Tokens,
    /// Characters, after tokens; bytes where a text is no UTF-8.
    #[default]
    Characters,
}

/// One way to cut both texts into units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// Lines, whatever the language.
    Lines,
    /// The nodes at this depth of the view's tree, and what stands above them.
    Nodes(View, usize),
    /// What a view cannot cut any further.
    Tokens(View),
    /// Characters of UTF-8.
    Characters,
    /// Bytes.
    Bytes,
}

/// The levels that two texts go through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ladder {
    /// How nodes and tokens are found; `None` for texts that are read as lines.
    view: Option<View>,
    finest: Finest,
    /// Whether both are UTF-8.
    is_text: bool,
}

/// A text in units, which are all of it.
pub(super) struct Cut {
    pub(super) units: Vec<Range<usize>>,
    /// Whether there are finer nodes than these.
    pub(super) goes_deeper: bool,
}

/// Texts beyond this many bytes are read as lines: a tree for each level would take long.
const LARGE: usize = 8 << 20;

impl Ladder {
    pub(super) fn of(
        texts: [&[u8]; 2],
        language: Option<&'static Language>,
        finest: Finest,
    ) -> Self {
        let is_flat = |text: &[u8]| is_binary(text) || text.len() > LARGE;
        let is_flat = finest == Finest::Lines || texts.into_iter().any(is_flat);
        Self {
            view: (!is_flat).then(|| language.map_or(View::Blocks, View::Syntax)),
            finest,
            is_text: texts.iter().all(|text| std::str::from_utf8(text).is_ok()),
        }
    }

    /// The coarsest level.
    pub(super) fn first(self) -> Level {
        self.view.map_or(Level::Lines, |view| Level::Nodes(view, 1))
    }

    /// The level after this one. Deep trees go down in growing steps, or they would take as many levels as they are deep.
    pub(super) fn after(self, level: Level, goes_deeper: bool) -> Option<Level> {
        match level {
            Level::Nodes(view, depth) if goes_deeper => {
                Some(Level::Nodes(view, depth + (depth / 2).max(1)))
            }
            Level::Nodes(view, _) => Some(Level::Tokens(view)),
            Level::Characters | Level::Bytes => None,
            Level::Lines | Level::Tokens(_) if self.finest != Finest::Characters => None,
            Level::Lines | Level::Tokens(_) if self.is_text => Some(Level::Characters),
            Level::Lines | Level::Tokens(_) => Some(Level::Bytes),
        }
    }
}

impl Level {
    /// What its units are called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Lines | Self::Nodes(View::Blocks, _) => "lines",
            Self::Nodes(..) => "nodes",
            Self::Tokens(_) => "tokens",
            Self::Characters => "characters",
            Self::Bytes => "bytes",
        }
    }

    /// Whether its units are so small that taking one away and putting another there are two changes.
    pub(super) fn is_finest(self) -> bool {
        matches!(self, Self::Characters | Self::Bytes)
    }

    pub(super) fn cut(self, text: &Arc<[u8]>) -> Cut {
        match self {
            Self::Lines => flat(ends_of_lines(text)),
            // A byte that continues no character begins one.
            Self::Characters => flat(
                (1..=text.len())
                    .filter(|&end| text.get(end).is_none_or(|byte| byte & 0xc0 != 0x80)),
            ),
            Self::Bytes => flat(1..=text.len()),
            Self::Nodes(view, depth) => nodes(&Document::new(text, view), Some(depth)),
            Self::Tokens(view) => nodes(&Document::new(text, view), None),
        }
    }
}

fn ends_of_lines(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut end = 0;
    text.split_inclusive(|&byte| byte == b'\n')
        .map(move |line| {
            end += line.len();
            end
        })
}

fn flat(ends: impl Iterator<Item = usize>) -> Cut {
    let mut start = 0;
    Cut {
        units: ends
            .map(|end| std::mem::replace(&mut start, end)..end)
            .collect(),
        goes_deeper: false,
    }
}

/// Nodes at a depth as units, and each atom that is in none of them; with no depth, each atom. The gaps are units too.
fn nodes(document: &Document, depth: Option<usize>) -> Cut {
    // Where the nodes that are open end; the root is at depth zero.
    let mut open: Vec<usize> = Vec::new();
    let mut goes_deeper = false;
    let mut units = Vec::new();
    let mut at = 0;
    let mut singles = |units: &mut Vec<Range<usize>>, until: usize| {
        units.extend((at..until).map(|atom| atom..atom + 1));
        at = at.max(until);
    };
    for (node, found) in document.tree().nodes.iter().enumerate() {
        while open.pop_if(|end| *end <= node).is_some() {}
        if Some(open.len()) == depth && !found.atoms.is_empty() {
            singles(&mut units, found.atoms.start);
            singles(&mut Vec::new(), found.atoms.end);
            units.push(found.atoms.clone());
        }
        goes_deeper |= depth.is_some_and(|depth| open.len() > depth);
        open.push(found.end);
    }
    singles(&mut units, document.len());
    let mut cut = Cut {
        units: Vec::with_capacity(2 * units.len()),
        goes_deeper,
    };
    let mut end = 0;
    let rest = document.bytes().len();
    for bytes in units
        .into_iter()
        .map(|atoms| document.range(atoms))
        .chain([rest..rest])
    {
        cut.units.extend(
            [end..bytes.start, bytes.clone()]
                .into_iter()
                .filter(|unit| !unit.is_empty()),
        );
        end = bytes.end;
    }
    cut
}
