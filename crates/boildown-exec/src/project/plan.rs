//! Plan of the copies of a project: files that are copied, and large company that is linked.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;

use super::node::{DirNode, Node};
use super::roots::REPOSITORIES;

/// Which project is to be copied.
#[derive(Debug, Clone, Copy)]
pub struct ProjectRequest<'a> {
    /// The directory to copy.
    pub root: &'a Path,
    /// The file to reduce, in that directory.
    pub input: &'a Path,
    /// The directory in which the user typed the command. If it is not in the project, the command
    /// is run in the folder of the input.
    pub user_dir: &'a Path,
    /// Files that are not copied, such as earlier results.
    pub left_out: &'a [PathBuf],
    /// The largest project that is copied.
    pub limits: PlanLimits,
}

/// The largest project that is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    /// Number of files, links and directories.
    pub entries: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

impl PlanLimits {
    /// Those of a project that the user did not name.
    pub const CHOSEN: Self = Self {
        entries: 20_000,
        bytes: 64 << 20,
    };

    /// A project that the user named.
    pub const STATED: Self = Self {
        entries: 200_000,
        bytes: 1 << 30,
    };

    /// An ignored directory, or one of packages. A larger one is linked instead of copied.
    const COMPANY: Self = Self {
        entries: 500,
        bytes: 4 << 20,
    };
}

/// Directories of installed packages, which are linked when they are large even if no rule of git
/// ignores them.
const PACKAGES: &[&str] = &["node_modules", ".venv", "venv", "site-packages", "vendor"];

/// Caches that a command makes again, and stores of boildown.
const NEVER_COPIED: &[&str] = &["__pycache__", ".boildown"];

/// Everything that a copy of a project holds, except the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPlan {
    /// The directory that is copied, absolute and free of links.
    pub(super) root: PathBuf,
    /// The input, relative to the root.
    pub(super) input: PathBuf,
    /// The working directory of the command, relative to the root.
    pub(super) user_dir: PathBuf,
    pub(super) tree: DirNode,
    /// Number of entries and bytes that are copied.
    pub(super) size: PlanLimits,
}

/// An entry of a copy of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopiedEntry {
    /// A directory with these permissions.
    Dir(u32),
    /// A file with these permissions.
    File(u32),
    /// A symbolic link with this target.
    Link(OsString),
}

/// Why a project cannot be copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The input is not in the directory.
    #[error("the input is not in {}", .root.display())]
    InputElsewhere {
        /// The directory.
        root: PathBuf,
    },
    /// The project is too large.
    #[error("{} is too large to copy for each worker: more than {} files or {} MB", .root.display(), .limits.entries, .limits.bytes >> 20)]
    TooLarge {
        /// The directory.
        root: PathBuf,
        /// The limits.
        limits: PlanLimits,
    },
    /// A directory cannot be read.
    #[error("read {}", .path.display())]
    Unreadable {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl ProjectPlan {
    /// Lists what a copy holds.
    ///
    /// Repositories of version control, caches and build directories are left out. Ignored
    /// directories, directories of packages and files are linked if they are large. What cannot be
    /// read is left out.
    ///
    /// # Errors
    /// [`PlanError`] says why the project cannot be copied.
    pub fn new(request: &ProjectRequest<'_>) -> Result<Self, PlanError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |source| PlanError::Unreadable { path, source }
        };
        let root = fs::canonicalize(request.root).map_err(unreadable(request.root))?;
        let elsewhere = || PlanError::InputElsewhere { root: root.clone() };
        let folder = request.input.parent().ok_or_else(elsewhere)?;
        let folder = fs::canonicalize(folder).map_err(unreadable(folder))?;
        let name = request.input.file_name().ok_or_else(elsewhere)?;
        let folder = folder.strip_prefix(&root).map_err(|_| elsewhere())?;
        let user_dir = fs::canonicalize(request.user_dir).ok();
        let user_dir = user_dir.and_then(|dir| Some(dir.strip_prefix(&root).ok()?.to_owned()));
        let mut survey = Survey {
            root: &root,
            input: &folder.join(name),
            left_out: request.left_out,
            limits: request.limits,
            size: PlanLimits {
                entries: 0,
                bytes: 0,
            },
            is_company: false,
            rules: Vec::new(),
        };
        let tree = survey.directory(Path::new("")).map_err(|stop| match stop {
            Stop::TooLarge => PlanError::TooLarge {
                root: root.clone(),
                limits: request.limits,
            },
            Stop::Unreadable(source) => PlanError::Unreadable {
                path: root.clone(),
                source,
            },
        })?;
        Ok(Self {
            input: folder.join(name),
            user_dir: user_dir.unwrap_or_else(|| folder.to_owned()),
            tree,
            size: survey.size,
            root,
        })
    }

    /// Returns the directory that is copied.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the input, relative to the directory.
    #[must_use]
    pub fn input(&self) -> &Path {
        &self.input
    }

    /// Returns the working directory of the command, relative to the directory.
    #[must_use]
    pub fn user_dir(&self) -> &Path {
        &self.user_dir
    }

    /// Returns what a copy holds, with paths relative to the directory: each directory before its
    /// content, beginning with the directory itself.
    #[must_use]
    pub fn copied(&self) -> Vec<(PathBuf, CopiedEntry)> {
        fn add(dir: &DirNode, path: &Path, copied: &mut Vec<(PathBuf, CopiedEntry)>) {
            copied.push((path.to_owned(), CopiedEntry::Dir(dir.mode)));
            for (name, node) in &dir.children {
                let path = path.join(name);
                match node {
                    Node::Dir(dir) => add(dir, &path, copied),
                    // Only states of a folder that is reduced have changed files.
                    Node::File(mode) | Node::Changed(mode, _) => {
                        copied.push((path, CopiedEntry::File(*mode)));
                    }
                    Node::Link(target) => copied.push((path, CopiedEntry::Link(target.clone()))),
                }
            }
        }
        let mut copied = Vec::new();
        add(&self.tree, Path::new(""), &mut copied);
        copied
    }

    /// Returns the number of bytes that are copied.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.size.bytes
    }

    /// Returns whether there is a file beside the input that none of these paths names.
    #[must_use]
    pub fn has_company(&self, named: &[&Path]) -> bool {
        fn has_other(dir: &DirNode, path: &Path, named: &[&Path]) -> bool {
            dir.children.iter().any(|(name, node)| {
                let path = path.join(name);
                match node {
                    Node::Dir(dir) => has_other(dir, &path, named),
                    Node::File(_) | Node::Changed(..) | Node::Link(_) => {
                        !named.contains(&path.as_path())
                    }
                }
            })
        }
        has_other(&self.tree, &self.root, named)
    }
}

/// A walk through a project.
struct Survey<'a> {
    root: &'a Path,
    /// The input, relative to the root.
    input: &'a Path,
    left_out: &'a [PathBuf],
    limits: PlanLimits,
    size: PlanLimits,
    /// Whether it walks through an ignored directory, or one of packages.
    is_company: bool,
    /// The rules of git of the directories from the root to the current one.
    rules: Vec<Gitignore>,
}

/// Why a walk ended.
enum Stop {
    TooLarge,
    Unreadable(io::Error),
}

impl Survey<'_> {
    /// Lists a directory, given relative to the root.
    fn directory(&mut self, dir: &Path) -> Result<DirNode, Stop> {
        let on_disk = self.root.join(dir);
        let metadata = fs::metadata(&on_disk).map_err(Stop::Unreadable)?;
        let mut node = DirNode {
            mode: metadata.permissions().mode() & 0o7777 | 0o700,
            ..DirNode::default()
        };
        // Rules that cannot be read are no rules.
        self.rules
            .push(Gitignore::new(on_disk.join(".gitignore")).0);
        for entry in fs::read_dir(&on_disk).map_err(Stop::Unreadable)?.flatten() {
            let name = entry.file_name();
            if let Some(child) = self.entry(&entry, &dir.join(&name))? {
                node.children.insert(name, child);
            }
        }
        self.rules.pop();
        Ok(node)
    }

    /// Returns what a copy holds in place of an entry; `None` for nothing.
    fn entry(&mut self, entry: &DirEntry, path: &Path) -> Result<Option<Node>, Stop> {
        let on_disk = entry.path();
        let name = entry.file_name();
        let is_named = |names: &[&str]| names.iter().any(|other| name == OsStr::new(other));
        if path == self.input
            || is_named(REPOSITORIES)
            || is_named(NEVER_COPIED)
            || self.left_out.contains(&on_disk)
        {
            return Ok(None);
        }
        let Ok(metadata) = entry.metadata() else {
            return Ok(None);
        };
        self.count(1, 0)?;
        if metadata.is_symlink() {
            return Ok(fs::read_link(&on_disk)
                .ok()
                .map(|target| Node::Link(self.target(&on_disk, target.into_os_string()))));
        }
        if metadata.is_file() {
            return self.file(&on_disk, &metadata);
        }
        if !metadata.is_dir() {
            return Ok(None);
        }
        let is_above_input = self.input.starts_with(path);
        if !is_above_input && (is_named(PACKAGES) || self.is_ignored(&on_disk)) {
            return Ok(self.company(&on_disk, path));
        }
        match self.directory(path) {
            Ok(dir) => Ok(Some(Node::Dir(dir))),
            Err(Stop::Unreadable(_)) if !is_above_input => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn file(&mut self, on_disk: &Path, metadata: &Metadata) -> Result<Option<Node>, Stop> {
        if metadata.len() > PlanLimits::COMPANY.bytes {
            return match self.is_company {
                true => Err(Stop::TooLarge),
                false => Ok(Some(Node::Link(on_disk.as_os_str().to_owned()))),
            };
        }
        let mode = metadata.permissions().mode() & 0o7777;
        if rustix::fs::access(on_disk, rustix::fs::Access::READ_OK).is_err() {
            return Ok(None);
        }
        self.count(0, metadata.len())?;
        Ok(Some(Node::File(mode)))
    }

    /// Copies an ignored directory, or one of packages, if it is small, and links it otherwise. A
    /// large build directory is left out, because a command has to write there.
    fn company(&mut self, on_disk: &Path, path: &Path) -> Option<Node> {
        let mut survey = Survey {
            limits: PlanLimits::COMPANY,
            size: PlanLimits {
                entries: 0,
                bytes: 0,
            },
            is_company: true,
            rules: Vec::new(),
            ..*self
        };
        match survey.directory(path) {
            Ok(dir) => {
                self.size.entries += survey.size.entries;
                self.size.bytes += survey.size.bytes;
                Some(Node::Dir(dir))
            }
            Err(Stop::TooLarge) if is_build_directory(on_disk) => None,
            Err(Stop::TooLarge) => Some(Node::Link(on_disk.as_os_str().to_owned())),
            Err(Stop::Unreadable(_)) => None,
        }
    }

    /// Returns the target of a link in a copy. A relative target that is not in the project is made
    /// absolute.
    fn target(&self, link: &Path, target: OsString) -> OsString {
        if Path::new(&target).is_absolute() {
            return target;
        }
        match fs::canonicalize(link) {
            Ok(path) if !path.starts_with(self.root) => path.into_os_string(),
            _ => target,
        }
    }

    fn is_ignored(&self, on_disk: &Path) -> bool {
        let matches = self
            .rules
            .iter()
            .rev()
            .map(|rules| rules.matched(on_disk, true));
        matches
            .into_iter()
            .find(|matched| !matched.is_none())
            .is_some_and(|matched| matched.is_ignore())
    }

    fn count(&mut self, entries: usize, bytes: u64) -> Result<(), Stop> {
        self.size.entries += entries;
        self.size.bytes += bytes;
        if self.size.entries > self.limits.entries || self.size.bytes > self.limits.bytes {
            return Err(Stop::TooLarge);
        }
        Ok(())
    }
}

/// Returns whether a directory is the output of a build, which has the tag of caches and no Python
/// in it.
fn is_build_directory(dir: &Path) -> bool {
    dir.join("CACHEDIR.TAG").exists() && !dir.join("pyvenv.cfg").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes these files, whose content is as long as stated, and returns what a copy holds.
    fn plan(files: &[(&str, usize)], ignored: &str, limits: PlanLimits) -> Result<String, String> {
        let root = tempfile::tempdir().unwrap();
        for (name, size) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![b'x'; *size]).unwrap();
        }
        fs::write(root.path().join(".gitignore"), ignored).unwrap();
        let request = ProjectRequest {
            root: root.path(),
            input: &root.path().join("src/in.c"),
            user_dir: root.path(),
            left_out: &[root.path().join("src/in.min.c")],
            limits,
        };
        let plan = ProjectPlan::new(&request).map_err(|error| error.to_string())?;
        Ok(names(&plan.tree, ""))
    }

    fn names(dir: &DirNode, path: &str) -> String {
        let name = |(name, node): (&OsString, &Node)| {
            let path = format!("{path}{}", name.display());
            match node {
                Node::Dir(dir) => names(dir, &format!("{path}/")),
                Node::File(_) | Node::Changed(..) => format!("{path} "),
                Node::Link(_) => format!("{path}@ "),
            }
        };
        dir.children.iter().map(name).collect()
    }

    const LARGE: usize = 5 << 20;

    #[test]
    fn a_copy_holds_what_is_small_and_links_to_what_is_large_and_ignored() {
        let files = [
            ("src/in.c", 1),
            ("src/in.min.c", 1),
            ("src/a.h", 1),
            (".git/config", 1),
            ("__pycache__/a.pyc", 1),
            ("data.bin", LARGE),
            ("small/file", 1),
            ("big/file", LARGE),
            ("node_modules/a/index.js", LARGE),
            ("target/CACHEDIR.TAG", 1),
            ("target/x", LARGE),
        ];
        assert_eq!(
            plan(&files, "/small\n/big\n/target\n", PlanLimits::CHOSEN).unwrap(),
            ".gitignore big@ data.bin@ node_modules@ small/file src/a.h "
        );
    }

    #[test]
    fn a_directory_that_holds_the_input_is_copied_even_if_it_is_ignored() {
        let files = [("src/in.c", 1), ("src/large", LARGE), ("src/a.h", 1)];
        assert_eq!(
            plan(&files, "/src\n", PlanLimits::CHOSEN).unwrap(),
            ".gitignore src/a.h src/large@ "
        );
    }

    #[test]
    fn a_project_that_is_too_large_is_an_error_that_names_the_limits() {
        let few = PlanLimits {
            entries: 2,
            bytes: 1 << 20,
        };
        let error = plan(&[("src/in.c", 1), ("a", 1), ("b", 1)], "", few).unwrap_err();
        assert!(
            error.ends_with("is too large to copy for each worker: more than 2 files or 1 MB"),
            "{error}"
        );
    }
}
