//! The list algorithms by name.

use std::fmt;
use std::str::FromStr;

use super::entry::{Entry, Options as _, Registered};
use super::names::{self, ParsedName};
use crate::list::{Adaptive, GroupTesting, Halving, HalvingOptions, List, ListAlgorithm, Sweep};
use crate::literature::list::{
    ActiveCoarsen, Bisection, Cdd, CddOptions, CoarsenOptions, Ddmin, DdminOptions, KnownMisses,
    NMinimal, NMinimalOptions, Naive, PmaOptions, ProbDd, ProbDdOptions, Sigma, WProbDd,
    WProbDdOptions, Wddmin,
};
use crate::{AnyListSearch, Fixpoint, Subset};

/// Makes the enum of all list algorithms from a list of variants. Each variant has the options of
/// its algorithm, if there are any, and stands for a search that is [`Registered`].
macro_rules! algorithms {
    ($(
        $(#[$doc:meta])*
        $variant:ident $(($options:ident: $type:ty))? => $search:ty,
    )*) => {
        /// A list algorithm with its parameters, chosen at run time.
        ///
        /// Written as its name, then the parameters that do not have their default values:
        /// `probdd:sigma=0.25`.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[non_exhaustive]
        pub enum Algorithm {
            $($(#[$doc])* $variant $(($type))?,)*
        }

        impl Algorithm {
            /// All algorithms, with the default values of their parameters.
            pub const ALL: [Self; Self::ENTRIES.len()] = [$({
                $(let $options = <$type>::DEFAULT;)?
                Self::$variant $(($options))?
            },)*];

            /// The descriptions of all algorithms.
            pub(super) const ENTRIES: &[Entry] = &[$(<$search as Registered>::ENTRY,)*];

            /// Returns the description.
            fn entry(self) -> Entry {
                #[expect(unused_variables, reason = "only the variant decides")]
                match self {
                    $(Self::$variant $(($options))? => <$search as Registered>::ENTRY,)*
                }
            }

            fn start(self, list: List) -> AnyListSearch {
                match self {
                    $(Self::$variant $(($options))? => {
                        <$search as Registered>::start_any(list, { $($options)? })
                    })*
                }
            }

            /// Returns the parameters that do not have their default values.
            fn non_default(self) -> Vec<Option<String>> {
                match self {
                    $(Self::$variant $(($options))? => ({ $($options)? }).non_default(),)*
                }
            }

            /// Takes the parameters of an algorithm out of `name`.
            fn with_parameters(self, name: &mut ParsedName<'_>) -> Result<Self, String> {
                match self {
                    $(Self::$variant $(($options))? => {
                        $(let $options = {
                            let _default = $options;
                            <$search as Registered>::Options::parse(name)?
                        };)?
                        Ok(Self::$variant $(($options))?)
                    })*
                }
            }
        }
    };
}

algorithms! {
    /// [`Halving`].
    Halving(options: HalvingOptions) => Halving,
    /// [`GroupTesting`].
    GroupTesting => GroupTesting,
    /// [`Adaptive`].
    Adaptive => Adaptive,
    /// [`Ddmin`].
    Ddmin(options: DdminOptions) => Ddmin,
    /// [`Ddmin`], repeated to a fixed point, which is DD*.
    DdminStar(options: DdminOptions) => Fixpoint<Ddmin>,
    /// [`Wddmin`].
    Wddmin => Wddmin,
    /// [`ProbDd`].
    ProbDd(options: ProbDdOptions) => ProbDd,
    /// [`WProbDd`].
    WProbDd(options: WProbDdOptions) => WProbDd,
    /// [`Cdd`].
    Cdd(options: CddOptions) => Cdd,
    /// [`ActiveCoarsen`].
    ActiveCoarsen(options: CoarsenOptions) => ActiveCoarsen,
    /// [`Ddmin`] with [`KnownMisses`].
    Pma(options: PmaOptions) => KnownMisses<Ddmin>,
    /// [`Bisection`].
    Bisection => Bisection,
    /// [`Naive`].
    Naive => Naive,
    /// [`Sweep`] of single elements.
    Sweep => Sweep,
    /// [`NMinimal`].
    NMinimal(options: NMinimalOptions) => NMinimal,
}

impl Default for Algorithm {
    fn default() -> Self {
        Self::HALVING
    }
}

impl Algorithm {
    /// [`Halving`] with its default options: depth-first, the last elements first.
    pub const HALVING: Self = Self::Halving(HalvingOptions::DEFAULT);

    /// Returns the initial probability that an element is needed, for algorithms that have one.
    pub(super) fn sigma(self) -> Option<Sigma> {
        match self {
            Self::ProbDd(options) => Some(options.sigma),
            Self::WProbDd(options) => Some(options.sigma),
            Self::Cdd(options) => Some(options.sigma),
            _ => None,
        }
    }

    /// Returns the name, without parameters.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }
}

impl ListAlgorithm for Algorithm {
    type Search = AnyListSearch;

    fn on(&self, list: List) -> AnyListSearch {
        self.start(list)
    }

    fn learn(&mut self, list: &List, left: &Subset) {
        let (estimate, sigma) = match self {
            Self::ProbDd(options) => (options.estimate, &mut options.sigma),
            Self::WProbDd(options) => (options.estimate, &mut options.sigma),
            _ => return,
        };
        *sigma = estimate.after_list(*sigma, list.kept.count(), left.count());
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        names::write(f, self.name(), &self.non_default())
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parsed = ParsedName::parse(text)?;
        let known = Self::ALL
            .into_iter()
            .find(|known| known.name() == parsed.name);
        let Some(algorithm) = known else {
            let names = Self::ALL.map(Self::name).join(", ");
            return Err(format!("there is no `{}` among {names}", parsed.name));
        };
        let algorithm = algorithm.with_parameters(&mut parsed)?;
        parsed.finish()?;
        Ok(algorithm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parameters_is_written_as_it_was_parsed() {
        let with_parameters = [
            "halving:order=breadth,direction=forwards",
            "ddmin:subsets=skip,direction=backwards,resume=onwards",
            "ddmin*:resume=onwards,split=3",
            "probdd:sigma=0.25,ties=first,estimate=answers",
            "wprobdd:sigma=0.01,ties=stable,prefix=longest,estimate=lists",
            "cdd:sigma=0.3,direction=forwards",
            "coarsen:seed=7",
            "pma:threshold=0.5",
            "n-minimal:n=3",
        ];
        let names = Algorithm::ALL.map(|algorithm| algorithm.to_string());
        for name in (with_parameters.into_iter()).chain(names.iter().map(String::as_str)) {
            let algorithm: Algorithm = name.parse().expect(name);
            assert_eq!(algorithm.to_string(), name);
        }
    }

    /// Returns the parameters that an entry describes, each with its first value.
    fn described(entry: &Entry) -> Vec<(&str, &str)> {
        let parameters = entry.parameters.split(", ").filter(|text| !text.is_empty());
        parameters
            .map(|parameter| {
                let (name, values) = parameter.split_once('=').expect(parameter);
                (name, values.split('|').next().expect("never empty"))
            })
            .collect()
    }

    #[test]
    fn every_described_parameter_is_parsed_and_its_first_value_is_the_default() {
        for algorithm in Algorithm::ALL {
            for (parameter, default) in described(&algorithm.entry()) {
                let text = format!("{}:{parameter}={default}", algorithm.name());
                assert_eq!(text.parse(), Ok(algorithm), "{text}");
            }
        }
    }

    #[test]
    fn parse_errors_name_what_is_allowed() {
        let error = |text: &str| text.parse::<Algorithm>().expect_err(text);
        assert!(
            error("dmin").starts_with("there is no `dmin` among halving, group-testing, adaptive,")
        );
        assert_eq!(error("sweep:n=2"), "`sweep` has no parameter `n`");
        assert_eq!(
            error("cdd:sigma=2"),
            "sigma has to be a probability between 0 and 1, not `2`"
        );
        assert_eq!(
            error("halving:order=best"),
            "order has to be one of depth, breadth, not `best`"
        );
        assert_eq!(
            error("ddmin:split=1"),
            "split has to be a whole number of at least 2, not `1`"
        );
        assert_eq!(error("cdd:sigma=0.1,sigma=0.2"), "`sigma` is there twice");
        assert_eq!(
            error("ddmin:backwards"),
            "`backwards` is not of the form `parameter=value`"
        );
    }
}
