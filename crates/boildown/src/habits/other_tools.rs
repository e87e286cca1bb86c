//! Options of other tools, and lines of theirs as they are typed here.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use boildown_oracle::shell::quote;

use super::line::{Line, typed};
use super::other_commands;
use crate::cli::Cli;

/// What has to be typed in the place of an option of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cure {
    /// Nothing. A value that it has stays, as the name of a file.
    Omit,
    /// Nothing, and not its value.
    OmitWithValue,
    /// An option of ours, with the same value.
    Instead(&'static str),
    /// What no table says.
    None,
}

/// Options of C-Reduce, C-Vise, Shrink Ray, picire, Picireny, treereduce, ddSMT, Perses, halfempty,
/// lithium, AFL and git bisect, a line about ours, and what takes its place. A line is used only in
/// commands that have all options it names.
const OPTIONS: &[(&[&str], &str, Cure)] = &[
    (
        &["--resume", "--continue", "--restart"],
        "the same command resumes by itself; --fresh starts over",
        Cure::Omit,
    ),
    (
        &["--start-from"],
        "the same command resumes by itself; --fresh starts over",
        Cure::OmitWithValue,
    ),
    (
        &[
            "--no-cache",
            "--memoize",
            "--query-cache",
            "--query-caching",
        ],
        "verdicts are always remembered; --fresh forgets those of earlier runs",
        Cure::Omit,
    ),
    (
        &["--cache", "--cache-dir"],
        "verdicts are always remembered; --fresh forgets those of earlier runs",
        Cure::OmitWithValue,
    ),
    (
        &["--tidy", "--no-backup"],
        "the input stays as it is and there is no backup; --in-place replaces it, and keeps a copy",
        Cure::Omit,
    ),
    (
        &["--backup"],
        "the input stays as it is and there is no backup; --in-place replaces it, and keeps a copy",
        Cure::OmitWithValue,
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
        Cure::Omit,
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
        Cure::OmitWithValue,
    ),
    (
        &[
            "--sllooww",
            "--slow",
            "--no-give-up",
            "--stable",
            "--fixpoint",
            "--reparse",
            "--aggressive",
        ],
        "passes repeat until nothing can be removed; no option is needed",
        Cure::Omit,
    ),
    (
        &["--give-up-constant"],
        "passes repeat until nothing can be removed; no option is needed",
        Cure::OmitWithValue,
    ),
    (
        &[
            "--max-improvement",
            "--skip-initial-passes",
            "--quick",
            "--fast",
        ],
        "--max-time, --max-tests and --until stop before the end",
        Cure::None,
    ),
    (
        &["--not-c", "--binary", "--no-clang-delta"],
        "the language is recognised by name and content; --language none reduces any file",
        Cure::Omit,
    ),
    (
        &["--start", "--parser", "--replacements", "--lang"],
        "--language NAME states the language; `boildown languages` lists them",
        Cure::Instead("--language"),
    ),
    (
        &[
            "--formatter",
            "--unify-spaces",
            "--pretty-print",
            "--wrap-lines",
        ],
        "line breaks stay and the result is tidied; --compact removes white space instead",
        Cure::OmitWithValue,
    ),
    (
        &["--format"],
        "--json prints events; `boildown report` writes about a finished run, and `boildown triage` sorts a folder, in several formats",
        Cure::None,
    ),
    (
        &["--also-interesting", "--save-mismatches", "--other-crashes"],
        "candidates that fail in another way are kept by themselves, under .boildown",
        Cure::None,
    ),
    (
        &["--print-diff", "--show-diff"],
        "compare the files at any time: the output always holds the best result so far",
        Cure::None,
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
        Cure::None,
    ),
    (
        &[
            "--remove-pass",
            "--skip-pass",
            "--no-pass",
            "--disable-pass",
        ],
        "--passes=-NAME skips a pass",
        Cure::None,
    ),
    (
        &["--list-passes", "--dump-passes"],
        "an unknown name lists them: --passes=list",
        Cure::None,
    ),
    (
        &[
            "--skip-key-off",
            "--no-clear-screen",
            "--no-progress",
            "--noprogress",
        ],
        "on a terminal there is a live line, elsewhere a log; --quiet turns both off",
        Cure::Omit,
    ),
    (
        &["--color"],
        "on a terminal there is a live line, elsewhere a log; --quiet turns both off",
        Cure::OmitWithValue,
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
        Cure::Instead("--quiet"),
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
        ],
        "--json prints every event, with times",
        Cure::None,
    ),
    (
        &[
            "--stopping-threshold",
            "--target-size",
            "--stop-at",
            "--min-size",
        ],
        "--until SIZE stops at this size, such as 200 (tokens) or 4kB",
        Cure::None,
    ),
    (
        &["--renaming", "--rename-identifiers", "--simplify-names"],
        "--rename names everything a, b, c",
        Cure::Instead("--rename"),
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
        Cure::Omit,
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
        Cure::Instead("--test"),
    ),
    (
        &["--test-arg", "--test-args"],
        "--test takes a line for the shell: --test './test.sh ARGUMENT \"$1\"'",
        Cure::None,
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
        Cure::Omit,
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
        Cure::Instead("--output"),
    ),
    (
        &["--inplace", "--overwrite", "--replace", "--modify"],
        "--in-place replaces the input, and keeps a copy",
        Cure::Instead("--in-place"),
    ),
    (
        &["--input-type", "--pass-stdin"],
        "a script gets the candidate by name, as an argument and on standard input; --stdin feeds a command",
        Cure::OmitWithValue,
    ),
    (
        &["--match-out", "--match-stdout", "--regex", "--output-match"],
        "--stdout REGEX and --stderr REGEX match the output",
        Cure::Instead("--stdout"),
    ),
    (
        &["--match-err", "--match-stderr", "--msg"],
        "--stderr REGEX matches standard error",
        Cure::Instead("--stderr"),
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
        Cure::None,
    ),
    (
        &["--cross-check", "--cmd-cc"],
        "--also SCRIPT and --not SCRIPT add further conditions",
        Cure::None,
    ),
    (
        &["--memout", "--memory-limit", "--max-memory", "-m"],
        "--memory SIZE limits the memory of a run, such as 500M",
        Cure::Instead("--memory"),
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
        Cure::Instead("--timeout"),
    ),
    (
        &[
            "--limit-time",
            "--max-seconds",
            "--total-timeout",
            "--deadline",
        ],
        "--max-time TIME limits the search; --timeout TIME limits a run",
        Cure::Instead("--max-time"),
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
        Cure::Instead("--max-tests"),
    ),
    (
        &["--parallel"],
        "tests run on all processors; --jobs N says how many run at once",
        Cure::Omit,
    ),
    (
        &["--processes-max", "--num-jobs", "--cores", "--cpus", "-P"],
        "--jobs N says how many tests run at once",
        Cure::Instead("--jobs"),
    ),
    (
        &["--seed", "--random-seed", "--random-order"],
        "nothing is random: the same input, command and options give the same result",
        Cure::OmitWithValue,
    ),
    (
        &["--history", "--trace", "--save-history"],
        "the store in .boildown, beside the result, keeps every improvement",
        Cure::Omit,
    ),
    (
        &["--trivial-is-error", "--allow-empty"],
        "a property that holds on the empty input is always an error",
        Cure::Omit,
    ),
    (
        &["--die-on-pass-bug", "--ignore-pass-bug", "--no-kill"],
        "no pass of ours runs another program; nothing has to be stated",
        Cure::Omit,
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
        "--units lines, --units tokens or --units bytes says what is deleted",
        Cure::Instead("--units"),
    ),
    (
        &[
            "--strategy",
            "--reduction-algorithm",
            "--alg",
            "--algo",
            "--reducer",
            "--hddmin",
            "--dd",
            "--reduce-class",
        ],
        "--algorithm NAME and --schedule NAME choose one; `boildown algorithms` lists them",
        Cure::None,
    ),
    (
        &[
            "--subset-iterator",
            "--complement-iterator",
            "--subset-first",
            "--split-method",
        ],
        "parameters belong to the name: --algorithm ddmin:direction=backwards; `boildown algorithms` lists them",
        Cure::None,
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
        Cure::None,
    ),
    (
        &["--inherit-stdout", "--inherit-stderr", "--show-output"],
        "the output of a run is shown if the property does not hold on the input",
        Cure::Omit,
    ),
];

/// Returns a line about an option of another tool, for one of our commands.
pub(super) fn option(option: &str, command: &clap::Command) -> Option<&'static str> {
    row(option, command).map(|(hint, _)| hint)
}

fn row(option: &str, command: &clap::Command) -> Option<(&'static str, Cure)> {
    let mut rows = OPTIONS.iter().filter(|(names, ..)| names.contains(&option));
    let is_known = |name| {
        command
            .get_arguments()
            .any(|known| known.get_long() == Some(name))
    };
    let (_, hint, cure) = rows.find(|(_, hint, _)| named_options(hint).all(is_known))?;
    Some((hint, *cure))
}

/// Returns the line with our commands and options in the place of those of other tools, as far as
/// boildown accepts it.
pub(super) fn translated(words: &[OsString]) -> Option<String> {
    if let Some(line) = words.get(1..).and_then(bisection) {
        return Some(line);
    }
    let name = words.get(1)?.to_str()?;
    let ours = other_commands::find(name);
    let name = ours.map_or(Some(name), |ours| ours.name)?;
    let definition = Cli::definition();
    let command = definition.find_subcommand(name)?;
    let line = Line(words.to_vec());
    let (before, after) = words.split_at(line.dashes());
    let mut translated = vec![words[0].clone(), name.into()];
    let mut rest = before.iter().skip(2);
    while let Some(word) = rest.next() {
        let (option, value) = match word.to_str().and_then(|word| word.split_once('=')) {
            Some((option, value)) => (OsStr::new(option), Some(OsString::from(value))),
            None => (word.as_os_str(), None),
        };
        let row = option.to_str().and_then(|option| row(option, command));
        match row.map(|(_, cure)| cure) {
            None => translated.push(word.clone()),
            Some(Cure::Omit) => translated.extend(value),
            Some(Cure::OmitWithValue) => drop(value.or_else(|| rest.next().cloned())),
            Some(Cure::Instead(ours)) => {
                translated.push(ours.into());
                translated.extend(value);
            }
            Some(Cure::None) => return None,
        }
    }
    translated.extend(after.iter().cloned());
    Line(translated).shown()
}

/// Returns our line for one that begins as a line of `git bisect` does.
fn bisection(words: &[OsString]) -> Option<String> {
    let is_name = |word: &&OsString| *word == "git" || *word == "bisect";
    let words = &words[words.iter().take_while(is_name).count()..];
    match words {
        [run, command @ ..] if run == "run" && !command.is_empty() => {
            let command: Vec<_> = command.iter().map(quote).collect();
            let command = quote(command.join(" "));
            Some(format!("boildown changes GOOD..BAD --bisect-run {command}"))
        }
        [start, bad, good] if start == "start" && !bad.as_bytes().starts_with(b"-") => {
            let (bad, good) = (typed(bad), typed(good));
            Some(format!("boildown changes {good}..{bad} -- COMMAND"))
        }
        [states, ..] if states.as_bytes().windows(2).any(|two| two == b"..") => {
            let mut line = Line(vec!["boildown".into(), "changes".into()]);
            line.0.extend(words.iter().cloned());
            if line.dashes() == line.0.len() {
                line = line.ending(["--".into(), "COMMAND".into()]);
            }
            line.shown()
        }
        _ => None,
    }
}

/// Returns our line for one of `boildown changes` that names each state by an option.
pub(super) fn named_states(words: &[OsString]) -> Option<String> {
    let mut line = Line(words.to_vec());
    let bad = line.take_value(&["--bad", "--new", "--broken"])?;
    let good = line.take_value(&["--good", "--old", "--fixed"])?;
    let mut states = good;
    states.push("..");
    states.push(bad);
    line.0.insert(2, states);
    line.shown()
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
        for (names, line, _) in OPTIONS {
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
}
