//! Flaky properties, which hold in some runs only: rates, and the number of runs of a candidate.
//!
//! A [`RunCounts`] counts runs and hits, and estimates the rate. A [`RepeatPolicy`] decides after
//! each run of a candidate whether the runs so far are enough for a verdict.
//! [`policy_performance()`] computes the error rates and the cost of a policy exactly.
//! [`FlakyBisect`] finds the commit since which a property holds more often.
//!
//! ```
//! use boildown_search::flaky::{RepeatPolicy, RunCounts};
//!
//! // The property held in 60 of 100 runs of the input.
//! let input = RunCounts { runs: 100, hits: 60 };
//! let policy = RepeatPolicy::for_rate(input).expect("the rate is not too low");
//! // A candidate that never hits is rejected after a few runs.
//! assert_eq!(policy.decide(RunCounts { runs: 3, hits: 0 }), None);
//! assert_eq!(policy.decide(RunCounts { runs: 10, hits: 0 }), Some(false));
//! ```

mod flaky_bisect;
mod performance;
mod repeat_policy;
mod run_counts;

pub use flaky_bisect::FlakyBisect;
pub use performance::{PolicyPerformance, policy_performance};
pub use repeat_policy::RepeatPolicy;
pub use run_counts::{RateInterval, RunCounts};
