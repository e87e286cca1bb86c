//! The record of a culprit search, made of what it reports.

use std::collections::BTreeMap;

use boildown_changes::Commit;
use boildown_session::Event;
use boildown_session::changes::{CulpritCounts, UnresolvedReason};
use boildown_show::{CommitRecord, CulpritEvent, SpentRecord, TestedState};

/// Returns the record of an event; `None` for one that is not in it.
pub(super) fn of_event(event: &Event) -> Option<CulpritEvent> {
    Some(match event {
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
        Event::CulpritTick(counts) => CulpritEvent::Progress {
            spent: spent(counts),
        },
        _ => return None,
    })
}

pub(crate) fn commits(commits: &[Commit]) -> Vec<CommitRecord> {
    (commits.iter())
        .map(|commit| CommitRecord {
            id: commit.id.to_string(),
            date: commit.date.clone(),
            author: commit.author.clone(),
            title: commit.title.clone(),
        })
        .collect()
}

pub(crate) fn spent(counts: &CulpritCounts) -> SpentRecord {
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
