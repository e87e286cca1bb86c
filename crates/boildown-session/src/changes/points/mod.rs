//! Search for the points inside a program that break it.
//!
//! A program, or the compiler that makes it, has numbered points at which it can do something in a
//! new way or in the old one. A pattern in an environment variable says at which. With all points
//! new it fails, with none it works; the search finds the few points that make the difference.
//!
//! - `pattern.rs`: the protocol, which is that of Go's `bisect` tool
//! - `search.rs`: the search

mod pattern;
mod search;

pub use pattern::Point;
pub use search::{PointsError, PointsProblem, PointsReport};
