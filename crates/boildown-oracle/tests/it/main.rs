//! Tests of the crate through its public interface.
#![expect(
    clippy::unwrap_used,
    reason = "a failing test panics, also in its helpers"
)]

mod tool_outputs;
