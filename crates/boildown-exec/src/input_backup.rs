//! The copy of an input that is reduced in its own place.

use std::path::{Path, PathBuf};

/// Where an input that an earlier session reduced in its own place is as it was before.
#[derive(Debug, Clone)]
pub struct InputBackup {
    /// The input and its copy, both absolute.
    moves: Vec<(PathBuf, PathBuf)>,
}

impl InputBackup {
    /// Returns the backup of an input, both as the user named them.
    #[must_use]
    pub fn new(input: &Path, backup: &Path) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let input = absolute(input);
        let resolved = input.canonicalize().ok().filter(|path| *path != input);
        let inputs = std::iter::once(input).chain(resolved);
        let backup = absolute(backup);
        Self {
            moves: inputs.map(|input| (input, backup.clone())).collect(),
        }
    }

    /// Returns where a file is as it was before the first session: in the backup, if it is part of
    /// the input.
    #[must_use]
    pub fn original(&self, path: &Path) -> PathBuf {
        let inside = |(input, backup): &(PathBuf, PathBuf)| {
            let rest = path.strip_prefix(input).ok()?;
            // With nothing to join, a slash would be added.
            Some(match rest.as_os_str().is_empty() {
                true => backup.clone(),
                false => backup.join(rest),
            })
        };
        let found = self.moves.iter().find_map(inside);
        found.unwrap_or_else(|| path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_input_are_in_the_backup() {
        let backup = InputBackup::new(Path::new("/d/in"), Path::new("/d/in.orig"));
        for (path, expected) in [
            ("/d/in", "/d/in.orig"),
            ("/d/in/a/b", "/d/in.orig/a/b"),
            ("/d/inner", "/d/inner"),
            ("/usr/bin/cc", "/usr/bin/cc"),
        ] {
            assert_eq!(backup.original(Path::new(path)), Path::new(expected));
        }
    }
}
