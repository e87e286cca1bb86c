//! Reads what failed from the output of a run: a property of the first run, a signature of any run.

mod alike;
mod detail;
mod failing_test;
mod failure_line;
mod generalise;
mod input_file;
mod json_report;
mod noise;
mod other_runs;
mod plain_output;
mod position;
mod reported_errors;
mod reported_lines;
mod signature;
mod stack_trace;
mod symptom;
mod varying;

use std::num::NonZeroUsize;
use std::ops::Range;

use crate::{ExitSpec, Expectation, Outcome, Pattern, Property, Run};
use alike::OtherTexts;
use failure_line::FailureKind;
use generalise::{PositionRule, generalise};
pub use input_file::InputFile;
pub use other_runs::OtherRuns;
use plain_output::{FailureLine, PlainOutput, echoed_lines};
pub use position::SourcePosition;
pub use reported_errors::{errors_of_runs, is_of_kind};
pub use reported_lines::reported_lines;
pub use signature::Signature;
pub use symptom::Symptom;

/// The properties that a run shows, the most specific first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deduction {
    /// The property that most likely identifies the failure.
    first: Property,
    others: Vec<Property>,
    /// Whether the first property is a crash or a test that failed.
    is_certain: bool,
}

/// The number of properties of a deduction, at most.
const MAX_PROPERTIES: usize = 6;

impl Deduction {
    /// Returns the properties that the run shows: its exit status, and the line of output that
    /// names the failure.
    ///
    /// Of test runners that is the test that failed and its message; else a table of messages of
    /// compilers, sanitizers and language runtimes finds the line. If none of them was printed, the
    /// last line that is not a summary or a caret is taken. The parts of a line that differ between
    /// runs (addresses, numbers, directories) are generalised.
    ///
    /// # Guarantee
    /// The run has each of the properties. `None` when it exited with 0, timed out or exceeded a
    /// limit, because it shows no failure then.
    #[must_use]
    pub fn of_run(run: &Run) -> Option<Self> {
        Self::of_output(run, &PlainOutput::of_run(run), &InputFile::default(), &[])
    }

    /// Returns what [`of_run`](Self::of_run) returns, without lines that other runs show to name
    /// nothing: those that an input without the failure has too, and those that two runs on the
    /// same input do not have in common; nor do commands of the input that are shown before they
    /// are run. Other properties have to hold in the repeated runs. The name of a file is preserved
    /// if the input has it, and the line of a crash in a source of the program.
    #[must_use]
    pub fn on_input(run: &Run, input: &InputFile<'_>, others: &OtherRuns) -> Option<Self> {
        let mut common = others.common_lines(run);
        common.extend(echoed_lines(run, input));
        let output = PlainOutput::of_run(run).without(common);
        let repeated = others.repeated.iter();
        let alike: Vec<&Run> = repeated.filter(|it| it.outcome == run.outcome).collect();
        let mut deduction = Self::of_output(run, &output, input, &alike)?;
        let has = |property: &Property| {
            alike
                .iter()
                .all(|run| property.verdict(run).is_interesting())
        };
        deduction.others.retain(has);
        Some(deduction)
    }

    fn of_output(
        run: &Run,
        output: &PlainOutput<'_>,
        input: &InputFile<'_>,
        repeated: &[&Run],
    ) -> Option<Self> {
        if run.outcome == Outcome::Exited(0) {
            return None;
        }
        let exit = match failing_test::counts_failures(output, run.outcome) {
            true => ExitSpec::Nonzero,
            false => ExitSpec::of_outcome(run.outcome)?,
        };
        let exit = Expectation::Exit(exit);
        let mut properties: Vec<Property> = Vec::new();
        let named = named_failures(output);
        let is_certain = named.is_certain;
        // A crash is in the program. What is an error may be in a file that is made from the input.
        let rule = match named.is_crash {
            true => PositionRule::Literal,
            false => PositionRule::Open,
        };
        for lines in named.lines {
            let lines = (lines.iter()).filter_map(|line| {
                let varying = varying_words(line, run, repeated, input, rule);
                expectation(line, &varying, run, input, rule)
            });
            let property = Property::new(std::iter::once(exit.clone()).chain(lines).collect());
            if let Some(property) = property
                && property.expectations().len() > 1
                && !properties.contains(&property)
            {
                properties.push(property);
            }
        }
        if let Some(last) = properties.len().checked_sub(1).filter(|_| !is_certain) {
            // The first line of the output is the last one of these, and always offered.
            let last = properties.remove(last);
            properties.truncate(MAX_PROPERTIES - 1);
            properties.push(last);
        }
        properties.truncate(MAX_PROPERTIES);
        let mut others = properties.into_iter();
        let first = others.next().or_else(|| Property::new(vec![exit]))?;
        Some(Self {
            first,
            others: others.collect(),
            is_certain,
        })
    }

    /// Returns whether several lines may name the failure, so that other runs should be looked at
    /// too.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        !self.is_certain && !self.others.is_empty()
    }

    /// Returns the deduction with another most likely property, if the run is a crash whose stack
    /// trace was printed: the place of the crash has to stay the same too, or that of its innermost
    /// cause. That is the top frame in the code of the program; if it is in the input, only the
    /// file counts, not the function.
    #[must_use]
    pub fn with_place(mut self, run: &Run, input_name: &str) -> Self {
        let output = PlainOutput::of_run(run);
        let crash = failure_line::find_crash(&output).map(|(kind, line)| {
            let message = detail::cause(&output, &line).unwrap_or(line);
            (kind, message)
        });
        let crash = crash.filter(|(kind, message)| match kind {
            FailureKind::Memory | FailureKind::Signal | FailureKind::Internal => true,
            FailureKind::Exception | FailureKind::Panic => !noise::happens_anywhere(message.text),
            FailureKind::Assertion | FailureKind::Complaint | FailureKind::Mention => false,
        });
        let place =
            crash.and_then(|(_, message)| stack_trace::top_place(&output, &message, input_name));
        let placed = place.and_then(|(stream, pattern)| {
            let pattern: Pattern = pattern.parse().ok()?;
            let mut expectations = self.first.expectations().to_vec();
            let holds = pattern.matches(stream.of_run(run));
            expectations.push(stream.expectation(pattern));
            Property::new(expectations).filter(|_| holds)
        });
        if let Some(placed) = placed {
            let loose = std::mem::replace(&mut self.first, placed);
            self.others.insert(0, loose);
        }
        self
    }

    /// Returns the deduction with another expectation in each property: the functions of the top
    /// frames of the stack trace that the run printed, in this order. `None` when it printed none.
    #[must_use]
    pub fn with_frames(mut self, run: &Run, count: NonZeroUsize) -> Option<Self> {
        let (stream, pattern) = stack_trace::top_frames(&PlainOutput::of_run(run), count.get())?;
        let pattern: Pattern = pattern.parse().ok()?;
        if !pattern.matches(stream.of_run(run)) {
            return None;
        }
        for property in std::iter::once(&mut self.first).chain(&mut self.others) {
            let mut expectations = property.expectations().to_vec();
            expectations.push(stream.expectation(pattern.clone()));
            *property = Property::new(expectations)?;
        }
        Some(self)
    }

    /// Returns the property that most likely identifies the failure.
    #[must_use]
    pub fn property(&self) -> &Property {
        &self.first
    }

    /// Returns the most likely property that another run has too; the exit status, if the runs have
    /// no line in common. `None` when they ended differently.
    #[must_use]
    pub fn shared_with(&self, other: &Run) -> Option<Property> {
        let exit = self.first.expectations().first().cloned();
        let exit = Property::new(exit.into_iter().collect());
        let all = std::iter::once(&self.first).chain(&self.others).cloned();
        all.chain(exit)
            .find(|property| property.verdict(other).is_interesting())
    }

    /// Returns the other properties by which the failure may be identified, the most likely first.
    #[must_use]
    pub fn alternatives(&self) -> &[Property] {
        &self.others
    }
}

/// Returns the property that the run shows: the first one of [`Deduction::of_run`].
#[must_use]
pub fn deduce(run: &Run) -> Option<Property> {
    Deduction::of_run(run).map(|deduction| deduction.property().clone())
}

/// Returns whether the failure of a run is named by a line that the property describes, not only
/// mentioned: of several exceptions the last one names it, and what caused it does not. True for a
/// run that names none.
#[must_use]
pub fn is_named_by(property: &Property, run: &Run) -> bool {
    let output = PlainOutput::of_run(run);
    let named = named_failures(&output).lines.into_iter().next();
    // The name of a test and its message name it alike; below another line is its cause.
    let is_of_test = failing_test::first_failing_test(&output).is_some();
    named.is_none_or(|lines| {
        let naming = if is_of_test { lines.len() } else { 1 };
        lines.iter().take(naming).any(|line| {
            let expected = property.expectations().iter();
            expected
                .filter_map(|expectation| line.stream.pattern(expectation))
                .any(|pattern| pattern.matches(line.text))
        })
    })
}

/// Returns the functions at the top of the stack trace that the run printed, the one that failed
/// first, without those that only report the failure. At most `count`; none without a trace.
#[must_use]
pub fn top_functions(run: &Run, count: usize) -> Vec<String> {
    stack_trace::top_functions(&PlainOutput::of_run(run), count)
}

/// Returns for each test that failed, the first one first, the expectation that a report of it is
/// printed. Empty if no test runner reported one.
#[must_use]
pub fn failing_tests(run: &Run) -> Vec<Expectation> {
    let output = PlainOutput::of_run(run);
    let tests = failing_test::failing_tests(&output);
    tests
        .iter()
        .filter_map(|line| expectation(line, &[], run, &InputFile::default(), PositionRule::Open))
        .collect()
}

/// Returns the line that names the failure of a run, as it was printed, or what names it in that
/// line. `None` for a run that was cut short or printed nothing.
#[must_use]
pub fn failure_line(run: &Run) -> Option<String> {
    let output = PlainOutput::of_run(run);
    let lines = match run.outcome.is_cut_short() {
        true => None,
        false => named_failures(&output).lines.into_iter().next(),
    };
    let texts = lines?;
    let texts = texts.iter().map(|line| String::from_utf8_lossy(line.text));
    Some(texts.collect::<Vec<_>>().join(" ").trim().to_owned()).filter(|text| !text.is_empty())
}

/// The lines that identify a failure.
struct NamedFailures<'a> {
    /// Several ways to identify it, the most specific first; unless it is certain, the last one is
    /// the first line of the output.
    lines: Vec<Vec<FailureLine<'a>>>,
    /// Whether the first lines name a crash or a test that failed.
    is_certain: bool,
    /// Whether a crash is named.
    is_crash: bool,
}

fn named_failures<'a>(output: &PlainOutput<'a>) -> NamedFailures<'a> {
    let mut named = Vec::new();
    let mut chosen = Vec::new();
    if let Some(test) = failing_test::first_failing_test(output) {
        let lines = std::iter::once(test.id).chain(test.message);
        chosen.extend(lines);
        named.push(chosen.clone());
        named.extend(chosen.iter().map(|line| vec![*line]));
    }
    let known = failure_line::ranked(output);
    // A crash is named by its message, and a test by its report. An error message may be one of
    // several, of which the user saw another one.
    let is_crash =
        (known.iter()).any(|(kind, line)| kind.is_crash() && !noise::is_consequence(line.text));
    let is_certain = !named.is_empty() || is_crash;
    let of_kinds = |filter: fn(FailureKind) -> bool| {
        let known = known.iter().filter(move |(kind, _)| filter(*kind));
        known.map(|(_, line)| *line).collect::<Vec<_>>()
    };
    let mut lines = match is_certain {
        true => of_kinds(FailureKind::is_crash),
        false => [
            of_kinds(|kind| kind != FailureKind::Mention),
            failure_line::lines_with_words(output, &of_kinds(|kind| kind == FailureKind::Mention)),
            failure_line::outer_lines(output),
        ]
        .concat(),
    };
    let is_said = (known.iter()).any(|(kind, _)| *kind != FailureKind::Mention);
    if !is_certain && let Some(message) = json_report::message(output, is_said) {
        lines.insert(0, message);
    }
    // Last are lines that only say that another program failed, or that other runs have too.
    lines.sort_by_key(|line| {
        (
            output.is_common(line.text),
            noise::is_consequence(line.text),
        )
    });
    let first = match is_certain {
        true => None,
        false => failure_line::first_line(output),
    };
    let is_first = |line: &FailureLine<'_>| first.is_some_and(|first| first.overlaps(line));
    let chosen_first = lines.first().is_some_and(is_first);
    lines.extend(first.filter(|_| !chosen_first));
    for (number, line) in lines.iter().enumerate() {
        let is_repeated = chosen.iter().any(|other| other.overlaps(line));
        let comes_last = !chosen_first && is_first(line) && number + 1 < lines.len();
        if !is_repeated && !comes_last {
            chosen.push(*line);
            if let Some(detail) = detail::detail(output, line) {
                named.push(vec![*line, detail]);
                named.push(vec![*line]);
                chosen.push(detail);
                named.push(vec![detail]);
            } else {
                named.push(vec![*line]);
            }
        }
    }
    NamedFailures {
        lines: named,
        is_certain,
        is_crash,
    }
}

/// Returns the expectation that the output on this input has such a line, in which these words are
/// left open.
fn expectation(
    line: &FailureLine<'_>,
    varying: &[Range<usize>],
    run: &Run,
    input: &InputFile<'_>,
    rule: PositionRule,
) -> Option<Expectation> {
    let pattern: Pattern = generalise(line, varying, input, rule).parse().ok()?;
    // Without this check, an expectation could reject the input itself.
    pattern
        .matches(line.stream.of_run(run))
        .then(|| line.stream.expectation(pattern))
}

/// Returns the words of a text that other runs on the same input print differently, though they
/// print the rest of its lines: times, names that are drawn, what is left of another process.
fn varying_words(
    text: &FailureLine<'_>,
    run: &Run,
    repeated: &[&Run],
    input: &InputFile<'_>,
    rule: PositionRule,
) -> Vec<Range<usize>> {
    let own = text.stream.of_run(run);
    let (start, end) = (text.offset, text.offset + text.text.len());
    let lines = plain_output::line_start(own, start)..plain_output::line_end(own, end);
    let count = text.text.iter().filter(|byte| **byte == b'\n').count();
    let Ok(whole) = std::str::from_utf8(&own[lines.clone()]) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for other in repeated {
        let has = |expectation: Expectation| {
            Property::new(vec![expectation]).is_some_and(|it| it.verdict(other).is_interesting())
        };
        if expectation(text, &found, run, input, rule).is_none_or(has) {
            continue;
        }
        let printed = text.stream.of_run(other);
        let starts = printed
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(starts.map(|(offset, _)| offset + 1));
        let others = starts.filter_map(|start| {
            let mut end = plain_output::line_end(printed, start);
            for _ in 0..count {
                end = plain_output::line_end(printed, (end + 1).min(printed.len()));
            }
            std::str::from_utf8(&printed[start..end]).ok()
        });
        let words = OtherTexts::new(others).varying(whole).into_iter().flatten();
        let words = words.map(|word| word.start + lines.start..word.end + lines.start);
        let inside = words.filter(|word| start <= word.start && word.end <= end);
        found.extend(inside.map(|word| word.start - start..word.end - start));
        found.sort_by_key(|word| word.start);
        found.dedup();
    }
    found
}

#[cfg(test)]
mod noise_tests;
#[cfg(test)]
mod tests;
