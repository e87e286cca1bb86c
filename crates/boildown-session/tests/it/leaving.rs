//! A pass that is left before its end.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use boildown_oracle::store::{Identity, Improvement, Place, RunStore, Start, fingerprint_of};
use boildown_oracle::{FnOracle, Verdict};
use boildown_session::{Budget, Config, Event, Goal, Leave, Stopped, Summary, reduce};
use boildown_syntax::{Strategy, reduction};

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

fn begin(folder: &Path, text: &str) -> RunStore {
    let place = Place::beside(&folder.join("result.txt")).expect("nobody else works there");
    let (found, _) = place
        .find(Identity::default())
        .expect("the file can be read");
    let start = Start {
        name: "in.txt",
        input: Improvement {
            question: 0,
            content: fingerprint_of(text.as_bytes()),
            bytes: text.len(),
            tokens: None,
            elapsed: Duration::ZERO,
            text: Some(text.as_bytes().into()),
        },
        property: String::new(),
        flags: String::new(),
        time_limit: Duration::from_secs(1),
        version: "0.1.0",
    };
    found
        .begin(&place, &start)
        .expect("the file can be written")
}

/// Reduces the input and leaves each of these passes as soon as it begins for the first time.
fn run(left: &[&str], config: &Config) -> (Summary, Arc<[u8]>) {
    let text = input();
    let search = reduction(&text.as_bytes().into(), None, Strategy::default());
    let leave = Leave::default();
    let goal = Goal {
        leave: leave.clone(),
        ..Goal::default()
    };
    let mut left = left.to_vec();
    let mut on_event = |event: &Event| {
        if let Event::Pass { name } = event
            && let Some(place) = left.iter().position(|left| left == name)
        {
            left.remove(place);
            leave.request();
        }
    };
    reduce(search, &FnOracle::new(holds), &goal, config, &mut on_event)
        .expect("a closure can always be asked")
}

fn config(jobs: usize) -> Config {
    Config {
        jobs,
        ..Config::default()
    }
}

#[test]
fn after_a_pass_that_was_left_the_next_ones_still_prove_the_result() {
    let (all, _) = run(&[], &config(1));
    let (without, _) = run(&["blocks", "nodes"], &config(1));
    assert_ne!(
        all.progress.spent.questions,
        without.progress.spent.questions
    );
    assert!(all.one_minimal && without.one_minimal);
}

#[test]
fn what_no_sweep_has_gone_over_to_its_end_is_not_called_1_minimal() {
    let (summary, _) = run(&["each byte"; 9], &config(1));
    assert!(!summary.one_minimal);
    assert_eq!(summary.stopped, None);
}

#[test]
fn a_run_in_which_passes_were_left_goes_on_where_it_was() {
    let left = ["blocks", "words"];
    let (undisturbed, best) = run(&left, &config(8));
    let questions = undisturbed.progress.spent.questions;

    let folder = tempfile::tempdir().expect("a temporary directory");
    let with = |jobs, most| Config {
        budget: Budget {
            questions: most,
            ..Budget::default()
        },
        store: Some(Arc::new(begin(folder.path(), &input()))),
        ..config(jobs)
    };
    let (stopped, _) = run(&left, &with(8, Some(questions - 1)));
    assert_eq!(stopped.stopped, Some(Stopped::Questions));
    // Nobody presses a key this time.
    let (resumed, text) = run(&[], &with(8, None));
    assert_eq!(text, best);
    assert_eq!(resumed.progress.spent.questions, questions);
    assert_eq!(resumed.progress.spent.recalled, questions - 1);
}
