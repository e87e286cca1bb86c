//! A git repository, which is read and never written.
//!
//! This is the only module that knows the git library, except for object ids and hashes. It turns
//! the errors of that library into [`ChangesError`](crate::ChangesError).

mod bisect_log;
mod commits;
mod convert;
mod filter;
mod filter_command;
mod filter_protocol;
mod history_graph;
mod repository;
mod skeleton;
mod uncommitted;

pub use bisect_log::BisectLog;
pub use commits::{Commit, HistoryPath};
pub use filter_command::FilterRuns;
pub use history_graph::{HistoryGraph, HistoryLimits};
pub use repository::Repository;
