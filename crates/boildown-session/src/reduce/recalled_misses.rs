//! Misses that a claim rests on and that this session has not run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;

use boildown_oracle::{Interrupt, Verdict};
use boildown_reduce::Reduction;
use boildown_search::{Fingerprinted as _, Search as _};
use boildown_store::RunStore;

/// The maximum number of candidates of which an earlier session has run each that are run again.
const MAX_RUN: usize = 64;

/// The maximum size of a result whose misses are listed, in bytes.
const MAX_BYTES: usize = 256 << 10;

/// The maximum number of queries that are looked at.
const MAX_QUERIES: u64 = 50_000;

/// The size of a candidate in bytes, its number, and its bytes.
type RecalledMiss = (usize, u64, Arc<[u8]>);

/// Candidates with a stored verdict from which a claim about a result would follow.
#[derive(Debug, Default)]
pub(super) struct RecalledMisses {
    /// The largest that earlier sessions have run, the largest first.
    pub(super) own: Vec<Arc<[u8]>>,
    /// All that only another run has tested.
    pub(super) of_others: Vec<Arc<[u8]>>,
    /// Whether verdicts of others may be missing from the list.
    pub(super) is_cut_off: bool,
}

impl RecalledMisses {
    /// Lists the misses that a search from a result asks about, none of which is run: those whose
    /// verdict this session did not find.
    ///
    /// The search that found the result may have asked about them long before its last
    /// improvement, and did not ask twice. A search from the result asks about all of them.
    ///
    /// Example: the result is `abc`, and a search from it asks about `bc`, `ac`, `ab` and `a`. If
    /// an earlier session has tested them, they are listed in this order: the largest first.
    pub(super) fn list(
        mut search: Reduction,
        size: usize,
        store: &RunStore,
        interrupt: &Interrupt,
    ) -> Self {
        let mut misses = Self {
            is_cut_off: store.uses_known(),
            ..Self::default()
        };
        if size > MAX_BYTES {
            return misses;
        }
        let (mut largest, mut seen) = (BinaryHeap::<Reverse<RecalledMiss>>::new(), HashSet::new());
        for number in 0..MAX_QUERIES {
            while !search.is_ready() && !interrupt.is_triggered() {
                search.prepare();
            }
            let query = search.ask().filter(|_| !interrupt.is_triggered());
            let Some(query) = query else {
                misses.is_cut_off = false;
                break;
            };
            let content = query.candidate.fingerprint();
            let known = seen
                .insert(content)
                .then(|| store.recall(content))
                .flatten();
            if let Some(known) = known.filter(|known| known.is_earlier)
                && !known.verdict.is_interesting()
            {
                let bytes = Arc::clone(query.candidate.bytes());
                match known.is_of_others {
                    true => misses.of_others.push(bytes),
                    false => largest.push(Reverse((query.candidate.size(), number, bytes))),
                }
                if largest.len() > MAX_RUN {
                    largest.pop();
                }
            }
            search.tell(Verdict::Uninteresting);
        }
        let sorted = largest.into_sorted_vec().into_iter();
        misses.own = sorted.map(|Reverse((_, _, bytes))| bytes).collect();
        misses
    }
}
