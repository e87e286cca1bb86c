//! Files of the client that commands need, on a worker.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use boildown_exec::{CommandLine, Scratch, WordPart};
use boildown_oracle::OracleError;

use super::message::{Digest, EntryContent, FileEntry};

/// The files that a worker has received, and copies of the client's directories with them.
///
/// A file that is at the same path on the worker, with the same content, is used where it is: as on
/// a file system that both share.
#[derive(Debug)]
pub(crate) struct PlacedFiles {
    temp_dir: PathBuf,
    /// Made when the first file arrives.
    scratch: Option<Scratch>,
    /// Where each content that was received is.
    contents: HashMap<Digest, PathBuf>,
    /// The files of the next command.
    wanted: Vec<FileEntry>,
    /// Whether they are copied even if all of them are in their places.
    copies: bool,
    /// Number of trees made so far.
    trees: u32,
}

/// Where the files of a command are.
#[derive(Debug)]
pub(crate) struct FileTree {
    /// The directory that stands for the root directory of the client; `None` when all files are in
    /// their places.
    root: Option<PathBuf>,
    paths: HashSet<PathBuf>,
}

impl PlacedFiles {
    pub(crate) fn new(temp_dir: PathBuf) -> Self {
        Self {
            temp_dir,
            scratch: None,
            contents: HashMap::new(),
            wanted: Vec::new(),
            copies: false,
            trees: 0,
        }
    }

    /// Begins with the files of a command. Returns the numbers of those that have to be sent.
    pub(crate) fn begin(&mut self, files: Vec<FileEntry>, copies: bool) -> Vec<u32> {
        (self.wanted, self.copies) = (files, copies);
        let mut known: HashSet<Digest> = self.contents.keys().copied().collect();
        let mut missing = Vec::new();
        for (number, file) in (0..).zip(&self.wanted) {
            if let EntryContent::File(digest) = file.content
                && !known.contains(&digest)
                && !is_in_place(file)
            {
                known.insert(digest);
                missing.push(number);
            }
        }
        missing
    }

    /// Keeps the content of a file.
    ///
    /// # Errors
    /// When it is not the content that was announced, or cannot be written.
    pub(crate) fn receive(&mut self, number: u32, content: &[u8]) -> Result<(), OracleError> {
        let wanted = self.wanted.get(number as usize).map(|file| &file.content);
        let digest = *blake3::hash(content).as_bytes();
        if wanted != Some(&EntryContent::File(digest)) {
            return Err(OracleError::Elsewhere {
                action: "receive a file".to_owned(),
                source: "it is not the one that was announced".into(),
            });
        }
        let name = format!("content-{:06}", self.contents.len());
        let path = self.dir()?.join(name);
        let written =
            fs::File::create(&path).and_then(|mut file| io::Write::write_all(&mut file, content));
        written.map_err(|source| scratch_error("write", &path, source))?;
        self.contents.insert(digest, path);
        Ok(())
    }

    /// Makes the tree of the files that were announced last.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn place(&mut self) -> Result<FileTree, OracleError> {
        let files = std::mem::take(&mut self.wanted);
        let paths = files.iter().map(|file| file.path.clone()).collect();
        if !self.copies && files.iter().all(is_in_place) {
            return Ok(FileTree { root: None, paths });
        }
        let name = format!("tree-{:06}", self.trees);
        self.trees += 1;
        let root = self.dir()?.join(name);
        for file in &files {
            let path = below(&root, &file.path);
            (self.write(file, &path)).map_err(|source| scratch_error("write", &path, source))?;
        }
        // After all files are in: a directory may be closed to writing.
        for file in files.iter().rev() {
            if file.content == EntryContent::Dir {
                let path = below(&root, &file.path);
                set_mode(&path, file.mode | 0o700)
                    .map_err(|source| scratch_error("write", &path, source))?;
            }
        }
        Ok(FileTree {
            root: Some(root),
            paths,
        })
    }

    fn write(&self, file: &FileEntry, path: &Path) -> io::Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match &file.content {
            EntryContent::Dir => fs::create_dir_all(path),
            EntryContent::Link(target) => symlink(target, path),
            EntryContent::File(digest) => {
                let content = self.contents.get(digest).unwrap_or(&file.path);
                fs::copy(content, path)?;
                set_mode(path, file.mode)
            }
        }
    }

    fn dir(&mut self) -> Result<&Path, OracleError> {
        let scratch = match self.scratch.take() {
            Some(scratch) => scratch,
            None => Scratch::within(&self.temp_dir)?,
        };
        Ok(self.scratch.insert(scratch).path())
    }
}

fn scratch_error(action: &'static str, path: &Path, source: io::Error) -> OracleError {
    OracleError::Scratch {
        action,
        path: path.to_owned(),
        source,
    }
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777))
}

/// Returns the path in a directory that stands for the root.
fn below(root: &Path, path: &Path) -> PathBuf {
    let names = path.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name),
        _ => None,
    });
    names.fold(root.to_owned(), |path, name| path.join(name))
}

/// Returns whether the file is on this machine as it is on the client.
fn is_in_place(file: &FileEntry) -> bool {
    let Ok(metadata) = fs::symlink_metadata(&file.path) else {
        return false;
    };
    let is_executable = |mode: u32| mode & 0o111 != 0;
    match &file.content {
        EntryContent::Dir => metadata.is_dir(),
        EntryContent::Link(target) => {
            fs::read_link(&file.path).is_ok_and(|there| there.as_os_str() == target)
        }
        EntryContent::File(digest) => {
            fs::metadata(&file.path).is_ok_and(|metadata| {
                metadata.is_file()
                    && is_executable(metadata.permissions().mode()) == is_executable(file.mode)
            }) && fs::read(&file.path)
                .is_ok_and(|content| blake3::hash(&content).as_bytes() == digest)
        }
    }
}

impl FileTree {
    /// Returns the path on this machine of a path of the client.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        match &self.root {
            Some(root) if self.holds(path) => below(root, path),
            _ => path.to_owned(),
        }
    }

    fn holds(&self, path: &Path) -> bool {
        self.paths.contains(path)
    }

    /// Returns the command with the paths of this machine.
    ///
    /// # Errors
    /// What is missing here.
    pub(crate) fn command(&self, command: &CommandLine) -> Result<CommandLine, String> {
        let mut words: Vec<Vec<WordPart>> = command.parts().map(<[_]>::to_vec).collect();
        for part in words.iter_mut().flatten() {
            if let WordPart::Other { path, .. } = part {
                *path = self.path(path);
                if fs::symlink_metadata(&path).is_err() {
                    return Err(format!("there is no {} on that machine", path.display()));
                }
            }
        }
        if let Some([WordPart::Text(program)]) = words.first().map(Vec::as_slice)
            && !is_on_path(program)
        {
            return Err(format!(
                "there is no program `{}` on its PATH",
                program.display()
            ));
        }
        CommandLine::from_parts(words, command.stdin()).map_err(|error| error.to_string())
    }
}

/// Returns whether a bare name is that of a program.
fn is_on_path(program: &OsString) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Path::new(program).components().nth(1).is_some()
        || std::env::split_paths(&path).any(|dir| {
            fs::metadata(dir.join(program)).is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            })
        })
}
