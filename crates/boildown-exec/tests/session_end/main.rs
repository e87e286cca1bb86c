//! Processes that leave their run or outlive their session, and what kills them.
//!
//! In a program of its own, and one test at a time: while a session exists, what the program starts
//! counts as part of a run, also what other tests start and wait for.
#![expect(
    clippy::unwrap_used,
    reason = "a failing test panics, also in its helpers"
)]

#[path = "../it/support.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod support;

mod abandoned;
mod escapes;
mod strangers;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use boildown_exec::spawn;
use boildown_oracle::Outcome::Exited;
use boildown_oracle::{Capture, Interrupt};

use crate::support::Scene;

/// Returns whether the process exists, even as a zombie.
fn exists(pid: &str) -> bool {
    std::fs::exists(format!("/proc/{pid}")).unwrap()
}

/// Lets the tests of this program run one after another.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_daemon_in_the_middle_of_exec_is_killed_at_the_end_of_the_session() {
    let _alone = alone();
    let session = spawn::ReapOnDrop::begin();
    let scene = Scene::new("setsid sleep 1000 & exit 3");
    for _ in 0..20 {
        let run = scene
            .runner
            .run(b"x", Capture::Output, &Interrupt::new().unwrap());
        assert_eq!(run.unwrap().outcome, Exited(3));
    }
    // A daemon that was in the middle of `exec` when its run ended may still be alive.
    drop(session);
    scene.assert_clean();
}

#[test]
fn concurrent_runs_do_not_disturb_each_other() {
    let _alone = alone();
    let session = spawn::ReapOnDrop::begin();
    let scene = Scene::new("sleep 1000 & setsid sleep 1000 & setsid true & echo out; exit 7");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let interrupt = Interrupt::new().unwrap();
                for _ in 0..15 {
                    let run = scene.runner.run(b"x", Capture::Output, &interrupt).unwrap();
                    assert_eq!((run.outcome, &run.stdout[..]), (Exited(7), &b"out\n"[..]));
                }
            });
        }
    });
    drop(session);
    scene.assert_clean();
}
