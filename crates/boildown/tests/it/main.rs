//! Tests of the program: its output, its files, its exit codes.
#![expect(
    clippy::unwrap_used,
    reason = "in helpers of tests too, a surprise is a failed test"
)]

mod algorithms;
mod archives;
mod bug_scripts;
mod build_tools;
mod changes;
mod changes_alike;
mod changes_builds;
mod changes_causes;
mod changes_contained;
mod changes_faults;
mod changes_filters;
mod changes_flaky;
mod changes_halves;
mod changes_history;
mod changes_later;
mod changes_points;
mod changes_resume;
mod changes_words;
mod claims;
mod deduction;
mod directions;
mod env;
mod environment;
mod explain;
mod files;
mod flaky;
mod folders;
mod foreign_store;
mod git_environment;
mod habits;
mod help;
mod history;
mod hostile;
mod hostile_texts;
mod incremental;
mod interrupts;
mod isolate;
mod jobs;
mod json;
mod known;
mod lab;
mod licences;
mod lists;
mod mcp;
mod messages;
mod newcomer;
mod objectives;
mod others;
mod own_languages;
#[cfg(feature = "lab")]
mod papers;
mod place;
mod planning;
mod private_input;
mod properties;
mod proposals;
mod pty;
mod recipes;
mod remote;
mod repo;
mod report;
mod resume;
mod runs;
mod same_culprit;
mod same_failure;
mod sandbox;
mod scripts;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod stages;
mod strangers;
mod surroundings;
mod terminal_view;
mod threads;
mod triage;
mod units;
mod vendor;
mod warm;
mod workers;
