//! Oracles with real scripts.

use std::fs;
use std::path::Path;
use std::time::Duration;

use boildown_exec::{
    CandidateFile, CommandLine, LocalOracle, StdinContent, TypedCommand, check_set_up,
};
use boildown_oracle::{
    Capture, Expectation, Interrupt, Oracle as _, OracleError, Outcome, Property, Verdict, deduce,
};

use crate::support::Scene;

#[track_caller]
fn verdict(oracle: &LocalOracle, candidate: &str) -> Verdict {
    oracle
        .judge(candidate.as_bytes(), &Interrupt::new().unwrap())
        .unwrap()
        .verdict
}

#[test]
fn a_script_for_other_reducers_works() {
    let scene = Scene::new(
        "grep -q needle crash.c && cmp -s crash.c \"$1\" && [ $(ls | wc -l) = 1 ] && ! read line",
    );
    let oracle = LocalOracle::new(scene.runner.clone(), Property::test());
    assert_eq!(verdict(&oracle, "hay needle hay"), Verdict::Interesting);
    assert_eq!(verdict(&oracle, "hay"), Verdict::Uninteresting);
    scene.assert_clean();
}

#[test]
fn exit_code_125_of_a_script_is_unresolved() {
    let scene = Scene::new("exit 125");
    let oracle = LocalOracle::new(scene.runner.clone(), Property::test());
    assert_eq!(verdict(&oracle, ""), Verdict::Unresolved);
}

#[test]
fn a_candidate_is_available_on_standard_input() {
    let mut scene = Scene::new("");
    let words = ["cat".into()];
    let typed = TypedCommand {
        words: &words,
        input: Path::new("crash.c"),
        user_dir: scene.dir.path(),
        backup: None,
        stdin: StdinContent::Candidate,
    };
    scene.runner.command = CommandLine::new(&typed).unwrap();
    assert_eq!(scene.run().stdout, b"int x;\n");
}

#[test]
fn a_candidate_that_is_the_program_and_cannot_be_executed_is_uninteresting() {
    let mut scene = Scene::new("");
    let words = ["./in.sh".into()];
    let typed = TypedCommand {
        words: &words,
        input: Path::new("in.sh"),
        user_dir: scene.dir.path(),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    scene.runner.command = CommandLine::new(&typed).unwrap();
    scene.runner.file = CandidateFile {
        name: "in.sh".into(),
        mode: 0o755,
    };
    let property = Property::new(vec![Expectation::Exit("3".parse().unwrap())]).unwrap();
    let oracle = LocalOracle::new(scene.runner.clone(), property);

    assert_eq!(verdict(&oracle, "#!/bin/sh\nexit 3"), Verdict::Interesting);
    for candidate in [
        "",
        "exit 3",
        "#!",
        "#!/\nexit 3",
        "#!/nonexistent\nexit 3",
        "#!/dev/null\nexit 3",
        "#!/bin/sh/sh\nexit 3",
        "\x7fELF",
    ] {
        assert_eq!(
            verdict(&oracle, candidate),
            Verdict::Uninteresting,
            "{candidate}"
        );
        let first = scene.runner.run(
            candidate.as_bytes(),
            Capture::Output,
            &Interrupt::new().unwrap(),
        );
        assert!(
            matches!(first, Err(OracleError::Spawn { .. })),
            "on the first run, this is an error: {first:?}"
        );
    }
    // A binary that is cut short.
    let binary = fs::read("/bin/true").unwrap();
    for length in [60, 64, 100, 700, 800, 1000] {
        let answer = oracle.judge(&binary[..length], &Interrupt::new().unwrap());
        assert_eq!(answer.unwrap().verdict, Verdict::Uninteresting, "{length}");
    }
    scene.assert_clean();
}

#[test]
fn a_test_script_that_can_no_longer_be_executed_is_an_error() {
    let scene = Scene::new("exit 0");
    let oracle = LocalOracle::new(scene.runner.clone(), Property::test());
    assert_eq!(verdict(&oracle, ""), Verdict::Interesting);
    fs::write(scene.dir.path().join("test.sh"), "exit 0").unwrap();
    let answer = oracle.judge(b"", &Interrupt::new().unwrap());
    assert!(
        matches!(answer, Err(OracleError::Spawn { .. })),
        "{answer:?}"
    );
}

#[test]
fn an_expected_hang_sets_the_time_limit() {
    let scene = Scene::new("grep -q loop crash.c && sleep 1000");
    let property = Property::new(vec![Expectation::Hangs(Duration::from_millis(500))]).unwrap();
    let oracle = LocalOracle::new(scene.runner.clone(), property)
        .with_adaptive_timeout(Duration::ZERO, |_| Duration::ZERO);
    assert_eq!(verdict(&oracle, "loop"), Verdict::Interesting);
    assert_eq!(verdict(&oracle, "done"), Verdict::Uninteresting);
}

#[test]
fn a_property_deduced_from_the_first_run_judges_the_next() {
    let scene = Scene::new(
        "grep -q bug crash.c && { echo \"$1:7: fatal error: bad thing $$\" >&2; kill -ABRT $$; }; exit 1",
    );
    let baseline = scene
        .runner
        .run(b"bug and more", Capture::Output, &Interrupt::new().unwrap())
        .unwrap();
    assert_eq!(baseline.outcome, Outcome::Signalled(6));
    let property = deduce(&baseline).unwrap();
    insta::assert_snapshot!(property.flags(), @r"--exit SIGABRT --stderr '^\S*crash\.c:\d+: fatal error: bad thing \d+$'");
    let oracle = LocalOracle::new(scene.runner.clone(), property);
    assert_eq!(verdict(&oracle, "bug"), Verdict::Interesting);
    assert_eq!(verdict(&oracle, "more"), Verdict::Uninteresting);
}

#[test]
fn a_tool_missing_inside_a_script_is_named() {
    let scene = Scene::new("frobnicate crash.c");
    let run = scene.run();
    let message = check_set_up(&run, &scene.runner.command, &scene.runner.file, None)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("a program that it calls was not found (exit code 127)"),
        "{message}"
    );
    assert!(message.contains("frobnicate: not found"), "{message}");
}
