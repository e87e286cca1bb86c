//! Settings in `boildown.toml`.

use std::fs;

use crate::env::{FINDS_NEEDLE, HAYSTACK, TestEnv};

const SETTINGS: &str = r#"
[reduce]
jobs = 1
test = "scripts/test.sh"
keep = ["seven"]

[profile.quick.reduce]
jobs = 2
max-tests = 3
"#;

fn repository() -> TestEnv {
    let env = TestEnv::new()
        .file("boildown.toml", SETTINGS)
        .file("deep/in.txt", HAYSTACK)
        .file("deep/scripts/nothing", "");
    fs::create_dir(env.path("scripts")).unwrap();
    fs::create_dir(env.path(".git")).unwrap();
    env.script("scripts/test.sh", FINDS_NEEDLE)
}

#[test]
fn settings_of_the_repository_are_options_with_paths_relative_to_the_file() {
    let env = repository();
    let run = env.reduce(["deep/in.txt"]);
    run.assert_code(0);
    run.assert_says(
        "settings in boildown.toml: [reduce] --jobs=1 --keep=seven --test=scripts/test.sh",
    );
    assert_eq!(env.read("deep/in.min.txt"), "needleseven");
    let explained = env.run(["explain", "deep/in.txt"]).stdout;
    let line = "setting: --keep=seven, as [reduce] in boildown.toml says (see --profile)";
    assert!(explained.contains(line), "{explained}");
}

#[test]
fn what_is_typed_replaces_settings_and_those_that_it_excludes() {
    let env = repository();
    let run = env.reduce([
        "deep/in.txt",
        "--keep",
        "five",
        "--",
        "sh",
        "-c",
        "! grep needle deep/in.txt",
    ]);
    run.assert_code(0);
    run.assert_says("settings in boildown.toml: [reduce] --jobs=1\n");
    assert!(env.read("deep/in.min.txt").contains("five"));
}

#[test]
fn a_profile_adds_settings_and_none_leaves_all_out() {
    let env = repository();
    env.reduce(["deep/in.txt", "--profile", "quick"])
        .assert_code(6)
        .assert_says("[profile.quick.reduce] --jobs=2 --max-tests=3");
    env.reduce(["deep/in.txt", "--profile", "none"])
        .assert_code(1)
        .assert_says("no command to run on the candidates");
    env.reduce(["deep/in.txt", "--profile", "slow"])
        .assert_code(1)
        .assert_says("boildown.toml has no profile `slow`\n  hint: its profiles are quick");
}

#[test]
fn only_the_directory_of_the_input_counts_outside_of_a_repository() {
    let env = repository();
    fs::remove_dir(env.path(".git")).unwrap();
    env.reduce(["deep/in.txt"])
        .assert_code(1)
        .assert_says("no command to run on the candidates");
    fs::rename(env.path("boildown.toml"), env.path("deep/boildown.toml")).unwrap();
    fs::rename(
        env.path("scripts/test.sh"),
        env.path("deep/scripts/test.sh"),
    )
    .unwrap();
    env.reduce(["deep/in.txt"]).assert_code(0);
}

#[test]
fn what_opens_the_sandbox_counts_only_in_a_profile_that_is_typed() {
    let settings = "[reduce]\nno-sandbox = true\n";
    let env = TestEnv::with_test(FINDS_NEEDLE).file("boildown.toml", settings);
    env.reduce(["in.txt", "--test", "test.sh"])
        .assert_code(1)
        .assert_says("`no-sandbox` for [reduce] in boildown.toml counts only in a profile");
    let settings = "[profile.open.reduce]\nno-sandbox = true\n";
    let env = TestEnv::with_test(FINDS_NEEDLE).file("boildown.toml", settings);
    env.reduce(["in.txt", "--test", "test.sh"]).assert_code(0);
    env.reduce(["in.txt", "--test", "test.sh", "--profile", "open"])
        .assert_code(0)
        .assert_says("settings in boildown.toml: [profile.open.reduce] --no-sandbox");
}

#[test]
fn a_mistake_in_the_settings_names_the_file() {
    for (settings, says) in [
        (
            "[reduce]\njob = 1",
            "there is no setting `job` for [reduce] in boildown.toml",
        ),
        ("[reduce]\nprofile = 'x'", "there is no setting `profile`"),
        (
            "[reduce]\njobs = 'many'",
            "boildown.toml: invalid value 'many' for '--jobs <N>'",
        ),
        (
            "[reduce]\nflaky = 1",
            "invalid value of `flaky` for [reduce] in boildown.toml: it is true or false",
        ),
        ("[reduce]\ntimeout = true", "the option takes a value"),
        (
            "[reduse]\njobs = 1",
            "boildown.toml: `reduse` is no section of settings",
        ),
        (
            "[profile.a.reduse]\njobs = 1",
            "`profile.a.reduse` is no section of settings",
        ),
        (
            "[reduce",
            "failed to read boildown.toml: TOML parse error at line 1",
        ),
    ] {
        let env = TestEnv::with_test(FINDS_NEEDLE).file("boildown.toml", settings);
        env.reduce(["in.txt", "--test", "test.sh"])
            .assert_code(1)
            .assert_says(says);
    }
}

#[test]
fn other_commands_have_settings_too() {
    let env = TestEnv::new()
        .file("boildown.toml", "[isolate]\nunits = 'lines'\n")
        .file("good.txt", "one\ntwo\n")
        .file("bad.txt", "one\nneedle x\ntwo\n");
    env.run([
        "isolate",
        "good.txt",
        "bad.txt",
        "--",
        "sh",
        "-c",
        "! grep needle {}",
    ])
    .assert_code(0)
    .assert_says("settings in boildown.toml: [isolate] --units=lines");
}

#[test]
fn the_bug_report_of_a_run_with_settings_has_their_test() {
    let env = repository();
    env.reduce(["deep/in.txt"]).assert_code(0);
    env.run(["report", "--bug", "deep/in.txt"]).assert_code(0);
}
