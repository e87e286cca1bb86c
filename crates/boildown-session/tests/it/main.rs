//! Whole sessions with closures for oracles.

mod isolations;
mod leaving;

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use boildown_oracle::{
    Answer, Cancel, FnOracle, Oracle, OracleError, Outcome, Repeating, Run, Verdict,
};
use boildown_search::Subset;
use boildown_search::changes::DdPlus;
use boildown_search::flaky::{Law, Tally};
use boildown_session::{
    BaselineError, Budget, Care, Config, Drive, Event, Goal, Rate, Step, Stopped, Summary,
    baseline, reduce, time_limit,
};
use boildown_syntax::{Language, Strategy, reduction};

const INPUT: &str = "int a;\nint b;\nint keep(int x) {\n    if (x) {\n        return a + 1;\n    }\n    return b;\n}\nint c;\n";

fn config(jobs: usize) -> Config {
    Config {
        jobs,
        ..Config::default()
    }
}

fn search() -> boildown_syntax::Reduction {
    reduction(
        &INPUT.as_bytes().into(),
        Language::named("C"),
        Strategy::default(),
    )
}

/// Interesting while the text has a function that returns a sum; takes longer for some texts than for others.
fn returns_a_sum(text: &[u8]) -> Verdict {
    let sum: usize = text.iter().map(|&byte| usize::from(byte)).sum();
    std::thread::sleep(Duration::from_micros((sum % 7 * 150) as u64));
    let text = String::from_utf8_lossy(text);
    if text.contains("keep(") && text.contains('+') {
        Verdict::Interesting
    } else {
        Verdict::Uninteresting
    }
}

fn run(
    config: &Config,
    oracle: &dyn Oracle,
    on_event: &mut dyn FnMut(&Event),
) -> (Summary, Arc<[u8]>) {
    reduce(search(), oracle, &Goal::default(), config, on_event)
        .expect("a closure can always be asked")
}

#[test]
fn any_number_of_jobs_ends_with_the_same_text_after_the_same_questions() {
    let oracle = FnOracle::new(returns_a_sum);
    let (alone, best) = run(&config(1), &oracle, &mut |_| {});
    assert!(alone.one_minimal);
    for jobs in [2, 3, 8, 32] {
        let (summary, draft) = run(&config(jobs), &oracle, &mut |_| {});
        assert_eq!(draft, best, "{jobs} jobs");
        assert_eq!(
            summary.progress.spent.questions, alone.progress.spent.questions,
            "{jobs} jobs"
        );
        assert!(summary.progress.spent.runs >= alone.progress.spent.runs);
    }
}

#[test]
fn a_budget_ends_at_the_same_text_at_any_number_of_jobs() {
    let oracle = FnOracle::new(returns_a_sum);
    for most in [1, 3, 7] {
        let with = |jobs| {
            let (summary, best) = run(
                &Config {
                    budget: Budget {
                        questions: Some(most),
                        ..Budget::default()
                    },
                    ..config(jobs)
                },
                &oracle,
                &mut |_| {},
            );
            assert_eq!(summary.stopped, Some(Stopped::Questions));
            assert_eq!(summary.progress.spent.questions, most);
            assert!(!summary.one_minimal);
            best.clone()
        };
        assert_eq!(with(1), with(8));
    }
}

#[test]
fn the_best_result_is_on_disk_before_it_is_announced() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let output = folder.path().join("best.c");
    let oracle = FnOracle::new(returns_a_sum);
    let mut improved = 0;
    let goal = Goal {
        output: Some(output.clone()),
        ..Goal::default()
    };
    let mut on_event = |event: &Event| {
        if let Event::Improved(progress) = event {
            let size = std::fs::metadata(&output).expect("the file is there").len();
            assert_eq!(size, progress.bytes as u64);
            improved += 1;
        }
    };
    let (_, best) = reduce(search(), &oracle, &goal, &config(4), &mut on_event)
        .expect("a closure can always be asked");
    assert!(improved > 2);
    assert_eq!(std::fs::read(&output).expect("the file is there"), best[..]);
}

#[test]
fn a_property_that_gets_lost_is_noticed_on_the_way() {
    // Once the text is short, the property holds on each candidate once only.
    let lines: String = (0..400).map(|line| format!("line_{line}\n")).collect();
    let input: Arc<[u8]> = lines.into_bytes().into();
    let (asked, runs) = (Mutex::new(HashMap::new()), AtomicUsize::new(0));
    let oracle = FnOracle::new(|text: &[u8]| {
        runs.fetch_add(1, Ordering::Relaxed);
        let mut asked = asked.lock().expect("no other test panicked");
        let times = asked.entry(text.to_vec()).or_insert(0_usize);
        *times += 1;
        // Much of it is needed, so that there are many questions.
        let text = String::from_utf8_lossy(text);
        let needed = (0..400)
            .step_by(10)
            .all(|line| text.contains(&format!("line_{line}\n")));
        if needed && (text.contains("line_3\n") || *times == 1) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    });
    let goal = Goal {
        doubt: Some(Cancel::new().expect("a pipe")),
        ..Goal::default()
    };
    let search = reduction(&input, None, Strategy::default());
    let (summary, best) = reduce(search, &oracle, &goal, &config(1), &mut |_| {})
        .expect("a closure can always be asked");
    assert_eq!(summary.stopped, Some(Stopped::Lost));
    assert!(!summary.one_minimal);
    let best = String::from_utf8_lossy(&best);
    assert!(best.contains("line_3\n"), "{best}");
}

#[test]
fn an_output_that_cannot_be_written_ends_the_session() {
    let output = Some(Path::new("/nowhere/best.c").to_owned());
    let oracle = FnOracle::new(returns_a_sum);
    let goal = Goal {
        output,
        ..Goal::default()
    };
    let error = reduce(search(), &oracle, &goal, &config(2), &mut |_| {});
    assert!(matches!(error, Err(OracleError::File { .. })), "{error:?}");
}

/// Fails to be asked from some call on.
struct Broken {
    calls: AtomicUsize,
    good: usize,
}

impl Oracle for Broken {
    fn judge(&self, candidate: &[u8], _: &Cancel) -> Result<Answer, OracleError> {
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.good {
            return Err(OracleError::NoCommand);
        }
        Ok(Answer {
            verdict: returns_a_sum(candidate),
            run: None,
        })
    }
}

#[test]
fn an_oracle_that_cannot_be_asked_ends_the_session_with_its_error() {
    for jobs in [1, 4] {
        let oracle = Broken {
            calls: AtomicUsize::new(0),
            good: 6,
        };
        let error = reduce(
            search(),
            &oracle,
            &Goal::default(),
            &config(jobs),
            &mut |_| {},
        );
        assert!(matches!(error, Err(OracleError::NoCommand)));
    }
}

/// Can be asked about some texts only.
struct Selective {
    texts: Vec<Vec<u8>>,
}

impl Oracle for Selective {
    fn judge(&self, candidate: &[u8], _: &Cancel) -> Result<Answer, OracleError> {
        if !self.texts.iter().any(|text| text == candidate) {
            return Err(OracleError::NoCommand);
        }
        Ok(Answer {
            verdict: returns_a_sum(candidate),
            run: None,
        })
    }
}

#[test]
fn a_question_that_only_speculation_asks_may_fail() {
    let asked = Mutex::new(Vec::new());
    let oracle = FnOracle::new(|text: &[u8]| {
        asked.lock().expect("no panic").push(text.to_vec());
        returns_a_sum(text)
    });
    let (_, best) = run(&config(1), &oracle, &mut |_| {});
    // One job speculates too while its runs are short, so more may be known than is needed; the result needs no more.
    let texts = asked.into_inner().expect("no panic");
    let (_, again) = run(&config(8), &Selective { texts }, &mut |_| {});
    assert_eq!(again, best);
}

#[test]
#[should_panic(expected = "the oracle has a defect")]
fn a_panic_of_the_oracle_does_not_hang_the_session() {
    let oracle = FnOracle::new(|_: &[u8]| panic!("the oracle has a defect"));
    run(&config(2), &oracle, &mut |_| {});
}

/// Answers only when cancelled.
struct Stuck;

impl Oracle for Stuck {
    fn judge(&self, _: &[u8], cancel: &Cancel) -> Result<Answer, OracleError> {
        while !cancel.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(OracleError::Cancelled)
    }
}

#[test]
fn a_stop_cancels_what_runs_and_keeps_the_best() {
    let config = config(3);
    let mut ticks = 0;
    let outcome = reduce(search(), &Stuck, &Goal::default(), &config, &mut |_| {
        ticks += 1;
        config.stop.request();
    });
    let (summary, best) = outcome.expect("a stop is no error");
    assert_eq!(summary.stopped, Some(Stopped::Interrupted));
    assert_eq!(best[..], *INPUT.as_bytes());
    assert!(ticks >= 1);
}

fn check(verdicts: impl Fn(&[u8]) -> Verdict + Send + Sync) -> Result<Tally, BaselineError> {
    let cancel = Cancel::new().expect("a handle");
    let oracle = FnOracle::new(verdicts);
    let found = baseline(&oracle, INPUT.as_bytes(), None, (Care::Usual, 2), &cancel)?;
    assert_eq!(found.law == Law::once(), !found.rate.tally.is_mixed());
    Ok(found.rate.tally)
}

#[test]
fn a_property_has_to_hold_on_the_input_every_time_and_not_on_nothing() {
    assert!(check(returns_a_sum).is_ok());
    assert!(matches!(
        check(|_| Verdict::Uninteresting),
        Err(BaselineError::NotInteresting { .. })
    ));
    assert!(matches!(
        check(|_| Verdict::Interesting),
        Err(BaselineError::HoldsOnEmpty)
    ));
}

/// Holds on the input in so many of every hundred runs, evenly.
fn of_a_hundred(hits: usize) -> impl Fn(&[u8]) -> Verdict + Send + Sync {
    let calls = AtomicUsize::new(0);
    move |text: &[u8]| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        if !text.is_empty() && call * hits / 100 != (call + 1) * hits / 100 {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }
}

#[test]
fn a_property_that_holds_in_some_runs_is_measured() {
    let tally = |hits, runs| Tally { runs, hits };
    assert_eq!(check(of_a_hundred(100)).unwrap(), tally(3, 3));
    assert_eq!(check(of_a_hundred(50)).unwrap(), tally(101, 203));
    assert_eq!(check(of_a_hundred(34)).unwrap(), tally(101, 299));
    assert!(matches!(
        check(|text| {
            static CALLS: AtomicUsize = AtomicUsize::new(0);
            match CALLS.fetch_add(1, Ordering::Relaxed) {
                0 if !text.is_empty() => Verdict::Interesting,
                _ => Verdict::Unresolved,
            }
        }),
        Err(BaselineError::TooRare {
            tally: Tally { hits: 1, runs: 307 }
        })
    ));
}

#[test]
fn the_time_limit_is_ten_runs_within_bounds() {
    assert_eq!(time_limit(Duration::from_millis(5)), Duration::from_secs(2));
    assert_eq!(time_limit(Duration::from_secs(3)), Duration::from_secs(30));
    assert_eq!(
        time_limit(Duration::from_secs(100)),
        Duration::from_secs(300)
    );
}

/// A drive of a search for some of twenty changes over an oracle that sees the changes themselves.
fn found(jobs: usize, oracle: &dyn Oracle<Subset>) -> (Vec<usize>, Vec<(Vec<usize>, Verdict)>) {
    std::thread::scope(|scope| {
        let mut drive = Drive::start(scope, DdPlus::on(Subset::full(20)), oracle, &config(jobs));
        let mut told = Vec::new();
        loop {
            match drive.step().expect("a closure can always be asked") {
                Step::Told(one) => told.push((one.candidate.iter().collect(), one.verdict)),
                Step::Tick => {}
                Step::Ended(stopped) => {
                    assert_eq!(stopped, None);
                    let found = drive.search().found().expect("finished");
                    return (found.iter().collect(), told);
                }
            }
        }
    })
}

#[test]
fn any_search_is_driven_over_any_candidates_to_the_same_verdicts_at_any_number_of_jobs() {
    // 8 fails with 13; what has 4 needs 5.
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
    let alone = found(1, &oracle);
    assert_eq!(alone.0, [8, 13]);
    assert!(
        alone
            .1
            .iter()
            .any(|(_, verdict)| *verdict == Verdict::Unresolved)
    );
    for jobs in [2, 7, 32] {
        assert_eq!(found(jobs, &oracle), alone, "{jobs} jobs");
    }
}

/// Holds in six of ten runs on a text that has a function that returns a sum: the coin is a function of the text and of how often it was tossed for it.
fn six_in_ten() -> impl Fn(&[u8]) -> Verdict + Send + Sync {
    let tossed = Mutex::new(HashMap::<Vec<u8>, u32>::new());
    move |text: &[u8]| {
        let mut tossed = tossed.lock().expect("nobody panics here");
        let times = tossed.entry(text.to_vec()).or_default();
        *times += 1;
        let coin = BuildHasherDefault::<DefaultHasher>::default().hash_one((text, *times)) % 10;
        drop(tossed);
        match coin {
            0..6 => returns_a_sum(text),
            _ => Verdict::Uninteresting,
        }
    }
}

#[test]
fn a_coin_that_every_candidate_has_for_itself_gives_the_same_result_at_any_number_of_jobs() {
    let with = |jobs| {
        let oracle = FnOracle::new(six_in_ten());
        let cancel = Cancel::new().expect("a handle");
        let input = INPUT.as_bytes();
        let found = baseline(&oracle, input, None, (Care::Flaky, jobs), &cancel).unwrap();
        let repeating = Repeating::new(&oracle, found.law);
        let (summary, best) = run(&config(jobs), &repeating, &mut |_| {});
        let measured = Rate::default().measure(&oracle, &best[..], jobs, &cancel);
        let confirmed = measured.unwrap().tally;
        assert!(confirmed.interval().high > 0.5, "{confirmed:?}");
        assert!(repeating.runs() >= summary.progress.spent.runs);
        let questions = summary.progress.spent.questions;
        (best, questions, found.rate.tally)
    };
    let alone = with(1);
    assert!(alone.0.len() < INPUT.len() / 2);
    for jobs in [2, 5, 16] {
        assert_eq!(with(jobs), alone, "{jobs} jobs");
    }
}

/// An oracle whose runs time out, or find the disk full, while others run beside them.
#[derive(Default)]
struct Slow {
    running: AtomicUsize,
    /// Counts beginnings, so that a run knows of others that began and ended meanwhile.
    begun: AtomicUsize,
    cut_short: AtomicUsize,
}

impl Oracle for Slow {
    fn judge(&self, candidate: &[u8], _: &Cancel) -> Result<Answer, OracleError> {
        let alone = self.running.fetch_add(1, Ordering::SeqCst) == 0;
        let begun = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        std::thread::sleep(Duration::from_millis(2));
        let alone = alone && self.begun.load(Ordering::SeqCst) == begun;
        self.running.fetch_sub(1, Ordering::SeqCst);
        let (verdict, outcome) = if alone {
            (returns_a_sum(candidate), Outcome::Exited(0))
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
fn a_run_that_had_too_little_time_or_room_beside_others_is_asked_again_alone_before_it_counts() {
    let result = |jobs| {
        let oracle = Slow::default();
        let (summary, best) = run(&config(jobs), &oracle, &mut |_| {});
        (
            best.to_vec(),
            summary.progress.spent.questions,
            summary.progress.spent.timeouts,
            oracle.cut_short.into_inner(),
        )
    };
    let (text, questions, timeouts, cut_short) = result(1);
    assert_eq!((timeouts, cut_short), (0, 0));
    let beside = result(4);
    assert_eq!((beside.0, beside.1, beside.2), (text, questions, 0));
    assert!(beside.3 > 1, "there were runs to be asked again");
}
