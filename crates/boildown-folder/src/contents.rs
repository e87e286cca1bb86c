//! The contents of the files of the original folder.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{FolderText, Listing};

/// The contents of the files of a folder, which never change while a reduction runs.
pub trait Contents: Debug + Send + Sync {
    /// Returns the content of a file, by the number of its entry; `None` when it cannot be read,
    /// or the entry is no file.
    fn content(&self, entry: usize) -> Option<Arc<[u8]>>;
}

impl FolderInput {
    /// Returns whether an entry stays as it is.
    #[must_use]
    pub fn is_fixed(&self, entry: usize) -> bool {
        self.fixed.binary_search(&entry).is_ok()
    }

    /// Returns the content of a kept file in a state of the folder.
    #[must_use]
    pub fn content_in(&self, text: &FolderText, entry: usize) -> Option<Arc<[u8]>> {
        match text.changed().get(&entry) {
            Some(content) => Some(Arc::clone(content)),
            None => self.contents.content(entry),
        }
    }
}

/// A folder to reduce: its entries and their contents.
#[derive(Debug, Clone)]
pub struct FolderInput {
    /// The entries.
    pub listing: Arc<Listing>,
    /// The contents of its files.
    pub contents: Arc<dyn Contents>,
    /// The entries that stay as they are, in order.
    pub fixed: Arc<[usize]>,
    /// The files that the test names, in order. They are a hint: what they need is tried first.
    pub named: Arc<[usize]>,
}
