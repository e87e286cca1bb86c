//! Candidates that fail in another way than the input.

use crate::env::{HAYSTACK, NEEDLE, TestEnv};

/// Fails in different ways, one for each word of the input, and in yet another way without these
/// words.
const TOOL: &str = r#"
grep -q needle "$1" && { echo "$1:1:1: internal compiler error: in hay, at hay.c:12" >&2; exit 4; }
grep -q three "$1" && kill -SEGV $$
grep -q "need\|edl" "$1" && { echo "tool: hay.c:7: stack: Assertion 'height > 3' failed." >&2; exit 134; }
echo "$1:1:1: error: nothing to do" >&2; exit 1
"#;

#[test]
fn the_smallest_candidate_of_each_failure_is_kept_and_listed() {
    let env = TestEnv::with_test(TOOL);
    let run = env.reduce(["in.txt", "--jobs", "1", "--", "./test.sh", "in.txt"]);
    run.assert_code(0)
        .assert_says("2 secondary failures in candidates; the smallest candidate of each is in .boildown/in.min.txt/others:")
        .assert_says("  SIGSEGV.txt: SIGSEGV (");
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    let others = env.path(".boildown/in.min.txt/others");
    let mut names: Vec<_> = std::fs::read_dir(others)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["SIGSEGV.txt", "hay-c-N-stack-Assertion-height-3-failed.txt"]
    );
    let crash = env.read(".boildown/in.min.txt/others/SIGSEGV.txt");
    assert!(
        crash.contains("three") && !crash.contains("needle"),
        "{crash}"
    );
    assert!(crash.len() < HAYSTACK.len());
}

#[test]
fn three_of_many_failures_are_listed_and_all_with_verbose() {
    // Which assertion fails depends on the size of the candidate.
    let tool = r#"
        grep -q needle "$1" && { echo 'internal compiler error: in hay, at hay.c:12' >&2; exit 4; }
        letter=$(echo abcdefghijk | cut -c $(($(wc -c <"$1") % 11 + 1)))
        [ -s "$1" ] || exit 1
        echo "tool: Assertion '$letter is 3' failed." >&2; exit 134"#;
    let env = TestEnv::with_test(tool);
    let listed = |more: &[&'static str]| {
        let tail = ["--", "./test.sh", "in.txt"];
        let args = [&["in.txt", "--jobs", "1", "--fresh"], more, &tail[..]].concat();
        let run = env.reduce(args);
        run.assert_code(0);
        let said = run.stderr.clone();
        let count = said
            .lines()
            .filter(|line| line.contains(" is 3' failed"))
            .count();
        (said, count)
    };
    let (said, count) = listed(&[]);
    assert_eq!(count, 3, "{said}");
    assert!(
        said.contains(" larger one") && said.contains("(--verbose lists all)"),
        "{said}"
    );
    let (said, count) = listed(&["--verbose"]);
    assert!(count > 3 && !said.contains("lists all"), "{said}");
}

#[test]
fn json_contains_other_failures() {
    let env = TestEnv::with_test(TOOL);
    let run = env.reduce(["in.txt", "--json", "--", "./test.sh", "in.txt"]);
    let events = run.events();
    let others = events.last().unwrap()["other_failures"].as_array().unwrap();
    let crash = others
        .iter()
        .find(|other| other["signature"] == "SIGSEGV")
        .unwrap();
    let kept = env.bytes(crash["file"].as_str().unwrap());
    assert_eq!(crash["bytes"].as_u64(), Some(kept.len() as u64));
    assert!(crash["runs"].as_u64().unwrap() > 0);
}

#[test]
fn with_a_test_script_other_failures_are_not_collected() {
    let env = TestEnv::with_test("grep -q needle $1 || kill -SEGV $$");
    let run = env.reduce(["in.txt", "--test", "test.sh"]);
    run.assert_code(0);
    assert!(!run.stderr.contains("secondary failure"), "{run}");
    assert!(!env.exists(".boildown/in.min.txt/others"));
}

#[test]
fn other_failures_survive_a_resume_but_not_a_fresh_start() {
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
    run(&["--max-tests", "4"]);
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

/// A folder on which `tool` prints an error, and crashes when the line with the needle is gone.
fn folder_with_two_failures() -> TestEnv {
    TestEnv::new()
        .file("p/a.txt", "one\nneedle\ntwo\n")
        .file("p/b.txt", "three\nfour\nfive\n")
        .script(
            "tool",
            "grep -q needle p/a.txt && { echo 'internal compiler error: in hay, at hay.c:12' >&2; exit 4; }; \
             grep -qs one p/a.txt && kill -SEGV $$; exit 1",
        )
}

#[test]
fn of_a_folder_the_smallest_state_of_each_failure_is_a_folder() {
    let env = folder_with_two_failures();
    let run = env.reduce(["p", "--jobs", "1", "--", "./tool"]);
    run.assert_code(0).assert_says("secondary failure");
    assert_eq!(env.read("p.min/a.txt").trim(), "needle");
    let crash = env.path(".boildown/p.min/others/SIGSEGV");
    let crash = std::fs::read_to_string(crash.join("a.txt")).unwrap();
    assert!(
        crash.contains("one") && !crash.contains("needle"),
        "{crash}"
    );
}

#[test]
fn another_failure_is_reduced_beside_the_first_one() {
    let env = TestEnv::with_test(TOOL);
    let with = |more: &[&'static str]| {
        let tail = ["--", "./test.sh", "in.txt"];
        env.reduce([&["in.txt", "--jobs", "1", "--exit", "4"], more, &tail[..]].concat())
    };
    with(&["--failure", "SIGSEGV"])
        .assert_code(1)
        .assert_says("no candidate showed a failure `SIGSEGV`")
        .assert_says("reduce without --failure first");
    with(&[])
        .assert_code(0)
        .assert_says("run the same command with --failure NAME, such as --failure ");
    with(&["--failure", "nothing"])
        .assert_code(1)
        .assert_says("secondary failures: SIGSEGV, hay-c-N-stack-Assertion-height-3-failed");
    let other = with(&["--failure", "SIGSEGV"]);
    other
        .assert_code(0)
        .assert_says("reducing SIGSEGV, another failure than that of in.txt")
        .assert_says("options that state the failure of in.txt are left out")
        .assert_says("is killed by SIGSEGV");
    assert_eq!(env.read("in.min.SIGSEGV.txt"), "three");
    assert_eq!(env.read("in.min.txt"), NEEDLE, "the first result stays");
    // It resumes, also when a smaller candidate was found in the meantime that is larger than the
    // result.
    let found = ".boildown/in.min.txt/others/SIGSEGV.txt";
    std::fs::write(env.path(found), "three and\n").unwrap();
    let again = with(&["--failure", found]);
    again.assert_code(0).assert_says("resum");
    assert_eq!(env.read("in.min.SIGSEGV.txt"), "three");
    assert_eq!(env.read(found), "three and\n");
}

#[test]
fn another_failure_of_a_folder_is_reduced_to_a_folder() {
    let env = folder_with_two_failures();
    env.reduce(["p", "--jobs", "1", "--", "./tool"])
        .assert_code(0);
    let other = env.reduce(["p", "--jobs", "1", "--failure", "SIGSEGV", "--", "./tool"]);
    other.assert_says("reducing SIGSEGV");
    assert_eq!(env.read("p.min.SIGSEGV/a.txt").trim(), "one");
    assert!(!env.exists("p.min.SIGSEGV/b.txt"));
    assert_eq!(env.read("p.min/a.txt").trim(), "needle");
}
