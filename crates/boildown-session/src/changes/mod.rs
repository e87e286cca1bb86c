//! Which change broke it? The session over states of a folder of files.

mod baseline;
mod command;
mod event;
mod parsing;
mod phase;
mod rule;
mod search;
mod trees;
mod way;

pub use command::TreeCommand;
pub use event::{ChangesEvent, Counts, Found, Loosened, Part, Trial};
pub use phase::Tally;
pub use rule::{Goal, Reason, Rule};
pub use search::{Checked, Problem, SearchError, check};
pub use trees::{Furnish, Judge, Judgement};
pub use way::{At, Place, Row};
