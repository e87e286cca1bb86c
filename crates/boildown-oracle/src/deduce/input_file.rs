//! The file that a command was run on, and which files of its messages are of its program.

use std::borrow::Cow;

use crate::has_word;

/// The file that a command was run on; the default where that is not known.
#[derive(Debug, Clone, Default)]
pub struct InputFile<'a> {
    /// The name that the command gets.
    pub name: Cow<'a, str>,
    /// Its content.
    pub text: &'a [u8],
}

/// Directories of files that a run makes.
const TEMPORARY: [&str; 3] = ["/tmp/", "/var/tmp/", "/dev/shm/"];

impl InputFile<'_> {
    /// Returns whether a file, as messages name it, is a source of the program that was run: lines
    /// in it do not move when the input shrinks. It is neither the input, nor made from it, nor
    /// named in it.
    pub(super) fn is_beside(&self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file);
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        !self.name.is_empty()
            && stem(name) != stem(&self.name)
            && !TEMPORARY.iter().any(|folder| file.starts_with(folder))
            && !has_word(self.text, name)
    }

    /// Returns whether the input has the path of a file, or its name: it is not that of a run.
    pub(super) fn mentions(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_named = name != self.name && name.contains(|it: char| it.is_alphabetic());
        has_word(self.text, path) || is_named && has_word(self.text, name)
    }
}
