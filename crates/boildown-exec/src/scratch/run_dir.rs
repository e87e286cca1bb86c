//! The directory of one run.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags, RawMode, mkdirat, openat, unlinkat};

use super::candidate_file::CandidateFile;
use super::empty_dir::EmptyDir;
use super::remove::remove_at;
use boildown_oracle::OracleError;

/// The directory of one run, and one beside it for temporary files. Both are removed with their
/// content when dropped.
///
/// Both are named relative to the open directory of the session, and the candidate relative to the
/// open directory of the run. So a run that replaces one of them by a link does not make us write
/// or remove anything elsewhere.
#[derive(Debug)]
pub struct RunDir {
    /// The directory of the session.
    parent: Arc<OwnedFd>,
    name: String,
    /// The directory and the one for temporary files, as they were created, even if a run has moved
    /// them. `None` while they are being created.
    opened: Option<[OwnedFd; 2]>,
    file_name: OsString,
    dir: PathBuf,
    candidate: PathBuf,
    tmp: PathBuf,
}

impl RunDir {
    /// Creates the directories in `parent`, which is at `path`, and writes the candidate.
    pub(super) fn create(
        parent: Arc<OwnedFd>,
        path: &Path,
        name: String,
        file: &CandidateFile,
        bytes: &[u8],
    ) -> Result<Self, OracleError> {
        let fail = |action, path: &Path, source| OracleError::Scratch {
            action,
            path: path.to_owned(),
            source,
        };
        let dir = path.join(&name);
        mkdirat(&parent, &name, Mode::RWXU).map_err(|error| fail("create", &dir, error.into()))?;
        // From here on, an error drops `run_dir`, which removes the directory.
        let mut run_dir = Self {
            parent,
            opened: None,
            file_name: file.name.clone(),
            candidate: dir.join(&file.name),
            tmp: path.join(tmp(&name)),
            dir,
            name,
        };
        mkdirat(&run_dir.parent, tmp(&run_dir.name), Mode::RWXU)
            .map_err(|error| fail("create", &run_dir.tmp, error.into()))?;
        let opened = open(&run_dir.parent, &run_dir.name)
            .map_err(|source| fail("open", &run_dir.dir, source))?;
        let tmp_opened = open(&run_dir.parent, &tmp(&run_dir.name))
            .map_err(|source| fail("open", &run_dir.tmp, source))?;
        write(&opened, file, bytes).map_err(|source| fail("write", &run_dir.candidate, source))?;
        run_dir.opened = Some([opened, tmp_opened]);
        Ok(run_dir)
    }

    /// Returns the states of both directories, which were just made.
    pub(super) fn states(&self) -> io::Result<[EmptyDir; 2]> {
        let [dir, tmp_dir] = self.opened.as_ref().ok_or(io::ErrorKind::NotFound)?;
        Ok([EmptyDir::read(dir)?, EmptyDir::read(tmp_dir)?])
    }

    /// Empties the directories for the next run. Returns whether that succeeded and they are as
    /// they were made; a run may have replaced them, or changed their attributes.
    pub(super) fn clear(&self, [dir_state, tmp_state]: &mut [EmptyDir; 2]) -> bool {
        let Some([dir, tmp_dir]) = &self.opened else {
            return false;
        };
        unlinkat(dir, &self.file_name, AtFlags::empty()).ok();
        dir_state.clear(&self.parent, &self.name, dir, None)
            && tmp_state.clear(&self.parent, &tmp(&self.name), tmp_dir, dir_state.changed())
    }

    /// Writes another candidate into the emptied directory.
    pub(super) fn refill(&mut self, file: &CandidateFile, bytes: &[u8]) -> Result<(), OracleError> {
        if self.file_name != file.name {
            self.file_name.clone_from(&file.name);
            self.candidate = self.dir.join(&file.name);
        }
        let opened = self.opened.as_ref().ok_or(io::ErrorKind::NotFound.into());
        opened
            .and_then(|[dir, _]| write(dir, file, bytes))
            .map_err(|source| OracleError::Scratch {
                action: "write",
                path: self.candidate.clone(),
                source,
            })
    }

    /// Returns the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Returns the path of the candidate, which is absolute if that of the session is.
    #[must_use]
    pub fn candidate(&self) -> &Path {
        &self.candidate
    }

    /// Returns the directory for temporary files of the run, which is empty at first.
    #[must_use]
    pub fn tmp(&self) -> &Path {
        &self.tmp
    }
}

/// Returns the name of the directory for temporary files. Its length is constant, like that of the
/// name of the run.
fn tmp(name: &str) -> String {
    format!("{name}-tmp")
}

fn open(parent: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(parent, name, flags, Mode::empty())?)
}

fn write(dir: &OwnedFd, file: &CandidateFile, bytes: &[u8]) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(((file.mode | 0o600) & 0o7777) as RawMode);
    File::from(openat(dir, &file.name, flags, mode)?).write_all(bytes)
}

impl Drop for RunDir {
    fn drop(&mut self) {
        // The fast path: three calls suffice for a run that left no other files. If even
        // `remove_at` fails, the end of the session tries again.
        if let Some([dir, _]) = self.opened.take() {
            unlinkat(&dir, &self.file_name, AtFlags::empty()).ok();
        }
        for name in [self.name.clone(), tmp(&self.name)] {
            if unlinkat(&self.parent, &name, AtFlags::REMOVEDIR).is_err() {
                remove_at(self.parent.as_fd(), &name).ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates a directory, lets `mischief` change it, and checks that it is removed.
    #[track_caller]
    fn check(mischief: impl Fn(&RunDir)) {
        let parent = tempfile::tempdir().unwrap();
        let run = RunDir::create(
            Arc::new(File::open(parent.path()).unwrap().into()),
            parent.path(),
            "run".to_owned(),
            &CandidateFile::named("a.c"),
            b"x",
        )
        .unwrap();
        mischief(&run);
        drop(run);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_unchanged_directory_is_removed() {
        check(|_| {});
    }

    #[test]
    fn a_directory_is_removed_with_the_files_of_the_run() {
        check(|run| {
            fs::create_dir(run.path().join("sub")).unwrap();
            fs::write(run.path().join("sub/a.o"), "x").unwrap();
            fs::write(run.tmp().join("cc1.s"), "x").unwrap();
        });
    }

    #[test]
    fn a_directory_that_the_run_removed_is_not_an_error() {
        check(|run| {
            fs::remove_dir_all(run.path()).unwrap();
            fs::remove_dir_all(run.tmp()).unwrap();
        });
    }

    #[test]
    fn a_candidate_that_became_a_directory_is_removed() {
        check(|run| {
            fs::remove_file(run.candidate()).unwrap();
            fs::create_dir(run.candidate()).unwrap();
        });
    }

    #[test]
    fn a_directory_that_became_a_file_or_a_link_is_removed() {
        check(|run| {
            fs::remove_dir_all(run.path()).unwrap();
            fs::write(run.path(), "x").unwrap();
        });
        check(|run| {
            fs::remove_dir_all(run.path()).unwrap();
            symlink("/", run.path()).unwrap();
        });
    }

    #[test]
    fn the_target_of_a_link_in_its_place_is_not_removed() {
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("a.c"), "precious").unwrap();
        check(|run| {
            for dir in [run.path(), run.tmp()] {
                fs::remove_dir_all(dir).unwrap();
                symlink(elsewhere.path(), dir).unwrap();
            }
        });
        assert_eq!(fs::read(elsewhere.path().join("a.c")).unwrap(), b"precious");
    }
}
