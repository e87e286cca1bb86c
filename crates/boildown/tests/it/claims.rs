//! Claims that a result is 1-minimal, each of them checked by running the test on the result
//! without each of its units. The check knows nothing of boildown: it reads the claim, divides the
//! result, and runs the script.
//!
//! The world of a test changes between two sessions: a helper, a data file, a tool, a variable. No
//! claim may rest on what was true before.

use std::ffi::OsStr;
use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::env::{Finished, TestEnv};

/// Runs the test of `env` on a text, as boildown does: in an empty directory, on a file.
fn holds(env: &TestEnv, name: &str, text: &[u8]) -> bool {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(name);
    fs::write(&file, text).unwrap();
    let boildown = env.command();
    let variables = boildown.get_envs();
    // By a shell: while another test starts a program, a script that was just written is busy.
    let status = Command::new("sh")
        .arg(env.path("test.sh"))
        .arg(&file)
        .current_dir(dir.path())
        .env_clear()
        .envs(variables.filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

/// Divides a text into the units of a claim. Units of `tokens` are words, numbers and single signs.
fn units<'a>(kind: &str, text: &'a [u8]) -> Vec<&'a [u8]> {
    match kind {
        "bytes" => text.chunks(1).collect(),
        "lines" => text.split_inclusive(|byte| *byte == b'\n').collect(),
        "tokens" => {
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let runs = text.chunk_by(|one, next| is_word(one) && is_word(next));
            let is_space = |run: &&[u8]| run.iter().all(u8::is_ascii_whitespace);
            runs.filter(|run| !is_space(run)).collect()
        }
        other => panic!("units of a claim: {other}"),
    }
}

/// Checks what the last event claims of the result: that the property holds on it, and without no
/// single unit of it. Returns the number of units.
#[track_caller]
fn check_claim(env: &TestEnv, last: &Value, name: &str) -> usize {
    let result = env.bytes(last["output"].as_str().unwrap());
    assert!(holds(env, name, &result), "the result is interesting");
    assert_eq!(last["claim"]["restriction"], Value::Null, "{last}");
    let kind = last["claim"]["units"].as_str().unwrap();
    let units = units(kind, &result);
    for unit in &units {
        let start = unit.as_ptr() as usize - result.as_ptr() as usize;
        let rest = [&result[..start], &result[start + unit.len()..]].concat();
        assert!(
            rest.is_empty() || !holds(env, name, &rest),
            "{:?} is interesting without {:?} ({kind})",
            String::from_utf8_lossy(&result),
            String::from_utf8_lossy(unit),
        );
    }
    units.len()
}

/// Reduces, and checks the claim. Returns the last event.
#[track_caller]
fn reduce_and_check(env: &TestEnv, args: &[&str]) -> Value {
    let finished = reduce(env, args);
    let last = finished.assert_code(0).events().pop().unwrap();
    assert_eq!(last["one_minimal"], true, "{finished}");
    check_claim(env, &last, args[0]);
    last
}

fn reduce<'a>(env: &'a TestEnv, args: &[&str]) -> Finished<'a> {
    let fixed = ["--json", "--test", "./test.sh"];
    env.reduce(args.iter().copied().chain(fixed))
}

/// Numbers that look random, the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }
}

#[test]
fn claims_hold_for_random_properties() {
    let mut dice = Dice(48);
    for case in 0..6 {
        let lines = 12 + dice.roll(20);
        let input: String = (0..lines)
            .map(|line| format!("word{} x{line} y\n", dice.roll(9)))
            .collect();
        let mut conditions = Vec::new();
        for _ in 0..1 + dice.roll(3) {
            let (one, other) = (dice.roll(9), dice.roll(9));
            conditions.push(match dice.roll(3) {
                0 => format!("grep -q word{one} \"$1\""),
                1 => format!("grep -qe word{one} -e word{other} \"$1\""),
                _ => format!("[ $(grep -c 'word{one}.*y' \"$1\") -ge 2 ]"),
            });
        }
        let script = format!(
            "[ -s \"$1\" ] && grep -q x \"$1\" && {}",
            conditions.join(" && ")
        );
        let env = TestEnv::with_test(&script).file("in.txt", input);
        if !holds(&env, "in.txt", &env.bytes("in.txt")) {
            continue;
        }
        let jobs = ["1", "3"][case % 2];
        for units in ["lines", "bytes"] {
            let args = ["in.txt", "--jobs", jobs, "--units", units];
            reduce_and_check(&env, &args);
            // What is repeated is claimed again only after runs.
            let again = reduce_and_check(&env, &args);
            assert!(again["runs"].as_u64().unwrap() > 0, "{again}");
        }
    }
}

#[test]
fn claims_about_tokens_of_a_program_hold() {
    let program = "int a;\nint b = 2;\nint f(int x) { return x + a; }\nint main() { if (b) { return f(b); } return 0; }\n";
    for condition in [
        "grep -q 'f(' \"$1\" && grep -q b \"$1\"",
        "[ $(grep -c int \"$1\") -ge 2 ]",
    ] {
        let env = TestEnv::with_test(condition).file("in.c", program);
        let last = reduce_and_check(&env, &["in.c"]);
        assert_eq!(last["claim"]["units"], "tokens");
    }
}

#[test]
fn a_restricted_claim_is_not_called_minimal() {
    let env = TestEnv::with_test("grep -q needle \"$1\"");
    let finished = reduce(&env, &["in.txt", "--keep", "2", "--units", "lines"]);
    let last = finished.assert_code(0).events().pop().unwrap();
    assert_eq!(last["one_minimal"], false);
    assert_eq!(last["claim"]["units"], "lines");
    assert_eq!(last["claim"]["restriction"], "except for the parts to keep");
    let guarantee =
        "1-minimal with restrictions: no single line can be removed (except for the parts to keep)";
    assert_eq!(last["guarantee"], guarantee);
    let said = env.reduce([
        "in.txt",
        "--keep",
        "2",
        "--units",
        "lines",
        "--test",
        "./test.sh",
    ]);
    said.assert_code(0).assert_says(guarantee);
    let page = env.path("page.html");
    for args in [
        vec![OsStr::new("history")],
        ["report", "in.txt", "--format", "markdown", "-o", "-"]
            .map(OsStr::new)
            .to_vec(),
        ["report", "in.txt", "--format", "json", "-o", "-"]
            .map(OsStr::new)
            .to_vec(),
    ] {
        let shown = env.run(&args);
        assert!(shown.assert_code(0).stdout.contains(guarantee), "{shown}");
    }
    env.run([
        "report".as_ref(),
        "in.txt".as_ref(),
        "-o".as_ref(),
        page.as_os_str(),
    ])
    .assert_code(0);
    assert!(env.read("page.html").contains(guarantee));
}

/// What the input looks like in the tests below: eight words, a line each.
const WORDS: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

/// A test that wants the words that a file lists. The name of the file is made by the script, so
/// that it is in no text.
const WANTS_LISTED: &str =
    "for word in $(cat \"$HERE/wor\"ds); do grep -q $word \"$1\" || exit 1; done";

fn listed(words: &str) -> TestEnv {
    TestEnv::with_test(WANTS_LISTED)
        .file("in.txt", WORDS)
        .file("words", words)
}

const ARGS: [&str; 3] = ["in.txt", "--units", "lines"];

#[test]
fn after_the_failure_was_repaired_nothing_is_claimed() {
    let env = listed("two five");
    reduce_and_check(&env, &ARGS);
    let result = env.read("in.min.txt");
    let env = env.file("words", "repaired");
    let again = reduce(&env, &ARGS);
    again.assert_code(3);
    let said = "the property does not hold on the input any more";
    assert!(
        again.stderr.contains(said) || again.stdout.contains(said),
        "{again}"
    );
    assert_eq!(env.read("in.min.txt"), result);
    // When what was changed is changed back, the session resumes.
    let env = env.file("words", "two five");
    let last = reduce_and_check(&env, &ARGS);
    assert!(last["recalled"].as_u64().unwrap() > 0, "{last}");
}

#[test]
fn a_result_that_is_none_any_more_is_not_claimed() {
    let env = listed("two five");
    reduce_and_check(&env, &ARGS);
    let env = env.file("words", "two seven");
    let again = reduce(&env, &ARGS);
    assert!(
        again
            .stdout
            .contains("verdicts of earlier sessions are wrong now"),
        "{again}"
    );
    check_claim(
        &env,
        &again.assert_code(0).events().pop().unwrap(),
        "in.txt",
    );
    assert_eq!(env.read("in.min.txt"), "two\nseven\n");
    // The new verdicts are remembered.
    let last = reduce_and_check(&env, &ARGS);
    assert!(last["recalled"].as_u64().unwrap() > 0, "{last}");
}

#[test]
fn a_result_from_which_more_can_go_now_is_not_claimed() {
    let env = listed("two five");
    reduce_and_check(&env, &ARGS);
    let env = env.file("words", "five");
    let again = reduce(&env, &ARGS);
    assert!(again.stdout.contains("starting over"), "{again}");
    check_claim(
        &env,
        &again.assert_code(0).events().pop().unwrap(),
        "in.txt",
    );
    assert_eq!(env.read("in.min.txt"), "five\n");
}

#[test]
fn an_isolation_claims_nothing_of_a_changed_world() {
    let env = TestEnv::with_test("grep -q \"$(cat \"$HERE/wor\"ds)\" \"$1\" && exit 1 || exit 0")
        .file("good.txt", "one\ntwo\n")
        .file("in.txt", WORDS)
        .file("words", "five");
    let args = [
        "isolate",
        "good.txt",
        "in.txt",
        "--units",
        "lines",
        "--json",
        "--",
        "./test.sh",
        "{}",
    ];
    let side = |env: &TestEnv| (env.read("in.pass.txt"), env.read("in.fail.txt"));
    env.run(args).assert_code(0);
    let before = side(&env);
    // It is repeated with a few runs.
    let again = env.run(args);
    let last = again.assert_code(0).events().pop().unwrap();
    assert_eq!(last["one_minimal"], true);
    assert_eq!(side(&env), before);
    let env = env.file("words", "seven");
    let again = env.run(args);
    again.assert_code(0);
    assert!(again.stdout.contains("starting over"), "{again}");
    let (pass, fail) = side(&env);
    assert!(
        fail.contains("seven") && !pass.contains("seven"),
        "{pass} {fail}"
    );
    let env = env.file("words", "repaired");
    env.run(args).assert_code(3);
}

/// Runs a session, changes one thing, and expects that the session after it does not resume, and
/// says why.
#[track_caller]
fn expect_change(env: TestEnv, change: impl FnOnce(TestEnv) -> TestEnv, named: &str) {
    reduce_and_check(&env, &ARGS);
    let env = change(env);
    let again = reduce(&env, &ARGS);
    let said = format!("cannot resume: {named} changed since the last run");
    assert!(again.stdout.contains(&said), "{again}");
    check_claim(
        &env,
        &again.assert_code(0).events().pop().unwrap(),
        "in.txt",
    );
    assert_eq!(env.read("in.min.txt").lines().count(), 1, "{again}");
}

#[test]
fn files_that_a_script_names_are_watched() {
    let wants =
        "for word in $(cat \"$(dirname \"$0\")/words\"); do grep -q $word \"$1\" || exit 1; done";
    let data = TestEnv::with_test(wants)
        .file("in.txt", WORDS)
        .file("words", "two five");
    let file = data.path("words");
    let named = format!("the file {}", file.canonicalize().unwrap().display());
    expect_change(data, |env| env.file("words", "five"), &named);

    let helper = TestEnv::with_test(". \"$HERE/helper.sh\"")
        .file("in.txt", WORDS)
        .script("helper.sh", "grep -q two \"$1\" && grep -q five \"$1\"");
    let named = format!(
        "the file {}",
        helper.path("helper.sh").canonicalize().unwrap().display()
    );
    expect_change(
        helper,
        |env| env.script("helper.sh", "grep -q five \"$1\""),
        &named,
    );

    let tool = TestEnv::with_test("PATH=\"$HERE/bin:$PATH\"; tool \"$1\"")
        .file("in.txt", WORDS)
        .script("bin/tool", "grep -q two \"$1\" && grep -q five \"$1\"");
    let named = format!(
        "the file {}",
        tool.path("bin/tool").canonicalize().unwrap().display()
    );
    expect_change(
        tool,
        |env| env.script("bin/tool", "grep -q five \"$1\""),
        &named,
    );
}

#[test]
fn a_variable_that_a_helper_reads_belongs_to_the_run() {
    let env = TestEnv::with_test("sh \"$HERE/helper.sh\" \"$1\"")
        .file("in.txt", WORDS)
        .script(
            "helper.sh",
            "for word in $WANTED; do grep -q $word \"$1\" || exit 1; done",
        );
    let args = ["in.txt", "--units", "lines", "--test", "./test.sh"];
    let wanted = |words| env.reduce_with([("WANTED", words)], &args);
    wanted("two five").assert_code(0);
    wanted("five")
        .assert_code(0)
        .assert_says("cannot resume: the environment variable WANTED changed since the last run");
    assert_eq!(env.read("in.min.txt"), "five\n");
}

#[test]
fn a_log_that_a_test_writes_keeps_no_session_from_resuming() {
    let env = TestEnv::with_test(
        "echo run >>\"$HERE/log\"; cat \"$HERE/log\" >/dev/null; grep -q five \"$1\"",
    )
    .file("in.txt", WORDS)
    .file("log", "begun\n");
    reduce_and_check(&env, &ARGS);
    for _ in 0..2 {
        let last = reduce_and_check(&env, &ARGS);
        assert_eq!(last["recalled"], last["tests"], "{last}");
    }
}

#[test]
fn wrong_verdicts_of_others_lead_to_no_claim() {
    let env = listed("two five")
        .file("theirs/in.txt", WORDS)
        .file("theirs/test.sh", format!("#!/bin/sh\n{WANTS_LISTED}\n"))
        .mode("theirs/test.sh", 0o755);
    let theirs = [
        "theirs/in.txt",
        "--units",
        "lines",
        "--test",
        "theirs/test.sh",
    ];
    env.reduce(theirs).assert_code(0);
    // For them, another file was read.
    for (words, expected) in [("five", "five\n"), ("two seven", "two\nseven\n")] {
        fs::write(env.path("words"), words).unwrap();
        let args = [&ARGS[..], &["--known", "theirs", "--fresh"]].concat();
        let finished = reduce(&env, &args);
        let events = finished.assert_code(0).events();
        assert!(
            finished
                .stdout
                .contains("the verdicts of --known are wrong here"),
            "{finished}"
        );
        check_claim(&env, events.last().unwrap(), "in.txt");
        // A smaller result of another run stays.
        let output = events.last().unwrap()["output"].as_str().unwrap();
        assert_eq!(env.read(output), expected);
    }
    // Right verdicts are used, and those that the claim rests on are run here.
    fs::write(env.path("words"), "two five").unwrap();
    let alone = reduce_and_check(&env, &[&ARGS[..], &["--fresh"]].concat());
    let args = [&ARGS[..], &["--known", "theirs", "--fresh"]].concat();
    let known = reduce_and_check(&env, &args);
    assert!(known["recalled"].as_u64().unwrap() > 0, "{known}");
    assert!(
        known["runs"].as_u64() < alone["runs"].as_u64(),
        "{known} {alone}"
    );
}
