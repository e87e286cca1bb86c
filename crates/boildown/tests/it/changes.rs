//! `boildown changes` in temporary repositories.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use insta::assert_snapshot;

use crate::env::TestEnv;
use crate::repo::{Repo, numbers, one_culprit};

#[test]
fn the_one_line_that_breaks_it_is_the_patch() {
    let repo = one_culprit();
    let before = repo.possessions();
    assert_snapshot!(repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]), @r"
    exit code 0
    -- stderr
    bad: exited with 1
    only this counts as bad: exits with 1 (see --any-failure)
    good: exited with 0
    between HEAD~1 and HEAD (0 tests)
    directories: 2 -> 1 (1 test)
    files: 2 -> 1 (2 tests)
    hunks: 3 -> 1 (5 tests)
    lines: 3 -> 1 (9 tests)
    culprit.patch  1 hunk in 1 file, +1 -0
      from 62632773a8 2024-02-29 Ada: two
      applied to HEAD~1, the good state, it alone breaks it: confirmed in a fresh copy
      HEAD works without it
    [n] tests in [time] ([n] runs)
    1-minimal: no single line, hunk or file of the patch can be left out
    ");
    assert_snapshot!(repo.patch(), @r"
    diff --git a/a.txt b/a.txt
    index 036db16e1baec503df9ceb790aafc599071b5a1c..559f987cb2ef3360f8630e9809d01081f5cdd177 100644
    --- a/a.txt
    +++ b/a.txt
    @@ -18,6 +18,7 @@
     18
     19
     20
    +BAD
     21
     22
     23
    ");
    assert_eq!(repo.possessions(), before);
    repo.git(["checkout", "-q", "HEAD~1"]);
    repo.git(["apply", "--check", "culprit.patch"]);
}

#[test]
fn a_test_may_be_a_line_for_the_shell() {
    let repo = one_culprit();
    let run = repo.changes(["HEAD~1..HEAD", "--test", "grep -q BAD a.txt"]);
    run.assert_code(0)
        .assert_says("culprit.patch  1 hunk in 1 file, +1 -0");
}

/// A repository in which half of the second commit fails by a missing name, and the rest of it
/// makes the test fail.
fn renamed_and_broken() -> Repo {
    let repo = Repo::new();
    repo.script(
        "test.sh",
        "if grep -q 'use tax' shop.txt && ! grep -q 'define tax' prices.txt
         then echo 'NameError: tax is not defined' >&2; exit 1; fi
         if grep -q 'tea 4' rates.txt && grep -q 'round' prices.txt
         then echo 'AssertionError: the sum is 24' >&2; exit 1; fi",
    );
    repo.write("shop.txt", "use sum\n");
    repo.write(
        "prices.txt",
        "define sum\n\n\n\n\n\nsum exactly\n\n\nno tax\n",
    );
    repo.write("rates.txt", "tea 3\n");
    repo.commit("one");
    repo.write("shop.txt", "use tax\n");
    repo.write(
        "prices.txt",
        "define tax\n\n\n\n\n\nround the sum\n\n\nno tax\n",
    );
    repo.write("rates.txt", "tea 4\n");
    repo.commit("two");
    repo
}

#[test]
fn a_change_that_fails_otherwise_than_the_bad_state_is_not_blamed() {
    let repo = renamed_and_broken();
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0).assert_says(
        "only this counts as bad: exits with 1\n                         \
         stderr matches /^AssertionError: the sum is \\d+$/ (see --any-failure)",
    );
    let changed = repo.changed();
    let has = |line: &str| changed.iter().any(|changed| changed == line);
    assert!(has("+round the sum") && has("+tea 4"), "{changed:?}");
    assert!(!has("+use tax"), "{changed:?}");
}

#[test]
fn any_failure_is_bad_on_request() {
    let repo = renamed_and_broken();
    let run = repo.changes(["HEAD~1..HEAD", "--any-failure", "--", "./test.sh"]);
    run.assert_code(0);
    assert!(!run.stderr.contains("only this counts as bad"), "{run}");
    // The missing name fails as well, but a state with it and its definition works.
    let expected = ["+round the sum", "-tea 3", "+tea 4"];
    assert_eq!(repo.changed(), expected, "{run}");
    repo.changes([
        "HEAD~1..HEAD",
        "--any-failure",
        "--exit",
        "1",
        "--",
        "./test.sh",
    ])
    .assert_code(1);
}

#[test]
fn the_failure_of_a_fix_is_read_off_the_broken_state() {
    let repo = renamed_and_broken();
    let run = repo.changes(["--fix", "HEAD..HEAD~1", "--", "./test.sh"]);
    run.assert_code(0)
        .assert_says("stderr matches /^AssertionError: the sum is \\d+$/");
    let patch = repo.read("fix.patch");
    assert!(!patch.contains("use tax"), "{patch}");
}

#[test]
fn the_result_is_the_same_at_any_number_of_jobs() {
    let repo = one_culprit();
    for jobs in ["1", "2", "8"] {
        let run = repo.changes(["HEAD~1..HEAD", "--jobs", jobs, "--", "./test.sh"]);
        run.assert_code(0);
        assert_eq!(repo.changed(), ["+BAD"], "{jobs}");
    }
}

#[test]
fn two_changes_that_break_it_only_together_are_reported_to_interact() {
    let repo = Repo::new();
    repo.write("one.txt", numbers(1..30));
    repo.write("two.txt", numbers(1..30));
    repo.script(
        "test.sh",
        "! { grep -q LEFT one.txt && grep -q RIGHT two.txt; }",
    );
    repo.commit("one");
    let edited = |word: &str| {
        numbers(1..30)
            .replace("\n4\n", "\nfour\n")
            .replace("\n20\n", &format!("\n{word}\n"))
    };
    repo.write("one.txt", edited("LEFT"));
    repo.write("two.txt", edited("RIGHT"));
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("they interact: one.txt:21 and two.txt:21 only break it together");
    assert_eq!(repo.changed(), ["+LEFT", "+RIGHT"]);
}

#[test]
fn changes_of_two_commits_that_break_it_only_together_are_both_found() {
    let repo = Repo::new();
    repo.write("one.txt", numbers(1..30));
    repo.write("two.txt", numbers(1..30));
    repo.script(
        "test.sh",
        "! { grep -q LEFT one.txt && grep -q RIGHT two.txt; }",
    );
    repo.commit("first");
    for (file, word) in [
        ("one.txt", "LEFT"),
        ("other.txt", "x"),
        ("two.txt", "RIGHT"),
        ("last.txt", "y"),
    ] {
        repo.write(
            file,
            numbers(1..30).replace("\n20\n", &format!("\n{word}\n")),
        );
        repo.commit(word);
    }
    let run = repo.changes(["HEAD~4..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("an older change is needed too, between HEAD~4 and ");
    assert!(!run.stderr.contains("it does not break it"), "{run}");
    run.assert_says("Ada: LEFT");
    run.assert_says("Ada: RIGHT");
    run.assert_says(
        "applied to HEAD~4, the good state, it alone breaks it: confirmed in a fresh copy",
    );
    assert_eq!(repo.changed(), ["+LEFT", "+RIGHT"]);
}

#[test]
fn a_commit_that_only_uncovered_an_older_change_is_not_named() {
    let repo = Repo::new();
    repo.write("default.sh", "size=1\n");
    repo.write("main.sh", ". ./default.sh\necho $size\n");
    repo.script("test.sh", "[ \"$(sh main.sh)\" != 2 ]");
    repo.commit("first");
    repo.write("default.sh", "size=2\n");
    repo.write("main.sh", ". ./default.sh\nsize=1; echo $size\n");
    repo.commit("another default");
    repo.write("main.sh", ". ./default.sh\necho $size\n");
    repo.commit("nothing but the default");
    let run = repo.changes(["HEAD~2..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("Ada: another default");
    run.assert_says("applied to HEAD~2, the good state, it alone breaks it");
    assert!(!run.stderr.contains("nothing but the default"), "{run}");
    assert_eq!(repo.changed(), ["-size=1", "+size=2"]);
}

#[test]
fn a_change_is_found_with_the_change_that_it_needs_to_build() {
    let repo = Repo::new();
    repo.write("lib.sh", "one() { echo 1; }\n");
    repo.write("main.sh", ". ./lib.sh\none\n");
    repo.write("notes.txt", "a\n");
    repo.script("test.sh", "[ \"$(sh main.sh | tail -n 1)\" != 2 ]");
    repo.commit("one");
    repo.write("lib.sh", "one() { echo 1; }\n\ntwo() { echo 2; }\n");
    repo.write("main.sh", ". ./lib.sh\ntwo\n");
    repo.write("notes.txt", "b\n");
    repo.commit("two");
    let build = "for f in $(tail -n +2 main.sh); do grep -q \"^$f()\" lib.sh || exit 1; done";
    let run = repo.changes(["HEAD~1", "HEAD", "--build", build, "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("did not build");
    let changed = repo.changed().join("\n");
    assert!(
        changed.contains("+two() { echo 2; }") && changed.contains("+two"),
        "{changed}"
    );
    assert!(!changed.contains("+b"), "{changed}");
}

#[test]
fn history_is_bisected_past_unresolved_commits() {
    let repo = Repo::new();
    repo.write("a.txt", "0\n");
    repo.script(
        "test.sh",
        "grep -q BROKEN a.txt && exit 125; ! grep -q BAD a.txt",
    );
    repo.commit("start");
    for number in 1..=12 {
        let text = match number {
            4..=6 => format!("{number}\nBROKEN\n"),
            9.. => format!("{number}\nBAD\n"),
            _ => format!("{number}\n"),
        };
        repo.write("a.txt", text);
        repo.write(&format!("f{number}.txt"), "x\n");
        repo.commit(&format!("number {number}"));
    }
    let run = repo.changes(["HEAD~12..HEAD", "--bisect-run", "test.sh"]);
    run.assert_code(0);
    run.assert_says("Ada: number 9");
    run.assert_says("history: 12 steps");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn a_merge_is_followed_into_the_branch_that_broke_it() {
    let repo = Repo::new();
    repo.write("a.txt", numbers(1..20));
    repo.script("test.sh", "! grep -q BAD a.txt");
    repo.commit("start");
    repo.git(["tag", "good"]);
    repo.git(["checkout", "-q", "-b", "side"]);
    for (number, line) in [(1, "one"), (2, "BAD"), (3, "three")] {
        let text = fs::read_to_string(repo.env.path("a.txt")).unwrap();
        repo.write("a.txt", format!("{text}{line}\n"));
        repo.commit(&format!("side {number}"));
    }
    repo.git(["checkout", "-q", "main"]);
    repo.write("b.txt", "b\n");
    repo.commit("main");
    repo.git(["merge", "-q", "--no-ff", "-m", "merged", "side"]);
    repo.write("c.txt", "c\n");
    repo.commit("later");
    let run = repo.changes(["good..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("Ada: side 2");
    // The lines after it are others in HEAD.
    run.assert_says("\n  HEAD works without it");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn a_commit_that_only_the_good_branch_has_is_found() {
    let repo = Repo::new();
    repo.write("a.txt", numbers(1..20));
    repo.script("test.sh", "grep -q FIX a.txt");
    repo.commit("start");
    repo.git(["checkout", "-q", "-b", "good"]);
    repo.write("z.txt", "z\n");
    repo.commit("nothing");
    repo.write("a.txt", numbers(1..20) + "FIX\n");
    repo.commit("the fix");
    repo.git(["checkout", "-q", "main"]);
    repo.write("b.txt", "b\n");
    repo.commit("main");
    let run = repo.changes(["good", "main", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("Ada: the fix");
    run.assert_says("undoes");
    assert_eq!(repo.changed(), ["-FIX"]);
}

#[test]
fn the_smallest_part_of_a_fix_is_found() {
    let repo = Repo::new();
    repo.write("a.txt", numbers(1..40));
    repo.script("test.sh", "grep -q FIX a.txt");
    repo.commit("broken");
    let fixed = numbers(1..40)
        .replace("\n3\n", "\nthree\n")
        .replace("\n30\n", "\n30\nFIX\n");
    repo.write("a.txt", fixed);
    repo.commit("fixed");
    let run = repo.changes(["--fix", "HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("it alone fixes it: confirmed in a fresh copy");
    assert!(repo.env.read("fix.patch").contains("+FIX\n"));
    assert!(!repo.env.read("fix.patch").contains("+three"));
}

#[test]
fn uncommitted_work_is_compared_and_not_modified() {
    let repo = one_culprit();
    repo.git(["checkout", "-q", "HEAD~1"]);
    repo.write(
        "a.txt",
        numbers(1..40).replace("\n9\n", "\nnine\n") + "BAD\n",
    );
    repo.write("new.txt", "new\n");
    repo.write(".gitignore", "ignored\nculprit.patch\n");
    repo.write("ignored", "BAD\n");
    repo.git(["add", "new.txt"]);
    let before = repo.possessions();
    let run = repo.changes(["HEAD", "--worktree", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["+BAD"]);
    assert_eq!(repo.possessions(), before);
}

#[test]
fn two_directories_need_no_repository() {
    let env = TestEnv::new()
        .file("old/a.txt", numbers(1..30))
        .file("old/sub/b.bin", b"\0\x01")
        .file("new/a.txt", numbers(1..30).replace("\n9\n", "\nBAD\n"))
        .file("new/sub/b.bin", b"\0\x02")
        .script("test.sh", "! grep -q BAD a.txt");
    let run = env.run(["changes", "old/", "new/", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("test.sh is not in both states: your file");
    run.assert_says("applied to old/, the good state, it alone breaks it");
    assert!(env.read("culprit.patch").contains("\n+BAD\n"));
}

#[test]
fn a_rename_mode_link_or_binary_is_one_change_and_its_patch_applies() {
    for (culprit, test) in [
        ("renamed", "[ -e src/c.txt ]"),
        ("program", "[ ! -x tool ]"),
        ("link", "[ \"$(readlink link)\" = a ]"),
        (
            "binary",
            "[ \"$(od -An -c data.bin | tr -d ' \\n')\" != '\\0new' ]",
        ),
        ("deleted", "[ -e gone.txt ]"),
        ("added", "[ ! -e dir/added.txt ]"),
    ] {
        let repo = Repo::new();
        repo.write("src/c.txt", numbers(1..20));
        repo.write("tool", "x\n");
        repo.write("data.bin", b"\0old");
        repo.write("gone.txt", "g\n");
        symlink("a", repo.env.path("link")).unwrap();
        repo.script("test.sh", test);
        repo.commit("one");
        repo.git(["mv", "src/c.txt", "src/d.txt"]);
        repo.git(["rm", "-q", "gone.txt"]);
        repo.write("data.bin", b"\0new");
        repo.write("dir/added.txt", "x\ny\n");
        fs::remove_file(repo.env.path("link")).unwrap();
        symlink("b", repo.env.path("link")).unwrap();
        repo.script("other.sh", "true");
        repo.git(["update-index", "--chmod=+x", "--add", "tool"]);
        fs::set_permissions(repo.env.path("tool"), fs::Permissions::from_mode(0o755)).unwrap();
        repo.commit("two");
        let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
        run.assert_code(0);
        run.assert_says("1 hunk in 1 file");
        let patch = repo.env.bytes("culprit.patch");
        repo.git(["checkout", "-q", "HEAD~1"]);
        fs::write(repo.env.path("culprit.patch"), patch).unwrap();
        repo.git(["apply", "--index", "culprit.patch"]);
        let broken = !Command::new("./test.sh")
            .current_dir(repo.env.path(""))
            .status()
            .unwrap()
            .success();
        assert!(broken, "{culprit}");
    }
}

#[test]
fn a_state_that_is_not_as_stated_is_rejected() {
    let repo = one_culprit();
    assert_snapshot!(repo.changes(["HEAD..HEAD~1", "--", "./test.sh"]), @r"
    exit code 3
    -- stderr
    error: HEAD is bad and HEAD~1 is good: the states are swapped
      hint: to find what breaks it: HEAD~1..HEAD
      hint: to find what fixes it: the same states with --fix
    ");
    assert_snapshot!(repo.changes(["HEAD~1..HEAD", "--", "true"]), @r"
    exit code 3
    -- stderr
    error: HEAD is not bad: the command exited with 0 there
      hint: the command, run at the root of a copy of HEAD: true
      hint: the command may depend on files outside the copy: an absolute path, or a package installed from your work tree
    ");
    assert_snapshot!(repo.changes(["HEAD~1..HEAD", "--", "sh", "-c", "echo no >&2; exit 3"]), @r"
    exit code 3
    -- stderr
    bad: exited with 3
    only this counts as bad: exits with 3
                             stderr matches /^no$/ (see --any-failure)
    error: HEAD~1 is not good: the command exited with 3 there
      hint: its standard error ends with
              | no
      hint: the command, run at the root of a copy of HEAD~1: sh -c 'echo no >&2; exit 3'
      hint: the copy contains only files that git tracks; if the command needs files that another command makes, run that with --build
    ");
    assert!(!repo.env.exists("culprit.patch"));
}

#[test]
fn invalid_usage_is_explained() {
    let repo = one_culprit();
    let mut all = String::new();
    for args in [
        vec!["HEAD~1..nowhere", "--", "true"],
        vec!["HEAD~1...HEAD", "--", "true"],
        vec!["HEAD~1", "--", "true"],
        vec!["HEAD~1..HEAD"],
        vec!["HEAD..HEAD", "--", "true"],
        vec!["HEAD~1..HEAD", "--", "./no-such-program"],
    ] {
        let run = repo.env.run(std::iter::once("changes").chain(args));
        all += &run.to_string();
    }
    assert_snapshot!(all, @r"
    exit code 1
    -- stderr
    error: failed to find the revision `nowhere`: there is no such commit, branch or tag here
    exit code 1
    -- stderr
    error: `HEAD~1...HEAD` does not name two states
      hint: three dots denote a set of commits; use two dots: GOOD..BAD
    exit code 1
    -- stderr
    error: only one state is given, `HEAD~1`
      hint: give two revisions, GOOD..BAD or GOOD BAD, or one revision and --worktree
      hint: HEAD~1..HEAD, if the latest commit is the bad state
    exit code 1
    -- stderr
    error: no command to run on the states
      hint: give the command that tells good from bad after `--`:
              boildown changes v1.2..v1.3 -- make check
            or a script for `git bisect run` with --bisect-run
    exit code 1
    -- stderr
    error: HEAD and HEAD do not differ
      hint: uncommitted changes are included with --worktree only
    exit code 3
    -- stderr
    error: HEAD is not bad: the command could not be run there (exited with 127)
      hint: its standard error ends with
              | start `./no-such-program`: the file does not exist
      hint: the command, run at the root of a copy of HEAD: ./no-such-program
      hint: the command may depend on files outside the copy: an absolute path, or a package installed from your work tree
    ");
}

#[test]
fn outside_of_a_repository_the_hint_is_to_give_directories() {
    let env = TestEnv::new();
    let run = env.run(["changes", "a..b", "--", "true"]);
    run.assert_code(1);
    run.assert_says("failed to open the git repository of");
    assert!(!run.stderr.contains("NotFound"), "{}", run.stderr);
    run.assert_says("give two directories");
}

#[test]
fn bare_and_shallow_repositories_are_supported() {
    let repo = one_culprit();
    repo.git(["clone", "-q", "--bare", ".", "bare.git"]);
    let bare = Command::new(env!("CARGO_BIN_EXE_boildown"))
        .args([
            "changes",
            "main~1..main",
            "-o",
            "../bare.patch",
            "--",
            "./test.sh",
        ])
        .current_dir(repo.env.path("bare.git"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&bare.stderr).into_owned();
    assert!(bare.status.success(), "{said}");
    assert!(repo.env.read("bare.patch").contains("+BAD"));

    let url = format!("file://{}", repo.env.path("").display());
    repo.git(["clone", "-q", "--depth", "2", &url, "shallow"]);
    let shallow = |range: &str| {
        Command::new(env!("CARGO_BIN_EXE_boildown"))
            .args(["changes", range, "--", "./test.sh"])
            .current_dir(repo.env.path("shallow"))
            .output()
            .unwrap()
    };
    let near = shallow("HEAD~1..HEAD");
    let said = String::from_utf8_lossy(&near.stderr).into_owned();
    assert!(near.status.success(), "{said}");
    assert!(said.contains("the repository is shallow"), "{said}");
    let far = shallow("HEAD~2..HEAD");
    let said = String::from_utf8_lossy(&far.stderr).into_owned();
    assert_eq!(far.status.code(), Some(1), "{said}");
    assert!(said.contains("git fetch --unshallow"), "{said}");
}

#[test]
fn names_that_are_not_utf_8_and_line_endings_by_attributes_are_preserved() {
    let repo = Repo::new();
    let odd = OsStr::from_bytes(b"odd\xff name\t.txt");
    let lines = "one\r\ntwo\r\n";
    repo.write(".gitattributes", "*.bat text eol=crlf\n");
    repo.write("run.bat", lines);
    fs::write(repo.env.path(odd), "x\ny\n").unwrap();
    repo.script(
        "test.sh",
        "grep -q \"$(printf 'two\\r')\" run.bat || exit 125\n! grep -q BAD odd*",
    );
    repo.commit("one");
    repo.write("run.bat", "one\r\nmore\r\ntwo\r\n");
    fs::write(repo.env.path(odd), "x\nBAD\ny\n").unwrap();
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert!(!run.stderr.contains("125"), "{run}");
    assert_eq!(repo.changed(), ["+BAD"]);
    repo.git(["checkout", "-q", "HEAD~1"]);
    repo.git(["apply", "--check", "culprit.patch"]);
}

#[test]
fn a_test_that_modifies_its_copy_does_not_affect_verdicts() {
    let repo = one_culprit();
    repo.script(
        "../mess.sh",
        "grep -q BAD a.txt; bad=$?\necho BAD >a.txt; rm -rf src; mkdir -p b.d; echo x >b.d/left; [ $bad = 1 ]",
    );
    let run = repo.changes(["HEAD~1..HEAD", "--", "../mess.sh"]);
    run.assert_code(0);
    run.assert_says("the command modifies files of the copy");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn git_works_in_the_copies_and_cannot_change_the_repository() {
    let repo = one_culprit();
    repo.git(["tag", "v1", "HEAD~1"]);
    let before = repo.possessions();
    let command = "[ \"$(git describe --tags --match v1)\" = v1 ] || exit 125; git ls-files | grep -q a.txt || exit 125; git tag mine; ./test.sh";
    let run = repo.changes(["HEAD~1..HEAD", "--", "sh", "-c", command]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["+BAD"]);
    assert_eq!(repo.possessions(), before);
}

#[test]
fn only_the_stated_failure_counts() {
    let repo = Repo::new();
    repo.write("a.txt", numbers(1..30));
    repo.script("test.sh", "grep -q OTHER a.txt && { echo ImportError >&2; exit 1; }\ngrep -q BAD a.txt && { echo IndexError >&2; exit 1; }\nexit 0");
    repo.commit("one");
    repo.write("a.txt", numbers(1..30).replace("\n4\n", "\nOTHER\n"));
    repo.commit("two");
    repo.write("a.txt", numbers(1..30).replace("\n9\n", "\nBAD\n"));
    repo.commit("three");
    let run = repo.changes(["HEAD~2..HEAD", "--stderr", "IndexError", "--", "./test.sh"]);
    run.assert_code(0);
    run.assert_says("failed in another way");
    assert_eq!(repo.changed(), ["+BAD"]);
}

#[test]
fn an_interrupted_run_leaves_the_smallest_patch_so_far() {
    let repo = one_culprit();
    let run = repo.changes(["HEAD~1..HEAD", "--max-tests", "4", "--", "./test.sh"]);
    run.assert_code(6);
    run.assert_says("stopped early");
    assert!(repo.patch().contains("+BAD"));
}

#[test]
fn the_result_is_printed_as_json_and_as_markdown() {
    let repo = one_culprit();
    let run = repo.changes(["HEAD~1..HEAD", "--json", "--", "./test.sh"]);
    let events = run.assert_code(0).events();
    let last = events.last().unwrap();
    assert_eq!(last["event"], "finished");
    assert_eq!(last["counts"]["lines"], 1);
    assert_eq!(last["confirmed"]["verdict"], "interesting");
    assert_eq!(last["commits"][0]["title"], "two");
    let run = repo.changes(["HEAD~1..HEAD", "--fresh", "--markdown", "--", "./test.sh"]);
    assert_snapshot!(run, @r"
    exit code 0
    -- stdout
    ## What broke it

    `./test.sh` between `HEAD~1` and `HEAD`: 1 hunk in 1 file, +1 -0.

    It comes from

    - 62632773a8 (2024-02-29, Ada): two

    - applied to HEAD\~1, the good state, it alone breaks it: confirmed in a fresh copy
    - HEAD works without it
    - 1-minimal: no single line, hunk or file of the patch can be left out

    ```diff
    diff --git a/a.txt b/a.txt
    index 036db16e1baec503df9ceb790aafc599071b5a1c..559f987cb2ef3360f8630e9809d01081f5cdd177 100644
    --- a/a.txt
    +++ b/a.txt
    @@ -18,6 +18,7 @@
     18
     19
     20
    +BAD
     21
     22
     23
    ```

    Found by boildown with 9 tests.
    -- stderr
    only this counts as bad: exits with 1 (see --any-failure)
    ");
}

#[test]
fn a_submodule_beside_other_changes_is_searched_and_its_files_exist_in_the_copies() {
    let repo = Repo::new();
    repo.git(["init", "-q", "-b", "main", "../inner"]);
    repo.write("../inner/lib.txt", "fine\n");
    repo.git_in("../inner", ["add", "-A"]);
    repo.git_in("../inner", ["commit", "-q", "-m", "inner one"]);
    repo.git(["submodule", "--quiet", "add", "../inner", "lib"]);
    repo.script(
        "test.sh",
        "[ -e lib/lib.txt ] || exit 125; ! grep -q BAD lib/lib.txt",
    );
    repo.write("a.txt", "a\n");
    repo.commit("one");
    repo.write("../inner/lib.txt", "BAD\n");
    repo.git_in("../inner", ["commit", "-qam", "inner two"]);
    repo.git_in("lib", ["pull", "-q", "origin", "main"]);
    repo.write("a.txt", "b\n");
    repo.commit("two");
    let run = repo.changes(["HEAD~1..HEAD", "--", "./test.sh"]);
    run.assert_code(0);
    assert_eq!(repo.changed(), ["+BAD"]);
}
