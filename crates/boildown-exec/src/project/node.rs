//! The content of a directory that is copied, as a tree.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

/// A directory to copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DirNode {
    /// The permissions.
    pub(super) mode: u32,
    /// What it holds, by name.
    pub(super) children: BTreeMap<OsString, Node>,
}

/// An entry of a directory to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Dir(DirNode),
    /// A file, with its permissions.
    File(u32),
    /// A file with other permissions and another content than that of the source.
    Changed(u32, Arc<[u8]>),
    /// A symbolic link, with its target: one of the project, or one that stands for something
    /// large outside of the copy.
    Link(OsString),
}
