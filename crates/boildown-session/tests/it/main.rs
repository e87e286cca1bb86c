//! Sessions with closures for oracles.

mod culprits;
mod isolations;
mod outdated;
mod skips;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use boildown_document::Language;
use boildown_driver::{Budget, Spent};
use boildown_oracle::{Answer, FnOracle, Interrupt, Oracle, OracleError, RepeatedOracle, Verdict};
use boildown_reduce::reduction;
use boildown_search::flaky::{RepeatPolicy, RunCounts};
use boildown_session::{
    BaselineCheck, BaselineError, Event, MeasureRate, ReduceOptions, ReductionPlan, RefusedForms,
    RepeatedTest, RunStats, SessionConfig, Summary, default_time_limit, reduce,
    reduce_with_restarts,
};
use boildown_show::StopReason;

const INPUT: &str = "int a;\nint b;\nint keep(int x) {\n    if (x) {\n        return a + 1;\n    }\n    return b;\n}\nint c;\n";

fn config(jobs: usize) -> SessionConfig {
    SessionConfig {
        jobs,
        ..SessionConfig::default()
    }
}

fn search() -> boildown_reduce::Reduction {
    reduction(
        &INPUT.as_bytes().into(),
        Language::named("C"),
        boildown_formats::strategy(),
    )
}

/// Interesting while the text has a function that returns a sum. Takes longer for some texts than
/// for others.
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
    config: &SessionConfig,
    oracle: &dyn Oracle,
    on_event: &mut dyn FnMut(&Event),
) -> (Summary, Arc<[u8]>) {
    reduce(
        search(),
        oracle,
        &ReduceOptions::default(),
        config,
        on_event,
    )
    .expect("a closure always answers")
}

#[test]
fn any_number_of_jobs_ends_with_the_same_text_after_the_same_queries() {
    let oracle = FnOracle::new(returns_a_sum);
    let (alone, best) = run(&config(1), &oracle, &mut |_| {});
    assert!(alone.one_minimal);
    for jobs in [2, 3, 8, 32] {
        let (summary, candidate) = run(&config(jobs), &oracle, &mut |_| {});
        assert_eq!(candidate, best, "{jobs} jobs");
        assert_eq!(
            summary.progress.spent.queries, alone.progress.spent.queries,
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
                &SessionConfig {
                    budget: Budget {
                        queries: Some(most),
                        ..Budget::default()
                    },
                    ..config(jobs)
                },
                &oracle,
                &mut |_| {},
            );
            assert_eq!(summary.stopped, Some(StopReason::QueryLimit));
            assert_eq!(summary.progress.spent.queries, most);
            assert!(!summary.one_minimal);
            best.clone()
        };
        assert_eq!(with(1), with(8));
    }
}

#[test]
fn the_best_result_is_on_disk_before_its_event() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let output = folder.path().join("best.c");
    let oracle = FnOracle::new(returns_a_sum);
    let mut improved = 0;
    let options = ReduceOptions {
        output: Some(boildown_session::ResultOutput::File {
            path: output.clone(),
            access: boildown_exec::Access::ANY,
        }),
        ..ReduceOptions::default()
    };
    let mut on_event = |event: &Event| {
        if let Event::Improved(progress) = event {
            let size = std::fs::metadata(&output).expect("the file is there").len();
            assert_eq!(size, progress.bytes as u64);
            improved += 1;
        }
    };
    let (_, best) = reduce(search(), &oracle, &options, &config(4), &mut on_event)
        .expect("a closure always answers");
    assert!(improved > 2);
    assert_eq!(std::fs::read(&output).expect("the file is there"), best[..]);
}

#[test]
fn a_property_that_is_lost_stops_the_reduction_at_the_last_confirmed_result() {
    // Without line 3, the property holds in the first run on a candidate only.
    let lines: String = (0..400).map(|line| format!("line_{line}\n")).collect();
    let input: Arc<[u8]> = lines.into_bytes().into();
    let (asked, runs) = (Mutex::new(HashMap::new()), AtomicUsize::new(0));
    let oracle = FnOracle::new(|text: &[u8]| {
        runs.fetch_add(1, Ordering::Relaxed);
        let mut asked = asked.lock().expect("no panic");
        let times = asked.entry(text.to_vec()).or_insert(0_usize);
        *times += 1;
        // Many lines are needed, so that there are many tests.
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
    let options = ReduceOptions {
        confirm: true,
        ..ReduceOptions::default()
    };
    let search = reduction(&input, None, boildown_formats::strategy());
    let (summary, best) = reduce(search, &oracle, &options, &config(1), &mut |_| {})
        .expect("a closure always answers");
    assert_eq!(summary.stopped, Some(StopReason::PropertyLost));
    assert!(!summary.one_minimal);
    let best = String::from_utf8_lossy(&best);
    assert!(best.contains("line_3\n"), "{best}");
}

#[test]
fn an_output_that_cannot_be_written_ends_the_session() {
    let output = Some(Path::new("/nowhere/best.c").to_owned());
    let oracle = FnOracle::new(returns_a_sum);
    let options = ReduceOptions {
        output: output.map(|path| boildown_session::ResultOutput::File {
            path,
            access: boildown_exec::Access::ANY,
        }),
        ..ReduceOptions::default()
    };
    let error = reduce(search(), &oracle, &options, &config(2), &mut |_| {});
    assert!(matches!(error, Err(OracleError::File { .. })), "{error:?}");
}

/// Answers only when it is cancelled.
struct NeverAnswers;

impl Oracle for NeverAnswers {
    fn judge(&self, _: &[u8], interrupt: &Interrupt) -> Result<Answer, OracleError> {
        while !interrupt.is_triggered() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(OracleError::Interrupted)
    }
}

#[test]
fn an_interrupt_cancels_what_runs_and_keeps_the_best() {
    let interrupt = Interrupt::new().expect("a pipe");
    let config = SessionConfig {
        interrupt: Some(interrupt.clone()),
        ..config(3)
    };
    let mut ticks = 0;
    let options = ReduceOptions::default();
    let reduced = reduce(search(), &NeverAnswers, &options, &config, &mut |_| {
        ticks += 1;
        interrupt.trigger();
    });
    let (summary, best) = reduced.expect("an interrupt is not an error");
    assert_eq!(summary.stopped, Some(StopReason::Interrupted));
    assert_eq!(best[..], *INPUT.as_bytes());
    assert!(ticks >= 1);
}

fn check(verdicts: impl Fn(&[u8]) -> Verdict + Send + Sync) -> Result<RunCounts, BaselineError> {
    let check = BaselineCheck {
        oracle: &FnOracle::new(verdicts),
        measure_rate: MeasureRate::IfMixed,
        rejects_more_often: false,
        jobs: 2,
        interrupt: &Interrupt::new().expect("a pipe"),
    };
    let baseline = check.check_input(INPUT.as_bytes(), None, 0)?;
    check.check_empty(baseline.repeat_policy, None)?;
    let counts = baseline.stats.counts;
    assert_eq!(
        baseline.repeat_policy == RepeatPolicy::once(),
        !counts.is_mixed()
    );
    Ok(counts)
}

#[test]
fn a_property_has_to_hold_on_the_input_and_not_on_the_empty_input() {
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

/// Holds on the input in `hits` of every hundred runs, evenly spread.
fn holds_in_a_hundred(hits: usize) -> impl Fn(&[u8]) -> Verdict + Send + Sync {
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
fn the_rate_of_a_property_that_holds_in_some_runs_is_measured() {
    let counts = |hits, runs| RunCounts { runs, hits };
    assert_eq!(check(holds_in_a_hundred(100)).unwrap(), counts(3, 3));
    assert_eq!(check(holds_in_a_hundred(50)).unwrap(), counts(13, 27));
    assert_eq!(check(holds_in_a_hundred(34)).unwrap(), counts(14, 43));
    assert!(matches!(
        check(|text| {
            static CALLS: AtomicUsize = AtomicUsize::new(0);
            match CALLS.fetch_add(1, Ordering::Relaxed) {
                0 if !text.is_empty() => Verdict::Interesting,
                _ => Verdict::Unresolved,
            }
        }),
        Err(BaselineError::TooRare {
            counts: RunCounts { hits: 1, runs: 107 }
        })
    ));
}

#[test]
fn the_default_time_limit_is_ten_runs_within_bounds() {
    assert_eq!(
        default_time_limit(Duration::from_millis(5)),
        Duration::from_secs(2)
    );
    assert_eq!(
        default_time_limit(Duration::from_secs(3)),
        Duration::from_secs(30)
    );
    assert_eq!(
        default_time_limit(Duration::from_secs(100)),
        Duration::from_secs(300)
    );
}

/// Returns a number that looks random and is the same on every machine: FNV-1a, with the last steps
/// of splitmix64 so that similar inputs give unlike numbers.
fn scattered(text: &[u8], times: u32) -> u64 {
    let bytes = text.iter().copied().chain(times.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// Holds in six of ten runs on a text that has a function that returns a sum. Whether it holds
/// depends on the text and on the number of runs on it so far.
fn six_in_ten() -> impl Fn(&[u8]) -> Verdict + Send + Sync {
    let runs = Mutex::new(HashMap::<Vec<u8>, u32>::new());
    move |text: &[u8]| {
        let mut runs = runs.lock().expect("no panic");
        let times = runs.entry(text.to_vec()).or_default();
        *times += 1;
        let coin = scattered(text, *times) % 10;
        drop(runs);
        match coin {
            0..6 => returns_a_sum(text),
            _ => Verdict::Uninteresting,
        }
    }
}

#[test]
fn a_flaky_property_gives_the_same_result_with_any_number_of_jobs() {
    let with = |jobs| {
        let oracle = FnOracle::new(six_in_ten());
        let check = BaselineCheck {
            oracle: &oracle,
            measure_rate: MeasureRate::Always,
            rejects_more_often: false,
            jobs,
            interrupt: &Interrupt::new().expect("a pipe"),
        };
        let baseline = check.check_input(INPUT.as_bytes(), None, 0).unwrap();
        let repeating = RepeatedOracle::new(&oracle, baseline.repeat_policy);
        let (summary, best) = run(&config(jobs), &repeating, &mut |_| {});
        let confirmation = RepeatedTest {
            oracle: &oracle,
            candidate: &best[..],
            jobs,
            interrupt: check.interrupt,
        };
        let confirmed = confirmation.measure_rate(RunStats::default()).unwrap();
        let interval = confirmed.counts.interval();
        assert!(interval.high > 0.5, "{confirmed:?}");
        assert!(repeating.runs() >= summary.progress.spent.runs);
        let queries = summary.progress.spent.queries;
        (best, queries, baseline.stats.counts)
    };
    let alone = with(1);
    assert!(alone.0.len() < INPUT.len() / 2);
    for jobs in [2, 5, 16] {
        assert_eq!(with(jobs), alone, "{jobs} jobs");
    }
}

#[test]
fn the_progress_counts_each_run_of_a_candidate() {
    let lines: String = (0..200).map(|line| format!("line_{line}\n")).collect();
    let input: Arc<[u8]> = lines.into_bytes().into();
    let oracle = FnOracle::new(|text: &[u8]| {
        let is_kept = [&b"line_17\n"[..], b"line_88\n", b"line_153\n"]
            .iter()
            .all(|line| text.windows(line.len()).any(|window| window == *line));
        match is_kept {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    });
    let plan = ReductionPlan {
        input: &input,
        start: &|text| reduction(text, None, boildown_formats::strategy()),
        oracle: &oracle,
        watch: None,
        review: None,
        repeat_policy: RepeatPolicy::all_of(4),
        failure: None,
        refused: RefusedForms::None,
    };
    let (mut improved, mut last) = (0, Spent::default());
    let reduced = reduce_with_restarts(&plan, ReduceOptions::default(), config(1), &mut |event| {
        if let Event::Improved(progress) = event {
            (improved, last) = (improved + 1, progress.spent);
        }
    });
    reduced.expect("a closure always answers");
    assert!(improved > 5, "{improved}");
    // Each improvement took four runs.
    assert!(
        last.runs >= last.queries + 2 * improved,
        "{improved}: {last:?}"
    );
}

#[test]
fn runs_that_watch_the_environment_are_one_in_fifty_and_a_few_at_the_end() {
    // Each line is needed, in a text that is large enough for many tests.
    let lines: String = (0..120).map(|line| format!("line_{line}\n")).collect();
    let input: Arc<[u8]> = lines.into_bytes().into();
    for jobs in [1, 4] {
        let asked = Mutex::new(HashMap::new());
        let needed = input.clone();
        let oracle = FnOracle::new(|text: &[u8]| {
            let mut asked = asked.lock().expect("no panic");
            *asked.entry(text.to_vec()).or_insert(0_u64) += 1;
            match text == &*needed {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            }
        });
        let plan = ReductionPlan {
            input: &input,
            start: &|text| reduction(text, None, boildown_formats::strategy()),
            oracle: &oracle,
            watch: None,
            review: None,
            repeat_policy: RepeatPolicy::once(),
            failure: None,
            refused: RefusedForms::None,
        };
        let options = ReduceOptions {
            confirm: true,
            ..ReduceOptions::default()
        };
        let reduced = reduce_with_restarts(&plan, options, config(jobs), &mut |_| {})
            .expect("a closure always answers");
        let queries = reduced.summary.progress.spent.queries;
        assert!(queries > 300, "{queries}");
        assert_eq!(reduced.summary.stopped, None);
        let on_best = asked.lock().expect("no panic")[&input.to_vec()];
        let confirming = (queries / 50).clamp(8, 32);
        // One in eight candidates is run twice, and this may be one of them.
        assert!(
            on_best <= 2 * (queries / 50 + confirming),
            "{on_best} runs after {queries} tests"
        );
        assert!(
            on_best >= queries / 50,
            "{on_best} runs after {queries} tests"
        );
    }
}
