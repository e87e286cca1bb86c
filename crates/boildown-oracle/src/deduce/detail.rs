//! The line that says more than the one that names a failure: the innermost cause of an exception,
//! or the message below a line that only announces it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::failure_line::PYTHON_TRACEBACK;
use super::noise::{is_consequence, is_noise};
use super::plain_output::{FailureLine, PlainOutput, PlainStream, compile, line_end};

/// Causes that are printed after what they caused; the group is the message.
#[rustfmt::skip]
const CAUSES: &[&str] = &[
    // A numbered list, of which the last item is the innermost cause.
    r"^(?i:caused by):[ \t]*\n(?:[ \t].*\n)*[ \t]+\d+: (\S.*)",
    // A message on the same line, or on the next one.
    r"^ *(?i:caused by)\b[^:\n]*:(?:[ \t]*\n[ \t!]+|[ \t]+)(\S.*)",
    // Arrows, but those of further causes of the same exception; properties of an error; a second
    // exception without a word between.
    r"^ *---> ([^(\s].*)",
    r"^ *\[cause\]: (\S.*)",
    // The first of the errors of a group.
    r"^ *\[errors\]: \[\n +(\S.*)",
    r"^[ |]*\+-\+-+ 1 -+\n(?: *\|.*\n)*? *\| (\S.*)\n *\+--",
    r"^\S+:\d+:in [`'][^'\n]*': (.+ \([\w:]+\))$",
    // PHP prints the cause first.
    r"^Next (\S+: .+?) in \S+:\d+$",
];

/// The lines between two tracebacks of Python of which the first one is the cause.
const PYTHON_LINK: &str = r"^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$";

/// Lines between a message and its stack trace that still belong to it, at most.
const MAX_REMARKS: usize = 8;

/// Lines with an excerpt of the input below a message, of which the last one is where it failed.
const MAX_EXCERPT: usize = 5;

/// Returns the line that says more about a failure than the line that names it.
pub(super) fn detail<'a>(
    output: &PlainOutput<'a>,
    named: &FailureLine<'a>,
) -> Option<FailureLine<'a>> {
    cause(output, named).or_else(|| {
        let stream = output.stream(named.stream);
        let range = announced(stream, &stream.plain_range(named))?;
        chosen(output, named, stream.line(range))
    })
}

/// Returns the innermost cause of the exception that a line names.
pub(super) fn cause<'a>(
    output: &PlainOutput<'a>,
    named: &FailureLine<'a>,
) -> Option<FailureLine<'a>> {
    let stream = output.stream(named.stream);
    let range = stream.plain_range(named);
    let cause = cause_before(stream.text(), range.start)
        .or_else(|| cause_after(stream.text(), range.end))?;
    chosen(output, named, stream.line(cause))
}

/// Returns the line if it says something else about the failure than the line that names it.
fn chosen<'a>(
    output: &PlainOutput<'a>,
    named: &FailureLine<'a>,
    line: FailureLine<'a>,
) -> Option<FailureLine<'a>> {
    let says_nothing = is_consequence(line.text)
        || output.is_common(line.text)
        || named.text.ends_with(line.text)
        || !line.text.iter().any(u8::is_ascii_alphabetic);
    (!says_nothing).then_some(line)
}

/// Returns the message of the first of the tracebacks of Python that lead to the exception whose
/// message is at this offset.
fn cause_before(text: &[u8], offset: usize) -> Option<Range<usize>> {
    static TRACEBACK: LazyLock<Regex> = LazyLock::new(|| compile(PYTHON_TRACEBACK));
    static LINK: LazyLock<Regex> = LazyLock::new(|| compile(PYTHON_LINK));
    let mut first = 0..0;
    let mut last = 0;
    for found in TRACEBACK.captures_iter(text) {
        let message = found.get(1)?.range();
        let is_linked = LINK.is_match(&text[last..found.get_match().start()]);
        if message.start >= offset {
            return (is_linked && message.start == offset).then_some(first);
        }
        if !is_linked {
            first = message.clone();
        }
        last = message.end;
    }
    None
}

/// Returns the message of the innermost cause that is printed after a message that ends at this
/// offset, with nothing between but stack frames and what else belongs to the exception.
fn cause_after(text: &[u8], offset: usize) -> Option<Range<usize>> {
    static CAUSE: LazyLock<Regex> = LazyLock::new(|| compile(&format!("(?:{})", CAUSES.join("|"))));
    // The first line of each cause.
    static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"^(?: *(?i:caused by)\b[^:\n]*:| *--->|  *\[(?:cause|errors)\]: |[ |]*\+-\+-|\S+:\d+:in [`'][^'\n]*': .+\)|Next \S+: )",
        )
    });
    let start = line_end(text, offset);
    let mut end = start;
    let (mut remarks, mut is_in_trace, mut is_after_blank) = (0, false, false);
    let mut next = start + 1;
    while next < text.len() {
        let line = &text[next..line_end(text, next)];
        let is_inner = line.first().is_some_and(|first| b" \t}#".contains(first));
        next += line.len() + 1;
        if line.trim_ascii().is_empty() {
            is_after_blank = true;
            continue;
        } else if BEGINS.is_match(line) {
            (remarks, is_in_trace) = (0, false);
        } else if is_after_blank || (!is_inner && (is_in_trace || remarks == MAX_REMARKS)) {
            break;
        } else {
            is_in_trace |= is_inner;
            remarks += usize::from(!is_inner);
        }
        is_after_blank = false;
        end = next.min(text.len());
    }
    let found = CAUSE.captures_iter(text.get(..end)?);
    let causes = found.filter(|found| found.get_match().start() > start);
    Some(causes.last()?.iter().skip(1).flatten().next()?.range())
}

/// Returns what a line announces: the next line, if the line says only that something failed, and
/// where, or names only the type of an error; the indented line below one that breaks off, or the
/// first one below one that counts errors; the error of OpenSSL's queue; the symbol that javac
/// names below its excerpt; the command at the end of an excerpt of the input, if the line is a
/// sentence of plain words.
fn announced(stream: &PlainStream<'_>, named: &Range<usize>) -> Option<Range<usize>> {
    static ONLY_TYPE: LazyLock<Regex> = LazyLock::new(|| {
        compile(r"^(?:.*: )?[\w:.$<]*(?:::|\.)\w*(?:Error|Exception|Failure|Panic|Fault)>*:?$")
    });
    static ONLY_FAILED: LazyLock<Regex> = LazyLock::new(|| {
        let words = "assertion|caught|error|exception|fail(?:ed|ure)|fatal|internal|uncaught|unexpected|unhandled";
        compile(&format!(
            r"^(?i:(?:\S+: )*(?:{words})(?: (?:{words}))*(?: (?:in|at) .+)?) ?:$"
        ))
    });
    static PLAIN_WORDS: LazyLock<Regex> =
        LazyLock::new(|| compile(r"^! [A-Z][a-z]*(?: [a-z]+)+\.$"));
    static EXCERPT: LazyLock<Regex> =
        LazyLock::new(|| compile(r"^l\.\d+ (?:.*[^\\\n])?(\\[A-Za-z@]+)$"));
    static BREAKS_OFF: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r#"(?:[\w'")\]]|’|”|»)(?::| (?:are|by|expected|for|from|in|is|of|than|to|type|was|with))$"#,
        )
    });
    // Several lines are a listing.
    static BELOW: LazyLock<Regex> =
        LazyLock::new(|| compile(r"\A\n(?:[ \t]*\n)?[ \t]+(\S.*)(?:\n?\z|\n[ \t]*\n|\n\S)"));
    // The first of several errors, below the field that has it.
    static SEVERAL: LazyLock<Regex> =
        LazyLock::new(|| compile(r"\b\d+ (?:\w+ )?(?:error|problem|violation)s?\b.* for \S+$"));
    static FIRST: LazyLock<Regex> =
        LazyLock::new(|| compile(r"\A\n(?:\S.*\n)?[ \t]+(\S.*?)(?: \[type=.*)?$"));
    // The symbol of javac, and the first error of OpenSSL's queue.
    static SYMBOL: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"\A\n.*\n *\^\n  (symbol: +\S.*)|\A\n[0-9A-F]{8,}:error:[0-9A-F]+:[^:\n]*:([^:\n]*:[^:\n]+)",
        )
    });
    let text = stream.text();
    let message = text[named.clone()].trim_ascii();
    let below = (line_end(text, named.end) + 1).min(text.len());
    if PLAIN_WORDS.is_match(message) {
        let mut end = below;
        for _ in 0..MAX_EXCERPT {
            end = (line_end(text, end) + 1).min(text.len());
        }
        let found = EXCERPT.captures_at(&text[..end], below)?;
        return Some(found.get(1)?.range());
    }
    if ONLY_FAILED.is_match(message) || ONLY_TYPE.is_match(message) {
        let line = below..line_end(text, below);
        return (!is_noise(&text[line.clone()])).then_some(line);
    }
    let below = if BREAKS_OFF.is_match(message) {
        &BELOW
    } else if SEVERAL.is_match(message) {
        &FIRST
    } else {
        &SYMBOL
    };
    let end = line_end(text, named.end);
    let found = below.captures(&text[end..])?;
    let found = found.iter().skip(1).flatten().next()?;
    (!is_noise(found.as_bytes())).then(|| end + found.start()..end + found.end())
}
