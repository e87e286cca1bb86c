//! The pass that deletes the units that a module does the same without, many at once.

use std::sync::Arc;

use boildown_search::algorithms::Algorithm;
use boildown_search::list::{InBatches, List, ListAlgorithm as _};
use boildown_search::{AnyListSearch, Batches, Query, Search, Subset, Verdict};

use crate::Document;

/// Deletes units that a module does the same without: class by class, as many of a class as
/// possible. Single ones are left to the sweep that follows: each hit makes it ask about all others
/// again.
///
/// # Guarantee
/// Ends with an interesting set. What it asks about deletes at least two tokens.
/// # Cost
/// That of the list algorithm over each class.
/// # Units
/// Elements of candidates are tokens of the document.
#[derive(Debug, Clone)]
pub(crate) struct IdleTokens {
    /// The classes that are to come, the next one last.
    later: Vec<Vec<usize>>,
    /// The tokens of the class at work.
    tokens: Arc<[usize]>,
    list: Batches<AnyListSearch>,
    algorithm: InBatches<Algorithm>,
    /// The tokens that are kept where the list begins.
    before: Subset,
    next: Option<Query<Subset>>,
}

impl IdleTokens {
    pub(crate) fn new(document: &Document, algorithm: InBatches<Algorithm>) -> Self {
        let mut later = document.idle_tokens();
        later.reverse();
        let mut search = Self {
            later,
            tokens: Arc::new([]),
            list: Self::list(0, algorithm),
            algorithm,
            before: Subset::full(document.len()),
            next: None,
        };
        search.advance();
        search
    }

    fn list(length: usize, algorithm: InBatches<Algorithm>) -> Batches<AnyListSearch> {
        let list = algorithm.algorithm.on(List::uniform(length));
        Batches::new(list, algorithm.batch_size)
    }

    /// Moves on to the next query that deletes several tokens.
    fn advance(&mut self) {
        self.next = loop {
            let Some(query) = self.list.ask() else {
                let Some(class) = self.later.pop() else {
                    break None;
                };
                self.before = self.best();
                self.list = Self::list(class.len(), self.algorithm);
                self.tokens = class.into();
                continue;
            };
            if query.candidate.count() + 1 < self.list.best().count() {
                break Some(query.map(|kept| self.keep(&kept)));
            }
            self.list.skip();
        };
    }

    /// Returns the tokens of the document with these of the class.
    fn keep(&self, kept: &Subset) -> Subset {
        let gone = self.tokens.iter().enumerate();
        let gone = gone.filter(|(index, _)| !kept.contains(*index));
        let mut tokens = self
            .before
            .without(gone.map(|(_, &token)| token..token + 1));
        tokens.commit();
        tokens
    }
}

impl Search for IdleTokens {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.next.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.list.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.list.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.keep(&self.list.best())
    }
}
