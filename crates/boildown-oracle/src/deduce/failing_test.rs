//! The test that failed, as test runners report it, and its message.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::failure_line::find_in;
use super::plain_output::{FailureLine, PlainOutput, PlainStream, compile};
use crate::Outcome;

/// A test that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailingTest<'a> {
    /// The text that names the test and says that it failed.
    pub(super) id: FailureLine<'a>,
    /// Why it failed.
    pub(super) message: Option<FailureLine<'a>>,
}

/// The part of an output that is about one test.
pub(super) struct Section<'a> {
    pub(super) text: &'a [u8],
    /// Whether its messages are on lines that begin with an E; the others are source code.
    pub(super) is_marked: bool,
}

/// How a test runner reports failing tests.
struct TestRunner {
    /// A report. The group `id` is the text that is preserved; from the group `name` on, it is
    /// literal.
    id: &'static str,
    message: Message,
}

/// Where the message of a failing test is.
enum Message {
    /// After the id, before the next match of an expression: the first of these patterns that
    /// matches, else a message of the table of failures.
    After(&'static str, &'static [&'static str]),
    /// Before the id, after the last match of an expression before it.
    Before(&'static str, &'static [&'static str]),
    /// On a line that pytest marks with an E.
    Pytest,
}

use Message::{After, Before, Pytest};

#[rustfmt::skip]
const TEST_RUNNERS: &[TestRunner] = &[
    // pytest: the summary, or the heading of a test where there is no summary.
    TestRunner { id: r"^(?<id>FAILED (?<name>\S+\.py(?:::.+?)?))(?: - .*)?$", message: Pytest },
    TestRunner { id: r"^(?<id>ERROR (?<name>\S+\.py(?:::.+?)?))(?: - .*)?$", message: Pytest },
    TestRunner { id: r"^(?<id>_{3,} (?<name>(?:ERROR (?:collecting|at setup of|at teardown of) )?[Tt]est\S*) _{3,})$", message: Pytest },
    // unittest, doctest.
    TestRunner { id: r"^(?<id>(?:FAIL|ERROR): (?<name>\w+ \(.+\).*))\n(?:.*\n)?-{20,}$", message: After(r"^={20,}$|^-{20,}\n+Ran ", &[]) },
    TestRunner { id: r#"^(?<id>File ".*", line \d+, in (?<name>\S+))\nFailed example:$"#, message: After(r"^\*{20,}$", &[r"^    ((?:\w+\.)*\w*(?:Error|Exception): .+)$", r"^(Expected(?: nothing|:))$"]) },
    // cargo test, cargo nextest.
    TestRunner { id: r"^(?<id>---- (?<name>\S.*) stdout ----)$", message: After(r"^---- .* ----$|^failures:$", &[]) },
    TestRunner { id: r"^ +(?<id>(?:FAIL|SIG[A-Z]+|TIMEOUT) \[[^\]]*\](?: \([^)]*\))? +(?<name>\S+ \S+))$", message: After(r"^ +(?:PASS|FAIL|SIG[A-Z]+|TIMEOUT) \[", &[]) },
    // go test: of nested tests the innermost.
    TestRunner { id: r"^(?:[ \t]*--- FAIL: .*\n)*[ \t]*(?<id>--- FAIL: (?<name>\S+))", message: After(r"^\s*--- |^FAIL\b|^ok\b", &[r"^\s*(panic: .+?)(?: \[recovered\].*)?$", r"^\s+(\S+\.go:\d+: \S.*)$", r"^\s+(Error: .+)$"]) },
    // Jest, Vitest.
    TestRunner { id: r"^ *(?<id>● (?<name>\S.*))$", message: After(r"^ *● |^Test Suites: ", &[r"^ +(\S.*)$"]) },
    TestRunner { id: r"^ *(?<id>FAIL +(?<name>\S.* > .+))$", message: After(r"^ *FAIL ", &[r"^(\S.*)$"]) },
    // node --test.
    TestRunner { id: r"^ *(?<id>✖ (?<name>.+?)) \(\d[\d.]*ms\)$", message: After(r"^ *(?:✖|✔) ", &[r"^ +(\S.*)$"]) },
    // Test Anything Protocol, without failures that are expected.
    TestRunner { id: r"^ *(?<id>not ok \d+(?: -)? (?<name>[^#\n]*[^#\s]))(?: *# time=.*)?$", message: After(r"^ *(?:not )?ok ", &[r"^ +error: [|>]-\n *(\S.*)$", r#"^ +error: ['"]?(.+?)['"]?$"#]) },
    // AVA, whose reports are below the list of all tests; busted.
    TestRunner { id: r"^ *(?<id>✘ \[fail\]: (?<name>\S.*?))(?: \(\d[\d.]*m?s\))?$", message: After(r"^ *\d+ tests? failed", &[r"^  ((?:Difference|Error thrown|Value|Expected|Function|Promise|Called)\b.*:)$"]) },
    TestRunner { id: r"^(?<id>(?:Failure|Error) (?:→|->) \S+ @ \d+\n(?<name>.+))$", message: After(r"^(?:Failure|Error) (?:→|->) ", &[r"^\S+:\d+: (.+)$", r"^(\S.*)$"]) },
    // ctest.
    TestRunner { id: r"^The following tests FAILED:\n\s*(?<id>\d+ - (?<name>.+ \(.+\)))", message: Before(r"\*\*\*(?:Failed|Exception|Timeout)", &[]) },
    // Surefire, Gradle, JUnit's console.
    TestRunner { id: r"^(?:\[ERROR\] )?(?<id>(?<name>[\w$]+(?:\.[\w$\[\]]+)+|\w+\([\w.$]+\)))\b.*<<< (?:FAILURE|ERROR)!$", message: After(r"<<< |^\[INFO\]", &[r"^(\S.*)$"]) },
    TestRunner { id: r"^(?<id>(?<name>\S.* > .+) FAILED)$", message: After(r"^\S", &[r"^ +(\S.*)$"]) },
    TestRunner { id: r"^ *(?<id>(?:JUnit \w+:)(?<name>\S+))$", message: After(r"^$", &[r"=> (.+)$"]) },
    // GoogleTest.
    TestRunner { id: r"^(?<id>\[  FAILED  \] (?<name>[\w./]+))(?:,.*| \(\d+ ms\))$", message: Before(r"^\[ RUN      \]", &[r": Failure\n(.+)$"]) },
    // Minitest.
    TestRunner { id: r"^ *\d+\) (?<id>(?:Failure|Error):\n(?<name>\S+#\w+:?))", message: After(r"^ *\d+\) |^\d+ runs, ", &[r"(?: \[.*\]:)?\n(.+)$"]) },
    // RSpec, Mocha, ExUnit, PHPUnit, JUnit 4: a numbered list.
    TestRunner { id: r"^ *(?<id>1\) (?<name>\S.*))$", message: After(r"^ *2\) |^\S.*:$", &[r"^ *Failure/Error: (.+)$", r"^ +(Assertion with .+ failed)$", r"^ +(\*\* \(.+)$", r"^ *(\S*(?:Error|Exception|Failure)\S*(?: \[\w+\])?: .+)$", r"^ *(Failed asserting .+)$"]) },
];

struct CompiledRunner {
    id: Regex,
    message: CompiledMessage,
}

enum CompiledMessage {
    After(Regex, Vec<Regex>),
    Before(Regex, Vec<Regex>),
    Pytest,
}

static COMPILED: LazyLock<Vec<CompiledRunner>> = LazyLock::new(|| {
    let all = |patterns: &[&str]| patterns.iter().copied().map(compile).collect();
    let runner = |runner: &TestRunner| CompiledRunner {
        id: compile(runner.id),
        message: match runner.message {
            After(end, patterns) => CompiledMessage::After(compile(end), all(patterns)),
            Before(start, patterns) => CompiledMessage::Before(compile(start), all(patterns)),
            Pytest => CompiledMessage::Pytest,
        },
    };
    TEST_RUNNERS.iter().map(runner).collect()
});

/// A line of pytest with a message.
static PYTEST_MESSAGE: LazyLock<Regex> = LazyLock::new(|| compile(r"^E +(\S.*)$"));

/// The message in the summary of pytest.
static PYTEST_SUMMARY: LazyLock<Regex> = LazyLock::new(|| compile(r" - (.+?)(?:\.\.\.)?$"));

/// Returns the first test that failed, if a test runner reported one.
pub(super) fn first_failing_test<'a>(output: &PlainOutput<'a>) -> Option<FailingTest<'a>> {
    COMPILED.iter().find_map(|runner| {
        output
            .streams
            .iter()
            .find_map(|stream| runner.first_failing_test(stream))
    })
}

/// Returns whether the exit code of a run is the number of failed tests, errors or problems that
/// its output states, or that of its lines with an error. It then changes when another one goes.
pub(super) fn counts_failures(output: &PlainOutput<'_>, outcome: Outcome) -> bool {
    static COUNT: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"(?i)(?:^|[\s(])(\d+) (?:failing|failed|failures?|errors?|issues?|problems?|warnings?)\b",
        )
    });
    static ERROR: LazyLock<Regex> = LazyLock::new(|| compile(r"(?i)^.*\berror\b"));
    let Outcome::Exited(code @ 2..) = outcome else {
        return false;
    };
    let streams = output.streams.iter();
    let errors: usize = streams
        .map(|stream| ERROR.find_iter(stream.text()).count())
        .sum();
    if errors > 2 && i32::try_from(errors) == Ok(code) {
        return true;
    }
    let code = code.to_string();
    output.streams.iter().any(|stream| {
        let mut counts = COUNT.captures_iter(stream.text());
        counts.any(|found| {
            found
                .get(1)
                .is_some_and(|it| it.as_bytes() == code.as_bytes())
        })
    })
}

/// Returns the part of the output about the first test that failed, if a test runner reported one
/// and it says why. A list of the tests, as Mocha prints it while they run, says nothing about
/// them.
pub(super) fn first_section<'a>(output: &'a PlainOutput<'_>) -> Option<Section<'a>> {
    COMPILED.iter().find_map(|runner| {
        let mut streams = output.streams.iter();
        streams.find_map(|stream| {
            let mut reports = runner.id.captures_iter(stream.text());
            reports.find_map(|found| {
                let name = found.name("name")?.as_bytes();
                let report = found.get_match().range();
                let text = &stream.text()[runner.message.part(stream, name, report)?];
                let is_marked = matches!(runner.message, CompiledMessage::Pytest);
                let section = Section { text, is_marked };
                text.iter()
                    .any(u8::is_ascii_alphanumeric)
                    .then_some(section)
            })
        })
    })
}

/// Returns the texts that name the tests that failed, the first one first, each once.
pub(super) fn failing_tests<'a>(output: &PlainOutput<'a>) -> Vec<FailureLine<'a>> {
    let of_runner = |runner: &CompiledRunner| {
        let mut streams = output.streams.iter();
        streams.find_map(|stream| {
            let mut tests: Vec<FailureLine<'a>> = Vec::new();
            for found in runner.id.captures_iter(stream.text()) {
                let (id, name) = (found.name("id")?.range(), found.name("name")?.start());
                let number = stream.text()[id.start..name].first().copied();
                let test = stream.line_with_name(id, name);
                // A number is that of one test, in whatever list.
                let is_known = tests.iter().any(|other| other.text == test.text)
                    || number.is_some_and(|it| it.is_ascii_digit()) && !tests.is_empty();
                if !is_known {
                    tests.push(test);
                }
            }
            (!tests.is_empty()).then_some(tests)
        })
    };
    COMPILED.iter().find_map(of_runner).unwrap_or_default()
}

impl CompiledRunner {
    /// Returns the first test, with the message of the first report of it that has one: Mocha lists
    /// the tests while they run, and says later why they failed.
    fn first_failing_test<'a>(&self, stream: &PlainStream<'a>) -> Option<FailingTest<'a>> {
        let mut first: Option<FailureLine<'a>> = None;
        for found in self.id.captures_iter(stream.text()) {
            let (range, name) = (found.name("id")?.range(), found.name("name")?.start());
            let id = stream.line_with_name(range.clone(), name);
            let first = *first.get_or_insert(id);
            let is_numbered = id.text.first().is_some_and(u8::is_ascii_digit);
            if !is_numbered && first.text != id.text {
                continue;
            }
            let message = self.message.find(stream, &range, found.get_match().range());
            if message.is_some() {
                return Some(FailingTest { id: first, message });
            }
        }
        first.map(|id| FailingTest { id, message: None })
    }
}

impl CompiledMessage {
    fn find<'a>(
        &self,
        stream: &PlainStream<'a>,
        id: &Range<usize>,
        report: Range<usize>,
    ) -> Option<FailureLine<'a>> {
        let text = stream.text();
        let patterns = match self {
            Self::Pytest => return pytest_message(stream, id.end),
            Self::After(_, patterns) | Self::Before(_, patterns) => patterns,
        };
        let part = self.part(stream, b"", report)?;
        let found = patterns.iter().find_map(|pattern| {
            let found = pattern.captures_at(&text[..part.end], part.start)?;
            Some(stream.line(found.get(1)?.range()))
        });
        found.or_else(|| patterns.is_empty().then(|| find_in(stream, part))?)
    }
}

impl CompiledMessage {
    /// Returns the part of the stream that says why a test failed. `report` is that which names it.
    fn part(
        &self,
        stream: &PlainStream<'_>,
        name: &[u8],
        report: Range<usize>,
    ) -> Option<Range<usize>> {
        let text = stream.text();
        match self {
            Self::Pytest => pytest_section(text, name),
            Self::After(end, _) => {
                let end = end.find_at(text, report.end.min(text.len()));
                Some(report.end..end.map_or(text.len(), |end| end.start()))
            }
            Self::Before(start, _) => {
                let start = start.find_iter(&text[..report.start]).last()?;
                Some(start.end()..report.start)
            }
        }
    }
}

/// Returns the part of pytest's output about a test, which has a heading with its name.
fn pytest_section(text: &[u8], name: &[u8]) -> Option<Range<usize>> {
    static HEADING: LazyLock<Regex> = LazyLock::new(|| compile(r"^_{3,} (.+) _{3,}$"));
    static END: LazyLock<Regex> = LazyLock::new(|| compile(r"^_{3,} .+ _{3,}$|^={3,} "));
    let name = String::from_utf8_lossy(name);
    let name = name.split_once("::").map_or(&*name, |(_, test)| test);
    let name = name.replace("::", ".");
    let heading = HEADING.captures_iter(text).find(|found| {
        let heading = found.get(1).map(|heading| heading.as_bytes());
        heading.is_some_and(|heading| heading.ends_with(name.as_bytes()))
    })?;
    let start = heading.get_match().end();
    let end = END.find_at(text, start).map(|end| end.start());
    Some(start..end.unwrap_or(text.len()))
}

/// Returns the message of a test of pytest: the first line marked with an E that agrees with the
/// summary, else the first one of all.
fn pytest_message<'a>(stream: &PlainStream<'a>, id_end: usize) -> Option<FailureLine<'a>> {
    let text = stream.text();
    let summary = PYTEST_SUMMARY
        .captures_at(text, id_end)
        .filter(|found| found.get_match().start() == id_end)
        .and_then(|found| Some(found.get(1)?.as_bytes()));
    let mut first = None;
    for found in PYTEST_MESSAGE.captures_iter(text) {
        let message = found.get(1)?;
        if summary.is_some_and(|summary| message.as_bytes().starts_with(summary)) {
            return Some(stream.line(found.get_match().range()));
        }
        first = first.or(Some(found.get_match().range()));
    }
    first.map(|range| stream.line(range))
}
