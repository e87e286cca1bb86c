//! Properties deduced from the outputs of real tools, in the folder `tests/outputs`.
//!
//! `regenerate.py` in that folder runs a tool again and says what the files contain.

use std::path::Path;
use std::time::Duration;

use boildown_oracle::{Deduction, Expectation, Outcome, Property, Run, Verdict, deduce};

/// The share of outputs of which the deduced lines are the expected ones. Raise it with the corpus.
const PRECISION: f64 = 0.97;

/// The same for the tools of which no output was looked at when the rules were written.
const HELD_OUT_PRECISION: f64 = 0.93;

/// What a tool printed, and the lines that name the failure.
struct ToolOutput {
    name: String,
    run: Run,
    expected: Vec<ExpectedLine>,
}

/// A line that the deduced property has to name.
struct ExpectedLine {
    is_stderr: bool,
    text: String,
}

/// The outputs for which rules may be written.
fn corpus() -> Vec<ToolOutput> {
    outputs_in("tests/outputs")
}

/// The outputs that only measure. One that led to a rule moves to the others.
fn held_out() -> Vec<ToolOutput> {
    outputs_in("tests/outputs/held-out")
}

fn outputs_in(folder: &str) -> Vec<ToolOutput> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut outputs = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            outputs.push(ToolOutput::parse(
                name,
                &std::fs::read_to_string(&path).unwrap(),
            ));
        }
    }
    outputs.sort_by(|one, other| one.name.cmp(&other.name));
    outputs
}

impl ToolOutput {
    fn parse(name: String, text: &str) -> Self {
        let section = |title: &str| {
            let begin = text
                .find(&format!("#### {title}"))
                .unwrap_or_else(|| panic!("{name} has no section {title}"));
            let body = &text[begin + "#### ".len() + title.len()..];
            let end = body.find("\n#### ").map_or(body.len(), |end| end + 1);
            body[..end].to_owned()
        };
        let exit = section("exit");
        let code = exit.trim().parse().unwrap();
        let run = Run {
            outcome: Outcome::Exited(code),
            stdout: section("stdout").as_bytes()[1..].to_vec(),
            stderr: section("stderr").as_bytes()[1..].to_vec(),
            took: Duration::ZERO,
        };
        let expected = section("expected");
        let expected = expected
            .trim_start()
            .lines()
            .map(|line| {
                let (stream, text) = line.split_once(": ").unwrap();
                ExpectedLine {
                    is_stderr: stream == "stderr",
                    text: text.to_owned(),
                }
            })
            .collect();
        Self {
            name,
            run,
            expected,
        }
    }

    /// The tool's name: the first word of the file's name.
    fn tool(&self) -> &str {
        self.name.split('-').next().unwrap()
    }

    /// Returns whether the property names exactly the expected lines.
    fn is_named_by(&self, property: &Property) -> bool {
        let [_, named @ ..] = property.expectations() else {
            return false;
        };
        named.len() == self.expected.len()
            && named
                .iter()
                .zip(&self.expected)
                .all(|(named, expected)| expected.is_matched_by(named, &self.run))
    }
}

impl ExpectedLine {
    /// Returns whether the expectation matches the output at this line, and nowhere before.
    fn is_matched_by(&self, expectation: &Expectation, run: &Run) -> bool {
        let (output, pattern) = match (self.is_stderr, expectation) {
            (true, Expectation::Stderr(pattern)) => (&run.stderr, pattern),
            (false, Expectation::Stdout(pattern)) => (&run.stdout, pattern),
            _ => return false,
        };
        let output = without_escapes(&String::from_utf8_lossy(output));
        let regex = regex::bytes::RegexBuilder::new(pattern.as_str())
            .multi_line(true)
            .build()
            .unwrap();
        regex.find_iter(output.as_bytes()).any(|found| {
            let start = output[..found.start()].rfind('\n').map_or(0, |at| at + 1);
            let end = output[found.end()..]
                .find('\n')
                .map_or(output.len(), |at| found.end() + at);
            output[start..end].contains(&self.text)
        })
    }
}

fn without_escapes(output: &str) -> String {
    let escape = regex::Regex::new("\x1b\\[[0-9;]*m").unwrap();
    escape.replace_all(output, "").into_owned()
}

/// Returns the share of the outputs of which the deduced lines are the expected ones, and prints
/// it with the others.
#[expect(clippy::print_stdout, reason = "the figures are what the test shows")]
fn precision(title: &str, corpus: &[ToolOutput]) -> f64 {
    let mut right = 0;
    let mut offered = 0;
    for output in corpus {
        let deduction = Deduction::of_run(&output.run).expect("the run failed");
        let is_right = output.is_named_by(deduction.property());
        let is_offered = deduction
            .alternatives()
            .iter()
            .any(|property| output.is_named_by(property));
        right += u32::from(is_right);
        offered += u32::from(is_right || is_offered);
        if !is_right {
            let expected: Vec<&str> = output.expected.iter().map(|line| &*line.text).collect();
            println!(
                "{}: {}\n    instead of {expected:?}, offered: {is_offered}",
                output.name,
                deduction.property().flags()
            );
        }
    }
    let (tools, outputs) = (tools(corpus), corpus.len());
    let precision = f64::from(right) / outputs as f64;
    println!(
        "{title}: {right} of {outputs} outputs of {tools} tools right ({precision:.3}), \
         {offered} right or offered"
    );
    precision
}

fn tools(corpus: &[ToolOutput]) -> usize {
    let tools: std::collections::BTreeSet<&str> = corpus.iter().map(ToolOutput::tool).collect();
    tools.len()
}

#[test]
fn the_deduced_lines_are_those_that_name_the_failure() {
    assert!(precision("seen", &corpus()) >= PRECISION);
}

#[test]
fn the_deduced_lines_of_tools_that_were_held_out_are_those_that_name_the_failure() {
    assert!(precision("held out", &held_out()) >= HELD_OUT_PRECISION);
}

/// Returns the output of another run that fails in the same way: on another machine, in another
/// directory, at other lines.
fn moved(output: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(output.to_vec()).unwrap();
    let text = text.replace("/home/me/work", "/dev/shm/other/000000000017");
    let replacements = [
        (r"0x[0-9a-fA-F]{4,}", "0x7ffd12345678"),
        (r"(:)\d+\b", "${1}7421"),
        (r"(\bline )\d+", "${1}388"),
        (r"==\d+==", "==99=="),
        (r"/tmp/cc\w+\.o", "/tmp/ccAbCdEf.o"),
        (r"\(\d+ ms\)", "(3141 ms)"),
        (r"\(\d+\.\d+ms\)", "(3141.5ms)"),
    ];
    let mut text = text;
    for (expression, replacement) in replacements {
        let regex = regex::Regex::new(expression).unwrap();
        text = regex.replace_all(&text, replacement).into_owned();
    }
    text.into_bytes()
}

#[test]
fn the_same_failure_elsewhere_has_the_deduced_property() {
    for output in corpus() {
        let property = deduce(&output.run).unwrap();
        assert_eq!(property.verdict(&output.run), Verdict::Interesting);
        let elsewhere = Run {
            stdout: moved(&output.run.stdout),
            stderr: moved(&output.run.stderr),
            ..output.run
        };
        assert_eq!(
            property.verdict(&elsewhere),
            Verdict::Interesting,
            "{}: {}",
            output.name,
            property.flags()
        );
    }
}

#[test]
fn another_failure_of_the_same_tool_does_not_have_the_deduced_property() {
    let corpus = corpus();
    for one in &corpus {
        let property = deduce(&one.run).unwrap();
        for other in &corpus {
            let differs = one.name != other.name && one.tool() == other.tool();
            if differs && property.verdict(&other.run) == Verdict::Interesting {
                panic!(
                    "{} passes for {}: {}",
                    other.name,
                    one.name,
                    property.flags()
                );
            }
        }
    }
}
