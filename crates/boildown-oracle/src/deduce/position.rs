//! The position in the source of the program at which a run failed, as the output states it.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::plain_output::{PlainOutput, line_start};
use super::{detail, failure_line, stack_trace};
use crate::Run;

/// A position in the source of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePosition {
    /// The path of the file, as it was printed.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, if it was printed.
    pub column: Option<u32>,
}

impl SourcePosition {
    /// Returns the position in the program's source at which a run failed: that of the function
    /// that failed, in the stack trace, or else one that the message of the crash states. `None`
    /// when neither names a file. Positions in the input, which has this name, are none, and a
    /// message that states several positions names that of the program last.
    #[must_use]
    pub fn of_run(run: &Run, input: &OsStr) -> Option<Self> {
        let is_own = |position: &Self| Path::new(&position.file).file_name() != Some(input);
        let output = PlainOutput::of_run(run);
        let crash = failure_line::find_crash(&output).map(|(_, line)| line);
        let message = crash.map(|line| detail::cause(&output, &line).unwrap_or(line));
        if let Some([frame, below]) = stack_trace::own_lines(&output, message.as_ref()) {
            let found = Self::in_line(&frame).last();
            let found = found.or_else(|| Self::below_frame(&below));
            if let Some(position) = found.filter(&is_own) {
                return Some(position);
            }
        }
        let message = message?;
        let text = message.stream.of_run(run);
        let start = line_start(text, message.offset.min(text.len()));
        let line = text[start..].split(|byte| *byte == b'\n').next()?;
        let line = String::from_utf8_lossy(line);
        Self::in_line(&line).filter(is_own).last()
    }

    /// Returns the position in the line below a frame that states none, if it is about the frame.
    fn below_frame(line: &str) -> Option<Self> {
        let indented = line.strip_prefix([' ', '\t'])?.trim_start();
        let place = indented.strip_prefix("at ").unwrap_or(indented);
        let path = place.split(' ').next()?;
        Self::in_line(path).next()
    }

    fn in_line(line: &str) -> impl Iterator<Item = Self> {
        static POSITION: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r#"(?x)
                File\ "(?<quoted>[^"]+)",\ line\ (?<after>\d+)
                |(?<file>[^\s:()'"`]*\.\w{1,5}):(?<line>\d+)(?::(?<column>\d+))?"#,
            )
            .expect("a test compiles it")
        });
        POSITION.captures_iter(line).filter_map(|found| {
            let file = found.name("quoted").or(found.name("file"))?.as_str();
            let number = found.name("after").or(found.name("line"))?.as_str();
            let column = found.name("column");
            Some(Self {
                file: file.to_owned(),
                line: number.parse().ok().filter(|line| *line > 0)?,
                column: column.and_then(|column| column.as_str().parse().ok()),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    #[track_caller]
    fn check(stderr: &str, expected: Option<(&str, u32, Option<u32>)>) {
        let run = Run::ended(Outcome::Exited(1), stderr);
        let found = SourcePosition::of_run(&run, OsStr::new("in.txt"));
        let found = found.map(|found| (found.file, found.line, found.column));
        let expected = expected.map(|(file, line, column)| (file.to_owned(), line, column));
        assert_eq!(found, expected, "{stderr}");
    }

    #[test]
    fn the_position_is_that_of_the_function_that_failed() {
        check(
            "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n    \
             #0 0x4 in __asan_memcpy (/x/a.out+0x4)\n    \
             #1 0x5 in parse_list /src/parse.c:12:7\n    #2 0x6 in main /src/main.c:3\n",
            Some(("/src/parse.c", 12, Some(7))),
        );
        check(
            "Traceback (most recent call last):\n  File \"run.py\", line 3, in <module>\n    f()\n  \
             File \"lib/p.py\", line 41, in f\n    x[1]\nIndexError: list index out of range\n",
            Some(("lib/p.py", 41, None)),
        );
    }

    #[test]
    fn a_position_in_the_library_of_the_language_is_passed_over() {
        check(
            "Exception in thread \"main\" java.lang.NumberFormatException: For input string: \"a\"\n\tat \
             java.base/java.lang.Integer.parseInt(Integer.java:652)\n\tat \
             app.Load.width(Load.java:7)\n\tat app.Load.main(Load.java:3)\n",
            Some(("Load.java", 7, None)),
        );
    }

    #[test]
    fn the_message_states_the_position_when_no_trace_was_printed() {
        check(
            "ccom: a.c:31: emit: Assertion `n > 0' failed.\n",
            Some(("a.c", 31, None)),
        );
        check(
            "thread 'main' panicked at src/lib.rs:4:9:\nboom\n",
            Some(("src/lib.rs", 4, Some(9))),
        );
    }

    #[test]
    fn a_position_below_its_frame_is_found_and_one_in_the_input_is_none() {
        check(
            "panic: runtime error: index out of range [0] with length 0\n\ngoroutine 1 [running]:\n\
             main.parse(...)\n\t/src/p.go:14\nmain.main()\n\t/src/main.go:9 +0x1d\nexit status 2\n",
            Some(("/src/p.go", 14, None)),
        );
        check(
            "thread 'main' panicked at src/lib.rs:14:9:\nboom\nstack backtrace:\n   \
             0: rust_begin_unwind\n   1: app::parse\n             at ./src/lib.rs:14:9\n   \
             2: app::main\n",
            Some(("./src/lib.rs", 14, Some(9))),
        );
        let of_input = |line: &str| {
            let run = Run::ended(Outcome::Exited(4), line);
            let found = SourcePosition::of_run(&run, OsStr::new("x.c"));
            found.map(|found| (found.file, found.line))
        };
        let own = "x.c:3:1: internal compiler error: in expand_expr, at expr.cc:1234\n";
        assert_eq!(of_input(own), Some(("expr.cc".to_owned(), 1234)));
        let none = "/tmp/x.c:3:1: internal compiler error: Segmentation fault\n";
        assert_eq!(of_input(none), None);
    }

    #[test]
    fn an_output_without_a_position_has_none() {
        check("Segmentation fault\n", None);
        check("", None);
    }
}
