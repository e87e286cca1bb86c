//! The size of a folder.

/// The size of a state of a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FolderSize {
    /// Bytes of all files.
    pub bytes: u64,
    /// Number of files and links.
    pub files: usize,
}
