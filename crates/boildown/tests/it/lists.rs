//! Lists: elements of every kind, items and arguments of the command, its environment.

use crate::env::TestEnv;

/// Thirty names, of which the tests need a few.
fn names() -> String {
    (1..=30).map(|number| format!("t{number}\n")).collect()
}

/// A runner of tests: `victim` fails after both `t7` and `t19` have run. Without arguments it runs
/// them all.
const RUNNER: &str = r#"test $# -gt 0 || set -- t7 t19 victim
first= second=
for name in "$@"; do
    case $name in
        t7) first=1 ;;
        t19) second=1 ;;
        victim) test "$first$second" = 11 && { echo "FAILED victim: state is 2" >&2; exit 1; } ;;
        t[0-9]*) ;;
        *) echo "no test $name" >&2; exit 4 ;;
    esac
done
exit 0"#;

fn polluted() -> TestEnv {
    TestEnv::new()
        .file("tests.txt", names() + "victim\n")
        .script("run.sh", RUNNER)
}

#[test]
fn two_polluting_tests_are_found() {
    let env = polluted();
    let args = ["tests.txt", "--units-only", "--", "./run.sh", "{items}"];
    let run = env.reduce(args);
    run.assert_code(0)
        .assert_says("1-minimal: no single element can be removed");
    assert_eq!(env.read("tests.min.txt"), "t7\nt19\nvictim\n");
}

#[test]
fn lines_that_can_only_be_deleted_together_go() {
    let block = |number: u32| format!("begin {number}\nkeep {number}\nend {number}\n");
    let pair = |number: u32| format!("begin {number}\nend {number}\n");
    let blocks = (0..12).map(|number| match number % 4 {
        0 => block(number),
        _ => pair(number),
    });
    let count = |word: &str| format!("$(grep -c {word} in.txt)");
    let same = format!("[ {} = {} ]", count("begin"), count("end"));
    let env = TestEnv::new()
        .file("in.txt", blocks.collect::<String>())
        .script("test.sh", &format!("{same} && grep -qx 'keep 4' in.txt"));
    env.reduce([
        "in.txt",
        "--units-only",
        "--split",
        "lines",
        "--test",
        "test.sh",
    ])
    .assert_code(0);
    assert_eq!(env.read("in.min.txt"), "keep 4\n");
}

#[test]
fn the_result_is_the_same_with_any_number_of_jobs_and_after_a_stop() {
    let env = polluted();
    let reduce = |output: &str, more: &[&str], code: i32| {
        let args = ["tests.txt", "--units-only", "-o", output];
        let command = ["--", "./run.sh", "{items}"];
        let run = env.reduce(args.iter().chain(more).chain(&command));
        run.assert_code(code);
    };
    reduce("one.txt", &["--jobs", "1"], 0);
    reduce("three.txt", &["--jobs", "3"], 0);
    reduce("stopped.txt", &["--max-tests", "3"], 6);
    assert_ne!(env.read("stopped.txt"), env.read("one.txt"));
    reduce("stopped.txt", &[], 0);
    assert_eq!(env.read("one.txt"), env.read("three.txt"));
    assert_eq!(env.read("one.txt"), env.read("stopped.txt"));
}

#[test]
fn a_claim_says_which_form_of_a_list_stays() {
    let array = TestEnv::new().file("a.json", "[1, \"xy\", 3]");
    let run = array.reduce([
        "a.json",
        "--split",
        "json-array",
        "--test",
        "grep -q x \"$1\"",
    ]);
    run.assert_code(0).assert_says("(with an array left)");
    assert_eq!(array.read("a.min.json"), "[\"x\"]");
    let table = TestEnv::new().file("a.csv", "name,val\n1,2\n3,4\n");
    let run = table.reduce(["a.csv", "--split", "csv", "--test", "grep -q 3 \"$1\""]);
    run.assert_code(0).assert_says(
        "1-minimal with restrictions: no single byte can be removed (with the header kept)",
    );
    assert_eq!(table.read("a.min.csv"), "name,val\n3");
}

#[test]
fn elements_are_sorted_but_for_the_inversions_that_are_needed() {
    // The victim has to be last, and `b` before `a`; `c` is needed anywhere.
    let script = r#"printf '%s' "$*" | grep -q 'b.*a.*victim' && case " $* " in *" c "*) exit 1 ;; esac
exit 0"#;
    let env = TestEnv::new()
        .file("in.txt", "c\nx\nb\ny\na\nz\nvictim\n")
        .script("run.sh", script);
    let args = [
        "in.txt",
        "--units-only",
        "--order",
        "--",
        "./run.sh",
        "{items}",
    ];
    env.reduce(args).assert_code(0);
    assert_eq!(env.read("in.min.txt"), "b\na\nc\nvictim\n");
}

#[test]
fn an_array_stays_an_array_and_a_table_keeps_its_header() {
    let env = TestEnv::new()
        .file("in.json", "[{\"a\": 1}, {\"needle\": [2, 3]}, 4]\n")
        .file("in.csv", "name,value\na,1\nneedle,2\nb,3\n")
        .script("test.sh", "grep -q needle \"$1\"");
    env.reduce(["in.json", "--split", "json-array", "--test", "test.sh"])
        .assert_code(0);
    let array = env.read("in.min.json");
    assert!(
        array.starts_with('[') && array.contains("needle") && !array.contains('1'),
        "{array}"
    );
    let args = [
        "in.csv",
        "--split",
        "csv",
        "--units-only",
        "--test",
        "test.sh",
    ];
    env.reduce(args).assert_code(0);
    assert_eq!(env.read("in.min.csv"), "name,value\nneedle,2\n");
}

#[test]
fn statements_and_sections_are_elements() {
    let script = "create table a (b);\ninsert into a values (';');\nselect needle;\n-- end\n";
    let env = TestEnv::new()
        .file("in.sql", script)
        .file("in.log", "== one\nx\n== two\nneedle\ny\n== three\n")
        .script("test.sh", "grep -q needle \"$1\"");
    let args = [
        "in.sql",
        "--split",
        "sql",
        "--units-only",
        "--test",
        "test.sh",
    ];
    env.reduce(args).assert_code(0);
    assert_eq!(env.read("in.min.sql"), "select needle;\n");
    let args = [
        "in.log",
        "--split",
        "^== ",
        "--units-only",
        "--test",
        "test.sh",
    ];
    env.reduce(args).assert_code(0);
    assert_eq!(env.read("in.min.log"), "== two\nneedle\ny\n");
}

#[test]
fn what_is_no_list_is_an_error() {
    let env = TestEnv::new()
        .file("in.json", "{}\n")
        .script("test.sh", "exit 0");
    let reduce = |split: &[&str]| {
        let args = ["in.json", "--test", "test.sh"];
        env.reduce(args.iter().chain(split))
    };
    reduce(&["--split", "json-array"])
        .assert_code(1)
        .assert_says("failed to split in.json as json-array: it is not a JSON array");
    reduce(&["--split", "csv"])
        .assert_code(1)
        .assert_says("it has no element");
    reduce(&["--split", "line"])
        .assert_code(1)
        .assert_says("it is none of lines, words, nul,");
    let blank = TestEnv::new().file("in.txt", "\n\n");
    blank
        .reduce(["in.txt", "--", "false", "{items}"])
        .assert_code(1)
        .assert_says("in.txt holds nothing for {items}");
    reduce(&["--units-only"])
        .assert_code(1)
        .assert_says("`--units-only` without a list");
}

#[test]
fn arguments_that_are_too_long_are_an_error_with_a_way_out() {
    let env = TestEnv::new().file("in.txt", "x".repeat(1 << 18));
    env.reduce(["in.txt", "--", "false", "{items}"])
        .assert_code(5)
        .assert_says("its arguments are too long for the system");
}

/// A tool that fails with `--mode strict` and `-b`, whatever else it is given, and prints its
/// arguments when it succeeds.
const TOOL: &str = r#"mode= b=
while test $# -gt 0; do
    case $1 in
        --mode) mode=$2; shift ;;
        -b) b=1 ;;
        -o) test $# -gt 1 || exit 9; shift ;;
    esac
    shift
done
test "$mode" = strict -a "$b" && { echo "error: strict and b" >&2; exit 3; }
exit 0"#;

#[test]
fn the_arguments_of_a_command_are_reduced_and_printed_as_a_line_for_a_shell() {
    let env = TestEnv::new()
        .script("tool", TOOL)
        .file("flags.rsp", "-x 'a b'\n--mode strict");
    let command = [
        "--",
        "./tool",
        "-a",
        "-o",
        "out",
        "@flags.rsp",
        "--level=3",
        "-b",
        "file",
    ];
    let run = env.reduce(["--reduce=args"].iter().chain(&command));
    run.assert_code(0);
    assert_eq!(run.stdout, "./tool --mode strict -b\n");
    assert!(!env.exists("tool.command") && !env.exists("tool.min.command"));

    let args = ["--reduce=args", "-o", "line.sh"];
    env.reduce(args.iter().chain(&command)).assert_code(0);
    assert_eq!(env.read("line.sh"), "./tool --mode strict -b\n");
    env.reduce(args.iter().chain(&command))
        .assert_code(0)
        .assert_says("resum");
}

#[test]
fn braces_in_items_and_arguments_are_no_placeholders() {
    let script = "case \"$*\" in *'[{}]'*) echo 'error: braces' >&2; exit 3 ;; esac; exit 0";
    let env = TestEnv::new()
        .file("in.txt", "a\nb[{}]\nc\n")
        .script("tool", script);
    env.reduce(["in.txt", "--units-only", "--", "./tool", "{items}"])
        .assert_code(0);
    assert_eq!(env.read("in.min.txt"), "b[{}]\n");
    let run = env.reduce(["--reduce=args", "--", "./tool", "a", "b[{}]"]);
    run.assert_code(0);
    assert_eq!(run.stdout, "./tool 'b[{}]'\n");
}

#[test]
fn the_reduced_command_is_in_the_last_event() {
    let env = TestEnv::new().script("tool", TOOL);
    let run = env.reduce([
        "--reduce=args",
        "--json",
        "--",
        "./tool",
        "-a",
        "-b",
        "--mode",
        "strict",
    ]);
    run.assert_code(0);
    let last = run.stdout.lines().last().unwrap().to_owned();
    let last: serde_json::Value = serde_json::from_str(&last).unwrap();
    assert_eq!(last["command"], "./tool -b --mode strict");
}

#[test]
fn the_environment_of_a_command_is_reduced() {
    let env = TestEnv::new().script(
        "tool",
        "test \"$MODE$LEVEL\" = 'a b2' && { echo 'error: both' >&2; exit 3; }; exit 0",
    );
    let run = env.reduce_with(
        [("MODE", "a b"), ("LEVEL", "2"), ("OTHER", "3")],
        &["--reduce=env", "--", "./tool"],
    );
    run.assert_code(0);
    assert_eq!(
        run.stdout,
        "env -i PATH=\"$PATH\" LEVEL=2 'MODE=a b' ./tool\n"
    );
}

#[test]
fn a_file_is_reduced_together_with_arguments_and_environment() {
    let script = r#"grep -q needle "$3" && test "$1 $MODE" = "-b on" && { echo "error: found" >&2; exit 3; }
exit 0"#;
    let env = TestEnv::with_test("exit 1").script("tool", script);
    let run = env.reduce_with(
        [("MODE", "on"), ("OTHER", "3")],
        &[
            "in.txt",
            "--reduce=args",
            "--reduce=env",
            "--",
            "./tool",
            "-b",
            "-c",
            "in.txt",
            "more",
        ],
    );
    run.assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needle");
    assert_eq!(
        run.stdout,
        "env -i PATH=\"$PATH\" MODE=on ./tool -b -c in.min.txt\n"
    );
}

#[test]
fn a_file_that_the_failure_does_not_need_leaves_the_command() {
    let env = TestEnv::new().file("in.txt", "a\nb\n").script(
        "tool",
        "case $* in *--bad*) echo 'tool: bad flag' >&2; exit 3; esac",
    );
    let tool = env.path("tool").display().to_string();
    let run = env.reduce([
        "in.txt", "--reduce", "args", "--", &tool, "-v", "in.txt", "--bad",
    ]);
    run.assert_code(0);
    assert_eq!(run.stdout.trim(), format!("{tool} --bad"));
}

#[test]
fn a_folder_is_reduced_together_with_arguments_and_environment() {
    let script = r#"grep -q needle "$2/a.txt" && test "$1 $MODE" = "-b on" && { echo "error: found" >&2; exit 3; }
exit 0"#;
    let env = TestEnv::with_test("exit 1")
        .file("p/a.txt", "one\nneedle\n")
        .file("p/b.txt", "two\n")
        .script("tool", script);
    let run = env.reduce_with(
        [("MODE", "on"), ("OTHER", "3")],
        &[
            "p",
            "--reduce=args",
            "--reduce=env",
            "--",
            "./tool",
            "-b",
            "p",
            "more",
        ],
    );
    run.assert_code(0);
    assert_eq!(env.read("p.min/a.txt").trim(), "needle");
    assert!(!env.exists("p.min/b.txt"));
    let last = "env -i PATH=\"$PATH\" MODE=on ./tool -b p.min\n";
    assert_eq!(run.stdout, last);
}

#[test]
fn options_that_need_a_file_are_refused_without_one() {
    let env = TestEnv::new().script("tool", TOOL);
    env.reduce(["--reduce=args", "--split", "words", "--", "./tool", "-a"])
        .assert_code(1)
        .assert_says("`--split` needs a file to reduce");
    env.reduce(["--reduce=args", "--", "./tool"])
        .assert_code(1)
        .assert_says("nothing of the command can be removed: it has no arguments");
    env.reduce(["--reduce=env"])
        .assert_code(1)
        .assert_says("no command for `--reduce env`");
}

#[test]
fn one_variable_of_two_environments_breaks_the_command() {
    let env = TestEnv::new()
        .file("good.env", "A=1\nMODE=off\nB=2\nC=3\n")
        .file("bad.env", "C=4\nB=2\nA=5\nMODE=on\nD=6\n")
        .script(
            "tool",
            "test \"$MODE\" = on && { echo 'error: on' >&2; exit 3; }; exit 0",
        );
    let run = env.run(["isolate", "--env", "good.env", "bad.env", "--", "./tool"]);
    run.assert_code(0).assert_says("differ in 1 key");
    let (pass, fail) = (env.read("bad.pass.env"), env.read("bad.fail.env"));
    assert_eq!(pass.replace("MODE=off", "MODE=on"), fail);
}

#[test]
fn one_of_two_lists_of_arguments_breaks_the_command() {
    let env = TestEnv::new()
        .file("good.args", "-a --mode loose -b -o x\n")
        .file("bad.args", "-a --mode strict -b -o y -c\n")
        .script("tool", TOOL);
    let run = env.run(["isolate", "--args", "good.args", "bad.args", "--", "./tool"]);
    run.assert_code(0).assert_says("differ in 1 line");
    assert!(env.read("bad.fail.args").contains("--mode strict"));
    assert!(env.read("bad.pass.args").contains("--mode loose"));
}

#[test]
fn the_entry_of_a_lock_file_that_breaks_a_build_is_found() {
    let entry = |name: &str, version: &str| {
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nchecksum = \"{version}{name}\"\n\n"
        )
    };
    let lock = |versions: [&str; 3]| -> String {
        let names = ["log", "rand", "serde"];
        names
            .iter()
            .zip(versions)
            .map(|(name, version)| entry(name, version))
            .collect()
    };
    // A resolver rejects a version with the checksum of another.
    let script = r#"for version in $(sed -n 's/^version = "\(.*\)"/\1/p' "$1"); do
    grep -q "checksum = \"$version" "$1" || { echo bad checksum >&2; exit 9; }
done
grep -A 1 rand "$1" | grep -q '"2' && { echo 'error: rand 2' >&2; exit 3; }
exit 0"#;
    let env = TestEnv::new()
        .file("good/Cargo.lock", lock(["1.0", "1.0", "1.0"]))
        .file("bad/Cargo.lock", lock(["1.9", "2.1", "1.3"]))
        .script("tool", script);
    let args = [
        "isolate",
        "--units",
        "keys",
        "good/Cargo.lock",
        "bad/Cargo.lock",
        "--",
        "./tool",
        "{}",
    ];
    env.run(args).assert_code(0).assert_says("differ in 1 key");
    assert!(
        env.read("bad/Cargo.pass.lock").contains("rand1.0")
            || env.read("bad/Cargo.pass.lock").contains("1.0rand")
    );
    assert!(env.read("bad/Cargo.fail.lock").contains("2.1rand"));
}

#[test]
fn the_lines_of_a_jsonl_file_are_elements_unless_one_is_no_value() {
    let run = |content: &str| {
        let env = TestEnv::new()
            .file("calls.jsonl", content)
            .script("tool", "grep -q boom $1 && exit 3");
        let words = ["calls.jsonl", "--verbose", "--", "./tool", "calls.jsonl"];
        let run = env.reduce(words);
        run.assert_code(0);
        let says_so = run
            .stderr
            .contains("elements: JSON lines, by the name calls.jsonl");
        (says_so, env.read("calls.min.jsonl").trim_end().to_owned())
    };
    let values = "{\"a\": 1}\n{\"boom\": [1, 2]}\n{\"c\": 2}\n";
    assert_eq!(run(values), (true, "\"boom\"".to_owned()));
    assert!(!run("{\"a\": 1}\n{\"boom\"\n").0);
}
