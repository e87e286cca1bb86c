//! `boildown isolate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use boildown_document::Language;
use boildown_exec::spawn::ReapOnDrop;
use boildown_exec::{Access, Project, Runner};
use boildown_oracle::{OracleError, Outcome, RepeatedOracle, Run};
use boildown_reduce::{Finest, Isolation, have_keys};
use boildown_session::prepare::{
    EarlierSessions, Flakiness, GoodAndBad, IsolationError, PrepareEvent, PreparedIsolation,
};
use boildown_session::{BothSidesError, Side, SideFiles, Stopped, Summary};
use boildown_show::StartedEvent;
use boildown_store::{Identity, RunStore};

use self::args::IsolateArgs;
use self::report::IsolationReport;
use crate::choices::{self, Choices};
use crate::cpu_time::own_cpu_seconds;
use crate::error::{CliError, ExitKind};
use crate::executors::Executors;
use crate::explain::{HOLDS_NO_MORE_HINT, output_hints, repeat_hint, unnamed_candidate_hint};
use crate::habits::with_script_hint;
use crate::job::{self, Job};
use crate::project::{self, RunPlace};
use crate::property::PropertyCommands;
use crate::report::flakiness;
use crate::report::format::EscapedPath as _;
use crate::report::notes::noting;
use crate::report::reporter::Reporter;
use crate::report::started::StartedSearch;
use crate::script_hints::ScriptHint;
use crate::signals::interrupt_within;
use crate::{deduced, input, settings};

pub(crate) mod args;
mod delivery;
mod diff;
mod folders;
mod hex;
mod report;

/// Isolates the difference between two files.
pub(crate) fn run(args: &IsolateArgs) -> Result<ExitKind, CliError> {
    // Ends leftover processes of runs whatever happens, also in a panic.
    let (_reap, begun) = (ReapOnDrop::begin(), Instant::now());
    if args.good.is_dir() && args.bad.is_dir() {
        return folders::run(args);
    }
    let files = read(args)?;
    let language = language(args, &files)?;
    let have_keys = language.is_some_and(|language| have_keys([&files.good, &files.bad], language));
    let finest = args.finest(have_keys);
    let (good_name, bad_name) = (args.good.escaped(), args.bad.escaped());
    let usage = format!("boildown isolate {good_name} {bad_name}");
    let commands = delivery::commands(args, &usage)?;
    let interrupt = interrupt_within(args.runs.budget.time_left(begun))?;
    let job = Job {
        runs: &args.runs,
        input: &args.bad,
        copies: args.runs.jobs.count(),
        is_strict: false,
        begun,
        interrupt: &interrupt,
    };
    if args.runs.property.show_property {
        return show_property(args, job, &commands, &files.bad);
    }
    let mut sides = sides(args)?;
    let executors = job.executors(&commands)?;
    let mut reporter = crate::report::reporter(&args.runs.printing, "");
    let reporter = reporter.as_mut();
    settings::note(reporter);
    let mut choices = Choices::with_settings();
    let chosen = choices::language(args.language.as_deref(), &args.bad, &files.bad, language);
    choices.add(chosen, reporter);
    if have_keys && args.units.is_none() {
        choices.add(choices::keys(), reporter);
    }
    choices.add(choices::jobs(&args.runs.jobs), reporter);
    let results = [sides.passing.clone(), sides.failing.clone()];
    // A fresh directory unless `--within` states a project.
    let place = job.places(&commands, results).stated()?;
    let place = place.unwrap_or(RunPlace::Alone);
    let run = identity(args, &commands, &files, place.project());
    let earlier = earlier_sessions(args, run, &sides, reporter)?;
    sides.are_resumed = earlier.is_resumed && sides.passing.exists() && sides.failing.exists();
    let mut runner = place.runner(job.runner(&commands, reporter)?);
    commands.note(reporter);
    runner.extra_tests = job.extra_tests(&commands, &runner, &files.bad)?;
    let mut prepared = prepare(args, job, &runner, &files, &earlier, &mut choices, reporter)?;
    let is_flaky = args.runs.property.flaky;
    executors.admit_isolation(&mut prepared.oracle, &files, is_flaky, &interrupt, reporter)?;
    let mut flakiness = Flakiness::new(&prepared.baseline);
    flakiness::before_search(&flakiness).inspect(|note| reporter.note(note));
    let oracle = &prepared.oracle;
    let session = job.begin(
        earlier,
        (&files.bad, files.bad.len()),
        (&oracle.failing, oracle.runner.limits.timeout),
        choices.as_slice(),
        Access::of_all([&args.good, &args.bad]),
        reporter,
    )?;
    let search = IsolationSearch {
        args,
        job,
        files: &files,
        language,
        finest,
        sides: &sides,
        prepared: &prepared,
        executors: &executors,
    };
    let event = started(&search, &place, &choices);
    job::start(event, session.store.as_deref(), reporter);
    let (summary, ended) = search.run(session.store.clone(), &mut flakiness, reporter)?;
    flakiness::after_search(&flakiness).inspect(|note| reporter.note(note));
    warn_if_modified(args, &files, reporter);
    let report = IsolationReport {
        sides: &sides,
        passing: &ended.passing(),
        failing: &ended.failing(),
        differences: &ended.places(),
        changes: ended.changes(),
        units: ended.units(),
        summary: &summary,
        is_steady: flakiness.is_steady(),
        own_cpu: own_cpu_seconds(),
    };
    job::finish(&report, session.store.as_deref(), reporter);
    Ok(match summary.stopped {
        _ if !flakiness.is_preserved() => ExitKind::Flaky,
        None => ExitKind::Reduced,
        Some(_) => ExitKind::Stopped,
    })
}

/// Returns the language of the files; none of lists.
fn language(args: &IsolateArgs, files: &GoodAndBad) -> Result<Option<&'static Language>, CliError> {
    match delivery::is_list(args) {
        true => Ok(None),
        false => input::language(args.language.as_deref(), &args.bad, &files.bad),
    }
}

fn warn_if_modified(args: &IsolateArgs, files: &GoodAndBad, reporter: &mut dyn Reporter) {
    for (path, input) in [(&args.good, &files.good), (&args.bad, &files.bad)] {
        let current = fs::read(path).map(|bytes| delivery::normalised(args, bytes.into()));
        if current.ok().as_ref() != Some(input) {
            reporter.note(&input::modified_warning(path));
        }
    }
}

/// An isolation that is prepared.
struct IsolationSearch<'a> {
    args: &'a IsolateArgs,
    job: Job<'a>,
    files: &'a GoodAndBad,
    language: Option<&'static Language>,
    finest: Finest,
    sides: &'a SideFiles,
    prepared: &'a PreparedIsolation,
    executors: &'a Executors,
}

impl IsolationSearch<'_> {
    /// Searches for a smaller difference, and runs the command on the failing result again.
    fn run(
        &self,
        store: Option<Arc<RunStore>>,
        flakiness: &mut Flakiness,
        reporter: &mut dyn Reporter,
    ) -> Result<(Summary, Isolation), CliError> {
        let cannot_run = |error: OracleError| CliError::cannot_run(&error);
        let oracle = &self.prepared.oracle;
        let search = Isolation::between(
            &self.files.good,
            &self.files.bad,
            self.language,
            self.finest,
        );
        let config = self.job.config(self.executors, store);
        let repeating = RepeatedOracle::new(oracle, self.prepared.baseline.repeat_policy);
        let on_event = &mut |event: &_| {
            self.executors.report(reporter);
            reporter.show(event);
        };
        let isolated =
            boildown_session::isolate(search, &repeating, Some(self.sides), &config, on_event);
        self.executors.report(reporter);
        let (mut summary, ended) = isolated.map_err(cannot_run)?;
        summary.progress.spent.runs = repeating.runs();
        flakiness.contradictions = repeating.contradictions();
        if !flakiness.is_steady() && summary.stopped != Some(Stopped::Interrupted) {
            reporter.working(
                "running the command on the result, to see how often it fails",
                "",
            );
            let (failing, interrupt) = (ended.failing(), self.job.interrupt);
            flakiness
                .measure_result(oracle, &failing, self.executors.jobs(), interrupt)
                .map_err(cannot_run)?;
        }
        Ok((summary, ended))
    }
}

/// Reads the good file and the bad one.
fn read(args: &IsolateArgs) -> Result<GoodAndBad, CliError> {
    let hint = "the two files come first: boildown isolate GOOD BAD -- COMMAND";
    let good = delivery::normalised(args, input::read(&args.good, hint)?);
    let bad = delivery::normalised(args, input::read(&args.bad, hint)?);
    if good == bad {
        let what = format!(
            "{} and {} are identical",
            args.good.escaped(),
            args.bad.escaped()
        );
        return Err(CliError::usage(what)
            .hint("give a file on which the command passes, and one on which it fails"));
    }
    Ok(GoodAndBad { good, bad })
}

fn earlier_sessions(
    args: &IsolateArgs,
    mut identity: Identity,
    sides: &SideFiles,
    reporter: &mut dyn Reporter,
) -> Result<EarlierSessions, CliError> {
    for file in [&args.good, &args.bad, &sides.passing, &sides.failing] {
        identity.unwatch(file);
    }
    let (output, fresh) = (&sides.failing, args.runs.fresh);
    EarlierSessions::beside(output, identity, fresh, &mut noting(reporter))
        .map_err(|error| CliError::busy(&error))
}

/// Returns everything that the candidates and verdicts of an isolation depend on.
///
/// The pattern names every option, so that a new one has to be put on one side or the other. Labels
/// and values are stored: with other ones, runs of earlier versions could not be resumed.
fn identity(
    args: &IsolateArgs,
    commands: &PropertyCommands,
    files: &GoodAndBad,
    project: Option<&Project>,
) -> Identity {
    let IsolateArgs {
        bad: path,
        language,
        units,
        env: is_environment,
        args: are_arguments,
        runs,
        good: _,
        // The store is beside the results.
        output: _,
        // Ends boildown, or is in the other options.
        general: _,
    } = args;
    let mut identity = Identity::default();
    identity.add_hash("the good file", &files.good);
    identity.add_hash("the bad file", &files.bad);
    let name = path.file_name().unwrap_or_default();
    identity.add("the name of the bad file", format!("{name:?}"));
    job::add_to_identity(runs, commands, &mut identity);
    identity.add("--language", format!("{language:?}"));
    identity.add("--units", format!("{:?}", units.unwrap_or_default()));
    // Runs of earlier versions have no such values.
    if *is_environment || *are_arguments {
        identity.add("--env, --args", format!("{is_environment} {are_arguments}"));
    }
    project::add_to_identity(&mut identity, project);
    identity
}

/// Returns the paths of the two results.
fn sides(args: &IsolateArgs) -> Result<SideFiles, CliError> {
    let folder = match &args.output {
        Some(folder) => folder.clone(),
        None => args.bad.parent().unwrap_or(Path::new("")).to_owned(),
    };
    if !Path::new(".").join(&folder).is_dir() {
        let what = format!("there is no directory {}", folder.escaped());
        return Err(CliError::usage(what).hint("create it, or choose another one with --output"));
    }
    let side = |suffix: &str| -> Result<PathBuf, CliError> {
        let mut name = args.bad.file_stem().unwrap_or_default().to_owned();
        name.push(suffix);
        if let Some(extension) = args.bad.extension() {
            name.push(".");
            name.push(extension);
        }
        let path = folder.join(name);
        let same = |other: &Path| fs::canonicalize(other).ok();
        let is_input = [&args.good, &args.bad]
            .into_iter()
            .any(|input| same(&path).is_some() && same(&path) == same(input));
        let what = || format!("failed to write {}", path.escaped());
        if is_input {
            return Err(CliError::usage(what())
                .because("it is one of the inputs")
                .hint("--output writes to another directory"));
        }
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(CliError::usage(what()).because("it is not a regular file"));
        }
        Ok(path)
    };
    Ok(SideFiles {
        passing: side(".pass")?,
        failing: side(".fail")?,
        access: Access::of_all([&args.good, &args.bad]),
        are_resumed: false,
    })
}

fn prepare(
    args: &IsolateArgs,
    job: Job<'_>,
    runner: &Runner,
    files: &GoodAndBad,
    earlier: &EarlierSessions,
    choices: &mut Choices,
    reporter: &mut dyn Reporter,
) -> Result<PreparedIsolation, CliError> {
    let permissions = job.permissions();
    let mut loosened = None;
    let prepared = job.with_choice(earlier.property(), |choice| {
        let setup = job.setup(runner, &permissions);
        let mut note = noting(reporter);
        setup.prepare_isolation(files, earlier.recording(), choice, &mut |event| {
            if let PrepareEvent::Loosened(loosening) = event {
                loosened = Some(loosening);
            }
            note(event);
        })
    });
    let prepared = prepared.map_err(|error| {
        let hint = script_hint(&error, job, runner, &files.bad);
        with_script_hint(explain(error, args, runner), hint)
    })?;
    for choice in job.choices(&prepared.oracle.failing, &prepared.baseline, loosened) {
        choices.add(choice, reporter);
    }
    Ok(prepared)
}

/// Returns why a stated failure does not occur on the bad file, if a trial shows it.
fn script_hint(
    error: &IsolationError,
    job: Job<'_>,
    runner: &Runner,
    bad: &[u8],
) -> Option<ScriptHint> {
    let run = match error {
        IsolationError::BadDoesNotFail { run, .. } => Some(&**run),
        IsolationError::Baseline(BothSidesError::Oracle(OracleError::SetUp { .. })) => None,
        _ => return None,
    };
    job.script_hint(run, runner, bad)
}

fn started(search: &IsolationSearch<'_>, place: &RunPlace, choices: &Choices) -> StartedEvent {
    let IsolationSearch {
        args,
        files,
        language,
        finest,
        sides,
        prepared,
        ..
    } = *search;
    let runner = &prepared.oracle.runner;
    let search = StartedSearch {
        task: "isolate",
        inputs: &[&args.good, &args.bad],
        bytes: files.bad.len(),
        output: &sides.failing,
        language,
        command: runner.command.to_string(),
        place: place.project().map(|project| project.plan().root()),
        property: &prepared.oracle.failing,
        property_args: &args.runs.property,
        jobs: &args.runs.jobs,
        budget: &args.runs.budget,
        timeout: args.runs.timeout,
        has_sandbox: runner.limits.sandbox.is_some(),
        units: format!("{finest:?}").to_lowercase(),
        choices: choices.as_slice(),
    };
    search.into()
}

/// Prints what would count as failing, and does nothing else.
fn show_property(
    args: &IsolateArgs,
    job: Job<'_>,
    commands: &PropertyCommands,
    bad: &[u8],
) -> Result<ExitKind, CliError> {
    job.show_property(commands, Ok, |setup, recording| {
        let deduction = setup.deduce_failing(bad, recording, args.runs.property.kept_frames());
        deduction.map_err(|error| explain(error, args, setup.runner))
    })
}

/// Returns the error for an isolation that cannot begin.
fn explain(error: IsolationError, args: &IsolateArgs, runner: &Runner) -> CliError {
    let repeat_on = |path: &Path| repeat_hint(runner, path);
    let (good, bad) = (args.good.escaped(), args.bad.escaped());
    match error {
        IsolationError::BadDoesNotFail { run, is_stated } => {
            let what = match is_stated {
                true => format!("the property does not hold on {bad}"),
                false => format!("the command does not fail on {bad}"),
            };
            let hint = (!is_stated).then_some(
                "if this run shows the failure, state it with --exit, --stdout, --stderr, --not-stderr or --hangs",
            );
            not_as_expected(what, &run)
                .hints(hint)
                .hint(repeat_on(&args.bad))
                .hints(unnamed_candidate_hint(runner))
        }
        IsolationError::BadFailsNoMore { run } => {
            let what = format!("the command does not fail on {bad} any more");
            not_as_expected(what, &run)
                .hint(HOLDS_NO_MORE_HINT)
                .hint(repeat_on(&args.bad))
        }
        IsolationError::NoStackTrace => deduced::no_stack_trace(),
        IsolationError::GoodFailsToo { run, failing } => {
            let what = format!("the command fails on {good} too, in the same way");
            let failing = failing.to_string().replace('\n', "\n  ");
            not_as_expected(what, &run)
                .hint(format!("failing means:\n  {failing}"))
                .hint(repeat_on(&args.good))
                .hints(unnamed_candidate_hint(runner))
        }
        IsolationError::GoodDoesNotPass { run } => {
            let what = format!("the command does not pass on {good}");
            not_as_expected(what, &run).hint(repeat_on(&args.good))
        }
        IsolationError::Baseline(BothSidesError::Flaky { side, held, runs }) => {
            let (path, does) = match side {
                Side::Passing => (&args.good, "passed"),
                Side::Failing => (&args.bad, "failed"),
            };
            let what = format!(
                "the command {does} on {} in {held} of {runs} runs",
                path.escaped()
            );
            CliError::new(ExitKind::Flaky, what)
                .hint("make the command deterministic, or loosen the property so that every run shows it")
                .hint(repeat_on(path))
        }
        IsolationError::Baseline(BothSidesError::Oracle(OracleError::Interrupted)) => {
            CliError::interrupted_before("the search")
        }
        IsolationError::Baseline(BothSidesError::Oracle(error)) => CliError::cannot_run(&error),
        IsolationError::Baseline(error) => CliError::new(ExitKind::CannotRun, error.to_string()),
    }
}

/// Returns an error that shows how the run ended instead.
fn not_as_expected(what: String, run: &Run) -> CliError {
    let slow = (run.outcome == Outcome::TimedOut)
        .then_some("if the hang is the failure, use --hangs; --timeout raises the time limit");
    let unresolved = (run.outcome == Outcome::Exited(125))
        .then_some("exit code 125 means that the run is unresolved");
    CliError::new(ExitKind::NotInteresting, what)
        .because(format!("the command {}", run.outcome))
        .hints(slow)
        .hints(unresolved)
        .hints(output_hints(run))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn the_identity_of_an_isolation_is_that_of_earlier_versions() {
        let line = "boildown isolate good.c bad.c --timeout 3 --units lines -- cc -c bad.c";
        let Ok(Cli {
            command: Command::Isolate(args),
        }) = Cli::try_parse_from(line.split_whitespace())
        else {
            panic!("a command line of `boildown isolate`");
        };
        let commands =
            PropertyCommands::new(&args.runs.property, &args.runs.command, &args.bad, "").unwrap();
        let files = GoodAndBad {
            good: b"good".as_slice().into(),
            bad: b"bad".as_slice().into(),
        };
        let identity = identity(&args, &commands, &files, None);
        // The command, its files, and variables of the environment are those of this test run.
        let stated = identity.pairs().filter(|(name, _)| {
            let is_file = name.ends_with(" file") && name.starts_with("the ");
            name.starts_with("--") || is_file
        });
        let stated: String = stated
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect();
        assert_eq!(
            stated,
            r#"the good file: blake3:4ae75b2349db3092a6a3343625a6aa7b
the bad file: blake3:485216adbab98d719346a0c6755e88ff
the name of the bad file: "bad.c"
--timeout: Some(3s)
--flaky: false
--language: None
--units: Lines
"#
        );
    }
}
