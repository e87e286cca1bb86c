//! The dependencies of a command, as far as they can be found without running it.

use std::collections::{BTreeSet, HashSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use super::Identity;
use super::file_state::{stamp, watched_value};

/// The maximum size of a file that is identified by its content, in bytes. Larger files are
/// identified by size and time.
const MAX_HASHED: u64 = 256 << 20;

/// The maximum size of a script that is searched for names of programs and variables, in bytes.
const MAX_SEARCHED: u64 = 1 << 20;

/// The maximum number of words of the command and its scripts that are considered.
const MAX_WORDS: usize = 1 << 14;

/// The maximum number of files that scripts name, and of directories.
const MAX_NAMED: usize = 256;

/// The maximum number of files of a directory that a script names that are considered.
const MAX_ENTRIES: usize = 1 << 12;

/// Environment variables that affect most programs, even if they are not mentioned.
const INFLUENTIAL: &[&str] = &["PATH", "LANG", "LANGUAGE"];

/// Prefixes of further such variables.
const INFLUENTIAL_PREFIXES: &[&str] = &["LC_", "LD_", "DYLD_"];

/// Environment variables that differ between terminals.
const IGNORED: &[&str] = &["_", "PWD", "OLDPWD", "SHLVL"];

/// Further environment variables that every shell of a user has, with the same value.
const USUAL: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/// Adds the dependencies of a command to the identity:
///
/// * the content of its program, and of every file that one of its words names;
/// * size and time of the programs that the command or such a file mentions by name or path, such
///   as a compiler that a script calls;
/// * the environment variables that the command or such a file mentions, and those that affect most
///   programs.
///
/// The files that scripts name, by an absolute path or beside the script, are searched for names as
/// well, and watched: they are no part of the identity, because a run may write some of them, but a
/// session that finds one changed does not resume. Programs and files in a directory that a script
/// names are watched if the script names them too.
///
/// The first word is the program; words that name files have to be absolute paths. Other files that
/// a program reads, such as libraries and its configuration, are not found.
pub fn add_surroundings<'a>(identity: &mut Identity, command: impl IntoIterator<Item = &'a OsStr>) {
    add_surroundings_from(identity, command, &Path::to_owned);
}

/// Adds the dependencies of a command as [`add_surroundings`] does. `original` says where a file is
/// read from: one that an earlier session replaced is elsewhere now.
pub fn add_surroundings_from<'a>(
    identity: &mut Identity,
    command: impl IntoIterator<Item = &'a OsStr>,
    original: &dyn Fn(&Path) -> PathBuf,
) {
    let path = env::var_os("PATH").unwrap_or_default();
    let content = |file: &Path| content(&original(file));
    let stamp = |file: &Path| stamp(&original(file));
    let (files, mut texts) = named_files(command, &path, original);
    let mut scripts = Vec::new();
    for file in &files {
        let what = format!("the file {}", file.display());
        match content(file) {
            Some(bytes) => {
                identity.add_hash(what, &bytes);
                if is_searched(&bytes) {
                    scripts.push((file.clone(), bytes));
                }
            }
            None => identity.add(what, stamp(file).unwrap_or_default()),
        }
    }
    let helpers = Helpers::of(scripts, &files);
    texts.extend(helpers.scripts.into_iter().map(|(_, text)| text));
    let words = all_words(&texts);
    let dirs: Vec<_> = env::split_paths(&path)
        .map(|dir| (DirNames::of(&dir, words.len()), dir))
        .collect();
    let mentioned = words.iter().filter_map(|word| {
        let word = Path::new(OsStr::from_bytes(word));
        if word.has_root() {
            return Some(word.to_owned()).filter(|path| is_program(&original(path)));
        }
        let dirs = dirs.iter().filter(|(names, _)| names.may_have(word));
        dirs.map(|(_, dir)| dir.join(word))
            .find(|file| is_program(file))
    });
    let mentioned: BTreeSet<PathBuf> = mentioned.filter(|path| !files.contains(path)).collect();
    for file in helpers.files.difference(&mentioned) {
        if let (Some(path), Some(value)) = (file.to_str(), watched_value(file)) {
            identity.watch(path.to_owned(), value);
        }
    }
    for program in mentioned {
        let what = format!("the program {}", program.display());
        identity.add(what, stamp(&program).unwrap_or_default());
    }
    let mut variables: Vec<(OsString, OsString)> = env::vars_os().collect();
    variables.sort();
    for (name, value) in variables {
        let text = name.to_string_lossy();
        let is_influential = INFLUENTIAL.contains(&&*text)
            || INFLUENTIAL_PREFIXES
                .iter()
                .any(|prefix| text.starts_with(prefix));
        if !IGNORED.contains(&&*text) && (is_influential || words.contains(name.as_bytes())) {
            let what = format!("the environment variable {text}");
            identity.add_secret(what, value.as_bytes());
        }
    }
}

/// A program or file in the identity of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentifiedFile {
    /// Its path.
    pub path: PathBuf,
    /// The value in the identity as it would be now; `None` when the file is gone.
    pub now: Option<String>,
    /// The hash of its content now; `None` when it cannot be read, or is too large.
    pub hash: Option<String>,
}

impl IdentifiedFile {
    /// Returns the path of the program or file that this name in an identity stands for. `None` for
    /// other names.
    pub fn path(what: &str) -> Option<PathBuf> {
        let named = what.strip_prefix("the file ");
        let path = named.or_else(|| what.strip_prefix("the program "))?;
        Some(path.into())
    }

    /// Returns the program or file at a path, which this name in an identity stands for.
    #[must_use]
    pub fn of(path: &Path, what: &str) -> Self {
        let path = path.to_owned();
        let is_named = what.starts_with("the file ");
        let hash = content(&path).map(|bytes| {
            let mut identity = Identity::default();
            identity.add_hash("", &bytes);
            let value = identity.pairs().next().map(|(_, value)| value.to_owned());
            value.unwrap_or_default()
        });
        let by_content = hash.clone().filter(|_| is_named);
        let now = by_content.or_else(|| stamp(&path));
        Self { path, now, hash }
    }
}

/// Returns the environment variables that a command or a file that one of its words names mentions,
/// without those that every shell has. They are needed to repeat a run in another shell.
pub fn mentioned_variables<'a>(
    command: impl IntoIterator<Item = &'a OsStr>,
) -> Vec<(OsString, OsString)> {
    let path = env::var_os("PATH").unwrap_or_default();
    let (files, mut texts) = named_files(command, &path, &Path::to_owned);
    let contents = files.iter().filter_map(|file| content(file));
    texts.extend(contents.filter(|bytes| is_searched(bytes)));
    // `$DIR/file` mentions DIR.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words: BTreeSet<&[u8]> = (texts.iter())
        .flat_map(|text| text.split(|byte| !is_part(byte)))
        .take(MAX_WORDS)
        .collect();
    let mut variables: Vec<_> = env::vars_os()
        .filter(|(name, _)| {
            let text = name.to_string_lossy();
            words.contains(name.as_bytes())
                && !IGNORED.contains(&&*text)
                && !USUAL.contains(&&*text)
        })
        .collect();
    variables.sort();
    variables
}

/// Returns the files that the words of a command name, and the words.
fn named_files<'a>(
    command: impl IntoIterator<Item = &'a OsStr>,
    path: &OsStr,
    original: &dyn Fn(&Path) -> PathBuf,
) -> (BTreeSet<PathBuf>, Vec<Vec<u8>>) {
    let mut files = BTreeSet::new();
    let mut texts = Vec::new();
    for (index, word) in command.into_iter().enumerate() {
        texts.push(word.as_bytes().to_vec());
        let named = if index == 0 && !word.as_bytes().contains(&b'/') {
            on_path(word, path)
        } else {
            Some(PathBuf::from(word)).filter(|file| file.is_absolute() && original(file).is_file())
        };
        files.extend(named);
    }
    (files, texts)
}

/// What the scripts of a command name.
struct Helpers {
    /// The scripts, and the scripts that these name.
    scripts: Vec<(PathBuf, Vec<u8>)>,
    /// The files and programs that they name, without those of the command.
    files: BTreeSet<PathBuf>,
}

impl Helpers {
    /// Returns what these scripts name, and the scripts among that in turn.
    fn of(mut scripts: Vec<(PathBuf, Vec<u8>)>, of_command: &BTreeSet<PathBuf>) -> Self {
        let mut files = BTreeSet::new();
        let mut next = 0;
        while next < scripts.len() && files.len() < MAX_NAMED {
            let (script, text) = &scripts[next];
            next += 1;
            let named = named_in(script, text);
            for file in named.into_iter().take(MAX_NAMED) {
                if of_command.contains(&file) || !files.insert(file.clone()) {
                    continue;
                }
                let is_small = fs::metadata(&file).is_ok_and(|found| found.len() <= MAX_SEARCHED);
                let text = is_small.then(|| content(&file)).flatten();
                if let Some(text) = text.filter(|text| is_searched(text)) {
                    scripts.push((file, text));
                }
            }
        }
        Self { scripts, files }
    }
}

/// Returns the files that a script names by an absolute path, or beside itself, and those in a
/// directory that it names in one of these ways.
///
/// Example: in `/src/test.sh`, the word `$HERE/data/in.txt` may be `/src/data/in.txt`.
fn named_in(script: &Path, text: &[u8]) -> BTreeSet<PathBuf> {
    let beside = script.parent().unwrap_or(Path::new("/"));
    let words: BTreeSet<&[u8]> = words(text).take(MAX_WORDS).collect();
    let names = DirNames::of(beside, words.len());
    let mut files = BTreeSet::new();
    let mut dirs = BTreeSet::new();
    for word in &words {
        let path = Path::new(OsStr::from_bytes(word));
        let absolute = path.is_absolute().then(|| path.to_owned());
        let parts: Vec<&OsStr> = path.iter().filter(|part| *part != "/").collect();
        let suffixes = (0..parts.len()).map(|first| parts[first..].iter().collect::<PathBuf>());
        let suffixes = suffixes.filter(|inside| names.may_have(inside));
        let suffixes = suffixes.map(|inside| beside.join(inside));
        let mut places = absolute.into_iter().chain(suffixes);
        let found = places.find_map(|place| Some((fs::metadata(&place).ok()?, place)));
        match found {
            Some((metadata, place)) if metadata.is_file() => {
                files.insert(place);
            }
            Some((metadata, place)) if metadata.is_dir() && place != beside => {
                dirs.insert(place);
            }
            _ => {}
        }
    }
    for dir in dirs.into_iter().take(MAX_NAMED) {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let named = entries.take(MAX_ENTRIES).filter(|entry| {
            let name = entry.file_name();
            words.contains(name.as_bytes())
        });
        files.extend(
            named
                .map(|entry| entry.path())
                .filter(|path| path.is_file()),
        );
    }
    files
}

/// The names in a directory in which many words are looked up. A program that was given as text has
/// thousands of words, and PATH a dozen directories: each pair would be a system call.
struct DirNames(Option<HashSet<OsString>>);

/// Fewer words are looked up one by one.
const MANY_WORDS: usize = 256;

impl DirNames {
    /// Reads the names for this number of words. A directory that cannot be read may have any.
    fn of(dir: &Path, words: usize) -> Self {
        let entries = (words >= MANY_WORDS).then(|| fs::read_dir(dir).ok());
        let names = |entries: fs::ReadDir| entries.map(|entry| Some(entry.ok()?.file_name()));
        Self(
            entries
                .flatten()
                .and_then(|entries| names(entries).collect()),
        )
    }

    /// Returns whether a relative path may exist in the directory.
    fn may_have(&self, path: &Path) -> bool {
        let first = path.components().find(|part| *part != Component::CurDir);
        match (&self.0, first) {
            (Some(names), Some(Component::Normal(name))) => names.contains(name),
            _ => true,
        }
    }
}

/// Returns whether the content of a file is searched for names.
fn is_searched(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= MAX_SEARCHED && !bytes.contains(&0)
}

fn all_words(texts: &[Vec<u8>]) -> BTreeSet<&[u8]> {
    let words = texts.iter().flat_map(|text| words(text));
    words.take(MAX_WORDS).collect()
}

/// Returns the content of a file that is not too large.
fn content(file: &Path) -> Option<Vec<u8>> {
    let found = fs::metadata(file).ok()?;
    (found.is_file() && found.len() <= MAX_HASHED)
        .then(|| fs::read(file).ok())
        .flatten()
}

/// Returns the program with this name on the PATH.
fn on_path(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path)
        .map(|dir| dir.join(name))
        .find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    fs::metadata(file)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Returns the parts of a text that may be paths, or names of programs and variables.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+./".contains(byte);
    text.split(move |byte| !is_part(byte))
        .filter(|word| !word.is_empty() && word.len() < 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity_of(words: &[&OsStr]) -> Identity {
        let mut identity = Identity::default();
        add_surroundings(&mut identity, words.iter().copied());
        identity
    }

    fn names(identity: &Identity) -> String {
        let names: Vec<_> = identity.pairs().map(|(what, _)| what).collect();
        names.join("; ")
    }

    #[test]
    fn a_script_depends_on_the_programs_and_variables_that_it_mentions() {
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
    fn files_that_scripts_name_are_watched_and_searched() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = dir.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            file
        };
        let script = write(
            "test.sh",
            "PATH=$HERE/bin:$PATH\n. \"$(dirname \"$0\")/helper.sh\"\ntool <$HERE/data/words",
        );
        let helper = write("helper.sh", "grep -f /nothing $LOGNAME\n[ -n \"$HOME\" ]");
        let tool = write("bin/tool", "tool");
        let words = write("data/words", "words");
        write("bin/other", "");
        write("README", "");
        let identity = identity_of(&[script.as_os_str()]);
        let watched: Vec<_> = identity.watched().map(|(file, _)| file).collect();
        let expected = [&tool, &words, &helper].map(|file| file.to_str().unwrap());
        let sorted: BTreeSet<_> = watched.into_iter().collect();
        assert_eq!(sorted, BTreeSet::from(expected));
        assert!(names(&identity).contains("the environment variable HOME"));
        let value = |identity: &Identity, wanted: &Path| {
            let mut watched = identity.watched();
            let found = watched.find(|(file, _)| Path::new(file) == wanted);
            found.unwrap().1.to_owned()
        };
        fs::write(&words, "other").unwrap();
        let after = identity_of(&[script.as_os_str()]);
        assert_ne!(value(&identity, &words), value(&after, &words));
        assert_eq!(value(&identity, &helper), value(&after, &helper));
        assert_eq!(identity.digest(), after.digest());
        let mut after = after;
        after.unwatch(&helper);
        assert_eq!(after.watched().count(), 2);
    }

    #[test]
    fn what_a_long_script_names_is_found_as_in_a_short_one() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::write(dir.path().join("data/words"), "").unwrap();
        fs::write(dir.path().join("list"), "").unwrap();
        let script = dir.path().join("test.sh");
        let found = |rest: &str| {
            fs::write(&script, format!("grep -f list $HERE/./data/words{rest}")).unwrap();
            let identity = identity_of(&[script.as_os_str()]);
            let watched = identity.watched().map(|(file, _)| file.to_owned());
            (names(&identity), watched.collect::<Vec<_>>())
        };
        let short = found("");
        assert!(short.0.contains("/grep") && short.1.len() == 2, "{short:?}");
        let many: String = (0..2 * MANY_WORDS).map(|n| format!(" no-{n}")).collect();
        assert_eq!(found(&many), short);
    }

    #[test]
    fn programs_on_the_path_and_named_files_are_identified_by_content() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::write(&data, "x").unwrap();
        let words = ["sh".as_ref(), "--data=".as_ref(), data.as_os_str()];
        let seen = names(&identity_of(&words));
        assert!(seen.contains("/sh"), "{seen}");
        assert!(
            seen.contains(&format!("the file {}", data.display())),
            "{seen}"
        );
    }
}
