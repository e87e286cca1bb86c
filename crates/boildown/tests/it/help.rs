//! What the program says about itself.

use insta::assert_snapshot;

use crate::env::TestEnv;

#[test]
fn the_help_lists_the_commands() {
    assert_snapshot!(TestEnv::new().run(["--help"]), @r"
    exit code 0
    -- stdout
    Boil a failing input down to its cause

    Usage: boildown <COMMAND>

    Commands:
      reduce       Make a file as small as possible while a command still fails on it in the same way
      isolate      Find the smallest difference between a file that passes and a file that fails
      changes      Find the change that broke something: which commit, files, hunks, lines between two
                   states of a folder
      languages    List the languages that are understood
      algorithms   List the delta-debugging algorithms: what each works on, promises and costs
      lab          Compare algorithms: exact numbers of questions, in virtual time, from a seed
      completions  Print a completion script for a shell
      man          Print the manual page

    Options:
      -h, --help     Print help
      -V, --version  Print version
    ");
}

#[test]
fn the_help_of_reduce_says_all_that_there_is_to_know() {
    let env = TestEnv::new();
    assert_snapshot!(env.run(["reduce", "--help"]), @r"
    exit code 0
    -- stdout
    Make a file as small as possible while a command still fails on it in the same way

    Usage: boildown reduce [OPTIONS] <INPUT> [-- <COMMAND>...]

    Arguments:
      <INPUT>       The file to reduce; it is never changed unless --in-place is given
      [COMMAND]...  The command that fails on it. A word that names the input, or {}, becomes the path
                    of the candidate

    Options:
      -j, --jobs <N>         Questions to run at once; the result is the same for any number [default:
                             all cores]
          --timeout <TIME>   How long one run may take, such as 30 or 500ms [default: ten times a run on
                             the input]
          --flaky            The property holds in some runs only: measure how often, even if the first
                             runs agree, and keep that rate
      -o, --output <FILE>    Where the result goes, at every moment the best so far [default:
                             crash.min.c for crash.c]
          --in-place         Replace the input by the result, and keep a copy of it as crash.c.orig
          --fresh            Start over, though an earlier run of the same command could go on
          --language <NAME>  The language of the input, or `none` [default: by its name]
          --json             Print events as JSON, one a line, on standard output
      -q, --quiet            Print errors only
      -h, --help             Print help

    What to leave alone:
          --keep <WHAT>     Keep the lines 12 or 10-20 of the input, or what matches a regular
                            expression. A line of the input that says `boildown: keep` is kept too
          --preserve-names  Never write a name that is not in the input

    How the result is to look (default: as the input, but tidy):
          --rename   Name everything a, b, c and so on, wherever the failure allows it
          --compact  Take away all white space that can go, line breaks too

    When to stop early, with the best result so far:
          --until <SIZE>       Stop once the result is this small, such as 200, which are tokens, or 4kB
          --max-time <TIME>    Stop after this time, such as 90 or 10m
          --max-questions <N>  Stop after so many questions

    How to search (default: what measures best):
          --passes <NAMES>    The passes to run, such as tree,tokens; or with a dash those to leave out:
                              --passes=-rewriting deletes only, so that the result is made of tokens of
                              the input, in their order
          --algorithm <NAME>  The algorithm for every list, such as ddmin or probdd:sigma=0.25;
                              `boildown algorithms` lists them
          --schedule <NAME>   The order in which a tree is reduced, such as hdd or perses
          --width <N>         Ask about so many deletions at once that do not depend on each other, and
                              merge what works. For hundreds of jobs; the result depends on it
          --rules <FILE>      A file of further rewrite rules for the language of the input; may be
                              given several times

    What the command may do (default: write to its own directories):
          --writable <PATH>  Let it write to this directory or file too; may be given several times, and
                             in `BOILDOWN_WRITABLE=A:B`
          --no-sandbox       Let it write wherever you may, and signal your processes
          --no-network       Close the network to it
          --memory <SIZE>    Memory that all its processes may fill, such as 500M or 8G, or `none` for
                             no limit [default: half of the machine's]
          --processes <N>    Processes that it may have at once [default: 512, or 16 for each core]

    What to preserve (default: what the first run shows):
          --test <SCRIPT>       A script that exits with 0 when the candidate, which lies in its working
                                directory, is interesting
          --exit <HOW>          The command ends so: a code, `nonzero`, `signal`, or a signal such as
                                SIGSEGV
          --stdout <REGEX>      Its standard output matches
          --stderr <REGEX>      Its standard error matches
          --not-stderr <REGEX>  Its standard error does not match
          --hangs <TIME>        It is still running after this time
          --stdin               Feed the candidate to the command's standard input

    Examples:
      boildown reduce crash.c -- clang -O2 -c crash.c
              keep what the first run shows: the exit code and the line that names the failure
      boildown reduce crash.c --test ./interesting.sh
              any script of C-Reduce, C-Vise or Shrink Ray: exit code 0 means interesting
      boildown reduce big.json --stderr 'KeyError' -- python3 tool.py {}
              state what to keep; {} is the path of the candidate
      boildown reduce slow.sql --hangs 5s --stdin -- ./query
              an input that hangs, read from standard input

    On a terminal:
      s  leaves the pass at work and goes on with the next one
      q  stops, like Ctrl-C; the same command goes on

    Exit codes:
      0  reduced                            4  the property holds too rarely
      1  the command line makes no sense    5  the command could not be run
      2  nothing could be removed           6  stopped early; the best result is saved
      3  the property does not hold        70  a defect of boildown
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
        // The options of the fish shell are written without their dashes.
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
