//! Drives of searches over sets, with closures and small structs for oracles.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use boildown_driver::{
    Budget, Config, Drive, RecalledVerdict, Spent, Step, StopReason, VerdictMemory,
};
use boildown_literature::list::Ddmin;
use boildown_oracle::{Answer, FnOracle, Interrupt, Oracle, OracleError, Outcome, Run, Verdict};
use boildown_search::changes::DdPlus;
use boildown_search::list::{List, Sweep};
use boildown_search::{Fingerprint, Fingerprinted as _, Query, Search, Subset};

fn config(jobs: usize) -> Config {
    Config {
        jobs,
        ..Config::default()
    }
}

/// A verdict that a search received, with the elements of its candidate.
type ToldVerdict = (Vec<usize>, Verdict);

/// The result of a drive.
struct Ended<S> {
    search: S,
    told: Vec<ToldVerdict>,
    stopped: Option<StopReason>,
    spent: Spent,
}

/// Drives a search until it finishes or stops. Calls `on_tick` at each tick.
fn drive<S: Search<Candidate = Subset>>(
    search: S,
    oracle: &dyn Oracle<Subset>,
    config: &Config,
    on_tick: &mut dyn FnMut(),
) -> Result<Ended<S>, OracleError> {
    std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, search, oracle, config);
        let mut told = Vec::new();
        let stopped = loop {
            match drive.step()? {
                Step::Told(one) => told.push((one.candidate.iter().collect(), one.verdict)),
                Step::Prepared => {}
                Step::Tick => on_tick(),
                Step::Finished => break None,
                Step::Stopped(reason) => break Some(reason),
            }
        };
        Ok(Ended {
            search: drive.search().clone(),
            told,
            stopped,
            spent: drive.spent(),
        })
    })
}

fn ddmin() -> Ddmin {
    Ddmin::on(List::uniform(16))
}

fn drive_ddmin(oracle: &dyn Oracle<Subset>, config: &Config) -> Result<Ended<Ddmin>, OracleError> {
    drive(ddmin(), oracle, config, &mut || {})
}

/// Interesting while 3 and 7 are kept; takes longer for some sets than for others.
fn has_three_and_seven(kept: &Subset) -> Verdict {
    std::thread::sleep(Duration::from_micros(kept.count() as u64 % 7 * 150));
    if kept.contains(3) && kept.contains(7) {
        Verdict::Interesting
    } else {
        Verdict::Uninteresting
    }
}

#[test]
fn any_number_of_jobs_gives_the_same_verdicts_in_the_same_order() {
    // 8 fails with 13; a set with 4 needs 5.
    let oracle = FnOracle::new(|applied: &Subset| {
        std::thread::sleep(Duration::from_micros(applied.count() as u64 % 7 * 150));
        if applied.contains(4) && !applied.contains(5) {
            Verdict::Unresolved
        } else if applied.contains(8) && applied.contains(13) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    let with = |jobs| {
        let search = DdPlus::on(Subset::full(20));
        let ended = drive(search, &oracle, &config(jobs), &mut || {}).unwrap();
        assert_eq!(ended.stopped, None);
        let found = ended.search.found().expect("the search has finished");
        (found.iter().collect::<Vec<_>>(), ended.told)
    };
    let alone = with(1);
    assert_eq!(alone.0, [8, 13]);
    assert!(alone.1.iter().any(|told| told.1 == Verdict::Unresolved));
    for jobs in [2, 7, 32] {
        assert_eq!(with(jobs), alone, "{jobs} jobs");
    }
}

#[test]
fn a_budget_of_tests_ends_at_the_same_test_with_any_number_of_jobs() {
    let oracle = FnOracle::new(has_three_and_seven);
    for most in [1, 3, 7] {
        let with = |jobs| {
            let config = Config {
                budget: Budget {
                    queries: Some(most),
                    time: None,
                },
                ..config(jobs)
            };
            let ended = drive_ddmin(&oracle, &config).unwrap();
            assert_eq!(ended.stopped, Some(StopReason::QueryLimit));
            assert_eq!(ended.spent.queries, most);
            ended.told
        };
        assert_eq!(with(1), with(8));
    }
}

/// Cannot answer after a number of answers.
struct Failing {
    answers: usize,
    calls: AtomicUsize,
}

impl Oracle<Subset> for Failing {
    fn judge(&self, candidate: &Subset, _: &Interrupt) -> Result<Answer, OracleError> {
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.answers {
            return Err(OracleError::NoCommand);
        }
        Ok(Answer {
            verdict: has_three_and_seven(candidate),
            run: None,
        })
    }
}

#[test]
fn an_oracle_that_cannot_answer_ends_the_drive_with_its_error() {
    for jobs in [1, 4] {
        let oracle = Failing {
            answers: 6,
            calls: AtomicUsize::new(0),
        };
        let ended = drive_ddmin(&oracle, &config(jobs));
        assert!(matches!(ended, Err(OracleError::NoCommand)));
    }
}

/// Can answer some sets only.
struct AnswersOnly {
    sets: Vec<Vec<usize>>,
}

impl Oracle<Subset> for AnswersOnly {
    fn judge(&self, candidate: &Subset, _: &Interrupt) -> Result<Answer, OracleError> {
        let elements: Vec<usize> = candidate.iter().collect();
        if !self.sets.contains(&elements) {
            return Err(OracleError::NoCommand);
        }
        Ok(Answer {
            verdict: has_three_and_seven(candidate),
            run: None,
        })
    }
}

#[test]
fn a_guessed_query_may_fail() {
    let oracle = FnOracle::new(has_three_and_seven);
    let needed = drive_ddmin(&oracle, &config(1)).unwrap();
    let sets = needed.told.iter().map(|told| told.0.clone()).collect();
    let again = drive_ddmin(&AnswersOnly { sets }, &config(8)).unwrap();
    assert_eq!(again.told, needed.told);
}

#[test]
#[should_panic(expected = "the oracle has a defect")]
fn a_panic_of_the_oracle_does_not_hang_the_drive() {
    let oracle = FnOracle::new(|_: &Subset| panic!("the oracle has a defect"));
    drop(drive_ddmin(&oracle, &config(2)));
}

/// Answers only when it is cancelled.
struct NeverAnswers;

impl Oracle<Subset> for NeverAnswers {
    fn judge(&self, _: &Subset, interrupt: &Interrupt) -> Result<Answer, OracleError> {
        while !interrupt.is_triggered() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(OracleError::Interrupted)
    }
}

#[test]
fn an_interrupt_cancels_what_runs() {
    let interrupt = Interrupt::new().unwrap();
    let config = Config {
        interrupt: Some(interrupt.clone()),
        ..config(3)
    };
    let mut ticks = 0;
    let on_tick = &mut || {
        ticks += 1;
        interrupt.trigger();
    };
    let ended = drive(ddmin(), &NeverAnswers, &config, on_tick).unwrap();
    assert_eq!(ended.stopped, Some(StopReason::Interrupted));
    assert!(ended.told.is_empty());
    assert_eq!(ticks, 1);
}

/// An oracle whose runs time out, or find the disk full, while others run at the same time.
#[derive(Default)]
struct SlowUnderLoad {
    running: AtomicUsize,
    /// Counts starts, so that a run notices others that started and ended during it.
    started: AtomicUsize,
    cut_short: AtomicUsize,
}

impl Oracle<Subset> for SlowUnderLoad {
    fn judge(&self, candidate: &Subset, _: &Interrupt) -> Result<Answer, OracleError> {
        let alone = self.running.fetch_add(1, Ordering::SeqCst) == 0;
        let started = self.started.fetch_add(1, Ordering::SeqCst) + 1;
        std::thread::sleep(Duration::from_millis(2));
        let alone = alone && self.started.load(Ordering::SeqCst) == started;
        self.running.fetch_sub(1, Ordering::SeqCst);
        let (verdict, outcome) = if alone {
            (has_three_and_seven(candidate), Outcome::Exited(0))
        } else {
            if self.cut_short.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
                return Err(OracleError::Scratch {
                    action: "run a command in",
                    path: "/tmp".into(),
                    source: std::io::ErrorKind::StorageFull.into(),
                });
            }
            (Verdict::Uninteresting, Outcome::TimedOut)
        };
        let run = Run {
            outcome,
            stdout: Vec::new(),
            stderr: Vec::new(),
            took: Duration::from_millis(2),
        };
        Ok(Answer {
            verdict,
            run: Some(run),
        })
    }
}

#[test]
fn a_run_that_was_cut_short_beside_others_is_repeated_alone_before_it_counts() {
    let with = |jobs| {
        let oracle = SlowUnderLoad::default();
        let ended = drive_ddmin(&oracle, &config(jobs)).unwrap();
        (
            ended.told,
            ended.spent.timeouts,
            oracle.cut_short.into_inner(),
        )
    };
    let (told, timeouts, cut_short) = with(1);
    assert_eq!((timeouts, cut_short), (0, 0));
    let beside_others = with(4);
    assert_eq!((beside_others.0, beside_others.1), (told, 0));
    assert!(beside_others.2 > 1, "no run was repeated");
}

/// A memory of this process, filled by an earlier drive if `is_earlier`.
#[derive(Debug, Default)]
struct InMemory {
    verdicts: Mutex<HashMap<Fingerprint, Verdict>>,
    is_earlier: bool,
}

impl VerdictMemory for InMemory {
    fn recall(&self, content: Fingerprint) -> Option<RecalledVerdict> {
        let verdict = *self.verdicts.lock().expect("no panic").get(&content)?;
        let is_earlier = self.is_earlier;
        Some(RecalledVerdict {
            verdict,
            is_earlier,
        })
    }

    fn record(&self, content: Fingerprint, answer: &Answer) {
        let mut verdicts = self.verdicts.lock().expect("no panic");
        verdicts.insert(content, answer.verdict);
    }
}

#[test]
fn what_was_recorded_is_not_run_again() {
    let oracle = FnOracle::new(has_three_and_seven);
    let memory = Arc::new(InMemory::default());
    let with_memory = |memory: &Arc<InMemory>| Config {
        memory: Some(Arc::<InMemory>::clone(memory)),
        ..config(4)
    };
    let first = drive_ddmin(&oracle, &with_memory(&memory)).unwrap();
    assert_eq!(first.spent.recalled, 0);
    let verdicts = memory.verdicts.lock().unwrap().clone();
    assert!(verdicts.contains_key(&first.search.best().fingerprint()));
    let earlier = Arc::new(InMemory {
        verdicts: Mutex::new(verdicts),
        is_earlier: true,
    });
    // Cannot answer anything.
    let oracle = AnswersOnly { sets: Vec::new() };
    let again = drive_ddmin(&oracle, &with_memory(&earlier)).unwrap();
    assert_eq!(again.told, first.told);
    assert_eq!(again.spent.runs, 0);
    assert!(again.spent.recalled >= again.spent.queries);
}

#[test]
fn what_the_caller_knows_is_not_run() {
    let ran = Mutex::new(Vec::new());
    let oracle = FnOracle::new(|kept: &Subset| {
        ran.lock().unwrap().push(kept.count());
        has_three_and_seven(kept)
    });
    let mut known = |kept: &Subset| (kept.count() < 4).then(|| has_three_and_seven(kept));
    let best = std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, ddmin(), &oracle, &config(2));
        while let Step::Told(_) | Step::Prepared | Step::Tick =
            drive.step_knowing(&mut known).unwrap()
        {}
        assert_eq!(drive.spent().recalled, 0);
        drive.search().best()
    });
    assert_eq!(best.iter().collect::<Vec<_>>(), [3, 7]);
    assert!(ran.lock().unwrap().iter().all(|count| *count >= 4));
}

/// A search that never finds a query that it did not ask before.
#[derive(Debug, Clone)]
enum Endless {
    /// It takes ever more steps to find its next query.
    Preparing,
    /// It asks about two sets in turn, as if it had forgotten the verdicts.
    Alternating(usize),
}

impl Search for Endless {
    type Candidate = Subset;

    fn is_ready(&self) -> bool {
        matches!(self, Self::Alternating(_))
    }

    fn ask(&self) -> Option<Query<Subset>> {
        match self {
            Self::Preparing => None,
            Self::Alternating(turn) => {
                let candidate = Subset::full(2).without([turn % 2..turn % 2 + 1]);
                Some(Query {
                    candidate,
                    odds: 0.5,
                })
            }
        }
    }

    fn tell(&mut self, _: Verdict) {
        if let Self::Alternating(turn) = self {
            *turn += 1;
        }
    }

    fn skip(&mut self) {
        self.tell(Verdict::Uninteresting);
    }

    fn best(&self) -> Subset {
        Subset::full(2)
    }
}

/// A sweep that needs some steps to come to each query, now more and now fewer.
#[derive(Clone)]
struct InSteps {
    inner: Sweep,
    told: usize,
    left: usize,
}

impl Search for InSteps {
    type Candidate = Subset;

    fn is_ready(&self) -> bool {
        self.left == 0
    }

    fn prepare(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    fn ask(&self) -> Option<Query<Subset>> {
        self.inner.ask().filter(|_| self.is_ready())
    }

    fn tell(&mut self, verdict: Verdict) {
        self.inner.tell(verdict);
        self.told += 1;
        self.left = 2 + self.told % 2;
    }

    fn skip(&mut self) {
        self.inner.skip();
        self.left = 2;
    }

    fn best(&self) -> Subset {
        self.inner.best()
    }
}

#[test]
fn idle_workers_get_queries_as_soon_as_they_are_found() {
    const JOBS: usize = 8;
    let started = (Mutex::new(0), Condvar::new());
    let oracle = FnOracle::new(|_: &Subset| {
        // The first verdict comes once all workers have a query, or far too late.
        let (count, changed) = &started;
        let mut count = count.lock().unwrap();
        *count += 1;
        changed.notify_all();
        let limit = Duration::from_secs(10);
        drop(changed.wait_timeout_while(count, limit, |count| *count < JOBS));
        Verdict::Uninteresting
    });
    let search = InSteps {
        inner: Sweep::on(List::uniform(16)),
        told: 0,
        left: 2,
    };
    let ticks = AtomicUsize::new(0);
    let ended = drive(search, &oracle, &config(JOBS), &mut || {
        ticks.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(ended.unwrap().stopped, None);
    let ticks = ticks.into_inner();
    assert!(ticks <= 1, "waited {ticks} times while workers were idle");
}

#[test]
fn a_search_that_finds_no_new_query_can_be_interrupted() {
    for search in [Endless::Preparing, Endless::Alternating(0)] {
        for verdict in [Verdict::Interesting, Verdict::Uninteresting] {
            let oracle = FnOracle::new(move |_: &Subset| verdict);
            let interrupt = Interrupt::new().unwrap();
            let config = Config {
                interrupt: Some(interrupt.clone()),
                ..config(2)
            };
            let ended = drive(search.clone(), &oracle, &config, &mut || {
                interrupt.trigger();
            });
            assert_eq!(ended.unwrap().stopped, Some(StopReason::Interrupted));
        }
    }
}

#[test]
fn a_search_that_finds_no_new_query_stops_at_the_time_limit() {
    for search in [Endless::Preparing, Endless::Alternating(0)] {
        let oracle = FnOracle::new(|_: &Subset| Verdict::Interesting);
        let config = Config {
            budget: Budget {
                time: Some(Duration::from_millis(50)),
                ..Budget::default()
            },
            ..config(2)
        };
        let ended = drive(search, &oracle, &config, &mut || {});
        assert_eq!(ended.unwrap().stopped, Some(StopReason::TimeLimit));
    }
}
