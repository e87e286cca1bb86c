//! The property to preserve, and the verdict that follows from a run.

mod exit_spec;
mod expectation;
mod measure;
mod objective;
mod pattern;

use std::fmt;
use std::time::Duration;

use crate::duration::parse_duration;
use crate::{Capture, Outcome, Run, Verdict, shell};

pub use exit_spec::ExitSpec;
pub use expectation::Expectation;
pub use measure::{Measure, Measured, parse_bytes};
pub use objective::{Extreme, MeasureList, Objective, RunUsage, TextMeasure};
pub use pattern::Pattern;

/// The exit code with which a test reports that it cannot decide, as for `git bisect run`.
const UNRESOLVED: i32 = 125;

/// The property to preserve: expectations on a run, all of which must hold.
///
/// Its [`Display`](fmt::Display) has one line per expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// Never empty: a property that accepts everything is a mistake.
    expectations: Vec<Expectation>,
}

impl Property {
    /// Returns the property that all these expectations hold; `None` when the list is empty.
    #[must_use]
    pub fn new(expectations: Vec<Expectation>) -> Option<Self> {
        (!expectations.is_empty()).then_some(Self { expectations })
    }

    /// Returns the property of an interestingness test: it exits with 0.
    #[must_use]
    pub fn test() -> Self {
        Self {
            expectations: vec![Expectation::Test],
        }
    }

    /// Returns the expectations.
    #[must_use]
    pub fn expectations(&self) -> &[Expectation] {
        &self.expectations
    }

    /// Returns the verdict on a run.
    ///
    /// Exit code 125 is [`Verdict::Unresolved`], unless this exit code is expected. A run that
    /// timed out is [`Verdict::Uninteresting`], unless a hang is expected.
    #[must_use]
    pub fn verdict(&self, run: &Run) -> Verdict {
        if run.outcome == Outcome::Exited(UNRESOLVED) && !self.states_exit_code(UNRESOLVED) {
            return Verdict::Unresolved;
        }
        let is_hang = run.outcome == Outcome::TimedOut && self.hang().is_some();
        let is_expected = is_hang || self.measures().any(|it| it.is_reached_at_limit(run));
        if run.outcome.is_cut_short() && !is_expected {
            return Verdict::Uninteresting;
        }
        if self
            .expectations
            .iter()
            .all(|expectation| expectation.holds(run))
        {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }

    /// Returns which output to capture.
    ///
    /// The output of a command is captured even when no expectation reads it: it identifies
    /// secondary failures. The output of an interestingness test is not, because a test usually
    /// hides the output of the commands it runs.
    #[must_use]
    pub fn capture(&self) -> Capture {
        if self.expectations != [Expectation::Test] {
            Capture::Output
        } else {
            Capture::Nothing
        }
    }

    /// Returns the quantities that have to be large enough.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.expectations
            .iter()
            .filter_map(|expectation| match expectation {
                Expectation::Measure(measure) => Some(measure),
                _ => None,
            })
    }

    /// Returns whether the processor time of a run is measured, not the time from its start to its
    /// end.
    #[must_use]
    pub fn measures_processor_time(&self) -> bool {
        self.measures()
            .any(|measure| *measure.what() == Measured::Processor)
    }

    /// Returns whether the time of a run from its start to its end is measured, which other runs
    /// make longer.
    #[must_use]
    pub fn measures_wall_time(&self) -> bool {
        self.hang().is_some() || self.measures().any(|it| *it.what() == Measured::Wall)
    }

    /// Returns the memory, in bytes, at which a run has what is measured of it.
    #[must_use]
    pub fn memory(&self) -> Option<u64> {
        self.measures().filter_map(Measure::memory).max()
    }

    /// Returns the time of a run as a share of the least one, the smallest such share when several
    /// times are measured; `None` when none is.
    #[must_use]
    pub fn time_share(&self, run: &Run) -> Option<f64> {
        let shares = self.expectations.iter();
        shares
            .filter_map(|it| it.time_share(run))
            .min_by(f64::total_cmp)
    }

    /// Returns the verdict on a run as if every time that is measured were long enough.
    #[must_use]
    pub fn verdict_but_for_time(&self, run: &Run) -> Verdict {
        let others = self.expectations.iter();
        let others = others.filter(|it| it.time_share(run).is_none()).cloned();
        Self::new(others.collect()).map_or(Verdict::Interesting, |others| others.verdict(run))
    }

    /// Returns what was measured of a run beside what it has to be at least; `None` when nothing
    /// is measured. A time is the given share of the least one, if there is one.
    #[must_use]
    pub fn measured(&self, run: &Run, share: Option<f64>) -> Option<String> {
        let expectations = self.expectations.iter();
        let shown: Vec<String> = expectations
            .filter_map(|it| it.measured(run, share))
            .collect();
        (!shown.is_empty()).then(|| shown.join("; "))
    }

    /// Returns the time limit of a run that shows whether the expected hang holds with time to
    /// spare.
    #[must_use]
    pub fn hang_limit(&self) -> Option<Duration> {
        self.hang().map(|hang| hang + hang / measure::SPARE)
    }

    /// Returns the duration of the expected hang, which is the time limit that the command needs.
    #[must_use]
    pub fn hang(&self) -> Option<Duration> {
        let hangs = self
            .expectations
            .iter()
            .filter_map(|expectation| match expectation {
                Expectation::Hangs(duration) => Some(*duration),
                _ => None,
            });
        hangs.max()
    }

    /// Returns whether the time or the memory of a run decides, and how the run ends does not
    /// matter.
    #[must_use]
    pub fn is_about_resources(&self) -> bool {
        let has = |is: fn(&Expectation) -> bool| self.expectations.iter().any(is);
        has(Expectation::is_about_resources) && !has(|it| matches!(it, Expectation::Exit(_)))
    }

    /// Returns whether an expectation names this exit code.
    #[must_use]
    pub fn states_exit_code(&self, code: i32) -> bool {
        self.expectations
            .iter()
            .any(|expectation| match expectation {
                Expectation::Exit(ExitSpec::Code(stated)) => i32::from(*stated) == code,
                _ => false,
            })
    }

    /// Returns the property that flags state, as [`flags`](Self::flags) writes them; `None` when
    /// they are not of this form.
    #[must_use]
    pub fn from_flags(flags: &str) -> Option<Self> {
        let words = shell::split(flags)?;
        let (pairs, []) = words.as_chunks::<2>() else {
            return None;
        };
        let mut what: Option<Measured> = None;
        let mut expectations = Vec::new();
        for [name, value] in pairs {
            expectations.push(match name.as_str() {
                "--exit" => Expectation::Exit(value.parse().ok()?),
                "--stdout" => Expectation::Stdout(value.parse().ok()?),
                "--stderr" => Expectation::Stderr(value.parse().ok()?),
                "--not-stderr" => Expectation::NotStderr(value.parse().ok()?),
                "--hangs" => Expectation::Hangs(parse_duration(value).ok()?),
                "--measure" => {
                    what = Some(value.parse().ok()?);
                    continue;
                }
                "--at-least" => Expectation::Measure(Measure::new(what.take()?, value).ok()?),
                _ => return None,
            });
        }
        Self::new(expectations)
    }

    /// Returns the command-line flags that state this property, quoted for a shell.
    #[must_use]
    pub fn flags(&self) -> String {
        let flags: Vec<_> = self.expectations.iter().map(Expectation::flag).collect();
        flags.join(" ")
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self
            .expectations
            .iter()
            .map(Expectation::to_string)
            .collect();
        f.write_str(&lines.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Exited, Signalled, TimedOut};
    use Verdict::{Interesting, Uninteresting, Unresolved};

    fn run(outcome: Outcome) -> Run {
        Run {
            outcome,
            stdout: b"one\ntwo\n".to_vec(),
            stderr: b"bad: \xff 7\n".to_vec(),
            took: Duration::from_secs(5),
        }
    }

    #[track_caller]
    fn check(expectations: &[Expectation], table: &[(Outcome, Verdict)]) {
        let property = Property::new(expectations.to_vec()).unwrap();
        for (outcome, verdict) in table {
            assert_eq!(
                property.verdict(&run(*outcome)),
                *verdict,
                "{property} on a run that {outcome}"
            );
        }
    }

    fn exit(spec: &str) -> Expectation {
        Expectation::Exit(spec.parse().unwrap())
    }

    fn pattern(text: &str) -> Pattern {
        text.parse().unwrap()
    }

    #[test]
    fn a_test_is_interesting_when_it_exits_with_zero() {
        check(
            &[Expectation::Test],
            &[
                (Exited(0), Interesting),
                (Exited(1), Uninteresting),
                (Exited(124), Uninteresting),
                (Exited(125), Unresolved),
                (Exited(127), Uninteresting),
                (Signalled(11), Uninteresting),
                (TimedOut, Uninteresting),
            ],
        );
    }

    #[test]
    fn exit_code_125_is_unresolved_unless_it_is_expected() {
        check(
            &[exit("nonzero")],
            &[(Exited(125), Unresolved), (Exited(1), Interesting)],
        );
        check(
            &[Expectation::Stdout(pattern("one"))],
            &[(Exited(125), Unresolved), (Exited(0), Interesting)],
        );
        check(
            &[exit("125")],
            &[(Exited(125), Interesting), (Exited(1), Uninteresting)],
        );
    }

    #[test]
    fn a_timeout_is_uninteresting_even_if_the_output_matches() {
        check(
            &[Expectation::Stdout(pattern("one"))],
            &[(TimedOut, Uninteresting)],
        );
        check(
            &[Expectation::NotStderr(pattern("good"))],
            &[(TimedOut, Uninteresting)],
        );
    }

    #[test]
    fn an_expected_hang_is_a_timeout_of_at_least_that_duration() {
        let hangs = |seconds| Expectation::Hangs(Duration::from_secs(seconds));
        check(
            &[hangs(5)],
            &[(TimedOut, Interesting), (Exited(0), Interesting)],
        );
        check(&[hangs(6)], &[(TimedOut, Uninteresting)]);
        check(
            &[hangs(5), Expectation::Stdout(pattern("one"))],
            &[(TimedOut, Interesting)],
        );
        check(
            &[hangs(5), Expectation::Stdout(pattern("three"))],
            &[(TimedOut, Uninteresting)],
        );
    }

    #[test]
    fn patterns_match_lines_with_any_bytes() {
        check(
            &[Expectation::Stdout(pattern("^two$"))],
            &[(Exited(0), Interesting)],
        );
        check(
            &[Expectation::Stdout(pattern("bad"))],
            &[(Exited(0), Uninteresting)],
        );
        check(
            &[Expectation::Stderr(pattern(r"^bad: (?-u:\xFF) \d$"))],
            &[(Exited(0), Interesting)],
        );
        check(
            &[Expectation::NotStderr(pattern("^bad"))],
            &[(Exited(0), Uninteresting)],
        );
        check(
            &[Expectation::NotStderr(pattern("good"))],
            &[(Exited(0), Interesting)],
        );
    }

    #[test]
    fn every_expectation_must_hold() {
        check(
            &[exit("3"), Expectation::Stdout(pattern("one"))],
            &[(Exited(3), Interesting), (Exited(4), Uninteresting)],
        );
        check(
            &[exit("3"), Expectation::Stdout(pattern("three"))],
            &[(Exited(3), Uninteresting)],
        );
    }

    #[test]
    fn a_property_needs_an_expectation() {
        assert_eq!(Property::new(Vec::new()), None);
    }

    #[test]
    fn only_the_output_of_a_test_is_not_captured() {
        assert_eq!(Property::test().capture(), Capture::Nothing);
        assert_eq!(
            Property::new(vec![exit("3")]).unwrap().capture(),
            Capture::Output
        );
        assert_eq!(
            Property::new(vec![exit("3"), Expectation::NotStderr(pattern("x"))])
                .unwrap()
                .capture(),
            Capture::Output
        );
    }

    #[test]
    fn a_property_is_displayed_as_lines_and_as_flags() {
        let property = Property::new(vec![
            exit("139"),
            exit("nonzero"),
            exit("signal"),
            exit("segv"),
            exit("3"),
            Expectation::Stdout(pattern("it's")),
            Expectation::Stderr(pattern("bad")),
            Expectation::NotStderr(pattern("good")),
            Expectation::Hangs(Duration::from_millis(500)),
            Expectation::Test,
        ])
        .unwrap();
        insta::assert_snapshot!(property, @"
exits with 139, or is killed by SIGSEGV
fails: exits with anything but 0, or is killed by a signal
is killed by a signal, or exits with 128 and its number
is killed by SIGSEGV, or exits with 139
exits with 3
stdout matches /it's/
stderr matches /bad/
stderr does not match /good/
runs for 500ms or longer
the test exits with 0
");
        let stated = &property.expectations()[..9];
        let stated = Property::new(stated.to_vec()).unwrap();
        assert_eq!(Property::from_flags(&stated.flags()), Some(stated));
        assert_eq!(Property::from_flags("--exit"), None);
        assert_eq!(Property::from_flags(""), None);
        insta::assert_snapshot!(property.flags(), @r"--exit 139 --exit nonzero --exit signal --exit SIGSEGV --exit 3 --stdout 'it'\''s' --stderr bad --not-stderr good --hangs 500ms --exit 0");
    }
}
