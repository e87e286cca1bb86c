//! An oracle that decides at random.

use boildown_document::Candidate;
use boildown_search::{Fingerprinted as _, Verdict};

/// Returns a verdict that depends only on the candidate and the seed: `Interesting` for about one
/// candidate in `one_in`.
pub(crate) fn chance(candidate: &Candidate, seed: u64, one_in: u64) -> Verdict {
    let content = format!("{seed}{:?}", candidate.fingerprint());
    let hash = content
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    if (hash >> 20).is_multiple_of(one_in) {
        Verdict::Interesting
    } else {
        Verdict::Uninteresting
    }
}
