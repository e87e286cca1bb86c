//! `boildown changes` with clean and smudge filters that work, fail, hang and flood.

use std::time::Instant;

use rustix::process::Signal;

use crate::env::SOON;
use crate::repo::{Repo, one_culprit};

/// A repository with a filter for text files, which is set up after the commits.
fn filtered() -> Repo {
    let repo = one_culprit();
    repo.write(".git/info/attributes", "*.txt filter=mine\n");
    repo
}

#[test]
fn a_filter_that_hangs_does_not_delay_the_end() {
    for direction in ["smudge", "clean"] {
        let repo = filtered();
        let line = format!("touch '{}'; sleep 1000", repo.env.path("runs").display());
        repo.git(["config", &format!("filter.mine.{direction}"), &line]);
        repo.write("a.txt", "BAD\n");
        let mut run = (repo.env).start(["changes", "--worktree", "HEAD~1", "--", "./test.sh"]);
        run.wait_until(|env| env.exists("runs"));
        run.signal(Signal::INT);
        let signalled = Instant::now();
        let finished = run.finish();
        assert!(signalled.elapsed() < SOON, "{direction}");
        finished
            .assert_code(6)
            .assert_says("interrupted before the search");
    }
}

#[test]
fn a_filter_that_prints_for_ever_is_an_error() {
    let repo = filtered();
    repo.git(["config", "filter.mine.smudge", "yes"]);
    let boildown = repo.env.command();
    let mut limited = std::process::Command::new("sh");
    limited
        .args(["-c", "ulimit -f 2048; exec \"$@\"", "sh"])
        .arg(boildown.get_program())
        .args(["changes", "HEAD~1..HEAD", "--", "./test.sh"])
        .current_dir(repo.env.path(""))
        .env_clear()
        .envs(
            boildown
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let output = limited.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains("`yes` printed more than"), "{stderr}");
}

#[test]
fn a_filter_that_fails_counts_only_if_it_is_required() {
    let repo = filtered();
    repo.git(["config", "filter.mine.smudge", "echo no license >&2; false"]);
    repo.changes(["HEAD~1..HEAD", "--", "./test.sh"])
        .assert_code(0);
    assert_eq!(repo.changed(), ["+BAD"]);
    repo.git(["config", "filter.mine.required", "true"]);
    repo.changes(["HEAD~1..HEAD", "--fresh", "--", "./test.sh"])
        .assert_code(5)
        .assert_says("exited with 1: no license");
}

#[test]
fn a_long_running_filter_converts_each_file() {
    let repo = one_culprit();
    repo.write(
        "../home/filter.py",
        r#"
import sys
def packets():
    while True:
        size = int(sys.stdin.buffer.read(4), 16)
        if size == 0: return
        yield sys.stdin.buffer.read(size - 4)
def say(*lines):
    for line in lines: sys.stdout.buffer.write(b"%04x" % (len(line) + 4) + line)
    sys.stdout.buffer.write(b"0000"); sys.stdout.buffer.flush()
list(packets()); say(b"git-filter-server\n", b"version=2\n")
list(packets()); say(b"capability=smudge\n")
while True:
    names = list(packets()); text = b"".join(packets())
    say(b"status=success\n"); say(text.replace(b"BAD", b"WORSE")); say()
"#,
    );
    let line = format!("python3 {}", repo.env.path("../home/filter.py").display());
    repo.git(["config", "filter.mine.process", &line]);
    repo.write(".git/info/attributes", "*.txt filter=mine\n");
    repo.script("mine.sh", "! grep -q WORSE a.txt");
    repo.changes(["HEAD~1..HEAD", "--", "./mine.sh"])
        .assert_code(0);
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn an_unchanged_file_of_the_work_tree_is_not_cleaned() {
    let repo = filtered();
    let ran = repo.env.path("ran");
    // Git reads files that are as young as the index once more.
    for name in ["a.txt", "b.txt", "src/d.txt"] {
        let old = std::process::Command::new("touch")
            .args(["-d", "2020-01-01"])
            .arg(repo.env.path(name))
            .status();
        assert!(old.unwrap().success());
    }
    repo.git(["update-index", "--refresh"]);
    let line = format!("echo %f >>'{}'; cat", ran.display());
    repo.git(["config", "filter.mine.clean", &line]);
    repo.write("a.txt", "BAD\n");
    repo.changes(["--worktree", "HEAD~1", "--", "./test.sh"])
        .assert_code(0);
    assert_eq!(repo.read("ran"), "'a.txt'\n".replace('\'', ""));
}
