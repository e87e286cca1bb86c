//! The smallest parts that a reduction deletes, and selections of passes that have nothing to do.

use crate::env::{FINDS_NEEDLE, HAYSTACK, TestEnv};

const PROGRAM: &str = "\
int unused(int a) {
    return a;
}
int main(void) {
    if (unused(1)) {
        int needle = 12345;
    } else {
        return 3;
    }
    return 0;
}
";

#[test]
fn whole_lines_are_kept() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", PROGRAM);
    let run = env.reduce(["in.c", "--units", "lines", "--test", "test.sh"]);
    run.assert_code(0)
        .assert_says("1-minimal: no single line can be removed");
    assert_eq!(env.read("in.min.c"), "        int needle = 12345;\n");
}

#[test]
fn lines_that_need_each_other_go_together() {
    // A check of the brackets stands for a compiler.
    let script = r#"grep -q needle "$1" || exit 1
test "$(tr -cd '{' < "$1" | wc -c)" = "$(tr -cd '}' < "$1" | wc -c)" && grep -q main "$1""#;
    let env = TestEnv::with_test(script).file("in.c", PROGRAM);
    let run = env.reduce(["in.c", "--units", "lines", "--test", "test.sh"]);
    run.assert_code(0);
    assert_eq!(
        env.read("in.min.c"),
        "int main(void) {\n        int needle = 12345;\n}\n"
    );
}

#[test]
fn bytes_take_tokens_apart() {
    let env = TestEnv::with_test("grep -q eed \"$1\"").file("in.c", PROGRAM);
    let tokens = env.reduce(["in.c", "--passes=-rewriting", "--test", "test.sh"]);
    tokens.assert_code(0);
    assert_eq!(env.read("in.min.c").trim(), "needle");
    let args = [
        "in.c",
        "--passes=-rewriting",
        "--units",
        "bytes",
        "-o",
        "b.c",
        "--test",
        "test.sh",
    ];
    env.reduce(args)
        .assert_code(0)
        .assert_says("1-minimal: no single byte can be removed");
    assert_eq!(env.read("b.c"), "eed");
}

#[test]
fn the_pass_over_lines_runs_on_small_inputs_when_it_is_named() {
    for name in ["in.c", "other.txt"] {
        let env = TestEnv::with_test(FINDS_NEEDLE).file(name, PROGRAM);
        let run = env.reduce([
            name,
            "--passes=lines",
            "--output",
            "result",
            "--test",
            "test.sh",
        ]);
        run.assert_code(0);
        assert_eq!(env.read("result"), "        int needle = 12345;\n");
    }
}

#[test]
fn a_selection_of_passes_that_has_nothing_to_do_is_an_error_with_its_reason() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", PROGRAM);
    for (passes, reason) in [
        ("--passes=spaces", "`spaces` runs with --compact only"),
        (
            "--passes=rewriting-names",
            "`rewriting-names` runs with --rename only",
        ),
        (
            "--passes=openings",
            "`openings` runs on inputs of fewer than 128 bytes",
        ),
    ] {
        let run = env.reduce(["in.c", passes, "--test", "test.sh"]);
        run.assert_code(1)
            .assert_says("error: the selected passes can do nothing with in.c")
            .assert_says(reason);
        assert!(!env.exists("in.min.c"));
    }
}

#[test]
fn runs_with_other_units_are_other_runs() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    env.reduce(["in.txt", "--test", "test.sh"]).assert_code(0);
    let run = env.reduce(["in.txt", "--units", "lines", "--force", "--test", "test.sh"]);
    run.assert_says("cannot resume: --units changed since the last run");
    let run = env.reduce([
        "in.txt", "--units", "tokens", "--force", "--test", "test.sh",
    ]);
    run.assert_says("resumed: ");
    assert_eq!(env.read("in.txt"), HAYSTACK);
}
