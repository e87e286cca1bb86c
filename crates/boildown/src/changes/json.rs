//! Events and the answer for programs, one JSON object a line.

use std::collections::BTreeMap;
use std::io::Write as _;

use boildown_changes::Commit;
use boildown_oracle::Verdict;
use boildown_session::Stopped;
use boildown_session::changes::{ChangesEvent, Tally, Trial};
use serde_json::{Value, json};

use super::{Answer, Show};
use crate::report::Note;

/// Prints to standard output.
pub(super) struct Json;

fn print(value: &Value) {
    // A reader that went away does not stop the search.
    drop(writeln!(std::io::stdout().lock(), "{value}"));
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Interesting => "interesting",
        Verdict::Uninteresting => "uninteresting",
        Verdict::Unresolved => "unresolved",
    }
}

fn trial(trial: Trial) -> Value {
    json!({"verdict": verdict(trial.verdict), "reason": trial.reason.map(boildown_session::changes::Reason::words)})
}

fn commits(commits: &[Commit]) -> Vec<Value> {
    (commits.iter())
        .map(|commit| {
            json!({
                "id": commit.id.to_string(),
                "date": commit.date,
                "author": commit.author,
                "title": commit.title,
            })
        })
        .collect()
}

fn spent(tally: &Tally) -> Value {
    let reasons: BTreeMap<&str, u64> = (tally.unresolved.iter())
        .map(|(reason, number)| (reason.words(), *number))
        .collect();
    json!({
        "questions": tally.questions,
        "runs": tally.runs,
        "recalled": tally.recalled,
        "unresolved": tally.all_unresolved(),
        "unresolved_by_reason": reasons,
        "seconds": tally.elapsed.as_secs_f64(),
    })
}

impl Note for Json {
    fn note(&mut self, text: &str) {
        print(&json!({"event": "note", "text": text}));
    }
}

impl Show for Json {
    fn event(&mut self, event: &ChangesEvent) {
        match event {
            ChangesEvent::Baseline { good, run } => print(&json!({
                "event": "baseline",
                "state": if *good { "first" } else { "second" },
                "outcome": run.outcome.to_string(),
            })),
            ChangesEvent::History { steps } => print(&json!({"event": "history", "steps": steps})),
            ChangesEvent::Narrowed {
                passing,
                failing,
                commits: between,
                tally,
            } => print(&json!({
                "event": "narrowed",
                "passing": passing,
                "failing": failing,
                "commits": commits(between),
                "spent": spent(tally),
            })),
            ChangesEvent::Level {
                layer,
                before,
                left,
                tally,
                ..
            } => print(&json!({
                "event": "level",
                "layer": layer.name(2),
                "before": before,
                "left": left,
                "spent": spent(tally),
            })),
            ChangesEvent::Older { passing, failing } => print(&json!({
                "event": "older",
                "passing": passing,
                "failing": failing,
            })),
            _ => {}
        }
    }

    fn finish(&mut self, answer: &Answer<'_>) {
        let found = answer.found;
        let counts: BTreeMap<&str, usize> = (found.counts.iter())
            .map(|(layer, number)| (layer.name(2), *number))
            .collect();
        let parts: Vec<Value> = (found.parts.iter())
            .map(|part| json!({"place": part.place, "without": verdict(part.without)}))
            .collect();
        print(&json!({
            "event": "finished",
            "good": answer.good,
            "bad": answer.bad,
            "command": answer.command,
            "output": answer.output.to_string_lossy(),
            "patch": String::from_utf8_lossy(answer.patch),
            "base": found.base,
            "base_is_good": found.base_is_good,
            "counts": counts,
            "lines_added": found.stat.added,
            "lines_deleted": found.stat.deleted,
            "commits": commits(&found.commits),
            "undone": found.undone,
            "confirmed": trial(found.confirmed),
            "on_good": found.on_good.map(trial),
            "repair": trial(found.repair),
            "parts": parts,
            "same_failure": answer.same_failure,
            "files_restored": found.restored,
            "spent": spent(&found.tally),
            "one_minimal": found.stopped.is_none(),
            "stopped": found.stopped.map(Stopped::name),
        }));
    }
}
