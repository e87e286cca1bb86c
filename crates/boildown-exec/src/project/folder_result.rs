//! The folder that holds the best result so far, which is always whole.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;

use super::copy::TreeCopy;
use super::node::DirNode;
use super::runs::Project;
use crate::scratch::remove_at;
use boildown_folder::FolderText;
use boildown_oracle::OracleError;

/// A folder that is replaced as a whole.
///
/// A new result is written to a hidden folder beside it, and the two folders change their names in
/// one step. A reader sees either all of the old result or all of the new one. What was the result
/// before becomes the hidden folder; for the next result, only what differs is written there. The
/// files that are equal in both are one file with two names, so the two take little more space than
/// one. The hidden folder is removed at the end.
#[derive(Debug)]
pub struct FolderResult {
    project: Arc<Project>,
    target: PathBuf,
    written: Mutex<WrittenResults>,
}

/// The folders that were written.
#[derive(Debug, Default)]
struct WrittenResults {
    /// The result, if it was written in this session.
    shown: Option<WrittenResult>,
    /// The hidden folder.
    hidden: Option<WrittenResult>,
}

/// A folder with a state of the folder that is reduced.
#[derive(Debug)]
struct WrittenResult {
    copy: TreeCopy,
    tree: DirNode,
    text: FolderText,
}

/// How a result is checked before it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    /// What is known to have changed is written.
    Changes,
    /// Each file is looked at.
    Everything,
}

impl FolderResult {
    /// Returns the result at this path. Nothing is written yet.
    #[must_use]
    pub fn new(project: Arc<Project>, target: PathBuf) -> Self {
        Self {
            project,
            target,
            written: Mutex::default(),
        }
    }

    /// Replaces the folder by this state of the folder that is reduced.
    ///
    /// # Errors
    /// [`OracleError::File`] when it cannot be written. The old result is unchanged then.
    pub fn write(&self, state: &[u8]) -> Result<(), OracleError> {
        self.replace(state, Check::Changes)
            .map_err(|source| self.error(source))
    }

    /// Replaces the folder like [`write`](Self::write), and returns when it is on the disk.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_durable(&self, state: &[u8]) -> Result<(), OracleError> {
        let written = self.replace(state, Check::Everything);
        let synced = written.and_then(|()| sync(&File::open(parent_of(&self.target))?));
        synced.map_err(|source| self.error(source))
    }

    fn error(&self, source: io::Error) -> OracleError {
        OracleError::File {
            action: "write",
            path: self.target.clone(),
            source,
        }
    }

    /// Returns the folder.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    fn hidden_name(&self) -> String {
        let name = self.target.file_name().unwrap_or_default();
        let digest = blake3::hash(name.as_encoded_bytes()).to_hex();
        format!(".boildown-{}", &digest[..16])
    }

    fn replace(&self, state: &[u8], check: Check) -> io::Result<()> {
        let name = self
            .target
            .file_name()
            .ok_or(io::ErrorKind::InvalidFilename)?;
        let parent = File::open(parent_of(&self.target))?;
        let parent = parent.as_fd();
        let source = self.project.folder_source();
        let source = source.ok_or(io::ErrorKind::Unsupported)?;
        let text = source.read(state).map_err(io::Error::other)?;
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let hidden = self.hidden_name();
        let result = match self.hide(&mut written, parent, text, check) {
            Ok(result) => result,
            Err(error) => {
                // A full disk is not made worse by what was written before it was full.
                remove_at(parent, hidden.as_str()).ok();
                return Err(error);
            }
        };
        let was_there = exchange(parent, hidden.as_ref(), name)?;
        let before = written.shown.replace(result);
        match before.filter(|_| was_there) {
            Some(before) => written.hidden = Some(before),
            None => remove_at(parent, hidden.as_str())?,
        }
        Ok(())
    }

    /// Writes the new result to the hidden folder.
    fn hide(
        &self,
        written: &mut WrittenResults,
        parent: BorrowedFd<'_>,
        text: FolderText,
        check: Check,
    ) -> io::Result<WrittenResult> {
        let hidden = self.hidden_name();
        let path = parent_of(&self.target).join(&hidden);
        let source = self.project.folder_source();
        let source = source.ok_or(io::ErrorKind::Unsupported)?;
        let contents = source.contents_dir();
        if let Some(mut known) = written.hidden.take() {
            let (copy, tree) = (&mut known.copy, &mut known.tree);
            let differing = source.update_result(tree, &known.text, &text);
            let held = match check {
                Check::Changes => copy.hold(parent, &path, tree, differing, contents),
                Check::Everything => copy.restore(parent, &hidden, tree, contents),
            };
            if held.is_ok() {
                known.text = text;
                return Ok(known);
            }
        }
        remove_at(parent, hidden.as_str())?;
        let tree = source.result_tree(&text);
        let name = hidden.as_ref();
        let mut copy = match &mut written.shown {
            Some(WrittenResult { copy: shown, .. }) => {
                TreeCopy::create_linked(parent, name, &tree, contents, shown)?
            }
            None => TreeCopy::create(parent, name, tree.mode, &tree, contents)?,
        };
        copy.begin_watch(&path);
        Ok(WrittenResult { copy, tree, text })
    }
}

impl Drop for FolderResult {
    fn drop(&mut self) {
        let written = self
            .written
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if written.hidden.is_some()
            && let Ok(parent) = File::open(parent_of(&self.target))
        {
            // An error cannot be reported here. The next session removes it.
            remove_at(parent.as_fd(), self.hidden_name().as_str()).ok();
        }
    }
}

/// Returns the directory that a path is in.
fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Gives the hidden folder the name of the result, in one step if the system can. Returns whether
/// there was something of this name, which has the name of the hidden folder then.
fn exchange(parent: BorrowedFd<'_>, hidden: &OsStr, name: &OsStr) -> io::Result<bool> {
    let rename = |flags| renameat_with(parent, hidden, parent, name, flags);
    match rename(RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => {
            rename(RenameFlags::empty())?;
            Ok(false)
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => exchange_in_steps(parent, hidden, name),
        Err(error) => Err(error.into()),
    }
}

/// Does what `exchange` does where the system cannot exchange names. For a moment there is no
/// folder of this name.
fn exchange_in_steps(parent: BorrowedFd<'_>, hidden: &OsStr, name: &OsStr) -> io::Result<bool> {
    let mut aside = hidden.to_owned();
    aside.push("-old");
    remove_at(parent, &*aside)?;
    let moved = rustix::fs::renameat(parent, name, parent, &*aside);
    rustix::fs::renameat(parent, hidden, parent, name)?;
    if moved.is_ok() {
        rustix::fs::renameat(parent, &*aside, parent, hidden)?;
    }
    Ok(moved.is_ok())
}

/// Waits until everything is on the disk.
fn sync(parent: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(parent)?;
    #[cfg(not(target_os = "linux"))]
    {
        rustix::fs::sync();
        parent.sync_all().ok();
    }
    Ok(())
}
