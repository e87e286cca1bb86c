//! Signatures, which distinguish one crash from another.

use std::fmt;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::failure_line::{self, FailureKind};
use super::plain_output::PlainOutput;
use super::varying::{QUOTED, Quoted, without_varying_parts};
use super::{alike, detail, named_failures, stack_trace};
use crate::{Outcome, Run, signal};

/// A signature distinguishes one crash from another: the kind of the crash, its message, that of
/// its innermost cause if it has one, and the function of the program that failed if its name was
/// printed.
///
/// Parts that differ between two runs of the same crash (addresses, numbers, directories, and
/// quoted texts in exceptions) are replaced by placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    kind: FailureKind,
    text: String,
}

/// The maximum length of the message in a signature, in characters.
const MAX_MESSAGE: usize = 160;

/// The maximum length of the name of a function in a signature, in characters.
const MAX_FUNCTION: usize = 80;

impl Signature {
    /// Returns the signature of a run that crashed.
    ///
    /// `None` for a run that succeeded, was ended by a limit, or ended with an ordinary error
    /// message: a program that rejects its input has not crashed, even if it does so by an
    /// exception.
    #[must_use]
    pub fn of_run(run: &Run) -> Option<Self> {
        if run.outcome.is_cut_short() {
            return None;
        }
        let signal = crash_signal(run.outcome);
        let output = PlainOutput::of_run(run);
        let Some((kind, line)) = failure_line::find_crash(&output) else {
            return signal.map(|number| Self::of_signal(number, &output));
        };
        // A sanitizer may report and continue. Any other message of a run that succeeded does not
        // mean that it crashed.
        if run.outcome == Outcome::Exited(0) && kind != FailureKind::Memory {
            return None;
        }
        // Exceptions quote parts of the input.
        let quoted = match kind {
            FailureKind::Exception => Quoted::Replaced,
            _ => Quoted::Kept,
        };
        let message = match (line.text, signal) {
            // The request of clang for a bug report does not say what happened; the signal does.
            (b"PLEASE submit a bug report", Some(number)) => signal::SignalName(number).to_string(),
            (text, _) => described_signal(text)
                .map_or_else(|| without_varying_parts(text, quoted), ToOwned::to_owned),
        };
        if kind == FailureKind::Exception && REJECTION.is_match(message.as_bytes()) {
            return None;
        }
        let message = [
            "SUMMARY: ",
            "ERROR: ",
            "WARNING: ",
            "# Problematic frame: # ",
        ]
        .iter()
        .find_map(|prefix| message.strip_prefix(prefix))
        .unwrap_or(&message);
        let mut text: String = message.chars().take(MAX_MESSAGE).collect();
        let cause = detail::cause(&output, &line);
        if let Some(cause) = &cause {
            let cause = without_varying_parts(cause.text, quoted);
            text += ", caused by ";
            text.extend(cause.chars().take(MAX_MESSAGE));
        }
        // These messages name the position already, or are specific enough.
        let names_place = kind == FailureKind::Assertion || line.text.starts_with(b"panicked at ");
        let function = stack_trace::failing_function(&output, &cause.unwrap_or(line));
        if let Some(function) = function.filter(|_| !names_place) {
            text += " in ";
            text.extend(function.chars().take(MAX_FUNCTION));
        }
        Some(Self { kind, text })
    }

    /// Returns the signature of a run that a signal ended without a message that is known. A
    /// program that aborts says why: the message that names its failure.
    fn of_signal(number: i32, output: &PlainOutput<'_>) -> Self {
        let mut text = signal::SignalName(number).to_string();
        if text == "SIGABRT"
            && let Some(message) = named_message(output)
        {
            text = format!("{text}: {message}");
        }
        Self {
            kind: FailureKind::Signal,
            text: text.chars().take(MAX_MESSAGE).collect(),
        }
    }

    /// Returns the signature of a run that failed in any way: that of its crash; else the message
    /// that names its failure, without what is quoted in it; else how it ended.
    ///
    /// Runs of the same command that end with equal signatures most likely failed in the same way.
    #[must_use]
    pub fn of_failure(run: &Run) -> Self {
        if let Some(crash) = Self::of_run(run) {
            return crash;
        }
        let output = PlainOutput::of_run(run);
        let text = match run.outcome.is_cut_short() {
            true => None,
            false => named_message(&output),
        };
        let text = text.unwrap_or_else(|| run.outcome.to_string());
        Self {
            kind: FailureKind::Complaint,
            text: text.chars().take(MAX_MESSAGE).collect(),
        }
    }

    /// Returns the signature with those words open that another run on the same input prints
    /// differently; unchanged if that one crashed in another way.
    #[must_use]
    pub fn opened_by(self, other: &Self) -> Self {
        match alike::opened(&self.text, &other.text) {
            Some((_, text)) if self.kind == other.kind => Self { text, ..self },
            _ => self,
        }
    }

    /// Returns whether this is the other signature, of which some words may be open.
    #[must_use]
    pub fn is_of(&self, other: &Self) -> bool {
        self.kind == other.kind && alike::is_opened(&self.text, &other.text)
    }

    /// Returns the signature without what follows the first quoted text in its message, except the
    /// function that failed: what is quoted may hold quotes itself.
    #[must_use]
    pub fn up_to_quote(&self) -> Self {
        let text = match (self.text.split_once(QUOTED), self.text.rsplit_once(" in ")) {
            (Some((before, rest)), Some((_, function))) if rest.contains(" in ") => {
                format!("{before}{QUOTED} in {function}")
            }
            (Some((before, _)), _) => format!("{before}{QUOTED}"),
            (None, _) => self.text.clone(),
        };
        Self {
            kind: self.kind,
            text,
        }
    }

    /// Returns whether the program crashed. Otherwise it reported a failure in an ordinary way.
    #[must_use]
    pub fn is_crash(&self) -> bool {
        self.kind.is_crash()
    }

    /// Returns the kind of the failure, as a word for tools: `memory`, `internal`, `assertion`,
    /// `signal`, `panic`, `exception` or `error`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            FailureKind::Memory => "memory",
            FailureKind::Internal => "internal",
            FailureKind::Assertion => "assertion",
            FailureKind::Signal => "signal",
            FailureKind::Panic => "panic",
            FailureKind::Exception => "exception",
            FailureKind::Complaint | FailureKind::Mention => "error",
        }
    }

    /// Returns whether this crash is more severe than the other: memory errors are the most severe,
    /// exceptions the least.
    #[must_use]
    pub fn is_more_severe_than(&self, other: &Self) -> bool {
        self.kind < other.kind
    }

    /// Returns a file name made of the signature: at most 60 ASCII letters, digits and dashes.
    #[must_use]
    pub fn file_name(&self) -> String {
        let words = self
            .text
            .split(|character: char| !character.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let mut name = words.join("-");
        name.truncate(60);
        name.trim_end_matches('-').to_owned()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the message that names the failure, without what is quoted in it.
fn named_message(output: &PlainOutput<'_>) -> Option<String> {
    let lines = named_failures(output).lines.into_iter().next()?;
    let texts = lines
        .iter()
        .map(|line| without_varying_parts(line.text, Quoted::Replaced));
    let text = texts.collect::<Vec<_>>().join(" ");
    (!text.trim().is_empty()).then_some(text)
}

/// Returns the signal that ended the run, directly or through a shell, if the program caused it by
/// a mistake. Other signals were sent to it: by the user, by the system when memory is short, or by
/// us.
fn crash_signal(outcome: Outcome) -> Option<i32> {
    let number = match outcome {
        Outcome::Signalled(number) => number,
        Outcome::Exited(code) => code - signal::SHELL_OFFSET,
        Outcome::TimedOut | Outcome::Exceeded(_) => return None,
    };
    let own_mistakes = [
        "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS",
    ];
    own_mistakes
        .contains(&&*signal::SignalName(number).to_string())
        .then_some(number)
}

/// Returns the signal for the description that a shell or a program prints.
fn described_signal(text: &[u8]) -> Option<&'static str> {
    match text {
        b"Segmentation fault" => Some("SIGSEGV"),
        b"Bus error" => Some("SIGBUS"),
        b"Illegal instruction" => Some("SIGILL"),
        b"Floating point exception" => Some("SIGFPE"),
        _ => None,
    }
}

/// Exceptions with which programs reject an input, and those that a shortened program raises
/// because something is missing in it.
static REJECTION: LazyLock<Regex> = LazyLock::new(|| {
    let names = "Syntax|Indentation|Tab|Pars(?:e|er|ing)|Lex(?:er|ing)?|Token\
                 |Decod(?:e|er|ing)|Encod(?:e|ing)|Unicode|Malformed|Validation|Schema|Format\
                 |Name|UnboundLocal|Reference|Import|ModuleNotFound|NoClassDefFound\
                 |ClassNotFound|FileNotFound|NoSuchFile|EOF|EndOfFile|Usage|Argument";
    Regex::new(&format!(
        r"^(?:Uncaught )?(?:[\w$]+\.)*\w*(?:{names})(?:Error|Exception)?(?:$|\W)"
    ))
    .expect("a test compiles it")
});

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
