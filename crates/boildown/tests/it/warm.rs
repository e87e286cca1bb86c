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

/// Programs that do the same in other languages.
const RUBY_TOOL: &str = r##"
require "set"
text = File.read(ARGV[0])
puts __FILE__, ARGV.inspect, $0, ENV.keys.grep(/WARM|RUBYOPT/).inspect, STDIN.read.size
at_exit { puts "at exit" }
exit!(3) unless text.include?("seven")
raise "six" unless text.include?("six")
Process.kill(:ABRT, $$) && sleep unless text.include?("five")
File.write("left", text)
exit(text.include?("needle") ? 1 : 0)
"##;

const NODE_TOOL: &str = r#"
const fs = require("fs"), util = require("./module.js");
const text = fs.readFileSync(process.argv[2], "utf8");
console.log(process.argv.length, process.execArgv, require.main === module, util.loaded, process.pid > 1);
console.log(Object.keys(process.env).filter((name) => /WARM|LD_PRELOAD/.test(name)));
process.on("exit", (code) => console.log("at exit", code));
if (!text.includes("seven")) process.exit(3);
if (!text.includes("six")) throw new Error("six");
if (!text.includes("five")) process.abort();
fs.writeFileSync("left", text);
fs.promises.readFile("left").then(() => {
    process.exitCode = text.includes("needle") ? 1 : 0;
});
"#;

const JAVA_TOOL: &str = r#"
import java.nio.file.*;
public class Tool {
    static int runs;
    public static void main(String[] args) throws Exception {
        String text = Files.readString(Path.of(args[0]));
        runs++;
        System.out.println(runs + System.getProperty("set", "") + System.getProperty("java.class.path"));
        System.setProperty("set", "!");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        if (!text.contains("three")) {
            java.util.function.IntConsumer halt = Runtime.getRuntime()::halt;
            halt.accept(6);
        }
        if (!text.contains("two")) Runtime.getRuntime().exit(text.length() > 9 ? 5 : 7);
        if (!text.contains("seven")) System.exit(3);
        if (!text.contains("six")) throw new IllegalStateException("six", new RuntimeException());
        if (!text.contains("five")) {
            Thread thread = new Thread(() -> System.exit(4));
            thread.start();
            thread.join();
        }
        try { recurse(text); } catch (RuntimeException error) { error.printStackTrace(); }
        System.exit(text.contains("needle") ? 1 : 0);
    }
    static void recurse(String text) { throw new RuntimeException("here"); }
}
"#;

/// Compares warm and fresh reductions with this command. A difference would turn warm runs off.
#[track_caller]
fn check_program(env: &TestEnv, program: &str, command: &[&str]) {
    let most = ["--max-tests", "40", "--exit", "1"];
    let fresh = ["in.txt", "--output", "fresh.txt"];
    let command = [&["--"], command].concat();
    env.reduce(fresh.iter().chain(&most).chain(&command))
        .assert_says("preserving: exits with 1");
    let args = [
        "in.txt", "--output", "warm.txt", "--fresh", "--force", "--warm", program,
    ];
    let warm = env.reduce(args.iter().chain(&most).chain(&command));
    warm.assert_says("warm runs: a run on the input takes");
    assert!(!warm.stderr.contains("are off"), "{}", warm.stderr);
    assert_eq!(env.read("warm.txt"), env.read("fresh.txt"));
}

#[test]
fn forked_ruby_processes_are_as_fresh_ones() {
    if has("ruby") {
        let env = tool().file("tool.rb", RUBY_TOOL);
        check_program(&env, "ruby", &["ruby", "tool.rb", "in.txt"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn forked_node_processes_are_as_fresh_ones() {
    if has("node") {
        let env = tool()
            .file("tool.js", NODE_TOOL)
            .file("module.js", "exports.loaded = module.children.length;\n");
        check_program(&env, "node", &["node", "tool.js", "in.txt"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn runs_in_one_virtual_machine_are_as_fresh_ones() {
    if has("javac") {
        let env = tool().file("Tool.java", JAVA_TOOL);
        let mut javac = std::process::Command::new("javac");
        javac.arg("-d").arg(env.path("classes"));
        assert!(javac.arg(env.path("Tool.java")).status().unwrap().success());
        check_program(&env, "java", &["java", "-cp", "classes", "Tool", "in.txt"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn processes_forked_before_main_are_as_fresh_ones() {
    check_program(&tool(), "exec", &["cmp", "in.txt", "/dev/null"]);
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

/// A harness that lies late is found out while the reduction runs, or when it is resumed.
#[test]
fn a_resumed_reduction_goes_on_from_what_fresh_runs_confirm() {
    if !has("python3") {
        return;
    }
    let lines: String = (0..60)
        .map(|number| format!("hay {number} hay\n"))
        .collect();
    let env = TestEnv::with_test("grep -q needle \"$1\"")
        .file("in.txt", format!("{lines}hay needle hay\n{lines}"))
        .file("harness.py", HARNESS);
    let line = "exec python3 \"$HERE\"/harness.py lie 20";
    let args = ["in.txt", "--serve", line, "--test", "test.sh"];
    env.reduce(["--max-tests", "40"].iter().chain(&args))
        .assert_says("warm runs: a run on the input takes");
    let resumed = env.reduce(args);
    resumed.assert_says("resumed: ");
    assert_eq!(env.read("in.min.txt"), "needle", "{resumed}");
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
