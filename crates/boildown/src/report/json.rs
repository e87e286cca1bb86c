//! Events for programs, one JSON object a line.

use std::io::Write as _;

use boildown_session::{Event, Progress, Stopped};
use serde_json::{Value, json};

use super::{Ending, Isolated, Note, Report};

/// Prints to standard output.
pub(crate) struct Json;

fn print(value: &Value) {
    // A reader that went away does not stop the reduction.
    drop(writeln!(std::io::stdout().lock(), "{value}"));
}

fn progress(name: &str, progress: &Progress) -> Value {
    json!({
        "event": name,
        "bytes": progress.bytes,
        "tokens": progress.tokens,
        "questions": progress.spent.questions,
        "runs": progress.spent.runs,
        "seconds": progress.spent.elapsed.as_secs_f64(),
    })
}

impl Note for Json {
    fn note(&mut self, text: &str) {
        print(&json!({"event": "note", "text": text}));
    }
}

impl Report for Json {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Pass { name } => print(&json!({"event": "pass", "name": name})),
            Event::Improved(at) => print(&progress("improved", at)),
            _ => {}
        }
    }

    fn finish(&mut self, ending: &Ending<'_>) {
        let progress = &ending.summary.progress;
        print(&json!({
            "event": "finished",
            "output": ending.output.to_string_lossy(),
            "bytes_before": progress.bytes_before,
            "bytes_after": progress.bytes,
            "tokens_before": ending.tokens_before,
            "tokens_after": ending.tokens_after,
            "questions": progress.spent.questions,
            "runs": progress.spent.runs,
            "recalled": progress.spent.recalled,
            "unresolved": progress.spent.unresolved,
            "timeouts": progress.spent.timeouts,
            "seconds": progress.spent.elapsed.as_secs_f64(),
            "driver_cpu_seconds": ending.own_cpu,
            "trust": ending.trust.json(),
            "others": ending.others.iter().map(|other| json!({
                "signature": other.signature.to_string(),
                "file": other.file.to_string_lossy(),
                "bytes": other.bytes,
                "runs": other.runs,
            })).chain(ending.others.earlier.iter().map(|(file, bytes)| json!({
                // What it was, the session said that ran it.
                "signature": null,
                "file": file.to_string_lossy(),
                "bytes": bytes,
                "runs": 0,
            }))).collect::<Vec<_>>(),
            "one_minimal": ending.summary.one_minimal,
            "stopped": ending.summary.stopped.map(Stopped::name),
        }));
    }

    fn isolated(&mut self, ending: &Isolated<'_>) {
        let progress = &ending.summary.progress;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let places = ending.places.iter().map(|(old, new)| {
            json!({
                "passing_at": old.start,
                "passing": text(&ending.passing[old.clone()]),
                "failing_at": new.start,
                "failing": text(&ending.failing[new.clone()]),
            })
        });
        print(&json!({
            "event": "finished",
            "passing": ending.sides.passing.to_string_lossy(),
            "failing": ending.sides.failing.to_string_lossy(),
            "difference": places.collect::<Vec<_>>(),
            "changes": ending.changes,
            "units": ending.units,
            "bytes_before": progress.bytes_before,
            "bytes_after": progress.bytes,
            "questions": progress.spent.questions,
            "runs": progress.spent.runs,
            "unresolved": progress.spent.unresolved,
            "timeouts": progress.spent.timeouts,
            "seconds": progress.spent.elapsed.as_secs_f64(),
            "driver_cpu_seconds": ending.own_cpu,
            "one_minimal": ending.summary.one_minimal,
            "stopped": ending.summary.stopped.map(Stopped::name),
        }));
    }
}
