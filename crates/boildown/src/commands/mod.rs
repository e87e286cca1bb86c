//! The commands: each parses its arguments, prepares, runs, reports, and returns an exit code.

pub(crate) mod algorithms;
pub(crate) mod changes;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod isolate;
#[cfg(feature = "lab")]
pub(crate) mod lab;
#[cfg(not(feature = "lab"))]
#[path = "without_lab.rs"]
pub(crate) mod lab;
pub(crate) mod languages;
pub(crate) mod licences;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod reduce;
pub(crate) mod report;
pub(crate) mod service;
pub(crate) mod stage;
pub(crate) mod triage;
pub(crate) mod vendor;
pub(crate) mod worker;
