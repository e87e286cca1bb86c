//! `boildown report --bug`: a folder with the test case, scripts and a text, and an archive of it.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use boildown_document::Split;
use boildown_exec::{CommandLine, StdinContent, TypedCommand};
use boildown_oracle::{
    Capture, ExitSpec, Expectation, Interrupt, Outcome, Property, Run, failure_line,
};
use boildown_show::{
    BugScripts, BugText, CaseForm, ScriptCheck, grep_pattern, interesting, readme, reproduce,
};
use boildown_store::mentioned_variables;

use super::args::ReportArgs;
use super::bug_case::{BugCase, CaseContent, shell_command};
use super::bug_files::BugFiles;
use super::environment::FileUse;
use super::record::StoredReduction;
use super::trust::Trust;
use crate::cli::Cli;
use crate::error::{CliError, ExitKind};
use crate::folder::is_folder;
use crate::habits::{settle, with_command};
use crate::limits;
use crate::options::SandboxArgs;
use crate::property::{PropertyCommands, current_dir};
use crate::provenance;
use crate::report::format::{EscapedPath as _, Visible};
use crate::shown_error::print_note;
use crate::stdout;

/// Checks that the result is redacted, by a search that was not stopped.
fn check_redacted(is_redacted: bool, stored: &StoredReduction) -> Result<(), CliError> {
    let (why, hint) = match is_redacted {
        true if stored.is_finished() => return Ok(()),
        true => (
            "the reduction was stopped before its end",
            "the same command continues it; then repeat the report",
        ),
        false => (
            "the reduction did not have --redact",
            "repeat the reduction with --redact, and the report",
        ),
    };
    let error = CliError::usage("the result is not redacted");
    Err(error.because(why).hint(hint))
}

/// Writes the folder and the archive of a bug report.
///
/// The report is verified by running it if the store is trusted to name a command.
pub(super) fn write(
    stored: &StoredReduction,
    options: &ReportArgs,
    trust: Trust,
) -> Result<ExitKind, CliError> {
    let ReportPaths {
        folder,
        archive,
        result,
    } = ReportPaths::new(stored, options)?;
    let access = provenance::access(&stored.session.file);
    let mut args = Cli::reduction_of(words_of(stored)?).ok_or_else(not_recorded)?;
    settle(&mut args)?;
    let inputs = (!args.reduces_command()).then(|| args.inputs());
    let is_copied = (stored.started.as_ref()).is_some_and(|started| started.place.is_some());
    if is_copied && !inputs.as_deref().is_some_and(is_folder) {
        let what =
            "bug reports about inputs that are run in a copy of their project are not supported";
        return Err(
            CliError::usage(what).hint("`boildown report` writes a page about the reduction")
        );
    }
    if options.redact {
        check_redacted(args.redact, stored)?;
    }
    args.runs.sandbox = sandbox(args.runs.sandbox, &options.sandbox, trust);
    if trust == Trust::ToldToRun {
        show_command(stored)?;
    }
    let mut record = stored.record(match trust {
        Trust::Foreign => FileUse::Nothing,
        Trust::Own | Trust::ToldToRun if options.no_versions => FileUse::Read,
        Trust::Own => FileUse::Run,
        Trust::ToldToRun => FileUse::ShowAndRun,
    })?;
    let case = BugCase::read(stored, inputs.as_deref(), &args.folder, &result, trust)?;
    if let Some(place) = case.place() {
        // As the reduction does for several files, and for a folder without a name.
        args.input = place.path();
    }
    if let BugCase::File(result) = &case {
        args.choose_checks(result)?;
    }
    let mut commands = PropertyCommands::new(
        &args.runs.property,
        &args.runs.command,
        &args.input,
        "boildown",
    )?;
    args.deliver(&mut commands)?;
    let items = args.split().filter(|_| args.names_items());
    let mut files = BugFiles::new(case.place().cloned(), trust).limited_to(access);
    let scripts = scripts(stored, items.as_ref(), &case, &commands, &mut files)?;
    let content = case.add_to(&scripts, &mut files)?;
    files.add("interesting.sh", interesting(&scripts).into_bytes(), true);
    files.add("reproduce.sh", reproduce(&scripts).into_bytes(), true);
    files.write(&folder)?;
    let limit = Duration::from_secs(scripts.seconds);
    let scripted = ScriptedRuns {
        sandbox: &args.runs.sandbox,
        folder: &folder,
        // The commands of a script one after the other, and a moment for itself.
        limit: limit.saturating_mul(1 + u32::try_from(scripts.extra.len()).unwrap_or(u32::MAX))
            + Duration::from_secs(30),
        is_folder: case.place().is_some(),
    };
    let seen = match &case {
        _ if trust == Trust::Foreign => SeenRun::recorded(stored)?,
        BugCase::File(result) if scripts.form == CaseForm::File => SeenRun::of(run_on(
            &args.runs.sandbox,
            &args.input,
            &commands.command,
            result,
            limit,
        )?),
        _ => SeenRun::of(scripted.reproduced()?),
    };
    let text = bug_text(&commands, seen, &files, content);
    if options.redact {
        // What the failure looked like before has words of the input.
        record.form_change = None;
    }
    let text = files.without_paths(&readme(&record, &text));
    files.add("README.md", text.into_bytes(), false);
    files.write(&folder)?;
    files.write_archive(&folder, &archive)?;
    stdout::print(format!("{}\n{}\n", folder.escaped(), archive.escaped()));
    if trust == Trust::Foreign {
        print_note(
            "not verified, and no file of the command is enclosed: you did not write this store on this machine; --run shows its command, runs it and verifies the report",
        );
    } else {
        scripted.check()?;
    }
    Ok(ExitKind::Reduced)
}

/// Absolute paths, which mean the same in the directory of the reduction.
struct ReportPaths {
    folder: PathBuf,
    archive: PathBuf,
    /// The result of the reduction.
    result: PathBuf,
}

impl ReportPaths {
    fn new(stored: &StoredReduction, options: &ReportArgs) -> Result<Self, CliError> {
        let default = stored.result_with(".bug");
        let folder = options.output.clone().unwrap_or(default);
        let mut archive = folder.clone().into_os_string();
        archive.push(".tar.gz");
        let archive = PathBuf::from(archive);
        for path in [&folder, &archive] {
            if path.symlink_metadata().is_ok() {
                let what = format!("{} exists already", path.escaped());
                return Err(CliError::usage(what).hint("name a new folder with --output"));
            }
        }
        let beside = stored.session.file.ancestors().nth(3);
        let result = beside.unwrap_or(Path::new("")).join(&stored.session.result);
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Ok(Self {
            folder: absolute(folder),
            archive: absolute(archive),
            result: absolute(result),
        })
    }
}

/// Returns the options of the sandbox. A store never switches it off, and opens it only if the user
/// has written the store: this is said when the report is asked for.
fn sandbox(stored: SandboxArgs, given: &SandboxArgs, trust: Trust) -> SandboxArgs {
    let stored = match trust {
        Trust::Own => stored,
        Trust::ToldToRun | Trust::Foreign => SandboxArgs {
            no_network: stored.no_network,
            ..SandboxArgs::default()
        },
    };
    SandboxArgs {
        writable: [stored.writable, given.writable.clone()].concat(),
        no_sandbox: given.no_sandbox,
        no_network: !given.no_sandbox && (stored.no_network || given.no_network),
        memory: given.memory.or(stored.memory),
        processes: given.processes.or(stored.processes),
    }
}

/// Shows what runs because the store names it.
fn show_command(stored: &StoredReduction) -> Result<(), CliError> {
    let directory = current_dir()?;
    let command = stored.command_line().unwrap_or_default();
    print_note(&format!(
        "this runs the command of the store, in {}: {}",
        directory.escaped(),
        Visible::line(command)
    ));
    Ok(())
}

/// What a bug report says of a run of the command on the test case.
struct SeenRun {
    /// The line that names the failure.
    line: Option<String>,
    outcome: String,
    output: Vec<u8>,
    is_verified: bool,
}

impl SeenRun {
    fn of(run: Run) -> Self {
        Self {
            line: failure_line(&run),
            outcome: run.outcome.to_string(),
            output: match run.stderr.is_empty() {
                true => run.stdout,
                false => run.stderr,
            },
            is_verified: true,
        }
    }

    /// Returns what the store says: nothing is run.
    fn recorded(stored: &StoredReduction) -> Result<Self, CliError> {
        let (outcome, output) = stored.recorded_run()?;
        // What was printed is known of the input only.
        let line = outcome
            .filter(|_| stored.form_change().is_none())
            .and_then(|outcome| failure_line(&Run::ended(outcome, output.clone())));
        let outcome = outcome.map(|outcome| outcome.to_string());
        Ok(Self {
            line,
            outcome: outcome.unwrap_or_else(|| "shows the failure".to_owned()),
            output,
            is_verified: false,
        })
    }
}

/// Returns the words of the reduction, and enters the directory in which it was started.
fn words_of(stored: &StoredReduction) -> Result<Vec<OsString>, CliError> {
    let started = stored.started.as_ref().ok_or_else(not_recorded)?;
    let words = started.arguments.iter().map(OsString::from);
    let directory = started.directory.as_deref().ok_or_else(not_recorded)?;
    env::set_current_dir(directory).map_err(|error| {
        let what = format!("failed to enter {}", Path::new(directory).escaped());
        CliError::new(ExitKind::CannotRun, what).because(error)
    })?;
    let words = std::iter::once("boildown".into()).chain(words);
    Ok(with_command(words.collect()))
}

fn not_recorded() -> CliError {
    CliError::usage("the store does not say how the command was run: it is of an earlier version")
        .hint("run the same reduction again: it resumes without a test, and records it")
}

/// Returns what the scripts are made of. Files of the commands are added to `files`.
fn scripts(
    stored: &StoredReduction,
    items: Option<&Split>,
    case: &BugCase,
    commands: &PropertyCommands,
    files: &mut BugFiles,
) -> Result<BugScripts, CliError> {
    let session = &stored.session;
    let property = Property::from_flags(&session.flags)
        .or_else(|| commands.stated())
        .ok_or_else(|| CliError::usage("the property of the run cannot be stated by a script"))?;
    let limit = property.hang().unwrap_or(session.time_limit);
    let mut checks = Vec::new();
    for expectation in property.expectations() {
        checks.push(script_check(expectation)?);
    }
    Ok(BugScripts {
        name: case.name(&session.input),
        form: case.form(items)?,
        command: match case {
            BugCase::Command(_) => shell_command(),
            BugCase::File(_) | BugCase::Folder(_) => files.command(&commands.command)?,
        },
        checks,
        extra: (commands.extra())
            .map(|(command, succeeds)| Ok((files.command(command)?, succeeds)))
            .collect::<Result<_, CliError>>()?,
        seconds: limit.as_secs() + u64::from(limit.subsec_nanos() > 0),
        property: files.without_home(&property.to_string()),
    })
}

fn script_check(expectation: &Expectation) -> Result<ScriptCheck, CliError> {
    let pattern = |pattern: &str| {
        grep_pattern(pattern).map_err(|error| CliError::failed_to(ExitKind::InvalidUsage, &error))
    };
    Ok(match expectation {
        Expectation::Test => ScriptCheck::Status(0),
        Expectation::Exit(ExitSpec::Code(code)) => ScriptCheck::Status((*code).into()),
        Expectation::Exit(ExitSpec::Nonzero) => ScriptCheck::Fails,
        Expectation::Exit(ExitSpec::AnySignal) => ScriptCheck::Signal,
        Expectation::Exit(ExitSpec::Signal(number)) => ScriptCheck::Status(128 + number),
        Expectation::Stdout(text) => ScriptCheck::Stdout(pattern(text.as_str())?),
        Expectation::Stderr(text) => ScriptCheck::Stderr(pattern(text.as_str())?),
        Expectation::NotStderr(text) => ScriptCheck::NotStderr(pattern(text.as_str())?),
        Expectation::Hangs(_) => ScriptCheck::Hangs,
        Expectation::Measure(_) => {
            return Err(
                CliError::usage("a bug report cannot check what --measure measures")
                    .hint("state the failure with --test instead, and reduce with it"),
            );
        }
    })
}

/// Runs a command on a candidate with the name of this file, once.
fn run_on(
    sandbox: &SandboxArgs,
    input: &Path,
    command: &CommandLine,
    candidate: &[u8],
    limit: Duration,
) -> Result<Run, CliError> {
    let (command, limit) = (command.clone(), Some(limit));
    let runner = limits::runner(input, command, sandbox, limit, &mut |_| {})?;
    let interrupt = Interrupt::new()?;
    let run = runner.run(candidate, Capture::Output, &interrupt);
    run.map_err(CliError::from)
}

/// Runs of the scripts of a bug report.
struct ScriptedRuns<'a> {
    sandbox: &'a SandboxArgs,
    /// The folder of the report.
    folder: &'a Path,
    /// The time limit of a script.
    limit: Duration,
    /// Whether the test case is a folder.
    is_folder: bool,
}

impl ScriptedRuns<'_> {
    /// Runs a line for the shell whose first argument is a script. The candidate may be its second.
    fn run(&self, line: &str, script: &str, candidate: Option<&[u8]>) -> Result<Run, CliError> {
        let script = self.folder.join(script);
        let words = ["sh", "-c", line, "sh"].map(OsString::from);
        let words = words.into_iter().chain([script.into_os_string()]);
        let words: Vec<_> = words.chain(candidate.map(|_| "{}".into())).collect();
        let input = Path::new("candidate");
        let command = CommandLine::new(&TypedCommand {
            words: &words,
            input,
            user_dir: self.folder,
            backup: None,
            stdin: StdinContent::Nothing,
        });
        let command = command?;
        let candidate = candidate.unwrap_or_default();
        run_on(self.sandbox, input, &command, candidate, self.limit)
    }

    /// Runs `reproduce.sh`. Returns the run of the command in it.
    fn reproduced(&self) -> Result<Run, CliError> {
        let mut run = self.run("exec sh \"$1\"", "reproduce.sh", None)?;
        let end = b"exit status ";
        let at = (run.stdout.windows(end.len())).rposition(|window| window == end);
        let status = at.and_then(|at| {
            let status = std::str::from_utf8(&run.stdout[at + end.len()..]).ok()?;
            status.trim().parse().ok()
        });
        run.outcome = match status {
            Some(status @ 129..=192) => Outcome::Signalled(status - 128),
            Some(status) => Outcome::Exited(status),
            None => Outcome::TimedOut,
        };
        run.stdout.truncate(at.unwrap_or(0));
        Ok(run)
    }

    /// Runs `interesting.sh` on the test case of the report, and on an empty one.
    fn check(&self) -> Result<(), CliError> {
        let not_as_expected = |what: &str, run: &Run| {
            let what = format!("interesting.sh {what}: it {}", run.outcome);
            let script = self.folder.join("interesting.sh");
            CliError::new(ExitKind::NotInteresting, what).hint(format!(
                "correct {} by hand before you send it",
                script.escaped()
            ))
        };
        let beside = "cd \"$(dirname \"$1\")\" && exec sh \"$1\"";
        let run = self.run(beside, "interesting.sh", None)?;
        if run.outcome != Outcome::Exited(0) {
            let what = "does not find the failure on the result";
            return Err(not_as_expected(what, &run));
        }
        let (run, what) = match self.is_folder {
            true => {
                let line = "mkdir empty && exec sh \"$1\" empty";
                (self.run(line, "interesting.sh", None)?, "an empty folder")
            }
            false => {
                let line = "exec sh \"$1\" \"$2\"";
                (
                    self.run(line, "interesting.sh", Some(b""))?,
                    "an empty file",
                )
            }
        };
        if run.outcome == Outcome::Exited(0) {
            return Err(not_as_expected(
                &format!("finds the failure on {what}"),
                &run,
            ));
        }
        Ok(())
    }
}

fn bug_text(
    commands: &PropertyCommands,
    seen: SeenRun,
    files: &BugFiles,
    content: CaseContent,
) -> BugText {
    let lines: Vec<&[u8]> = (seen.output)
        .split_inclusive(|byte| *byte == b'\n')
        .collect();
    // Of a command that is foreign here, no file is read.
    let variables = match seen.is_verified {
        true => mentioned_variables(commands.constant_parts()),
        false => Vec::new(),
    };
    BugText {
        output: lines[lines.len().saturating_sub(40)..].concat(),
        line: seen.line,
        outcome: seen.outcome,
        is_verified: seen.is_verified,
        variables: (variables.into_iter())
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect(),
        enclosed: (files.enclosed.iter())
            .map(|(_, name)| name.clone())
            .collect(),
        case: content.command,
        files: content.files,
    }
}
