//! Rules of this repository that the compiler does not check.
//!
//! Each rule is a pure function from texts to complaints with a test of its own; another test
//! applies it to the checkout. This file holds the rules about crates, the files in `tidy/` those
//! about everything else.
#![expect(
    clippy::unwrap_used,
    reason = "an unexpected error in a helper of a test fails the test"
)]

mod tidy {
    mod commands;
    mod figures;
    mod markdown;
    mod prose;
    mod sources;
}

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use xtask::checkout;

/// The crates of the workspace that each crate may use, as drawn in ARCHITECTURE.md.
const ARROWS: &[(&str, &[&str])] = &[
    (
        "boildown-fuzz",
        &[
            "boildown-search",
            "boildown-document",
            "boildown-reduce",
            "boildown-formats",
        ],
    ),
    (
        "boildown-python",
        &[
            "boildown-search",
            "boildown-literature",
            "boildown-document",
            "boildown-reduce",
            "boildown-formats",
            "boildown-oracle",
            "boildown-driver",
        ],
    ),
    ("boildown-search", &[]),
    ("boildown-literature", &["boildown-search"]),
    ("boildown-folder", &[]),
    ("boildown-document", &["boildown-search", "boildown-folder"]),
    (
        "boildown-reduce",
        &["boildown-search", "boildown-folder", "boildown-document"],
    ),
    (
        "boildown-formats",
        &[
            "boildown-search",
            "boildown-folder",
            "boildown-document",
            "boildown-reduce",
        ],
    ),
    ("boildown-oracle", &["boildown-search"]),
    (
        "boildown-exec",
        &["boildown-search", "boildown-oracle", "boildown-folder"],
    ),
    (
        "boildown-changes",
        &["boildown-search", "boildown-oracle", "boildown-exec"],
    ),
    (
        "boildown-worker",
        &["boildown-search", "boildown-oracle", "boildown-exec"],
    ),
    (
        "boildown-remote",
        &["boildown-search", "boildown-oracle", "boildown-exec"],
    ),
    ("boildown-serve", &["boildown-exec"]),
    (
        "boildown-store",
        &[
            "boildown-search",
            "boildown-oracle",
            "boildown-exec",
            "boildown-show",
        ],
    ),
    (
        "boildown-show",
        &["boildown-search", "boildown-document", "boildown-oracle"],
    ),
    ("boildown-driver", &["boildown-search", "boildown-oracle"]),
    ("boildown-triage", &["boildown-oracle"]),
    (
        "boildown-lab",
        &[
            "boildown-search",
            "boildown-literature",
            "boildown-document",
            "boildown-reduce",
        ],
    ),
    ("boildown-view", &["boildown-document", "boildown-show"]),
    (
        "boildown-session",
        &[
            "boildown-search",
            "boildown-document",
            "boildown-reduce",
            "boildown-formats",
            "boildown-changes",
            "boildown-oracle",
            "boildown-exec",
            "boildown-store",
            "boildown-driver",
            "boildown-folder",
            "boildown-triage",
            "boildown-show",
        ],
    ),
    (
        "boildown",
        &[
            "boildown-search",
            "boildown-document",
            "boildown-reduce",
            "boildown-formats",
            "boildown-changes",
            "boildown-oracle",
            "boildown-exec",
            "boildown-store",
            "boildown-driver",
            "boildown-lab",
            "boildown-literature",
            "boildown-show",
            "boildown-session",
            "boildown-folder",
            "boildown-worker",
            "boildown-remote",
            "boildown-serve",
            "boildown-view",
            "boildown-triage",
        ],
    ),
    (
        "xtask",
        &[
            "boildown-exec",
            "boildown-lab",
            "boildown-literature",
            "boildown-search",
            "boildown-document",
            "boildown-reduce",
            "boildown-formats",
            "boildown-triage",
        ],
    ),
];

/// The crates of the workspace that the tests of a crate may use in addition.
const TEST_ARROWS: &[(&str, &[&str])] = &[
    ("boildown-driver", &["boildown-literature"]),
    ("boildown-session", &["boildown-literature"]),
];

/// Packages that must not be below a crate, neither directly nor through others. A name stands for
/// itself and for all names that start with it and a hyphen.
const NOT_BELOW: &[(&str, &[&str])] = &[(
    "boildown-driver",
    &[
        "gix",
        "rusqlite",
        "libsqlite3",
        "tree-sitter",
        "tokio",
        "tonic",
    ],
)];

/// Crates that only compute: no files, processes, clocks, threads, environment or logging.
const PURE: &[&str] = &[
    "boildown-search",
    "boildown-literature",
    "boildown-folder",
    "boildown-document",
    "boildown-reduce",
    "boildown-formats",
    "boildown-oracle",
    "boildown-show",
    "boildown-view",
    "boildown-triage",
];

/// Libraries for input, output, processes, threads or logging. The list cannot be complete; the
/// lint `disallowed_methods` covers the standard library.
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

/// Fields of `[package]` that registries show.
const PACKAGE_FIELDS: &[&str] = &["description", "license", "readme", "keywords", "categories"];

/// Fails with the complaints, a line each, if there are any.
#[track_caller]
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// A crate of the workspace, with the names of its dependencies by kind (`normal`, `dev`, `build`).
struct Member {
    name: String,
    dependencies: BTreeMap<String, BTreeSet<String>>,
    library: Option<PathBuf>,
    /// Fields of `[package]` that a published crate needs and this one lacks.
    missing_fields: Vec<&'static str>,
}

/// Runs cargo in the checkout and returns what it prints.
fn cargo(arguments: &[&str]) -> Vec<u8> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .current_dir(checkout::root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

fn members() -> Vec<Member> {
    // With `--no-deps`, cargo downloads nothing.
    let output = cargo(&["metadata", "--format-version", "1", "--no-deps"]);
    let metadata: Value = serde_json::from_slice(&output).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().map(member).collect()
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
    let is_missing = |field: &&str| match &package[*field] {
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => true,
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
        missing_fields: PACKAGE_FIELDS.iter().copied().filter(is_missing).collect(),
    }
}

#[test]
fn the_licences_that_the_program_prints_are_those_of_its_packages() {
    let packages = xtask::licences::packages().unwrap();
    let list = fs::read_to_string(checkout::root().join(xtask::licences::LIST)).unwrap();
    let is_current = xtask::licences::list(&packages) == list;
    assert!(is_current, "run `cargo xtask licences`");
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
            let for_tests = TEST_ARROWS
                .iter()
                .filter(|(owner, _)| *owner == member.name && kind == "dev")
                .flat_map(|(_, names)| *names);
            let allowed: BTreeSet<&str> = allowed.iter().chain(for_tests).copied().collect();
            for name in names {
                if ours.contains(name.as_str()) && !allowed.contains(name.as_str()) {
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

/// Returns a line for each package of a dependency tree, one `name version` a line, that must not
/// be in it.
fn forbidden_packages(owner: &str, tree: &str, forbidden: &[&str]) -> BTreeSet<String> {
    let is_forbidden = |name: &&str| {
        forbidden.iter().any(|&prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    };
    tree.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(is_forbidden)
        .map(|name| format!("{owner} must not depend on {name}, not even through other crates"))
        .collect()
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
fn packages_say_what_registries_show() {
    let members = members();
    let published = (members.iter()).filter(|member| {
        !["boildown-fuzz", "boildown-python", "xtask"].contains(&member.name.as_str())
    });
    let complaint = |member: &Member| format!("{}: no {:?}", member.name, member.missing_fields);
    let complaints: Vec<String> = published
        .filter(|member| !member.missing_fields.is_empty())
        .map(complaint)
        .collect();
    assert_none(&complaints);
}

#[test]
fn the_driver_builds_without_git_grammars_and_a_database() {
    for (owner, forbidden) in NOT_BELOW {
        // `cargo tree` resolves features for this system only, so it needs no download after a
        // build.
        let tree = cargo(&[
            "tree",
            "--locked",
            "--offline",
            "--edges=normal,build",
            "--prefix=none",
            "--package",
            owner,
        ]);
        let tree = String::from_utf8_lossy(&tree);
        let complaints: Vec<String> = forbidden_packages(owner, &tree, forbidden)
            .into_iter()
            .collect();
        assert_none(&complaints);
    }
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
    let text = fs::read_to_string(checkout::root().join("ARCHITECTURE.md")).unwrap();
    let crates = members().into_iter().map(|member| member.name).collect();
    assert_none(&architecture_complaints(&text, &crates));
}

#[test]
fn rules_about_crates_find_what_they_forbid() {
    let member = |name: &str, kind: &str, dependencies: &[&str]| Member {
        name: name.to_owned(),
        dependencies: BTreeMap::from([(
            kind.to_owned(),
            dependencies.iter().map(|&name| name.to_owned()).collect(),
        )]),
        library: None,
        missing_fields: Vec::new(),
    };
    let members = [
        member("boildown-search", "dev", &["boildown-oracle", "proptest"]),
        member("boildown-oracle", "normal", &["boildown-search", "rustix"]),
        member("boildown-new", "normal", &[]),
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

    let tree = "a v1\ngix-hash v2 (*)\ntree-sitter v3\ntree-sitters v4\n";
    assert_eq!(
        forbidden_packages("a", tree, &["gix", "tree-sitter"]).len(),
        2
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
}
