//! What a command may do in the trees of `boildown changes`, and what it does to them.

use std::fs;
use std::path::Path;

use crate::repo::{Repo, one_culprit};

/// Runs it where nothing outside of its trees may be written to, not even beside the repository.
#[track_caller]
fn confined(repo: &Repo, args: &[&str]) -> (i32, String) {
    confined_at(&repo.env.path("../home"), repo, args)
}

#[track_caller]
fn confined_at(home: &Path, repo: &Repo, args: &[&str]) -> (i32, String) {
    let output = repo
        .env
        .command()
        .env("HOME", home)
        .env_remove("BOILDOWN_WRITABLE")
        .args(["changes", "HEAD~1..HEAD"])
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), said)
}

#[test]
fn a_command_writes_to_its_tree_and_its_temporary_files_only() {
    let repo = one_culprit();
    let before = repo.possessions();
    repo.script(
        "../test.sh",
        "echo x >\"$HERE/a.txt\"; echo x >\"$HERE/.git/HEAD\"; echo x >~/left; rm -rf ~ \"$HERE\"
mkdir -p made && echo x >made/x && echo x >\"$TMPDIR/x\" || exit 125
! grep -q BAD a.txt",
    );
    fs::write(repo.env.path("../home/precious"), "x").unwrap();
    let (code, said) = confined(&repo, &["--", "../test.sh"]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("unresolved"), "{said}");
    assert_eq!(repo.changed(), ["+BAD"]);
    assert_eq!(repo.possessions(), before);
    assert!(repo.env.exists("../home/precious") && !repo.env.exists("../home/left"));
}

#[test]
fn a_command_that_the_sandbox_is_against_gets_what_it_needs_and_that_is_said() {
    let repo = one_culprit();
    // Where no temporary files are.
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let build = "echo x >>~/cache";
    let args = ["--build", build, "--", "./test.sh"];
    let (code, said) = confined_at(home.path(), &repo, &args);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains(
            "warning: the two states are what they are said to be only outside the sandbox"
        ),
        "{said}"
    );
    assert_eq!(repo.changed(), ["+BAD"]);
    assert!(home.path().join("cache").exists());

    let writable = ["--fresh", "--writable", home.path().to_str().unwrap()];
    let (code, said) = confined_at(home.path(), &repo, &[&writable[..], &args].concat());
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("sandbox"), "{said}");

    let elsewhere = "file=$(TMPDIR= mktemp /tmp/boildown-test-XXXXXX) && rm \"$file\"";
    let (code, said) = confined(&repo, &["--build", elsewhere, "--", "./test.sh"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("temporary files elsewhere than in $TMPDIR"),
        "{said}"
    );
}

#[test]
fn no_network_and_limits_hold_in_trees_too() {
    let repo = one_culprit();
    let fork = "for i in 1 2 3 4 5 6 7 8 9; do sleep 5 & done; wait; ./test.sh";
    let args = ["--processes", "4", "--no-network", "--", "sh", "-c", fork];
    let (code, said) = confined(&repo, &args);
    assert_eq!(code, 3, "{said}");
    assert!(
        said.contains(
            "HEAD is not bad: the command took too much there (started too many processes)"
        ),
        "{said}"
    );
}
