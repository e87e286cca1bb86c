//! A reduction with simulated workers, in virtual time.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use anyhow::Result;
use boildown_document::Candidate;
use boildown_reduce::Reduction;
use boildown_search::{Fingerprint, LookAhead, Planner, QueryId, Search as _, Verdict};
use rustix::time::{ClockId, clock_gettime};

use super::calibration::Calibration;
use super::latency::Latency;
use crate::verdicts::Verdicts;

/// The number of questions between two reports.
const REPORT: u64 = 250;

/// The workers of a replay, and what things cost there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) workers: usize,
    pub(super) latency: Latency,
    /// The mean duration of a test, in seconds.
    pub(super) mean: f64,
    /// What a second of the planner's own time costs in virtual time.
    pub(super) driver_cost: f64,
    /// The number of questions after which to stop.
    pub(super) questions: u64,
}

/// What a replay came to.
#[derive(Debug, Clone)]
pub(super) struct Replayed {
    /// Virtual seconds from the start to the last verdict.
    pub(super) seconds: f64,
    /// The verdicts that the search was told.
    pub(super) questions: u64,
    /// The tests that were started.
    pub(super) runs: u64,
    /// The planner's own time, in seconds.
    pub(super) driver: f64,
    /// The largest amount of memory in use, in bytes, where the system tells it.
    pub(super) memory: Option<u64>,
    pub(super) best: Candidate,
    /// In the order in which the passes first ran.
    pub(super) passes: Vec<PassShare>,
    pub(super) calibration: Calibration,
    pub(super) progress: Vec<Progress>,
}

/// What was left at some time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    pub(super) tokens: usize,
    pub(super) bytes: usize,
    pub(super) questions: u64,
    pub(super) seconds: f64,
}

/// The share of one pass.
#[derive(Debug, Clone, Default)]
pub(super) struct PassShare {
    pub(super) name: &'static str,
    /// Virtual seconds in which the search waited for a verdict.
    pub(super) seconds: f64,
    pub(super) hits: u64,
    pub(super) misses: u64,
    /// How surprising the verdicts were, in bits. Speculation with right odds decides about log₂ of
    /// the number of workers in bits at a time.
    pub(super) surprise: f64,
}

/// A test on a simulated worker.
struct Running {
    id: QueryId,
    verdict: Verdict,
    ends_at: f64,
}

struct Replay<'a, 'b> {
    planner: Planner<Reduction>,
    verdicts: &'a mut Verdicts<'b>,
    setting: Setting,
    running: Vec<Running>,
    now: f64,
    runs: u64,
    questions: u64,
    driver: Duration,
    passes: Vec<PassShare>,
    /// The odds that the planner gave to the tests that were started.
    odds: HashMap<Fingerprint, f64>,
    calibration: Calibration,
    progress: Vec<Progress>,
}

/// Runs a reduction to its end. As in a session, one thread plans, hands out candidates and takes
/// verdicts, and its own time passes while the workers are busy; one that it lets wait is idle.
pub(super) fn replay(
    search: Reduction,
    verdicts: &mut Verdicts<'_>,
    setting: Setting,
) -> Result<Replayed> {
    reset_peak();
    let mut replay = Replay {
        planner: Planner::stepwise(search),
        verdicts,
        setting,
        running: Vec::new(),
        now: 0.0,
        runs: 0,
        questions: 0,
        driver: Duration::ZERO,
        passes: Vec::new(),
        odds: HashMap::new(),
        calibration: Calibration::default(),
        progress: Vec::new(),
    };
    replay.note_progress();
    replay.advance();
    while !replay.planner.is_finished() && replay.questions < setting.questions {
        replay.start_tests()?;
        replay.take_answers();
        replay.advance();
    }
    Ok(Replayed {
        seconds: replay.now,
        questions: replay.questions,
        runs: replay.runs,
        driver: replay.driver.as_secs_f64(),
        memory: peak(),
        best: replay.planner.search().best(),
        passes: replay.passes,
        calibration: replay.calibration,
        progress: replay.progress,
    })
}

impl Replay<'_, '_> {
    /// Lets the planner work, for what that costs.
    fn plan<T>(&mut self, work: impl FnOnce(&mut Planner<Reduction>) -> T) -> T {
        let before = cpu_time();
        let done = work(&mut self.planner);
        let took = cpu_time().saturating_sub(before);
        self.driver += took;
        self.now += took.as_secs_f64() * self.setting.driver_cost;
        done
    }

    fn pass(&mut self) -> &mut PassShare {
        let pass = self.planner.search().inner().pass();
        let name = pass.map_or("end", |pass| pass.name());
        let place = self.passes.iter().position(|share| share.name == name);
        let place = place.unwrap_or_else(|| {
            self.passes.push(PassShare {
                name,
                ..PassShare::default()
            });
            self.passes.len() - 1
        });
        &mut self.passes[place]
    }

    /// Tells the search the verdicts that it waits for, and forgets tests that are not needed.
    fn advance(&mut self) {
        while self.questions < self.setting.questions {
            while !self.planner.is_settled() {
                self.plan(Planner::settle);
            }
            let odds = self.planner.odds();
            self.pass();
            let pass = self.planner.search().inner().pass();
            let Some(told) = self.plan(Planner::advance) else {
                break;
            };
            self.questions += 1;
            let name = pass.map_or("end", |pass| pass.name());
            let is_hit = told.verdict.is_interesting();
            if let Some(share) = self.passes.iter_mut().find(|share| share.name == name) {
                let odds = odds.unwrap_or(0.5);
                let likely = if is_hit { odds } else { 1.0 - odds };
                share.surprise -= likely.max(1e-6).log2();
                share.hits += u64::from(is_hit);
                share.misses += u64::from(!is_hit);
            }
            let of_planner = self.odds.remove(&told.fingerprint);
            self.calibration
                .add(odds.unwrap_or(0.5), of_planner, told.verdict);
            if is_hit {
                self.note_progress();
            }
            if self.questions.is_multiple_of(REPORT) {
                let tokens = self.planner.search().best().token_count();
                let (questions, seconds) = (self.questions, self.now);
                eprintln!("{questions} questions: {seconds:.1} s, {tokens} tokens");
            }
        }
        let abandoned = self.plan(Planner::abandoned);
        self.running.retain(|test| !abandoned.contains(&test.id));
    }

    /// Notes what is left, whenever it has become half of what was noted before.
    fn note_progress(&mut self) {
        let best = self.planner.search().best();
        let bytes = best.bytes().len();
        if (self.progress.last()).is_none_or(|last| 2 * bytes <= last.bytes) {
            self.progress.push(Progress {
                tokens: best.token_count(),
                bytes,
                questions: self.questions,
                seconds: self.now,
            });
        }
    }

    /// Hands candidates to the workers that are free.
    fn start_tests(&mut self) -> Result<()> {
        let mut starts = Vec::new();
        while self.running.len() + starts.len() < self.setting.workers {
            match self.plan(Planner::next) {
                Some(ticket) => starts.push((ticket, self.now)),
                None if self.plan(Planner::look_ahead) == LookAhead::Nothing => break,
                None => {}
            }
        }
        let candidates: Vec<Candidate> = (starts.iter())
            .map(|(ticket, _)| ticket.candidate.clone())
            .collect();
        let judged = self.verdicts.judge(&candidates)?;
        for ((ticket, starts_at), judged) in starts.into_iter().zip(judged) {
            let Setting { latency, mean, .. } = self.setting;
            let takes = latency.seconds(ticket.fingerprint, judged.seconds, mean);
            self.runs += 1;
            self.odds.insert(ticket.fingerprint, ticket.odds);
            self.running.push(Running {
                id: ticket.id,
                verdict: judged.verdict,
                ends_at: starts_at + takes,
            });
        }
        Ok(())
    }

    /// Waits for the next verdict, and takes all that have come.
    fn take_answers(&mut self) {
        let ends = self.running.iter().map(|test| test.ends_at);
        let next = ends.min_by(f64::total_cmp);
        let next = next.expect("an unfinished search waits for a test");
        let waits = (next - self.now).max(0.0);
        self.pass().seconds += waits;
        self.now += waits;
        let now = self.now;
        let mut come: Vec<Running> = self
            .running
            .extract_if(.., |test| test.ends_at <= now + 1e-9)
            .collect();
        come.sort_by(|one, other| one.ends_at.total_cmp(&other.ends_at));
        for test in come {
            self.plan(|planner| planner.answer(test.id, test.verdict));
        }
    }
}

/// Returns the processor time of this thread, which other load does not change.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}

/// Makes the system forget the largest amount of memory that was in use.
fn reset_peak() {
    // Elsewhere the peak is that of all replays so far.
    let _only_on_linux = fs::write("/proc/self/clear_refs", "5");
}

/// Returns the largest amount of memory that was in use, in bytes.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
