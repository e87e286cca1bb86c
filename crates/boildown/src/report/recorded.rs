//! Parts of the record of a session, made of what it reports, and read from its store.

use std::ffi::OsStr;

use boildown_folder::FolderText;
use boildown_oracle::shell::quote;
use boildown_session::Progress;
use boildown_session::prepare::Flakiness;
use boildown_show::{
    FormChange, ProgressEvent, ReductionFinished, RepeatabilityRecord, StartedEvent,
};
use boildown_store::{LastSession, RunHistory, SessionDetails};

pub(crate) fn progress(progress: &Progress) -> ProgressEvent {
    ProgressEvent {
        bytes: progress.bytes,
        tokens: progress.tokens,
        tests: progress.spent.queries,
        runs: progress.spent.runs,
        seconds: progress.spent.elapsed.as_secs_f64(),
    }
}

pub(crate) fn repeatability(flakiness: &Flakiness) -> RepeatabilityRecord {
    RepeatabilityRecord {
        flaky: !flakiness.is_steady(),
        input: flakiness.input.into(),
        result: flakiness.result.map(Into::into),
        is_kept: flakiness.is_preserved(),
        contradictions: flakiness.contradictions,
    }
}

/// Returns the first event of a stored session, if it is there.
pub(crate) fn started(session: &SessionDetails) -> Option<StartedEvent> {
    serde_json::from_str(session.started_event.as_deref()?).ok()
}

/// Returns the last event of a stored reduction, if it is there.
pub(crate) fn finished(session: &SessionDetails) -> Option<ReductionFinished> {
    serde_json::from_str(session.finished_event.as_deref()?).ok()
}

/// Returns the step at which the failure of a stored reduction changed, if it did.
pub(crate) fn form_change(
    sessions: &[SessionDetails],
    history: &RunHistory,
    result: &OsStr,
) -> Option<FormChange> {
    let steps = history.improvements();
    // A session that found no result has seen no step.
    let has_results = |session: &SessionDetails| {
        let mut found = steps.iter().skip(1);
        found.any(|step| step.session == session.id)
    };
    let mut form = None;
    for session in sessions.iter().rev() {
        form = finished(session).and_then(|finished| finished.changed_form);
        if form.is_some() || has_results(session) {
            break;
        }
    }
    let form = form?;
    let step = usize::try_from(form.step).ok()?;
    let is_numbered = (steps.get(step)).is_some_and(|found| found.bytes == form.bytes);
    let before = match is_numbered {
        true => step,
        false => steps.iter().position(|step| step.bytes <= form.bytes)?,
    };
    let is_stored = |number: &usize| {
        let text = history.text(&steps[*number]).ok().flatten();
        text.is_some_and(|text| !FolderText::is_state(&text))
    };
    let restore = (1..before).rev().find(is_stored);
    let restore =
        restore.map(|number| format!("boildown history restore {number} {}", quote(result)));
    Some(FormChange { form, restore })
}

/// Reads from the store of a run at which step the failure changed, if it did.
pub(crate) fn stored_form_change(session: &LastSession) -> Option<FormChange> {
    let history = RunHistory::read(&session.file).ok()?;
    form_change(&history.sessions().ok()?, &history, &session.result)
}
