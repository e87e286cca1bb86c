//! Runs on a real service.
#![cfg(feature = "client")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests start a service and wait for it"
)]

mod casd;
mod faults;
mod proxy;
mod runs;
mod tls;
