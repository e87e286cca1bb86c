//! Systems that refuse threads or processes: fewer tests run at once, or the session ends with the
//! reason.

use std::process::{Command, Output, Stdio};

use rustix::process::geteuid;

use crate::env::{FINDS_NEEDLE, NEEDLE, TestEnv, has};

/// Runs a program with a filter that refuses the system call `clone3`, as those of some containers
/// do.
const WITHOUT_CLONE3: &str = "
import ctypes, os, struct, sys
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 435), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack('HP', len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
";

/// Reduces a file with these words before the command line.
fn reduce_behind(env: &TestEnv, words: &[&str]) -> Output {
    let boildown = env.command();
    let variables = boildown.get_envs();
    Command::new(words[0])
        .args(&words[1..])
        .arg(boildown.get_program())
        .args([
            "reduce",
            "in.txt",
            "--fresh",
            "--force",
            "--jobs",
            "32",
            "--test",
            "./test.sh",
        ])
        .env_clear()
        .envs(variables.filter_map(|(name, value)| Some((name, value?))))
        .current_dir(env.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Checks that the reduction has succeeded, or has ended with a reason. Returns whether it has
/// succeeded.
#[track_caller]
fn check(env: &TestEnv, output: &Output) -> bool {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    match output.status.code() {
        Some(0) => {
            assert_eq!(env.read("in.min.txt"), NEEDLE);
            true
        }
        Some(5) => {
            assert!(stderr.contains("failed to "), "{stderr}");
            false
        }
        code => panic!("exit code {code:?}: {stderr}"),
    }
}

#[test]
fn a_system_that_refuses_threads_is_named() {
    if !has("python3") {
        return;
    }
    let env = TestEnv::with_test(FINDS_NEEDLE).file("filter.py", WITHOUT_CLONE3);
    let output = reduce_behind(&env, &["python3", "filter.py"]);
    // A system whose C library does without that call has no problem.
    if !check(&env, &output) {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("failed to start a thread"), "{stderr}");
    }
}

#[test]
fn a_limit_on_processes_means_fewer_tests_at_once() {
    // No other user has this number, and the limit counts the processes of a user.
    const USER: &str = "58137";
    if !geteuid().is_root() || !has("setpriv") || !has("prlimit") {
        eprintln!("skipped: only root can be another user");
        return;
    }
    // The test starts no process: one that fails to has another verdict.
    let env = TestEnv::with_test(&format!("exec {FINDS_NEEDLE}"));
    let root = env.path("..");
    let owned = Command::new("chown").args(["-R", USER]).arg(&root).status();
    assert!(owned.unwrap().success());
    let reduce = |limit: u32| {
        let limit = format!("--nproc={limit}");
        let words = [
            "setpriv",
            "--reuid",
            USER,
            "--clear-groups",
            "prlimit",
            &limit,
        ];
        let output = reduce_behind(&env, &words);
        check(&env, &output)
    };
    let succeeded = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48].map(reduce);
    assert!(!succeeded[0]);
    // Enough for some of the 32 tests at once, and not for all. On a loaded machine a session may
    // be refused a process in a moment when it cannot do with fewer; hardly three times in a row.
    let is_enough = succeeded[8] || (0..2).any(|_| reduce(24));
    assert!(is_enough, "{succeeded:?}");
    assert!(reduce(500));
}
