//! The end of a culprit search as JSON.

use boildown_session::changes::{RepairScope, Trial, commit_records};
use boildown_show::{
    CulpritEvent, CulpritFinished, JsonValue as _, OtherCauseRecord, PatchPartRecord, TrialRecord,
};
use serde_json::Value;

use super::culprit::CulpritSearchReport;
use super::sentences;
use crate::report::endings::Claim;

/// Returns the last event.
pub(super) fn finished(report: &CulpritSearchReport<'_>) -> Value {
    let found = report.found;
    let counts = (found.layer_counts.iter())
        .map(|(layer, number)| (layer.noun(2).to_owned(), *number))
        .collect();
    let parts = found.hunks.iter().map(|part| PatchPartRecord {
        place: part.location.clone(),
        without: part.without.verdict.into(),
    });
    let claim = sentences::verified(found);
    let finished = CulpritFinished {
        good: report.good.to_owned(),
        bad: report.bad.to_owned(),
        command: report.command.to_owned(),
        output: report.output.to_string_lossy().into_owned(),
        patch: String::from_utf8_lossy(report.patch).into_owned(),
        base: found.base.clone(),
        base_is_good: found.base_is_good,
        counts,
        lines_added: found.stat.added,
        lines_deleted: found.stat.deleted,
        commits: commit_records(&found.commits),
        undone: found.undone,
        confirmed: trial(found.confirmed),
        on_good: found.on_good.map(trial),
        repair: trial(found.repair),
        repair_on: found.repair_on.clone(),
        repair_without: match found.repair_scope {
            RepairScope::Causes => "causes",
            RepairScope::Hunks => "hunks",
            RepairScope::Names => "groups of hunks by new names",
            RepairScope::Files => "files",
        }
        .to_owned(),
        words: found.words.clone(),
        partial_statements: found.partial_statements.clone(),
        other_causes: other_causes(report),
        fails_otherwise: found.partial.clone(),
        unlike_bad: found.unlike_bad.clone(),
        parts: parts.collect(),
        same_failure: report.same_failure,
        files_restored: found.restored_files,
        spent: found.counts.record(),
        one_minimal: claim.as_ref().is_some_and(Claim::is_unrestricted),
        claim: claim.as_ref().map(Into::into),
        stopped: found.stopped,
    };
    CulpritEvent::Finished(Box::new(finished)).to_json()
}

fn other_causes(report: &CulpritSearchReport<'_>) -> Vec<OtherCauseRecord> {
    let causes = report.found.other_causes.iter().zip(report.other_patches);
    causes
        .map(|(cause, patch)| OtherCauseRecord {
            places: cause.locations.clone(),
            patch: String::from_utf8_lossy(patch).into_owned(),
            alone: cause.is_alone,
            commits: commit_records(&cause.commits),
        })
        .collect()
}

fn trial(trial: Trial) -> TrialRecord {
    TrialRecord {
        verdict: trial.verdict.into(),
        reason: trial.reason.map(|reason| reason.words().to_owned()),
    }
}
