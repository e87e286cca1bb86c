//! What went wrong, why, and what to do; and the exit code that says so.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

/// What kind of end it was. The number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is a smaller result.
    Reduced = 0,
    /// The command line or a file it names makes no sense.
    Usage = 1,
    /// Nothing could be removed.
    Minimal = 2,
    /// The property does not hold on the input.
    NotInteresting = 3,
    /// The property holds too rarely, on the input or, when it was run again, on the result.
    Flaky = 4,
    /// The command could not be run.
    CannotRun = 5,
    /// Stopped early; the best result is saved.
    Stopped = 6,
    /// A panic.
    Defect = 70,
}

impl From<Kind> for ExitCode {
    fn from(kind: Kind) -> Self {
        Self::from(kind as u8)
    }
}

/// An error for a person: what, why, what to do.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) kind: Kind,
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hints: Vec<String>,
}

impl CliError {
    pub(crate) fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            source: None,
            hints: Vec::new(),
        }
    }

    /// The error as one that says what we failed to do.
    pub(crate) fn failed_to(kind: Kind, error: &dyn Error) -> Self {
        let mut what = format!("failed to {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            what = format!("{what}: {error}");
            cause = error.source();
        }
        Self::new(kind, what)
    }

    pub(crate) fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
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

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        for hint in &self.hints {
            for (at, line) in hint.lines().enumerate() {
                write!(
                    f,
                    "\n{}{line}",
                    if at == 0 { "  hint: " } else { "        " }
                )?;
            }
        }
        Ok(())
    }
}

impl Error for CliError {}
