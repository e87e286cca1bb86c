//! `boildown triage`.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use boildown_driver::Budget;
use boildown_exec::CandidateFile;
use boildown_oracle::Interrupt;
use boildown_session::Event;
use boildown_session::prepare::lock_result;
use boildown_session::triage::{
    FailureTest, InputReport, MergeRule, Triage, TriageError, TriageEvent, TriageReport,
};
use boildown_show::{SCHEMA, TriageLine, version};
use boildown_store::{Identity, InputRuns, StoreFolder};
use boildown_triage::RunPlan;

use self::args::TriageArgs;
use self::inputs::{FolderInputs, candidate_name, dotted_extension};
use self::report::{Report, ShownCommand, exit_kind};
use self::results::ResultFolder;
use crate::error::{CliError, ExitKind};
use crate::habits::Line;
use crate::options::PropertyArgs;
use crate::property::PropertyCommands;
use crate::provenance;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::{Reporter, noting};
use crate::session::{Beginning, Session};
use crate::{input, limits};

pub(crate) mod args;
mod inputs;
pub(crate) mod report;
mod results;

/// The time limit of a run unless one is stated. Fuzzers use shorter ones.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Runs, groups and reduces the inputs of a folder.
pub(crate) fn run(mut args: TriageArgs) -> Result<ExitKind, CliError> {
    let beginning = Beginning::new(Budget::default())?;
    let mut results = ResultFolder::new(&args.folder, args.output.as_deref())?;
    let inputs = FolderInputs::read(&args.folder, results.path())?;
    results.limit(inputs.access());
    let name = candidate_name(args.name.as_deref(), inputs.extension.as_deref())?;
    let mut session = Session::new(&beginning, report::reporter(&args));
    let reporter = session.reporter();
    note_files(&inputs, reporter);
    let property = PropertyArgs {
        test: args.test.clone(),
        expectations: std::mem::take(&mut args.expectations),
        loose: true,
        yes: true,
        stdin: args.stdin,
        ..PropertyArgs::default()
    };
    let usage = format!("boildown triage {}", args.folder.escaped());
    let (named, extension) = (Path::new(&name), dotted_extension(&name));
    let commands = PropertyCommands::new(&property, &args.command, named, &usage)?;
    check_candidate(&commands, &usage)?;
    let shown = ShownCommand::new(commands.script(), &args.command, commands.options.stdin);
    let language = |text: &[u8]| {
        let found = input::language(args.language.as_deref(), named, text);
        found.ok().flatten()
    };
    if let Some(stated) = &args.language {
        input::language(Some(stated), named, &[])?;
    }
    let timeout = args.timeout.unwrap_or(TIME_LIMIT);
    let test = failure_test(&args, &commands, named, reporter)?;
    let identity = identity(&args, &commands, &name, timeout);
    let remembered = Remembered::open(&results, &identity, args.fresh, reporter)?;
    let started = TriageLine::TriageStarted {
        schema: SCHEMA,
        version: version(),
        files: inputs.files(),
        distinct: inputs.inputs.len(),
        layout: inputs.layout.name().to_owned(),
    };
    reporter.show(&Event::Triage(TriageEvent::Recorded(started)));
    let triage = Triage {
        inputs: &inputs.inputs,
        test,
        permissions: &limits::permissions(&args.sandbox),
        plan: RunPlan {
            first: args.runs,
            if_flaky: RunPlan::default().if_flaky.max(args.runs),
        },
        includes_errors: args.errors,
        reduces: !args.no_reduce,
        merge: match args.no_merge {
            true => MergeRule::Never,
            false => MergeRule::ByForm,
        },
        language: &language,
        max_time: args.max_time,
        folder: &results.reductions(),
        access: inputs.access(),
        provenance: &provenance::of_session(inputs.access()),
        extension: &extension,
        identity: &identity,
        known: remembered.runs.as_ref(),
        jobs: args.jobs.count(),
        interrupt: &beginning.interrupt,
    };
    let found = triage.run(&mut |event| reporter.show(event));
    let found = found.map_err(|error| explain(error, &beginning.interrupt))?;
    let (folder, printed) = (&args.folder, (&shown, args.format));
    let report = Report::new(folder, &extension, &inputs, &found, &results, printed);
    if !found.groups.is_empty() {
        let summary = report::summary(&report);
        let page = report::page(&report, &summary);
        results.write(report.examples(), &summary, &page)?;
    }
    reporter.finish(&report);
    let fails = |input: &InputReport| input.assessment.key.is_some();
    match found.inputs.iter().any(fails) {
        true => Ok(exit_kind(&found)),
        false => Err(nothing_fails(&found)),
    }
}

/// Returns the test of an input: what runs it, and which runs fail.
fn failure_test(
    args: &TriageArgs,
    commands: &PropertyCommands,
    name: &Path,
    reporter: &mut dyn Reporter,
) -> Result<FailureTest, CliError> {
    let mut runner = limits::runner(
        name,
        commands.command.clone(),
        &args.sandbox,
        Some(args.timeout.unwrap_or(TIME_LIMIT)),
        &mut noting(reporter),
    )?;
    runner.file = CandidateFile::named(name);
    let stated = commands.stated();
    if let Some(hang) = stated.as_ref().and_then(boildown_oracle::Property::hang) {
        runner = runner.with_timeout(hang);
    }
    Ok(FailureTest {
        runner,
        stated,
        frames: args.frames.map_or(0, usize::from),
    })
}

fn nothing_fails(found: &TriageReport) -> CliError {
    let count = found.inputs.len();
    let what = format!("the command fails on none of {count} inputs");
    CliError::new(ExitKind::NotInteresting, what)
        .hint("run it on one of them as you did when it failed; --test states what failing means")
}

/// Checks that the command reads the candidate.
fn check_candidate(commands: &PropertyCommands, usage: &str) -> Result<(), CliError> {
    let is_given = commands.script().is_some() || commands.options.stdin;
    if is_given || commands.command.takes_candidate() {
        return Ok(());
    }
    let line = Line::typed().with_candidate();
    let line = line
        .shown()
        .unwrap_or_else(|| format!("{usage} -- ./target {{}}"));
    Err(
        CliError::usage("the command does not say where the input goes")
            .hint("feed it to the command with --stdin, or write {} where its path belongs")
            .cure("such as", Some(line)),
    )
}

/// Returns everything that a run depends on, but for the input.
fn identity(
    args: &TriageArgs,
    commands: &PropertyCommands,
    name: &OsStr,
    timeout: Duration,
) -> Identity {
    let mut identity = Identity::default();
    identity.add("the name of the input", format!("{name:?}"));
    commands.add_to_identity(&mut identity);
    identity.add("--timeout", format!("{timeout:?}"));
    limits::add_to_identity(&mut identity, &args.sandbox);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
    identity
}

/// The runs of earlier sessions, and the lock on the results.
struct Remembered {
    // Closed before another session may open it.
    runs: Option<InputRuns>,
    _folder: Option<StoreFolder>,
}

impl Remembered {
    fn open(
        results: &ResultFolder,
        identity: &Identity,
        is_fresh: bool,
        reporter: &mut dyn Reporter,
    ) -> Result<Self, CliError> {
        results.create()?;
        let mut on_event = noting(reporter);
        let folder = lock_result(&results.report(), &mut on_event)
            .map_err(|error| CliError::busy(&error))?;
        let Some(folder) = folder else {
            return Ok(Self {
                runs: None,
                _folder: None,
            });
        };
        if is_fresh {
            results.forget()?;
            folder.forget_input_runs(identity).ok();
        }
        let runs = match folder.input_runs(identity) {
            Ok(runs) => Some(runs),
            Err(error) => {
                on_event(boildown_session::prepare::PrepareEvent::NotRemembered(
                    &error,
                ));
                None
            }
        };
        Ok(Self {
            runs,
            _folder: Some(folder),
        })
    }
}

/// Tells which files are no inputs, although they are in the folder.
fn note_files(inputs: &FolderInputs, reporter: &mut dyn Reporter) {
    const SHOWN: usize = 5;
    for (file, reason) in inputs.unreadable.iter().take(SHOWN) {
        reporter.note(&format!(
            "warning: failed to read {}: {reason}",
            file.escaped()
        ));
    }
    if let Some(more @ 1..) = inputs.unreadable.len().checked_sub(SHOWN) {
        reporter.note(&format!("warning: {more} more could not be read"));
    }
}

fn explain(error: TriageError, interrupt: &Interrupt) -> CliError {
    match error {
        TriageError::Interrupted => {
            let what = "interrupted before all inputs were run";
            CliError::new(ExitKind::Stopped, what).hint("the same command continues there")
        }
        TriageError::Oracle(error) if !interrupt.is_triggered() => error.into(),
        error => CliError::failed_to(ExitKind::CannotRun, &error),
    }
}
