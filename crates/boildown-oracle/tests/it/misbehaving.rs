//! Commands that hang, fork, flood, hide and destroy.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use boildown_oracle::Outcome::{Exited, Signalled, TimedOut};
use boildown_oracle::{Cancel, OracleError, spawn};

use crate::support::{SOON, Scene, exists};

const BRIEFLY: Duration = Duration::from_millis(300);

#[test]
fn a_command_that_hangs_is_stopped() {
    let started = Instant::now();
    Scene::new("sleep 1000").timeout(BRIEFLY).check(TimedOut);
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_command_that_ignores_sigterm_is_killed() {
    let started = Instant::now();
    Scene::new("trap '' TERM; while :; do sleep 1; done")
        .timeout(BRIEFLY)
        .check(TimedOut);
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_command_that_exits_with_zero_when_asked_to_stop_has_timed_out_all_the_same() {
    let scene = Scene::new("trap 'echo asked; exit 0' TERM; sleep 1000 & wait").timeout(BRIEFLY);
    let run = scene.run();
    assert_eq!(run.outcome, TimedOut);
    assert_eq!(run.stdout, b"asked\n");
    assert!(run.took >= BRIEFLY);
}

#[test]
fn a_stopped_command_is_killed() {
    Scene::new("kill -STOP $$").timeout(BRIEFLY).check(TimedOut);
}

#[test]
fn what_a_command_leaves_in_its_group_is_killed_after_a_normal_exit() {
    let scene = Scene::new("sleep 1000 & echo $! >$NOTES; exit 3");
    scene.check(Exited(3));
    assert!(!exists(&scene.notes()[0]));
}

#[test]
fn a_daemon_that_leaves_the_group_is_killed_and_reaped() {
    let scene = Scene::new("setsid sleep 1000 & echo $! >$NOTES; sleep 0.2; exit 3");
    scene.check(Exited(3));
    assert!(!exists(&scene.notes()[0]));
}

#[test]
fn a_daemon_that_is_just_being_started_is_killed_by_the_end_of_the_session() {
    let scene = Scene::new("setsid sleep 1000 & exit 3");
    for _ in 0..20 {
        let run = scene
            .runner
            .run(b"x", spawn::Capture::Output, &Cancel::new().unwrap());
        assert_eq!(run.unwrap().outcome, Exited(3));
    }
    // One that was changing its program as its run ended may have been missed then.
    drop(spawn::ReapOnDrop);
    scene.assert_clean();
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
fn a_daemon_is_killed_after_a_time_out_too() {
    let scene = Scene::new("setsid sleep 1000 & echo $! >$NOTES; sleep 1000").timeout(BRIEFLY);
    scene.check(TimedOut);
    assert!(!exists(&scene.notes()[0]));
}

#[test]
fn a_daemon_that_left_its_group_and_its_environment_is_killed_too() {
    let scene =
        Scene::new("echo before; env -i setsid sleep 1000 & echo $! >$NOTES; sleep 0.2; exit 3");
    let started = Instant::now();
    let run = scene.run();
    assert_eq!(run.outcome, Exited(3));
    assert_eq!(run.stdout, b"before\n");
    assert!(!exists(&scene.notes()[0]));
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_daemon_of_daemons_without_group_and_environment_is_killed_to_the_last() {
    let scene = Scene::new(
        "env -i NOTES=$NOTES setsid sh -c 'env -i setsid sh -c \"sleep 1000 & env -i setsid sleep 1000 & echo \\$! ready >$NOTES; wait\" & exit' & wait
        while ! grep -q ready $NOTES; do sleep 0.01; done; exit 3",
    );
    scene.check(Exited(3));
    assert!(!exists(&scene.notes()[0]));
}

#[test]
fn a_flood_of_output_is_drained_and_both_its_ends_are_kept() {
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
fn a_flood_without_end_does_not_outlive_the_time_limit() {
    let started = Instant::now();
    let run = Scene::new("yes & yes >&2").timeout(BRIEFLY).run();
    assert_eq!(run.outcome, TimedOut);
    assert!(run.stdout.starts_with(b"y\n"));
    assert!(run.stderr.starts_with(b"y\n"));
    assert!(started.elapsed() < SOON);
}

#[test]
fn what_was_printed_before_a_time_out_is_kept() {
    let run = Scene::new("while :; do echo tick; sleep 0.01; done")
        .timeout(BRIEFLY)
        .run();
    assert_eq!(run.outcome, TimedOut);
    assert!(run.stdout.starts_with(b"tick\ntick\n"));
}

#[test]
fn a_command_that_closes_its_output_is_still_awaited() {
    let run = Scene::new("exec >&- 2>&-; sleep 0.3; exit 3").run();
    assert_eq!(run.outcome, Exited(3));
    assert!(run.took >= BRIEFLY);
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
fn a_command_may_delete_its_directory() {
    Scene::new("rm -rf \"$PWD\"; exit 3").check(Exited(3));
}

#[test]
fn a_command_may_lock_its_directory() {
    Scene::new("mkdir -p a/b; touch a/b/c; chmod 000 a/b/c a/b a . ; exit 3").check(Exited(3));
}

#[test]
fn a_command_that_is_cancelled_ends_at_once() {
    let scene = Scene::new("setsid sleep 1000 & echo ready >$NOTES; sleep 1000");
    let cancel = Cancel::new().unwrap();
    let started = Instant::now();
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            while scene.notes().is_empty() {
                thread::sleep(Duration::from_millis(5));
            }
            cancel.cancel();
        });
        scene.try_run(&cancel)
    });
    assert!(matches!(result, Err(OracleError::Cancelled)), "{result:?}");
    assert!(started.elapsed() < SOON);
}

#[test]
fn a_run_whose_handle_was_cancelled_before_is_cancelled_too() {
    let scene = Scene::new("sleep 1000");
    let cancel = Cancel::new().unwrap();
    cancel.cancel();
    assert!(matches!(
        scene.try_run(&cancel),
        Err(OracleError::Cancelled)
    ));
}

#[test]
fn many_runs_at_once_keep_out_of_each_others_way() {
    let scene = Scene::new("sleep 1000 & setsid sleep 1000 & setsid true & echo out; exit 7");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let cancel = Cancel::new().unwrap();
                for _ in 0..15 {
                    let run = scene
                        .runner
                        .run(b"x", spawn::Capture::Output, &cancel)
                        .unwrap();
                    assert_eq!((run.outcome, &run.stdout[..]), (Exited(7), &b"out\n"[..]));
                }
            });
        }
    });
    drop(spawn::ReapOnDrop);
    scene.assert_clean();
}

#[test]
fn a_child_that_other_code_started_is_left_to_it() {
    let mut other = std::process::Command::new("true").spawn().unwrap();
    Scene::new("setsid sleep 1000 & sleep 0.2; exit 3").check(Exited(3));
    assert!(other.wait().unwrap().success());
}
