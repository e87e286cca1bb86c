//! The line of output that names a failure, and what kind of failure that is.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::{Expectation, Pattern, Run};

/// A piece of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) stream: Stream,
    /// Where in the output the text begins.
    pub(super) at: usize,
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

/// What kind of failure it is. The graver ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Memory was misused, or behaviour undefined, and somebody watched.
    Memory,
    /// A compiler broke.
    Internal,
    Assertion,
    Signal,
    /// A program gave up on itself.
    Panic,
    /// Nobody caught it.
    Exception,
    /// What programs say of their input: no crash.
    Complaint,
}

impl Kind {
    pub(super) fn is_crash(self) -> bool {
        self != Self::Complaint
    }
}

use Kind::{Assertion, Complaint, Exception, Internal, Memory, Panic, Signal};

/// What failures look like, the most telling first. Where there is a group, it is the part that tells. The first match in the
/// output counts, but for [`LAST_COUNTS`].
///
/// What names the *kind* of failure is preferred to what names its place: places in the input go away as it shrinks.
#[rustfmt::skip]
const SIGNS: &[(Kind, &str)] = &[
    // Sanitizers, without the place; a leak without its size. UBSan goes on after its reports, so others are looked for first.
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
    // Languages: Rust, whose message is on the next line since 1.73; the JVM's own crashes, Java, C++, Python, Go, C#, V8, JavaScript.
    (Panic, r"panicked at (?:'.+|.+:\n.+|.+)"),
    (Signal, r"^# Problematic frame:\n.+"),
    (Exception, r#"Exception in thread "[^"\n]*" (.+)"#),
    (Panic, r"terminate called after throwing .+(?:\n +what\(\): .+)?"),
    (Panic, r"terminate called without an active exception"),
    (Signal, r"Fatal Python error: .+"),
    (Exception, PYTHON),
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
    // What clang prints with any crash; what follows it depends on the input.
    (Internal, r"PLEASE submit a bug report"),
    // Whatever calls itself an error.
    (Complaint, r"(?i)^.*\bfatal(?: error)?: .+"),
    (Complaint, r"(?i)^.*\berror(?: [\w-]+|\[\w+\])?: .+"),
];

/// The exception is the first line after the traceback that is not indented.
const PYTHON: &str = r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)";

/// Signs of which the last match counts: of several Python exceptions, the earlier ones were handled or are causes.
const LAST_COUNTS: &[&str] = &[PYTHON];

static COMPILED: LazyLock<Vec<(Kind, Regex, bool)>> = LazyLock::new(|| {
    let compile = |(kind, sign)| {
        // Without Unicode, for output may be any bytes.
        let regex = RegexBuilder::new(sign)
            .multi_line(true)
            .unicode(false)
            .build();
        (
            kind,
            regex.expect("a test compiles the table"),
            LAST_COUNTS.contains(&sign),
        )
    };
    SIGNS.iter().copied().map(compile).collect()
});

/// Returns the text that names the failure, if anything was printed.
pub(super) fn find(run: &Run) -> Option<Found<'_>> {
    let known = find_known(run).map(|(_, found)| found);
    known.or_else(|| {
        Stream::IN_ORDER
            .into_iter()
            .find_map(|stream| last_line(run, stream))
    })
}

/// Returns the text that names the failure, when it looks like one in the table.
pub(super) fn find_known(run: &Run) -> Option<(Kind, Found<'_>)> {
    COMPILED.iter().find_map(|(kind, sign, last_counts)| {
        Stream::IN_ORDER.into_iter().find_map(|stream| {
            let mut matches = sign.captures_iter(stream.of(run));
            let captures = if *last_counts {
                matches.last()
            } else {
                matches.next()
            }?;
            let told = captures.get(1).or(captures.get(0))?;
            Some((*kind, found(run, stream, told.start(), told.end())))
        })
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
        at: start,
        text: &output[start..end],
        begins_line: start == 0 || output[start - 1] == b'\n',
        ends_line: end == output.len() || output[end] == b'\n',
    }
}
