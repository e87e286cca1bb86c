//! The files of a run as a service stores them: a tree of directories, each a blob of its own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bazel_remote_apis::build::bazel::remote::execution::v2::{
    Digest, Directory, DirectoryNode, FileNode,
};

use crate::RemoteError;
use crate::connection::read;
use crate::digest::Blob;

/// The number of files that are sent beside the candidate. Each costs a worker time in every run.
const MOST_FILES: usize = 20_000;

/// The bytes that are sent beside the candidate.
const MOST_BYTES: u64 = 1 << 30;

/// The files and directories that a command names, as they are sent: once a session.
#[derive(Debug, Default)]
pub struct SentFiles {
    root: Node,
    files: usize,
    bytes: u64,
}

#[derive(Debug)]
enum Node {
    File(FileNode, Vec<u8>),
    Directory(BTreeMap<String, Node>),
}

impl Default for Node {
    fn default() -> Self {
        Self::Directory(BTreeMap::new())
    }
}

impl SentFiles {
    /// Reads a file, or a directory with all that it holds, and puts it at a path. Links are
    /// followed.
    ///
    /// # Errors
    /// [`RemoteError`] when something cannot be read or sent, or is too much.
    pub fn add(&mut self, path: &str, source: &Path) -> Result<(), RemoteError> {
        let node = self.read(source)?;
        let mut place = &mut self.root;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let Node::Directory(entries) = place else {
                return Ok(());
            };
            place = entries.entry(name.to_owned()).or_default();
        }
        merge(place, node);
        Ok(())
    }

    /// Returns whether nothing is sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files == 0
    }

    fn read(&mut self, source: &Path) -> Result<Node, RemoteError> {
        let unreadable = |error| RemoteError::File {
            path: source.to_owned(),
            source: error,
        };
        let metadata = fs::metadata(source).map_err(unreadable)?;
        if metadata.is_dir() {
            let mut entries = BTreeMap::new();
            for entry in fs::read_dir(source).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let name = entry.file_name().into_string();
                let name = name.map_err(|_| unsendable(&entry.path(), "its name is not UTF-8"))?;
                entries.insert(name, self.read(&entry.path())?);
            }
            return Ok(Node::Directory(entries));
        }
        if !metadata.is_file() {
            return Err(unsendable(source, "it is neither a file nor a directory"));
        }
        self.files += 1;
        self.bytes += metadata.len();
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            let reason = "the command names more than 20,000 files or 1 GiB; put them into the \
                          image of the workers, or name fewer directories";
            return Err(unsendable(source, reason));
        }
        let bytes = read(source)?;
        let node = FileNode {
            name: String::new(),
            digest: Some(crate::digest::digest(&bytes)),
            is_executable: metadata.permissions().mode() & 0o111 != 0,
            node_properties: None,
        };
        Ok(Node::File(node, bytes))
    }

    /// Returns the digest of the directory, and all blobs that it consists of.
    pub(crate) fn into_blobs(self) -> (Digest, Vec<Blob>) {
        let mut blobs = Vec::new();
        let Node::Directory(entries) = self.root else {
            unreachable!("a path has a directory above it");
        };
        (directory(entries, &mut blobs), blobs)
    }
}

fn merge(place: &mut Node, node: Node) {
    match (place, node) {
        (Node::Directory(old), Node::Directory(new)) => {
            for (name, node) in new {
                merge(old.entry(name).or_default(), node);
            }
        }
        (place, node) => *place = node,
    }
}

fn unsendable(path: &Path, reason: &str) -> RemoteError {
    RemoteError::Unsendable {
        what: path.display().to_string(),
        reason: reason.to_owned(),
    }
}

fn directory(entries: BTreeMap<String, Node>, blobs: &mut Vec<Blob>) -> Digest {
    let mut message = Directory::default();
    for (name, node) in entries {
        match node {
            Node::File(node, bytes) => {
                let digest = node.digest.clone().unwrap_or_default();
                blobs.push(Blob { digest, bytes });
                message.files.push(FileNode { name, ..node });
            }
            Node::Directory(entries) => message.directories.push(DirectoryNode {
                name,
                digest: Some(directory(entries, blobs)),
            }),
        }
    }
    let blob = Blob::of(&message);
    let digest = blob.digest.clone();
    blobs.push(blob);
    digest
}

/// Returns the deepest directory that holds all of the paths, which are absolute.
#[must_use]
pub fn common_directory<'a>(paths: impl IntoIterator<Item = &'a Path>) -> PathBuf {
    let mut paths = paths.into_iter();
    let mut common = paths.next().and_then(Path::parent).unwrap_or(Path::new("/"));
    for path in paths {
        while !path.starts_with(common) || path == common {
            let Some(parent) = common.parent() else { break };
            common = parent;
        }
    }
    common.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_directory_holds_all_paths() {
        let common = |paths: &[&str]| common_directory(paths.iter().map(Path::new));
        assert_eq!(common(&["/a/b/c"]), Path::new("/a/b"));
        assert_eq!(common(&["/a/b/c", "/a/b/d/e"]), Path::new("/a/b"));
        assert_eq!(common(&["/a/b/c", "/a/b"]), Path::new("/a"));
        assert_eq!(common(&["/a/b", "/c"]), Path::new("/"));
    }
}
