//! The part of a preparation that reductions and isolations have in common: the options, the choice
//! of the property, and `--show-property`.

use std::path::Path;
use std::time::Duration;

use boildown_exec::spawn::Permissions;
use boildown_exec::{CommandLine, Runner};
use boildown_oracle::{Deduction, Interrupt, Property, Run};
use boildown_session::prepare::{PreparationSetup, PropertyChoice};
use boildown_store::BaselineRecording;

use crate::error::{CliError, ExitKind};
use crate::options::{OutputArgs, PropertyArgs, RemoteArgs, SandboxArgs};
use crate::script_hints::{ScriptHint, ScriptTrials};
use crate::signals::interrupt_within;
use crate::{deduced, keys, limits, property, remote};

/// The options of a preparation.
#[derive(Clone, Copy)]
pub(crate) struct PreparationOptions<'a> {
    /// The input; of an isolation, the bad file.
    pub(crate) input: &'a Path,
    pub(crate) property: &'a PropertyArgs,
    pub(crate) sandbox: &'a SandboxArgs,
    pub(crate) remote: &'a RemoteArgs,
    pub(crate) printing: &'a OutputArgs,
    pub(crate) timeout: Option<Duration>,
    pub(crate) jobs: usize,
    /// Whether candidates that fail far more often than the input are rejected.
    pub(crate) is_strict: bool,
    /// What is left of the time of the command.
    pub(crate) time_left: Option<Duration>,
}

impl PreparationOptions<'_> {
    pub(crate) fn setup<'b>(
        &self,
        runner: &'b Runner,
        permissions: &'b Permissions,
        interrupt: &'b Interrupt,
    ) -> PreparationSetup<'b> {
        PreparationSetup {
            runner,
            permissions,
            stated: property::stated(self.property),
            is_test_script: self.property.test.is_some(),
            is_flaky: self.property.flaky,
            is_strict: self.is_strict,
            timeout_is_stated: self.timeout.is_some(),
            jobs: self.jobs,
            interrupt,
        }
    }

    /// Prepares with the choice of the property, which asks at a terminal.
    pub(crate) fn with_choice<T>(
        &self,
        remembered: Option<Property>,
        interrupt: &Interrupt,
        prepare: impl FnOnce(&mut PropertyChoice<'_>) -> T,
    ) -> T {
        let may_ask = self.printing.is_text() && !self.property.yes && keys::are_available();
        prepare(&mut PropertyChoice {
            remembered,
            frames: self.property.kept_frames(),
            others: None,
            ask: &mut deduced::chooser(may_ask, interrupt),
        })
    }

    /// Prints what would be preserved, and does nothing else. `place` moves the run to its place,
    /// and `deduce` reads the property off it.
    pub(crate) fn show_property(
        &self,
        command: CommandLine,
        place: impl FnOnce(Runner) -> Result<Runner, CliError>,
        deduce: impl FnOnce(&PreparationSetup<'_>, &BaselineRecording) -> Result<Deduction, CliError>,
    ) -> Result<ExitKind, CliError> {
        let further = property::further_flags(self.property);
        if let Some(stated) = property::stated(self.property) {
            deduced::print_flags(&stated, &further);
            return Ok(ExitKind::Reduced);
        }
        let interrupt = interrupt_within(self.time_left)?;
        let (input, sandbox) = (self.input, self.sandbox);
        let mut runner = limits::runner(input, command, sandbox, self.timeout, &mut |_| {})?;
        remote::attach(&mut runner, self.remote, self.jobs)?;
        let runner = place(runner)?;
        let permissions = limits::permissions(sandbox);
        let setup = self.setup(&runner, &permissions, &interrupt);
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
        interrupt: &Interrupt,
    ) -> Option<ScriptHint> {
        let trials = ScriptTrials {
            runner,
            property: &property::stated(self.property)?,
            script: self.property.test.as_deref()?,
            path: self.input,
            input,
            interrupt,
        };
        match run {
            Some(run) => trials.hint(run),
            None => trials.missing_files(None),
        }
    }
}
