//! The sandbox of commands in the copies of `boildown changes`.

use std::fs;
use std::path::Path;

use crate::repo::{Repo, one_culprit};

/// Runs it with a sandbox that permits writing to the copies only, not even beside the repository.
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
fn a_command_can_write_only_to_its_copy_and_its_temporary_files() {
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

/// Returns a directory that a loosened sandbox does not permit writing to, also when the project
/// lies in a directory for temporary files.
fn outside_temporary_directories() -> &'static Path {
    let temporary = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    match temporary
        .iter()
        .any(|directory| target.starts_with(directory))
    {
        true => Path::new("/dev/shm"),
        false => target,
    }
}

#[test]
fn the_sandbox_is_loosened_for_a_command_that_needs_it_with_a_note() {
    let repo = one_culprit();
    let home = tempfile::tempdir_in(outside_temporary_directories()).unwrap();
    let build = "echo x >>~/cache";
    let args = ["--build", build, "--", "./test.sh"];
    let (code, said) = confined_at(home.path(), &repo, &args);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains(
            "warning: the two states are good and bad as stated only outside the sandbox"
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
    assert!(said.contains("temporary files outside $TMPDIR"), "{said}");
}

#[test]
fn no_network_and_limits_apply_in_copies() {
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
