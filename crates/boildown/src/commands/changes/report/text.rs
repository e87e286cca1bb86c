//! A culprit search as text for people.

use std::time::Duration;

use boildown_session::Event;
use boildown_session::changes::SearchTarget;
use boildown_show::{CulpritEvent, SpentRecord};

use super::culprit::CulpritSearchReport;
use super::sentences::{fails_otherwise, guarantee, reasons, sentences, size, spent};
use crate::report::format::{EscapedPath as _, clock, count};
use crate::report::reporter::{FinalReport, Reporter};
use crate::report::terminal::{LiveLine, StatusOutput};

/// Prints to standard error.
pub(super) struct ChangesText {
    target: SearchTarget,
    out: StatusOutput,
    /// Whether there are states between the two.
    has_history: bool,
    /// What the search works on.
    phase: String,
    /// Time at which progress was last printed.
    printed_at: Duration,
}

/// Time between two changes of the live line.
const LIVE: Duration = Duration::from_millis(100);
/// Time between two lines of progress in a log.
const LOG: Duration = Duration::from_secs(60);

impl ChangesText {
    pub(super) fn new(target: SearchTarget) -> Self {
        Self {
            target,
            out: StatusOutput::new(LiveLine::OnTerminals),
            has_history: false,
            phase: String::new(),
            printed_at: Duration::ZERO,
        }
    }

    fn print_progress(&mut self, so_far: &SpentRecord) {
        let interval = if self.out.is_live { LIVE } else { LOG };
        let elapsed = Duration::from_secs_f64(so_far.seconds);
        if elapsed < self.printed_at + interval {
            return;
        }
        self.printed_at = elapsed;
        let line = format!("{}  {}{}", clock(elapsed), spent(so_far), self.phase);
        self.out.progress(line, "");
    }
}

impl Reporter for ChangesText {
    fn note(&mut self, text: &str) {
        self.out.print(text);
    }

    fn working(&mut self, what: &str, advice: &str) {
        self.out.working(what.to_owned(), advice.to_owned());
    }

    fn event(&mut self, event: &Event) {
        if !matches!(event, Event::EndpointRun { .. }) {
            self.out.idle();
        }
        match event {
            Event::EndpointRun { is_good, run } => {
                let (first, second) = match self.target {
                    SearchTarget::Culprit => ("good", "bad"),
                    SearchTarget::Fix => ("broken", "fixed"),
                };
                let state = if *is_good { first } else { second };
                self.out.print(format!("{state}: {}", run.outcome));
            }
            Event::BisectionProgress { suspects, tests } => {
                self.phase = format!(
                    "  [history: {} left, about {}]",
                    count(*suspects, "commit"),
                    count(*tests, "test")
                );
            }
            Event::Culprit(CulpritEvent::History { steps }) => {
                self.has_history = true;
                self.out
                    .print(format!("history: {}", count(*steps, "step")));
            }
            Event::Culprit(CulpritEvent::Narrowed {
                passing,
                failing,
                commits,
                spent: so_far,
            }) => {
                self.phase = "  [changes]".to_owned();
                if commits.is_empty() && !self.has_history {
                    return;
                }
                self.out.print(format!(
                    "between {passing} and {failing} ({})",
                    spent(so_far)
                ));
            }
            Event::LayerFinished {
                layer,
                before,
                left,
                counts,
                ..
            } => {
                self.phase = format!("  [{left} {}]", layer.noun(*left));
                self.out.print(format!(
                    "{}: {before} -> {left} ({})",
                    layer.noun(2),
                    spent(&counts.record())
                ));
            }
            Event::Culprit(CulpritEvent::Older { passing, failing }) => self.out.print(format!(
                "an older change is needed too, between {passing} and {failing}"
            )),
            Event::OtherCauseNeeded { revision } => self.out.print(format!(
                "{revision} without it is as before: looking for another cause"
            )),
            Event::PartFailsOtherwise(part) => self.out.print(format!(
                "{}: searching for all changes of this failure",
                fails_otherwise(part)
            )),
            Event::GoingOnInFreshTrees => self.out.print(
                "a fresh copy has another verdict: runs depend on files that earlier runs left \
                 behind; searching again with a fresh copy for each run",
            ),
            Event::Culprit(CulpritEvent::Progress { spent }) => self.print_progress(spent),
            _ => {}
        }
    }

    fn finish(&mut self, report: &dyn FinalReport) {
        self.out.print(report.summary());
    }
}

/// Returns the result.
pub(super) fn summary(report: &CulpritSearchReport<'_>) -> String {
    let found = report.found;
    let mut text = format!("{}  {}\n", report.output.escaped(), size(found));
    for commit in &found.commits {
        let relation = if found.undone { "undoes" } else { "from" };
        text += &format!(
            "  {relation} {} {} {}: {}\n",
            commit.short(),
            commit.date,
            commit.author,
            commit.title
        );
    }
    for sentence in sentences(report) {
        text += &format!("  {sentence}\n");
    }
    let counts = &found.counts;
    text += &format!(
        "{} in {} ({}",
        spent(&counts.record()),
        clock(counts.elapsed),
        count(counts.runs, "run")
    );
    if counts.recalled > 0 {
        text += &format!(", {} recalled", counts.recalled);
    }
    text += ")";
    if !counts.unresolved.is_empty() {
        text += &format!("\nunresolved: {}", reasons(&counts.unresolved));
    }
    if !counts.rejected.is_empty() {
        text += &format!("\nnot run: {}", reasons(&counts.rejected));
    }
    for line in guarantee(found) {
        text += &format!("\n{line}");
    }
    text
}
