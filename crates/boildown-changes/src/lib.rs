//! Changes between two states of a folder of files: a tree of removable changes, and any subset of
//! them as files on disk or as a patch.
//!
//! This crate is what `boildown changes` works on: it finds out which change between a good and a
//! bad revision causes a failure. The search itself is elsewhere; here is the model of the changes.
//!
//! - A [`State`] is all files of a folder: a commit of a [`Repository`], its work tree, or a plain
//!   directory ([`Contents::directory_state`]).
//! - [`ChangeTree::between`] splits the difference of two states into *elements*: single lines,
//!   renames, mode changes, and files that cannot be split. [`ChangeTree::groups`] tells which
//!   elements belong to the same directory, file or hunk.
//! - [`ChangeTree::cut_to_words`] splits lines further.
//! - A set of elements applied to the first state is a [`Configuration`]. A [`Workspace`] writes it
//!   to disk, [`patch()`] prints it as a patch that `git apply` accepts, and [`transplant()`]
//!   applies the same change to another state.
//! - [`Contents`] holds the bytes of all files, by the object id that git gives them.
//!
//! A [`Repository`] is only read, never written.
//!
//! # Example
//! Two directories differ in two lines. Applying only the first change gives a file that neither
//! directory has.
//!
//! ```
//! use boildown_changes::{ChangeTree, ChangeUnit, Contents, Workspace, patch};
//! use boildown_search::Subset;
//!
//! let folder = tempfile::tempdir()?;
//! for (name, text) in [("old", "port=1\nhost=a\nuser=x\n"), ("new", "port=2\nhost=a\nuser=y\n")] {
//!     std::fs::create_dir(folder.path().join(name))?;
//!     std::fs::write(folder.path().join(name).join("server.conf"), text)?;
//! }
//!
//! let contents = Contents::default();
//! let old = contents.directory_state(&folder.path().join("old"), &[])?;
//! let new = contents.directory_state(&folder.path().join("new"), &[])?;
//! let tree = ChangeTree::between(&old, &new, &contents)?;
//! let all = Subset::full(tree.len());
//! assert_eq!(tree.count(ChangeUnit::Hunks, &all), 2);
//!
//! let first = all.only(0..1);
//! let configuration = tree.configuration(&first, &contents)?.expect("no path conflicts");
//! let mut workspace = Workspace::create(folder.path().join("work"))?;
//! workspace.update(&configuration, &contents)?;
//! let written = std::fs::read_to_string(workspace.root().join("server.conf"))?;
//! assert_eq!(written, "port=2\nhost=a\nuser=x\n");
//!
//! let text = patch(&old.into(), &configuration, &contents)?;
//! assert!(String::from_utf8_lossy(&text).contains("\n-port=1\n+port=2\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod contents;
mod definitions;
mod directory;
mod disjoint_sets;
mod error;
mod file_change;
mod file_diff;
mod git;
mod lines;
mod names;
mod patch;
mod renames;
mod signatures;
mod state;
mod tokens;
mod transplant;
mod tree;
mod words;
mod workspace;
mod write_times;

pub use contents::Contents;
pub use definitions::{ChangedDefinitions, FunctionScope, NamedInFailure};
pub use disjoint_sets::DisjointSets;
pub use error::ChangesError;
pub use file_change::{FileChange, LineEdit, LocatedEntry};
pub use git::{
    BisectLog, Commit, FilterRuns, HistoryGraph, HistoryLimits, HistoryPath, Repository,
};
pub use gix::ObjectId;
pub use patch::{DiffStat, diff_of_texts, diff_stat, patch};
pub use state::{Configuration, Entry, FileKind, FilePath, FileVersion, State};
pub use transplant::transplant;
pub use tree::{ChangeTree, ChangeUnit};
pub use words::{CutLines, WordChange, WordTree};
pub use workspace::{UpdateCounts, Workspace};
