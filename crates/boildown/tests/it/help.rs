//! Help, version, completions and the manual page.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn the_help_lists_the_commands() {
    assert_snapshot!(TestEnv::new().run(["--help"]), @r"
    exit code 0
    -- stdout
    A test-case reducer and delta debugger: boil a failing input, or a failing change, down to its cause

    Usage: boildown <COMMAND>

    Commands:
      reduce       Reduce a file while a command still fails on it in the same way
      isolate      Find the smallest difference between a file that passes and a file that fails
      changes      Find the change that broke something: the commit, files, hunks and lines between two
                   states
      explain      Print what the last run chose for you, and why, and how it ended
      doctor       Show what this machine offers to contain runs, and how to turn on what is off
      languages    List the supported languages
      algorithms   List the delta-debugging algorithms: what each works on, guarantees and costs
      lab          Compare algorithms by the number of tests they need, on simulated problems
      completions  Print a completion script for a shell
      man          Print the manual page
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version
    ");
}

#[test]
fn the_help_of_reduce_lists_every_option() {
    let env = TestEnv::new();
    assert_snapshot!(env.run(["reduce", "--help"]), @r"
    exit code 0
    -- stdout
    Reduce a file while a command still fails on it in the same way

    Usage: boildown reduce [OPTIONS] <INPUT> [-- <COMMAND>...]

    Arguments:
      <INPUT>       The file to reduce; never modified unless --in-place is given
      [COMMAND]...  The command that fails on the input. A word that names the input, or {}, is replaced
                    by the path of the candidate

    Options:
      -h, --help     Print help
      -V, --version  Print version

    What to preserve (default: what the first run shows):
          --test <SCRIPT>       A script that exits with 0, or as --exit says, if the candidate, a file
                                in its working directory, is interesting; or a line for the shell, with
                                the candidate's path as $1
          --exit <STATUS>       Expected exit status: a code, `nonzero`, `signal`, or a signal name such
                                as SIGSEGV
          --stdout <REGEX>      Standard output has to match this regular expression; may be repeated
          --stderr <REGEX>      Standard error has to match; may be repeated
          --not-stderr <REGEX>  Standard error must not match; may be repeated
          --hangs <TIME>        The command is still running after this time, such as 5s
          --also <SCRIPT>       Another script or line that has to exit with 0 too; may be repeated
          --not <SCRIPT>        A script or line that must not exit with 0; may be repeated
          --stdin               Feed the candidate to the command's standard input
          --flaky               The failure occurs in some runs only: measure how often, and preserve
                                that rate
          --keep <WHAT>         Keep lines of the input, such as 12 or 10-20, or what matches a regular
                                expression; may be repeated. Lines that contain `boildown: keep` are
                                kept too
          --preserve-names      Never introduce a name that is not in the input

    How to run the command:
      -j, --jobs <N>         Tests to run at once; does not change the result [default: all cores]
          --language <NAME>  Language of the input, or `none` [default: by its name, or else by its
                             content]
          --fresh            Start over instead of resuming an earlier run of the same command
          --writable <PATH>  Let the command write to this directory or file too; may be repeated.
                             `BOILDOWN_WRITABLE=A:B` does the same for every session
          --no-sandbox       Run without the sandbox: the command may write wherever you may, and signal
                             your processes
          --no-network       Block network access

    Output:
      -o, --output <FILE>  Where to write the result; the file always holds the best result so far. `-`
                           prints the result at the end [default: crash.min.c for crash.c]
          --force          Replace the result file even if boildown did not write it, or if it holds a
                           smaller result of another run
          --in-place       Replace the input by the result, and keep the original as crash.c.orig
          --rename         Rename identifiers to a, b, c and so on, where the property allows it
          --compact        Remove all removable whitespace, including line breaks
          --json           Print events as JSON to standard output, one object a line
      -q, --quiet          Print errors only
      -v, --verbose        Also print what was chosen for you: the language, the property, the sandbox,
                           the limits; and the option that changes each

    Limits:
          --timeout <TIME>   Time limit of a run, such as 30 (seconds) or 500ms [default: ten times a
                             run on the input]
          --until <SIZE>     Stop once the result is this small, such as 200 (tokens) or 4kB
          --max-time <TIME>  Stop after this time, such as 90 (seconds) or 10m; the best result so far
                             is kept
          --max-tests <N>    Stop after N tests; the best result so far is kept
          --memory <SIZE>    Memory limit for all processes of a run, such as 500M or 8G, or `none`
                             [default: half of the machine's]
          --processes <N>    Number of processes that a run may have at once [default: 512, or 16 per
                             core]

    Expert options:
          --passes <NAMES>    Passes to run, such as tree,tokens; or, with a dash, passes to skip:
                              --passes=-rewriting only deletes, so that the result consists of tokens of
                              the input, in their order
          --algorithm <NAME>  Algorithm for lists, such as ddmin or probdd:sigma=0.25; `boildown
                              algorithms` lists them
          --schedule <NAME>   Order in which a tree is reduced, such as hdd or perses; `boildown
                              algorithms` lists them
          --batch-size <N>    Test up to N independent deletions together, and merge those that succeed
                              [default: 1]. Useful with hundreds of jobs; the result depends on it
          --rules <FILE>      A file of additional rewrite rules for the language of the input; may be
                              repeated

    Examples:
      boildown reduce crash.c -- clang -O2 -c crash.c
              preserve what the first run shows: the exit code and the line that names the failure
      boildown reduce crash.c --test ./interesting.sh
              a script for C-Reduce, C-Vise or Shrink Ray, unchanged: exit code 0 means interesting
      boildown reduce big.json --stderr 'KeyError' -- python3 tool.py {}
              state what to preserve; {} is the path of the candidate
      boildown reduce slow.sql --hangs 5s --stdin -- ./query
              an input that hangs, read from standard input

    Keys, on a terminal:
      s  skips the current pass
      q  stops, like Ctrl-C; the same command resumes

    Exit codes:
      0  reduced                      4  the property holds too rarely
      1  invalid usage                5  the command could not be run
      2  nothing could be removed     6  stopped early; the best result is saved
      3  the property does not hold  70  internal error (a bug in boildown)
    ");
    assert_eq!(
        env.run(["reduce", "-h"]).stdout,
        env.run(["reduce", "--help"]).stdout
    );
}

#[test]
fn the_version_is_printed() {
    let env = TestEnv::new();
    let finished = env.run(["--version"]);
    finished.assert_code(0);
    assert_eq!(
        finished.stdout,
        format!("boildown {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn the_languages_are_listed_with_their_files() {
    let env = TestEnv::new();
    let finished = env.run(["languages"]);
    finished.assert_code(0);
    let first: Vec<_> = finished.stdout.lines().take(5).collect();
    assert_snapshot!(first.join("\n"), @r"
    Ada               *.adb *.ads
    Assembly          *.s *.S *.asm
    Bash              *.sh *.bash *.zsh *.ksh .bashrc .profile .zshrc PKGBUILD
    C                 *.c *.h *.i
    C#                *.cs *.csx
    ");
    assert!(finished.stdout.lines().count() > 50);
}

#[test]
fn a_completion_script_knows_the_commands_and_options() {
    let env = TestEnv::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = env
            .run(["completions", shell])
            .assert_code(0)
            .stdout
            .clone();
        // Completions for fish name options without their dashes.
        for word in ["reduce", "test", "in-place"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(env.run(["completions", "bash"]).stdout.contains("--test"));
}

#[test]
fn a_completion_script_is_accepted_by_its_shell() {
    let env = TestEnv::new();
    let script = env
        .run(["completions", "bash"])
        .assert_code(0)
        .stdout
        .clone();
    let status = std::process::Command::new("bash")
        .args(["-n", "-c", &script])
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn the_manual_page_describes_every_command() {
    let env = TestEnv::new();
    let page = env.run(["man"]).assert_code(0).stdout.clone();
    // Dashes are escaped in a manual page.
    for text in [
        "boildown",
        "reduce",
        r"\-\-test",
        "languages",
        "completions",
    ] {
        assert!(page.contains(text), "{text}");
    }
}
