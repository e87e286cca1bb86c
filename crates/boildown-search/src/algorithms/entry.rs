//! Registry entries: the description of an algorithm, and the traits that register one.

use std::fmt;

use super::names::ParsedName;
use crate::list::List;
use crate::{Fixpoint, ListSearch, Subset};

/// The description of an algorithm, for people who choose one.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name. List algorithms and tree schedules are chosen by it on the command line.
    pub name: &'static str,
    /// The kind of input it works on.
    pub family: Family,
    /// The parameters as they are written after the name, with the default value first. Empty if
    /// there are none.
    pub parameters: &'static str,
    /// The guarantee for the result, given an oracle that always gives the same answer.
    pub guarantee: &'static str,
    /// The number of queries for n elements, of which m are needed.
    pub cost: &'static str,
    /// The publication, or other origin.
    pub source: &'static str,
}

/// The kind of input that an algorithm works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// A list of elements, to be made as short as possible.
    List,
    /// A tree whose sibling lists are minimised by a list algorithm.
    Tree,
    /// A set of changes between a passing and a failing state, with unresolved outcomes.
    Changes,
    /// A list of elements that require each other.
    Requirements,
}

impl Family {
    /// All families, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::List, Self::Tree, Self::Changes, Self::Requirements];
}

/// A list search that can be chosen by name.
///
/// It is implemented beside the search. A [registry](super::Algorithms) has a line for each:
/// [`ListEntry::of`](super::ListEntry::of).
pub trait Registered: ListSearch + fmt::Debug + Send + Sync + Sized + 'static {
    /// The parameters; `()` if there are none.
    type Options: Options;
    /// The description.
    const ENTRY: Entry;

    /// Starts the search on a list.
    fn start(list: List, options: Self::Options) -> Self;

    /// Learns parameters for the lists that follow, from a list that was minimised and what is
    /// left of it: see [`ListAlgorithm::learn`](crate::list::ListAlgorithm::learn). `None`, as by
    /// default, if they stay.
    fn learn(_: Self::Options, _list: &List, _left: &Subset) -> Option<Self::Options> {
        None
    }
}

/// A registered search whose repetition to a fixed point is registered too.
pub trait Repeated: Registered {
    /// The description of the repetition.
    const FIXPOINT: Entry;
}

impl<S: Repeated> Registered for Fixpoint<S> {
    type Options = S::Options;
    const ENTRY: Entry = S::FIXPOINT;

    fn start(list: List, options: S::Options) -> Self {
        Self::new(S::start(list, options))
    }
}

/// The parameters of a list algorithm, with their text form.
pub trait Options: Copy + fmt::Debug + Send + Sync + 'static {
    /// The values of parameters that are not given.
    const DEFAULT: Self;

    /// Takes the parameters out of a name such as `cdd:sigma=0.25`.
    ///
    /// # Errors
    /// Says what a value has to be.
    fn parse(name: &mut ParsedName<'_>) -> Result<Self, String>;

    /// Returns the parameters with the seed that is `more` after theirs. `None`, as by default, if
    /// the algorithm draws no random numbers.
    fn reseeded(self, _more: u64) -> Option<Self> {
        None
    }

    /// Returns `parameter=value` for every parameter, or `None` where the value is the default.
    fn non_default(self) -> Vec<Option<String>>;
}

impl Options for () {
    const DEFAULT: Self = ();

    fn parse(_: &mut ParsedName<'_>) -> Result<Self, String> {
        Ok(())
    }

    fn non_default(self) -> Vec<Option<String>> {
        Vec::new()
    }
}
