//! `boildown stage`: the first stage of a pipeline that fails, and its input.

use crate::env::{Finished, HAYSTACK, TestEnv, has};

/// A pipeline of two tools. The second one fails on a needle; `all` runs both.
fn pipeline() -> TestEnv {
    TestEnv::new()
        .file("in.txt", HAYSTACK)
        .script("upper", "tr a-z A-Z <\"$1\" >\"$2\"")
        .script(
            "check",
            "if grep -q NEEDLE \"$1\"; then echo 'fatal: needle found' >&2; exit 3; fi",
        )
        .script(
            "all",
            "\"${0%/*}\"/upper \"$1\" tmp && \"${0%/*}\"/check tmp",
        )
}

/// Looks for the stage with these lines, each `NAME=LINE`.
fn stage<'a, const N: usize>(env: &'a TestEnv, stages: [&str; N]) -> Finished<'a> {
    let stages = stages.into_iter().flat_map(|stage| ["--stage", stage]);
    let words = ["stage", "in.txt"].into_iter().chain(stages);
    env.run(words.chain(["--", "./all", "in.txt"]))
}

const UPPER: &str = "upper=./upper {in} {out.txt}";

#[test]
fn the_stage_that_fails_is_named_and_its_input_is_reduced() {
    let env = pipeline();
    let run = stage(&env, [UPPER, "check=./check {in}"]);
    run.assert_code(0).assert_says("to blame: check");
    assert!(env.read("in.stage.txt").contains("HAY NEEDLE HAY"));
    assert_eq!(env.read("in.stage.min.txt").trim(), "NEEDLE");
}

#[test]
fn a_stage_that_fails_in_another_way_is_not_to_blame() {
    let env = pipeline().script("broken", "echo 'error: out of order' >&2; exit 3");
    let run = stage(&env, ["broken=./broken {in}", UPPER, "check=./check {in}"]);
    run.assert_code(3)
        .assert_says("the stage `broken` fails, but not as the command does");
    let run = stage(&env, [UPPER]);
    run.assert_code(3).assert_says("every stage passes");
}

#[test]
fn a_command_whose_stages_are_not_known_needs_them() {
    let env = pipeline();
    let run = stage(&env, []);
    run.assert_code(1)
        .assert_says("the stages of the command are not known")
        .assert_says("--stage NAME=");
    let run = stage(&env, ["check"]);
    run.assert_code(1).assert_says("there is no `=`");
}

#[test]
fn the_preprocessor_of_a_compiler_passes_and_its_compiler_is_to_blame() {
    if !has("gcc") {
        eprintln!("skipped: there is no gcc");
        return;
    }
    let source = "#define BAD wrong\nint main(void) { return 0; }\nint f(void) { return BAD; }\n";
    let env = TestEnv::new().file("in.c", source);
    let run = env.run(["stage", "in.c", "--no-reduce", "--", "gcc", "-c", "in.c"]);
    run.assert_code(0)
        .assert_says("passed: preprocessor")
        .assert_says("to blame: compiler");
    assert!(env.read("in.stage.i").contains("return wrong"));
}

#[test]
fn the_pass_of_opt_that_crashes_is_found() {
    if !has("opt-14") {
        eprintln!("skipped: there is no opt-14");
        return;
    }
    // https://github.com/llvm/llvm-project/issues/56882
    let module = "define void @f() {\na:\n  br label %b\n\nb:\n  \
                  %p = phi i64 [ -1317805584074026212, %a ], [ -158622699357888703, %b ]\n  \
                  switch i64 %p, label %b [\n  ]\n}\n";
    let env = TestEnv::new().file("in.ll", module);
    let passes = "-passes=sroa,dfa-jump-threading,gvn";
    let run = env.run(["stage", "in.ll", "--", "opt-14", passes, "-S", "in.ll"]);
    run.assert_code(0)
        .assert_says("to blame: optimizer, passes function(dfa-jump-threading)");
    assert!(env.read("in.stage.min.ll").contains("switch i64"));
}
