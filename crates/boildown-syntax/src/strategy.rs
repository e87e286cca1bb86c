//! What can be chosen about a reduction.

use std::num::NonZeroUsize;
use std::sync::Arc;

use boildown_search::list::Algorithm;
use boildown_search::tree::Schedule;

use crate::{Keep, Rules};

/// How a text is reduced. The default is what measurements say is best.
///
/// The passes that prove the result 1-minimal run whatever is chosen here, unless it is the passes.
#[derive(Debug, Clone)]
pub struct Strategy {
    /// Whether candidates have to parse.
    pub gate: Gate,
    /// The algorithm for every list; `None` for the one that suits each pass.
    pub algorithm: Option<Algorithm>,
    /// The order in which trees are reduced.
    pub schedule: Schedule,
    /// How many questions that do not depend on each other are asked together. The result depends on it.
    pub width: NonZeroUsize,
    /// What a text may become that is not a part of it, besides what the rules of its language say.
    pub rules: Arc<Rules>,
    /// What becomes of names.
    pub names: Names,
    /// What becomes of white space.
    pub layout: Layout,
    /// What every candidate has to hold.
    pub keep: Keep,
    /// Which passes run.
    pub passes: Passes,
}

/// Which passes run, by their names, with a hyphen for each space. `rewriting` stands for all whose names begin so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Passes {
    /// All that the kind of input has.
    #[default]
    All,
    /// These.
    Only(Vec<String>),
    /// All but these.
    Without(Vec<String>),
}

impl Passes {
    /// Returns whether a pass runs.
    #[must_use]
    pub fn contain(&self, name: &str) -> bool {
        let name = name.replace(' ', "-");
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
            gate: Gate::Adaptive,
            algorithm: None,
            schedule: Schedule::default(),
            width: NonZeroUsize::MIN,
            rules: Arc::default(),
            names: Names::default(),
            layout: Layout::default(),
            keep: Keep::default(),
            passes: Passes::All,
        }
    }
}

/// Whether candidates have to parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Until it turns out not to matter.
    Adaptive,
    /// Never.
    Off,
}

/// What becomes of names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Names {
    /// Rewriting may write others, where the result is smaller for it.
    #[default]
    Free,
    /// Nothing writes a name that is not in the input.
    Preserved,
    /// They become a, b, c and so on, wherever the property allows it.
    Canonical,
}

/// What becomes of white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// Blank lines, wide gaps and deep indentation go; line breaks stay.
    #[default]
    Tidy,
    /// All goes that can.
    Compact,
}
