//! Repeatability, other failures, time, and the environment.

use minijinja::context;
use minijinja::value::Value;

use super::template::{Cells, code, markup, render};
use crate::escape;
use crate::format::{count, date, duration, grouped, percent, real};
use crate::model::{ReductionRecord, SessionRecord, ToolRecord};
use crate::record::RateRecord;

pub(super) fn repeatability(record: &ReductionRecord) -> Option<Value> {
    let repeatability = record.repeatability.as_ref()?;
    let row = |what: &str, rate: &RateRecord| -> Cells {
        vec![
            what.into(),
            grouped(rate.runs).into(),
            grouped(rate.held).into(),
            percent(real(rate.held), real(rate.runs)).into(),
            format!("{:.1} % to {:.1} %", rate.low * 100.0, rate.high * 100.0).into(),
        ]
    };
    let result = repeatability.result.iter();
    let mut rows = vec![row("the input", &repeatability.input)];
    rows.extend(result.map(|rate| row("the result", rate)));
    let contradictions = Some(repeatability.contradictions).filter(|number| *number > 0);
    Some(render(
        "repeatability.html",
        context! {
            rows,
            contradictions => contradictions.map(|number| count(number, "candidate")),
        },
    ))
}

pub(super) fn other_failures(record: &ReductionRecord) -> Option<Value> {
    let others = record.other_failures.iter();
    let rows = others.map(|other| -> Cells {
        let unknown = "found by an earlier session";
        vec![
            other.signature.as_deref().unwrap_or(unknown).into(),
            grouped(other.bytes).into(),
            grouped(other.runs).into(),
            code(&other.file),
        ]
    });
    let rows: Vec<Cells> = rows.collect();
    (!rows.is_empty()).then(|| render("failures.html", context! { rows }))
}

pub(super) fn time(record: &ReductionRecord) -> Option<Value> {
    let verdicts = record.verdicts.iter().map(|verdict| -> Cells {
        let each = (verdict.count > 0).then(|| duration(verdict.seconds / real(verdict.count)));
        vec![
            (&verdict.outcome).into(),
            verdict.verdict.name().into(),
            grouped(verdict.count).into(),
            duration(verdict.seconds).into(),
            each.into(),
        ]
    });
    let last = record.sessions.last();
    (last.is_some() || !record.verdicts.is_empty()).then(|| {
        render(
            "time.html",
            context! {
                sessions => record.sessions.iter().map(session_row).collect::<Vec<Cells>>(),
                shares => last.and_then(shares),
                jobs => last.and_then(|session| session.jobs),
                all_time => last.and_then(|session| session.seconds).map(duration),
                verdicts => verdicts.collect::<Vec<Cells>>(),
            },
        )
    })
}

fn session_row(session: &SessionRecord) -> Cells {
    // What was counted is stored at the end.
    let counted = |number: u64| session.seconds.map(|_| grouped(number));
    let fresh = session.tests.saturating_sub(session.recalled);
    let seconds = session.seconds.filter(|seconds| *seconds > 0.0);
    let ending = session.ending.as_deref().unwrap_or("not yet, or killed");
    vec![
        date(session.started).into(),
        session.seconds.map(duration).into(),
        counted(session.tests).into(),
        counted(session.runs).into(),
        counted(session.recalled).into(),
        duration(session.run_seconds).into(),
        seconds
            .map(|seconds| format!("{:.1}", real(fresh) / seconds))
            .into(),
        ending.into(),
    ]
}

/// Returns where the time of a session went, as shares of the time of all places for runs.
fn shares(session: &SessionRecord) -> Option<Value> {
    let places = session.seconds? * real(session.jobs?);
    if places <= 0.0 {
        return None;
    }
    let runs = session.run_seconds.min(places);
    let own = session.own_seconds.unwrap_or(0.0).min(places - runs);
    let share = |(class, name, part): (&str, &str, f64)| {
        context! {
            class,
            name,
            width => format!("{:.2}", part / places * 100.0),
            time => duration(part),
            part => percent(part, places),
        }
    };
    let shares = [
        ("share-runs", "runs of the command", runs),
        ("share-own", "boildown itself: parsing, planning", own),
        ("share-rest", "everything else", places - runs - own),
    ];
    Some(shares.map(share).into_iter().collect())
}

pub(super) fn environment(record: &ReductionRecord) -> Option<Value> {
    let choices = record.choices.iter().map(|choice| -> Cells {
        let [about, chosen, because] = [&choice.about, &choice.chosen, &choice.because];
        vec![
            about.into(),
            chosen.into(),
            because.into(),
            code(&choice.option),
        ]
    });
    let facts = record.facts.iter();
    let facts = facts.map(|(name, value)| -> Cells { vec![name.into(), code(value)] });
    let is_known = !(record.flags.is_empty()
        && record.tools.is_empty()
        && record.choices.is_empty()
        && record.facts.is_empty());
    is_known.then(|| {
        render(
            "environment.html",
            context! {
                flags => &record.flags,
                tools => record.tools.iter().map(tool_row).collect::<Vec<Cells>>(),
                choices => choices.collect::<Vec<Cells>>(),
                facts => facts.collect::<Vec<Cells>>(),
            },
        )
    })
}

fn tool_row(tool: &ToolRecord) -> Cells {
    let changed = match tool.has_changed {
        Some(true) => " <strong>changed since</strong>",
        Some(false) => ", unchanged since",
        None => "",
    };
    let recorded = escape::text(&recorded(&tool.recorded));
    vec![
        code(&tool.path),
        (&tool.version).into(),
        code(tool.hash.as_deref().unwrap_or("")),
        markup(recorded + changed),
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
