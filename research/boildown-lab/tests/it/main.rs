//! Tests of the public interface of the laboratory.
#![expect(
    clippy::unwrap_used,
    reason = "a failed step of a helper is a failed test"
)]

mod pages;
mod reports;
mod simulations;
mod wdd;
