//! A tree schedule that is chosen at run time.

use std::fmt;
use std::sync::Arc;

use super::Algorithm;
use super::entry::Entry;
use super::names::ParsedName;
use crate::tree::{Tree, TreeSearch};
use crate::{AnyListSearch, Subset};

/// A schedule of tree reductions with its parameters, as a registry knows it.
///
/// It is written, by `Display`, as its name and then the parameters that do not have their default
/// values: `hddr:pop=first`.
pub trait TreeSchedule: fmt::Display + fmt::Debug + Send + Sync {
    /// Starts the reduction of a tree with a list algorithm. `kept` are the tokens of the tree that
    /// are left, and `smallest` is the number of tokens below which a deletion need not be asked
    /// about; a schedule may ignore it.
    fn start(
        &self,
        algorithm: Algorithm,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
    ) -> AnyListSearch;
}

/// The schedule of a tree reduction, chosen at run time. Clones share it. Two are equal if they are
/// written alike.
#[derive(Debug, Clone)]
pub struct Schedule(Arc<dyn TreeSchedule>);

impl Schedule {
    /// Wraps a schedule.
    #[must_use]
    pub fn new(schedule: impl TreeSchedule + 'static) -> Self {
        Self(Arc::new(schedule))
    }

    /// Starts the reduction of a tree: see [`TreeSchedule::start`].
    #[must_use]
    pub fn start(
        &self,
        algorithm: Algorithm,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
    ) -> AnyListSearch {
        self.0.start(algorithm, tree, kept, smallest)
    }

    /// Whether this is [`TreeSearch`], the schedule of the default reductions.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// [`TreeSearch`].
impl Default for Schedule {
    fn default() -> Self {
        Self::new(BestFirst)
    }
}

impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// [`TreeSearch`] as a schedule.
#[derive(Debug)]
struct BestFirst;

impl fmt::Display for BestFirst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TreeSearch::<Algorithm>::ENTRY.name)
    }
}

impl TreeSchedule for BestFirst {
    fn start(
        &self,
        algorithm: Algorithm,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
    ) -> AnyListSearch {
        AnyListSearch::new(TreeSearch::new(algorithm, tree, kept, smallest))
    }
}

/// A tree schedule in a registry.
#[derive(Debug, Clone, Copy)]
pub struct ScheduleEntry {
    /// The description.
    pub entry: Entry,
    /// Takes the parameters out of a name, and returns the schedule.
    pub parse: fn(&mut ParsedName<'_>) -> Result<Schedule, String>,
}

impl ScheduleEntry {
    /// [`TreeSearch`].
    pub const DEFAULT: Self = Self {
        entry: TreeSearch::<Algorithm>::ENTRY,
        parse: |_| Ok(Schedule::default()),
    };
}
