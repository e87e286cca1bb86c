//! What can be chosen about a reduction.

use std::num::NonZeroUsize;

use boildown_search::list::Algorithm;
use boildown_search::tree::Schedule;

/// How a text is reduced. The default is what measurements say is best.
///
/// The passes that prove the result 1-minimal run whatever is chosen here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strategy {
    /// Whether candidates have to parse.
    pub gate: Gate,
    /// The algorithm for every list; `None` for the one that suits each pass.
    pub algorithm: Option<Algorithm>,
    /// The order in which trees are reduced.
    pub schedule: Schedule,
    /// How many questions that do not depend on each other are asked together. The result depends on it.
    pub width: NonZeroUsize,
}

impl Default for Strategy {
    fn default() -> Self {
        Self {
            gate: Gate::Adaptive,
            algorithm: None,
            schedule: Schedule::default(),
            width: NonZeroUsize::MIN,
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
