//! Answers of `boildown changes` that are the cause: whole statements, all causes, early guesses.

use crate::env::TestEnv;
use crate::repo::{Repo, numbers};

/// A repository whose only text is `shop.py`, before and after a change.
fn shop(before: &str, after: &str, test: &str) -> Repo {
    let repo = Repo::new();
    repo.script("test.sh", test);
    repo.write("shop.py", before);
    repo.commit("one");
    repo.write("shop.py", after);
    repo.commit("two");
    repo
}

#[test]
fn the_header_of_a_block_goes_with_the_block() {
    let before = "\
def label(price, member):
    if price is None:
        text = 'free'
    else:
        text = str(price)

    if member:
        text = text + '*'
    return text
";
    let after = before.replace("    if member:\n        text = text + '*'\n", "");
    let repo = shop(before, &after, "grep -q 'if member' shop.py");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    // Without the header alone, the line below it is a part of the `else`.
    let expected = ["-    if member:", "-        text = text + '*'"];
    assert_eq!(repo.changed(), expected, "{run}");
    run.assert_says("broke a block");
}

#[test]
fn a_block_is_not_left_empty() {
    let before = "def f(a):\n    while a:\n        a = log(a)\n    return a\n";
    let after = "def f(a):\n    while a:\n        b -= 1\n        note()\n    return a\n";
    let repo = shop(before, after, "grep -q log shop.py");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    let changed = repo.changed();
    assert_eq!(changed[0], "-        a = log(a)", "{run}");
    assert_eq!(changed.len(), 2, "{run}");
}

#[test]
fn an_old_statement_and_the_new_one_in_its_place_are_one_change() {
    let repo = shop(
        "start()\n\ntotal = compute(\n    first,\n    second,\n)\n\nstop()\n",
        "start()\n\namount = [\n    price(tea),\n    coffee,\n    milk,\n]\n\nstop()\n",
        "! grep -q 'amount = ' shop.py",
    );
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    // Before, `amount = [` and `]` were the answer, beside the old statement.
    let patch = repo.changed();
    for line in [
        "-total = compute(",
        "-    second,",
        "+amount = [",
        "+    milk,",
    ] {
        assert!(
            patch.iter().any(|changed| changed == line),
            "{patch:?}\n{run}"
        );
    }
}

#[test]
fn a_statement_in_a_new_statement_is_left_out_with_all_that_is_in_it() {
    let repo = shop(
        "start()\n",
        "start()\n\n\ndef broken(a):\n    for b in a:\n        if b:\n            log(a)\n    return BAD\n",
        "! grep -q 'return BAD' shop.py",
    );
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(
        repo.changed(),
        ["+def broken(a):", "+    return BAD"],
        "{run}"
    );
}

#[test]
fn a_failure_with_a_name_is_not_that_of_a_silent_bad_state() {
    let repo = Repo::new();
    repo.script(
        "test.sh",
        "if grep -q 'use total' shop.txt && ! grep -q 'define total' prices.txt
         then printf 'Traceback (most recent call last):\\nNameError: total is not defined\\n' >&2
              exit 1; fi
         ! grep -q round prices.txt",
    );
    repo.write("shop.txt", "use sum\n");
    repo.write("prices.txt", "define sum\n\n\n\n\n\nsum exactly\n");
    repo.commit("one");
    repo.write("shop.txt", "use total\n");
    repo.write("prices.txt", "define total\n\n\n\n\n\nround the sum\n");
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["+round the sum"], "{run}");
}

#[test]
fn a_second_cause_is_looked_for_and_reported() {
    let repo = Repo::new();
    repo.script("test.sh", "! grep -q BAD one.txt two.txt");
    repo.write("one.txt", numbers(1..30));
    repo.write("two.txt", numbers(1..30));
    repo.commit("one");
    for name in ["one.txt", "two.txt"] {
        let edited = numbers(1..30)
            .replace("\n4\n", "\nfour\n")
            .replace("\n20\n", "\nBAD\n");
        repo.write(name, edited);
    }
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("HEAD without it is as before: looking for another cause");
    let other = match repo.read("culprit.patch").contains("b/one.txt") {
        true => "two.txt",
        false => "one.txt",
    };
    run.assert_says(&format!("another cause breaks it alone: {other}:21"));
    run.assert_says("HEAD works without both");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn what_needs_the_culprit_is_left_out_with_it() {
    let repo = Repo::new();
    repo.script(
        "test.sh",
        "if grep -q USE a.txt && ! grep -q BAD a.txt; then exit 125; fi; ! grep -q BAD a.txt",
    );
    repo.write("a.txt", numbers(1..30));
    repo.write("b.txt", "b\n");
    repo.commit("one");
    repo.write(
        "a.txt",
        numbers(1..30).replace("\n20\n", "\n20\nBAD\nUSE\n"),
    );
    repo.write("b.txt", "c\n");
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("HEAD works without the hunks that hold it");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn changes_with_words_of_the_failure_are_tested_first() {
    let mut env = TestEnv::new().script(
        "test.sh",
        "[ \"$(grep -h version lib/*/part.py | sort -u | wc -l)\" = 1 ] || exit 3
         if ! grep -q tea_price lib/5/part.py
         then echo \"ImportError: cannot import name 'tea_price'\" >&2; exit 1; fi",
    );
    for part in 0..24 {
        let name = if part == 5 { "tea_price" } else { "coffee" };
        let text = |version: u32, rest: &str| {
            format!("version = {version}\n\n\n\n\n\nrate = {part}\n\n\n\n\n\n{rest}")
        };
        let old = text(1, &format!("{name} = 3\n"));
        let new = text(2, if part == 5 { "" } else { "coffee = 4\n" });
        env = env
            .file(format!("old/lib/{part}/part.py"), old)
            .file(format!("new/lib/{part}/part.py"), new);
    }
    let run = env.run(["changes", "old/", "new/", "--", "./test.sh"]);
    run.assert_code(0);
    assert!(
        env.read("culprit.patch").contains("\n-tea_price = 3\n"),
        "{run}"
    );
    run.assert_says("1 hunk in 1 file, +0 -1");
    let spent = run.stderr.lines().rev().find(|line| line.contains(" runs"));
    let number = spent.and_then(|line| line.split(' ').next()?.parse::<u32>().ok());
    // Nearly all other sets of the 48 hunks fail in another way.
    assert!(number.is_some_and(|number| number <= 6), "{run}");
}

#[test]
fn the_use_of_a_new_name_is_not_to_blame_without_its_definition() {
    let repo = Repo::new();
    // The output is discarded: a missing function and the wrong sum look the same.
    repo.script("test.sh", "[ \"$(sh shop.sh 2>/dev/null)\" = 'tea 3' ]");
    let shop = |total: &str, rate: &str| {
        format!("{total}\n\n\n\n\nrate={rate}\n\n\n\n\necho \"tea $(sum_of $rate)\"\n")
    };
    let old = "sum_of() {\n  echo \"$1\"\n}";
    repo.write("shop.sh", shop(old, "3"));
    repo.commit("one");
    let new = "sum_of() {\n  echo \"$1\"\n}\n\nprice_of() {\n  sum_of \"$1\"\n}";
    repo.write("shop.sh", shop(new, "4").replace("$(sum_of", "$(price_of"));
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["-rate=3", "+rate=4"], "{run}");
    repo.changes([
        "HEAD~1..HEAD",
        "--fresh",
        "--any-failure",
        "--",
        "./test.sh",
    ])
    .assert_code(0);
    assert_eq!(repo.changed(), ["-rate=3", "+rate=4"]);
}

#[test]
fn a_program_that_lost_its_permission_is_found_by_its_exit_code() {
    let repo = Repo::new();
    repo.script("run.sh", "exit 0");
    repo.write("z", "1\n");
    repo.commit("one");
    repo.git(["update-index", "--chmod=-x", "run.sh"]);
    repo.git(["commit", "-q", "-m", "two"]);
    repo.git(["checkout", "-q", "--", "."]);
    repo.write("z", "2\n");
    repo.commit("three");
    let found = repo.changes(["HEAD~2..HEAD", "--exit", "126", "--", "./run.sh"]);
    found.assert_code(0);
    assert!(repo.patch().contains("new mode 100644"), "{}", repo.patch());
}
