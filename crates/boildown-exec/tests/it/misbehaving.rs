//! Commands that hang, fork, print without end, hide processes and destroy files.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use boildown_oracle::Outcome::{Exited, Signalled, TimedOut};
use boildown_oracle::{Interrupt, OracleError};

use crate::support::{SOON, Scene, is_running};

/// A short time limit.
const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_command_that_hangs_is_stopped() {
    let started = Instant::now();
    Scene::new("sleep 1000").timeout(SHORT).check(TimedOut);
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_command_that_ignores_sigterm_is_killed() {
    let started = Instant::now();
    Scene::new("trap '' TERM; while :; do sleep 1; done")
        .timeout(SHORT)
        .check(TimedOut);
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_command_that_exits_with_zero_on_sigterm_has_timed_out() {
    let scene = Scene::new("trap 'echo asked; exit 0' TERM; sleep 1000 & wait").timeout(SHORT);
    let run = scene.run();
    assert_eq!(run.outcome, TimedOut);
    assert_eq!(run.stdout, b"asked\n");
    assert!(run.took >= SHORT);
}

#[test]
fn a_stopped_command_is_killed() {
    Scene::new("kill -STOP $$").timeout(SHORT).check(TimedOut);
}

#[test]
fn background_processes_are_killed_after_a_normal_exit() {
    let scene = Scene::new("sleep 1000 & echo $! >$NOTES; exit 3");
    scene.check(Exited(3));
    assert!(!is_running(&scene.notes()[0]));
}

#[test]
fn a_daemon_that_leaves_the_group_is_killed() {
    let scene = Scene::new("setsid sleep 1000 & echo $! >$NOTES; sleep 0.2; exit 3");
    scene.check(Exited(3));
    assert!(!is_running(&scene.notes()[0]));
}

#[test]
fn a_daemon_that_forks_twice_is_killed_with_its_children() {
    let daemon = "setsid sh -c 'sh -c \"sleep 1000 & sleep 1000 & echo ready >\\$NOTES; wait\" & exit' & wait";
    let scene = Scene::new(&format!(
        "{daemon}; while ! [ -s $NOTES ]; do sleep 0.01; done; exit 3"
    ));
    scene.check(Exited(3));
}

#[test]
fn a_daemon_is_killed_after_a_timeout() {
    let scene = Scene::new("setsid sleep 1000 & echo $! >$NOTES; sleep 1000").timeout(SHORT);
    scene.check(TimedOut);
    assert!(!is_running(&scene.notes()[0]));
}

#[test]
fn a_daemon_that_left_its_group_and_its_environment_is_killed() {
    let scene =
        Scene::new("echo before; env -i setsid sleep 1000 & echo $! >$NOTES; sleep 0.2; exit 3");
    let started = Instant::now();
    let run = scene.run();
    assert_eq!(run.outcome, Exited(3));
    assert_eq!(run.stdout, b"before\n");
    assert!(!is_running(&scene.notes()[0]));
    assert!(started.elapsed() < SOON);
}

#[test]
fn nested_daemons_without_group_and_environment_are_all_killed() {
    let scene = Scene::new(
        "env -i NOTES=$NOTES setsid sh -c 'env -i setsid sh -c \"sleep 1000 & env -i setsid sleep 1000 & echo \\$! ready >$NOTES; wait\" & exit' & wait
        while ! grep -q ready $NOTES; do sleep 0.01; done; exit 3",
    );
    scene.check(Exited(3));
    assert!(!is_running(&scene.notes()[0]));
}

#[test]
fn a_gigabyte_of_output_is_read_and_both_ends_are_kept() {
    let scene =
        Scene::new("echo first >&2; head -c 1000000000 /dev/zero >&2; echo; echo last >&2; exit 3");
    let run = scene.run();
    assert_eq!(run.outcome, Exited(3));
    assert!(run.stderr.starts_with(b"first\n"));
    assert!(run.stderr.ends_with(b"last\n"));
    assert!(run.stderr.len() <= scene.runner.limits.output_cap + 100);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let peak_kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak_kib < 400 * 1024, "{peak_kib} KiB");
}

#[test]
fn endless_output_does_not_extend_the_time_limit() {
    let started = Instant::now();
    let run = Scene::new("yes & yes >&2").timeout(SHORT).run();
    assert_eq!(run.outcome, TimedOut);
    assert!(run.stdout.starts_with(b"y\n"));
    assert!(run.stderr.starts_with(b"y\n"));
    assert!(started.elapsed() < SOON);
}

#[test]
fn output_before_a_timeout_is_kept() {
    let run = Scene::new("while :; do echo tick; sleep 0.01; done")
        .timeout(SHORT)
        .run();
    assert_eq!(run.outcome, TimedOut);
    assert!(run.stdout.starts_with(b"tick\ntick\n"));
}

#[test]
fn a_command_that_closes_its_output_is_waited_for() {
    let run = Scene::new("exec >&- 2>&-; sleep 0.3; exit 3").run();
    assert_eq!(run.outcome, Exited(3));
    assert!(run.took >= SHORT);
}

#[test]
fn a_signal_is_reported_by_its_number() {
    for (name, number) in [
        ("SEGV", 11),
        ("ABRT", 6),
        ("FPE", 8),
        ("KILL", 9),
        ("TERM", 15),
        ("PIPE", 13),
    ] {
        Scene::new(&format!("ulimit -c 0; kill -{name} $$; sleep 1000")).check(Signalled(number));
    }
}

#[test]
fn a_command_can_delete_its_directory() {
    Scene::new("rm -rf \"$PWD\"; exit 3").check(Exited(3));
}

#[test]
fn a_command_can_remove_the_permissions_of_its_directory() {
    Scene::new("mkdir -p a/b; touch a/b/c; chmod 000 a/b/c a/b a . ; exit 3").check(Exited(3));
}

#[test]
fn an_interrupted_command_ends_at_once() {
    let scene = Scene::new("setsid sleep 1000 & echo ready >$NOTES; sleep 1000");
    let interrupt = Interrupt::new().unwrap();
    let started = Instant::now();
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            while scene.notes().is_empty() {
                thread::sleep(Duration::from_millis(5));
            }
            interrupt.trigger();
        });
        scene.try_run(&interrupt)
    });
    assert!(
        matches!(result, Err(OracleError::Interrupted)),
        "{result:?}"
    );
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_run_with_a_handle_that_was_triggered_before_is_interrupted() {
    let scene = Scene::new("sleep 1000");
    let interrupt = Interrupt::new().unwrap();
    interrupt.trigger();
    assert!(matches!(
        scene.try_run(&interrupt),
        Err(OracleError::Interrupted)
    ));
}

#[test]
fn a_child_that_other_code_started_is_not_reaped() {
    let mut other = std::process::Command::new("true").spawn().unwrap();
    Scene::new("setsid sleep 1000 & sleep 0.2; exit 3").check(Exited(3));
    assert!(other.wait().unwrap().success());
}
