//! Tests of command lines.

use super::*;
use crate::{CandidateFile, Scratch};

/// Interprets the words in a directory that holds `crash.c`, `tool.py`, `include/` and
/// `link.c`, and compares them with the words that are run. `$HERE` stands for that directory,
/// `$RUN` for the directory of the run.
#[track_caller]
fn check(words: &[&str], expect: &[&str]) {
    let here = tempfile::tempdir().unwrap();
    for name in ["crash.c", "tool.py"] {
        fs::write(here.path().join(name), "").unwrap();
    }
    fs::create_dir(here.path().join("include")).unwrap();
    std::os::unix::fs::symlink("crash.c", here.path().join("link.c")).unwrap();
    let words: Vec<_> = words
        .iter()
        .map(|word| {
            word.replace("$HERE", &here.path().display().to_string())
                .into()
        })
        .collect();
    let typed = TypedCommand {
        words: &words,
        input: Path::new("crash.c"),
        user_dir: here.path(),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    let command = CommandLine::new(&typed).unwrap();

    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::within(parent.path()).unwrap();
    let run_dir = scratch
        .run_dir(&CandidateFile::named("crash.c"), b"")
        .unwrap();
    let invocation = command.invocation(&run_dir, Capture::Nothing);

    let seen: Vec<_> = std::iter::once(invocation.program)
        .chain(invocation.args)
        .map(|word| {
            let word = word.into_string().unwrap();
            let word = word.replace(run_dir.path().to_str().unwrap(), "$RUN");
            word.replace(here.path().to_str().unwrap(), "$HERE")
        })
        .collect();
    assert_eq!(seen, expect);
    assert_eq!(invocation.current_dir, run_dir.path());
    assert_eq!(invocation.stdin, Stdin::Null);
}

#[test]
fn an_argument_that_names_the_input_becomes_its_base_name() {
    check(&["cc", "-c", "crash.c"], &["cc", "-c", "crash.c"]);
    // `node -r` and `.` of a shell look for a name without a directory elsewhere.
    check(&["cc", "./crash.c"], &["cc", "./crash.c"]);
    check(&["cc", "include/../crash.c"], &["cc", "./crash.c"]);
    check(&["cc", "$HERE/crash.c"], &["cc", "./crash.c"]);
    check(&["cc", "link.c"], &["cc", "crash.c"]);
    check(&["cc", "--input=crash.c"], &["cc", "--input=crash.c"]);
    check(&["cc", "--input=./crash.c"], &["cc", "--input=./crash.c"]);
}

#[test]
fn braces_become_the_path_anywhere_in_a_word() {
    check(&["run", "{}"], &["run", "$RUN/crash.c"]);
    check(
        &["run", "--a={}:{}."],
        &["run", "--a=$RUN/crash.c:$RUN/crash.c."],
    );
    check(&["{}"], &["$RUN/crash.c"]);
}

#[test]
fn an_argument_that_names_another_file_becomes_an_absolute_path() {
    check(
        &["python3", "tool.py", "{}"],
        &["python3", "$HERE/tool.py", "$RUN/crash.c"],
    );
    check(&["x", "--config=tool.py"], &["x", "--config=$HERE/tool.py"]);
}

#[test]
fn an_argument_that_names_no_file_is_unchanged() {
    check(
        &["cc", "include", "-O2", "", ".", "a=tool.py"],
        &["cc", "include", "-O2", "", ".", "a=tool.py"],
    );
}

#[test]
fn an_argument_that_is_a_directory_for_sure_becomes_an_absolute_path() {
    check(
        &[
            "cc",
            "-I",
            "include",
            "-Iinclude",
            "-isysteminclude",
            "--sysroot=include",
        ],
        &[
            "cc",
            "-I",
            "$HERE/include",
            "-I$HERE/include",
            "-isystem$HERE/include",
            "--sysroot=$HERE/include",
        ],
    );
    check(
        &["cc", "include/", "./include"],
        &["cc", "$HERE/include/", "$HERE/include"],
    );
    check(
        &["cargo", "--locked", "include"],
        &["cargo", "--locked", "include"],
    );
}

#[test]
fn a_directory_that_holds_the_input_is_unchanged() {
    check(
        &["cc", "-I.", "-I", "..", "--root=."],
        &["cc", "-I.", "-I", "..", "--root=."],
    );
}

#[test]
fn an_input_that_is_named_like_an_option_is_protected() {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("-x"), "").unwrap();
    let words = ["cat".into(), "./-x".into(), "--file=./-x".into()];
    let typed = TypedCommand {
        words: &words,
        input: Path::new("./-x"),
        user_dir: here.path(),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    let command = CommandLine::new(&typed).unwrap();
    let line = command.shell(&here.path().join("-x"), OsStr::new("-x"), []);
    assert!(line.contains("&& cat ./-x --file=./-x;"), "{line}");
    let line = command.shell_in_place(&here.path().join("-x"), here.path());
    assert!(line.contains("&& cat ./-x --file=./-x;"), "{line}");
}

#[test]
fn a_line_on_the_current_directory_names_it_with_a_dot() {
    let here = tempfile::tempdir().unwrap();
    let words = ["grep".into(), "-r".into(), "x".into(), ".".into()];
    let typed = TypedCommand {
        words: &words,
        input: Path::new("."),
        user_dir: here.path(),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    let command = CommandLine::new(&typed).unwrap();
    let line = command.shell_in_place(here.path(), here.path());
    assert!(line.contains("&& grep -r x .;"), "{line}");
}

#[test]
fn only_a_program_with_a_slash_becomes_an_absolute_path() {
    check(&["./tool.py"], &["$HERE/tool.py"]);
    check(&["tool.py"], &["tool.py"]);
    check(&["/bin/true"], &["/bin/true"]);
}

#[test]
fn a_program_that_is_the_input_becomes_the_candidate() {
    check(&["./crash.c", "x"], &["$RUN/crash.c", "x"]);
}

#[test]
fn the_candidate_is_the_program_when_it_is_the_whole_first_word() {
    for (program, expect) in [
        ("./crash.c", true),
        ("{}", true),
        ("crash.c", false),
        ("{}.sh", false),
        ("./tool.py", false),
    ] {
        let typed = TypedCommand {
            words: &[program.into(), "{}".into()],
            input: Path::new("crash.c"),
            user_dir: Path::new("/src"),
            backup: None,
            stdin: StdinContent::Nothing,
        };
        let command = CommandLine::new(&typed).unwrap();
        assert_eq!(command.runs_candidate(), expect, "{program}");
    }
    assert!(
        !CommandLine::script(Path::new("crash.c"), Path::new("/src")).runs_candidate(),
        "a test script is the program even if the input has its name"
    );
}

#[test]
fn an_empty_command_is_an_error() {
    let typed = TypedCommand {
        words: &[],
        input: Path::new("a"),
        user_dir: Path::new("/"),
        backup: None,
        stdin: StdinContent::Nothing,
    };
    assert_eq!(
        CommandLine::new(&typed).unwrap_err().to_string(),
        "run a command: none was given after `--`"
    );
}

#[test]
fn a_command_is_displayed_as_typed_and_as_a_shell_line() {
    let words = ["cc", "-D", "A B", "crash.c", "-o{}.o"].map(OsString::from);
    let typed = TypedCommand {
        words: &words,
        input: Path::new("crash.c"),
        user_dir: Path::new("/src"),
        backup: None,
        stdin: StdinContent::Candidate,
    };
    let command = CommandLine::new(&typed).unwrap();
    assert_eq!(command.to_string(), "cc -D 'A B' crash.c -o{}.o");
    let variables = [("MODE".into(), "fast run".into())];
    assert_eq!(
        command.shell(Path::new("/my src/crash.c"), "crash.c".as_ref(), &variables),
        "(cd \"$(mktemp -d)\" && cp '/my src/crash.c' . && MODE='fast run' \
         cc -D 'A B' crash.c -o\"$PWD\"/crash.c.o <./crash.c; echo \"exit status $?\")"
    );
    assert_eq!(
        command.shell(Path::new("/src/good.c"), "my crash.c".as_ref(), &[]),
        "(cd \"$(mktemp -d)\" && cp /src/good.c './my crash.c' && \
         cc -D 'A B' 'my crash.c' -o\"$PWD\"/'my crash.c'.o <'./my crash.c'; echo \"exit status $?\")"
    );
}

#[test]
fn at_signs_become_the_path_if_nothing_else_names_the_candidate() {
    check(&["run", "@@"], &["run", "$RUN/crash.c"]);
    check(
        &["run", "--in=@@", "-q"],
        &["run", "--in=$RUN/crash.c", "-q"],
    );
    check(&["run", "@@.c"], &["run", "$RUN/crash.c"]);
    check(&["run", "@@.h"], &["run", "$RUN/crash.c.h"]);
    check(&["grep", "@@", "{}"], &["grep", "@@", "$RUN/crash.c"]);
    check(&["grep", "@@", "crash.c"], &["grep", "@@", "crash.c"]);
}

#[test]
fn a_script_receives_the_path_and_the_content() {
    let script = CommandLine::script(Path::new("./test.sh"), Path::new("/src"));
    assert_eq!(script.to_string(), "/src/test.sh {}");
    assert_eq!(
        script.shell(Path::new("/src/crash.c"), "crash.c".as_ref(), &[]),
        "(cd \"$(mktemp -d)\" && cp /src/crash.c . && \
         /src/test.sh \"$PWD\"/crash.c <./crash.c; echo \"exit status $?\")"
    );
}
