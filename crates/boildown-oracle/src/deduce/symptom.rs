//! Symptom: what the runs on a state print when they fail, to tell whether another run fails alike.

use std::sync::LazyLock;

use regex::bytes::Regex as BytesRegex;
use regex::{Captures, Regex};

use super::alike::{LEAST_EQUAL, likeness, words};
use super::failing_test::{self, Section};
use super::named_failures;
use super::plain_output::{PlainOutput, compile};
use crate::Run;

/// What all runs on a state print about its failure: the words and digits that are equal in all of
/// them, line by line.
///
/// Of a test runner, these are the lines about the first test that failed; else the whole output.
/// Positions in the source, directories, addresses, durations and stack frames are left out: they
/// are not equal in two states that fail alike. So are the lines that only some of the runs print
/// that succeed.
///
/// For example, of a run that prints `total is 15, seed 83` and of one that prints `total is 15,
/// seed 12`, the symptom is `total is 15, seed …`. A run that prints `total is 0, seed 83` lacks
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symptom {
    lines: Vec<PrintedLine>,
}

/// A line of output.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PrintedLine {
    /// The line as it was printed.
    shown: String,
    /// Its words and its other characters without those that are left out; `None` for one that
    /// differs between runs.
    words: Vec<Option<String>>,
}

/// The number of lines at the end of an output that are read.
const MAX_LINES: usize = 2000;

impl Symptom {
    /// Reads what these runs have in common.
    #[must_use]
    pub fn of_runs(runs: &[Run]) -> Self {
        let mut runs = runs.iter();
        let lines = runs.next().map(lines_of_failure).unwrap_or_default();
        let mut symptom = Self { lines };
        for run in runs {
            symptom.keep_common(run);
        }
        symptom
    }

    /// Leaves out what is printed before the message that names the failure, as one of these runs
    /// prints it: of two states that fail alike, the rest of the output may differ.
    pub fn keep_message(&mut self, runs: &[Run]) {
        let Some(run) = runs.first() else { return };
        let output = PlainOutput::of_run(run);
        if failing_test::first_section(&output).is_some() {
            return;
        }
        let named = named_failures(&output).lines.into_iter().next();
        let named = named.and_then(|lines| {
            let text = String::from_utf8_lossy(lines.first()?.text).into_owned();
            let text = text.lines().last()?.trim().to_owned();
            let is_named = |line: &PrintedLine| line.shown.contains(&text);
            self.lines.iter().position(is_named)
        });
        self.lines.drain(..named.unwrap_or(self.lines.len()));
    }

    /// Returns whether there is nothing to compare: the runs print nothing, or nothing in common.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Keeps what another run on the same state prints too.
    fn keep_common(&mut self, run: &Run) {
        let printed = all_lines(run);
        self.lines.retain_mut(|line| line.keep_common(&printed));
    }

    /// Leaves out the lines that some of these runs print, which succeeded. A line that all of them
    /// print stays: a run that lacks it fails earlier, or elsewhere.
    pub fn leave_out(&mut self, succeeded: &[Run]) {
        let printed: Vec<Vec<PrintedLine>> = succeeded.iter().map(all_lines).collect();
        self.lines.retain(|line| {
            let is_printed = |run: &&Vec<PrintedLine>| run.iter().any(|it| line.matches(it));
            [0, printed.len()].contains(&printed.iter().filter(is_printed).count())
        });
    }

    /// Returns the first line that none of these runs prints, as the failing state prints it, and
    /// the most similar line of these runs. `None` if they print all lines.
    #[must_use]
    pub fn missing_in(&self, runs: &[Run]) -> Option<(&str, Option<String>)> {
        let printed: Vec<PrintedLine> = runs.iter().flat_map(all_lines).collect();
        let missing =
            (self.lines.iter()).find(|line| !printed.iter().any(|other| line.matches(other)))?;
        let similar = printed.iter().map(|other| (missing.likeness(other), other));
        let similar = similar
            .filter(|(likeness, _)| *likeness >= LEAST_EQUAL)
            .max_by(|one, other| one.0.total_cmp(&other.0));
        Some((
            missing.shown.as_str(),
            similar.map(|(_, line)| line.shown.clone()),
        ))
    }
}

impl PrintedLine {
    fn new(line: &str) -> Self {
        let rest = without_circumstances(line);
        let words = words(&rest).into_iter();
        Self {
            shown: line.trim().to_owned(),
            words: words.map(|word| Some(rest[word].to_owned())).collect(),
        }
    }

    /// Returns whether the other line has all words of this one.
    fn matches(&self, other: &Self) -> bool {
        self.words.len() == other.words.len()
            && (self.words.iter().zip(&other.words))
                .all(|(word, other)| word.is_none() || word == other)
    }

    fn likeness(&self, other: &Self) -> f64 {
        likeness(&self.words, &other.words)
    }

    /// Keeps the words that the same line of another run has. Returns whether there is such a line.
    fn keep_common(&mut self, printed: &[Self]) -> bool {
        if printed.iter().any(|other| self.matches(other)) {
            return true;
        }
        let similar = printed.iter().map(|other| (self.likeness(other), other));
        let Some((_, other)) = similar
            .filter(|(likeness, _)| *likeness >= LEAST_EQUAL)
            .max_by(|one, other| one.0.total_cmp(&other.0))
        else {
            return false;
        };
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            if word != other {
                *word = None;
            }
        }
        self.has_words()
    }

    fn has_words(&self) -> bool {
        let mut words = self.words.iter().flatten();
        words.any(|word| word.contains(char::is_alphanumeric))
    }
}

/// Returns the lines that say what failed: those about the first test that failed, if a test
/// runner reported one.
fn lines_of_failure(run: &Run) -> Vec<PrintedLine> {
    let output = PlainOutput::of_run(run);
    match failing_test::first_section(&output) {
        Some(Section { text, is_marked }) => {
            let lines = printed_lines(text);
            let marked = |line: &PrintedLine| line.shown.starts_with("E  ");
            match is_marked && lines.iter().any(marked) {
                true => lines.into_iter().filter(marked).collect(),
                false => lines,
            }
        }
        None => all_lines(run),
    }
}

fn all_lines(run: &Run) -> Vec<PrintedLine> {
    let output = PlainOutput::of_run(run);
    let streams = output.streams.iter();
    streams
        .flat_map(|stream| printed_lines(stream.text()))
        .collect()
}

/// Returns the lines of an output without stack frames, the source code that is shown beside them,
/// and lines that follow from what is counted.
fn printed_lines(output: &[u8]) -> Vec<PrintedLine> {
    let mut lines = Vec::new();
    let mut is_source = false;
    let all: Vec<&[u8]> = output.split(|byte| *byte == b'\n').collect();
    let all = &all[all.len().saturating_sub(MAX_LINES)..];
    for (number, line) in all.iter().enumerate() {
        let is_marked = all
            .get(number + 1)
            .is_some_and(|next| CARETS.is_match(next));
        let is_skipped = is_source || is_marked || SKIPPED.is_match(line);
        is_source = PYTHON_FRAME.is_match(line);
        if is_skipped || is_source {
            continue;
        }
        let line = PrintedLine::new(&String::from_utf8_lossy(line));
        if line.has_words() {
            lines.push(line);
        }
    }
    lines
}

/// A line that marks a part of the line above it.
static CARETS: LazyLock<BytesRegex> = LazyLock::new(|| compile(r"^[\s~]*\^[\s~^]*$"));

/// A stack frame of Python, with the source on the next line.
static PYTHON_FRAME: LazyLock<BytesRegex> = LazyLock::new(|| compile(r#"^\s*File ".*", line \d+"#));

/// Stack frames; source code beside a message; counts and summaries of test runners.
static SKIPPED: LazyLock<BytesRegex> = LazyLock::new(|| {
    compile(
        r"(?x)
        ^\s+at\s | ^\s*\#\d+\s | ^\s+\d+:\s | ^goroutine\ \d | ^\t/?\S+:\d+ | ^\s+from\s\S+:\d
        | ^\s*\d+\s*\|
        | ^Ran\ \d+\ tests? | ^test\ result: | ^(?:Tests|Test\ Suites|Test\ Files|Duration)(?:\ run)?:
        | ^\W*\d+\ (?:failed|passed)\b | ^(?:FAILED|OK)\ \(.*\)$ | ^\d+%\ tests\ passed | ^Node\.js\ v",
    )
});

/// Returns the line without what depends on the place, the time and the length of other lines.
fn without_circumstances(line: &str) -> String {
    static CIRCUMSTANCES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r#"(?x)
            ^\W*(?:\d{4}-\d\d-\d\d[T\ ])?\d\d:\d\d:\d\d(?:[.,]\d+)?Z?
            |0[xX][0-9a-fA-F]+
            |[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
            |(?<before>^|[^\w.])(?:/[\w.+@~%-]+)+/
            |(?<name>\.[A-Za-z]\w{0,5}):\d+(?::\d+)?\b
            |(?<first>^[^\s:]+:)\d+(?::\d+)?:
            |(?<open>\.[A-Za-z]\w{0,5}\()\d+(?:,\s?\d+)?\)
            |\b[Ll]ine\ \d+
            |\(\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|s|secs?|seconds?)\)
            |(?<word>\b(?:in|took|after|[Tt]ime|[Dd]uration|elapsed)\b\W{0,3})\d+(?:\.\d+)?\s?(?:ns|us|µs|ms|s|secs?|seconds?)\b
            |\bduration_ms\W+[\d.]+"#,
        )
        .expect("a test compiles it")
    });
    let kept = ["before", "name", "first", "open", "word"];
    let replaced = CIRCUMSTANCES.replace_all(line, |part: &Captures<'_>| {
        let kept = kept.iter().find_map(|name| part.name(name));
        kept.map_or("", |kept| kept.as_str()).to_owned()
    });
    replaced.into_owned()
}

#[cfg(test)]
#[path = "symptom_tests.rs"]
mod tests;
