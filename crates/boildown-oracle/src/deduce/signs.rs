//! The line of output that names a failure.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::{Expectation, Pattern, Run};

/// A piece of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) stream: Stream,
    /// A line, a part of one, or two lines where the second has the message.
    pub(super) text: &'a [u8],
    /// Whether a line begins where the text does.
    pub(super) begins_line: bool,
    /// Whether a line ends where the text does.
    pub(super) ends_line: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    /// Where to look first comes first.
    const IN_ORDER: [Self; 2] = [Self::Stderr, Self::Stdout];

    pub(super) fn of(self, run: &Run) -> &[u8] {
        match self {
            Self::Stdout => &run.stdout,
            Self::Stderr => &run.stderr,
        }
    }

    pub(super) fn expect(self, pattern: Pattern) -> Expectation {
        match self {
            Self::Stdout => Expectation::Stdout(pattern),
            Self::Stderr => Expectation::Stderr(pattern),
        }
    }
}

/// What failures look like, the most telling first. Where there is a group, it is the part that tells. The first match in the
/// output counts, but for [`LAST_COUNTS`].
///
/// What names the *kind* of failure is preferred to what names its place: places in the input go away as it shrinks.
const SIGNS: &[&str] = &[
    // Sanitizers, without the place; a leak without its size. UBSan goes on after its reports, so others are looked for first.
    r"SUMMARY: (?:(?:HW)?Address|Memory|Thread|Leak)Sanitizer: (?:data race|\d+ byte\(s\) leaked|[\w-]+)",
    r"(?:ERROR|WARNING): \w+Sanitizer: (?:data race|[\w-]+)",
    r":\d+:\d+: (runtime error: .+)",
    r"SUMMARY: libFuzzer: .+",
    // Assertions: glibc and LLVM, BSD and macOS, GLib, V8 and Chromium.
    r"Assertion [`'].*' failed",
    r"(?i)assertion failed: .+",
    r"Check failed: .+",
    // Compilers: GCC and rustc, LLVM.
    r"internal compiler error: .+",
    r"fatal error: error in backend: .+",
    r"LLVM ERROR: .+",
    r"UNREACHABLE executed at .+",
    // Languages: Rust, whose message is on the next line since 1.73; the JVM's own crashes, Java, C++, Python, Go, V8, JavaScript.
    r"panicked at (?:'.+|.+:\n.+|.+)",
    r"^# Problematic frame:\n.+",
    r#"Exception in thread "[^"\n]*" (.+)"#,
    r"terminate called after throwing .+(?:\n +what\(\): .+)?",
    r"terminate called without an active exception",
    r"Fatal Python error: .+",
    PYTHON,
    r"^panic: .+",
    r"^FATAL ERROR: .+",
    r"^((?:Uncaught )?[\w.]*(?:Error|Exception)\b.*)\n +at ",
    // The C library and the shell.
    r"\*\*\* .+ \*\*\*: .+",
    r"double free or corruption.*",
    r"\b(?:free|malloc|realloc|munmap_chunk)\(\): .+",
    r"Segmentation fault",
    r"Bus error",
    r"Illegal instruction",
    r"Floating point exception",
    // What clang prints with any crash; what follows it depends on the input.
    r"PLEASE submit a bug report",
    // Whatever calls itself an error.
    r"(?i)^.*\bfatal(?: error)?: .+",
    r"(?i)^.*\berror(?: [\w-]+|\[\w+\])?: .+",
];

/// The exception is the first line after the traceback that is not indented.
const PYTHON: &str = r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)";

/// Signs of which the last match counts: of several Python exceptions, the earlier ones were handled or are causes.
const LAST_COUNTS: &[&str] = &[PYTHON];

static COMPILED: LazyLock<Vec<(Regex, bool)>> = LazyLock::new(|| {
    let compile = |sign| {
        // Without Unicode, for output may be any bytes.
        let regex = RegexBuilder::new(sign)
            .multi_line(true)
            .unicode(false)
            .build();
        (
            regex.expect("a test compiles the table"),
            LAST_COUNTS.contains(&sign),
        )
    };
    SIGNS.iter().copied().map(compile).collect()
});

/// Returns the text that names the failure, if anything was printed.
pub(super) fn find(run: &Run) -> Option<Found<'_>> {
    let known = COMPILED.iter().find_map(|(sign, last_counts)| {
        Stream::IN_ORDER.into_iter().find_map(|stream| {
            let mut matches = sign.captures_iter(stream.of(run));
            let captures = if *last_counts {
                matches.last()
            } else {
                matches.next()
            }?;
            let told = captures.get(1).or(captures.get(0))?;
            Some(found(run, stream, told.start(), told.end()))
        })
    });
    known.or_else(|| {
        Stream::IN_ORDER
            .into_iter()
            .find_map(|stream| last_line(run, stream))
    })
}

fn last_line(run: &Run, stream: Stream) -> Option<Found<'_>> {
    let output = stream.of(run);
    let end = output.trim_ascii_end().len();
    if end == 0 {
        return None;
    }
    let start = output[..end]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    Some(found(run, stream, start, end))
}

fn found(run: &Run, stream: Stream, start: usize, end: usize) -> Found<'_> {
    let output = stream.of(run);
    let whole = &output[start..end];
    let start = end - whole.trim_ascii_start().len();
    let end = start + output[start..end].trim_ascii_end().len();
    Found {
        stream,
        text: &output[start..end],
        begins_line: start == 0 || output[start - 1] == b'\n',
        ends_line: end == output.len() || output[end] == b'\n',
    }
}
