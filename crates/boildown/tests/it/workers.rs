//! Workers: the same result as without them, whatever happens to them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::env::{FINDS_NEEDLE, Finished, HAYSTACK, TestEnv, has};

/// The program.
const BOILDOWN: &str = env!("CARGO_BIN_EXE_boildown");

/// A connection with a fault.
const FAULTY_LINK: &str = include_str!("faulty_link.py");

/// The line that starts a worker with one job, which notes its process.
fn worker() -> String {
    format!("echo $$ >>\"$HERE\"/workers; exec {BOILDOWN} worker --jobs 1")
}

/// The line that starts a worker over a connection with this fault, from this result on.
fn faulty(fault: &str, number: u32) -> String {
    format!("exec python3 \"$HERE\"/faulty_link.py {fault} {number} {BOILDOWN} worker --jobs 1")
}

/// A C program whose test takes up to 20 ms, so that the order of the results varies.
fn program() -> TestEnv {
    TestEnv::new()
        .file("stack.c", include_bytes!("subjects/stack.c"))
        .file("faulty_link.py", FAULTY_LINK)
        .file(
            "test.sh",
            "#!/usr/bin/env bash\nsleep 0.0$(printf %02d $((RANDOM % 21)))\n\
             grep -q 'push(' \"$1\" && grep -q 'depth' \"$1\" && [ $(grep -c return \"$1\") -ge 2 ]\n",
        )
        .mode("test.sh", 0o755)
}

/// Reduces the program with these options. Returns the result and the counts of the last event.
#[track_caller]
fn reduce(env: &TestEnv, output: &str, options: &[&str]) -> (Vec<u8>, [Value; 3]) {
    let mut args = vec![
        "stack.c", "--output", output, "--json", "--test", "test.sh", "--fresh",
    ];
    args.extend(options);
    let finished = env.reduce(args);
    finished.assert_code(0);
    assert_no_worker_left(env);
    let events = finished.events();
    let last = events.last().unwrap();
    let told = ["tests", "unresolved", "tokens_after"].map(|name| last[name].clone());
    (env.bytes(output), told)
}

/// Checks that no worker that has noted its process left anything.
#[track_caller]
fn assert_no_worker_left(env: &TestEnv) {
    let noted = fs::read_to_string(env.path("workers")).unwrap_or_default();
    for pid in noted.split_whitespace() {
        assert!(!is_running(pid), "worker {pid} is running");
        let left = fs::read_dir("/dev/shm").into_iter().flatten().flatten();
        let prefix = format!("boildown-{pid}-");
        let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix));
        assert_eq!(left.map(|entry| entry.path()).next(), None);
    }
}

/// Returns whether the worker with this process is there. Another process may have its number.
fn is_running(pid: &str) -> bool {
    let command = fs::read(Path::new("/proc").join(pid).join("cmdline")).unwrap_or_default();
    let mut words = command.split(|byte| *byte == 0);
    words.next() == Some(BOILDOWN.as_bytes()) && words.next() == Some(b"worker")
}

#[test]
fn the_result_is_the_same_here_and_on_workers() {
    let env = program();
    let one = reduce(&env, "one.c", &["--jobs", "1"]);
    let two = reduce(&env, "two.c", &["--jobs", "2"]);
    assert_eq!(one, two);
    let worker = &*worker();
    let only = ["--jobs", "0", "--worker", worker, "--worker", worker];
    assert_eq!(reduce(&env, "only.c", &only), one);
    let both = ["--jobs", "1", "--worker", worker];
    assert_eq!(reduce(&env, "both.c", &both), one);
}

#[test]
fn the_result_is_the_same_whatever_happens_to_a_worker() {
    if !has("python3") {
        return;
    }
    let env = program();
    let expected = reduce(&env, "one.c", &["--jobs", "1"]);
    for (round, fault) in (0u32..).zip([
        "banner",
        "duplicate",
        "slow",
        "kill",
        "garbage",
        "oversize",
        "truncate",
        "stall",
    ]) {
        // A worker that is lost each time is given up, and another one continues.
        let (faulty, good) = (&*faulty(fault, 3 + round), &*worker());
        let jobs = if round % 2 == 0 { "1" } else { "0" };
        let options = ["--jobs", jobs, "--worker", faulty, "--worker", good];
        let reduced = reduce(&env, "faulty.c", &options);
        assert_eq!(reduced, expected, "{fault}, {jobs} jobs");
    }
}

#[test]
fn a_worker_that_is_silent_for_a_while_gives_its_tests_to_others() {
    if !has("python3") {
        return;
    }
    for fault in ["cut", "stop"] {
        let env = program();
        let expected = reduce(&env, "one.c", &["--jobs", "1"]);
        // Without another one, its tests wait until it is back.
        let line = &*faulty(fault, 6);
        let args = [
            "stack.c", "--test", "test.sh", "--jobs", "0", "--worker", line,
        ];
        let finished = env.reduce(args);
        finished.assert_code(0);
        assert!(
            finished.stderr.contains("is silent since 5 s"),
            "{}",
            finished.stderr
        );
        assert!(finished.stderr.contains("is back"), "{}", finished.stderr);
        assert_eq!(env.bytes("stack.min.c"), expected.0);
        assert_no_worker_left(&env);
    }
}

#[test]
fn random_faults_of_two_workers_change_nothing() {
    if !has("python3") {
        return;
    }
    let env = program();
    let expected = reduce(&env, "one.c", &["--jobs", "1"]);
    for seed in 0..4 {
        let (one, other) = (&*faulty("random", seed), &*faulty("random", seed + 100));
        let options = ["--jobs", "1", "--worker", one, "--worker", other];
        assert_eq!(reduce(&env, "random.c", &options), expected, "{seed}");
    }
}

#[test]
fn when_all_workers_are_gone_the_session_ends_and_can_be_resumed() {
    if !has("python3") {
        return;
    }
    let env = program();
    let expected = reduce(&env, "one.c", &["--jobs", "1"]);
    let line = &*faulty("kill", 12);
    let stopped = env.reduce([
        "stack.c", "--test", "test.sh", "--jobs", "0", "--worker", line,
    ]);
    stopped.assert_code(5);
    for text in [
        "is started again: it ended",
        "is given up",
        "no worker is left, and --jobs 0 runs none here",
    ] {
        assert!(stopped.stderr.contains(text), "{text}: {}", stopped.stderr);
    }
    let resumed = env.reduce(["stack.c", "--test", "test.sh", "--jobs", "1"]);
    resumed.assert_code(0);
    assert!(resumed.stderr.contains("resumed: "), "{}", resumed.stderr);
    assert_eq!(env.bytes("stack.min.c"), expected.0);
}

/// Reduces a haystack with a worker that cannot be used, and checks the note about it.
#[track_caller]
fn check_refused(line: &str, command: &[&str], reason: &str) {
    let env = TestEnv::with_test("[ -z \"$DIFFERS\" ] || exit 7\ngrep -q needle \"$1\"")
        .file("faulty_link.py", FAULTY_LINK);
    let args = ["in.txt", "--jobs", "1", "--worker", line];
    let finished = env.reduce(args.iter().chain(command));
    finished.assert_code(0);
    let note = finished
        .stderr
        .lines()
        .find(|line| line.contains("is not used: "));
    let note = note.unwrap_or_else(|| panic!("no note: {}", finished.stderr));
    assert!(note.contains(reason), "{note}");

    let args = ["in.txt", "--jobs", "0", "--fresh", "--worker", line];
    let finished = env.reduce(args.iter().chain(command));
    finished.assert_code(5);
    assert!(
        finished
            .stderr
            .contains("no worker can be used, and --jobs 0 runs no tests here"),
        "{}",
        finished.stderr
    );
}

const BY_SCRIPT: &[&str] = &["--test", "test.sh"];

#[test]
fn a_worker_that_cannot_be_used_is_named_with_the_reason() {
    let plain = &*worker();
    check_refused(
        "boildown-is-missing worker",
        BY_SCRIPT,
        "boildown-is-missing: not found",
    );
    check_refused(
        "echo Welcome",
        BY_SCRIPT,
        "it is not `boildown worker`: it printed `Welcome`",
    );
    check_refused(
        "true",
        BY_SCRIPT,
        "it ended before it said that it is `boildown worker`",
    );
    let version = env!("CARGO_PKG_VERSION");
    check_refused(
        &format!("echo boildown-worker 2 {version} 1000000 host; exec cat"),
        BY_SCRIPT,
        "the number of tests at once that it announces is not from 1 to 1024",
    );
    check_refused(
        &format!("export DIFFERS=1; {plain}"),
        BY_SCRIPT,
        "the property does not hold on the input there: the command exited with 7",
    );
    check_refused(
        &format!("export PATH=/missing; {plain}"),
        &["--exit", "0", "--", "grep", "needle", "{}"],
        "there is no program `grep` on its PATH",
    );
}

#[test]
fn a_worker_of_another_version_is_refused() {
    if has("python3") {
        let reason = "it is boildown 99.1.2 (protocol 2), and this is ";
        check_refused(&faulty("version", 0), BY_SCRIPT, reason);
    }
}

#[test]
fn workers_are_listed_in_a_file() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file(
        "pool",
        format!("# two workers\n\n{}\n{}\n", worker(), worker()),
    );
    let args = [
        "in.txt", "--test", "test.sh", "--jobs", "0", "--worker", "@pool",
    ];
    env.reduce(args).assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needle");
    assert_eq!(env.read("workers").lines().count(), 2);
    assert_no_worker_left(&env);

    // Other reducers call the number of jobs so.
    let number = env.reduce(["in.txt", "--test", "test.sh", "--workers", "8"]);
    (number.assert_code(1)).assert_says("boildown reduce in.txt --test test.sh --jobs 8");
    let missing = env.reduce(["in.txt", "--test", "test.sh", "--worker", "@missing"]);
    (missing.assert_code(1)).assert_says("failed to read missing");
}

#[test]
fn the_files_of_a_project_are_sent_to_workers() {
    let env = TestEnv::new()
        .file("in.txt", HAYSTACK)
        .file("words", "needle\n")
        .script("test.sh", "grep -q -f words in.txt");
    let line = &*worker();
    let args = [
        "in.txt", "--test", "test.sh", "--within", ".", "--jobs", "0", "--worker", line,
    ];
    env.reduce(args).assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needle");
    assert_no_worker_left(&env);
}

#[test]
fn an_isolation_uses_workers_too() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("good.txt", HAYSTACK.replace("needle", "pin"));
    let isolate = |output: &str, options: &[&str]| {
        fs::create_dir(env.path(output)).unwrap();
        let mut args = vec!["isolate", "good.txt", "in.txt", "--output", output];
        args.extend(["--exit", "0"]);
        args.extend(options);
        args.extend(["--", "./test.sh", "{}"]);
        env.run(args).assert_code(0);
        (
            env.bytes(format!("{output}/in.pass.txt")),
            env.bytes(format!("{output}/in.fail.txt")),
        )
    };
    let here = isolate("here", &["--jobs", "1"]);
    let there = isolate("there", &["--jobs", "0", "--worker", &worker()]);
    assert_eq!(here, there);
    assert_no_worker_left(&env);
}

/// Starts a reduction whose tests take long on a worker, and waits until one runs.
fn long_run(env: &TestEnv) -> crate::env::Started<'_> {
    let line = worker();
    let args = [
        "in.txt", "--test", "test.sh", "--jobs", "0", "--worker", &line,
    ];
    let mut started = env.start_reduce(args);
    started.wait_until(|env| env.exists("long"));
    started
}

/// A test that takes long on all but the input and the empty file.
const LONG: &str = "grep -q needle \"$1\" || exit 1\ngrep -q seven \"$1\" && grep -q five \"$1\" && exit 0\n\
                    touch \"$HERE\"/long\nsleep 1000";

fn wait_until_gone(env: &TestEnv) {
    let noted = env.read("workers");
    for pid in noted.split_whitespace() {
        while is_running(pid) {
            std::thread::yield_now();
        }
    }
    assert_no_worker_left(env);
}

#[test]
fn a_worker_cleans_up_when_its_client_is_stopped_or_killed() {
    for signal in [Signal::INT, Signal::KILL] {
        let env = TestEnv::with_test(LONG);
        let started = long_run(&env);
        started.signal(signal);
        let finished: Option<Finished<'_>> = (signal == Signal::INT).then(|| started.finish());
        if let Some(finished) = finished {
            finished.assert_code(6);
        }
        wait_until_gone(&env);
    }
}

#[test]
fn a_worker_cleans_up_when_it_gets_a_signal() {
    let env = TestEnv::with_test(LONG);
    let started = long_run(&env);
    let noted = env.read("workers");
    let pid = noted.trim().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
    wait_until_gone(&TestEnv::new().file("workers", noted));
    started.signal(Signal::INT);
    started.finish().assert_code(6);
}

#[test]
fn a_worker_that_is_started_by_hand_says_what_it_expects() {
    let talk = |text: &[u8]| {
        let mut command = Command::new(BOILDOWN);
        command
            .args(["worker", "--jobs", "1"])
            .stdin(Stdio::piped());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.stdout.starts_with(b"boildown-worker 2 "));
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(talk(b""), (Some(0), String::new()));
    assert_eq!(talk(b"boildown-client 2 0.1.0\n").0, Some(0));
    let (code, said) = talk(b"help\n");
    assert_eq!(code, Some(1));
    assert!(said.contains("it began with `help`"), "{said}");
    let (code, said) = talk(b"boildown-client 2 0.1.0\n\xff\xff\xff\xff");
    assert_eq!(code, Some(5));
    assert!(
        said.contains("a frame of 4294967295 bytes was announced"),
        "{said}"
    );
    let (code, said) = talk(b"boildown-client 2 0.1.0\n\x02\0\0\0\x09\x09");
    assert_eq!(code, Some(5));
    assert!(said.contains("not a message of this protocol"), "{said}");
}

#[test]
fn without_workers_zero_jobs_are_invalid() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let refused = env.reduce(["in.txt", "--test", "test.sh", "--jobs", "0"]);
    refused.assert_code(1);
    assert!(
        refused
            .stderr
            .contains("--jobs 0 runs no tests here, and there is no worker"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_test_behind_a_link_of_the_project_is_not_touched() {
    let script = format!("#!/bin/sh\n{FINDS_NEEDLE}\n");
    for target in [
        "../shared/tools",
        "SHARED/tools",
        "inner",
        "../shared/chain",
    ] {
        let env = TestEnv::new()
            .file("project/in.txt", HAYSTACK)
            .file("project/inner/check.sh", &script)
            .file("shared/tools/check.sh", &script)
            .mode("project/inner/check.sh", 0o755)
            .mode("shared/tools/check.sh", 0o755);
        let shared = env.path("shared");
        std::os::unix::fs::symlink("tools", shared.join("chain")).unwrap();
        let target = target.replace("SHARED", shared.to_str().unwrap());
        std::os::unix::fs::symlink(&target, env.path("project/tools")).unwrap();
        let worker = &*worker();
        for within in [&["--within", "project"][..], &[]] {
            let options = [
                "project/in.txt",
                "--fresh",
                "--jobs",
                "0",
                "--worker",
                worker,
            ];
            let test = ["--test", "project/tools/check.sh"];
            let finished = env.reduce([&options[..], &test, within].concat());
            assert_eq!(
                env.read("shared/tools/check.sh"),
                script,
                "{target} {within:?}"
            );
            assert_eq!(
                env.read("project/inner/check.sh"),
                script,
                "{target} {within:?}"
            );
            finished.assert_code(0);
            assert_eq!(
                env.read("project/in.min.txt"),
                "needle",
                "{target} {within:?}"
            );
        }
    }
}
