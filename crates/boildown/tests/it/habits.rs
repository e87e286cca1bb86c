//! Habits from other tools: each command line works, or is answered with ours.

use std::process::Command;

use crate::env::{FINDS_NEEDLE, HAYSTACK, NEEDLE, TestEnv};

fn env() -> TestEnv {
    TestEnv::with_test(FINDS_NEEDLE)
}

#[track_caller]
fn reduces(line: &[&str]) {
    let env = env();
    env.run(line).assert_code(0);
    assert_eq!(env.read("in.min.txt"), NEEDLE, "{line:?}");
}

/// Checks that the command line is refused with this hint, in one line.
#[track_caller]
fn hints(line: &[&str], hint: &str) {
    let env = env();
    let finished = env.run(line);
    finished.assert_code(1).assert_says(hint);
    assert!(!env.exists("in.min.txt"), "{line:?}");
}

#[test]
fn a_command_line_without_a_command_of_ours_is_a_reduction() {
    reduces(&[
        "in.txt", "--stdout", "needle", "--", "grep", "needle", "in.txt",
    ]);
    reduces(&["./in.txt", "--test", "test.sh"]);
    reduces(&["--test", "test.sh", "in.txt"]);
    reduces(&["-j", "2", "in.txt", "--test", "test.sh"]);
    hints(&["none.txt", "--", "true"], "failed to read none.txt");
    answers(
        &["reduec", "in.txt", "--", "true"],
        "boildown reduce in.txt -- true",
    );
    answers(&["reduec", "in.txt"], "boildown reduce in.txt");
}

#[test]
fn a_script_and_a_file_are_accepted_in_either_order() {
    reduces(&["test.sh", "in.txt"]);
    reduces(&["in.txt", "test.sh"]);
    reduces(&["./test.sh", "in.txt", "--n", "2"]);
    reduces(&["reduce", "test.sh", "in.txt"]);
    reduces(&["reduce", "in.txt", "./test.sh"]);
}

#[test]
fn a_script_and_a_file_that_look_alike_are_told_apart_by_trying() {
    // Both are scripts, and both are none.
    for mode in [0o755, 0o644] {
        for order in [["test.sh", "in.sh"], ["in.sh", "test.sh"]] {
            let start = if mode == 0o755 { "#!/bin/sh\n" } else { "" };
            let env = TestEnv::new()
                .file("in.sh", format!("{start}exit 7 # hay needle hay\n"))
                .file("test.sh", format!("{start}{FINDS_NEEDLE}\n"))
                .mode("in.sh", mode)
                .mode("test.sh", mode);
            env.run(order).assert_code(0);
            assert!(env.read("in.min.sh").contains(NEEDLE));
        }
    }
    let env = TestEnv::new().file("a", "exit 1").file("b", "exit 1");
    env.run(["a", "b"]).assert_code(1).assert_says(
        "error: the script is either a or b: as a test, neither succeeds on the other one\n  \
         hint: state it: boildown reduce FILE --test SCRIPT",
    );
    hints(
        &["test.sh", "none.txt"],
        "failed to read none.txt: there is no such file",
    );
}

#[test]
fn the_candidate_may_be_written_as_for_afl() {
    reduces(&[
        "reduce", "in.txt", "--stdout", "needle", "--", "grep", "needle", "@@",
    ]);
    reduces(&[
        "reduce", "in.txt", "--stdout", "needle", "--", "grep", "needle", "@@.txt",
    ]);
}

#[test]
fn the_number_of_jobs_has_the_names_of_other_tools() {
    for option in [
        ["-n", "2"],
        ["--n", "2"],
        ["-j", "2"],
        ["--parallelism", "2"],
        ["--threads", "2"],
        ["--num-threads", "2"],
    ] {
        reduces(&[
            "reduce", "in.txt", "--test", "test.sh", option[0], option[1],
        ]);
    }
}

#[test]
fn help_and_version_are_found_everywhere() {
    let env = env();
    let help = env.run(["help"]);
    help.assert_code(0);
    assert_eq!(help.stdout, env.run(["--help"]).stdout);
    let help = env.run(["help", "reduce"]);
    help.assert_code(0);
    assert!(help.stdout.contains("--test <SCRIPT>"));
    for command in ["reduce", "isolate", "changes"] {
        for option in ["-V", "--version"] {
            let version = env.run([command, option]);
            version.assert_code(0);
            assert!(
                version.stdout.contains(env!("CARGO_PKG_VERSION")),
                "{command}"
            );
        }
    }
}

#[test]
fn a_dash_as_the_output_is_standard_output() {
    let env = env();
    let finished = env.reduce(["in.txt", "-o", "-", "--test", "test.sh"]);
    finished
        .assert_code(0)
        .assert_says("standard output  49 -> 6 bytes");
    assert_eq!(finished.stdout, NEEDLE);
    assert!(!env.exists("in.min.txt") && !env.exists("-"));
    // The result is remembered, and printed again.
    let again = env.reduce(["in.txt", "--output=-", "--quiet", "--test", "test.sh"]);
    assert_eq!(
        (again.code, again.stdout.as_str(), again.stderr.as_str()),
        (Some(0), NEEDLE, "")
    );
    hints(
        &["reduce", "in.txt", "-o", "-", "--json", "--test", "test.sh"],
        "`--output -` and `--json` both print to standard output",
    );
}

#[test]
fn an_unchanged_input_is_printed_too() {
    let env = env().file("in.txt", NEEDLE);
    let finished = env.reduce(["in.txt", "-o", "-", "--test", "test.sh"]);
    finished.assert_code(2);
    assert_eq!(finished.stdout, NEEDLE);
}

#[test]
fn an_input_that_is_minimal_is_no_failure_with_ok_if_minimal() {
    let line = ["in.txt", "--test", "test.sh", "--ok-if-minimal"];
    env().file("in.txt", NEEDLE).reduce(line).assert_code(0);
    env().reduce(line).assert_code(0);
    TestEnv::with_test("false").reduce(line).assert_code(3);
}

#[test]
fn a_reduced_command_is_named_so_at_the_end() {
    let env = env().script("tool", "case \"$*\" in *--bad*) exit 3;; esac");
    let finished = env.reduce(["--reduce=args", "--", "./tool", "--good", "--bad", "x"]);
    finished.assert_code(0).assert_says("\nthe command  ");
}

#[test]
fn a_command_in_the_wrong_place_is_shown_in_the_right_one() {
    for (line, hint) in [
        (
            &["in.txt", "grep", "-q", "needle", "in.txt"][..],
            "the command goes after `--`: boildown reduce in.txt -- grep -q needle in.txt",
        ),
        (
            &["reduce", "-j", "2", "in.txt", "./test.sh", "in.txt"],
            "the command goes after `--`: boildown reduce -j 2 in.txt -- ./test.sh in.txt",
        ),
        (
            &["reduce", "--", "grep", "-q", "needle", "in.txt"],
            "it comes before `--`: boildown reduce in.txt -- grep -q needle in.txt",
        ),
        (
            &["--", "./test.sh", "in.txt"],
            "it comes before `--`: boildown reduce in.txt -- ./test.sh in.txt",
        ),
        (
            &["isolate", "test.sh", "in.txt", "grep", "needle"],
            "the command goes after `--`: boildown isolate test.sh in.txt -- grep needle",
        ),
    ] {
        hints(line, hint);
    }
}

#[test]
fn options_of_other_tools_are_answered_with_ours() {
    for (option, hint) in [
        ("--resume", "--fresh starts over"),
        ("--no-cache", "--fresh forgets"),
        ("--cache", "--fresh forgets"),
        ("--tidy", "--in-place replaces it"),
        ("--save-temps", "directories of runs are always removed"),
        ("--sllooww", "no option is needed"),
        ("--formatter", "--compact removes white space"),
        ("--formatter=clang-format", "--compact removes white space"),
        ("--format=github", "--json prints events"),
        ("--not-c", "--language none"),
        ("--also-interesting", "kept by themselves"),
        ("--print-diff", "the best result so far"),
        ("--start-with-pass", "--passes=NAME"),
        ("--remove-pass", "--passes=-NAME"),
        ("--shaddap", "--quiet"),
        ("--stopping-threshold", "--until SIZE"),
        ("--renaming", "--rename"),
        ("--skip-interestingness-test-check", "always run first"),
        ("--test-script", "--test takes a script"),
        ("--input-file", "boildown reduce FILE --test SCRIPT"),
        ("--output-dir", "--output FILE"),
        ("--input-type", "--stdin"),
        ("--match-err", "--stderr REGEX"),
        ("--cross-check", "--also SCRIPT"),
        ("--memout", "--memory SIZE"),
        ("--limit-time", "--max-time TIME"),
        ("--limit-tests", "--max-tests N"),
        ("--seed", "nothing is random"),
        ("--strategy", "--algorithm NAME"),
        ("--atom", "--units lines"),
        ("-c", "--test takes a script"),
        ("-s", "the file is named without an option"),
    ] {
        hints(&["reduce", "in.txt", option, "--test", "test.sh"], hint);
    }
    for command in ["bisect", "run", "good"] {
        hints(&[command], "boildown changes GOOD..BAD -- COMMAND");
    }
    hints(&["minimize", "in"], "boildown reduce FILE -- COMMAND");
}

/// Checks that the last line of the answer is the line to type.
#[track_caller]
fn answers(words: &[&str], line: &str) {
    answers_in(&env(), words, line);
}

#[track_caller]
fn answers_in(env: &TestEnv, words: &[&str], line: &str) {
    let finished = env.run(words);
    let last = finished
        .stderr
        .trim_end()
        .lines()
        .last()
        .unwrap_or_default();
    assert!(
        last.ends_with(&format!(": {line}")),
        "{words:?}\n{finished}"
    );
    assert!(!env.exists("in.min.txt"), "{words:?}");
}

#[test]
fn options_of_other_tools_end_with_the_line_to_type() {
    for (line, typed) in [
        ("--tidy --n 2 test.sh in.txt", "reduce --n 2 test.sh in.txt"),
        ("cvise --not-c test.sh in.txt", "reduce test.sh in.txt"),
        (
            "--test-script test.sh --input-file in.txt",
            "reduce --test test.sh in.txt",
        ),
        (
            "--input=in.txt --test=test.sh --parallel --atom=line",
            "reduce in.txt --test=test.sh --units line",
        ),
        (
            "in.txt --cache-dir x --test test.sh",
            "reduce in.txt --test test.sh",
        ),
        (
            "-i in.txt -o small -- cat @@",
            "reduce in.txt -o small -- cat @@",
        ),
        (
            "bisect run make check",
            "changes GOOD..BAD --bisect-run 'make check'",
        ),
        ("git bisect start v2 v1~3", "changes v1~3..v2 -- COMMAND"),
        ("bisect v1..v2 -- make", "changes v1..v2 -- make"),
        (
            "changes --bad HEAD --good=HEAD~3 -- make",
            "changes HEAD~3..HEAD -- make",
        ),
        (
            "llvm-reduce --test=test.sh in.txt",
            "reduce --test=test.sh in.txt",
        ),
        ("shrink in.txt -- cat in.txt", "reduce in.txt -- cat in.txt"),
        (
            "reduce in.txt --exitt 1 -- cat in.txt",
            "reduce in.txt --exit 1 -- cat in.txt",
        ),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        answers(&words, &format!("boildown {typed}"));
    }
    let test = "grep -q needle in.txt";
    answers(
        &["in.txt", "-c", test],
        &format!("boildown reduce in.txt --test '{test}'"),
    );
}

#[test]
fn a_command_that_was_typed_otherwise_ends_with_the_line_to_type() {
    for (line, typed) in [
        // Without `--`, the program is the first word that names one.
        (
            "in.txt grep -c x in.txt",
            "reduce in.txt -- grep -c x in.txt",
        ),
        ("grep -c x in.txt", "reduce in.txt -- grep -c x in.txt"),
        ("reduce -j 2 cat in.txt", "reduce -j 2 in.txt -- cat in.txt"),
        (
            "in.txt A=b cat in.txt",
            "reduce in.txt -- env A=b cat in.txt",
        ),
        (
            "in.txt out.txt cat -n",
            "reduce in.txt -o out.txt -- cat -n {}",
        ),
        ("triage . cat {}", "triage . -- cat {}"),
        // What a shell would have read.
        (
            "in.txt -- cd . && cat in.txt",
            "reduce in.txt -- sh -c 'cd . && cat in.txt'",
        ),
        (
            "in.txt -- A=b cat in.txt",
            "reduce in.txt -- env A=b cat in.txt",
        ),
        ("in.txt -- test.sh", "reduce in.txt -- ./test.sh"),
        // Without the input.
        (
            "in.txt --exit 1 -- cat none.txt",
            "reduce in.txt --exit 1 -- cat {}",
        ),
        (
            "in.txt --exit 1 -- cat %s",
            "reduce in.txt --exit 1 -- cat {}",
        ),
        (
            "in.txt --exit 0 -- cat -",
            "reduce in.txt --exit 0 --stdin -- cat -",
        ),
        (
            "in.txt -- ./test.sh in.txt",
            "reduce in.txt --test ./test.sh",
        ),
        (
            "in.txt -- sh test.sh {}",
            "reduce in.txt --test 'sh test.sh \"$1\"'",
        ),
        ("triage . -- cat in.txt", "triage . -- cat {}"),
        // The test or the input after `--`.
        (
            "in.txt --test -- ./test.sh",
            "reduce in.txt --test ./test.sh",
        ),
        (
            "reduce --test ./test.sh -- in.txt",
            "reduce --test ./test.sh in.txt",
        ),
        (
            "in.txt in.txt --test test.sh",
            "reduce in.txt --test test.sh",
        ),
        // Options after `--`.
        (
            "in.txt -- cat in.txt --json --max-tests 2",
            "reduce in.txt --json --max-tests 2 -- cat in.txt",
        ),
        // Without what comes first.
        ("reduce", "reduce FILE -- COMMAND"),
        (
            "isolate in.txt -- cat in.txt",
            "isolate in.txt BAD -- cat in.txt",
        ),
        ("changes -- make", "changes GOOD..BAD -- make"),
        ("in.txt", "reduce in.txt -- COMMAND in.txt"),
        ("./test.sh", "reduce FILE --test ./test.sh"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        answers(&words, &format!("boildown {typed}"));
    }
}

#[test]
fn a_command_that_was_typed_as_one_word_ends_with_the_line_to_type() {
    for (words, typed) in [
        (&["in.txt", "cat -n in.txt"][..], "-- cat -n in.txt"),
        (&["cat -n in.txt"], "-- cat -n in.txt"),
        (&["cat -n", "in.txt"], "-- cat -n"),
        (&["in.txt", "--", "cat -n in.txt"], "-- cat -n in.txt"),
        (
            &["in.txt", "cat in.txt | grep x"],
            "--test 'cat in.txt | grep x'",
        ),
    ] {
        answers(words, &format!("boildown reduce in.txt {typed}"));
    }
}

#[test]
fn files_that_are_elsewhere_or_exchanged_end_with_the_line_to_type() {
    let env = env()
        .file("deep/er/other.txt", HAYSTACK)
        .file("new/keep", "");
    for (line, typed) in [
        (
            "other.txt -- cat other.txt",
            "reduce deep/er/other.txt -- cat deep/er/other.txt",
        ),
        ("in.txt --test=deep/test.sh", "reduce in.txt --test=test.sh"),
        (
            "in.txt small.txt --test test.sh",
            "reduce in.txt -o small.txt --test test.sh",
        ),
        (
            "in.txt -o new --test test.sh",
            "reduce in.txt -o new/in.min.txt --test test.sh",
        ),
        (
            "in.txt --output=in.txt --test test.sh",
            "reduce in.txt --test test.sh --in-place",
        ),
        ("in.txt --test in.txt", "reduce in.txt --test SCRIPT"),
        (
            "reduce test.sh --test in.txt",
            "reduce in.txt --test test.sh",
        ),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        answers_in(&env, &words, &format!("boildown {typed}"));
    }
    for (output, folder, file) in [("a/b.txt", "a", "a/b.txt"), ("a/", "a/", "a/in.min.txt")] {
        answers_in(
            &env,
            &["in.txt", "-o", output, "--test", "test.sh"],
            &format!("mkdir -p {folder} && boildown reduce in.txt -o {file} --test test.sh"),
        );
    }
    for command in ["cat -", "cat"] {
        let words: Vec<&str> = ["-", "--"].into_iter().chain(command.split(' ')).collect();
        let line = "cat > input.txt && boildown reduce input.txt --stdin --";
        answers_in(&env, &words, &format!("{line} {command}"));
    }
}

#[test]
fn a_test_that_is_fed_reads_the_candidate_itself() {
    let env = TestEnv::new()
        .file("in.txt", "a\n")
        .script("test.sh", "grep -q a");
    for (test, fed) in [
        ("grep -q a", "--test '{ grep -q a; } <\"$1\"'"),
        ("test.sh", "--test './test.sh <\"$1\"'"),
    ] {
        env.reduce(["in.txt", "--stdin", "--test", test])
            .assert_code(1)
            .assert_says(fed);
        let fed = fed.trim_start_matches("--test ").trim_matches('\'');
        env.reduce(["in.txt", "--test", fed]).assert_code(0);
    }
}

#[test]
fn a_script_may_stand_beside_several_files() {
    for line in [
        ["test.sh", "in.txt", "b.txt"],
        ["in.txt", "b.txt", "test.sh"],
    ] {
        let env = TestEnv::with_test("grep -q needle in.txt").file("b.txt", "hay\n");
        env.run(line).assert_code(0);
        assert_eq!(env.read("in.min/in.txt"), NEEDLE, "{line:?}");
    }
}

#[test]
fn a_command_that_fails_ends_with_the_line_to_type() {
    let env = env()
        .script("crash", "grep -q needle \"$1\" && kill -ABRT $$; true")
        .script("reads", "! grep needle")
        .file("check.py", "import sys\n");
    for (line, typed) in [
        ("./crash in.txt", "reduce in.txt -- ./crash {}"),
        ("in.txt --test ./crash", "reduce in.txt -- ./crash {}"),
        ("./crash in.txt -x", "reduce in.txt -- ./crash in.txt -x"),
        ("in.txt -- ./crash", "reduce in.txt -- ./crash {}"),
        ("in.txt -- ./reads", "reduce in.txt --stdin -- ./reads"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        answers_in(&env, &words, &format!("boildown {typed}"));
    }
    for words in [["check.py", "in.txt"], ["in.txt", "--test=check.py"]] {
        let finished = env.run(words);
        finished.assert_code(1).assert_says("check.py \"$1\"'");
    }
}

#[test]
fn a_test_of_pytest_and_the_limit_of_a_hang_end_with_the_line_to_type() {
    let env = env().file("test_a.py", "def test_b():\n    assert 0\n");
    answers_in(
        &env,
        &["test_a.py::test_b"],
        "boildown reduce test_a.py -- pytest test_a.py::test_b",
    );
    answers_in(
        &env,
        &[
            "in.txt",
            "--timeout",
            "0.2",
            "--",
            "sh",
            "-c",
            "sleep 9 # {}",
        ],
        "boildown reduce in.txt --hangs 0.2 -- sh -c 'sleep 9 # {}'",
    );
}

#[test]
fn a_missing_input_is_named_before_its_folder() {
    let env = env();
    let finished = env.run(["none/in.txt", "--test", "true"]);
    finished
        .assert_code(1)
        .assert_says("failed to read none/in.txt");
}

#[test]
fn scripts_that_do_not_decide_end_with_the_line_to_type() {
    // The second one succeeds on all inputs, without its argument.
    for test in ["! grep -q needle in.txt", "! grep -q needle \"$1\""] {
        answers_in(
            &TestEnv::with_test(test),
            &["in.txt", "--test", "test.sh"],
            "boildown reduce in.txt --test test.sh --exit 1",
        );
    }
    let bare = TestEnv::with_test("test -z \"$1\" && grep -q needle in.txt");
    let script = bare.path("test.sh").display().to_string();
    answers_in(
        &bare,
        &["in.txt", "test.sh"],
        &format!("boildown reduce in.txt --test 'exec {script}'"),
    );
    let words = env().script("words.sh", "grep -q needle \"$1\"");
    let script = words.path("words.sh").display().to_string();
    for test in ["sh words.sh", "sh words.sh {}"] {
        answers_in(
            &words,
            &["in.txt", "--test", test],
            &format!("boildown reduce in.txt --test 'sh {script} \"$1\"'"),
        );
    }
    let env = env();
    let path = env.path("in.txt").display().to_string();
    let env = env.script("test.sh", &format!("grep -q needle {path}"));
    answers_in(
        &env,
        &["in.txt", "--test", "test.sh"],
        &format!("sed -i 's|{path}|in.txt|g' test.sh"),
    );
}

#[test]
fn a_text_for_a_shell_names_the_candidate_in_its_place() {
    let env = env();
    let here = env.path("in.txt");
    let here = here.parent().expect("a folder").display().to_string();
    answers_in(
        &env,
        &[
            "in.txt",
            "--exit",
            "0",
            "--",
            "sh",
            "-c",
            &format!("cd {here} && cat in.txt"),
        ],
        &format!("boildown reduce in.txt --exit 0 -- sh -c 'cd {here} && cat {{}}'"),
    );
}

#[test]
fn a_file_that_looks_like_options_is_named_by_a_path() {
    let env = env().file("-x.txt", HAYSTACK);
    answers_in(
        &env,
        &["reduce", "-x.txt", "--", "cat", "-x.txt"],
        "boildown reduce ./-x.txt -- cat ./-x.txt",
    );
}

#[test]
fn options_of_boildown_after_the_command_are_pointed_out() {
    let env = env().script("fails", "grep -q needle $1 && exit 3");
    let finished = env.run(["in.txt", "--", "./fails", "in.txt", "--max-time=5s"]);
    finished.assert_code(0).assert_says(
        "note: the command gets `--max-time=5s`, which stands after `--`; as an option of \
         boildown: boildown reduce in.txt --max-time=5s -- ./fails in.txt",
    );
}

#[test]
fn a_script_that_is_not_executable_is_named_as_the_user_named_it() {
    let env = env().file("plain.sh", "exit 1").file("lib.sh", "");
    let finished = env.run(["in.txt", "--", "./plain.sh", "in.txt"]);
    finished
        .assert_code(5)
        .assert_says("error: failed to start `./plain.sh`")
        .assert_says("try `chmod +x ./plain.sh`");
}

#[test]
fn an_unknown_option_is_answered_with_a_similar_one_that_is_shown() {
    hints(
        &["reduce", "in.txt", "--exitt", "1"],
        "a similar one is `--exit`",
    );
    let env = env();
    let hidden = env.run(["reduce", "in.txt", "--no-gates"]);
    hidden.assert_code(1);
    assert!(!hidden.stderr.contains("`--no-gate`"), "{hidden}");
}

#[test]
fn options_that_are_called_alike_work() {
    reduces(&["reduce", "in.txt", "--timeout", "30", "--test", "test.sh"]);
    let exits_7 = "grep -q needle $1 && exit 7";
    for option in ["--interesting-exit", "--interesting-exit-code", "--exit"] {
        reduces(&["reduce", "in.txt", "--test", exits_7, option, "7"]);
    }
    let env = env();
    env.reduce(["in.txt", "--in-place", "--test", "test.sh"])
        .assert_code(0);
    assert_eq!(
        (env.read("in.txt"), env.read("in.txt.orig")),
        (NEEDLE.into(), HAYSTACK.into())
    );
}

#[test]
fn shells_complete_the_values_of_options() {
    let env = env();
    let script = |shell| {
        env.run(["completions", shell])
            .assert_code(0)
            .stdout
            .clone()
    };
    for (shell, values) in [
        ("zsh", ["probdd", "hddr", "python", "unused"]),
        ("fish", ["probdd", "hddr", "python", "unused"]),
    ] {
        let script = script(shell);
        for value in values {
            assert!(script.contains(value), "{shell}: {value}");
        }
    }
    let complete = |option: &str, word: &str| {
        let script = format!(
            "{}\nCOMP_WORDS=(boildown reduce x.c {option} {word}); COMP_CWORD=4\n\
             _boildown boildown {word} {option}; echo \"${{COMPREPLY[@]}}\"",
            script("bash")
        );
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(complete("--algorithm", "prob"), "probdd\n");
    assert_eq!(complete("--schedule", "perse"), "perses\n");
    assert_eq!(complete("--language", "pyth"), "python\n");
    assert_eq!(complete("--passes", "unu"), "unused\n");
}
