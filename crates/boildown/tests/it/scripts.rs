//! Test scripts as users write them: each works, or is answered with the cause in one line.

use std::process::Command;

use crate::env::{FINDS_NEEDLE, Finished, HAYSTACK, NEEDLE, TestEnv};

/// Checks that the script reduces the input.
#[track_caller]
fn works(env: &TestEnv, arguments: &[&str]) {
    let arguments = ["in.txt"].iter().chain(arguments);
    env.reduce(arguments).assert_code(0);
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

/// Checks that the script is refused with this hint, among others.
#[track_caller]
fn hints(env: &TestEnv, script: &str, hint: &str) {
    let finished = env.reduce(["in.txt", "--test", script]);
    assert!(matches!(finished.code, Some(1 | 3 | 5)), "{finished}");
    finished.assert_says(&format!("\n  hint: {hint}"));
}

fn input() -> TestEnv {
    TestEnv::new().file("in.txt", HAYSTACK)
}

#[test]
fn a_script_of_any_reducer_works() {
    for script in [
        // C-Reduce and C-Vise: no argument, the name in the working directory.
        "grep -q needle in.txt",
        // picire, lithium: the path.
        "grep -q needle \"$1\"",
        // Shrink Ray: standard input.
        "grep -q needle",
        "cat | grep -q needle",
        // An absolute path of another file.
        "test -f $HERE/test.sh && grep -q needle in.txt",
    ] {
        works(&TestEnv::with_test(script), &["--test", "test.sh"]);
    }
}

#[test]
fn a_line_for_the_shell_works() {
    let env = input().script("check.sh", FINDS_NEEDLE);
    for line in [
        "cat in.txt 2>&1 | grep -q needle",
        "grep -q needle $1",
        "grep needle >out.txt; test -s out.txt",
        "./check.sh in.txt",
    ] {
        works(&env, &["--test", line, "--fresh"]);
    }
    let finished = env.reduce(["in.txt", "--test", "none.sh in.txt"]);
    finished.assert_code(5).assert_says("none.sh: not found");
}

#[test]
fn a_script_that_is_not_executable_or_has_no_first_line_is_run_by_an_interpreter() {
    let env = input()
        .file("plain.sh", "grep -q needle \"$1\"\n")
        .file(
            "python.py",
            "#!/usr/bin/env python3\nimport sys\nsys.exit('needle' not in open('in.txt').read())\n",
        )
        .file("no-line", "grep -q needle in.txt\n")
        .mode("no-line", 0o755);
    for (script, note) in [
        (
            "plain.sh",
            "note: plain.sh is not executable: it is run by `sh`",
        ),
        (
            "no-line",
            "note: no-line has no first line such as `#!/bin/sh`: it is run by `sh`",
        ),
        (
            "python.py",
            "note: python.py is not executable: it is run by `/usr/bin/env python3`",
        ),
    ] {
        let finished = env.reduce(["in.txt", "--fresh", "--test", script]);
        finished.assert_code(0).assert_says(note);
        assert_eq!(env.read("in.min.txt"), NEEDLE);
    }
}

#[test]
fn a_first_line_with_a_carriage_return_is_named() {
    let env = input()
        .file("test.sh", "#!/bin/sh\r\ngrep -q needle in.txt\r\n")
        .mode("test.sh", 0o755);
    let finished = env.reduce(["in.txt", "--test", "test.sh"]);
    finished.assert_code(5).assert_says(
        "its first line ends in a carriage return; convert it to Unix line ends: \
         sed -i 's/\\r$//' $ENV/here/test.sh",
    );
}

#[test]
fn an_inverted_script_is_recognised_and_works_with_the_option_of_the_hint() {
    let env = TestEnv::with_test("if grep -q needle in.txt; then exit 1; fi");
    hints(
        &env,
        "test.sh",
        "the script seems inverted: it exits with 1 on the input and with 0 on an empty file; --exit 1 takes it as it is",
    );
    works(&env, &["--test", "test.sh", "--exit", "1"]);
}

#[test]
fn another_exit_code_is_recognised_and_works_with_the_option_of_the_hint() {
    let env = TestEnv::with_test("grep -q needle in.txt && exit 101; exit 7");
    hints(
        &env,
        "test.sh",
        "the script exits with 101 on the input and with 7 on an empty file; if 101 means interesting, add --exit 101",
    );
    works(&env, &["--test", "test.sh", "--interesting-exit", "101"]);
}

#[test]
fn a_missing_file_beside_the_candidate_is_named() {
    let env = TestEnv::with_test("grep -qf pattern.txt in.txt")
        .file("pattern.txt", "needle\n")
        .file("other.txt", "needle\n");
    let finished = env.reduce(["in.txt", "--within", "none", "--test", "test.sh"]);
    finished.assert_says(
        "the test succeeds beside `$ENV/here/pattern.txt`: name it so in the script, by its absolute path",
    );
    // A program in the directory, which the shell does not find.
    let env = TestEnv::with_test("./check.sh in.txt").script("check.sh", FINDS_NEEDLE);
    let finished = env.reduce(["in.txt", "--within", "none", "--test", "test.sh"]);
    finished.assert_says("the test succeeds beside `$ENV/here/check.sh`");
}

#[test]
fn a_script_that_reads_the_original_is_recognised() {
    for script in [
        "grep -q needle $HERE/in.txt",
        "cd \"$(dirname \"$0\")\" && grep -q needle in.txt",
    ] {
        let env = TestEnv::with_test(script);
        hints(
            &env,
            "test.sh",
            "the command reads $ENV/here/in.txt, so that every candidate looks the same to it",
        );
    }
    let env = TestEnv::with_test("true");
    let finished = env.reduce(["in.txt", "--test", "test.sh"]);
    finished.assert_code(1);
    assert!(!finished.stderr.contains("looks the same"), "{finished}");
}

#[test]
fn a_script_that_wants_no_argument_works_with_the_line_of_the_hint() {
    let env = TestEnv::with_test("test $# = 0 && grep -q needle in.txt");
    let hint = "the script succeeds without an argument; this gives it none: --test 'exec $ENV/here/test.sh'";
    hints(&env, "test.sh", hint);
    let line = format!("exec {}", env.path("test.sh").display());
    works(&env, &["--test", &line]);
}

#[test]
fn a_script_that_wants_no_standard_input_works_with_the_line_of_the_hint() {
    let env = TestEnv::with_test("test -z \"$(cat)\" && grep -q needle in.txt");
    hints(
        &env,
        "test.sh",
        "the test succeeds without the candidate on standard input",
    );
    let line = format!("exec {} \"$1\" </dev/null", env.path("test.sh").display());
    works(&env, &["--test", &line]);
}

#[test]
fn a_script_that_wants_more_arguments_works_with_a_line() {
    let env = TestEnv::with_test(
        "test -n \"$2\" || { echo 'Usage: test.sh PATTERN FILE'; exit 2; }\ngrep -q \"$1\" \"$2\"",
    );
    hints(
        &env,
        "test.sh",
        "the script gets one argument, the path of the candidate; a line gives it others: \
         --test '$ENV/here/test.sh ARGUMENT \"$1\"'",
    );
    works(&env, &["--test", "./test.sh needle \"$1\""]);
}

/// Runs the line that the hint prints in a shell elsewhere, without the variables of the test.
#[track_caller]
fn repeated(finished: &Finished<'_>) -> String {
    let lines: Vec<_> = finished.stderr.lines().collect();
    let hint = lines
        .iter()
        .position(|line| line.ends_with("hint: to repeat the run:"))
        .unwrap();
    let output = Command::new("sh")
        .args(["-c", lines[hint + 1].trim()])
        .current_dir("/")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_line_that_repeats_a_run_can_be_pasted_into_a_shell() {
    // Alone in a fresh directory, with the variable that the script mentions, and the candidate in
    // every way.
    let script = "echo files: *; echo \"${HERE%/}/test.sh\" \"${1##*/}\"; sort | head -n 1; exit 9";
    let env = TestEnv::with_test(script);
    let finished = env.reduce(["in.txt", "--test", "test.sh"]);
    let path = env.path("test.sh");
    assert_eq!(
        repeated(finished.assert_code(3)),
        format!(
            "files: in.txt\n{} in.txt\nfive six\nexit status 9\n",
            path.display()
        )
    );
    let line = env.reduce([
        "in.txt",
        "--test",
        "echo 'a  b' \"$1\" | sed 's,/.*/,,'; exit 3",
    ]);
    assert_eq!(
        repeated(line.assert_code(3)),
        "a  b in.txt\nexit status 3\n"
    );
    let command = env.reduce([
        "in.txt",
        "--exit",
        "5",
        "--",
        "sh",
        "-c",
        "ls; exit 4",
        "{}",
    ]);
    assert_eq!(repeated(command.assert_code(3)), "in.txt\nexit status 4\n");
    let odd = TestEnv::with_test("ls; exit 2").file("it's a -x.txt", HAYSTACK);
    let odd = odd.reduce(["it's a -x.txt", "--test", "test.sh"]);
    assert_eq!(
        repeated(odd.assert_code(3)),
        "it's a -x.txt\nexit status 2\n"
    );
}

#[test]
fn further_tests_have_to_hold_too_or_must_not() {
    let env = TestEnv::with_test(FINDS_NEEDLE).script("has-five.sh", "grep -q five in.txt");
    let finished = env.reduce([
        "in.txt",
        "--test",
        "test.sh",
        "--also",
        "has-five.sh",
        "--also",
        "grep -q seven",
        "--not",
        "! grep -q two in.txt",
    ]);
    finished
        .assert_code(0)
        .assert_says("required: `has-five.sh` exits with 0\n");
    finished.assert_says("required: `! grep -q two in.txt` does not exit with 0\n");
    let result = env.read("in.min.txt");
    for word in ["needle", "five", "seven", "two"] {
        assert!(result.contains(word), "{result}");
    }
    assert!(
        !result.contains("hay") && result.len() < HAYSTACK.len(),
        "{result}"
    );
}

#[test]
fn further_tests_work_with_a_command_and_are_resumed() {
    let env = input();
    let arguments = [
        "in.txt",
        "--stdout",
        "needle",
        "--also",
        "grep -q five",
        "--",
        "grep",
        "needle",
        "in.txt",
    ];
    env.reduce(arguments).assert_code(0);
    let result = env.read("in.min.txt");
    assert!(
        result.contains("five") && result.contains("needle"),
        "{result}"
    );
    let again = env.reduce(arguments);
    again.assert_code(0).assert_says("resumed: ");
    assert_eq!(env.read("in.min.txt"), result);
    // Another test is another run.
    let other = arguments.map(|word| {
        if word == "grep -q five" {
            "grep -q one"
        } else {
            word
        }
    });
    let other = env.reduce(other);
    other.assert_code(0).assert_says("--also (test 1) changed");
}

#[test]
fn a_further_test_that_does_not_hold_on_the_input_is_named() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let finished = env.reduce(["in.txt", "--test", "test.sh", "--also", "grep -q absent"]);
    finished.assert_code(3).assert_says(
        "error: `--also grep -q absent` does not hold on the input: the test exited with 1",
    );
    let finished = env.reduce(["in.txt", "--test", "test.sh", "--not", "grep -q hay"]);
    finished.assert_code(3).assert_says(
        "error: `--not grep -q hay` does not hold on the input: the test exited with 0",
    );
    assert_eq!(repeated(&finished), "exit status 0\n");
}

#[test]
fn an_isolation_has_further_tests_too() {
    let env = TestEnv::new()
        .file("good.txt", "one\ntwo\nthree\nfour\n")
        .file("bad.txt", "one\nbad\nthree\nbad\n");
    let isolate = |extra: &[&str]| {
        let arguments = [
            "isolate",
            "good.txt",
            "bad.txt",
            "--fresh",
            "--units",
            "lines",
            "--test",
            "grep -q bad",
        ];
        env.run(arguments.iter().chain(extra)).assert_code(0);
        env.read("bad.fail.txt")
    };
    assert_eq!(
        isolate(&["--also", "grep -q four; test $? = 1"]),
        "one\ntwo\nthree\nbad\n"
    );
    assert_eq!(
        isolate(&["--not", "grep -q two"]),
        "one\nbad\nthree\nfour\n"
    );
}

#[test]
fn an_isolation_has_the_hints_about_scripts_too() {
    let env = TestEnv::with_test("if grep -q needle in.txt; then exit 1; fi")
        .file("good.txt", "one two\nhay\n");
    let finished = env.run(["isolate", "good.txt", "in.txt", "--test", "test.sh"]);
    finished.assert_code(3).assert_says(
        "the script seems inverted: it exits with 1 on the input and with 0 on an empty file; \
         --exit 1 takes it as it is",
    );
}
