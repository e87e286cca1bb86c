//! The page about a triage: a table of the groups of failing inputs, each group with its example,
//! and the other inputs.

use minijinja::context;
use minijinja::value::Value;

use crate::escape;
use crate::format::{count, grouped, percent, real};
use crate::page::template::{Cells, PageSection, PageShell, data_link, markup, render};
use crate::record::{TriageGroup, TriagePosition, TriageSummary, TriagedInput};

/// The number of bytes of an example that are shown, at most.
const MAX_EXAMPLE: usize = 20_000;

/// The number of inputs that are listed in a place, at most.
const MAX_INPUTS: usize = 500;

/// The number of groups that the list of sections names, at most.
const MAX_LINKS: usize = 12;

/// The example of a group. Everything is as it was printed or read; the page escapes it.
#[derive(Debug, Clone, Default)]
pub struct ShownExample {
    /// Its content.
    pub text: Vec<u8>,
    /// What is to be said about its reduction or its runs; empty when it was reduced to the end and
    /// fails in every run.
    pub remarks: Vec<String>,
    /// The last lines that a run on it printed.
    pub output: Vec<u8>,
    /// A command that reduces an input of the group, or reduces the example further.
    pub reduce: Option<String>,
}

/// Returns the page about a triage with the examples of its groups.
///
/// # Panics
/// If a group has no example, or an input that is not in the summary.
pub fn triage_page(record: &TriageSummary, examples: &[ShownExample]) -> String {
    let section = |anchor: &str, title: &str, content: Option<Value>| PageSection {
        anchor: anchor.to_owned(),
        title: title.to_owned(),
        content,
    };
    let mut sections = vec![section("groups", "Groups", Some(groups(record, examples)))];
    let mut further = String::new();
    for (number, (group, example)) in (1..).zip(record.groups.iter().zip(examples)) {
        let (anchor, title) = (
            format!("group-{number}"),
            format!("{number}. {}", group.failure),
        );
        let content = details_of(number, group, example, &record.inputs);
        if number <= MAX_LINKS {
            sections.push(section(&anchor, &title, Some(content)));
        } else {
            let title = escape::text(&title);
            further += &format!("<section id={anchor}>\n<h2>{title}</h2>\n{content}</section>\n");
        }
    }
    let further = (!further.is_empty()).then(|| markup(further));
    sections.push(section("further", "Further groups", further));
    let others = record.inputs.iter().filter(|input| input.group.is_none());
    let others: Vec<&TriagedInput> = others.collect();
    let others = (!others.is_empty()).then(|| inputs(&others));
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

fn heading(record: &TriageSummary) -> Value {
    let (files, distinct) = (record.counts.files as u64, record.counts.distinct as u64);
    let figure =
        |name: &str, number: u64, remark: String| vec![name.to_owned(), grouped(number), remark];
    let same = match files == distinct {
        true => String::new(),
        false => format!("{} different ones", grouped(distinct)),
    };
    let groups = record.groups.len() as u64;
    let before = record.groups_before_merging as u64;
    let merged = match before == groups {
        true => String::new(),
        false => {
            let before = grouped(before);
            format!("{before} before those with equal reduced examples were merged")
        }
    };
    let ending = match record.ending.as_str() {
        "time" => "The time limit was reached; the same command resumes.",
        "interrupted" => "The triage was interrupted; the same command resumes.",
        _ => "Every reduction ran to its end.",
    };
    let counts = record.counts.named();
    let counts = counts.iter().filter(|(number, _)| *number > 0);
    let mut figures = vec![figure("inputs", files, same)];
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
            ending,
            version => &record.version,
            line => &record.command,
            figures,
        },
    )
}

fn groups(record: &TriageSummary, examples: &[ShownExample]) -> Value {
    let row = |(number, (group, example)): (u64, (&TriageGroup, &ShownExample))| -> Cells {
        let position = group
            .position
            .as_ref()
            .map_or_else(String::new, |position| {
                let position = position_text(position);
                format!("<br><small>{}</small>", escape::text(&position))
            });
        let failure = escape::text(&group.failure);
        vec![
            markup(format!(
                "<a href=\"#group-{number}\">{number}. {failure}</a>{position}"
            )),
            (&group.class).into(),
            grouped(group.inputs.len() as u64).into(),
            grouped(example.text.len() as u64).into(),
            example.remarks.join(", ").into(),
        ]
    };
    let rows: Vec<Cells> = (1..)
        .zip(record.groups.iter().zip(examples))
        .map(row)
        .collect();
    render("triage/groups.html", context! { rows })
}

fn position_text(position: &TriagePosition) -> String {
    let column = position.column;
    let column = column.map_or_else(String::new, |column| format!(":{column}"));
    format!("{}:{}{column}", position.file, position.line)
}

fn details_of(
    number: usize,
    group: &TriageGroup,
    example: &ShownExample,
    all: &[TriagedInput],
) -> Value {
    let members: Vec<&TriagedInput> = group.inputs.iter().map(|input| &all[*input]).collect();
    let before = all[group.example.input].bytes as u64;
    let bytes = example.text.len() as u64;
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
            position => group.position.as_ref().map(position_text),
            also => group.also.clone(),
            remarks => example.remarks.clone(),
            file => &group.example.file,
            size,
            text => markup(escape::html(shown)),
            rest => (rest > 0).then(|| count(rest, "byte")),
            link => data_link(&example.text),
            output => markup(escape::html(&example.output)),
            reduce => &example.reduce,
            all => count(group.inputs.len() as u64, "input"),
            inputs => inputs(&members),
        },
    )
}

fn inputs(inputs: &[&TriagedInput]) -> Value {
    let row = |input: &&TriagedInput| -> Cells {
        let what = match &input.failure {
            None => "does not fail".to_owned(),
            Some(failure) if (1..input.runs).contains(&input.hits) => {
                format!("{failure}, in {} of {} runs", input.hits, input.runs)
            }
            Some(failure) => failure.clone(),
        };
        let files = (input.files.iter()).map(|file| format!("<code>{}</code>", escape::text(file)));
        let files: Vec<String> = files.collect();
        vec![
            markup(files.join("<br>")),
            grouped(input.bytes as u64).into(),
            what.into(),
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
    use crate::record::{TriageCounts, TriageExample};

    fn page(groups: usize) -> String {
        let group = |number: usize| TriageGroup {
            failure: format!("assertion <b>{number}</b> failed"),
            class: "crash".to_owned(),
            also: vec!["</section>".to_owned()],
            position: Some(TriagePosition {
                file: "a.c<script>".to_owned(),
                line: 1,
                column: None,
            }),
            inputs: vec![0],
            example: TriageExample {
                file: "a&b".to_owned(),
                ..TriageExample::default()
            },
            ..TriageGroup::default()
        };
        let example = ShownExample {
            text: b"</div><script>alert(1)</script>\0".to_vec(),
            remarks: vec!["not finished".to_owned()],
            output: b"\x1b[31m<b>".to_vec(),
            reduce: Some("boildown reduce '<x>' -- ./t".to_owned()),
        };
        let member = TriagedInput {
            files: vec!["crash\u{202e}<img src=x>".to_owned()],
            bytes: 1200,
            failure: Some("<b>".to_owned()),
            group: Some(1),
            hits: 1,
            runs: 2,
            ..TriagedInput::default()
        };
        let others = vec![TriagedInput::default(); 700];
        let summary = TriageSummary {
            folder: "crashes<b>".to_owned(),
            command: "./t <in".to_owned(),
            counts: TriageCounts {
                files: 5,
                distinct: 4,
                crash: 3,
                ..TriageCounts::default()
            },
            groups: (1..=groups).map(group).collect(),
            inputs: std::iter::once(member).chain(others).collect(),
            ..TriageSummary::default()
        };
        triage_page(&summary, &vec![example; groups])
    }

    #[test]
    fn everything_in_the_page_of_a_triage_is_escaped() {
        let html = page(2);
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
        let html = page(30);
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
