//! Runs in a program that embeds this crate and has children of its own.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use boildown_oracle::Outcome::Exited;

use crate::support::{Scene, is_running};

#[test]
fn children_of_the_embedding_program_are_neither_killed_nor_reaped() {
    let start = |program: &str| {
        let mut command = Command::new(program);
        command.arg("1000").process_group(0).spawn().unwrap()
    };
    let scene = Scene::new("setsid sleep 1000 & exit 3");
    scene.check(Exited(3));
    let (mut running, mut ended) = (start("sleep"), start("true"));
    scene.check(Exited(3));
    let is_running = running.try_wait().unwrap().is_none();
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(is_running);
    assert!(ended.wait().unwrap().success());
}

#[test]
fn the_embedding_program_adopts_no_orphans_and_has_no_mark() {
    let limits = || fs::read_to_string("/proc/self/limits").unwrap();
    let before = limits();
    Scene::new("setsid sleep 1000 & exit 3").check(Exited(3));
    assert_eq!(limits(), before);
    assert_eq!(rustix::process::child_subreaper().unwrap(), None);
}

#[test]
fn daemons_without_group_session_and_environment_end_with_their_run() {
    let scene = Scene::new(
        r#"for daemon in 1 2 3 4 5; do
            env -i setsid sh -c "echo \$\$ >>$NOTES; sleep 1000; :" &
        done
        while [ $(wc -l <$NOTES) -lt 5 ]; do sleep 0.01; done; exit 3"#,
    );
    scene.check(Exited(3));
    let daemons = scene.notes();
    assert_eq!(daemons.len(), 5);
    assert!(!daemons.iter().any(|pid| is_running(pid)));
}
