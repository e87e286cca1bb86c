//! Commands that hang, fork, flood, crash and destroy. Every run is checked to leave nothing
//! behind.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::env::{Finished, HAYSTACK, NEEDLE, SOON, TestEnv};

/// Reduces the haystack with this script.
#[track_caller]
fn reduce<'a>(env: &'a TestEnv, args: &[&str]) -> Finished<'a> {
    env.reduce(["in.txt", "--test", "test.sh"].iter().chain(args))
}

/// Reduces the haystack with this script, and checks that the needle is left.
#[track_caller]
fn check(script: &str) {
    let env = TestEnv::with_test(script);
    reduce(&env, &[]).assert_code(0);
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

/// Reduces with a script that hangs in this way without the word six, and checks that it was
/// stopped.
#[track_caller]
fn check_hanging(hang: &str) {
    let env = TestEnv::with_test(&format!(
        "grep -q needle $1 || exit 1; grep -q six $1 || {hang}"
    ))
    .file("in.txt", "needle\nsix seven\n");
    reduce(&env, &["--timeout", "1", "--jobs", "4"])
        .assert_code(0)
        .assert_says(" timed out)");
    let result = env.read("in.min.txt");
    assert!(
        result.contains(NEEDLE) && result.contains("six"),
        "{result}"
    );
}

#[test]
fn a_test_that_hangs_is_stopped() {
    check_hanging("sleep 1000");
}

#[test]
fn a_test_that_ignores_sigterm_is_killed() {
    check_hanging("{ trap '' TERM; while :; do sleep 1; done; }");
}

#[test]
fn daemons_are_killed() {
    check("setsid sleep 1000 <&- >&- 2>&- & sleep 1000 & grep -q needle $1");
}

#[test]
fn processes_of_a_killed_session_are_killed_by_the_next() {
    let env = TestEnv::with_test(
        r#"if ! [ -e $HERE/killed ]; then
            setsid sh -c 'echo $$ >$HERE/daemon; mv $HERE/daemon $HERE/running; sleep 1000; :' &
            sleep 1000
        fi
        grep -q needle $1"#,
    );
    let mut killed = env.start_reduce(["in.txt", "--test", "test.sh"]);
    killed.wait_until(|env| env.exists("running"));
    let daemon = format!("/proc/{}/environ", env.read("running").trim());
    // A zombie has no environment.
    let is_running = || fs::read(&daemon).is_ok_and(|environment| !environment.is_empty());
    // Not after the kill: the next session may belong to another test.
    assert!(is_running());
    killed.signal(Signal::KILL);
    drop(killed);

    let env = env.file("killed", "");
    reduce(&env, &[]).assert_code(0);
    let started = Instant::now();
    while is_running() {
        assert!(started.elapsed() < SOON);
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_flood_of_output_is_not_kept_in_memory() {
    let env = TestEnv::with_test(
        "[ -e $HERE/flooded ] || { : >$HERE/flooded; head -c 1000000000 /dev/zero >&2; }; grep -q needle $1",
    );
    let finished = reduce(&env, &[]);
    finished.assert_code(0);
    assert!(finished.peak_kib < 300 * 1024, "{} KiB", finished.peak_kib);
    assert_eq!(env.read("in.min.txt"), NEEDLE);
}

#[test]
fn a_crash_of_the_test_is_not_interesting() {
    check(
        "ulimit -c 0; grep -q needle $1 && exit; grep -q hay $1 && kill -SEGV $$; grep -q six $1 && kill -ABRT $$; kill -KILL $$",
    );
}

#[test]
fn a_test_may_delete_its_directory() {
    check("grep -q needle $1; code=$?; rm -rf \"$PWD\"; exit $code");
}

#[test]
fn a_test_may_lock_its_directory() {
    check("grep -q needle $1; code=$?; mkdir -p a/b; chmod 000 a/b a .; exit $code");
}

#[test]
fn a_test_that_is_no_longer_executable_ends_the_session_and_the_best_is_kept() {
    let env = TestEnv::with_test(
        "echo run >>$HERE/runs; [ $(wc -l <$HERE/runs) -gt 8 ] && chmod -x $0; grep -q needle $1",
    );
    let finished = reduce(&env, &["--jobs", "1"]);
    insta::assert_snapshot!(finished, @r"
    exit code 5
    -- stderr
    preserving: the test exits with 0
    error: failed to start `$ENV/here/test.sh`: Permission denied (os error 13)
      hint: it is not executable; try `chmod +x $ENV/here/test.sh`, and check that its file system is not mounted noexec
      hint: the best result so far is in in.min.txt
    ");
    let best = env.read("in.min.txt");
    assert!(
        best.contains(NEEDLE) && best.len() < HAYSTACK.len(),
        "{best}"
    );
}

#[test]
fn a_script_that_is_modified_during_the_search_ends_it() {
    let env = TestEnv::with_test(
        "grep -q needle $1 || exit 1\ntest $(wc -c <$1) -gt 20 || echo 'exit 0' >>$HERE/test.sh",
    );
    reduce(&env, &["--jobs", "1"])
        .assert_code(5)
        .assert_says("test.sh was modified during the search")
        .assert_says("the best result so far is in in.min.txt");
    let best = env.read("in.min.txt");
    assert!(best.contains(NEEDLE) && best.len() > 20, "{best}");
}

#[test]
fn a_script_that_loses_its_interpreter_line_is_a_candidate_like_others() {
    let env = TestEnv::new().script("in.sh", "echo hello\nexit 3\necho never");
    env.reduce(["in.sh", "--exit", "3", "--", "./in.sh"])
        .assert_code(0);
    let result = env.read("in.min.sh");
    assert!(
        result.starts_with("#!/") && result.trim_end().ends_with("exit 3"),
        "{result}"
    );
    assert!(!result.contains("echo"), "{result}");
}

#[test]
fn a_test_that_overwrites_the_input_does_not_affect_the_result() {
    let env = TestEnv::with_test("echo overwritten >$HERE/in.txt; grep -q needle $1");
    reduce(&env, &[])
        .assert_code(0)
        .assert_says("warning: in.txt was modified during the search");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    // The last run may have been killed while it was writing.
    assert!("overwritten\n".starts_with(&env.read("in.txt")));
}

#[test]
fn a_test_that_overwrites_the_input_does_not_affect_the_backup() {
    let env = TestEnv::with_test("echo overwritten >$HERE/in.txt; grep -q needle $1");
    reduce(&env, &["--in-place"]).assert_code(0);
    assert_eq!(env.read("in.txt.orig"), HAYSTACK);
}

/// Reduces in a directory whose run store leads elsewhere, and checks that nothing is changed.
#[track_caller]
fn check_foreign_store(plant: impl Fn(&TestEnv)) {
    let env = TestEnv::with_test("grep -q needle $1").file("precious", "precious\n");
    plant(&env);
    reduce(&env, &[])
        .assert_code(5)
        .assert_says(".boildown/in.min.txt")
        .assert_says("it is a link")
        .assert_says("move it away, or write this result elsewhere with --output");
    assert_eq!(env.read("precious"), "precious\n");
    assert!(!env.exists("in.min.txt"));
}

#[test]
fn a_run_store_that_is_a_link_is_refused() {
    check_foreign_store(|env| {
        fs::create_dir(env.path(".boildown")).unwrap();
        fs::create_dir(env.path("elsewhere")).unwrap();
        symlink("../elsewhere", env.path(".boildown/in.min.txt")).unwrap();
    });
    check_foreign_store(|env| {
        fs::create_dir_all(env.path(".boildown/in.min.txt")).unwrap();
        symlink("../../precious", env.path(".boildown/in.min.txt/lock")).unwrap();
    });
}
