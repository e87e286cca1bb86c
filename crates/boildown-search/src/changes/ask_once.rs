//! The memory of the dd family: asks about each configuration once, answers repeats itself.

use rpds::RedBlackTreeMapSync;

use crate::odds::HitRate;
use crate::{Fingerprint, Fingerprinted as _, Query, Subset, Verdict};

/// A search over configurations that may ask about the same one again, as the definitions in the
/// papers do. [`AskOnce`] makes a [`Search`](crate::Search) of it.
pub(crate) trait ConfigurationSearch: Clone {
    /// Returns the next query, or `None` when the search is finished.
    fn next_query(&self) -> Option<ConfigurationQuery>;

    /// Records the verdict on the query of `next_query`.
    fn record(&mut self, verdict: Verdict);
}

/// A configuration that a search asks about.
#[derive(Debug, Clone)]
pub(crate) struct ConfigurationQuery {
    pub(crate) candidate: Subset,
    pub(crate) kind: ConfigurationKind,
}

/// The kinds of configurations whose hit rates are learned apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConfigurationKind {
    /// A part of the suspects, with everything that stays applied.
    Part,
    /// Everything but a part.
    Complement,
}

/// A [`ConfigurationSearch`] with a memory of all verdicts.
///
/// When the inner search asks about a configuration with a known verdict, `AskOnce` answers, and
/// repeats this until the inner search asks about a new configuration or is finished.
#[derive(Debug, Clone)]
pub(crate) struct AskOnce<P> {
    inner: P,
    /// All verdicts so far. Skipped configurations count as `Unresolved`.
    known: RedBlackTreeMapSync<Fingerprint, Verdict>,
    /// The next query. Invariant: not in `known`; `None` only when the inner search is finished.
    pending: Option<(Fingerprint, ConfigurationQuery)>,
    best: Subset,
    /// The number of changes in `best`.
    size: usize,
    /// The hit rates of parts and of complements.
    rates: [HitRate; 2],
}

impl<P: ConfigurationSearch> AskOnce<P> {
    /// Starts from a configuration known to fail, with first estimates of the hit rates of parts
    /// and of complements.
    pub(crate) fn new(inner: P, start: Subset, guesses: [f64; 2]) -> Self {
        let mut search = Self {
            inner,
            known: RedBlackTreeMapSync::new_sync(),
            pending: None,
            size: start.count(),
            best: start,
            rates: guesses.map(HitRate::new),
        };
        let start = search.best.fingerprint();
        search.known.insert_mut(start, Verdict::Interesting);
        search.advance();
        search
    }

    /// Starts another inner search from another configuration known to fail. All verdicts stay
    /// known.
    pub(crate) fn restart(&mut self, inner: P, start: Subset) {
        self.inner = inner;
        self.size = start.count();
        self.known
            .insert_mut(start.fingerprint(), Verdict::Interesting);
        self.best = start;
        self.advance();
    }

    pub(crate) fn inner(&self) -> &P {
        &self.inner
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.pending.is_none()
    }

    /// Returns the verdict on a configuration, if it is known.
    pub(crate) fn verdict(&self, candidate: &Subset) -> Option<Verdict> {
        self.known.get(&candidate.fingerprint()).copied()
    }

    pub(crate) fn best(&self) -> &Subset {
        &self.best
    }

    pub(crate) fn ask(&self) -> Option<Query<Subset>> {
        let (_, query) = self.pending.as_ref()?;
        Some(Query {
            candidate: query.candidate.clone(),
            odds: self.rates[query.kind as usize].odds(),
        })
    }

    pub(crate) fn tell(&mut self, verdict: Verdict) {
        if let Some((_, query)) = &self.pending {
            self.rates[query.kind as usize].learn(verdict.into());
        }
        self.record(verdict);
    }

    pub(crate) fn skip(&mut self) {
        self.record(Verdict::Unresolved);
    }

    fn record(&mut self, verdict: Verdict) {
        if let Some((fingerprint, query)) = self.pending.take() {
            self.known.insert_mut(fingerprint, verdict);
            self.forward(&query, verdict);
            self.advance();
        }
    }

    /// Passes a verdict to the inner search and updates the best configuration.
    fn forward(&mut self, query: &ConfigurationQuery, verdict: Verdict) {
        if verdict.is_interesting() {
            let size = query.candidate.count();
            if size < self.size {
                self.best = query.candidate.clone();
                self.size = size;
            }
        }
        self.inner.record(verdict);
    }

    /// Advances the inner search to its next query without a known verdict.
    fn advance(&mut self) {
        self.pending = None;
        while let Some(query) = self.inner.next_query() {
            let fingerprint = query.candidate.fingerprint();
            let Some(&verdict) = self.known.get(&fingerprint) else {
                self.pending = Some((fingerprint, query));
                return;
            };
            self.forward(&query, verdict);
        }
    }
}

/// Implements `Search` and `history` for a type whose field `search` is an [`AskOnce`].
macro_rules! search_by_ask_once {
    ($search:ty) => {
        impl $crate::Search for $search {
            type Candidate = $crate::Subset;

            fn ask(&self) -> Option<$crate::Query<$crate::Subset>> {
                self.search.ask()
            }

            fn tell(&mut self, verdict: $crate::Verdict) {
                self.search.tell(verdict);
            }

            fn skip(&mut self) {
                self.search.skip();
            }

            fn best(&self) -> $crate::Subset {
                self.search.best().clone()
            }
        }

        impl $search {
            /// Returns the decisions so far, in order.
            pub fn history(&self) -> impl Iterator<Item = &$crate::changes::Decision> + '_ {
                self.search.inner().history.iter()
            }
        }
    };
}

pub(crate) use search_by_ask_once;
