//! Verdicts of another run: `--known`.

use std::fs;

use crate::env::{FINDS_NEEDLE, Finished, HAYSTACK, TestEnv};

/// Returns the number of runs of the command in the search.
#[track_caller]
fn runs(finished: &Finished<'_>) -> u64 {
    let events = finished.assert_code(0).events();
    events.last().unwrap()["runs"].as_u64().unwrap()
}

/// Reduces the haystack in a colleague's folder, and copies input and test to another folder.
fn colleague() -> TestEnv {
    let env = TestEnv::with_test(FINDS_NEEDLE)
        .file("theirs/in.txt", HAYSTACK)
        .file("theirs/test.sh", format!("#!/bin/sh\n{FINDS_NEEDLE}\n"))
        .mode("theirs/test.sh", 0o755);
    let args = ["theirs/in.txt", "--test", "theirs/test.sh", "--jobs", "1"];
    env.reduce(args).assert_code(0);
    env
}

fn with_known<'a>(env: &'a TestEnv, store: &str, more: &[&str]) -> Finished<'a> {
    let mut args = vec!["in.txt", "--test", "test.sh", "--json", "--jobs", "1"];
    args.extend(["--known", store]);
    args.extend(more);
    env.reduce(args)
}

#[test]
fn verdicts_of_a_colleague_are_used_and_their_store_is_not_changed() {
    let env = colleague();
    let alone = env.reduce([
        "in.txt", "--test", "test.sh", "--json", "--jobs", "1", "-o", "x",
    ]);
    let alone = runs(&alone);
    let folder = env.path("theirs/.boildown/in.min.txt");
    let files = || {
        let files = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files.map(|file| (fs::read(&file).unwrap(), file)).collect();
        files.sort();
        files
    };
    let before = files();
    for store in ["theirs", "theirs/.boildown", "theirs/.boildown/in.min.txt"] {
        let known = with_known(&env, store, &["--fresh", "--rename"]);
        assert!(runs(&known) < alone, "{store}: {} of {alone}", runs(&known));
        let text = known.stdout.replace(',', "");
        assert!(text.contains("known verdicts from theirs"), "{text}");
        assert_eq!(env.read("in.min.txt"), env.read("theirs/in.min.txt"));
    }
    assert!(files() == before);
}

#[test]
fn verdicts_of_another_run_are_not_used_and_the_difference_is_named() {
    let env = colleague().script("test.sh", "grep -q needle \"$1\" # differs");
    let known = with_known(&env, "theirs", &[]);
    known.assert_code(0);
    let expected = "are not used: they are those of another run, which differs in the file test.sh";
    assert!(known.stdout.contains(expected), "{}", known.stdout);
}

#[test]
fn a_place_without_a_store_is_an_error() {
    let env = colleague();
    for (store, reason) in [
        ("missing", "failed to read missing"),
        ("test.sh", "failed to read test.sh: it is damaged"),
        ("home", "failed to read home"),
    ] {
        let known = with_known(&env, store, &[]);
        known.assert_code(1);
        assert!(known.stderr.contains(reason), "{}", known.stderr);
    }
}

#[test]
fn the_store_of_a_session_that_is_at_work_can_be_read() {
    let env = colleague();
    let slow = "grep -q needle \"$1\" || exit 1\ngrep -q three \"$1\" || { touch \"$HERE\"/slow; sleep 1000; }";
    let env = env.script("theirs/slow.sh", slow).script("slow.sh", slow);
    let theirs = [
        "theirs/in.txt",
        "--test",
        "theirs/slow.sh",
        "--jobs",
        "1",
        "-o",
        "theirs/o.txt",
    ];
    let mut started = env.start_reduce(theirs);
    started.wait_until(|env| env.exists("slow"));
    let mine = [
        "in.txt",
        "--test",
        "slow.sh",
        "--jobs",
        "1",
        "--max-tests",
        "1",
        "--known",
        "theirs/.boildown/o.txt",
    ];
    // Both print to the same files.
    let output = env.command().arg("reduce").args(mine).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("known verdict"), "{said}");
    started.signal(rustix::process::Signal::INT);
    started.finish().assert_code(6);
}
