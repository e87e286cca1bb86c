//! Results that are valid, small in another sense, or redacted.

use crate::env::{TestEnv, has};

/// Sums the numbers of an input, and prints the sum.
const SUM: &str = "grep -q need \"$1\" && awk '{ sum += $2 } END { print \"sum\", sum }' \"$1\"";

/// The sum is 2. Without the second line it would be 5.
const NUMBERS: &str = "need 5\nless -3\nmore 1\nless -1\n";

#[test]
fn a_candidate_that_prints_a_larger_number_is_refused() {
    let env = TestEnv::new().file("in.txt", NUMBERS);
    let measure = r"stdout:/sum (-?\d+)/";
    let run = env.reduce(["in.txt", "--minimize", measure, "--test", SUM]);
    run.assert_code(0)
        .assert_says("minimized: number in stdout");
    let result = env.read("in.min.txt");
    let sum: i64 = result
        .lines()
        .filter_map(|line| line.split(' ').nth(1)?.parse::<i64>().ok())
        .sum();
    assert!(sum <= 2 && result.contains("-"), "{result}");
    let plain = env.reduce(["in.txt", "-o", "plain.txt", "--test", SUM]);
    plain.assert_code(0);
    assert_eq!(env.read("plain.txt").trim(), "need");
}

#[test]
fn a_resumed_reduction_by_a_number_ends_as_an_uninterrupted_one() {
    let measure = r"stdout:sum (-?\d+)";
    let args = ["in.txt", "--minimize", measure, "--test", SUM];
    let whole = TestEnv::new().file("in.txt", NUMBERS);
    whole.reduce(args).assert_code(0);
    let parts = TestEnv::new().file("in.txt", NUMBERS);
    for tests in ["3", "6", "9"] {
        parts
            .reduce(args.into_iter().chain(["--max-tests", tests]))
            .assert_code(6);
    }
    parts.reduce(args).assert_code(0);
    assert_eq!(parts.read("in.min.txt"), whole.read("in.min.txt"));
}

#[test]
fn the_result_by_a_number_is_the_same_for_any_number_of_jobs() {
    let results = ["1", "4"].map(|jobs| {
        let env = TestEnv::new().file("in.txt", NUMBERS);
        let measure = r"stdout:sum (-?\d+)";
        env.reduce(["in.txt", "-j", jobs, "--minimize", measure, "--test", SUM])
            .assert_code(0);
        env.read("in.min.txt")
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn fewer_lines_or_bytes_are_smaller_when_they_are_what_counts() {
    let holds = "grep -q needle \"$1\"";
    let env = TestEnv::new().file("in.txt", "a needle\nb\n");
    for measure in ["lines", "bytes"] {
        let output = format!("{measure}.txt");
        env.reduce([
            "in.txt",
            "--minimize",
            measure,
            "-o",
            &output,
            "--test",
            holds,
        ])
        .assert_code(0);
        assert_eq!(env.read(&output).trim(), "needle");
    }
}

#[test]
fn what_is_maximized_need_not_fail_and_may_hold_on_the_empty_input() {
    let env = TestEnv::new().file("in.txt", "a 3\nb 4\nc 1\n");
    let sum = r#"/[ab]/{s+=$2} END{print "sum " s+0}"#;
    let maximize = ["in.txt", "--maximize", r"stdout:sum (\d+)"];
    for stated in [&[][..], &["--exit", "0"]] {
        env.reduce([&maximize[..], stated, &["--fresh", "--", "awk", sum, "{}"]].concat())
            .assert_code(0)
            .assert_says("7 -> 7");
        assert_eq!(env.read("in.min.txt"), "a 3\nb 4");
    }
}

#[test]
fn a_measure_that_does_not_exist_or_prints_nothing_is_an_error() {
    let env = TestEnv::new().file("in.txt", NUMBERS);
    let run = |args: &[&str]| env.reduce(["in.txt"].iter().chain(args));
    run(&["--minimize", "speed", "--test", SUM])
        .assert_code(1)
        .assert_says("tokens, bytes, lines, cpu");
    run(&["--minimize", r"stdout:total (\d+)", "--test", SUM])
        .assert_code(3)
        .assert_says("cannot be measured on the input");
    run(&["--maximize", "bytes", "--test", SUM])
        .assert_code(1)
        .assert_says("would only make the input larger");
}

#[test]
fn candidates_that_are_not_valid_are_refused() {
    if !has("python3") {
        return;
    }
    let env = TestEnv::new().file("in.json", "{\"a\": [1, 2, \"needle\"]}\n");
    let holds = "grep -q needle \"$1\"";
    let run = env.reduce(["in.json", "--valid", "--test", holds]);
    run.assert_code(0)
        .assert_says("required: valid candidates: parses (python3)")
        .assert_says("valid: parses (");
    assert_eq!(env.read("in.min.json").trim(), "\"needle\"");
    let events = env
        .reduce(["in.json", "--json", "--fresh", "--valid", "--test", holds])
        .events();
    let checks = &events.last().unwrap()["checks"];
    assert_eq!(checks[0]["kind"], "parses");
    assert!(checks[0]["refused"].as_u64().unwrap() > 0, "{checks}");
}

#[test]
fn an_input_that_is_not_valid_or_cannot_be_checked_is_an_error() {
    let holds = "grep -q needle \"$1\"";
    let env = TestEnv::new()
        .file("in.json", "[needle]\n")
        .file("in.sh", "needle (\n")
        .file("in.elm", "needle = 1\n");
    if has("python3") {
        env.reduce(["in.json", "--valid", "--test", holds])
            .assert_code(3)
            .assert_says("the input does not pass the check `parses` of --valid, by python3")
            .assert_says("Expecting value");
    }
    env.reduce(["in.elm", "--valid", "--test", holds])
        .assert_code(1)
        .assert_says("`--valid` knows no check of Elm");
    env.reduce(["in.sh", "--valid=warnings", "--test", holds])
        .assert_code(1)
        .assert_says("its checks are parses");
}

#[test]
fn a_redacted_result_has_no_word_of_the_input_that_the_property_does_not_need() {
    let env = TestEnv::new().file("in.txt", "customer = \"Hunter\" # of Ann\n");
    let holds = "grep -q '= \"[A-Za-z]\\{6\\}\"' \"$1\"";
    env.reduce(["in.txt", "--redact", "--test", holds])
        .assert_code(0)
        .assert_says("redacted: no word of the input remains");
    assert!(!env.read("in.min.txt").contains("unter"));
    let needed = "grep -q Hunter \"$1\"";
    env.reduce(["in.txt", "--redact", "-o", "needed.txt", "--test", needed])
        .assert_code(0)
        .assert_says("redacted, except for 1 word of the input: line 1 Hunter");
    for lines in [
        ["--units", "lines"],
        ["--split", "lines"],
        ["--passes", "tokens"],
    ] {
        env.reduce(["in.txt", "--redact", lines[0], lines[1], "--test", holds])
            .assert_code(1)
            .assert_says("--redact replaces words");
    }
}

#[test]
fn a_redacted_folder_has_the_same_new_name_in_all_its_files() {
    let env = TestEnv::new()
        .file("app/store.py", "def hunter():\n    return 1 / 0\n")
        .file(
            "app/main.py",
            "import store\nprint('Ann', store.hunter())\n",
        );
    let command = ["--", "python3", "app/main.py"];
    env.reduce(
        ["app", "--redact", "--stderr", "store.py.*, in \\w+"]
            .iter()
            .chain(&command),
    )
    .assert_code(0)
    .assert_says("redacted: no word of the input remains")
    .assert_says("names of files, and binaries, stay as they are");
    let [store, main] = ["app.min/store.py", "app.min/main.py"].map(|file| env.read(file));
    assert!(main.contains("store") && !main.contains("Ann"), "{main}");
    assert!(
        ![&store, &main].iter().any(|text| text.contains("hunter")),
        "{store}{main}"
    );
    env.reduce(
        ["app", "--redact", "-o", "kept", "--stderr", "in hunter"]
            .iter()
            .chain(&command),
    )
    .assert_code(0)
    .assert_says("main.py line 1 hunter");
}

#[test]
fn a_bug_report_that_has_to_be_redacted_needs_a_redacted_result() {
    let env = TestEnv::new().file("in.txt", "customer Hunter\n");
    let holds = "grep -q unter \"$1\"";
    env.reduce(["in.txt", "--test", holds]).assert_code(0);
    env.run(["report", "in.txt", "--bug", "--redact"])
        .assert_code(1)
        .assert_says("the result is not redacted");
    env.reduce(["in.txt", "--redact", "--max-tests", "1", "--test", holds])
        .assert_code(6)
        .assert_says("stopped before the end of the redaction");
    env.run(["report", "in.txt", "--bug", "--redact"])
        .assert_code(1)
        .assert_says("the reduction was stopped before its end");
    env.reduce(["in.txt", "--redact", "--test", holds])
        .assert_code(0);
    env.run(["report", "in.txt", "--bug", "--redact"])
        .assert_code(0);
}
