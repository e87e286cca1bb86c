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

/// Parts of the paths of files that are made anew in each run.
const TEMPORARY: [&str; 6] = [
    "/tmp",
    "/temp",
    "/dev/shm/",
    "/.cache/",
    "/var/folders/",
    "boildown",
];

impl InputFile<'_> {
    /// Returns whether a file, as messages name it, is a source of the program that was run: lines
    /// in it do not move when the input shrinks. It is neither the input, nor made from it, nor
    /// named in it.
    pub(super) fn is_beside(&self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file);
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        !self.name.is_empty()
            && stem(name) != stem(&self.name)
            && !is_temporary(file)
            && !has_word(self.text, name)
    }

    /// Returns whether the name of a file is that in each run: the input has it, or it is no
    /// temporary file and has no number.
    pub(super) fn keeps_name(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_word = name.len() > 2 && name.contains(|it: char| it.is_alphabetic());
        let is_stable = !self.name.is_empty()
            && !name.contains(|it: char| it.is_ascii_digit())
            && !is_temporary(path);
        let is_named = is_stable || has_word(self.text, name);
        has_word(self.text, path) || (is_word && name != self.name && is_named)
    }
}

fn is_temporary(path: &str) -> bool {
    TEMPORARY.iter().any(|part| path.contains(part))
}
