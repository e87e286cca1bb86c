//! Options that contradict each other, or the input, with the reason and a hint. What an option
//! excludes by its name alone is in the arguments of clap.

use std::path::Path;

use boildown_reduce::Units;

use crate::commands::changes::args::ChangesArgs;
use crate::commands::reduce::args::{NO_FILE, ReduceArgs};
use crate::commands::stage::args::StageArgs;
use crate::error::CliError;
use crate::folder::is_folder;

/// Options of a command that contradict each other whatever the input is: whether they are given,
/// why they contradict each other, and what to do.
type Exclusion<A> = (fn(&A) -> bool, &'static str, &'static str);

const OF_REDUCE: &[Exclusion<ReduceArgs>] = &[
    (
        |args| args.objective.only_grows(),
        "`--maximize` of tokens, bytes or lines would only make the input larger",
        "give cpu, wall, memory or stdout:REGEX: what a run uses or prints",
    ),
    (
        |args| args.objective.measures_runs() && !args.runs.known.is_empty(),
        "verdicts of --known say nothing about what --minimize or --maximize compares",
        "leave out --known",
    ),
    (
        |args| {
            let skips = |name: &String| name.starts_with('-');
            args.passes.iter().any(skips) && !args.passes.iter().all(skips)
        },
        "--passes cannot both name passes to run and passes to skip",
        "give passes to run, or passes to skip, each with a dash",
    ),
    (
        |args| {
            let by_lines = args.units == Some(Units::Lines);
            args.redact && (by_lines || args.split.is_some() || !args.passes.is_empty())
        },
        "--redact replaces words, which lines, elements of a list and single passes do not",
        "leave out --units lines, --split or --passes",
    ),
];

const SCRIPT_HINT: &str =
    "remove --exit, --stdout, --stderr, --not-stderr and --hangs, or the script";

/// Those of `boildown changes`.
pub(crate) const OF_CHANGES: &[Exclusion<ChangesArgs>] = &[
    (
        |args| args.bisect_run.is_some() && args.expectations.are_stated(),
        "--bisect-run cannot be combined with expectations",
        SCRIPT_HINT,
    ),
    (
        |args| args.test.is_some() && args.expectations.are_stated(),
        "--test cannot be combined with expectations",
        SCRIPT_HINT,
    ),
];

/// Those of `boildown stage`.
pub(crate) const OF_STAGE: &[Exclusion<StageArgs>] = &[(
    |args| args.runs.property.test.is_some(),
    "a test script does not say how a stage has to fail",
    "give the command that fails after `--`, and state its failure with --exit or --stderr",
)];

/// Checks that no options contradict each other.
///
/// # Errors
/// [`CliError`] with the first contradiction of the table, and what to do.
pub(crate) fn check<A>(table: &[Exclusion<A>], args: &A) -> Result<(), CliError> {
    match table.iter().find(|(applies, ..)| applies(args)) {
        Some((_, why, hint)) => Err(CliError::usage(*why).hint(*hint)),
        None => Ok(()),
    }
}

/// A circumstance in which some options have no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Circumstance {
    /// The input is a file.
    File,
    /// The input is a folder, or several files.
    Folder,
    /// The command is reduced, and no file.
    Command,
    /// The command is reduced with a file or folder.
    CommandAndInput,
    /// Runs are on other machines.
    Elsewhere,
    /// Events are printed as JSON.
    Json,
}

use Circumstance::{Command, CommandAndInput, Elsewhere, File, Folder, Json};

/// Returns whether an option is given.
type IsGiven = fn(&ReduceArgs) -> bool;

/// An option, and the circumstances in which it cannot be given, with a hint each; an empty one
/// stands for that of the circumstance.
struct Contradiction {
    option: &'static str,
    is_given: IsGiven,
    cases: &'static [(Circumstance, &'static str)],
}

const HERE: &str = "folders are reduced on this machine";
const TO_FOLDER: &str = "--output DIR writes the result to a folder";

#[rustfmt::skip]
const TABLE: &[Contradiction] = &[
    row("--only", |args| !args.folder.only.is_empty(), &[(File, "--keep keeps lines, or text that matches")]),
    row("--keep-file", |args| !args.folder.keep_file.is_empty(), &[(File, "--keep keeps lines, or text that matches")]),
    row("--with", |args| !args.folder.with.is_empty(), &[(File, "--within DIR runs the command in a copy of a directory")]),
    row("{items}", ReduceArgs::names_items, &[(CommandAndInput, "")]),
    row("--keep", |args| !args.keep.is_empty(), &[(Folder, "--keep-file GLOB keeps whole files"), (CommandAndInput, "")]),
    row("--in-place", |args| args.in_place, &[(Command, ""), (CommandAndInput, "")]),
    row("--stdin", |args| args.runs.property.stdin, &[(Folder, ""), (Command, ""), (CommandAndInput, "")]),
    row("--split", |args| args.split.is_some(), &[(Folder, ""), (Command, ""), (CommandAndInput, "")]),
    row("--language", |args| args.language.is_some(), &[(Folder, ""), (Command, ""), (CommandAndInput, "")]),
    row("--valid", |args| !args.valid.is_empty(), &[(Folder, "--also SCRIPT checks a folder"), (Command, ""), (CommandAndInput, "")]),
    row("--redact", |args| args.redact, &[(Command, ""), (CommandAndInput, "")]),
    row("--rules", |args| !args.rules.is_empty(), &[(Folder, "")]),
    row("--passes", |args| !args.passes.is_empty(), &[(Folder, "")]),
    row("--within", |args| args.runs.within.is_some(), &[(Folder, "--with PATH gives each run a file or folder in its place")]),
    row("--units-only", |args| args.units_only, &[(Folder, "")]),
    row("--order", |args| args.order, &[(Folder, "")]),
    row("--backtrack", |args| args.backtrack.is_some(), &[(Folder, "")]),
    row("--allow-trivial", |args| args.allow_trivial, &[(Folder, "")]),
    row("--worker", |args| !args.runs.workers.worker.is_empty(), &[(Folder, HERE)]),
    row("--remote", |args| args.runs.remote.is_given(), &[(Folder, HERE)]),
    row("--warm", |args| args.warm.warm.is_some(), &[(Folder, "")]),
    row("--serve", |args| args.warm.serve.is_some(), &[(Folder, "")]),
    row("--pass-command", |args| !args.pass_command.is_empty(), &[(Folder, "")]),
    row("--output -", |args| args.output.as_deref() == Some(Path::new("-")), &[(Folder, TO_FOLDER), (CommandAndInput, ""), (Json, "")]),
    row("--in-place with several inputs", |args| args.in_place && !args.more.is_empty(), &[(Folder, TO_FOLDER)]),
    row("several inputs", |args| !args.more.is_empty(), &[(CommandAndInput, "")]),
    row("--minimize and --maximize by runs", |args| args.objective.measures_runs(), &[(Command, ""), (CommandAndInput, "")]),
    row("--incremental", |args| args.incremental, &[(Elsewhere, "")]),
];

const fn row(
    option: &'static str,
    is_given: IsGiven,
    cases: &'static [(Circumstance, &'static str)],
) -> Contradiction {
    Contradiction {
        option,
        is_given,
        cases,
    }
}

impl Circumstance {
    fn error(self, option: &str, hint: &str) -> CliError {
        let (what, usual) = match self {
            File => (
                format!("{option} is for a folder or several files, and the input is a file"),
                "leave it out",
            ),
            Folder => (
                format!(
                    "{option} is for a single file, and the input is a folder or several files"
                ),
                "leave it out",
            ),
            Command => (
                format!(
                    "`{option}` needs a file to reduce, and `--reduce` without one reduces the \
                     command"
                ),
                "a file before `--reduce` is reduced with its command",
            ),
            CommandAndInput => (
                format!("`{option}` together with `--reduce`"),
                "reduce the command first, without the file, and then the file with that command",
            ),
            Elsewhere => (
                format!("{option} keeps what runs build on this machine only"),
                "leave out --incremental, or the workers",
            ),
            Json => (
                format!("`{option}` and `--json` both print to standard output"),
                "--output FILE writes the result to a file",
            ),
        };
        CliError::usage(what).hint(if hint.is_empty() { usual } else { hint })
    }
}

/// Checks that no option of a reduction contradicts the input, or another option.
///
/// # Errors
/// [`CliError`] with the first contradiction of the tables, and what to do.
pub(crate) fn check_reduction(args: &ReduceArgs) -> Result<(), CliError> {
    check(OF_REDUCE, args)?;
    let has_input = args.input != Path::new(NO_FILE);
    let is_command = args.reduces_command();
    let is_folder = has_input && is_folder(&args.inputs());
    let is_elsewhere = !args.runs.workers.worker.is_empty() || args.runs.remote.is_given();
    let circumstances = [
        (CommandAndInput, is_command && has_input),
        (Command, is_command && !has_input),
        (Folder, is_folder),
        (File, has_input && !is_folder),
        (Elsewhere, is_elsewhere),
        (Json, args.runs.printing.json),
    ];
    for (circumstance, _) in circumstances.iter().filter(|(_, applies)| *applies) {
        for contradiction in TABLE.iter().filter(|known| (known.is_given)(args)) {
            let mut cases = contradiction.cases.iter();
            if let Some((_, hint)) = cases.find(|(case, _)| case == circumstance) {
                return Err(circumstance.error(contradiction.option, hint));
            }
        }
    }
    Ok(())
}
