//! Errors of the command line: what failed, why, what to do; and the exit code of each.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use boildown_oracle::OracleError;
use boildown_store::StoreError;

use crate::report::format::EscapedPath as _;
use crate::time_limit;

/// The ways in which boildown ends. The number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitKind {
    /// There is a result that is smaller than the input.
    Reduced = 0,
    /// The command line, or a file that it names, cannot be used.
    InvalidUsage = 1,
    /// Nothing could be removed.
    AlreadyMinimal = 2,
    /// The property does not hold on the input.
    NotInteresting = 3,
    /// The property holds too rarely, on the input or, when it was run again, on the result.
    Flaky = 4,
    /// The command could not be run.
    CannotRun = 5,
    /// Stopped early; the best result is saved.
    Stopped = 6,
    /// A search for changes ended with a patch that a fresh copy did not confirm.
    NotConfirmed = 8,
    /// No run of a search for changes could be judged.
    NothingJudged = 9,
    /// A panic, which is a bug in boildown.
    InternalError = 70,
}

impl From<ExitKind> for ExitCode {
    fn from(kind: ExitKind) -> Self {
        Self::from(kind as u8)
    }
}

/// An error for the user: what failed, why, and hints about what to do.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) kind: ExitKind,
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hints: Vec<String>,
    /// The last hint: what to type.
    cure: Option<String>,
}

impl CliError {
    pub(crate) fn new(kind: ExitKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            source: None,
            hints: Vec::new(),
            cure: None,
        }
    }

    /// Returns an error about a command line, or a file that it names, that cannot be used.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(ExitKind::InvalidUsage, what)
    }

    /// Returns the error for a file or folder of the user that cannot be read.
    pub(crate) fn unreadable(path: &Path, why: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::usage(format!("failed to read {}", path.escaped())).because(why)
    }

    /// Returns the error for a file or folder that cannot be written.
    pub(crate) fn unwritable(
        kind: ExitKind,
        path: &Path,
        why: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::new(kind, format!("failed to write {}", path.escaped())).because(why)
    }

    /// Returns "failed to …" for an error whose message says what was attempted.
    pub(crate) fn failed_to(kind: ExitKind, error: &dyn Error) -> Self {
        let mut what = format!("failed to {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            what = format!("{what}: {error}");
            cause = error.source();
        }
        Self::new(kind, what)
    }

    /// Returns the error for a result on which another session is at work, or whose store is not
    /// ours.
    pub(crate) fn busy(error: &StoreError) -> Self {
        let hint = match error {
            StoreError::NotOurs { .. } => {
                "move it away, or write this result elsewhere with --output"
            }
            _ => "wait for it, stop it, or write this result elsewhere with --output",
        };
        Self::failed_to(ExitKind::CannotRun, error).hint(hint)
    }

    /// Returns the error for an interruption before anything was written.
    pub(crate) fn interrupted_before(what: &str) -> Self {
        if time_limit::is_reached() {
            let what = format!("--max-time was over before {what} began");
            return Self::new(ExitKind::Stopped, what)
                .because(
                    "the first runs of the command, on the input and an empty file, had not ended",
                )
                .hint("nothing was written; the first runs on the input need a longer --max-time")
                .hint("if the hang is the failure, use --hangs");
        }
        let what = format!("interrupted before {what} began: nothing was written");
        Self::new(ExitKind::Stopped, what)
    }

    /// Returns the error for what ended the work before `what`: an interruption, or a command that
    /// could not be run.
    pub(crate) fn before(what: &'static str) -> impl Fn(OracleError) -> Self + Copy {
        move |error| match error {
            OracleError::Interrupted => Self::interrupted_before(what),
            error => error.into(),
        }
    }

    /// Returns what failed, and why.
    pub(crate) fn message(&self) -> String {
        match &self.source {
            Some(source) => format!("{}: {source}", self.what),
            None => self.what.clone(),
        }
    }

    pub(crate) fn all_hints(&self) -> impl Iterator<Item = &String> {
        self.hints.iter().chain(&self.cure)
    }

    pub(crate) fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds the line to type, if there is one: it is the last hint.
    pub(crate) fn cure(mut self, why: &str, line: Option<String>) -> Self {
        self.cure = line.map(|line| format!("{why}: {line}")).or(self.cure);
        self
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        self.hints(Some(hint))
    }

    pub(crate) fn hints(mut self, hints: impl IntoIterator<Item: Into<String>>) -> Self {
        self.hints.extend(hints.into_iter().map(Into::into));
        self
    }
}

/// The command could not be run.
impl From<OracleError> for CliError {
    fn from(error: OracleError) -> Self {
        match error {
            OracleError::Spawn {
                program,
                advice,
                source,
            } => Self::new(ExitKind::CannotRun, format!("failed to start `{program}`"))
                .because(source.to_string())
                .hint(advice),
            error @ OracleError::Elsewhere { .. } => Self::failed_to(ExitKind::CannotRun, &error)
                .hint("the same command resumes, also with other machines or with this one alone"),
            OracleError::Modified { path } => {
                let what = format!("{} was modified during the search", path.escaped());
                Self::new(ExitKind::CannotRun, what)
                    .because("verdicts from before and after it cannot be compared")
                    .hint("to reduce with the file as it is now, run the same command again")
            }
            error => Self::failed_to(ExitKind::CannotRun, &error),
        }
    }
}

/// A store could not be read.
impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        Self::failed_to(ExitKind::CannotRun, &error)
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message())?;
        for hint in self.all_hints() {
            for (number, line) in hint.lines().enumerate() {
                let label = if number == 0 { "  hint: " } else { "        " };
                write!(f, "\n{label}{line}")?;
            }
        }
        Ok(())
    }
}

impl Error for CliError {}
