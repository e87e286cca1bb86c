//! The guides of the commands, for their help and their manual pages.

use crate::guide::{Example, Guide};

/// Files of the commands that have a run store.
const STORE: (&str, &str) = (
    ".boildown/",
    "beside the result: the run store, from which the same command resumes, and the smallest \
     candidates of secondary failures. It may be deleted when no run is in progress.",
);

pub(crate) const REDUCE: Guide = Guide {
    synopsis: &[
        "boildown reduce [OPTIONS] FILE -- COMMAND...",
        "boildown reduce [OPTIONS] FILE --test SCRIPT",
        "boildown reduce [OPTIONS] --reduce args,env -- COMMAND...",
        "boildown reduce [OPTIONS] FOLDER --test SCRIPT",
    ],
    description: &[
        "Makes FILE as small as possible while COMMAND still fails on it in the same way. The \
         command is run once, and what that run shows is preserved: its exit code or signal, and \
         the line that names the failure. Options or a script state the property instead.",
        "In COMMAND, a word that names FILE, or {}, becomes the path of a candidate. Smaller and \
         smaller candidates are tested, many at once. FILE itself is never changed; the best \
         result so far is beside it at any moment, as crash.min.c for crash.c.",
        "A folder, or several files, are reduced together: each run has a copy of them under their \
         names, and the result is a folder.",
    ],
    examples: &[
        Example {
            command: "boildown reduce crash.c -- gcc -O2 -c crash.c",
            brief: "keep what the run shows",
            purpose: "preserve what the first run shows: the exit code and the line that names \
                      the failure",
        },
        Example {
            command: "boildown reduce crash.c --test ./interesting.sh",
            brief: "a C-Reduce script",
            purpose: "a script for C-Reduce, C-Vise or Shrink Ray, unchanged: exit code 0 means \
                      interesting",
        },
        Example {
            command: "boildown reduce a.json --stderr KeyError -- ./tool {}",
            brief: "state what to keep",
            purpose: "state what to preserve; {} is the path of the candidate",
        },
        Example {
            command: "boildown reduce slow.sql --hangs 5s --stdin -- ./query",
            brief: "",
            purpose: "an input that hangs, read from standard input",
        },
        Example {
            command: "boildown reduce server.log --units lines -- ./parse {}",
            brief: "",
            purpose: "delete whole lines only",
        },
        Example {
            command: "boildown reduce tests.txt -- pytest {items}",
            brief: "",
            purpose: "find the tests that make another one fail; {items} stands for the lines kept",
        },
        Example {
            command: "boildown reduce --reduce args,env -- gcc -O2 -Wall -c a.c",
            brief: "",
            purpose: "reduce the arguments and the environment of a command",
        },
        Example {
            command: "boildown reduce project/ --test ./interesting.sh",
            brief: "",
            purpose: "a folder: files first, then what is in them",
        },
    ],
    keys: &[
        ("s", "skips the current pass"),
        ("q", "stops, like Ctrl-C; the same command resumes"),
    ],
    exit_codes: &[
        (0, "reduced"),
        (1, "invalid usage"),
        (2, "nothing could be removed"),
        (3, "the property does not hold on the input"),
        (4, "the property holds too rarely"),
        (5, "the command could not be run"),
        (6, "stopped early; the best result is saved"),
        (70, "internal error (a bug in boildown)"),
    ],
    files: &[
        (
            "crash.min.c",
            "for an input crash.c: the best result so far, always whole.",
        ),
        (
            "project.min",
            "for an input project/: the folder with the best result so far.",
        ),
        ("crash.c.orig", "the input, when --in-place replaces it."),
        STORE,
    ],
    see_also: &["isolate", "changes", "explain", "algorithms", "languages"],
};

pub(crate) const ISOLATE: Guide = Guide {
    synopsis: &[
        "boildown isolate [OPTIONS] GOOD BAD -- COMMAND...",
        "boildown isolate [OPTIONS] GOOD BAD --test SCRIPT",
    ],
    description: &[
        "Finds the smallest difference between a file that passes and a file that fails. A \
         candidate is a mixture of both files. It fails when the property of BAD holds: the one \
         that options state, or else the one that the run on BAD shows. It passes when the command \
         ends as it does on GOOD: with exit code 0, or else with the same exit code or signal and \
         the same kind of message. Every other outcome, and exit code 125, is unresolved.",
    ],
    examples: &[
        Example {
            command: "boildown isolate good.html bad.html -- ./browser {}",
            brief: "write both sides",
            purpose: "write bad.pass.html and bad.fail.html, which differ as little as possible, \
                      and print the difference",
        },
        Example {
            command: "boildown isolate a.sql b.sql --stderr deadlock -- ./db {}",
            brief: "say what fails",
            purpose: "state what failing means; a candidate that ends as a.sql does passes",
        },
        Example {
            command: "boildown isolate a.json b.json --units tokens -- ./tool {}",
            brief: "",
            purpose: "report whole tokens instead of single characters",
        },
    ],
    keys: &[],
    exit_codes: &[
        (0, "isolated"),
        (1, "invalid usage"),
        (3, "GOOD does not pass, or BAD does not fail"),
        (4, "GOOD passes only sometimes, or BAD fails too rarely"),
        (5, "the command could not be run"),
        (6, "stopped early; the best result is saved"),
        (70, "internal error (a bug in boildown)"),
    ],
    files: &[
        (
            "bad.pass.html, bad.fail.html",
            "for a file bad.html: the two results so far, the one that passes and the one that \
             fails.",
        ),
        STORE,
    ],
    see_also: &["reduce", "changes", "explain"],
};

pub(crate) const STAGE: Guide = Guide {
    synopsis: &[
        "boildown stage [OPTIONS] FILE -- COMPILER...",
        "boildown stage [OPTIONS] FILE --stage NAME=LINE... -- COMMAND...",
    ],
    description: &[
        "Finds the first stage of a pipeline that fails on FILE as COMMAND does, makes the input of \
         that stage, and reduces it with the stage alone. The stages of clang, gcc, rustc and opt \
         are known: preprocessor, front end, optimizer pass by pass, code generator, assembler, \
         linker. --stage states those of any other tool.",
        "A stage that fails in another way than COMMAND is never blamed. The options of `boildown \
         reduce` that say what to preserve, how to run and when to stop are those of the reduction.",
    ],
    examples: &[
        Example {
            command: "boildown stage a.c -- clang -O2 -c a.c",
            brief: "the pass that crashes",
            purpose: "the pass or the part of clang that fails; its input is a.stage.ll, the \
                      result a.stage.min.ll",
        },
        Example {
            command: "boildown stage a.ll -- opt -passes='default<O2>' -S a.ll",
            brief: "",
            purpose: "the first pass of a list that fails",
        },
        Example {
            command: "boildown stage a.x --stage 'parse=./parse {in} >{out}' --stage \
                      'emit=./emit {in}' -- ./compile a.x",
            brief: "",
            purpose: "stages of a compiler that boildown does not know",
        },
    ],
    exit_codes: &[
        (0, "reduced; with --no-reduce, found"),
        (1, "invalid usage, or the stages are not known"),
        (2, "the input of the stage cannot be reduced"),
        (3, "the command does not fail, or no stage fails as it does"),
        (4, "the property holds too rarely"),
        (5, "the command could not be run"),
        (6, "stopped early; the best result is saved"),
        (70, "internal error (a bug in boildown)"),
    ],
    files: &[
        (
            "crash.stage.ll",
            "for an input crash.c: the input of the stage; replaced without asking.",
        ),
        (
            "crash.stage.min.ll",
            "the best result so far, always whole.",
        ),
        STORE,
    ],
    see_also: &["reduce", "triage"],
    ..PRINTING
};

pub(crate) const TRIAGE: Guide = Guide {
    synopsis: &[
        "boildown triage [OPTIONS] FOLDER -- COMMAND...",
        "boildown triage [OPTIONS] FOLDER --test SCRIPT",
    ],
    description: &[
        "Sorts the failing inputs of a folder, such as the crashes of a fuzzer. Each input is run, \
         each content once. Those that fail in the same way form a group: the same message, \
         function and kind of failure, whatever the addresses, numbers and quoted names. The \
         smallest input of each group is reduced, and groups whose reduced examples differ only in \
         names and literals are merged. Each example is run again before it is printed.",
        "Inputs that do not fail, that fail in some runs only, and that hang are told apart and \
         counted.",
    ],
    examples: &[
        Example {
            command: "boildown triage crashes -- ./target {}",
            brief: "sort a folder",
            purpose: "print a table of the different crashes, and write an example of each to \
                      crashes.triage/examples",
        },
        Example {
            command: "boildown triage crashes --name in.js -- ./engine {}",
            brief: "JavaScript",
            purpose: "the name of the file tells the language",
        },
        Example {
            command: "boildown triage corpus --format sarif -- ./parser {} > triage.sarif",
            brief: "",
            purpose: "print the groups for a code scanning tool",
        },
    ],
    keys: &[],
    exit_codes: &[
        (0, "every group has an example that failed again"),
        (1, "invalid usage"),
        (3, "no input fails"),
        (4, "the example of a group did not fail again"),
        (5, "the command could not be run"),
        (6, "stopped early; the same command resumes"),
        (70, "internal error (a bug in boildown)"),
    ],
    files: &[
        (
            "crashes.triage/examples/",
            "for a folder crashes: one example of each group.",
        ),
        (
            "crashes.triage/triage.json",
            "the report, as --format json prints it.",
        ),
        (
            "crashes.triage/reductions/, crashes.triage/.boildown/",
            "what was found so far, from which the same command resumes.",
        ),
    ],
    see_also: &["reduce", "explain", "history"],
};

pub(crate) const CHANGES: Guide = Guide {
    synopsis: &[
        "boildown changes [OPTIONS] GOOD..BAD -- COMMAND...",
        "boildown changes [OPTIONS] GOOD BAD -- COMMAND...",
        "boildown changes [OPTIONS] GOOD --worktree -- COMMAND...",
    ],
    description: &[
        "Finds the change that broke something: the commit, files, hunks and lines between two \
         states. GOOD and BAD are two revisions of the current git repository, or two directories. \
         The command runs in copies of the files elsewhere; your work tree, index, branches, stash \
         and hooks are not touched.",
        "Exit code 0 means good. Bad is what fails as BAD does: with its exit status and the line \
         that names the failure. Other failures are unresolved, and so is exit code 125. \
         --any-failure calls every failure bad, as `git bisect run` does.",
    ],
    examples: &[
        Example {
            command: "boildown changes v1.2..v1.3 -- make check",
            brief: "what broke it",
            purpose: "which commit, files, hunks and lines broke it; the result is written to \
                      culprit.patch",
        },
        Example {
            command: "boildown changes good bad --stderr IndexError -- pytest -x",
            brief: "this failure only",
            purpose: "only this failure counts as bad",
        },
        Example {
            command: "boildown changes v1.2..v1.3 --build 'make -j4' -- ./run-test.sh",
            brief: "",
            purpose: "a failed build is unresolved, not bad",
        },
        Example {
            command: "boildown changes HEAD~1 --worktree -- ./run.sh",
            brief: "uncommitted work",
            purpose: "uncommitted work against a commit",
        },
        Example {
            command: "boildown changes --fix broken..fixed -- make check",
            brief: "",
            purpose: "the smallest part of a fix that still fixes",
        },
        Example {
            command: "boildown changes old/ new/ -- ./run.sh",
            brief: "",
            purpose: "two directories, no repository",
        },
    ],
    keys: &[],
    exit_codes: &[
        (0, "found"),
        (1, "invalid usage"),
        (3, "the good state is not good, or the bad state not bad"),
        (4, "a state is good or bad only sometimes"),
        (5, "the command could not be run"),
        (6, "stopped early; the best result is saved"),
        (8, "a fresh copy does not confirm the patch"),
        (9, "no candidate could be judged"),
        (70, "internal error (a bug in boildown)"),
    ],
    files: &[
        (
            "culprit.patch",
            "the smallest patch so far; fix.patch with --fix.",
        ),
        STORE,
    ],
    see_also: &["reduce", "isolate", "explain"],
};

pub(crate) const REPORT: Guide = Guide {
    synopsis: &["boildown report [OPTIONS] [FILE]"],
    description: &[
        "Writes a page about a reduction, finished or not: the input and the result side by side, \
         what went at which step, which passes found it, why the result is not smaller, how often \
         the failure showed, and with which programs. The page is one file, which needs no network.",
        "FILE is the input or the result of a run, or its store; without it, the last run in the \
         current directory is meant. A store of an earlier version has less to show: the same \
         reduction, run again, adds what is missing without a test.",
    ],
    examples: &[
        Example {
            command: "boildown report",
            brief: "a page about the last run",
            purpose: "a page about the last run in the current directory, crash.min.c.report.html",
        },
        Example {
            command: "boildown report crash.c -o report.html",
            brief: "of another run, elsewhere",
            purpose: "a page about the reduction of crash.c",
        },
        Example {
            command: "boildown report --live crash.c",
            brief: "while it runs",
            purpose: "the address of a page that follows the reduction, until Ctrl-C",
        },
    ],
    keys: &[],
    exit_codes: &[
        (0, "written"),
        (1, "there is no such run, or the file is not to be replaced"),
        (5, "the store could not be read, or the file not written"),
    ],
    files: &[
        (
            "crash.min.c.report.html",
            "the page, in the current directory.",
        ),
        STORE,
    ],
    see_also: &["reduce", "history", "explain"],
};

pub(crate) const HISTORY: Guide = Guide {
    synopsis: &[
        "boildown history [list [FILE]]",
        "boildown history show N [FILE]",
        "boildown history diff N M [FILE]",
        "boildown history restore N [FILE]",
    ],
    description: &[
        "Every result that a reduction had on the way is in its store: its size, and for some of \
         them, each an eighth smaller than the one before, the whole text. The list numbers them; 0 \
         is the input. FILE is the input or the result of a run; without it, the last run in the \
         current directory is meant.",
        "A result that is restored replaces a later one of the same run in the result file, and \
         nothing else. The same reduction, run again, continues with its best result.",
    ],
    examples: &[
        Example {
            command: "boildown history",
            brief: "the results of the last run",
            purpose: "the results of the last run in the current directory",
        },
        Example {
            command: "boildown history diff 0 12",
            brief: "what went since the input",
            purpose: "what went from the input to result 12",
        },
        Example {
            command: "boildown history restore 12 crash.c",
            brief: "bring a result back",
            purpose: "write result 12 of the reduction of crash.c to crash.min.c",
        },
    ],
    keys: &[],
    exit_codes: &[
        (0, "printed or written"),
        (
            1,
            "there is no such run or result, or the file is not to be replaced",
        ),
        (5, "the store could not be read, or the file not written"),
    ],
    files: &[STORE],
    see_also: &["reduce", "explain"],
};

pub(crate) const EXPLAIN: Guide = Guide {
    synopsis: &["boildown explain [FILE]"],
    description: &[
        "Prints what the last run in the current directory chose for you: the language, the \
         property, the sandbox, the limits. Each line says what was chosen, why, and which options \
         change it, as --verbose does at the start of a run. Then it prints how the run ended. \
         FILE is the input or the result of another run.",
    ],
    examples: &[
        Example {
            command: "boildown explain",
            brief: "the last run here",
            purpose: "the last run in the current directory",
        },
        Example {
            command: "boildown explain src/crash.c",
            brief: "the last run on that file",
            purpose: "the last run on that file",
        },
    ],
    keys: &[],
    exit_codes: &[
        (0, "printed"),
        (1, "there is no such run"),
        (5, "its store could not be read"),
    ],
    files: &[STORE],
    see_also: &["reduce", "isolate", "changes"],
};

pub(crate) const LAB: Guide = Guide {
    synopsis: &["boildown lab EXPERIMENT [OPTIONS]"],
    description: &[
        "Compares algorithms by the number of tests they need, on simulated problems: exact \
         numbers in virtual time, the same for the same seed. Each experiment has options of its \
         own; `boildown lab EXPERIMENT --help` lists them.",
    ],
    examples: &[
        Example {
            command: "boildown lab compare",
            brief: "list algorithms",
            purpose: "ddmin and a selection of other algorithms on lists",
        },
        Example {
            command: "boildown lab programs a.c b.py --schedule hdd --schedule perses",
            brief: "",
            purpose: "two tree schedules on programs that need some of their tokens",
        },
    ],
    exit_codes: &[(0, "compared"), (1, "invalid usage")],
    see_also: &["algorithms", "reduce"],
    ..PRINTING
};

pub(crate) const DOCTOR: Guide = Guide {
    synopsis: &["boildown doctor [--json]"],
    description: &[
        "Prints what the machine offers to contain runs and to make them fast: the sandbox, \
         sessions, file systems in memory, limits. It says what is off, why, and how to turn it on.",
    ],
    see_also: &["reduce", "isolate", "changes"],
    ..PRINTING
};

pub(crate) const WORKER: Guide = Guide {
    synopsis: &["boildown worker [--jobs N]"],
    description: &[
        "Runs tests for a boildown on another machine, which starts it with --worker and talks to \
         it over standard input and output. The tests run as local ones do: in the sandbox, within \
         the limits of that boildown, each in a fresh directory. The worker ends, and cleans up, \
         when its standard input is closed. Both sides have to be of the same version.",
    ],
    examples: &[Example {
        command: "boildown worker --jobs 4",
        brief: "",
        purpose: "run four tests at once; the other side: boildown reduce crash.c --worker 'ssh HOST \
                  boildown worker --jobs 4' -- cc -c crash.c",
    }],
    exit_codes: &[
        (0, "the client closed the connection"),
        (1, "invalid usage, or the client is not boildown"),
        (5, "there is no space for runs, or the connection failed"),
    ],
    see_also: &["reduce", "isolate", "doctor"],
    ..PRINTING
};

pub(crate) const MCP: Guide = Guide {
    synopsis: &["boildown mcp"],
    description: &[
        "Serves the tools reduce, changes, status, best and stop over the Model Context Protocol, \
         on standard input and output, to an agent that starts it. A job runs as `boildown reduce` \
         or `boildown changes` does, with your rights and in the sandbox, and continues while the \
         agent does something else. When the agent closes the connection, its jobs are stopped; \
         their best results stay.",
    ],
    examples: &[Example {
        command: "boildown mcp",
        brief: "",
        purpose: "what an agent is told to start, as by: claude mcp add boildown -- boildown mcp",
    }],
    exit_codes: &[
        (0, "the client closed the connection"),
        (5, "standard input could not be read"),
    ],
    see_also: &["reduce", "changes"],
    ..PRINTING
};

pub(crate) const SERVE: Guide = Guide {
    synopsis: &["boildown serve FOLDER [OPTIONS]"],
    description: &[
        "Serves reductions over HTTP and JSON: a client posts an input and a command or a script, \
         and asks for the state, the best result, the events as they come, or a page for a browser. \
         Jobs wait in a queue, and each runs as `boildown reduce` does, in the sandbox and within \
         the limits of the service. What was accepted survives the service: the next one in the \
         same folder continues.",
        "A client needs the token in FOLDER/token. Who has it can run commands here, which read \
         what you can read: let the service be a user of its own. GET /openapi.json describes the \
         requests.",
    ],
    examples: &[Example {
        command: "boildown serve jobs --at 127.0.0.1:7878 --at-once 4 --max-time 30m",
        brief: "",
        purpose: "four jobs at a time, each at work for half an hour at most; the jobs: curl -H \
                      \"Authorization: Bearer $(cat jobs/token)\" http://127.0.0.1:7878/jobs",
    }],
    exit_codes: &[
        (
            1,
            "invalid usage, or the program was built without the service",
        ),
        (5, "the folder or the address cannot be used"),
    ],
    see_also: &["reduce", "report", "mcp", "doctor"],
    ..PRINTING
};

pub(crate) const LANGUAGES: Guide = Guide {
    synopsis: &["boildown languages"],
    description: &[
        "Prints the languages that boildown has a grammar for, and the names of files by which it \
         recognises them. A file in any other language is reduced by lines, brackets, words and \
         bytes.",
    ],
    see_also: &["reduce"],
    ..PRINTING
};

pub(crate) const ALGORITHMS: Guide = Guide {
    synopsis: &["boildown algorithms"],
    description: &[
        "Prints the delta-debugging algorithms: what each works on, what it guarantees, what it \
         costs, and where it comes from. `boildown reduce` uses one with --algorithm or \
         --schedule; the defaults measured best.",
    ],
    see_also: &["reduce", "lab"],
    ..PRINTING
};

pub(crate) const LICENCES: Guide = Guide {
    synopsis: &["boildown licences"],
    description: &[
        "Prints the licence of boildown, and the packages that a program with all features is made \
         of, each with its version and its licence as an SPDX expression.",
    ],
    see_also: &["algorithms", "languages"],
    ..PRINTING
};

pub(crate) const COMPLETIONS: Guide = Guide {
    synopsis: &["boildown completions SHELL"],
    description: &["Prints a completion script for a shell."],
    examples: &[
        Example {
            command: "boildown completions bash > ~/.local/share/bash-completion/completions/boildown",
            brief: "",
            purpose: "complete commands and options in bash",
        },
        Example {
            command: "boildown completions zsh > ~/.zfunc/_boildown",
            brief: "",
            purpose: "the same in zsh, with ~/.zfunc in $fpath",
        },
    ],
    ..PRINTING
};

pub(crate) const MAN: Guide = Guide {
    synopsis: &["boildown man [COMMAND]"],
    description: &[
        "Prints the manual page of boildown, or of one of its commands, in the format of man(7).",
    ],
    examples: &[
        Example {
            command: "boildown man reduce | man -l -",
            brief: "read the page of reduce",
            purpose: "read the manual page of `boildown reduce`",
        },
        Example {
            command: "boildown man reduce > ~/.local/share/man/man1/boildown-reduce.1",
            brief: "",
            purpose: "install it, so that `man boildown-reduce` finds it",
        },
    ],
    ..PRINTING
};

/// A guide for commands that only print.
const PRINTING: Guide = Guide {
    synopsis: &[],
    description: &[],
    examples: &[],
    keys: &[],
    exit_codes: &[(0, "printed"), (1, "invalid usage")],
    files: &[],
    see_also: &[],
};

/// The guide of boildown itself.
pub(crate) const BOILDOWN: Guide = Guide {
    synopsis: &["boildown COMMAND [OPTIONS] ..."],
    description: &[
        "A test-case reducer and delta debugger. Give it a file that makes a program fail, and it \
         finds a much smaller file that fails in the same way (reduce); a file that passes and one \
         that fails, and it finds the smallest difference (isolate); two versions of a project, \
         and it finds the commit, files, hunks and lines that broke it (changes).",
        "Each command has a manual page of its own. A run can be stopped at any time, and the same \
         command resumes it.",
    ],
    examples: &[
        Example {
            command: "boildown reduce crash.c -- gcc -O2 -c crash.c",
            brief: "a file that fails",
            purpose: "a smaller file on which the compiler fails in the same way",
        },
        Example {
            command: "boildown isolate good.json bad.json -- ./tool {}",
            brief: "one that passes, too",
            purpose: "the smallest difference between a file that passes and one that fails",
        },
        Example {
            command: "boildown changes v1.2..v1.3 -- make check",
            brief: "two versions",
            purpose: "the change that broke the check",
        },
    ],
    exit_codes: REDUCE.exit_codes,
    files: &[STORE],
    ..PRINTING
};

/// Returns the guide of a command.
pub(crate) fn guide(command: &str) -> &'static Guide {
    match command {
        "reduce" => &REDUCE,
        "isolate" => &ISOLATE,
        "changes" => &CHANGES,
        "stage" => &STAGE,
        "triage" => &TRIAGE,
        "explain" => &EXPLAIN,
        "history" => &HISTORY,
        "report" => &REPORT,
        "lab" => &LAB,
        "doctor" => &DOCTOR,
        "worker" => &WORKER,
        "mcp" => &MCP,
        "serve" => &SERVE,
        "languages" => &LANGUAGES,
        "algorithms" => &ALGORITHMS,
        "licences" => &LICENCES,
        "completions" => &COMPLETIONS,
        "man" => &MAN,
        _ => &BOILDOWN,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_short_help_fits_on_a_small_terminal() {
        for command in [
            "reduce", "isolate", "changes", "triage", "explain", "history", "man",
        ] {
            let mut definition = Cli::command().term_width(80);
            definition.build();
            let command = definition.find_subcommand_mut(command).unwrap();
            let help = command.clone().term_width(80).render_help().to_string();
            assert!(help.lines().count() <= 40, "{help}");
            let longest = help.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(80), "{help}");
        }
    }

    #[test]
    fn every_exit_code_is_described_once() {
        for name in ["reduce", "isolate", "changes", "triage"] {
            let codes = guide(name).exit_codes;
            assert!(codes.is_sorted_by_key(|(code, _)| *code), "{name}");
            let repeated = codes.windows(2).find(|pair| pair[0].0 == pair[1].0);
            assert_eq!(repeated, None, "{name}");
        }
    }

    #[test]
    fn examples_come_before_the_options() {
        for name in ["reduce", "isolate", "changes", "triage"] {
            let mut definition = Cli::definition();
            definition.build();
            let command = definition.find_subcommand_mut(name).unwrap();
            let texts = [command.render_help(), command.render_long_help()];
            for text in texts.map(|text| text.to_string()) {
                let example = text.find(guide(name).examples[0].command);
                let option = text.find("What ");
                assert!(example.is_some() && example < option, "{text}");
            }
        }
    }

    #[test]
    fn every_command_has_a_guide_of_its_own() {
        let definition = Cli::definition();
        for command in definition.get_subcommands() {
            let guide = guide(command.get_name());
            let own = format!("boildown {}", command.get_name());
            assert!(
                guide.synopsis.iter().all(|form| form.starts_with(&own)),
                "{own}"
            );
            let examples = guide.examples.iter().map(|example| example.command);
            assert!(
                examples.clone().all(|example| example.starts_with(&own)),
                "{own}"
            );
        }
    }
}
