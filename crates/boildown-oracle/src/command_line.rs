//! What the user typed, ready to be run on any candidate.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{self, Path, PathBuf};

use crate::shell::quote;
use crate::spawn::{Capture, Invocation, Stdin};
use crate::{OracleError, RunDir};

/// Stands for the candidate's path in what the user types.
const PLACEHOLDER: &[u8] = b"{}";

/// A command with places for the candidate. It means the same in every directory.
///
/// Its [`Display`](fmt::Display) is the command as it would be typed in a directory that holds the candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    program: Word,
    args: Vec<Word>,
    feed: Feed,
}

/// A command as the user typed it, and what is needed to understand it.
#[derive(Debug, Clone, Copy)]
pub struct Typed<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// The file to be reduced.
    pub input: &'a Path,
    /// The directory in which the user typed it, absolute.
    pub user_dir: &'a Path,
    /// What the command finds on its standard input.
    pub feed: Feed,
}

/// What a command finds on its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feed {
    /// Nothing.
    Nothing,
    /// The candidate.
    Candidate,
}

impl CommandLine {
    /// Understands what the user typed:
    ///
    /// * `{}` anywhere in a word is the candidate's path.
    /// * A word that names the input is the candidate; so is the value in `--option=INPUT`.
    /// * A word that names another existing file, or such a value, becomes an absolute path.
    /// * A program written with a `/` becomes an absolute path.
    ///
    /// # Errors
    /// [`OracleError::NoCommand`] when there are no words.
    pub fn new(typed: &Typed<'_>) -> Result<Self, OracleError> {
        let (program, args) = typed.words.split_first().ok_or(OracleError::NoCommand)?;
        Ok(Self {
            program: Word::of_program(program, typed),
            args: args
                .iter()
                .map(|arg| Word::of_argument(arg, typed))
                .collect(),
            feed: typed.feed,
        })
    }

    /// Returns the command for an interestingness test: the script with the candidate's path as its only argument.
    ///
    /// Scripts written for C-Reduce and C-Vise take no argument and look in the working directory, where the candidate is
    /// under its base name; those written for Shrink Ray, picire or lithium want the path. One form serves all.
    #[must_use]
    pub fn script(script: &Path, user_dir: &Path) -> Self {
        let script = absolute(script, user_dir).into_os_string();
        Self {
            program: Word(vec![Piece::Text(script)]),
            args: vec![Word(vec![Piece::Path])],
            feed: Feed::Nothing,
        }
    }

    /// Returns the command on the candidate in this directory.
    #[must_use]
    pub fn invocation(&self, run_dir: &RunDir, capture: Capture) -> Invocation {
        let candidate = run_dir.candidate();
        Invocation {
            program: self.program.fill(candidate),
            args: self.args.iter().map(|arg| arg.fill(candidate)).collect(),
            current_dir: run_dir.path().to_owned(),
            stdin: match self.feed {
                Feed::Nothing => Stdin::Null,
                Feed::Candidate => Stdin::File(candidate.to_owned()),
            },
            env: Vec::new(),
            tmp: Some(run_dir.tmp().to_owned()),
            capture,
        }
    }

    /// Returns a line for a shell that repeats the command on this file.
    #[must_use]
    pub fn shell(&self, candidate: &Path) -> String {
        let dir = match candidate.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => format!("cd {} && ", quote(parent)),
            _ => String::new(),
        };
        let words: Vec<_> = self
            .words()
            .map(|word| quote(word.fill(candidate)))
            .collect();
        let feed = match self.feed {
            Feed::Nothing => String::new(),
            Feed::Candidate => format!(" <{}", quote(file_name(candidate))),
        };
        format!("{dir}{}{feed}", words.join(" "))
    }

    /// Returns whether the candidate itself is the program.
    #[must_use]
    pub fn runs_candidate(&self) -> bool {
        self.program.0 == [Piece::Path]
    }

    /// Returns whether the command is told of the candidate at all. A script may find it in its directory all the same.
    #[must_use]
    pub fn takes_candidate(&self) -> bool {
        let names_it = |word: &Word| word.0.iter().any(|piece| !matches!(piece, Piece::Text(_)));
        self.feed == Feed::Candidate || self.words().any(names_it)
    }

    /// Returns what is the same for every candidate, the program first.
    pub fn constant_parts(&self) -> impl Iterator<Item = &OsStr> {
        let pieces = self.words().flat_map(|word| &word.0);
        pieces.filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_os_str()),
            Piece::Path | Piece::Name(_) => None,
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

/// A word of a command: pieces put together without a space.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(OsString),
    /// The candidate's path.
    Path,
    /// The candidate's base name.
    Name(OsString),
}

impl Word {
    fn of_program(program: &OsStr, typed: &Typed<'_>) -> Self {
        if has_placeholder(program) {
            return Self::with_placeholders(program);
        }
        // A bare name is looked up on the PATH, also when a file of that name lies about.
        if !program.as_bytes().contains(&b'/') {
            return Self(vec![Piece::Text(program.to_owned())]);
        }
        let program = absolute(Path::new(program), typed.user_dir);
        let piece = if names_input(&program, typed) {
            Piece::Path
        } else {
            Piece::Text(program.into_os_string())
        };
        Self(vec![piece])
    }

    fn of_argument(arg: &OsStr, typed: &Typed<'_>) -> Self {
        if has_placeholder(arg) {
            return Self::with_placeholders(arg);
        }
        if let Some(piece) = file_piece(arg, typed) {
            return Self(vec![piece]);
        }
        if let Some((option, value)) = split_option(arg)
            && let Some(piece) = file_piece(value, typed)
        {
            return Self(vec![Piece::Text(option.to_owned()), piece]);
        }
        Self(vec![Piece::Text(arg.to_owned())])
    }

    fn with_placeholders(word: &OsStr) -> Self {
        let mut pieces = Vec::new();
        let mut rest = word.as_bytes();
        while let Some(at) = find_placeholder(rest) {
            pieces.push(Piece::Text(OsStr::from_bytes(&rest[..at]).to_owned()));
            pieces.push(Piece::Path);
            rest = &rest[at + PLACEHOLDER.len()..];
        }
        pieces.push(Piece::Text(OsStr::from_bytes(rest).to_owned()));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        Self(pieces)
    }

    fn fill(&self, candidate: &Path) -> OsString {
        let mut filled = Vec::new();
        for piece in &self.0 {
            filled.extend_from_slice(match piece {
                Piece::Text(text) => text.as_bytes(),
                Piece::Path => candidate.as_os_str().as_bytes(),
                Piece::Name(_) => file_name(candidate).as_bytes(),
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
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => f.write_str(&quote(text))?,
                Piece::Path => f.write_str("{}")?,
                Piece::Name(name) => f.write_str(&quote(name))?,
            }
        }
        Ok(())
    }
}

fn has_placeholder(word: &OsStr) -> bool {
    find_placeholder(word.as_bytes()).is_some()
}

fn find_placeholder(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(PLACEHOLDER.len())
        .position(|window| window == PLACEHOLDER)
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

/// Returns what a word stands for if it names a file.
fn file_piece(word: &OsStr, typed: &Typed<'_>) -> Option<Piece> {
    let path = absolute(Path::new(word), typed.user_dir);
    if names_input(&path, typed) {
        Some(Piece::Name(file_name(typed.input).to_owned()))
    } else if path.is_file() {
        Some(Piece::Text(path.into_os_string()))
    } else {
        None
    }
}

/// Returns whether the path leads to the input, by spelling or through links.
fn names_input(path: &Path, typed: &Typed<'_>) -> bool {
    let input = absolute(typed.input, typed.user_dir);
    if path == input {
        return true;
    }
    match (fs::canonicalize(path), fs::canonicalize(input)) {
        (Ok(path), Ok(input)) => path == input,
        _ => false,
    }
}

/// Returns the path as seen from the user's directory, without `.` components and with links unresolved: what a program is
/// called decides what some programs do.
fn absolute(path: &Path, user_dir: &Path) -> PathBuf {
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

    /// Types the words in a directory that holds `crash.c`, `tool.py` and `include/`, and returns the words
    /// that are run, with `$HERE` for that directory and `$RUN` for the run's.
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
        let typed = Typed {
            words: &words,
            input: Path::new("crash.c"),
            user_dir: here.path(),
            feed: Feed::Nothing,
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
    fn an_argument_that_names_the_input_becomes_the_base_name() {
        check(&["cc", "-c", "crash.c"], &["cc", "-c", "crash.c"]);
        check(&["cc", "./crash.c"], &["cc", "crash.c"]);
        check(&["cc", "include/../crash.c"], &["cc", "crash.c"]);
        check(&["cc", "$HERE/crash.c"], &["cc", "crash.c"]);
        check(&["cc", "link.c"], &["cc", "crash.c"]);
        check(&["cc", "--input=crash.c"], &["cc", "--input=crash.c"]);
        check(&["cc", "--input=./crash.c"], &["cc", "--input=crash.c"]);
    }

    #[test]
    fn braces_become_the_path_wherever_they_stand() {
        check(&["run", "{}"], &["run", "$RUN/crash.c"]);
        check(
            &["run", "--a={}:{}."],
            &["run", "--a=$RUN/crash.c:$RUN/crash.c."],
        );
        check(&["{}"], &["$RUN/crash.c"]);
    }

    #[test]
    fn an_argument_that_names_another_file_becomes_absolute() {
        check(
            &["python3", "tool.py", "{}"],
            &["python3", "$HERE/tool.py", "$RUN/crash.c"],
        );
        check(&["x", "--config=tool.py"], &["x", "--config=$HERE/tool.py"]);
    }

    #[test]
    fn what_names_no_file_stays_as_it_is() {
        check(
            &["cc", "include", "-O2", "", ".", "a=tool.py"],
            &["cc", "include", "-O2", "", ".", "a=tool.py"],
        );
    }

    #[test]
    fn a_program_with_a_slash_becomes_absolute_and_one_without_does_not() {
        check(&["./tool.py"], &["$HERE/tool.py"]);
        check(&["tool.py"], &["tool.py"]);
        check(&["/bin/true"], &["/bin/true"]);
    }

    #[test]
    fn a_program_that_is_the_input_becomes_the_candidate() {
        check(&["./crash.c", "x"], &["$RUN/crash.c", "x"]);
    }

    #[test]
    fn a_candidate_is_the_program_when_it_is_all_of_the_first_word() {
        for (program, expect) in [
            ("./crash.c", true),
            ("{}", true),
            ("crash.c", false),
            ("{}.sh", false),
            ("./tool.py", false),
        ] {
            let typed = Typed {
                words: &[program.into(), "{}".into()],
                input: Path::new("crash.c"),
                user_dir: Path::new("/src"),
                feed: Feed::Nothing,
            };
            let command = CommandLine::new(&typed).unwrap();
            assert_eq!(command.runs_candidate(), expect, "{program}");
        }
        assert!(
            !CommandLine::script(Path::new("crash.c"), Path::new("/src")).runs_candidate(),
            "a test script is run itself, whatever is reduced"
        );
    }

    #[test]
    fn no_words_are_no_command() {
        let typed = Typed {
            words: &[],
            input: Path::new("a"),
            user_dir: Path::new("/"),
            feed: Feed::Nothing,
        };
        assert_eq!(
            CommandLine::new(&typed).unwrap_err().to_string(),
            "run a command: none was given after `--`"
        );
    }

    #[test]
    fn a_command_displays_as_typed_and_as_a_line_that_repeats_it() {
        let words = ["cc", "-D", "A B", "crash.c", "-o{}.o"].map(OsString::from);
        let typed = Typed {
            words: &words,
            input: Path::new("crash.c"),
            user_dir: Path::new("/src"),
            feed: Feed::Candidate,
        };
        let command = CommandLine::new(&typed).unwrap();
        assert_eq!(command.to_string(), "cc -D 'A B' crash.c -o{}.o");
        assert_eq!(
            command.shell(Path::new("/my src/crash.c")),
            "cd '/my src' && cc -D 'A B' crash.c '-o/my src/crash.c.o' <crash.c"
        );
    }

    #[test]
    fn a_script_is_given_the_path_and_nothing_else() {
        let script = CommandLine::script(Path::new("./test.sh"), Path::new("/src"));
        assert_eq!(script.to_string(), "/src/test.sh {}");
        assert_eq!(script.shell(Path::new("crash.c")), "/src/test.sh crash.c");
    }
}
