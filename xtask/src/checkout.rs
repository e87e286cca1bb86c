//! The files of the checkout that people write.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that hold nothing written by hand.
const SKIPPED_FOLDERS: &[&str] = &["target", ".git", "corpus", "artifacts"];

/// Endings of the files that are read.
const EXTENSIONS: &[&str] = &["rs", "py", "sh", "md", "toml", "yml", "rules"];

/// Files without an ending, or with another one, that are read too.
const OTHER_FILES: &[&str] = &[".ci/run", "justfile"];

/// A text file of the checkout.
#[derive(Debug, Clone)]
pub struct WrittenFile {
    /// Path relative to the top of the checkout.
    pub path: PathBuf,
    /// Content.
    pub text: String,
}

impl WrittenFile {
    /// Returns whether the path ends with `.extension`.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.path
            .extension()
            .is_some_and(|found| found == extension)
    }
}

/// Returns the top of the checkout that this crate was built from.
///
/// # Panics
/// Never: the crate is a folder of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the checkout")
}

/// Returns the text files of the checkout at `root` that people write, ordered by path.
///
/// # Errors
/// A folder or a file that cannot be read.
pub fn written_files(root: &Path) -> io::Result<Vec<WrittenFile>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if !SKIPPED_FOLDERS.contains(&&*name) {
                    folders.push(path);
                }
                continue;
            }
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            let is_written = EXTENSIONS.contains(&&*extension)
                || OTHER_FILES.iter().any(|other| path.ends_with(other));
            if is_written {
                let text = fs::read_to_string(&path)?;
                let path = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
                files.push(WrittenFile { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
