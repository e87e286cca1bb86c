//! `boildown changes` with the caches of real build tools: make, ninja, cargo and Python.

use std::process::Command;

use crate::repo::Repo;

/// Returns whether a program is installed, and says so if it is not.
#[expect(clippy::print_stderr, reason = "a test that was not done says so")]
fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no {program}");
    }
    found
}

/// Two files of functions, of which one breaks the program. All versions of a line have the same
/// length.
fn write_functions(repo: &Repo, ending: &str, function: impl Fn(u32, u32) -> String) {
    for (step, title) in ["one", "two", "three", "four"].into_iter().enumerate() {
        let step = u32::try_from(step).unwrap();
        for (file, first) in [("near", 0), ("far", 4)] {
            let value = |number| match (step, number) {
                // The culprit.
                (2.., 5) => 9,
                _ => step,
            };
            let text: String = (first..first + 4)
                .map(|number| function(number, value(number)))
                .collect();
            repo.write(&format!("{file}.{ending}"), text);
        }
        repo.commit(title);
    }
}

/// Finds the culprit with this build and command, in copies that are used again and again.
#[track_caller]
fn check(repo: &Repo, args: &[&str], culprit: [&str; 2]) {
    let whole = ["changes", "HEAD~3..HEAD", "--jobs", "1"];
    let run = repo.env.run(whole.iter().chain(args));
    run.assert_code(0);
    assert!(!run.stderr.contains("fresh copy for each run"), "{run}");
    assert!(!run.stderr.contains("did not build"), "{run}");
    assert_eq!(repo.changed(), culprit, "{run}");
    run.assert_says("Ada: three");
}

fn c_function(number: u32, value: u32) -> String {
    format!("int f{number}(void) {{ return {value}; }}\n\n")
}

const C_CULPRIT: [&str; 2] = ["-int f5(void) { return 1; }", "+int f5(void) { return 9; }"];

const MAIN_C: &str = "int f0(void); int f5(void);\nint main(void) { return f5() == 9; }\n";

#[test]
fn make_notices_every_change_and_sees_no_time_in_the_future() {
    if !is_installed("make") || !is_installed("cc") {
        return;
    }
    let repo = Repo::new();
    repo.write(
        "Makefile",
        "main: main.o near.o far.o\n\tcc -o $@ $^\n%.o: %.c\n\tcc -c $<\n",
    );
    repo.write("main.c", MAIN_C);
    write_functions(&repo, "c", c_function);
    // A clock that is behind the files makes make print a warning.
    let build =
        "make 2>said >/dev/null && ! grep skew said && test -z \"$(make -q; echo $? | grep 1)\"";
    check(&repo, &["--build", build, "--", "./main"], C_CULPRIT);
}

#[test]
fn ninja_notices_every_change() {
    if !is_installed("ninja") || !is_installed("cc") {
        return;
    }
    let repo = Repo::new();
    repo.write(
        "build.ninja",
        "rule cc\n  command = cc -c $in -o $out\nrule ld\n  command = cc -o $out $in\n\
         build main.o: cc main.c\nbuild near.o: cc near.c\nbuild far.o: cc far.c\n\
         build main: ld main.o near.o far.o\n",
    );
    repo.write("main.c", MAIN_C);
    write_functions(&repo, "c", c_function);
    check(
        &repo,
        &["--build", "ninja -n >/dev/null && ninja", "--", "./main"],
        C_CULPRIT,
    );
}

#[test]
fn cargo_notices_every_change() {
    if !is_installed("cargo") {
        return;
    }
    let repo = Repo::new();
    repo.write(
        "Cargo.toml",
        "[package]\nname = \"main\"\nversion = \"1.0.0\"\nedition = \"2021\"\n\
         [[bin]]\nname = \"main\"\npath = \"main.rs\"\n",
    );
    repo.write(
        "main.rs",
        "mod far;\nmod near;\nfn main() { std::process::exit(i32::from(far::f5() == 9)) }\n",
    );
    write_functions(&repo, "rs", |number, value| {
        format!("pub fn f{number}() -> i32 {{ {value} }}\n\n")
    });
    let home = format!("CARGO_HOME={}", repo.env.path("../home").display());
    let rustup = std::env::var_os("RUSTUP_HOME").or_else(|| {
        Some(
            std::path::Path::new(&std::env::var_os("HOME")?)
                .join(".rustup")
                .into(),
        )
    });
    let rustup = format!("RUSTUP_HOME={}", rustup.unwrap_or_default().display());
    let build = format!("{home} {rustup} cargo build --quiet --offline");
    let args = ["--build", &build, "--no-sandbox", "--", "target/debug/main"];
    check(
        &repo,
        &args,
        ["-pub fn f5() -> i32 { 1 }", "+pub fn f5() -> i32 { 9 }"],
    );
}

#[test]
fn python_notices_every_change() {
    if !is_installed("python3") {
        return;
    }
    let repo = Repo::new();
    write_functions(&repo, "py", |number, value| {
        format!("def f{number}():\n    return {value}\n\n")
    });
    let test = "import near, far; assert near.f0() >= 0 and far.f5() != 9";
    check(
        &repo,
        &["--", "python3", "-c", test],
        ["-    return 1", "+    return 9"],
    );
}
