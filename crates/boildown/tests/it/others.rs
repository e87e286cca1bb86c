//! Candidates that fail otherwise.

use crate::env::{HAYSTACK, NEEDLE, TestEnv};

/// Breaks in different ways, each by a word of the input; complains about what has no words that it knows.
const TOOL: &str = r#"
grep -q needle "$1" && { echo "$1:1:1: internal compiler error: in hay, at hay.c:12" >&2; exit 4; }
grep -q three "$1" && kill -SEGV $$
grep -q "need\|edl" "$1" && { echo "tool: hay.c:7: stack: Assertion 'height > 3' failed." >&2; exit 134; }
echo "$1:1:1: error: nothing to do" >&2; exit 1
"#;

#[test]
fn the_smallest_of_each_is_kept_and_listed() {
    let env = TestEnv::with_test(TOOL);
    let run = env.reduce(["in.txt", "--jobs", "1", "--", "./test.sh", "in.txt"]);
    run.assert_code(0)
        .assert_says("2 other failures on other candidates, the smallest of each in .boildown/in.min.txt/others:")
        .assert_says("  SIGSEGV.txt: SIGSEGV (");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    let others = env.path(".boildown/in.min.txt/others");
    let mut names: Vec<_> = std::fs::read_dir(others)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["Assertion-height-3-failed.txt", "SIGSEGV.txt"]);
    let crash = env.read(".boildown/in.min.txt/others/SIGSEGV.txt");
    assert!(
        crash.contains("three") && !crash.contains("needle"),
        "{crash}"
    );
    assert!(crash.len() < HAYSTACK.len());
}

#[test]
fn programs_get_the_list_too() {
    let env = TestEnv::with_test(TOOL);
    let run = env.reduce(["in.txt", "--json", "--", "./test.sh", "in.txt"]);
    let events = run.events();
    let others = events.last().unwrap()["others"].as_array().unwrap();
    let crash = others
        .iter()
        .find(|other| other["signature"] == "SIGSEGV")
        .unwrap();
    let kept = env.bytes(crash["file"].as_str().unwrap());
    assert_eq!(crash["bytes"].as_u64(), Some(kept.len() as u64));
    assert!(crash["runs"].as_u64().unwrap() > 0);
}

#[test]
fn a_script_hides_what_it_runs() {
    let env = TestEnv::with_test("grep -q needle $1 || kill -SEGV $$");
    let run = env.reduce(["in.txt", "--test", "test.sh"]);
    run.assert_code(0);
    assert!(!run.stderr.contains("other failure"), "{run}");
    assert!(!env.exists(".boildown/in.min.txt/others"));
}

#[test]
fn what_was_found_stays_when_a_run_goes_on_and_goes_when_it_starts_over() {
    let env = TestEnv::with_test(TOOL);
    let command = ["in.txt", "--jobs", "1"];
    let run = |more: &[&'static str]| {
        let tail = ["--", "./test.sh", "in.txt"];
        let args = [&command[..], more, &tail[..]].concat();
        env.reduce(args)
            .assert_code(if more.contains(&"4") { 6 } else { 0 })
            .stderr
            .clone()
    };
    let found = ".boildown/in.min.txt/others/SIGSEGV.txt";
    run(&["--max-questions", "4"]);
    let first = env.read(found);
    let said = run(&[]);
    assert_eq!(env.read(found), first);
    assert!(
        said.contains("SIGSEGV.txt: found by an earlier session ("),
        "{said}"
    );
    let stale = env.path(".boildown/in.min.txt/others/stale.txt");
    std::fs::write(&stale, "").unwrap();
    run(&["--fresh"]);
    assert!(!stale.exists() && env.exists(found));
}
