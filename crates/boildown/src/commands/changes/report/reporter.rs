//! The interface of the reporters of a culprit search.

use std::path::Path;

use boildown_session::Event;
use boildown_session::changes::{CulpritReport, SearchTarget};

use crate::report::notes::Notes;

/// A consumer of the events of a culprit search.
pub(crate) trait ChangesReporter: Notes {
    /// Shows that the search begins.
    fn started(&mut self, _: &StartedChanges<'_>) {}

    fn event(&mut self, event: &Event);
    fn finish(&mut self, report: &CulpritSearchReport<'_>);
}

/// A culprit search that begins.
pub(crate) struct StartedChanges<'a> {
    /// The first state, as the user named it.
    pub(crate) good: &'a str,
    /// The second state, as the user named it.
    pub(crate) bad: &'a str,
    pub(crate) command: &'a str,
    pub(crate) output: &'a Path,
}

/// The result of a culprit search.
pub(crate) struct CulpritSearchReport<'a> {
    pub(crate) found: &'a CulpritReport,
    pub(crate) target: SearchTarget,
    /// The first state, as the user named it.
    pub(crate) good: &'a str,
    /// The second state, as the user named it.
    pub(crate) bad: &'a str,
    pub(crate) command: &'a str,
    pub(crate) output: &'a Path,
    pub(crate) patch: &'a [u8],
    /// The patches of the other causes.
    pub(crate) other_patches: &'a [Vec<u8>],
    /// Whether the culprit alone shows the failure of the bad state; `None` when the bad state
    /// shows no failure to compare with.
    pub(crate) same_failure: Option<bool>,
}

/// Prints nothing.
pub(crate) struct QuietChanges;

impl Notes for QuietChanges {
    fn note(&mut self, _: &str) {}
}

impl ChangesReporter for QuietChanges {
    fn event(&mut self, _: &Event) {}
    fn finish(&mut self, _: &CulpritSearchReport<'_>) {}
}
