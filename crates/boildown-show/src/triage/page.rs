//! The page: a table of the groups, each group with its example, and the other inputs.

use minijinja::context;
use minijinja::value::Value;

use super::model::{TriageRecord, TriagedGroupRecord, TriagedInputRecord};
use crate::escape;
use crate::format::{count, grouped, percent, real};
use crate::page::template::{Cells, PageSection, PageShell, data_link, markup, render};

/// The number of bytes of an example that are shown, at most.
const MAX_EXAMPLE: usize = 20_000;

/// The number of inputs that are listed in a place, at most.
const MAX_INPUTS: usize = 500;

/// The number of groups that the list of sections names, at most.
const MAX_LINKS: usize = 12;

/// Returns the page about a triage.
#[must_use]
pub fn triage_page(record: &TriageRecord) -> String {
    let section = |anchor: &str, title: &str, content: Option<Value>| PageSection {
        anchor: anchor.to_owned(),
        title: title.to_owned(),
        content,
    };
    let mut sections = vec![section("groups", "Groups", Some(groups(record)))];
    let mut further = String::new();
    for (number, group) in (1..).zip(&record.groups) {
        let (anchor, title) = (
            format!("group-{number}"),
            format!("{number}. {}", group.failure),
        );
        let content = details_of(number, group);
        if number <= MAX_LINKS {
            sections.push(section(&anchor, &title, Some(content)));
        } else {
            let title = escape::text(&title);
            further += &format!("<section id={anchor}>\n<h2>{title}</h2>\n{content}</section>\n");
        }
    }
    let further = (!further.is_empty()).then(|| markup(further));
    sections.push(section("further", "Further groups", further));
    let others = (!record.others.is_empty()).then(|| inputs(&record.others));
    sections.push(section("others", "Inputs in no group", others));
    PageShell {
        title: format!("{}: sorted by boildown", record.folder),
        heading: heading(record),
        sections,
        made_by: "Made by <code>boildown triage</code>.",
        is_live: false,
    }
    .html()
}

fn heading(record: &TriageRecord) -> Value {
    let figure =
        |name: &str, number: u64, remark: String| vec![name.to_owned(), grouped(number), remark];
    let same = match record.files == record.distinct {
        true => String::new(),
        false => format!("{} different ones", grouped(record.distinct)),
    };
    let groups = record.groups.len() as u64;
    let merged = match record.groups_before == groups {
        true => String::new(),
        false => {
            let before = grouped(record.groups_before);
            format!("{before} before those with equal reduced examples were merged")
        }
    };
    let counts = record.counts.iter().filter(|(number, _)| *number > 0);
    let mut figures = vec![figure("inputs", record.files, same)];
    figures.extend(counts.map(|(number, what)| figure(what, *number, String::new())));
    figures.push(figure("groups", groups, merged));
    figures.push(figure(
        "tests",
        record.tests,
        "of all reductions".to_owned(),
    ));
    render(
        "triage/heading.html",
        context! {
            folder => &record.folder,
            ending => &record.ending,
            version => &record.version,
            line => &record.command,
            figures,
        },
    )
}

fn groups(record: &TriageRecord) -> Value {
    let row = |(number, group): (u64, &TriagedGroupRecord)| -> Cells {
        let position = group
            .position
            .as_ref()
            .map_or_else(String::new, |position| {
                format!("<br><small>{}</small>", escape::text(position))
            });
        let failure = escape::text(&group.failure);
        vec![
            markup(format!(
                "<a href=\"#group-{number}\">{number}. {failure}</a>{position}"
            )),
            (&group.class).into(),
            grouped(group.inputs.len() as u64).into(),
            grouped(group.example.text.len() as u64).into(),
            group.example.remarks.join(", ").into(),
        ]
    };
    let rows: Vec<Cells> = (1..).zip(&record.groups).map(row).collect();
    render("triage/groups.html", context! { rows })
}

fn details_of(number: usize, group: &TriagedGroupRecord) -> Value {
    let example = &group.example;
    let (bytes, before) = (example.text.len() as u64, example.bytes_before);
    let mut size = count(bytes, "byte");
    if before > bytes {
        let gone = percent(real(before) - real(bytes), real(before));
        size += &format!(" of {}, {gone} removed", grouped(before));
    }
    let shown = &example.text[..example.text.len().min(MAX_EXAMPLE)];
    let rest = (example.text.len() - shown.len()) as u64;
    render(
        "triage/group.html",
        context! {
            number,
            position => &group.position,
            also => group.also.clone(),
            remarks => example.remarks.clone(),
            file => &example.file,
            size,
            text => markup(escape::html(shown)),
            rest => (rest > 0).then(|| count(rest, "byte")),
            link => data_link(&example.text),
            output => markup(escape::html(&example.output)),
            reduce => &group.reduce,
            all => count(group.inputs.len() as u64, "input"),
            inputs => inputs(&group.inputs),
        },
    )
}

fn inputs(inputs: &[TriagedInputRecord]) -> Value {
    let row = |input: &TriagedInputRecord| -> Cells {
        let files = (input.files.iter()).map(|file| format!("<code>{}</code>", escape::text(file)));
        let files: Vec<String> = files.collect();
        vec![
            markup(files.join("<br>")),
            grouped(input.bytes).into(),
            (&input.what).into(),
        ]
    };
    let more = inputs.len().saturating_sub(MAX_INPUTS) as u64;
    render(
        "triage/inputs.html",
        context! {
            rows => inputs.iter().take(MAX_INPUTS).map(row).collect::<Vec<Cells>>(),
            more => (more > 0).then(|| count(more, "more input")),
        },
    )
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
            "<script>alert",
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
        assert_eq!(html.matches("<script").count(), 1, "its own");
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
