//! Permissions of what is derived from an input: no more than the input has.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use crate::env::{FINDS_NEEDLE, HAYSTACK, TestEnv};

/// Returns the files and directories below a directory, with their modes.
fn modes(dir: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            found.extend(modes(&path));
        }
        found.push((path, metadata.mode() & 0o7777));
    }
    found
}

/// Runs boildown with this umask.
#[track_caller]
fn run(env: &TestEnv, umask: &str, args: &[&str]) {
    let boildown = env.command();
    let mut command = std::process::Command::new("sh");
    let environment = boildown.get_envs();
    let output = command
        .args(["-c", "umask $0 && exec \"$@\"", umask])
        .arg(boildown.get_program())
        .args(args)
        .env_clear()
        .envs(environment.filter_map(|(name, value)| Some((name, value?))))
        .current_dir(env.path(""))
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
}

#[test]
fn results_stores_pages_and_bug_reports_permit_no_more_than_the_input() {
    for umask in ["022", "000", "077"] {
        for mode in [0o600, 0o640, 0o644, 0o400] {
            let env = TestEnv::with_test(FINDS_NEEDLE).mode("in.txt", mode);
            run(&env, umask, &["reduce", "in.txt", "--test", "./test.sh"]);
            run(&env, umask, &["report"]);
            run(&env, umask, &["report", "--bug"]);
            let limit = mode | 0o200 | (mode & 0o444) >> 2 | 0o700;
            let is_given = |path: &Path| path.ends_with("in.txt") || path.ends_with("test.sh");
            let derived = modes(&env.path("")).into_iter();
            for (path, found) in derived.filter(|(path, _)| !is_given(path)) {
                let path = path.display();
                assert_eq!(found & !limit, 0, "{path} is {found:o}, the input {mode:o}");
            }
            for (path, found) in modes(&env.path(".boildown")) {
                assert_eq!(found & 0o077, 0, "{}", path.display());
            }
        }
    }
}

#[test]
fn isolations_permit_no_more_than_each_of_their_inputs() {
    let env = TestEnv::with_test(FINDS_NEEDLE)
        .file("good.txt", "one two\nthree\n")
        .mode("good.txt", 0o600);
    let args = ["isolate", "good.txt", "in.txt", "--test", "./test.sh"];
    run(&env, "000", &args);
    for name in ["in.pass.txt", "in.fail.txt"] {
        let mode = fs::metadata(env.path(name)).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
}

#[test]
fn a_triage_permits_no_more_than_each_of_its_inputs() {
    let env = TestEnv::with_test("grep -q needle \"$1\" && kill -SEGV $$")
        .file("crashes/a", HAYSTACK)
        .file("crashes/b", "a needle\nin hay\n")
        .mode("crashes/b", 0o600);
    run(&env, "000", &["triage", "crashes", "--", "./test.sh", "{}"]);
    for (path, mode) in modes(&env.path("crashes.triage")) {
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", path.display());
    }
}

#[test]
fn folders_of_earlier_versions_become_private() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let args = ["in.txt", "--test", "./test.sh"];
    env.reduce(args).assert_code(0);
    let open = |path: &Path, mode| {
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    for (path, _) in modes(&env.path(".boildown")) {
        open(&path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    open(&env.path(".boildown"), 0o755);
    env.reduce(args).assert_code(0);
    let is_store = |path: &Path| path.extension().is_some_and(|extension| extension == "db");
    for (path, mode) in modes(&env.path("")) {
        if path.ends_with(".boildown") || path.ends_with("in.min.txt") && path.is_dir() {
            assert_eq!(mode, 0o700, "{}", path.display());
        }
        if is_store(&path) {
            assert_eq!(mode, 0o600, "{}", path.display());
        }
    }
}

#[test]
fn the_input_itself_is_the_backup_of_a_reduction_in_place() {
    let env = TestEnv::with_test(FINDS_NEEDLE).mode("in.txt", 0o640);
    let before = fs::metadata(env.path("in.txt")).unwrap();
    env.reduce(["in.txt", "--in-place", "--test", "./test.sh"])
        .assert_code(0);
    let backup = fs::metadata(env.path("in.txt.orig")).unwrap();
    assert_eq!(backup.ino(), before.ino());
    assert_eq!(backup.modified().unwrap(), before.modified().unwrap());
    assert_eq!(backup.mode(), before.mode());
    assert_eq!(backup.nlink(), 1);
    assert_eq!(env.read("in.txt.orig"), HAYSTACK);
    let result = fs::metadata(env.path("in.txt")).unwrap();
    assert_eq!(result.mode(), before.mode());
    assert_eq!(env.read("in.txt"), "needle");
}

#[test]
fn a_reduction_in_place_keeps_the_owner() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    if chown(env.path("in.txt"), Some(12345), Some(54321)).is_err() {
        println!("skipped: only root gives files away");
        return;
    }
    let env = env.mode("in.txt", 0o4755);
    env.reduce(["in.txt", "--in-place", "--test", "./test.sh"])
        .assert_code(0);
    for name in ["in.txt", "in.txt.orig"] {
        let found = fs::metadata(env.path(name)).unwrap();
        assert_eq!((found.uid(), found.gid()), (12345, 54321), "{name}");
        assert_eq!(found.mode() & 0o7777, 0o4755, "{name}");
    }
}
