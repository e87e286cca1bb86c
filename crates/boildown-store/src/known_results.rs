//! The list of contents that a result file has had, by which a result of ours is recognised.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use boildown_search::Fingerprint;
use rustix::fs::OFlags;

use super::{StoreFolder, schema};

/// The size at which the older half of the list is removed, in bytes.
const MAX_BYTES: u64 = 128 << 10;

/// The contents that runs have written to one result file: the text file `results` in the folder of
/// the run stores, one fingerprint a line.
///
/// A file that is not a result of boildown must never be replaced by one. The list is apart from
/// the run stores, so a result stays known after its store was removed or damaged.
#[derive(Debug, Clone)]
pub struct KnownResults {
    file: PathBuf,
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
        if fs::symlink_metadata(&self.file).is_ok_and(|list| list.len() >= MAX_BYTES) {
            self.remove_older_half()?;
        }
        let mut list = OpenOptions::new()
            .append(true)
            .create(true)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&self.file)?;
        list.write_all(format!("{}\n", line_of(content)).as_bytes())
    }

    fn remove_older_half(&self) -> io::Result<()> {
        let list = fs::read_to_string(&self.file)?;
        let skipped = list.lines().count() / 2;
        let newer: String = (list.lines().skip(skipped))
            .map(|line| format!("{line}\n"))
            .collect();
        let rewritten = self.file.with_extension("new");
        fs::write(&rewritten, newer)?;
        fs::rename(rewritten, &self.file)
    }

    fn contains(&self, content: Fingerprint) -> bool {
        let wanted = line_of(content);
        fs::read_to_string(&self.file).is_ok_and(|list| list.lines().any(|line| line == wanted))
    }
}

fn line_of(content: Fingerprint) -> String {
    format!("{:032x}", content.bits())
}

impl StoreFolder {
    /// Returns the list of contents that the result file has had.
    #[must_use]
    pub fn known_results(&self) -> KnownResults {
        KnownResults {
            file: self.dir().join("results"),
        }
    }

    /// Returns whether any run has written this content to the result file.
    #[must_use]
    pub fn is_known_result(&self, content: Fingerprint) -> bool {
        // Runs of earlier versions have no list.
        let is_stored = |file: &PathBuf| schema::has_improvement(file, content);
        self.known_results().contains(content) || self.files().iter().any(is_stored)
    }
}

#[cfg(test)]
mod tests {
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
        assert!(fs::metadata(&results.file).unwrap().len() <= MAX_BYTES);
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
