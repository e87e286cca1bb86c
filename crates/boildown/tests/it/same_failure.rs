//! Results that still show the failure of the input, and not another one that has the property too.

use serde_json::json;

use crate::env::TestEnv;

/// The property holds on calls of `f`, and by accident on a lone brace.
const ALSO_BRACE: &str = r#"grep -q 'f(' "$1" || test "$(cat "$1")" = '{'"#;

#[test]
fn a_trivial_input_is_mentioned_and_is_not_the_result() {
    let env =
        TestEnv::with_test(ALSO_BRACE).file("in.c", "int main() {\n    return f(1) + g(2);\n}\n");
    let run = env.reduce(["in.c", "--test", "test.sh"]);
    run.assert_code(0)
        .assert_says("1-minimal")
        .assert_says("a different, trivial input also has the property: \"{\" (--allow-trivial");
    assert_eq!(env.read("in.min.c").trim(), "f(");

    let run = env.reduce(["in.c", "--test", "test.sh", "--json"]);
    assert_eq!(
        run.events().last().unwrap()["trivial"],
        json!("{"),
        "also when resumed"
    );

    let run = env.reduce(["in.c", "--test", "test.sh", "--allow-trivial", "-o", "t.c"]);
    run.assert_code(0);
    assert_eq!(env.read("t.c"), "{");
}

#[test]
fn a_result_as_small_as_a_trivial_input_needs_no_mention() {
    let env = TestEnv::with_test("grep -q '{' \"$1\"").file("in.c", "int main() {\n    f(1);\n}\n");
    let run = env.reduce(["in.c", "--test", "test.sh"]);
    run.assert_code(0);
    assert!(!run.stderr.contains("trivial"), "{run}");
    assert_eq!(env.read("in.min.c").trim(), "{");
}

/// Fails by an assertion about the depth on texts with both letters, and by one about the width on
/// those with `B` only.
const TWO_FORMS: &str = r#"grep -q B "$1" || exit 0
what=width
grep -q A "$1" && what=depth
echo "tool.c:12: parse: Assertion \`$what > 0' failed." >&2
exit 134"#;

/// Wraps each error in the same one: that of a number on texts with both letters, and that of a
/// value on those with `B` only.
const WRAPPED: &str = r#"grep -q B "$1" || exit 0
what=value
grep -q A "$1" && what=number
printf 'Exception in thread "main" a.LoadError: no plan\n\tat a.Main.main(Main.java:9)\n' >&2
printf 'Caused by: a.RowError: no %s\n\tat a.Row.read(Row.java:3)\n\t... 1 more\n' $what >&2
exit 1"#;

#[test]
fn the_cause_of_a_wrapped_error_is_preserved_or_its_change_is_named() {
    let env = TestEnv::new()
        .script("tool", WRAPPED)
        .file("in.txt", "one\nA\ntwo\nB\nthree\n");
    let run = env.reduce(["in.txt", "--", "./tool", "in.txt"]);
    assert!(!run.assert_code(0).stderr.contains("the failure changed"));
    let result = env.read("in.min.txt");
    assert!(result.contains('A') && result.contains('B'), "{result}");
    let stated = [
        "in.txt", "--exit", "1", "-o", "t.txt", "--", "./tool", "in.txt",
    ];
    env.reduce(stated).assert_code(0).assert_says(
        "since:  a.LoadError: no plan, caused by a.RowError: no value in a.Row.read (exited with 1)",
    );
}

#[test]
fn the_step_at_which_the_failure_changed_is_named_and_refused_on_request() {
    let env = TestEnv::new()
        .script("tool", TWO_FORMS)
        .file("in.txt", "one\nA\ntwo\nB\nthree\n");
    let property = ["--stderr", "Assertion .* failed", "--", "./tool", "in.txt"];
    let run = env.reduce(["in.txt"].iter().chain(&property));
    run.assert_code(0)
        .assert_says("the failure changed at step ")
        .assert_says("--strict refuses such steps")
        .assert_says("before: tool.c:N: parse: Assertion `depth > N' failed (exited with 134)")
        .assert_says("since:  tool.c:N: parse: Assertion `width > N' failed (exited with 134)");
    assert_eq!(env.read("in.min.txt"), "B");

    let strict = ["in.txt", "--strict", "-o", "strict.txt"];
    let run = env.reduce(strict.iter().chain(&property));
    run.assert_code(0);
    assert!(!run.stderr.contains("the failure changed"), "{run}");
    assert_eq!(env.read("strict.txt"), "AB");

    let json = ["in.txt", "--json", "--fresh"];
    let run = env.reduce(json.iter().chain(&property));
    let events = run.events();
    let changed = &events.last().unwrap()["changed_form"];
    assert!(changed["step"].as_u64() >= Some(1), "{changed}");
    assert!(changed["after"].as_str().unwrap().contains("width"));
    let kept = changed["kept"].as_str().unwrap();
    assert!(env.read(kept).contains('A'), "{}", env.read(kept));
}

/// Aborts on texts with both letters, and reports an error on those with `B` only.
const ABORTS_OR_COMPLAINS: &str = r#"grep -q B "$1" || exit 0
if grep -q A "$1"; then
    echo "tool.c:12: parse: Assertion \`depth > 0' failed." >&2
    exit 134
fi
echo "error: the letter A is missing" >&2
exit 1"#;

#[test]
fn everything_that_shows_a_reduction_says_at_which_step_the_failure_changed() {
    let env = TestEnv::new()
        .script("target.sh", ABORTS_OR_COMPLAINS)
        .file("in.txt", "one\nA\ntwo\nB\nthree\n");
    let weak = ["in.txt", "--exit", "nonzero", "--", "./target.sh", "in.txt"];
    let terminal = env.reduce(weak).assert_code(0).stderr.clone();
    assert_eq!(env.read("in.min.txt"), "B");
    let (_, step) = terminal.split_once("changed at step ").expect(&terminal);
    let (step, _) = step.split_once(' ').unwrap();

    let history = env.run(["history"]).assert_code(0).stdout.clone();
    let explained = env.run(["explain"]).assert_code(0).stdout.clone();
    env.run(["report", "-o", "page.html"]).assert_code(0);
    let markdown = env.run(["report", "--format", "markdown"]).stdout.clone();
    env.run(["report", "--bug"]).assert_code(0);
    let bug = env.read("in.min.txt.bug/README.md");
    assert!(
        bug.starts_with("# error: the letter A is missing\n"),
        "{bug}"
    );

    let said = format!("changed at step {step} of ");
    for text in [
        &terminal,
        &history,
        &explained,
        &env.read("page.html"),
        &markdown,
        &bug,
    ] {
        assert!(text.contains(&said), "{said} is not in {text}");
    }
    let json = env.run(["report", "--format", "json"]).stdout.clone();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let changed = &json["changed_form"];
    assert_eq!(changed["step"].to_string(), step);
    let kept = changed["kept"].as_str().unwrap();
    assert!(terminal.contains(kept) && env.read(kept).contains('A'));

    let restore = changed["restore"].as_str().unwrap();
    for text in [
        &history,
        &explained,
        &env.read("page.html"),
        &markdown,
        &bug,
    ] {
        assert!(text.contains(restore), "{restore} is not in {text}");
    }
    let words: Vec<&str> = restore.split(' ').skip(1).collect();
    env.run(words).assert_code(0);
    assert!(env.read("in.min.txt").contains('A'));

    // A session that only repeats what is known has seen no step.
    env.reduce(weak).assert_code(0);
    assert!(env.run(["history"]).stdout.contains(&said));
}

#[test]
fn a_redacted_bug_report_does_not_show_the_failure_as_it_was_before() {
    let env = TestEnv::new()
        .script("target.sh", ABORTS_OR_COMPLAINS)
        .file("in.txt", "one\nA\ntwo\nB\nthree\n");
    let words = [
        "in.txt",
        "--redact",
        "--exit",
        "nonzero",
        "--",
        "./target.sh",
        "in.txt",
    ];
    env.reduce(words)
        .assert_code(0)
        .assert_says("the failure changed at step ");
    env.run(["report", "in.txt", "--bug", "--redact"])
        .assert_code(0);
    let bug = env.read("in.min.txt.bug/README.md");
    assert!(!bug.contains("depth"), "{bug}");
}

/// Reports a missing name on texts with `A`, and a syntax error as well on those without `;`.
const TWO_ERRORS: &str = r#"grep -q A "$1" || exit 0
echo "in.txt:1: error: no name 'A'"
grep -q ';' "$1" || echo "in.txt:2: error: expected ';' at end of input"
exit 1"#;

#[test]
fn candidates_with_new_errors_are_left_out_by_default() {
    let env = TestEnv::new()
        .script("tool", TWO_ERRORS)
        .file("in.txt", "one\nA\ntwo\n;\nthree\n");
    let run = env.reduce(["in.txt", "--", "./tool", "in.txt"]);
    run.assert_code(0)
        .assert_says("candidates with other kinds of errors are left out (--loose accepts them)")
        .assert_says(
            "a candidate of 1 byte fails like that too, but also with an error that the input \
             does not have (--loose accepts it): expected '…' at end of input",
        )
        .assert_says("1-minimal with restrictions: no single byte can be removed")
        .assert_says("(without an error that the input does not have)");
    assert_eq!(env.read("in.min.txt"), "A;");

    let loose = [
        "in.txt",
        "--loose",
        "-o",
        "loose.txt",
        "--",
        "./tool",
        "in.txt",
    ];
    env.reduce(loose)
        .assert_code(0)
        .assert_says("the failure changed at step ");
    assert_eq!(env.read("loose.txt"), "A");

    let stated = [
        "in.txt",
        "--stdout",
        "no name",
        "-o",
        "stated.txt",
        "--",
        "./tool",
        "in.txt",
    ];
    env.reduce(stated)
        .assert_code(0)
        .assert_says("before: errors: no name '…' (exited with 1)")
        .assert_says("since:  errors: expected '…' at end of input; no name '…' (exited with 1)");
    assert_eq!(env.read("stated.txt"), "A");
}

#[test]
fn the_end_of_a_run_is_no_change_when_its_time_is_the_property() {
    // Ends by itself a little after the time that counts as a hang, on short texts.
    let sleeps = "test $(wc -c < \"$1\") -gt 9 && exec sleep 9; grep -q A \"$1\" && sleep 0.45";
    let env = TestEnv::with_test(sleeps).file("in.txt", "one\nA\ntwo\n");
    let run = env.reduce(["in.txt", "--hangs", "400ms", "--", "./test.sh", "in.txt"]);
    run.assert_code(0).assert_says("measured: wall time ");
    assert!(!run.stderr.contains("the failure changed"), "{run}");
    assert_eq!(env.read("in.min.txt").trim(), "A");
}

#[test]
fn strict_says_when_it_has_little_to_compare() {
    let env = TestEnv::with_test("grep -q needle \"$1\"");
    let run = env.reduce(["in.txt", "--strict", "--test", "test.sh"]);
    run.assert_code(0)
        .assert_says("so --strict compares only how runs end");
}
