//! Figures and rules of this repository's source tree, shared by `cargo xtask house` and
//! `tests/tidy.rs`.

pub mod checkout;
pub mod house;
