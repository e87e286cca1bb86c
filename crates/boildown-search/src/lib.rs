//! Delta debugging as machines that ask and are told.
#![warn(clippy::disallowed_methods)]

mod verdict;

pub use verdict::Verdict;
