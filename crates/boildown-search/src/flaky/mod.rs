//! Properties that hold in some runs only: rates, and how often to run a candidate.
//!
//! A [`Tally`] counts runs and says what they tell about a rate. A [`Law`] says, after each run of a candidate, whether the evidence
//! is enough. [`performance()`] computes exactly how a law fares on a candidate of any rate.

mod law;
mod performance;
mod tally;

pub use law::Law;
pub use performance::{Performance, performance};
pub use tally::{Interval, Tally};
