//! Warm runs: the same result as fresh ones, whatever the programs do.

use crate::env::{HAYSTACK, TestEnv, has};

/// A harness with a fault.
const HARNESS: &str = include_str!("harness.py");

/// A Python program that fails on a needle, and does what depends on how a process begins and ends.
const TOOL: &str = r#"
import atexit, json, os, sys

def recurse(depth):
    return recurse(depth + 1)

if __name__ == "__main__":
    text = open(sys.argv[1]).read()
    print(sys.argv[0] != "", __name__, os.getpgid(0) == os.getpid(), os.listdir("."))
    print(sorted(os.environ) == sorted(set(os.environ)), "PYTHONPATH" in os.environ, sys.path[1:])
    atexit.register(print, "at exit")
    if "seven" not in text:
        os._exit(3)
    if "six" not in text:
        recurse(0)
    if "five" not in text:
        os.abort()
    open("left", "w").write(text)
    sys.stdout.write("buffered")
    sys.exit("found" if "needle" in text else 0)
"#;

fn tool() -> TestEnv {
    TestEnv::new()
        .file("in.txt", HAYSTACK)
        .file("tool.py", TOOL)
}

const COMMAND: &[&str] = &["--exit", "1", "--", "python3", "tool.py", "in.txt"];

#[test]
fn forked_python_processes_are_as_fresh_ones() {
    if !has("python3") {
        return;
    }
    let env = tool();
    // Enough for each way in which the program ends.
    let most = ["--max-tests", "40"];
    let args = ["in.txt", "--output", "fresh.txt"];
    let fresh = env.reduce(args.iter().chain(&most).chain(COMMAND));
    fresh.assert_says("preserving: exits with 1");
    for jobs in ["1", "3"] {
        let args = [
            "in.txt", "--output", "warm.txt", "--fresh", "--force", "--warm", "python",
        ];
        let warm = env.reduce(
            args.iter()
                .chain(&["--jobs", jobs])
                .chain(&most)
                .chain(COMMAND),
        );
        warm.assert_says("warm runs: a run on the input takes");
        assert!(!warm.stderr.contains("differ"), "{}", warm.stderr);
        assert_eq!(env.read("warm.txt"), env.read("fresh.txt"));
    }
}

#[test]
fn a_command_that_cannot_be_forked_is_run_fresh() {
    if !has("python3") {
        return;
    }
    let env = tool().file(
        "threads.py",
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n",
    );
    let env = env.file("uses_threads.py", format!("import threads\n{TOOL}"));
    for (program, reason) in [
        ("uses_threads.py", "starts threads"),
        ("-S", "the harness did not start"),
    ] {
        let args = [
            "in.txt",
            "--fresh",
            "--force",
            "--max-tests",
            "3",
            "--warm",
            "python",
            "--exit",
            "1",
            "--",
            "python3",
        ];
        let program = match program {
            "-S" => vec!["-S", "tool.py", "in.txt"],
            program => vec![program, "in.txt"],
        };
        let finished = env.reduce(args.iter().chain(&program));
        finished.assert_says(reason);
    }
}

/// Reduces the haystack with a harness that has this fault.
#[track_caller]
fn check(fault: &str, number: u32) -> String {
    let env = TestEnv::with_test("grep -q needle \"$1\"").file("harness.py", HARNESS);
    let line = format!("exec python3 \"$HERE\"/harness.py {fault} {number}");
    let finished = env.reduce(["in.txt", "--serve", &line, "--test", "test.sh"]);
    finished.assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needle", "{fault}: {finished}");
    finished.stderr.clone()
}

#[test]
fn a_harness_with_a_fault_changes_nothing() {
    if !has("python3") {
        return;
    }
    for fault in ["none", "leave", "end", "kill", "rubbish", "flood", "twice"] {
        check(fault, 4);
    }
}

#[test]
fn a_harness_that_says_something_else_than_fresh_runs_is_turned_off() {
    if !has("python3") {
        return;
    }
    let said = check("lie", 4);
    assert!(said.contains("warm runs are off"), "{said}");
    let said = check("rubbish", 1);
    assert!(said.contains("warm runs are off"), "{said}");
}

#[test]
fn a_program_that_is_no_harness_is_named_with_the_reason() {
    let env = TestEnv::with_test("grep -q needle \"$1\"");
    for (line, reason) in [
        (
            "echo hello",
            "its first line is not {\"boildown\": 1} but `hello`",
        ),
        (
            "echo broken >&2",
            "it ended before it was ready; its last message: broken",
        ),
    ] {
        let finished = env.reduce(["in.txt", "--fresh", "--serve", line, "--test", "test.sh"]);
        finished.assert_code(0).assert_says(reason);
        assert_eq!(env.read("in.min.txt"), "needle");
    }
}
