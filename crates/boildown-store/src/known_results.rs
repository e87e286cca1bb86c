//! The list of contents that a result file has had, by which a result of ours is recognised.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use boildown_exec::{Access, DirHandle, fsx};
use boildown_search::Fingerprint;

use super::{StoreFolder, schema};

/// The name of the list.
const LIST: &str = "results";

/// The size at which the older half of the list is removed, in bytes.
const MAX_BYTES: u64 = 128 << 10;

/// The contents that runs have written to one result file: the text file `results` in the folder of
/// the run stores, one fingerprint a line.
///
/// A file that is not a result of boildown must never be replaced by one. The list is apart from
/// the run stores, so a result stays known after its store was removed or damaged.
#[derive(Debug, Clone)]
pub struct KnownResults {
    /// The folder of the run stores.
    dir: Arc<DirHandle>,
}

impl KnownResults {
    /// Adds a content, before it is written to the result file.
    ///
    /// Errors are ignored: without the entry, a later run asks the user before it replaces the
    /// result.
    pub fn record(&self, content: Fingerprint) {
        self.append(content).ok();
    }

    fn append(&self, content: Fingerprint) -> io::Result<()> {
        let mut list = self.dir.append_file(LIST.as_ref())?;
        if list.metadata()?.len() >= MAX_BYTES {
            self.remove_older_half()?;
            list = self.dir.append_file(LIST.as_ref())?;
        }
        list.write_all(format!("{}\n", line_of(content)).as_bytes())
    }

    fn remove_older_half(&self) -> io::Result<()> {
        let list = self.read()?;
        let skipped = list.lines().count() / 2;
        let newer: String = (list.lines().skip(skipped))
            .map(|line| format!("{line}\n"))
            .collect();
        fsx::write_in(&self.dir, LIST.as_ref(), newer.as_bytes(), Access::OWNER)
    }

    fn read(&self) -> io::Result<String> {
        let list = self.dir.read_file(OsStr::new(LIST))?;
        Ok(String::from_utf8_lossy(&list).into_owned())
    }

    fn contains(&self, content: Fingerprint) -> bool {
        let wanted = line_of(content);
        self.read()
            .is_ok_and(|list| list.lines().any(|line| line == wanted))
    }
}

fn line_of(content: Fingerprint) -> String {
    format!("{:032x}", content.bits())
}

impl StoreFolder {
    /// Returns the list of contents that the result file has had.
    pub fn known_results(&self) -> KnownResults {
        KnownResults { dir: self.handle() }
    }

    /// Returns whether any run has written this content to the result file.
    pub fn is_known_result(&self, content: Fingerprint) -> bool {
        // Runs of earlier versions have no list.
        let is_stored = |file: &PathBuf| schema::has_improvement(file, content);
        self.known_results().contains(content) || self.files().iter().any(is_stored)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::fingerprint_of;

    #[test]
    fn a_recorded_content_is_known_and_the_list_stays_small() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StoreFolder::beside(&dir.path().join("x.min")).unwrap();
        let results = folder.known_results();
        let content = |number: u32| fingerprint_of(&number.to_le_bytes());
        for number in 0..10_000 {
            results.record(content(number));
        }
        assert!(folder.is_known_result(content(9_999)));
        assert!(folder.is_known_result(content(8_500)));
        assert!(!folder.is_known_result(content(10_000)));
        assert!(fs::metadata(folder.dir().join(LIST)).unwrap().len() <= MAX_BYTES);
    }

    #[test]
    fn a_link_in_place_of_the_list_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = StoreFolder::beside(&dir.path().join("x.min")).unwrap();
        let precious = dir.path().join("precious");
        fs::write(&precious, "precious").unwrap();
        symlink(&precious, folder.dir().join("results")).unwrap();
        folder.known_results().record(fingerprint_of(b"x"));
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
    }
}
