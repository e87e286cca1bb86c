//! Documents and reductions, from input to result.
//!
//! Most modules need particular languages, so they are built with all of them only.

mod chance;
mod endings;
mod minimality;
mod names;
mod parts;
mod reductions;
mod rewriting;
mod round_trip;
