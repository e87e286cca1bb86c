//! Choices that a run makes for the user: with `--verbose`, and by `boildown explain`.

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use crate::env::{FINDS_NEEDLE, TestEnv};

/// Returns the lines about what was chosen.
fn choices(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.contains(" (see --"))
        .collect()
}

#[test]
fn each_choice_is_one_line_with_its_reason_and_its_option() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.py", "a = 'needle'\nb = 1\n");
    let run = env.reduce([
        "in.py",
        "--verbose",
        "--jobs",
        "1",
        "--",
        "grep",
        "needle",
        "in.py",
    ]);
    run.assert_code(3);
    assert_eq!(
        choices(&run.stderr)[..2],
        [
            "language: Python, by the name in.py (see --language)",
            "jobs: 1, as stated (see --jobs)",
        ]
    );
    let args = [
        "in.py",
        "-v",
        "--exit",
        "0",
        "--timeout",
        "7",
        "--",
        "grep",
        "needle",
        "in.py",
    ];
    let run = env.reduce(args);
    run.assert_code(0);
    let lines = choices(&run.stderr);
    for about in ["language", "jobs", "property", "sandbox", "time limit"] {
        let is_about = |line: &&&str| line.starts_with(&format!("{about}: "));
        assert_eq!(lines.iter().filter(is_about).count(), 1, "{about}\n{run}");
    }
    run.assert_says("time limit: 7.0s, as stated (see --timeout)");
    run.assert_says("property: exits with 0, as stated (see --test, --exit, --stdout, --stderr)");
}

#[test]
fn choices_are_not_shown_unless_asked_for() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let run = env.reduce(["in.txt", "--test", "test.sh"]);
    assert!(choices(&run.assert_code(0).stderr).is_empty());
}

#[test]
fn the_last_run_is_explained() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("other.txt", "hay needle");
    let shown = env.reduce(["in.txt", "--verbose", "--test", "test.sh"]);
    shown.assert_code(0);
    let explained = env.run(["explain"]);
    explained.assert_code(0);
    assert_eq!(choices(&explained.stdout), choices(&shown.stderr));
    assert!(
        explained
            .stdout
            .starts_with("in.min.txt: the last run on in.txt, ")
    );
    assert!(explained.stdout.contains("\nended: the search finished; "));
    assert!(
        explained.stdout.contains("\nresult: 49 -> 6 bytes\n"),
        "{explained}"
    );

    env.reduce(["other.txt", "--test", "test.sh"])
        .assert_code(0);
    let last = |args: &[&str]| {
        let text = env.run(args).assert_code(0).stdout.clone();
        text.split(':').next().unwrap().to_owned()
    };
    assert_eq!(last(&["explain", "in.txt"]), "in.min.txt");
    assert_eq!(last(&["explain", "in.min.txt"]), "in.min.txt");
    assert_eq!(last(&["explain", "./other.txt"]), "other.min.txt");
}

#[test]
fn a_run_that_was_interrupted_is_explained() {
    let env = TestEnv::with_test("sleep 0.1; grep -q needle \"$1\"");
    let mut run = env.start_reduce(["in.txt", "--test", "test.sh"]);
    run.wait_until(|env| env.exists("in.min.txt"));
    run.signal(Signal::INT);
    run.finish().assert_code(6);
    let explained = env.run(["explain"]);
    let text = &explained.assert_code(0).stdout;
    assert!(
        text.contains("ended: interrupted; the same command resumes"),
        "{text}"
    );
}

#[test]
fn a_run_of_the_first_format_is_explained() {
    let env = TestEnv::new();
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../boildown-store/tests/fixtures/store-v1.db");
    let env = env.file(".boildown/in.min.txt/0123.db", fs::read(fixture).unwrap());
    let explained = env.run(["explain"]);
    let text = &explained.assert_code(0).stdout;
    assert!(
        text.starts_with("in.min.txt: the last run on in.txt, "),
        "{text}"
    );
    assert!(
        text.contains("\nproperty: exits with 3 (see --exit 3)\n"),
        "{text}"
    );
    assert!(text.contains("\nended: "), "{text}");
}

#[test]
fn without_a_run_there_is_nothing_to_explain() {
    let env = TestEnv::new();
    let run = env.run(["explain", "in.c"]);
    run.assert_code(1)
        .assert_says("error: no run of in.c is recorded in .boildown");
}

#[test]
fn an_isolation_has_no_single_result() {
    let env = TestEnv::with_test("! grep -q needle \"$1\"").file("good.txt", "one\nhay\n");
    let args = [
        "isolate", "good.txt", "in.txt", "--test", "test.sh", "--exit", "1",
    ];
    env.run(args).assert_code(0);
    let text = env.run(["explain"]).assert_code(0).stdout.clone();
    assert!(
        text.starts_with("in.fail.txt: the last run on in.txt, "),
        "{text}"
    );
    assert!(text.contains("\nended: the search finished; "), "{text}");
    assert!(!text.contains("result:"), "{text}");
}

#[test]
fn the_tests_and_runs_are_those_of_the_summary() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let run = env.reduce(["in.txt", "--test", "test.sh"]);
    run.assert_code(0);
    let explained = env.run(["explain"]);
    let figures = |text: &str, before: &str| {
        let end = text.find(" runs").expect("the runs of the summary");
        let line = text[..end].lines().last().unwrap_or_default();
        let words = line.trim_start_matches(before).split_whitespace();
        let ends: Vec<String> = words.map(str::to_owned).collect();
        [ends[0].clone(), ends[ends.len() - 1].clone()]
    };
    let said = figures(&run.stderr, "");
    assert_eq!(
        figures(&explained.stdout, "ended: the search finished; "),
        said
    );
}
