//! The search of a reduction: it runs, and its result is saved and reported.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use boildown_document::Language;
use boildown_driver::VerdictReview;
use boildown_exec::{
    ExtraTest, LocalOracle, Proposer, SecondaryFailureCollector, SecondaryFailures,
};
use boildown_formats::FORMATS;
use boildown_oracle::{Capture, Oracle};
use boildown_reduce::{
    Input, Reduction, count_tokens, folder_reduction, reduction, remaining_words,
};
use boildown_session::prepare::{Flakiness, PreparedReduction};
use boildown_session::{
    ConfirmingRuns, Event, FailureForm, FlakyInput, OracleStage, ReduceOptions, Reduced,
    ReductionPlan, RefusedForms, SessionConfig, SkipPass, Summary, TargetSize,
    reduce_with_restarts,
};
use boildown_show::{CheckRecord, StartedEvent, StopReason};
use boildown_store::{ResumedBest, RunStore};

use super::history::ReductionHistory;
use super::incremental::ArtifactNote;
use super::objective::{ObjectiveArgs, ObjectiveOutcome};
use super::plan::Plan;
use super::report::{ClaimLimits, ReductionReport, form_of_list};
use super::same_culprit::{FoundCulprit, SameCulprit};
use super::subject::Subject;
use crate::cpu_time::own_cpu_seconds;
use crate::error::{CliError, ExitKind};
use crate::explain::repeating_line;
use crate::folder::FolderCase;
use crate::input;
use crate::job::Job;
use crate::keys::KeyListener;
use crate::report::format::count;
use crate::report::reporter::{FailureSwitch, Reporter, SearchControls, StepSource};
use crate::report::started::StartedSearch;
use crate::session::{Session, exit_of_search};
use crate::valid::ChosenCheck;

/// How a reduction ended, and its result, if there is one.
pub(super) type EndAndResult = (ExitKind, Option<Arc<[u8]>>);

/// Time between two looks at the secondary failures, for a view of the search.
const FAILURES_SHOWN_EVERY: Duration = Duration::from_secs(1);

/// A reduction that is prepared.
pub(super) struct ReductionSearch<'a> {
    pub(super) job: Job<'a>,
    pub(super) subject: Subject,
    pub(super) plan: Plan,
    pub(super) prepared: PreparedReduction,
    /// The most runs that confirm a result.
    pub(super) confirm_runs: Option<NonZeroU32>,
    pub(super) objective: &'a ObjectiveArgs,
    /// The version that candidates have to fail since, once it is found.
    pub(super) culprit: Option<FoundCulprit>,
    /// Where the user chooses the failure to reduce next, if this reduction is alone.
    pub(super) switch: Option<&'a FailureSwitch>,
}

/// The end of a search.
struct FoundReduction {
    best: Arc<[u8]>,
    objective: Option<ObjectiveOutcome>,
    summary: Summary,
    other_failures: SecondaryFailures,
}

impl ReductionSearch<'_> {
    /// Opens the store, searches, saves the result, and reports it. Also returns the result.
    pub(super) fn finish(
        mut self,
        versions: Option<SameCulprit>,
        history: &ReductionHistory<'_>,
        mut flakiness: Flakiness,
        session: &mut Session<'_>,
    ) -> Result<EndAndResult, CliError> {
        let job = self.job;
        if let Some(versions) = versions {
            let (input, prepared) = ((job.input, &*self.subject.input), &mut self.prepared);
            let reporter = session.reporter();
            self.culprit = Some(versions.find(input, prepared, job.interrupt(), reporter)?);
        }
        let (oracle, is_steady) = (&mut self.prepared.oracle, flakiness.is_steady());
        (self.plan).admit(job, oracle, &self.subject, is_steady, session.reporter())?;
        let known_best = history.open(job, &self.subject, &self.prepared.oracle, session)?;
        let (store, reporter) = (&session.store, session.reporter.as_mut());
        let best = known_best.as_ref();
        let first = best.map_or(&self.subject.input, |best| &best.text);
        self.subject.destination.begin(first, store, reporter)?;
        session.start(self.started());
        let mut found = self.run(known_best, &mut flakiness, session)?;
        session.reporter.leave_terminal();
        self.subject.destination.finish(&found.best)?;
        let input = &self.subject.input;
        let unchanged = found.best == *input;
        if self.subject.folder.is_none() && !self.subject.is_command {
            let expected = match self.subject.destination.backup {
                Some(_) => &found.best,
                None => self.subject.file.as_ref().unwrap_or(input),
            };
            warn_if_modified(self.job.input, expected, session.reporter());
        }
        let keeps_files =
            (self.subject.folder.as_ref()).is_some_and(|folder| !folder.input.fixed.is_empty());
        let keeps_parts = keeps_files || !self.plan.strategy.keep.is_empty();
        self.keep_before_change(&mut found.summary, session.reporter());
        self.report(&found, keeps_parts, &flakiness, session);
        let exit = exit_of_search(&flakiness, found.summary.stopped, unchanged);
        Ok((exit, Some(found.best)))
    }

    /// Returns the event with which the search begins.
    fn started(&self) -> StartedEvent {
        self.job.started(StartedSearch {
            task: "reduce",
            inputs: &self
                .subject
                .inputs
                .iter()
                .map(PathBuf::as_path)
                .collect::<Vec<_>>(),
            bytes: self.subject.form().size(&self.subject.input),
            output: &self.subject.destination.output,
            language: self.plan.language,
            runner: self.prepared.oracle.runner(),
            property: self.prepared.oracle.property(),
            units: format!("{:?}", self.plan.strategy.units).to_lowercase(),
        })
    }

    /// Reports what was found. `keeps_parts` says that parts of the input had to stay.
    fn report(
        &self,
        found: &FoundReduction,
        keeps_parts: bool,
        flakiness: &Flakiness,
        session: &mut Session<'_>,
    ) {
        let (job, destination) = (self.job, &self.subject.destination);
        let command = String::from_utf8_lossy(&found.best);
        let [tokens_before, tokens_after] = match &self.subject.folder {
            None => count_both(&self.subject.input, found, self.plan.language),
            Some(folder) => [
                folder.tokens_in(&self.subject.input),
                folder.tokens_in(&found.best),
            ],
        };
        let files = |_| [&self.subject.input, &found.best].map(|state| FolderCase::files_in(state));
        let measured = self.prepared.oracle.measurements().of(&found.best);
        let input = &self.subject.input;
        let remaining = (self.plan.strategy.redacts).then(|| match &self.subject.folder {
            None => remaining_words(input, &found.best, self.plan.language),
            Some(folder) => {
                let [before, after] = [input, &found.best].map(|state| folder.joined(state));
                remaining_words(&before, &after, None)
            }
        });
        session.finish(&ReductionReport {
            input: job.input,
            output: destination.shown(),
            command: self.subject.is_command.then(|| command.trim_end()),
            measured: measured.as_deref(),
            objective: found.objective.as_ref(),
            remaining: remaining.as_deref(),
            checks: &self.checks(),
            elapsed: job.beginning.elapsed(),
            backup: destination.backup.as_deref(),
            unchanged: found.best == self.subject.input,
            summary: &found.summary,
            tokens_before,
            tokens_after,
            files: self.subject.folder.as_ref().map(files),
            language: self.plan.language,
            units: self.plan.strategy.units,
            claim: ClaimLimits {
                keeps_parts,
                seen_in: self.seen_in(),
                proof: FORMATS.proof_of(&Input {
                    bytes: &self.subject.input,
                    language: self.plan.language,
                    stated: self.plan.strategy.format,
                }),
                form: form_of_list(self.plan.strategy.split.as_ref()),
            },
            flakiness,
            other_failures: &found.other_failures,
            lists_all: job.runs.printing.verbose,
            own_cpu: own_cpu_seconds(),
        });
    }

    /// Keeps the last result on which the command fails as on the input, if it fails in another way
    /// on the result.
    fn keep_before_change(&self, summary: &mut Summary, reporter: &mut dyn Reporter) {
        let (Some(changed), Some(text)) = (&mut summary.changed_form, &summary.before_change)
        else {
            return;
        };
        match self.subject.destination.keep_before_change(text) {
            Some(Ok(kept)) => changed.kept = Some(kept.to_string_lossy().into_owned()),
            Some(Err(error)) => reporter.note(&format!(
                "warning: the last result before the failure changed was not kept: {error}"
            )),
            None => {}
        }
    }

    /// Returns the size at which to stop. Says so if the input is no larger.
    fn target_size(&self, reporter: &mut dyn Reporter) -> Option<TargetSize> {
        let until = self.subject.target_size?;
        let (input, form) = (&self.subject.input, self.subject.form());
        let bytes = form.size(input);
        let (is_reached, has) = match until {
            TargetSize::Plateau => (false, None),
            TargetSize::Bytes(most) => (bytes <= most, Some(count(bytes, "byte"))),
            TargetSize::Tokens(most) => {
                let tokens = match &self.subject.folder {
                    None => count_tokens(input, self.plan.language),
                    Some(folder) => folder.tokens_in(input),
                };
                let has = tokens.map(|tokens| count(tokens, "token"));
                (tokens.is_some_and(|tokens| tokens <= most), has)
            }
        };
        if let Some(has) = has.filter(|_| is_reached) {
            reporter.note(&format!(
                "the input has {has}, no more than --until asks for: nothing is removed"
            ));
            // The search does not count tokens before its first pass.
            return Some(TargetSize::Bytes(bytes));
        }
        Some(until)
    }

    /// Returns the runs that misses are known from, if not all were in fresh places.
    fn seen_in(&self) -> Option<&'static str> {
        if self.plan.is_incremental {
            return Some("as runs in trees with kept build artefacts show");
        }
        let warm = self.plan.executors.warm.status();
        let is_warm = warm.is_some_and(|warm| !warm.is_off());
        match is_warm {
            true => Some("as warm runs show"),
            false if self.job.runs.remote.is_given() => {
                Some("as the remote service answers, which may do so from its cache")
            }
            false => None,
        }
    }

    /// Returns the checks of --valid and --same-culprit, and their runs: they are the last of the
    /// extra tests.
    fn checks(&self) -> Vec<CheckRecord> {
        let checks = &self.job.commands.options.companions.checks;
        let tests = &self.prepared.oracle.runner().extra_tests;
        let of_culprit = self.culprit.as_ref().map_or(0, FoundCulprit::tests);
        let first = tests.len().saturating_sub(of_culprit + checks.len());
        let pairs = checks.iter().zip(&tests[first..]);
        let record = |(check, test): (&ChosenCheck, &ExtraTest)| {
            let effort = test.tally.effort();
            CheckRecord {
                option: "--valid".to_owned(),
                kind: check.kind.to_owned(),
                line: check.line.to_string_lossy().into_owned(),
                runs: effort.runs,
                seconds: effort.time.as_secs_f64(),
                refused: effort.refused,
            }
        };
        let of_culprit = self.culprit.iter().flat_map(FoundCulprit::records);
        pairs.map(record).chain(of_culprit).collect()
    }

    /// Returns the programs that propose candidates.
    fn proposers(&self) -> Result<Vec<Proposer>, CliError> {
        let keeps_parts = !self.plan.strategy.keep.is_empty();
        let runner = self.prepared.oracle.runner();
        self.plan.proposers.start(keeps_parts, runner)
    }

    /// Returns the collector of secondary failures. Failures of a test script are not told apart:
    /// it hides the program that fails.
    fn collector(&self) -> Option<SecondaryFailureCollector<&LocalOracle>> {
        self.job.commands.script().is_none().then(|| {
            let folder = self.subject.destination.other_failures();
            let expected = self.prepared.failure.signature().cloned();
            let oracle = &self.prepared.oracle;
            let input = self.job.input;
            let collector = SecondaryFailureCollector::new(oracle, expected, folder, input);
            let collector = match &self.subject.failure {
                Some(failure) => collector.except(failure.file.clone()),
                None => collector,
            };
            match &self.subject.folder {
                Some(folder) => collector.of_folder(Arc::clone(&folder.project)),
                None => collector,
            }
        })
    }

    /// Returns the form of the failure, as far as runs on candidates show it.
    fn failure(&self) -> FailureForm {
        let failure = &self.prepared.failure;
        match self.prepared.oracle.capture() {
            Capture::Output => failure.clone(),
            Capture::Nothing => failure.without_output(),
        }
    }

    /// Returns the forms of the failure that are refused: by default new errors, if what a compiler
    /// or checker says about the input was read off its output.
    fn refused_forms(&self) -> RefusedForms {
        let commands = self.job.commands;
        let is_deduced = commands.stated().is_none();
        match (self.job.is_strict, self.prepared.failure.is_diagnostic()) {
            (true, _) => RefusedForms::Others,
            (false, true) if is_deduced && !commands.options.loose => RefusedForms::NewErrors,
            (false, _) => RefusedForms::None,
        }
    }

    /// Returns the search that reduces a text.
    fn start(&self, text: &Arc<[u8]>) -> Reduction {
        let mut strategy = self.plan.strategy.clone();
        let is_file = self.subject.folder.is_none() && !self.subject.is_command;
        if is_file && *text == self.subject.input {
            strategy.reported_lines = self.prepared.reported_lines.clone().into();
        }
        match &self.subject.folder {
            None => reduction(text, self.plan.language, strategy),
            Some(folder) => folder_reduction(&folder.input, text, strategy)
                .expect("every text of this reduction is a state of its folder"),
        }
    }

    /// Searches for a smaller file, and runs the command on the result again.
    fn run(
        &self,
        known_best: Option<ResumedBest>,
        flakiness: &mut Flakiness,
        session: &mut Session<'_>,
    ) -> Result<FoundReduction, CliError> {
        let config = self.job.config(&self.plan.executors, session);
        let (known_results, reporter) = (session.store.known_results(), session.reporter.as_mut());
        if self.refused_forms() == RefusedForms::NewErrors {
            reporter
                .note("candidates with other kinds of errors are left out (--loose accepts them)");
        }
        let review = (self.objective).start(
            &self.prepared,
            &self.subject.input,
            known_best.as_ref().map(|best| &*best.text),
            self.job.interrupt(),
        )?;
        let skip_pass = SkipPass::default();
        let options = ReduceOptions {
            output: self.subject.destination.result_output(),
            form: self.subject.form(),
            known_results,
            target_size: self.target_size(reporter),
            resumed_best: known_best,
            at_hand: None,
            skip_pass: skip_pass.clone(),
            confirm: flakiness.is_steady(),
            confirming: ConfirmingRuns {
                most: self.confirm_runs.map(NonZeroU32::get),
                slowest: self.prepared.baseline.stats.slowest,
            },
            scratch: Some(Arc::clone(&self.prepared.oracle.runner().scratch)),
            warm: self.plan.executors.warm.status(),
            measurements: Arc::clone(self.prepared.oracle.measurements()),
            proposers: self.proposers()?,
        };
        let collector = self.collector();
        let oracle: &dyn Oracle = match &collector {
            Some(collector) => collector,
            None => &self.prepared.oracle,
        };
        let board = reporter.take_keys(self.controls(&skip_pass, config.store.as_deref()));
        let keys =
            (self.job.uses_keys() && board.is_none()).then(|| self.listen_to_keys(skip_pass));
        let mut failures_shown = Instant::now();
        let mut artifacts = ArtifactNote::begin(self.plan.is_incremental, &self.prepared.oracle);
        let start = |text: &Arc<[u8]>| self.start(text);
        let reduced = reduce_with_restarts(
            &ReductionPlan {
                input: &self.subject.input,
                start: &start,
                oracle,
                watch: board.as_deref().map(|board| board as &dyn OracleStage),
                review: review.as_deref().map(|review| review as &dyn OracleStage),
                repeat_policy: self.prepared.baseline.repeat_policy,
                failure: Some(&self.failure()),
                refused: self.refused_forms(),
            },
            options,
            SessionConfig {
                review: review.clone().map(|it| it as Arc<dyn VerdictReview>),
                ..config
            },
            &mut |event| {
                self.plan.executors.report(reporter);
                artifacts.report(reporter);
                if let (Some(review), Event::PropertyLost { .. } | Event::BecameFlaky { .. }) =
                    (&review, event)
                {
                    review.start_over();
                }
                self.report_event(event, reporter);
                if let Some(collector) = &collector
                    && board.is_some()
                    && failures_shown.elapsed() >= FAILURES_SHOWN_EVERY
                {
                    failures_shown = Instant::now();
                    reporter.secondary_failures(&collector.failures());
                }
            },
        );
        drop(keys);
        artifacts.report(reporter);
        self.plan.executors.report(reporter);
        let mut reduced =
            reduced.map_err(|error| self.subject.destination.error_with_saved_result(error))?;
        self.measure_result(&reduced, flakiness, reporter)?;
        let objective = review.map(|review| {
            reporter.working("measuring the input and the result", "");
            let (input, interrupt) = (&self.subject.input, self.job.interrupt());
            ObjectiveOutcome::measure(&review, input, &reduced.best, interrupt)
        });
        let scratch = &self.prepared.oracle.runner().scratch;
        reduced.summary.progress.spent.runs = scratch.command_runs();
        Ok(FoundReduction {
            best: reduced.best,
            objective: objective.transpose()?,
            summary: reduced.summary,
            other_failures: collector
                .map(|collector| collector.failures())
                .unwrap_or_default(),
        })
    }

    /// Completes what is known about how often the failure occurs. May run the command.
    fn measure_result(
        &self,
        reduced: &Reduced,
        flakiness: &mut Flakiness,
        reporter: &mut dyn Reporter,
    ) -> Result<(), CliError> {
        let (summary, best) = (&reduced.summary, &reduced.best);
        // Times differ from run to run near the limit.
        if !self.prepared.oracle.property().is_about_resources() {
            flakiness.contradictions = reduced.contradictions;
        }
        if let Some(FlakyInput { policy, input }) = reduced.flaky {
            (flakiness.policy, flakiness.input) = (policy, input);
        }
        let is_cut_off = matches!(
            summary.stopped,
            Some(StopReason::Interrupted | StopReason::EnvironmentChanged)
        );
        let unchanged = *best == self.subject.input;
        if flakiness.is_steady() {
            flakiness.result = summary.confirmed.filter(|_| !unchanged);
        } else if !unchanged && !is_cut_off {
            let (job, oracle) = (self.job, &self.prepared.oracle);
            job.measure_result(flakiness, oracle, best, &self.plan.executors, reporter)
                .map_err(|error| self.subject.destination.error_with_saved_result(error))?;
        }
        Ok(())
    }

    /// Returns what a view of the search needs.
    fn controls(&self, skip_pass: &SkipPass, store: Option<&RunStore>) -> SearchControls {
        let folder = self.subject.folder.as_ref();
        let destination = &self.subject.destination;
        let result = destination.shown();
        SearchControls {
            input: self.shown_text(&self.subject.input),
            form: self.subject.form(),
            property: self.prepared.oracle.property().to_string(),
            command: repeating_line(self.prepared.oracle.runner(), result),
            jobs: self.plan.executors.jobs(),
            skip_pass: skip_pass.clone(),
            interrupt: self.job.interrupt().clone(),
            // Two results on standard output could not be told apart.
            switch: self
                .switch
                .filter(|_| destination.target().is_some())
                .cloned(),
            steps: StepSource {
                store: store.map(|store| store.file().to_owned()),
                listing: folder.map(|folder| Arc::clone(&folder.input.listing)),
            },
            // A result is named by its number in the run on the input itself.
            can_restart: self.switch.is_some()
                && destination.target().is_some()
                && store.is_some()
                && self.subject.file.is_none()
                && destination.backup.is_none(),
            is_other_failure: self.subject.failure.is_some(),
        }
    }

    /// Returns a text that shows a result: of a folder, a list of its files.
    fn shown_text(&self, text: &Arc<[u8]>) -> Arc<[u8]> {
        let folder = self.subject.folder.as_ref();
        folder.map_or_else(|| Arc::clone(text), |folder| folder.listed(text))
    }

    fn report_event(&self, event: &Event, reporter: &mut dyn Reporter) {
        match event {
            Event::NewBest(text) => {
                reporter.event(&Event::NewBest(self.shown_text(text)));
            }
            event => reporter.show(event),
        }
    }

    fn listen_to_keys(&self, skip_pass: SkipPass) -> KeyListener {
        let interrupt = self.job.interrupt().clone();
        KeyListener::start(move |key| match key {
            b's' => skip_pass.request(),
            b'q' => interrupt.trigger(),
            _ => {}
        })
    }
}

/// Returns the number of tokens of the input and of the result. Reads neither again where the
/// search has counted them, if that would take seconds.
fn count_both(
    input: &Arc<[u8]>,
    found: &FoundReduction,
    language: Option<&'static Language>,
) -> [Option<usize>; 2] {
    const LARGE: usize = 1 << 20;
    let before = found.summary.tokens_before;
    let before = match input.len() {
        // Stopped before a pass has read it.
        LARGE.. if before.is_none() && found.summary.stopped.is_some() => None,
        _ => before.or_else(|| count_tokens(input, language)),
    };
    let after = found.summary.progress.tokens;
    let after = match found.best.len() {
        _ if found.best == *input => before,
        LARGE.. if after.is_some() => after,
        _ => count_tokens(&found.best, language),
    };
    [before, after]
}

fn warn_if_modified(input: &Path, expected: &[u8], reporter: &mut dyn Reporter) {
    if fs::read(input).ok().as_deref() != Some(expected) {
        reporter.note(&input::modified_warning(input));
    }
}
