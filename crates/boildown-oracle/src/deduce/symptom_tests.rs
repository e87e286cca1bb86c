//! Tests of symptoms with the output of test runners and of own scripts.

use std::time::Duration;

use super::*;
use crate::Outcome;

fn run(output: &str) -> Run {
    Run {
        outcome: Outcome::Exited(1),
        stdout: output.as_bytes().to_vec(),
        stderr: Vec::new(),
        took: Duration::ZERO,
    }
}

/// Checks whether a run that prints `other` lacks what runs on the failing state print.
#[track_caller]
fn check(failing: &[&str], other: &str, missing: Option<&str>) {
    let failing: Vec<Run> = failing.iter().map(|output| run(output)).collect();
    let symptom = Symptom::of_runs(&failing);
    let other = [run(other)];
    let found = symptom.missing_in(&other).map(|(line, _)| line);
    assert_eq!(found, missing, "{symptom:?}");
}

#[test]
fn a_value_that_all_runs_print_is_part_of_the_failure() {
    let bad = "AssertionError: total is 15\n";
    check(&[bad, bad], "AssertionError: total is 15\n", None);
    check(
        &[bad, bad],
        "AssertionError: total is 0\n",
        Some("AssertionError: total is 15"),
    );
    let long = format!("error: {} 15\n", "word ".repeat(60));
    check(
        &[&long, &long],
        &long.replace("15", "16"),
        Some(long.trim()),
    );
}

#[test]
fn a_list_of_tests_is_no_report_of_the_first_one() {
    let mocha = "  total\n    1) adds tax\n    2) is empty\n\n  0 passing (5ms)\n  2 failing\n\n\
        \x20 1) total\n       adds tax:\n\n      AssertionError [ERR_ASSERTION]: 43 == 33\n\n\
        \x20 2) total\n       is empty:\n\n      AssertionError [ERR_ASSERTION]: 7 == 0\n";
    check(
        &[mocha, mocha],
        &mocha.replace("43", "37"),
        Some("AssertionError [ERR_ASSERTION]: 43 == 33"),
    );
    check(&[mocha, mocha], &mocha.replace("7 == 0", "1 == 0"), None);
    assert_eq!(crate::failing_tests(&run(mocha)).len(), 1);
}

#[test]
fn what_a_test_prints_elsewhere_than_its_report_counts() {
    let perl = "1..2\nnot ok 1 - joins\nok 2 - sep\n";
    let with_value = |value: &str| Run {
        stderr: format!("#   Failed test 'joins'\n#          got: '{value}'\n").into_bytes(),
        ..run(perl)
    };
    let symptom = Symptom::of_runs(&[with_value("A;B"), with_value("A;B")]);
    let other = [with_value("A,B")];
    let missing = symptom.missing_in(&other).map(|(line, _)| line);
    assert_eq!(missing, Some("#          got: 'A;B'"));
}

#[test]
fn values_on_the_lines_after_the_message_count() {
    let rust = "---- tests::sum stdout ----\nthread 'tests::sum' panicked at src/lib.rs:9:9:\n\
        assertion `left == right` failed\n  left: 15\n right: 12\nnote: run with RUST_BACKTRACE\n\n\
        failures:\n    tests::sum\n";
    check(
        &[rust, rust],
        &rust.replace("left: 15", "left: 0"),
        Some("left: 15"),
    );
    let node = "t.js:2\nassert.strictEqual(f(), 4);\n       ^\n\nAssertionError: Expected values to \
        be strictly equal:\n\n'costs 2' !== 'costs 4'\n\n    at Object.<anonymous> (/tmp/a/t.js:2:8)\n";
    check(
        &[node, node],
        &node.replace("costs 2", "costs nothing"),
        Some("'costs 2' !== 'costs 4'"),
    );
    check(&[node, node], &node.replace("t.js:2", "t.js:14"), None);
}

#[test]
fn what_differs_between_runs_is_left_open() {
    check(
        &["total is 15, seed 83\n", "total is 15, seed 12\n"],
        "total is 15, seed 4\n",
        None,
    );
    check(
        &["total is 15, seed 83\n", "total is 15, seed 12\n"],
        "total is 16, seed 83\n",
        Some("total is 15, seed 83"),
    );
    check(&["cc -c a.c\nbad 1\n", "bad 1\n"], "bad 1\n", None);
}

#[test]
fn places_and_times_are_no_part_of_the_failure() {
    let bad = "12:00:01 /tmp/one/a.py:3: bad value 7 at 0x7f12 (0.03s) after 12 ms\n";
    let other = "13:10:09 /var/two/a.py:19: bad value 7 at 0x1234 (1.2s) after 7 ms\n";
    check(&[bad, bad], other, None);
    let traceback = |line, source| {
        format!(
            "Traceback (most recent call last):\n  File \"a.py\", line {line}, in f\n    {source}\n\
             \u{20}   ~~~^~~\nKeyError: 'tea'\n"
        )
    };
    let bad = traceback(3, "a = b[c]");
    check(&[&bad, &bad], &traceback(9, "aa = b[cc]"), None);
}

#[test]
fn only_the_test_that_failed_first_counts() {
    let pytest = |got, more: &str| {
        format!(
            "____ test_sum ____\n\n    def test_sum():\n>       assert sum() == 3\n\
             E       assert {got} == 3\nE        +  where {got} = sum()\n\nt.py:4: AssertionError\n\
             {more}=== short test summary info ===\nFAILED t.py::test_sum - assert {got} == 3\n"
        )
    };
    let both = pytest(4, "____ test_b ____\n\nE       assert 7 == 8\n");
    check(&[&both, &both], &pytest(4, ""), None);
    check(
        &[&both, &both],
        &pytest(5, ""),
        Some("E       assert 4 == 3"),
    );
}

#[test]
fn what_some_runs_print_that_succeed_is_left_out() {
    let bad = run("pricing v2\ntotal 15\n");
    let mut symptom = Symptom::of_runs(&[bad.clone(), bad]);
    symptom.leave_out(&[run("pricing v1\ntotal 12\n"), run("pricing v2\ntotal 12\n")]);
    assert_eq!(symptom.missing_in(&[run("total 15\n")]), None);
    assert_eq!(
        symptom.missing_in(&[run("total 0\n")]),
        Some(("total 15", Some("total 0".to_owned())))
    );
}

#[test]
fn what_all_runs_print_is_printed_before_the_failure() {
    let bad = run("loaded\nno name\n");
    let mut symptom = Symptom::of_runs(&[bad.clone(), bad]);
    symptom.leave_out(&[run("loaded\n"), run("loaded\nready\n")]);
    assert_eq!(
        symptom.missing_in(&[run("no name\n")]),
        Some(("loaded", None))
    );
}
