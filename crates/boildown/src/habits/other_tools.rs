//! Commands and options of other tools, and what does the same here.

/// Commands of other tools, and a line about ours.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &[
            "minimize",
            "minimise",
            "shrink",
            "min",
            "tmin",
            "creduce",
            "cvise",
            "shrinkray",
        ],
        "`boildown reduce FILE -- COMMAND` makes a failing file smaller",
    ),
    (
        &["bisect", "run", "start", "good", "bad", "skip"],
        "`boildown changes GOOD..BAD -- COMMAND` finds the commit, and the lines in it",
    ),
    (
        &["diff", "delta", "dd", "compare"],
        "`boildown isolate GOOD BAD -- COMMAND` finds the smallest difference between two files",
    ),
    (&["version"], "`boildown --version` prints the version"),
    (
        &["completion"],
        "`boildown completions SHELL` prints a completion script",
    ),
];

/// Options of C-Reduce, C-Vise, Shrink Ray, picire, Picireny, treereduce, ddSMT, Perses, halfempty,
/// lithium, AFL and git bisect, and a line about ours. A line is used only in commands that have
/// all options it names.
const OPTIONS: &[(&[&str], &str)] = &[
    (
        &["--resume", "--continue", "--restart", "--start-from"],
        "the same command resumes by itself; --fresh starts over",
    ),
    (
        &[
            "--no-cache",
            "--cache",
            "--cache-dir",
            "--memoize",
            "--query-cache",
            "--query-caching",
        ],
        "verdicts are always remembered; --fresh forgets those of earlier runs",
    ),
    (
        &["--tidy", "--no-backup", "--backup"],
        "the input stays as it is and there is no backup; --in-place replaces it, and keeps a copy",
    ),
    (
        &[
            "--save-temps",
            "--save-temp-dirs",
            "--keep-temps",
            "--no-cleanup",
            "--disable-cleanup",
        ],
        "directories of runs are always removed; the result and .boildown beside it stay",
    ),
    (
        &[
            "--temp-dir",
            "--tempdir",
            "--tmpdir",
            "--tmp-dir",
            "--workdir",
            "--work-dir",
        ],
        "each run has a fresh directory; the environment variable TMPDIR says where",
    ),
    (
        &[
            "--sllooww",
            "--slow",
            "--no-give-up",
            "--give-up-constant",
            "--stable",
            "--fixpoint",
            "--reparse",
            "--aggressive",
        ],
        "passes repeat until nothing can be removed; no option is needed",
    ),
    (
        &[
            "--max-improvement",
            "--skip-initial-passes",
            "--quick",
            "--fast",
        ],
        "--max-time, --max-tests and --until stop before the end",
    ),
    (
        &["--not-c", "--binary", "--no-clang-delta"],
        "the language is recognised by name and content; --language none reduces any file",
    ),
    (
        &["--start", "--parser", "--replacements", "--lang"],
        "--language NAME states the language; `boildown languages` lists them",
    ),
    (
        &[
            "--formatter",
            "--unify-spaces",
            "--pretty-print",
            "--wrap-lines",
        ],
        "line breaks stay and the result is tidied; --compact removes white space instead",
    ),
    (
        &["--format"],
        "--json prints events; `boildown report` writes about a finished run, and `boildown triage` sorts a folder, in several formats",
    ),
    (
        &["--also-interesting", "--save-mismatches", "--other-crashes"],
        "candidates that fail in another way are kept by themselves, under .boildown",
    ),
    (
        &["--print-diff", "--show-diff"],
        "compare the files at any time: the output always holds the best result so far",
    ),
    (
        &[
            "--add-pass",
            "--start-with-pass",
            "--pass-group",
            "--pass-group-file",
            "--mode",
            "--mutators",
        ],
        "--passes=NAME,NAME runs only these passes",
    ),
    (
        &[
            "--remove-pass",
            "--skip-pass",
            "--no-pass",
            "--disable-pass",
        ],
        "--passes=-NAME skips a pass",
    ),
    (
        &["--list-passes", "--dump-passes"],
        "an unknown name lists them: --passes=list",
    ),
    (
        &[
            "--skip-key-off",
            "--no-clear-screen",
            "--color",
            "--no-progress",
            "--noprogress",
        ],
        "on a terminal there is a live line, elsewhere a log; --quiet turns both off",
    ),
    (
        &[
            "--shaddap",
            "--silent",
            "--no-timing",
            "--no-log",
            "--level-none",
        ],
        "--quiet prints errors only",
    ),
    (
        &[
            "--timing",
            "--timestamp",
            "--log-level",
            "--log-file",
            "--log-format",
            "--debug",
            "--stats",
            "--report",
            "--report-file",
            "--profile",
        ],
        "--json prints every event, with times",
    ),
    (
        &[
            "--stopping-threshold",
            "--target-size",
            "--stop-at",
            "--min-size",
        ],
        "--until SIZE stops at this size, such as 200 (tokens) or 4kB",
    ),
    (
        &["--renaming", "--rename-identifiers", "--simplify-names"],
        "--rename names everything a, b, c",
    ),
    (
        &[
            "--skip-interestingness-test-check",
            "--no-verify",
            "--noverify",
            "--no-check",
            "--skip-check",
        ],
        "the input is always run first: three runs, so that a flaky test is noticed",
    ),
    (
        &[
            "--test-script",
            "--test-command",
            "--interestingness-test",
            "--interestingness",
            "--predicate",
            "--commands",
            "--command",
            "--shell",
            "-c",
            "--cmd",
            "--condition",
        ],
        "--test takes a script, or a line for the shell: --test 'gcc -c $1 2>&1 | grep -q error'",
    ),
    (
        &["--test-arg", "--test-args"],
        "--test takes a line for the shell: --test './test.sh ARGUMENT \"$1\"'",
    ),
    (
        &[
            "--input",
            "--input-file",
            "--source",
            "--testcase",
            "--test-case",
            "-i",
            "-s",
            "-f",
        ],
        "the file is named without an option: boildown reduce FILE --test SCRIPT",
    ),
    (
        &[
            "--out",
            "--output-dir",
            "--output-file",
            "--outfile",
            "--result",
        ],
        "--output FILE says where to write the result; `-o -` prints it",
    ),
    (
        &["--inplace", "--overwrite", "--replace", "--modify"],
        "--in-place replaces the input, and keeps a copy",
    ),
    (
        &["--input-type", "--pass-stdin"],
        "a script gets the candidate by name, as an argument and on standard input; --stdin feeds a command",
    ),
    (
        &["--match-out", "--match-stdout", "--regex", "--output-match"],
        "--stdout REGEX and --stderr REGEX match the output",
    ),
    (
        &["--match-err", "--match-stderr", "--msg"],
        "--stderr REGEX matches standard error",
    ),
    (
        &[
            "--ignore-output",
            "--ignore-out",
            "--ignore-err",
            "--exitcode",
            "--exit-code",
            "--interesting-code",
            "--golden",
        ],
        "--exit STATUS alone preserves the exit status and no output",
    ),
    (
        &["--cross-check", "--cmd-cc"],
        "--also SCRIPT and --not SCRIPT add further conditions",
    ),
    (
        &["--memout", "--memory-limit", "--max-memory", "-m"],
        "--memory SIZE limits the memory of a run, such as 500M",
    ),
    (
        &[
            "--time-limit",
            "--timeout-per-test",
            "--hang-timeout",
            "--kill-after",
            "-t",
        ],
        "--timeout TIME limits a run; --max-time TIME limits all of them",
    ),
    (
        &[
            "--limit-time",
            "--max-seconds",
            "--total-timeout",
            "--deadline",
        ],
        "--max-time TIME limits the search; --timeout TIME limits a run",
    ),
    (
        &[
            "--limit-tests",
            "--max-runs",
            "--max-steps",
            "--max-iterations",
            "--iterations",
            "--limit",
        ],
        "--max-tests N limits the number of tests",
    ),
    (
        &[
            "--parallel",
            "--processes-max",
            "--num-jobs",
            "--cores",
            "--cpus",
            "-P",
        ],
        "--jobs N says how many tests run at once",
    ),
    (
        &["--seed", "--random-seed", "--random-order"],
        "nothing is random: the same input, command and options give the same result",
    ),
    (
        &["--history", "--trace", "--save-history"],
        "the store in .boildown, beside the result, keeps every improvement",
    ),
    (
        &["--trivial-is-error", "--allow-empty"],
        "a property that holds on the empty input is always an error",
    ),
    (
        &["--die-on-pass-bug", "--ignore-pass-bug", "--no-kill"],
        "no pass of ours runs another program; nothing has to be stated",
    ),
    (
        &[
            "--atom",
            "--granularity",
            "--char",
            "--char-mode",
            "--line-mode",
            "--lines",
            "--chars",
            "--tokens",
            "-a",
        ],
        "--passes=lines, --passes=tokens or --passes=bytes works on these units alone",
    ),
    (
        &[
            "--strategy",
            "--reduction-algorithm",
            "--alg",
            "--algo",
            "--reduce",
            "--reducer",
            "--hddmin",
            "--dd",
            "--reduce-class",
        ],
        "--algorithm NAME and --schedule NAME choose one; `boildown algorithms` lists them",
    ),
    (
        &[
            "--subset-iterator",
            "--complement-iterator",
            "--subset-first",
            "--split-method",
        ],
        "parameters belong to the name: --algorithm ddmin:direction=backwards; `boildown algorithms` lists them",
    ),
    (
        &[
            "--repeat",
            "--retries",
            "--repetitions",
            "--runs",
            "--flaky-runs",
        ],
        "--flaky measures how often the failure occurs, and repeats runs accordingly",
    ),
    (
        &["--inherit-stdout", "--inherit-stderr", "--show-output"],
        "the output of a run is shown if the property does not hold on the input",
    ),
];

/// Returns a line about a command of another tool.
pub(super) fn command(name: &str) -> Option<&'static str> {
    find(COMMANDS, name).next()
}

/// Returns a line about an option of another tool, for one of our commands.
pub(super) fn option(option: &str, command: &clap::Command) -> Option<&'static str> {
    find(OPTIONS, option).find(|line| {
        named_options(line).all(|name| {
            command
                .get_arguments()
                .any(|known| known.get_long() == Some(name))
        })
    })
}

fn find(table: &[(&[&str], &'static str)], name: &str) -> impl Iterator<Item = &'static str> {
    table
        .iter()
        .filter(move |(names, _)| names.contains(&name))
        .map(|(_, line)| *line)
}

/// Returns the names of the options that a line names.
fn named_options(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| letter.is_whitespace() || "=:;,`'".contains(letter))
        .filter_map(|word| word.strip_prefix("--"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_line_names_options_that_reduce_has_and_one_that_it_has_not() {
        let definition = Cli::definition();
        let reduce = definition.find_subcommand("reduce").unwrap();
        for (names, line) in OPTIONS {
            for name in *names {
                assert_eq!(option(name, reduce), Some(*line), "{name}");
                let long = name.strip_prefix("--");
                let known = reduce.get_arguments().find(|known| {
                    let short = known.get_short_and_visible_aliases().unwrap_or_default();
                    match long {
                        Some(long) => {
                            known.get_all_aliases().unwrap_or_default().contains(&long)
                                || known.get_long() == Some(long)
                        }
                        None => name.len() == 2 && short.contains(&name.chars().nth(1).unwrap()),
                    }
                });
                assert!(known.is_none(), "{name} is an option");
            }
        }
    }

    #[test]
    fn every_line_about_a_command_names_one_that_exists() {
        let definition = Cli::definition();
        for (names, line) in COMMANDS {
            let named = line
                .split_whitespace()
                .nth(1)
                .unwrap()
                .trim_end_matches('`');
            let is_known = named.starts_with("--") || definition.find_subcommand(named).is_some();
            assert!(is_known, "{line}");
            for name in *names {
                assert!(definition.find_subcommand(name).is_none(), "{name}");
            }
        }
    }
}
