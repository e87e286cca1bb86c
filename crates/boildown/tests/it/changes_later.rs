//! Answers of `boildown changes` with causes in several commits.

use crate::repo::{Repo, numbers};

/// Commits a file that breaks nothing.
fn note(repo: &Repo, number: u32) {
    repo.write("notes.txt", format!("note {number}\n"));
    repo.commit("a note");
}

/// A repository with two commits that each break the test.
fn two_causes() -> Repo {
    let repo = Repo::new();
    repo.write("default.conf", "limit=10\na=1\nb=2\n");
    repo.write("local.conf", "# local\nx=1\n");
    repo.script(
        "test.sh",
        ". ./default.conf; . ./local.conf; [ $limit -ge 8 ] || { echo 'limit too low' >&2; exit 1; }",
    );
    repo.commit("start");
    note(&repo, 1);
    repo.write("default.conf", "limit=5\na=1\nb=2\n");
    repo.commit("five");
    note(&repo, 2);
    repo.write("local.conf", "# local\nx=1\nlimit=4\n");
    repo
}

#[test]
fn a_cause_in_a_later_commit_is_named() {
    let repo = two_causes();
    repo.commit("four");
    note(&repo, 3);
    let run = repo.changes(["HEAD~5..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("HEAD without it is as before: looking for another cause")
        .assert_says("Ada: five")
        .assert_says("another cause breaks it alone: local.conf:3, from ")
        .assert_says(" four\n")
        .assert_says("HEAD works without both, but not without the first alone");
    assert_eq!(repo.changed(), ["-limit=10", "+limit=5"]);
    let run = repo.changes(["HEAD~5..HEAD", "--fresh", "--json", "--", "./test.sh"]);
    let events = run.events();
    let finished = events.last().unwrap();
    let other = &finished["other_causes"][0];
    assert_eq!(other["alone"], true, "{finished}");
    assert_eq!(other["commits"][0]["title"], "four", "{finished}");
    assert!(
        other["patch"].as_str().unwrap().contains("+limit=4"),
        "{finished}"
    );
    assert_eq!(finished["repair"]["verdict"], "uninteresting", "{finished}");
}

#[test]
fn a_later_cause_may_be_in_the_work_tree() {
    let repo = two_causes();
    let run = repo.changes(["HEAD~3", "--worktree", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("Ada: five")
        .assert_says("another cause breaks it alone: local.conf:3\n")
        .assert_says("works without both");
}

#[test]
fn a_third_cause_is_not_denied() {
    let repo = two_causes();
    repo.commit("four");
    repo.write("default.conf", "limit=5\na=1\nb=2\nlimit=3\n");
    repo.commit("three");
    let run = repo.changes(["HEAD~5..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("HEAD without both is as before: something else breaks it as well");
}

#[test]
fn an_older_change_is_found_where_the_later_one_follows_new_lines() {
    let repo = Repo::new();
    let rows = |count: u32| {
        (1..=count)
            .map(|it| format!("k{it},{it}\n"))
            .collect::<String>()
    };
    repo.write("limit", "10\n");
    repo.write("rows.csv", rows(8));
    repo.script("test.sh", "[ $(grep -c , rows.csv) -le $(cat limit) ]");
    repo.commit("start");
    repo.write("limit", "9\n");
    repo.commit("a lower limit");
    note(&repo, 1);
    for count in [9, 10] {
        repo.write("rows.csv", rows(count));
        repo.commit(&format!("row {count}"));
    }
    note(&repo, 2);
    let run = repo.changes(["HEAD~5..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("Ada: a lower limit")
        .assert_says("Ada: row 9")
        .assert_says("Ada: row 10")
        .assert_says("applied to HEAD~5, the good state, it alone breaks it")
        .assert_says("HEAD works without it");
    assert_eq!(repo.changed(), ["-10", "+9", "+k9,9", "+k10,10"]);
}

#[test]
fn an_older_change_of_the_same_line_is_found() {
    let repo = Repo::new();
    repo.write("app.conf", "least=3 most=9\n");
    repo.script("test.sh", "[ \"$(cat app.conf)\" != 'least=5 most=4' ]");
    repo.commit("start");
    repo.write("app.conf", "least=5 most=9\n");
    repo.commit("a higher least");
    note(&repo, 1);
    repo.write("app.conf", "least=5 most=4\n");
    repo.commit("a lower most");
    let run = repo.changes(["HEAD~3..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("Ada: a higher least")
        .assert_says("Ada: a lower most");
    assert_eq!(
        repo.changed(),
        ["-least=3 most=9", "+least=5 most=4"],
        "{run}"
    );
}

#[test]
fn both_sides_of_a_merge_are_named() {
    let repo = Repo::new();
    repo.write(
        "lib.sh",
        "count() {\n  grep -c , \"$1\"\n}\n\nupper() {\n  tr a-z A-Z\n}\n",
    );
    repo.write("rows.csv", "a,1\nb,2\n");
    repo.write(
        "run.sh",
        ". ./lib.sh\nmain() {\n  n=$(count rows.csv)\n  echo \"$n\"\n}\nmain\n",
    );
    repo.script("test.sh", "exec sh -e run.sh");
    repo.commit("start");
    repo.git(["checkout", "-q", "-b", "side"]);
    for name in ["lib.sh", "run.sh"] {
        let text = repo.read(name);
        repo.write(
            name,
            text.replace("count() {", "rows() {")
                .replace("(count ", "(rows "),
        );
    }
    repo.commit("a new name");
    repo.git(["checkout", "-q", "main"]);
    let text = repo.read("lib.sh");
    repo.write(
        "lib.sh",
        text + "\ncheck() {\n  [ \"$(count rows.csv)\" -gt 0 ] || exit 3\n}\n",
    );
    let text = repo.read("run.sh");
    repo.write("run.sh", text.replace("\nmain\n", "\ncheck; main\n"));
    repo.commit("a check");
    repo.write("notes.txt", "note\n");
    repo.commit("a note");
    repo.git(["merge", "-q", "-m", "merged", "side"]);
    note(&repo, 1);
    let run = repo.changes(["HEAD~4..HEAD", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("Ada: a check")
        .assert_says("Ada: merged")
        .assert_says("the good state, it alone breaks it");
    let changed = repo.changed();
    for line in ["-count() {", "+rows() {", "+check; main", "+check() {"] {
        assert!(
            changed.iter().any(|it| it == line),
            "{line}: {changed:?} {run}"
        );
    }
}

#[test]
fn lines_next_to_the_culprit_may_differ_in_the_bad_state() {
    let repo = Repo::new();
    repo.script("test.sh", "! grep -q BAD a.txt");
    repo.write("a.txt", numbers(1..10));
    repo.commit("start");
    repo.write("a.txt", numbers(1..10) + "BAD\n");
    repo.commit("bad");
    repo.write("a.txt", numbers(1..10) + "BAD\n11\n");
    repo.commit("later");
    let run = repo.changes(["HEAD~2..HEAD", "--", "./test.sh"]);
    run.assert_code(0).assert_says("HEAD works without it");
}
