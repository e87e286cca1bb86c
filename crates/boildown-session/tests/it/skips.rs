//! Passes that are skipped before their end.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use boildown_driver::Budget;
use boildown_oracle::{FnOracle, Verdict};
use boildown_reduce::reduction;
use boildown_session::{Event, ReduceOptions, SessionConfig, SkipPass, Summary, reduce};
use boildown_show::StopReason;
use boildown_store::{Identity, Improvement, Provenance, RunDescription, RunStore, StoreFolder};

fn input() -> String {
    (0..12)
        .map(|number| format!("int f{number}(int x) {{ if (x) return x + {number}; return 0; }}\n"))
        .collect()
}

fn holds(text: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(text);
    match text.contains("f3(") && text.matches("return").count() >= 3 {
        true => Verdict::Interesting,
        false => Verdict::Uninteresting,
    }
}

/// Returns the run store in this folder, with what earlier calls recorded there.
pub(crate) fn begin(folder: &Path, text: &str) -> RunStore {
    let place = StoreFolder::beside(&folder.join("result.txt")).expect("the place is free");
    let (found, _) = place
        .find(Identity::default())
        .expect("the file can be read");
    let start = RunDescription {
        name: "in.txt",
        input: Improvement::of_text(&text.as_bytes().into(), 0, Duration::ZERO),
        property: String::new(),
        flags: String::new(),
        time_limit: Duration::from_secs(1),
        version: "0.1.0",
        choices: &[],
        provenance: Provenance::default(),
    };
    found
        .begin(&place, &start)
        .expect("the file can be written")
}

/// Reduces the input, and skips each of these passes when it begins for the first time.
fn run(skipped: &[&str], config: &SessionConfig) -> (Summary, Arc<[u8]>) {
    let text = input();
    let search = reduction(&text.as_bytes().into(), None, boildown_formats::strategy());
    let skip_pass = SkipPass::default();
    let options = ReduceOptions {
        skip_pass: skip_pass.clone(),
        ..ReduceOptions::default()
    };
    let mut skipped = skipped.to_vec();
    let mut on_event = |event: &Event| {
        if let Event::PassStarted { name, .. } = event
            && let Some(index) = skipped.iter().position(|skipped| skipped == name)
        {
            skipped.remove(index);
            skip_pass.request();
        }
    };
    let oracle = FnOracle::new(holds);
    reduce(search, &oracle, &options, config, &mut on_event).expect("a closure always answers")
}

fn config(jobs: usize) -> SessionConfig {
    SessionConfig {
        jobs,
        ..SessionConfig::default()
    }
}

#[test]
fn later_passes_still_prove_the_result_after_a_skipped_one() {
    let (all, _) = run(&[], &config(1));
    let (without, _) = run(&["blocks", "nodes"], &config(1));
    assert_ne!(all.progress.spent.queries, without.progress.spent.queries);
    assert!(all.one_minimal && without.one_minimal);
}

#[test]
fn a_result_is_not_1_minimal_if_its_last_sweep_was_skipped() {
    let (summary, _) = run(&["each byte"; 9], &config(1));
    assert!(!summary.one_minimal);
    assert_eq!(summary.stopped, None);
}

#[test]
fn a_resumed_reduction_skips_the_passes_that_were_skipped_before() {
    let skipped = ["blocks", "words"];
    let (uninterrupted, best) = run(&skipped, &config(8));
    let queries = uninterrupted.progress.spent.queries;

    let folder = tempfile::tempdir().expect("a temporary directory");
    let with = |jobs, most| SessionConfig {
        budget: Budget {
            queries: most,
            ..Budget::default()
        },
        store: Some(Arc::new(begin(folder.path(), &input()))),
        ..config(jobs)
    };
    let (stopped, _) = run(&skipped, &with(8, Some(queries - 1)));
    assert_eq!(stopped.stopped, Some(StopReason::QueryLimit));
    // Nothing is skipped by the user this time.
    let (resumed, text) = run(&[], &with(8, None));
    assert_eq!(text, best);
    assert_eq!(resumed.progress.spent.queries, queries);
    // A worker may have finished the last one too, before the first session ended.
    let recalled = resumed.progress.spent.recalled;
    assert!((queries - 1..=queries).contains(&recalled), "{recalled}");
}
