//! Candidates that were missed since the last improvement.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use boildown_document::Candidate;

/// The largest candidates on which the property did not hold since the last improvement.
///
/// A claim that a result is 1-minimal rests on them: they are the result without one unit each. If
/// the property holds on one of them in another run, the claim is wrong.
///
/// Example: after an improvement to `abcd`, the candidates `ab`, `bcd`, `acd` and `cd` are missed.
/// Of these, `bcd` and `acd` are kept first.
#[derive(Debug, Default)]
pub(super) struct NearMisses {
    /// The smallest of the kept candidates is on top.
    kept: BinaryHeap<Reverse<Miss>>,
    /// The number of candidates so far. Among candidates of the same size, later ones are kept.
    count: u64,
}

/// The size of a candidate in bytes, its number, and its bytes.
type Miss = (usize, u64, Arc<[u8]>);

/// The maximum number of candidates that are kept.
const MAX_KEPT: usize = 64;

/// Larger candidates are not kept, because of the memory.
const MAX_BYTES: usize = 1 << 20;

impl NearMisses {
    /// Adds a candidate on which the property did not hold.
    pub(super) fn add(&mut self, candidate: &Candidate) {
        let bytes = candidate.bytes();
        if bytes.len() > MAX_BYTES {
            return;
        }
        self.count += 1;
        let size = candidate.size();
        let is_large = |smallest: &Reverse<Miss>| size >= smallest.0.0;
        if self.kept.len() < MAX_KEPT || self.kept.peek().is_some_and(is_large) {
            let entry = (size, self.count, Arc::clone(bytes));
            self.kept.push(Reverse(entry));
        }
        if self.kept.len() > MAX_KEPT {
            self.kept.pop();
        }
    }

    /// Forgets all candidates: there is a new result.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }

    /// Returns this many of the largest candidates, the largest first.
    pub(super) fn largest(&self, count: usize) -> Vec<Arc<[u8]>> {
        let sorted = self.kept.clone().into_sorted_vec();
        let largest = sorted.into_iter().take(count);
        largest.map(|Reverse((_, _, bytes))| bytes).collect()
    }
}
