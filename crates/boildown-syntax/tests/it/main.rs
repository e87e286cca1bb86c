//! Documents and reductions, from text to text.

mod reductions;
mod round_trip;
