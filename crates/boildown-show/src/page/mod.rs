//! The page: one HTML file that needs no other, with a little script for the steps.
//!
//! - `texts.rs`: the input and the result side by side
//! - `history.rs`: curves, passes, the tree map, and the steps
//! - `remaining.rs`: why the result is not smaller
//! - `figures.rs`: repeatability, other failures, time, environment
//! - `template.rs`: what every page has; its templates are in `templates/`
//! - `code.rs`: texts with the colours of their language
//! - `fates.rs`: at which step each byte of the input went

mod code;
#[cfg(test)]
mod contrast;
mod fates;
mod figures;
mod history;
mod remaining;
pub(crate) mod template;
mod texts;

use minijinja::context;
use minijinja::value::Value;

use crate::format::{count, date, duration, grouped, percent, real};
use crate::model::{FormChange, ReductionRecord};
use fates::InputFates;
use template::{PageSection, PageShell, data_link, render};

/// Returns the page about a reduction.
pub fn page(record: &ReductionRecord) -> String {
    let made_by = "Made by <code>boildown report</code> from the run store.";
    shell(record, made_by).html()
}

/// Returns the page about a reduction that asks the server it is from for newer ones.
pub fn live_page(record: &ReductionRecord) -> String {
    let made_by = "Served by <code>boildown report --live</code> from the run store.";
    PageShell {
        is_live: true,
        ..shell(record, made_by)
    }
    .html()
}

fn shell<'a>(record: &'a ReductionRecord, made_by: &'a str) -> PageShell<'a> {
    PageShell {
        title: format!("{}: reduced by boildown", record.input),
        heading: heading(record),
        sections: sections(record),
        made_by,
        is_live: false,
    }
}

/// Returns the sections, in order.
fn sections(record: &ReductionRecord) -> Vec<PageSection> {
    let fates = InputFates::of(record);
    let fates = fates.as_ref();
    let texts = texts::side_by_side(record, fates);
    let sections = [
        ("texts", "Input and result", Some(texts)),
        (
            "remaining",
            "Why it is not smaller",
            remaining::section(record),
        ),
        ("steps", "Step by step", history::steps(record)),
        ("sizes", "Size over tests and time", history::curves(record)),
        ("map", "Where the bytes went", history::map(record, fates)),
        ("passes", "Passes", history::passes(record)),
        (
            "repeatability",
            "Repeatability",
            figures::repeatability(record),
        ),
        (
            "others",
            "Other failures on the way",
            figures::other_failures(record),
        ),
        ("time", "Time", figures::time(record)),
        (
            "environment",
            "Command and environment",
            figures::environment(record),
        ),
    ];
    let section = |(anchor, title, content): (&str, &str, Option<Value>)| PageSection {
        anchor: anchor.to_owned(),
        title: title.to_owned(),
        content,
    };
    sections.map(section).into()
}

/// Returns the heading, what can be copied, and the most important figures.
fn heading(record: &ReductionRecord) -> Value {
    let (first, last) = (record.first(), record.last());
    let change = |before: u64, after: u64| {
        let gone = percent(real(before) - real(after), real(before));
        format!("of {}, {gone} removed", grouped(before))
    };
    let steps = record.steps.len().saturating_sub(1) as u64;
    let (runs, sessions) = (record.runs(), record.sessions.len() as u64);
    // Runs are counted at the end of a session.
    let runs = (runs > 0).then(|| format!("{} of the command", count(runs, "run")));
    let in_sessions = (sessions > 1).then(|| format!("in {}", count(sessions, "session")));
    let tokens = first.tokens.zip(last.tokens);
    let tokens = tokens.map(|(before, after)| ("tokens", after, change(before, after)));
    let figures = [("bytes", last.bytes, change(first.bytes, last.bytes))];
    let figures = figures.into_iter().chain(tokens).chain([
        ("tests", record.tests(), runs.unwrap_or_default()),
        (
            "steps",
            steps,
            "results, each smaller than the one before".to_owned(),
        ),
    ]);
    let figure = |(name, number, remark): (&str, u64, String)| {
        vec![name.to_owned(), grouped(number), remark]
    };
    let time = duration(record.seconds());
    let time = vec!["time".to_owned(), time, in_sessions.unwrap_or_default()];
    let form_change = record.form_change.as_ref().map(FormChange::text);
    let session = record.sessions.last();
    let when =
        session.map(|session| format!(" {}, boildown {}.", date(session.started), session.version));
    render(
        "heading.html",
        context! {
            input => &record.input,
            result => &record.result,
            state => state(record),
            form_change => form_change.map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()),
            when,
            property => record.property.trim().replace('\n', ", and "),
            link => last.text.as_deref().and_then(data_link),
            command_line => &record.command_line,
            command_of_candidates => &record.command,
            figures => figures.map(figure).chain([time]).collect::<Vec<_>>(),
        },
    )
}

/// Returns a sentence about how the run ended.
fn state(record: &ReductionRecord) -> String {
    let session = record.sessions.last();
    let ending = session.and_then(|session| session.ending.as_deref());
    let has_finished = session.is_some_and(|session| session.has_finished);
    let state = match ending {
        _ if has_finished => return format!("The search finished. {}", record.minimality()),
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
    state.to_owned()
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
    fn a_page_offers_the_result_and_the_commands() {
        let html = page(&sample::record(40));
        assert!(
            html.contains("href=\"data:application/octet-stream,crash%28%22%00%FF"),
            "{html}"
        );
        assert!(html.contains("<pre class=line id=\"command\">./tool crash.c</pre>"));
        assert!(html.contains("data-copy=\"command-line\""));
    }

    #[test]
    fn only_a_live_page_asks_its_server() {
        let record = sample::record(40);
        assert!(live_page(&record).contains("connect-src 'self'"));
        let html = page(&record);
        assert!(!html.contains("connect-src") && !html.contains("fetch("));
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
