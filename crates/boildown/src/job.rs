//! A search over candidates of a file, as the user wants it: what `reduce` and `isolate` have in
//! common between their arguments and the search.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_exec::spawn::Permissions;
use boildown_exec::{Access, ExtraTest, Runner};
use boildown_oracle::{Deduction, Interrupt, Property, Run};
use boildown_session::prepare::{
    EarlierSessions, Loosening, PreparationSetup, PropertyChoice, SessionStore,
};
use boildown_session::{Baseline, Event, SessionConfig};
use boildown_store::{
    BaselineRecording, Choice, Identity, Improvement, RunDescription, RunStore, fingerprint_of,
};

use crate::choices;
use crate::copying::Copying;
use crate::error::{CliError, ExitKind};
use crate::executors::{Executors, check_command};
use crate::options::RunArgs;
use crate::project::RunPlaces;
use crate::property::PropertyCommands;
use crate::report::notes::{not_remembered, noting, verdicts_outdated};
use crate::report::reporter::{QuietReporter, Reporter};
use crate::script_hints::{ScriptHint, ScriptTrials};
use crate::{deduced, keys, known, limits, property, provenance, remote};

/// A search that is to be made.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    /// How candidates are run and judged.
    pub(crate) runs: &'a RunArgs,
    /// The file whose name candidates have; of an isolation, the bad file.
    pub(crate) input: &'a Path,
    /// The most copies of a project that runs have at the same time.
    pub(crate) copies: usize,
    /// Whether candidates that fail far more often than the input are rejected.
    pub(crate) is_strict: bool,
    /// When boildown began.
    pub(crate) begun: Instant,
    pub(crate) interrupt: &'a Interrupt,
}

impl<'a> Job<'a> {
    /// Returns how files of the user are copied.
    pub(crate) fn copying(&self) -> Copying<'a> {
        Copying::new(self.interrupt, &self.runs.printing)
    }

    /// Returns the places in which candidates can be run. `results` are files that a copy of a
    /// project does not have.
    pub(crate) fn places(
        &self,
        commands: &'a PropertyCommands,
        results: impl IntoIterator<Item = PathBuf>,
    ) -> RunPlaces<'a> {
        let within = self.runs.within.as_deref();
        RunPlaces::new(
            within,
            self.input,
            commands,
            results,
            self.copies,
            self.copying(),
        )
    }

    /// Starts the machines that run candidates.
    ///
    /// # Errors
    /// [`CliError`] when no test could be run, or not this command.
    pub(crate) fn executors(&self, commands: &PropertyCommands) -> Result<Executors, CliError> {
        let RunArgs {
            workers,
            remote,
            jobs,
            ..
        } = self.runs;
        check_command(&commands.command, workers, remote)?;
        Executors::start(workers, remote, jobs)
    }

    /// Returns what runs the command on candidates that lie alone in a directory.
    pub(crate) fn runner(
        &self,
        commands: &PropertyCommands,
        reporter: &mut dyn Reporter,
    ) -> Result<Runner, CliError> {
        let runs = self.runs;
        let command = commands.command.clone();
        let on_event = &mut noting(reporter);
        let mut runner =
            limits::runner(self.input, command, &runs.sandbox, runs.timeout, on_event)?;
        remote::attach(&mut runner, &runs.remote, runs.jobs.count())?;
        Ok(runner)
    }

    /// Returns the extra tests, after a run of each on the input in the place of this runner.
    pub(crate) fn extra_tests(
        &self,
        commands: &PropertyCommands,
        runner: &Runner,
        input: &[u8],
    ) -> Result<Vec<ExtraTest>, CliError> {
        let is_stated = self.runs.timeout.is_some();
        commands.extra_tests(runner, self.input, input, is_stated, self.interrupt)
    }

    pub(crate) fn permissions(&self) -> Permissions {
        limits::permissions(&self.runs.sandbox)
    }

    pub(crate) fn setup<'b>(
        &self,
        runner: &'b Runner,
        permissions: &'b Permissions,
    ) -> PreparationSetup<'b>
    where
        'a: 'b,
    {
        let property = &self.runs.property;
        PreparationSetup {
            runner,
            permissions,
            stated: property::stated(property),
            is_test_script: property.test.is_some(),
            is_flaky: property.flaky,
            is_strict: self.is_strict,
            timeout_is_stated: self.runs.timeout.is_some(),
            jobs: self.runs.jobs.count(),
            interrupt: self.interrupt,
        }
    }

    /// Prepares with the choice of the property, which asks at a terminal.
    pub(crate) fn with_choice<T>(
        &self,
        remembered: Option<Property>,
        prepare: impl FnOnce(&mut PropertyChoice<'_>) -> T,
    ) -> T {
        let property = &self.runs.property;
        let may_ask = self.runs.printing.is_text() && !property.yes && keys::are_available();
        prepare(&mut PropertyChoice {
            remembered,
            frames: property.kept_frames(),
            others: None,
            ask: &mut deduced::chooser(may_ask, self.interrupt),
        })
    }

    /// Prints what would be preserved, and does nothing else. `place` moves the run to its place,
    /// and `deduce` reads the property off it.
    pub(crate) fn show_property(
        &self,
        commands: &PropertyCommands,
        place: impl FnOnce(Runner) -> Result<Runner, CliError>,
        deduce: impl FnOnce(&PreparationSetup<'_>, &BaselineRecording) -> Result<Deduction, CliError>,
    ) -> Result<ExitKind, CliError> {
        let property = &self.runs.property;
        let further = property::further_flags(property);
        if let Some(stated) = property::stated(property) {
            deduced::print_flags(&stated, &further);
            return Ok(ExitKind::Reduced);
        }
        let runner = place(self.runner(commands, &mut QuietReporter)?)?;
        let permissions = self.permissions();
        let setup = self.setup(&runner, &permissions);
        deduced::print_deduction(&deduce(&setup, &BaselineRecording::default())?, &further);
        Ok(ExitKind::Reduced)
    }

    /// Returns why the property does not hold on the input, if a trial of the test shows it. `run`
    /// is the run on the input; `None` if the test could not be started.
    pub(crate) fn script_hint(
        &self,
        run: Option<&Run>,
        runner: &Runner,
        input: &[u8],
    ) -> Option<ScriptHint> {
        let property = &self.runs.property;
        let trials = ScriptTrials {
            runner,
            property: &property::stated(property)?,
            script: property.test.as_deref()?,
            path: self.input,
            input,
            interrupt: self.interrupt,
        };
        match run {
            Some(run) => trials.hint(run),
            None => trials.missing_files(None),
        }
    }

    /// Returns what was chosen in the runs before the search. `loosened` says how the sandbox was
    /// loosened.
    pub(crate) fn choices(
        &self,
        property: &Property,
        baseline: &Baseline,
        loosened: Option<Loosening>,
    ) -> [Choice; 3] {
        let runs = self.runs;
        let is_stated = property::stated(&runs.property).is_some();
        let slowest = baseline.stats.slowest;
        [
            choices::property(property, is_stated),
            choices::sandbox(&runs.sandbox, &runs.remote, loosened),
            choices::time_limit(runs.timeout, property, slowest),
        ]
    }

    /// Returns the configuration of the search.
    pub(crate) fn config(
        &self,
        executors: &Executors,
        store: Option<Arc<RunStore>>,
    ) -> SessionConfig {
        SessionConfig {
            jobs: executors.jobs(),
            jobs_elsewhere: executors.jobs_elsewhere(),
            budget: self.runs.budget.left(self.begun),
            interrupt: Some(self.interrupt.clone()),
            store,
            review: None,
            memory: None,
        }
    }

    /// Opens the store of this session. `input` is the input, and its size; `access` is what files
    /// made of the store may permit.
    pub(crate) fn begin(
        &self,
        mut earlier: EarlierSessions,
        (input, bytes): (&Arc<[u8]>, usize),
        (property, time_limit): (&Property, Duration),
        choices: &[Choice],
        access: Access,
        reporter: &mut dyn Reporter,
    ) -> Result<SessionStore, CliError> {
        let start = RunDescription {
            name: &self.input.file_name().unwrap_or_default().to_string_lossy(),
            input: Improvement {
                query: 0,
                content: fingerprint_of(input),
                bytes,
                tokens: None,
                elapsed: Duration::ZERO,
                text: Some(Arc::clone(input)),
            },
            property: property.to_string() + &property::requirements(&self.runs.property),
            flags: property.flags(),
            time_limit,
            version: env!("CARGO_PKG_VERSION"),
            choices,
            provenance: provenance::of_session(access),
        };
        known::read(&self.runs.known, &mut earlier, &start.flags, reporter)?;
        Ok(earlier.begin(&start, &mut noting(reporter)))
    }
}

/// Adds what verdicts depend on.
///
/// The pattern names every option, so that a new one has to be put on one side or the other.
/// Labels and values are stored: with others, runs of earlier versions could not be resumed.
pub(crate) fn add_to_identity(
    runs: &RunArgs,
    commands: &PropertyCommands,
    identity: &mut Identity,
) {
    let RunArgs {
        property,
        timeout,
        sandbox,
        remote,
        // Part of the property.
        command: _,
        // Only as the project that it states. The others change the duration only.
        within: _,
        jobs: _,
        workers: _,
        known: _,
        // Changes when the search stops.
        budget: _,
        // Change what is printed, and whether to resume.
        printing: _,
        fresh: _,
    } = runs;
    commands.add_to_identity(identity, property);
    identity.add("--timeout", format!("{timeout:?}"));
    identity.add("--flaky", format!("{}", property.flaky));
    limits::add_to_identity(identity, sandbox);
    remote.add_to_identity(identity);
    identity.add("the version of boildown", env!("CARGO_PKG_VERSION"));
}

/// Reports an event of a search.
pub(crate) fn report_event(event: &Event, reporter: &mut dyn Reporter) {
    match event {
        Event::StoreFailed { error } => reporter.note(&not_remembered(error)),
        Event::VerdictsOutdated {
            forgotten,
            distrusted,
        } => reporter.note(&verdicts_outdated(*forgotten, *distrusted)),
        event => reporter.event(event),
    }
}
