//! The thread that draws the view and reads keys.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use boildown_document::{ClassifiedToken, Language};
use boildown_view::{
    BACKGROUND_QUERY, Key, KeyReader, Palette, SessionFacts, TestCase, ViewAction, ViewEvent,
    ViewModel, differing, draw,
};

use super::canvas::{self, Canvas};
use super::stored_steps::StoredSteps;
use crate::cpu_time::{process_cpu_time, thread_cpu_time};
use crate::keys::RawTerminal;
use crate::report::reporter::{NextSearch, SearchControls};
use crate::report::work_board::WorkBoard;

/// The view of a session. Dropping it gives the terminal back.
pub(super) struct SessionView {
    shared: Arc<SharedModel>,
    board: Arc<WorkBoard>,
    thread: Option<JoinHandle<()>>,
}

/// The model, as both threads use it.
struct SharedModel {
    state: Mutex<ModelState>,
    is_over: Arc<AtomicBool>,
    /// The command that fails on the result.
    command: String,
}

struct ModelState {
    model: ViewModel,
    has_changed: bool,
    /// Whether the user copied the command.
    is_copied: bool,
}

impl SharedModel {
    fn lock(&self) -> MutexGuard<'_, ModelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionView {
    /// Shows a search.
    pub(super) fn open(facts: SessionFacts, controls: SearchControls, palette: Palette) -> Self {
        let input = Arc::clone(&controls.input);
        let board = WorkBoard::new(controls.jobs, input, controls.form);
        let board = Arc::new(board);
        let language = facts.language.as_deref().and_then(Language::named);
        let mut model = ViewModel::default();
        model.apply(ViewEvent::Started(facts));
        let shared = Arc::new(SharedModel {
            state: Mutex::new(ModelState {
                model,
                has_changed: true,
                is_copied: false,
            }),
            is_over: Arc::default(),
            command: controls.command.clone(),
        });
        let drawing = Drawing {
            shared: Arc::clone(&shared),
            board: Arc::clone(&board),
            controls,
            palette,
            language,
            terminal: RawTerminal::watching(&shared.is_over),
            canvas: Canvas::new(),
            keys: KeyReader::default(),
            asked: None,
            steps: StoredSteps::default(),
            case: DrawnCase::default(),
            due: Instant::now(),
            budget: CpuBudget::new(),
        };
        // Without a thread there is nothing to see, and the search continues.
        let thread = thread::Builder::new().name("view".to_owned());
        let thread = thread.spawn(move || drawing.run()).ok();
        Self {
            shared,
            board,
            thread,
        }
    }

    pub(super) fn board(&self) -> Arc<WorkBoard> {
        Arc::clone(&self.board)
    }

    /// Records an event, which is drawn soon.
    pub(super) fn apply(&self, event: ViewEvent) {
        if let ViewEvent::Improved(_, best) = &event {
            self.board.set_best(Arc::clone(best));
        }
        let mut state = self.shared.lock();
        state.model.apply(event);
        state.has_changed = true;
    }

    /// Gives the terminal back. Returns the command that the user copied.
    pub(super) fn close(self) -> Option<String> {
        let shared = Arc::clone(&self.shared);
        drop(self);
        let is_copied = shared.lock().is_copied;
        is_copied.then(|| shared.command.clone())
    }
}

impl Drop for SessionView {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.board.end_pause();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed, and gave the terminal back.
            thread.join().ok();
        }
    }
}

/// What the thread works with.
struct Drawing {
    shared: Arc<SharedModel>,
    board: Arc<WorkBoard>,
    controls: SearchControls,
    palette: Palette,
    language: Option<&'static Language>,
    terminal: RawTerminal,
    canvas: Canvas,
    keys: KeyReader,
    /// When the terminal was asked for its background, while it has not answered.
    asked: Option<Instant>,
    steps: StoredSteps,
    case: DrawnCase,
    /// When the view is drawn next, at the earliest.
    due: Instant,
    budget: CpuBudget,
}

/// Shortest time between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);

/// The time that a terminal has to answer before the view gives it back. What it answers later
/// would be typed into the shell.
const ANSWER_WITHIN: Duration = Duration::from_millis(200);

/// Limit on the processor time of the view.
struct CpuBudget {
    opened: Instant,
    /// The processor time of this process until then.
    process: Duration,
}

impl CpuBudget {
    /// What the view may use before it has to wait.
    const BURST: Duration = Duration::from_millis(20);
    /// One part in this many of the time that has passed: enough to draw a few times a second.
    const OF_TIME: u32 = 100;
    /// One part in this many of the processor time of the whole process.
    const OF_PROCESS: u32 = 150;

    fn new() -> Self {
        Self {
            opened: Instant::now(),
            process: process_cpu_time(),
        }
    }

    /// Returns whether this thread, which only draws, may draw again.
    fn is_left(&self, now: Instant) -> bool {
        let time = now.saturating_duration_since(self.opened) / Self::OF_TIME;
        let process = process_cpu_time().saturating_sub(self.process) / Self::OF_PROCESS;
        thread_cpu_time() <= Self::BURST + time.max(process)
    }
}

impl Drawing {
    fn run(mut self) {
        if self.palette != Palette::Monochrome && self.terminal.begin() {
            canvas::write(BACKGROUND_QUERY.as_bytes());
            self.asked = Some(Instant::now());
        }
        while !self.shared.is_over.load(Ordering::Relaxed) {
            self.turn();
        }
        self.canvas.leave();
        while self
            .asked
            .is_some_and(|asked| asked.elapsed() < ANSWER_WITHIN)
        {
            let mut bytes = [0; 64];
            let read = self.terminal.read(&mut bytes);
            let keys = self.keys.read(&bytes[..read]);
            if keys.iter().any(|key| matches!(key, Key::Background(_))) {
                break;
            }
        }
        self.terminal.restore();
    }

    /// Waits for keys for a moment, and draws if there is something new.
    fn turn(&mut self) {
        if self.terminal.take_suspend_request() {
            self.canvas.leave();
            self.terminal.suspend();
            return;
        }
        let mut bytes = [0; 64];
        let read = self.terminal.read(&mut bytes);
        if !self.terminal.is_in_foreground() {
            // Another program has the terminal.
            self.canvas.lose();
            return;
        }
        let is_pressed = self.press(&bytes[..read]);
        let now = Instant::now();
        if is_pressed || now >= self.due && self.budget.is_left(now) {
            self.draw(now, is_pressed);
            self.due = now + INTERVAL;
        }
    }

    /// Uses keys. Returns whether there are any.
    fn press(&mut self, bytes: &[u8]) -> bool {
        let keys = match bytes {
            [] => self.keys.flush().into_iter().collect(),
            bytes => self.keys.read(bytes),
        };
        for key in &keys {
            if let Key::Background(background) = key {
                self.palette = self.palette.on(*background);
                self.asked = None;
            }
            let action = self.shared.lock().model.press(*key);
            match action {
                Some(ViewAction::SkipPass) => self.controls.skip_pass.request(),
                Some(ViewAction::TogglePause) => {
                    let is_paused = self.board.toggle_pause();
                    self.apply(ViewEvent::Paused(is_paused));
                }
                Some(ViewAction::Quit) => self.end(None),
                Some(ViewAction::ReduceFailure(name)) => {
                    self.end(Some(name.map_or(NextSearch::OfInput, NextSearch::Other)));
                }
                Some(ViewAction::RestartFrom(number)) => {
                    self.end(Some(NextSearch::FromResult(number)));
                }
                Some(ViewAction::CopyCommand) => {
                    canvas::copy(&self.shared.command);
                    self.shared.lock().is_copied = true;
                    let note = "the command is copied, and printed at the end";
                    self.apply(ViewEvent::Note(note.to_owned()));
                }
                Some(ViewAction::Redraw) => self.canvas.forget(),
                Some(ViewAction::ListSteps) => {
                    let rows = self.steps.read(&self.controls.steps);
                    self.apply(ViewEvent::Steps(rows));
                }
                None => {}
            }
        }
        // Once for all keys: they may be pressed faster than texts are compared.
        let wanted = self.shared.lock().model.wanted_step();
        if let Some(place) = wanted {
            let texts = self.steps.texts(place, &self.controls.steps);
            self.apply(ViewEvent::StepTexts(place, texts));
        }
        !keys.is_empty()
    }

    /// Ends the search with its best result. Something else may be reduced next.
    fn end(&self, next: Option<NextSearch>) {
        if let Some(switch) = &self.controls.switch {
            switch.choose(next);
        }
        self.controls.interrupt.trigger();
        self.board.end_pause();
        self.apply(ViewEvent::Paused(false));
    }

    fn apply(&self, event: ViewEvent) {
        self.shared.lock().model.apply(event);
    }

    fn draw(&mut self, now: Instant, is_pressed: bool) {
        let workers = self.board.rows(now);
        let is_running = workers.iter().any(|worker| worker.running.is_some());
        let mut model = {
            let mut state = self.shared.lock();
            let has_changed = std::mem::take(&mut state.has_changed);
            if !(has_changed || is_pressed || is_running || self.canvas.is_outdated()) {
                return;
            }
            state
                .model
                .apply(ViewEvent::Output(self.board.best_output()));
            state.model.clone()
        };
        model.apply(ViewEvent::Workers(workers));
        self.case.update(&mut model, self.language, &self.shared);
        let (case, palette) = (&self.case.case, self.palette);
        self.canvas
            .draw(|buffer| draw(&model, case, palette, buffer));
    }
}

/// The test case that is drawn.
#[derive(Default)]
struct DrawnCase {
    case: TestCase,
    text: Option<Arc<[u8]>>,
}

impl DrawnCase {
    /// Prepares the best test case, if it is another one than before.
    fn update(
        &mut self,
        model: &mut ViewModel,
        language: Option<&'static Language>,
        shared: &SharedModel,
    ) {
        let (best, previous) = model.best();
        if (self.text.as_ref()).is_some_and(|text| Arc::ptr_eq(text, best)) {
            return;
        }
        let previous = previous.map(|previous| &previous[..]);
        let changed = previous.map_or(0, |previous| differing(previous, best)[1].start);
        let colours = language.map(|language| colours(language, best, changed));
        self.text = Some(Arc::clone(best));
        self.case = TestCase::new(Arc::clone(best), previous, colours.unwrap_or_default());
        if model.shows_diff() {
            model.compare_with_input();
            shared.lock().model.take_comparison(model);
        }
    }
}

/// Bytes before and after the last change that have colours. The lines around it are shown.
const COLOURED: usize = 8 << 10;

/// Returns the colours of a test case around a byte. A part is read as if it were a whole text:
/// its tokens are mostly the same.
fn colours(language: &Language, text: &[u8], around: usize) -> Vec<ClassifiedToken> {
    let from = around.saturating_sub(COLOURED);
    let line = text[..from].iter().rposition(|byte| *byte == b'\n');
    let start = line.map_or(0, |place| place + 1);
    // Of a long line, a part.
    let start = if start + COLOURED < from { from } else { start };
    let mut tokens = language.classify(&text[start..text.len().min(around + COLOURED)]);
    for token in &mut tokens {
        token.bytes = start + token.bytes.start..start + token.bytes.end;
    }
    tokens
}
