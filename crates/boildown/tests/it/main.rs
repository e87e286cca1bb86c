//! Tests of the program: its output, its files, its exit codes.
#![expect(
    clippy::unwrap_used,
    reason = "in helpers of tests too, a surprise is a failed test"
)]

mod archives;
mod changes;
mod changes_builds;
mod changes_causes;
mod changes_contained;
mod changes_faults;
mod changes_resume;
mod deduction;
mod directions;
mod env;
mod environment;
mod explain;
mod files;
mod flaky;
mod habits;
mod help;
mod hostile;
mod interrupts;
mod isolate;
mod jobs;
mod json;
mod lab;
mod messages;
mod others;
mod place;
mod properties;
mod repo;
mod resume;
mod runs;
mod sandbox;
mod scripts;
mod surroundings;
mod units;
