//! Copies of the user's project in which commands are run, with the candidate in its place.
//!
//! [`ProjectPlan`] lists what a copy holds; [`Project`] keeps a snapshot of it, and runs commands
//! in copies of that snapshot.

mod copy;
mod node;
mod plan;
mod roots;
mod runs;

pub use plan::{CopiedEntry, PlanError, PlanLimits, ProjectPlan, ProjectRequest};
pub use roots::possible_roots;
pub use runs::Project;
pub(crate) use runs::ProjectRun;
