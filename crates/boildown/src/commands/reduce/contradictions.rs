//! Options that contradict the input, or each other, in one table. What one option excludes in any
//! case is in the arguments.

use std::path::Path;

use super::args::{NO_FILE, ReduceArgs};
use crate::error::CliError;
use crate::folder::is_folder;

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
    row("--redact", |args| args.redact, &[(Folder, "redact its files one by one"), (Command, ""), (CommandAndInput, "")]),
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

/// Checks that no option contradicts the input, or another option.
///
/// # Errors
/// [`CliError`] with the first contradiction of the table, and what to do.
pub(super) fn check(args: &ReduceArgs) -> Result<(), CliError> {
    args.objective.check()?;
    if args.objective.measures_runs() && !args.runs.known.is_empty() {
        return Err(CliError::usage(
            "verdicts of --known say nothing about what --minimize or --maximize compares",
        )
        .hint("leave out --known"));
    }
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
