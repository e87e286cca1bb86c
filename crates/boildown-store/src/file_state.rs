//! Values by which a file is recognised: the hash of its content, or its size and time.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The maximum size of a watched file that is compared by its content, in bytes. Larger files are
/// compared by size and time.
const MAX_COMPARED: u64 = 4 << 20;

/// Returns a value that changes with the content of a watched file; `None` if it is missing.
pub(super) fn watched_value(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    if metadata.len() > MAX_COMPARED {
        return stamp(file);
    }
    Some(hash(&fs::read(file).ok()?))
}

/// Returns the size and the time of a file, which change when it is installed again.
pub(super) fn stamp(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    Some(format!(
        "{} bytes of {}.{:09}",
        metadata.len(),
        metadata.mtime(),
        metadata.mtime_nsec()
    ))
}

/// Returns the hash of a content.
pub(super) fn hash(bytes: &[u8]) -> String {
    let mut text = "blake3:".to_owned();
    for byte in &blake3::hash(bytes).as_bytes()[..16] {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
    }
    text
}
