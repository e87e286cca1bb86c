//! Results of other reducers on the same subjects.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

/// The figures of one reducer on one subject.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Figures {
    pub(crate) tokens: Option<u64>,
    pub(crate) wall: Option<f64>,
    /// Whether a time limit ended the run.
    #[serde(default)]
    pub(crate) stopped: bool,
}

/// The best result of another reducer on one subject.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Best {
    pub(crate) peer: String,
    pub(crate) tokens: u64,
    pub(crate) wall: Option<f64>,
    pub(crate) stopped: bool,
}

/// Figures by subject, then by reducer.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Baseline(BTreeMap<String, BTreeMap<String, Figures>>);

impl Baseline {
    /// Reads `baseline.json` of a folder of subjects; returns `None` if there is none.
    pub(crate) fn beside(subjects: &Path) -> Result<Option<Self>> {
        let path = subjects.join("baseline.json");
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let baseline =
            serde_json::from_str(&text).with_context(|| format!("parse {}", path.display()))?;
        Ok(Some(baseline))
    }

    /// Returns the result with the fewest tokens, and of those the fastest.
    pub(crate) fn best(&self, subject: &str) -> Option<Best> {
        let figures = self.0.get(subject)?.iter();
        let finished = figures.filter_map(|(peer, figures)| {
            let Figures {
                tokens,
                wall,
                stopped,
            } = figures;
            tokens.map(|tokens| Best {
                peer: peer.clone(),
                tokens,
                wall: *wall,
                stopped: *stopped,
            })
        });
        let wall = |best: &Best| best.wall.unwrap_or(f64::INFINITY);
        finished.min_by(|a, b| a.tokens.cmp(&b.tokens).then(wall(a).total_cmp(&wall(b))))
    }
}

/// Returns our tokens divided by theirs; an empty result counts as one token.
pub(crate) fn ratio(ours: u64, theirs: u64) -> f64 {
    ours.max(1) as f64 / theirs.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_has_the_fewest_tokens_then_the_shortest_time() {
        let text = r#"{"s": {"a": {"tokens": 9, "wall": 1.0}, "b": {"tokens": 8, "wall": 7.0, "stopped": true},
            "c": {"tokens": 8, "wall": 6.0, "cpu": 3}, "d": {"tokens": null}}}"#;
        let baseline: Baseline = serde_json::from_str(text).unwrap();
        let best = baseline.best("s").unwrap();
        assert_eq!(
            (best.peer.as_str(), best.tokens, best.stopped),
            ("c", 8, false)
        );
        assert_eq!(baseline.best("t"), None);
        assert!((ratio(4, 8) - 0.5).abs() < 1e-12);
        assert!((ratio(0, 1) - 1.0).abs() < 1e-12);
    }
}
