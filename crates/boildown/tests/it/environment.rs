//! Environments that break for good while a reduction runs.

use std::fs;

use rustix::process::Signal;

use crate::env::{NEEDLE, TestEnv};

/// A test that needs a tool outside of its directory. Once it was run as often as `$HERE/breaks_at`
/// says, the tool is gone. No word of the script names that file, so it is not watched.
const NEEDS_TOOL: &str = r#"
echo run >>"$HERE/runs"
if [ -e "$HERE/breaks"_at ] && [ "$(wc -l <"$HERE/runs")" -ge "$(cat "$HERE/breaks"_at)" ]; then
    mv "$HERE/tool" "$HERE/gone" 2>/dev/null
fi
"#;

/// What the test asks of a candidate.
const WANTS_MANY: &str = "[ $($HERE/tool needle \"$1\") -ge 12 ]";

/// Returns an environment in which a reduction takes a few hundred tests, and breaks at a run.
fn breaking(wants: &str, at: Option<usize>) -> TestEnv {
    let input: String = (0..150)
        .map(|number| match number % 9 {
            4 => format!("{{ {NEEDLE} number {number} (or so) }}\n"),
            _ => format!("line {number} of the [hay]\n"),
        })
        .collect();
    let env = TestEnv::with_test(&format!("{NEEDS_TOOL}{wants}"))
        .file("in.txt", input)
        .script("tool", "grep -c \"$@\"");
    match at {
        Some(at) => env.file("breaks_at", at.to_string()),
        None => env,
    }
}

fn repair(env: &TestEnv) {
    fs::remove_file(env.path("breaks_at")).unwrap();
    fs::rename(env.path("gone"), env.path("tool")).unwrap();
}

fn runs(env: &TestEnv) -> usize {
    fs::read_to_string(env.path("runs")).map_or(0, |runs| runs.lines().count())
}

/// Returns the result when nothing breaks, and the number of runs.
fn undisturbed() -> (Vec<u8>, usize) {
    let env = breaking(WANTS_MANY, None);
    env.reduce(["in.txt", "--jobs", "1", "--test", "test.sh"])
        .assert_code(0);
    (env.bytes("in.min.txt"), runs(&env))
}

#[test]
fn a_tool_that_disappears_stops_the_run_and_after_the_repair_it_resumes() {
    let (expected, needed) = undisturbed();
    for (jobs, at) in [
        ("1", 5),
        ("1", needed / 2),
        ("3", needed / 3),
        ("1", needed - 30),
    ] {
        let env = breaking(WANTS_MANY, Some(at));
        let args = ["in.txt", "--jobs", jobs, "--test", "test.sh"];
        env.reduce(args)
            .assert_code(5)
            .assert_says(
                "the environment changed: the property does not hold on the input any more",
            )
            .assert_says("1-minimality not verified: the environment of the command changed");
        let best = env.read("in.min.txt");
        assert!(best.matches(NEEDLE).count() >= 12, "{best}");
        // While it is broken, nothing is learnt.
        env.reduce(args).assert_code(3);
        repair(&env);
        env.reduce(args).assert_code(0).assert_says("resumed: ");
        assert_eq!(env.bytes("in.min.txt"), expected, "{jobs} jobs, at {at}");
    }
}

#[test]
fn a_tool_that_cannot_be_started_is_noticed_soon() {
    let wants = "count=$($HERE/tool needle \"$1\"); code=$?
        [ $code -lt 126 ] || exit $code
        [ $count -lt 12 ] || exit 3";
    let env = breaking(wants, Some(60));
    let args = [
        "in.txt",
        "--jobs",
        "1",
        "--exit",
        "3",
        "--",
        "./test.sh",
        "in.txt",
    ];
    env.reduce(args)
        .assert_code(5)
        .assert_says("the environment changed");
    // Eight runs that fail, one of the best result, and ten of the input.
    assert!(runs(&env) < 60 + 25, "{}", runs(&env));
}

#[test]
fn what_an_interrupted_session_found_in_a_broken_environment_is_not_used() {
    let (expected, needed) = undisturbed();
    let at = needed / 2;
    let env = breaking(WANTS_MANY, Some(at));
    let args = ["in.txt", "--jobs", "1", "--test", "test.sh"];
    let mut run = env.start_reduce(args);
    run.wait_until(|env| runs(env) >= at + 10);
    run.signal(Signal::INT);
    run.finish().assert_code(6);
    env.reduce(args).assert_code(3);
    repair(&env);
    env.reduce(args).assert_code(0);
    assert_eq!(env.bytes("in.min.txt"), expected);
}

#[test]
fn a_result_that_was_not_confirmed_is_confirmed_when_the_search_is_only_repeated() {
    let (expected, _) = undisturbed();
    // The tool is gone once the search has ended and its result is being confirmed.
    let breaks_late = r#"
if [ -e "$HERE/breaks"_at ] && cmp -s "$1" "$HERE/expected"; then
    echo run >>"$HERE/confirmed"
    [ "$(wc -l <"$HERE/confirmed")" -lt 3 ] || mv "$HERE/tool" "$HERE/gone" 2>/dev/null
fi
"#;
    let script = format!("#!/bin/sh\necho run >>\"$HERE/runs\"{breaks_late}{WANTS_MANY}\n");
    let env = breaking(WANTS_MANY, Some(usize::MAX))
        .file("test.sh", script)
        .file("expected", expected);
    let args = ["in.txt", "--jobs", "1", "--test", "test.sh"];
    env.reduce(args).assert_code(5);
    env.reduce(args).assert_code(3);
    repair(&env);
    env.reduce(args).assert_code(0).assert_says("1-minimal: ");
    let confirmed = runs(&env);
    env.reduce(args).assert_code(0).assert_says("1-minimal: ");
    let repeated = runs(&env) - confirmed;
    assert!((2..=66).contains(&repeated), "{repeated} runs for a claim");
}
