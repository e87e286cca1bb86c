//! The line of output that names a failure, and the kind of the failure.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::{Expectation, Pattern, Run};

/// The text that names a failure: a line, a part of a line, or two lines of which the second has
/// the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FailureLine<'a> {
    pub(super) stream: Stream,
    /// The offset of `text` in the stream, in bytes.
    pub(super) offset: usize,
    pub(super) text: &'a [u8],
    /// Whether `text` begins at the beginning of a line.
    pub(super) begins_line: bool,
    /// Whether `text` ends at the end of a line.
    pub(super) ends_line: bool,
}

/// An output stream of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    /// The streams in the order in which they are searched.
    const SEARCH_ORDER: [Self; 2] = [Self::Stderr, Self::Stdout];

    pub(super) fn of_run(self, run: &Run) -> &[u8] {
        match self {
            Self::Stdout => &run.stdout,
            Self::Stderr => &run.stderr,
        }
    }

    pub(super) fn expectation(self, pattern: Pattern) -> Expectation {
        match self {
            Self::Stdout => Expectation::Stdout(pattern),
            Self::Stderr => Expectation::Stderr(pattern),
        }
    }
}

/// The kind of a failure, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum FailureKind {
    /// A memory error or undefined behaviour, as a sanitizer or the C library reports it.
    Memory,
    /// An internal error of a compiler.
    Internal,
    Assertion,
    Signal,
    /// A program aborted itself: a panic, or an error of its runtime.
    Panic,
    /// An uncaught exception.
    Exception,
    /// An error message about the input: not a crash.
    Complaint,
}

impl FailureKind {
    pub(super) fn is_crash(self) -> bool {
        self != Self::Complaint
    }
}

use FailureKind::{Assertion, Complaint, Exception, Internal, Memory, Panic, Signal};

/// The messages of failures, the most specific first.
///
/// If a pattern has a group, the group is the text that names the failure. The first match in the
/// output is used, except for the patterns in [`LAST_MATCH_PATTERNS`].
///
/// Messages that name the *kind* of a failure are preferred to those that name its position,
/// because positions in the input disappear as it shrinks.
#[rustfmt::skip]
const FAILURE_PATTERNS: &[(FailureKind, &str)] = &[
    // Sanitizers, without the position; a leak without its size. UBSan continues after a report, so
    // a report of another sanitizer is preferred.
    (Memory, r"SUMMARY: (?:(?:HW)?Address|Memory|Thread|Leak)Sanitizer: (?:data race|\d+ byte\(s\) leaked|[\w-]+)"),
    (Memory, r"(?:ERROR|WARNING): \w+Sanitizer: (?:data race|[\w-]+)"),
    (Memory, r":\d+:\d+: (runtime error: .+)"),
    (Memory, r"SUMMARY: libFuzzer: .+"),
    // Assertions: glibc and LLVM, BSD and macOS, GLib, V8 and Chromium.
    (Assertion, r"Assertion [`'].*' failed"),
    (Assertion, r"(?i)assertion failed: .+"),
    (Assertion, r"Check failed: .+"),
    // Compilers: GCC and rustc, MSVC, LLVM.
    (Internal, r"internal compiler error(?:\[\w+\])?: .+"),
    (Internal, r"fatal error C1001: .+"),
    (Internal, r"fatal error: error in backend: .+"),
    (Internal, r"LLVM ERROR: .+"),
    (Internal, r"UNREACHABLE executed at .+"),
    // Languages: Rust, whose message is on the next line since 1.73; crashes of the JVM itself,
    // Java, C++, Python, Go, C#, V8, JavaScript.
    (Panic, r"panicked at (?:'.+|.+:\n.+|.+)"),
    (Signal, r"^# Problematic frame:\n.+"),
    (Exception, r#"Exception in thread "[^"\n]*" (.+)"#),
    (Panic, r"terminate called after throwing .+(?:\n +what\(\): .+)?"),
    (Panic, r"terminate called without an active exception"),
    (Signal, r"Fatal Python error: .+"),
    (Exception, PYTHON_TRACEBACK),
    (Panic, r"^panic: .+"),
    (Panic, r"^fatal error: (?:all goroutines are asleep|stack overflow|concurrent map|unexpected signal).*"),
    (Exception, r"^Unhandled [Ee]xception[.:][ \n](\S.*)"),
    (Panic, r"^FATAL ERROR: .+"),
    (Exception, r"^((?:Uncaught )?[\w.]*(?:Error|Exception)\b.*)\n +at "),
    // The C library and the shell.
    (Memory, r"\*\*\* .+ \*\*\*: .+"),
    (Memory, r"double free or corruption.*"),
    (Memory, r"\b(?:free|malloc|realloc|munmap_chunk)\(\): .+"),
    (Signal, r"Segmentation fault"),
    (Signal, r"Bus error"),
    (Signal, r"Illegal instruction"),
    (Signal, r"Floating point exception"),
    // clang prints this with every crash; the text after it depends on the input.
    (Internal, r"PLEASE submit a bug report"),
    // Any other error message.
    (Complaint, r"(?i)^.*\bfatal(?: error)?: .+"),
    (Complaint, r"(?i)^.*\berror(?: [\w-]+|\[\w+\])?: .+"),
];

/// A traceback of Python. The exception is the first line after it that is not indented.
const PYTHON_TRACEBACK: &str = r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)";

/// Patterns of which the last match is used: of several Python exceptions, the earlier ones were
/// handled or are causes.
const LAST_MATCH_PATTERNS: &[&str] = &[PYTHON_TRACEBACK];

/// A compiled entry of [`FAILURE_PATTERNS`].
struct FailurePattern {
    kind: FailureKind,
    regex: Regex,
    takes_last_match: bool,
}

static COMPILED: LazyLock<Vec<FailurePattern>> = LazyLock::new(|| {
    let compile = |(kind, pattern)| {
        // Without Unicode, because output may contain any bytes.
        let regex = RegexBuilder::new(pattern)
            .multi_line(true)
            .unicode(false)
            .build();
        FailurePattern {
            kind,
            regex: regex.expect("a test compiles the table"),
            takes_last_match: LAST_MATCH_PATTERNS.contains(&pattern),
        }
    };
    FAILURE_PATTERNS.iter().copied().map(compile).collect()
});

/// Returns the text that names the failure: a message of the table, else the last line. `None` when
/// nothing was printed.
pub(super) fn find_or_last(run: &Run) -> Option<FailureLine<'_>> {
    let known = find(run).map(|(_, line)| line);
    known.or_else(|| {
        Stream::SEARCH_ORDER
            .into_iter()
            .find_map(|stream| last_line(run, stream))
    })
}

/// Returns the text that names the failure, and its kind, when the table has a pattern for it.
pub(super) fn find(run: &Run) -> Option<(FailureKind, FailureLine<'_>)> {
    COMPILED.iter().find_map(|pattern| {
        Stream::SEARCH_ORDER.into_iter().find_map(|stream| {
            let mut matches = pattern.regex.captures_iter(stream.of_run(run));
            let captures = if pattern.takes_last_match {
                matches.last()
            } else {
                matches.next()
            }?;
            let text = captures.get(1).or(captures.get(0))?;
            Some((pattern.kind, trimmed_line(run, stream, text.range())))
        })
    })
}

/// Returns the last line of the stream that is not empty.
fn last_line(run: &Run, stream: Stream) -> Option<FailureLine<'_>> {
    let output = stream.of_run(run);
    let end = output.trim_ascii_end().len();
    if end == 0 {
        return None;
    }
    let start = output[..end]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    Some(trimmed_line(run, stream, start..end))
}

/// Returns the range of the stream without white space around it.
fn trimmed_line(run: &Run, stream: Stream, range: Range<usize>) -> FailureLine<'_> {
    let output = stream.of_run(run);
    let start = range.end - output[range.clone()].trim_ascii_start().len();
    let end = start + output[start..range.end].trim_ascii_end().len();
    FailureLine {
        stream,
        offset: start,
        text: &output[start..end],
        begins_line: start == 0 || output[start - 1] == b'\n',
        ends_line: end == output.len() || output[end] == b'\n',
    }
}
