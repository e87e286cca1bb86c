//! Rules of this repository that the compiler does not know.
//!
//! Each rule is a pure function from texts to complaints, so that the rule itself can be tested; one test applies it to
//! the checkout.
#![expect(
    clippy::unwrap_used,
    reason = "in helpers of tests too, a surprise is a failed test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which of our crates each crate may use, by the picture in ARCHITECTURE.md.
const ARROWS: &[(&str, &[&str])] = &[
    ("boildown-search", &[]),
    ("boildown-syntax", &["boildown-search"]),
    ("boildown-oracle", &["boildown-search"]),
    ("boildown-changes", &["boildown-search"]),
    ("boildown-lab", &["boildown-search", "boildown-syntax"]),
    (
        "boildown-session",
        &[
            "boildown-search",
            "boildown-syntax",
            "boildown-changes",
            "boildown-oracle",
        ],
    ),
    (
        "boildown",
        &[
            "boildown-search",
            "boildown-lab",
            "boildown-syntax",
            "boildown-changes",
            "boildown-oracle",
            "boildown-session",
        ],
    ),
    ("xtask", &[]),
];

/// Crates that compute and do nothing else: no files, processes, clocks, threads, environment.
const PURE: &[&str] = &["boildown-search", "boildown-syntax"];

/// Libraries that exist for input, output, processes, threads or logging. Not complete, nor can it be; the lint on
/// methods of the standard library is the other half of the rule.
const IMPURE_LIBRARIES: &[&str] = &[
    "async-std",
    "crossbeam",
    "crossbeam-channel",
    "crossterm",
    "ctrlc",
    "env_logger",
    "fs-err",
    "gix",
    "libc",
    "log",
    "memmap2",
    "mio",
    "nix",
    "notify",
    "num_cpus",
    "process-wrap",
    "rayon",
    "reqwest",
    "rusqlite",
    "rustix",
    "signal-hook",
    "smol",
    "socket2",
    "tempfile",
    "tokio",
    "tonic",
    "tracing",
    "ureq",
    "walkdir",
    "which",
];

const MAX_LINES: usize = 800;

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[track_caller]
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// A crate of the workspace, with the names of its dependencies by kind (`normal`, `dev`, `build`).
struct Member {
    name: String,
    dependencies: BTreeMap<String, BTreeSet<String>>,
    library: Option<PathBuf>,
}

fn members() -> Vec<Member> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Without dependencies nothing has to be downloaded for it.
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(checkout())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(member)
        .collect()
}

fn member(package: &Value) -> Member {
    let mut dependencies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for dependency in package["dependencies"].as_array().unwrap() {
        let kind = dependency["kind"].as_str().unwrap_or("normal").to_owned();
        let name = dependency["name"].as_str().unwrap().to_owned();
        dependencies.entry(kind).or_default().insert(name);
    }
    let is_library = |target: &&Value| {
        target["kind"]
            .as_array()
            .unwrap()
            .iter()
            .any(|kind| kind == "lib")
    };
    let library = package["targets"]
        .as_array()
        .unwrap()
        .iter()
        .find(is_library);
    Member {
        name: package["name"].as_str().unwrap().to_owned(),
        dependencies,
        library: library.map(|target| PathBuf::from(target["src_path"].as_str().unwrap())),
    }
}

fn wrong_arrows(members: &[Member]) -> Vec<String> {
    let ours: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let mut complaints = Vec::new();
    for member in members {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == member.name) else {
            complaints.push(format!("{}: say in ARROWS what it may use", member.name));
            continue;
        };
        for (kind, names) in &member.dependencies {
            for name in names {
                if ours.contains(name.as_str()) && !allowed.contains(&name.as_str()) {
                    complaints.push(format!(
                        "{} must not use {name} ({kind} dependency)",
                        member.name
                    ));
                }
            }
        }
    }
    complaints
}

fn impure_dependencies(member: &Member) -> Vec<String> {
    let none = BTreeSet::new();
    let normal = member.dependencies.get("normal").unwrap_or(&none);
    let impure = normal
        .iter()
        .filter(|name| IMPURE_LIBRARIES.contains(&name.as_str()));
    impure
        .map(|name| format!("{} does no I/O, so it must not use {name}", member.name))
        .collect()
}

#[test]
fn crates_use_each_other_only_along_the_arrows() {
    assert_none(&wrong_arrows(&members()));
}

#[test]
fn pure_crates_do_no_input_or_output() {
    let members = members();
    for name in PURE {
        let member = members.iter().find(|member| member.name == *name).unwrap();
        assert_none(&impure_dependencies(member));
        let text = fs::read_to_string(member.library.as_ref().unwrap()).unwrap();
        let lint = "#![warn(clippy::disallowed_methods)]";
        assert!(
            text.lines().any(|line| line.trim() == lint),
            "the library of {name} lacks {lint}"
        );
    }
}

/// Compares the crates that a text names in backquotes with those that exist.
fn architecture_complaints(text: &str, crates: &BTreeSet<String>) -> Vec<String> {
    let named: BTreeSet<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| {
            word.starts_with("boildown-")
                && !word.contains(|c: char| !c.is_ascii_lowercase() && c != '-')
        })
        .collect();
    let unknown = named.iter().filter(|name| !crates.contains(**name));
    let unknown = unknown.map(|name| format!("ARCHITECTURE.md names {name}, which does not exist"));
    let missing = crates
        .iter()
        .filter(|name| !text.contains(&format!("`{name}`")));
    unknown
        .chain(missing.map(|name| format!("ARCHITECTURE.md does not name {name}")))
        .collect()
}

#[test]
fn architecture_names_every_crate_and_no_other() {
    let text = fs::read_to_string(checkout().join("ARCHITECTURE.md")).unwrap();
    let crates = members().into_iter().map(|member| member.name).collect();
    assert_none(&architecture_complaints(&text, &crates));
}

/// Returns the text files of the checkout that people write, with paths relative to it.
fn written_files() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![checkout().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && name != ".git" {
                    folders.push(path);
                }
                continue;
            }
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            if matches!(&*extension, "rs" | "py" | "sh" | "md" | "toml")
                || path.ends_with(".ci/run")
            {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(checkout()).unwrap().to_path_buf(), text));
            }
        }
    }
    files.sort();
    assert!(files.len() > 10, "the checkout is found");
    files
}

fn lacks_module_doc(text: &str) -> bool {
    !text
        .lines()
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| line.starts_with("//!"))
}

#[test]
fn every_rust_file_starts_with_its_module_doc() {
    let files = written_files();
    let rust = files
        .iter()
        .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "rs"));
    let without = rust.filter(|(_, text)| lacks_module_doc(text));
    let complaints: Vec<String> = without
        .map(|(path, _)| format!("{}: start with a `//!` module doc", path.display()))
        .collect();
    assert_none(&complaints);
}

/// Returns the numbers of the lines with a note of something left to do that no issue keeps.
fn untracked_notes(text: &str) -> Vec<usize> {
    // Written in two parts, so that this file keeps the rule too.
    let word = concat!("TO", "DO");
    let tracked = |rest: &str| {
        let number = rest
            .strip_prefix("(#")
            .and_then(|rest| rest.split_once(')'));
        number.is_some_and(|(number, _)| {
            number == "number"
                || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let untracked = |line: &str| {
        line.match_indices(word)
            .any(|(at, _)| !tracked(&line[at + word.len()..]))
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| untracked(line))
        .map(|(index, _)| index + 1)
        .collect()
}

#[test]
fn what_is_left_to_do_has_an_issue() {
    let mut complaints = Vec::new();
    for (path, text) in written_files() {
        for line in untracked_notes(&text) {
            complaints.push(format!(
                "{}:{line}: a note of what is left to do needs `(#number)`",
                path.display()
            ));
        }
    }
    assert_none(&complaints);
}

#[test]
fn no_file_is_too_long_to_read() {
    let files = written_files();
    // A changelog grows for ever, and nobody reads all of it.
    let long = files
        .iter()
        .filter(|(path, text)| !path.ends_with("CHANGELOG.md") && text.lines().count() > MAX_LINES);
    let complaints: Vec<String> = long
        .map(|(path, text)| {
            format!(
                "{}: {} lines, cut it in parts",
                path.display(),
                text.lines().count()
            )
        })
        .collect();
    assert_none(&complaints);
}

/// Where the time of day is looked at, and what for. It jumps; whatever has to wait, to end or to be measured uses `Instant`.
const TIME_OF_DAY: &[(&str, &str)] = &[
    (
        "crates/boildown-changes/src/workspace.rs",
        "no content of a file has the time that another one had",
    ),
    (
        "crates/boildown-oracle/src/scratch/stale.rs",
        "what was never locked is left alone while it is new",
    ),
    (
        "crates/boildown-oracle/src/store/find.rs",
        "people read when a session began",
    ),
    (
        "crates/boildown-oracle/src/store/place.rs",
        "the oldest runs are forgotten first",
    ),
];

fn asks_for_the_time_of_day(text: &str) -> bool {
    ["SystemTime", "UNIX_EPOCH", ".modified()"]
        .iter()
        .any(|word| text.contains(word))
}

#[test]
fn no_clock_that_jumps_decides_anything_but_what_is_listed() {
    let asking: BTreeSet<String> = written_files()
        .iter()
        .filter(|(path, text)| {
            path.starts_with("crates")
                && path.iter().any(|part| part == "src")
                && asks_for_the_time_of_day(text)
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    let listed = TIME_OF_DAY.iter().map(|(path, _)| (*path).to_owned());
    assert_eq!(asking, listed.collect());
}

#[test]
fn the_rules_find_what_they_forbid() {
    let uses = |name: &str, kind: &str, of: &[&str]| Member {
        name: name.to_owned(),
        dependencies: BTreeMap::from([(
            kind.to_owned(),
            of.iter().map(|&name| name.to_owned()).collect(),
        )]),
        library: None,
    };
    let members = [
        uses("boildown-search", "dev", &["boildown-oracle", "proptest"]),
        uses("boildown-oracle", "normal", &["boildown-search", "rustix"]),
        uses("boildown-new", "normal", &[]),
    ];
    assert_eq!(
        wrong_arrows(&members),
        [
            "boildown-search must not use boildown-oracle (dev dependency)",
            "boildown-new: say in ARROWS what it may use",
        ]
    );
    assert!(impure_dependencies(&members[0]).is_empty());
    assert_eq!(
        impure_dependencies(&members[1]),
        ["boildown-oracle does no I/O, so it must not use rustix"]
    );

    let crates = BTreeSet::from(["boildown-a".to_owned(), "boildown-b".to_owned()]);
    assert_eq!(
        architecture_complaints(
            "`boildown-a`, `boildown-gone`, `boildown-a/src`, boildown-b",
            &crates
        ),
        [
            "ARCHITECTURE.md names boildown-gone, which does not exist",
            "ARCHITECTURE.md does not name boildown-b"
        ]
    );

    assert!(asks_for_the_time_of_day("let now = SystemTime::now();"));
    assert!(!asks_for_the_time_of_day("let now = Instant::now();"));

    assert!(lacks_module_doc("use std::fs;\n//! Late.\n"));
    assert!(!lacks_module_doc("\n//! A doc.\n"));

    let note = concat!("// TO", "DO");
    assert_eq!(
        untracked_notes(&format!(
            "a\n{note}: later\n{note}(#12): known\n{note}(#)\n"
        )),
        [2, 4]
    );
}
