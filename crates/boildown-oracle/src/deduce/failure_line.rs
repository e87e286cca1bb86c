//! Lines of output that name a failure, the most specific first.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::noise::{
    has_a_word_of_failure, is_consequence, is_detail, is_emphatic, is_noise, is_warning,
};
use super::plain_output::{
    FailureLine, PlainOutput, PlainStream, Stream, compile, line_end, line_start,
};

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
    /// A line that has only the form of a message, such as a position before a text.
    Mention,
}

impl FailureKind {
    pub(super) fn is_crash(self) -> bool {
        self < Self::Complaint
    }
}

use FailureKind::{Assertion, Complaint, Exception, Internal, Memory, Mention, Panic, Signal};

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
    // Valgrind.
    (Memory, r"^==\d+== ((?:Invalid (?:read|write|free)|Conditional jump|Use of uninitialised|Syscall param|Source and destination overlap|Mismatched free|Jump to the invalid address|Possible data race|Process terminating).*)"),
    (Memory, r"^==\d+== [\d,]+ (?:\(.*\) )?bytes in [\d,]+ blocks are ((?:definitely|indirectly|possibly) lost)"),
    // Assertions: glibc and LLVM with file and function, BSD and macOS, GLib, V8, Chromium, CVC5.
    (Assertion, r"(?:[^\s:]+:\d+: (?:.*: )?)?Assertion [`'].*' failed"),
    (Assertion, r"^Fatal failure within .+"),
    (Assertion, r"(?i)assertion failed: .+"),
    (Assertion, r"Check failed: .+"),
    // Boxes and reports of internal errors, of which only one line says what happened: GNAT, GHC,
    // and any frame of signs.
    (Internal, r"(?i)^[|*#!]+ +((?:\S.* )?internal (?:\w+ )?error\b.*?\w.*?) *[|*#!]+$"),
    (Internal, r"^\| [\d.]+ \([\w-]+\) (\S.*?) *\|$"),
    (Internal, r"^\S+: panic! .*\n +\(GHC version .*\n\s*(\S.*)"),
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
    (Exception, r"^  \| ((?:[\w.]+\.)?\w*ExceptionGroup: .+)"),
    (Panic, r"^(?:thread \d+ )?panic: .+"),
    (Panic, r"^fatal error: (?:all goroutines are asleep|stack overflow|concurrent map|unexpected signal).*"),
    (Exception, r"^\s*(raised [A-Z][\w.]+ : .+)"),
    (Exception, r"^\*\* \([A-Z][\w.]*\) .+"),
    (Exception, r"^Unhandled \S+ in thread .*\n(?: {3,}.*\n)?  (\S.*(?:\n  +\S.*){0,4})$"),
    (Exception, r"^Unhandled [Ee]xception[.:][ \n](\S.*)"),
    (Exception, r"^(?:\S+: )?(exception (?:error|exit|throw): .+)"),
    (Panic, r"^(FATAL ERROR: .+)\n(?:.*\n){0,3} *1: 0x"),
    (Exception, r"^((?:Uncaught )?[\w.]*(?:Error|Exception)\b.*)\n +at "),
    (Exception, r"^[ \t]*\^+\n\n((?:Uncaught )?[\w.]*(?:Error|Exception)\b.*)"),
    (Complaint, r"^\S+:\d+\n.*\n *\^+\n(\S.*)\n\(Use `node"),
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
    // Other error messages: with the word, linkers and CMake, with a position before the message.
    (Complaint, r"(?i)^.*\bfatal(?: error)?: .+"),
    (Complaint, r"^(.+!)\n(?:  .*\n)+.*\binput module is broken"),
    (Complaint, r"^CMake Error.*:\n\s*(\S.*)"),
    // A position, and what is wrong there on the next line: parser combinators, YAML, OCaml.
    (Complaint, r"^(?:File .*, |.*\b(?:error|exception)\b.*|.*\()line \d+(?:, \w+ [\d-]+)?\)?:\n\s*(\w.*)"),
    (Complaint, r#"(?i)^.*\berror(?: \([^)\n]*\)|\[\w+\]|(?: [\w-]+){1,4})? ?: .+"#),
    (Complaint, r"^.*\b\w+(?:Error|Exception): .+"),
    (Complaint, r"^(?:[A-Za-z_]\w*\.)+[A-Z]\w+: .+"),
    (Complaint, r#"^\(error ".+"?\)?"#),
    (Complaint, r"^.*(?:undefined reference to|multiple definition of|cannot find -l).+"),
    (Mention, r"^\S+:\d+:(?:\d+:|in [`'].*':)? .+"),
    (Complaint, r"^[\w.-]+: [^\s:]+:\d+: +\^ (\S.*)"),
    (Mention, r"^[\w.-]+: [^\s:]+:\d+: .+"),
    (Complaint, r"^\S+: line \d+: .+"),
    // MATLAB, Tcl, Guile.
    (Complaint, r"^.*\bIn procedure \S+: .+"),
    (Complaint, r"^\{?Error using .*\n(\S.*)"),
    (Complaint, r"^(.+)\n    while executing$"),
    // Linters: ESLint, ruff, ShellCheck, SQLFluff.
    (Complaint, r"^L: +\d+ \| P: +\d+ \| +(\w+ \| .+)"),
    (Complaint, r"^ +\d+:\d+ +error +(.+?)(?: {2,}|$)"),
    (Complaint, r"^([A-Z]{1,4}\d{3,4} .+)\n +--> "),
    (Complaint, r"\^ (SC\d+ \(error\): .+)"),
    (Complaint, r"\^-+\^? (SC\d+ \((?:error|warning)\): .+)"),
    // Test::More, Perl, logs, make, patch.
    (Complaint, r"^# +(Failed test .+)"),
    (Complaint, r#"^.+ at \S+ line \d+(?:\.|, .+)$"#),
    (Complaint, r"^.*\b(?:ERROR|FATAL|CRITICAL)\b[\] :].+"),
    (Complaint, r"\S*make(?:\[\d+\])?: \*\*\* No rule .+"),
    (Complaint, r"^Hunk #\d+ FAILED.*"),
];

/// A traceback of Python. The exception is the first line after it that is not indented.
pub(super) const PYTHON_TRACEBACK: &str =
    r"^(?:.*: )?Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)";

/// Patterns of which the last match is used: of several Python exceptions, the earlier ones were
/// handled or are causes.
const LAST_MATCH_PATTERNS: &[&str] = &[PYTHON_TRACEBACK];

/// The number of matches of a pattern that are looked at, from the one that is preferred.
const MAX_MATCHES: usize = 20;

/// A compiled entry of [`FAILURE_PATTERNS`].
struct FailurePattern {
    kind: FailureKind,
    regex: Regex,
    takes_last_match: bool,
}

static COMPILED: LazyLock<Vec<FailurePattern>> = LazyLock::new(|| {
    let pattern = |(kind, pattern)| FailurePattern {
        kind,
        regex: compile(pattern),
        takes_last_match: LAST_MATCH_PATTERNS.contains(&pattern),
    };
    FAILURE_PATTERNS.iter().copied().map(pattern).collect()
});

/// Returns the text that names a crash, and its kind, when the table has a pattern for it.
pub(super) fn find_crash<'a>(output: &PlainOutput<'a>) -> Option<(FailureKind, FailureLine<'a>)> {
    let crashes = COMPILED.iter().filter(|pattern| pattern.kind.is_crash());
    let mut lines = crashes.flat_map(|pattern| {
        let texts = move |stream| pattern.lines(stream).into_iter();
        let lines = output.streams.iter().flat_map(texts);
        lines.map(|line| (pattern.kind, line))
    });
    lines.find(|(_, line)| !is_consequence(line.text))
}

/// Returns the text that names the failure in a part of a stream, when the table has a pattern for
/// it.
pub(super) fn find_in<'a>(stream: &PlainStream<'a>, part: Range<usize>) -> Option<FailureLine<'a>> {
    COMPILED
        .iter()
        .find_map(|pattern| pattern.matches(stream, part.clone()).into_iter().next())
        .map(|text| stream.line(text))
}

/// Returns all texts for which the table has a pattern, the most specific first; of error messages
/// the one that was printed first.
pub(super) fn ranked<'a>(output: &PlainOutput<'a>) -> Vec<(FailureKind, FailureLine<'a>)> {
    let mut ranked: Vec<(FailureKind, FailureLine<'a>)> = Vec::new();
    for pattern in COMPILED.iter() {
        for stream in &output.streams {
            for line in pattern.lines(stream) {
                if !ranked.iter().any(|(_, other)| other.overlaps(&line)) {
                    ranked.push((pattern.kind, line));
                }
            }
        }
    }
    ranked.sort_by_key(|(kind, line)| {
        let place = (!kind.is_crash()).then_some((line.stream == Stream::Stdout, line.offset));
        (*kind == Mention, place)
    });
    ranked
}

impl FailurePattern {
    /// Returns the texts of a stream that name a failure, the preferred one first.
    fn lines<'a>(&self, stream: &PlainStream<'a>) -> Vec<FailureLine<'a>> {
        let texts = self.matches(stream, 0..stream.text().len());
        texts.into_iter().map(|text| stream.line(text)).collect()
    }

    /// Returns the texts that name a failure in a part of a stream, the preferred one first.
    fn matches(&self, stream: &PlainStream<'_>, part: Range<usize>) -> Vec<Range<usize>> {
        let text = &stream.text()[..part.end];
        let mut matches = Vec::new();
        let mut from = part.start;
        while let Some(found) = self.regex.captures_at(text, from) {
            let whole = found.get_match();
            from = whole.end().max(from + 1);
            let named = found.get(1).unwrap_or(whole).range();
            if self.kind.is_crash() || !is_noise(whole_line(text, named.start)) {
                matches.push(named);
            }
            if from > text.len() || (matches.len() == MAX_MATCHES && !self.takes_last_match) {
                break;
            }
        }
        if self.takes_last_match {
            matches.reverse();
            matches.truncate(MAX_MATCHES);
        }
        matches
    }
}

/// A choice of one line of each stream: the first or last one that passes a filter.
#[derive(Clone, Copy)]
struct Pick<'f> {
    from_end: bool,
    filter: &'f dyn Fn(&[u8]) -> bool,
}

/// Returns the lines with a word of failing that most likely name the failure: the first one that
/// has it in capital letters, the first one, and the last one. The lines that have only the form of
/// a message count as well.
///
/// A script prints its verdict first, and details or ordinary output after it.
pub(super) fn lines_with_words<'a>(
    output: &PlainOutput<'a>,
    mentions: &[FailureLine<'a>],
) -> Vec<FailureLine<'a>> {
    let has_a_word = |line: &[u8]| may_name(output, line) && has_a_word_of_failure(line);
    let is_emphatic = |line: &[u8]| may_name(output, line) && is_emphatic(line);
    let pick = |from_end, filter| picked(output, &[Pick { from_end, filter }]);
    let emphatic = pick(false, &is_emphatic);
    let mut first = [&pick(false, &has_a_word), mentions].concat();
    first.sort_by_key(|line| (line.stream == Stream::Stdout, line.offset));
    [emphatic, first, pick(true, &has_a_word)].concat()
}

/// Returns the lines at the ends of the output that are not noise, the last one first. An indented
/// line is a detail of a line above it. If there are only details, a changed line of a difference
/// is preferred; if all lines are noise, the first warning.
pub(super) fn outer_lines<'a>(output: &PlainOutput<'a>) -> Vec<FailureLine<'a>> {
    let is_outer = |line: &[u8]| may_name(output, line) && !is_detail(line);
    let is_changed = |line: &[u8]| may_name(output, line) && matches!(line[0], b'-' | b'+');
    let may_name = |line: &[u8]| may_name(output, line);
    let pick = |from_end, filter| Pick { from_end, filter };
    let ends = [
        pick(true, &is_outer as &dyn Fn(&[u8]) -> bool),
        pick(false, &is_outer),
    ];
    let tries: [&[Pick<'_>]; 4] = [
        &[ends[0], ends[1], pick(true, &may_name)],
        &[pick(false, &is_changed), pick(true, &may_name)],
        &[pick(false, &is_warning)],
        &[pick(true, &|_| true)],
    ];
    let has_outer = !picked(output, &ends).is_empty();
    let tries = tries.iter().skip(usize::from(!has_outer));
    tries
        .map(|picks| picked(output, picks))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Returns the first line of the output that is not empty.
pub(super) fn first_line<'a>(output: &PlainOutput<'a>) -> Option<FailureLine<'a>> {
    let first = Pick {
        from_end: false,
        filter: &|_| true,
    };
    picked(output, &[first]).into_iter().next()
}

/// Returns the lines that are picked, without repetitions.
fn picked<'a>(output: &PlainOutput<'a>, picks: &[Pick<'_>]) -> Vec<FailureLine<'a>> {
    let mut found: Vec<FailureLine<'a>> = Vec::new();
    for pick in picks {
        for line in output.streams.iter().filter_map(|stream| pick.line(stream)) {
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    found
}

/// Returns whether a line may name the failure: it is not noise, and depends on the failure.
fn may_name(output: &PlainOutput<'_>, line: &[u8]) -> bool {
    !is_noise(line) && !output.is_common(line)
}

impl Pick<'_> {
    /// Returns the first or last line of the stream that is not empty and passes the filter.
    fn line<'a>(&self, stream: &PlainStream<'a>) -> Option<FailureLine<'a>> {
        let mut start = 0;
        let mut found = None;
        for line in stream.text().split(|byte| *byte == b'\n') {
            let end = start + line.len();
            if !line.trim_ascii().is_empty() && (self.filter)(line) {
                found = Some(start..end);
                if !self.from_end {
                    break;
                }
            }
            start = end + 1;
        }
        found.map(|range| stream.line(range))
    }
}

/// Returns the line around an offset, without its line break.
fn whole_line(text: &[u8], offset: usize) -> &[u8] {
    &text[line_start(text, offset)..line_end(text, offset)]
}
