//! Faults around `boildown changes`: full disks, changed filters, uncommitted work.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::repo::{Repo, one_culprit};

/// Runs `boildown changes` with `disk` as a file system of 2 MiB.
fn on_a_small_disk(repo: &Repo, disk: &Path, before: &str, args: &[&str]) -> Option<Output> {
    repo.env
        .run_on_a_small_disk(disk, before, &[&["changes"], args].concat())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_full_disk_for_copies_is_an_error_that_mentions_scratch() {
    let repo = one_culprit();
    let disk = repo.env.path("../disk");
    fs::create_dir(&disk).unwrap();
    let scratch = format!("--scratch={}", disk.display());
    let before = repo.possessions();

    let full = "head -c 2000000 /dev/zero >\"$DISK/ballast\"";
    let args = ["HEAD~1..HEAD", &scratch, "--", "./test.sh"];
    let Some(output) = on_a_small_disk(&repo, &disk, full, &args) else {
        return;
    };
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("--scratch"), "{}", said(&output));
    assert!(!repo.env.exists("culprit.patch"));

    // A failure because of a full disk is not a verdict.
    let fills = "grep -q five b.txt && cat /dev/zero >filled 2>/dev/null; ./test.sh";
    let args = ["HEAD~1..HEAD", &scratch, "--", "sh", "-c", fills];
    let output = on_a_small_disk(&repo, &disk, "true", &args).unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(said(&output).contains("--scratch"), "{}", said(&output));

    let room = ["HEAD~1..HEAD", &scratch, "--", "./test.sh"];
    let output = on_a_small_disk(&repo, &disk, "true", &room).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(repo.changed(), ["+BAD"]);
    assert_eq!(repo.possessions(), before);
}

#[test]
fn a_full_disk_for_the_store_is_survived_and_one_for_the_patch_is_an_error() {
    let repo = one_culprit();
    let disk = repo.env.path("../disk");
    fs::create_dir(&disk).unwrap();
    let output = format!("--output={}/culprit.patch", disk.display());
    let args = ["HEAD~1..HEAD", &output, "--", "./test.sh"];

    let nearly = "head -c 2040000 /dev/zero >\"$DISK/ballast\"";
    let keep = format!("{nearly}; trap 'cp \"$DISK/culprit.patch\" .' EXIT; \"$@\"; exit");
    let Some(tight) = on_a_small_disk(&repo, &disk, &keep, &args) else {
        return;
    };
    assert_eq!(tight.status.code(), Some(0), "{}", said(&tight));
    assert_eq!(
        said(&tight).matches("warning: failed to").count(),
        1,
        "{}",
        said(&tight)
    );
    assert_eq!(repo.changed(), ["+BAD"]);

    let full = "cat /dev/zero >\"$DISK/ballast\" 2>/dev/null";
    let none = on_a_small_disk(&repo, &disk, full, &args).unwrap();
    assert_eq!(none.status.code(), Some(5), "{}", said(&none));
    assert!(said(&none).contains("culprit.patch"), "{}", said(&none));
}

#[test]
fn differing_filters_are_those_of_the_good_state_with_a_note() {
    let repo = Repo::new();
    repo.git(["config", "filter.shout.smudge", "tr a-z A-Z"]);
    repo.git(["config", "filter.shout.clean", "tr A-Z a-z"]);
    repo.write(".gitattributes", "*.txt filter=shout\n");
    let lines = "one\ntwo\nthree\nfour\nfive\n";
    repo.write("a.txt", lines);
    repo.script(
        "test.sh",
        "grep -q '[a-z]' a.txt && exit 125\n! grep -q BAD a.txt",
    );
    repo.commit("one");
    repo.write(".gitattributes", "*.txt -filter\n");
    repo.write(
        "a.txt",
        lines.replace("two\n", "two\nbad\n").replace("five", "cinq"),
    );
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says(".gitattributes differs in HEAD: all files are written according to HEAD~1");
    assert!(!run.stderr.contains("125"), "{run}");
    assert_eq!(repo.changed(), ["+bad"]);
    repo.git(["checkout", "-q", "-f", "HEAD~1"]);
    repo.git(["apply", "--check", "culprit.patch"]);
}

#[test]
fn uncommitted_work_is_neither_read_nor_modified() {
    let repo = one_culprit();
    repo.write("b.txt", "stashed\n");
    repo.git(["stash", "-q"]);
    repo.write("a.txt", "what I am working on: BAD\n");
    repo.git(["add", "a.txt"]);
    repo.write("a.txt", "and went on with\n");
    repo.write("untracked.txt", "BAD\n");
    fs::remove_file(repo.env.path("src/d.txt")).unwrap();
    fs::write(
        repo.env.path(".git/hooks/post-checkout"),
        "#!/bin/sh\necho ran >ran\n",
    )
    .unwrap();
    let before = repo.possessions();
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["+BAD"]);
    assert_eq!(repo.possessions(), before);
}

#[test]
fn a_mixture_of_two_files_that_does_not_parse_is_not_a_culprit() {
    // Most mixtures of its lines are not JSON: its members are left out as a whole.
    let repo = Repo::new();
    let before = "{\n  \"name\": \"x\",\n  \"limit\": 5\n}\n";
    let limits = "  \"limits\": {\n    \"soft\": 5,\n    \"hard\": [\n      7\n    ]\n  },\n";
    repo.write("limits.json", before);
    let read = "import json; print(json.load(open(\"limits.json\"))[\"limit\"])";
    repo.script("test.sh", &format!("[ \"$(python3 -c '{read}')\" = 5 ]"));
    repo.commit("one");
    repo.write(
        "limits.json",
        format!("{{\n  \"name\": \"x\",\n{limits}  \"limit\": 6\n}}\n"),
    );
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["-  \"limit\": 5", "+  \"limit\": 6"]);
}
