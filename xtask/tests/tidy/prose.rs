//! Rules about the language of comments, messages and documents.

use std::ops::Range;
use std::path::Path;

use xtask::checkout::{self, WrittenFile};
use xtask::house::House;
use xtask::house::source::{CommentKind, RustFile};

use crate::assert_none;

/// First words of a module doc that is a riddle: it names a question instead of a thing.
const RIDDLES: &[&str] = &[
    "What",
    "Who",
    "Whose",
    "Whom",
    "Whether",
    "How",
    "Where",
    "When",
    "Why",
    "Which",
    "If",
    "That",
    "There",
    "It",
    "This",
    "These",
    "Nothing",
    "Everything",
    "All",
];

/// Words with a plain substitute: a noun, a number, or an active verb.
const BANNED: &[(&str, &str)] = &[
    ("nobody", "name the thing or person"),
    ("somebody", "name the thing or person"),
    ("whoever", "name the thing or person"),
    ("whosoever", "name the thing or person"),
    ("besides", "write \"also\" or \"in addition\""),
    ("meanwhile", "write \"while\" and say during what"),
    ("thereby", "start a new sentence"),
    ("wherein", "write \"in which\""),
    ("hears", "write \"receives\""),
    ("so many", "write the number or a name for it"),
    ("goes on", "write \"continues\""),
    ("going on", "write \"continuing\""),
    ("comes to", "write \"is\", \"totals\" or \"results in\""),
    ("as large as that", "write the size"),
];

/// Files that may hold the words: this one, texts of others, and records of the past.
const EXEMPT: &[&str] = &[
    "xtask/tests/tidy/prose.rs",
    "docs/decisions",
    "docs/lab",
    "CHANGELOG.md",
    "examples",
];

/// Names of algorithms that are written in lower case, also at the start of a sentence.
const LOWER_CASE_NAMES: [&str; 5] = ["dd", "dd+", "ddmin", "n-minimality", "simpledd"];

/// Returns what is wrong with the first paragraph of a module doc, if anything is.
fn module_doc_complaint(doc: &str) -> Option<String> {
    let paragraph: Vec<&str> = doc
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    let Some(first) = paragraph.split_whitespace().next() else {
        return Some("start with a `//!` module doc".to_owned());
    };
    if RIDDLES.contains(&first) {
        return Some(format!(
            "start the module doc with a noun or a verb in the third person, not with `{first}`"
        ));
    }
    let is_start = |c: char| c.is_uppercase() || c.is_ascii_digit() || "`[".contains(c);
    let is_name = LOWER_CASE_NAMES.contains(&first.trim_end_matches([',', ':']));
    if !first.starts_with(is_start) && !is_name {
        return Some("start the module doc with a capital letter".to_owned());
    }
    if !paragraph.ends_with('.') && !paragraph.contains(". ") {
        return Some("end the first sentence of the module doc with a full stop".to_owned());
    }
    None
}

/// Returns the module doc that a file starts with, without its slashes.
fn module_doc(file: &RustFile) -> String {
    let mut doc = String::new();
    for comment in &file.comments {
        if comment.kind != CommentKind::ModuleDoc {
            break;
        }
        let text = &file.text[comment.range.clone()];
        doc.push_str(text.trim_start_matches("//!"));
        doc.push('\n');
    }
    doc
}

#[test]
fn module_docs_name_a_thing_or_an_action() {
    let complaint = |file: &RustFile| {
        let complaint = module_doc_complaint(&module_doc(file))?;
        Some(format!("{}:1: {complaint}", file.path.display()))
    };
    let house = House::read(checkout::root()).unwrap();
    let complaints: Vec<String> = house.rust().iter().filter_map(complaint).collect();
    assert_none(&complaints);
}

/// Returns the banned words in a text, each with its offset and the advice. A word has to stand
/// alone; line breaks and comment signs between the words of a phrase do not matter.
fn banned_words(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut start = None;
    for (index, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_word = c.is_alphanumeric() || c == '_' || c == '-' || c == '\'';
        match (is_word, start) {
            (true, None) => start = Some(index),
            (false, Some(begin)) => {
                words.push((begin, text[begin..index].to_lowercase()));
                start = None;
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (phrase, advice) in BANNED {
        let parts: Vec<&str> = phrase.split(' ').collect();
        for window in words.windows(parts.len()) {
            if window.iter().map(|(_, word)| word).eq(parts.iter()) {
                found.push((window[0].0, *phrase, *advice));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns the banned words in the comments and strings of a Rust file.
///
/// Neighbouring line comments are read as one text, so that a phrase is found across a line break.
fn banned_in_rust(file: &RustFile) -> Vec<String> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for comment in &file.comments {
        let Range { start, end } = comment.range;
        match ranges.last_mut() {
            Some(last) if file.text[last.end..start].trim().is_empty() => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges.extend(file.literals.iter().cloned());
    let complaint = |start: usize, (offset, word, advice): (usize, &str, &str)| {
        format!("{}: `{word}`: {advice}", file.place(start + offset))
    };
    ranges
        .into_iter()
        .flat_map(|range| {
            let found = banned_words(&file.text[range.clone()]);
            let complaint = move |word| complaint(range.start, word);
            found.into_iter().map(complaint).collect::<Vec<_>>()
        })
        .collect()
}

fn banned_in_document(file: &WrittenFile) -> Vec<String> {
    let complaint = |(offset, word, advice): (usize, &str, &str)| {
        let line = file.text[..offset].matches('\n').count() + 1;
        format!("{}:{line}: `{word}`: {advice}", file.path.display())
    };
    banned_words(&file.text)
        .into_iter()
        .map(complaint)
        .collect()
}

fn is_exempt(path: &Path) -> bool {
    EXEMPT.iter().any(|exempt| path.starts_with(exempt))
}

#[test]
fn comments_messages_and_documents_use_plain_words() {
    let house = House::read(checkout::root()).unwrap();
    let rust = house.rust().iter().filter(|file| !is_exempt(&file.path));
    let documents = house.written().iter().filter(|file| {
        let is_document = file.has_extension("md") || file.has_extension("rules");
        is_document && !is_exempt(&file.path)
    });
    let complaints: Vec<String> = rust
        .flat_map(banned_in_rust)
        .chain(documents.flat_map(banned_in_document))
        .collect();
    assert_none(&complaints);
}

#[test]
fn rules_about_prose_find_what_they_forbid() {
    let is_good = |doc: &str| module_doc_complaint(doc).is_none();
    assert!(is_good(
        " Lists of elements,\n and more.\n\n Whatever follows"
    ));
    assert!(is_good(" `Halving` deletes runs of elements."));
    assert!(!is_good(" What can go, goes."));
    assert!(!is_good(" lists of elements."));
    assert!(!is_good(" Lists of elements"));
    assert!(!is_good("\n"));

    let words: Vec<&str> = banned_words("So\n/// many, nobody; nobody_else")
        .iter()
        .map(|(_, word, _)| *word)
        .collect();
    assert_eq!(words, ["so many", "nobody"]);
    assert!(banned_words("also goes up").is_empty());

    let file = RustFile::parse(&WrittenFile {
        path: "a.rs".into(),
        text: "// It goes\n// on.\nfn nobody() -> &'static str {\n    \"Meanwhile\"\n}\n"
            .to_owned(),
    });
    let complaints = banned_in_rust(&file.unwrap());
    assert_eq!(complaints.len(), 2);
    assert!(
        complaints
            .iter()
            .any(|line| line.starts_with("a.rs:1: `goes on`"))
    );
    assert!(
        complaints
            .iter()
            .any(|line| line.starts_with("a.rs:4: `meanwhile`"))
    );
}
