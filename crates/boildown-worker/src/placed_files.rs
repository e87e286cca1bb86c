//! Files of the client that commands need, on a worker.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use boildown_exec::{Access, CommandLine, DirHandle, Scratch, StdinContent, WordPart};
use boildown_oracle::OracleError;
use rustix::fs::OFlags;

use super::message::{CommandSetup, Digest, EntryContent, FileEntry};

/// The files that a worker has received, and copies of the client's directories with them.
///
/// A file that is at the same path on the worker, with the same content, is used where it is: as on
/// a file system that both share. Everything else is written below a directory of our own, through
/// [`DirHandle`]: a link of the client is made, and never followed.
#[derive(Debug)]
pub(crate) struct PlacedFiles {
    temp_dir: PathBuf,
    /// Made when the first file arrives.
    scratch: Option<Scratch>,
    /// The name of the file with each content that was received.
    contents: HashMap<Digest, OsString>,
    /// The files of the next command.
    wanted: Vec<FileEntry>,
    /// Whether they are copied even if all of them are in their places.
    copies: bool,
    /// Number of trees made so far.
    trees: u32,
}

/// Where the files of a command are.
#[derive(Debug, Default)]
pub(crate) struct FileTree {
    /// Where each file of the client is on this machine. Empty when all of them are in their
    /// places.
    places: HashMap<PathBuf, PathBuf>,
}

/// The directories in which the files of a command are placed.
struct Tree {
    /// The directory that stands for the root directory of the client.
    root: DirHandle,
    /// The directory that does so for files that the client has behind one of the links.
    apart: DirHandle,
    /// The links, relative to the root.
    links: HashSet<PathBuf>,
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
        let name = OsString::from(format!("content-{:06}", self.contents.len()));
        let dir = self.dir()?;
        dir.write_new(&name, content, Access::OWNER)
            .map_err(|source| scratch_error(dir.path().join(&name), source))?;
        self.contents.insert(digest, name);
        Ok(())
    }

    /// Makes the tree of the files that were announced last.
    ///
    /// # Errors
    /// When it cannot be written, also because two files have the same path.
    pub(crate) fn place(&mut self) -> Result<FileTree, OracleError> {
        let files = std::mem::take(&mut self.wanted);
        if !self.copies && files.iter().all(is_in_place) {
            return Ok(FileTree::default());
        }
        let number = self.trees;
        self.trees += 1;
        let dir = self.dir()?;
        let create = |name: String| {
            let path = dir.path().join(&name);
            let created = dir.create_dir(name.as_ref(), 0o700);
            created.map_err(|source| scratch_error(path, source))
        };
        let is_link = |file: &&FileEntry| matches!(file.content, EntryContent::Link(_));
        let tree = Tree {
            root: create(format!("tree-{number:06}"))?,
            apart: create(format!("apart-{number:06}"))?,
            links: (files.iter().filter(is_link))
                .filter_map(|file| relative(&file.path).ok())
                .collect(),
        };
        let mut places = HashMap::new();
        for file in &files {
            let place = (self.write(file, &dir, &tree))
                .map_err(|source| scratch_error(file.path.clone(), source))?;
            places.insert(file.path.clone(), place);
        }
        // After all files are in: a directory may be closed to writing.
        for file in files.iter().rev() {
            if file.content == EntryContent::Dir {
                (tree.set_dir_mode(file))
                    .map_err(|source| scratch_error(file.path.clone(), source))?;
            }
        }
        Ok(FileTree { places })
    }

    /// Writes a file of the client. Returns where it is.
    fn write(&self, file: &FileEntry, contents: &DirHandle, tree: &Tree) -> io::Result<PathBuf> {
        let path = relative(&file.path)?;
        let root = tree.root_of(&path);
        let place = root.path().join(&path);
        let Some(name) = path.file_name() else {
            // The root directory, which is there.
            return Ok(place);
        };
        let parent = root.create_subdirectory(path.parent().unwrap_or(Path::new("")))?;
        match &file.content {
            EntryContent::Dir => drop(root.create_subdirectory(&path)?),
            EntryContent::Link(target) => parent.create_link(name, Path::new(target))?,
            EntryContent::File(digest) => {
                let content = match self.contents.get(digest) {
                    Some(received) => contents.read_file(received)?,
                    None => content_in_place(&file.path)?,
                };
                if blake3::hash(&content).as_bytes() != digest {
                    return Err(io::Error::other(
                        "its content has changed since it was announced",
                    ));
                }
                let mut written = parent.create_file(name, 0o600)?;
                written.write_all(&content)?;
                // No set-id bits: the file is that of another user here.
                written.set_permissions(fs::Permissions::from_mode(file.mode & 0o777))?;
            }
        }
        Ok(place)
    }

    /// Opens the directory of the files.
    fn dir(&mut self) -> Result<DirHandle, OracleError> {
        let scratch = match self.scratch.take() {
            Some(scratch) => scratch,
            None => Scratch::within(&self.temp_dir)?,
        };
        let scratch = self.scratch.insert(scratch);
        (scratch.handle()).map_err(|source| scratch_error(scratch.path().to_owned(), source))
    }
}

impl Tree {
    /// Returns the directory that stands for the root directory of the client for this file.
    ///
    /// The client may have a directory of a project behind a link, and name a file in it. The link
    /// stays in the tree, because runs may follow it, and the file is placed elsewhere: what the
    /// link leads to is no directory of ours.
    fn root_of(&self, path: &Path) -> &DirHandle {
        let is_behind_link =
            |path: &Path| path.ancestors().skip(1).any(|dir| self.links.contains(dir));
        match is_behind_link(path) {
            true => &self.apart,
            false => &self.root,
        }
    }

    fn set_dir_mode(&self, file: &FileEntry) -> io::Result<()> {
        let path = relative(&file.path)?;
        match self.root_of(&path).subdirectory(&path)? {
            Some(dir) => dir.set_mode(file.mode | 0o700),
            None => Err(io::ErrorKind::NotADirectory.into()),
        }
    }
}

fn scratch_error(path: PathBuf, source: io::Error) -> OracleError {
    OracleError::Scratch {
        action: "write",
        path,
        source,
    }
}

/// Returns the path below the root directory.
fn relative(path: &Path) -> io::Result<PathBuf> {
    let mut below = PathBuf::new();
    for component in path.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => below.push(name),
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
    Ok(below)
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
            }) && content_in_place(&file.path)
                .is_ok_and(|content| blake3::hash(&content).as_bytes() == digest)
        }
    }
}

/// Reads a file of this machine, at most the size that it has: files of the system that seem to be
/// empty may have no end, or make readers wait.
fn content_in_place(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut content = Vec::new();
    file.take(metadata.len()).read_to_end(&mut content)?;
    Ok(content)
}

impl FileTree {
    /// Returns the path on this machine of a path of the client.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        let place = self.places.get(path).map(PathBuf::as_path);
        place.unwrap_or(path).to_owned()
    }

    /// Returns the command with the paths of this machine.
    ///
    /// # Errors
    /// What is missing here.
    pub(crate) fn command(&self, setup: &CommandSetup) -> Result<CommandLine, String> {
        let words = setup.words.iter();
        let words = words.map(|word| word.iter().map(WordPart::from).collect());
        let mut words: Vec<Vec<WordPart>> = words.collect();
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
        let stdin = match setup.reads_candidate {
            true => StdinContent::Candidate,
            false => StdinContent::Nothing,
        };
        CommandLine::from_parts(words, stdin).map_err(|error| error.to_string())
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A directory of the user of the worker, which must not change, and the files of a client.
    struct Scene {
        home: tempfile::TempDir,
        temp: tempfile::TempDir,
        files: PlacedFiles,
    }

    const PRECIOUS: &[u8] = b"#!/bin/sh\necho precious\n";

    impl Scene {
        fn new() -> Self {
            let (home, temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            fs::create_dir(home.path().join("tools")).unwrap();
            fs::write(home.path().join("tools/check.sh"), PRECIOUS).unwrap();
            symlink("check.sh", home.path().join("tools/inner")).unwrap();
            for path in ["tools/check.sh", "tools", ""] {
                let mode = fs::Permissions::from_mode(0o750);
                fs::set_permissions(home.path().join(path), mode).unwrap();
            }
            let files = PlacedFiles::new(temp.path().to_owned());
            Self { home, temp, files }
        }

        /// Places these entries. `HOME` in a target stands for the directory of the user.
        fn place(&mut self, entries: &[(&str, Sent<'_>)]) -> Result<FileTree, OracleError> {
            let home = self.home.path().to_str().unwrap();
            let entry = |(path, sent): &(&str, Sent<'_>)| FileEntry {
                path: path.replace("HOME", home).into(),
                mode: 0o4777,
                content: match sent {
                    Sent::Dir => EntryContent::Dir,
                    Sent::Link(target) => EntryContent::Link(target.replace("HOME", home).into()),
                    Sent::File(content) => {
                        EntryContent::File(*blake3::hash(content.as_bytes()).as_bytes())
                    }
                },
            };
            let missing = self.files.begin(entries.iter().map(entry).collect(), true);
            for number in missing {
                let Sent::File(content) = &entries[number as usize].1 else {
                    panic!("only files are missing");
                };
                self.files.receive(number, content.as_bytes()).unwrap();
            }
            let placed = self.files.place();
            self.assert_unchanged(entries);
            placed
        }

        #[track_caller]
        fn assert_unchanged(&self, entries: &[(&str, Sent<'_>)]) {
            let home = self.home.path();
            assert_eq!(
                fs::read(home.join("tools/check.sh")).unwrap(),
                PRECIOUS,
                "{entries:?}"
            );
            for (path, count) in [("", 1), ("tools", 2)] {
                assert_eq!(
                    fs::read_dir(home.join(path)).unwrap().count(),
                    count,
                    "{entries:?}"
                );
            }
            for path in ["tools/check.sh", "tools", ""] {
                let mode = fs::metadata(home.join(path)).unwrap().permissions().mode();
                assert_eq!(mode & 0o7777, 0o750, "{path} {entries:?}");
            }
        }
    }

    /// The content of an entry of a client.
    #[derive(Debug, Clone, Copy)]
    enum Sent<'a> {
        Dir,
        Link(&'a str),
        File(&'a str),
    }

    use Sent::{Dir, File as Content, Link};

    #[test]
    fn a_file_that_the_client_has_behind_a_link_is_placed_apart() {
        let mut scene = Scene::new();
        for target in ["HOME/tools", "../missing", "other", "."] {
            let tree = scene.place(&[
                ("/p", Dir),
                ("/p/tools", Link(target)),
                ("/p/tools/check.sh", Content("theirs")),
            ]);
            let tree = tree.unwrap();
            let place = tree.path(Path::new("/p/tools/check.sh"));
            assert!(place.starts_with(scene.temp.path()));
            assert_eq!(fs::read(&place).unwrap(), b"theirs");
            let mode = fs::metadata(&place).unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o777, "no set-id bit");
            let link = tree.path(Path::new("/p/tools"));
            assert!(fs::symlink_metadata(link).unwrap().is_symlink());
        }
    }

    #[test]
    fn nothing_is_written_through_links_of_a_client() {
        let mut scene = Scene::new();
        for entries in [
            // A file or a folder beneath a link, before it and after it.
            &[("/l", Link("HOME/tools")), ("/l/check.sh", Content("x"))][..],
            &[("/l/check.sh", Content("x")), ("/l", Link("HOME/tools"))],
            &[("/l", Link("HOME/tools")), ("/l/new/deep", Content("x"))],
            &[("/l", Link("HOME")), ("/l/tools", Dir)],
            &[
                ("/l", Link("HOME")),
                ("/l/tools", Dir),
                ("/l/tools/new", Content("x")),
            ],
            // The same path twice.
            &[("/l", Link("HOME/tools/check.sh")), ("/l", Content("x"))],
            &[("/l", Content("x")), ("/l", Link("HOME/tools/check.sh"))],
            &[("/l", Link("HOME/tools")), ("/l", Dir)],
            &[("/l", Dir), ("/l", Link("HOME/tools"))],
            &[
                ("/l", Dir),
                ("/l", Link("HOME/tools")),
                ("/l/check.sh", Content("x")),
            ],
            // A chain, a link that leads nowhere, and a round.
            &[
                ("/a", Link("HOME/tools")),
                ("/b", Link("a")),
                ("/b/check.sh", Content("x")),
            ],
            &[
                ("/a", Link("b")),
                ("/b", Link("HOME")),
                ("/a/tools/check.sh", Content("x")),
            ],
            &[("/l", Link("HOME/new")), ("/l", Content("x"))],
            &[("/l", Link("HOME/new")), ("/l/x", Content("x"))],
            &[("/l", Link("l")), ("/l/x", Content("x"))],
            // Out of the tree.
            &[("/../../HOME/tools/check.sh", Content("x"))],
            &[("/p/../../../../../HOME/tools/check.sh", Content("x"))],
            &[("../../HOME/tools", Dir)],
            // A link as a parent of a link.
            &[
                ("/l", Link("HOME/tools")),
                ("/l/check.sh", Link("/etc/passwd")),
            ],
            &[("/l", Link("HOME/tools")), ("/l/inner", Content("x"))],
            &[("/", Link("HOME/tools")), ("/check.sh", Content("x"))],
        ] {
            // Refused, or placed elsewhere.
            drop(scene.place(entries));
        }
    }

    #[test]
    fn what_replaces_a_file_between_two_placements_is_not_followed() {
        let mut scene = Scene::new();
        let entries = [
            ("/p", Dir),
            ("/p/a", Dir),
            ("/p/a/check.sh", Content("theirs")),
        ];
        let tree = scene.place(&entries).unwrap();
        let dir = tree.path(Path::new("/p/a"));
        fs::remove_dir_all(&dir).unwrap();
        symlink(scene.home.path().join("tools"), &dir).unwrap();
        let scratch = scene.files.dir().unwrap();
        for name in ["tree-000001", "apart-000001"] {
            symlink(scene.home.path(), scratch.path().join(name)).unwrap();
        }
        assert!(scene.place(&entries).is_err(), "the next tree is a link");
        let received = scratch.path().join("content-000000");
        fs::remove_file(&received).unwrap();
        symlink(scene.home.path().join("tools/check.sh"), &received).unwrap();
        assert!(scene.place(&entries).is_err(), "the content is a link");
    }

    #[test]
    fn files_of_the_system_without_an_end_are_not_in_place() {
        let files = ["/dev/zero", "/proc/kmsg", "/proc/self/mem", "/dev/tty"];
        for path in files.map(PathBuf::from) {
            let content = EntryContent::File(*blake3::hash(b"x").as_bytes());
            let mode = 0o600;
            assert!(!is_in_place(&FileEntry {
                path,
                mode,
                content
            }));
        }
    }
}
