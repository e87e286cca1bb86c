//! Showing a session: plain lines, a live line, JSON, or nothing.

mod json;
mod text;

use std::path::Path;

use boildown_session::{Event, Summary};

pub(crate) use json::Json;
pub(crate) use text::Text;

/// What is known at the end, beside the summary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending<'a> {
    /// The input.
    pub(crate) input: &'a Path,
    /// Where the result is.
    pub(crate) output: &'a Path,
    /// Where the input is kept, when the result took its place.
    pub(crate) backup: Option<&'a Path>,
    /// Whether the result is the input.
    pub(crate) unchanged: bool,
    pub(crate) summary: &'a Summary,
    pub(crate) tokens_before: Option<usize>,
    pub(crate) tokens_after: Option<usize>,
    /// What it means that the search finished.
    pub(crate) units: &'static str,
    /// Seconds of processor time that boildown itself used, without the commands it ran.
    pub(crate) own_cpu: f64,
}

/// A consumer of events.
pub(crate) trait Report {
    /// Says something before the reduction starts.
    fn note(&mut self, text: &str);
    fn event(&mut self, event: &Event);
    fn finish(&mut self, ending: &Ending<'_>);
}

/// Says nothing.
pub(crate) struct Quiet;

impl Report for Quiet {
    fn note(&mut self, _: &str) {}
    fn event(&mut self, _: &Event) {}
    fn finish(&mut self, _: &Ending<'_>) {}
}
