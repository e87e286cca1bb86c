//! Documents and reductions, from input to result.
//!
//! Most modules need particular languages, so they are built with all of them only.

#[cfg(feature = "all-languages")]
mod chance;
#[cfg(feature = "all-languages")]
mod endings;
#[cfg(feature = "all-languages")]
mod minimality;
#[cfg(feature = "all-languages")]
mod names;
mod parts;
#[cfg(feature = "all-languages")]
mod reductions;
#[cfg(feature = "all-languages")]
mod rewriting;
mod round_trip;
