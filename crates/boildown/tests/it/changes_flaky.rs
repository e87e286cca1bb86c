//! `boildown changes` with commands that fail in some runs only.

use crate::repo::Repo;

/// Ten commits, of which the sixth lets a test fail in some runs. The next number of a sequence
/// decides, so that the test is the same on each machine.
fn sometimes(bad: u32, good: u32) -> Repo {
    let repo = Repo::new();
    let random = "n=$(cat \"$HERE/seed\"); n=$(( (n * 1103515245 + 12345) % 2147483648 ))
        echo $n >\"$HERE/seed\"; share=$(( n / 65536 % 100 ))";
    repo.script(
        "test.sh",
        &format!(
            "{random}\nif grep -q RACE code.txt; then limit={bad}; else limit={good}; fi
            if [ $share -lt $limit ]; then echo 'Error: deadlock' >&2; exit 1; fi"
        ),
    );
    repo.write(".gitignore", "seed\n");
    repo.write("seed", "42\n");
    for number in 0..10 {
        let race = if number >= 6 { "RACE\n" } else { "" };
        repo.write("code.txt", format!("{number}\n\n\n\n{race}"));
        repo.write(&format!("other-{number}.txt"), "x\n");
        repo.commit(&format!("number {number}"));
    }
    repo
}

#[test]
fn a_race_is_blamed_on_the_commit_and_line_that_brought_it() {
    for (bad, good) in [(50, 0), (80, 10)] {
        let repo = sometimes(bad, good);
        let run = repo.changes(["HEAD~9..HEAD", "--jobs", "1", "--", "./test.sh"]);
        run.assert_code(0)
            .assert_says("flaky: the second state is as stated in")
            .assert_says("Ada: number 6");
        assert_eq!(repo.changed(), ["+RACE"], "{run}");
    }
}

#[test]
fn a_bad_state_that_passes_once_is_not_blamed_on_the_sandbox() {
    let repo = sometimes(60, 0);
    let run = repo.changes(["HEAD~9..HEAD", "--jobs", "1", "--", "./test.sh"]);
    run.assert_code(0);
    assert!(!run.stderr.contains("sandbox"), "{run}");
}

#[test]
fn states_that_fail_equally_often_are_an_error() {
    let repo = sometimes(50, 50);
    repo.changes(["HEAD~9..HEAD", "--flaky", "--jobs", "1", "--", "./test.sh"])
        .assert_code(4);
}

#[test]
fn a_comment_that_goes_with_its_statement_is_no_chance() {
    let repo = Repo::new();
    repo.script(
        "test.sh",
        "grep -q 'b = 2' tool.py || { echo 'Error: b' >&2; exit 1; }",
    );
    let statement = "if a:\n    # why\n    b = 2\n";
    repo.write("tool.py", format!("a = 1\n\n{statement}\nc = 3\n"));
    repo.commit("good");
    repo.write("tool.py", "a = 1\n\n\nc = 4\n");
    repo.commit("bad");
    let run = repo.changes(["HEAD~1..HEAD", "--jobs", "1", "--", "./test.sh"]);
    run.assert_code(0);
    assert!(!run.stderr.contains("flaky"), "{run}");
    assert_eq!(repo.changed(), ["-if a:", "-    b = 2"], "{run}");
}

/// Commits that append a comment each, of which one lets a program fail in most runs.
fn commented(bad: u32, seed: u32) -> Repo {
    let repo = Repo::new();
    repo.script(
        "test.sh",
        "n=$(cat \"$HERE/seed\"); n=$(( (n * 1103515245 + 12345) % 2147483648 ))
        echo $n >\"$HERE/seed\"; . ./code.sh
        if [ $(( n / 65536 % 100 )) -lt $limit ]; then echo 'Error: deadlock' >&2; exit 1; fi",
    );
    repo.write(".gitignore", "seed\n");
    repo.write("seed", format!("{seed}\n"));
    let mut comments = String::new();
    for number in 0..16 {
        let limit = if number >= 9 { bad } else { 0 };
        comments += &format!("# {number}\n");
        repo.write("code.sh", format!("limit={limit}\n{comments}"));
        repo.commit(&format!("number {number}"));
    }
    repo
}

#[test]
fn a_commit_that_changes_a_comment_is_not_to_blame_for_a_race() {
    let mut was_noticed = false;
    for seed in 1..=3 {
        let repo = commented(70, seed * 7919);
        let run = repo.changes(["HEAD~15..HEAD", "--jobs", "1", "--", "./test.sh"]);
        run.assert_code(0).assert_says("Ada: number 9");
        assert_eq!(repo.changed(), ["-limit=0", "+limit=70"], "{seed}: {run}");
        was_noticed |= run.stderr.contains("disagree; searching again");
    }
    assert!(was_noticed);
}

#[test]
fn a_comment_is_to_blame_only_if_repeated_runs_show_it() {
    let repo = Repo::new();
    repo.script("test.sh", "! grep -q FLAG code.sh");
    repo.write("code.sh", "a=1\n");
    repo.commit("one");
    repo.write("code.sh", "# FLAG\na=1\n");
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0).assert_says(
        "it changes only comments and blank lines: 6 more tests with it failed, and 6 without it",
    );
}

#[test]
fn a_run_that_takes_too_long_once_says_nothing_about_its_state() {
    let changed = |slow: u32| {
        let repo = Repo::new();
        repo.script(
            "test.sh",
            &format!(
                "n=$(( $(cat \"$HERE/seed\") + 1 )); echo $n >\"$HERE/seed\"
                if [ $n = {slow} ]; then sleep 30; fi
                if grep -q one a.txt && grep -q two b.txt; then echo 'Error: both' >&2; exit 1; fi"
            ),
        );
        repo.write(".gitignore", "seed\n");
        repo.write("seed", "0\n");
        let lines = "x\n\n\n\n\n\n";
        for name in ["a.txt", "b.txt", "c.txt"] {
            repo.write(name, lines);
        }
        repo.commit("good");
        repo.write("a.txt", format!("one\n{lines}y\n"));
        repo.write("b.txt", format!("two\n{lines}y\n"));
        repo.write("c.txt", format!("three\n{lines}"));
        repo.commit("bad");
        let args = [
            "HEAD~1..HEAD",
            "--jobs",
            "1",
            "--timeout",
            "2s",
            "--",
            "./test.sh",
        ];
        let run = repo.changes(args);
        run.assert_code(0);
        assert!(!run.stderr.contains("flaky"), "slow in run {slow}: {run}");
        repo.changed()
    };
    for slow in [4, 8] {
        assert_eq!(changed(slow), ["+one", "+two"], "slow in run {slow}");
    }
}
