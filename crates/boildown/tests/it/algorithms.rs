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
