//! The search for another order of the elements of a list.

use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Split, Substitutes};
use boildown_search::list::Reordering;
use boildown_search::{Query, Search, Subset, Verdict};

/// Sorts the elements of a list by their bytes, but for inversions that are needed: see
/// [`Reordering`].
#[derive(Debug, Clone)]
pub(super) struct Orders {
    document: Arc<Document>,
    split: Split,
    /// The tokens of the document in the wanted order.
    sorted: Arc<[usize]>,
    search: Reordering,
}

impl Orders {
    /// Starts on the elements of this document.
    pub(super) fn new(document: &Arc<Document>, split: Split) -> Self {
        let count = match split {
            // Variables and arguments cannot be exchanged.
            Split::Command(_) => 0,
            _ => document.len(),
        };
        let mut sorted: Vec<usize> = (0..count).collect();
        sorted.sort_by_key(|&token| split.item(document.token(token)));
        let mut ranks = vec![0; count];
        for (rank, &token) in sorted.iter().enumerate() {
            ranks[token] = rank;
        }
        Self {
            document: Arc::clone(document),
            split,
            sorted: sorted.into(),
            search: Reordering::new(ranks),
        }
    }

    /// Returns the candidate with the elements in this order. What ends an element stays where it
    /// is, because the last one may have no end.
    fn candidate(&self, order: &[usize], check: Check) -> Candidate {
        let document = &self.document;
        let moved = order.iter().map(|&rank| self.sorted[rank]).enumerate();
        let moved = moved.filter(|(place, token)| place != token);
        let substitutes: Substitutes = moved
            .map(|(place, token)| {
                let before = document.token(place);
                let end = &before[self.split.item(before).len()..];
                let text = [self.split.item(document.token(token)), end].concat();
                (place, text.into())
            })
            .collect();
        let all = Subset::full(document.len());
        let candidate = Candidate::new(Arc::clone(document), all, check);
        match substitutes.is_empty() {
            true => candidate,
            false => candidate.with(Arc::new(substitutes)),
        }
    }
}

impl Search for Orders {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        let query = self.search.ask()?;
        Some(query.map(|order| self.candidate(&order, Check::Nothing)))
    }

    fn tell(&mut self, verdict: Verdict) {
        self.search.tell(verdict);
    }

    fn skip(&mut self) {
        self.search.skip();
    }

    fn best(&self) -> Candidate {
        self.candidate(&self.search.best(), Check::Nothing)
    }
}
