//! Isolations with closures for oracles.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use boildown_oracle::{Cancel, FnOracle, OracleError, Verdict};
use boildown_search::flaky::Law;
use boildown_session::{
    Care, Config, ContrastError, Event, Side, Sides, Summary, contrast, isolate,
};
use boildown_syntax::{Finest, Isolation, Language};

const PASSING: &str = "int a = 1;\nint f(int x) {\n    return x;\n}\nint b;\n";
const FAILING: &str = "int a = 2;\nint f(int x) {\n    if (x) {\n        return x + a;\n    }\n    return 0;\n}\nint c;\n";

/// Fails on sums, and needs its braces in pairs; takes longer for some texts than for others.
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
    sides: Option<&Sides>,
    on_event: &mut dyn FnMut(&Event),
) -> Result<(Summary, Isolation), OracleError> {
    let config = Config {
        jobs,
        ..Config::default()
    };
    isolate(search(), &FnOracle::new(sums), sides, &config, on_event)
}

#[test]
fn any_number_of_jobs_ends_with_the_same_two_texts_after_the_same_questions() {
    let told = |jobs| {
        let (summary, ended) = run(jobs, None, &mut |_| {}).unwrap();
        assert!(summary.one_minimal);
        let spent = summary.progress.spent;
        (
            ended.passing(),
            ended.failing(),
            spent.questions,
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
fn both_sides_are_on_disk_from_the_beginning_and_at_every_moment() {
    let folder = tempfile::tempdir().unwrap();
    let sides = Sides {
        passing: folder.path().join("pass.c"),
        failing: folder.path().join("fail.c"),
        are_there: false,
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
    let sides = Sides {
        passing: "/nowhere/pass.c".into(),
        failing: "/nowhere/fail.c".into(),
        are_there: false,
    };
    let error = run(2, Some(&sides), &mut |_| {});
    assert!(matches!(error, Err(OracleError::File { .. })), "{error:?}");
}

#[test]
fn an_input_has_to_pass_or_fail_every_time() {
    let check = |judge: fn(&[u8]) -> Verdict| {
        let cancel = Cancel::new().unwrap();
        contrast(
            &FnOracle::new(judge),
            [b"good", b"bad"],
            (Care::Usual, 2),
            &cancel,
        )
    };
    let is_bad = |text: &[u8]| match text {
        b"bad" => Verdict::Interesting,
        _ => Verdict::Uninteresting,
    };
    assert_eq!(check(is_bad).unwrap().law, Law::once());
    for (judge, expected) in [
        (|_: &[u8]| Verdict::Interesting, Side::Passing),
        (|_: &[u8]| Verdict::Unresolved, Side::Failing),
        (|_: &[u8]| Verdict::Uninteresting, Side::Failing),
    ] as [(fn(&[u8]) -> Verdict, Side); 3]
    {
        let error = check(judge).unwrap_err();
        assert!(
            matches!(error, ContrastError::Flaky { side, held: 0 | 1, .. } if side == expected),
            "{error:?}"
        );
    }
}

#[test]
fn a_failure_that_comes_and_goes_has_its_rate_measured_and_the_other_input_may_not_show_it() {
    let runs = AtomicU64::new(0);
    let oracle = FnOracle::new(|text: &[u8]| {
        let run = runs.fetch_add(1, Ordering::Relaxed);
        match (text, run % 3) {
            (b"bad", 0 | 2) => Verdict::Interesting,
            _ => Verdict::Uninteresting,
        }
    });
    let cancel = Cancel::new().unwrap();
    let found = contrast(&oracle, [b"good", b"bad"], (Care::Usual, 1), &cancel).unwrap();
    assert!((found.rate.tally.rate() - 0.67).abs() < 0.02, "{found:?}");
    assert_ne!(found.law, Law::once());
    let error = contrast(&oracle, [b"bad", b"bad"], (Care::Flaky, 1), &cancel).unwrap_err();
    let expected = Side::Passing;
    assert!(matches!(error, ContrastError::Flaky { side, .. } if side == expected));
}
