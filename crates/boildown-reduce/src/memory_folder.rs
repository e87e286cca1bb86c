//! Folders in memory, for tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use boildown_folder::{Contents, Entry, EntryKind, FolderInput, Listing};

use crate::file_graph::parent;

/// Files in memory.
#[derive(Debug)]
struct MemoryFiles(Vec<Option<Arc<[u8]>>>);

impl Contents for MemoryFiles {
    fn content(&self, entry: usize) -> Option<Arc<[u8]>> {
        self.0.get(entry)?.clone()
    }
}

/// Returns the folder with these files and links (`-> target`), and with the folders around them.
pub fn folder(files: &[(&str, &str)]) -> FolderInput {
    let mut entries: Vec<Entry> = Vec::new();
    let mut folders = BTreeSet::new();
    for (path, content) in files {
        let kind = match content.strip_prefix("-> ") {
            Some(target) => EntryKind::Link {
                target: target.as_bytes().into(),
            },
            None => EntryKind::file(0o644, content.as_bytes()),
        };
        let path = path.as_bytes();
        entries.push(Entry {
            path: path.into(),
            kind,
        });
        folders.extend(std::iter::successors(parent(path), |folder| parent(folder)));
    }
    entries.extend(folders.into_iter().map(|path| Entry {
        path: path.into(),
        kind: EntryKind::Folder { mode: 0o755 },
    }));
    let listing = Listing::new(entries);
    let content = |entry: &Entry| {
        let file = files
            .iter()
            .find(|(path, _)| path.as_bytes() == &*entry.path);
        file.map(|(_, content)| content.as_bytes().into())
    };
    let contents = MemoryFiles(listing.entries().iter().map(content).collect());
    FolderInput {
        listing: Arc::new(listing),
        contents: Arc::new(contents),
        fixed: Arc::default(),
        named: Arc::default(),
    }
}
