//! Listing, choosing and comparing algorithms.

use crate::env::{FINDS_NEEDLE, NEEDLE, TestEnv};

#[test]
fn every_algorithm_is_listed_with_its_guarantee() {
    let listed = TestEnv::new()
        .run(["algorithms"])
        .assert_code(0)
        .stdout
        .clone();
    for name in [
        "  halving\n",
        "  ddmin\n",
        "  hdd*\n",
        "  dd+\n",
        "  binary reduction\n",
    ] {
        assert!(listed.contains(name), "{name}");
    }
    assert!(listed.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn any_algorithm_under_any_schedule_reduces_a_file() {
    let program = "int a;\nint f(int x) {\n    return x + needle;\n}\nint b[3];\n";
    for (algorithm, schedule) in [
        ("ddmin", "hdd"),
        ("probdd:sigma=0.25", "perses"),
        ("cdd", "pardis-hybrid"),
        ("wddmin", "hddr:pop=first"),
        ("adaptive", "hdd*"),
        ("pma", "boildown"),
    ] {
        let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", program);
        let chosen = ["--algorithm", algorithm, "--schedule", schedule];
        let finished = env.reduce([&["in.c", "--test", "test.sh"], &chosen[..]].concat());
        finished.assert_code(0).assert_says("1-minimal: ");
        assert_eq!(
            env.read("in.min.c").trim(),
            NEEDLE,
            "{algorithm}, {schedule}"
        );
    }
}

/// The example of `docs/algorithms.md`.
const OWN_ALGORITHM: &str = include_str!("../../../../examples/own_algorithm.py");

#[test]
fn an_algorithm_in_a_program_of_its_own_reduces_a_file() {
    let program = "int a;\nint f(int x) {\n    return x + needle;\n}\nint b[3];\n";
    for jobs in ["1", "3"] {
        let env = TestEnv::with_test(FINDS_NEEDLE)
            .file("in.c", program)
            .file("mine.py", OWN_ALGORITHM);
        let args = ["in.c", "--test", "test.sh", "--jobs", jobs];
        let algorithm = ["--algorithm", "exec:python3 mine.py"];
        let finished = env.reduce([&args[..], &algorithm[..]].concat());
        finished.assert_code(0).assert_says("1-minimal: ");
        assert_eq!(env.read("in.min.c").trim(), NEEDLE, "{jobs}");
    }
}

#[test]
fn an_algorithm_that_fails_ends_the_reduction_and_what_was_found_is_kept() {
    let program = "int a;\nint f(int x) {\n    return x + needle;\n}\nint b[3];\n";
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", program).file(
        "mine.py",
        OWN_ALGORITHM.replace("holds(shorter)", "holds(shorter + [7000])"),
    );
    let args = ["in.c", "--test", "test.sh", "--jobs", "1"];
    let algorithm = ["--algorithm", "exec:python3 mine.py"];
    let finished = env.reduce([&args[..], &algorithm[..]].concat());
    finished
        .assert_code(5)
        .assert_says("failed to use the algorithm `python3 mine.py`: it named the element 7000");
    assert!(env.read("in.min.c").contains("needle"));
}

/// Returns the example with an algorithm of its own, if it was built with this program: an older
/// one is left over.
#[cfg(feature = "lab")]
fn own_example() -> Option<std::path::PathBuf> {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_boildown"));
    let example = program.with_file_name("examples/own_algorithm");
    let built = |path: &std::path::Path| path.metadata().ok()?.modified().ok();
    let build = std::time::Duration::from_secs(600);
    (built(&example)? + build >= built(program)?).then_some(example)
}

#[cfg(feature = "lab")]
#[test]
fn an_algorithm_of_the_example_is_one_of_every_command() {
    let Some(example) = own_example() else {
        eprintln!("skipped: `cargo test -p boildown --features lab` builds the example first");
        return;
    };
    let program = "int a;\nint f(int x) {\n    return x + needle;\n}\nint b[3];\n";
    let env = TestEnv::with_test(FINDS_NEEDLE)
        .file("in.c", program)
        .file("one/in.c", program)
        .file("one/subject.json", r#"{"name": "one", "input": "in.c"}"#)
        .script("one/test.sh", "grep -q needle in.c");
    let run = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        env.run_other(&example, &args).assert_code(0).stdout.clone()
    };
    run("reduce in.c --test test.sh --algorithm square-roots");
    assert_eq!(env.read("in.min.c").trim(), NEEDLE);
    run("lab record one");
    let replayed =
        run("lab replay one.jsonl --subjects . --algorithm ddmin --algorithm square-roots");
    assert!(replayed.contains("square-roots"), "{replayed}");
    assert!(run("algorithms").contains("  square-roots\n"));
}

#[test]
fn an_unknown_algorithm_is_explained() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    for (option, value, complaint) in [
        (
            "--algorithm",
            "ddmax",
            "there is no `ddmax` among halving, group-testing, adaptive, sweep, ddmin",
        ),
        (
            "--algorithm",
            "probdd:sigma=7",
            "sigma has to be a probability between 0 and 1",
        ),
        (
            "--schedule",
            "hdd2",
            "there is no `hdd2` among boildown, hdd",
        ),
    ] {
        let finished = env.reduce(["in.txt", "--test", "test.sh", option, value]);
        finished.assert_code(1).assert_says(complaint);
    }
}
