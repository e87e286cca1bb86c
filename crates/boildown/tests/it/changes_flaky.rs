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
