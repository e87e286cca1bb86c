//! Driver that runs any search against any oracle on any number of worker threads.
//!
//! A [`Search`](boildown_search::Search) proposes candidates and never runs anything. An
//! [`Oracle`](boildown_oracle::Oracle) decides whether one candidate is interesting and knows
//! nothing about the search. [`Drive`] connects the two: it keeps the workers busy with the
//! candidates that the search is most likely to ask about, and tells the search the verdicts in
//! the order in which the search asks for them.
//!
//! * [`Drive::step`] runs until something happened, and returns it as a [`Step`]. The caller looks
//!   at the search between two steps: to save a result, to show progress, to stop.
//! * [`Config`] holds the number of workers, the [`Budget`], the handle that interrupts the search,
//!   and the [`VerdictMemory`], which answers queries that were answered before.
//! * [`Spent`] counts the tests, the runs and the time so far.
//!
//! # Guarantee
//! The verdicts that the search receives, and their order, depend on the search and on the oracle
//! only, never on the number of workers. A budget of tests ends the search at the same test with
//! any number of workers; a budget of time does not.
//!
//! # Cost
//! The driver also runs candidates that the search may never ask about: while one worker runs the
//! candidate that the search waits for, the others run guesses (see
//! [`Planner`](boildown_search::Planner)). [`Spent::queries`] counts what the search asked,
//! [`Spent::runs`] what the oracle ran.
//!
//! # Example
//! Halving over twelve elements, of which two are needed, with four workers:
//!
//! ```
//! use boildown_driver::{Config, Drive, Step};
//! use boildown_oracle::{FnOracle, OracleError, Verdict};
//! use boildown_search::list::{Halving, List};
//! use boildown_search::{Search as _, Subset};
//!
//! let oracle = FnOracle::new(|kept: &Subset| match kept.contains(3) && kept.contains(7) {
//!     true => Verdict::Interesting,
//!     false => Verdict::Uninteresting,
//! });
//! let config = Config { jobs: 4, ..Config::default() };
//! let best = std::thread::scope(|scope| {
//!     let search = Halving::on(List::uniform(12));
//!     let mut drive = Drive::start(scope, search, &oracle, &config);
//!     loop {
//!         match drive.step()? {
//!             Step::Told(told) => println!("{:?}: {:?}", told.candidate, told.verdict),
//!             Step::Prepared | Step::Tick => {}
//!             Step::Finished | Step::Stopped(_) => break,
//!         }
//!     }
//!     Ok::<_, OracleError>(drive.search().best())
//! })?;
//! assert_eq!(best.iter().collect::<Vec<_>>(), [3, 7]);
//! # Ok::<_, OracleError>(())
//! ```

mod budget;
mod config;
mod drive;
mod room;
mod threads;
mod workers;

pub use budget::{Budget, Spent, StopReason};
pub use config::{
    Config, ProcessorUse, ReadProcessorUse, RecalledVerdict, VerdictMemory, VerdictReview,
};
pub use drive::{Drive, Step};
pub use threads::{map_at_once, start_up_to};
