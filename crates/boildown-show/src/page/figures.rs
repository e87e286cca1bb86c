//! Repeatability, other failures, time, the command and the environment.

use std::fmt::Write as _;

use super::table::table;
use crate::escape;
use crate::format::{count, date, duration, grouped, percent, real};
use crate::model::{ReductionRecord, SessionRecord, ToolRecord};
use crate::record::RateRecord;

pub(super) fn repeatability(record: &ReductionRecord) -> String {
    let Some(repeatability) = &record.repeatability else {
        return String::new();
    };
    let row = |what: &str, rate: &RateRecord| {
        vec![
            what.to_owned(),
            grouped(rate.runs),
            grouped(rate.held),
            percent(real(rate.held), real(rate.runs)),
            format!("{:.1} % to {:.1} %", rate.low * 100.0, rate.high * 100.0),
        ]
    };
    let mut rows = vec![row("the input", &repeatability.input)];
    rows.extend(
        repeatability
            .result
            .iter()
            .map(|rate| row("the result", rate)),
    );
    let mut html = table(
        "numbers",
        &["runs on", "runs", "property held", "rate", "95 % interval"],
        &rows,
    );
    if repeatability.contradictions > 0 {
        let number = count(repeatability.contradictions, "candidate");
        writeln!(
            html,
            "<p>On {number} the property held in one run and not in another.</p>"
        )
        .ok();
    }
    html
}

pub(super) fn other_failures(record: &ReductionRecord) -> String {
    if record.other_failures.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = record
        .other_failures
        .iter()
        .map(|other| {
            let unknown = "found by an earlier session";
            vec![
                escape::text(other.signature.as_deref().unwrap_or(unknown)),
                grouped(other.bytes),
                grouped(other.runs),
                format!("<code>{}</code>", escape::text(&other.file)),
            ]
        })
        .collect();
    format!(
        "<p>Candidates that failed in another way than the input may have found other defects.</p>\n{}",
        table(
            "numbers wide",
            &["failure", "bytes", "runs", "smallest candidate"],
            &rows
        )
    )
}

pub(super) fn time(record: &ReductionRecord) -> String {
    let mut html = String::new();
    let rows: Vec<Vec<String>> = record.sessions.iter().map(session_row).collect();
    if !rows.is_empty() {
        let heading = [
            "session",
            "time",
            "tests",
            "runs",
            "from the store",
            "runs took, added up",
            "tests per second",
            "ended",
        ];
        html += &table("numbers", &heading, &rows);
    }
    if let Some(session) = record.sessions.last() {
        html += &shares(session);
    }
    let rows: Vec<Vec<String>> = record
        .verdicts
        .iter()
        .map(|verdict| {
            vec![
                escape::text(&verdict.outcome),
                verdict.verdict.name().to_owned(),
                grouped(verdict.count),
                duration(verdict.seconds),
                match verdict.count {
                    0 => String::new(),
                    count => duration(verdict.seconds / real(count)),
                },
            ]
        })
        .collect();
    if !rows.is_empty() {
        html += "<h3>How the runs ended</h3>\n";
        html += &table(
            "numbers",
            &["outcome", "verdict", "candidates", "time, added up", "each"],
            &rows,
        );
    }
    html
}

fn session_row(session: &SessionRecord) -> Vec<String> {
    // What was counted is stored at the end.
    let counted = |number: u64| match session.seconds {
        Some(_) => grouped(number),
        None => String::new(),
    };
    let fresh = session.tests.saturating_sub(session.recalled);
    let rate = match session.seconds {
        Some(seconds) if seconds > 0.0 => format!("{:.1}", real(fresh) / seconds),
        _ => String::new(),
    };
    vec![
        date(session.started),
        session.seconds.map_or_else(String::new, duration),
        counted(session.tests),
        counted(session.runs),
        counted(session.recalled),
        duration(session.run_seconds),
        rate,
        escape::text(session.ending.as_deref().unwrap_or("not yet, or killed")),
    ]
}

/// Returns where the time of a session went, as shares of the time of all places for runs.
fn shares(session: &SessionRecord) -> String {
    let (Some(seconds), Some(jobs)) = (session.seconds, session.jobs) else {
        return String::new();
    };
    let places = seconds * real(jobs);
    if places <= 0.0 {
        return String::new();
    }
    let runs = session.run_seconds.min(places);
    let own = session.own_seconds.unwrap_or(0.0).min(places - runs);
    let rest = places - runs - own;
    let bar = |class: &str, part: f64| {
        format!(
            "<span class={class} style=\"width:{:.2}%\"></span>",
            part / places * 100.0
        )
    };
    let item = |class: &str, name: &str, part: f64| {
        format!(
            "<li><span class=\"swatch {class}\"></span>{name}: {} ({})</li>",
            duration(part),
            percent(part, places)
        )
    };
    format!(
        "<h3>Where the time of the last session went</h3>\n\
         <div class=shares role=img aria-label=\"Shares of the time\">{}{}{}</div>\n<ul class=legend>{}{}{}</ul>\n\
         <p class=note>Of {jobs} runs at a time over {}. Runs whose verdicts were never needed count too, but not those that were cancelled; \
         the rest is waiting for the next test, starting and cleaning up runs, and cancelled runs.</p>\n",
        bar("share-runs", runs),
        bar("share-own", own),
        bar("share-rest", rest),
        item("share-runs", "runs of the command", runs),
        item("share-own", "boildown itself: parsing, planning", own),
        item("share-rest", "everything else", rest),
        duration(seconds),
    )
}

pub(super) fn environment(record: &ReductionRecord) -> String {
    let mut html = String::new();
    if let Some(line) = &record.command_line {
        write!(
            html,
            "<h3>To repeat the reduction</h3>\n<pre class=line>{}</pre>\n",
            escape::text(line)
        )
        .ok();
    }
    if let Some(command) = &record.command {
        write!(
            html,
            "<h3>The command on a candidate</h3>\n<pre class=line>{}</pre>\n",
            escape::text(command)
        )
        .ok();
    }
    if !record.flags.is_empty() {
        write!(
            html,
            "<h3>The property as options</h3>\n<pre class=line>{}</pre>\n",
            escape::text(&record.flags)
        )
        .ok();
    }
    if !record.tools.is_empty() {
        let rows: Vec<Vec<String>> = record.tools.iter().map(tool_row).collect();
        html += "<h3>Programs and files</h3>\n<p>What the command consists of or mentions. Libraries and files that programs open by themselves are not known.</p>\n";
        html += &table(
            "wide",
            &["path", "version", "BLAKE3", "when the run began"],
            &rows,
        );
    }
    if !record.choices.is_empty() {
        let rows: Vec<Vec<String>> = record
            .choices
            .iter()
            .map(|choice| {
                vec![
                    escape::text(&choice.about),
                    escape::text(&choice.chosen),
                    escape::text(&choice.because),
                    format!("<code>{}</code>", escape::text(&choice.option)),
                ]
            })
            .collect();
        html += "<h3>Choices that boildown made</h3>\n";
        html += &table("wide", &["about", "chosen", "because", "changed by"], &rows);
    }
    if !record.facts.is_empty() {
        let rows: Vec<Vec<String>> = (record.facts.iter())
            .map(|(name, value)| {
                vec![
                    escape::text(name),
                    format!("<code>{}</code>", escape::text(value)),
                ]
            })
            .collect();
        html += "<details class=all><summary>Everything that the verdicts depend on</summary>\n";
        html += &table("wide", &["what", "value, or its hash"], &rows);
        html += "</details>\n";
    }
    html
}

fn tool_row(tool: &ToolRecord) -> Vec<String> {
    let changed = match tool.has_changed {
        Some(true) => " <strong>changed since</strong>",
        Some(false) => ", unchanged since",
        None => "",
    };
    vec![
        format!("<code>{}</code>", escape::text(&tool.path)),
        escape::text(tool.version.as_deref().unwrap_or("")),
        format!(
            "<code>{}</code>",
            escape::text(tool.hash.as_deref().unwrap_or(""))
        ),
        format!("{}{changed}", escape::text(&recorded(&tool.recorded))),
    ]
}

/// Returns what is recorded of a program, with a date in place of seconds: `26 075 bytes of
/// 2021-04-25 14:00 UTC`. A hash stays as it is.
fn recorded(value: &str) -> String {
    let parts = value.split_once(" bytes of ").and_then(|(bytes, time)| {
        let (seconds, _) = time.split_once('.')?;
        let (bytes, seconds): (u64, u64) = (bytes.parse().ok()?, seconds.parse().ok()?);
        Some(format!("{} of {}", count(bytes, "byte"), date(seconds)))
    });
    parts.unwrap_or_else(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_program_is_a_date() {
        let shown = recorded("26075 bytes of 1619359200.000000000");
        assert_eq!(shown, "26,075 bytes of 2021-04-25 14:00 UTC");
        assert_eq!(recorded("blake3:0a"), "blake3:0a");
    }
}
