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
use super::folder::listing_of;
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

    /// Returns a hash of the files that the folder holds when it is this state.
    #[must_use]
    pub fn content_hash(&self, state: &[u8]) -> Option<String> {
        self.project.content_hash(state)
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

/// Returns the hash of the files in a folder that may be a result of any folder, and their size in
/// bytes.
///
/// # Errors
/// If it cannot be read, or holds what no result holds.
pub fn content_of_folder(folder: &Path) -> io::Result<(String, u64)> {
    let listing = listing_of(folder)?;
    let text = FolderText::whole(&listing);
    Ok((text.content_hash(&listing), text.size(&listing).bytes))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;

    use boildown_oracle::Interrupt;

    use super::*;
    use crate::project::{FolderPlan, FolderRequest};

    const FILES: [&str; 5] = ["a/b/1", "a/b/2", "a/3", "c/4", "5"];

    /// Returns the plan of the folder `in`.
    fn plan(dir: &Path) -> FolderPlan {
        let plan = FolderPlan::new(&FolderRequest {
            root: dir,
            inputs: &["in".into()],
            name: "in".as_ref(),
            user_dir: dir,
            company: &[],
            left_out: &[],
            scripts: &[],
        });
        plan.unwrap()
    }

    #[test]
    fn an_interrupted_snapshot_is_removed() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("in")).unwrap();
        fs::write(temp.path().join("in/file"), "x").unwrap();
        let space = tempfile::tempdir().unwrap();
        let interrupt = Interrupt::new().unwrap();
        interrupt.trigger();
        // More than there is memory for.
        let jobs = usize::MAX;
        let error = Project::of_folder(&plan(temp.path()), jobs, space.path(), &interrupt);
        assert!(matches!(error.unwrap_err(), OracleError::Interrupted));
        assert_eq!(fs::read_dir(space.path()).unwrap().count(), 0);
    }

    /// A folder `in` with a few files, and its result at `out`.
    struct Scene {
        temp: tempfile::TempDir,
        project: Arc<Project>,
        result: FolderResult,
    }

    impl Scene {
        fn new() -> Self {
            let temp = tempfile::tempdir().unwrap();
            for file in FILES {
                let path = temp.path().join("in").join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, file).unwrap();
            }
            let plan = plan(temp.path());
            let project =
                Project::of_folder(&plan, 1, temp.path(), &Interrupt::new().unwrap()).unwrap();
            let project = Arc::new(project);
            let result = FolderResult::new(Arc::clone(&project), temp.path().join("out"));
            Self {
                temp,
                project,
                result,
            }
        }

        /// Returns a state with these files, and with these contents.
        fn state(&self, kept: &[&str], changed: &[(&str, &str)]) -> Vec<u8> {
            let listing = &self.project.folder().unwrap().listing;
            let find = |path: &str| listing.find(path.as_bytes()).unwrap();
            let contents: BTreeMap<usize, Arc<[u8]>> = (changed.iter())
                .map(|(path, content)| (find(path), content.as_bytes().into()))
                .collect();
            let kept = kept.iter().map(|path| find(path));
            FolderText::new(listing, kept, contents).write(listing)
        }

        fn out(&self, file: &str) -> PathBuf {
            self.temp.path().join("out").join(file)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.temp.path()).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.filter(|name| !name.starts_with("boil")).collect();
            names.sort();
            names
        }
    }

    #[test]
    fn each_result_is_the_state_that_was_written_last() {
        let scene = Scene::new();
        // In another order each time, so that files come, go and change between any two.
        for round in 0..200_usize {
            let bit = |index: usize| ((round * 7919) >> index) & 1 == 1;
            let kept = FILES.iter().enumerate().filter(|(index, _)| bit(*index));
            let kept: Vec<&str> = kept.map(|(_, file)| *file).collect();
            let content = format!("{}", round % 3);
            let changed: Vec<(&str, &str)> = (kept.iter())
                .filter(|file| bit(file.len() + 2))
                .map(|file| (*file, content.as_str()))
                .collect();
            let state = scene.state(&kept, &changed);
            scene.result.write(&state).unwrap();
            let found = scene.project.state_of(&scene.result.target);
            assert_eq!(found.as_deref(), Some(&*state), "round {round}");
        }
        drop(scene.result);
        assert_eq!(
            fs::read_dir(scene.temp.path()).unwrap().count(),
            2,
            "in, out"
        );
    }

    #[test]
    fn files_that_two_results_have_are_stored_once() {
        let scene = Scene::new();
        scene.result.write(&scene.state(&FILES, &[])).unwrap();
        let less = scene.state(&FILES[1..], &[("c/4", "new")]);
        scene.result.write(&less).unwrap();
        let metadata = |file: &str| scene.out(file).metadata().unwrap();
        assert_eq!(metadata("a/b/2").nlink(), 2);
        assert_eq!(metadata("c/4").nlink(), 1);
        drop(scene.result);
        let path = scene.temp.path().join("out/a/b/2");
        assert_eq!(path.metadata().unwrap().nlink(), 1);
    }

    #[test]
    fn what_others_write_into_a_result_is_not_in_a_later_one() {
        let scene = Scene::new();
        let all = scene.state(&FILES, &[]);
        scene.result.write(&all).unwrap();
        scene.result.write(&scene.state(&FILES[1..], &[])).unwrap();
        // A file that has two names, and a new one.
        fs::write(scene.out("5"), "edited").unwrap();
        fs::write(scene.out("a/new"), "").unwrap();
        for kept in [&FILES[2..], &FILES[3..]] {
            let state = scene.state(kept, &[]);
            scene.result.write_durable(&state).unwrap();
            let found = scene.project.state_of(&scene.result.target);
            assert_eq!(found.as_deref(), Some(&*state));
        }
        assert_eq!(fs::read(scene.temp.path().join("in/5")).unwrap(), b"5");
    }

    #[test]
    fn after_an_error_the_result_is_the_last_one_and_no_other_folder_is_left() {
        let scene = Scene::new();
        let first = scene.state(&FILES[..3], &[]);
        scene.result.write(&first).unwrap();
        fs::remove_file(scene.project.snapshot().join("in/5")).unwrap();
        let error = scene.result.write(&scene.state(&FILES, &[])).unwrap_err();
        assert!(error.to_string().contains("out"), "{error}");
        assert_eq!(scene.names(), ["in", "out"]);
        assert_eq!(scene.project.state_of(&scene.result.target), Some(first));
        let next = scene.state(&FILES[1..4], &[]);
        scene.result.write(&next).unwrap();
        assert_eq!(scene.project.state_of(&scene.result.target), Some(next));
    }
    #[test]
    fn a_file_that_vanishes_before_it_is_copied_is_an_error_that_names_it() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("in/a")).unwrap();
        fs::write(temp.path().join("in/a/fleeting"), "").unwrap();
        let plan = plan(temp.path());
        fs::remove_file(temp.path().join("in/a/fleeting")).unwrap();
        let error =
            Project::of_folder(&plan, 1, temp.path(), &Interrupt::new().unwrap()).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("a/fleeting"), "{cause}");
    }
}
