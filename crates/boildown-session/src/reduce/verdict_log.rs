//! The verdicts of a reduction, compared with what the theory of delta debugging assumes.

use std::sync::{Arc, Weak};

use boildown_document::{Candidate, Document};
use boildown_search::Verdict;
use boildown_search::assumptions::{AssumptionCounts, TestedSubsets};

/// The most pairs of candidates that are looked at.
const MAX_PAIRS: u64 = 500_000;

/// Compares candidates of one document with each other, as sets of kept tokens. A pass reads the
/// result of the one before as another document, which is another list.
#[derive(Debug, Default)]
pub(super) struct VerdictLog {
    /// The document that is searched. It is not kept in memory for this.
    document: Weak<Document>,
    tested: TestedSubsets,
    /// The counts of the documents before.
    counts: AssumptionCounts,
}

impl VerdictLog {
    /// Adds a verdict that the search received. A candidate in which texts are replaced is left
    /// out.
    pub(super) fn add(&mut self, candidate: &Candidate, verdict: Verdict) {
        if !candidate.is_deletion() {
            return;
        }
        let document = Arc::downgrade(candidate.document());
        if !self.document.ptr_eq(&document) {
            self.counts = self.counts();
            self.tested = TestedSubsets::default();
            self.document = document;
        }
        self.tested.add(candidate.kept(), verdict);
    }

    /// Returns the counts so far.
    pub(super) fn counts(&self) -> AssumptionCounts {
        let mut counts = self.counts;
        counts += self.tested.counts(MAX_PAIRS - counts.pairs);
        counts
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::{Check, View};
    use boildown_search::assumptions::Agreement;

    use super::*;

    #[test]
    fn candidates_of_one_document_are_compared_with_each_other_only() {
        let document = |text: &[u8]| Arc::new(Document::new(&text.into(), View::Bytes(1)));
        let (abc, ab) = (document(b"abc"), document(b"ab"));
        let mut log = VerdictLog::default();
        let mut add = |document: &Arc<Document>, cut: std::ops::Range<usize>, verdict| {
            let all = boildown_search::Subset::full(document.len());
            let kept = all.without([cut]);
            log.add(
                &Candidate::new(Arc::clone(document), kept, Check::Nothing),
                verdict,
            );
        };
        add(&abc, 1..2, Verdict::Uninteresting);
        add(&abc, 1..3, Verdict::Interesting);
        add(&ab, 0..1, Verdict::Interesting);
        add(&ab, 1..2, Verdict::Uninteresting);
        let counts = log.counts();
        assert_eq!((counts.tested, counts.is_partial), (4, false));
        let once = Agreement {
            predicted: 1,
            contradicted: 1,
        };
        assert_eq!(counts.monotony, once);
    }
}
