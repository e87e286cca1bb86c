//! The command that the user typed, ready to be run on any candidate.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{self, Path, PathBuf};

use crate::RunDir;
use crate::spawn::{Invocation, Stdin};
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
    /// * A word that names the input becomes the base name of the candidate; so does the value in
    ///   `--option=INPUT`.
    /// * A word that names another existing file becomes an absolute path; so does such a value.
    /// * A program written with a `/` becomes an absolute path.
    ///
    /// # Errors
    /// [`OracleError::NoCommand`] when the command has no words.
    pub fn new(typed: &TypedCommand<'_>) -> Result<Self, OracleError> {
        let (program, args) = typed.words.split_first().ok_or(OracleError::NoCommand)?;
        let mut command = Self {
            program: Word::from_program(program, typed),
            args: args
                .iter()
                .map(|arg| Word::from_argument(arg, typed))
                .collect(),
            stdin: typed.stdin,
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
        let mut words = words
            .into_iter()
            .map(|word| Word(vec![WordPart::Text(word)]));
        let program = words.next().unwrap_or(Word(Vec::new()));
        Self {
            program,
            args: words.chain([Word(vec![WordPart::Path])]).collect(),
            stdin: StdinContent::Candidate,
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
            stdin: self.stdin,
        }
    }

    /// Returns the invocation for the candidate in this directory.
    #[must_use]
    pub fn invocation(&self, run_dir: &RunDir, capture: Capture) -> Invocation {
        let candidate = run_dir.candidate();
        Invocation {
            program: self.program.fill(candidate),
            args: self.args.iter().map(|arg| arg.fill(candidate)).collect(),
            current_dir: run_dir.path().to_owned(),
            stdin: match self.stdin {
                StdinContent::Nothing => Stdin::Null,
                StdinContent::Candidate => Stdin::File(candidate.to_owned()),
            },
            env: Vec::new(),
            tmp: Some(run_dir.tmp().to_owned()),
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

    /// Returns whether the candidate itself is the program.
    #[must_use]
    pub fn runs_candidate(&self) -> bool {
        self.program.0 == [WordPart::Path]
    }

    /// Returns whether the command receives the candidate: as a word, a part of a word, or on its
    /// standard input. A script may also find the file in its working directory.
    #[must_use]
    pub fn takes_candidate(&self) -> bool {
        let names_candidate =
            |word: &Word| word.0.iter().any(|part| !matches!(part, WordPart::Text(_)));
        self.stdin == StdinContent::Candidate || self.words().any(names_candidate)
    }

    /// Returns the words, and parts of words, that are the same for every candidate, the program
    /// first.
    pub fn constant_parts(&self) -> impl Iterator<Item = &OsStr> {
        let parts = self.words().flat_map(|word| &word.0);
        parts.filter_map(|part| match part {
            WordPart::Text(text) => Some(text.as_os_str()),
            WordPart::Path | WordPart::Name(_) => None,
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

/// A word of a command: its parts are joined without a space.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word(Vec<WordPart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum WordPart {
    Text(OsString),
    /// The path of the candidate.
    Path,
    /// The base name of the candidate.
    Name(OsString),
}

impl Word {
    fn from_program(program: &OsStr, typed: &TypedCommand<'_>) -> Self {
        if has_placeholder(program) {
            return Self::split(program.as_bytes(), PLACEHOLDER);
        }
        // A bare name is looked up on the PATH, even if the user's directory has a file of this
        // name.
        if !program.as_bytes().contains(&b'/') {
            return Self(vec![WordPart::Text(program.to_owned())]);
        }
        let program = absolute(Path::new(program), typed.user_dir);
        let part = if is_input(&program, typed) {
            WordPart::Path
        } else {
            WordPart::Text(program.into_os_string())
        };
        Self(vec![part])
    }

    fn from_argument(arg: &OsStr, typed: &TypedCommand<'_>) -> Self {
        if has_placeholder(arg) {
            return Self::split(arg.as_bytes(), PLACEHOLDER);
        }
        if let Some(part) = file_part(arg, typed) {
            return Self(vec![part]);
        }
        if let Some((option, value)) = split_option(arg)
            && let Some(part) = file_part(value, typed)
        {
            return Self(vec![WordPart::Text(option.to_owned()), part]);
        }
        Self(vec![WordPart::Text(arg.to_owned())])
    }

    /// Returns the word with the path of the candidate in place of a placeholder.
    fn split(word: &[u8], placeholder: &[u8]) -> Self {
        let mut parts = Vec::new();
        let mut rest = word;
        while let Some(offset) = find(rest, placeholder) {
            parts.push(WordPart::Text(
                OsStr::from_bytes(&rest[..offset]).to_owned(),
            ));
            parts.push(WordPart::Path);
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
        if self.0.is_empty() {
            return "''".to_owned();
        }
        let part = |part: &WordPart| match part {
            WordPart::Text(text) => quote(text),
            WordPart::Path => format!("\"$PWD\"/{}", quote(name)),
            WordPart::Name(_) => quote(name),
        };
        self.0.iter().map(part).collect()
    }

    fn fill(&self, candidate: &Path) -> OsString {
        let mut filled = Vec::new();
        for part in &self.0 {
            filled.extend_from_slice(match part {
                WordPart::Text(text) => text.as_bytes(),
                WordPart::Path => candidate.as_os_str().as_bytes(),
                WordPart::Name(_) => file_name(candidate).as_bytes(),
            });
        }
        OsString::from_vec(filled)
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
                WordPart::Path => f.write_str("{}")?,
                WordPart::Name(name) => f.write_str(&quote(name))?,
            }
        }
        Ok(())
    }
}

fn has_placeholder(word: &OsStr) -> bool {
    find(word.as_bytes(), PLACEHOLDER).is_some()
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Splits `--option=value` after the `=`.
fn split_option(arg: &OsStr) -> Option<(&OsStr, &OsStr)> {
    let bytes = arg.as_bytes();
    let equals = bytes
        .iter()
        .position(|byte| *byte == b'=')
        .filter(|_| bytes.starts_with(b"-"))?;
    let (option, value) = bytes.split_at(equals + 1);
    Some((OsStr::from_bytes(option), OsStr::from_bytes(value)))
}

/// Returns the part for a word that names a file; `None` when it does not.
fn file_part(word: &OsStr, typed: &TypedCommand<'_>) -> Option<WordPart> {
    let path = absolute(Path::new(word), typed.user_dir);
    if is_input(&path, typed) {
        Some(WordPart::Name(file_name(typed.input).to_owned()))
    } else if path.is_file() {
        Some(WordPart::Text(path.into_os_string()))
    } else {
        None
    }
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
mod tests {
    use super::*;
    use crate::{CandidateFile, Scratch};

    /// Interprets the words in a directory that holds `crash.c`, `tool.py`, `include/` and
    /// `link.c`, and compares them with the words that are run. `$HERE` stands for that directory,
    /// `$RUN` for the directory of the run.
    #[track_caller]
    fn check(words: &[&str], expect: &[&str]) {
        let here = tempfile::tempdir().unwrap();
        for name in ["crash.c", "tool.py"] {
            fs::write(here.path().join(name), "").unwrap();
        }
        fs::create_dir(here.path().join("include")).unwrap();
        std::os::unix::fs::symlink("crash.c", here.path().join("link.c")).unwrap();
        let words: Vec<_> = words
            .iter()
            .map(|word| {
                word.replace("$HERE", &here.path().display().to_string())
                    .into()
            })
            .collect();
        let typed = TypedCommand {
            words: &words,
            input: Path::new("crash.c"),
            user_dir: here.path(),
            stdin: StdinContent::Nothing,
        };
        let command = CommandLine::new(&typed).unwrap();

        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::within(parent.path()).unwrap();
        let run_dir = scratch
            .run_dir(&CandidateFile::named("crash.c"), b"")
            .unwrap();
        let invocation = command.invocation(&run_dir, Capture::Nothing);

        let seen: Vec<_> = std::iter::once(invocation.program)
            .chain(invocation.args)
            .map(|word| {
                let word = word.into_string().unwrap();
                let word = word.replace(run_dir.path().to_str().unwrap(), "$RUN");
                word.replace(here.path().to_str().unwrap(), "$HERE")
            })
            .collect();
        assert_eq!(seen, expect);
        assert_eq!(invocation.current_dir, run_dir.path());
        assert_eq!(invocation.stdin, Stdin::Null);
    }

    #[test]
    fn an_argument_that_names_the_input_becomes_its_base_name() {
        check(&["cc", "-c", "crash.c"], &["cc", "-c", "crash.c"]);
        check(&["cc", "./crash.c"], &["cc", "crash.c"]);
        check(&["cc", "include/../crash.c"], &["cc", "crash.c"]);
        check(&["cc", "$HERE/crash.c"], &["cc", "crash.c"]);
        check(&["cc", "link.c"], &["cc", "crash.c"]);
        check(&["cc", "--input=crash.c"], &["cc", "--input=crash.c"]);
        check(&["cc", "--input=./crash.c"], &["cc", "--input=crash.c"]);
    }

    #[test]
    fn braces_become_the_path_anywhere_in_a_word() {
        check(&["run", "{}"], &["run", "$RUN/crash.c"]);
        check(
            &["run", "--a={}:{}."],
            &["run", "--a=$RUN/crash.c:$RUN/crash.c."],
        );
        check(&["{}"], &["$RUN/crash.c"]);
    }

    #[test]
    fn an_argument_that_names_another_file_becomes_an_absolute_path() {
        check(
            &["python3", "tool.py", "{}"],
            &["python3", "$HERE/tool.py", "$RUN/crash.c"],
        );
        check(&["x", "--config=tool.py"], &["x", "--config=$HERE/tool.py"]);
    }

    #[test]
    fn an_argument_that_names_no_file_is_unchanged() {
        check(
            &["cc", "include", "-O2", "", ".", "a=tool.py"],
            &["cc", "include", "-O2", "", ".", "a=tool.py"],
        );
    }

    #[test]
    fn only_a_program_with_a_slash_becomes_an_absolute_path() {
        check(&["./tool.py"], &["$HERE/tool.py"]);
        check(&["tool.py"], &["tool.py"]);
        check(&["/bin/true"], &["/bin/true"]);
    }

    #[test]
    fn a_program_that_is_the_input_becomes_the_candidate() {
        check(&["./crash.c", "x"], &["$RUN/crash.c", "x"]);
    }

    #[test]
    fn the_candidate_is_the_program_when_it_is_the_whole_first_word() {
        for (program, expect) in [
            ("./crash.c", true),
            ("{}", true),
            ("crash.c", false),
            ("{}.sh", false),
            ("./tool.py", false),
        ] {
            let typed = TypedCommand {
                words: &[program.into(), "{}".into()],
                input: Path::new("crash.c"),
                user_dir: Path::new("/src"),
                stdin: StdinContent::Nothing,
            };
            let command = CommandLine::new(&typed).unwrap();
            assert_eq!(command.runs_candidate(), expect, "{program}");
        }
        assert!(
            !CommandLine::script(Path::new("crash.c"), Path::new("/src")).runs_candidate(),
            "a test script is the program even if the input has its name"
        );
    }

    #[test]
    fn an_empty_command_is_an_error() {
        let typed = TypedCommand {
            words: &[],
            input: Path::new("a"),
            user_dir: Path::new("/"),
            stdin: StdinContent::Nothing,
        };
        assert_eq!(
            CommandLine::new(&typed).unwrap_err().to_string(),
            "run a command: none was given after `--`"
        );
    }

    #[test]
    fn a_command_is_displayed_as_typed_and_as_a_shell_line() {
        let words = ["cc", "-D", "A B", "crash.c", "-o{}.o"].map(OsString::from);
        let typed = TypedCommand {
            words: &words,
            input: Path::new("crash.c"),
            user_dir: Path::new("/src"),
            stdin: StdinContent::Candidate,
        };
        let command = CommandLine::new(&typed).unwrap();
        assert_eq!(command.to_string(), "cc -D 'A B' crash.c -o{}.o");
        let variables = [("MODE".into(), "fast run".into())];
        assert_eq!(
            command.shell(Path::new("/my src/crash.c"), "crash.c".as_ref(), &variables),
            "(cd \"$(mktemp -d)\" && cp '/my src/crash.c' . && MODE='fast run' \
             cc -D 'A B' crash.c -o\"$PWD\"/crash.c.o <./crash.c; echo \"exit status $?\")"
        );
        assert_eq!(
            command.shell(Path::new("/src/good.c"), "my crash.c".as_ref(), &[]),
            "(cd \"$(mktemp -d)\" && cp /src/good.c './my crash.c' && \
             cc -D 'A B' 'my crash.c' -o\"$PWD\"/'my crash.c'.o <'./my crash.c'; echo \"exit status $?\")"
        );
    }

    #[test]
    fn at_signs_become_the_path_if_nothing_else_names_the_candidate() {
        check(&["run", "@@"], &["run", "$RUN/crash.c"]);
        check(
            &["run", "--in=@@", "-q"],
            &["run", "--in=$RUN/crash.c", "-q"],
        );
        check(&["run", "@@.c"], &["run", "$RUN/crash.c"]);
        check(&["run", "@@.h"], &["run", "$RUN/crash.c.h"]);
        check(&["grep", "@@", "{}"], &["grep", "@@", "$RUN/crash.c"]);
        check(&["grep", "@@", "crash.c"], &["grep", "@@", "crash.c"]);
    }

    #[test]
    fn a_script_receives_the_path_and_the_content() {
        let script = CommandLine::script(Path::new("./test.sh"), Path::new("/src"));
        assert_eq!(script.to_string(), "/src/test.sh {}");
        assert_eq!(
            script.shell(Path::new("/src/crash.c"), "crash.c".as_ref(), &[]),
            "(cd \"$(mktemp -d)\" && cp /src/crash.c . && \
             /src/test.sh \"$PWD\"/crash.c <./crash.c; echo \"exit status $?\")"
        );
    }
}
