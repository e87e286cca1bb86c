//! The list algorithms by name.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use super::{Adaptive, Ddmin, DdminOptions, Halving, List, Minimise, Subsets, Sweep};
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// A list algorithm with its parameters, chosen at run time.
///
/// Written as its name, then its parameters when they are not the usual ones: `probdd:sigma=0.1`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Algorithm {
    /// [`Halving`].
    #[default]
    Halving,
    /// [`Adaptive`].
    Adaptive,
    /// [`Ddmin`].
    Ddmin(Subsets),
    /// [`Sweep`] of single elements.
    Sweep,
}

macro_rules! machines {
    ($($name:ident($machine:ty)),* $(,)?) => {
        /// The machine of an [`Algorithm`].
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum Machine {
            $(#[doc = concat!("See [`", stringify!($machine), "`].")] $name($machine),)*
        }

        impl Search for Machine {
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

        impl Wide for Machine {
            fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
                match self { $(Self::$name(machine) => machine.pending(width),)* }
            }

            fn settle(&mut self, fates: &[Fate]) {
                match self { $(Self::$name(machine) => machine.settle(fates),)* }
            }
        }

        impl Restart for Machine {
            fn restart(&mut self, best: Subset) {
                match self { $(Self::$name(machine) => machine.restart(best),)* }
            }
        }
    };
}

machines! {
    Halving(Halving),
    Adaptive(Adaptive),
    Ddmin(Ddmin),
    Sweep(Sweep),
}

impl Algorithm {
    /// All algorithms, with their usual parameters.
    pub const ALL: [Self; 5] = [
        Self::Halving,
        Self::Adaptive,
        Self::Ddmin(Subsets::Try),
        Self::Ddmin(Subsets::Skip),
        Self::Sweep,
    ];
}

impl Minimise for Algorithm {
    type Machine = Machine;

    fn on(&self, list: List) -> Machine {
        match *self {
            Self::Halving => Machine::Halving(Halving::on(list)),
            Self::Adaptive => Machine::Adaptive(Adaptive::on(list)),
            Self::Ddmin(subsets) => {
                let options = DdminOptions {
                    subsets,
                    ..DdminOptions::default()
                };
                Machine::Ddmin(Ddmin::with_options(list, options))
            }
            Self::Sweep => Machine::Sweep(Sweep::on(list)),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Halving => "halving",
            Self::Adaptive => "adaptive",
            Self::Ddmin(Subsets::Try) => "ddmin",
            Self::Ddmin(Subsets::Skip) => "ddmin:subsets=skip",
            Self::Sweep => "sweep",
        })
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.to_string() == text);
        known.ok_or_else(|| format!("no algorithm has the name `{text}`"))
    }
}
