//! Answers about edits on one base, as guesses for the same edits on another.

use super::recent::Recent;
use crate::odds::{Hit, HitRate};
use crate::{Fingerprint, Verdict};

/// The number of edits that are remembered at least.
const MEMORY: u64 = 1 << 14;

/// The last answer about each edit, and how often the next answer was the same.
///
/// After a hit, a search asks again about much that it has asked, or that speculation has run, on
/// the larger base. For example, while `a` is tested on a base of `a`, `b`, `c` and `d`, idle
/// workers test `b`, `c` and `d` for the case that `a` misses. When `a` hits, none of these answers
/// counts, but if only `c` hit there, then on the base without `a` probably only `c` hits too.
#[derive(Debug)]
pub(super) struct KnownEdits {
    verdicts: Recent,
    /// The number of answers so far.
    answers: u64,
    /// How often an edit hits that hit before.
    after_hit: HitRate,
    /// How often an edit hits that missed before.
    after_miss: HitRate,
}

impl KnownEdits {
    pub(super) fn new() -> Self {
        Self {
            verdicts: Recent::new(MEMORY),
            answers: 0,
            after_hit: HitRate::new(0.8),
            after_miss: HitRate::new(0.05),
        }
    }

    /// Returns the odds that a query hits: those of the search, unless the same edit was answered
    /// about before.
    pub(super) fn odds(&self, edit: Option<Fingerprint>, odds: f64) -> f64 {
        match edit.and_then(|edit| self.verdicts.get(self.answers, edit)) {
            None => odds,
            Some(Verdict::Interesting) => self.after_hit.odds().max(odds),
            Some(Verdict::Uninteresting | Verdict::Unresolved) => self.after_miss.odds().min(odds),
        }
    }

    /// Returns whether an edit was answered about.
    pub(super) fn knows(&self, edit: Fingerprint) -> bool {
        self.verdicts.get(self.answers, edit).is_some()
    }

    /// Records an answer about an edit.
    pub(super) fn learn(&mut self, edit: Fingerprint, verdict: Verdict) {
        match self.verdicts.get(self.answers, edit) {
            None => {}
            Some(Verdict::Interesting) => self.after_hit.learn(Hit::from(verdict)),
            Some(_) => self.after_miss.learn(Hit::from(verdict)),
        }
        self.verdicts.insert(self.answers, edit, verdict);
        self.answers += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_expected_to_be_answered_as_before() {
        let mut known = KnownEdits::new();
        let [hit, miss, other] = [1, 2, 3].map(Fingerprint::new);
        known.learn(hit, Verdict::Interesting);
        known.learn(miss, Verdict::Unresolved);
        assert!(known.odds(Some(hit), 0.3) > 0.7);
        assert!(known.odds(Some(miss), 0.3) < 0.1);
        for unknown in [Some(other), None] {
            assert!((known.odds(unknown, 0.3) - 0.3).abs() < 1e-9);
        }
    }

    #[test]
    fn how_well_answers_repeat_is_learned() {
        let mut known = KnownEdits::new();
        let edit = Fingerprint::new(1);
        for _ in 0..100 {
            known.learn(edit, Verdict::Interesting);
            known.learn(edit, Verdict::Uninteresting);
        }
        // The last answer was a miss, after which there always was a hit; the search says 0.5.
        assert!((known.odds(Some(edit), 0.5) - 0.5).abs() < 1e-9);
        known.learn(edit, Verdict::Interesting);
        assert!((known.odds(Some(edit), 0.3) - 0.3).abs() < 1e-9);
    }
}
