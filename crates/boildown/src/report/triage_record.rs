//! The record of a triage, made of what it reports.

use boildown_session::Event;
use boildown_session::triage::TriageEvent;
use boildown_show::{SCHEMA, TriageLine, version};

/// Returns the record of an event; `None` for one that is not in it.
pub(super) fn of_event(event: &Event) -> Option<TriageLine> {
    let Event::Triage(event) = event else {
        return None;
    };
    Some(match event {
        TriageEvent::Inputs {
            files,
            distinct,
            layout,
        } => TriageLine::TriageStarted {
            schema: SCHEMA,
            version: version(),
            files: *files,
            distinct: *distinct,
            layout: layout.name().to_owned(),
        },
        &TriageEvent::Scanned { done, all } => {
            if done % (all / 100).max(1) != 0 && done != all {
                return None;
            }
            TriageLine::Scanned { done, all }
        }
        TriageEvent::Grouped { groups } => TriageLine::Grouped { groups: *groups },
        TriageEvent::Reducing {
            number,
            key,
            bytes,
            limit,
            ..
        } => TriageLine::GroupStarted {
            number: *number,
            failure: key.to_string(),
            bytes: *bytes,
            seconds: limit.map(|limit| limit.as_secs_f64()),
        },
        TriageEvent::Reduced {
            number,
            key,
            before,
            bytes,
            is_finished,
        } => TriageLine::GroupFinished {
            number: *number,
            failure: key.to_string(),
            bytes_before: *before,
            bytes: *bytes,
            finished: *is_finished,
        },
        _ => return None,
    })
}
