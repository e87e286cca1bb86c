//! Runs on a real service.
#![cfg(feature = "client")]
#![expect(
    clippy::unwrap_used,
    reason = "in helpers of tests too, a surprise is a failed test"
)]

mod casd;
mod faults;
mod proxy;
mod runs;
mod tls;
