//! Errors that a compiler, or another checker of its input, reports: their messages without what
//! varies.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::alike;
use super::noise::is_noise;
use super::plain_output::{PlainOutput, PlainStream, compile};
use super::varying::{QUOTED, Quoted, without_varying_parts};
use crate::Run;

/// A line with the word `error`, a code of the error if there is one, a colon and a message.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?i-u)^(?:.*[\s:%])?(?:fatal )?error(?: ?\[(?<code>[\w-]+)\]| (?<number>[A-Z]+\d+))?\s?: ?(?<message>\S.*)$",
    )
});

/// An error with its position: no summary of others, however short its message is.
static AT_POSITION: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i-u)^\S+[:(]\d+\S* (?:fatal )?error\b"));

/// A position before a message.
static POSITION: LazyLock<Regex> = LazyLock::new(|| compile(r"(?-u)^\S+:\d+(?::\d+)?: +"));

/// A text that is quoted as in Markdown.
static CODE: LazyLock<Regex> = LazyLock::new(|| compile(r"(?-u)`[^`'\n]*[`']"));

/// Returns the kinds of the errors that a run reports: the code of each, or else its message
/// without positions, numbers and what it quotes.
///
/// Empty for a run whose output has no line of the form `error: message`.
pub(super) fn reported_errors(run: &Run) -> BTreeSet<String> {
    let output = PlainOutput::of_run(run);
    let lines = output.streams.iter().flat_map(PlainStream::lines);
    let lines = lines.filter(|line| AT_POSITION.is_match(line) || !is_noise(line));
    lines.filter_map(kind).collect()
}

/// Returns the kinds of the errors that runs on the same input report. Words of a kind that vary
/// from run to run are left open: see [`is_of_kind`].
#[must_use]
pub fn errors_of_runs<'a>(runs: impl IntoIterator<Item = &'a Run>) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = BTreeSet::new();
    for kinds in runs.into_iter().map(reported_errors) {
        let is_gone = |known: &&String| !kinds.iter().any(|kind| is_of_kind(kind, known));
        let mut gone: Vec<String> = all.iter().filter(is_gone).cloned().collect();
        for kind in &kinds {
            if all.iter().any(|known| is_of_kind(kind, known)) {
                continue;
            }
            let opened = gone.iter().enumerate().filter_map(|(number, known)| {
                let (words, opened) = alike::opened(kind, known)?;
                Some((words, number, opened))
            });
            match opened.min() {
                None => all.insert(kind.clone()),
                Some((_, number, opened)) => {
                    all.remove(&gone.remove(number));
                    all.insert(opened)
                }
            };
        }
    }
    all
}

/// Returns whether an error is of this kind, of which some words may be left open.
#[must_use]
pub fn is_of_kind(error: &str, kind: &str) -> bool {
    alike::is_opened(error, kind)
}

/// Returns the kind of the error that a line reports.
fn kind(line: &[u8]) -> Option<String> {
    let found = ERROR.captures(line)?;
    if let Some(code) = found.name("code").or(found.name("number")) {
        return Some(String::from_utf8_lossy(code.as_bytes()).into_owned());
    }
    let message = POSITION.replace(found["message"].trim_ascii(), b"");
    let message = CODE.replace_all(&message, QUOTED.as_bytes());
    Some(without_varying_parts(&message, Quoted::Replaced))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    fn errors(stderr: &str) -> Vec<String> {
        let run = Run::ended(Outcome::Exited(1), stderr);
        reported_errors(&run).into_iter().collect()
    }

    #[test]
    fn an_error_is_its_code_or_its_message_without_what_it_quotes() {
        for (line, expected) in [
            (
                "a.c:3:5: error: ‘struct point’ has no member named ‘z’",
                "'…' has no member named '…'",
            ),
            (
                "a.c:9: fatal error: too many errors (20)",
                "too many errors (N)",
            ),
            ("a.c:3:9: error: expected '}'", "expected '…'"),
            ("error[E0382]: borrow of moved value: `p`", "E0382"),
            (
                "error: expected one of `!` or `(`, found `}`",
                "expected one of '…' or '…', found '…'",
            ),
            ("a.ts(3,5): error TS2322: Type 'A' is no 'B'.", "TS2322"),
            ("a.cpp(3): error C2065: 'x': undeclared", "C2065"),
            ("%Error: t.v:3:12: Can't find x", "Can't find x"),
            (
                "ERROR: 0:3: 'x' : undeclared identifier",
                "'…' : undeclared identifier",
            ),
            ("A.java:7: error: cannot find symbol", "cannot find symbol"),
            (
                "\x1b[1m\x1b[31merror\x1b[0m: bad thing here",
                "bad thing here",
            ),
        ] {
            assert_eq!(errors(&format!("{line}\n")), [expected], "{line}");
        }
    }

    #[test]
    fn words_that_vary_between_runs_on_the_input_are_open() {
        let run = |text: &str| Run::ended(Outcome::Exited(1), text);
        let runs = [
            run("error: gave up at 0.25s on w3a\nerror: no type x\n"),
            run("error: gave up at 0.5s on q77\nerror: no type x\n"),
        ];
        let kinds: Vec<String> = errors_of_runs(&runs).into_iter().collect();
        assert_eq!(kinds, ["gave up at N on …", "no type x"]);
        assert!(is_of_kind("gave up at N on z", &kinds[0]));
        assert!(!is_of_kind("gave in at N on z", &kinds[0]));
        assert_eq!(errors_of_runs(&runs[..1]), reported_errors(&runs[0]));
    }

    #[test]
    fn warnings_notes_summaries_and_source_code_are_no_errors() {
        let lines = [
            "a.c:3:5: warning: unused variable ‘error’",
            "a.c:3:5: note: error: as declared here",
            "error: aborting due to 2 previous errors",
            "    3 |     puts(\"error: no\");",
            "ValueError: x",
            "1 error generated.",
        ];
        assert_eq!(errors(&lines.join("\n")), [""; 0]);
    }
}
