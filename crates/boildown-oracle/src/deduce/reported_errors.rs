//! Errors that a compiler, or another checker of its input, reports: their messages without what
//! varies.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::bytes::Regex;

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
#[must_use]
pub fn reported_errors(run: &Run) -> BTreeSet<String> {
    let output = PlainOutput::of_run(run);
    let lines = output.streams.iter().flat_map(PlainStream::lines);
    let lines = lines.filter(|line| AT_POSITION.is_match(line) || !is_noise(line));
    lines.filter_map(kind).collect()
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
