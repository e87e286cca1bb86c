//! Sessions that resume earlier ones, of which something is not true any more.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use boildown_driver::Budget;
use boildown_oracle::{FnOracle, Verdict};
use boildown_reduce::reduction;
use boildown_search::flaky::RepeatPolicy;
use boildown_session::{
    Event, ReduceOptions, Reduced, ReductionPlan, RefusedForms, ResultOutput, SessionConfig,
    reduce_with_restarts,
};
use boildown_store::{Identity, ResumedBest, StoreFolder};

use crate::skips::begin;

const INPUT: &str = "alpha\nbeta\ngamma\ndelta\n";

/// Reduces the input with the store and the result in this folder, in at most `most` tests.
/// Returns the result, and the events that say that something was lost.
fn session(
    folder: &Path,
    most: Option<u64>,
    holds: impl Fn(&str) -> bool + Send + Sync,
) -> (Reduced, Vec<String>) {
    let input: Arc<[u8]> = INPUT.as_bytes().into();
    let oracle = FnOracle::new(|text: &[u8]| match holds(&String::from_utf8_lossy(text)) {
        true => Verdict::Interesting,
        false => Verdict::Uninteresting,
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
        output: Some(ResultOutput::File {
            path: folder.join("result.txt"),
            access: boildown_exec::Access::ANY,
        }),
        resumed_best: best(folder).filter(|best| best.query > 0),
        confirm: true,
        ..ReduceOptions::default()
    };
    let config = SessionConfig {
        store: Some(Arc::new(begin(folder, INPUT))),
        budget: Budget {
            queries: most,
            ..Budget::default()
        },
        ..SessionConfig::default()
    };
    let mut events = Vec::new();
    let reduced = reduce_with_restarts(&plan, options, config, &mut |event| match event {
        Event::PropertyLost { .. } => events.push("lost".to_owned()),
        Event::VerdictsOutdated { .. } => events.push("outdated".to_owned()),
        _ => {}
    });
    (reduced.expect("a closure always answers"), events)
}

/// Returns the best result that the store knows.
fn best(folder: &Path) -> Option<ResumedBest> {
    let place = StoreFolder::beside(&folder.join("result.txt")).expect("the place is free");
    let (found, _) = place
        .find(Identity::default())
        .expect("the file can be read");
    found.best().cloned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn after_a_loss_the_next_session_begins_with_the_result_that_was_put_back() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let (first, _) = session(folder.path(), None, |text| text.contains("beta"));
    assert_eq!(text(&first.best), "beta");
    // From now on, the property holds without `delta` in every other run only.
    let runs = AtomicUsize::new(0);
    let flaky = |text: &str| {
        let is_lucky = || runs.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        text.contains("beta") && (text.contains("delta") || is_lucky())
    };
    let (second, events) = session(folder.path(), None, flaky);
    assert_eq!(events, ["lost"]);
    let result = text(&second.best);
    assert!(
        result.contains("beta") && result.contains("delta"),
        "{result}"
    );
    let best = best(folder.path()).expect("a result is stored");
    assert_eq!(text(&best.text), result);
    let on_disk = std::fs::read(folder.path().join("result.txt")).expect("it is there");
    assert_eq!(text(&on_disk), result);
}

#[test]
fn a_loss_before_the_best_result_is_reached_puts_back_the_stored_result_too() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let (first, _) = session(folder.path(), Some(4), |text| text.contains("beta"));
    assert!(!text(&first.best).contains("delta"));
    assert_eq!(best(folder.path()).map(|best| best.text), Some(first.best));
    let runs = AtomicUsize::new(0);
    let flaky = |text: &str| {
        let is_lucky = || runs.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        text.contains("beta") && (text.contains("delta") || is_lucky())
    };
    // It ends after one test, where the earlier session had not found its result yet.
    let (second, _) = session(folder.path(), Some(1), flaky);
    assert_eq!(text(&second.best), INPUT);
    assert_eq!(best(folder.path()).map(|best| best.text), Some(second.best));
}

#[test]
fn verdicts_that_are_wrong_now_are_left_out_and_the_new_ones_kept() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let (first, _) = session(folder.path(), None, |text| {
        text.contains("beta") && text.contains("delta")
    });
    assert_eq!(text(&first.best).len(), "betadelta".len());
    for (wanted, expected) in [("beta", "beta"), ("gamma", "gamma")] {
        let (second, events) = session(folder.path(), None, |text| text.contains(wanted));
        assert_eq!(events, ["outdated"], "{wanted}");
        assert!(second.summary.one_minimal);
        assert_eq!(text(&second.best), expected);
        let (third, events) = session(folder.path(), None, |text| text.contains(wanted));
        assert_eq!(events, Vec::<String>::new());
        assert_eq!(text(&third.best), expected);
        let spent = third.summary.progress.spent;
        assert_eq!(spent.recalled, spent.queries);
        // The result once, and the candidates that the claim rests on.
        assert!((1..=65).contains(&spent.runs), "{}", spent.runs);
    }
}
