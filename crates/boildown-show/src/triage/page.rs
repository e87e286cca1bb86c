//! The page: a table of the groups, each group with its example, and the other inputs.

use std::fmt::Write as _;

use super::model::{TriageRecord, TriagedGroupRecord, TriagedInputRecord};
use crate::escape;
use crate::format::{count, grouped, percent, real};
use crate::page::shell::{PageSection, PageShell, figure};
use crate::page::table::table;

/// The number of bytes of an example that are shown, at most.
const MAX_EXAMPLE: usize = 20_000;

/// The number of inputs that are listed in a place, at most.
const MAX_INPUTS: usize = 500;

/// The number of groups that the list of sections names, at most.
const MAX_LINKS: usize = 12;

/// Returns the page about a triage.
#[must_use]
pub fn triage_page(record: &TriageRecord) -> String {
    let mut sections = vec![PageSection::new("groups", "Groups", groups(record))];
    let mut details = String::new();
    for (number, group) in (1..).zip(&record.groups) {
        let title = format!("{number}. {}", escape::text(&group.failure));
        let content = details_of(group);
        if number <= MAX_LINKS {
            sections.push(PageSection::new(format!("group-{number}"), title, content));
        } else {
            writeln!(
                details,
                "<section id=group-{number}>\n<h2>{title}</h2>\n{content}</section>"
            )
            .ok();
        }
    }
    sections.push(PageSection::new("further", "Further groups", details));
    sections.push(PageSection::new(
        "others",
        "Inputs in no group",
        inputs(&record.others),
    ));
    PageShell {
        title: &format!("{}: sorted by boildown", record.folder),
        heading: &heading(record),
        sections: &sections,
        made_by: "Made by <code>boildown triage</code>.",
        script: "",
    }
    .html()
}

fn heading(record: &TriageRecord) -> String {
    let version = match record.version.is_empty() {
        true => String::new(),
        false => format!(" boildown {}.", escape::text(&record.version)),
    };
    let mut html = format!(
        "<p class=kind>Triage</p>\n<h1>{}</h1>\n<p class=lead>{}{version}<br>Run on each input: <code class=property>{}</code></p>\n<dl class=figures>\n",
        escape::text(&record.folder),
        escape::text(&record.ending),
        escape::text(&record.command),
    );
    let same = match record.files == record.distinct {
        true => String::new(),
        false => format!("{} different ones", grouped(record.distinct)),
    };
    html += &figure("inputs", &grouped(record.files), &same);
    for (number, what) in record.counts.iter().filter(|(number, _)| *number > 0) {
        html += &figure(&escape::text(what), &grouped(*number), "");
    }
    let groups = record.groups.len() as u64;
    let merged = match record.groups_before == groups {
        true => String::new(),
        false => format!(
            "{} before those with equal reduced examples were merged",
            grouped(record.groups_before)
        ),
    };
    html += &figure("groups", &grouped(groups), &merged);
    html += &figure("tests", &grouped(record.tests), "of all reductions");
    html + "</dl>\n"
}

fn groups(record: &TriageRecord) -> String {
    if record.groups.is_empty() {
        return "<p>No input fails.</p>\n".to_owned();
    }
    let row = |(number, group): (u64, &TriagedGroupRecord)| {
        let position = group
            .position
            .as_ref()
            .map_or_else(String::new, |position| {
                format!("<br><small>{}</small>", escape::text(position))
            });
        vec![
            format!(
                "<a href=\"#group-{number}\">{number}. {}</a>{position}",
                escape::text(&group.failure)
            ),
            escape::text(&group.class),
            grouped(group.inputs.len() as u64),
            grouped(group.example.text.len() as u64),
            escape::text(&group.example.remarks.join(", ")),
        ]
    };
    let rows: Vec<Vec<String>> = (1..).zip(&record.groups).map(row).collect();
    let heading = ["failure", "class", "inputs", "bytes of the example", ""];
    table("wide", &heading, &rows)
}

fn details_of(group: &TriagedGroupRecord) -> String {
    let mut html = String::new();
    if let Some(position) = &group.position {
        writeln!(html, "<p>At <code>{}</code>.</p>", escape::text(position)).ok();
    }
    if !group.also.is_empty() {
        let also: Vec<String> = (group.also.iter())
            .map(|failure| format!("<li>{}</li>", escape::text(failure)))
            .collect();
        writeln!(
            html,
            "<p>Its reduced example equals those of other failures, but for names and literals:</p>\n<ul>{}</ul>",
            also.concat()
        )
        .ok();
    }
    for remark in &group.example.remarks {
        writeln!(html, "<p class=note>{}</p>", escape::text(remark)).ok();
    }
    html += &example(group);
    if let Some(reduce) = &group.reduce {
        writeln!(
            html,
            "<p>To reduce one input of the group:</p>\n<pre class=line>{}</pre>",
            escape::text(reduce)
        )
        .ok();
    }
    let all = count(group.inputs.len() as u64, "input");
    let list = inputs(&group.inputs);
    writeln!(
        html,
        "<details class=all><summary>{all} of the group</summary>\n{list}</details>"
    )
    .ok();
    html
}

/// Returns the example beside what a run on it printed.
fn example(group: &TriagedGroupRecord) -> String {
    let example = &group.example;
    let (bytes, before) = (example.text.len() as u64, example.bytes_before);
    let mut size = count(bytes, "byte");
    if before > bytes {
        let gone = percent(real(before) - real(bytes), real(before));
        write!(size, " of {}, {gone} removed", grouped(before)).ok();
    }
    let shown = &example.text[..example.text.len().min(MAX_EXAMPLE)];
    let rest = example.text.len() - shown.len();
    let cut = match rest {
        0 => String::new(),
        _ => format!(
            "<p class=note>{} more are in the file.</p>",
            count(rest as u64, "byte")
        ),
    };
    let mut html = format!(
        "<div class=sides>\n<figure><figcaption>{} <small>{size}</small></figcaption>\n<div class=code tabindex=0>{}</div>{cut}</figure>\n",
        escape::text(&example.file),
        escape::html(shown)
    );
    if !example.output.is_empty() {
        writeln!(
            html,
            "<figure><figcaption>Output <small>the last lines of a run on it</small></figcaption>\n<div class=code tabindex=0>{}</div></figure>",
            escape::html(&example.output)
        )
        .ok();
    }
    html + "</div>\n"
}

fn inputs(inputs: &[TriagedInputRecord]) -> String {
    if inputs.is_empty() {
        return String::new();
    }
    let row = |input: &TriagedInputRecord| {
        let files: Vec<String> = (input.files.iter())
            .map(|file| format!("<code>{}</code>", escape::text(file)))
            .collect();
        vec![
            files.join("<br>"),
            grouped(input.bytes),
            escape::text(&input.what),
        ]
    };
    let rows: Vec<Vec<String>> = inputs.iter().take(MAX_INPUTS).map(row).collect();
    let mut html = table("wide", &["file", "bytes", "what it does"], &rows);
    if let Some(more @ 1..) = inputs.len().checked_sub(MAX_INPUTS) {
        let more = count(more as u64, "more input");
        writeln!(
            html,
            "<p class=note>{more} in <code>triage.json</code>.</p>"
        )
        .ok();
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriagedExampleRecord;

    fn record(groups: usize) -> TriageRecord {
        let group = |number: usize| TriagedGroupRecord {
            failure: format!("assertion <b>{number}</b> failed"),
            class: "crash".to_owned(),
            also: vec!["</section>".to_owned()],
            position: Some("a.c:1<script>".to_owned()),
            inputs: vec![TriagedInputRecord {
                files: vec!["crash\u{202e}<img src=x>".to_owned()],
                bytes: 12,
                what: "fails in 1 of 2 runs".to_owned(),
            }],
            example: TriagedExampleRecord {
                file: "a&b".to_owned(),
                text: b"</div><script>alert(1)</script>\0".to_vec(),
                bytes_before: 1200,
                remarks: vec!["not finished".to_owned()],
                output: b"\x1b[31m<b>".to_vec(),
            },
            reduce: Some("boildown reduce '<x>' -- ./t".to_owned()),
        };
        TriageRecord {
            folder: "crashes<b>".to_owned(),
            command: "./t <in".to_owned(),
            counts: vec![(3, "crash".to_owned()), (0, "hang".to_owned())],
            files: 5,
            distinct: 4,
            groups: (1..=groups).map(group).collect(),
            others: vec![TriagedInputRecord::default(); 700],
            ..TriageRecord::default()
        }
    }

    #[test]
    fn everything_in_the_page_of_a_triage_is_escaped() {
        let html = triage_page(&record(2));
        for hostile in [
            "<script",
            "<img",
            "<b>",
            "</section>\n<h2",
            "\u{202e}",
            "\0",
            "\x1b",
        ] {
            assert!(!html.contains(hostile), "{hostile:?}");
        }
        assert!(html.contains("&lt;script&gt;alert(1)"));
        assert!(html.contains("32 bytes of 1,200, 97.3 % removed"), "{html}");
        assert!(!html.contains("hang"), "counts of 0 are left out");
        assert!(html.contains("200 more inputs"));
    }

    #[test]
    fn every_group_can_be_reached_from_the_table() {
        let html = triage_page(&record(30));
        for number in 1..=30 {
            assert!(html.contains(&format!("href=\"#group-{number}\"")));
            let found = [" ", ">"].map(|end| {
                html.matches(&format!("<section id=group-{number}{end}"))
                    .count()
            });
            assert_eq!(found.iter().sum::<usize>(), 1, "{number}");
        }
    }
}
