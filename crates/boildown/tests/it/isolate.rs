//! `boildown isolate`.

use boildown_store::{LastSession, RunHistory};
use insta::assert_snapshot;
use rustix::process::Signal;

use crate::env::{Finished, SOON, TestEnv};

const GOOD: &str = "start\nbelt = 3\nlamp = off\nwheels = 4\nend\n";
const BAD: &str = "start\nbelt = 3, 4\nhorn = loud\nlamp = on\nwheels = 5\nend\n";

/// Reads settings. Crashes when the lamp is on and there are five wheels, and needs the last line.
const TOOL: &str = "
    [ \"$(tail -n 1 \"$1\")\" = end ] || { echo 'no end' >&2; exit 2; }
    grep -q '^wheels = [0-9]*$' \"$1\" || { echo 'how many wheels?' >&2; exit 2; }
    if grep -q '^lamp = on$' \"$1\" && grep -q '^wheels = 5$' \"$1\"; then
        echo 'panic: fuse blown' >&2; exit 101
    fi
    echo fine";

fn settings() -> TestEnv {
    TestEnv::new()
        .file("good.conf", GOOD)
        .file("bad.conf", BAD)
        .script("tool.sh", TOOL)
}

fn isolate<'a>(env: &'a TestEnv, more: &[&str]) -> Finished<'a> {
    env.run([&["isolate", "good.conf", "bad.conf"], more].concat())
}

#[test]
fn both_results_are_written_and_their_difference_is_shown() {
    let env = settings();
    let finished = isolate(&env, &["--", "./tool.sh", "{}"]);
    assert_snapshot!(finished, @r"
    exit code 0
    -- stdout
    --- bad.pass.conf
    +++ bad.fail.conf
    @@ line 4 @@
     belt = 3, 4
     horn = loud
    -lamp = o
    +lamp = on
     wheels = 5
     end
    -- stderr
    failing: exits with 101
             stderr matches /^panic: fuse blown$/
    passing: exits with 0
    bad.pass.conf and bad.fail.conf differ in 1 character
    [n] tests in [time] ([n] runs, 1 unresolved)
    the difference is a single change
    ");
    assert_eq!(
        (env.read("good.conf"), env.read("bad.conf")),
        (GOOD.into(), BAD.into())
    );
    // One passes, the other fails.
    let tool = |name: &str| {
        let path = env.path(name);
        std::process::Command::new(env.path("tool.sh"))
            .arg(path)
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(
        (tool("bad.pass.conf"), tool("bad.fail.conf")),
        (Some(0), Some(101))
    );
}

#[test]
fn files_in_the_other_order_are_answered_with_the_line_to_type() {
    let env = settings();
    let line = ["isolate", "bad.conf", "good.conf", "--", "./tool.sh", "{}"];
    env.run(line).assert_code(3).assert_says(
        "error: the command fails on bad.conf and not on good.conf: the files are swapped\n  \
         hint: type: boildown isolate good.conf bad.conf -- ./tool.sh {}",
    );
}

#[test]
fn units_may_be_whole_tokens_or_lines() {
    let env = settings();
    let finished = isolate(
        &env,
        &["--units", "lines", "--output", ".", "--", "./tool.sh", "{}"],
    );
    finished
        .assert_code(0)
        .assert_says("./bad.pass.conf and ./bad.fail.conf differ in 1 line\n");
    let lines = |name| {
        env.read(name)
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (passing, failing) = (lines("bad.pass.conf"), lines("bad.fail.conf"));
    let differ = passing
        .iter()
        .zip(&failing)
        .filter(|(old, new)| old != new)
        .count();
    assert_eq!((passing.len(), differ), (failing.len(), 1));
}

#[test]
fn json_contains_the_differences_and_their_offsets() {
    let env = settings();
    let finished = isolate(
        &env,
        &["--json", "--units", "tokens", "--", "./tool.sh", "{}"],
    );
    let events = finished.assert_code(0).events();
    let last = events.last().unwrap();
    assert_eq!(last["event"], "finished");
    assert_eq!(last["units"], "tokens");
    assert_eq!(last["changes"], 1);
    assert_eq!(last["one_minimal"], true);
    let place = &last["difference"][0];
    let at = usize::try_from(place["failing_at"].as_u64().unwrap()).unwrap();
    let failing = env.read(last["failing"].as_str().unwrap());
    let text = place["failing"].as_str().unwrap();
    assert!(failing[at..].starts_with(text));
    assert_ne!(place["passing"], place["failing"]);
}

#[test]
fn the_results_and_queries_are_the_same_for_any_number_of_jobs() {
    let dawdling = format!("sleep 0.0$(($(wc -c <\"$1\") % 4)){TOOL}");
    let env = settings().script("tool.sh", &dawdling);
    let run = |jobs| {
        let more = ["--json", "--jobs", jobs, "--", "./tool.sh", "{}"];
        let events = isolate(&env, &more).assert_code(0).events();
        let last = events.last().unwrap();
        let told = ["tests", "unresolved"].map(|name| last[name].clone());
        (env.read("bad.pass.conf"), env.read("bad.fail.conf"), told)
    };
    let alone = run("1");
    assert_eq!(run("2"), alone);
    assert_eq!(run("8"), alone);
}

#[test]
fn a_script_decides_and_125_is_unresolved() {
    let script =
        "./../../here/tool.sh \"$1\"; case $? in 101) exit 0;; 0) exit 1;; *) exit 125;; esac"
            .replace("./../../here", "\"$HERE\"");
    let env = settings().script("test.sh", &script);
    let finished = isolate(&env, &["--test", "test.sh"]);
    finished.assert_code(0);
    assert_snapshot!(finished, @r"
    exit code 0
    -- stdout
    --- bad.pass.conf
    +++ bad.fail.conf
    @@ line 4 @@
     belt = 3, 4
     horn = loud
    -lamp = o
    +lamp = on
     wheels = 5
     end
    -- stderr
    failing: the test exits with 0
    passing: exits with 1
    bad.pass.conf and bad.fail.conf differ in 1 character
    [n] tests in [time] ([n] runs, 1 unresolved)
    the difference is a single change
    ");
}

#[test]
fn a_run_that_takes_too_long_once_is_no_sign_of_chance() {
    // One of the runs on the files before the search.
    let slow = format!(
        "n=$(( $(cat \"$HERE/count\") + 1 )); echo $n >\"$HERE/count\"
        if [ $n = 6 ]; then sleep 30; fi\n{TOOL}"
    );
    let env = settings().file("count", "0").script("tool.sh", &slow);
    let limits = ["--jobs", "1", "--timeout", "2s", "--no-sandbox"];
    let run = isolate(&env, &[&limits[..], &["--", "./tool.sh", "{}"]].concat());
    run.assert_code(0);
    assert!(!run.stderr.contains("flaky"), "{run}");
    assert!(env.read("count").trim().parse::<u32>().unwrap() > 6);
}

#[test]
fn the_passing_file_may_be_empty() {
    let env = TestEnv::new()
        .file("good.bin", "")
        .file("bad.bin", [&b"\0\xff"[..], &[7; 300], b"\x1b\x80"].concat())
        .script("tool.sh", "[ $(tr -dc '\\007' <\"$1\" | wc -c) -lt 200 ]");
    let finished = env.run(["isolate", "good.bin", "bad.bin", "--", "./tool.sh", "{}"]);
    finished.assert_code(0).assert_says("differ in 1 byte\n");
    let count = |name| env.bytes(name).iter().filter(|&&byte| byte == 7).count();
    assert_eq!((count("bad.pass.bin"), count("bad.fail.bin")), (199, 200));
    assert!(
        finished.stdout.contains("nothing -> 07") && !finished.stdout.contains('\u{7}'),
        "no byte rings a bell: {}",
        finished.stdout
    );
    assert!(!finished.stdout.contains(['\x07', '\x1b']));
}

#[test]
fn the_same_file_twice() {
    let env = settings();
    assert_snapshot!(env.run(["isolate", "bad.conf", "./bad.conf", "--", "./tool.sh", "{}"]), @r"
    exit code 1
    -- stderr
    error: bad.conf and ./bad.conf are identical
      hint: give a file on which the command passes, and one on which it fails
    ");
}

#[test]
fn a_file_that_is_not_there() {
    assert_snapshot!(settings().run(["isolate", "better.conf", "bad.conf", "--", "./tool.sh"]), @r"
    exit code 1
    -- stderr
    error: failed to read better.conf: there is no such file
      hint: the two files come first: boildown isolate GOOD BAD -- COMMAND
    ");
}

#[test]
fn no_command() {
    assert_snapshot!(isolate(&settings(), &[]), @r"
    exit code 1
    -- stderr
    error: no command to run on the candidates
      hint: give a script with --test, or the command that fails after `--`
      hint: type: boildown isolate good.conf bad.conf -- COMMAND bad.conf
    ");
}

#[test]
fn the_good_file_fails_already() {
    let env = settings().file("good.conf", BAD.replace("horn", "bell"));
    assert_snapshot!(isolate(&env, &["--", "./tool.sh", "{}"]), @r#"
    exit code 3
    -- stderr
    error: the command fails on good.conf too, in the same way: the command exited with 101
      hint: its standard error ends with
              | panic: fuse blown
      hint: failing means:
              exits with 101
              stderr matches /^panic: fuse blown$/
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/good.conf ./bad.conf && $ENV/here/tool.sh "$PWD"/bad.conf; echo "exit status $?")
    "#);
    assert!(!env.exists("bad.pass.conf"));
}

#[test]
fn the_bad_file_passes() {
    let env = settings().file("bad.conf", BAD.replace("on\n", "dim\n"));
    assert_snapshot!(isolate(&env, &["--", "./tool.sh", "{}"]), @r#"
    exit code 3
    -- stderr
    error: the command does not fail on bad.conf: the command exited with 0
      hint: its standard output ends with
              | fine
      hint: if this run shows the failure, state it with --exit, --stdout, --stderr, --not-stderr or --hangs
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/bad.conf . && $ENV/here/tool.sh "$PWD"/bad.conf; echo "exit status $?")
    "#);
}

#[test]
fn the_stated_property_does_not_hold_on_the_bad_file() {
    assert_snapshot!(isolate(
        &settings(),
        &["--stderr", "fuse melted", "--", "./tool.sh", "{}"]
    ), @r#"
    exit code 3
    -- stderr
    error: the property does not hold on bad.conf: the command exited with 101
      hint: its standard error ends with
              | panic: fuse blown
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/bad.conf . && $ENV/here/tool.sh "$PWD"/bad.conf; echo "exit status $?")
    "#);
}

#[test]
fn the_good_file_is_unresolved() {
    let env = settings().script("tool.sh", "grep -q 'lamp = on' $1 && exit 1; exit 125");
    assert_snapshot!(isolate(&env, &["--", "./tool.sh", "{}"]), @r#"
    exit code 3
    -- stderr
    error: the command does not pass on good.conf: the command exited with 125
      hint: exit code 125 means that the run is unresolved
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/good.conf ./bad.conf && $ENV/here/tool.sh "$PWD"/bad.conf; echo "exit status $?")
    "#);
}

#[test]
fn a_file_on_which_the_command_passes_only_sometimes() {
    let env = settings().script(
        "tool.sh",
        "grep -q 'lamp = on' $1 && exit 1; echo >>$HERE/runs; [ $(wc -l <$HERE/runs) != 3 ]",
    );
    assert_snapshot!(isolate(&env, &["--", "./tool.sh", "{}"]), @r#"
    exit code 4
    -- stderr
    failing: exits with 1
    passing: exits with 0
    error: the command passed on good.conf in 2 of 3 runs
      hint: make the command deterministic, or loosen the property so that every run shows it
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/good.conf ./bad.conf && HERE=$ENV/here/ $ENV/here/tool.sh "$PWD"/bad.conf; echo "exit status $?")
    "#);
}

#[test]
fn results_that_would_replace_an_input_or_cannot_be_written() {
    let env = settings();
    let args = [
        "isolate",
        "good.conf",
        "bad.conf",
        "--output",
        "gone",
        "--",
        "./tool.sh",
    ];
    assert_snapshot!(env.run(args), @r"
    exit code 1
    -- stderr
    error: there is no directory gone
      hint: create it, or choose another one with --output
    ");
    let env = env.file("bad.pass.conf", GOOD);
    let args = [
        "isolate",
        "bad.pass.conf",
        "bad.conf",
        "--",
        "./tool.sh",
        "{}",
    ];
    assert_snapshot!(env.run(args), @r"
    exit code 1
    -- stderr
    error: failed to write bad.pass.conf: it is one of the inputs
      hint: --output writes to another directory
    ");
    assert_eq!(env.read("bad.pass.conf"), GOOD);
}

#[test]
fn a_missing_command_is_an_error() {
    let env = settings();
    isolate(&env, &["--", "./no-such-tool", "{}"]).assert_code(5);
    isolate(&env, &["--", "sh", "-c", "no-such-tool bad.conf"]).assert_code(5);
    assert!(!env.exists("bad.pass.conf"));
}

#[test]
fn a_limit_stops_early_with_two_valid_results() {
    let env = settings();
    let finished = isolate(&env, &["--max-tests", "2", "--", "./tool.sh", "{}"]);
    finished
        .assert_code(6)
        .assert_says("1-minimality not verified: test limit reached");
    assert!(env.read("bad.fail.conf").contains("lamp = on\n"));
    let passing = env.read("bad.pass.conf");
    assert!(!passing.contains("lamp = on\n") || !passing.contains("wheels = 5\n"));
}

#[test]
fn ctrl_c_keeps_both_results() {
    let env = settings().script("tool.sh", &format!("[ -e $HERE/slow ] && sleep 1000{TOOL}"));
    let mut run = env.start(["isolate", "good.conf", "bad.conf", "--", "./tool.sh", "{}"]);
    run.wait_until(|env| env.exists("bad.fail.conf"));
    std::fs::write(env.path("slow"), "").unwrap();
    run.signal(Signal::INT);
    let signalled = std::time::Instant::now();
    let finished = run.finish();
    assert!(signalled.elapsed() < SOON);
    // On a busy computer the search may end before the signal arrives.
    assert!(
        finished.code == Some(6) || finished.code == Some(0),
        "{finished}"
    );
    assert!(env.read("bad.fail.conf").contains("lamp = on\n"));
}

#[test]
fn of_two_folders_the_smallest_patch_is_found() {
    let env = TestEnv::new()
        .file("good/a.conf", "lamp = off\nhorn = on\n")
        .file("good/same", "same\n")
        .file("bad/a.conf", "lamp = on\nhorn = off\n")
        .file("bad/new.conf", "new\n")
        .file("bad/same", "same\n")
        .file("out/mine", "")
        .script(
            "tool",
            "! grep -q 'lamp = on' $1 || { echo 'fuse blown' >&2; exit 3; }",
        );
    let words = ["isolate", "good", "bad", "--output", "out", "--"];
    let command = ["./tool", "bad/a.conf"];
    env.run([&words[..], &command].concat())
        .assert_code(0)
        .assert_says("1 hunk in 1 file, +1 -1");
    assert!(env.read("out/culprit.patch").contains("+lamp = on\n"));
    env.run(
        [
            &["isolate", "good", "bad", "--units", "keys", "--"][..],
            &command,
        ]
        .concat(),
    )
    .assert_code(1)
    .assert_says("failed to isolate the folders good and bad");
}

#[test]
fn configuration_files_are_compared_by_keys_unless_told_otherwise() {
    let env = TestEnv::new()
        .file("good.json", "{\"a\": 1, \"b\": {\"c\": 20, \"d\": 3}}\n")
        .file("bad.json", "{\"a\": 7, \"b\": {\"c\": 25, \"d\": 4}}\n")
        .script("tool", "! grep -q '\"c\": 25' $1 || exit 3");
    let differs = |more: &[&str]| {
        let words = [&["isolate", "good.json", "bad.json"], more].concat();
        env.run([&words[..], &["--", "./tool", "bad.json"]].concat())
    };
    differs(&[]).assert_code(0).assert_says("differ in 1 key");
    differs(&["--units", "characters"])
        .assert_code(0)
        .assert_says("differ in 1 character");
    env.run([
        "isolate",
        "good.json",
        "bad.json",
        "--verbose",
        "--",
        "./tool",
        "bad.json",
    ])
    .assert_says("units: keys, ");
}

#[test]
fn the_store_holds_the_first_and_the_last_event() {
    let env = settings();
    isolate(&env, &["--", "./tool.sh", "{}"]).assert_code(0);
    let last = LastSession::find(&env.path(""), None).unwrap().unwrap();
    let sessions = RunHistory::read(&last.file).unwrap().sessions().unwrap();
    let started = sessions[0].started_event.as_deref().unwrap();
    assert!(started.contains("\"task\":\"isolate\""), "{started}");
    let finished = sessions[0].finished_event.as_deref().unwrap();
    assert!(finished.contains("\"one_minimal\":true"), "{finished}");
}
