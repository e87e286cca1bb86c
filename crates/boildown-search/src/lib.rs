//! Delta debugging as machines that ask and are told.
//!
//! Every algorithm is a [`Search`]: it asks a [`Question`], hears a [`Verdict`], and knows nothing of files, processes, clocks
//! or threads. The [`Planner`] runs any search with any number of workers, to the same result.
//!
//! [`list`] holds the minimisers of lists, [`tree`] the schedules that run them over a tree, [`graph`] those that know which element
//! requires which, [`changes`] the searches for the changes that broke something, [`combine`] what makes searches of searches.
//! [`minimize()`] is for those who just have a list.
//!
//! ```
//! use boildown_search::list::{Halving, List, Sweep};
//! use boildown_search::{Search, Sequence, Verdict, run};
//!
//! // Which of these lines are needed for the sum to be 12?
//! let lines = [1, 5, 2, 7, 4];
//! let search = Sequence::new(Halving::on(List::uniform(lines.len())), Sweep::on(List::uniform(lines.len())));
//! let search = run(search, |kept| {
//!     if kept.iter().map(|line| lines[line]).sum::<i32>() >= 12 { Verdict::Interesting } else { Verdict::Uninteresting }
//! });
//! assert_eq!(search.best().iter().map(|line| lines[line]).collect::<Vec<_>>(), [5, 7]);
//! ```
#![warn(clippy::disallowed_methods)]

pub mod catalogue;
pub mod changes;
pub mod combine;
mod fingerprint;
pub mod flaky;
pub mod graph;
mod guesses;
pub mod list;
mod minimize;
mod names;
pub mod odds;
mod planner;
mod recent;
mod search;
mod subset;
pub mod tree;
mod verdict;
mod wide;

pub use combine::{FirstThatWorks, Fixpoint, Sequence};
pub use fingerprint::{Fingerprint, Fingerprinted};
pub use minimize::{minimize, minimize_with};
pub use planner::{Planner, QuestionId, Ticket, Told, run};
pub use search::{Question, Restart, Search};
pub use subset::Subset;
pub use verdict::Verdict;
pub use wide::{Epochs, Fate, Wide};
