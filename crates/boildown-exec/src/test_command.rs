//! The command of an interestingness test: a script, or a line for a shell.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{Access, access};

use crate::CommandLine;
use crate::command_line::absolute;
use boildown_oracle::OracleError;
use boildown_oracle::shell::quote;

/// The bytes of a file that are read to tell a script from a program. No system reads a longer
/// first line.
const HEAD: u64 = 4096;

/// Characters that occur in a line for a shell, but rarely in the name of a file.
const SYNTAX: &[u8] = b" \t\n|&;<>()$`\"'*?[]{}!";

/// An interestingness test, ready to be run on any candidate.
///
/// A test gets the candidate in every way that is usual among reducers: as a file in its working
/// directory, as the path that is its only argument, and on standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCommand {
    /// The command.
    pub command: CommandLine,
    /// What is unusual about the script, and what is done about it.
    pub note: Option<String>,
}

/// Returns whether a test is a line for the shell: it names no file, and begins with a program or
/// has the syntax of the shell.
#[must_use]
pub fn is_shell_line(test: &OsStr, user_dir: &Path) -> bool {
    let has_syntax = test.as_bytes().iter().any(|byte| SYNTAX.contains(byte));
    !absolute(Path::new(test), user_dir).exists() && (has_syntax || is_program(test))
}

impl TestCommand {
    /// Interprets a test as the user named it:
    ///
    /// * The path of an executable file is run.
    /// * The path of another script is run by the interpreter that its first line names, or by
    ///   `sh`.
    /// * Anything else that is not a path is a line for `sh`. The candidate's path is `$1`. If the
    ///   first word is the path of a file, it becomes absolute.
    ///
    /// # Errors
    /// [`OracleError::SetUp`] when the first line of the script ends in a carriage return.
    pub fn new(test: &OsStr, user_dir: &Path) -> Result<Self, OracleError> {
        let path = absolute(Path::new(test), user_dir);
        if path.is_file() {
            return Self::script(&path);
        }
        let command = if is_shell_line(test, user_dir) {
            let line = with_absolute_program(test, user_dir);
            CommandLine::test(["sh".into(), "-c".into(), line, "sh".into()])
        } else {
            CommandLine::script(&path, user_dir)
        };
        Ok(Self {
            command,
            note: None,
        })
    }

    fn script(path: &Path) -> Result<Self, OracleError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).display();
        let as_it_is = Self {
            command: CommandLine::test([path.into()]),
            note: None,
        };
        let head = head(path);
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let interpreter = line.strip_prefix(b"#!");
        let is_executable = access(path, Access::EXEC_OK).is_ok();
        let is_binary = head.contains(&0);
        if line.ends_with(b"\r") && !is_binary {
            return Err(OracleError::SetUp {
                command: quote(path),
                reason: format!(
                    "its first line ends in a carriage return; convert it to Unix line ends: \
                     sed -i 's/\\r$//' {}",
                    quote(path)
                ),
            });
        }
        if is_binary || (is_executable && interpreter.is_some()) {
            return Ok(as_it_is);
        }
        let mut words: Vec<OsString> = interpreter.map(interpreter_words).unwrap_or_default();
        let problem = if is_executable {
            "has no first line such as `#!/bin/sh`"
        } else {
            "is not executable"
        };
        if words.is_empty() {
            words.push("sh".into());
        }
        let by: Vec<_> = words.iter().map(quote).collect();
        words.push(path.into());
        Ok(Self {
            command: CommandLine::test(words),
            note: Some(format!("{name} {problem}: it is run by `{}`", by.join(" "))),
        })
    }
}

/// Returns the interpreter and its argument, as the system splits the line after `#!`.
fn interpreter_words(line: &[u8]) -> Vec<OsString> {
    let line = line.trim_ascii();
    let end = line.iter().position(|byte| b" \t".contains(byte));
    let (interpreter, argument) = line.split_at(end.unwrap_or(line.len()));
    [interpreter, argument.trim_ascii()]
        .into_iter()
        .filter(|word| !word.is_empty())
        .map(|word| OsStr::from_bytes(word).to_owned())
        .collect()
}

/// Returns the beginning of a file; nothing when it cannot be read.
fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    if let Ok(file) = File::open(path) {
        // A file that cannot be read cannot be run by an interpreter either.
        file.take(HEAD).read_to_end(&mut head).unwrap_or_default();
    }
    head
}

/// Returns the line with an absolute path for its first word, if that is the path of a file.
#[must_use]
pub fn with_absolute_program(line: &OsStr, user_dir: &Path) -> OsString {
    let bytes = line.as_bytes();
    let end = bytes.iter().position(u8::is_ascii_whitespace);
    let (word, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
    let path = absolute(Path::new(OsStr::from_bytes(word)), user_dir);
    if !word.contains(&b'/') || !path.is_file() {
        return line.to_owned();
    }
    let mut absolute = OsString::from(quote(path)).into_vec();
    absolute.extend_from_slice(rest);
    OsString::from_vec(absolute)
}

/// Returns whether a word without a slash names a program on the PATH.
fn is_program(word: &OsStr) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    !word.as_bytes().contains(&b'/')
        && env::split_paths(&path).any(|dir| {
            fs::metadata(dir.join(word)).is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interprets a test in a directory that holds `test.sh` with this content and mode. `$HERE`
    /// stands for that directory.
    #[track_caller]
    fn check(content: &str, mode: u32, test: &str, expect: &str, note: Option<&str>) {
        let here = tempfile::tempdir().unwrap();
        let script = here.path().join("test.sh");
        fs::write(&script, content).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
        let test = TestCommand::new(OsStr::new(test), here.path()).unwrap();
        let command = test.command.to_string();
        let command = command.replace(here.path().to_str().unwrap(), "$HERE");
        assert_eq!((command.as_str(), test.note.as_deref()), (expect, note));
    }

    #[test]
    fn a_script_is_run_by_the_interpreter_of_its_first_line_or_by_sh() {
        check("#!/bin/sh\n", 0o755, "test.sh", "$HERE/test.sh {}", None);
        check("\x7fELF\0", 0o755, "./test.sh", "$HERE/test.sh {}", None);
        check(
            "#! /usr/bin/env -S python3 -u\n",
            0o644,
            "test.sh",
            "/usr/bin/env '-S python3 -u' $HERE/test.sh {}",
            Some("test.sh is not executable: it is run by `/usr/bin/env '-S python3 -u'`"),
        );
        check(
            "true\n",
            0o644,
            "test.sh",
            "sh $HERE/test.sh {}",
            Some("test.sh is not executable: it is run by `sh`"),
        );
        check(
            "true\n",
            0o755,
            "test.sh",
            "sh $HERE/test.sh {}",
            Some("test.sh has no first line such as `#!/bin/sh`: it is run by `sh`"),
        );
    }

    #[test]
    fn what_is_not_a_file_is_a_line_for_a_shell() {
        check(
            "",
            0o755,
            "cc -c x.c 2>&1 | grep -q y",
            "sh -c 'cc -c x.c 2>&1 | grep -q y' sh {}",
            None,
        );
        check(
            "",
            0o755,
            "./test.sh -v",
            "sh -c '$HERE/test.sh -v' sh {}",
            None,
        );
        check(
            "",
            0o755,
            "./none.sh -v",
            "sh -c './none.sh -v' sh {}",
            None,
        );
        check("", 0o755, "true", "sh -c true sh {}", None);
        check("", 0o755, "none.sh", "$HERE/none.sh {}", None);
        check("", 0o755, ".", "$HERE {}", None);
    }

    #[test]
    fn a_first_line_with_a_carriage_return_is_an_error() {
        for content in ["#!/bin/sh\r\n", "grep x y\r\ntrue\r\n"] {
            let here = tempfile::tempdir().unwrap();
            let script = here.path().join("test.sh");
            fs::write(&script, content).unwrap();
            let error = TestCommand::new(script.as_os_str(), here.path()).unwrap_err();
            assert!(error.to_string().contains("sed -i"), "{error}");
        }
    }
}
