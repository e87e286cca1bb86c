//! The oracle as a whole.

use std::path::Path;
use std::time::Duration;

use boildown_oracle::spawn::Capture;
use boildown_oracle::{
    Cancel, CommandLine, Expectation, Feed, LocalOracle, Oracle as _, Outcome, Property, Typed,
    Verdict, check_set_up, deduce,
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
fn a_hang_is_found_by_waiting_as_long_as_it_was_stated() {
    let scene = Scene::new("grep -q loop crash.c && sleep 1000");
    let property = Property::new(vec![Expectation::Hangs(Duration::from_millis(500))]).unwrap();
    let oracle =
        LocalOracle::new(scene.runner.clone(), property).with_timeout(Duration::from_millis(1));
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
