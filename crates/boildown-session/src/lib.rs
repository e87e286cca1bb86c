//! The loop between a search and an oracle.
//!
//! [`baseline()`] asks what has to be true before any reduction makes sense. [`Drive`] runs any search on as many workers as
//! wanted; the result depends on the search and on the verdicts, never on the number of workers. [`reduce()`] drives the search for
//! a smaller text, keeps the best one on disk, and says what happens as [`Event`]s; [`isolate()`] does so for the smallest difference
//! between a text that passes and one that fails, which [`contrast()`] checks beforehand. [`changes`] looks for the change
//! that broke something.

mod baseline;
mod budget;
mod careful;
pub mod changes;
mod drive;
mod event;
mod isolate;
mod rate;
mod reduce;
mod texts;
mod workers;

pub use baseline::{Baseline, BaselineError, Care, baseline, time_limit};
pub use budget::{Budget, Size};
pub use careful::{Reduced, reduce_carefully};
pub use drive::{Config, Drive, Leave, Spent, Step, Stop};
pub use event::{Event, Progress, Stopped, Summary};
pub use isolate::{ContrastError, Side, Sides, contrast, isolate};
pub use rate::Rate;
pub use reduce::{Goal, reduce};
