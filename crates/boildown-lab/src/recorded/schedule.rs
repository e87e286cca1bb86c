//! The tree schedules by name: the one place where another is plugged in.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use boildown_search::list::Algorithm;
use boildown_search::tree::{Tree, TreeSearch};
use boildown_search::{Question, Search, Subset, Verdict};

/// An order in which the rows of siblings of a tree are reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schedule {
    /// [`TreeSearch`]: heaviest first, with replacements.
    Heaviest,
}

macro_rules! machines {
    ($($name:ident($machine:ty)),* $(,)?) => {
        /// The machine of a [`Schedule`].
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum TreeMachine {
            $(#[doc = concat!("See [`Schedule::", stringify!($name), "`].")] $name($machine),)*
        }

        impl Search for TreeMachine {
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
    Heaviest(TreeSearch<Algorithm>),
}

impl Schedule {
    /// All schedules.
    pub const ALL: [Self; 1] = [Self::Heaviest];

    /// Starts on the atoms of `kept`, with a list algorithm for every row of siblings.
    pub fn start(self, algorithm: Algorithm, tree: Arc<Tree>, kept: Subset) -> TreeMachine {
        match self {
            Self::Heaviest => TreeMachine::Heaviest(TreeSearch::new(algorithm, tree, kept, 1)),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Heaviest => "heaviest",
        })
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL
            .into_iter()
            .find(|schedule| schedule.to_string() == text);
        known.ok_or_else(|| format!("no tree schedule has the name `{text}`"))
    }
}
