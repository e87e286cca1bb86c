//! Progress of a session as text: a live line on a terminal, lines now and then in a log.

use std::time::Duration;

use boildown_driver::Spent;
use boildown_session::{Event, Progress};
use boildown_show::{ChoiceRecord, StartedEvent, StopReason};

use super::format::{Visible, clock, count, grouped, pace, size};
use super::reporter::{FinalReport, Reporter};
use super::terminal::{LiveLine, StatusOutput};
use crate::stdout;

/// Prints to standard error, and details of the result to standard output.
pub(crate) struct TextReporter {
    out: StatusOutput,
    /// The end of the live line.
    hint: &'static str,
    is_verbose: bool,
    /// The language of the input.
    language: Option<String>,
    pass: &'static str,
    /// Whether the search is on its way to its next test, and that is shown.
    is_planning: bool,
    /// Time at which a line of progress was last printed.
    printed_at: Duration,
    /// Whether there was an improvement since then.
    has_news: bool,
}

impl TextReporter {
    /// Time between two changes of the live line.
    const LIVE: Duration = Duration::from_millis(100);
    /// Time between two lines of a log while there is progress.
    const LOG: Duration = Duration::from_secs(1);

    /// Returns a reporter whose live line ends with the hint.
    pub(crate) fn new(hint: &'static str, is_verbose: bool, live: LiveLine) -> Self {
        Self {
            out: StatusOutput::new(live),
            hint,
            is_verbose,
            language: None,
            pass: "",
            is_planning: false,
            printed_at: Duration::ZERO,
            has_news: false,
        }
    }

    fn print_progress(&mut self, progress: &Progress) {
        let line = self.line(progress);
        self.printed_at = progress.spent.elapsed;
        self.has_news = false;
        self.out.progress(line, self.hint);
    }

    fn line(&self, progress: &Progress) -> String {
        let spent = &progress.spent;
        let pace = pace(spent.runs, spent.elapsed)
            .map(|pace| format!(", {pace}"))
            .unwrap_or_default();
        let left = progress
            .tests_left
            .and_then(|tests| time_left(tests, spent))
            .map(|time| format!(", about {} left unless more is removed", clock(time)))
            .unwrap_or_default();
        let tokens = progress
            .tokens
            .map(|tokens| format!(", {}", count(tokens, "token")))
            .unwrap_or_default();
        let stale = match progress.since_improved.as_secs() {
            0..5 => String::new(),
            _ => format!(", no progress for {}", clock(progress.since_improved)),
        };
        format!(
            "{}  {:.1}% removed: {}{tokens}  [{}]  {}{pace}{stale}{left}",
            clock(spent.elapsed),
            percent_removed(progress),
            count(progress.bytes, "byte"),
            self.pass,
            count(spent.queries, "test"),
        )
    }
}

impl TextReporter {
    /// The user waits for nothing, or sees it elsewhere.
    pub(super) fn rest(&self) {
        self.out.idle();
    }

    /// Returns what a search does between two tests of a text of this size.
    fn planning(&self, bytes: usize) -> String {
        let of = self.language.as_ref();
        let of = of.map_or_else(String::new, |language| format!(" of {language}"));
        format!("planning: reading {}{of}", size(bytes))
    }
}

impl Reporter for TextReporter {
    fn note(&mut self, text: &str) {
        self.out.print(text);
    }

    fn working(&mut self, what: &str, advice: &str) {
        self.out.working(what.to_owned(), advice.to_owned());
    }

    fn started(&mut self, event: StartedEvent) {
        self.language = event.language;
        self.working(&self.planning(event.bytes), "");
    }

    fn choice(&mut self, choice: &ChoiceRecord) {
        if self.is_verbose {
            self.out.print(Visible::line(choice.to_string()));
        }
    }

    fn event(&mut self, event: &Event) {
        let is_live = self.out.is_live;
        let (progress, interval) = match event {
            Event::PassStarted { name, .. } => {
                self.pass = name;
                return;
            }
            Event::Confirming => {
                self.working("running the command on the result again", "");
                return;
            }
            Event::Planning(progress) => {
                if !std::mem::replace(&mut self.is_planning, true) {
                    self.working(&self.planning(progress.bytes), "");
                }
                return;
            }
            Event::Improved(progress) => {
                self.has_news = true;
                (progress, if is_live { Self::LIVE } else { Self::LOG })
            }
            Event::Tick(progress) if is_live => (progress, Self::LIVE),
            // A log gets a line soon after an improvement, and one a minute without.
            Event::Tick(progress) if self.has_news => (progress, Self::LOG),
            Event::Tick(progress) => (progress, 60 * Self::LOG),
            _ => return,
        };
        if progress.spent.elapsed >= self.printed_at + interval {
            self.print_progress(progress);
        }
        self.is_planning = false;
        self.out.idle();
    }

    fn finish(&mut self, report: &dyn FinalReport) {
        self.out.idle();
        self.out.print(report.summary());
        stdout::write(report.details().as_bytes());
    }
}

/// Returns the time that this number of tests takes, if the time so far says something about it.
fn time_left(tests: u64, spent: &Spent) -> Option<Duration> {
    const FROM: u64 = 20;
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let share = tests as f64 / spent.queries as f64;
    let time = spent
        .elapsed
        .mul_f64(if share.is_finite() { share } else { 0.0 });
    (spent.queries >= FROM && spent.recalled == 0 && time >= Duration::from_secs(1)).then_some(time)
}

/// Returns why a search did not verify that its result is 1-minimal.
pub(crate) fn not_verified(why: StopReason) -> &'static str {
    match why {
        StopReason::QueryLimit => "1-minimality not verified: test limit reached",
        StopReason::TimeLimit => "1-minimality not verified: time limit reached",
        StopReason::SmallEnough => "1-minimality not verified: target size reached",
        StopReason::Plateau => "1-minimality not verified: the last tests removed little",
        StopReason::Borderline => {
            "1-minimality not verified: the times of the last candidates were near the limit, so \
             that chance decided"
        }
        StopReason::Interrupted => "1-minimality not verified: interrupted",
        StopReason::EnvironmentChanged => {
            "1-minimality not verified: the environment of the command changed"
        }
        StopReason::VerdictsOutdated => {
            "1-minimality not verified: verdicts of earlier sessions are wrong now"
        }
        StopReason::PropertyLost => {
            "1-minimality not verified: the failure turned out to be flaky on smaller results"
        }
    }
}

/// Returns what a session took: `12 tests in 3.4s (10 runs, 2 recalled)`.
pub(crate) fn spent(spent: &Spent) -> String {
    let mut text = format!(
        "{} in {} ({}",
        count(spent.queries, "test"),
        clock(spent.elapsed),
        count(spent.runs, "run"),
    );
    if spent.recalled > 0 {
        text += &format!(", {} recalled", grouped(spent.recalled));
    }
    if spent.unresolved > 0 {
        text += &format!(", {} unresolved", grouped(spent.unresolved));
    }
    if spent.timeouts > 0 {
        text += &format!(", {} timed out", grouped(spent.timeouts));
    }
    text + ")"
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
fn percent_removed(progress: &Progress) -> f64 {
    100.0 * (1.0 - progress.bytes as f64 / (progress.bytes_before as f64).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_shown_after_some_tests_that_took_time() {
        let left = |tests, queries, seconds, recalled| {
            let spent = Spent {
                queries,
                recalled,
                elapsed: Duration::from_secs(seconds),
                ..Spent::default()
            };
            time_left(tests, &spent)
        };
        assert_eq!(left(50, 100, 60, 0), Some(Duration::from_secs(30)));
        assert_eq!(left(50, 10, 60, 0), None, "too few tests");
        assert_eq!(left(5, 100, 2, 0), None, "too short");
        assert_eq!(
            left(50, 100, 60, 40),
            None,
            "tests of earlier sessions took no time"
        );
        assert_eq!(left(50, 0, 60, 0), None);
    }
}
