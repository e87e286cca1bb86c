//! The surroundings that boildown inherits from a shell: ignored signals, limits, open files,
//! streams; and `boildown doctor`, which prints what the machine offers.

use std::process::{Command, Output};

use serde_json::Value;

use crate::env::{NEEDLE, TestEnv};

/// Runs a shell line in which `$BOILDOWN` is the program.
fn shell(env: &TestEnv, line: &str) -> Output {
    let boildown = env.command();
    let mut shell = Command::new("/bin/sh");
    for (name, value) in boildown.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell
        .current_dir(env.path(""))
        .env("BOILDOWN", boildown.get_program())
        .args(["-c", line])
        .output()
        .unwrap()
}

#[track_caller]
fn check(output: &Output, code: i32, message: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(message), "{stderr}");
}

const REDUCE: &str = "$BOILDOWN reduce in.txt --test test.sh";

#[test]
fn an_error_of_writing_to_standard_output_is_reported() {
    let env = TestEnv::with_test("grep -q needle $1");
    let output = shell(&env, &format!("{REDUCE} --json >/dev/full"));
    check(
        &output,
        1,
        "error: failed to write to standard output: No space",
    );
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    check(
        &shell(&env, "$BOILDOWN languages >/dev/full"),
        1,
        "standard output",
    );
    check(&shell(&env, "$BOILDOWN languages | :"), 0, "");
}

#[test]
fn ignored_signals_stay_ignored() {
    for signal in ["HUP", "INT"] {
        let env = TestEnv::with_test(&format!(
            "[ -e $HERE/sent ] || {{ kill -{signal} $(cat $HERE/pid); : >$HERE/sent; }}; grep -q needle $1"
        ));
        let line = format!("trap '' {signal}; echo $$ >pid; exec {REDUCE} --no-sandbox --jobs 1");
        check(&shell(&env, &line), 0, "");
        assert!(env.exists("sent"));
        assert_eq!(env.read("in.min.txt"), NEEDLE);
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_with_a_message() {
    let env = TestEnv::with_test("grep -q needle $1");
    let output = shell(&env, &format!("ulimit -f 0; exec {REDUCE}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| code != 0),
        "{stderr}"
    );
    assert!(stderr.contains("File too large"), "{stderr}");
}

#[test]
fn a_umask_that_makes_files_unusable_is_an_error() {
    let env = TestEnv::with_test("grep -q needle $1");
    let output = shell(&env, &format!("umask 0777; exec {REDUCE}"));
    check(
        &output,
        1,
        "error: the umask 777 takes permissions on new files from you",
    );
}

#[test]
fn a_run_inherits_no_open_files() {
    let env = TestEnv::with_test("! [ -e /proc/self/fd/7 ] && grep -q needle $1");
    let output = shell(&env, &format!("exec 7<in.txt; exec {REDUCE}"));
    check(&output, 0, "");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[test]
fn control_characters_of_a_run_are_escaped() {
    let env = TestEnv::with_test("printf '\\033]0;title\\007\\n' >&2; exit 1");
    env.reduce(["in.txt", "--test", "test.sh"])
        .assert_code(3)
        .assert_says("\\x1b]0;title\\x07");
}

#[test]
fn the_doctor_names_what_is_on_and_off() {
    let env = TestEnv::new();
    let text = env.run(["doctor"]);
    text.assert_code(0);
    let json = env.run(["doctor", "--json"]);
    let json: Value = serde_json::from_str(&json.assert_code(0).stdout).unwrap();
    for facility in json["facilities"].as_array().unwrap() {
        let (name, state) = (&facility["name"], &facility["state"]);
        let (name, state) = (name.as_str().unwrap(), state.as_str().unwrap());
        let line = text.stdout.lines().find(|line| line.starts_with(name));
        assert!(line.is_some_and(|line| line.contains(state)), "{name}");
    }
}
