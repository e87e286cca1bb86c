//! Events of all searches as JSON lines on standard output.

use std::time::Duration;

use boildown_session::triage::TriageEvent;
use boildown_session::{Event, Progress};
use boildown_show::{
    CulpritEvent, FailureEvent, HeartbeatEvent, JsonValue as _, SCHEMA, SessionEvent, TestedState,
    TriageLine, visible_json,
};
use serde_json::Value;

use super::recorded;
use super::reporter::{FinalReport, Reporter};
use crate::error::CliError;
use crate::settings::words_in_effect;
use crate::stdout;

/// Time without an event of progress after which there is a heartbeat.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Prints to standard output.
#[derive(Default)]
pub(crate) struct JsonReporter {
    pass: &'static str,
    /// Time at which progress was last printed.
    printed_at: Duration,
}

/// The work during which time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Tests are run.
    Running,
    /// The search is on its way to its next test.
    Planning,
}

/// Prints a line to standard output.
fn print(value: &Value) {
    stdout::write((visible_json(&value.to_string()) + "\n").as_bytes());
}

/// Returns whether the command line asks for JSON, even one that cannot be used.
fn is_requested() -> bool {
    let words = words_in_effect();
    (words.iter().skip(1))
        .take_while(|word| *word != "--")
        .any(|word| word == "--json")
}

/// Returns the words of the command line with its settings, without the program.
pub(crate) fn arguments() -> Vec<String> {
    (words_in_effect().iter().skip(1))
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Prints an error as the last event, if the command line asks for JSON.
pub(crate) fn print_error(error: &CliError) {
    if is_requested() {
        let event = FailureEvent::Error {
            schema: SCHEMA,
            message: error.message(),
            hints: error.all_hints().cloned().collect(),
            exit_code: error.kind as u8,
        };
        print(&event.to_json());
    }
}

impl JsonReporter {
    fn heartbeat(&mut self, progress: &Progress, work: Work) {
        let now = progress.spent.elapsed;
        if now < self.printed_at + HEARTBEAT {
            return;
        }
        self.printed_at = now;
        let event = SessionEvent::Progress(HeartbeatEvent {
            pass: self.pass.to_owned(),
            is_planning: work == Work::Planning,
            bytes: progress.bytes,
            tokens: progress.tokens,
            tests: progress.spent.queries,
            runs: progress.spent.runs,
            seconds: now.as_secs_f64(),
            seconds_since_improved: progress.since_improved.as_secs_f64(),
        });
        print(&event.to_json());
    }
}

impl Reporter for JsonReporter {
    fn note(&mut self, text: &str) {
        let text = text.to_owned();
        print(&SessionEvent::Note { text }.to_json());
    }

    fn record(&mut self, event: &Value) {
        print(event);
    }

    fn event(&mut self, event: &Event) {
        let value = match event {
            Event::PassStarted { name, spent } => {
                self.pass = name;
                SessionEvent::Pass {
                    name: (*name).to_owned(),
                    tests: spent.queries,
                    runs: spent.runs,
                }
                .to_json()
            }
            Event::Improved(progress) => {
                self.printed_at = progress.spent.elapsed;
                SessionEvent::Improved(recorded::progress(progress)).to_json()
            }
            Event::Tick(progress) => return self.heartbeat(progress, Work::Running),
            Event::Planning(progress) => return self.heartbeat(progress, Work::Planning),
            Event::EndpointRun { is_good, run } => CulpritEvent::Baseline {
                state: match is_good {
                    true => TestedState::First,
                    false => TestedState::Second,
                },
                outcome: run.outcome.to_string(),
            }
            .to_json(),
            Event::LayerFinished {
                layer,
                before,
                left,
                counts,
                ..
            } => CulpritEvent::Level {
                layer: layer.noun(2).to_owned(),
                before: *before,
                left: *left,
                spent: counts.record(),
            }
            .to_json(),
            Event::Culprit(event) => {
                if let CulpritEvent::Progress { spent } = event {
                    let now = Duration::from_secs_f64(spent.seconds);
                    if now < self.printed_at + HEARTBEAT {
                        return;
                    }
                    self.printed_at = now;
                }
                event.to_json()
            }
            Event::Triage(TriageEvent::Recorded(line)) => match *line {
                TriageLine::Scanned { done, all }
                    if done % (all / 100).max(1) != 0 && done != all =>
                {
                    return;
                }
                _ => line.to_json(),
            },
            _ => return,
        };
        print(&value);
    }

    fn finish(&mut self, report: &dyn FinalReport) {
        print(&report.json());
    }
}
