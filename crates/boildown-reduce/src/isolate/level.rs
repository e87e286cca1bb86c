//! Levels: how finely two inputs are cut into units, from the largest nodes down to characters.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Document, Language, View, is_binary};
use boildown_search::tree::NodeId;

use super::keys;
use super::text_units::TextUnits;

/// The finest units of a difference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Finest {
    /// Keys with their values, of a configuration file; entries of a lock file.
    Keys,
    /// Whole lines.
    Lines,
    /// Tokens, after the nodes that contain them.
    Tokens,
    /// Characters, after tokens; bytes where an input is not UTF-8.
    #[default]
    Characters,
}

/// One way to cut both inputs into units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// Keys with their values; without a language, lines with the deeper lines after them.
    Keys(Option<&'static Language>),
    /// Lines, whatever the language.
    Lines,
    /// The nodes at this depth of the view's tree, and the tokens above them.
    Nodes(View, usize),
    /// The tokens of a view.
    Tokens(View),
    /// Characters of UTF-8.
    Characters,
    /// Bytes.
    Bytes,
}

/// The levels that two inputs go through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ladder {
    /// The view with the nodes and tokens; `None` if lines are the coarsest units.
    view: Option<View>,
    language: Option<&'static Language>,
    finest: Finest,
    /// Whether both are UTF-8.
    is_text: bool,
}

/// Inputs of more bytes are not parsed: a tree for each level would take long.
const PARSE_LIMIT: usize = 8 << 20;

impl Ladder {
    pub(super) fn new(
        texts: [&[u8]; 2],
        language: Option<&'static Language>,
        finest: Finest,
    ) -> Self {
        let is_flat = |text: &[u8]| is_binary(text) || text.len() > PARSE_LIMIT;
        let is_flat =
            matches!(finest, Finest::Keys | Finest::Lines) || texts.into_iter().any(is_flat);
        Self {
            view: (!is_flat).then(|| language.map_or(View::Blocks, View::Syntax)),
            language,
            finest,
            is_text: texts.iter().all(|text| std::str::from_utf8(text).is_ok()),
        }
    }

    /// Returns the coarsest level.
    pub(super) fn first(self) -> Level {
        match self.view {
            _ if self.finest == Finest::Keys => Level::Keys(self.language),
            Some(view) => Level::Nodes(view, 1),
            None => Level::Lines,
        }
    }

    /// Returns the level after this one. The depth of nodes grows by half, so that deep trees do
    /// not take as many levels as they are deep.
    pub(super) fn after(self, level: Level, goes_deeper: bool) -> Option<Level> {
        match level {
            Level::Nodes(view, depth) if goes_deeper => {
                Some(Level::Nodes(view, depth + (depth / 2).max(1)))
            }
            Level::Nodes(view, _) => Some(Level::Tokens(view)),
            Level::Keys(_) | Level::Characters | Level::Bytes => None,
            Level::Lines | Level::Tokens(_) if self.finest != Finest::Characters => None,
            Level::Lines | Level::Tokens(_) if self.is_text => Some(Level::Characters),
            Level::Lines | Level::Tokens(_) => Some(Level::Bytes),
        }
    }
}

impl Level {
    /// Returns what its units are called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Keys(_) => "keys",
            Self::Lines | Self::Nodes(View::Blocks, _) => "lines",
            Self::Nodes(..) => "nodes",
            Self::Tokens(_) => "tokens",
            Self::Characters => "characters",
            Self::Bytes => "bytes",
        }
    }

    /// Returns whether deleting a unit and inserting another are two separate changes.
    pub(super) fn is_finest(self) -> bool {
        matches!(self, Self::Characters | Self::Bytes)
    }

    pub(super) fn cut(self, text: &Arc<[u8]>) -> TextUnits {
        match self {
            Self::Keys(language) => keys::cut(text, language),
            Self::Lines => flat(ends_of_lines(text)),
            // A byte that does not continue a character begins one.
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

fn flat(ends: impl Iterator<Item = usize>) -> TextUnits {
    let mut start = 0;
    TextUnits {
        units: ends
            .map(|end| std::mem::replace(&mut start, end)..end)
            .collect(),
        goes_deeper: false,
        keys: Vec::new(),
    }
}

/// Returns the nodes at a depth, and each token that is in none of them; without a depth, each
/// token. Gaps are units of their own.
fn nodes(document: &Document, depth: Option<usize>) -> TextUnits {
    // The ends of the open nodes; the root has depth zero.
    let mut open: Vec<NodeId> = Vec::new();
    let mut goes_deeper = false;
    let mut units = Vec::new();
    let mut at = 0;
    let mut singles = |units: &mut Vec<Range<usize>>, until: usize| {
        units.extend((at..until).map(|token| token..token + 1));
        at = at.max(until);
    };
    for (node, found) in document.tree().nodes.enumerate() {
        while open.pop_if(|end| *end <= node).is_some() {}
        if Some(open.len()) == depth && !found.tokens().is_empty() {
            singles(&mut units, found.tokens().start);
            singles(&mut Vec::new(), found.tokens().end);
            units.push(found.tokens());
        }
        goes_deeper |= depth.is_some_and(|depth| open.len() > depth);
        open.push(found.end);
    }
    singles(&mut units, document.len());
    let mut cut = TextUnits {
        units: Vec::with_capacity(2 * units.len()),
        goes_deeper,
        keys: Vec::new(),
    };
    let mut end = 0;
    let rest = document.bytes().len();
    for bytes in units
        .into_iter()
        .map(|tokens| document.byte_range(tokens))
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
