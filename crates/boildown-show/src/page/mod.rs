//! The page: one HTML file that needs no other, with a little script for the steps.
//!
//! - `texts.rs`: the input and the result side by side
//! - `history.rs`: curves, passes, the tree map, and the steps
//! - `remaining.rs`: why the result is not smaller
//! - `figures.rs`: repeatability, other failures, time, environment
//! - `shell.rs`, `table.rs`: what other pages have, too
//! - `fates.rs`: at which step each byte of the input went

mod fates;
mod figures;
mod history;
mod remaining;
pub(crate) mod shell;
pub(crate) mod table;
mod texts;

use crate::escape;
use crate::format::{count, date, duration, grouped, percent, real};
use crate::model::ReductionRecord;
use fates::InputFates;
use shell::{PageSection, PageShell};

/// Returns the page about a reduction.
#[must_use]
pub fn page(record: &ReductionRecord) -> String {
    PageShell {
        title: &format!("{}: reduced by boildown", record.input),
        heading: &heading(record),
        sections: &sections(record),
        made_by: "Made by <code>boildown report</code> from the run store.",
        script: include_str!("page.js"),
    }
    .html()
}

/// Returns the sections, in order. Those that nothing is known about are empty.
fn sections(record: &ReductionRecord) -> [PageSection; 10] {
    let fates = InputFates::of(record);
    let section =
        |anchor: &str, title: &str, content: String| PageSection::new(anchor, title, content);
    [
        section(
            "texts",
            "Input and result",
            texts::side_by_side(record, fates.as_ref()),
        ),
        section(
            "remaining",
            "Why it is not smaller",
            remaining::section(record),
        ),
        section("steps", "Step by step", history::steps(record)),
        section("sizes", "Size over tests and time", history::curves(record)),
        section(
            "map",
            "Where the bytes went",
            history::map(record, fates.as_ref()),
        ),
        section("passes", "Passes", history::passes(record)),
        section(
            "repeatability",
            "Repeatability",
            figures::repeatability(record),
        ),
        section(
            "others",
            "Other failures on the way",
            figures::other_failures(record),
        ),
        section("time", "Time", figures::time(record)),
        section(
            "environment",
            "Command and environment",
            figures::environment(record),
        ),
    ]
}

/// Returns the heading and the most important figures.
fn heading(record: &ReductionRecord) -> String {
    let (first, last) = (record.first(), record.last());
    let mut html = format!(
        "<p class=kind>Reduction</p>\n<h1>{}</h1>\n<p class=lead>{}</p>\n{}<dl class=figures>\n",
        escape::text(&record.input),
        lead(record),
        form_change(record)
    );
    let mut figure = |name, value: &str, more: &str| html += &shell::figure(name, value, more);
    let change = |before: u64, after: u64| {
        let gone = real(before) - real(after);
        format!(
            "of {}, {} removed",
            grouped(before),
            percent(gone, real(before))
        )
    };
    figure(
        "bytes",
        &grouped(last.bytes),
        &change(first.bytes, last.bytes),
    );
    if let (Some(before), Some(after)) = (first.tokens, last.tokens) {
        figure("tokens", &grouped(after), &change(before, after));
    }
    // Runs are counted at the end of a session.
    let runs = match record.runs() {
        0 => String::new(),
        runs => format!("{} of the command", count(runs, "run")),
    };
    figure("tests", &grouped(record.tests()), &runs);
    let steps = record.steps.len().saturating_sub(1) as u64;
    figure(
        "steps",
        &grouped(steps),
        "results, each smaller than the one before",
    );
    let sessions = record.sessions.len() as u64;
    let in_sessions = if sessions > 1 {
        format!("in {}", count(sessions, "session"))
    } else {
        String::new()
    };
    figure("time", &duration(record.seconds()), &in_sessions);
    html + "</dl>\n"
}

/// Returns at which step the failure changed, and the way back; nothing if it did not.
fn form_change(record: &ReductionRecord) -> String {
    record
        .form_change
        .as_ref()
        .map_or_else(String::new, |change| {
            let lines = escape::text(&change.text()).replace('\n', "<br>\n");
            format!("<p class=note>{lines}</p>\n")
        })
}

/// Returns a sentence about how the run ended.
fn lead(record: &ReductionRecord) -> String {
    let session = record.sessions.last();
    let ending = session.and_then(|session| session.ending.as_deref());
    let has_finished = session.is_some_and(|session| session.has_finished);
    let finished = format!(
        "The search finished. {}",
        escape::text(&record.minimality())
    );
    let state = match ending {
        _ if has_finished => &finished,
        Some("interrupted") => "The search was interrupted; the same command resumes it.",
        Some("tests" | "time") => {
            "The search stopped at a limit; the same command without it resumes."
        }
        Some("small enough") => "The search stopped at the size that was asked for.",
        Some("plateau") => "The search stopped when the last tests had removed little.",
        Some("borderline") => {
            "The search stopped when the times of the last candidates were near the limit, so that \
             chance decided."
        }
        Some("property lost") => "The search stopped: the failure turned out to be flaky.",
        Some("environment changed") => {
            "The search stopped: the failure did not show on the input any more."
        }
        Some(_) => "The search stopped early.",
        None => "The search has not ended, or was killed; the same command resumes it.",
    };
    let when = session.map_or_else(String::new, |session| {
        format!(
            " {}, boildown {}.",
            date(session.started),
            escape::text(&session.version)
        )
    });
    let property = record.property.trim();
    let property = match property.is_empty() {
        true => String::new(),
        false => format!(
            "<br>Preserved: <span class=property>{}</span>",
            escape::text(&property.replace('\n', ", and "))
        ),
    };
    format!("{state}{when}{property}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn everything_in_a_page_is_escaped() {
        let html = page(&sample::record(40));
        for hostile in [
            "alert(1)</script>",
            "<script>alert",
            "<!--",
            "crash<b>",
            "</pre>\n</script>",
        ] {
            assert!(!html.contains(hostile), "{hostile}");
        }
        assert!(!html.contains(['\0', '\u{1b}', '\u{202e}', '\u{fffd}']));
        // Its own script, and the data of the steps.
        assert_eq!(html.matches("<script").count(), 2);
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
        assert!(html.contains("<span class=x>\\u{202e}</span>"));
        assert!(
            !html.contains("http:") && !html.contains("https:"),
            "no network"
        );
    }

    #[test]
    fn a_page_leaves_out_what_is_not_known() {
        let record = ReductionRecord {
            input: "a".to_owned(),
            steps: vec![crate::StepRecord::default()],
            ..ReductionRecord::default()
        };
        let html = page(&record);
        assert!(!html.contains("NaN") && !html.contains("inf"));
        assert!(!html.contains("id=passes") && !html.contains("id=remaining"));
    }

    #[test]
    fn a_page_about_many_steps_is_small() {
        let html = page(&sample::record(100_000));
        assert!(html.len() < 2 << 20, "{}", html.len());
    }

    #[test]
    #[ignore = "writes a page to look at"]
    #[expect(clippy::disallowed_methods, reason = "writes a page to look at")]
    fn write_samples() {
        let folder = std::env::var("SAMPLES").unwrap();
        for steps in [40, 100_000] {
            let html = page(&sample::record(steps));
            std::fs::write(format!("{folder}/{steps}.html"), html).unwrap();
        }
    }
}
