//! The sandbox of commands, and how it is loosened.

use insta::assert_snapshot;

use crate::env::{NEEDLE, TestEnv};

/// Runs `boildown reduce` in an environment whose home directory is the only place that a command
/// can want to write to.
#[track_caller]
fn reduce(env: &TestEnv, args: &[&str]) -> (i32, String) {
    let output = env
        .command()
        .env_remove("BOILDOWN_WRITABLE")
        .args(["reduce", "in.txt"])
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let said = said.replace(env.path("").to_str().unwrap(), "$HERE/");
    (output.status.code().unwrap(), said)
}

#[test]
fn a_half_reduced_script_cannot_delete_the_home_directory() {
    // Without the definition of `dir`, this deletes the home directory.
    let env = TestEnv::new()
        .file("in.sh", "#!/bin/sh\ndir=$PWD/build\nmkdir -p $dir\necho needle\nrm -rf $HOME/$dir/* $HERE/precious\nexit 3\n")
        .mode("in.sh", 0o755)
        .file("precious/thesis.tex", "everything");
    let (code, said) = {
        let output = env
            .command()
            .env("HOME", env.path("precious"))
            .env_remove("BOILDOWN_WRITABLE")
            .args([
                "reduce", "in.sh", "--exit", "3", "--stdout", "needle", "--", "./in.sh",
            ])
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(env.read("precious/thesis.tex"), "everything");
    assert!(!env.read("in.min.sh").contains("rm -rf"));
}

#[test]
fn the_sandbox_is_loosened_for_a_test_that_needs_it_with_a_note() {
    let env = TestEnv::with_test("echo run >>$HERE/log || exit 9; grep -q needle $1");
    let (code, said) = reduce(&env, &["--test", "test.sh"]);
    assert_eq!(code, 0, "{said}");
    // The tests usually run in a directory for temporary files.
    assert!(
        said.contains("this is allowed; such files are not cleaned up")
            || said.contains("--writable PATH"),
        "{said}"
    );
    assert_eq!(env.read("in.min.txt"), NEEDLE);
    for flags in [&["--writable", "."][..], &["--no-sandbox"]] {
        let (code, said) = reduce(&env, &[&["--test", "test.sh"], flags].concat());
        assert_eq!(code, 0, "{said}");
        assert_eq!(env.read("in.min.txt"), NEEDLE);
    }
}

#[test]
fn a_failure_caused_by_the_sandbox_is_not_deduced_as_the_property() {
    let env = TestEnv::new()
        .file("in.txt", "one\nneedle\ntwo\n")
        .script(
            "tool.sh",
            "echo >$HERE/cache || { echo 'error: no cache' >&2; exit 1; }; grep -q needle $1 && { echo 'error: found a needle' >&2; exit 1; }",
        );
    let (code, said) = reduce(&env, &["--", "./tool.sh", "{}"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("preserving: exits with 1\n") && said.contains("found a needle"),
        "{said}"
    );
}

#[test]
fn a_property_that_holds_nowhere_is_not_blamed_on_the_sandbox() {
    let env = TestEnv::with_test("exit 1");
    let (code, said) = reduce(&env, &["--test", "test.sh"]);
    assert_eq!(code, 3, "{said}");
    assert!(!said.contains("sandbox"), "{said}");
}

#[test]
fn a_run_that_exceeds_the_memory_limit_is_reported() {
    let env = TestEnv::with_test(
        "grep -q needle $1 || exit 1; head -c 300000000 /dev/zero | tail | sleep 1000",
    );
    let (code, said) = reduce(&env, &["--test", "test.sh", "--memory", "100M"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("the command used too much memory"), "{said}");
    assert!(said.contains("--memory raises the memory limit"), "{said}");
}

#[test]
fn a_candidate_that_exceeds_the_memory_limit_is_not_interesting() {
    // Without the first line, it fills the memory.
    let env = TestEnv::with_test(
        "grep -q needle $1 || exit 1; grep -q one $1 || head -c 300000000 /dev/zero | tail | sleep 1000; exit 0",
    )
    .file("in.txt", "one\nneedle\ntwo\nthree\n");
    let (code, said) = reduce(&env, &["--test", "test.sh", "--memory", "100M"]);
    assert_eq!(code, 0, "{said}");
    let result = env.read("in.min.txt");
    assert!(
        result.contains("one") && !result.contains("two"),
        "{result}"
    );
}

#[test]
fn invalid_amounts_of_memory_are_explained() {
    let env = TestEnv::with_test("exit 0");
    for wrong in ["0", "12", "-1G", "lots", "99999999999G"] {
        let (code, said) = reduce(&env, &["--test", "test.sh", &format!("--memory={wrong}")]);
        assert_eq!(code, 1, "{said}");
        assert!(
            said.contains("not an amount of memory, such as 500M or 8G"),
            "{said}"
        );
    }
    let (code, said) = reduce(&env, &["--test", "test.sh", "--writable", "nowhere"]);
    assert_eq!(code, 1);
    assert_snapshot!(said, @"error: failed to open the writable path nowhere: No such file or directory (os error 2)");
}

#[test]
fn a_test_that_replaces_the_output_by_a_link_cannot_redirect_writes() {
    let env = TestEnv::with_test("ln -sf precious $HERE/in.min.txt; grep -q needle $1")
        .file("precious", "everything");
    env.reduce(["in.txt", "--test", "test.sh", "--jobs", "1"])
        .assert_code(0);
    assert_eq!(env.read("precious"), "everything");
}
