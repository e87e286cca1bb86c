//! `boildown changes` with builds that are slow, are killed, or leave stale files behind, and what
//! is claimed when runs tell nothing.

use crate::repo::{Repo, numbers, one_culprit};

/// A history in which a header breaks a program. The build does not notice when only the header
/// changes.
fn stale_objects() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", "main\nbuilt\n.boildown\nculprit.patch\n");
    repo.script(
        "build.sh",
        "cmp -s main.c built || { cp main.c built; cat main.c config.h >main; }",
    );
    repo.script("test.sh", "! grep -q 'LIMIT 0' main");
    repo.write("config.h", "#define LIMIT 10\n");
    repo.write("main.c", "/* one */\n");
    repo.commit("one");
    repo.write("notes.txt", "a\n");
    repo.commit("notes");
    repo.write("config.h", "#define LIMIT 0\n");
    repo.commit("the culprit");
    repo
}

const CULPRIT: [&str; 2] = ["-#define LIMIT 10", "+#define LIMIT 0"];

#[test]
fn a_culprit_that_stale_objects_hide_is_found_in_fresh_copies() {
    let repo = stale_objects();
    repo.write("main.c", "/* two */\n");
    repo.commit("two");
    repo.write("notes.txt", "b\n");
    repo.commit("more notes");
    let run = repo.changes([
        "HEAD~4..HEAD",
        "--jobs",
        "1",
        "--build",
        "./build.sh",
        "--",
        "./test.sh",
    ]);
    run.assert_code(0);
    run.assert_says("searching again with a fresh copy for each run");
    run.assert_says("Ada: the culprit");
    assert_eq!(repo.changed(), CULPRIT);
}

#[test]
fn a_state_that_is_good_in_a_fresh_copy_only_is_good() {
    let repo = stale_objects();
    let run = repo.changes(["HEAD~2..HEAD", "--build", "./build.sh", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("with a fresh copy for each run");
    assert_eq!(repo.changed(), CULPRIT);
}

#[test]
fn with_clean_every_run_is_built_from_nothing() {
    let repo = stale_objects();
    let run = repo.changes([
        "HEAD~2..HEAD",
        "--clean",
        "--build",
        "test ! -e main && ./build.sh",
        "--",
        "./test.sh",
    ]);
    run.assert_code(0);
    assert!(!run.stderr.contains("unresolved"), "{run}");
    assert!(!run.stderr.contains("searching again"), "{run}");
    assert_eq!(repo.changed(), CULPRIT);
}

#[test]
fn a_build_that_fails_in_a_copy_that_was_used_before_is_repeated_in_a_fresh_one() {
    for failure in ["kill -KILL $$", "exit 1"] {
        let repo = one_culprit();
        let build = format!("test ! -e built || {failure}; touch built");
        let run = repo.changes(["HEAD~1..HEAD", "--build", &build, "--", "./test.sh"]);
        run.assert_code(0);
        assert!(!run.stderr.contains("unresolved"), "{run}");
        assert_eq!(repo.changed(), ["+BAD"], "{failure}");
    }
}

#[test]
fn a_build_may_take_longer_than_the_command() {
    let repo = one_culprit();
    // Longer than the shortest time limit of a command.
    let build = "test -e built || sleep 2.5; touch built";
    let run = repo.changes(["HEAD~1..HEAD", "--build", build, "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("confirmed in a fresh copy");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn a_build_of_a_state_that_exceeds_its_time_limit_names_the_option() {
    let repo = one_culprit();
    let run = repo.changes([
        "HEAD~1..HEAD",
        "--build",
        "sleep 100",
        "--build-timeout",
        "200ms",
        "--",
        "./test.sh",
    ]);
    run.assert_code(3);
    run.assert_says("timed out while building");
    run.assert_says("--build-timeout raises the time limit of a build");
}

#[test]
fn when_no_test_can_be_judged_nothing_is_claimed() {
    let repo = Repo::new();
    repo.write("a.txt", numbers(1..40));
    repo.write("b.txt", numbers(1..40));
    repo.commit("one");
    for file in ["a.txt", "b.txt"] {
        repo.write(file, numbers(1..40).replace("\n20\n", "\n20\nnew\n"));
    }
    repo.commit("two");
    // Half of the change has no verdict.
    let command = "case $(cat a.txt b.txt | grep -c new) in 0) exit 0;; 1) echo half >&2; exit 125;; *) exit 1;; esac";
    let run = repo.changes(["HEAD~1..HEAD", "--", "sh", "-c", command]);
    run.assert_code(9);
    run.assert_says("no candidate could be judged, so the patch is the whole difference");
    run.assert_says("exited with 125");
    run.assert_says("| half");
    assert!(!run.stderr.contains("1-minimal"), "{run}");
}

#[test]
fn a_patch_that_fresh_copies_do_not_confirm_is_no_success() {
    let repo = one_culprit();
    let counter = repo.env.path("../home/runs");
    // From the eighth run on, everything is good.
    let command = format!(
        "echo >>{0}; test $(wc -l <{0}) -gt 7 || ./test.sh",
        counter.display()
    );
    let run = repo.changes([
        "HEAD~1..HEAD",
        "--no-sandbox",
        "--jobs",
        "1",
        "--",
        "sh",
        "-c",
        &command,
    ]);
    run.assert_code(8);
    run.assert_says("not confirmed: in a fresh copy");
    assert!(!run.stderr.contains("1-minimal"), "{run}");
}

#[test]
fn states_that_are_swapped_are_noticed() {
    let repo = one_culprit();
    let run = repo.changes(["HEAD..HEAD~1", "--", "./test.sh"]);
    run.assert_code(3);
    run.assert_says("HEAD is bad and HEAD~1 is good: the states are swapped");
    run.assert_says("to find what breaks it: HEAD~1..HEAD");
}

#[test]
fn the_second_state_without_the_culprit_is_tried_also_where_its_lines_have_moved() {
    let repo = Repo::new();
    repo.write("a.txt", numbers(1..40));
    repo.script("test.sh", "! grep -q BAD a.txt");
    repo.commit("one");
    // The culprit comes with changes right beside it.
    repo.write(
        "a.txt",
        numbers(1..40).replace("\n20\n", "\nbefore\nBAD\nafter\n"),
    );
    repo.commit("two");
    repo.write(
        "a.txt",
        numbers(1..40)
            .replace("\n20\n", "\nbefore\nBAD\nafter\n")
            .replace("\n3\n", "\n3\n3\n"),
    );
    repo.commit("three");
    let run = repo.changes(["HEAD~2..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("HEAD works without it");
    assert_eq!(repo.changed(), ["+BAD"]);
}
