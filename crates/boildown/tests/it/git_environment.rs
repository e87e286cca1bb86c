//! Git's variables, with which hooks, aliases and `git bisect run` start programs.

use std::process::Command;

use crate::env::{NEEDLE, TestEnv};
use crate::repo::{Repo, one_culprit};

/// A test that fails when it sees a variable of git.
const SEES_NO_GIT: &str =
    "env | grep -qE '^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|PREFIX)=' && exit 99";

#[test]
fn a_hook_in_another_repository_does_not_change_what_is_read_or_run() {
    let other = Repo::new();
    other.write("a.txt", "of the other repository\n");
    other.commit("other");
    let repo = one_culprit();
    repo.write("a.txt", "1\nBAD\n");
    let in_copy = "test \"$(git rev-parse --show-toplevel)\" = \"$PWD\" || exit 98";
    repo.script(
        "mine.sh",
        &format!("{SEES_NO_GIT}\n{in_copy}\n! grep -q BAD a.txt"),
    );
    let boildown = repo.env.command();
    let mut hook = String::from("#!/bin/sh\n");
    for (name, value) in boildown.get_envs() {
        let value = value.unwrap_or_default().to_str().unwrap();
        hook.push_str(&format!("export {}='{value}'\n", name.display()));
    }
    hook.push_str(&format!(
        "test -n \"$GIT_DIR$GIT_INDEX_FILE\" || exit 97\n\
         export GIT_DIR=\"$(pwd)/.git\" GIT_WORK_TREE=\"$(pwd)\" GIT_OBJECT_DIRECTORY=/nowhere\n\
         cd '{}' && '{}' changes --worktree HEAD~1 -- ./mine.sh >said 2>&1\necho $? >code\n",
        repo.env.path("").display(),
        boildown.get_program().display(),
    ));
    other.script(".git/hooks/post-commit", &hook);
    other.write("a.txt", "changed\n");
    other.commit("a commit with a hook");
    let said = repo.read("said");
    assert_eq!(repo.read("code"), "0\n", "{said}");
    assert_eq!(repo.changed().last().unwrap(), "+BAD", "{said}");
}

#[test]
fn a_reduction_and_an_isolation_do_not_pass_git_on() {
    let env = TestEnv::with_test(&format!("{SEES_NO_GIT}\ngrep -q {NEEDLE} \"$1\""))
        .file("good.txt", "nothing\n");
    let isolate = ["isolate", "good.txt", "in.txt", "--test", "test.sh"];
    for args in [&["reduce", "in.txt", "--test", "test.sh"][..], &isolate] {
        let output = env
            .command()
            .args(args)
            .envs([
                ("GIT_DIR", "/nowhere"),
                ("GIT_INDEX_FILE", "/nowhere/index"),
            ])
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
    }
}

#[test]
fn the_variables_are_those_that_git_lists() {
    let output = Command::new("git")
        .args(["rev-parse", "--local-env-vars"])
        .output()
        .unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let env = TestEnv::with_test("env >$HERE/seen; grep -q needle \"$1\"");
    let values = listed.lines().map(|name| (name, "x"));
    let output = env
        .command()
        .args(["reduce", "in.txt", "--test", "test.sh"])
        .envs(values)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let seen = env.read("seen");
    assert!(!seen.contains("GIT_"), "{seen}");
}
