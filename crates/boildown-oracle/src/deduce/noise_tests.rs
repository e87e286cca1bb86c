//! Lines that look like what is printed beside a failure, and are the failure, or the reverse.

use super::Deduction;
use super::tests::failed;
use crate::Outcome;

#[test]
fn a_message_of_a_program_whose_name_is_a_common_header_is_no_noise() {
    for message in [
        "target: internal error: bad depth",
        "date: invalid date",
        "host: couldn't get address",
        "time: cannot run",
        "run: error: bad depth",
        "Parsing failed",
        "Parsing error: unclosed group",
        "Loading module: no such thing",
        "use of undeclared name",
        "unsupported version: 3",
        "Result: WRONG",
        "Tests: mismatch in case 7",
        "Running stage 3 failed",
    ] {
        let run = failed(
            Outcome::Exited(1),
            b"t b.txt\n",
            format!("{message}\n").as_bytes(),
        );
        let property = Deduction::of_run(&run).unwrap().property().flags();
        assert!(
            property.starts_with("--exit 1 --stderr"),
            "{message}: {property}"
        );
    }
    for header in [
        "Target: x86_64",
        "Date: Monday",
        "Running tests/error.c",
        "Run with --errors",
    ] {
        let run = failed(
            Outcome::Exited(1),
            b"",
            format!("{header}\nbad depth\n").as_bytes(),
        );
        let property = Deduction::of_run(&run).unwrap().property().flags();
        assert_eq!(property, "--exit 1 --stderr '^bad depth$'");
    }
}

#[test]
fn a_code_that_is_the_number_of_errors_is_left_open() {
    let flags = |code: i32, printed: &str| {
        let run = failed(Outcome::Exited(code), b"", printed.as_bytes());
        Deduction::of_run(&run).unwrap().property().flags()
    };
    let three = "v: error: bad a\nv: syntax error\nv: error: bad b\n";
    assert!(flags(3, three).starts_with("--exit nonzero "));
    assert!(flags(4, three).starts_with("--exit 4 "));
    assert!(flags(5, "v: bad tag\n5 issues found\n").starts_with("--exit nonzero "));
    assert!(flags(2, "v: bad tag\nv: bad item\n").starts_with("--exit 2 "));
}

#[test]
fn a_closing_line_about_errors_or_warnings_is_not_the_failure() {
    for closing in [
        "qpdf: operation succeeded with warnings",
        "compile: warnings being treated as errors",
        "tar: Exiting with failure status due to previous errors",
        "Transcript written on a.log.",
    ] {
        let printed = format!("t: skipping to the next header\n{closing}\n");
        let run = failed(Outcome::Exited(3), b"", printed.as_bytes());
        let property = Deduction::of_run(&run).unwrap().property().flags();
        assert_eq!(
            property,
            "--exit 3 --stderr '^t: skipping to the next header$'"
        );
    }
}
