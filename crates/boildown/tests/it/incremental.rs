//! Build artefacts that are kept between runs.

use crate::env::TestEnv;

/// Builds one object for each source with a needle, and fails if there are two of them. Says in
/// `built` which sources it has compiled.
const MAKEFILE: &str = "\
OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))
program: $(OBJECTS)
\t@cat $^ | grep -c needle | grep -q 2 && { echo 'error: two needles' >&2; exit 3; } || touch program
%.o: %.c
\t@echo $< >>\"$$BUILT\"; cp $< $@
";

fn project() -> TestEnv {
    TestEnv::new()
        .file("p/Makefile", MAKEFILE)
        .file("p/a.c", "int a;\nint needle;\nint b;\n")
        .file("p/c.c", "int c;\nint d;\n")
        .file("p/e.c", "int e;\nint needle;\nint f;\n")
        .file("p/g.c", "int g;\n")
}

/// Reduces the project, and returns the number of compilations.
fn compilations(env: &TestEnv, options: &[&'static str]) -> usize {
    let built = env.path("built");
    let command = format!("BUILT={} make -s -C p", built.display());
    std::fs::write(&built, "").unwrap();
    let mut words: Vec<&str> = ["p", "--keep-file", "Makefile", "--fresh", "--jobs", "1"].to_vec();
    let path = built.display().to_string();
    words.extend(["--writable", &path, "--stderr", "two needles"]);
    words.extend(options);
    words.extend(["--", "sh", "-c", &command]);
    env.run([&["reduce"][..], &words[..]].concat())
        .assert_code(0)
        .assert_says("1-minimal");
    for file in ["p.min/a.c", "p.min/e.c"] {
        assert_eq!(env.read(file).trim(), "needle");
    }
    assert!(!env.path("p.min/a.o").exists());
    std::fs::read_to_string(built).unwrap().lines().count()
}

#[test]
fn what_a_run_has_built_is_not_built_again() {
    let env = project();
    let clean = compilations(&env, &[]);
    let kept = compilations(&env, &["--incremental"]);
    assert!(kept < clean, "{kept} of {clean} compilations");
}

#[test]
fn a_hit_that_a_clean_tree_does_not_show_is_none() {
    // Once it has seen the needle, it fails on everything.
    let env = TestEnv::new()
        .file("p/a.txt", "one\nneedle\nthree\n")
        .file("p/b.txt", "four\nfive\nsix\nseven\n")
        .script(
            "tool",
            "grep -qs needle $1/a.txt && touch $1/seen; [ -e $1/seen ] && exit 3",
        );
    let options = ["p", "--incremental", "--exit", "3"];
    let run = env.reduce([&options[..], &["--", "./tool", "p"]].concat());
    run.assert_code(0)
        .assert_says("build artefacts are not kept any more")
        .assert_says("clean tree");
    assert_eq!(env.read("p.min/a.txt").trim(), "needle");
    assert!(!env.path("p.min/b.txt").exists());
}

#[test]
fn a_file_is_reduced_in_copies_that_keep_what_runs_build() {
    let env = TestEnv::new()
        .file("in.txt", "one\nneedle\nthree\n")
        .script("tool", "echo run >>log; grep -q needle in.txt && exit 3");
    let options = ["in.txt", "--within", ".", "--incremental", "--exit", "3"];
    env.reduce([&options[..], &["--", "./tool"]].concat())
        .assert_code(0)
        .assert_says("as runs in trees with kept build artefacts show");
    assert_eq!(env.read("in.min.txt").trim(), "needle");
    assert!(!env.exists("log"));
}

#[test]
fn a_fresh_directory_has_nothing_to_keep() {
    let env = TestEnv::with_test("grep -q needle in.txt");
    let run = env.reduce([
        "in.txt",
        "--within",
        "none",
        "--incremental",
        "--test",
        "./test.sh",
    ]);
    run.assert_code(1).assert_says("--within DIR");
}
