//! Documents and reductions, from text to text.

mod chance;
mod minimality;
mod names;
mod parts;
mod reductions;
mod rewriting;
mod round_trip;
