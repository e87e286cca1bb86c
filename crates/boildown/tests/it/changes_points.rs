//! `boildown changes --points` with programs that speak the protocol.

use std::path::Path;

use crate::env::TestEnv;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/points");

/// Returns an environment with the example of the documentation.
fn example() -> TestEnv {
    let mut env = TestEnv::new();
    for name in ["optimise.py", "points.py", "sums.txt"] {
        env = env.file(name, std::fs::read(Path::new(EXAMPLE).join(name)).unwrap());
    }
    env
}

const COMMAND: [&str; 4] = ["--", "python3", "optimise.py", "sums.txt"];

#[test]
fn the_point_that_breaks_the_example_is_found_at_any_number_of_jobs() {
    let env = example();
    for jobs in ["1", "4"] {
        let args = ["changes", "--points", "OPTIMISE=PATTERN", "--jobs", jobs];
        let run = env.run(args.iter().chain(&COMMAND));
        run.assert_code(0)
            .assert_says("WrongValue")
            .assert_says("1 point of 60")
            .assert_says("1-minimal: no single point can be left out");
        let mut lines = run.stdout.lines();
        assert!(
            lines.next().unwrap().ends_with("  sums.txt:42: cancel"),
            "{run}"
        );
        // The printed line shows the failure, and reports this point only.
        let line = lines.next().unwrap();
        let output = std::process::Command::new("sh")
            .args(["-c", line])
            .current_dir(env.path(""))
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(stderr.matches("bisect-match").count(), 1, "{stderr}");
    }
}

#[test]
fn points_that_break_it_only_together_are_both_found() {
    let env = example().file(
        "two.py",
        "import sys\nfrom points import Points\npoints = Points('TWO')\n\
         on = [name for name in range(200) if points.enabled(f'a.c:{name}')]\n\
         if 17 in on and 140 in on: sys.exit('Conflict: both')\n",
    );
    let run = env.run([
        "changes",
        "--points",
        "TWO=PATTERN",
        "--",
        "python3",
        "two.py",
    ]);
    run.assert_code(0).assert_says("2 points of 200");
    let places: Vec<&str> = (run.stdout.lines().take(2))
        .map(|line| line.split("  ").nth(1).unwrap())
        .collect();
    assert_eq!(places, ["a.c:17", "a.c:140"]);
}

#[test]
fn programs_without_points_and_wrong_ends_are_errors() {
    let env = example().script("silent.sh", "test \"$P\" = n");
    let check = |args: &[&str], code: i32, said: &str| {
        let run = env.run(["changes"].iter().chain(args));
        run.assert_code(code).assert_says(said);
    };
    check(
        &["--points", "P=PATTERN", "--", "./silent.sh"],
        3,
        "reports no points",
    );
    check(
        &["--points", "P=PATTERN", "--", "true"],
        3,
        "with all points enabled, the program is not bad",
    );
    check(
        &["--points", "P=PATTERN", "--", "false"],
        3,
        "with no points enabled, the program is not good",
    );
    check(&["--points", "P=x", "--", "false"], 1, "has no PATTERN");
    check(
        &["--points", "PATTERN", "--", "false"],
        1,
        "names no variable",
    );
}
