//! Tests of the laboratory as its users see it.
#![expect(
    clippy::unwrap_used,
    reason = "in helpers of tests too, a surprise is a failed test"
)]

mod reports;
mod simulations;
mod wdd;
