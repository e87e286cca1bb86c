//! Plan of a reduction: how the subject is read and reduced, and what runs its candidates.

use boildown_document::Language;
use boildown_exec::LocalOracle;
use boildown_reduce::Strategy;
use boildown_show::ChoiceRecord;

use super::args::ReduceArgs;
use super::incremental;
use super::proposers::{ChosenProposers, suits_clang_delta};
use super::strategy::strategy;
use super::subject::Subject;
use crate::choices;
use crate::error::CliError;
use crate::executors::Executors;
use crate::job::Job;
use crate::report::reporter::Reporter;
use crate::session::Session;

/// How a subject is reduced.
pub(super) struct Plan {
    pub(super) language: Option<&'static Language>,
    pub(super) strategy: Strategy,
    pub(super) executors: Executors,
    /// The programs that propose candidates.
    pub(super) proposers: ChosenProposers,
    /// Whether build artefacts are kept.
    pub(super) is_incremental: bool,
}

impl Plan {
    /// Reads the options, and starts the machines that run candidates.
    ///
    /// # Errors
    /// [`CliError`] when options do not fit the subject, or no test could be run.
    pub(super) fn new(
        args: &ReduceArgs,
        job: Job<'_>,
        subject: &Subject,
        choices: &mut Vec<ChoiceRecord>,
    ) -> Result<Self, CliError> {
        let (requested, split) = (args.language.as_deref(), args.split());
        let language = subject.language(&args.input, requested, split.as_ref(), choices)?;
        choices.push(choices::jobs(&job.runs.jobs));
        let is_file = subject.folder.is_none();
        let strategy = strategy(args, is_file.then_some((&subject.input, language)))?;
        let is_fit = is_file && suits_clang_delta(&args.input, language, &strategy);
        let mut executors = job.executors()?;
        executors.warm.kind = args.warm.kind();
        Ok(Self {
            language,
            strategy,
            executors,
            proposers: ChosenProposers::new(&args.pass_command, is_fit)?,
            is_incremental: args.incremental,
        })
    }

    /// Shows what was chosen so far, with `--verbose`.
    pub(super) fn show(&self, job: Job<'_>, session: &mut Session<'_>) {
        for choice in &session.choices {
            session.reporter.choice(choice);
        }
        let note = self.proposers.note();
        note.filter(|_| job.runs.printing.verbose)
            .inspect(|note| session.reporter.note(note));
    }

    /// Lets the machines and warm processes run the candidates. `is_steady` says that the failure
    /// occurs in each run.
    ///
    /// # Errors
    /// [`CliError`] when no machine answers as this one, when build artefacts cannot be kept, or
    /// when a warm process does not start.
    pub(super) fn admit(
        &self,
        job: Job<'_>,
        oracle: &mut LocalOracle,
        subject: &Subject,
        is_steady: bool,
        reporter: &mut dyn Reporter,
    ) -> Result<(), CliError> {
        let (input, interrupt) = (&subject.input, job.interrupt());
        let is_flaky = job.commands.options.flaky;
        (self.executors).admit_reduction(oracle, input, is_flaky, interrupt, reporter)?;
        if self.is_incremental {
            incremental::check(oracle)?;
        }
        (self.executors.warm).start(oracle, input, is_steady, interrupt, reporter)
    }
}
