//! Candidates that other programs propose.

use crate::env::TestEnv;

/// A test that holds on the input, and on a text that no deletion leads to.
const TEST: &str = "case \"$(cat \"$1\")\" in 'one (two) three'|'x y z') ;; *) exit 1;; esac";

/// Proposes texts by number: the first two are of no use.
const PROPOSE: &str = "case $2 in 1) echo much longer than the input ever was;; \
                       2) kill -9 $$;; 3) echo x y z;; *) exit 1;; esac";

fn env() -> TestEnv {
    TestEnv::new()
        .file("in.txt", "one (two) three\n")
        .script("test.sh", TEST)
        .script("propose.sh", PROPOSE)
}

#[track_caller]
fn check(options: &[&str], expect: &str) -> String {
    let env = env();
    let args = ["in.txt", "--test", "test.sh"];
    let finished = env.reduce(args.iter().chain(options));
    let result = match env.exists("in.min.txt") {
        true => env.read("in.min.txt"),
        false => env.read("in.txt"),
    };
    assert_eq!(result.trim_end(), expect, "{finished}");
    finished.stderr.clone()
}

#[test]
fn a_proposal_is_a_candidate_like_others_at_any_number_of_jobs() {
    for jobs in ["1", "4"] {
        let pass = "named: ./propose.sh {in} {index}";
        check(&["--jobs", jobs, "--pass-command", pass], "x y z");
    }
    check(
        &["--pass-command", "to-file: echo x y z >{out}; : {in}"],
        "x y z",
    );
    check(&[], "one (two) three");
}

#[test]
fn a_program_that_fails_floods_or_writes_elsewhere_changes_nothing() {
    let flood = "flood: head -c 100000000 /dev/zero; : {in}";
    let crash = "crash: kill -SEGV $$; : {in} {index}";
    let damage = "damage: rm -f {in}; echo >../../../escaped; exit 0";
    let missing = "missing: /nonexistent/program {in}";
    let worse = "worse: echo x; : {in} {index}";
    let mut options = Vec::new();
    for pass in [flood, crash, damage, missing, worse] {
        options.extend(["--pass-command", pass]);
    }
    check(&options, "one (two) three");
}

#[test]
fn a_program_that_hangs_is_stopped_by_the_time_limit() {
    let hang = "hang: sleep 1000; : {in} {index}";
    let said = check(
        &["--max-time", "2s", "--pass-command", hang],
        "one (two) three",
    );
    assert!(said.contains("time limit reached"), "{said}");
}

#[test]
fn a_pass_command_without_a_name_or_an_input_is_refused() {
    for (pass, reason) in [
        ("./propose.sh", "write `NAME: COMMAND {in}`"),
        ("a b: cat {in}", "a name consists of letters"),
        ("a: cat", "`{in}` stands for the file to change"),
    ] {
        let env = env();
        let finished = env.reduce(["in.txt", "--test", "test.sh", "--pass-command", pass]);
        finished.assert_code(1).assert_says(reason);
    }
}

/// Speaks the command line of `clang_delta`: one of its transformations knows a shorter text.
const CLANG_DELTA: &str = "for file; do :; done
case \"$1 $2\" in
    '--transformation=simple-inliner --counter=1') grep -q five \"$file\" && echo 'int two(six);' ;;
    *) exit 1 ;;
esac";

/// A test that holds on the input, and on a text that no deletion leads to.
const C_TEST: &str =
    "case \"$(cat \"$1\")\" in 'int one(int five);'|'int two(six);') ;; *) exit 1;; esac";

/// Reduces a C file where a `clang_delta` is in the `PATH`.
#[track_caller]
fn check_clang_delta(options: &[&str], expect: &str) -> String {
    let env = TestEnv::new()
        .file("in.c", "int one(int five);\n")
        .script("test.sh", C_TEST)
        .script("clang_delta", CLANG_DELTA);
    let program = env.path("clang_delta");
    let variables = [("BOILDOWN_CLANG_DELTA", program.to_str().unwrap())];
    let args = [
        "in.c",
        "--test",
        "./test.sh",
        "--fresh",
        "--output",
        "out.c",
    ];
    let finished = env.reduce_with(variables, &[&args, options].concat());
    let name = if env.exists("out.c") { "out.c" } else { "in.c" };
    assert_eq!(env.read(name), expect, "{finished}");
    finished.stderr.clone()
}

#[test]
fn clang_delta_is_used_by_itself_unless_it_is_left_out() {
    const NOTE: &str = "clang_delta proposes candidates";
    for jobs in ["1", "4"] {
        let said = check_clang_delta(&["--verbose", "--jobs", jobs], "int two(six);\n");
        assert!(said.contains(NOTE), "{said}");
        let said = check_clang_delta(&["--jobs", jobs], "int two(six);\n");
        assert!(!said.contains(NOTE), "{said}");
    }
    for options in [
        &["--pass-command", "none"][..],
        &["--passes=-rewriting"],
        &["--units", "lines"],
        &["--language", "Java"],
    ] {
        let options = [&["--verbose"], options].concat();
        let said = check_clang_delta(&options, "int one(int five);\n");
        assert!(!said.contains(NOTE), "{said}");
    }
}

#[test]
fn a_reduction_without_clang_delta_goes_on_with_it() {
    let env = TestEnv::new()
        .file("in.c", "int one(int five);\n")
        .script("test.sh", C_TEST)
        .script("clang_delta", CLANG_DELTA);
    let program = env.path("clang_delta");
    let args = [
        "in.c",
        "--test",
        "./test.sh",
        "--output",
        "out.c",
        "--force",
    ];
    env.reduce(args).assert_code(2);
    let variables = [("BOILDOWN_CLANG_DELTA", program.to_str().unwrap())];
    let finished = env.reduce_with(variables, &args);
    assert_eq!(env.read("out.c"), "int two(six);\n", "{finished}");
}
