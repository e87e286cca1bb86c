//! The lines of the input that the output of a run reports.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::named_failures;
use super::plain_output::{PlainOutput, line_end, line_start};
use crate::Run;

/// An output that reports more lines says nothing about what is needed.
const MAX_LINES: usize = 32;

/// An output with more positions is a listing.
const MAX_POSITIONS: usize = 1000;

/// A file and a line in it.
static POSITION: LazyLock<Regex> = LazyLock::new(|| {
    let expression = r#"(?x-u)
        (?<file><?[^\s:()\[\]'"`,<>=]+>?)
        (?:["'`],?\x20line\x20|[,:]\x20line\x20|(?<bare>\x20line\x20)|:|\()
        (?<line>[0-9]{1,9})\b"#;
    Regex::new(expression).expect("a test compiles it")
});

/// A line of a file that is not named.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\bline[ :=#]{1,2}(?<line>[0-9]{1,9})\b").expect("a test compiles it")
});

/// What says in the output of a preprocessor where the next line is from.
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    let expression =
        r#"(?-u)^[ \t]*#[ \t]*(?:line[ \t]+)?(?<line>[0-9]{1,9})[ \t]+"(?<file>[^"]*)""#;
    Regex::new(expression).expect("a test compiles it")
});

/// What programs call an input that they read from standard input.
const STANDARD_INPUT: [&str; 4] = ["-", "<stdin>", "stdin", "<standard input>"];

/// Returns the sets of lines of the input, as ranges of its bytes without line breaks, that the
/// output of a run on it reports: all of them, and those in the message that names the failure if
/// they are fewer. `name` is that of the file that the command read.
///
/// Lines of an input that a preprocessor wrote are those of the files that its markers name. Where
/// no position is in the input, `line 3` in that message is a line of it.
#[must_use]
pub fn reported_lines(run: &Run, name: &str, input: &[u8]) -> Vec<Vec<Range<usize>>> {
    let output = PlainOutput::of_run(run);
    let named = named_failures(&output);
    let message = named.lines.first().and_then(|lines| lines.first());
    let message = message.map_or(&b""[..], |line| {
        let stream = output.stream(line.stream);
        let range = stream.plain_range(line);
        let text = stream.text();
        &text[line_start(text, range.start)..line_end(text, range.end)]
    });
    let find = |reported: Reported| find(&reported, name, input);
    let texts = output.streams.iter().map(|stream| stream.text());
    let positions_of_all: Reported = texts.clone().flat_map(positions).collect();
    let is_silent = positions_of_all.is_empty();
    let mut all = find(positions_of_all);
    let mut of_message = find(positions(message).collect());
    if all.is_empty() {
        of_message = find(lines_without_file(message).collect());
        all = match is_silent {
            true => find(texts.flat_map(lines_without_file).collect()),
            false => of_message.clone(),
        };
    }
    let mut sets = vec![all, of_message];
    sets.dedup();
    sets.retain(|lines| (1..=MAX_LINES).contains(&lines.len()));
    sets
}

/// Files and lines, from 1. A file without a name is the input.
type Reported = BTreeSet<(String, usize)>;

fn positions(text: &[u8]) -> impl Iterator<Item = (String, usize)> {
    let found = POSITION.captures_iter(text);
    // `at a.pl line 3`, but not `at line 3`.
    let found = found.filter(|found| found.name("bare").is_none() || found["file"].contains(&b'.'));
    found.filter_map(|found| {
        let file = String::from_utf8_lossy(&found["file"]).into_owned();
        Some((file, number(&found["line"])?))
    })
}

fn lines_without_file(text: &[u8]) -> impl Iterator<Item = (String, usize)> {
    let found = LINE.captures_iter(text);
    found.filter_map(|found| Some((String::new(), number(&found["line"])?)))
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns the lines of the input that are meant, ascending.
fn find(reported: &Reported, name: &str, input: &[u8]) -> Vec<Range<usize>> {
    if !(1..=MAX_POSITIONS).contains(&reported.len()) {
        return Vec::new();
    }
    let is_input = |file: &str| {
        file.is_empty()
            || STANDARD_INPUT.contains(&file)
            || Path::new(file).file_name().is_some_and(|file| file == name)
    };
    let mut files: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (file, line) in reported {
        files.entry(*line).or_default().push(file);
    }
    let in_line = |line: usize| files.get(&line).into_iter().flatten();
    let (mut lines, mut marked) = (Vec::new(), Vec::new());
    let mut origin: Option<(String, usize)> = None;
    let mut start = 0;
    for (index, line) in input.split(|byte| *byte == b'\n').enumerate() {
        let range = start..start + line.len();
        start = range.end + 1;
        if let Some(marker) = MARKER.captures(line) {
            let file = String::from_utf8_lossy(&marker["file"]).into_owned();
            origin = number(&marker["line"]).map(|line| (file, line));
            continue;
        }
        if in_line(index + 1).any(|file| is_input(file)) {
            lines.push(range.clone());
        }
        if let Some((file, line)) = &mut origin {
            if in_line(*line).any(|other| is_same(other, file)) {
                marked.push(range);
            }
            *line += 1;
        }
    }
    if marked.is_empty() { lines } else { marked }
}

/// Returns whether two paths may be of the same file: one of them is the end of the other.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (Path::new(one), Path::new(other));
    one.file_name().is_some() && (one.ends_with(other) || other.ends_with(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    /// Returns the texts of the lines that a run on a file `in.c` reports.
    fn reported(stderr: &str, input: &str) -> Vec<Vec<String>> {
        let run = Run::ended(Outcome::Exited(1), stderr);
        let sets = reported_lines(&run, "in.c", input.as_bytes());
        let texts = |lines: Vec<Range<usize>>| lines.into_iter().map(|line| input[line].to_owned());
        sets.into_iter()
            .map(|lines| texts(lines).collect())
            .collect()
    }

    #[test]
    fn positions_in_the_file_are_lines_of_it() {
        let input = "one\ntwo\nthree\n";
        let gcc = "/tmp/x/in.c: In function 'f':\n/tmp/x/in.c:2:5: internal compiler error: in g, \
            at expr.cc:3\n0x1 g\n\t../src/expr.cc:1\n";
        assert_eq!(reported(gcc, input), [["two"]]);
        assert_eq!(
            reported("File \"in.c\", line 3, in f\nError: x", input),
            [["three"]]
        );
        assert_eq!(reported("in.c(1): error C1001", input), [["one"]]);
        assert_eq!(
            reported("/tmp/x/in.c: line 2: x: unbound variable", input),
            [["two"]]
        );
        assert_eq!(reported("expr.cc:3: assertion failed", input), [[""; 0]; 0]);
    }

    #[test]
    fn the_lines_of_the_message_are_a_set_of_their_own() {
        let output = "in.c:1:1: warning: unused variable 'x'\nin.c:3:1: error: 'y' undeclared\n";
        assert_eq!(
            reported(output, "one\ntwo\nthree\n"),
            [vec!["one", "three"], vec!["three"]]
        );
    }

    #[test]
    fn colours_hide_no_position() {
        let output = "in.c:1:1: warning: unused variable 'x'\n\u{1b}[01min.c:3:1:\u{1b}[m \u{1b}[31merror: \u{1b}[m'y' undeclared\n";
        assert_eq!(
            reported(output, "one\ntwo\nthree\n"),
            [vec!["one", "three"], vec!["three"]]
        );
    }

    #[test]
    fn a_line_without_a_file_is_one_of_the_input() {
        let input = "one\ntwo\n";
        assert_eq!(
            reported("parse error at line 2, column 7", input),
            [["two"]]
        );
        assert_eq!(reported("<stdin>:1:3: unexpected token", input), [["one"]]);
        let library =
            "  File \"lib.py\", line 1, in g\nJSONDecodeError: Expecting value: line 2 column 7";
        assert_eq!(reported(library, input), [["two"]]);
    }

    #[test]
    fn lines_of_a_preprocessed_file_are_where_its_markers_say() {
        let input = "# 1 \"in.c\"\n# 7 \"./a.h\" 1\nseven\neight\n# 2 \"in.c\" 2\ntwo\n";
        assert_eq!(reported("a.h:8:1: error: bad", input), [["eight"]]);
        assert_eq!(reported("in.c:2:1: error: bad", input), [["two"]]);
    }

    #[test]
    fn too_many_lines_say_nothing() {
        let input: String = (0..100).map(|line| format!("{line}\n")).collect();
        let output: String = (1..=40)
            .map(|line| format!("in.c:{line}: warning\n"))
            .collect();
        assert_eq!(reported(&output, &input), [["0"]], "the one that is named");
    }
}
