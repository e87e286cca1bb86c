//! The files of a run as a service stores them: a tree of directories, each a blob of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bazel_remote_apis::build::bazel::remote::execution::v2::{
    Digest, Directory, DirectoryNode, FileNode,
};

use crate::RemoteError;
use crate::connection::read;
use crate::digest::{Blob, digest};

/// The number of files and directories that are sent beside the candidate. Each costs a worker time
/// in every run.
const MOST_ENTRIES: usize = 20_000;

/// The bytes that are sent beside the candidate.
const MOST_BYTES: u64 = 1 << 30;

/// The depth of directories; beyond it, a link leads into a circle.
const DEEPEST: usize = 64;

/// Files and directories that are sent beside the candidate, once a session.
#[derive(Debug, Default)]
pub struct SentFiles {
    root: Node,
    entries: usize,
    bytes: u64,
}

#[derive(Debug)]
enum Node {
    File {
        digest: Digest,
        is_executable: bool,
        bytes: Vec<u8>,
    },
    Directory(BTreeMap<String, Self>),
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
        let Some(node) = self.read(source, 0)? else {
            return Err(RemoteError::File {
                path: source.to_owned(),
                source: io::ErrorKind::NotFound.into(),
            });
        };
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
        self.entries == 0
    }

    /// Returns the node of a file or directory; `None` for a link that leads nowhere.
    fn read(&mut self, source: &Path, depth: usize) -> Result<Option<Node>, RemoteError> {
        let unreadable = |error| RemoteError::File {
            path: source.to_owned(),
            source: error,
        };
        let metadata = match fs::metadata(source) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        self.entries += 1;
        if metadata.is_file() {
            self.bytes += metadata.len();
        }
        if self.entries > MOST_ENTRIES || self.bytes > MOST_BYTES {
            let reason = "the command needs more than 20,000 files or 1 GiB; put them into the \
                          image of the workers, or name fewer directories";
            return Err(unsendable(source, reason));
        }
        if metadata.is_dir() {
            if depth > DEEPEST {
                return Err(unsendable(
                    source,
                    "its directories are too deep; does a link lead into a circle?",
                ));
            }
            let mut entries = BTreeMap::new();
            for entry in fs::read_dir(source).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let name = entry.file_name().into_string();
                let name = name.map_err(|_| unsendable(&entry.path(), "its name is not UTF-8"))?;
                if let Some(node) = self.read(&entry.path(), depth + 1)? {
                    entries.insert(name, node);
                }
            }
            return Ok(Some(Node::Directory(entries)));
        }
        if !metadata.is_file() {
            return Err(unsendable(source, "it is neither a file nor a directory"));
        }
        let bytes = read(source)?;
        Ok(Some(Node::File {
            digest: digest(&bytes),
            is_executable: metadata.permissions().mode() & 0o111 != 0,
            bytes,
        }))
    }

    /// Returns the digest of the directory that holds all of it, and adds its blobs.
    pub(crate) fn into_blobs(self, blobs: &mut Vec<Blob>) -> Digest {
        directory(self.root, blobs)
    }

    /// Returns the directory as one in which the file at a path is another one in each run.
    pub(crate) fn into_frame(self, path: &str, blobs: &mut Vec<Blob>) -> Frame {
        let mut levels = Vec::new();
        let mut node = self.root;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let mut entries = match node {
                Node::Directory(entries) => entries,
                Node::File { .. } => BTreeMap::new(),
            };
            node = entries.remove(name).unwrap_or_default();
            levels.push(Level {
                others: message(entries, blobs),
                name: name.to_owned(),
            });
        }
        Frame { levels }
    }
}

/// A directory in which one file is another one in each run.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The directories on the path to the file, the outermost first.
    levels: Vec<Level>,
}

/// A directory on a path.
#[derive(Debug)]
struct Level {
    /// All that it holds beside what is on the path.
    others: Directory,
    /// The name of the next directory, or of the file.
    name: String,
}

impl Frame {
    /// Returns the digest of the directory with this file, and adds the blobs that depend on it.
    pub(crate) fn with(&self, file: Digest, is_executable: bool, blobs: &mut Vec<Blob>) -> Digest {
        let mut digest = file;
        let mut is_file = true;
        for level in self.levels.iter().rev() {
            let mut directory = level.others.clone();
            let name = level.name.clone();
            let node = Some(digest);
            // The nodes of a directory are in the order of their names.
            if std::mem::take(&mut is_file) {
                let place = directory.files.partition_point(|other| other.name < name);
                directory.files.insert(
                    place,
                    FileNode {
                        name,
                        digest: node,
                        is_executable,
                        node_properties: None,
                    },
                );
            } else {
                let place = directory
                    .directories
                    .partition_point(|other| other.name < name);
                directory
                    .directories
                    .insert(place, DirectoryNode { name, digest: node });
            }
            let blob = Blob::of(&directory);
            digest = blob.digest.clone();
            blobs.push(blob);
        }
        digest
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

/// Returns the digest of a node, and adds the blobs of it.
fn directory(node: Node, blobs: &mut Vec<Blob>) -> Digest {
    let blob = match node {
        Node::File { digest, bytes, .. } => Blob { digest, bytes },
        Node::Directory(entries) => Blob::of(&message(entries, blobs)),
    };
    let digest = blob.digest.clone();
    blobs.push(blob);
    digest
}

/// Returns the message of a directory, and adds the blobs of what it holds.
fn message(entries: BTreeMap<String, Node>, blobs: &mut Vec<Blob>) -> Directory {
    let mut message = Directory::default();
    for (name, node) in entries {
        let is_executable = match &node {
            Node::File { is_executable, .. } => Some(*is_executable),
            Node::Directory(_) => None,
        };
        let digest = Some(directory(node, blobs));
        match is_executable {
            Some(is_executable) => message.files.push(FileNode {
                name,
                digest,
                is_executable,
                node_properties: None,
            }),
            None => message.directories.push(DirectoryNode { name, digest }),
        }
    }
    message
}

/// Returns the deepest directory that holds all of the paths, which are absolute.
pub(crate) fn common_directory<'a>(paths: impl IntoIterator<Item = &'a Path>) -> PathBuf {
    let mut paths = paths.into_iter();
    let mut common = paths
        .next()
        .and_then(Path::parent)
        .unwrap_or(Path::new("/"));
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

    #[test]
    fn a_frame_with_a_file_is_the_directory_that_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[expect(clippy::disallowed_methods, reason = "files of a test")]
            fs::write(path, text).unwrap();
        };
        write("a/x", "1");
        write("b/c/m", "2");
        write("b/z", "3");
        let read = || {
            let mut files = SentFiles::default();
            files.add("", dir.path()).unwrap();
            files
        };
        let frame = read().into_frame("b/c/k", &mut Vec::new());
        let mut blobs = Vec::new();
        let with = frame.with(digest(b"candidate"), false, &mut blobs);
        assert_eq!(blobs.len(), 3);
        write("b/c/k", "candidate");
        assert_eq!(with, read().into_blobs(&mut Vec::new()));
    }
}
