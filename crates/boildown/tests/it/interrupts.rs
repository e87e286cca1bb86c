//! Signals: the session ends soon, and the best result is kept.

use std::fmt::Write as _;
use std::time::Instant;

use rustix::process::Signal;

use crate::env::{HAYSTACK, NEEDLE, SOON, TestEnv};

/// Returns a file whose reduction with a slow test takes longer than any test waits.
fn large_haystack() -> String {
    let mut text = String::new();
    for number in 0..200 {
        writeln!(text, "line {number} of the hay").unwrap();
        if number % 10 == 0 {
            writeln!(text, "{NEEDLE} {number}").unwrap();
        }
    }
    text
}

/// Sends the signal to a reduction that has a first result.
#[track_caller]
fn check(signal: Signal, script: &str) {
    let input = large_haystack();
    let env = TestEnv::with_test(&format!(
        "{script}\nsleep 0.1; [ $(grep -c needle $1) -ge 10 ]"
    ))
    .file("in.txt", &input);
    let mut run = env.start_reduce(["in.txt", "--jobs", "2", "--test", "test.sh"]);
    run.wait_until(|env| env.exists("in.min.txt") && env.bytes("in.min.txt").len() < input.len());
    run.signal(signal);
    let signalled = Instant::now();
    let finished = run.finish();
    assert!(signalled.elapsed() < SOON);
    finished
        .assert_code(6)
        .assert_says("1-minimality not verified: interrupted\nto resume, run the same command\n");
    let best = env.read("in.min.txt");
    assert!(best.matches(NEEDLE).count() >= 10, "{best}");
    assert_eq!(env.read("in.txt"), input);
}

#[test]
fn ctrl_c_keeps_the_best() {
    check(Signal::INT, "");
}

#[test]
fn sigterm_keeps_the_best() {
    check(Signal::TERM, "");
}

#[test]
fn a_test_that_ignores_signals_does_not_delay_the_end() {
    check(Signal::INT, "trap '' INT TERM; setsid sleep 1000 &");
}

#[test]
fn ctrl_c_during_the_first_run_changes_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let env = TestEnv::with_test("touch $HERE/running; sleep 1000");
        let mut run = env.start_reduce(["in.txt", "--in-place", "--test", "test.sh"]);
        run.wait_until(|env| env.exists("running"));
        run.signal(signal);
        let signalled = Instant::now();
        let finished = run.finish();
        assert!(signalled.elapsed() < SOON);
        insta::allow_duplicates! { insta::assert_snapshot!(finished, @r"
        exit code 6
        -- stderr
        error: interrupted before the reduction began: nothing was written
        ") };
        assert_eq!(env.read("in.txt"), HAYSTACK);
        assert!(!env.exists("in.txt.orig"));
    }
}

#[test]
fn ctrl_c_ends_the_json_events_with_finished() {
    let env = TestEnv::with_test("sleep 0.1; [ $(grep -c needle $1) -ge 10 ]")
        .file("in.txt", large_haystack());
    let mut run = env.start_reduce(["in.txt", "--json", "--test", "test.sh"]);
    run.wait_until(|env| env.exists("in.min.txt"));
    run.signal(Signal::INT);
    let events = run.finish().assert_code(6).events();
    let last = events.last().unwrap();
    assert_eq!(last["event"], "finished");
    assert_eq!(last["stopped"], "interrupted");
    assert_eq!(last["one_minimal"], false);
}

#[test]
fn after_ctrl_c_in_place_the_same_command_resumes() {
    let input = large_haystack();
    // From now on the test is fast.
    let env =
        TestEnv::with_test("[ -e $HERE/quick ] || sleep 0.1; [ $(grep -c needle $1) -ge 10 ]")
            .file("in.txt", &input);
    let args = ["in.txt", "--in-place", "--test", "test.sh"];
    let mut run = env.start_reduce(args);
    run.wait_until(|env| env.bytes("in.txt").len() < input.len());
    run.signal(Signal::INT);
    run.finish()
        .assert_code(6)
        .assert_says("to resume, run the same command\n");
    assert_eq!(env.read("in.txt.orig"), input);
    let env = env.file("quick", "");
    env.reduce(args).assert_code(0).assert_says("resumed: ");
    assert_eq!(env.read("in.txt.orig"), input);
    let in_place = env.read("in.txt");
    let args = ["in.txt.orig", "--output", "beside", "--test", "test.sh"];
    env.reduce(args).assert_code(0);
    assert_eq!(in_place, env.read("beside"));
}

#[test]
fn in_place_a_file_that_was_edited_between_sessions_is_not_overwritten() {
    let env = TestEnv::with_test(crate::env::FINDS_NEEDLE);
    let args = ["in.txt", "--in-place", "--test", "test.sh"];
    env.reduce(args).assert_code(0);
    let env = env.file("in.txt", "my needle");
    env.reduce(args)
        .assert_code(1)
        .assert_says("in.txt.orig exists already")
        .assert_says("to resume the earlier run, restore in.txt as that run left it");
    assert_eq!(env.read("in.txt"), "my needle");
    assert_eq!(env.read("in.txt.orig"), HAYSTACK);
}
