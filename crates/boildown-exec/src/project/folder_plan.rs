//! Plan of a folder to reduce: what of it is reduced, and what a run finds beside it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use ignore::gitignore::Gitignore;

use super::node::{DirNode, Node};
use super::plan::{PlanError, PlanLimits, ProjectPlan};
use super::roots::REPOSITORIES;

/// Stores of boildown, which are part of no input.
const STORE: &str = ".boildown";

/// Directories of installed packages, which are mostly needed as they are, or not at all.
const PACKAGES: &[&str] = &["node_modules", ".venv", "venv", "site-packages", "vendor"];

/// Which folder or files are reduced, and what a run finds beside them.
#[derive(Debug, Clone, Copy)]
pub struct FolderRequest<'a> {
    /// The directory that stands for the directory of a run. The inputs are in it.
    pub root: &'a Path,
    /// The inputs: one folder, or several files and folders. Relative to the root.
    pub inputs: &'a [PathBuf],
    /// The name that a single folder has in a run.
    pub name: &'a OsStr,
    /// The directory in which the user typed the command.
    pub user_dir: &'a Path,
    /// Files and folders that each run finds in their place, and that are not reduced. Absolute.
    pub company: &'a [PathBuf],
    /// Files and folders that are no part of the input, such as earlier results. Absolute.
    pub left_out: &'a [PathBuf],
    /// Scripts of the test: they are run where they are, even if they are in the folder. Absolute.
    pub scripts: &'a [PathBuf],
}

/// What is left out of a folder, or special in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderNotes {
    /// What the rules of git ignore: files and folders, which are left out.
    pub ignored: Vec<PathBuf>,
    /// Sockets, devices and pipes, which are left out.
    pub special: Vec<PathBuf>,
    /// Links that lead out of the folder. They are kept as links.
    pub leaving: Vec<PathBuf>,
    /// Directories of installed packages, and the number of entries in each.
    pub packages: Vec<(PathBuf, usize)>,
}

/// What a folder to reduce holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderPlan {
    /// The directory that stands for the directory of a run, without links.
    pub(super) root: PathBuf,
    /// The folder, relative to the root; empty for several inputs.
    pub(super) prefix: PathBuf,
    /// The folder in a run; empty for several inputs.
    pub(super) name: PathBuf,
    /// The inputs in a run.
    pub(super) inputs: Vec<PathBuf>,
    pub(super) scripts: Vec<PathBuf>,
    /// The working directory of the command, relative to the root.
    pub(super) user_dir: PathBuf,
    /// What is reduced: the content of the folder, or several inputs in their directories.
    pub(super) tree: DirNode,
    /// What a run finds beside it: links to the company.
    pub(super) company: Vec<(PathBuf, PathBuf)>,
    pub(super) size: PlanLimits,
    /// What is left out, or special.
    pub notes: FolderNotes,
}

impl FolderPlan {
    /// Lists what the folder holds.
    ///
    /// Repositories of version control and stores of boildown are left out, and in a repository
    /// what the rules of git ignore. Links are not followed.
    ///
    /// # Errors
    /// [`PlanError`] when something cannot be read, or the folder is too large.
    pub fn new(request: &FolderRequest<'_>) -> Result<Self, PlanError> {
        let root = fs::canonicalize(request.root).map_err(unreadable(request.root))?;
        let user_dir = fs::canonicalize(request.user_dir).ok();
        let user_dir = user_dir.and_then(|dir| Some(dir.strip_prefix(&root).ok()?.to_owned()));
        let prefix = match request.inputs {
            [folder] if root.join(folder).is_dir() => folder.clone(),
            _ => PathBuf::new(),
        };
        let folder = root.join(&prefix);
        let mut survey = FolderSurvey {
            request,
            root: &root,
            folder: fs::canonicalize(&folder).map_err(unreadable(&folder))?,
            size: PlanLimits {
                entries: 0,
                bytes: 0,
            },
            rules: Vec::new(),
            notes: FolderNotes::default(),
        };
        let tree = match prefix.as_os_str().is_empty() {
            false => survey.whole(&prefix)?,
            true => survey.several(request.inputs)?,
        };
        // Directories are read in any order.
        let notes = &mut survey.notes;
        notes.ignored.sort();
        notes.special.sort();
        notes.leaving.sort();
        notes.packages.sort();
        let company = (request.company.iter()).map(|path| {
            let inside = path.strip_prefix(&root).map(Path::to_owned);
            let beside = || PathBuf::from(path.file_name().unwrap_or_default());
            (inside.unwrap_or_else(|_| beside()), path.clone())
        });
        Ok(Self {
            company: company.collect(),
            name: match prefix.as_os_str().is_empty() {
                true => PathBuf::new(),
                false => request.name.into(),
            },
            inputs: match prefix.as_os_str().is_empty() {
                true => request.inputs.to_owned(),
                false => vec![request.name.into()],
            },
            scripts: request.scripts.to_owned(),
            user_dir: user_dir.unwrap_or_default(),
            size: survey.size,
            notes: survey.notes,
            prefix,
            tree,
            root,
        })
    }

    /// Returns the plan of the runs on the folder: a copy holds a state of it.
    pub(super) fn project_plan(&self) -> ProjectPlan {
        ProjectPlan {
            root: self.root.clone(),
            input: self.name.clone(),
            user_dir: self.user_dir.clone(),
            tree: DirNode::default(),
            size: self.size,
        }
    }

    /// Returns whether there is nothing to reduce.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tree.children.is_empty()
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> PlanError {
    let path = path.to_owned();
    move |source| PlanError::Unreadable { path, source }
}

/// A walk through the folder.
struct FolderSurvey<'a> {
    request: &'a FolderRequest<'a>,
    root: &'a Path,
    /// The folder that links may lead out of.
    folder: PathBuf,
    size: PlanLimits,
    /// The rules of git of the directories from the root of the repository to the current one.
    rules: Vec<Gitignore>,
    notes: FolderNotes,
}

impl FolderSurvey<'_> {
    /// Lists one folder.
    fn whole(&mut self, prefix: &Path) -> Result<DirNode, PlanError> {
        let folder = self.root.join(prefix);
        // The folder that is reduced may be named by a link.
        let folder = fs::canonicalize(&folder).map_err(unreadable(&folder))?;
        let is_repository = |dir: &&Path| REPOSITORIES.iter().any(|name| dir.join(name).exists());
        if let Some(repository) = folder.ancestors().find(is_repository) {
            let inside = folder.strip_prefix(repository).unwrap_or(Path::new(""));
            let mut dir = repository.to_owned();
            for name in inside {
                self.rules.push(Gitignore::new(dir.join(".gitignore")).0);
                dir.push(name);
            }
            self.rules
                .push(Gitignore::new(repository.join(".git/info/exclude")).0);
        }
        self.directory(&folder)
    }

    /// Lists several inputs, in the directories that they are in.
    fn several(&mut self, inputs: &[PathBuf]) -> Result<DirNode, PlanError> {
        let mut tree = DirNode {
            mode: 0o755,
            ..DirNode::default()
        };
        for input in inputs {
            let on_disk = self.root.join(input);
            let metadata = fs::symlink_metadata(&on_disk).map_err(unreadable(&on_disk))?;
            let node = if metadata.is_dir() {
                Some(Node::Dir(self.whole(input)?))
            } else if metadata.is_symlink() {
                let target = fs::metadata(&on_disk).map_err(unreadable(&on_disk))?;
                // A link that is named stands for the file that it leads to.
                Some(Node::File(target.permissions().mode() & 0o7777))
            } else {
                self.leaf(&on_disk, &metadata)?
            };
            let mut dir = &mut tree;
            let mut path = self.root.to_owned();
            for name in input.parent().into_iter().flatten() {
                path.push(name);
                let mode = fs::metadata(&path).map_or(0o755, |dir| dir.permissions().mode());
                dir = dir.subdirectory(name, mode & 0o7777 | 0o700);
            }
            if let (Some(node), Some(name)) = (node, input.file_name()) {
                dir.children.insert(name.to_owned(), node);
            }
        }
        Ok(tree)
    }

    fn directory(&mut self, path: &Path) -> Result<DirNode, PlanError> {
        let metadata = fs::metadata(path).map_err(unreadable(path))?;
        let mut node = DirNode {
            mode: metadata.permissions().mode() & 0o7777 | 0o700,
            ..DirNode::default()
        };
        self.rules.push(Gitignore::new(path.join(".gitignore")).0);
        for entry in fs::read_dir(path).map_err(unreadable(path))? {
            let entry = entry.map_err(unreadable(path))?;
            if let Some(child) = self.entry(&entry)? {
                node.children.insert(entry.file_name(), child);
            }
        }
        self.rules.pop();
        Ok(node)
    }

    /// Returns what is reduced of an entry; `None` for nothing.
    fn entry(&mut self, entry: &DirEntry) -> Result<Option<Node>, PlanError> {
        let path = entry.path();
        let name = entry.file_name();
        let is_named = |names: &[&str]| names.iter().any(|other| name == OsStr::new(other));
        if is_named(REPOSITORIES)
            || name == OsStr::new(STORE)
            || is_ours(&name)
            || self.request.left_out.contains(&path)
            || self.request.company.contains(&path)
        {
            return Ok(None);
        }
        // The file may have vanished since the directory was read.
        let metadata = match entry.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            metadata => metadata.map_err(unreadable(&path))?,
        };
        if self.is_ignored(&path, metadata.is_dir()) {
            self.notes.ignored.push(self.in_root(&path));
            return Ok(None);
        }
        if !metadata.is_dir() {
            return self.leaf(&path, &metadata);
        }
        self.count(1, 0)?;
        let before = self.size.entries;
        let dir = self.directory(&path)?;
        if is_named(PACKAGES) {
            let entries = self.size.entries - before;
            self.notes.packages.push((self.in_root(&path), entries));
        }
        Ok(Some(Node::Dir(dir)))
    }

    fn leaf(&mut self, path: &Path, metadata: &fs::Metadata) -> Result<Option<Node>, PlanError> {
        self.count(1, metadata.len())?;
        if metadata.is_symlink() {
            let target = fs::read_link(path).map_err(unreadable(path))?;
            if self.leaves(path, &target) {
                self.notes.leaving.push(self.in_root(path));
            }
            return Ok(Some(Node::Link(target.into_os_string())));
        }
        if !metadata.is_file() {
            self.notes.special.push(self.in_root(path));
            return Ok(None);
        }
        rustix::fs::access(path, rustix::fs::Access::READ_OK)
            .map_err(|error| unreadable(path)(error.into()))?;
        Ok(Some(Node::File(metadata.permissions().mode() & 0o7777)))
    }

    /// Returns whether a link leads out of the folder, as it is written.
    fn leaves(&self, link: &Path, target: &Path) -> bool {
        let inside = link.strip_prefix(&self.folder).unwrap_or(link);
        let mut depth = inside.components().count().saturating_sub(1);
        for component in target.components() {
            match component {
                Component::RootDir | Component::Prefix(_) => return true,
                Component::CurDir => {}
                Component::Normal(_) => depth += 1,
                Component::ParentDir => match depth.checked_sub(1) {
                    Some(above) => depth = above,
                    None => return true,
                },
            }
        }
        false
    }

    fn is_ignored(&self, path: &Path, is_dir: bool) -> bool {
        // Outside of a repository there is only the file of the current directory, which is of no
        // repository.
        let is_repository = self.rules.len() > 1 || self.folder.join(".git").exists();
        let mut matches = (self.rules.iter().rev()).map(|rules| rules.matched(path, is_dir));
        is_repository
            && (matches.find(|matched| !matched.is_none()))
                .is_some_and(|matched| matched.is_ignore())
    }

    fn in_root(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.root).unwrap_or(path).to_owned()
    }

    fn count(&mut self, entries: usize, bytes: u64) -> Result<(), PlanError> {
        let limits = PlanLimits::STATED;
        self.size.entries += entries;
        self.size.bytes += bytes;
        if self.size.entries > limits.entries || self.size.bytes > limits.bytes {
            let root = self.folder.clone();
            return Err(PlanError::TooLarge { root, limits });
        }
        Ok(())
    }
}

/// Returns whether boildown made a file or folder of this name, for a moment.
fn is_ours(name: &OsStr) -> bool {
    let digits = name.as_bytes().strip_prefix(b".boildown-");
    digits.is_some_and(|digits| digits.len() == 16 && digits.iter().all(u8::is_ascii_hexdigit))
}

impl DirNode {
    /// Returns the directory of this name, which is made if there is none.
    pub(super) fn subdirectory(&mut self, name: &OsStr, mode: u32) -> &mut Self {
        let made = || {
            Node::Dir(Self {
                mode,
                ..Self::default()
            })
        };
        let node = self
            .children
            .entry(OsString::from(name))
            .or_insert_with(made);
        if !matches!(node, Node::Dir(_)) {
            *node = made();
        }
        match node {
            Node::Dir(dir) => dir,
            Node::File(_) | Node::Changed(..) | Node::Link(_) => {
                unreachable!("it was made a directory")
            }
        }
    }
}
