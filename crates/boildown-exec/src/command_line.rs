//! The command that the user typed, ready to be run on any candidate.

mod delivery;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{self, Component, Path, PathBuf};

use crate::InputBackup;
use crate::RunDir;
use crate::delivered::Delivery;
use crate::spawn::{Inherited, Invocation, Stdin};
use boildown_oracle::shell::quote;
use boildown_oracle::{Capture, OracleError};

/// The word that stands for the path of the candidate in a typed command.
const PLACEHOLDER: &[u8] = b"{}";

/// The same word as AFL and treereduce write it. It counts only in a command that does not name the
/// candidate otherwise.
const OTHER_PLACEHOLDER: &[u8] = b"@@";

/// A command with placeholders for the candidate. It means the same in every directory.
///
/// Its [`Display`](fmt::Display) is the command as it would be typed in a directory that holds the
/// candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    program: Word,
    args: Vec<Word>,
    stdin: StdinContent,
    /// The whole environment, but for the `PATH`; `None` for the inherited one.
    variables: Option<Vec<(OsString, OsString)>>,
    /// What candidates say about the command; `None` when it is the same for all of them.
    delivery: Option<Delivery>,
}

/// A command as the user typed it, and the context that is needed to interpret it.
#[derive(Debug, Clone, Copy)]
pub struct TypedCommand<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// The file to reduce.
    pub input: &'a Path,
    /// The directory in which the user typed the command, absolute.
    pub user_dir: &'a Path,
    /// Where files are that the input held before an earlier session reduced it in its own place.
    pub backup: Option<&'a InputBackup>,
    /// The standard input of the command.
    pub stdin: StdinContent,
}

/// The standard input of a command, for all candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinContent {
    /// Nothing.
    Nothing,
    /// The candidate.
    Candidate,
}

impl CommandLine {
    /// Interprets a typed command:
    ///
    /// * `{}` anywhere in a word is the path of the candidate. So is `@@`, in a command that does
    ///   not name the candidate otherwise.
    /// * A word that names the input becomes the base name of the candidate, after `./` if it has a
    ///   `/`, without which some programs search a path of theirs; so does the value in
    ///   `--option=INPUT`.
    /// * A word that names another existing file becomes an absolute path; so does such a value.
    /// * So does a directory that does not hold the input: after `--option=`, `-I` and the like,
    ///   and as a word with a `/` or after an option such as `-I`. Other words may only happen to
    ///   be names of directories, as in `cargo test`.
    /// * A program written with a `/` becomes an absolute path.
    ///
    /// # Errors
    /// [`OracleError::NoCommand`] when the command has no words.
    pub fn new(typed: &TypedCommand<'_>) -> Result<Self, OracleError> {
        let (program, _) = typed.words.split_first().ok_or(OracleError::NoCommand)?;
        let mut command = Self {
            program: Word::from_program(program, typed),
            args: (typed.words.windows(2))
                .map(|pair| Word::from_argument(&pair[1], &pair[0], typed))
                .collect(),
            stdin: typed.stdin,
            variables: None,
            delivery: None,
        };
        if !command.takes_candidate() {
            let extension = typed.input.extension().unwrap_or_default();
            for word in std::iter::once(&mut command.program).chain(&mut command.args) {
                word.fill_other_placeholders(extension);
            }
        }
        Ok(command)
    }

    /// Returns the command for an interestingness test: the script, with the path of the candidate
    /// as its only argument.
    ///
    /// This serves scripts written for all reducers: those for C-Reduce and C-Vise take no argument
    /// and find the candidate by its base name in the working directory; those for Shrink Ray,
    /// picire or lithium expect the path, or read the candidate from standard input.
    #[must_use]
    pub fn script(script: &Path, user_dir: &Path) -> Self {
        Self::test([absolute(script, user_dir).into_os_string()])
    }

    /// Returns the command for an interestingness test that these words start: they are followed by
    /// the path of the candidate, which is on standard input too.
    pub(crate) fn test(words: impl IntoIterator<Item = OsString>) -> Self {
        // A script in a project is run in the copy, beside its siblings there.
        let part = |word: OsString| match Path::new(&word).is_absolute() {
            true => WordPart::Other {
                typed: word.clone(),
                path: word.into(),
            },
            false => WordPart::Text(word),
        };
        let mut words = words.into_iter().map(|word| Word(vec![part(word)]));
        let program = words.next().unwrap_or(Word(Vec::new()));
        Self {
            program,
            args: words.chain([Word(vec![WordPart::Path])]).collect(),
            stdin: StdinContent::Candidate,
            variables: None,
            delivery: None,
        }
    }

    /// Returns this command without its last argument.
    #[must_use]
    pub fn without_last_argument(mut self) -> Self {
        self.args.pop();
        self
    }

    /// Returns this command with nothing on standard input.
    #[must_use]
    pub fn without_stdin(mut self) -> Self {
        self.stdin = StdinContent::Nothing;
        self
    }

    /// Returns the command that runs a line of a shell in the directory of the candidate, and then
    /// this command in its place.
    #[must_use]
    pub fn after_shell_line(&self, line: &str) -> Self {
        let line = format!("{line}; exec \"$@\"");
        let shell = ["-c", &line, "sh"].map(|word| Word(vec![WordPart::Text(word.into())]));
        Self {
            program: Word(vec![WordPart::Text("sh".into())]),
            args: shell.into_iter().chain(self.words().cloned()).collect(),
            ..self.clone()
        }
    }

    /// Returns the invocation for the candidate in this directory.
    #[must_use]
    pub fn invocation(&self, run_dir: &RunDir, capture: Capture) -> Invocation {
        let site = RunSite {
            dir: run_dir.path(),
            candidate: run_dir.candidate(),
            tmp: run_dir.tmp(),
            moved: None,
        };
        self.invocation_at(&site, capture)
    }

    /// Returns the invocation for the candidate at this site.
    pub(crate) fn invocation_at(&self, site: &RunSite<'_>, capture: Capture) -> Invocation {
        let filling = Filling {
            dir: site.dir,
            candidate: site.candidate,
            // In a fresh directory that is the base name.
            name: match site.candidate.strip_prefix(site.dir) {
                Ok(name) if name.as_os_str().is_empty() => Path::new("."),
                Ok(name) => name,
                Err(_) => site.candidate,
            },
            moved: site.moved,
        };
        Invocation {
            program: self.program.fill_program(&filling),
            args: self.args.iter().map(|arg| arg.fill(&filling)).collect(),
            current_dir: site.dir.to_owned(),
            stdin: match self.stdin {
                StdinContent::Nothing => Stdin::Null,
                StdinContent::Candidate => Stdin::File(site.candidate.to_owned()),
            },
            env: self.variables.clone().unwrap_or_default(),
            inherited: match self.variables {
                Some(_) => Inherited::Path,
                None => Inherited::Everything,
            },
            tmp: Some(site.tmp.to_owned()),
            capture,
        }
    }

    /// Returns a line for a shell that runs the command on a copy of this file as a run does: alone
    /// in a fresh directory, under the name of a candidate. The line ends by printing the exit
    /// status.
    ///
    /// `source` is absolute; `variables` are set for the command.
    #[must_use]
    pub fn shell<'a>(
        &self,
        source: &Path,
        name: &OsStr,
        variables: impl IntoIterator<Item = &'a (OsString, OsString)>,
    ) -> String {
        let target = Path::new(".").join(name);
        let target = if source.file_name() == Some(name) {
            ".".to_owned()
        } else {
            quote(&target)
        };
        let mut line = format!("(cd \"$(mktemp -d)\" && cp {} {target} &&", quote(source));
        for (variable, value) in variables {
            line += &format!(" {}={}", variable.display(), quote(value));
        }
        for word in self.words() {
            line += &format!(" {}", word.shell(name));
        }
        if self.stdin == StdinContent::Candidate {
            line += &format!(" <{}", quote(Path::new(".").join(name)));
        }
        line + "; echo \"exit status $?\")"
    }

    /// Returns a line for a shell that runs the command on this file, in the directory in which the
    /// user typed it. The line ends by printing the exit status.
    #[must_use]
    pub fn shell_in_place(&self, source: &Path, user_dir: &Path) -> String {
        let name = match source.strip_prefix(user_dir) {
            Ok(name) if name.as_os_str().is_empty() => Path::new("."),
            Ok(name) => name,
            Err(_) => source,
        };
        let mut line = format!("(cd {} &&", quote(user_dir));
        for word in self.words() {
            let word = word.quoted(name.as_os_str(), &quote(source), |typed, _| quote(typed));
            line = format!("{line} {word}");
        }
        // A folder is never fed to the command.
        if self.stdin == StdinContent::Candidate && !source.is_dir() {
            line += &format!(" <{}", quote(source));
        }
        line + "; echo \"exit status $?\")"
    }

    /// Returns whether the candidate itself is the program.
    #[must_use]
    pub fn runs_candidate(&self) -> bool {
        self.program.0 == [WordPart::Path]
    }

    /// Returns whether the command receives the candidate: as a word, a part of a word, or on its
    /// standard input. A script may also find the file in its working directory.
    #[must_use]
    pub fn takes_candidate(&self) -> bool {
        let names_candidate = |word: &Word| {
            let is_candidate = |part: &WordPart| {
                matches!(part, WordPart::Path | WordPart::Name(_) | WordPart::Items)
            };
            word.0.iter().any(is_candidate)
        };
        self.stdin == StdinContent::Candidate || self.words().any(names_candidate)
    }

    /// Returns the words, and parts of words, that are the same for every candidate, the program
    /// first.
    pub fn constant_parts(&self) -> impl Iterator<Item = &OsStr> {
        let parts = self.words().flat_map(|word| &word.0);
        parts.filter_map(|part| match part {
            WordPart::Text(text) => Some(text.as_os_str()),
            WordPart::Other { path, .. } => Some(path.as_os_str()),
            WordPart::Path | WordPart::Name(_) | WordPart::Items => None,
        })
    }

    /// Returns the parts of each word, the program first; they make the same command again with
    /// [`from_parts`](Self::from_parts).
    pub fn parts(&self) -> impl Iterator<Item = &[WordPart]> {
        self.words().map(|word| word.0.as_slice())
    }

    /// Returns the standard input of the command.
    #[must_use]
    pub fn stdin(&self) -> StdinContent {
        self.stdin
    }

    /// Returns the command with these words.
    ///
    /// # Errors
    /// [`OracleError::NoCommand`] when there are none.
    pub fn from_parts(
        words: impl IntoIterator<Item = Vec<WordPart>>,
        stdin: StdinContent,
    ) -> Result<Self, OracleError> {
        let mut words = words.into_iter().map(Word);
        Ok(Self {
            program: words.next().ok_or(OracleError::NoCommand)?,
            args: words.collect(),
            stdin,
            variables: None,
            delivery: None,
        })
    }

    fn words(&self) -> impl Iterator<Item = &Word> {
        std::iter::once(&self.program).chain(&self.args)
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.words().map(Word::to_string).collect();
        f.write_str(&words.join(" "))
    }
}

/// The place of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunSite<'a> {
    /// The working directory.
    pub(crate) dir: &'a Path,
    pub(crate) candidate: &'a Path,
    /// The directory for temporary files.
    pub(crate) tmp: &'a Path,
    /// The project, if the run is in a copy of one.
    pub(crate) moved: Option<Moved<'a>>,
}

/// A project and a copy of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved<'a> {
    pub(crate) from: &'a Path,
    pub(crate) to: &'a Path,
    /// The inputs, relative to the project. A file in one of them is always the one in the copy,
    /// even if the candidate does not have it.
    pub(crate) inputs: &'a [PathBuf],
    /// Files that are always those of the user.
    pub(crate) originals: &'a [PathBuf],
}

impl Moved<'_> {
    /// Returns the path in the copy; `None` for a path outside of the project.
    fn path(&self, path: &Path) -> Option<PathBuf> {
        let inner = path.strip_prefix(self.from).ok()?;
        if self.originals.iter().any(|original| original == path) {
            return None;
        }
        let is_of_input = self.inputs.iter().any(|input| inner.starts_with(input));
        let moved = self.to.join(inner);
        (is_of_input || moved.symlink_metadata().is_ok()).then_some(moved)
    }
}

/// What the parts of a word become.
#[derive(Debug, Clone, Copy)]
struct Filling<'a> {
    /// The working directory.
    dir: &'a Path,
    candidate: &'a Path,
    /// What a word that names the input becomes.
    name: &'a Path,
    moved: Option<Moved<'a>>,
}

impl Filling<'_> {
    /// Returns the absolute path of another file: in the copy, if it is part of the project.
    fn absolute(&self, path: &Path) -> PathBuf {
        // `p/../x` is no part of `p`.
        let plain = without_parents(path);
        let moved = (self.moved).filter(|moved| moved.path(&plain).is_some());
        let path_there = moved.and_then(|moved| moved.path(path));
        path_there.unwrap_or_else(|| path.to_owned())
    }

    /// Returns the path of another file: in a copy of the project as it was typed, if that leads
    /// there, and otherwise absolute.
    fn other(&self, typed: &OsStr, path: &Path) -> OsString {
        let path = self.absolute(path);
        let leads_there = self.moved.is_some() && absolute(Path::new(typed), self.dir) == path;
        if leads_there {
            typed.to_owned()
        } else {
            path.into_os_string()
        }
    }
}

/// A word of a command: its parts are joined without a space.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word(Vec<WordPart>);

/// A part of a word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordPart {
    /// The same text for every candidate.
    Text(OsString),
    /// Another file or directory.
    Other {
        /// The path as it was typed.
        typed: OsString,
        /// The absolute path.
        path: PathBuf,
    },
    /// The path of the candidate.
    Path,
    /// The name of the candidate in the directory of the run; that of the input, after `./` if so
    /// does the one of a candidate.
    Name(OsString),
    /// The items of the candidate.
    Items,
}

impl Word {
    fn from_program(program: &OsStr, typed: &TypedCommand<'_>) -> Self {
        if has_placeholder(program) && !names_input(program, typed) {
            return Self::split(program.as_bytes(), PLACEHOLDER);
        }
        Self::from_plain_program(program, typed)
    }

    /// Interprets a program in whose name `{}` means nothing.
    fn from_plain_program(program: &OsStr, typed: &TypedCommand<'_>) -> Self {
        // A bare name is looked up on the PATH, even if the user's directory has a file of this
        // name.
        if !program.as_bytes().contains(&b'/') {
            return Self(vec![WordPart::Text(program.to_owned())]);
        }
        let path = absolute(Path::new(program), typed.user_dir);
        let part = if is_input(&path, typed) {
            WordPart::Path
        } else {
            WordPart::Other {
                typed: program.to_owned(),
                path,
            }
        };
        Self(vec![part])
    }

    /// Interprets an argument. `before` is the word before it.
    fn from_argument(arg: &OsStr, before: &OsStr, typed: &TypedCommand<'_>) -> Self {
        if has_placeholder(arg) && !names_input(arg, typed) {
            return Self::split(arg.as_bytes(), PLACEHOLDER);
        }
        Self::from_plain_argument(arg, before, typed)
    }

    /// Interprets an argument in which `{}` means nothing.
    fn from_plain_argument(arg: &OsStr, before: &OsStr, typed: &TypedCommand<'_>) -> Self {
        let before = before.as_bytes();
        let is_path = arg.as_bytes().contains(&b'/')
            || before.len() > 1 && before[0] == b'-' && before[1] != b'-';
        if let Some(part) =
            file_part(arg, typed).or_else(|| directory_part(arg, typed).filter(|_| is_path))
        {
            return Self(vec![part]);
        }
        if let Some((option, value)) = split_option(arg)
            && let Some(part) = file_part(value, typed).or_else(|| directory_part(value, typed))
        {
            return Self(vec![WordPart::Text(option.to_owned()), part]);
        }
        Self(vec![WordPart::Text(arg.to_owned())])
    }

    /// Returns the word with the path of the candidate in place of a placeholder.
    fn split(word: &[u8], placeholder: &[u8]) -> Self {
        Self::replacing(word, placeholder, &WordPart::Path)
    }

    /// Returns the word with a part in place of each placeholder.
    fn replacing(word: &[u8], placeholder: &[u8], part: &WordPart) -> Self {
        let mut parts = Vec::new();
        let mut rest = word;
        while let Some(offset) = find(rest, placeholder) {
            parts.push(WordPart::Text(
                OsStr::from_bytes(&rest[..offset]).to_owned(),
            ));
            parts.push(part.clone());
            rest = &rest[offset + placeholder.len()..];
        }
        parts.push(WordPart::Text(OsStr::from_bytes(rest).to_owned()));
        parts.retain(|part| !matches!(part, WordPart::Text(text) if text.is_empty()));
        Self(parts)
    }

    /// Replaces `@@` in the text of the word; `@@.c` is a candidate whose name ends so.
    fn fill_other_placeholders(&mut self, extension: &OsStr) {
        let [WordPart::Text(text)] = self.0.as_slice() else {
            return;
        };
        let mut suffix = OTHER_PLACEHOLDER.to_vec();
        suffix.push(b'.');
        suffix.extend_from_slice(extension.as_bytes());
        let bytes = text.as_bytes();
        let bytes = match bytes.strip_suffix(suffix.as_slice()) {
            Some(start) if !extension.is_empty() => [start, OTHER_PLACEHOLDER].concat(),
            _ => bytes.to_vec(),
        };
        if find(&bytes, OTHER_PLACEHOLDER).is_some() {
            *self = Self::split(&bytes, OTHER_PLACEHOLDER);
        }
    }

    /// Returns the word as a shell reads it in the directory of the candidate of this name.
    fn shell(&self, name: &OsStr) -> String {
        self.quoted(name, &format!("\"$PWD\"/{}", quote(name)), |_, path| {
            quote(path)
        })
    }

    /// Returns the word for a shell, with these texts for the candidate and other files.
    fn quoted(&self, name: &OsStr, path: &str, other: impl Fn(&OsStr, &Path) -> String) -> String {
        if self.0.is_empty() {
            return "''".to_owned();
        }
        let part = |(number, part): (usize, &WordPart)| match part {
            WordPart::Text(text) => quote(text),
            WordPart::Other { typed, path } => other(typed, path),
            WordPart::Path => path.to_owned(),
            WordPart::Name(typed) => quote(name_as_typed(typed, name, number == 0)),
            WordPart::Items => format!("$(cat {path})"),
        };
        self.0.iter().enumerate().map(part).collect()
    }

    fn fill(&self, filling: &Filling<'_>) -> OsString {
        let mut filled = Vec::new();
        for (number, part) in self.0.iter().enumerate() {
            let text = match part {
                WordPart::Text(text) => text.clone(),
                WordPart::Path => filling.candidate.as_os_str().to_owned(),
                WordPart::Name(typed) => {
                    name_as_typed(typed, filling.name.as_os_str(), number == 0)
                }
                WordPart::Items => OsString::new(),
                WordPart::Other { typed, path } => filling.other(typed, path),
            };
            filled.extend_from_slice(text.as_bytes());
        }
        OsString::from_vec(filled)
    }

    /// Fills the word that is the program, which has to be an absolute path or a bare name.
    fn fill_program(&self, filling: &Filling<'_>) -> OsString {
        match &self.0[..] {
            [WordPart::Other { path, .. }] => filling.absolute(path).into_os_string(),
            _ => self.fill(filling),
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("''");
        }
        for part in &self.0 {
            match part {
                WordPart::Text(text) => f.write_str(&quote(text))?,
                WordPart::Other { path, .. } => f.write_str(&quote(path))?,
                WordPart::Path => f.write_str("{}")?,
                WordPart::Items => f.write_str("{items}")?,
                WordPart::Name(name) => f.write_str(&quote(name))?,
            }
        }
        Ok(())
    }
}

/// Returns the name of a candidate, after `./` if the input was typed with a directory, or if it
/// would be taken for an option at the beginning of a word.
fn name_as_typed(typed: &OsStr, name: &OsStr, begins_word: bool) -> OsString {
    let bytes = name.as_bytes();
    let needs_directory =
        typed.as_bytes().contains(&b'/') || (begins_word && bytes.first() == Some(&b'-'));
    match needs_directory && bytes != b"." && !bytes.contains(&b'/') {
        true => Path::new(".").join(name).into_os_string(),
        false => name.to_owned(),
    }
}

/// Returns an absolute path without `..`, as far as its text says where that leads.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn has_placeholder(word: &OsStr) -> bool {
    find(word.as_bytes(), PLACEHOLDER).is_some()
}

/// Returns whether a word with the placeholder in it is the name of the input, such as `{}.c`.
fn names_input(word: &OsStr, typed: &TypedCommand<'_>) -> bool {
    word.as_bytes() != PLACEHOLDER && is_input(&absolute(Path::new(word), typed.user_dir), typed)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Options whose value follows without a space or `=`: a directory for the compiler or the linker.
const ATTACHED: &[&str] = &["-I", "-L", "-isystem", "-iquote"];

/// Splits `--option=value` after the `=`, and `-Idir` after the option.
fn split_option(arg: &OsStr) -> Option<(&OsStr, &OsStr)> {
    let bytes = arg.as_bytes();
    let after_equals = bytes
        .iter()
        .position(|byte| *byte == b'=')
        .map(|equals| equals + 1);
    let attached = || {
        let option = ATTACHED
            .iter()
            .find(|option| bytes.starts_with(option.as_bytes()))?;
        Some(option.len())
    };
    let value = after_equals
        .or_else(attached)
        .filter(|_| bytes.starts_with(b"-"))?;
    let (option, value) = bytes.split_at(value);
    Some((OsStr::from_bytes(option), OsStr::from_bytes(value)))
}

/// Returns the part for a word that names a file; `None` when it does not.
fn file_part(word: &OsStr, typed: &TypedCommand<'_>) -> Option<WordPart> {
    let path = absolute(Path::new(word), typed.user_dir);
    if is_input(&path, typed) {
        let name = file_name(typed.input);
        Some(WordPart::Name(match word.as_bytes().contains(&b'/') {
            true => Path::new(".").join(name).into_os_string(),
            false => name.to_owned(),
        }))
    } else {
        let original = typed.backup.map(|backup| backup.original(&path));
        let is_file = path.is_file() || original.is_some_and(|original| original.is_file());
        is_file.then(|| WordPart::Other {
            typed: word.to_owned(),
            path,
        })
    }
}

/// Returns the part for a word that names a directory; `None` when it does not.
///
/// A relative path to a directory that holds the input is left as it is: the absolute path would
/// lead to the input itself instead of the candidate.
fn directory_part(word: &OsStr, typed: &TypedCommand<'_>) -> Option<WordPart> {
    let path = absolute(Path::new(word), typed.user_dir);
    let is_usable = || {
        let Ok(input) = fs::canonicalize(absolute(typed.input, typed.user_dir)) else {
            // The input is no file: it is the command.
            return Some(true);
        };
        Some(Path::new(word).is_absolute() || !input.starts_with(fs::canonicalize(&path).ok()?))
    };
    (!word.is_empty() && path.is_dir() && is_usable().unwrap_or(false)).then(|| WordPart::Other {
        typed: word.to_owned(),
        path,
    })
}

/// Returns whether the path leads to the input, as written or through links.
fn is_input(path: &Path, typed: &TypedCommand<'_>) -> bool {
    let input = absolute(typed.input, typed.user_dir);
    if path == input {
        return true;
    }
    match (fs::canonicalize(path), fs::canonicalize(input)) {
        (Ok(path), Ok(input)) => path == input,
        _ => false,
    }
}

/// Returns the absolute path, without `.` components.
///
/// Links are not resolved, because some programs behave according to the name they are called by.
pub(crate) fn absolute(path: &Path, user_dir: &Path) -> PathBuf {
    let joined = user_dir.join(path);
    path::absolute(&joined).unwrap_or(joined)
}

fn file_name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or(path.as_os_str())
}

#[cfg(test)]
#[path = "command_line_tests.rs"]
mod tests;
