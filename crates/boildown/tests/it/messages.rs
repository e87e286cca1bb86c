//! Error messages: what failed, why, and what to do.

use std::os::unix::net::UnixListener;

use insta::assert_snapshot;

use crate::env::{FINDS_NEEDLE, HAYSTACK, TestEnv};

#[test]
fn no_command_at_all() {
    assert_snapshot!(TestEnv::new().run([""; 0]), @r"
    exit code 1
    -- stderr
    A test-case reducer and delta debugger: boil a failing input, or a failing change, down to its cause

    Usage: boildown <COMMAND>

    Examples:
      boildown reduce crash.c -- gcc -O2 -c crash.c     a file that fails
      boildown isolate good.json bad.json -- ./tool {}  one that passes, too
      boildown changes v1.2..v1.3 -- make check         two versions

    Commands:
      reduce       Reduce a file or folder while a command still fails on it in the same way
      isolate      Find the smallest difference between a file that passes and a file that fails
      changes      Find the change that broke something: the commit, files, hunks and lines between two
                   states
      stage        Find the stage of a compiler that fails, such as a pass, and reduce what it reads
      vendor       Write a folder with an input and the sources of the packages that it needs
      triage       Group the failing inputs of a folder, and reduce one of each group
      explain      Print what the last run chose for you, and why, and how it ended
      history      List the results of a run, print one, compare two, or bring one back
      report       Write a page about a reduction: what went when, and why it is not smaller
      worker       Run tests for a boildown on another machine, over standard input and output
      mcp          Serve reductions to an agent or editor, over the Model Context Protocol
      serve        Serve reductions over HTTP, from a queue of jobs that survives the service
      doctor       Show what this machine offers to contain runs, and how to turn on what is off
      languages    List the supported languages, or try a grammar on a file
      algorithms   List the delta-debugging algorithms: what each works on, guarantees and costs
      licences     List the licences of boildown and of the packages that it is made of
      lab          Compare algorithms by the number of tests they need, on simulated problems
      completions  Print a completion script for a shell
      man          Print the manual page of boildown, or of a command
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version
    ");
}

#[test]
fn an_unknown_option() {
    assert_snapshot!(TestEnv::new().reduce(["in.txt", "--colour"]), @r"
    exit code 1
    -- stderr
    error: there is no option `--colour`
      hint: `boildown reduce --help` lists the options
    ");
}

#[test]
fn a_command_without_the_two_dashes() {
    assert_snapshot!(TestEnv::with_test("").reduce(["in.txt", "./test.sh"]), @r"
    exit code 1
    -- stderr
    preserving: the test exits with 0
    error: the property holds on the empty input: it would hold on any candidate
      hint: make the property more specific: a line of the output, or a test script that looks at the candidate
    ");
}

#[test]
fn invalid_values() {
    let env = TestEnv::with_test("");
    assert_snapshot!(env.reduce(["in.txt", "--exit", "often"]), @r"
    exit code 1
    -- stderr
    error: invalid value 'often' for '--exit <STATUS>': not an exit status: an exit code from 0 to 255, `nonzero`, `signal`, or the name of a signal such as SIGSEGV

    For more information, try '--help'.
    ");
    assert_snapshot!(env.reduce(["in.txt", "--stderr", "(a"]), @r"
    exit code 1
    -- stderr
    error: invalid value '(a' for '--stderr <REGEX>': not a regular expression: regex parse error:
        (a
        ^
    error: unclosed group

    For more information, try '--help'.
    ");
    assert_snapshot!(env.reduce(["in.txt", "--hangs", "long"]), @r"
    exit code 1
    -- stderr
    error: invalid value 'long' for '--hangs <TIME>': not a duration above zero: 500ms, 5s, 2m, or a number of seconds

    For more information, try '--help'.
    ");
    assert_snapshot!(env.reduce(["in.txt", "--jobs", "all"]), @r"
    exit code 1
    -- stderr
    error: invalid value 'all' for '--jobs <N>': not a whole number from 1 to 1024

    For more information, try '--help'.
    ");
}

#[test]
fn options_that_exclude_each_other() {
    let env = TestEnv::with_test("");
    assert_snapshot!(env.reduce(["in.txt", "--test", "test.sh", "--", "true"]), @r"
    exit code 1
    -- stderr
    error: the argument '--test <SCRIPT>' cannot be used with '[COMMAND]...'

    Usage: boildown reduce --test <SCRIPT> <FILE> [FILES]... [-- <COMMAND>...]

    For more information, try '--help'.
    ");
    assert_snapshot!(env.reduce(["in.txt", "--test", "test.sh", "--stdin"]), @r#"
    exit code 1
    -- stderr
    error: --stdin feeds a command, and a test gets the path of the candidate as $1
      hint: leave out --stdin, and write --test './test.sh <"$1"'
    "#);
    assert_snapshot!(env.reduce(["in.txt", "--in-place", "-o", "out", "--", "true"]), @r"
    exit code 1
    -- stderr
    error: the argument '--in-place' cannot be used with '--output <FILE>'

    Usage: boildown reduce --in-place <FILE> [FILES]... -- <COMMAND>...

    For more information, try '--help'.
    ");
}

#[test]
fn a_missing_input() {
    assert_snapshot!(TestEnv::new().reduce(["in.txt", "--", "false"]), @r"
    exit code 1
    -- stderr
    error: failed to read in.txt: there is no such file
      hint: the file to reduce comes first: boildown reduce FILE -- COMMAND
    ");
}

#[test]
fn an_input_that_is_an_empty_folder() {
    assert_snapshot!(TestEnv::new().reduce([".", "--", "false"]), @r"
    exit code 1
    -- stderr
    error: . holds no files: there is nothing to reduce
    ");
}

#[test]
fn an_empty_input() {
    assert_snapshot!(TestEnv::new().file("in.txt", "").reduce(["in.txt", "--", "false"]), @r"
    exit code 1
    -- stderr
    error: in.txt is empty: there is nothing to reduce
    ");
}

#[test]
fn an_unknown_language() {
    assert_snapshot!(
        TestEnv::with_test("").reduce(["in.txt", "--language", "klingon", "--test", "test.sh"]),
        @r"
    exit code 1
    -- stderr
    error: unknown language `klingon`
      hint: `boildown languages` lists the languages; `--language none` works for any file
    "
    );
}

#[test]
fn rules_without_an_end_are_not_read() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.c", "int needle;\n");
    let run = env.reduce(["in.c", "--rules", "/dev/zero", "--test", "test.sh"]);
    run.assert_code(1).assert_says("failed to read /dev/zero");
}

#[test]
fn invalid_rules() {
    let env = TestEnv::with_test("").file("in.c", "int x;\n").file(
        "my.rules",
        "rule a call becomes a number\n    f($A)  ~>  $B\n",
    );
    assert_snapshot!(
        env.reduce(["in.c", "--rules", "my.rules", "--test", "test.sh"]),
        @r"
    exit code 1
    -- stderr
    error: my.rules, line 2: the replacement uses $B, which the pattern does not bind
    "
    );
    assert_snapshot!(
        env.reduce(["in.txt", "--rules", "my.rules", "--test", "test.sh"]),
        @r"
    exit code 1
    -- stderr
    error: failed to apply the rules in my.rules: the language of the input is unknown
      hint: --language states it; `boildown languages` lists the languages
    "
    );
}

#[test]
fn nothing_to_run() {
    assert_snapshot!(TestEnv::with_test("").reduce(["in.txt"]), @r"
    exit code 1
    -- stderr
    error: no command to run on the candidates
      hint: give a script with --test, or the command that fails after `--`
      hint: type: boildown reduce in.txt -- COMMAND in.txt
    ");
}

#[test]
fn a_program_that_does_not_exist() {
    let env = TestEnv::with_test("");
    assert_snapshot!(env.reduce(["in.txt", "--", "no-such-program", "in.txt"]), @r"
    exit code 5
    -- stderr
    error: failed to start `no-such-program`: No such file or directory (os error 2)
      hint: no such program on the PATH; write ./no-such-program to run a file of the current directory
    ");
    assert_snapshot!(env.reduce(["in.txt", "--", "./no-such-program", "in.txt"]), @r"
    exit code 5
    -- stderr
    error: failed to start `$ENV/here/no-such-program`: No such file or directory (os error 2)
      hint: the file does not exist
    ");
    assert_snapshot!(env.reduce(["in.txt", "--test", "no-such.sh"]), @r"
    exit code 5
    -- stderr
    error: failed to start `$ENV/here/no-such.sh`: No such file or directory (os error 2)
      hint: the file does not exist
    ");
}

#[test]
fn a_script_that_is_not_executable() {
    assert_snapshot!(
        TestEnv::with_test("").mode("test.sh", 0o644).reduce(["in.txt", "--test", "test.sh"]),
        @r"
    exit code 1
    -- stderr
    note: test.sh is not executable: it is run by `/bin/sh`
    preserving: the test exits with 0
    error: the property holds on the empty input: it would hold on any candidate
      hint: make the property more specific: a line of the output, or a test script that looks at the candidate
    "
    );
}

#[test]
fn a_script_whose_interpreter_does_not_exist() {
    assert_snapshot!(
        TestEnv::with_test("")
            .file("test.sh", "#!/usr/bin/no-such-shell\n")
            .mode("test.sh", 0o755)
            .reduce(["in.txt", "--test", "test.sh"]),
        @r"
    exit code 5
    -- stderr
    error: failed to start `$ENV/here/test.sh`: No such file or directory (os error 2)
      hint: its first line names the interpreter `/usr/bin/no-such-shell`, which does not exist
    "
    );
}

#[test]
fn a_script_that_does_not_find_its_tool() {
    assert_snapshot!(
        TestEnv::with_test("no-such-tool in.txt").reduce(["in.txt", "--test", "test.sh"]),
        @r"
    exit code 5
    -- stderr
    error: failed to run `$ENV/here/test.sh {}`: a program that it calls was not found (exit code 127): $ENV/here/test.sh: 2: no-such-tool: not found
    "
    );
}

#[test]
fn a_property_that_does_not_hold_shows_the_run_and_how_to_repeat_it() {
    let env =
        TestEnv::with_test("echo parsing $1; echo 'in.txt:3: nothing wrong here' >&2; exit 4");
    assert_snapshot!(env.reduce(["in.txt", "--exit", "3", "--", "./test.sh", "in.txt"]), @r#"
    exit code 3
    -- stderr
    preserving: exits with 3
    error: the property does not hold on the input: the command exited with 4
      hint: its standard error ends with
              | in.txt:3: nothing wrong here
      hint: its standard output ends with
              | parsing in.txt
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && $ENV/here/test.sh in.txt; echo "exit status $?")
      hint: each candidate is alone in a fresh directory: name other files by their absolute paths
      hint: if the failure occurs in some runs only, use --flaky
    "#);
    assert_snapshot!(env.reduce(["in.txt", "--test", "test.sh"]), @r#"
    exit code 3
    -- stderr
    preserving: the test exits with 0
    error: the property does not hold on the input: the command exited with 4
      hint: its standard error ends with
              | in.txt:3: nothing wrong here
      hint: its standard output ends with
              | parsing $RUN/in.txt
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && $ENV/here/test.sh "$PWD"/in.txt <./in.txt; echo "exit status $?")
      hint: each candidate is alone in a fresh directory: name other files by their absolute paths
      hint: if the failure occurs in some runs only, use --flaky
    "#);
}

#[test]
fn long_output_of_a_run_is_shown_from_its_end() {
    let env = TestEnv::with_test("seq 1000; exit 1");
    assert_snapshot!(env.reduce(["in.txt", "--test", "test.sh"]), @r#"
    exit code 3
    -- stderr
    preserving: the test exits with 0
    error: the property does not hold on the input: the command exited with 1
      hint: its standard output ends with
              | 991
              | 992
              | 993
              | 994
              | 995
              | 996
              | 997
              | 998
              | 999
              | 1000
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && $ENV/here/test.sh "$PWD"/in.txt <./in.txt; echo "exit status $?")
      hint: each candidate is alone in a fresh directory: name other files by their absolute paths
      hint: if the failure occurs in some runs only, use --flaky
    "#);
}

#[test]
fn a_run_on_the_input_that_takes_too_long() {
    let env = TestEnv::with_test("sleep 1000");
    assert_snapshot!(env.reduce(["in.txt", "--timeout", "200ms", "--test", "test.sh"]), @r#"
    exit code 3
    -- stderr
    preserving: the test exits with 0
    error: the property does not hold on the input: the command timed out
      hint: if the hang is the failure, use --hangs; --timeout raises the time limit
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && $ENV/here/test.sh "$PWD"/in.txt <./in.txt; echo "exit status $?")
      hint: each candidate is alone in a fresh directory: name other files by their absolute paths
      hint: if the failure occurs in some runs only, use --flaky
    "#);
    assert_snapshot!(env.reduce(["in.txt", "--timeout", "200ms", "--", "./test.sh", "in.txt"]), @r#"
    exit code 3
    -- stderr
    error: the command timed out, and no option says what to preserve
      hint: if the hang is the failure, use --hangs; --timeout raises the time limit
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && $ENV/here/test.sh in.txt; echo "exit status $?")
      hint: type: boildown reduce in.txt --hangs 0.2 -- ./test.sh in.txt
    "#);
}

#[test]
fn a_property_that_holds_on_anything() {
    let env = TestEnv::with_test("exit 0");
    assert_snapshot!(env.reduce(["in.txt", "--test", "test.sh"]), @r"
    exit code 1
    -- stderr
    preserving: the test exits with 0
    error: the property holds on the empty input: it would hold on any candidate
      hint: make the property more specific: a line of the output, or a test script that looks at the candidate
    ");
}

#[test]
fn a_command_that_does_not_name_the_input() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    assert_snapshot!(env.reduce(["in.txt", "--", "./test.sh"]), @r"
    exit code 1
    -- stderr
    preserving: exits with 2
                stderr matches /^grep: : No such file or directory$/
    error: the property holds on the empty input: it would hold on any candidate
      hint: the command does not name the input; write {} where the candidate's path belongs
      hint: make the property more specific: a line of the output, or a test script that looks at the candidate
    ");
}

#[test]
fn a_property_that_holds_too_rarely() {
    let env = TestEnv::with_test("mkdir $HERE/once 2>/dev/null && grep -q needle $1");
    assert_snapshot!(env.reduce(["in.txt", "--test", "test.sh"]), @r#"
    exit code 4
    -- stderr
    preserving: the test exits with 0
    error: the property held on the input in 1 of 107 runs, which is too rarely
      hint: let the test try several times: sh -c 'for i in $(seq 20); do TEST && exit 0; done; exit 1'
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && HERE=$ENV/here/ $ENV/here/test.sh "$PWD"/in.txt <./in.txt; echo "exit status $?")
    "#);
}

#[test]
fn a_command_that_succeeds_when_nothing_is_stated() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    assert_snapshot!(env.reduce(["in.txt", "--", "./test.sh", "in.txt"]), @r#"
    exit code 3
    -- stderr
    error: the command succeeded, and no option says what to preserve
      hint: state it with --exit, --stdout, --stderr or --not-stderr, or with a script for --test; if the failure is intermittent, use --flaky
      hint: to repeat the run:
              (cd "$(mktemp -d)" && cp $ENV/here/in.txt . && $ENV/here/test.sh in.txt; echo "exit status $?")
      hint: type: boildown reduce in.txt --test ./test.sh
    "#);
}

#[test]
fn an_output_that_is_the_input() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    assert_snapshot!(env.reduce(["in.txt", "--output", "./in.txt", "--test", "test.sh"]), @r"
    exit code 1
    -- stderr
    error: the output is the input
      hint: --in-place replaces the input, and keeps a copy: boildown reduce in.txt --test test.sh --in-place
    ");
}

#[test]
fn an_output_that_cannot_be_written() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    assert_snapshot!(env.reduce(["in.txt", "--output", "no/such.txt", "--test", "test.sh"]), @r"
    exit code 1
    -- stderr
    error: failed to write no/such.txt: there is no directory no
      hint: type: mkdir -p no && boildown reduce in.txt --output no/such.txt --test test.sh
    ");
    assert_snapshot!(env.reduce(["in.txt", "--output", ".", "--test", "test.sh"]), @r"
    exit code 1
    -- stderr
    error: failed to write .: it is a directory
      hint: type: boildown reduce in.txt --output ./in.min.txt --test test.sh
    ");
}

#[test]
fn files_that_are_not_regular() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let _socket = UnixListener::bind(env.path("socket")).unwrap();
    assert_snapshot!(env.reduce(["in.txt", "--output", "socket", "--test", "test.sh"]), @r"
    exit code 1
    -- stderr
    error: failed to write socket: it is not a regular file
    ");
    assert_snapshot!(env.reduce(["socket", "--test", "test.sh"]), @r"
    exit code 1
    -- stderr
    error: failed to read socket: it is not a regular file; copy its content to one first
    ");
}

#[test]
fn a_backup_that_would_be_overwritten() {
    let env = TestEnv::with_test(FINDS_NEEDLE).file("in.txt.orig", "precious");
    assert_snapshot!(env.reduce(["in.txt", "--in-place", "--test", "test.sh"]), @r"
    exit code 1
    -- stderr
    error: in.txt.orig exists already
      hint: the backup of the input would overwrite it; move it away first
    ");
    assert_eq!(env.read("in.txt.orig"), "precious");
}

#[test]
fn a_value_of_many_bytes_is_not_echoed_whole() {
    let env = TestEnv::with_test(FINDS_NEEDLE);
    let long = "x".repeat(70_000);
    for args in [
        ["in.txt", "--schedule", &long],
        ["in.txt", "--exit", &long],
        ["in.txt", "--max-time", &long],
        [&long, "--exit", "3"],
    ] {
        let finished = env.reduce(args.into_iter().chain(["--", "true"]));
        assert!(finished.code != Some(0));
        assert!(
            finished.stderr.len() < 4000,
            "{} bytes",
            finished.stderr.len()
        );
    }
    let unknown = env.run([&*long]);
    assert!(unknown.stderr.len() < 4000);
}

#[test]
fn a_value_may_begin_with_a_hyphen() {
    let env = TestEnv::with_test(FINDS_NEEDLE)
        .file("list.txt", "a\n---\nneedle\n---\nb\n")
        .script(
            "tool",
            "grep -q needle \"$1\" && echo '-needle' >&2 && exit 3",
        );
    env.reduce(["list.txt", "--split", "---\\n", "--test", "./test.sh"])
        .assert_code(0);
    env.reduce(["in.txt", "--stderr", "-needle", "--", "./tool", "in.txt"])
        .assert_code(0);
}

#[test]
fn an_input_with_braces_in_its_name_is_reduced() {
    let tool = "grep -q needle \"$1\" && exit 3";
    let env = TestEnv::new().file("{}.c", HAYSTACK).script("tool", tool);
    for args in [["./tool", "{}.c"], ["./tool", "{}"], ["./tool", "./{}.c"]] {
        let args = ["{}.c", "--fresh", "--exit", "3", "--"]
            .into_iter()
            .chain(args);
        env.reduce(args).assert_code(0);
        assert_eq!(env.read("{}.min.c").trim_end(), "needle");
    }
}

#[test]
fn two_folders_are_isolated_with_yes() {
    let env = TestEnv::new()
        .file("good/x", "1\n")
        .file("bad/x", "1\nneedle\n")
        .script("tool", "! grep -q needle \"$1/x\"");
    env.run(["isolate", "good", "bad", "-y", "--", "./tool", "bad"])
        .assert_code(0);
}

#[cfg(feature = "lab")]
#[test]
fn a_directory_in_place_of_a_page_of_the_laboratory_is_noticed_at_once() {
    let env = TestEnv::new().file("directory/file", "");
    for path in ["directory", "missing/page.html"] {
        let finished = env.run(["lab", "--html", path, "compare", "--problems", "1000000"]);
        finished.assert_code(1);
    }
}
