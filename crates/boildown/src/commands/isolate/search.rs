//! The search of an isolation.

use std::sync::Arc;

use boildown_document::Language;
use boildown_oracle::RepeatedOracle;
use boildown_reduce::{Finest, Isolation};
use boildown_session::prepare::{Flakiness, PreparedIsolation};
use boildown_session::{Event, SideFiles, Summary};
use boildown_show::{StartedEvent, StopReason};
use boildown_store::RunStore;

use super::pair::FilePair;
use super::report::IsolationReport;
use crate::choices::Choices;
use crate::cpu_time::own_cpu_seconds;
use crate::error::{CliError, ExitKind};
use crate::executors::Executors;
use crate::job::{self, Job};
use crate::project::RunPlace;
use crate::report::flakiness;
use crate::report::reporter::Reporter;
use crate::report::started::StartedSearch;

/// An isolation that is prepared.
pub(super) struct IsolationSearch<'a> {
    pub(super) pair: &'a FilePair<'a>,
    pub(super) job: Job<'a>,
    pub(super) language: Option<&'static Language>,
    pub(super) finest: Finest,
    pub(super) sides: &'a SideFiles,
    pub(super) prepared: &'a PreparedIsolation,
    pub(super) executors: &'a Executors,
}

impl IsolationSearch<'_> {
    /// Searches, and reports the difference that is left.
    pub(super) fn finish(
        &self,
        store: Option<&Arc<RunStore>>,
        mut flakiness: Flakiness,
        reporter: &mut dyn Reporter,
    ) -> Result<ExitKind, CliError> {
        let (summary, ended) = self.run(store.cloned(), &mut flakiness, reporter)?;
        flakiness::after_search(&flakiness).inspect(|note| reporter.note(note));
        self.pair.warn_if_modified(reporter);
        let report = IsolationReport {
            sides: self.sides,
            passing: &ended.passing(),
            failing: &ended.failing(),
            differences: &ended.places(),
            changes: ended.changes(),
            units: ended.units(),
            summary: &summary,
            is_steady: flakiness.is_steady(),
            own_cpu: own_cpu_seconds(),
        };
        job::finish(&report, store.map(Arc::as_ref), reporter);
        Ok(match summary.stopped {
            _ if !flakiness.is_preserved() => ExitKind::Flaky,
            None => ExitKind::Reduced,
            Some(_) => ExitKind::Stopped,
        })
    }

    /// Searches for a smaller difference, and runs the command on the failing result again.
    fn run(
        &self,
        store: Option<Arc<RunStore>>,
        flakiness: &mut Flakiness,
        reporter: &mut dyn Reporter,
    ) -> Result<(Summary, Isolation), CliError> {
        let oracle = &self.prepared.oracle;
        let search = Isolation::between(
            &self.pair.files.good,
            &self.pair.files.bad,
            self.language,
            self.finest,
        );
        let config = self.job.config(self.executors, store);
        let repeating = RepeatedOracle::new(oracle, self.prepared.baseline.repeat_policy);
        let on_event = &mut |event: &Event| {
            self.executors.report(reporter);
            reporter.show(&event.with_runs(repeating.runs()));
        };
        let isolated =
            boildown_session::isolate(search, &repeating, Some(self.sides), &config, on_event);
        self.executors.report(reporter);
        let (mut summary, ended) = isolated?;
        summary.progress.spent.runs = repeating.runs();
        flakiness.contradictions = repeating.contradictions();
        if !flakiness.is_steady() && summary.stopped != Some(StopReason::Interrupted) {
            reporter.working(
                "running the command on the result, to see how often it fails",
                "",
            );
            let (failing, interrupt) = (ended.failing(), self.job.interrupt());
            flakiness.measure_result(oracle, &failing, self.executors.jobs(), interrupt)?;
        }
        Ok((summary, ended))
    }

    /// Returns the event with which the search begins.
    pub(super) fn started(&self, place: &RunPlace, choices: &Choices) -> StartedEvent {
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
