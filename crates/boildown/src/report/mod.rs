//! Showing a session: plain lines, a live line, JSON, or nothing.

mod diff;
mod json;
mod text;

use std::ops::Range;
use std::path::Path;

use boildown_oracle::Others;
use boildown_session::{Event, Sides, Summary};

use crate::trust::Trust;

pub(crate) use json::Json;
pub(crate) use text::{Text, clock, count};

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
    /// What runs that were repeated showed.
    pub(crate) trust: &'a Trust,
    /// What failed otherwise.
    pub(crate) others: &'a Others,
    /// Seconds of processor time that boildown itself used, without the commands it ran.
    pub(crate) own_cpu: f64,
}

/// What is known at the end of an isolation, beside the summary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Isolated<'a> {
    /// Where the two texts are.
    pub(crate) sides: &'a Sides,
    pub(crate) passing: &'a [u8],
    pub(crate) failing: &'a [u8],
    /// Where they differ, as bytes of both.
    pub(crate) places: &'a [(Range<usize>, Range<usize>)],
    /// How many changes that is, in these units.
    pub(crate) changes: usize,
    pub(crate) units: &'static str,
    pub(crate) summary: &'a Summary,
    /// Seconds of processor time that boildown itself used, without the commands it ran.
    pub(crate) own_cpu: f64,
}

/// Whoever can be told something that is no event.
pub(crate) trait Note {
    fn note(&mut self, text: &str);
}

/// A consumer of events.
pub(crate) trait Report: Note {
    fn event(&mut self, event: &Event);
    fn finish(&mut self, ending: &Ending<'_>);
    fn isolated(&mut self, ending: &Isolated<'_>);
}

/// Says nothing.
pub(crate) struct Quiet;

impl Note for Quiet {
    fn note(&mut self, _: &str) {}
}

impl Report for Quiet {
    fn event(&mut self, _: &Event) {}
    fn finish(&mut self, _: &Ending<'_>) {}
    fn isolated(&mut self, _: &Isolated<'_>) {}
}
