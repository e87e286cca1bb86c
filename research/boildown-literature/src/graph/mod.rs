//! Searches over lists whose elements require each other, as a library.
//!
//! [`boildown_search::graph`] says what it is about, and has
//! [`BinaryReduction`](boildown_search::graph::BinaryReduction), which reductions run.
//!
//! | type | what it does |
//! |---|---|
//! | [`Closed`] | any list search: deletions include everything that requires a deleted element |
//! | [`Rejecting`] | any list search: candidates that are not closed are skipped, or get low odds |
//! | [`Chisel`] | ddmin over closed candidates, ordered by learned odds |

mod chisel;
mod closed;
mod rejecting;

pub use chisel::Chisel;
pub use closed::Closed;
pub use rejecting::{BrokenPolicy, Rejecting};
