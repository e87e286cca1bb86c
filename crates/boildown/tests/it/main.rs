//! Tests of the program: its output, its files, its exit codes.
#![expect(
    clippy::unwrap_used,
    reason = "in helpers of tests too, a surprise is a failed test"
)]

mod archives;
mod build_tools;
mod changes;
mod changes_builds;
mod changes_causes;
mod changes_contained;
mod changes_faults;
mod changes_filters;
mod changes_flaky;
mod changes_history;
mod changes_points;
mod changes_resume;
mod deduction;
mod directions;
mod env;
mod environment;
mod explain;
mod files;
mod flaky;
mod folders;
mod git_environment;
mod habits;
mod help;
mod history;
mod hostile;
mod incremental;
mod interrupts;
mod isolate;
mod jobs;
mod json;
mod known;
mod lab;
mod lists;
mod messages;
mod newcomer;
mod others;
mod place;
mod planning;
mod properties;
mod proposals;
mod pty;
mod recipes;
mod remote;
mod repo;
mod report;
mod resume;
mod runs;
mod same_failure;
mod sandbox;
mod scripts;
mod surroundings;
mod terminal_view;
mod triage;
mod units;
mod warm;
mod workers;
