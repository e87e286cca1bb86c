//! The runs of the workers of a reduction, for a user who watches, and a gate that pauses them.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use boildown_oracle::{Answer, Interrupt, Oracle, OracleError, Run};
use boildown_session::{InputForm, OracleStage};
use boildown_view::WorkerRow;

/// What the workers run. The oracle writes to it, another thread shows it.
pub(crate) struct WorkBoard {
    form: InputForm,
    state: Mutex<BoardState>,
    continued: Condvar,
}

struct BoardState {
    is_paused: bool,
    /// The best test case.
    best: Arc<[u8]>,
    workers: usize,
    /// One for each worker, `None` while it waits; more while the best result is run again, too.
    running: Vec<Option<BoardEntry>>,
    /// What the command printed on the last interesting candidates.
    outputs: VecDeque<CandidateOutput>,
    /// What it printed on the best test case.
    best_output: Option<Arc<[u8]>>,
}

/// What the command printed on a candidate.
struct CandidateOutput {
    candidate: u64,
    text: Arc<[u8]>,
}

impl CandidateOutput {
    /// The size of the part that is kept, the end, in bytes.
    const KEPT: usize = 16 << 10;

    fn new(candidate: &[u8], run: &Run) -> Self {
        let is_silent = run.stderr.trim_ascii().is_empty();
        let output = if is_silent { &run.stdout } else { &run.stderr };
        Self {
            candidate: short_hash(candidate),
            text: output[output.len().saturating_sub(Self::KEPT)..].into(),
        }
    }
}

fn short_hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A run of a candidate.
struct BoardEntry {
    since: Instant,
    bytes: usize,
    base: Arc<[u8]>,
    lacks: Option<std::ops::Range<usize>>,
}

/// The largest test case of which candidates are compared with it, in bytes.
const COMPARED: usize = 64 << 10;

/// Time between two checks of a paused worker for an interrupt.
const PAUSE_CHECK: Duration = Duration::from_millis(50);

impl WorkBoard {
    pub(crate) fn new(workers: usize, best: Arc<[u8]>, form: InputForm) -> Self {
        Self {
            form,
            state: Mutex::new(BoardState {
                is_paused: false,
                best,
                workers,
                running: (0..workers).map(|_| None).collect(),
                outputs: VecDeque::new(),
                best_output: None,
            }),
            continued: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what candidates are compared with.
    pub(super) fn set_best(&self, best: Arc<[u8]>) {
        let hash = short_hash(&best);
        let mut state = self.lock();
        let mut outputs = state.outputs.iter().rev();
        let found = match self.form {
            InputForm::File => outputs.find(|output| output.candidate == hash),
            // What is shown of a folder is not what was run.
            InputForm::Folder => outputs.next(),
        };
        state.best_output = found.map(|output| Arc::clone(&output.text));
        state.best = best;
    }

    /// Returns what the command printed on the best test case, if it ran on it.
    pub(super) fn best_output(&self) -> Option<Arc<[u8]>> {
        self.lock().best_output.clone()
    }

    /// Lets the workers wait before their next candidates, or continue. Returns whether they wait.
    pub(super) fn toggle_pause(&self) -> bool {
        let mut state = self.lock();
        state.is_paused = !state.is_paused;
        self.continued.notify_all();
        state.is_paused
    }

    /// Lets the workers continue.
    pub(super) fn end_pause(&self) {
        self.lock().is_paused = false;
        self.continued.notify_all();
    }

    /// Returns what each worker runs at this time.
    pub(super) fn rows(&self, now: Instant) -> Vec<WorkerRow> {
        let row = |entry: &Option<BoardEntry>| {
            entry
                .as_ref()
                .map_or_else(WorkerRow::default, |entry| WorkerRow {
                    running: Some(now.saturating_duration_since(entry.since)),
                    bytes: entry.bytes as u64,
                    base: Arc::clone(&entry.base),
                    lacks: entry.lacks.clone(),
                })
        };
        self.lock().running.iter().map(row).collect()
    }

    fn wait_while_paused(&self, interrupt: &Interrupt) {
        let mut state = self.lock();
        while state.is_paused && !interrupt.is_triggered() {
            let waited = self.continued.wait_timeout(state, PAUSE_CHECK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records that a run begins. Returns its place.
    fn begin(&self, candidate: &[u8]) -> usize {
        let base = Arc::clone(&self.lock().best);
        let is_compared =
            self.form == InputForm::File && base.len().max(candidate.len()) <= COMPARED;
        let lacks = is_compared
            .then(|| boildown_view::differing(&base, candidate))
            .map(|[lacks, _]| lacks);
        let entry = BoardEntry {
            since: Instant::now(),
            bytes: self.form.size(candidate),
            base,
            lacks,
        };
        let running = &mut self.lock().running;
        let free = running.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            running.push(None);
            running.len() - 1
        });
        running[place] = Some(entry);
        place
    }

    /// Records that the run at this place has ended, and what an interesting candidate printed.
    fn end(&self, place: usize, output: Option<CandidateOutput>) {
        let mut state = self.lock();
        state.running[place] = None;
        state.outputs.extend(output);
        // Workers are ahead of the search.
        while state.outputs.len() > 4 * state.workers.max(1) {
            state.outputs.pop_front();
        }
        while state.running.len() > state.workers
            && state.running.last().is_some_and(Option::is_none)
        {
            state.running.pop();
        }
    }
}

/// Shows the runs, and waits while the user has paused them.
impl OracleStage for WorkBoard {
    fn judge(
        &self,
        inner: &dyn Oracle,
        candidate: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Answer, OracleError> {
        self.wait_while_paused(interrupt);
        let place = self.begin(candidate);
        let answer = inner.judge(candidate, interrupt);
        let hit = answer
            .as_ref()
            .ok()
            .filter(|answer| answer.verdict.is_interesting());
        let run = hit.and_then(|answer| answer.run.as_ref());
        let output = run.map(|run| CandidateOutput::new(candidate, run));
        self.end(place, output);
        answer
    }
}

#[cfg(test)]
mod tests {
    use boildown_oracle::{FnOracle, Verdict};

    use super::*;

    fn board() -> Arc<WorkBoard> {
        let best = b"one\ntwo\nthree\n".as_slice().into();
        Arc::new(WorkBoard::new(1, best, InputForm::File))
    }

    #[test]
    fn a_run_is_shown_with_what_its_candidate_lacks() {
        let board = board();
        let seen = Mutex::new(Vec::new());
        let oracle = FnOracle::new(|_: &[u8]| {
            *seen.lock().unwrap() = board.rows(Instant::now());
            Verdict::Interesting
        });
        board
            .judge(&oracle, b"one\nthree\n", &Interrupt::new().unwrap())
            .unwrap();
        let seen = seen.lock().unwrap();
        let [row] = &seen[..] else {
            panic!("{seen:?}");
        };
        assert_eq!((row.bytes, row.lacks.clone()), (10, Some(5..9)));
        assert_eq!(board.rows(Instant::now())[0].running, None);
    }

    #[test]
    fn a_paused_run_begins_when_the_user_continues_or_interrupts() {
        let board = board();
        let oracle = FnOracle::new(|_: &[u8]| Verdict::Interesting);
        for ends_by_interrupt in [false, true] {
            assert!(board.toggle_pause());
            let interrupt = Interrupt::new().unwrap();
            std::thread::scope(|scope| {
                let run = scope.spawn(|| board.judge(&oracle, b"one\n", &interrupt));
                assert_eq!(board.rows(Instant::now())[0].running, None);
                match ends_by_interrupt {
                    true => interrupt.trigger(),
                    false => board.end_pause(),
                }
                assert_eq!(run.join().unwrap().is_ok(), !ends_by_interrupt);
            });
            board.end_pause();
        }
    }
}
