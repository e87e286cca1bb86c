//! Resuming `boildown changes` after a kill or a finished search.

use std::collections::HashSet;
use std::fs;

use boildown_changes::{Configuration, Contents};
use rustix::process::Signal;

use crate::repo::{Repo, numbers, one_culprit};
use crate::resume::answered_in;

/// A test script that keeps a copy of the files it sees.
const KEEPS: &str = "copy=\"$HERE/../runs/$(date +%s%N)-$$\"
cp -a . \"$copy.part\" && mv \"$copy.part\" \"$copy\"";

const COMMAND: [&str; 6] = [
    "HEAD~1..HEAD",
    "--jobs=2",
    "--writable=../runs",
    "--",
    "../test.sh",
    "x",
];

/// Returns a repository of two commits with changes in many files: two break it together, and two
/// need each other.
fn many_changes() -> Repo {
    let repo = Repo::new();
    fs::create_dir(repo.env.path("../runs")).unwrap();
    for number in 0..12 {
        repo.write(&format!("dir{}/f{number}.txt", number % 4), numbers(1..40));
    }
    repo.commit("one");
    for number in 0..12 {
        let text = numbers(1..40)
            .replace("\n4\n", &format!("\nfour{number}\n"))
            .replace("\n14\n", &format!("\nword{number}\n"))
            .replace("\n30\n", &format!("\nthirty{number}\nmore{number}\n"));
        repo.write(&format!("dir{}/f{number}.txt", number % 4), text);
    }
    repo.commit("two");
    // The name of the file is in no text, so that it is not watched.
    let judge = "[ -e \"$HERE/../rep$(echo aired)\" ] && exit 0
has() { grep -q \"$2\" */f$1.txt; }
has 5 word5 && ! has 6 word6 && exit 125
! { has 2 word2 && has 9 word9; }";
    repo.script("../test.sh", &format!("{KEEPS}\n{judge}"));
    repo
}

/// Returns the files of every run so far, in the order of their starts, by their name in the store.
fn runs(repo: &Repo) -> Vec<[u8; 16]> {
    let Ok(entries) = fs::read_dir(repo.env.path("../runs")) else {
        return Vec::new();
    };
    let mut copies: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    copies.retain(|path| path.extension().is_none());
    copies.sort();
    let name = |path: &std::path::PathBuf| {
        let state = Contents::default().directory_state(path, &[]).unwrap();
        let name = Configuration::from(state).id();
        blake3::hash(name.as_slice()).as_bytes()[..16]
            .try_into()
            .unwrap()
    };
    copies.iter().map(name).collect()
}

/// Returns the number of runs so far.
fn count(repo: &Repo) -> usize {
    runs(repo).len()
}

#[test]
fn after_a_kill_the_patch_is_the_same_and_no_known_test_is_run_again() {
    let repo = many_changes();
    let possessions = repo.possessions();
    let mut undisturbed = COMMAND.to_vec();
    undisturbed.insert(0, "--output=../whole.patch");
    repo.env
        .run(["changes"].iter().chain(&undisturbed))
        .assert_code(0);
    let whole = repo.env.bytes("../whole.patch");
    // 39, and those ahead of the search that end before they are stopped. The waits below are
    // together fewer.
    let needed = count(&repo);
    assert!(needed >= 39, "{needed}");
    fs::remove_dir_all(repo.env.path("../runs")).unwrap();
    fs::create_dir(repo.env.path("../runs")).unwrap();

    let mut known = HashSet::new();
    let mut looked_at = 0;
    let mut smallest = usize::MAX;
    for (round, wait) in [1, 4, 6, 3, 5, 8, 2].into_iter().enumerate() {
        let come = count(&repo) + wait;
        let mut run = repo.env.start(["changes"].iter().chain(&COMMAND));
        run.wait_until(|_| count(&repo) >= come);
        if round % 3 == 2 {
            run.signal(Signal::INT);
            run.finish().assert_code(6);
        } else {
            // With SIGKILL.
            drop(run);
        }
        if repo.env.exists("culprit.patch") {
            let size = repo.env.bytes("culprit.patch").len();
            assert!(size <= smallest, "round {round}: {size} after {smallest}");
            smallest = size;
        }
        let runs = runs(&repo);
        let again = runs[looked_at..].iter().filter(|run| known.contains(*run));
        // The bad state is run once, and the search ends with a run in a fresh copy.
        assert!(
            again.count() <= 1 + usize::from(round % 3 == 2),
            "round {round}"
        );
        looked_at = runs.len();
        let answered = answered_in(&repo.env, "culprit.patch");
        assert!(answered.is_superset(&known));
        known = answered;
    }
    assert!(known.len() > 4, "{}", known.len());
    let last = repo.changes(COMMAND);
    last.assert_code(0).assert_says("resumed: ");
    last.assert_says(" recalled)");
    assert_eq!(repo.env.bytes("culprit.patch"), whole);
    let runs = runs(&repo);
    let again = runs[looked_at..].iter().filter(|run| known.contains(*run));
    // The bad state is run once more, and the result in a fresh copy.
    assert!(again.count() <= 2);
    assert_eq!(repo.changed(), ["+word9", "+word2"]);
    // Copies, locks and processes of the killed sessions are gone, too.
    assert_eq!(fs::read_dir(repo.env.path("../tmp")).unwrap().count(), 0);
    assert!(!repo.env.exists(".boildown/culprit.patch/lock"));
    assert_eq!(repo.possessions(), possessions);
}

#[test]
fn a_finished_search_is_repeated_with_two_runs_and_starts_over_with_fresh() {
    let repo = many_changes();
    repo.changes(COMMAND).assert_code(0);
    let patch = repo.patch();
    let before = count(&repo);
    let with = |option: &'static str| {
        let mut args = COMMAND.to_vec();
        args.insert(0, option);
        repo.env.run(["changes"].iter().chain(&args))
    };
    let spent = |run: &crate::env::Finished<'_>| run.events().pop().unwrap()["spent"].clone();
    let again = spent(with("--json").assert_code(0));
    // The bad state, and the result in a fresh copy.
    assert_eq!(count(&repo), before + 2);
    assert_eq!(again["runs"], 2);
    assert!(again["recalled"].as_u64().unwrap() > 20, "{again}");
    assert!(
        again["unresolved_by_reason"]["exited with 125"].as_u64() > Some(0),
        "{again}"
    );
    assert_eq!(repo.patch(), patch);
    with("--fresh").assert_code(0);
    assert!(count(&repo) > before + 20);
    assert_eq!(repo.patch(), patch);
}

#[test]
fn another_revision_or_command_is_another_search_with_a_note() {
    let repo = one_culprit();
    repo.changes(["HEAD~1..HEAD", "--", "./test.sh"])
        .assert_code(0);
    repo.changes(["HEAD~1..HEAD", "--", "sh", "test.sh"])
        .assert_code(0)
        .assert_says("cannot resume: ");
    repo.write("a.txt", numbers(1..40) + "BAD\n");
    repo.commit("three");
    repo.changes(["HEAD~2..HEAD", "--", "sh", "test.sh"])
        .assert_code(0)
        .assert_says("cannot resume: the commits between, the second state changed since");
    repo.changes(["HEAD~2..HEAD~1", "--", "./test.sh"])
        .assert_code(0)
        .assert_says("resumed: ");
}

#[test]
fn a_failed_build_is_recalled_as_a_failed_build() {
    let repo = one_culprit();
    let args = [
        "HEAD~1..HEAD",
        "--json",
        "--build",
        "! grep -q three a.txt || grep -q five b.txt",
        "--stderr",
        "bad",
        "--",
        "sh",
        "-c",
        "grep -q BAD a.txt && echo bad >&2; ! grep -q thirty a.txt || [ -e src/d.txt ]",
    ];
    let reasons = || {
        let run = repo.changes(args);
        let last = run.assert_code(0).events().pop().unwrap();
        last["spent"]["unresolved_by_reason"].clone()
    };
    let first = reasons();
    assert!(first["did not build"].as_u64() > Some(0), "{first}");
    assert_eq!(reasons(), first);
}

#[test]
fn the_next_search_removes_the_copies_of_a_killed_one() {
    let repo = one_culprit();
    repo.script("../slow.sh", "touch \"$HERE/runs\"; sleep 60");
    let mut run = repo
        .env
        .start(["changes", "HEAD~1..HEAD", "--", "../slow.sh"]);
    run.wait_until(|env| env.exists("runs"));
    let second = repo
        .env
        .command()
        .args(["changes", "HEAD~1..HEAD", "--", "true"])
        .output();
    let second = second.unwrap();
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(5), "{said}");
    assert!(said.contains("another boildown (process "), "{said}");
    run.signal(Signal::KILL);
    let trees = || {
        let tmp = fs::read_dir(repo.env.path("../tmp")).unwrap();
        tmp.count()
    };
    drop(run);
    assert_eq!(trees(), 1);
    repo.changes(["HEAD~1..HEAD", "--", "./test.sh"])
        .assert_code(0);
    assert_eq!(trees(), 0);
}

#[test]
fn a_bad_state_that_is_not_bad_any_more_ends_a_resumed_search() {
    let repo = many_changes();
    repo.changes(COMMAND).assert_code(0);
    fs::write(repo.env.path("../repaired"), "").unwrap();
    repo.changes(COMMAND)
        .assert_code(3)
        .assert_says("is not bad");
    fs::remove_file(repo.env.path("../repaired")).unwrap();
    repo.changes(COMMAND)
        .assert_code(0)
        .assert_says("resumed: ");
}

#[test]
fn an_interrupt_during_the_confirmation_leaves_the_patch_as_it_was_found() {
    let repo = Repo::new();
    for name in ["a", "b", "c"] {
        repo.write(name, "1\n");
    }
    repo.commit("one");
    for name in ["a", "b", "c"] {
        repo.write(name, "2\n");
    }
    repo.commit("two");
    // The second run of the culprit alone is the one in a fresh copy.
    repo.script(
        "../test.sh",
        "cat a b c | tr -d '\\n' | grep -q 211 && ! mkdir \"$HERE/../first\" 2>/dev/null &&
             { : > \"$HERE/../confirming\"; sleep 60; }
         ! grep -q 2 a",
    );
    let mut run = repo.env.start([
        "changes",
        "HEAD~1..HEAD",
        "--jobs=1",
        "--writable=..",
        "--",
        "../test.sh",
    ]);
    run.wait_until(|env| env.exists("../confirming"));
    run.signal(Signal::TERM);
    let finished = run.finish();
    finished
        .assert_code(6)
        .assert_says("interrupted before this was confirmed in a fresh copy");
    assert!(!finished.stderr.contains("another verdict"), "{finished}");
    assert_eq!(repo.changed(), ["-1", "+2"]);
}
