//! A culprit search as JSON lines on standard output.

use std::collections::BTreeMap;
use std::time::Duration;

use boildown_changes::Commit;
use boildown_session::Event;
use boildown_session::changes::{CulpritCounts, RepairScope, Trial, UnresolvedReason};
use boildown_show::{
    CommitRecord, CulpritEvent, CulpritFinished, JsonValue as _, OtherCauseRecord,
    OutputDifferenceRecord, PartialCauseRecord, PatchPartRecord, SCHEMA, SpentRecord, TestedState,
    TrialRecord, version,
};

use super::reporter::{ChangesReporter, CulpritSearchReport, StartedChanges};
use super::sentences;
use crate::report::endings::Claim;
use crate::report::json::{HEARTBEAT, arguments, print};
use crate::report::notes::Notes;
use crate::report::recorded::stop_reason;

/// Prints to standard output.
#[derive(Default)]
pub(super) struct ChangesJson {
    /// Time at which something was last printed.
    printed_at: Duration,
}

impl Notes for ChangesJson {
    fn note(&mut self, text: &str) {
        let text = text.to_owned();
        print(&CulpritEvent::Note { text }.to_json());
    }
}

impl ChangesReporter for ChangesJson {
    fn started(&mut self, search: &StartedChanges<'_>) {
        let event = CulpritEvent::Started {
            schema: SCHEMA,
            version: version(),
            task: "changes".to_owned(),
            arguments: arguments(),
            good: search.good.to_owned(),
            bad: search.bad.to_owned(),
            command: search.command.to_owned(),
            output: search.output.to_string_lossy().into_owned(),
        };
        print(&event.to_json());
    }

    fn event(&mut self, event: &Event) {
        let event = match event {
            Event::EndpointRun { is_good, run } => CulpritEvent::Baseline {
                state: if *is_good {
                    TestedState::First
                } else {
                    TestedState::Second
                },
                outcome: run.outcome.to_string(),
            },
            Event::HistoryRead { steps } => CulpritEvent::History { steps: *steps },
            Event::Narrowed {
                passing,
                failing,
                commits: between,
                counts,
            } => CulpritEvent::Narrowed {
                passing: passing.clone(),
                failing: failing.clone(),
                commits: commits(between),
                spent: spent(counts),
            },
            Event::LayerFinished {
                layer,
                before,
                left,
                counts,
                ..
            } => CulpritEvent::Level {
                layer: layer.noun(2).to_owned(),
                before: *before,
                left: *left,
                spent: spent(counts),
            },
            Event::OlderChangeNeeded { passing, failing } => CulpritEvent::Older {
                passing: passing.clone(),
                failing: failing.clone(),
            },
            Event::CulpritTick(counts) if counts.elapsed >= self.printed_at + HEARTBEAT => {
                self.printed_at = counts.elapsed;
                CulpritEvent::Progress {
                    spent: spent(counts),
                }
            }
            _ => return,
        };
        print(&event.to_json());
    }

    fn finish(&mut self, report: &CulpritSearchReport<'_>) {
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
            commits: commits(&found.commits),
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
            other_causes: other_causes(report),
            fails_otherwise: found.partial.as_ref().map(|part| PartialCauseRecord {
                places: part.locations.clone(),
                difference: difference(&part.missing),
            }),
            unlike_bad: found.unlike_bad.as_ref().map(difference),
            parts: parts.collect(),
            same_failure: report.same_failure,
            files_restored: found.restored_files,
            spent: spent(&found.counts),
            one_minimal: claim.as_ref().is_some_and(Claim::is_unrestricted),
            claim: claim.as_ref().map(Into::into),
            stopped: found.stopped.map(stop_reason),
        };
        print(&CulpritEvent::Finished(Box::new(finished)).to_json());
    }
}

fn other_causes(report: &CulpritSearchReport<'_>) -> Vec<OtherCauseRecord> {
    let causes = report.found.other_causes.iter().zip(report.other_patches);
    causes
        .map(|(cause, patch)| OtherCauseRecord {
            places: cause.locations.clone(),
            patch: String::from_utf8_lossy(patch).into_owned(),
        })
        .collect()
}

fn difference((wanted, printed): &(String, Option<String>)) -> OutputDifferenceRecord {
    OutputDifferenceRecord {
        wanted: wanted.clone(),
        printed: printed.clone(),
    }
}

fn trial(trial: Trial) -> TrialRecord {
    TrialRecord {
        verdict: trial.verdict.into(),
        reason: trial.reason.map(|reason| reason.words().to_owned()),
    }
}

fn commits(commits: &[Commit]) -> Vec<CommitRecord> {
    (commits.iter())
        .map(|commit| CommitRecord {
            id: commit.id.to_string(),
            date: commit.date.clone(),
            author: commit.author.clone(),
            title: commit.title.clone(),
        })
        .collect()
}

fn spent(counts: &CulpritCounts) -> SpentRecord {
    let by_reason = |numbers: &BTreeMap<UnresolvedReason, u64>| {
        let each = numbers.iter();
        each.map(|(reason, number)| (reason.words().to_owned(), *number))
            .collect()
    };
    SpentRecord {
        tests: counts.queries,
        runs: counts.runs,
        recalled: counts.recalled,
        unresolved: counts.all_unresolved(),
        unresolved_by_reason: by_reason(&counts.unresolved),
        not_run: counts.all_rejected(),
        not_run_by_reason: by_reason(&counts.rejected),
        seconds: counts.elapsed.as_secs_f64(),
    }
}
