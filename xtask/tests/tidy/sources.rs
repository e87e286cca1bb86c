//! Rules about the contents of source files.

use std::collections::BTreeSet;
use std::path::Path;

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
        "crates/boildown-exec/src/fsx.rs",
        "a backup has the modification time of the original",
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
        "crates/boildown-serve/src/http/farm.rs",
        "a client is told when a job was asked for",
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

/// Whether a file belongs to a crate of the program, of its extras or of the laboratory.
fn is_in_a_crate(path: &Path) -> bool {
    let roots = ["crates", "extras", "research"];
    roots.iter().any(|root| path.starts_with(root))
}

#[test]
fn only_listed_files_read_the_time_of_day() {
    let is_reading = |file: &&WrittenFile| {
        file.has_extension("rs")
            && is_in_a_crate(&file.path)
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

/// Words by which a file is written, made, renamed, removed or given permissions by its path. A
/// link on the way leads elsewhere then.
const PATH_WRITERS: &[&str] = &[
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "fs::hard_link(",
    "fs::create_dir",
    "fs::set_permissions(",
    "fs::remove_file(",
    "fs::remove_dir",
    "fs::symlink(",
    " symlink(",
    "(symlink(",
    "File::create",
    "OpenOptions::new",
    ".create(true)",
    ".create_new(true)",
    "DirBuilder",
];

/// Files that write by path, with the reason. Others use `boildown_exec::fsx` or `DirHandle`.
const WRITE_BY_PATH: &[(&str, &str)] = &[
    (
        "crates/boildown-exec/src/spawn/launch_linux.rs",
        "the null device",
    ),
    (
        "crates/boildown-exec/src/spawn/session_cgroup_linux.rs",
        "control groups are directories of the kernel, which has no links",
    ),
    (
        "crates/boildown-serve/src/http/farm.rs",
        "the folder of the jobs is open to the user of the service alone",
    ),
    ("crates/boildown-serve/src/http/mod.rs", "the same"),
    (
        "crates/boildown/src/commands/vendor/cargo.rs",
        "manifests in a folder that the command makes",
    ),
    (
        "crates/boildown/src/commands/vendor/mod.rs",
        "a folder that the command makes, beside the input of the user",
    ),
    (
        "crates/boildown/src/versions.rs",
        "a build line, which runs as the user, makes what is moved",
    ),
];

/// Words by which an entry of an open directory is made, renamed or given permissions.
const ENTRY_WRITERS: &[&str] = &[
    "mkdirat(",
    "symlinkat(",
    "linkat(",
    "renameat",
    "fchmod(",
    "chmodat(",
    "OFlags::CREATE",
];

/// Files that write to open directories themselves, with the reason. Others use `DirHandle`.
const WRITE_ENTRIES: &[(&str, &str)] = &[
    ("crates/boildown-exec/src/dir_handle.rs", "the handle"),
    (
        "crates/boildown-exec/src/project/copy.rs",
        "copies share files and are watched",
    ),
    (
        "crates/boildown-exec/src/project/folder.rs",
        "trees of states share files",
    ),
    (
        "crates/boildown-exec/src/project/folder_result.rs",
        "two folders change their names in one step",
    ),
    (
        "crates/boildown-exec/src/project/runs.rs",
        "the directory of a run",
    ),
    (
        "crates/boildown-exec/src/project/written_tree.rs",
        "what was written is put back after a run",
    ),
    (
        "crates/boildown-exec/src/scratch/remove.rs",
        "the removal that the handle uses",
    ),
    (
        "crates/boildown-exec/src/scratch/run_dir.rs",
        "the directory of a run",
    ),
    (
        "crates/boildown-exec/src/scratch/session_dir.rs",
        "the directory of a session and its lock",
    ),
    (
        "crates/boildown-store/src/store_folder.rs",
        "stores are renamed and removed beside the lock",
    ),
    (
        "crates/boildown-store/src/store_folder/place.rs",
        "the folder of the stores, whose owners are checked",
    ),
];

/// Returns the code of a file without its tests and its comments.
fn product_code(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_test = |pair: &[&str]| {
        pair[0].starts_with("#[cfg(") && pair[0].contains("test") && pair[1].starts_with("mod ")
    };
    let end = (lines.windows(2).position(is_test)).unwrap_or(lines.len());
    let is_code = |line: &&&str| !line.trim_start().starts_with("//");
    let code: Vec<&str> = lines[..end].iter().filter(is_code).copied().collect();
    code.join("\n")
}

/// Returns the files of the product that contain one of the words.
fn files_with(words: &[&str]) -> BTreeSet<String> {
    let is_product = |file: &&WrittenFile| {
        file.has_extension("rs")
            && is_in_a_crate(&file.path)
            && file
                .path
                .iter()
                .nth(2)
                .is_some_and(|folder| folder == "src")
            && !file.path.display().to_string().ends_with("tests.rs")
    };
    let files = checkout::written_files(checkout::root()).unwrap();
    let is_writing = |file: &&WrittenFile| {
        let code = product_code(&file.text);
        words.iter().any(|word| code.contains(word))
    };
    let found = files.iter().filter(is_product).filter(is_writing);
    found.map(|file| file.path.display().to_string()).collect()
}

#[test]
fn only_listed_files_write_without_a_directory_handle() {
    for (words, listed) in [
        (PATH_WRITERS, WRITE_BY_PATH),
        (ENTRY_WRITERS, WRITE_ENTRIES),
    ] {
        let listed: BTreeSet<String> = listed.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(files_with(words), listed);
    }
}

/// What differs between systems is in one crate, so that a new system is a change of one crate.
#[test]
fn only_the_crate_that_runs_commands_depends_on_the_system() {
    let mut found = files_with(&["target_os", "std::os::linux", "target_vendor"]);
    found.retain(|path| !path.starts_with("crates/boildown-exec/"));
    // How `make` compares modification times, and the numbers of signals.
    let listed = [
        "crates/boildown-changes/src/write_times.rs",
        "crates/boildown-oracle/src/signal.rs",
    ];
    assert_eq!(found, listed.map(str::to_owned).into());
}

#[test]
fn rules_about_sources_find_what_they_forbid() {
    assert!(reads_time_of_day("let now = SystemTime::now();"));
    assert!(!reads_time_of_day("let now = Instant::now();"));

    let note = concat!("// TO", "DO");
    let text = format!("a\n{note}: later\n{note}(#12): known\n{note}(#)\n{note}` is a word\n");
    assert_eq!(untracked_notes(&text), [2, 4]);

    let code =
        product_code("// fs::write(\nlet a = 1;\n#[cfg(test)]\nmod tests {\n fs::write(\n}\n");
    assert_eq!(code, "let a = 1;");
}
