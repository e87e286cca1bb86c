//! The top frames of a printed stack trace, as an expression that finds them again.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::plain_output::{
    FailureLine, PlainOutput, PlainStream, Stream, compile, line_end, line_start,
};

/// A format of stack traces.
struct TraceFormat {
    /// A frame: the group is the name of the function.
    frame: &'static str,
    /// A frame in a deduced expression; `{number}` and `{name}` are filled in.
    written: &'static str,
    order: FrameOrder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameOrder {
    /// The function that failed is first. Frames are numbered, so other lines may come between.
    Numbered,
    /// The function that failed is first. The number of lines between frames is fixed.
    FailedFirst,
    /// The function that failed is last. Lines of source code may come between.
    FailedLast,
}

use FrameOrder::{FailedFirst, FailedLast, Numbered};

#[rustfmt::skip]
const TRACE_FORMATS: &[TraceFormat] = &[
    // Sanitizers, debuggers, LLVM; Rust; Valgrind; Python; Java, JavaScript, C#; Go; Ruby; Julia;
    // Zig; GCC.
    TraceFormat { frame: r"^[ \t]*#(?<number>\d+):?[ \t]+(?:0x[0-9a-fA-F]+[ \t]+)?(?:in[ \t]+)?(?<name>[A-Za-z_~][^\s(]*)", written: r"^\s*#{number}\b.*\b{name}", order: Numbered },
    TraceFormat { frame: r"^ +(?<number>\d+): (?:0x[0-9a-f]+ - )?(?<name>[A-Za-z_<][\w:<>]*)", written: r"^ +{number}: .*\b{name}", order: Numbered },
    TraceFormat { frame: r"^==\d+== +(?:at|by) 0x[0-9A-F]+: (?<name>[^\s(]+)", written: r"^==\d+== +(at|by) .*: {name}", order: FailedFirst },
    TraceFormat { frame: r#"^  File ".*", line \d+, in (?<name>.+)$"#, written: r"^  File .*, in {name}$", order: FailedLast },
    TraceFormat { frame: r"^[ \t]+at (?:async )?(?:new )?(?<name>[\w.$<>]+)[ (]", written: r"^\s+at (async |new )*{name}[ (]", order: FailedFirst },
    TraceFormat { frame: r"^(?<name>[A-Za-z_][\w./-]*\.[\w.*()-]*\w)\(.*\)$", written: r"^{name}\(", order: FailedFirst },
    TraceFormat { frame: r"^\s*(?:from )?\S+:\d+:in [`'](?<name>[^']+)'", written: r"^\s*(from )?\S+:\d+:in [`']{name}'", order: FailedFirst },
    TraceFormat { frame: r"^(?<name>[A-Za-z_]\w*!?) at \S+:\d+$", written: r"^{name} at ", order: FailedFirst },
    TraceFormat { frame: r"^\S+:\d+:\d+: 0x[0-9a-f]+ in (?<name>[^\s(]+)", written: r"^\S+: 0x[0-9a-f]+ in {name}\b", order: FailedFirst },
    TraceFormat { frame: r"^0x[0-9a-fA-F]+ (?:in )?(?<name>[A-Za-z_~][\w:~]*)", written: r"^0x[0-9a-fA-F]+ (in )?{name}\b", order: FailedFirst },
];

/// Functions that only report a failure: the C library, signal handlers, printing of the stack; and
/// names that carry no information.
static REPORTING_FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?-u)^(?:__|_start$|_exit|abort$|raise$|gsignal$|malloc|free$|calloc|realloc|operator$|mem\w+$|str\w+$|pthread_|std::|core::|rust_|runtime\.|panic$|llvm::sys::|llvm::report_|llvm::llvm_unreachable|SignalHandler|crash_signal|internal_error|fancy_abort|diagnostic_|<)",
    )
});

/// A frame of a printed stack trace.
struct Frame {
    lines: Range<usize>,
    number: usize,
    name: String,
}

static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let frames = TRACE_FORMATS.iter().map(|format| compile(format.frame));
    frames.collect()
});

/// Returns an expression that matches an output with the same functions at the top of its stack
/// trace, and the stream that it is for. `None` when no stack trace was printed.
///
/// Functions that only report the failure are not counted. Fewer frames are used when fewer were
/// printed.
pub(super) fn top_frames(output: &PlainOutput<'_>, count: usize) -> Option<(Stream, String)> {
    let formats = TRACE_FORMATS.iter().zip(COMPILED.iter());
    formats.into_iter().find_map(|(format, frame)| {
        output.streams.iter().find_map(|stream| {
            let frames = format.first_trace(stream, frame);
            let chosen = format.chosen(&frames, count);
            let expression = format.expression(stream.text(), &frames, chosen)?;
            Some((stream.stream, expression))
        })
    })
}

/// Returns an expression for the top frame in the program's own code, of the stack trace that
/// belongs to a message, and the stream that it is for. If that frame is in the input, the
/// expression has the file in place of the function, whose name may change as the input does;
/// `None` where the number of the frame is not printed.
pub(super) fn top_place(
    output: &PlainOutput<'_>,
    message: &FailureLine<'_>,
    input_name: &str,
) -> Option<(Stream, String)> {
    own_frame(output, Some(message), |format, stream, frames, top| {
        let is_in_input = stream.line_text(top).contains(input_name);
        let expression = match (is_in_input, format.order) {
            (false, _) => format.expression(stream.text(), frames, vec![top])?,
            (true, Numbered) => format!(r"^\s*#?{}\b.*{}", top.number, regex::escape(input_name)),
            (true, FailedFirst | FailedLast) => return None,
        };
        Some((stream.stream, expression))
    })
}

/// Returns the function of the top frame in the program's own code, of the stack trace that belongs
/// to a message; where all frames are of the language's library, that of the first one.
pub(super) fn failing_function(
    output: &PlainOutput<'_>,
    message: &FailureLine<'_>,
) -> Option<String> {
    own_frame(output, Some(message), |_, _, _, top| Some(top.name.clone()))
}

/// Returns what a function makes of the top frame in the program's own code.
fn own_frame<T>(
    output: &PlainOutput<'_>,
    message: Option<&FailureLine<'_>>,
    make: impl Fn(&TraceFormat, &PlainStream<'_>, &[Frame], &Frame) -> Option<T>,
) -> Option<T> {
    let formats = TRACE_FORMATS.iter().zip(COMPILED.iter());
    formats.into_iter().find_map(|(format, frame)| {
        output.streams.iter().find_map(|stream| {
            let all = 0..stream.text().len();
            let part = message.map_or(all, |message| format.part(stream, message));
            let frames = format.trace_in(stream, frame, part);
            let chosen = format.chosen(&frames, frames.len());
            let own = (chosen.iter()).find(|frame| !is_of_library(&stream.line_text(frame)));
            make(format, stream, &frames, own.or(chosen.first())?)
        })
    })
}

/// Returns the line of the top frame in the program's own code, of the stack trace that belongs to
/// a message if there is one, and the line after it, in which some traces have the position.
pub(super) fn own_lines(
    output: &PlainOutput<'_>,
    message: Option<&FailureLine<'_>>,
) -> Option<[String; 2]> {
    own_frame(output, message, |_, stream, _, top| {
        let (before, rest) = stream.text().split_at(top.lines.end);
        let mut rest = rest.split(|byte| *byte == b'\n');
        let next = match before.ends_with(b"\n") {
            true => rest.next(),
            false => rest.nth(1),
        };
        let next = String::from_utf8_lossy(next.unwrap_or_default());
        Some([stream.line_text(top), next].map(Cow::into_owned))
    })
}

/// Returns the names of the functions at the top of the stack trace, the one that failed first,
/// without those that only report the failure.
pub(super) fn top_functions(output: &PlainOutput<'_>, count: usize) -> Vec<String> {
    let formats = TRACE_FORMATS.iter().zip(COMPILED.iter());
    let found = formats.into_iter().find_map(|(format, frame)| {
        output.streams.iter().find_map(|stream| {
            let frames = format.first_trace(stream, frame);
            let chosen = format.chosen(&frames, count);
            let names = chosen.iter().map(|frame| frame.name.clone());
            (!chosen.is_empty()).then(|| names.collect())
        })
    });
    found.unwrap_or_default()
}

impl TraceFormat {
    /// Returns the frames that identify the failure, the one that failed first.
    fn chosen<'a>(&self, frames: &'a [Frame], count: usize) -> Vec<&'a Frame> {
        let mut chosen: Vec<&Frame> = match self.order {
            Numbered | FailedFirst => frames.iter().collect(),
            FailedLast => frames.iter().rev().collect(),
        };
        chosen.retain(|frame| !only_reports_failure(frame.name.as_bytes()));
        chosen.truncate(count);
        chosen
    }

    /// Returns the part of a stream with the stack trace of a message, which is printed after it
    /// unless the function that failed is last.
    fn part(&self, stream: &PlainStream<'_>, message: &FailureLine<'_>) -> Range<usize> {
        let all = 0..stream.text().len();
        let offset = stream.plain_range(message).start;
        match self.order {
            FailedFirst if stream.stream == message.stream => {
                line_start(stream.text(), offset)..all.end
            }
            FailedLast if stream.stream == message.stream => 0..offset,
            Numbered | FailedFirst | FailedLast => all,
        }
    }

    /// Returns the frames of the first stack trace, or, when the failing function is last, of the
    /// last one.
    fn first_trace(&self, stream: &PlainStream<'_>, frame: &Regex) -> Vec<Frame> {
        self.trace_in(stream, frame, 0..stream.text().len())
    }

    /// Returns what [`first_trace`](Self::first_trace) returns, of a part of a stream.
    fn trace_in(&self, stream: &PlainStream<'_>, frame: &Regex, part: Range<usize>) -> Vec<Frame> {
        let text = &stream.text()[..part.end];
        let mut frames: Vec<Frame> = Vec::new();
        let found = frame.captures_iter(text);
        for found in found.filter(|found| found.get_match().start() >= part.start) {
            let name = String::from_utf8_lossy(&found["name"]).into_owned();
            let digits = found.name("number").map(|digits| digits.as_bytes());
            let number = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
            let number = number.unwrap_or(0);
            let start = found.get_match().start();
            let between = frames
                .last()
                .map_or(&b""[..], |last| &text[last.lines.end.min(start)..start]);
            let begins_anew = match self.order {
                Numbered => frames.last().is_some_and(|last| last.number >= number),
                FailedFirst => between.windows(2).any(|pair| pair == b"\n\n"),
                FailedLast => has_outer_line(between),
            };
            if begins_anew && self.order == FailedLast {
                frames.clear();
            } else if begins_anew {
                break;
            }
            let end = line_end(text, found.get_match().end());
            frames.push(Frame {
                lines: start..end,
                number,
                name,
            });
        }
        frames
    }

    /// Returns an expression for these frames, the one that failed first.
    fn expression(&self, text: &[u8], frames: &[Frame], mut chosen: Vec<&Frame>) -> Option<String> {
        let is_last =
            |frame: &&Frame| frames.last().map(|last| last.lines.end) == Some(frame.lines.end);
        let ends_trace = chosen.first().is_some_and(is_last);
        if self.order == FailedLast {
            chosen.reverse();
        }
        let first = chosen.first()?;
        let mut expression = match self.order {
            FailedFirst => anchor(text, frames, first),
            Numbered | FailedLast => String::new(),
        };
        for (index, frame) in chosen.iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                let between = &text[chosen[before].lines.end..frame.lines.start];
                expression += &match self.order {
                    Numbered => r".*\n(?:.*\n)*?".to_owned(),
                    FailedLast => r"\n(  [ \[].*\n)*".to_owned(),
                    FailedFirst => format!(r".*\n(?:.*\n){{{}}}", line_breaks(between) - 1),
                };
            }
            let written = self.written_frame(frame);
            // Inside the expression, a line break is before it.
            expression += match expression.is_empty() {
                true => &written,
                false => written.strip_prefix('^').unwrap_or(&written),
            };
        }
        if self.order == FailedLast {
            expression += match ends_trace {
                true => r"\n(  [ \[].*\n)*\S",
                false => r"\n(  .*\n)*\S",
            };
        }
        Some(expression.replace(r"(?:.*\n){0}", ""))
    }

    fn written_frame(&self, frame: &Frame) -> String {
        let mut name = regex::escape(&frame.name);
        // Only `written` may anchor the name at the end of a line.
        if self.order == Numbered && frame.name.ends_with(|last: char| last.is_alphanumeric()) {
            name += r"\b";
        }
        self.written
            .replace("{number}", &frame.number.to_string())
            .replace("{name}", &name)
    }
}

impl PlainStream<'_> {
    /// Returns the line of a frame.
    fn line_text(&self, frame: &Frame) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text()[frame.lines.clone()])
    }
}

/// Returns whether a function only reports a failure that another one found.
fn only_reports_failure(name: &[u8]) -> bool {
    REPORTING_FUNCTION.is_match(name)
}

/// What the line of a frame has that names a function of the language's library or runtime, or of a
/// framework that calls the program.
#[rustfmt::skip]
const LIBRARIES: &[&str] = &[
    // Python, Ruby, C++, Rust, Zig, Dart.
    r"/lib/python[\d.]+/|<frozen ", r"<internal:|/usr/lib/ruby/", r"/include/c\+\+/|/sysdeps/", r": <?alloc::", r"/lib/zig/", r"\(dart:",
    // Java, Kotlin, Scala; C#; JavaScript.
    r"^\s+at (?:java\.base/|(?:java|javax|jakarta|jdk|sun|kotlin|scala\.(?:runtime|collection|util)|org\.springframework)\.)", r"^\s+at (?:System|Microsoft)\.", r"[( ]node:|\(<anonymous>\)",
];

/// Returns whether the line of a frame names a function of a library.
fn is_of_library(line: &str) -> bool {
    static LIBRARY: LazyLock<Regex> = LazyLock::new(|| compile(&LIBRARIES.join("|")));
    LIBRARY.is_match(line.as_bytes()) && !line.contains("-packages/")
}

/// Returns an expression for what is above the first chosen frame: the line before the stack trace,
/// and the frames that only report the failure.
fn anchor(text: &[u8], frames: &[Frame], first: &Frame) -> String {
    let top = frames.first().map_or(0, |frame| frame.lines.start);
    let above = text[..top].strip_suffix(b"\n").unwrap_or_default();
    let line = &above[line_start(above, above.len())..];
    let message = match line.trim_ascii_start() {
        _ if line.first().is_some_and(|first| *first > b' ') => r"\S",
        cause if cause.starts_with(b"[cause]: ") => r" *\[cause\]: ",
        cause if cause.starts_with(b"---> ") => " *---> ",
        _ => return String::new(),
    };
    let between = line_breaks(&text[top..first.lines.start]);
    format!(r"^{message}.*\n(?:.*\n){{{between}}}")
}

/// Returns whether a line begins without white space, so that a stack trace ended.
fn has_outer_line(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| {
        line.first()
            .is_some_and(|first| !first.is_ascii_whitespace())
    })
}

fn line_breaks(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}
