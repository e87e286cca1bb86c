//! `boildown triage`: groups of failing inputs, their examples, formats of the report, resuming.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use boildown_triage::PairQuality;
use serde_json::Value;

use crate::env::TestEnv;

/// A parser with known bugs, each with a label. Every run is logged.
///
/// The bug `stack` shows itself by two messages, which depend on a literal; the bugs `list` and
/// `tuple` fail in functions of their own.
const PARSER: &str = r#"
echo run >> "$HERE/log"
stack() { printf '==1==ERROR: AddressSanitizer: SEGV on unknown address 0x%s\n    #0 0x1 in %s src/parse.c:%s:3\n    #1 0x2 in main src/main.c:9\n' "$$" "$1" "$2" >&2; exit 1; }
grep -q '\[\[' "$1" && stack parse_list 12
grep -q '((' "$1" && stack parse_tuple 40
grep -q 'push(7)' "$1" && { echo "vm: vm.c:31: push: Assertion 'top != seven' failed." >&2; exit 134; }
grep -q 'push(8)' "$1" && { echo "vm: vm.c:31: push: Assertion 'top != eight' failed." >&2; exit 134; }
grep -q 'let = ' "$1" && { echo "vm: in.js:4: error: a name is missing after 'let'" >&2; exit 2; }
exit 0
"#;

/// Inputs of the parser, with the labels of their bugs.
const LABELLED: &[(&str, &str)] = &[
    ("a.js", "list"),
    ("b.js", "list"),
    ("c.js", "tuple"),
    ("d.js", "tuple"),
    ("e.js", "stack"),
    ("f.js", "stack"),
    ("g.js", "stack"),
];

fn inputs() -> TestEnv {
    TestEnv::new()
        .script("parser", PARSER)
        .file(
            "crashes/a.js",
            "var a = 1;\nvar x = [[1, 2], a];\nprint(x);\n",
        )
        .file("crashes/b.js", "function f(y) { return [[y]]; }\nf(3);\n")
        .file("crashes/c.js", "var tuple = ((1, 2));\n")
        .file("crashes/d.js", "var other = 3;\nprint(((other, 2)));\n")
        .file("crashes/e.js", "var n = 2;\npush(7);\n")
        .file("crashes/f.js", "if (ready) {\n  push(7);\n}\n")
        .file("crashes/g.js", "push(8);\nvar last = 0;\n")
        .file("crashes/same.js", "push(8);\nvar last = 0;\n")
        .file("crashes/h.js", "let = 5;\n")
        .file("crashes/i.js", "print(1);\n")
}

const COMMAND: [&str; 8] = [
    "triage",
    "crashes",
    "--writable",
    ".",
    "--jobs",
    "2",
    "--",
    "./parser",
];

fn command<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut words = COMMAND.to_vec();
    words.splice(6..6, more.iter().copied());
    words.push("{}");
    words
}

fn report(env: &TestEnv) -> Value {
    serde_json::from_str(&env.read("crashes.triage/triage.json")).unwrap()
}

fn runs(env: &TestEnv) -> usize {
    env.read("log").lines().count()
}

/// Returns the quality of the grouping against the labels, by this field of the inputs.
fn quality(report: &Value, field: &str) -> PairQuality {
    let inputs = report["inputs"].as_array().unwrap();
    let pairs: Vec<(String, &str)> = inputs
        .iter()
        .filter_map(|input| {
            let file = input["files"][0].as_str().unwrap();
            let (_, label) = LABELLED.iter().find(|(name, _)| file.ends_with(name))?;
            Some((input[field].to_string(), *label))
        })
        .collect();
    assert_eq!(pairs.len(), LABELLED.len());
    PairQuality::of_inputs(pairs.iter().map(|(group, label)| (group.as_str(), *label)))
}

#[test]
fn inputs_are_grouped_reduced_and_merged() {
    let env = inputs();
    let run = env.run(command(&[]));
    run.assert_code(0);
    assert!(
        run.stdout.starts_with(
            "10 inputs in crashes (9 different ones): 7 crash, 1 ends with an error, \
             1 does not fail\n3 groups; 4 before"
        ),
        "{run}"
    );
    let report = report(&env);
    let groups = report["groups"].as_array().unwrap();
    let shown: Vec<(&str, usize)> = groups
        .iter()
        .map(|group| {
            let failure = group["failure"].as_str().unwrap();
            (failure, group["inputs"].as_array().unwrap().len())
        })
        .collect();
    let push = shown.iter().find(|(_, inputs)| *inputs == 3).unwrap();
    assert!(
        push.0.starts_with("vm.c:N: push: Assertion 'top != "),
        "{shown:?}"
    );
    assert!(
        shown.contains(&("AddressSanitizer: SEGV in parse_list", 2)),
        "{shown:?}"
    );
    for group in groups {
        let example = &group["example"];
        assert_eq!(example["hits"], example["runs"]);
        assert_eq!(example["state"], "reduced");
        let file = env.path(example["file"].as_str().unwrap());
        assert_eq!(
            fs::metadata(file).unwrap().len(),
            example["bytes"].as_u64().unwrap()
        );
    }
    let (before, after) = (
        quality(&report, "group_before_merging"),
        quality(&report, "group"),
    );
    let exact = |share: f64| (share - 1.0).abs() < f64::EPSILON;
    assert!(
        exact(before.precision()) && !exact(before.recall()),
        "{before:?}"
    );
    assert!(
        exact(after.precision()) && exact(after.recall()),
        "{after:?}"
    );
}

#[test]
fn a_second_triage_runs_only_the_examples_again() {
    let env = inputs();
    let first = env.run(command(&[]));
    first.assert_code(0);
    let before = runs(&env);
    let again = env.run(command(&[]));
    again.assert_code(0);
    assert_eq!(first.stdout, again.stdout);
    // A run for the sandbox, outside and inside, and two of each example before merging.
    assert!(runs(&env) - before <= 2 + 2 * 4, "{before} {}", runs(&env));
    // A new input is run, and the others are not.
    fs::write(env.path("crashes/new.js"), "print(2);\n").unwrap();
    let before = runs(&env);
    env.run(command(&[])).assert_code(0);
    assert!(runs(&env) - before <= 2 + 2 * 4 + 2);
}

#[test]
fn a_killed_triage_continues_where_it_was() {
    let undisturbed = inputs();
    let expected = undisturbed.run(command(&[]));
    expected.assert_code(0);
    let needed = runs(&undisturbed);
    let env = inputs();
    let mut rounds = 0;
    for wait in [3, 9, 15, 25] {
        let come = match env.exists("log") {
            true => runs(&env) + wait,
            false => wait,
        };
        let mut run = env.start(command(&[]));
        run.wait_until(|env| env.exists("log") && runs(env) >= come);
        // With SIGKILL.
        drop(run);
        rounds += 1;
    }
    let run = env.run(command(&[]));
    run.assert_code(0);
    assert_eq!(run.stdout, expected.stdout);
    // In each round, the runs that were under way or not stored yet are repeated, and the sandbox
    // is chosen again.
    assert!(runs(&env) < needed + rounds * 60, "{} {needed}", runs(&env));
}

#[test]
fn the_report_is_written_for_tools() {
    let env = inputs();
    let sarif = env.run(command(&["--format", "sarif", "--quiet"]));
    sarif.assert_code(0);
    let log: Value = serde_json::from_str(&sarif.stdout).unwrap();
    check_sarif(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    let lines: BTreeSet<u64> = results
        .iter()
        .filter_map(|result| {
            result["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64()
        })
        .collect();
    assert!(lines.contains(&12) && lines.contains(&40), "{lines:?}");
    let github = env.run(command(&["--format", "github", "--quiet"]));
    assert!(
        github.stdout.contains(
            "::error file=src/parse.c,line=12,col=3,title=AddressSanitizer%3A SEGV in parse_list::"
        ),
        "{github}"
    );
    assert_eq!(github.stdout.lines().count(), 3);
    // The command names the example, not a placeholder.
    assert!(!github.stdout.contains("{}"), "{github}");
    let json = env.run(command(&["--format", "json", "--quiet"]));
    let printed: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(printed, report(&env));
    let events = env.run(command(&["--json"])).events();
    assert!(
        events
            .iter()
            .any(|event| event["event"] == "triage_started")
    );
    let last = events.last().unwrap();
    assert_eq!(last["event"], "triage_finished");
    assert_eq!(last["groups"].as_array().unwrap().len(), 3);
}

#[test]
fn a_page_shows_each_example_with_its_output() {
    let env = inputs();
    let done = env.run(command(&[]));
    done.assert_code(0);
    assert!(done.stdout.contains("crashes.triage/triage.html"), "{done}");
    let page = env.read("crashes.triage/triage.html");
    let report = report(&env);
    for (number, group) in (1..).zip(report["groups"].as_array().unwrap()) {
        assert!(page.contains(&format!("id=group-{number} ")), "{page}");
        let file = group["example"]["file"].as_str().unwrap();
        assert!(page.contains(&format!("<figcaption>{file} ")), "{page}");
    }
    assert!(page.contains("ERROR: AddressSanitizer: SEGV"), "{page}");
    assert!(page.contains("boildown reduce crashes/"), "{page}");
}

/// Checks what the schema of SARIF 2.1.0 requires of the objects that are used.
#[track_caller]
fn check_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string());
    let rules = driver["rules"].as_array().unwrap();
    assert!(rules.iter().all(|rule| rule["id"].is_string()));
    for result in run["results"].as_array().unwrap() {
        assert!(result["message"]["text"].is_string());
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let level = result["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level));
        assert!(result["occurrenceCount"].as_u64().unwrap() >= 1);
        let related = result["relatedLocations"].as_array().unwrap();
        for location in result["locations"]
            .as_array()
            .unwrap()
            .iter()
            .chain(related)
        {
            let artifact = &location["physicalLocation"]["artifactLocation"];
            let uri = artifact["uri"].as_str().unwrap();
            assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
        }
        let prints = result["partialFingerprints"].as_object().unwrap();
        assert!(prints.values().all(Value::is_string));
    }
}

#[test]
fn errors_are_grouped_when_asked_for_or_when_nothing_crashes() {
    let env = inputs();
    let run = env.run(command(&["--errors", "--no-reduce"]));
    run.assert_code(0);
    assert!(
        run.stdout.contains("error: a name is missing after"),
        "{run}"
    );
    let only_errors = TestEnv::new()
        .script("parser", PARSER)
        .file("crashes/h.js", "let = 5;\n");
    let run = only_errors.run(command(&["--no-reduce"]));
    run.assert_code(0);
    assert!(run.stdout.contains("1 group\n"), "{run}");
}

#[test]
fn hostile_names_and_unreadable_files_do_not_stop_it() {
    let env = inputs();
    let strange = OsStr::from_bytes(b"crashes/\xff\x1b[31m\nx,id:1 '$(touch owned)'.js");
    fs::write(env.path(strange), "a = [[0]];\n").unwrap();
    std::os::unix::fs::symlink("nowhere", env.path("crashes/dangling.js")).unwrap();
    fs::write(env.path("crashes/empty.js"), "").unwrap();
    fs::write(env.path("crashes/.hidden"), "[[").unwrap();
    let run = env.run(command(&["--no-reduce"]));
    run.assert_code(0)
        .assert_says("warning: failed to read crashes/dangling.js: ")
        .assert_says("1 empty file left out");
    assert!(!run.stdout.contains('\x1b'));
    assert!(!env.exists("owned"));
    let report = report(&env);
    assert_eq!(report["counts"]["empty"], 1);
    assert_eq!(report["unreadable"].as_array().unwrap().len(), 1);
    assert_eq!(report["counts"]["crash"], 8);
}

#[test]
fn a_folder_without_failing_inputs_is_told_from_a_mistake() {
    let env = TestEnv::new()
        .script("parser", PARSER)
        .file("crashes/.x", "");
    let says = |env: &TestEnv, code, text: &str| {
        env.run(command(&[])).assert_code(code).assert_says(text);
    };
    says(&env, 3, "no inputs in crashes");
    assert!(!env.exists("crashes.triage"));
    let env = env.file("crashes/i.js", "print(1);\n");
    says(&env, 3, "the command fails on none of 1 inputs");
    let env = env.file("file", "").file("used/notes", "mine");
    env.run(["triage", "file", "--", "./parser", "{}"])
        .assert_code(1)
        .assert_says("it is not a folder");
    env.run(["triage", "crashes", "--", "./parser"])
        .assert_code(1)
        .assert_says("the command does not say where the input goes");
    env.run(["triage", "crashes", "-o", "used", "--", "./parser", "{}"])
        .assert_code(1)
        .assert_says("used exists, and boildown triage did not make it");
    env.run(["triage", "crashes", "--", "./missing", "{}"])
        .assert_code(5);
}

#[test]
fn an_input_that_hangs_is_counted_and_not_reduced() {
    let env = TestEnv::new()
        .script("parser", "exec sleep 1000")
        .file("crashes/a", "x");
    let run = env.run([
        "triage",
        "crashes",
        "--timeout",
        "1",
        "--",
        "./parser",
        "{}",
    ]);
    run.assert_code(0);
    assert!(run.stdout.contains("1 hangs\n1 group\n"), "{run}");
    assert!(run.stdout.contains("timed out"), "{run}");
    let report = report(&env);
    assert_eq!(report["groups"][0]["example"]["state"], "unreduced");
}

#[test]
fn a_flaky_input_has_a_rate() {
    // Fails in every third run.
    let parser = r#"
        echo run >> "$HERE/log"
        [ $(($(wc -l < "$HERE/log") % 3)) -eq 0 ] || exit 0
        echo "x.c:1: f: Assertion 'sometimes' failed." >&2; exit 134"#;
    let env = TestEnv::new()
        .script("parser", parser)
        .file("crashes/a", "x y z")
        .file("log", "run\n");
    let args = [
        "triage",
        "crashes",
        "--no-reduce",
        "--no-sandbox",
        "-j1",
        "--",
        "./parser",
        "{}",
    ];
    let finished = env.run(args);
    finished.assert_code(0);
    let summary = "1 input in crashes: 1 crashes; of those that fail, 1 in some runs only\n";
    assert!(finished.stdout.contains(summary), "{finished}");
    let report = report(&env);
    assert_eq!(report["counts"]["flaky"], 1);
    let input = &report["inputs"][0];
    assert_eq!((&input["hits"], &input["runs"]), (&4.into(), &12.into()));
}
