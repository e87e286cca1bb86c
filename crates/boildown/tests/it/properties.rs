//! The ways to state a property, each with a tiny reduction.

use crate::env::{Finished, HAYSTACK, NEEDLE, TestEnv};

/// Reduces the haystack with these arguments, and checks that the needle is left.
#[track_caller]
fn check(args: &[&str]) {
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    run(&env, args).assert_code(0);
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[track_caller]
fn run<'a>(env: &'a TestEnv, args: &[&str]) -> Finished<'a> {
    env.reduce(std::iter::once(&"in.txt").chain(args))
}

#[test]
fn braces_are_the_path_of_the_candidate() {
    check(&["--exit", "0", "--", "grep", "-q", "needle", "{}"]);
    check(&["--exit", "0", "--", "sh", "-c", "grep -q needle {}"]);
}

#[test]
fn the_name_of_the_input_is_the_candidate() {
    check(&["--exit", "0", "--", "grep", "-q", "needle", "./in.txt"]);
    check(&["--exit", "0", "--", "grep", "-q", "needle", "--", "in.txt"]);
}

#[test]
fn the_candidate_can_be_standard_input() {
    check(&["--exit", "0", "--stdin", "--", "grep", "-q", "needle"]);
}

#[test]
fn an_exit_code_can_be_preserved() {
    let command = ["--", "sh", "-c", "grep -q needle {} && exit 7"];
    for how in ["7", "nonzero"] {
        let script = if how == "7" {
            command
        } else {
            ["--", "sh", "-c", "! grep -q needle {}"]
        };
        check(&[&["--exit", how][..], &script].concat());
    }
}

#[test]
fn a_signal_can_be_preserved() {
    for how in ["SIGSEGV", "signal", "139"] {
        let command = "ulimit -c 0; grep -q needle {} && kill -SEGV $$; exit 1";
        check(&["--exit", how, "--", "sh", "-c", command]);
    }
}

#[test]
fn a_line_of_output_can_be_preserved() {
    check(&[
        "--stdout",
        "^found .*needle",
        "--",
        "sh",
        "-c",
        "echo found $(cat {})",
    ]);
    check(&["--stderr", "needle", "--", "sh", "-c", "cat {} >&2"]);
}

#[test]
fn the_absence_of_a_line_can_be_preserved() {
    check(&[
        "--not-stderr",
        "missing",
        "--",
        "sh",
        "-c",
        "grep needle {} || echo missing >&2",
    ]);
}

#[test]
fn all_stated_expectations_have_to_hold() {
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    let command = "cat {}; cat {} >&2; exit 3";
    let args = [
        "--stdout", "seven", "--stderr", "needle", "--exit", "3", "--", "sh", "-c", command,
    ];
    run(&env, &args).assert_code(0);
    let result = env.read("in.min.txt");
    assert!(
        result.contains("seven") && result.contains(NEEDLE),
        "{result}"
    );
    assert!(!result.contains("hay "), "{result}");
}

#[test]
fn a_hang_can_be_preserved() {
    let env = TestEnv::new().file("in.txt", "a loop b\n");
    let command = "grep -q loop {} && sleep 1000; exit 0";
    let args = ["--hangs", "1s", "--jobs", "4", "--", "sh", "-c", command];
    run(&env, &args)
        .assert_code(0)
        .assert_says("preserving: runs for 1s or longer");
    assert_eq!(env.read("in.min.txt"), "loop");
}

#[test]
fn a_time_that_the_empty_file_nearly_takes_is_no_hang() {
    let env = TestEnv::new().file("in.txt", "a loop b\n");
    let command = "sleep 1.6; grep -q loop {} && sleep 1000; exit 0";
    run(&env, &["--hangs", "2s", "--", "sh", "-c", command])
        .assert_code(1)
        .assert_says("a run of 2s is a hang")
        .assert_says("state a longer time: --hangs 8s");
}

#[test]
fn unresolved_runs_are_counted() {
    let env = TestEnv::with_test("grep -q seven $1 || exit 125; grep -q needle $1");
    run(&env, &["--test", "test.sh"])
        .assert_code(0)
        .assert_says(" unresolved)");
    let result = env.read("in.min.txt");
    assert!(
        result.contains("seven") && result.contains(NEEDLE),
        "{result}"
    );
}

#[test]
fn a_hardware_module_that_the_test_does_not_read_as_one_loses_all_other_tokens() {
    let module = "module m(input a, input b, output c);\n  wire d;\nendmodule\n";
    let test =
        "grep -q end \"$1\" && grep -q ';' \"$1\" && [ \"$(tr -cd , < \"$1\" | wc -c)\" = 2 ]";
    let env = TestEnv::new().file("m.v", module);
    env.reduce(["m.v", "--test", test]).assert_code(0);
    let left = env.read("m.min.v");
    let words: Vec<&str> = left.split_whitespace().collect();
    assert_eq!(words.concat(), ",,;endmodule", "{left}");
}

#[test]
fn a_printed_number_can_be_kept_large() {
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    let script = "echo covered $(grep -c . in.txt) lines";
    let measure = [
        "--measure",
        "stdout:covered (\\d+)",
        "--at-least",
        "3",
        "--",
        "sh",
        "-c",
    ];
    let args: Vec<&str> = measure.into_iter().chain([script]).collect();
    run(&env, &args)
        .assert_code(0)
        .assert_says("preserving: has a number in stdout after /covered (\\d+)/ of at least 3")
        .assert_says("measured: number in stdout after /covered (\\d+)/ 3, at least 3");
    assert_eq!(env.read("in.min.txt").lines().count(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_processor_time_can_be_kept_long() {
    let spins =
        "grep -q needle in.txt || exit 0; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done";
    check(&[
        "--measure",
        "cpu",
        "--at-least",
        "50ms",
        "--",
        "sh",
        "-c",
        spins,
    ]);
    // A command that only waits takes no processor time.
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    let waits = [
        "--measure",
        "cpu",
        "--at-least",
        "200ms",
        "--",
        "sh",
        "-c",
        "sleep 0.5; : in.txt",
    ];
    run(&env, &waits).assert_code(3);
}

#[cfg(target_os = "linux")]
#[test]
fn memory_can_be_kept_large() {
    let fills = "grep -q needle in.txt || exit 0; dd if=/dev/zero of=/dev/null bs=100M count=20";
    let measure = |least: &'static str| {
        let options = ["--measure", "memory", "--at-least", least];
        options.into_iter().chain(["--", "sh", "-c", fills])
    };
    check(&measure("90M").collect::<Vec<&str>>());
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    let too_much: Vec<&str> = measure("900M").collect();
    run(&env, &too_much).assert_code(3);
}

#[test]
fn a_quantity_needs_a_least_value_that_fits_it() {
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    for measure in [
        &["--measure", "wall"][..],
        &["--at-least", "3"],
        &["--measure", "speed", "--at-least", "3"],
        &["--measure", "cpu", "--at-least", "fast"],
        &["--measure", "memory", "--at-least", "5s"],
        &["--measure", "stdout:x", "--at-least", "many"],
    ] {
        let command = ["--", "cat", "in.txt"];
        let args: Vec<&str> = measure.iter().copied().chain(command).collect();
        run(&env, &args).assert_code(1);
    }
}

#[test]
fn a_difference_between_two_commands_can_be_preserved() {
    for command in [["./one.sh", "in.txt"], ["./one.sh", "{}"]] {
        let env = TestEnv::new()
            .file("in.txt", HAYSTACK)
            .script("one.sh", "grep -o needle \"$1\" | sed 's/needle/NEEDLE 7/'")
            .script(
                "other.sh",
                "grep -o needle \"$1\" | sed 's/needle/NEEDLE 123/'",
            );
        let args = ["--differs-from", "./other.sh \"$1\"", "--"];
        let run_args: Vec<&str> = args.into_iter().chain(command).collect();
        run(&env, &run_args)
            .assert_code(0)
            .assert_says("outputs differ: NEEDLE \\d+ \\| NEEDLE \\d+");
        assert_eq!(env.read("in.min.txt"), NEEDLE);
    }
    // They print the same, and one that fails shows no difference.
    let env = TestEnv::new().file("in.txt", HAYSTACK);
    for other in ["cat \"$1\"", "echo x; exit 1"] {
        let args = ["--differs-from", other, "--", "cat", "in.txt"];
        run(&env, &args).assert_code(3);
    }
}
