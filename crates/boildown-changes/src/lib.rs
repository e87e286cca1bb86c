//! Two states of a folder of files as a tree of changes, and any part of it as files.
//!
//! A [`State`] is what git calls a tree, or a directory ([`Contents::directory`]). [`ChangeTree::between`] cuts what lies between two
//! of them into commits, directories, files, hunks and lines; any set of its elements is a [`Configuration`], which a
//! [`Workspace`] writes to the disk and [`patch()`] prints. A [`Repository`] is read and never written.

mod contents;
mod directory;
mod error;
mod git;
mod lines;
mod names;
mod patch;
mod renames;
mod state;
mod transplant;
mod tree;
mod workspace;

pub use contents::Contents;
pub use error::ChangesError;
pub use git::{Commit, Repository, Way};
pub use gix::ObjectId;
pub use patch::{Stat, patch, stat};
pub use state::{Configuration, Entry, FilePath, Kind, Made, State};
pub use transplant::transplant;
pub use tree::{ChangeTree, FileChange, Layer};
pub use workspace::{Workspace, Written};
