//! Folders as inputs: what a folder holds, and any smaller state of it as bytes.
//!
//! A reduction works on candidates that are bytes: they are hashed, stored and compared. A
//! candidate of a folder is a [`FolderText`]: the entries of the original that are kept, and the
//! contents of the files that differ from the original. Files that did not change are references
//! to the original, so a state of 10,000 files is a few hundred bytes.
//!
//! - `listing.rs`: [`Listing`]: the entries of the original folder, in a fixed order
//! - `text.rs`: [`FolderText`]: a state of the folder, and its bytes
//! - `size.rs`: [`FolderSize`]: bytes and files
//! - `contents.rs`: [`Contents`]: the contents of the original, wherever they are kept
//!
//! Nothing here does any input or output.
#![warn(clippy::disallowed_methods)]

mod contents;
mod listing;
mod size;
mod text;

pub use contents::{Contents, FolderInput};
pub use listing::{Entry, EntryKind, Listing};
pub use size::FolderSize;
pub use text::{FolderText, FolderTextError};
