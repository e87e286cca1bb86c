//! Documents and reductions, from text to text.

mod minimality;
mod reductions;
mod round_trip;
