//! A command that is run in a tree of files.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use boildown_exec::spawn::{Inherited, Invocation, Stdin};
use boildown_oracle::Capture;
use boildown_oracle::shell::quote;

/// A command that is run in a tree of files. `{}` in its words stands for the root of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeCommand {
    /// The program and its arguments.
    words: Vec<OsString>,
    /// The words that name a file which a build may make.
    made: Vec<MadeFile>,
    /// The directory of the tree in which it is run.
    dir: PathBuf,
}

/// A word that names a file which a build may make in the tree. If it does not, another file of the
/// user is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MadeFile {
    /// The index of the word.
    index: usize,
    /// The word that names the file in the tree.
    word: OsString,
    /// The file, relative to the directory in which the command is run.
    path: PathBuf,
}

/// The placeholder for the root of the tree.
const PLACEHOLDER: &[u8] = b"{}";

impl TreeCommand {
    /// Returns the command of these words (at least one), run in this directory of the tree.
    #[must_use]
    pub fn new(words: Vec<OsString>, dir: PathBuf) -> Self {
        Self {
            words,
            made: Vec::new(),
            dir,
        }
    }

    /// Says that `word` takes the place of the word at `index` in trees that have the file `path`,
    /// relative to the directory in which the command is run.
    pub fn prefer_made(&mut self, index: usize, word: OsString, path: PathBuf) {
        self.made.push(MadeFile { index, word, path });
    }

    /// Returns the command that has a shell run a line.
    #[must_use]
    pub fn line(line: &OsStr, dir: PathBuf) -> Self {
        let words = ["/bin/sh".into(), "-c".into(), line.to_owned()];
        Self::new(words.into(), dir)
    }

    /// Returns the words, the program first.
    pub fn words(&self) -> impl Iterator<Item = &OsStr> {
        self.words.iter().map(OsString::as_os_str)
    }

    /// Returns the directory of the tree in which it is run.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the command for the tree at `root`, with `tmp` for its temporary files.
    pub(super) fn invocation(&self, root: &Path, tmp: PathBuf, capture: Capture) -> Invocation {
        let current_dir = root.join(&self.dir);
        let mut words = self.words.clone();
        for made in &self.made {
            if current_dir.join(&made.path).exists() {
                words[made.index].clone_from(&made.word);
            }
        }
        let mut words = words.iter().map(|word| fill(word, root));
        let program = words.next().unwrap_or_default();
        Invocation {
            program: match program.as_bytes().contains(&b'/') {
                true => current_dir.join(program).into_os_string(),
                false => program,
            },
            args: words.collect(),
            current_dir,
            stdin: Stdin::Null,
            inherited: Inherited::Everything,
            env: Vec::new(),
            tmp: Some(tmp),
            capture,
        }
    }
}

/// Replaces the placeholders of a word.
fn fill(word: &OsStr, root: &Path) -> OsString {
    let mut filled = Vec::new();
    let mut rest = word.as_bytes();
    while let Some(start) = rest.windows(2).position(|two| two == PLACEHOLDER) {
        filled.extend_from_slice(&rest[..start]);
        filled.extend_from_slice(root.as_os_str().as_bytes());
        rest = &rest[start + PLACEHOLDER.len()..];
    }
    filled.extend_from_slice(rest);
    OsString::from_vec(filled)
}

/// Displays the command as it would be typed in the tree.
impl fmt::Display for TreeCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(quote).collect();
        f.write_str(&words.join(" "))
    }
}
