//! The directory of one run.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::CandidateFile;
use super::remove::remove_tree;
use crate::OracleError;

/// The directory of one run. Removed when dropped, with whatever the run made of it.
#[derive(Debug)]
pub struct RunDir {
    dir: PathBuf,
    candidate: PathBuf,
}

impl RunDir {
    pub(super) fn create(
        dir: PathBuf,
        file: &CandidateFile,
        bytes: &[u8],
    ) -> Result<Self, OracleError> {
        let fail = |action, path: &Path, source| OracleError::Scratch {
            action,
            path: path.to_owned(),
            source,
        };
        DirBuilder::new()
            .mode(0o700)
            .create(&dir)
            .map_err(|source| fail("create", &dir, source))?;
        // From here on, dropping it on an error removes the directory.
        let run_dir = Self {
            candidate: dir.join(&file.name),
            dir,
        };
        let path = &run_dir.candidate;
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(file.mode | 0o600)
            .open(path)
            .and_then(|mut opened| opened.write_all(bytes))
            .map_err(|source| fail("write", path, source))?;
        Ok(run_dir)
    }

    /// Returns the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Returns the candidate's path, which is absolute if the session's directory is.
    #[must_use]
    pub fn candidate(&self) -> &Path {
        &self.candidate
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        // Two calls do for a run that left only the candidate, or not even that. If the rest fails too, the session's end tries
        // again.
        fs::remove_file(&self.candidate).ok();
        if fs::remove_dir(&self.dir).is_err() {
            remove_tree(&self.dir).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mischief: impl Fn(&RunDir)) {
        let parent = tempfile::tempdir().unwrap();
        let run = RunDir::create(
            parent.path().join("run"),
            &CandidateFile::named("a.c"),
            b"x",
        )
        .unwrap();
        mischief(&run);
        drop(run);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_untouched_directory_is_removed() {
        check(|_| {});
    }

    #[test]
    fn a_directory_is_removed_with_files_that_the_run_made() {
        check(|run| {
            fs::create_dir(run.path().join("sub")).unwrap();
            fs::write(run.path().join("sub/a.o"), "x").unwrap();
        });
    }

    #[test]
    fn a_directory_that_is_gone_already_is_no_trouble() {
        check(|run| fs::remove_dir_all(run.path()).unwrap());
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
            std::os::unix::fs::symlink("/", run.path()).unwrap();
        });
    }
}
