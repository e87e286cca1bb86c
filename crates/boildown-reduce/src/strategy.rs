//! The options of a reduction.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Split, TextOrder};
use boildown_search::algorithms::Algorithm;
use boildown_search::algorithms::Schedule;

use crate::{Formats, Keep, PassId, Rules};

/// The options of a reduction. The defaults did best in measurements.
///
/// Except for `passes`, no option removes the passes that prove the result 1-minimal.
#[derive(Debug, Clone)]
pub struct Strategy {
    /// The formats that are known beyond the grammars of languages; none by default.
    pub formats: Formats,
    /// The [name](Formats::names) of the input's format; `None` for the one that is detected.
    pub format: Option<&'static str>,
    /// Whether candidates have to parse.
    pub gate: GateMode,
    /// The algorithm for every list; `None` for the one that suits each pass.
    pub algorithm: Option<Algorithm>,
    /// The order in which trees are reduced.
    pub schedule: Schedule,
    /// Rewrite rules to use in addition to those that come with the language.
    pub rules: Arc<Rules>,
    /// The policy for names.
    pub names: NamePolicy,
    /// The policy for white space.
    pub layout: Layout,
    /// Requirements that every candidate has to meet.
    pub keep: Keep,
    /// The smallest parts of the input that are deleted.
    pub units: Units,
    /// The elements of an input that is a list; they are deleted first.
    pub split: Option<Split>,
    /// The order of the elements of a list.
    pub order: ElementOrder,
    /// Whether words that may tell something are replaced at the end.
    pub redacts: bool,
    /// The order in which every hit is smaller; `None` for the one that suits the language.
    pub text_order: Option<TextOrder>,
    /// Sets of lines, as ranges of bytes, that the output of the failure reports of the whole
    /// input. What they need is tried alone before anything else.
    pub reported_lines: Arc<[Vec<Range<usize>>]>,
    /// The passes that run.
    pub passes: PassSelection,
    /// What happens to inputs of a few characters that have nothing in common with the input.
    pub trivial: TrivialInputs,
}

/// The policy for inputs of one to three characters, made up, that break many parsers: `\r`, `{`.
/// They often have a property that says little, though not because of what is in the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TrivialInputs {
    /// They are not tried.
    Untried,
    /// They are tried when everything else has been, and are never the result. The first that is
    /// interesting is the [trivial input](crate::Pipeline::trivial) of the search.
    #[default]
    Reported,
    /// They are tried first, and replace the input.
    Allowed,
}

/// The order of the elements of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ElementOrder {
    /// That of the input.
    #[default]
    Kept,
    /// Sorted, but for the inversions that the property needs.
    Sorted,
}

/// The smallest parts of an input that a reduction deletes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Units {
    /// The elements of a list. Nothing else is changed.
    Elements,
    /// Whole lines. Nothing else is changed: the result consists of lines of the input.
    Lines,
    /// Tokens of the language, and what they consist of; bytes of an input in no language.
    #[default]
    Tokens,
    /// Bytes, whatever the language. The passes over tokens run first.
    Bytes,
}

/// The passes that run, by their names with a hyphen for each space. `rewriting` stands for all
/// passes whose names begin with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PassSelection {
    /// Every pass for the kind of input.
    #[default]
    All,
    /// Only these.
    Only(Vec<String>),
    /// All but these.
    Without(Vec<String>),
}

impl PassSelection {
    /// Returns whether the passes to run are named.
    pub(crate) fn names_passes_to_run(&self) -> bool {
        matches!(self, Self::Only(_))
    }

    /// Returns whether a pass runs.
    #[must_use]
    pub fn contains(&self, pass: PassId) -> bool {
        let name = pass.name().replace(' ', "-");
        let is_meant = |wanted: &String| {
            let rest = name.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty() || wanted == "rewriting" && rest.starts_with('-')
            })
        };
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(is_meant),
            Self::Without(names) => !names.iter().any(is_meant),
        }
    }
}

impl Default for Strategy {
    fn default() -> Self {
        Self {
            formats: Formats::default(),
            format: None,
            gate: GateMode::Adaptive,
            algorithm: None,
            schedule: Schedule::default(),
            rules: Arc::default(),
            names: NamePolicy::default(),
            layout: Layout::default(),
            keep: Keep::default(),
            units: Units::default(),
            split: None,
            order: ElementOrder::default(),
            redacts: false,
            text_order: None,
            reported_lines: Arc::default(),
            passes: PassSelection::All,
            trivial: TrivialInputs::default(),
        }
    }
}

/// Whether candidates have to parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateMode {
    /// Until enough candidates that do not parse turn out to be interesting.
    Adaptive,
    /// Never.
    Off,
}

/// The policy for names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NamePolicy {
    /// Rewriting may replace a name by another where the result is smaller for it.
    #[default]
    Free,
    /// No candidate contains a name that is not in the input.
    Preserved,
    /// Names become a, b, c and so on, wherever the property allows it.
    Canonical,
}

/// The policy for white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// Deletes blank lines, wide gaps and deep indentation; keeps line breaks between lines.
    #[default]
    Tidy,
    /// Deletes all removable white space, including line breaks.
    Compact,
}
