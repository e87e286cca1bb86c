//! Rules about documents: links lead somewhere, decisions are short and in the index.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use xtask::checkout::{self, WrittenFile};

use crate::assert_none;

/// A line of a document, with what it is part of.
pub(super) struct DocumentLine<'a> {
    /// Number, counted from 1.
    pub(super) number: usize,
    pub(super) text: &'a str,
    /// Language of the fenced block that the line is in, empty if it has none; `None` in prose.
    pub(super) block: Option<&'a str>,
}

/// Cuts a document into lines; the lines with the fences themselves are left out.
pub(super) fn document_lines(text: &str) -> Vec<DocumentLine<'_>> {
    let mut lines = Vec::new();
    let mut block: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            block = block.is_none().then(|| info.trim());
            continue;
        }
        lines.push(DocumentLine {
            number: index + 1,
            text: line,
            block,
        });
    }
    lines
}

/// Returns a line of prose with its code spans blanked out.
fn without_code(line: &str) -> String {
    let parts = line.split('`').enumerate();
    parts
        .map(|(index, part)| if index % 2 == 0 { part } else { "" })
        .collect::<Vec<_>>()
        .join("`")
}

/// Returns the targets of the links of a document, with their line numbers.
fn link_targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = Vec::new();
    for line in document_lines(text)
        .iter()
        .filter(|line| line.block.is_none())
    {
        let prose = without_code(line.text);
        for (index, _) in prose.match_indices("](") {
            let rest = &prose[index + 2..];
            if let Some((target, _)) = rest.split_once(')') {
                let target = target.split_whitespace().next().unwrap_or_default();
                targets.push((line.number, target.to_owned()));
            }
        }
        if let Some((_, target)) = prose.split_once("]: ").filter(|_| prose.starts_with('[')) {
            targets.push((line.number, target.trim().to_owned()));
        }
    }
    targets
}

/// Returns the anchors of the headings of a document, made as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in document_lines(text)
        .iter()
        .filter(|line| line.block.is_none())
    {
        let title = line.text.trim_start_matches('#');
        if title.len() == line.text.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let anchor: String = title.trim().to_lowercase().chars().filter(kept).collect();
        let anchor = anchor.replace(' ', "-");
        let mut unique = anchor.clone();
        let mut number = 0;
        while !anchors.insert(unique.clone()) {
            number += 1;
            unique = format!("{anchor}-{number}");
        }
    }
    anchors
}

/// Returns a path without `.` and `..`.
fn normalised(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// Returns the links of a document that lead nowhere. `exists` says which paths there are.
fn broken_links(
    file: &WrittenFile,
    documents: &[WrittenFile],
    exists: impl Fn(&Path) -> bool,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for (line, target) in link_targets(&file.text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let path = if path.is_empty() {
            file.path.clone()
        } else {
            normalised(&folder.join(path))
        };
        let document = documents.iter().find(|document| document.path == path);
        let problem = match document {
            None if !exists(&path) => "does not exist",
            Some(document) if !anchor.is_empty() && !anchors(&document.text).contains(anchor) => {
                "has no such heading"
            }
            _ => continue,
        };
        let place = file.path.display();
        complaints.push(format!(
            "{place}:{line}: link to `{target}`, which {problem}"
        ));
    }
    complaints
}

/// Returns the Markdown files of the checkout.
pub(super) fn documents() -> Vec<WrittenFile> {
    let mut files = checkout::written_files(checkout::root()).unwrap();
    files.retain(|file| file.has_extension("md"));
    files
}

#[test]
fn links_of_documents_lead_to_files_and_headings() {
    let documents = documents();
    let exists = |path: &Path| checkout::root().join(path).exists();
    let complaints: Vec<String> = documents
        .iter()
        .flat_map(|file| broken_links(file, &documents, exists))
        .collect();
    assert_none(&complaints);
}

/// Returns the records of decisions that are not in the index.
fn record_complaints(index: &str, records: &[String]) -> Vec<String> {
    let linked: BTreeSet<String> = link_targets(index)
        .into_iter()
        .map(|(_, path)| path)
        .collect();
    let missing = records.iter().filter(|name| !linked.contains(*name));
    missing
        .map(|name| format!("docs/decisions/README.md has no link to {name}"))
        .collect()
}

#[test]
fn decisions_are_in_the_index() {
    let mut index = String::new();
    let mut records = Vec::new();
    for file in documents() {
        if let Ok(name) = file.path.strip_prefix("docs/decisions") {
            if name == Path::new("README.md") {
                index = file.text;
            } else {
                records.push(name.display().to_string());
            }
        }
    }
    assert!(!records.is_empty(), "docs/decisions holds records");
    assert_none(&record_complaints(&index, &records));
}

#[test]
fn rules_about_documents_find_what_they_forbid() {
    let document = |path: &str, text: &str| WrittenFile {
        path: path.into(),
        text: text.to_owned(),
    };
    let documents = [
        document(
            "docs/a.md",
            "# One `two`, three\n[b](../b.md#x) [self](#one-two-three) [c](c.md) `[d](d)`\n\
             ```sh\n[e](e)\n```\n[f](https://f/)\n[g]: missing.md\n[h](../b.md#y)\n",
        ),
        document("b.md", "## X\n"),
    ];
    let complaints = broken_links(&documents[0], &documents, |path| {
        path == Path::new("docs/c.md")
    });
    assert_eq!(
        complaints,
        [
            "docs/a.md:7: link to `missing.md`, which does not exist",
            "docs/a.md:8: link to `../b.md#y`, which has no such heading",
        ]
    );
    assert_eq!(
        anchors("# A\n# A\n#no\n"),
        BTreeSet::from(["a".to_owned(), "a-1".to_owned()])
    );

    let records = ["1.md".to_owned(), "2.md".to_owned()];
    assert_eq!(record_complaints("[1](1.md)", &records).len(), 1);
}
