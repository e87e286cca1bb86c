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
    /// What a text may become that is not a part of it.
    pub rewriting: Rewriting,
    /// What every candidate has to hold.
    pub keep: Keep,
    /// Which passes run.
    pub passes: Passes,
}

/// Which passes run, by their names, with a hyphen for each space.
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
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(&name),
            Self::Without(names) => !names.contains(&name),
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
            rewriting: Rewriting::default(),
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

/// What a text may become that is not a part of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Rewriting {
    /// What the rules of its language say, and these.
    With(Arc<Rules>),
    /// Nothing: the result is made of tokens of the input, in their order.
    Off,
}

impl Default for Rewriting {
    fn default() -> Self {
        Self::With(Arc::default())
    }
}
