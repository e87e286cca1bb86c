//! The property that is read off the first run: what is shown of it, and how another one is taken.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::env::TestEnv;

/// A command that prints two error messages, each for a word of the input.
const TWO_ERRORS: [&str; 3] = [
    "sh",
    "-c",
    "grep -q needle in.txt && echo 'a.c:3:5: error: bad needle'; \
     grep -q thread in.txt && echo 'a.c:4:1: error: bad thread'; \
     ! grep -q 'needle\\|thread' in.txt",
];

const INPUT: &str = "hay\nneedle\nstraw\nthread\ngrass\n";

/// A command with a stack trace whose top depends on the input.
const STACK_TRACE: [&str; 3] = [
    "sh",
    "-c",
    "grep -q needle in.txt || exit 0; grep -q thread in.txt && top=pick || top=look; \
     printf 'Exception in thread \"main\" java.lang.Error: no\\n\\tat A.%s(A.java:3)\\n\\tat A.main(A.java:9)\\n' $top >&2; exit 1",
];

#[test]
fn the_property_is_shown_as_options_and_nothing_is_done() {
    let env = TestEnv::new().file("in.txt", INPUT);
    let run = env.reduce(
        ["in.txt", "--show-property", "--"]
            .iter()
            .chain(&TWO_ERRORS),
    );
    run.assert_code(0);
    assert_eq!(
        run.stdout,
        "--exit 1 --stdout '^a\\.c:\\d+:\\d+: error: bad needle$'\n\
         # also possible: --exit 1 --stdout '^a\\.c:\\d+:\\d+: error: bad thread$'\n"
    );
    assert!(!env.exists("in.min.txt"));
    let stated = ["in.txt", "--show-property", "--stderr", "it's", "--", "cat"];
    let run = env.reduce(stated);
    assert_eq!(run.assert_code(0).stdout, "--stderr 'it'\\''s'\n");
}

/// Returns what is deduced from a run of a shell script on the input, without the exit status, and
/// what else it may be.
#[track_caller]
fn shown(script: &str) -> (String, String) {
    let env = TestEnv::new().file("in.txt", INPUT);
    let run = env.reduce([
        "in.txt",
        "--show-property",
        "--",
        "sh",
        "-c",
        script,
        "sh",
        "in.txt",
    ]);
    let shown = run.assert_code(0).stdout.clone();
    let (first, others) = shown.split_once('\n').unwrap();
    (first.to_owned(), others.to_owned())
}

#[test]
fn the_verdict_of_a_script_is_preferred_to_what_it_prints_afterwards() {
    for (script, expected) in [
        (
            "echo WRONG CODE; echo original prints: 1; echo 12676 true 3; exit 1",
            "^WRONG CODE$",
        ),
        (
            "printf 'Outputs differ:\n-foo 1\n+foo 2\n'; exit 1",
            "^Outputs differ:$",
        ),
        (
            "echo MISCOMPILE: O0 vs O2; echo '  sum 8F32'; echo Done in 3.1s; exit 1",
            "MISCOMPILE: O",
        ),
    ] {
        let (first, _) = shown(script);
        assert!(first.contains(expected), "{first}");
    }
}

#[test]
fn a_line_that_other_runs_have_too_names_nothing() {
    let script = "echo 'unexpected: the cache is missing'; grep -q needle \"$1\" || exit 0; \
                  echo 'left 3 and right 4'; exit 1";
    let (first, others) = shown(script);
    assert_eq!(first, "--exit 1 --stdout '^left \\d+ and right \\d+$'");
    // The first line is offered all the same.
    assert!(others.contains("the cache is missing"), "{others}");
}

#[test]
fn a_line_that_differs_between_two_runs_names_nothing() {
    let script = "echo 'three of the trees'; \
                  echo unexpected $(od -An -N8 -tx1 /dev/urandom | tr 0-9 g-p | tr -d ' '); exit 1";
    assert_eq!(shown(script).0, "--exit 1 --stdout '^three of the trees$'");
}

#[test]
fn a_crash_keeps_its_place_unless_it_is_loose() {
    let script = "grep -q needle in.txt || exit 0; grep -q thread in.txt && top=pick || top=look; \
                  printf '==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0\\n    \
                  #0 0x4 in %s /src/a.c:3\\n    #1 0x5 in main /src/a.c:9\\n\
                  SUMMARY: AddressSanitizer: SEGV /src/a.c:3 in x\\n' $top >&2; exit 1";
    let env = TestEnv::new().file("in.txt", INPUT);
    env.reduce(["in.txt", "--", "sh", "-c", script])
        .assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needlethread");
    let loose = [
        "in.txt",
        "--output",
        "loose.txt",
        "--loose",
        "--",
        "sh",
        "-c",
        script,
    ];
    env.reduce(loose).assert_code(0);
    assert_eq!(env.read("loose.txt"), "needle");
}

#[test]
fn the_next_property_is_printed_and_its_options_take_it() {
    let env = TestEnv::new().file("in.txt", INPUT);
    let run = env.reduce(["in.txt", "--"].iter().chain(&TWO_ERRORS));
    run.assert_code(0)
        .assert_says("also possible: --exit 1 --stdout '^a\\.c:\\d+:\\d+: error: bad thread$'");
    assert_eq!(env.read("in.min.txt"), "needle");
    let other = [
        "in.txt",
        "--output",
        "other.txt",
        "--stdout",
        "error: bad thread$",
        "--",
    ];
    env.reduce(other.iter().chain(&TWO_ERRORS)).assert_code(0);
    assert_eq!(env.read("other.txt"), "thread");
}

#[test]
fn frames_keep_the_top_of_the_stack_trace() {
    let env = TestEnv::new().file("in.txt", INPUT);
    let loose = ["in.txt", "--loose", "--"];
    env.reduce(loose.iter().chain(&STACK_TRACE)).assert_code(0);
    assert_eq!(env.read("in.min.txt"), "needle");
    let framed = ["in.txt", "--output", "framed.txt", "--frames", "1", "--"];
    env.reduce(framed.iter().chain(&STACK_TRACE)).assert_code(0);
    assert_eq!(env.read("framed.txt"), "needlethread");
    // The function that raised an exception is kept in any case.
    let kept = ["in.txt", "--output", "kept.txt", "--"];
    env.reduce(kept.iter().chain(&STACK_TRACE)).assert_code(0);
    assert_eq!(env.read("kept.txt"), "needlethread");
    let run = env.reduce(["in.txt", "--frames", "1", "--"].iter().chain(&TWO_ERRORS));
    run.assert_code(3).assert_says("printed no stack trace");
}

#[test]
fn a_key_takes_another_property_and_a_resumed_run_keeps_it() {
    let env = TestEnv::new().file("in.txt", INPUT);
    let command = TWO_ERRORS.map(|word| format!("'{}'", word.replace('\'', r"'\''")));
    let line = format!(
        "{} reduce in.txt -- {}",
        env!("CARGO_BIN_EXE_boildown"),
        command.join(" ")
    );
    let hermetic = env.command();
    let variables = hermetic
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let mut terminal = Command::new("script");
    terminal
        .args(["-qec", &line, "/dev/null"])
        .current_dir(env.path(""))
        .env_clear()
        .envs(variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let Ok(mut terminal) = terminal.spawn() else {
        println!("skipped: there is no program `script`");
        return;
    };
    // A key that was pressed too early is discarded, so it is pressed until the program ends.
    let mut keys = terminal.stdin.take().unwrap();
    while terminal.try_wait().unwrap().is_none() {
        if keys.write_all(b"2").is_err() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    drop(keys);
    let output = terminal.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        printed.contains("what identifies the failure?"),
        "{printed}"
    );
    assert_eq!(env.read("in.min.txt"), "thread", "{printed}");
    let run = env.reduce(["in.txt", "--"].iter().chain(&TWO_ERRORS));
    run.assert_code(0)
        .assert_says("resumed: ")
        .assert_says("stdout matches /^a\\.c:\\d+:\\d+: error: bad thread$/");
    assert_eq!(env.read("in.min.txt"), "thread");
}
