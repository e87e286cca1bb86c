//! Runs real scripts that misbehave, and checks that nothing is left of them.
#![expect(
    clippy::unwrap_used,
    reason = "a failing test panics, also in its helpers"
)]

mod contained;
mod embedded;
mod failing_to_start;
mod misbehaving;
mod oracle;
mod support;
