//! Minimisers of lists whose elements require each other: a use needs its definition, a method the types that it names.
//!
//! A set is *closed* when every element in it has all that it requires. What is not closed is usually not worth a question: it
//! does not compile. [`Closed`] and [`Rejecting`] teach this to any list machine, [`BinaryReduction`] and [`Chisel`] know it
//! from the start.
//!
//! Requirements are knowledge, not law: the oracle may find a set interesting that is not closed, and such a set may be where a
//! search starts. So what counts are the requirements among the elements of the start; one on an element that is already
//! gone is void, since the start is interesting without it.
//!
//! Each is a [`Minimise`](crate::list::Minimise) as a closure: `move |list| BinaryReduction::on(list, requirements.clone())`.

mod binary;
mod chisel;
mod closed;
mod components;
mod rejecting;
mod requirements;

pub use binary::BinaryReduction;
pub use chisel::Chisel;
pub use closed::Closed;
pub use rejecting::{Broken, Rejecting};
pub use requirements::Requirements;
