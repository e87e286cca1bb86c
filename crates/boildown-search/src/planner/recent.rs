//! A bounded memory of recent verdicts.

use std::collections::HashMap;

use crate::{Fingerprint, Verdict};

/// Remembers the verdicts of the last one to two spans of time and forgets earlier ones. Time is
/// counted in verdicts.
///
/// A reader states the time at which it looks. The result depends only on that time, not on the
/// newest verdict, so a clone that is ahead of the real search sees what the real search will see
/// at the same point.
#[derive(Debug)]
pub(crate) struct Recent {
    span: u64,
    /// The span of the newest verdict.
    current: u64,
    newest: HashMap<Fingerprint, Verdict>,
    /// The verdicts of the span before `current`.
    older: HashMap<Fingerprint, Verdict>,
}

impl Recent {
    pub(crate) fn new(span: u64) -> Self {
        Self {
            span: span.max(1),
            current: 0,
            newest: HashMap::new(),
            older: HashMap::new(),
        }
    }

    /// Adds a verdict. Times ascend.
    pub(crate) fn insert(&mut self, time: u64, fingerprint: Fingerprint, verdict: Verdict) {
        let span = time / self.span;
        if span > self.current {
            let before = std::mem::take(&mut self.newest);
            self.older = if span == self.current + 1 {
                before
            } else {
                HashMap::new()
            };
            self.current = span;
        }
        self.newest.insert(fingerprint, verdict);
    }

    /// Returns the verdict as seen at `time`, which is not before the time of the newest verdict.
    pub(crate) fn get(&self, time: u64, fingerprint: Fingerprint) -> Option<Verdict> {
        let newest = || self.newest.get(&fingerprint).copied();
        match (time / self.span).saturating_sub(self.current) {
            0 => newest().or_else(|| self.older.get(&fingerprint).copied()),
            1 => newest(),
            _ => None,
        }
    }

    /// Returns whether a verdict recorded at `from` is still seen at `to`.
    pub(crate) fn reaches(&self, from: u64, to: u64) -> bool {
        to / self.span <= from / self.span + 1
    }

    pub(crate) fn remove(&mut self, fingerprint: Fingerprint) -> Option<Verdict> {
        (self.newest.remove(&fingerprint)).or_else(|| self.older.remove(&fingerprint))
    }

    pub(crate) fn len(&self) -> usize {
        self.newest.len() + self.older.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u64) -> Fingerprint {
        Fingerprint::new(number.into())
    }

    #[test]
    fn what_is_seen_at_a_time_does_not_depend_on_how_far_things_have_come() {
        let span = 4;
        for come in 0..30 {
            let mut recent = Recent::new(span);
            for time in 0..=come {
                recent.insert(time, number(time), Verdict::Interesting);
            }
            // `come + 1` is the time at which the next query is asked; a clone may be further on.
            for ahead in come + 1..come + 20 {
                for time in 0..=come {
                    let seen = recent.get(ahead, number(time)).is_some();
                    assert_eq!(seen, recent.reaches(time, ahead), "{time} at {ahead}");
                    assert_eq!(seen, ahead / span <= time / span + 1);
                }
            }
            assert!(recent.len() <= 2 * 4);
        }
    }
}
