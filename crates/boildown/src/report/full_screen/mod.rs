//! Progress of a reduction as a view that fills the terminal.
//!
//! - `session_view`: the thread that draws and reads keys
//! - `canvas`: the terminal's alternate screen
//! - `stored_steps`: the results so far, read from the store

mod canvas;
mod session_view;
mod stored_steps;

pub(crate) use canvas::leave_for_good;

use std::path::Path;
use std::sync::Arc;

use boildown_exec::SecondaryFailures;
use boildown_session::{Event, Progress};
use boildown_show::{ChoiceRecord, StartedEvent};
use boildown_view::{FailureRow, Measured, Palette, SessionFacts, ViewEvent};

use self::session_view::SessionView;
use super::format::EscapedPath as _;
use super::reporter::{FinalReport, Reporter, SearchControls};
use super::text::TextReporter;
use super::work_board::WorkBoard;

/// Shows the search on the whole terminal. What comes before and after it are lines.
pub(crate) struct FullScreenReporter {
    text: TextReporter,
    palette: Palette,
    started: Option<StartedEvent>,
    view: Option<SessionView>,
    /// The bytes of the next improvement.
    best: Option<Arc<[u8]>>,
    /// The failure of the input, while another one is reduced.
    first_failure: Option<FailureRow>,
    /// Notes that were only shown in the view.
    notes: Vec<String>,
}

impl FullScreenReporter {
    /// Returns a reporter that prints lines with `text`.
    pub(crate) fn new(text: TextReporter, palette: Palette) -> Self {
        Self {
            text,
            palette,
            started: None,
            view: None,
            best: None,
            first_failure: None,
            notes: Vec::new(),
        }
    }

    fn facts(&self, controls: &SearchControls) -> SessionFacts {
        let started = self.started.as_ref();
        let bytes = started.map_or(controls.input.len(), |started| started.bytes);
        SessionFacts {
            input: started.map_or_else(String::new, |started| started.inputs.join(" ")),
            output: started.map_or_else(String::new, |started| started.output.clone()),
            language: started.and_then(|started| started.language.clone()),
            bytes: bytes as u64,
            original: Arc::clone(&controls.input),
            command: controls.command.clone(),
            property: controls.property.clone(),
            can_switch: controls.switch.is_some(),
            can_restart: controls.can_restart,
        }
    }
}

impl Reporter for FullScreenReporter {
    fn note(&mut self, text: &str) {
        match &self.view {
            Some(view) => {
                view.apply(ViewEvent::Note(text.to_owned()));
                if !self.notes.iter().any(|note| note == text) {
                    self.notes.push(text.to_owned());
                }
            }
            // A note that is repeated at the end was printed when the view was left.
            None if self.notes.iter().any(|note| note == text) => {}
            None => self.text.note(text),
        }
    }

    fn working(&mut self, what: &str, advice: &str) {
        match &self.view {
            Some(view) => view.apply(ViewEvent::Working(what.to_owned())),
            None => self.text.working(what, advice),
        }
    }

    fn choice(&mut self, choice: &ChoiceRecord) {
        self.text.choice(choice);
    }

    fn started(&mut self, event: StartedEvent) {
        self.started = Some(event);
    }

    fn take_keys(&mut self, controls: SearchControls) -> Option<Arc<WorkBoard>> {
        self.text.rest();
        let facts = self.facts(&controls);
        self.first_failure = controls.is_other_failure.then(|| FailureRow {
            signature: format!("the failure of {}", facts.input),
            file: facts.input.clone(),
            ..FailureRow::default()
        });
        let view = SessionView::open(facts, controls, self.palette);
        let board = view.board();
        self.view = Some(view);
        Some(board)
    }

    fn secondary_failures(&mut self, failures: &SecondaryFailures) {
        let Some(view) = &self.view else {
            return;
        };
        let row = |failure: &boildown_exec::SecondaryFailure| FailureRow {
            name: Some(name_of(&failure.file)),
            signature: failure.signature.to_string(),
            file: failure.file.escaped(),
            bytes: failure.bytes as u64,
            runs: failure.runs,
        };
        let earlier = failures.earlier.iter().map(|(file, bytes)| FailureRow {
            name: Some(name_of(file)),
            signature: format!("{}, found by an earlier session", name_of(file)),
            file: file.escaped(),
            bytes: *bytes,
            runs: 0,
        });
        let first = self.first_failure.iter().cloned();
        let rows = first.chain(failures.iter().map(row)).chain(earlier);
        view.apply(ViewEvent::Failures(rows.collect()));
    }

    fn leave_terminal(&mut self) {
        let Some(view) = self.view.take() else {
            return;
        };
        let command = view.close();
        for note in &self.notes {
            self.text.note(note);
        }
        if let Some(command) = command {
            self.text
                .note(&format!("to repeat the failure:\n  {command}"));
        }
    }

    fn event(&mut self, event: &Event) {
        let Some(view) = &self.view else {
            self.text.event(event);
            return;
        };
        view.apply(match event {
            Event::PassStarted { name, .. } => ViewEvent::PassStarted(name),
            Event::Tested { verdict, progress } => {
                ViewEvent::Tested(measured(progress), verdict.is_interesting())
            }
            Event::NewBest(text) => {
                self.best = Some(Arc::clone(text));
                return;
            }
            Event::Improved(progress) => match self.best.take() {
                Some(best) => ViewEvent::Improved(measured(progress), best),
                None => return,
            },
            Event::Tick(progress) => ViewEvent::Progress(measured(progress)),
            Event::Planning(progress) => ViewEvent::Planning(measured(progress)),
            Event::Confirming => {
                ViewEvent::Working("running the command on the result again".to_owned())
            }
            _ => return,
        });
    }

    fn finish(&mut self, report: &dyn FinalReport) {
        self.leave_terminal();
        self.text.finish(report);
    }
}

impl Drop for FullScreenReporter {
    /// The message of an error may follow.
    fn drop(&mut self) {
        self.leave_terminal();
    }
}

/// Returns the name by which `--failure` finds this file.
fn name_of(file: &Path) -> String {
    let name = match file.is_dir() {
        true => file.file_name(),
        false => file.file_stem(),
    };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

fn measured(progress: &Progress) -> Measured {
    let spent = &progress.spent;
    Measured {
        elapsed: spent.elapsed,
        tests: spent.queries,
        recalled: spent.recalled,
        runs: spent.runs,
        bytes: progress.bytes as u64,
        tokens: progress.tokens.map(|tokens| tokens as u64),
        since_improved: progress.since_improved,
        tests_left: progress.tests_left,
    }
}
