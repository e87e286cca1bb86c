//! Figures of replays, and the replay that another one is compared with.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use boildown_search::Fingerprinted as _;
use serde::{Deserialize, Serialize};

use super::replay::{Replayed, Setting};
use crate::corpus::Subject;

/// The figures of one replay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ReplayRow {
    pub(super) subject: String,
    pub(super) latency: String,
    pub(super) workers: usize,
    pub(super) seconds: f64,
    pub(super) questions: u64,
    pub(super) runs: u64,
    pub(super) driver: f64,
    pub(super) memory: Option<u64>,
    pub(super) bytes: usize,
    pub(super) tokens: usize,
    /// The fingerprint of the result.
    pub(super) result: String,
}

impl ReplayRow {
    pub(super) fn new(subject: &Subject, setting: &Setting, replayed: &Replayed) -> Self {
        let best = &replayed.best;
        Self {
            subject: subject.name.clone(),
            latency: setting.latency.name().to_owned(),
            workers: setting.workers,
            seconds: replayed.seconds,
            questions: replayed.questions,
            runs: replayed.runs,
            driver: replayed.driver,
            memory: replayed.memory,
            bytes: best.bytes().len(),
            tokens: best.token_count(),
            result: format!("{:?}", best.fingerprint()),
        }
    }
}

/// Reads the figures that `--out` wrote.
pub(super) fn read(path: &Path) -> Result<Vec<ReplayRow>> {
    let text = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("parse {}", path.display()))
}

/// Returns the row that a row is compared with: one worker, of `against` if it has the subject.
pub(super) fn baseline<'a>(
    row: &ReplayRow,
    rows: &'a [ReplayRow],
    against: &'a [ReplayRow],
) -> Option<&'a ReplayRow> {
    let is_baseline = |other: &&ReplayRow| {
        other.workers == 1 && other.subject == row.subject && other.latency == row.latency
    };
    let before = against.iter().find(is_baseline);
    before.or_else(|| rows.iter().find(is_baseline))
}
