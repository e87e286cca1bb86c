//! The tree schedules by name.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{
    Append, Hdd, Hddr, HoistingHdd, Nodes, Order, Pardis, Perses, Pop, Siblings, Tree, TreeSearch,
};
use crate::list::{InEpochs, Minimise};
use crate::names::Spec;
use crate::{Epochs, Fixpoint, Question, Search, Subset, Verdict};

/// The order in which a tree is reduced, chosen at run time.
///
/// Written as its name, then its parameters when they are not the usual ones: `hddr:pop=first,append=reversed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Schedule {
    /// [`TreeSearch`].
    #[default]
    Boildown,
    /// [`Hdd`] of all nodes.
    Hdd,
    /// [`Hdd`] of all nodes, to a fixed point.
    HddStar,
    /// [`Hdd`] of the nodes that can go without breaking the syntax.
    HddCoarse,
    /// [`Hddr`].
    Hddr(Order),
    /// [`HoistingHdd`].
    HddHoist,
    /// [`Perses`].
    Perses,
    /// [`Pardis`].
    Pardis(Siblings),
}

macro_rules! machines {
    ($($name:ident($machine:ty)),* $(,)?) => {
        /// The machine of a [`Schedule`].
        #[derive(Clone)]
        #[non_exhaustive]
        pub enum ScheduleMachine<A: Minimise> {
            $(#[doc = concat!("See [`Schedule::", stringify!($name), "`].")] $name($machine),)*
        }

        // Derived, it would lack the bound on the list machine.
        impl<A: Minimise + fmt::Debug> fmt::Debug for ScheduleMachine<A>
        where
            A::Machine: fmt::Debug,
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$name(machine) => machine.fmt(f),)* }
            }
        }

        impl<A: Minimise> Search for ScheduleMachine<A> {
            type Candidate = Subset;

            fn ask(&self) -> Option<Question<Subset>> {
                match self { $(Self::$name(machine) => machine.ask(),)* }
            }

            fn certain(&self) -> Vec<Question<Subset>> {
                match self { $(Self::$name(machine) => machine.certain(),)* }
            }

            fn tell(&mut self, verdict: Verdict) {
                match self { $(Self::$name(machine) => machine.tell(verdict),)* }
            }

            fn skip(&mut self) {
                match self { $(Self::$name(machine) => machine.skip(),)* }
            }

            fn best(&self) -> Subset {
                match self { $(Self::$name(machine) => machine.best(),)* }
            }
        }
    };
}

machines! {
    Boildown(Epochs<TreeSearch<A>>),
    Hdd(Hdd<InEpochs<A>>),
    HddStar(Fixpoint<Hdd<InEpochs<A>>>),
    HddCoarse(Hdd<InEpochs<A>>),
    Hddr(Hddr<InEpochs<A>>),
    HddHoist(HoistingHdd<InEpochs<A>>),
    Perses(Perses<InEpochs<A>>),
    Pardis(Pardis<InEpochs<A>>),
}

impl Schedule {
    /// All schedules.
    pub const ALL: [Self; 12] = [
        Self::Boildown,
        Self::Hdd,
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
    ];

    const fn hddr(pop: Pop, append: Append) -> Self {
        Self::Hddr(Order { pop, append })
    }

    /// Starts it on the atoms of `kept`, which hold all atoms of the tree that are still there, with a list minimiser. Only
    /// [`Boildown`](Self::Boildown) leaves out questions that would delete fewer than `smallest` atoms, and only it asks about
    /// several places of the tree at once; the others are as wide as their lists.
    pub fn start<A: Minimise>(
        self,
        algorithm: InEpochs<A>,
        tree: Arc<Tree>,
        kept: Subset,
        smallest: usize,
    ) -> ScheduleMachine<A> {
        let hdd = |algorithm, nodes| Hdd::new(algorithm, Arc::clone(&tree), kept.clone(), nodes);
        match self {
            Self::Boildown => {
                let InEpochs { algorithm, width } = algorithm;
                let search = TreeSearch::new(algorithm, tree, kept, smallest);
                ScheduleMachine::Boildown(search.in_epochs(width))
            }
            Self::Hdd => ScheduleMachine::Hdd(hdd(algorithm, Nodes::All)),
            Self::HddStar => ScheduleMachine::HddStar(Fixpoint::new(hdd(algorithm, Nodes::All))),
            Self::HddCoarse => ScheduleMachine::HddCoarse(hdd(algorithm, Nodes::Neutral)),
            Self::Hddr(order) => ScheduleMachine::Hddr(Hddr::new(algorithm, tree, kept, order)),
            Self::HddHoist => ScheduleMachine::HddHoist(HoistingHdd::new(algorithm, tree, kept)),
            Self::Perses => ScheduleMachine::Perses(Perses::new(algorithm, tree, kept)),
            Self::Pardis(siblings) => {
                ScheduleMachine::Pardis(Pardis::new(algorithm, tree, kept, siblings))
            }
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boildown => "boildown",
            Self::Hdd => "hdd",
            Self::HddStar => "hdd*",
            Self::HddCoarse => "hdd-coarse",
            Self::Hddr(Order { pop, append }) => match (pop, append) {
                (Pop::Last, Append::Forwards) => "hddr",
                (Pop::Last, Append::Reversed) => "hddr:append=reversed",
                (Pop::First, Append::Forwards) => "hddr:pop=first",
                (Pop::First, Append::Reversed) => "hddr:pop=first,append=reversed",
            },
            Self::HddHoist => "hdd-hoist",
            Self::Perses => "perses",
            Self::Pardis(Siblings::Alone) => "pardis",
            Self::Pardis(Siblings::Together) => "pardis-hybrid",
        })
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut spec = Spec::parse(text)?;
        let usual = Self::ALL
            .into_iter()
            .find(|known| known.to_string() == spec.name);
        let Some(mut schedule) = usual else {
            let names = Self::ALL.map(|known| known.to_string());
            let names = names.into_iter().filter(|name| !name.contains(':'));
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(format!("there is no `{}` among {names}", spec.name));
        };
        if let Self::Hddr(order) = &mut schedule {
            order.pop = spec.choice(
                "pop",
                order.pop,
                &[("last", Pop::Last), ("first", Pop::First)],
            )?;
            let values = [
                ("forwards", Append::Forwards),
                ("reversed", Append::Reversed),
            ];
            order.append = spec.choice("append", order.append, &values)?;
        }
        spec.finish()?;
        Ok(schedule)
    }
}
