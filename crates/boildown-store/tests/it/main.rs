//! The run store with files of earlier sessions, intact, damaged or locked.
#![expect(
    clippy::unwrap_used,
    reason = "a failing test panics, also in its helpers"
)]

mod store;
