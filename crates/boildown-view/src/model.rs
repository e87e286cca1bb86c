//! The state of the view.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::case::{ChangedLine, changed_lines, differing};
use crate::curve::{CurvePoint, SizeCurve};
use crate::event::{FailureRow, Measured, SessionFacts, ViewEvent, WorkerRow};
use crate::keys::{Key, ViewAction};
use crate::pass_yield::PassTable;
use crate::step_history::StepHistory;

/// The state of the view: what happened in the session, and what the user looks at.
#[derive(Debug, Clone, Default)]
pub struct ViewModel {
    pub(crate) facts: Arc<SessionFacts>,
    pub(crate) now: Measured,
    pub(crate) passes: PassTable,
    pub(crate) curve: SizeCurve,
    /// The best test case, and the one before it.
    best: Arc<[u8]>,
    previous: Option<Arc<[u8]>>,
    /// The pass that found the best test case.
    pub(crate) found_by: &'static str,
    pub(crate) failures: Vec<FailureRow>,
    /// The place of the failure that is marked.
    pub(crate) marked_failure: usize,
    pub(crate) workers: Vec<WorkerRow>,
    notes: VecDeque<String>,
    pub(crate) activity: Option<String>,
    pub(crate) is_planning: bool,
    pub(crate) is_paused: bool,
    pub(crate) is_ending: bool,
    pub(crate) screen: Screen,
    /// The part of the test case that is shown, if the user chose one.
    pub(crate) scrolled_to: Option<usize>,
    /// The first line of the other screens.
    pub(crate) first_line: usize,
    pub(crate) input_diff: Arc<[ChangedLine]>,
    pub(crate) history: StepHistory,
    /// What the command printed on the best test case.
    pub(crate) output: Option<Arc<[u8]>>,
    /// Tests and times of the last seconds.
    recent: VecDeque<(Duration, u64)>,
}

/// What the user looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Screen {
    #[default]
    Main,
    /// The differences between the input and the best test case.
    Diff,
    /// The results so far, and what one step changed.
    History,
    /// What the command printed on the best test case.
    Output,
    Failures,
    Help,
}

/// Number of notes that are kept.
const MAX_NOTES: usize = 50;

/// Time over which the rate of tests is measured.
const RATE_OVER: Duration = Duration::from_secs(10);

impl ViewModel {
    /// Records an event.
    pub fn apply(&mut self, event: ViewEvent) {
        match event {
            ViewEvent::Started(facts) => self.start(facts),
            ViewEvent::PassStarted(name) => self.passes.start(name),
            ViewEvent::Tested(measured, is_interesting) => {
                if is_interesting {
                    self.passes.hit();
                }
                self.measure(measured);
            }
            ViewEvent::Improved(measured, text) => {
                self.curve.add(CurvePoint {
                    elapsed: measured.elapsed,
                    bytes: measured.bytes,
                });
                self.previous = Some(std::mem::replace(&mut self.best, text));
                self.found_by = self.passes.current().map_or("", |pass| pass.name);
                self.measure(measured);
            }
            ViewEvent::Progress(measured) => self.measure(measured),
            ViewEvent::Planning(measured) => {
                self.measure(measured);
                self.is_planning = true;
            }
            ViewEvent::Working(what) => self.activity = Some(what),
            ViewEvent::Note(note) => {
                self.notes.truncate(MAX_NOTES - 1);
                self.notes.push_front(note);
            }
            ViewEvent::Failures(failures) => self.list_failures(failures),
            ViewEvent::Steps(rows) => self.history.list(rows),
            ViewEvent::StepTexts(place, texts) => {
                self.history.take_texts(place, texts.as_ref());
            }
            ViewEvent::Workers(workers) => self.workers = workers,
            ViewEvent::Output(output) => self.output = output,
            ViewEvent::Paused(is_paused) => self.is_paused = is_paused,
        }
    }

    fn start(&mut self, facts: SessionFacts) {
        self.now.bytes = facts.bytes;
        self.passes.begin(self.now);
        self.curve.add(CurvePoint {
            elapsed: Duration::ZERO,
            bytes: facts.bytes,
        });
        self.best = Arc::clone(&facts.original);
        self.facts = Arc::new(facts);
    }

    fn measure(&mut self, measured: Measured) {
        self.passes.count(measured);
        self.now = measured;
        (self.is_planning, self.activity) = (false, None);
        let is_due = |(last, _): &(Duration, u64)| measured.elapsed >= *last + RATE_OVER / 10;
        if self.recent.back().is_none_or(is_due) {
            self.recent.push_back((measured.elapsed, measured.tests));
        }
        while (self.recent.get(1)).is_some_and(|(at, _)| *at + RATE_OVER < measured.elapsed) {
            self.recent.pop_front();
        }
    }

    /// Lists these failures. The mark stays at its failure.
    fn list_failures(&mut self, failures: Vec<FailureRow>) {
        let marked = (self.failures.get(self.marked_failure)).map(|failure| &failure.file);
        let mut files = failures.iter().map(|failure| &failure.file);
        let place = files.position(|file| Some(file) == marked);
        self.marked_failure = place.unwrap_or(0);
        self.failures = failures;
    }

    /// Returns the number of secondary failures.
    pub(crate) fn secondary_failures(&self) -> usize {
        let failures = self.failures.iter();
        failures.filter(|failure| failure.name.is_some()).count()
    }

    /// Chooses the failure that is marked as the next one.
    fn reduce_marked(&mut self) -> Option<ViewAction> {
        if self.screen != Screen::Failures || self.is_ending || !self.facts.can_switch {
            return None;
        }
        let failure = self.failures.get(self.marked_failure)?;
        self.is_ending = true;
        Some(ViewAction::ReduceFailure(failure.name.clone()))
    }

    /// Chooses the result that is looked at as the next input. The last one is where the search is.
    fn restart(&mut self) -> Option<ViewAction> {
        let is_possible = self.can_restart();
        self.is_ending |= is_possible;
        is_possible.then(|| ViewAction::RestartFrom(self.history.at()))
    }

    /// Returns whether the reduction can continue from the result that is looked at.
    pub(crate) fn can_restart(&self) -> bool {
        let (rows, at) = (self.history.rows(), self.history.at());
        let is_stored = rows.get(at).is_some_and(|row| row.has_text) && at + 1 < rows.len();
        is_stored && self.facts.can_restart && !self.is_ending
    }

    /// Returns the lines that the command printed on the best test case.
    pub(crate) fn output_lines(&self) -> Vec<&[u8]> {
        let output = self.output.as_deref().unwrap_or_default();
        let mut lines: Vec<&[u8]> = output.split(|byte| *byte == b'\n').collect();
        lines.pop_if(|last| last.is_empty());
        lines
    }

    /// Returns the best test case, the one before it, and whether there is one.
    pub fn best(&self) -> (&Arc<[u8]>, Option<&Arc<[u8]>>) {
        (&self.best, self.previous.as_ref())
    }

    /// Returns whether the differences to the input are shown.
    pub fn shows_diff(&self) -> bool {
        self.screen == Screen::Diff
    }

    /// Computes the differences between the input and the best test case.
    pub fn compare_with_input(&mut self) {
        self.input_diff = changed_lines(&self.facts.original, &self.best, 3).into();
    }

    /// Takes over what another state of this model has computed.
    pub fn take_comparison(&mut self, other: &Self) {
        self.input_diff = Arc::clone(&other.input_diff);
    }

    /// Returns the result whose step is looked at and was not read yet.
    pub fn wanted_step(&self) -> Option<usize> {
        (self.screen == Screen::History)
            .then(|| self.history.wanted())
            .flatten()
    }

    /// Returns the tests in a second: of the last ten seconds, or since the beginning.
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    pub(crate) fn rate(&self) -> Option<f64> {
        let (since, tests) = *self.recent.front()?;
        let time = self.now.elapsed.saturating_sub(since).as_secs_f64();
        (time > 0.5).then(|| (self.now.tests - tests.min(self.now.tests)) as f64 / time)
    }

    /// Returns the time that the tests to the end take, if none of them is interesting.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let rate = self.rate().filter(|rate| *rate > 0.0)?;
        let seconds = self.now.tests_left? as f64 / rate;
        Duration::try_from_secs_f64(seconds).ok()
    }

    pub(crate) fn last_note(&self) -> Option<&str> {
        self.notes.front().map(String::as_str)
    }

    /// Uses a key. Returns what the session has to do.
    pub fn press(&mut self, key: Key) -> Option<ViewAction> {
        let other = |screen| move |now: Screen| if now == screen { Screen::Main } else { screen };
        match key {
            Key::Character('s') if !self.is_ending => return Some(ViewAction::SkipPass),
            Key::Character('p' | ' ') => return Some(ViewAction::TogglePause),
            Key::Character('c') => return Some(ViewAction::CopyCommand),
            Key::Character('\x0c') => return Some(ViewAction::Redraw),
            Key::Character('q') => {
                self.is_ending = true;
                return Some(ViewAction::Quit);
            }
            Key::Character('d') => self.show(other(Screen::Diff)(self.screen)),
            Key::Character('o') => self.show(other(Screen::Output)(self.screen)),
            Key::Character('f') => self.show(other(Screen::Failures)(self.screen)),
            Key::Character('?' | 'h') => self.show(other(Screen::Help)(self.screen)),
            Key::Enter if self.screen == Screen::History => return self.restart(),
            Key::Enter => return self.reduce_marked(),
            Key::Left | Key::Right | Key::Home | Key::End
                if self.screen == Screen::History || matches!(key, Key::Left | Key::Right) =>
            {
                return self.look_at_step(key);
            }
            Key::Escape => {
                self.scrolled_to = None;
                self.show(Screen::Main);
            }
            _ => self.scroll(key),
        }
        None
    }

    /// Moves in the history, or enters it at the last result.
    fn look_at_step(&mut self, key: Key) -> Option<ViewAction> {
        let is_entered = self.screen != Screen::History;
        let (at, last) = (
            self.history.at(),
            self.history.rows().len().saturating_sub(1),
        );
        let place = match key {
            _ if is_entered => usize::MAX,
            Key::Left => at.saturating_sub(1),
            Key::Home => 0,
            Key::Right => at + 1,
            _ => usize::MAX,
        };
        self.show(Screen::History);
        self.history.go_to(place);
        // There may be more by now.
        (is_entered || place > last).then_some(ViewAction::ListSteps)
    }

    fn show(&mut self, screen: Screen) {
        (self.screen, self.first_line) = (screen, 0);
        if screen == Screen::Diff {
            self.compare_with_input();
        }
    }

    /// Returns where the line with the last change begins.
    fn last_change(&self) -> usize {
        let previous = self.previous.as_deref().unwrap_or_default();
        let [_, new] = differing(previous, &self.best);
        let line = self.best[..new.start]
            .iter()
            .rposition(|byte| *byte == b'\n');
        line.map_or(0, |place| place + 1)
    }

    fn scroll(&mut self, key: Key) {
        const PAGE: usize = 10;
        let line = match key {
            Key::Up | Key::Character('k') => self.first_line.saturating_sub(1),
            Key::Down | Key::Character('j') => self.first_line + 1,
            Key::PageUp => self.first_line.saturating_sub(PAGE),
            Key::PageDown => self.first_line + PAGE,
            Key::Home => 0,
            Key::End => usize::MAX,
            Key::Escape
            | Key::Enter
            | Key::Left
            | Key::Right
            | Key::Character(_)
            | Key::Background(_) => return,
        };
        if self.screen == Screen::Failures {
            self.mark_failure(key);
            return;
        }
        if self.screen != Screen::Main {
            let last = match self.screen {
                Screen::Diff => self.input_diff.len(),
                Screen::History => self.history.lines(),
                Screen::Output => self.output_lines().len(),
                Screen::Main | Screen::Failures | Screen::Help => 1,
            };
            self.first_line = line.min(last.saturating_sub(1));
            return;
        }
        let at = self.scrolled_to.unwrap_or_else(|| self.last_change());
        let lines = |count: usize, step: fn(&[u8], usize) -> usize| {
            (0..count).fold(at, |at, _| step(&self.best, at))
        };
        self.scrolled_to = Some(match key {
            Key::Up | Key::Character('k') => lines(1, row_before),
            Key::Down | Key::Character('j') => lines(1, row_after),
            Key::PageUp => lines(PAGE, row_before),
            Key::PageDown => lines(PAGE, row_after),
            Key::End => (0..PAGE).fold(self.best.len(), |at, _| row_before(&self.best, at)),
            _ => 0,
        });
    }

    /// Moves the mark in the list of failures.
    fn mark_failure(&mut self, key: Key) {
        const PAGE: usize = 5;
        let (at, last) = (self.marked_failure, self.failures.len().saturating_sub(1));
        let place = match key {
            Key::Up | Key::Character('k') => at.saturating_sub(1),
            Key::Down | Key::Character('j') => at + 1,
            Key::PageUp => at.saturating_sub(PAGE),
            Key::PageDown => at + PAGE,
            Key::End => last,
            _ => 0,
        };
        self.marked_failure = place.min(last);
    }
}

/// Bytes of a long line that count as a line when scrolling.
const LONG_ROW: usize = 60;

/// Returns where the line before begins, or some characters of a long one.
fn row_before(text: &[u8], at: usize) -> usize {
    let at = at.min(text.len());
    let from = at.saturating_sub(LONG_ROW);
    let end = at.saturating_sub(1);
    let line = text[from.min(end)..end]
        .iter()
        .rposition(|byte| *byte == b'\n');
    let start = line.map_or(from, |place| from + place + 1);
    crate::case::character_start(text, start).min(at)
}

/// Returns where the next line begins, or the next characters of a long one.
fn row_after(text: &[u8], at: usize) -> usize {
    let at = at.min(text.len());
    let end = text.len().min(at + LONG_ROW);
    let line = text[at..end].iter().position(|byte| *byte == b'\n');
    match line {
        Some(place) if at + place + 1 < text.len() => at + place + 1,
        None if end < text.len() => crate::case::character_start(text, end),
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_actions_or_change_what_is_shown() {
        let mut model = ViewModel::default();
        assert_eq!(model.press(Key::Character('s')), Some(ViewAction::SkipPass));
        assert_eq!(
            model.press(Key::Character('p')),
            Some(ViewAction::TogglePause)
        );
        assert_eq!(model.press(Key::Character('d')), None);
        assert!(model.shows_diff());
        assert_eq!(model.press(Key::Character('d')), None);
        assert_eq!(model.screen, Screen::Main);
        model.press(Key::Character('f'));
        model.press(Key::Escape);
        assert_eq!(model.screen, Screen::Main);
        assert_eq!(model.press(Key::Character('q')), Some(ViewAction::Quit));
        assert_eq!(model.press(Key::Character('s')), None, "the session ends");
        assert_eq!(model.press(Key::Character('x')), None);
    }

    #[test]
    fn scrolling_stays_inside_the_test_case() {
        let mut model = ViewModel::default();
        let text = format!("a\nbb\n{}\nlast\n", "é".repeat(200));
        model.start(SessionFacts {
            original: text.as_bytes().into(),
            ..SessionFacts::default()
        });
        let mut seen = vec![0];
        for _ in 0..20 {
            model.press(Key::Down);
            seen.push(model.scrolled_to.unwrap());
        }
        assert_eq!(seen[..3], [0, 2, 5]);
        assert_eq!(seen[20], text.find("last").unwrap());
        assert!(seen.iter().all(|at| text.is_char_boundary(*at)));
        for _ in 0..40 {
            model.press(Key::Up);
            assert!(text.is_char_boundary(model.scrolled_to.unwrap()));
        }
        assert_eq!(model.scrolled_to, Some(0));
        model.press(Key::Escape);
        assert_eq!(model.scrolled_to, None);
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut model = ViewModel::default();
        for second in 0..100 {
            let tests = if second < 50 {
                second
            } else {
                50 + (second - 50) * 20
            };
            model.apply(ViewEvent::Progress(Measured {
                elapsed: Duration::from_secs(second),
                tests,
                tests_left: Some(400),
                ..Measured::default()
            }));
        }
        assert!((model.rate().unwrap() - 20.0).abs() < 0.01);
        assert_eq!(model.time_left(), Some(Duration::from_secs(20)));
    }
}
