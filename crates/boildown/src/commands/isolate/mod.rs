//! `boildown isolate`.

use std::path::Path;
use std::sync::Arc;

use boildown_document::Language;
use boildown_exec::{Project, Runner};
use boildown_oracle::{OracleError, Outcome, RepeatedOracle, Run};
use boildown_reduce::{Finest, Isolation, have_keys};
use boildown_session::prepare::{
    EarlierSessions, Flakiness, GoodAndBad, IsolationError, PreparedIsolation,
};
use boildown_session::{BothSidesError, Side, SideFiles, Stopped, Summary};
use boildown_show::StartedEvent;
use boildown_store::{Identity, RunStore};

use self::args::IsolateArgs;
use self::delivery::FileRole;
use self::pair::FilePair;
use self::report::IsolationReport;
use crate::choices::{self, Choices};
use crate::cpu_time::own_cpu_seconds;
use crate::error::{CliError, ExitKind};
use crate::executors::Executors;
use crate::explain::{HOLDS_NO_MORE_HINT, output_hints, repeat_hint, unnamed_candidate_hint};
use crate::habits::with_script_hint;
use crate::job::{self, Beginning, Job};
use crate::project::{self, RunPlace};
use crate::property::PropertyCommands;
use crate::report::flakiness;
use crate::report::format::EscapedPath as _;
use crate::report::notes::noting;
use crate::report::reporter::Reporter;
use crate::report::started::StartedSearch;
use crate::script_hints::ScriptHint;
use crate::{deduced, input, settings};

pub(crate) mod args;
mod delivery;
mod diff;
mod folders;
mod hex;
mod pair;
mod report;

/// Isolates the difference between two files.
pub(crate) fn run(args: &IsolateArgs) -> Result<ExitKind, CliError> {
    if args.good.is_dir() && args.bad.is_dir() {
        return folders::run(args);
    }
    let session = Beginning::new(args.runs.budget.budget())?;
    let pair = FilePair::read(args)?;
    let (files, requested) = (&pair.files, args.language.as_deref());
    let language = match pair.role {
        FileRole::Read => input::language(requested, pair.bad, &files.bad)?,
        FileRole::Environment | FileRole::Arguments => None,
    };
    let have_keys = language.is_some_and(|language| have_keys([&files.good, &files.bad], language));
    let usage = format!(
        "boildown isolate {} {}",
        pair.good.escaped(),
        pair.bad.escaped()
    );
    let commands = delivery::commands(&args.runs, pair.bad, pair.role, &usage)?;
    let job = Job::new(&args.runs, &commands, pair.bad, &session);
    if commands.is_to_be_shown() {
        return show_property(&pair, job);
    }
    let mut sides = pair.sides(args.output.as_deref())?;
    let executors = job.executors()?;
    let mut reporter = crate::report::reporter(&args.runs.printing, "");
    let reporter = reporter.as_mut();
    settings::note(reporter);
    let mut choices = Choices::with_settings();
    choices.push(choices::language(requested, pair.bad, &files.bad, language));
    if have_keys && args.units.is_none() {
        choices.push(choices::keys());
    }
    choices.push(job.jobs_choice());
    choices.show(reporter);
    let results = [sides.passing.clone(), sides.failing.clone()];
    // A fresh directory unless `--within` states a project.
    let place = job.places(results).stated()?.unwrap_or(RunPlace::Alone);
    let mut run = identity(args, &commands, files, place.project());
    for file in [pair.good, pair.bad, &sides.passing, &sides.failing] {
        run.unwatch(file);
    }
    let (output, is_fresh) = (&sides.failing, job.is_fresh());
    let earlier = EarlierSessions::beside(output, run, is_fresh, &mut noting(reporter))
        .map_err(|error| CliError::busy(&error))?;
    sides.are_resumed = earlier.is_resumed && sides.passing.exists() && sides.failing.exists();
    let runner = place.runner(job.runner_at(&place, &files.bad, reporter)?);
    let mut prepared = prepare(&pair, job, &runner, &earlier, &mut choices, reporter)?;
    let oracle = &mut prepared.oracle;
    executors.admit_isolation(
        oracle,
        files,
        commands.is_flaky(),
        &session.interrupt,
        reporter,
    )?;
    let mut flakiness = Flakiness::new(&prepared.baseline);
    flakiness::before_search(&flakiness).inspect(|note| reporter.note(note));
    let oracle = &prepared.oracle;
    let store = job.begin(
        earlier,
        (&files.bad, files.bad.len()),
        (&oracle.failing, oracle.runner.limits.timeout),
        choices.as_slice(),
        sides.access,
        reporter,
    )?;
    let search = IsolationSearch {
        pair: &pair,
        job,
        language,
        finest: args.finest(have_keys),
        sides: &sides,
        prepared: &prepared,
        executors: &executors,
    };
    let started = search.started(&place, &choices);
    job::start(started, store.store.as_deref(), reporter);
    let (summary, ended) = search.run(store.store.clone(), &mut flakiness, reporter)?;
    flakiness::after_search(&flakiness).inspect(|note| reporter.note(note));
    pair.warn_if_modified(reporter);
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
    job::finish(&report, store.store.as_deref(), reporter);
    Ok(match summary.stopped {
        _ if !flakiness.is_preserved() => ExitKind::Flaky,
        None => ExitKind::Reduced,
        Some(_) => ExitKind::Stopped,
    })
}

/// An isolation that is prepared.
struct IsolationSearch<'a> {
    pair: &'a FilePair<'a>,
    job: Job<'a>,
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
            &self.pair.files.good,
            &self.pair.files.bad,
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
            let (failing, interrupt) = (ended.failing(), self.job.interrupt());
            flakiness
                .measure_result(oracle, &failing, self.executors.jobs(), interrupt)
                .map_err(cannot_run)?;
        }
        Ok((summary, ended))
    }

    /// Returns the event with which the search begins.
    fn started(&self, place: &RunPlace, choices: &Choices) -> StartedEvent {
        let runner = &self.prepared.oracle.runner;
        self.job.started(StartedSearch {
            task: "isolate",
            inputs: &[self.pair.good, self.pair.bad],
            bytes: self.pair.files.bad.len(),
            output: &self.sides.failing,
            language: self.language,
            command: runner.command.to_string(),
            place: place.project().map(|project| project.plan().root()),
            property: &self.prepared.oracle.failing,
            has_sandbox: runner.limits.sandbox.is_some(),
            units: format!("{:?}", self.finest).to_lowercase(),
            choices: choices.as_slice(),
        })
    }
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

fn prepare(
    pair: &FilePair<'_>,
    job: Job<'_>,
    runner: &Runner,
    earlier: &EarlierSessions,
    choices: &mut Choices,
    reporter: &mut dyn Reporter,
) -> Result<PreparedIsolation, CliError> {
    let permissions = job.permissions();
    let remembered = earlier.property();
    let (prepared, loosened) = job.with_choice(remembered, reporter, |choice, on_event| {
        let setup = job.setup(runner, &permissions);
        setup.prepare_isolation(&pair.files, earlier.recording(), choice, on_event)
    });
    let prepared = prepared.map_err(|error| {
        let hint = script_hint(&error, job, runner, &pair.files.bad);
        with_script_hint(explain(error, pair, runner), hint)
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

/// Prints what would count as failing, and does nothing else.
fn show_property(pair: &FilePair<'_>, job: Job<'_>) -> Result<ExitKind, CliError> {
    job.show_property(Ok, |setup, recording| {
        let frames = job.commands.kept_frames();
        let deduction = setup.deduce_failing(&pair.files.bad, recording, frames);
        deduction.map_err(|error| explain(error, pair, setup.runner))
    })
}

/// Returns the error for an isolation that cannot begin.
fn explain(error: IsolationError, pair: &FilePair<'_>, runner: &Runner) -> CliError {
    let repeat_on = |path: &Path| repeat_hint(runner, path);
    let (good, bad) = (pair.good.escaped(), pair.bad.escaped());
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
                .hint(repeat_on(pair.bad))
                .hints(unnamed_candidate_hint(runner))
        }
        IsolationError::BadFailsNoMore { run } => {
            let what = format!("the command does not fail on {bad} any more");
            not_as_expected(what, &run)
                .hint(HOLDS_NO_MORE_HINT)
                .hint(repeat_on(pair.bad))
        }
        IsolationError::NoStackTrace => deduced::no_stack_trace(),
        IsolationError::GoodFailsToo { run, failing } => {
            let what = format!("the command fails on {good} too, in the same way");
            let failing = failing.to_string().replace('\n', "\n  ");
            not_as_expected(what, &run)
                .hint(format!("failing means:\n  {failing}"))
                .hint(repeat_on(pair.good))
                .hints(unnamed_candidate_hint(runner))
        }
        IsolationError::GoodDoesNotPass { run } => {
            let what = format!("the command does not pass on {good}");
            not_as_expected(what, &run).hint(repeat_on(pair.good))
        }
        IsolationError::Baseline(BothSidesError::Flaky { side, held, runs }) => {
            let (path, does) = match side {
                Side::Passing => (pair.good, "passed"),
                Side::Failing => (pair.bad, "failed"),
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
