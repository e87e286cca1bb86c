//! The scratch space: directories in which candidates are run.

mod attributes;
mod candidate_file;
mod empty_dir;
mod protection;
mod remove;
mod reusable_run_dir;
mod run_dir;
mod scratch_run;
mod scratch_space;
mod session_dir;
mod stale;

pub(crate) use attributes::Attributes;
pub use candidate_file::CandidateFile;
pub(crate) use protection::open_here;
pub use remove::remove_tree;
pub(crate) use remove::{empty, remove_at};
pub(crate) use reusable_run_dir::ReusableRunDir;
pub use run_dir::RunDir;
pub(crate) use scratch_run::ScratchRun;
pub use scratch_space::Scratch;
pub(crate) use scratch_space::{MEMORY, is_suitable_memory};
