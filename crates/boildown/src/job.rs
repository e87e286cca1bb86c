//! A search over candidates of a file, as the user wants it: what `reduce` and `isolate` have in
//! common between their arguments and the search.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use boildown_exec::spawn::Permissions;
use boildown_exec::{Access, Runner};
use boildown_oracle::{Deduction, ExitSpec, Expectation, Interrupt, Oracle, OracleError, Property};
use boildown_session::prepare::{
    EarlierSessions, Flakiness, Loosening, PreparationSetup, PrepareEvent, PropertyChoice,
};
use boildown_session::{Baseline, BaselineError, SessionConfig};
use boildown_show::{OptionsRecord, StartedEvent};
use boildown_store::{BaselineRecording, Improvement, RunDescription};

use crate::copying::Copying;
use crate::error::{CliError, ExitKind};
use crate::executors::{Executors, check_command};
use crate::options::RunArgs;
use crate::project::{RunPlace, RunPlaces};
use crate::property::PropertyCommands;
use crate::report::flakiness;
use crate::report::notes::{limit_advice, waiting};
use crate::report::reporter::{QuietReporter, Reporter, noting};
use crate::report::started::StartedSearch;
use crate::script_hints::{ScriptHint, ScriptTrials, reads_original};
use crate::session::{Beginning, Session};
use crate::{choices, deduced, keys, known, limits, provenance, remote};

/// A search that is to be made.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    /// How candidates are run and judged.
    pub(crate) runs: &'a RunArgs,
    /// The command that fails, and the property.
    pub(crate) commands: &'a PropertyCommands,
    /// The file whose name candidates have; of an isolation, the bad file.
    pub(crate) input: &'a Path,
    /// The most copies of a project that runs have at the same time.
    pub(crate) copies: usize,
    /// Whether candidates that fail far more often than the input are rejected.
    pub(crate) is_strict: bool,
    /// Whether a quantity of runs must not become smaller. A run that exits with 0 is preserved
    /// then if nothing else is stated.
    pub(crate) keeps_quantity: bool,
    pub(crate) beginning: &'a Beginning,
}

impl<'a> Job<'a> {
    /// Returns the search with these options.
    pub(crate) fn new(
        runs: &'a RunArgs,
        commands: &'a PropertyCommands,
        input: &'a Path,
        beginning: &'a Beginning,
    ) -> Self {
        Self {
            runs,
            commands,
            input,
            copies: runs.jobs.count(),
            is_strict: false,
            keeps_quantity: false,
            beginning,
        }
    }

    pub(crate) fn interrupt(&self) -> &'a Interrupt {
        &self.beginning.interrupt
    }

    /// Returns the places in which candidates can be run. `results` are files that a copy of a
    /// project does not have.
    pub(crate) fn places(&self, results: impl IntoIterator<Item = PathBuf>) -> RunPlaces<'a> {
        RunPlaces::new(
            self.runs.within.as_deref(),
            self.input,
            self.commands,
            results,
            self.copies,
            Copying::new(self.interrupt(), &self.runs.printing),
        )
    }

    /// Starts the machines that run candidates.
    ///
    /// # Errors
    /// [`CliError`] when no test could be run, or not this command.
    pub(crate) fn executors(&self) -> Result<Executors, CliError> {
        let RunArgs {
            workers,
            remote,
            jobs,
            ..
        } = self.runs;
        check_command(&self.commands.command, workers, remote)?;
        Executors::start(workers, remote, jobs)
    }

    /// Returns what runs the command on candidates that lie alone in a directory.
    pub(crate) fn runner(&self, reporter: &mut dyn Reporter) -> Result<Runner, CliError> {
        let runs = self.runs;
        let command = self.commands.command.clone();
        let on_event = &mut noting(reporter);
        let mut runner =
            limits::runner(self.input, command, &runs.sandbox, runs.timeout, on_event)?;
        remote::attach(&mut runner, &runs.remote, runs.jobs.count())?;
        Ok(runner)
    }

    /// Returns what runs the command on candidates that lie alone in a directory, after a run of
    /// each extra test on the input in this place.
    pub(crate) fn runner_at(
        &self,
        place: &RunPlace,
        input: &[u8],
        reporter: &mut dyn Reporter,
    ) -> Result<Runner, CliError> {
        let (mut runner, is_stated) = (self.runner(reporter)?, self.runs.timeout.is_some());
        self.commands.note(reporter);
        let there = place.runner(runner.clone());
        let commands = self.commands;
        if commands.extra().next().is_some() {
            let advice = limit_advice(runner.limits.timeout);
            reporter.working("running the other tests on the input", &advice);
        }
        runner.extra_tests =
            commands.extra_tests(&there, self.input, input, is_stated, self.interrupt())?;
        Ok(runner)
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
        let commands = self.commands;
        let slow = self
            .keeps_quantity
            .then(|| Expectation::Exit(ExitSpec::Code(0)));
        let slow = || Property::new(slow.into_iter().collect());
        PreparationSetup {
            runner,
            permissions,
            stated: commands.stated().or_else(slow),
            is_test_script: commands.script().is_some(),
            is_flaky: commands.options.flaky,
            is_strict: self.is_strict,
            keeps_quantity: self.keeps_quantity,
            timeout_is_stated: self.runs.timeout.is_some(),
            jobs: self.runs.jobs.count(),
            interrupt: self.interrupt(),
        }
    }

    /// Makes the runs before the search with the choice of the property, which asks at a terminal.
    /// Also returns how the sandbox was loosened.
    pub(crate) fn prepare<P>(
        &self,
        session: &mut Session<'_>,
        prepare: impl FnOnce(
            &mut EarlierSessions,
            &mut PropertyChoice<'_>,
            &mut dyn FnMut(PrepareEvent<'_>),
        ) -> Result<P, CliError>,
    ) -> Result<(P, Option<Loosening>), CliError> {
        let may_ask = self.uses_keys() && !self.commands.options.yes;
        let mut choice = PropertyChoice {
            remembered: session.earlier.property(),
            frames: self.commands.kept_frames(),
            others: None,
            ask: &mut deduced::chooser(may_ask, self.interrupt()),
        };
        let (mut note, mut loosened) = (noting(session.reporter.as_mut()), None);
        let prepared = prepare(&mut session.earlier, &mut choice, &mut |event| {
            if let PrepareEvent::Loosened(loosening) = event {
                loosened = Some(loosening);
            }
            note(event);
        });
        Ok((prepared?, loosened))
    }

    /// Adds what was chosen in the runs before the search, and says how flaky the failure is.
    /// `loosened` says how the sandbox was loosened.
    pub(crate) fn choose(
        &self,
        session: &mut Session<'_>,
        property: &Property,
        baseline: &Baseline,
        loosened: Option<Loosening>,
    ) -> Flakiness {
        let runs = self.runs;
        session.choose([
            choices::property(property, self.commands.stated().is_some()),
            choices::sandbox(&runs.sandbox, &runs.remote, loosened),
            choices::time_limit(runs.timeout, property, baseline.stats.slowest),
        ]);
        let flakiness = Flakiness::new(baseline);
        if let Some(note) = flakiness::before_search(&flakiness) {
            session.reporter.note(&note);
        }
        flakiness
    }

    /// Returns whether the user is at a terminal, and reads what is printed.
    pub(crate) fn uses_keys(&self) -> bool {
        self.runs.printing.is_text() && keys::are_available()
    }

    /// Prints what would be preserved, and does nothing else. `place` moves the run to its place,
    /// and `deduce` reads the property off it.
    pub(crate) fn show_property(
        &self,
        place: impl FnOnce(Runner) -> Result<Runner, CliError>,
        deduce: impl FnOnce(&PreparationSetup<'_>, &BaselineRecording) -> Result<Deduction, CliError>,
    ) -> Result<ExitKind, CliError> {
        let further = self.commands.further_flags();
        if let Some(stated) = self.commands.stated() {
            deduced::print_flags(&stated, &further);
            return Ok(ExitKind::Reduced);
        }
        let runner = place(self.runner(&mut QuietReporter)?)?;
        let permissions = self.permissions();
        let setup = self.setup(&runner, &permissions);
        let what = "running the command on the input";
        let status = waiting(&self.runs.printing, what, runner.limits.timeout);
        let deduction = deduce(&setup, &BaselineRecording::default())?;
        drop(status);
        deduced::print_deduction(&deduction, &further);
        Ok(ExitKind::Reduced)
    }

    /// Returns why the property holds on everything, or not even on the input, if a trial of the
    /// test shows it.
    pub(crate) fn script_hint(
        &self,
        error: &BaselineError,
        runner: &Runner,
        input: &[u8],
    ) -> Option<ScriptHint> {
        let run = match error {
            BaselineError::NotInteresting { run } => Some(run.as_deref()?),
            BaselineError::Oracle(OracleError::SetUp { .. }) => None,
            BaselineError::HoldsOnEmpty => {
                return reads_original(
                    runner,
                    self.input,
                    self.commands.script(),
                    self.interrupt(),
                );
            }
            _ => return None,
        };
        let trials = ScriptTrials {
            runner,
            property: &self.commands.stated()?,
            script: self.commands.script()?,
            path: self.input,
            input,
            interrupt: self.interrupt(),
        };
        match run {
            Some(run) => trials.hint(run),
            None => trials.missing_files(None),
        }
    }

    /// Returns the event with which the search begins.
    pub(crate) fn started(&self, search: StartedSearch<'_>) -> StartedEvent {
        let (runs, budget) = (self.runs, self.runs.budget.budget());
        search.event(&OptionsRecord {
            jobs: runs.jobs.here(),
            timeout: runs.timeout.map(|time| time.as_secs_f64()),
            flaky: self.commands.options.flaky,
            max_tests: budget.queries,
            max_time: budget.time.map(|time| time.as_secs_f64()),
            ..OptionsRecord::default()
        })
    }

    /// Returns the configuration of the search.
    pub(crate) fn config(&self, executors: &Executors, session: &Session<'_>) -> SessionConfig {
        SessionConfig {
            jobs_elsewhere: executors.jobs_elsewhere(),
            ..session.config(executors.jobs())
        }
    }

    /// Opens the store of this session. `input` is the input, and its size; `access` is what files
    /// made of the store may permit.
    pub(crate) fn open(
        &self,
        session: &mut Session<'_>,
        (input, bytes): (&Arc<[u8]>, usize),
        (property, time_limit): (&Property, Duration),
        access: Access,
    ) -> Result<(), CliError> {
        let start = RunDescription {
            name: &self.input.file_name().unwrap_or_default().to_string_lossy(),
            input: Improvement {
                bytes,
                ..Improvement::of_text(input, 0, Duration::ZERO)
            },
            property: property.to_string() + &self.commands.requirements(),
            flags: property.flags(),
            time_limit,
            version: env!("CARGO_PKG_VERSION"),
            choices: &[],
            provenance: provenance::of_session(access),
        };
        let (earlier, reporter) = (&mut session.earlier, session.reporter.as_mut());
        known::read(&self.runs.known, earlier, &start.flags, reporter)?;
        session.open(start);
        Ok(())
    }

    /// Runs the command on the result of a flaky search, to see how often it fails.
    pub(crate) fn measure_result(
        &self,
        flakiness: &mut Flakiness,
        oracle: &dyn Oracle,
        result: &[u8],
        executors: &Executors,
        reporter: &mut dyn Reporter,
    ) -> Result<(), OracleError> {
        let what = "running the command on the result, to see how often it fails";
        reporter.working(what, "");
        flakiness.measure_result(oracle, result, executors.jobs(), self.interrupt())
    }
}
