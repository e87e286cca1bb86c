//! The oracle as a whole.

use std::fs;
use std::path::Path;
use std::time::Duration;

use boildown_oracle::spawn::Capture;
use boildown_oracle::{
    Cancel, CandidateFile, CommandLine, Expectation, Feed, LocalOracle, Oracle as _, OracleError,
    Outcome, Property, Typed, Verdict, check_set_up, deduce,
};

use crate::support::Scene;

#[track_caller]
fn verdict(oracle: &LocalOracle, candidate: &str) -> Verdict {
    oracle
        .judge(candidate.as_bytes(), &Cancel::new().unwrap())
        .unwrap()
        .verdict
}

#[test]
fn a_script_for_other_reducers_is_judged_by_its_exit_code() {
    let scene = Scene::new(
        "grep -q needle crash.c && cmp -s crash.c \"$1\" && [ $(ls | wc -l) = 1 ] && ! read line",
    );
    let oracle = LocalOracle::new(scene.runner.clone(), Property::test());
    assert_eq!(verdict(&oracle, "hay needle hay"), Verdict::Interesting);
    assert_eq!(verdict(&oracle, "hay"), Verdict::Uninteresting);
    scene.assert_clean();
}

#[test]
fn a_script_that_cannot_tell_leaves_the_question_unresolved() {
    let scene = Scene::new("exit 125");
    let oracle = LocalOracle::new(scene.runner.clone(), Property::test());
    assert_eq!(verdict(&oracle, ""), Verdict::Unresolved);
}

#[test]
fn a_candidate_is_fed_on_standard_input() {
    let mut scene = Scene::new("");
    let words = ["cat".into()];
    let typed = Typed {
        words: &words,
        input: Path::new("crash.c"),
        user_dir: scene.dir.path(),
        feed: Feed::Candidate,
    };
    scene.runner.command = CommandLine::new(&typed).unwrap();
    assert_eq!(scene.run().stdout, b"int x;\n");
}

#[test]
fn a_candidate_that_can_no_longer_be_executed_is_uninteresting_when_it_is_the_program() {
    let mut scene = Scene::new("");
    let words = ["./in.sh".into()];
    let typed = Typed {
        words: &words,
        input: Path::new("in.sh"),
        user_dir: scene.dir.path(),
        feed: Feed::Nothing,
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
            &Cancel::new().unwrap(),
        );
        assert!(
            matches!(first, Err(OracleError::Spawn { .. })),
            "on the first run, the same is an error: {first:?}"
        );
    }
    // A binary cut short anywhere.
    let binary = fs::read("/bin/true").unwrap();
    for length in [60, 64, 100, 700, 800, 1000] {
        let answer = oracle.judge(&binary[..length], &Cancel::new().unwrap());
        assert_eq!(answer.unwrap().verdict, Verdict::Uninteresting, "{length}");
    }
    scene.assert_clean();
}

#[test]
fn a_script_that_can_no_longer_be_executed_is_an_error() {
    let scene = Scene::new("exit 0");
    let oracle = LocalOracle::new(scene.runner.clone(), Property::test());
    assert_eq!(verdict(&oracle, ""), Verdict::Interesting);
    fs::write(scene.dir.path().join("test.sh"), "exit 0").unwrap();
    let answer = oracle.judge(b"", &Cancel::new().unwrap());
    assert!(
        matches!(answer, Err(OracleError::Spawn { .. })),
        "{answer:?}"
    );
}

#[test]
fn a_hang_is_found_by_waiting_as_long_as_it_was_stated() {
    let scene = Scene::new("grep -q loop crash.c && sleep 1000");
    let property = Property::new(vec![Expectation::Hangs(Duration::from_millis(500))]).unwrap();
    let oracle = LocalOracle::new(scene.runner.clone(), property)
        .with_pace(Duration::ZERO, |_| Duration::ZERO);
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
        .run(b"bug and more", Capture::Output, &Cancel::new().unwrap())
        .unwrap();
    assert_eq!(baseline.outcome, Outcome::Signalled(6));
    let property = deduce(&baseline).unwrap();
    insta::assert_snapshot!(property.flags(), @r"--exit SIGABRT --stderr '^\S*crash\.c:\d+: fatal error: bad thing \d+$'");
    let oracle = LocalOracle::new(scene.runner.clone(), property);
    assert_eq!(verdict(&oracle, "bug"), Verdict::Interesting);
    assert_eq!(verdict(&oracle, "more"), Verdict::Uninteresting);
}

#[test]
fn a_tool_missing_inside_the_script_is_named() {
    let scene = Scene::new("frobnicate crash.c");
    let run = scene.run();
    let message = check_set_up(&run, &scene.runner.command, None)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("did not find a program that it calls (exit code 127)"),
        "{message}"
    );
    assert!(message.contains("frobnicate: not found"), "{message}");
}
