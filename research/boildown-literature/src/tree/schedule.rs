//! The schedules of the literature by name.

use std::fmt;
use std::sync::Arc;

use boildown_search::algorithms::{Algorithm, ParsedName, Schedule, ScheduleEntry, TreeSchedule};
use boildown_search::tree::Tree;
use boildown_search::{AnyListSearch, Fixpoint, Subset};

use super::{
    Append, Hdd, Hddr, HddrOrder, HoistingHdd, LastNode, Nodes, Pardis, Perses, Pop, Siblings,
    TreeProbDd,
};
use crate::list::{CddOptions, ProbDdOptions, Sigma, WProbDdOptions};

/// A schedule of the literature with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KnownSchedule {
    /// [`Hdd`] of all nodes.
    Hdd(LastNode),
    /// [`Hdd`] of all nodes, to a fixed point.
    HddStar,
    /// [`Hdd`] of the nodes that can be deleted without breaking the syntax.
    HddCoarse,
    /// [`Hddr`].
    Hddr(HddrOrder),
    /// [`HoistingHdd`].
    HddHoist,
    /// [`Perses`].
    Perses,
    /// [`Pardis`].
    Pardis(Siblings),
    /// [`TreeProbDd`], with the sigma of the list algorithm, or a tenth if it has none. Nothing
    /// else of the list algorithm counts.
    ProbDdTree,
}

impl KnownSchedule {
    /// All schedules.
    pub const ALL: [Self; 13] = [
        Self::Hdd(LastNode::Tried),
        Self::Hdd(LastNode::Stays),
        Self::HddStar,
        Self::HddCoarse,
        Self::hddr(Pop::Last, Append::Forwards),
        Self::hddr(Pop::Last, Append::Reversed),
        Self::hddr(Pop::First, Append::Forwards),
        Self::hddr(Pop::First, Append::Reversed),
        Self::HddHoist,
        Self::Perses,
        Self::Pardis(Siblings::Alone),
        Self::Pardis(Siblings::Together),
        Self::ProbDdTree,
    ];

    /// The lines of the registry.
    pub(crate) const ENTRIES: &[ScheduleEntry] = &[
        ScheduleEntry {
            entry: Hdd::<Algorithm>::ENTRY,
            parse: |name| {
                let values = [("tried", LastNode::Tried), ("stays", LastNode::Stays)];
                let last = name.choice("last", LastNode::Tried, &values)?;
                Ok(Self::Hdd(last).into())
            },
        },
        ScheduleEntry {
            entry: Hdd::<Algorithm>::STAR,
            parse: |_| Ok(Self::HddStar.into()),
        },
        ScheduleEntry {
            entry: Hdd::<Algorithm>::COARSE,
            parse: |_| Ok(Self::HddCoarse.into()),
        },
        ScheduleEntry {
            entry: Hddr::<Algorithm>::ENTRY,
            parse: |name| parse_order(name).map(|order| Self::Hddr(order).into()),
        },
        ScheduleEntry {
            entry: HoistingHdd::<Algorithm>::ENTRY,
            parse: |_| Ok(Self::HddHoist.into()),
        },
        ScheduleEntry {
            entry: Perses::<Algorithm>::ENTRY,
            parse: |_| Ok(Self::Perses.into()),
        },
        ScheduleEntry {
            entry: Pardis::<Algorithm>::ENTRY,
            parse: |_| Ok(Self::Pardis(Siblings::Alone).into()),
        },
        ScheduleEntry {
            entry: Pardis::<Algorithm>::HYBRID,
            parse: |_| Ok(Self::Pardis(Siblings::Together).into()),
        },
        ScheduleEntry {
            entry: TreeProbDd::ENTRY,
            parse: |_| Ok(Self::ProbDdTree.into()),
        },
    ];

    const fn hddr(pop: Pop, append: Append) -> Self {
        Self::Hddr(HddrOrder { pop, append })
    }
}

/// Takes the parameters of [`Hddr`] out of a name.
fn parse_order(name: &mut ParsedName<'_>) -> Result<HddrOrder, String> {
    let ends = [("last", Pop::Last), ("first", Pop::First)];
    let orders = [
        ("forwards", Append::Forwards),
        ("reversed", Append::Reversed),
    ];
    Ok(HddrOrder {
        pop: name.choice("pop", Pop::Last, &ends)?,
        append: name.choice("append", Append::Forwards, &orders)?,
    })
}

impl From<KnownSchedule> for Schedule {
    fn from(schedule: KnownSchedule) -> Self {
        Self::new(schedule)
    }
}

impl TreeSchedule for KnownSchedule {
    /// Asks about deletions of any size.
    fn start(
        &self,
        algorithm: Algorithm,
        tree: Arc<Tree>,
        kept: Subset,
        _smallest: usize,
    ) -> AnyListSearch {
        let hdd = |algorithm, nodes| Hdd::new(algorithm, Arc::clone(&tree), kept.clone(), nodes);
        match *self {
            Self::Hdd(last) => AnyListSearch::new(hdd(algorithm, Nodes::All).with_last_node(last)),
            Self::HddStar => AnyListSearch::new(Fixpoint::new(hdd(algorithm, Nodes::All))),
            Self::HddCoarse => AnyListSearch::new(hdd(algorithm, Nodes::Neutral)),
            Self::Hddr(order) => AnyListSearch::new(Hddr::new(algorithm, tree, kept, order)),
            Self::HddHoist => AnyListSearch::new(HoistingHdd::new(algorithm, tree, kept)),
            Self::Perses => AnyListSearch::new(Perses::new(algorithm, tree, kept)),
            Self::Pardis(siblings) => {
                AnyListSearch::new(Pardis::new(algorithm, tree, kept, siblings))
            }
            Self::ProbDdTree => {
                let sigma = sigma(&algorithm).unwrap_or(Sigma::TENTH);
                AnyListSearch::new(TreeProbDd::new(tree, kept, sigma))
            }
        }
    }
}

/// Returns the initial probability that an element is needed, for algorithms that have one.
fn sigma(algorithm: &Algorithm) -> Option<Sigma> {
    let probdd = || Some(algorithm.options::<ProbDdOptions>()?.sigma);
    let wprobdd = || Some(algorithm.options::<WProbDdOptions>()?.sigma);
    let cdd = || Some(algorithm.options::<CddOptions>()?.sigma);
    probdd().or_else(wprobdd).or_else(cdd)
}

impl fmt::Display for KnownSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hdd(LastNode::Tried) => "hdd",
            Self::Hdd(LastNode::Stays) => "hdd:last=stays",
            Self::HddStar => "hdd*",
            Self::HddCoarse => "hdd-coarse",
            Self::Hddr(HddrOrder { pop, append }) => match (pop, append) {
                (Pop::Last, Append::Forwards) => "hddr",
                (Pop::Last, Append::Reversed) => "hddr:append=reversed",
                (Pop::First, Append::Forwards) => "hddr:pop=first",
                (Pop::First, Append::Reversed) => "hddr:pop=first,append=reversed",
            },
            Self::HddHoist => "hdd-hoist",
            Self::Perses => "perses",
            Self::Pardis(Siblings::Alone) => "pardis",
            Self::Pardis(Siblings::Together) => "pardis-hybrid",
            Self::ProbDdTree => "probdd-tree",
        })
    }
}
