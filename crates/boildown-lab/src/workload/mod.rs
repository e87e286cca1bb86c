//! Synthetic list problems, made from a seed.

mod oracle;
mod shape;

use std::sync::Arc;

use boildown_search::list::List;
use boildown_search::{Subset, Verdict};

pub use oracle::{Needs, Oracle};
pub use shape::Shape;
pub(crate) use shape::Weighted;

/// A list to be minimised, and what decides.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The number of elements.
    pub length: usize,
    /// The weight of each element, at least 1. Empty when all weigh the same.
    pub weights: Arc<[u32]>,
    /// What decides. The whole list is interesting.
    pub oracle: Oracle,
}

impl Problem {
    /// Returns the whole list, for a machine to start on.
    #[must_use]
    pub fn list(&self) -> List {
        List {
            kept: Subset::full(self.length),
            weights: Arc::clone(&self.weights),
        }
    }

    /// Returns the verdict on a subset: a function of what is kept, and of nothing else.
    #[must_use]
    pub fn judge(&self, kept: &Subset) -> Verdict {
        self.oracle.judge(kept)
    }
}
