//! Daemons without marks, as root and as an ordinary user: they are found because boildown is their
//! parent once they are orphans.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::thread;

use boildown_exec::spawn;
use boildown_oracle::Outcome::Exited;
use boildown_oracle::{Capture, Interrupt};

use crate::support::Scene;
use crate::{alone, exists};

/// A daemon with a session of its own and no environment that writes its id to `$NOTES`, and raises
/// the limit that marks it where that is permitted.
const DAEMON: &str = "env -i setsid sh -c \
    \"prlimit --pid \\$\\$ --rttime=unlimited 2>/dev/null; echo \\$\\$ >>$NOTES; exec sleep 1000\" &";

/// Waits until `$NOTES` has this number of lines.
fn wait_for(daemons: usize) -> String {
    format!("while [ $(wc -l <$NOTES) -lt {daemons} ]; do sleep 0.01; done;")
}

#[test]
fn daemons_without_marks_end_with_their_run() {
    let _alone = alone();
    let _session = spawn::ReapOnDrop::begin();
    let count = 37;
    let scene = Scene::new(&format!(
        "for daemon in $(seq {count}); do {DAEMON} done; {} exit 3",
        wait_for(count)
    ));
    scene.check(Exited(3));
    let daemons = scene.notes();
    assert_eq!(daemons.len(), count);
    assert!(!daemons.iter().any(|pid| exists(pid)));
}

#[test]
fn a_daemon_is_not_killed_by_the_end_of_a_run_that_began_later() {
    let _alone = alone();
    let session = spawn::ReapOnDrop::begin();
    let early = Scene::new(&format!(
        "{DAEMON} {} echo waiting >>$NOTES; while [ -s $NOTES ]; do sleep 0.01; done
        read pid <$NOTES.copy; kill -0 $pid && exit 3",
        wait_for(1)
    ));
    let notes = early.dir.path().join("notes");
    thread::scope(|scope| {
        let run = scope.spawn(|| {
            let interrupt = Interrupt::new().unwrap();
            early.runner.run(b"x", Capture::Output, &interrupt).unwrap()
        });
        while fs::read_to_string(&notes).unwrap().lines().count() < 2 {
            thread::yield_now();
        }
        Scene::new("exit 4").check(Exited(4));
        fs::copy(&notes, notes.with_extension("copy")).unwrap();
        fs::write(&notes, "").unwrap();
        assert_eq!(run.join().unwrap().outcome, Exited(3));
    });
    let daemon = fs::read_to_string(notes.with_extension("copy")).unwrap();
    drop(session);
    assert!(!exists(daemon.lines().next().unwrap()));
}

#[test]
fn the_end_of_a_session_kills_what_is_in_its_control_group() {
    let _alone = alone();
    let own_group = || fs::read_to_string("/proc/self/cgroup").unwrap();
    let before = own_group();
    let session = spawn::ReapOnDrop::begin();
    if !own_group().contains("/boildown-") {
        return;
    }
    // Neither its marks nor its parentage tell that it belongs to a run.
    let mut left = Command::new("sleep").arg("1000").spawn().unwrap();
    drop(session);
    assert_eq!(left.wait().unwrap().signal(), Some(9));
    assert_eq!(own_group(), before);
}
