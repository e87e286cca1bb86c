//! Isolations with closures for oracles.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use boildown_document::Language;
use boildown_oracle::{FnOracle, Interrupt, Oracle, OracleError, Verdict};
use boildown_reduce::{Finest, Isolation};
use boildown_search::flaky::RepeatPolicy;
use boildown_session::{
    Baseline, BaselineCheck, BaselineError, Event, MeasureRate, SessionConfig, Side, SideFiles,
    Summary, isolate,
};

const PASSING: &str = "int a = 1;\nint f(int x) {\n    return x;\n}\nint b;\n";
const FAILING: &str = "int a = 2;\nint f(int x) {\n    if (x) {\n        return x + a;\n    }\n    return 0;\n}\nint c;\n";

/// Fails on sums. Unresolved unless braces come in pairs. Takes longer for some texts than for
/// others.
fn sums(text: &[u8]) -> Verdict {
    let sum: usize = text.iter().map(|&byte| usize::from(byte)).sum();
    std::thread::sleep(Duration::from_micros((sum % 7 * 150) as u64));
    let count = |wanted| text.iter().filter(|&&byte| byte == wanted).count();
    if count(b'{') != count(b'}') {
        Verdict::Unresolved
    } else if count(b'+') > 0 {
        Verdict::Interesting
    } else {
        Verdict::Uninteresting
    }
}

fn search() -> Isolation {
    let text = |text: &str| Arc::<[u8]>::from(text.as_bytes());
    let language = Language::named("C");
    Isolation::between(&text(PASSING), &text(FAILING), language, Finest::Characters)
}

fn run(
    jobs: usize,
    files: Option<&SideFiles>,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Isolation), OracleError> {
    let config = SessionConfig {
        jobs,
        ..SessionConfig::default()
    };
    isolate(search(), &FnOracle::new(sums), files, &config, on_event)
}

#[test]
fn any_number_of_jobs_gives_the_same_two_texts_after_the_same_tests() {
    let told = |jobs| {
        let (summary, ended) = run(jobs, None, &mut |_| {}).unwrap();
        assert!(summary.one_minimal);
        let spent = summary.progress.spent;
        (
            ended.passing(),
            ended.failing(),
            spent.queries,
            spent.unresolved,
        )
    };
    let alone = told(1);
    assert_eq!(sums(&alone.0), Verdict::Uninteresting);
    assert_eq!(sums(&alone.1), Verdict::Interesting);
    assert!(alone.3 > 0, "nothing was unresolved");
    for jobs in [2, 7, 32] {
        assert_eq!(told(jobs), alone, "{jobs} jobs");
    }
}

#[test]
fn both_sides_are_on_disk_at_every_moment() {
    let folder = tempfile::tempdir().unwrap();
    let sides = SideFiles {
        passing: folder.path().join("pass.c"),
        failing: folder.path().join("fail.c"),
        access: boildown_exec::Access::ANY,
        are_resumed: false,
    };
    let mut moved = 0;
    let look = &mut |event: &Event| {
        let (old, new) = (std::fs::read(&sides.passing), std::fs::read(&sides.failing));
        assert_eq!(sums(&old.unwrap()), Verdict::Uninteresting);
        assert_eq!(sums(&new.unwrap()), Verdict::Interesting);
        moved += usize::from(matches!(event, Event::Improved(_)));
    };
    let (_, ended) = run(4, Some(&sides), look).unwrap();
    assert!(moved > 2);
    assert_eq!(std::fs::read(&sides.passing).unwrap(), ended.passing()[..]);
    assert_eq!(std::fs::read(&sides.failing).unwrap(), ended.failing()[..]);
}

#[test]
fn a_side_that_cannot_be_written_ends_the_session() {
    let sides = SideFiles {
        passing: "/nowhere/pass.c".into(),
        failing: "/nowhere/fail.c".into(),
        access: boildown_exec::Access::ANY,
        are_resumed: false,
    };
    let error = run(2, Some(&sides), &mut |_| {});
    assert!(matches!(error, Err(OracleError::File { .. })), "{error:?}");
}

fn check_both_sides(
    oracle: &dyn Oracle,
    measure_rate: MeasureRate,
    passing: &str,
) -> Result<Baseline, BaselineError> {
    let check = BaselineCheck {
        oracle,
        measure_rate,
        rejects_more_often: false,
        jobs: 1,
        interrupt: &Interrupt::new().expect("a pipe"),
    };
    check.check_both_sides(passing.as_bytes(), b"bad")
}

#[test]
fn an_input_has_to_pass_or_fail_in_every_run() {
    let check = |judge: fn(&[u8]) -> Verdict| {
        check_both_sides(&FnOracle::new(judge), MeasureRate::IfMixed, "good")
    };
    let is_bad = |text: &[u8]| match text {
        b"bad" => Verdict::Interesting,
        _ => Verdict::Uninteresting,
    };
    let baseline = check(is_bad).unwrap();
    assert_eq!(baseline.repeat_policy, RepeatPolicy::once());
    for (judge, expected) in [
        (|_: &[u8]| Verdict::Interesting, Side::Passing),
        (|_: &[u8]| Verdict::Unresolved, Side::Failing),
        (|_: &[u8]| Verdict::Uninteresting, Side::Failing),
    ] as [(fn(&[u8]) -> Verdict, Side); 3]
    {
        let error = check(judge).unwrap_err();
        assert!(
            matches!(error, BaselineError::SideIsFlaky { side, held: 0 | 1, .. } if side == expected),
            "{error:?}"
        );
    }
}

#[test]
fn the_rate_of_a_flaky_failure_is_measured_and_the_other_input_must_not_show_it() {
    let runs = AtomicU64::new(0);
    let oracle = FnOracle::new(|text: &[u8]| {
        let run = runs.fetch_add(1, Ordering::Relaxed);
        match (text, run % 3) {
            (b"bad", 0 | 2) => Verdict::Interesting,
            _ => Verdict::Uninteresting,
        }
    });
    let baseline = check_both_sides(&oracle, MeasureRate::IfMixed, "good").unwrap();
    let rate = baseline.stats.counts.rate();
    assert!((rate - 0.67).abs() < 0.02, "{baseline:?}");
    assert_ne!(baseline.repeat_policy, RepeatPolicy::once());
    let error = check_both_sides(&oracle, MeasureRate::Always, "bad").unwrap_err();
    let expected = Side::Passing;
    assert!(matches!(error, BaselineError::SideIsFlaky { side, .. } if side == expected));
}
