//! Rules about the contents of source files.

use std::collections::BTreeSet;

use xtask::checkout::{self, WrittenFile};

use crate::assert_none;

/// Files that read the time of day, with the reason. It jumps; waiting, time limits and
/// measurements use `Instant`.
const TIME_OF_DAY: &[(&str, &str)] = &[
    (
        "crates/boildown-changes/src/write_times.rs",
        "each content of a file gets a modification time of its own",
    ),
    (
        "crates/boildown-exec/src/project/copy.rs",
        "tests compare modification times",
    ),
    (
        "crates/boildown-exec/src/project/written_tree.rs",
        "copies have the modification times of the originals",
    ),
    (
        "crates/boildown-exec/src/scratch/stale.rs",
        "a directory that was never locked is kept while it is new",
    ),
    (
        "crates/boildown-store/src/last_session.rs",
        "the age of the last session is shown to the user",
    ),
    (
        "crates/boildown-store/src/stored_run.rs",
        "the time at which a session began is shown to the user",
    ),
    (
        "crates/boildown-store/src/store_folder.rs",
        "the oldest runs are removed first",
    ),
];

/// Returns the numbers of the lines with a note of work left to do that names no issue.
fn untracked_notes(text: &str) -> Vec<usize> {
    // In two parts, so that this file keeps the rule too.
    let word = concat!("TO", "DO");
    let is_tracked = |rest: &str| {
        // A code span with the word alone speaks of such notes.
        if rest.starts_with('`') {
            return true;
        }
        let number = rest
            .strip_prefix("(#")
            .and_then(|rest| rest.split_once(')'));
        number.is_some_and(|(number, _)| {
            number == "number"
                || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_untracked = |line: &str| {
        line.match_indices(word)
            .any(|(index, _)| !is_tracked(&line[index + word.len()..]))
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| is_untracked(line))
        .map(|(index, _)| index + 1)
        .collect()
}

#[test]
fn notes_of_work_left_to_do_name_an_issue() {
    let mut complaints = Vec::new();
    for file in checkout::written_files(checkout::root()).unwrap() {
        for line in untracked_notes(&file.text) {
            complaints.push(format!(
                "{}:{line}: a note of work left to do needs `(#number)`",
                file.path.display()
            ));
        }
    }
    assert_none(&complaints);
}

fn reads_time_of_day(text: &str) -> bool {
    ["SystemTime", "UNIX_EPOCH", ".modified()"]
        .iter()
        .any(|word| text.contains(word))
}

#[test]
fn only_listed_files_read_the_time_of_day() {
    let is_reading = |file: &&WrittenFile| {
        file.has_extension("rs")
            && file.path.starts_with("crates")
            && file.path.iter().any(|folder| folder == "src")
            && reads_time_of_day(&file.text)
    };
    let files = checkout::written_files(checkout::root()).unwrap();
    let reading: BTreeSet<String> = files
        .iter()
        .filter(is_reading)
        .map(|file| file.path.display().to_string())
        .collect();
    let listed = TIME_OF_DAY.iter().map(|(path, _)| (*path).to_owned());
    assert_eq!(reading, listed.collect());
}

#[test]
fn rules_about_sources_find_what_they_forbid() {
    assert!(reads_time_of_day("let now = SystemTime::now();"));
    assert!(!reads_time_of_day("let now = Instant::now();"));

    let note = concat!("// TO", "DO");
    let text = format!("a\n{note}: later\n{note}(#12): known\n{note}(#)\n{note}` is a word\n");
    assert_eq!(untracked_notes(&text), [2, 4]);
}
