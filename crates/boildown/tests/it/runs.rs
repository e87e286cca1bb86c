//! The output of ordinary reductions.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::Value;

use crate::env::{FINDS_NEEDLE, HAYSTACK, NEEDLE, TestEnv};

const CRASH_C: &str = "\
#include <stdio.h>

/* Adds one. */
int helper(int x) { return x + 1; }

int main(void) {
    for (int i = 0; i < 10; i++) {
        printf(\"%d\\n\", helper(i));
        boom(i);
    }
    return 0;
}
";

#[test]
fn without_a_stated_property_it_is_deduced_from_the_first_run() {
    let env = TestEnv::new().file("crash.c", CRASH_C).script(
        "compiler.sh",
        "grep -q boom $1 || exit 0; echo compiling; echo \"$1:9: internal compiler error: in boom, at 0x7f$$\" >&2; exit 3",
    );
    assert_snapshot!(env.reduce(["crash.c", "--", "./compiler.sh", "crash.c"]), @r"
    exit code 0
    -- stderr
    preserving: exits with 3
                stderr matches /internal compiler error: in boom, at 0[xX][0-9a-fA-F]+$/
    crash.min.c  199 -> 5 bytes, 60 -> 1 token
    [n] tests in [time] ([n] runs)
    1-minimal: no single token can be removed, nor a node whose removal parses
    ");
    assert_eq!(env.read("crash.min.c"), "boom\n");
}

#[test]
fn with_a_test_its_exit_code_decides() {
    let env = TestEnv::new()
        .file("crash.c", CRASH_C)
        .script("test.sh", "grep -q boom crash.c");
    assert_snapshot!(env.reduce(["crash.c", "--test", "./test.sh"]), @r"
    exit code 0
    -- stderr
    preserving: the test exits with 0
    crash.min.c  199 -> 5 bytes, 60 -> 1 token
    [n] tests in [time] ([n] runs)
    1-minimal: no single token can be removed, nor a node whose removal parses
    ");
    assert_eq!(env.read("crash.min.c"), "boom\n");
}

#[test]
fn a_file_that_is_minimal_already_has_its_own_exit_code() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.txt", NEEDLE);
    assert_snapshot!(env.reduce(["in.txt", "--test", "test.sh"]), @r"
    exit code 2
    -- stderr
    preserving: the test exits with 0
    in.txt: nothing could be removed  6 -> 6 bytes, 1 -> 1 token
    [n] tests in [time] ([n] runs)
    1-minimal: no single byte can be removed
    ");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[test]
fn a_limit_on_tests_ends_a_run_early() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let finished = env.reduce(["in.txt", "--max-tests", "2", "--test", "test.sh"]);
    finished
        .assert_code(6)
        .assert_says("1-minimality not verified: test limit reached");
    assert!(env.read("in.min.txt").contains(NEEDLE));
}

#[test]
fn options_keep_their_former_names() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let former = ["in.txt", "--max-questions", "2", "--test", "test.sh"];
    env.reduce(former)
        .assert_code(6)
        .assert_says("1-minimality not verified: test limit reached");
}

#[test]
fn a_result_that_is_small_enough_ends_a_run_successfully() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let small = env.reduce(["in.txt", "--until", "100 bytes", "--test", "test.sh"]);
    small
        .assert_code(0)
        .assert_says("1-minimality not verified: target size reached");
    let size = env.bytes("in.min.txt").len();
    assert!((NEEDLE.len() + 1..=100).contains(&size), "{size}");
    let enough = env.reduce(["in.txt", "--until", "1MB", "--test", "test.sh"]);
    enough
        .assert_code(0)
        .assert_says("the input has 49 bytes, no more than --until asks for: nothing is removed");
    assert_eq!(env.read("in.min.txt"), HAYSTACK);
    // Tokens of the input are counted before the search.
    let enough = env.reduce(["in.txt", "--until", "10", "--test", "test.sh"]);
    enough.assert_code(0).assert_says("the input has 10 tokens");
    assert_eq!(env.read("in.min.txt"), HAYSTACK);
    let wrong = env.reduce(["in.txt", "--until", "3 lines", "--test", "test.sh"]);
    wrong.assert_code(1).assert_says("not a number of tokens");
}

#[test]
fn a_reduction_until_a_plateau_ends_after_the_tests_that_removed_much() {
    let lines = (0..400).map(|line| format!("line {line}\n"));
    let env = TestEnv::with_test("[ $(wc -l < \"$1\") -ge 300 ]")
        .file("long.txt", lines.collect::<String>());
    let last = |jobs| {
        let options = ["--until", "plateau", "--fresh", "--json", "--jobs", jobs];
        let args = [
            &["long.txt", "--test", "test.sh", "--passes", "blocks"],
            &options[..],
        ];
        let finished = env.reduce(args.concat());
        let summary = finished.assert_code(0).events().pop().unwrap();
        assert_eq!(summary["stopped"], "plateau");
        [&summary["tests"], &summary["bytes_after"]].map(ToString::to_string)
    };
    let alone = last("1");
    assert_eq!(alone, last("4"));
    assert!(alone[0].parse::<u64>().unwrap() < 100, "{alone:?}");
    assert_eq!(env.read("long.min.txt").lines().count(), 300);
}

#[test]
fn a_result_of_fewer_tokens_and_more_bytes_is_on_disk_and_counted() {
    // The typedef is expanded: three tokens fewer, and many bytes more.
    let program = "typedef struct_with_a_rather_long_name T;\nT a;\nT b;\nT c;\nT d;\n";
    let keeps = "name=struct_with_a_rather_long_name\ngrep -q \"typedef $name T;\" $1 && name=T\n\
                 for var in a b c d; do grep -q \"^$name $var;\" $1 || exit 1; done";
    let env = TestEnv::with_test(keeps).file("in.c", program);
    let finished = env.reduce(["in.c", "--json", "--test", "test.sh"]);
    let events = finished.assert_code(0).events();
    let last = events.last().unwrap();
    assert_eq!(last["tokens_after"], 12);
    assert_eq!(last["bytes_after"], env.bytes("in.min.c").len());
    assert!(env.bytes("in.min.c").len() > program.len());
    assert!(
        events
            .iter()
            .any(|event| event["event"] == "improved" && event["tokens"] == 12)
    );
    let enough = env.reduce(["in.c", "--until", "13", "--test", "test.sh"]);
    enough.assert_code(0).assert_says("target size reached");
}

#[test]
fn a_time_limit_ends_a_run_with_the_best_result() {
    let env = TestEnv::with_test(&format!("sleep 1\n{FINDS_NEEDLE}"));
    let finished = env.reduce(["in.txt", "--max-time", "5s", "--test", "test.sh"]);
    finished
        .assert_code(6)
        .assert_says("1-minimality not verified: time limit reached");
    assert!(env.read("in.min.txt").contains(NEEDLE.trim()));
}

#[test]
fn an_empty_file_may_hang_if_the_input_does_not() {
    let env = TestEnv::with_test("test -s \"$1\" || sleep 1000; grep -q needle \"$1\"");
    let env = env.file("in.txt", "hay\nneedle\nhay\n");
    env.reduce(["in.txt", "--max-time", "60s", "--test", "test.sh"])
        .assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needle");
}

#[test]
fn a_run_that_is_to_hang_and_ends_is_named_with_its_time() {
    let env = TestEnv::new()
        .file("in.txt", "a\n")
        .script("run.sh", "exit 3");
    env.reduce(["in.txt", "--hangs", "1000s", "--", "./run.sh", "{}"])
        .assert_code(3)
        .assert_says("the property does not hold on the input: the command exited with 3 after ")
        .assert_says(", before the 16m40s of --hangs");
}

#[test]
fn the_runs_on_the_input_count_towards_a_time_limit() {
    let limited = ["in.txt", "--timeout", "1000s", "--max-time", "300ms"];
    // The first run, and one of those that repeat it.
    for runs in [1, 2] {
        let env = TestEnv::with_test(&format!(
            "echo >> $HERE/runs; [ $(wc -l < $HERE/runs) -lt {runs} ] || sleep 1000"
        ));
        (env.reduce(limited.iter().chain(&["--test", "test.sh"])))
            .assert_code(6)
            .assert_says(
                "\
error: --max-time was over before the reduction began: the first runs of the command, on the input and an empty file, had not ended
  hint: nothing was written; the first runs on the input need a longer --max-time
  hint: if the hang is the failure, use --hangs
",
            );
        assert!(!env.exists("in.min.txt"));
    }
    let env = TestEnv::new()
        .file("good.txt", "a\n")
        .file("bad.txt", "b\n");
    let isolate = ["isolate", "good.txt", "bad.txt", "--timeout", "1000s"];
    let hang = ["--max-time", "300ms", "--", "sleep", "1000"];
    (env.run(isolate.iter().chain(&hang)))
        .assert_code(6)
        .assert_says("--max-time was over before the search began");
}

#[test]
fn the_last_runs_on_the_result_count_towards_a_time_limit() {
    let script = format!("[ -e $HERE/slow ] && exec sleep 1000\n{FINDS_NEEDLE}");
    let env = TestEnv::with_test(&script);
    let limited = [
        "in.txt",
        "--timeout",
        "1000s",
        "--max-time",
        "3s",
        "--jobs",
        "1",
    ];
    let mut run = env.start_reduce(limited.iter().chain(&["--test", "test.sh"]));
    run.wait_until(|env| {
        env.exists("in.min.txt") && env.bytes("in.min.txt") != env.bytes("in.txt")
    });
    fs::write(env.path("slow"), "").unwrap();
    let finished = run.finish();
    finished
        .assert_code(6)
        .assert_says("1-minimality not verified: time limit reached");
    assert!(env.read("in.min.txt").contains(NEEDLE.trim()));
}

#[test]
fn quiet_prints_nothing_on_success() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let finished = env.reduce(["in.txt", "--quiet", "--test", "test.sh"]);
    assert_eq!(
        (finished.code, &*finished.stdout, &*finished.stderr),
        (Some(0), "", "")
    );
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[test]
fn quiet_still_prints_errors() {
    let env = TestEnv::with_test("exit 1");
    let finished = env.reduce(["in.txt", "--quiet", "--test", "test.sh"]);
    finished
        .assert_code(3)
        .assert_says("error: the property does not hold on the input");
}

#[test]
fn json_is_an_event_a_line_and_the_last_one_is_the_summary() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let finished = env.reduce(["in.txt", "--json", "--test", "test.sh"]);
    finished.assert_code(0);
    assert_eq!(finished.stderr, "");
    let mut events = finished.events();

    let shapes: BTreeSet<_> = events.iter().map(shape).collect();
    let shapes: Vec<_> = shapes.into_iter().collect();
    assert_snapshot!(shapes.join("\n"), @r"
    finished: assumptions bytes_after bytes_before changed_form checks claim command driver_cpu_seconds event files_after files_before guarantee objective one_minimal other_failures output recalled refused remaining_words repeatability runs seconds stopped tests timeouts tokens_after tokens_before trivial unresolved
    improved: bytes event runs seconds tests tokens
    note: event text
    pass: event name runs tests
    started: arguments bytes choices command directory event inputs language options output place property schema task version
    ");

    let mut sizes: Vec<_> = events
        .iter()
        .filter_map(|event| event["bytes"].as_u64())
        .collect();
    assert!(
        sizes.iter().is_sorted_by(|one, other| one >= other),
        "{sizes:?}"
    );
    assert_eq!(sizes.pop(), Some(NEEDLE.len() as u64));

    let mut last = events.pop().unwrap();
    for name in ["tests", "runs", "seconds", "driver_cpu_seconds"] {
        assert!(last[name].as_f64().unwrap() > 0.0, "{name}");
        last[name] = "[number]".into();
    }
    assert_eq!(last["repeatability"]["is_kept"], true);
    last["repeatability"] = "[runs]".into();
    assert_eq!(last["other_failures"].as_array().map(Vec::len), Some(0));
    assert_snapshot!(serde_json::to_string_pretty(&last).unwrap(), @r#"
    {
      "assumptions": {
        "monotony": {
          "contradicted": 0,
          "predicted": 3
        },
        "pairs": 11,
        "partial": false,
        "tests": 14,
        "unambiguity": {
          "contradicted": 0,
          "predicted": 0
        }
      },
      "bytes_after": 6,
      "bytes_before": 49,
      "changed_form": null,
      "checks": [],
      "claim": {
        "restriction": null,
        "units": "bytes"
      },
      "command": null,
      "driver_cpu_seconds": "[number]",
      "event": "finished",
      "files_after": null,
      "files_before": null,
      "guarantee": "1-minimal: no single byte can be removed",
      "objective": null,
      "one_minimal": true,
      "other_failures": [],
      "output": "in.min.txt",
      "recalled": 0,
      "refused": null,
      "remaining_words": null,
      "repeatability": "[runs]",
      "runs": "[number]",
      "seconds": "[number]",
      "stopped": null,
      "tests": "[number]",
      "timeouts": 0,
      "tokens_after": 1,
      "tokens_before": 10,
      "trivial": null,
      "unresolved": 0
    }
    "#);
    assert_eq!(last["bytes_before"].as_u64(), Some(HAYSTACK.len() as u64));
}

/// Returns the kind of the event and the names of its fields.
fn shape(event: &Value) -> String {
    let names: Vec<_> = event.as_object().unwrap().keys().cloned().collect();
    format!("{}: {}", event["event"].as_str().unwrap(), names.join(" "))
}

#[test]
fn a_closed_reader_does_not_stop_a_run() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let mut child = env
        .command()
        .args(["reduce", "in.txt", "--json", "--test", "test.sh"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}
