//! The smallest difference between two texts, one that passes and one that fails.
//!
//! The difference is a list of changes that make the failing text of the passing one, and any of them apply without the others.
//! [`Isolation`] narrows it from both sides, level by level: in the largest nodes of the tree first, then inside of what remains,
//! down to characters. What passes and what fails may both move, so the two texts that are left are alike but for what matters.

mod difference;
mod level;
mod machine;

pub use level::Finest;
pub use machine::{Isolation, Text};
