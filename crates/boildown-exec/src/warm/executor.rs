//! The executor of warm runs: a harness for each worker, compared with fresh runs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::harness::{Asked, Harness};
use super::harness_start::{HarnessKind, HarnessStart};
use crate::scratch::ReusableRunDir;
use crate::spawn::{self, Invocation, Limits};
use crate::{CommandLine, Executor, RunRequest, Runner, Scratch};
use boildown_oracle::{Capture, Interrupt, OracleError, Outcome, Run};

/// The number of runs that are all compared with fresh ones, at the beginning.
const COMPARED_FIRST: u64 = 8;

/// After these, about one candidate of this many is run fresh too.
const COMPARED_EVERY: u64 = 64;

/// The number of candidates whose outcomes are remembered.
const REMEMBERED: usize = 1 << 20;

/// The number of faults of harnesses, beyond one for a hundred runs, after which there are no more
/// warm runs.
const FAULTS: u64 = 8;

/// What is known about the agreement of warm and fresh runs.
#[derive(Debug, Default)]
pub struct WarmStatus {
    agreements: AtomicU64,
    has_differed: AtomicBool,
    is_off: AtomicBool,
}

impl WarmStatus {
    /// Returns how many fresh runs have ended as the warm ones before them.
    #[must_use]
    pub fn agreements(&self) -> u64 {
        self.agreements.load(Ordering::Relaxed)
    }

    /// Returns whether there are no more warm runs.
    #[must_use]
    pub fn is_off(&self) -> bool {
        self.is_off.load(Ordering::Relaxed)
    }

    /// Returns whether a warm run turned out to differ from fresh ones, so that what warm runs have
    /// shown may be wrong.
    #[must_use]
    pub fn has_differed(&self) -> bool {
        self.has_differed.load(Ordering::Relaxed)
    }

    /// Returns the same, and forgets it.
    #[must_use]
    pub fn take_difference(&self) -> bool {
        self.has_differed.swap(false, Ordering::Relaxed)
    }
}

/// An executor that runs candidates in programs that were started before.
///
/// Runs the first candidates, about one of 64 later ones, and every candidate that is run a second
/// time as usual, in a fresh process, and compares. If a warm run differs from two fresh ones that
/// agree, there are no more warm runs, and [`WarmStatus`] says that earlier ones may be wrong.
/// A fault of a harness costs time, never a verdict: the candidate is run again.
#[derive(Debug)]
pub struct WarmExecutor {
    idle: Mutex<Vec<WarmPlace>>,
    start: HarnessStart,
    command: CommandLine,
    input: Arc<[u8]>,
    /// The least time limit of a fresh run. That of warm runs follows their times.
    fresh_timeout: Duration,
    state: Mutex<WarmState>,
    status: Arc<WarmStatus>,
    // Declared last, because the directories of the places are in it.
    scratch: Arc<Scratch>,
}

/// The directories of a worker, and the harness that runs candidates there.
#[derive(Debug)]
struct WarmPlace {
    // Declared first, because it has to end before its thread.
    harness: Option<Harness>,
    dirs: ReusableRunDir,
}

#[derive(Debug, Default)]
struct WarmState {
    /// Whether there are no more warm runs.
    is_off: bool,
    notes: Vec<String>,
    runs: u64,
    faults: u64,
    last_fault: String,
    /// The outcomes of warm runs, by the hash of the candidate.
    outcomes: HashMap<u64, Outcome>,
}

/// How a candidate is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Warm,
    /// Warm, and fresh to compare.
    Both,
    Fresh,
}

impl WarmExecutor {
    /// Returns an executor for the command of a runner, whose time limit is that of a fresh run.
    /// `input` is what each harness runs first.
    ///
    /// # Errors
    /// [`OracleError::Scratch`] when the files of the harness cannot be written.
    pub fn new(kind: &HarnessKind, runner: &Runner, input: Arc<[u8]>) -> Result<Self, OracleError> {
        let start = HarnessStart::new(kind, &runner.scratch)?;
        Ok(Self {
            idle: Mutex::default(),
            start,
            command: runner.command.clone(),
            input,
            fresh_timeout: runner.limits.timeout,
            state: Mutex::default(),
            status: Arc::default(),
            scratch: Arc::clone(&runner.scratch),
        })
    }

    /// Returns what is known about the agreement with fresh runs.
    #[must_use]
    pub fn status(&self) -> &Arc<WarmStatus> {
        &self.status
    }

    /// Returns what happened since the last call, as sentences for the user.
    #[must_use]
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.state().notes)
    }

    /// Compares runs on the input: one warm, after a first one that prepares the harness, and one
    /// fresh. Returns the times of both; `None` when there are no warm runs, and a note says why.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn try_out(
        &self,
        runner: &Runner,
        interrupt: &Interrupt,
    ) -> Result<Option<[Duration; 2]>, OracleError> {
        let run = WarmRun {
            executor: self,
            runner,
            request: &RunRequest {
                candidate: &self.input,
                capture: Capture::Output,
                limits: &runner.limits,
            },
            interrupt,
        };
        let mut place = run.place()?;
        let warm = run.warm(&mut place)?;
        let times = match warm {
            Some(warm) => {
                self.remember(hash_of(&self.input), warm.outcome);
                let fresh = run.compare(&mut place, &warm)?;
                Some([warm.took, fresh.took])
            }
            None => None,
        };
        self.put_back(place);
        if times.is_none() && !self.state().is_off {
            let why = std::mem::take(&mut self.state().last_fault);
            self.turn_off(format!(
                "warm runs are off: the harness failed on the input: {why}"
            ));
        }
        Ok(times.filter(|_| !self.state().is_off))
    }

    /// Ends the harnesses. Later runs are fresh.
    pub fn turn_off(&self, note: String) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.is_off, true) {
            state.notes.push(note);
            self.status.is_off.store(true, Ordering::Relaxed);
            drop(state);
            self.idle().clear();
        }
    }

    /// Returns the limits of a fresh run, in place of those of a warm one.
    fn fresh_limits(&self, limits: &Limits) -> Limits {
        Limits {
            timeout: limits.timeout.max(self.fresh_timeout),
            ..limits.clone()
        }
    }

    fn state(&self) -> MutexGuard<'_, WarmState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<WarmPlace>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_back(&self, place: WarmPlace) {
        let mut place = place;
        if place.dirs.clear() && !self.state().is_off {
            self.idle().push(place);
        }
    }

    /// Decides how a candidate is run. A second run of a candidate is to show how sure the first
    /// was, so it is fresh.
    fn mode(&self, content: u64) -> Mode {
        let mut state = self.state();
        if state.is_off || state.outcomes.contains_key(&content) {
            return Mode::Fresh;
        }
        state.runs += 1;
        match state.runs <= COMPARED_FIRST || content.is_multiple_of(COMPARED_EVERY) {
            true => Mode::Both,
            false => Mode::Warm,
        }
    }

    fn remember(&self, content: u64, outcome: Outcome) {
        let mut state = self.state();
        if state.outcomes.len() >= REMEMBERED {
            state.outcomes.clear();
        }
        state.outcomes.insert(content, outcome);
    }

    /// Notes a fault of a harness.
    fn count_fault(&self, why: &str) {
        let mut state = self.state();
        state.faults += 1;
        why.clone_into(&mut state.last_fault);
        if state.faults > FAULTS + state.runs / 100 {
            drop(state);
            self.turn_off(format!(
                "warm runs are off: the harness failed again and again: {why}"
            ));
        }
    }

    fn note_difference(&self, warm: &Run, fresh: &Run) {
        self.status.has_differed.store(true, Ordering::Relaxed);
        let what = match warm.outcome == fresh.outcome {
            true => "printed something else".to_owned(),
            false => format!("{} instead of {}", warm.outcome, fresh.outcome),
        };
        self.turn_off(format!(
            "warm runs are off: a warm run {what} than fresh runs of the same candidate; what only \
             warm runs have shown is tested again"
        ));
    }
}

impl Executor for WarmExecutor {
    fn execute(
        &self,
        runner: &Runner,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        if runner.command != self.command || runner.project.is_some() {
            return runner.run_here(request, interrupt);
        }
        let content = hash_of(request.candidate);
        let mode = self.mode(content);
        if mode == Mode::Fresh {
            return self.run_again(content, runner, request, interrupt);
        }
        let capture = match mode {
            Mode::Both => Capture::Output,
            Mode::Warm | Mode::Fresh => request.capture,
        };
        let run = WarmRun {
            executor: self,
            runner,
            request: &RunRequest {
                capture,
                ..*request
            },
            interrupt,
        };
        let mut place = run.place()?;
        let Some(warm) = run.warm(&mut place)? else {
            self.put_back(place);
            let limits = &self.fresh_limits(request.limits);
            return runner.run_here(&RunRequest { limits, ..*request }, interrupt);
        };
        self.remember(content, warm.outcome);
        let shown = match mode {
            Mode::Both => run.compare(&mut place, &warm)?,
            Mode::Warm | Mode::Fresh => warm,
        };
        self.put_back(place);
        self.scratch.check_room()?;
        Ok(match request.capture {
            Capture::Output => shown,
            Capture::Nothing => Run {
                stdout: Vec::new(),
                stderr: Vec::new(),
                ..shown
            },
        })
    }
}

impl WarmExecutor {
    /// Runs a candidate fresh that was run warm before, if its outcome is remembered.
    fn run_again(
        &self,
        content: u64,
        runner: &Runner,
        request: &RunRequest<'_>,
        interrupt: &Interrupt,
    ) -> Result<Run, OracleError> {
        let limits = self.fresh_limits(request.limits);
        let request = &RunRequest {
            limits: &limits,
            ..*request
        };
        let fresh = runner.run_here(request, interrupt)?;
        let before = match self.state() {
            state if state.is_off => None,
            state => state.outcomes.get(&content).copied(),
        };
        match before {
            Some(before) if before == fresh.outcome => {
                self.status.agreements.fetch_add(1, Ordering::Relaxed);
            }
            Some(before) if !before.is_cut_short() && !fresh.outcome.is_cut_short() => {
                let run = WarmRun {
                    executor: self,
                    runner,
                    request: &RunRequest {
                        capture: Capture::Output,
                        ..*request
                    },
                    interrupt,
                };
                let mut place = run.place()?;
                if let Some(warm) = run.warm(&mut place)? {
                    run.compare(&mut place, &warm)?;
                }
                self.put_back(place);
            }
            _ => {}
        }
        Ok(fresh)
    }
}

/// A candidate that is run warm.
struct WarmRun<'a> {
    executor: &'a WarmExecutor,
    runner: &'a Runner,
    request: &'a RunRequest<'a>,
    interrupt: &'a Interrupt,
}

impl WarmRun<'_> {
    /// Returns directories with the candidate in them, with a harness if one is idle.
    fn place(&self) -> Result<WarmPlace, OracleError> {
        let idle = self.executor.idle().pop();
        if let Some(mut place) = idle {
            self.refill(&mut place.dirs)?;
            return Ok(place);
        }
        let sandbox = self.request.limits.sandbox.as_ref();
        let (file, candidate) = (&self.runner.file, self.request.candidate);
        Ok(WarmPlace {
            harness: None,
            dirs: (self.executor.scratch).new_reusable_run_dir(sandbox, file, candidate)?,
        })
    }

    fn refill(&self, dirs: &mut ReusableRunDir) -> Result<(), OracleError> {
        dirs.refill(&self.runner.file, self.request.candidate)
    }

    fn invocation(&self, place: &WarmPlace) -> Invocation {
        (self.runner.command).invocation(&place.dirs.dir, self.request.capture)
    }

    /// Runs the candidate, in a new harness if there is none or it has a fault; `None` when it has
    /// to be run fresh.
    fn warm(&self, place: &mut WarmPlace) -> Result<Option<Run>, OracleError> {
        for _ in 0..2 {
            if self.executor.state().is_off {
                return Ok(None);
            }
            if place.harness.is_none() && !self.start(place)? {
                return Ok(None);
            }
            match self.ask(place)? {
                Asked::Ran(run) => return Ok(Some(run)),
                Asked::Unsayable => return Ok(None),
                Asked::Refused(why) => {
                    self.executor.turn_off(format!("warm runs are off: {why}"));
                    return Ok(None);
                }
                Asked::Fault(why) => {
                    place.harness = None;
                    if self.interrupt.is_triggered() {
                        return Err(OracleError::Interrupted);
                    }
                    self.executor.count_fault(&why);
                    self.renew(place)?;
                }
            }
        }
        Ok(None)
    }

    /// Makes the directories those of a run that begins. When a run has left them in a state that
    /// cannot be emptied, they are replaced.
    fn renew(&self, place: &mut WarmPlace) -> Result<(), OracleError> {
        if place.dirs.clear() {
            return self.refill(&mut place.dirs);
        }
        let sandbox = self.request.limits.sandbox.as_ref();
        let (file, candidate) = (&self.runner.file, self.request.candidate);
        place.harness = None;
        place.dirs = (self.executor.scratch).new_reusable_run_dir(sandbox, file, candidate)?;
        Ok(())
    }

    /// Starts a harness and lets it run the input, which prepares it. Returns whether it is there.
    fn start(&self, place: &mut WarmPlace) -> Result<bool, OracleError> {
        let invocation = self.invocation(place);
        let limits = self.request.limits;
        let start = &self.executor.start;
        let started = Harness::start(start, &mut place.dirs, &invocation, limits, self.interrupt)?;
        match started {
            Ok(harness) => place.harness = Some(harness),
            Err(why) => {
                (self.executor).turn_off(format!(
                    "warm runs are off: the harness did not start: {why}"
                ));
                return Ok(false);
            }
        }
        if place.dirs.clear() {
            place.dirs.refill(&self.runner.file, &self.executor.input)?;
        }
        let asked = self.ask(place);
        if matches!(asked, Ok(Asked::Fault(_)) | Err(_)) {
            place.harness = None;
        }
        match asked {
            Ok(Asked::Refused(why)) => self.executor.turn_off(format!("warm runs are off: {why}")),
            Ok(Asked::Fault(_)) if self.interrupt.is_triggered() => {
                return Err(OracleError::Interrupted);
            }
            Ok(Asked::Fault(why)) => self.executor.count_fault(&why),
            Ok(Asked::Ran(_) | Asked::Unsayable) => {}
            Err(error) => return Err(error),
        }
        let is_there = place.harness.is_some();
        self.renew(place)?;
        Ok(is_there && place.harness.is_some() && !self.executor.state().is_off)
    }

    fn ask(&self, place: &mut WarmPlace) -> Result<Asked, OracleError> {
        let invocation = self.invocation(place);
        let Some(harness) = &mut place.harness else {
            return Ok(Asked::Fault("there is none".to_owned()));
        };
        let candidate = place.dirs.dir.candidate();
        harness.run(&invocation, candidate, self.request.limits, self.interrupt)
    }

    /// Runs the candidate fresh in the same directories, and compares. Returns the fresh run.
    ///
    /// What differs counts only if a second fresh run is as the first. Output, of which a part may
    /// vary, has to differ in a second warm run too.
    fn compare(&self, place: &mut WarmPlace, warm: &Run) -> Result<Run, OracleError> {
        let fresh = self.fresh(place)?;
        if is_alike(warm, &fresh) {
            self.executor
                .status
                .agreements
                .fetch_add(1, Ordering::Relaxed);
            return Ok(fresh);
        }
        if fresh.outcome.is_cut_short() {
            return Ok(warm.clone());
        }
        if warm.outcome.is_cut_short() {
            return Ok(fresh);
        }
        let second = self.fresh(place)?;
        if differs(&warm.outcome, &fresh.outcome, &second.outcome) {
            self.executor.note_difference(warm, &fresh);
        } else if output_differs(warm, &fresh, &second) {
            self.renew(place)?;
            let again = self.warm(place)?;
            if again.is_some_and(|again| output_differs(&again, &fresh, &second)) {
                self.executor.note_difference(warm, &fresh);
            }
        }
        Ok(fresh)
    }

    fn fresh(&self, place: &mut WarmPlace) -> Result<Run, OracleError> {
        self.renew(place)?;
        let invocation = self.invocation(place);
        let limits = self.executor.fresh_limits(self.request.limits);
        spawn::run_in(&mut place.dirs.thread, &invocation, &limits, self.interrupt)
    }
}

/// Returns a number that tells candidates apart, but for rare accidents, after which one is run
/// fresh.
fn hash_of(candidate: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    candidate.hash(&mut hasher);
    hasher.finish()
}

/// Returns whether two runs ended in the same way with the same output.
fn is_alike(one: &Run, other: &Run) -> bool {
    (one.outcome, &one.stdout, &one.stderr) == (other.outcome, &other.stdout, &other.stderr)
}

/// Returns whether something about a warm run differs from two fresh runs that agree.
fn differs<T: PartialEq>(warm: &T, first: &T, second: &T) -> bool {
    first == second && warm != first
}

fn output_differs(warm: &Run, first: &Run, second: &Run) -> bool {
    differs(&warm.stdout, &first.stdout, &second.stdout)
        || differs(&warm.stderr, &first.stderr, &second.stderr)
}
