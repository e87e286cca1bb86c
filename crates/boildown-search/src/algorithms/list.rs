//! A list algorithm that is chosen at run time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::entry::{Entry, Options, Registered};
use super::names::{self, ParsedName};
use crate::list::{GroupTesting, Halving, List, ListAlgorithm};
use crate::{AnyListSearch, Subset};

/// A list algorithm with its parameters, chosen at run time.
///
/// Written as its name, then the parameters that do not have their default values:
/// `cdd:sigma=0.25`. Clones share the parameters. Two are equal if they are written alike.
#[derive(Clone)]
pub struct Algorithm(Arc<dyn ChosenAlgorithm>);

/// A list algorithm as [`Algorithm`] holds it: [registered](Registered), or anything else that can
/// start a search on a list, such as a program at the other end of a pipe.
///
/// It is written, by `Display`, as its name and the parameters that do not have their default
/// values.
pub trait ChosenAlgorithm: fmt::Display + Send + Sync {
    /// Starts on a list: see [`ListAlgorithm::on`].
    fn start(&self, list: List) -> AnyListSearch;

    /// Returns the parameters, if they have a type.
    fn options(&self) -> Option<&dyn Any> {
        None
    }

    /// Returns the algorithm with another seed: see [`Algorithm::reseeded`].
    fn reseeded(&self, _more: u64) -> Option<Algorithm> {
        None
    }

    /// Returns the algorithm for the lists that follow: see [`ListAlgorithm::learn`]. `None`, as by
    /// default, if it stays.
    fn learned(&self, _list: &List, _left: &Subset) -> Option<Algorithm> {
        None
    }
}

/// A registered search with its parameters.
struct With<S: Registered>(S::Options);

impl<S: Registered> fmt::Display for With<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        names::write(f, S::ENTRY.name, &self.0.non_default())
    }
}

impl<S: Registered> ChosenAlgorithm for With<S> {
    fn start(&self, list: List) -> AnyListSearch {
        AnyListSearch::new(S::start(list, self.0))
    }

    fn options(&self) -> Option<&dyn Any> {
        Some(&self.0)
    }

    fn reseeded(&self, more: u64) -> Option<Algorithm> {
        self.0.reseeded(more).map(Algorithm::with::<S>)
    }

    fn learned(&self, list: &List, left: &Subset) -> Option<Algorithm> {
        S::learn(self.0, list, left).map(Algorithm::with::<S>)
    }
}

impl Algorithm {
    /// Returns the algorithm of a search, with the default values of its parameters.
    #[must_use]
    pub fn of<S: Registered>() -> Self {
        Self::with::<S>(S::Options::DEFAULT)
    }

    /// Returns the algorithm of a search with the given parameters.
    #[must_use]
    pub fn with<S: Registered>(options: S::Options) -> Self {
        Self::new(With::<S>(options))
    }

    /// Wraps an algorithm that is not registered.
    #[must_use]
    pub fn new(algorithm: impl ChosenAlgorithm + 'static) -> Self {
        Self(Arc::new(algorithm))
    }

    /// The usual algorithm for a list of which nothing is known: group testing, or halving if its
    /// elements differ in weight, which group testing ignores.
    #[must_use]
    pub fn usual(list: &List) -> Self {
        match list.weights.is_empty() {
            true => Self::group_testing(),
            false => Self::halving(),
        }
    }

    /// [`Halving`] with its default options: depth-first, the last elements first.
    #[must_use]
    pub fn halving() -> Self {
        Self::of::<Halving>()
    }

    /// [`GroupTesting`].
    #[must_use]
    pub fn group_testing() -> Self {
        Self::of::<GroupTesting>()
    }

    /// Returns the algorithm with the seed that is `more` after its own; `None` if it draws no
    /// random numbers.
    #[must_use]
    pub fn reseeded(&self, more: u64) -> Option<Self> {
        self.0.reseeded(more)
    }

    /// Returns the parameters, if this is an algorithm with parameters of that type.
    #[must_use]
    pub fn options<O: Options>(&self) -> Option<O> {
        self.0.options()?.downcast_ref().copied()
    }
}

/// [`Algorithm::halving`].
impl Default for Algorithm {
    fn default() -> Self {
        Self::halving()
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl ListAlgorithm for Algorithm {
    type Search = AnyListSearch;

    fn on(&self, list: List) -> AnyListSearch {
        self.0.start(list)
    }

    fn learn(&mut self, list: &List, left: &Subset) {
        if let Some(learned) = self.0.learned(list, left) {
            *self = learned;
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A list algorithm in a registry.
#[derive(Debug, Clone, Copy)]
pub struct ListEntry {
    /// The description.
    pub entry: Entry,
    parse: fn(&mut ParsedName<'_>) -> Result<Algorithm, String>,
    default: fn() -> Algorithm,
}

impl ListEntry {
    /// Returns the entry of a search.
    #[must_use]
    pub const fn of<S: Registered>() -> Self {
        Self {
            entry: S::ENTRY,
            parse: |name| S::Options::parse(name).map(Algorithm::with::<S>),
            default: Algorithm::of::<S>,
        }
    }

    /// Returns the algorithm with the default values of its parameters.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        (self.default)()
    }

    /// Takes the parameters out of a name.
    pub(super) fn parse(&self, name: &mut ParsedName<'_>) -> Result<Algorithm, String> {
        (self.parse)(name)
    }
}
