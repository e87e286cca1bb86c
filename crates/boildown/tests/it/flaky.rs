//! Flaky properties.

use serde_json::Value;

use crate::env::{FINDS_NEEDLE, HAYSTACK, NEEDLE, TestEnv};

/// Sets `coin` to a number from 0 to 99 that depends on the candidate and on the number of its
/// earlier runs, so that every order of runs and any number of jobs sees the same numbers.
const COIN: &str = r#"
content=$(cksum <"$1"); content=$HERE/coins-${content% *}
times=1; set -C
until { true >"$content-$times"; } 2>/dev/null; do times=$((times + 1)); done
coin=$( (cat "$1"; echo "$times") | md5sum | cut -c 1-6); coin=$((0x$coin % 100))
"#;

fn env(script: &str) -> TestEnv {
    TestEnv::with_test(&format!("{COIN}\n{script}"))
}

fn trust(events: &[Value]) -> &Value {
    &events.last().unwrap()["repeatability"]
}

#[test]
fn a_property_that_held_in_some_baseline_runs_is_reduced() {
    let script = format!("{FINDS_NEEDLE} && [ $coin -lt 80 ]");
    for jobs in ["1", "3"] {
        let env = env(&script);
        let run = env.reduce(["in.txt", "--json", "--jobs", jobs, "--test", "test.sh"]);
        run.assert_code(0);
        assert_eq!(env.read("in.min.txt"), NEEDLE, "{jobs} jobs\n{run}");
        let events = run.events();
        let trust = trust(&events);
        assert_eq!(trust["flaky"], true);
        assert_eq!(trust["is_kept"], true);
        for (which, at_least) in [("input", 12), ("result", 12)] {
            assert!(trust[which]["held"].as_u64().unwrap() >= at_least);
            let low = trust[which]["low"].as_f64().unwrap();
            let high = trust[which]["high"].as_f64().unwrap();
            assert!(low < 0.85 && 0.75 < high, "{run}");
        }
    }
}

/// Writes a line for each start, with the candidate in hexadecimal. Slow enough that no run is
/// begun in advance and cancelled.
const LOGS_STARTS: &str =
    r#"printf '%s\n' "$(od -An -v -tx1 "$1" | tr -d ' \n')" >>"$HERE/starts"; sleep 0.05"#;

/// Reduces with this option, and returns the starts of the test: all, and those on the result.
fn starts(options: &[&str]) -> [u64; 2] {
    let env = TestEnv::with_test(&format!("{LOGS_STARTS}\n{FINDS_NEEDLE}"));
    let fixed = ["in.txt", "--json", "--jobs", "1", "--test", "test.sh"];
    let run = env.reduce(fixed.iter().chain(options));
    let finished = run.assert_code(0).events().pop().unwrap();
    let log = env.read("starts");
    let result = env.bytes("in.min.txt");
    let result: String = result.iter().map(|byte| format!("{byte:02x}")).collect();
    let on_result = log.lines().filter(|line| *line == result).count();
    let starts = [log.lines().count() as u64, on_result as u64];
    assert_eq!(finished["runs"], starts[0], "{run}");
    assert_eq!(
        finished["repeatability"]["result"]["runs"], starts[1],
        "{run}"
    );
    starts
}

#[test]
fn every_start_of_the_command_is_counted() {
    let [all, on_result] = starts(&[]);
    let [fewer, fewer_on_result] = starts(&["--confirm-runs", "1"]);
    assert!(fewer < all, "{fewer} of {all}");
    assert!(
        fewer_on_result < on_result,
        "{fewer_on_result} of {on_result}"
    );
}

#[test]
fn the_rate_is_printed_before_and_after() {
    let env = env(&format!("{FINDS_NEEDLE} && [ $coin -lt 90 ]"));
    let run = env.reduce(["in.txt", "--flaky", "--test", "test.sh"]);
    run.assert_code(0)
        .assert_says("flaky: the property held on the input in ")
        .assert_says("each candidate is run until its rate is clearly as high, or below")
        .assert_says("flaky: the property held on the result in ");
}

#[test]
fn elements_that_raise_the_rate_are_kept() {
    // Without the help it still fails, but only in a tenth of the runs.
    let script = "grep -q needle \"$1\" || exit 1; grep -q five \"$1\" && [ $coin -lt 90 ] || [ $coin -lt 9 ]";
    let env = env(script);
    let run = env.reduce(["in.txt", "--flaky", "--test", "test.sh"]);
    run.assert_code(0);
    let left = env.read("in.min.txt");
    assert!(
        left.contains(NEEDLE) && left.contains("five"),
        "{left}\n{run}"
    );
    assert!(left.len() < HAYSTACK.len() / 2, "{left}\n{run}");
}

#[test]
fn with_flaky_the_command_is_run_until_it_fails() {
    let late = "cmp -s $1 $HERE/in.txt && [ $times -lt 8 ] && exit 0";
    let env = env(&format!(
        "{late}; [ $coin -lt 90 ] && {FINDS_NEEDLE} && kill -SEGV $$; exit 0"
    ));
    let command = ["--", "./test.sh", "in.txt"];
    env.reduce(["in.txt"].into_iter().chain(command))
        .assert_code(3)
        .assert_says("if the failure is intermittent, use --flaky");
    env.reduce(["in.txt", "--flaky"].into_iter().chain(command))
        .assert_code(0)
        .assert_says("preserving: is killed by SIGSEGV");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[test]
fn an_intermittent_failure_is_not_blamed_on_the_place_or_the_sandbox() {
    // Other contents lead to other numbers.
    for number in 0..12 {
        let env = TestEnv::new()
            .file("in.txt", format!("hay {number}\nneedle\nstraw\n"))
            .script(
                "coin.sh",
                &format!(
                    "{COIN}\ngrep -q needle \"$1\" || exit 0\n\
                 if [ $coin -lt 60 ]; then echo 'Error: lost update'; exit 1; fi"
                ),
            );
        let run = env.reduce(["in.txt", "--max-tests", "1", "--", "./coin.sh", "{}"]);
        let said = &run.stderr;
        assert!(!said.contains("error:"), "{run}");
        assert!(
            !said.contains("copy of") && !said.contains("sandbox"),
            "{run}"
        );
    }
}

#[test]
fn a_result_that_fails_far_more_often_may_be_another_failure() {
    // Without the help it fails always.
    let script = "grep -q needle \"$1\" || exit 1; grep -q five \"$1\" || exit 0; [ $coin -lt 40 ]";
    let warning = "it holds on the result far more often than on the input";
    let env = env(script);
    let run = env.reduce(["in.txt", "--flaky", "--test", "test.sh"]);
    run.assert_code(0).assert_says(warning);
    let strict = [
        "in.txt",
        "--output",
        "strict.txt",
        "--flaky",
        "--strict",
        "--test",
        "test.sh",
    ];
    let run = env.reduce(strict);
    run.assert_code(0);
    assert!(!run.stderr.contains(warning), "{run}");
    assert!(env.read("strict.txt").contains("five"), "{run}");
}

#[test]
fn a_result_on_which_the_property_does_not_hold_again_is_reverted() {
    let needs = "grep -q needle \"$1\" || exit 1; cmp -s $1 $HERE/in.txt && exit 0";
    for jobs in ["1", "3"] {
        // Without the help it holds on each candidate only once.
        let env = env(&format!("{needs}; grep -q five \"$1\" || [ $times -lt 2 ]"));
        let run = env.reduce(["in.txt", "--jobs", jobs, "--test", "test.sh"]);
        run.assert_code(0)
            .assert_says("the failure turned out to be flaky below 49 bytes")
            .assert_says("continuing with 4 runs per candidate");
        let left = env.read("in.min.txt");
        let is_kept = left.contains(NEEDLE) && left.contains("five");
        assert!(is_kept && left.len() < HAYSTACK.len() / 2, "{left}\n{run}");
    }
    // It never holds twice on the same candidate.
    let env = env(&format!("{needs}; [ $times -lt 2 ]"));
    let run = env.reduce(["in.txt", "--test", "test.sh"]);
    run.assert_code(2)
        .assert_says("continuing with 4 runs per candidate");
    assert_eq!(env.read("in.min.txt"), HAYSTACK);
}

#[test]
fn what_is_found_after_a_lost_property_is_part_of_the_history() {
    let needs = "grep -q needle \"$1\" || exit 1; cmp -s $1 $HERE/in.txt && exit 0";
    let env = env(&format!("{needs}; grep -q five \"$1\" || [ $times -lt 2 ]"));
    let run = env.reduce(["in.txt", "--jobs", "1", "--test", "test.sh"]);
    run.assert_code(0)
        .assert_says("continuing with 4 runs per candidate");
    let sizes = |listed: &str| -> Vec<usize> {
        let rows = listed.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.first()?.parse::<usize>().ok()?;
            words.get(1)?.replace(',', "").parse().ok()
        });
        rows.collect()
    };
    let listed = env
        .run(["history", "list", "in.txt"])
        .assert_code(0)
        .stdout
        .clone();
    let sizes = sizes(&listed);
    let reverted = (sizes.windows(2)).position(|pair| pair[0] < pair[1]);
    let later = &sizes[reverted.expect("the result was reverted") + 1..];
    assert!(later.len() > 2, "{listed}");
    assert_eq!(
        later.last(),
        Some(&env.read("in.min.txt").len()),
        "{listed}"
    );
    let explained = env.run(["explain", "in.txt"]).stdout;
    assert!(
        explained.contains("\nended: the search finished; "),
        "{explained}"
    );
    // The verdicts of the store are those of the search that lost the property.
    let again = env.reduce(["in.txt", "--jobs", "1", "--test", "test.sh"]);
    again.assert_code(0).assert_says("resumed");
    assert!(env.read("in.min.txt").contains("five"), "{again}");
}

#[test]
fn a_property_that_looks_steady_at_first_becomes_a_flaky_one() {
    // It holds in the three baseline runs.
    let script = format!(
        "cmp -s $1 $HERE/in.txt && [ $times -le 3 ] && exit 0; {FINDS_NEEDLE} && [ $coin -lt 50 ]"
    );
    for jobs in ["1", "3"] {
        let env = env(&script);
        let run = env.reduce(["in.txt", "--jobs", jobs, "--test", "test.sh"]);
        run.assert_code(0)
            .assert_says("flaky: the property held on the input in ")
            .assert_says("flaky: the property held on the result in ");
        let left = env.read("in.min.txt");
        assert!(left.contains(NEEDLE) && left.len() < 20, "{left}\n{run}");
    }
}

#[test]
fn a_property_that_never_held_may_be_flaky() {
    let env = TestEnv::with_test("exit 1");
    env.reduce(["in.txt", "--test", "test.sh"])
        .assert_code(3)
        .assert_says("hint: if the failure occurs in some runs only, use --flaky");
    let flaky = env.reduce(["in.txt", "--flaky", "--test", "test.sh"]);
    flaky.assert_code(3);
    assert!(!flaky.stderr.contains("use --flaky"), "{flaky}");
}

#[test]
fn a_flaky_difference_is_isolated() {
    let needle = "grep -q needle \"$1\" || exit 0";
    let isolated = |script: &str, option: &str| {
        let env = env(script).file("good.txt", "one two\nthree\nfive six\nseven\n");
        let args = ["good.txt", "in.txt", option, "--", "./test.sh", "{}"];
        let run = env.run(["isolate"].iter().chain(&args));
        run.assert_code(0);
        let said = run.stderr.clone();
        (env.read("in.pass.txt"), env.read("in.fail.txt"), said)
    };
    let (pass, fail, _) = isolated(&format!("{needle}\nexit 1"), "--jobs=2");
    let sometimes = format!("{needle}\n[ $coin -ge 70 ]");
    let (passing, failing, said) = isolated(&sometimes, "--flaky");
    assert_eq!((passing, failing), (pass, fail), "{said}");
    assert!(
        said.contains("flaky: the property held on the input in "),
        "{said}"
    );
    assert!(
        said.contains("flaky: the property held on the result in "),
        "{said}"
    );
}
