//! `--same-culprit`, and `changes --reduce`: a reduced input fails since the same version.

use crate::env::TestEnv;
use crate::repo::Repo;

/// Versions of a tool: all fail on a `t` without an `h`, and from 1.2 on also on `new` with a `t`.
fn versions() -> TestEnv {
    let older = "if grep -q t \"$1\" && ! grep -q h \"$1\"; then exit 1; fi";
    let newer = format!("{older}\nif grep -q new \"$1\" && grep -q t \"$1\"; then exit 1; fi");
    let scripts = [
        ("1.9", &*newer),
        ("1.10", &newer),
        ("1.1", older),
        ("1.2", &newer),
    ];
    let env = TestEnv::new().file("in.txt", "h\nnew b\nt\n");
    scripts.into_iter().fold(env, |env, (version, script)| {
        env.script(&format!("builds/{version}/tool"), script)
    })
}

/// Checks that the result fails in new versions only.
#[track_caller]
fn assert_needed(env: &TestEnv) {
    let result = env.read("in.min.txt");
    assert!(
        ["h", "new", "t"].iter().all(|word| result.contains(word)),
        "{result}"
    );
}

const OPTIONS: [&str; 4] = ["--versions", "builds", "--same-culprit", "1.1..1.10"];

#[test]
fn a_candidate_that_fails_in_older_versions_too_is_refused() {
    let env = versions();
    let plain = [
        "in.txt",
        "-o",
        "plain.txt",
        "--",
        "builds/1.10/tool",
        "in.txt",
    ];
    env.reduce(plain).assert_code(0);
    assert_eq!(env.read("plain.txt").trim(), "t");
    let words = ["in.txt"].into_iter().chain(OPTIONS);
    let run = env.reduce(words.chain(["--", "{build}/tool", "in.txt"]));
    run.assert_code(0)
        .assert_says("culprit: 1.2, after 1.1")
        .assert_says("same culprit: not in 1.1")
        .assert_says("same culprit: in 1.2");
    assert_needed(&env);
}

#[test]
fn a_crash_may_be_on_another_line_in_each_version() {
    let env = TestEnv::new().file("in.txt", "a\nneedle\nb\n");
    let crash = |line: u32| {
        format!(
            "grep -q needle \"$1\" || exit 0\n\
             echo \"tool: r.c:{line}: main: Assertion \\`boom' failed.\" >&2; exit 134"
        )
    };
    let scripts = [
        ("1.0", "exit 0".to_owned()),
        ("1.1", crash(11)),
        ("1.2", crash(12)),
    ];
    let env = scripts.into_iter().fold(env, |env, (version, script)| {
        env.script(&format!("builds/{version}/tool"), &script)
    });
    let options = [
        "in.txt",
        "--versions",
        "builds",
        "--same-culprit",
        "1.0..1.2",
    ];
    let words = options.into_iter().chain(["--", "{build}/tool", "in.txt"]);
    env.reduce(words)
        .assert_code(0)
        .assert_says("culprit: 1.1, after 1.0");
}

#[test]
fn a_test_script_may_name_the_version_too() {
    let env = versions();
    let words = ["in.txt"].into_iter().chain(OPTIONS);
    let run = env.reduce(words.chain(["--test", "! {build}/tool \"$1\""]));
    run.assert_code(0);
    assert_needed(&env);
}

#[test]
fn commits_are_built_when_they_are_needed_and_kept() {
    let repo = repository();
    let words = [
        "in.txt",
        "--same-culprit",
        "HEAD~3..HEAD",
        "--versions",
        "builds",
    ];
    let words = words.into_iter().chain(["--build", "cp tool.sh built"]);
    let words: Vec<&str> = words.chain(["--", "{build}/built", "in.txt"]).collect();
    let run = repo.env.reduce(&words);
    run.assert_code(0).assert_says("same culprit: not in");
    assert_needed(&repo.env);
    let builds = std::fs::read_dir(repo.env.path("builds")).unwrap().count();
    assert!((2..=4).contains(&builds), "{builds}");
}

#[test]
fn a_culprit_search_reduces_its_input_first() {
    let repo = repository();
    let words = [
        "HEAD~3..HEAD",
        "--reduce",
        "in.txt",
        "--",
        "./tool.sh",
        "in.txt",
    ];
    let run = repo.changes(words);
    run.assert_code(0).assert_says("the culprit");
    assert_needed(&repo.env);
    assert!(repo.env.read("culprit.patch").contains("grep -q new"));
    let run = repo.changes(["HEAD~3..HEAD", "--reduce", "in.txt", "--", "./tool.sh"]);
    run.assert_code(1)
        .assert_says("no word of the command is in.txt");
}

/// A history in which the third of four commits lets the tool fail on `new`.
fn repository() -> Repo {
    let repo = Repo::new();
    let older = "if grep -q t \"$1\" && ! grep -q h \"$1\"; then exit 1; fi";
    repo.write(".gitignore", "in.*\nbuilds\n.boildown\nculprit.patch\n");
    repo.write("in.txt", "h\nnew b\nt\n");
    repo.script("tool.sh", older);
    repo.commit("one");
    repo.write("notes.txt", "a\n");
    repo.commit("two");
    let newer = format!("{older}\nif grep -q new \"$1\" && grep -q t \"$1\"; then exit 1; fi");
    repo.script("tool.sh", &newer);
    repo.commit("the culprit");
    repo.write("notes.txt", "b\n");
    repo.commit("four");
    repo
}

#[test]
fn what_the_option_needs_is_said() {
    let env = versions();
    let reduce = |options: &[&str], command: &str| {
        let words = ["in.txt"].into_iter().chain(options.iter().copied());
        env.reduce(words.chain(["--", command, "in.txt"]))
    };
    reduce(&OPTIONS, "builds/1.10/tool")
        .assert_code(1)
        .assert_says("{build} is not in the command");
    let range = ["--versions", "builds", "--same-culprit", "1.1..3"];
    reduce(&range, "{build}/tool")
        .assert_code(1)
        .assert_says("does not have both ends of `1.1..3`");
    let range = ["--versions", "builds", "--same-culprit", "1.2..1.10"];
    reduce(&range, "{build}/tool")
        .assert_code(3)
        .assert_says("the failure occurs in 1.2 too");
    reduce(&["--same-culprit", "1.1..1.2"], "{build}/tool")
        .assert_code(1)
        .assert_says("--versions");
}
