//! Runs real scripts that misbehave, and checks what is left of them: nothing.
#![expect(
    clippy::unwrap_used,
    reason = "a test panics when it fails, its helpers included"
)]

mod abandoned;
mod contained;
mod failing_to_start;
mod misbehaving;
mod oracle;
mod store;
mod support;
