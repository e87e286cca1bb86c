//! Processes of others: a service that was there before, a sibling, a terminal multiplexer, and
//! what the launch command of a worker leaves.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::env::{NEEDLE, SOON, TestEnv, has};

/// The program.
const BOILDOWN: &str = env!("CARGO_BIN_EXE_boildown");

/// Leaves a daemon for each run, which has to be killed; it notes its process.
const TEST: &str = "env -i setsid sh -c \"echo \\$\\$ >>$HERE/daemons; exec sleep 1000\" & \
    while ! [ -s $HERE/daemons ]; do sleep 0.01; done; grep -q needle $1";

/// Starts a service that notes its process in a file of this name.
fn service(name: &str) -> String {
    format!(
        "setsid sh -c 'echo $$ >$HERE/{name}; exec sleep 1000' <&- >&- 2>&- & \
         while ! [ -s $HERE/{name} ]; do sleep 0.01; done"
    )
}

/// Returns the processes that were noted in this file.
#[track_caller]
fn noted(env: &TestEnv, name: &str) -> Vec<Pid> {
    let text = env.read(name);
    let pids = text.split_whitespace().map(|pid| pid.parse().unwrap());
    pids.map(|pid| Pid::from_raw(pid).unwrap()).collect()
}

fn is_running(pid: Pid) -> bool {
    let stat = Path::new("/proc").join(pid.as_raw_nonzero().to_string());
    fs::read_to_string(stat.join("stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Checks that a service survived, and ends it.
#[track_caller]
fn assert_survived(env: &TestEnv, name: &str) {
    for service in noted(env, name) {
        assert!(is_running(service), "{name} was killed");
        kill_process(service, Signal::KILL).unwrap();
    }
}

/// Runs a line of shell in the environment, and checks that the reduction at its end succeeded and
/// left no daemon.
#[track_caller]
fn reduce_after(env: &TestEnv, line: &str) {
    let boildown = env.command();
    let variables = boildown.get_envs();
    let output = Command::new("sh")
        .args(["-c", line])
        .env_clear()
        .envs(variables.filter_map(|(name, value)| Some((name, value?))))
        .current_dir(env.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    let started = Instant::now();
    for daemon in noted(env, "daemons") {
        // The process that has adopted it may be slow.
        while is_running(daemon) {
            assert!(started.elapsed() < SOON, "a daemon of a run is left");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_service_that_was_started_before_and_a_sibling_survive() {
    let env = TestEnv::with_test(TEST);
    let mut sibling = Command::new("sleep").arg("1000").spawn().unwrap();
    let service = service("service");
    reduce_after(
        &env,
        &format!("{service}; exec {BOILDOWN} reduce in.txt --jobs 2 --test test.sh"),
    );
    assert_survived(&env, "service");
    assert!(sibling.try_wait().unwrap().is_none());
    sibling.kill().unwrap();
    sibling.wait().unwrap();
}

#[test]
fn a_service_that_becomes_an_orphan_during_the_session_survives() {
    let env = TestEnv::with_test(&format!(": >$HERE/began; {TEST}"));
    // The shell between them ends during the session.
    let parent = format!(
        "sh -c '{}; while ! [ -e $HERE/began ]; do sleep 0.01; done' &",
        service("service").replace('\'', "'\\''")
    );
    reduce_after(
        &env,
        &format!(
            "{parent} while ! [ -s service ]; do sleep 0.01; done; \
             exec {BOILDOWN} reduce in.txt --jobs 2 --test test.sh"
        ),
    );
    assert_survived(&env, "service");
}

#[test]
fn what_the_launch_command_of_a_worker_leaves_survives() {
    let env = TestEnv::with_test(TEST);
    let worker = format!("{}; exec {BOILDOWN} worker --jobs 1", service("agent"));
    let env = env.file("workers", worker);
    reduce_after(
        &env,
        &format!("exec {BOILDOWN} reduce in.txt --jobs 1 --worker @workers --test test.sh"),
    );
    assert_survived(&env, "agent");
}

#[test]
fn a_daemon_of_a_worker_that_was_killed_ends_with_the_session() {
    let env = TestEnv::with_test(
        "if [ -n \"$ON_WORKER\" ]; then
            env -i setsid sh -c \"echo \\$\\$ >$HERE/left; exec sleep 1000\" &
            sleep 1000
        fi
        grep -q needle $1",
    );
    // It is not started again: another worker in the same place would kill what this one has left.
    let line = format!(
        "mkdir used || exit 1; echo $$ >$HERE/worker; ON_WORKER=1 exec {BOILDOWN} worker --jobs 1"
    );
    let args = [
        "in.txt", "--test", "test.sh", "--jobs", "1", "--worker", &line,
    ];
    let mut started = env.start_reduce(args);
    started.wait_until(|env| env.exists("left") && !env.read("left").is_empty());
    for worker in noted(&env, "worker") {
        kill_process(worker, Signal::KILL).unwrap();
    }
    started.finish().assert_code(0);
    let started = Instant::now();
    for daemon in noted(&env, "left") {
        while is_running(daemon) {
            assert!(started.elapsed() < SOON, "a daemon of the worker is left");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_terminal_multiplexer_survives_the_session_in_it_and_the_worker_that_started_it() {
    if !has("tmux") {
        return;
    }
    let tmux = |env: &TestEnv| format!("tmux -S {}", env.path("socket").display());
    let env = TestEnv::with_test(TEST);
    let server = tmux(&env);
    let note = "echo $$ >$HERE/inside; exec sleep 1000";
    let start = format!("{server} new-session -d '{note}'");
    reduce_after(
        &env,
        &format!("{start}; exec {BOILDOWN} reduce in.txt --jobs 2 --test test.sh"),
    );
    let stop = || {
        Command::new("tmux")
            .arg("-S")
            .arg(env.path("socket"))
            .arg("kill-server")
            .status()
    };
    let noted = noted(&env, "inside");
    let survived = noted.iter().all(|pid| is_running(*pid));
    assert!(
        stop().unwrap().success() && survived,
        "the server was killed"
    );

    let env = TestEnv::with_test(TEST);
    let start = format!("{} new-session -d '{note}'", tmux(&env));
    let env = env.file(
        "workers",
        format!("{start}; exec {BOILDOWN} worker --jobs 1"),
    );
    reduce_after(
        &env,
        &format!("exec {BOILDOWN} reduce in.txt --jobs 1 --worker @workers --test test.sh"),
    );
    assert_survived(&env, "inside");
}
