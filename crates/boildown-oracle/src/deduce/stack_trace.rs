//! The top frames of a printed stack trace, as an expression that finds them again.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::plain_output::{PlainOutput, PlainStream, Stream, compile};
use super::stack_frame::only_reports_failure;

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
    // Sanitizers, debuggers, LLVM; Rust; Valgrind; Python; Java, JavaScript, C#; Go; Ruby; Julia.
    TraceFormat { frame: r"^[ \t]*#(?<number>\d+):?[ \t]+(?:0x[0-9a-fA-F]+[ \t]+)?(?:in[ \t]+)?(?<name>[A-Za-z_~][^\s(]*)", written: r"^\s*#{number}\b.*\b{name}", order: Numbered },
    TraceFormat { frame: r"^ +(?<number>\d+): (?:0x[0-9a-f]+ - )?(?<name>[A-Za-z_<][\w:<>]*)", written: r"^ +{number}: .*\b{name}", order: Numbered },
    TraceFormat { frame: r"^==\d+== +(?:at|by) 0x[0-9A-F]+: (?<name>[^\s(]+)", written: r"^==\d+== +(at|by) .*: {name}", order: FailedFirst },
    TraceFormat { frame: r#"^  File ".*", line \d+, in (?<name>.+)$"#, written: r"^  File .*, in {name}$", order: FailedLast },
    TraceFormat { frame: r"^[ \t]+at (?:async )?(?:new )?(?<name>[\w.$<>]+)[ (]", written: r"^\s+at (async |new )*{name}[ (]", order: FailedFirst },
    TraceFormat { frame: r"^(?<name>[A-Za-z_][\w./-]*\.[\w.*()-]*\w)\(.*\)$", written: r"^{name}\(", order: FailedFirst },
    TraceFormat { frame: r"^\s*(?:from )?\S+:\d+:in [`'](?<name>[^']+)'", written: r"^\s*(from )?\S+:\d+:in [`']{name}'", order: FailedFirst },
    TraceFormat { frame: r"^(?<name>[A-Za-z_]\w*!?) at \S+:\d+$", written: r"^{name} at ", order: FailedFirst },
];

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

/// Returns an expression for the top frame of the stack trace in the program's own code, and the
/// stream that it is for. If that frame is in the input, the expression has the file in place of
/// the function, whose name may change as the input does; `None` where the number of the frame is
/// not printed.
pub(super) fn top_place(output: &PlainOutput<'_>, input_name: &str) -> Option<(Stream, String)> {
    let formats = TRACE_FORMATS.iter().zip(COMPILED.iter());
    formats.into_iter().find_map(|(format, frame)| {
        output.streams.iter().find_map(|stream| {
            let frames = format.first_trace(stream, frame);
            let line_of =
                |frame: &Frame| String::from_utf8_lossy(&stream.text()[frame.lines.clone()]);
            let chosen = format.chosen(&frames, frames.len());
            let own = chosen.iter().find(|frame| !is_of_library(&line_of(frame)));
            let top = *own.or(chosen.first())?;
            let expression = match (line_of(top).contains(input_name), format.order) {
                (false, _) => format.expression(stream.text(), &frames, vec![top])?,
                (true, Numbered) => {
                    format!(r"^\s*#?{}\b.*{}", top.number, regex::escape(input_name))
                }
                (true, FailedFirst | FailedLast) => return None,
            };
            Some((stream.stream, expression))
        })
    })
}

/// Returns the names of the functions at the top of the stack trace, the one that failed first.
pub(super) fn top_functions(output: &PlainOutput<'_>, count: usize) -> Vec<String> {
    top_frame_texts(output, count)
        .into_iter()
        .map(|frame| frame.function)
        .collect()
}

/// A frame at the top of a stack trace.
pub(super) struct FrameText {
    pub(super) function: String,
    /// The line of output.
    pub(super) line: String,
    /// The line after it, in which some traces have the position.
    pub(super) next_line: String,
}

/// Returns the frames at the top of the stack trace, the one that failed first, without those that
/// only report the failure.
pub(super) fn top_frame_texts(output: &PlainOutput<'_>, count: usize) -> Vec<FrameText> {
    let formats = TRACE_FORMATS.iter().zip(COMPILED.iter());
    let found = formats.into_iter().find_map(|(format, frame)| {
        output.streams.iter().find_map(|stream| {
            let frames = format.first_trace(stream, frame);
            let chosen = format.chosen(&frames, count);
            let text = |frame: &&Frame| {
                let (before, rest) = stream.text().split_at(frame.lines.end);
                let mut rest = rest.split(|byte| *byte == b'\n');
                let next_line = match before.ends_with(b"\n") {
                    true => rest.next(),
                    false => rest.nth(1),
                };
                FrameText {
                    function: frame.name.clone(),
                    line: String::from_utf8_lossy(&before[frame.lines.start..]).into_owned(),
                    next_line: String::from_utf8_lossy(next_line.unwrap_or_default()).into_owned(),
                }
            };
            (!chosen.is_empty()).then(|| chosen.iter().map(text).collect())
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

    /// Returns the frames of the first stack trace, or, when the failing function is last, of the
    /// last one.
    fn first_trace(&self, stream: &PlainStream<'_>, frame: &Regex) -> Vec<Frame> {
        let text = stream.text();
        let mut frames: Vec<Frame> = Vec::new();
        for found in frame.captures_iter(text) {
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

/// Returns whether the line of a frame names a function of the language's library or runtime.
fn is_of_library(line: &str) -> bool {
    static LIBRARY: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"/lib/python[\d.]+/|<frozen |^\s+at (?:java\.base/|(?:java|javax|jdk|sun)\.)|[( ]node:|\(<anonymous>\)|: <?alloc::|<internal:|/usr/lib/ruby/",
        )
    });
    LIBRARY.is_match(line.as_bytes()) && !line.contains("-packages/")
}

/// Returns an expression for what is above the first chosen frame: the line before the stack trace,
/// and the frames that only report the failure.
fn anchor(text: &[u8], frames: &[Frame], first: &Frame) -> String {
    let top = frames.first().map_or(0, |frame| frame.lines.start);
    let above = text[..top].strip_suffix(b"\n").unwrap_or_default();
    let line = above.rsplit(|byte| *byte == b'\n').next();
    let is_message = line.is_some_and(|line| line.first().is_some_and(|first| *first > b' '));
    match is_message {
        true => format!(
            r"^\S.*\n(?:.*\n){{{}}}",
            line_breaks(&text[top..first.lines.start])
        ),
        false => String::new(),
    }
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

fn line_end(text: &[u8], offset: usize) -> usize {
    let after = text[offset..].iter().position(|byte| *byte == b'\n');
    after.map_or(text.len(), |length| offset + length)
}
