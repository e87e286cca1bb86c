//! List algorithms of the literature: each removes as many elements as it can.
//!
//! All of them start on a [`List`](boildown_search::list::List), and can be restarted, repeated and
//! chosen by [name](boildown_search::algorithms::Algorithms). The table of papers is that of the
//! crate.

mod beliefs;
mod bisection;
mod cdd;
mod coarsen;
mod ddmin;
mod known_misses;
mod n_minimal;
mod naive;
mod probdd;
mod sigma;
mod split_factor;
mod wddmin;
mod wprobdd;

pub use beliefs::{Prefix, Ties};
pub use bisection::Bisection;
pub use cdd::{Cdd, CddOptions, Rounds};
pub use coarsen::{ActiveCoarsen, CoarsenOptions};
pub use ddmin::{Ddmin, DdminOptions, Resume, Subsets};
pub use known_misses::{KnownMisses, PmaOptions};
pub use n_minimal::{NMinimal, NMinimalOptions};
pub use naive::Naive;
pub use probdd::{ProbDd, ProbDdOptions};
pub use sigma::{Sigma, SigmaEstimate};
pub use split_factor::SplitFactor;
pub use wddmin::Wddmin;
pub use wprobdd::{WProbDd, WProbDdOptions};
