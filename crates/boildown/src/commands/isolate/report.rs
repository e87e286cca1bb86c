//! The end of an isolation, as text and as JSON.

use std::io::IsTerminal as _;
use std::ops::Range;

use boildown_session::{SideFiles, Summary};
use boildown_show::{DifferenceRecord, IsolationFinished, JsonValue as _, LastEvent};
use serde_json::Value;

use super::diff::{self, FileDifference};
use crate::report::endings::Claim;
use crate::report::format::EscapedPath as _;
use crate::report::reporter::FinalReport;
use crate::report::text::{not_verified, spent};

/// The end of an isolation.
#[derive(Debug, Clone, Copy)]
pub(super) struct IsolationReport<'a> {
    /// Paths of the two results.
    pub(crate) sides: &'a SideFiles,
    pub(crate) passing: &'a [u8],
    pub(crate) failing: &'a [u8],
    /// The regions in which they differ, as byte ranges of both.
    pub(crate) differences: &'a [(Range<usize>, Range<usize>)],
    /// Number of changes, in these units.
    pub(crate) changes: usize,
    pub(crate) units: &'static str,
    pub(crate) summary: &'a Summary,
    /// Whether the failure occurs in each run.
    pub(crate) is_steady: bool,
    /// Seconds of processor time of boildown itself, without the commands it ran.
    pub(crate) own_cpu: f64,
}

impl IsolationReport<'_> {
    /// Returns what the search verified.
    fn verified(&self) -> Option<Claim> {
        let flaky = (!self.is_steady).then_some("as repeated runs of a flaky failure show");
        self.summary.one_minimal.then(|| Claim {
            units: self.units,
            sentence: "with a single change made in the passing file, or undone in the failing one, the command neither passes nor fails".to_owned(),
            restrictions: flaky.into_iter().collect(),
        })
    }
}

impl FinalReport for IsolationReport<'_> {
    fn summary(&self) -> String {
        let unit = match (self.units.strip_suffix('s'), self.changes) {
            (Some(singular), 1) => singular,
            _ => self.units,
        };
        let minimality = match self.summary.stopped {
            None if self.changes == 1 => "the difference is a single change",
            None => &self
                .verified()
                .map_or_else(String::new, |claim| claim.text()),
            Some(why) => not_verified(why),
        };
        format!(
            "{} and {} differ in {} {unit}\n{}\n{minimality}",
            self.sides.passing.escaped(),
            self.sides.failing.escaped(),
            self.changes,
            spent(&self.summary.progress.spent)
        )
    }

    fn details(&self) -> String {
        let colour = std::io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let difference = FileDifference {
            sides: self.sides,
            passing: self.passing,
            failing: self.failing,
            regions: self.differences,
        };
        diff::show(&difference, colour)
    }

    fn json(&self) -> Value {
        let progress = &self.summary.progress;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let differences = self.differences.iter().map(|(old, new)| DifferenceRecord {
            passing_at: old.start,
            passing: text(&self.passing[old.clone()]),
            failing_at: new.start,
            failing: text(&self.failing[new.clone()]),
        });
        let claim = self.verified();
        let event = IsolationFinished {
            passing: self.sides.passing.to_string_lossy().into_owned(),
            failing: self.sides.failing.to_string_lossy().into_owned(),
            difference: differences.collect(),
            changes: self.changes,
            units: self.units.to_owned(),
            bytes_before: progress.bytes_before,
            bytes_after: progress.bytes,
            tests: progress.spent.queries,
            runs: progress.spent.runs,
            unresolved: progress.spent.unresolved,
            timeouts: progress.spent.timeouts,
            seconds: progress.spent.elapsed.as_secs_f64(),
            driver_cpu_seconds: self.own_cpu,
            one_minimal: claim.as_ref().is_some_and(Claim::is_unrestricted),
            claim: claim.as_ref().map(Into::into),
            stopped: self.summary.stopped,
        };
        LastEvent::Finished(event).to_json()
    }
}
