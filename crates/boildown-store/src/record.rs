//! Records of answers and improvements, with checksums.

use std::sync::Arc;
use std::time::Duration;

use boildown_search::Fingerprint;

use boildown_oracle::{Answer, Outcome, Resource, Run, Verdict};

/// The record of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VerdictRecord {
    pub(super) content: Fingerprint,
    pub(super) verdict: Verdict,
    pub(super) outcome: Option<Outcome>,
    pub(super) took: Option<Duration>,
}

impl VerdictRecord {
    pub(super) fn new(content: Fingerprint, answer: &Answer) -> Self {
        Self {
            content,
            verdict: answer.verdict,
            outcome: answer.run.as_ref().map(|run| run.outcome),
            took: answer.run.as_ref().map(|run| run.took),
        }
    }

    /// Returns the checksum of a verdict.
    ///
    /// The database detects damage only to its own structure. Without a checksum, a damaged verdict
    /// would be used.
    pub(super) fn checksum(content: Fingerprint, verdict: Verdict) -> i64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&content.bits().to_le_bytes());
        hasher.update(&code(verdict).to_le_bytes());
        u32::from_le_bytes(first(&hasher.finalize())).into()
    }
}

/// An improvement: a candidate that was the best result for some time.
#[derive(Debug, Clone)]
pub struct Improvement {
    /// The number of queries that were answered before. Because the search is deterministic, it
    /// identifies the improvement.
    pub query: u64,
    /// The fingerprint of its content.
    pub content: Fingerprint,
    /// Its size in bytes.
    pub bytes: usize,
    /// Its number of tokens, if they were counted.
    pub tokens: Option<usize>,
    /// The time since the session began.
    pub elapsed: Duration,
    /// The bytes of the candidate, unless it is something other than a file.
    pub text: Option<Arc<[u8]>>,
}

impl Improvement {
    /// Returns the record of a file that was found after this number of queries, and this time.
    #[must_use]
    pub fn of_text(text: &Arc<[u8]>, query: u64, elapsed: Duration) -> Self {
        Self {
            query,
            content: fingerprint_of(text),
            bytes: text.len(),
            tokens: None,
            elapsed,
            text: Some(Arc::clone(text)),
        }
    }
}

/// The start of a pass.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedPass {
    /// The number of queries that were answered before.
    pub query: u64,
    /// The name of the pass.
    pub name: String,
    /// The time since its session began.
    pub elapsed: Duration,
}

/// The maximum size of the output of a rejected candidate that is stored, in bytes.
const MAX_OUTPUT: usize = 240;

/// The number of lines of the output of a rejected candidate that are stored.
const MAX_LINES: usize = 3;

/// The last lines that a rejected candidate printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RejectedOutput {
    pub(super) content: Fingerprint,
    pub(super) lines: Vec<u8>,
}

impl RejectedOutput {
    /// Returns the last lines of standard error, or else of standard output. `None` when the
    /// candidate is interesting, or its output was empty or not captured.
    pub(super) fn new(content: Fingerprint, answer: &Answer) -> Option<Self> {
        let run = answer.run.as_ref();
        let run = run.filter(|_| answer.verdict != Verdict::Interesting)?;
        let lines = [&run.stderr, &run.stdout].map(|output| last_lines(output));
        let lines = lines.into_iter().find(|lines| !lines.is_empty())?;
        Some(Self { content, lines })
    }
}

/// Returns the last lines of an output that are not blank. The beginning of a long line is cut off.
fn last_lines(output: &[u8]) -> Vec<u8> {
    let lines = output.rsplit(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.trim_ascii_end());
    let mut lines: Vec<&[u8]> = lines
        .filter(|line| !line.is_empty())
        .take(MAX_LINES)
        .collect();
    lines.reverse();
    let text = lines.join(&b'\n');
    text[text.len().saturating_sub(MAX_OUTPUT)..].to_vec()
}

/// Returns the fingerprint of a content: the first 16 bytes of its BLAKE3 hash.
pub fn fingerprint_of(text: &[u8]) -> Fingerprint {
    Fingerprint::new(u128::from_le_bytes(first(&blake3::hash(text))))
}

fn first<const N: usize>(hash: &blake3::Hash) -> [u8; N] {
    let (first, _) = (hash.as_bytes().split_first_chunk()).expect("a hash has 32 bytes");
    *first
}

/// A baseline run with its output, from which a property can be deduced again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BaselineRun {
    pub(super) content: Fingerprint,
    pub(super) answer: Answer,
}

impl BaselineRun {
    /// Returns the checksum of the answer and of the complete run.
    pub(super) fn checksum(&self) -> i64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&VerdictRecord::checksum(self.content, self.answer.verdict).to_le_bytes());
        if let Some(run) = &self.answer.run {
            for part in [
                &*outcome_text(run.outcome).into_bytes(),
                &run.stdout,
                &run.stderr,
            ] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
            hasher.update(&micros(run.took).to_le_bytes());
        }
        i64::from_le_bytes(first(&hasher.finalize()))
    }

    /// Returns the run that is stored in these columns; `None` when no run is stored.
    pub(super) fn run_of_columns(
        outcome: Option<&str>,
        micros: Option<i64>,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
    ) -> Option<Run> {
        Some(Run {
            outcome: read_outcome(outcome?)?,
            stdout,
            stderr,
            took: Duration::from_micros(micros?.try_into().ok()?),
        })
    }
}

pub(super) fn code(verdict: Verdict) -> i64 {
    match verdict {
        Verdict::Uninteresting => 0,
        Verdict::Interesting => 1,
        Verdict::Unresolved => 2,
    }
}

pub(super) fn read_verdict(code: i64) -> Option<Verdict> {
    match code {
        0 => Some(Verdict::Uninteresting),
        1 => Some(Verdict::Interesting),
        2 => Some(Verdict::Unresolved),
        _ => None,
    }
}

pub(super) fn outcome_text(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("exit {code}"),
        Outcome::Signalled(number) => format!("signal {number}"),
        Outcome::TimedOut => "timeout".to_owned(),
        Outcome::Exceeded(Resource::Memory) => "memory".to_owned(),
        Outcome::Exceeded(Resource::Processes) => "processes".to_owned(),
    }
}

pub(super) fn read_outcome(text: &str) -> Option<Outcome> {
    match text {
        "timeout" => return Some(Outcome::TimedOut),
        "memory" => return Some(Outcome::Exceeded(Resource::Memory)),
        "processes" => return Some(Outcome::Exceeded(Resource::Processes)),
        _ => {}
    }
    let (kind, number) = text.split_once(' ')?;
    let number = number.parse().ok()?;
    match kind {
        "exit" => Some(Outcome::Exited(number)),
        "signal" => Some(Outcome::Signalled(number)),
        _ => None,
    }
}

pub(super) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_read_as_written() {
        for outcome in [
            Outcome::Exited(0),
            Outcome::Exited(255),
            Outcome::Signalled(11),
            Outcome::TimedOut,
            Outcome::Exceeded(Resource::Memory),
            Outcome::Exceeded(Resource::Processes),
        ] {
            assert_eq!(read_outcome(&outcome_text(outcome)), Some(outcome));
        }
        for nonsense in ["", "exit", "exit x", "gone 3"] {
            assert_eq!(read_outcome(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn the_last_lines_of_an_output_are_those_that_are_not_blank() {
        assert_eq!(last_lines(b"a\nb\n\nc \r\n  \nd\n"), b"b\nc\nd");
        assert_eq!(last_lines(b"\n \n"), b"");
        let long = vec![b'x'; 1000];
        assert_eq!(last_lines(&long).len(), MAX_OUTPUT);
    }

    #[test]
    fn every_verdict_is_read_as_written_and_has_its_own_checksum() {
        let verdicts = [
            Verdict::Interesting,
            Verdict::Uninteresting,
            Verdict::Unresolved,
        ];
        let content = fingerprint_of(b"x");
        for verdict in verdicts {
            assert_eq!(read_verdict(code(verdict)), Some(verdict));
            let others = verdicts.into_iter().filter(|other| *other != verdict);
            for other in others {
                assert_ne!(
                    VerdictRecord::checksum(content, verdict),
                    VerdictRecord::checksum(content, other)
                );
            }
        }
        assert_eq!(read_verdict(3), None);
    }
}
