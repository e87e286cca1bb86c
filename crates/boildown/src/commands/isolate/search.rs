//! The search of an isolation.

use boildown_document::Language;
use boildown_oracle::RepeatedOracle;
use boildown_reduce::{Finest, Isolation};
use boildown_session::prepare::{Flakiness, PreparedIsolation};
use boildown_session::{Event, SideFiles, Summary};
use boildown_show::{StartedEvent, StopReason};

use super::pair::FilePair;
use super::report::IsolationReport;
use crate::cpu_time::own_cpu_seconds;
use crate::error::{CliError, ExitKind};
use crate::executors::Executors;
use crate::job::Job;
use crate::report::flakiness;
use crate::report::started::StartedSearch;
use crate::session::{Session, exit_of_search};

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
        mut flakiness: Flakiness,
        session: &mut Session<'_>,
    ) -> Result<ExitKind, CliError> {
        let (oracle, bad) = (&self.prepared.oracle, &self.pair.files.bad);
        self.job.open(
            session,
            (bad, bad.len()),
            (&oracle.failing, oracle.runner.limits.timeout),
            self.sides.access,
        )?;
        session.start(self.started());
        let (summary, ended) = self.run(&mut flakiness, session)?;
        if let Some(note) = flakiness::after_search(&flakiness) {
            session.reporter.note(&note);
        }
        self.pair.warn_if_modified(session.reporter());
        session.finish(&IsolationReport {
            sides: self.sides,
            passing: &ended.passing(),
            failing: &ended.failing(),
            differences: &ended.places(),
            changes: ended.changes(),
            units: ended.units(),
            summary: &summary,
            is_steady: flakiness.is_steady(),
            own_cpu: own_cpu_seconds(),
        });
        Ok(exit_of_search(&flakiness, summary.stopped, false))
    }

    /// Searches for a smaller difference, and runs the command on the failing result again.
    fn run(
        &self,
        flakiness: &mut Flakiness,
        session: &mut Session<'_>,
    ) -> Result<(Summary, Isolation), CliError> {
        let oracle = &self.prepared.oracle;
        let search = Isolation::between(
            &self.pair.files.good,
            &self.pair.files.bad,
            self.language,
            self.finest,
        );
        let config = self.job.config(self.executors, session);
        let reporter = session.reporter();
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
            let (job, failing) = (self.job, ended.failing());
            job.measure_result(flakiness, oracle, &failing, self.executors, reporter)?;
        }
        Ok((summary, ended))
    }

    /// Returns the event with which the search begins.
    fn started(&self) -> StartedEvent {
        self.job.started(StartedSearch {
            task: "isolate",
            inputs: &[self.pair.good, self.pair.bad],
            bytes: self.pair.files.bad.len(),
            output: &self.sides.failing,
            language: self.language,
            runner: &self.prepared.oracle.runner,
            property: &self.prepared.oracle.failing,
            units: format!("{:?}", self.finest).to_lowercase(),
        })
    }
}
