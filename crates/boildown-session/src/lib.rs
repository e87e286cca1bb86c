//! The loop between a search and an oracle.
//!
//! [`baseline()`] asks what has to be true before any reduction makes sense. [`reduce()`] then runs a search on as many workers as
//! wanted, keeps the best result on disk, and says what happens as [`Event`]s. The result depends on the search and on the
//! verdicts, never on the number of workers.

mod baseline;
mod budget;
mod event;
mod reduce;
mod workers;

pub use baseline::{Baseline, BaselineError, baseline, time_limit};
pub use budget::{Budget, Size};
pub use event::{Event, Progress, Stopped, Summary};
pub use reduce::{Config, Stop, reduce};
