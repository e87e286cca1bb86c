//! The list algorithms by name.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use super::{
    ActiveCoarsen, Adaptive, Bisection, Cdd, Ddmin, DdminOptions, Direction, Halving, KnownMisses,
    List, Minimise, NMinimal, Naive, Order, ProbDd, Resume, Sigma, Subsets, Sweep, Ties, WProbDd,
    Wddmin,
};
use crate::names::{self, Spec};
use crate::{Fate, Fixpoint, Question, Restart, Search, Subset, Verdict, Wide};

/// A list algorithm with its parameters, chosen at run time.
///
/// Written as its name, then its parameters when they are not the usual ones: `probdd:sigma=0.25`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// [`Halving`].
    Halving(Order, Direction),
    /// [`Adaptive`].
    Adaptive,
    /// [`Ddmin`].
    Ddmin(DdminOptions),
    /// [`Ddmin`] to a fixed point, which is DD*.
    DdminStar(DdminOptions),
    /// [`Wddmin`].
    Wddmin,
    /// [`ProbDd`].
    ProbDd(Sigma, Ties),
    /// [`WProbDd`].
    WProbDd(Sigma, Ties),
    /// [`Cdd`].
    Cdd(Sigma, Direction),
    /// [`ActiveCoarsen`], from a seed.
    ActiveCoarsen(u64),
    /// [`Ddmin`] that leaves out what is below a known miss and hits less often than this: [`KnownMisses`].
    Pma(f64),
    /// [`Bisection`].
    Bisection,
    /// [`Naive`].
    Naive,
    /// [`Sweep`] of single elements.
    Sweep,
    /// [`NMinimal`], up to so many elements at once.
    NMinimal(NonZeroUsize),
}

macro_rules! machines {
    ($($name:ident($machine:ty)),* $(,)?) => {
        /// The machine of an [`Algorithm`].
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum Machine {
            $(#[doc = concat!("See [`Algorithm::", stringify!($name), "`].")] $name($machine),)*
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

            fn union(&self, asked: &[Question<Subset>], places: &[usize]) -> Subset {
                match self { $(Self::$name(machine) => machine.union(asked, places),)* }
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
    DdminStar(Fixpoint<Ddmin>),
    Wddmin(Wddmin),
    ProbDd(ProbDd),
    WProbDd(WProbDd),
    Cdd(Cdd),
    ActiveCoarsen(ActiveCoarsen),
    Pma(KnownMisses<Ddmin>),
    Bisection(Bisection),
    Naive(Naive),
    Sweep(Sweep),
    NMinimal(NMinimal),
}

/// The usual threshold of [`Algorithm::Pma`].
const UNLIKELY: f64 = 0.1;

impl Default for Algorithm {
    fn default() -> Self {
        Self::HALVING
    }
}

impl Algorithm {
    /// [`Halving`] as usual: depth-first, the last elements first.
    pub const HALVING: Self = Self::Halving(Order::Depth, Direction::Backwards);

    /// All algorithms, with their usual parameters.
    pub const ALL: [Self; 14] = [
        Self::HALVING,
        Self::Adaptive,
        Self::Ddmin(DdminOptions::PAPER),
        Self::DdminStar(DdminOptions::PAPER),
        Self::Wddmin,
        Self::ProbDd(Sigma::TENTH, Ties::Last),
        Self::WProbDd(Sigma::TENTH, Ties::Last),
        Self::Cdd(Sigma::TENTH, Direction::Backwards),
        Self::ActiveCoarsen(0),
        Self::Pma(UNLIKELY),
        Self::Bisection,
        Self::Naive,
        Self::Sweep,
        Self::NMinimal(NonZeroUsize::new(2).expect("2 is not 0")),
    ];

    /// Returns the name, without parameters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Halving(..) => "halving",
            Self::Adaptive => "adaptive",
            Self::Ddmin(_) => "ddmin",
            Self::DdminStar(_) => "ddmin*",
            Self::Wddmin => "wddmin",
            Self::ProbDd(..) => "probdd",
            Self::WProbDd(..) => "wprobdd",
            Self::Cdd(..) => "cdd",
            Self::ActiveCoarsen(_) => "coarsen",
            Self::Pma(_) => "pma",
            Self::Bisection => "bisection",
            Self::Naive => "naive",
            Self::Sweep => "sweep",
            Self::NMinimal(_) => "n-minimal",
        }
    }
}

impl Minimise for Algorithm {
    type Machine = Machine;

    fn on(&self, list: List) -> Machine {
        match *self {
            Self::Halving(order, direction) => {
                Machine::Halving(Halving::with_order(list, order, direction))
            }
            Self::Adaptive => Machine::Adaptive(Adaptive::on(list)),
            Self::Ddmin(options) => Machine::Ddmin(Ddmin::with_options(list, options)),
            Self::DdminStar(options) => {
                Machine::DdminStar(Fixpoint::new(Ddmin::with_options(list, options)))
            }
            Self::Wddmin => Machine::Wddmin(Wddmin::on(list)),
            Self::ProbDd(sigma, ties) => Machine::ProbDd(ProbDd::with_sigma(list, sigma, ties)),
            Self::WProbDd(sigma, ties) => Machine::WProbDd(WProbDd::with_sigma(list, sigma, ties)),
            Self::Cdd(sigma, direction) => Machine::Cdd(Cdd::with_sigma(list, sigma, direction)),
            Self::ActiveCoarsen(seed) => {
                Machine::ActiveCoarsen(ActiveCoarsen::with_seed(list, seed))
            }
            Self::Pma(threshold) => Machine::Pma(KnownMisses::skipping(Ddmin::on(list), threshold)),
            Self::Bisection => Machine::Bisection(Bisection::on(list)),
            Self::Naive => Machine::Naive(Naive::on(list)),
            Self::Sweep => Machine::Sweep(Sweep::on(list)),
            Self::NMinimal(most) => Machine::NMinimal(NMinimal::with_most(list, most)),
        }
    }
}

const DIRECTIONS: [(&str, Direction); 2] = [
    ("backwards", Direction::Backwards),
    ("forwards", Direction::Forwards),
];
const ORDERS: [(&str, Order); 2] = [("depth", Order::Depth), ("breadth", Order::Breadth)];
const SUBSETS: [(&str, Subsets); 2] = [("try", Subsets::Try), ("skip", Subsets::Skip)];
const RESUMES: [(&str, Resume); 2] = [("restart", Resume::Restart), ("onwards", Resume::Onwards)];
const TIES: [(&str, Ties); 2] = [("last", Ties::Last), ("first", Ties::First)];

/// `parameter=value`, unless it is the usual value.
fn unusual<T: PartialEq>(
    parameter: &str,
    value: &T,
    usual: &T,
    values: &[(&str, T)],
) -> Option<String> {
    let named = values.iter().find(|(_, known)| known == value);
    named
        .filter(|_| value != usual)
        .map(|(name, _)| format!("{parameter}={name}"))
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = |value, usual| unusual("direction", &value, &usual, &DIRECTIONS);
        let sigma = |sigma: Sigma| (sigma != Sigma::TENTH).then(|| format!("sigma={sigma}"));
        let parameters: Vec<Option<String>> = match *self {
            Self::Halving(order, towards) => vec![
                unusual("order", &order, &Order::Depth, &ORDERS),
                direction(towards, Direction::Backwards),
            ],
            Self::Ddmin(options) | Self::DdminStar(options) => vec![
                unusual("subsets", &options.subsets, &Subsets::Try, &SUBSETS),
                direction(options.complement_direction, Direction::Forwards),
                unusual("resume", &options.resume, &Resume::Restart, &RESUMES),
            ],
            Self::ProbDd(value, ties) | Self::WProbDd(value, ties) => {
                vec![sigma(value), unusual("ties", &ties, &Ties::Last, &TIES)]
            }
            Self::Cdd(value, towards) => {
                vec![sigma(value), direction(towards, Direction::Backwards)]
            }
            Self::ActiveCoarsen(seed) => vec![(seed != 0).then(|| format!("seed={seed}"))],
            Self::Pma(threshold) => {
                let usual = threshold.total_cmp(&UNLIKELY).is_eq();
                vec![(!usual).then(|| format!("threshold={threshold}"))]
            }
            Self::NMinimal(most) => vec![(most.get() != 2).then(|| format!("n={most}"))],
            Self::Adaptive | Self::Wddmin | Self::Bisection | Self::Naive | Self::Sweep => vec![],
        };
        names::write(f, self.name(), &parameters)
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut spec = Spec::parse(text)?;
        let usual = Self::ALL
            .into_iter()
            .find(|known| known.name() == spec.name);
        let Some(usual) = usual else {
            let names = Self::ALL.map(Self::name).join(", ");
            return Err(format!("there is no `{}` among {names}", spec.name));
        };
        let algorithm = match usual {
            Self::Halving(order, direction) => Self::Halving(
                spec.choice("order", order, &ORDERS)?,
                spec.choice("direction", direction, &DIRECTIONS)?,
            ),
            Self::Ddmin(_) => Self::Ddmin(ddmin(&mut spec)?),
            Self::DdminStar(_) => Self::DdminStar(ddmin(&mut spec)?),
            Self::ProbDd(usual, ties) => {
                Self::ProbDd(sigma(&mut spec, usual)?, spec.choice("ties", ties, &TIES)?)
            }
            Self::WProbDd(usual, ties) => {
                Self::WProbDd(sigma(&mut spec, usual)?, spec.choice("ties", ties, &TIES)?)
            }
            Self::Cdd(usual, direction) => Self::Cdd(
                sigma(&mut spec, usual)?,
                spec.choice("direction", direction, &DIRECTIONS)?,
            ),
            Self::ActiveCoarsen(seed) => {
                let read = |text: &str| text.parse().map_err(|_| "a whole number".to_owned());
                Self::ActiveCoarsen(spec.value("seed", seed, read)?)
            }
            Self::Pma(threshold) => Self::Pma(spec.value("threshold", threshold, |text| {
                let share = text
                    .parse()
                    .ok()
                    .filter(|share| (0.0..=1.0).contains(share));
                share.ok_or_else(|| "a number from 0 to 1".to_owned())
            })?),
            Self::NMinimal(most) => {
                let read = |text: &str| {
                    text.parse()
                        .map_err(|_| "a whole number from 1 on".to_owned())
                };
                Self::NMinimal(spec.value("n", most, read)?)
            }
            Self::Adaptive | Self::Wddmin | Self::Bisection | Self::Naive | Self::Sweep => usual,
        };
        spec.finish()?;
        Ok(algorithm)
    }
}

fn ddmin(spec: &mut Spec<'_>) -> Result<DdminOptions, String> {
    let usual = DdminOptions::PAPER;
    let direction = spec.choice("direction", usual.complement_direction, &DIRECTIONS)?;
    Ok(DdminOptions {
        subsets: spec.choice("subsets", usual.subsets, &SUBSETS)?,
        subset_direction: direction,
        complement_direction: direction,
        resume: spec.choice("resume", usual.resume, &RESUMES)?,
    })
}

fn sigma(spec: &mut Spec<'_>, usual: Sigma) -> Result<Sigma, String> {
    spec.value("sigma", usual, |text| {
        let sigma = text.parse().ok().and_then(Sigma::new);
        sigma.ok_or_else(|| "a probability between 0 and 1".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_its_parameters_reads_back_as_what_was_written() {
        let unusual = [
            "halving:order=breadth,direction=forwards",
            "ddmin:subsets=skip,direction=backwards,resume=onwards",
            "ddmin*:resume=onwards",
            "probdd:sigma=0.25,ties=first",
            "wprobdd:sigma=0.01",
            "cdd:sigma=0.3,direction=forwards",
            "coarsen:seed=7",
            "pma:threshold=0.5",
            "n-minimal:n=3",
        ];
        let usual = Algorithm::ALL.map(|algorithm| algorithm.to_string());
        for name in unusual.into_iter().chain(usual.iter().map(String::as_str)) {
            let algorithm: Algorithm = name.parse().expect(name);
            assert_eq!(algorithm.to_string(), name);
        }
    }

    #[test]
    fn what_is_no_algorithm_is_told_what_would_be() {
        let complaint = |text: &str| text.parse::<Algorithm>().expect_err(text);
        assert!(
            complaint("dmin").starts_with("there is no `dmin` among halving, adaptive, ddmin,")
        );
        assert_eq!(complaint("sweep:n=2"), "`sweep` has no parameter `n`");
        assert_eq!(
            complaint("cdd:sigma=2"),
            "sigma has to be a probability between 0 and 1, not `2`"
        );
        assert_eq!(
            complaint("halving:order=best"),
            "order has to be one of depth, breadth, not `best`"
        );
        assert_eq!(
            complaint("cdd:sigma=0.1,sigma=0.2"),
            "`sigma` is there twice"
        );
        assert_eq!(
            complaint("ddmin:backwards"),
            "`backwards` is not of the form `parameter=value`"
        );
    }
}
