//! The output of a run without the escape sequences that colour it, and lines of it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::input_file::InputFile;
use super::varying::{Quoted, without_varying_parts};
use crate::{Expectation, Pattern, Run};

/// An output stream of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
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

    /// Returns the pattern that an expectation says this stream matches.
    pub(super) fn pattern(self, expectation: &Expectation) -> Option<&Pattern> {
        match (self, expectation) {
            (Self::Stdout, Expectation::Stdout(pattern))
            | (Self::Stderr, Expectation::Stderr(pattern)) => Some(pattern),
            _ => None,
        }
    }
}

/// A text of the output that identifies the failure: a line, a part of a line, or two lines of
/// which the second has the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FailureLine<'a> {
    pub(super) stream: Stream,
    /// The offset of `text` in the stream, in bytes.
    pub(super) offset: usize,
    pub(super) text: &'a [u8],
    /// The offset in `text` from which it is taken literally, such as the name of a test.
    pub(super) literal_from: usize,
    /// Whether `text` begins at the beginning of a line.
    pub(super) begins_line: bool,
    /// Whether `text` ends at the end of a line.
    pub(super) ends_line: bool,
}

impl FailureLine<'_> {
    /// Returns whether the two texts have a byte in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.stream == other.stream
            && self.offset < other.offset + other.text.len()
            && other.offset < self.offset + self.text.len()
    }
}

/// Both streams of a run as a terminal shows them, without colours. Messages are searched in them.
pub(super) struct PlainOutput<'a> {
    /// Standard error is searched first.
    pub(super) streams: [PlainStream<'a>; 2],
    /// Lines that name nothing, because other runs show that they do not depend on the failure.
    common: HashSet<String>,
}

impl<'a> PlainOutput<'a> {
    pub(super) fn of_run(run: &'a Run) -> Self {
        let streams = [Stream::Stderr, Stream::Stdout];
        Self {
            streams: streams.map(|stream| PlainStream::new(stream, stream.of_run(run))),
            common: HashSet::new(),
        }
    }

    /// Returns this output, in which these lines name nothing.
    pub(super) fn without(self, common: HashSet<String>) -> Self {
        Self { common, ..self }
    }

    /// Returns a stream of the run.
    pub(super) fn stream(&self, stream: Stream) -> &PlainStream<'a> {
        match stream {
            Stream::Stderr => &self.streams[0],
            Stream::Stdout => &self.streams[1],
        }
    }

    /// Returns whether other runs show that a line does not depend on the failure.
    pub(super) fn is_common(&self, line: &[u8]) -> bool {
        !self.common.is_empty() && self.common.contains(&normalised(line))
    }
}

/// Returns the lines of a run as they are compared with those of other runs.
pub(super) fn normalised_lines(run: &Run) -> HashSet<String> {
    let output = PlainOutput::of_run(run);
    let lines = output.streams.iter().flat_map(PlainStream::lines);
    let lines = lines.map(normalised);
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns the lines of a run that only show a command: one of the input, or one that ninja shows
/// again when it fails.
pub(super) fn echoed_lines(run: &Run, input: &InputFile<'_>) -> HashSet<String> {
    static STEP: LazyLock<Regex> = LazyLock::new(|| compile(r"^\[\d+/\d+\] (.+)$"));
    static SHOWN: LazyLock<Regex> = LazyLock::new(|| compile(r"^(?:\++ |\$ |> )?[ \t]*(.*)"));
    let output = PlainOutput::of_run(run);
    let steps = output
        .streams
        .iter()
        .flat_map(|stream| STEP.captures_iter(stream.text()));
    let steps = steps.filter_map(|step| Some(step.get(1)?.as_bytes()));
    let mut commands = input.shown_commands();
    commands.extend(steps);
    let lines = output.streams.iter().flat_map(PlainStream::lines);
    let is_echo = |line: &&[u8]| {
        let shown = SHOWN.captures(line).and_then(|found| found.get(1));
        shown.is_some_and(|shown| commands.contains(shown.as_bytes().trim_ascii()))
    };
    lines.filter(is_echo).map(normalised).collect()
}

/// Returns a line as it is compared with those of other runs.
fn normalised(line: &[u8]) -> String {
    without_varying_parts(line.trim_ascii(), Quoted::Kept)
}

/// A stream without colours, which knows where each of its bytes is in the original.
pub(super) struct PlainStream<'a> {
    pub(super) stream: Stream,
    original: &'a [u8],
    text: Cow<'a, [u8]>,
    /// The offset in the original of each byte of `text`. Empty when nothing was left out.
    offsets: Vec<usize>,
}

/// An escape sequence of a terminal.
pub(super) static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\x1b\[[0-9;:?]*[A-Za-z]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)")
        .expect("a test compiles it")
});

/// A text that what follows it in its line overwrites, such as a state of a progress bar.
static OVERWRITTEN: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?-u)[^\r\n]\r+(?:\x1b\[[0-9;]*[A-Za-z])*[^\r\n\x1b]"));

/// Returns the offsets without those of texts in a line before a carriage return, unless nothing
/// follows it.
fn lines_as_shown(offsets: &[usize], original: &[u8]) -> Vec<usize> {
    let mut shown = Vec::new();
    for line in offsets.split_inclusive(|&offset| original[offset] == b'\n') {
        let is_return = |offset: &&usize| matches!(original[**offset], b'\r' | b'\n');
        let end = line.len() - line.iter().rev().take_while(is_return).count();
        let start = line[..end]
            .iter()
            .rposition(|&offset| original[offset] == b'\r');
        shown.extend(&line[start.map_or(0, |start| start + 1)..]);
    }
    shown
}

/// Returns the end of the line at an offset, without its line break.
pub(super) fn line_end(text: &[u8], offset: usize) -> usize {
    let after = text[offset..].iter().position(|byte| *byte == b'\n');
    after.map_or(text.len(), |length| offset + length)
}

/// Returns the start of the line at an offset.
pub(super) fn line_start(text: &[u8], offset: usize) -> usize {
    let before = text[..offset].iter().rposition(|byte| *byte == b'\n');
    before.map_or(0, |line_break| line_break + 1)
}

/// Compiles an expression in which `^` and `$` match at lines.
pub(super) fn compile(expression: &str) -> Regex {
    // Without Unicode, because output may contain any bytes.
    RegexBuilder::new(expression)
        .multi_line(true)
        .unicode(false)
        .build()
        .expect("a test compiles it")
}

impl<'a> PlainStream<'a> {
    fn new(stream: Stream, original: &'a [u8]) -> Self {
        let is_overwritten = OVERWRITTEN.is_match(original);
        if !is_overwritten && !ESCAPE.is_match(original) {
            return Self {
                stream,
                original,
                text: Cow::Borrowed(original),
                offsets: Vec::new(),
            };
        }
        let mut offsets = Vec::new();
        let mut done = 0;
        for escape in ESCAPE.find_iter(original) {
            offsets.extend(done..escape.start());
            done = escape.end();
        }
        offsets.extend(done..original.len());
        if is_overwritten {
            offsets = lines_as_shown(&offsets, original);
        }
        let text = offsets.iter().map(|&offset| original[offset]).collect();
        Self {
            stream,
            original,
            text: Cow::Owned(text),
            offsets,
        }
    }

    /// Returns the lines of the stream, without colours.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split(|byte| *byte == b'\n')
    }

    /// Returns the stream without colours.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the range of the text, without white space around it, as a part of the original.
    pub(super) fn line(&self, range: Range<usize>) -> FailureLine<'a> {
        self.line_with_name(range.clone(), range.end)
    }

    /// Returns the range of the text, in which a name that is taken literally begins at an offset.
    pub(super) fn line_with_name(&self, range: Range<usize>, name: usize) -> FailureLine<'a> {
        let text = &self.text[range.clone()];
        let start = range.end - text.trim_ascii_start().len();
        let end = start + self.text[start..range.end].trim_ascii_end().len();
        let (from, to) = (self.offset(start, end), self.end_offset(start, end));
        FailureLine {
            stream: self.stream,
            offset: from,
            text: &self.original[from..to],
            literal_from: self.end_offset(start, name.clamp(start, end)) - from,
            begins_line: from == 0 || self.original[from - 1] == b'\n',
            ends_line: to == self.original.len() || self.original[to] == b'\n',
        }
    }

    /// Returns the range of the text that is this part of the original.
    pub(super) fn plain_range(&self, line: &FailureLine<'_>) -> Range<usize> {
        let plain = |offset: usize| match self.offsets.is_empty() {
            true => offset,
            false => self.offsets.partition_point(|&before| before < offset),
        };
        plain(line.offset)..plain(line.offset + line.text.len())
    }

    /// Returns the start in the original of a range of the text.
    fn offset(&self, start: usize, end: usize) -> usize {
        match self.offsets.get(start) {
            _ if self.offsets.is_empty() => start,
            Some(&offset) if start < end => offset,
            _ => self.end_offset(start, end),
        }
    }

    /// Returns the end in the original of a range of the text.
    fn end_offset(&self, start: usize, end: usize) -> usize {
        match (self.offsets.is_empty(), end) {
            (true, _) => end,
            (false, 0) => 0,
            (false, _) if start == end => self
                .offsets
                .get(end)
                .copied()
                .unwrap_or(self.original.len()),
            (false, _) => self.offsets[end - 1] + 1,
        }
    }
}
