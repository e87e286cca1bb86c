//! The shell script that runs the command on a worker, and the status that it writes.
//!
//! The script always exits with 0. How the command ended is in an output file, so a worker that
//! cannot start the script, or a sandbox that is broken, never looks like a command that failed,
//! and services that cache only successful actions cache every run. The streams of the command are
//! those of the action.
//!
//! A shell, and not a program of ours: every image in which commands are run has one, for every
//! processor and library of C, and nothing has to be uploaded or staged for it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;

use boildown_oracle::Outcome;
use boildown_oracle::shell::quote_text;

/// The output file that holds the status.
pub(crate) const STATUS_FILE: &str = "status";

/// The output files for the streams of a command that shares its action with others.
pub(crate) const STDOUT_FILE: &str = "stdout";
pub(crate) const STDERR_FILE: &str = "stderr";

/// The directory in which the command is run; it holds only the candidate.
pub(crate) const RUN_DIR: &str = "test";

/// The directory of the other files that the command names.
pub(crate) const FILES_DIR: &str = "files";

/// The directory for temporary files.
pub(crate) const TMP_DIR: &str = "tmp";

/// The beginning of the name of the empty file that identifies a run. The script repeats the rest
/// of the name in the status, so a result that belongs to another run is noticed.
pub(crate) const ID_PREFIX: &str = "id-";

/// A part of a word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A text that is the same on every worker.
    Text(String),
    /// The path of the candidate.
    Candidate,
    /// The path of a file or directory beside the candidate, relative to the directory of the run.
    Beside(String),
    /// The path of another file or directory that is sent, relative to the common directory of all
    /// of them.
    Sent(String),
}

/// What the script is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Script<'a> {
    /// The program and its arguments.
    pub(crate) words: &'a [Vec<Part>],
    /// The path of the candidate, relative to the directory of the run.
    pub(crate) candidate: &'a str,
    /// The working directory, relative to the directory of the run; usually empty.
    pub(crate) dir: &'a str,
    /// Whether the candidate is on the standard input.
    pub(crate) reads_candidate: bool,
}

impl Script<'_> {
    /// Returns the script for a run that has an action for itself.
    pub(crate) fn alone(run: &str) -> String {
        format!("top=${{PWD%/}}\nroot=$top\n{run}")
    }

    /// Returns the script for runs one after another, in these directories.
    pub(crate) fn together(run: &str, dirs: &[String]) -> String {
        let dirs = dirs.join(" ");
        format!(
            "top=${{PWD%/}}\nfor part in {dirs}; do\nroot=$top/$part\n\
             (\n{run}) >\"$root/{STDOUT_FILE}\" 2>\"$root/{STDERR_FILE}\"\ndone\nexit 0\n"
        )
    }

    /// Returns what is to be done for a run: its directory is `$root`, and the files that the
    /// command names are in `$top`.
    pub(crate) fn text(&self) -> String {
        let words: Vec<_> = self.words.iter().map(|word| self.word(word)).collect();
        let program = words.first().map_or("", String::as_str);
        let stdin = match self.reads_candidate {
            true => self.part(&Part::Candidate),
            false => "/dev/null".to_owned(),
        };
        // A shell reports on its standard error that a command was killed by a signal. That tells
        // such a command from one that exits with 128 and the number of a signal. The command is
        // in a subshell because dash redirects its own streams for other commands.
        format!(
            r#"cd "$root"/{RUN_DIR}/{dir} || exit 90
TMPDIR=$root/{TMP_DIR}
: "${{HOME:=$TMPDIR}}"
export TMPDIR HOME
for id in "$root"/{ID_PREFIX}*; do :; done
exec 3>&2 2>"$root/messages" || exit 91
if command -v {program} >/dev/null; then
(exec {command} <{stdin} 2>&3 3>&-)
code=$?
if [ "$code" -gt 128 ] && [ -s "$root/messages" ]
then how="signalled $((code - 128))"
else how="exited $code"
fi
else how="missing 0"
fi
exec 2>&3 3>&-
printf '%s\n' "$how ${{id##*/{ID_PREFIX}}}" >"$root/{STATUS_FILE}" || exit 92
exit 0
"#,
            dir = quote_text(self.dir),
            command = words.join(" "),
        )
    }

    fn word(&self, parts: &[Part]) -> String {
        match parts.is_empty() {
            true => "''".to_owned(),
            false => parts.iter().map(|part| self.part(part)).collect(),
        }
    }

    fn part(&self, part: &Part) -> String {
        match part {
            Part::Text(text) => quote_text(text),
            Part::Candidate => format!("\"$root\"/{RUN_DIR}/{}", quote_text(self.candidate)),
            Part::Beside(path) => format!("\"$root\"/{RUN_DIR}/{}", quote_text(path)),
            Part::Sent(path) => format!("\"$top\"/{FILES_DIR}/{}", quote_text(path)),
        }
    }
}

/// How a run ended, as the script reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// The command was run.
    Ended(Outcome),
    /// The worker does not have the program.
    Missing,
}

impl Status {
    /// Reads the status of the run with this identity. `None` when it is no such status.
    pub(crate) fn parse(text: &[u8], id: &str) -> Option<Self> {
        let line = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
        let mut words = line.split(' ');
        let (how, number, of) = (words.next()?, words.next()?, words.next()?);
        if of != id || words.next().is_some() {
            return None;
        }
        let number: u8 = number.parse().ok()?;
        match how {
            "exited" => Some(Self::Ended(Outcome::Exited(number.into()))),
            "signalled" => Some(Self::Ended(Outcome::Signalled(number.into()))),
            "missing" => Some(Self::Missing),
            _ => None,
        }
    }

    /// Returns the text that the script writes.
    pub(crate) fn text(self, id: &str) -> String {
        let mut text = match self {
            Self::Ended(Outcome::Signalled(signal)) => format!("signalled {signal} "),
            Self::Ended(Outcome::Exited(code)) => format!("exited {code} "),
            Self::Ended(Outcome::TimedOut | Outcome::Exceeded(_)) | Self::Missing => {
                "missing 0 ".to_owned()
            }
        };
        writeln!(text, "{id}").expect("writing to a String cannot fail");
        text
    }
}

/// Returns whether a path names the same file on every worker: it belongs to the system, and is not
/// sent.
pub(crate) fn is_of_system(path: &Path) -> bool {
    const SYSTEM: &[&str] = &[
        "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/etc", "/opt", "/dev", "/proc",
        "/sys", "/nix", "/gnu",
    ];
    SYSTEM.iter().any(|dir| path.starts_with(OsStr::new(dir)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_as_it_is_written() {
        for status in [
            Status::Ended(Outcome::Exited(0)),
            Status::Ended(Outcome::Exited(255)),
            Status::Ended(Outcome::Signalled(11)),
            Status::Missing,
        ] {
            assert_eq!(
                Status::parse(status.text("a-0").as_bytes(), "a-0"),
                Some(status)
            );
        }
    }

    #[test]
    fn a_status_of_another_run_or_of_another_form_is_none() {
        for text in [
            "exited 0 b-0\n",
            "exited 0 a-1\n",
            "exited 0 a-0",
            "exited 256 a-0\n",
            "exited a-0\n",
            "exited 0 a-0 more\n",
            "ended 0 a-0\n",
            "",
            "\u{e9}\n",
        ] {
            assert_eq!(Status::parse(text.as_bytes(), "a-0"), None, "{text:?}");
        }
    }

    #[test]
    fn system_files_are_on_every_worker() {
        assert!(is_of_system(Path::new("/usr/bin/cc")) && is_of_system(Path::new("/dev/null")));
        assert!(!is_of_system(Path::new("/home/me/usr/x")) && !is_of_system(Path::new("/users/x")));
    }
}
