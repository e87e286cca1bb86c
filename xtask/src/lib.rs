//! Figures and rules of this repository's source tree and of its dependencies, shared by
//! `cargo xtask` and `tests/tidy.rs`.

pub mod checkout;
pub mod house;
pub mod licences;
