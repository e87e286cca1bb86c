//! Runs in a copy of the project, when the failure is not that of the candidate alone.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::env::{TestEnv, has};

const MAIN_PY: &str = "\
import helper

print(helper.half(2))
print(helper.half(0))
";

const HELPER_PY: &str = "\
def half(number):
    return 1 / number
";

fn python_project() -> TestEnv {
    TestEnv::new()
        .file("main.py", MAIN_PY)
        .file("helper.py", HELPER_PY)
}

#[test]
fn a_module_beside_the_input_is_found() {
    if !has("python3") {
        return;
    }
    let env = python_project();
    env.reduce(["main.py", "--", "python3", "main.py"])
        .assert_code(0)
        .assert_says(
            "running in a copy of $ENV/here: alone in a fresh directory, the command exited with 1 \
             and printed `ModuleNotFoundError: No module named 'helper'`\n\
             preserving: exits with 1\n            \
             stderr matches /^ZeroDivisionError: division by zero$/\n            \
             stderr matches /^  File .*, in half$",
        );
    assert!(env.read("main.min.py").contains("half"));
    assert_eq!(env.read("helper.py"), HELPER_PY);
    assert!(!env.exists("__pycache__"));
}

#[test]
fn the_result_is_the_same_for_any_number_of_jobs() {
    let results = ["1", "8"].map(|jobs| {
        let env = TestEnv::new()
            .file("in.txt", "a b\nc (d needle e)\nf\ng needle\nh\n")
            .file(
                "lib.sh",
                "echo x >> log; test $(grep -c . log) = 2 && grep -q needle in.txt\n",
            )
            .file("log", "old\n");
        let args = [
            "in.txt",
            "-j",
            jobs,
            "--exit",
            "0",
            "--",
            "sh",
            "-c",
            ". ./lib.sh",
        ];
        env.reduce(args)
            .assert_code(0)
            .assert_says("running in a copy of");
        env.read("in.min.txt")
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn a_run_in_a_project_is_resumed_unless_the_project_changed() {
    if !has("python3") {
        return;
    }
    let env = python_project();
    let args = ["main.py", "--", "python3", "main.py"];
    let limited = ["main.py", "--max-tests", "5", "--", "python3", "main.py"];
    env.reduce(limited).assert_code(6);
    env.reduce(args)
        .assert_code(0)
        .assert_says("running in a copy of $ENV/here\n")
        .assert_says("resumed: ");
    let env = env.file("helper.py", HELPER_PY.replace("1 /", "2 /"));
    env.reduce(args)
        .assert_code(0)
        .assert_says("cannot resume: the project changed");
}

#[test]
fn an_input_that_fails_alone_stays_alone() {
    let env = TestEnv::new()
        .file("in.txt", "a\nb\nboom\n")
        .file("other.txt", "unrelated")
        .script(
            "test.sh",
            "ls >&2; grep -q boom in.txt && echo boom >&2 && exit 1; exit 0",
        );
    let finished = env.reduce(["in.txt", "--stderr", "boom", "--", "./test.sh"]);
    finished.assert_code(0);
    assert!(!finished.stderr.contains("copy of"), "{finished}");
    assert_eq!(env.read("in.min.txt"), "boom");
}

#[test]
fn what_a_run_leaves_in_its_copy_is_gone_in_the_next() {
    // Every run counts in a file, changes a sibling, removes another one, and links to the
    // original.
    let script = "test ! -e count || test $(cat count) = 0 || { echo dirty >> $HERE/dirty; }
        echo 1 > count; rm -r folder; ln -s $HERE folder; mkdir -p new/deep; echo x > new/deep/x
        chmod 0 new; mv other another; touch -d @0 time
        test -e needed && grep -q boom in.txt && { echo boom >&2; exit 1; }; exit 0";
    let env = TestEnv::new()
        .file("in.txt", "a\nb\nboom\nc\nd\n")
        .file("count", "0\n")
        .file("folder/file", "kept")
        .file("other", "kept")
        .file("needed", "")
        .file("time", "")
        .script("test.sh", script);
    env.reduce(["in.txt", "-j", "3", "--", "./test.sh"])
        .assert_code(0)
        .assert_says("running in a copy of");
    assert_eq!(env.read("in.min.txt"), "boom");
    assert!(!env.exists("dirty"));
    assert_eq!(env.read("folder/file"), "kept");
    assert_eq!(env.read("count"), "0\n");
}

#[test]
fn large_company_is_linked_and_cannot_be_written_to() {
    let env = TestEnv::new()
        .file("in.txt", "a\nboom\nc\n")
        .file(".gitignore", "/packages\n")
        .file("packages/needed", "")
        .file("packages/large", vec![b'x'; 5 << 20])
        .script(
            "test.sh",
            "echo x 2>&- > packages/written; test -e packages/needed && grep -q boom in.txt && { echo boom >&2; exit 1; }; exit 0",
        );
    let mut command = env.command();
    let status = command
        .env_remove("BOILDOWN_WRITABLE")
        .args(["reduce", "in.txt", "--exit", "1", "--", "./test.sh"])
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(env.read("in.min.txt"), "boom");
    assert!(!env.exists("packages/written"));
}

#[test]
fn a_script_that_expects_siblings_gets_them() {
    let env = TestEnv::new()
        .file("in.txt", "a\nb\nneedle\nc\n")
        .file("lib.sh", "finds() { grep -q needle \"$1\"; }\n")
        .script("test.sh", ". ./lib.sh && finds in.txt");
    env.reduce(["in.txt", "--test", "./test.sh"])
        .assert_code(0)
        .assert_says(
            "running in a copy of $ENV/here: alone in a fresh directory, the command exited with",
        );
    assert_eq!(env.read("in.min.txt"), "needle");
}

#[test]
fn a_stated_project_is_used_without_a_trial() {
    let env = TestEnv::new()
        .file("src/in.txt", "a\nneedle\n")
        .file("lib.sh", "finds() { grep -q needle \"$1\"; }\n");
    let args = [
        "--within",
        ".",
        "--exit",
        "0",
        "--",
        "sh",
        "-c",
        ". ./lib.sh && finds {}",
    ];
    let finished = env.reduce(["src/in.txt"].into_iter().chain(args));
    finished.assert_code(0);
    assert!(!finished.stderr.contains("copy of"), "{finished}");
    assert_eq!(env.read("src/in.min.txt"), "needle");
}

#[test]
fn a_project_without_the_input_or_too_large_is_an_error() {
    let env = TestEnv::new()
        .file("in.txt", "needle\n")
        .file("other/file", "");
    let args = |dir| ["in.txt", "--within", dir, "--", "grep", "-q", "x", "in.txt"];
    env.reduce(args("other"))
        .assert_code(1)
        .assert_says("error: the input is not in $ENV/here/other");
    env.reduce(args("missing"))
        .assert_code(1)
        .assert_says("error: failed to read missing");
}

#[test]
fn a_command_that_succeeds_where_the_user_is_is_shown_in_both_places() {
    let env = TestEnv::new()
        .file("in.txt", "needle\n")
        .file("company", "")
        .script(
            "run.sh",
            "test -e company || { echo no company >&2; exit 1; }",
        );
    assert_snapshot!(env.reduce(["in.txt", "--", "./run.sh", "in.txt"]), @r#"
    exit code 3
    -- stderr
    error: the command succeeded, and no option says what to preserve
      hint: state it with --exit, --stdout, --stderr or --not-stderr, or with a script for --test; if the failure is intermittent, use --flaky
      hint: to repeat the run:
              (cd $ENV/here && ./run.sh in.txt; echo "exit status $?")
      hint: that was in a copy of $ENV/here; alone in a fresh directory, the command exited with 1 and printed `no company` (--within none runs it there)
    "#);
    let alone = env.reduce(["in.txt", "--within", "none", "--", "./run.sh", "in.txt"]);
    alone
        .assert_code(1)
        .assert_says("the property holds on the empty input");
}

#[test]
fn links_in_a_project_lead_where_they_did() {
    let env = TestEnv::new()
        .file("proj/in.txt", "a\nboom\n")
        .file("proj/inner", "")
        .file("outside/needed", "");
    symlink("../outside", env.path("proj/link")).unwrap();
    symlink("inner", env.path("proj/alias")).unwrap();
    let script =
        "test -e link/needed && echo changed > alias && grep -q boom in.txt && exit 3; exit 0";
    let env = env.script("proj/test.sh", script);
    env.reduce([
        "proj/in.txt",
        "--within",
        "proj",
        "--exit",
        "3",
        "--",
        "sh",
        "-c",
        "cd proj 2>/dev/null; ./test.sh",
    ])
    .assert_code(0);
    assert_eq!(env.read("proj/in.min.txt"), "boom");
    assert_eq!(fs::read(env.path("proj/inner")).unwrap(), b"");
}

#[test]
fn a_killed_session_in_a_project_leaves_nothing_for_long() {
    let env = TestEnv::new()
        .file("in.txt", "a\nb\nneedle\nc\n")
        .file("company", "")
        .script(
            "test.sh",
            "test -e company && sleep 0.2 && grep -q needle in.txt",
        );
    let mut child = env
        .command()
        .args(["reduce", "in.txt", "--test", "./test.sh"])
        .spawn()
        .unwrap();
    let pid = child.id();
    let left = || {
        let parents = [Path::new("/dev/shm").to_owned(), env.path("../tmp")];
        let entries = parents
            .iter()
            .filter_map(|parent| fs::read_dir(parent).ok());
        let prefix = format!("boildown-{pid}-");
        let names = entries.flatten().map(|entry| entry.unwrap().path());
        names
            .filter(|path| {
                path.file_name()
                    .unwrap()
                    .to_string_lossy()
                    .starts_with(&prefix)
            })
            .collect::<Vec<_>>()
    };
    while !left().iter().any(|dir| dir.join("copy-000000").exists()) {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Two: one for runs alone, and one for those in the project.
    assert_eq!(left().len(), 2);
    env.reduce(["in.txt", "--fresh", "--test", "./test.sh"])
        .assert_code(0);
    assert_eq!(left(), Vec::<PathBuf>::new());
}

#[test]
fn a_script_that_decides_by_a_file_elsewhere_is_told_which_path_to_allow() {
    let env = TestEnv::new()
        .file("in.txt", "a\nneedle\n")
        .file("../home/out.txt", "needle\n")
        .script(
            "test.sh",
            "cat in.txt > $HOME/out.txt; grep -q needle $HOME/out.txt",
        );
    assert_snapshot!(env.reduce(["in.txt", "--test", "./test.sh"]), @r#"
    exit code 1
    -- stderr
    preserving: the test exits with 0
    error: the property holds on the empty input, though not outside of the sandbox: the command needs to write to $ENV/home/out.txt
      hint: let it write to its working directory or to $TMPDIR, which each run has for itself
      hint: --writable $ENV/home/out.txt --jobs 1 permits it; all runs share that file, so they may not overlap
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && $ENV/here/test.sh "$PWD"/in.txt <./in.txt; echo "exit status $?")
    "#);
    let home = env.path("../home/out.txt");
    let path = home.to_str().unwrap();
    env.reduce(["in.txt", "-j1", "--writable", path, "--test", "./test.sh"])
        .assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needle");
}

#[test]
fn an_isolation_runs_in_a_stated_project() {
    let env = TestEnv::new()
        .file("good.txt", "a\nb\n")
        .file("bad.txt", "a\nneedle\n")
        .file(
            "lib.sh",
            "! grep -q needle \"$1\" || { echo found; exit 1; }\n",
        );
    let args = [
        "isolate", "good.txt", "bad.txt", "--within", ".", "--", "sh", "lib.sh", "bad.txt",
    ];
    let events = env.run([&args[..5], &["--json"], &args[5..]].concat());
    let events = events.assert_code(0).events();
    let mut started = events.iter().filter(|event| event["event"] == "started");
    let here = env.path("").canonicalize().unwrap();
    assert_eq!(started.next().unwrap()["place"], here.to_str().unwrap());
    assert!(env.read("bad.fail.txt").contains("needle"));
    let relative = [
        "isolate",
        "good.txt",
        "bad.txt",
        "--",
        "sh",
        "-c",
        ". ./lib.sh",
        "sh",
        "bad.txt",
    ];
    env.run(relative).assert_code(3);
    let within = relative[..3]
        .iter()
        .chain(&["--within", "."])
        .chain(&relative[3..]);
    env.run(within).assert_code(0);
}

#[test]
fn the_property_is_shown_as_a_reduction_would_read_it() {
    if !has("python3") {
        return;
    }
    let env = python_project();
    let run = env.reduce(["main.py", "--show-property", "--", "python3", "main.py"]);
    run.assert_code(0);
    assert!(run.stdout.contains("ZeroDivisionError"), "{run}");
    assert!(!run.stdout.contains("helper"), "{run}");
}
