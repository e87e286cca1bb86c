//! Copies of the user's project in which commands are run, with the candidate in its place.
//!
//! [`ProjectPlan`] lists what a copy holds; [`Project`] keeps a snapshot of it, and runs commands
//! in copies of that snapshot. When a folder is reduced, [`FolderPlan`] lists what it holds, and
//! the copies hold one state of the folder after another. [`FolderResult`] is the folder with the
//! best result.

mod copy;
mod dir_watch;
mod folder;
mod folder_plan;
mod folder_result;
mod kept_artifacts;
mod node;
mod plan;
mod roots;
mod runs;
mod written_tree;

pub use folder_plan::{FolderNotes, FolderPlan, FolderRequest};
pub use folder_result::{FolderResult, content_of_folder};
pub use kept_artifacts::CleanRuns;
pub use plan::{CopiedEntry, PlanError, PlanLimits, ProjectPlan, ProjectRequest};
pub use roots::possible_roots;
pub use runs::Project;
pub(crate) use runs::ProjectRun;
pub(crate) use written_tree::Leftovers;
