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
fn the_help_of_reduce_lists_every_option() {
    let env = TestEnv::new();
    assert_snapshot!(env.run(["reduce", "--help"]), @r#"
    exit code 0
    -- stdout
    Reduce a file or folder while a command still fails on it in the same way

    Usage: boildown reduce [OPTIONS] [FILE] [FILES]... [-- <COMMAND>...]

    Makes FILE as small as possible while COMMAND still fails on it in the same way. The command is run
    once, and what that run shows is preserved: its exit code or signal, and the line that names the
    failure. Options or a script state the property instead.

    In COMMAND, a word that names FILE, or {}, becomes the path of a candidate. Smaller and smaller
    candidates are tested, many at once. FILE itself is never changed; the best result so far is beside
    it at any moment, as crash.min.c for crash.c.

    A folder, or several files, are reduced together: each run has a copy of them under their names, and
    the result is a folder.

    Examples:
      boildown reduce crash.c -- gcc -O2 -c crash.c
              preserve what the first run shows: the exit code and the line that names the failure
      boildown reduce crash.c --test ./interesting.sh
              a script for C-Reduce, C-Vise or Shrink Ray, unchanged: exit code 0 means interesting
      boildown reduce a.json --stderr KeyError -- ./tool {}
              state what to preserve; {} is the path of the candidate
      boildown reduce slow.sql --hangs 5s --stdin -- ./query
              an input that hangs, read from standard input
      boildown reduce server.log --units lines -- ./parse {}
              delete whole lines only
      boildown reduce tests.txt -- pytest {items}
              find the tests that make another one fail; {items} stands for the lines kept
      boildown reduce --reduce args,env -- gcc -O2 -Wall -c a.c
              reduce the arguments and the environment of a command
      boildown reduce project/ --test ./interesting.sh
              a folder: files first, then what is in them

    Arguments:
      [FILE]
              The file or folder to reduce
              
              It is never modified unless --in-place is given.

      [FILES]...
              More files to reduce together with it
              
              Without a command, a single one is the test script, in either order with the input.

      [COMMAND]...
              The command that fails on the input
              
              A word that names the input, or {}, is replaced by the path of the candidate.

    What to preserve (default: what the first run shows):
          --only <GLOB>
              Reduce only these files of a folder; the others stay
              
              A pattern as in .gitignore, such as `*.c` or `src/`; may be repeated. The other files stay
              as they are.

          --keep-file <GLOB>
              Keep these files of a folder as they are
              
              A pattern as in .gitignore; may be repeated.

          --test <SCRIPT>
              A script that exits with 0 if a candidate is interesting
              
              Or a line for the shell, with the candidate's path as $1; with --exit, another exit status
              means interesting. It takes the place of COMMAND. It runs in the directory of the
              candidate, a file named like the input, and gets the candidate's path as its argument.
              Exit code 125 means that it cannot tell.

          --exit <STATUS>
              The exit status: a code, `nonzero`, or SIGSEGV
              
              A code from 0 to 255, `nonzero`, `signal`, or the name of a signal such as SIGSEGV.

          --stdout <REGEX>
              Standard output matches this regular expression
              
              May be repeated: all of them have to match.

          --stderr <REGEX>
              Standard error matches
              
              May be repeated: all of them have to match.

          --not-stderr <REGEX>
              Standard error does not match; may be repeated

          --hangs <TIME>
              The command is still running after this time, such as 5s

          --measure <WHAT>
              What has to stay as large as --at-least says: `wall`, `cpu`, `memory` or `stdout:REGEX`
              
              `wall` is the time from the start of a run to its end, `cpu` the processor time of its
              processes, which does not depend on the load, `memory` the peak of the largest of them; a
              run is stopped as soon as that is enough. `stdout:REGEX` is the last number that the first
              group of the expression finds in standard output. A candidate whose time exceeds the limit
              by less than a fifth is run twice more, and the reduction stops when most candidates take
              a time near the limit and little is removed.

          --at-least <VALUE>
              The least value of --measure: a duration such as 5s, an amount such as 1G, or a number

          --also <SCRIPT>
              Another script or line that has to exit with 0 too; may be repeated

          --differs-from <LINE>
              The command and this one, a line for the shell, succeed and print different things
              
              The candidate's path is $1 in the line. The first lines in which standard output differs
              are preserved, with their numbers left open.

          --loose
              Do not keep the place of a crash: any crash with the same message counts
              
              Without it, a deduced property names the top function of the stack trace, or the file if
              that is the input, where the message does not say where the program crashed.

          --flaky
              The failure occurs in some runs only
              
              Measures how often it occurs on the input, and preserves that rate.

          --valid[=<KIND>]
              Candidates have to be valid too: they parse and compile
              
              Ready-made checks for the language of the input, each in a run of its own on candidates
              that are interesting: compilers with chosen warnings as errors, sanitizers, parsers,
              verifiers. `--valid` takes all that are installed, --valid=KIND,KIND some of them, such as
              warnings,sanitizers. The input has to pass them.

          --keep <WHAT>
              Keep lines such as 10-20, or text that matches
              
              Lines of the input, such as 12 or 10-20, or a regular expression; may be repeated. Lines
              that contain `boildown: keep` are kept too.

          --strict
              Fail in the same form throughout: message, function, exit
              
              Refuses steps after which the command ends otherwise or reports another crash, although
              the property holds. Without it, the summary says at which step the form changed.

    How to run the command:
          --with <PATH>
              A file or folder that each run finds in its place
              
              It is not reduced; a run sees it through a link, and may not write to it. For what a
              folder needs, such as `node_modules`. May be repeated.

          --stdin
              Feed the candidate to the command's standard input

      -j, --jobs <N>
              Tests to run at once [default: all cores]
              
              The number changes the time, never the result. With workers, 0 runs tests on them only.

          --worker <LINE>
              Run tests on another machine: 'ssh HOST boildown worker'
              
              A line for the shell that starts `boildown worker` somewhere: over ssh, in a container, in
              a job of a cluster. May be repeated; `@FILE` stands for the lines of a file, without empty
              ones and those that begin with #. The result is the same as without workers.

          --remote <URL|KEY=VALUE>
              Run tests on this service: grpcs://host:port, and KEY=VALUE for details
              
              It speaks the Bazel Remote Execution API v2. What the command names is uploaded; programs
              and libraries of the system are those of the workers. `grpc://` is without TLS. Give
              --jobs too: the number of tests to run there at once. Details are stated by further
              --remote: instance=NAME, property=NAME=VALUE (what workers have to offer), env=NAME=VALUE,
              file=PATH (sent too), group=N (short tests in one action), token-file=FILE, ca=FILE,
              cert=FILE and key=FILE. `docs/reference/remote.md` describes them.

          --within <DIR>
              Run in a copy of this directory, or `none`
              
              The candidate is in the place of the input. `none` runs each candidate alone in a fresh
              directory. [default: `reduce` takes whichever fails as it does where you are, `isolate` a
              fresh directory]

          --timeout <TIME>
              Time limit of a run, such as 30 (seconds) or 500ms
              
              [default: ten times a run on the input, and at least 2s]

          --writable <PATH>
              Let the command write to this directory or file too
              
              May be repeated. `BOILDOWN_WRITABLE=A:B` does the same for every session.

          --no-sandbox
              Run without the sandbox
              
              The command may then write wherever you may, and signal your processes.

          --memory <SIZE>
              Memory limit for all processes of a run, such as 8G
              
              An amount such as 500M or 8G, or `none`. [default: half of the machine's]

    How to reduce:
          --fresh
              Start over instead of resuming
              
              Without it, the same command resumes an earlier run.

          --language <NAME>
              Language of the input, or `none`
              
              [default: by its name, or else by its content; `boildown languages` lists them]

          --minimize <MEASURE>
              What to make small: tokens, bytes, lines, cpu, wall, memory or `stdout:REGEX`
              
              `cpu` is the processor time of a run, `wall` its time from start to end, `memory` the peak
              of its largest process, `stdout:REGEX` the last number that the first group of the
              expression finds in standard output. A list such as memory,bytes has what matters most
              first. A candidate that is interesting, but worse in a quantity of runs than the best
              result so far, is refused; differences that chance explains do not count. The input and
              the result are measured again at the end. [default: tokens]

          --units <UNITS>
              The smallest parts to delete: lines, tokens, bytes
              
              `lines` deletes whole lines and changes nothing else; `tokens` deletes and rewrites parts
              of lines too; `bytes` also takes the tokens of a language apart [default: tokens; bytes
              for a file in no known language; whole words for --reduce]

          --reduce <PARTS>
              Reduce the command itself: args, env, or args,env
              
              `args` are its arguments: an option goes together with its value, and response files
              (`@FILE`) are read. `env` is its environment: every variable but the `PATH`. The result is
              printed as a line for a shell. A file before it is reduced with its command.

          --split <KIND>
              What a list consists of: lines, words, json-lines, ...
              
              One of lines, words, nul, json-lines, json-array, sql and csv; or a regular expression.
              One that begins with ^ matches where an element begins, any other matches what separates
              two. Elements are deleted as a whole first, and then parts of them [default: lines, if
              {items} is in the command]

          --rename
              Rename identifiers to a, b, c and so on
              
              Only where the property allows it.

          --redact
              Replace names, words of strings and comments, paths and numbers at the end
              
              By others that say nothing, wherever the property allows it, so that others may read the
              result. Words of the input that remain are listed with their lines.

          --failure <NAME>
              Reduce another failure, which candidates of this run showed
              
              NAME is that of a file in the list of secondary failures, such as SIGSEGV. It is reduced
              in the place of the input, with the same options; --exit, --stderr and others that state
              the first failure are left out, and what to preserve is deduced. The result is beside the
              first one, as crash.min.SIGSEGV.c.

    Where the result goes, and what is printed:
          --json
              Print events as JSON, one object a line
              
              They go to standard output. `docs/reference/json.md` describes them.

      -q, --quiet
              Print errors only

      -v, --verbose
              Also print what was chosen for you, and why
              
              One line for the language, the property, the sandbox, the time limit and so on: what was
              chosen, why, and the options that change it. `boildown explain` prints them later.

      -o, --output <FILE>
              Result file, or `-` [default: crash.min.c for crash.c]
              
              It holds the best result so far at any moment. `-` prints the result at the end.

          --in-place
              Replace the input; keep the original as crash.c.orig

    When to stop:
          --max-time <TIME>
              Stop after this time, such as 90 (seconds) or 10m
              
              The first runs on the input count too. The best result so far is kept; the same command
              resumes.

          --until <SIZE>
              Stop at a size, such as 200 or 4kB, or at a `plateau`
              
              Without a unit, a size is a number of tokens. A plateau is reached when the last third of
              the tests, at least 30, removed less than a hundredth.

    Other options:
          --profile <NAME>
              Take settings of a profile from boildown.toml too, or none at all with `none`
              
              The file is looked for in the directory of the input, and in those above it up to the root
              of the repository. `[reduce]` holds options of `boildown reduce`, such as jobs = 4 or
              timeout = "30s"; `[profile.NAME.reduce]` those of a profile. What is typed comes first.

      -h, --help
              Print this help; `-h` prints a short one, `--help expert` all options

    Keys, on a terminal:
       s  skips the current pass
       q  stops, like Ctrl-C; the same command resumes

    Exit codes:
       0  reduced
       1  invalid usage
       2  nothing could be removed
       3  the property does not hold on the input
       4  the property holds too rarely
       5  the command could not be run
       6  stopped early; the best result is saved
      70  internal error (a bug in boildown)
    "#);
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
    let page = |command: &[&str]| {
        let args = std::iter::once(&"man").chain(command);
        env.run(args).assert_code(0).stdout.clone()
    };
    let overview = page(&[]);
    let commands = [
        "reduce",
        "isolate",
        "changes",
        "explain",
        "lab",
        "languages",
        "man",
    ];
    for command in commands {
        assert!(overview.contains(command), "{command}");
        let page = page(&[command]);
        for section in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "OPTIONS",
            "EXIT STATUS",
            "SEE ALSO",
        ] {
            assert!(page.contains(section), "{command}: {section}");
        }
    }
    let reduce = page(&["reduce"]);
    for section in ["FILES", "ENVIRONMENT", "EXAMPLES", "KEYS"] {
        assert!(reduce.contains(&format!("\n.SH {section}\n")), "{section}");
    }
    // Dashes are escaped in a manual page.
    assert!(reduce.contains(r"\-\-test"));
    env.run(["man", "nothing"]).assert_code(1);
}

#[test]
fn the_manual_pages_are_read_by_the_tools_for_them() {
    let env = TestEnv::new();
    let mut tools = vec![
        ("mandoc", vec!["-T", "lint", "-W", "error"]),
        ("groff", vec!["-man", "-Tutf8", "-ww", "-z"]),
    ];
    tools.retain(|(tool, _)| {
        let is_there = std::process::Command::new(tool)
            .arg("--help")
            .output()
            .is_ok();
        if !is_there {
            println!("skipped: {tool} is not installed");
        }
        is_there
    });
    for command in [
        "reduce",
        "isolate",
        "changes",
        "explain",
        "lab",
        "completions",
    ] {
        let page = env.run(["man", command]).assert_code(0).stdout.clone();
        std::fs::write(env.path("page.1"), page).unwrap();
        for (tool, args) in &tools {
            let mut read = std::process::Command::new(tool);
            let read = read.args(args).arg(env.path("page.1")).output().unwrap();
            let complaints = String::from_utf8_lossy(&read.stderr).into_owned()
                + &String::from_utf8_lossy(&read.stdout);
            assert!(
                read.status.success() && complaints.is_empty(),
                "{tool} {command}: {complaints}"
            );
        }
    }
}
