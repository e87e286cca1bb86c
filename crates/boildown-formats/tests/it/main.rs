//! Documents and reductions, from input to result.

mod chance;
mod endings;
mod folders;
mod minimality;
mod names;
mod parts;
mod reductions;
mod rewriting;
mod round_trip;
