//! What can be chosen about a reduction.

use std::num::NonZeroUsize;
use std::sync::Arc;

use boildown_search::list::Algorithm;
use boildown_search::tree::Schedule;

use crate::Rules;

/// How a text is reduced. The default is what measurements say is best.
///
/// The passes that prove the result 1-minimal run whatever is chosen here.
#[derive(Debug, Clone, PartialEq)]
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
}

impl Default for Strategy {
    fn default() -> Self {
        Self {
            gate: Gate::Adaptive,
            algorithm: None,
            schedule: Schedule::default(),
            width: NonZeroUsize::MIN,
            rewriting: Rewriting::default(),
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
