//! The content of a directory that is copied, as a tree.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// A directory to copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DirNode {
    /// The permissions.
    pub(super) mode: u32,
    /// What it holds, by name.
    pub(super) children: BTreeMap<OsString, Node>,
}

impl DirNode {
    /// Returns the directory at this path.
    pub(super) fn at(&self, path: &Path) -> Option<&Self> {
        let mut dir = self;
        for name in path {
            dir = match dir.children.get(name)? {
                Node::Dir(inside) => inside,
                Node::File(_) | Node::Changed(..) | Node::Link(_) => return None,
            };
        }
        Some(dir)
    }
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
