//! Programs that propose candidates, such as the transformations of another reducer.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::test_command::with_absolute_program;
use crate::{CommandLine, RunRequest, Runner, StdinContent, WordPart};
use boildown_oracle::{Capture, Interrupt, OracleError, Outcome};

/// The longest time that a program may take for a proposal.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The file that stands for `{out}`, in the directory of the run.
const OUT: &str = "./boildown-proposal";

/// A program that proposes candidates: it is given a text and the number of a proposal.
///
/// Its proposals are not trusted: it runs in the sandbox with the limits of a run, and what it
/// prints is a candidate like any other.
#[derive(Debug, Clone)]
pub struct Proposer {
    /// A line for a shell, in which `{index}` stands for the number of the proposal.
    line: String,
    /// Texts with none of these do not concern it; all texts do if there are none.
    words: Vec<&'static str>,
    runner: Runner,
}

/// What a program proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// A candidate.
    Text(Arc<[u8]>),
    /// The text itself, or nothing.
    Unchanged,
    /// It has no proposal of this number, nor of a higher one.
    End,
    /// It was killed, hung, or printed more than the text has.
    Fault,
}

impl Proposer {
    /// Interprets `NAME: LINE`. In the line, `{in}` stands for the file that holds the text,
    /// `{out}` for the one that the program writes the proposal to, and `{index}` for the number of
    /// the proposal, from 1 up. Without `{out}`, the proposal is what the program prints.
    ///
    /// `runner` has the limits and the name of the file; its command is not used.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn new(text: &str, user_dir: &Path, runner: &Runner) -> Result<Self, &'static str> {
        let (name, line) = text.split_once(':').ok_or("write `NAME: COMMAND {in}`")?;
        let (name, line) = (name.trim(), line.trim());
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if name.is_empty() || !name.chars().all(is_name) {
            return Err("a name consists of letters, digits, `-`, `_` and `.`");
        }
        if !line.contains("{in}") {
            return Err("`{in}` stands for the file to change, and is missing");
        }
        let line = with_absolute_program(line.as_ref(), user_dir);
        let mut line = line.to_string_lossy().replace("{in}", "\"$1\"");
        if line.contains("{out}") {
            line = format!("({}\n) >&2 && exec cat {OUT}", line.replace("{out}", OUT));
        }
        let mut runner = runner.clone();
        runner.limits.timeout = runner.limits.timeout.min(TIMEOUT);
        (runner.project, runner.executor) = (None, None);
        Ok(Self {
            line,
            words: Vec::new(),
            runner,
        })
    }

    /// Returns it for texts in which one of these words occurs. It proposes nothing for others.
    #[must_use]
    pub fn for_texts_with(self, words: Vec<&'static str>) -> Self {
        Self { words, ..self }
    }

    /// Returns whether it may have a proposal for a text.
    #[must_use]
    pub fn concerns(&self, text: &[u8]) -> bool {
        let occurs = |word: &&str| {
            let mut parts = text.windows(word.len().max(1));
            parts.any(|part| part == word.as_bytes())
        };
        self.words.is_empty() || self.words.iter().any(occurs)
    }

    /// Returns whether it has several proposals for a text.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        self.line.contains("{index}")
    }

    /// Returns the proposal of this number for a text. A program that takes longer than `time` is
    /// killed, like one that hangs.
    ///
    /// # Errors
    /// As [`Runner::run`]. A program that fails, crashes or hangs is an `Ok`.
    pub fn propose(
        &self,
        text: &[u8],
        index: usize,
        time: Duration,
        interrupt: &Interrupt,
    ) -> Result<Proposal, OracleError> {
        let line = self.line.replace("{index}", &index.to_string());
        let word = |text: &str| vec![WordPart::Text(OsString::from(text))];
        let words = [
            word("sh"),
            word("-c"),
            word(&line),
            word("sh"),
            vec![WordPart::Path],
        ];
        let mut runner = self.runner.clone();
        runner.command = CommandLine::from_parts(words, StdinContent::Nothing)?;
        // Half of it is kept at each end; a longer text is no proposal.
        runner.limits.timeout = runner.limits.timeout.min(time);
        runner.limits.output_cap = 2 * (text.len() + 1);
        let run = runner.run_here(
            &RunRequest {
                candidate: text,
                capture: Capture::Output,
                limits: &runner.limits,
            },
            interrupt,
        )?;
        Ok(match run.outcome {
            Outcome::Exited(0) if run.stdout.is_empty() || run.stdout == text => {
                Proposal::Unchanged
            }
            Outcome::Exited(0) if run.stdout.len() > 2 * text.len() => Proposal::Fault,
            Outcome::Exited(0) => Proposal::Text(run.stdout.into()),
            // A shell says so when a program was killed.
            Outcome::Exited(129..=192) => Proposal::Fault,
            Outcome::Exited(_) => Proposal::End,
            Outcome::Signalled(_) | Outcome::TimedOut | Outcome::Exceeded(_) => Proposal::Fault,
        })
    }
}
