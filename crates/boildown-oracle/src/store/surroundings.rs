//! What a command depends on beside the candidate, as far as that can be seen from outside.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::Identity;

/// Larger files are known by their size and time, not by their content.
const LARGE: u64 = 256 << 20;

/// Larger scripts are not read for the names of programs and variables.
const LONG: u64 = 1 << 20;

/// So many words of a script are looked at.
const WORDS: usize = 1 << 14;

/// Variables that steer most programs, named or not.
const STEERING: &[&str] = &["PATH", "LANG", "LANGUAGE"];
const STEERING_PREFIXES: &[&str] = &["LC_", "LD_", "DYLD_"];

/// Variables that differ from one terminal to the next.
const PASSING: &[&str] = &["_", "PWD", "OLDPWD", "SHLVL"];

/// Adds to the identity what a command of these words depends on; the first may name a program:
///
/// * the content of its program, and of every file that one of its words names;
/// * size and time of the programs that it, or such a file, mentions by name or path: a compiler that a script calls;
/// * the environment variables that it, or such a file, mentions, and those that steer most programs.
///
/// What a program reads besides, such as libraries and its own configuration, is not seen.
pub fn add_surroundings<'a>(identity: &mut Identity, command: impl IntoIterator<Item = &'a OsStr>) {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut files = BTreeSet::new();
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for (at, word) in command.into_iter().enumerate() {
        texts.push(word.as_bytes().to_vec());
        let named = if at == 0 && !word.as_bytes().contains(&b'/') {
            on_path(word, &path)
        } else {
            // `absolute` was made of every word that names a file.
            Some(PathBuf::from(word)).filter(|file| file.is_absolute() && file.is_file())
        };
        files.extend(named);
    }
    for file in &files {
        let what = format!("the file {}", file.display());
        match content(file) {
            Some(bytes) => {
                identity.add_hash(what, &bytes);
                if bytes.len() as u64 <= LONG && !bytes.contains(&0) {
                    texts.push(bytes);
                }
            }
            None => identity.add(what, stamp(file).unwrap_or_default()),
        }
    }
    let words: BTreeSet<&[u8]> = texts
        .iter()
        .flat_map(|text| words(text))
        .take(WORDS)
        .collect();
    let mentioned = words.iter().filter_map(|word| {
        let word = OsStr::from_bytes(word);
        if word.as_bytes().first() == Some(&b'/') {
            Some(PathBuf::from(word)).filter(|path| is_program(path))
        } else {
            on_path(word, &path)
        }
    });
    let mentioned: BTreeSet<PathBuf> = mentioned.filter(|path| !files.contains(path)).collect();
    for program in mentioned {
        let what = format!("the program {}", program.display());
        identity.add(what, stamp(&program).unwrap_or_default());
    }
    let mut variables: Vec<(OsString, OsString)> = env::vars_os().collect();
    variables.sort();
    for (name, value) in variables {
        let text = name.to_string_lossy();
        let steers = STEERING.contains(&&*text)
            || STEERING_PREFIXES
                .iter()
                .any(|prefix| text.starts_with(prefix));
        if !PASSING.contains(&&*text) && (steers || words.contains(name.as_bytes())) {
            let what = format!("the environment variable {text}");
            identity.add_hash(what, value.as_bytes());
        }
    }
}

fn content(file: &Path) -> Option<Vec<u8>> {
    (fs::metadata(file).ok()?.len() <= LARGE)
        .then(|| fs::read(file).ok())
        .flatten()
}

/// What changes when a file is installed anew.
fn stamp(file: &Path) -> Option<String> {
    let found = fs::metadata(file).ok()?;
    Some(format!(
        "{} bytes of {}.{:09}",
        found.len(),
        found.mtime(),
        found.mtime_nsec()
    ))
}

fn on_path(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path)
        .map(|dir| dir.join(name))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The parts of a text that may be names of programs and variables, or paths.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+./".contains(byte);
    text.split(move |byte| !is_part(byte))
        .filter(|word| !word.is_empty() && word.len() < 256)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CommandLine, Feed, Typed};

    fn identity_of(words: &[&OsStr]) -> Identity {
        let words: Vec<OsString> = words.iter().map(|word| (*word).to_owned()).collect();
        let command = CommandLine::new(&Typed {
            words: &words,
            input: Path::new("in.txt"),
            user_dir: Path::new("/"),
            feed: Feed::Nothing,
        })
        .unwrap();
        let mut identity = Identity::default();
        add_surroundings(&mut identity, command.constant_parts());
        identity
    }

    fn names(identity: &Identity) -> String {
        let names: Vec<_> = identity.pairs().map(|(what, _)| what).collect();
        names.join("; ")
    }

    #[test]
    fn a_script_and_the_programs_and_variables_that_it_mentions_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("the-tool");
        fs::write(&tool, "1").unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        let script = dir.path().join("test.sh");
        let text = format!(
            "#!/bin/sh\n{} \"$1\" | grep -q x && [ -n \"$HOME\" ]\n",
            tool.display()
        );
        fs::write(&script, &text).unwrap();
        let before = identity_of(&[script.as_os_str()]);
        let seen = names(&before);
        for expected in [
            format!("the file {}", script.display()),
            format!("the program {}", tool.display()),
            "the environment variable HOME".to_owned(),
            "the environment variable PATH".to_owned(),
        ] {
            assert!(seen.contains(&expected), "{expected} in {seen}");
        }
        assert!(seen.contains("/grep"), "{seen}");
        assert!(!seen.contains("CARGO"), "{seen}");
        assert_eq!(before, identity_of(&[script.as_os_str()]));

        fs::write(&tool, "22").unwrap();
        let after = identity_of(&[script.as_os_str()]);
        assert_eq!(
            before.differences(&after),
            [format!("the program {}", tool.display())]
        );
        fs::write(&script, text + "true\n").unwrap();
        let changed = after.differences(&identity_of(&[script.as_os_str()]));
        assert!(
            changed.contains(&format!("the file {}", script.display())),
            "{changed:?}"
        );
    }

    #[test]
    fn a_program_on_the_path_is_known_by_its_content_and_so_is_a_file_that_a_word_names() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::write(&data, "x").unwrap();
        let option = OsString::from(format!("--data={}", data.display()));
        let seen = names(&identity_of(&["sh".as_ref(), "-c".as_ref(), &option]));
        assert!(seen.contains("/sh"), "{seen}");
        assert!(
            seen.contains(&format!("the file {}", data.display())),
            "{seen}"
        );
    }
}
