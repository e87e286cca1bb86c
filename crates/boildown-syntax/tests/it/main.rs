//! Documents and reductions, from text to text.

mod minimality;
mod reductions;
mod rewriting;
mod round_trip;
