//! Rejection of candidates that break requirements, for any list search.

use rpds::RedBlackTreeMapSync;

use boildown_search::algorithms::{Entry, Family};
use boildown_search::graph::Requirements;
use boildown_search::odds::HitRate;
use boildown_search::{ListSearch, Query, Search, Subset, Verdict};

/// Runs a list search, and skips candidates that keep an element without what it requires, or
/// lowers their odds.
///
/// A candidate is *broken* if it is not closed among the elements of the best set. The odds of a
/// query are those of the search inside, scaled by how often such queries have hit compared with
/// all queries. Queries are counted by two criteria: whether the candidate is broken, and how many
/// small deletions with its most suspicious element have missed.
///
/// # Guarantee
/// With [`BrokenPolicy::Ask`], that of the search inside: only odds change, and so only
/// speculation. With [`BrokenPolicy::Skip`], that of the search inside over the deletions that
/// break no requirement. An element is then never deleted before the elements that require it, and
/// elements that require each other only if one query deletes them together.
/// # Cost
/// At most the queries of the search inside. `tell` takes time proportional to the deleted elements
/// and those that require them directly.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// K. Heo, W. Lee, P. Pashakhanloo, M. Naik, *Effective Program Debloating via Reinforcement
/// Learning*, CCS 2018 (CHISEL): candidates that break a use-def chain are rejected without a test,
/// and the others are ordered by learned odds. Here the order is that of the search inside, and the
/// odds only steer speculation; [`Chisel`](super::Chisel) is a search with a learned order. Counts
/// replace the decision tree of the paper.
/// # Example
/// ```
/// use boildown_literature::graph::{BrokenPolicy, Rejecting};
/// use boildown_search::graph::Requirements;
/// use boildown_search::list::{Halving, List};
/// use boildown_search::{Search as _, Verdict, run};
///
/// // 1, 2 and 3 require 0: no candidate is tested that has one of them without 0.
/// let requirements = Requirements::new(4, (1..4).map(|user| (user, 0)));
/// let halving = Halving::on(List::uniform(4));
/// let search = Rejecting::new(halving, requirements, BrokenPolicy::Skip);
/// let search = run(search, |kept| match kept.contains(3) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// });
/// assert_eq!(search.best().iter().collect::<Vec<_>>(), [0, 3]);
/// ```
#[derive(Debug, Clone)]
pub struct Rejecting<S> {
    search: S,
    requirements: Requirements,
    broken_policy: BrokenPolicy,
    /// The current query, with scaled odds, and its kind. `None` when finished.
    query: Option<(Query<Subset>, RejectionKind)>,
    /// The number of missed deletions of at most [`Self::SMALL`] elements that included each
    /// element.
    misses: RedBlackTreeMapSync<usize, u32>,
    rates: RatesByKind,
}

/// The treatment of a candidate that breaks a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenPolicy {
    /// Skips it. The search inside advances as after a miss.
    Skip,
    /// Asks about it, with the odds that such candidates have had so far.
    Ask,
}

/// The kinds of queries whose hit rates are counted separately.
#[derive(Debug, Clone, Copy)]
struct RejectionKind {
    /// 0 for a closed candidate, 1 for a broken one.
    broken: usize,
    /// The number of missed deletions of the most suspicious element, at most 3.
    missed: usize,
}

#[derive(Debug, Clone, Copy)]
struct RatesByKind {
    all: HitRate,
    kinds: [[HitRate; 4]; 2],
}

impl RatesByKind {
    /// Returns `odds` scaled for a query of this kind.
    fn scale(&self, kind: RejectionKind, odds: f64) -> f64 {
        let rate = self.kinds[kind.broken][kind.missed].odds();
        (odds * rate / self.all.odds()).clamp(0.001, 0.999)
    }

    fn learn(&mut self, kind: RejectionKind, verdict: Verdict) {
        self.all.learn(verdict.into());
        self.kinds[kind.broken][kind.missed].learn(verdict.into());
    }
}

impl<S> Rejecting<S> {
    /// The size of the largest deletion that counts: a miss of a larger one says next to nothing
    /// about each element.
    const SMALL: usize = 64;
}

impl<S: Search<Candidate = Subset>> Rejecting<S> {
    /// Runs `search` and treats broken candidates by the policy.
    pub fn new(search: S, requirements: Requirements, broken_policy: BrokenPolicy) -> Self {
        let (whole, low) = (HitRate::new(0.2), HitRate::new(0.02));
        let mut rejecting = Self {
            search,
            requirements,
            broken_policy,
            query: None,
            misses: RedBlackTreeMapSync::new_sync(),
            rates: RatesByKind {
                all: whole,
                kinds: [[whole; 4], [low; 4]],
            },
        };
        rejecting.advance();
        rejecting
    }

    /// Returns the search inside, which was told everything so far.
    pub fn inner(&self) -> &S {
        &self.search
    }

    /// Returns the query with scaled odds, or `None` if it is to be skipped.
    fn assess(
        &self,
        best: &Subset,
        query: Query<Subset>,
    ) -> Option<(Query<Subset>, RejectionKind)> {
        let lost = best.lost_in(&query.candidate);
        let whole = self.requirements.none_requires(&lost, &query.candidate);
        if !whole && self.broken_policy == BrokenPolicy::Skip {
            return None;
        }
        let missed = |element| self.misses.get(element).copied().unwrap_or(0);
        let suspicion = if lost.len() <= Self::SMALL {
            lost.iter().map(missed).max().unwrap_or(0)
        } else {
            0
        };
        let kind = RejectionKind {
            broken: usize::from(!whole),
            missed: suspicion.min(3) as usize,
        };
        let odds = self.rates.scale(kind, query.odds);
        Some((Query { odds, ..query }, kind))
    }

    /// Counts a verdict on a query about the best set.
    fn learn(
        &mut self,
        best: &Subset,
        query: &Query<Subset>,
        kind: RejectionKind,
        verdict: Verdict,
    ) {
        self.rates.learn(kind, verdict);
        let lost = best.lost_in(&query.candidate);
        if verdict.is_interesting() || lost.len() > Self::SMALL {
            return;
        }
        for element in lost {
            let missed = self.misses.get(&element).copied().unwrap_or(0);
            self.misses.insert_mut(element, missed.saturating_add(1));
        }
    }

    /// Moves to the next query that is not to be skipped. Terminates, since every search ends
    /// however many queries are skipped.
    fn advance(&mut self) {
        let best = self.search.best();
        loop {
            let Some(query) = self.search.ask() else {
                self.query = None;
                return;
            };
            self.query = self.assess(&best, query);
            if self.query.is_some() {
                return;
            }
            self.search.skip();
        }
    }
}

impl<S: Search<Candidate = Subset>> Search for Rejecting<S> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Query<Subset>> {
        self.query.as_ref().map(|(query, _)| query.clone())
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some((query, kind)) = self.query.take() {
            self.learn(&self.search.best(), &query, kind, verdict);
        }
        self.search.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.search.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.search.best()
    }
}

/// After a restart the learned hit rates and misses stay.
impl<S: ListSearch> ListSearch for Rejecting<S> {
    fn restart(&mut self, best: Subset) {
        self.search.restart(best);
        self.advance();
    }
}

impl<S> Rejecting<S> {
    /// Description in the registry.
    pub(crate) const ENTRY: Entry = Entry {
        name: "rejecting",
        family: Family::Requirements,
        parameters: "",
        guarantee: "that of the list algorithm, over deletions that break no requirement",
        cost: "at most the queries of the list algorithm",
        source: "the static rejection of CHISEL, Heo et al., CCS 2018",
    };
}

#[cfg(test)]
mod tests {
    use boildown_search::list::{Halving, List, Sweep};

    use super::*;

    fn kept(query: &Query<Subset>) -> Vec<usize> {
        query.candidate.iter().collect()
    }

    #[test]
    fn a_broken_candidate_is_skipped() {
        // 1, 2 and 3 require 0, so the deletion of 0 is never asked about while 3 is needed.
        let requirements = Requirements::new(4, (1..4).map(|user| (user, 0)));
        let halving = Halving::on(List::uniform(4));
        let mut search = Rejecting::new(halving, requirements, BrokenPolicy::Skip);
        let mut asked = Vec::new();
        while let Some(query) = search.ask() {
            asked.push(kept(&query));
            search.tell(if query.candidate.contains(3) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        let expected: [&[usize]; 5] = [&[], &[0, 1], &[0, 1, 2], &[0, 1, 3], &[0, 3]];
        assert_eq!(asked, expected);
        assert_eq!(search.best().iter().collect::<Vec<_>>(), [0, 3]);
    }

    #[test]
    fn a_broken_candidate_and_one_that_missed_before_have_low_odds() {
        let sweep = Sweep::on(List::uniform(4));
        let requirements = Requirements::new(4, [(3, 2)]);
        let mut search = Rejecting::new(sweep.clone(), requirements, BrokenPolicy::Ask);
        let whole = search.ask().expect("3 is asked about").odds;
        search.tell(Verdict::Uninteresting);
        let broken_policy = search.ask().expect("2 is asked about");
        assert_eq!(kept(&broken_policy), [0, 1, 3]);
        assert!(
            broken_policy.odds < whole / 5.0,
            "{} and {whole}",
            broken_policy.odds
        );
        // 3 misses every time, 2 never.
        let mut search = Rejecting::new(sweep, Requirements::new(4, []), BrokenPolicy::Ask);
        for _ in 0..5 {
            search.restart(Subset::full(4));
            search.tell(Verdict::Uninteresting);
            search.tell(Verdict::Interesting);
        }
        search.restart(Subset::full(4));
        let suspicious = search.ask().expect("3 is asked about").odds;
        search.tell(Verdict::Uninteresting);
        let fresh = search.ask().expect("2 is asked about").odds;
        assert!(suspicious < fresh, "{suspicious} and {fresh}");
    }
}
