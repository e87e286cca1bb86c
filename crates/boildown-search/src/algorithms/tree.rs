//! The tree schedules by name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::Algorithm;
use super::names::ParsedName;
use crate::literature::list::Sigma;
use crate::literature::tree::{
    Append, Hdd, Hddr, HddrOrder, HoistingHdd, LastNode, Nodes, Pardis, Perses, Pop, Siblings,
    TreeProbDd,
};
use crate::tree::{Tree, TreeSearch};
use crate::{AnyListSearch, Fixpoint, Subset};

/// The schedule of a tree reduction, chosen at run time.
///
/// Written as its name, then the parameters that do not have their default values:
/// `hddr:pop=first,append=reversed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Schedule {
    /// [`TreeSearch`].
    #[default]
    Boildown,
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

impl Schedule {
    /// All schedules.
    pub const ALL: [Self; 14] = [
        Self::Boildown,
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

    const fn hddr(pop: Pop, append: Append) -> Self {
        Self::Hddr(HddrOrder { pop, append })
    }

    /// Starts the reduction of a tree with a list algorithm. `kept` are the tokens of the tree that
    /// are left.
    ///
    /// Only [`Boildown`](Self::Boildown) leaves out queries that would delete fewer than `smallest`
    /// tokens.
    pub fn start(
        self,
        algorithm: Algorithm,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
    ) -> AnyListSearch {
        let hdd = |algorithm, nodes| Hdd::new(algorithm, Arc::clone(&tree), kept.clone(), nodes);
        match self {
            Self::Boildown => AnyListSearch::new(TreeSearch::new(algorithm, tree, kept, smallest)),
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
                let sigma = algorithm.sigma().unwrap_or(Sigma::TENTH);
                AnyListSearch::new(TreeProbDd::new(tree, kept, sigma))
            }
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boildown => "boildown",
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

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parsed = ParsedName::parse(text)?;
        let known = Self::ALL
            .into_iter()
            .find(|known| known.to_string() == parsed.name);
        let Some(mut schedule) = known else {
            let names = Self::ALL.map(|known| known.to_string());
            let names = names.into_iter().filter(|name| !name.contains(':'));
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(format!("there is no `{}` among {names}", parsed.name));
        };
        if let Self::Hdd(last) = &mut schedule {
            let values = [("tried", LastNode::Tried), ("stays", LastNode::Stays)];
            *last = parsed.choice("last", *last, &values)?;
        }
        if let Self::Hddr(order) = &mut schedule {
            order.pop = parsed.choice(
                "pop",
                order.pop,
                &[("last", Pop::Last), ("first", Pop::First)],
            )?;
            let values = [
                ("forwards", Append::Forwards),
                ("reversed", Append::Reversed),
            ];
            order.append = parsed.choice("append", order.append, &values)?;
        }
        parsed.finish()?;
        Ok(schedule)
    }
}
