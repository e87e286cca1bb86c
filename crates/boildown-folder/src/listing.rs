//! The listing of a folder: every entry with its path, kind and hash.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::FolderSize;

/// The entries of a folder, without the folder itself, in preorder: each folder is followed by
/// what it holds. Within a folder, entries are in the order of the bytes of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    entries: Vec<Entry>,
    /// The numbers of the entries, by path.
    by_path: BTreeMap<Box<[u8]>, usize>,
    /// The number of the folder that each entry is in.
    parents: Vec<Option<usize>>,
    /// The size of all entries before each one, and last that of all.
    sizes_before: Vec<FolderSize>,
    /// A hash of all entries, in hexadecimal digits.
    hash: String,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path in the folder; its components are separated by slashes. It need not be UTF-8.
    pub path: Box<[u8]>,
    /// What it is.
    pub kind: EntryKind,
}

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder {
        /// Its permissions.
        mode: u32,
    },
    /// A file.
    File {
        /// Its permissions.
        mode: u32,
        /// Its size in bytes.
        size: u64,
        /// The first half of the BLAKE3 hash of its content.
        hash: [u8; 16],
    },
    /// A symbolic link.
    Link {
        /// The path that it holds.
        target: Box<[u8]>,
    },
}

impl Entry {
    /// Returns whether it is a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self.kind, EntryKind::Folder { .. })
    }

    /// Returns the number of bytes of a file; 0 for a folder or a link.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self.kind {
            EntryKind::File { size, .. } => size,
            EntryKind::Folder { .. } | EntryKind::Link { .. } => 0,
        }
    }

    /// Returns the path of the folder that it is in; `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<&[u8]> {
        let slash = self.path.iter().rposition(|&byte| byte == b'/')?;
        Some(&self.path[..slash])
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        let start = (self.path.iter()).rposition(|&byte| byte == b'/');
        &self.path[start.map_or(0, |slash| slash + 1)..]
    }
}

impl Listing {
    /// Returns the listing of these entries. Every folder that an entry is in has to be among
    /// them.
    #[must_use]
    pub fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|one, other| {
            let names = |entry: &'_ Entry| -> Vec<Box<[u8]>> {
                entry
                    .path
                    .split(|&byte| byte == b'/')
                    .map(Into::into)
                    .collect()
            };
            names(one).cmp(&names(other))
        });
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        for entry in &entries {
            add(&entry.path);
            match &entry.kind {
                EntryKind::Folder { mode } => add(format!("folder {mode:o}").as_bytes()),
                EntryKind::File { mode, size, hash } => {
                    add(format!("file {mode:o} {size}").as_bytes());
                    add(hash);
                }
                EntryKind::Link { target } => {
                    add(b"link");
                    add(target);
                }
            }
        }
        let paths = entries.iter().map(|entry| entry.path.clone());
        let by_path: BTreeMap<Box<[u8]>, usize> = paths.zip(0..).collect();
        let parent = |entry: &Entry| by_path.get(entry.parent()?).copied();
        let mut size = FolderSize::default();
        let mut sizes_before = vec![size];
        for entry in &entries {
            size.bytes += entry.size();
            size.files += usize::from(!entry.is_folder());
            sizes_before.push(size);
        }
        Self {
            parents: entries.iter().map(parent).collect(),
            sizes_before,
            by_path,
            hash: hasher.finalize().to_hex()[..32].to_owned(),
            entries,
        }
    }

    /// Returns the entries, by their numbers.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the hash of everything in the folder.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the number of the entry with this path.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Returns the number of the folder that an entry is in; `None` at the top.
    #[must_use]
    pub fn parent(&self, entry: usize) -> Option<usize> {
        self.parents[entry]
    }

    /// Returns the size of these entries.
    pub(crate) fn size_of(&self, entries: &Range<usize>) -> FolderSize {
        let [before, after] = [entries.start, entries.end].map(|entry| self.sizes_before[entry]);
        FolderSize {
            bytes: after.bytes - before.bytes,
            files: after.files - before.files,
        }
    }

    /// Returns the end of what a folder holds: the number of the first entry after it that is not
    /// in it. For other entries, the next number.
    #[must_use]
    pub fn end(&self, entry: usize) -> usize {
        let path = &self.entries[entry].path;
        let is_inside = |other: &Entry| {
            (other.path.strip_prefix(&**path)).is_some_and(|rest| rest.first() == Some(&b'/'))
        };
        let inside = self.entries[entry + 1..].partition_point(is_inside);
        entry + 1 + inside
    }
}

/// Returns the first half of the BLAKE3 hash of a content.
#[must_use]
pub(crate) fn hash_of(content: &[u8]) -> [u8; 16] {
    let (half, _) = (blake3::hash(content).as_bytes())
        .split_first_chunk::<16>()
        .map(|(half, rest)| (*half, rest.len()))
        .expect("a hash has 32 bytes");
    half
}

impl EntryKind {
    /// Returns the kind of a file with these permissions and this content.
    #[must_use]
    pub fn file(mode: u32, content: &[u8]) -> Self {
        Self::File {
            mode,
            size: content.len() as u64,
            hash: hash_of(content),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_followed_by_what_it_holds() {
        let folder = |path: &str| Entry {
            path: path.as_bytes().into(),
            kind: EntryKind::Folder { mode: 0o755 },
        };
        let file = |path: &str| Entry {
            path: path.as_bytes().into(),
            kind: EntryKind::file(0o644, b""),
        };
        let listing = Listing::new(vec![file("a.c"), file("a/b"), folder("a"), file("a-b")]);
        let paths: Vec<_> = (listing.entries().iter())
            .map(|entry| String::from_utf8_lossy(&entry.path))
            .collect();
        assert_eq!(paths, ["a", "a/b", "a-b", "a.c"]);
        assert_eq!(listing.end(0), 2);
        assert_eq!(listing.end(2), 3);
        assert_eq!(listing.parent(1), Some(0));
        assert_eq!(listing.parent(3), None);
        assert_eq!(listing.entries()[1].name(), b"b");
    }
}
