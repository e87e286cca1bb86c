//! The search for the files of a folder that are needed, each with what it mentions.

use std::collections::BTreeSet;
use std::sync::Arc;

use boildown_folder::{FolderInput, FolderText};
use boildown_search::graph::{BinaryReduction, Requirements};
use boildown_search::list::List;
use boildown_search::{Query, Search as _, Subset, Verdict};

use crate::file_graph::mentions_of_files;

/// The search ends when it has deleted less than one part in this many of what was left, with
/// the queries that two needed files take.
const WORTHWHILE: u64 = 8;

/// A search that keeps files together with those that they mention.
///
/// The files that the test names are tried first: they, and all that they mention directly or
/// through others, are kept alone. If that is not enough, the other files that are needed are found
/// one by one, by bisecting the closures of all files.
///
/// # Guarantee
/// None: what is left goes to the deletion of single files.
/// # Cost
/// At most 2·(⌈log₂ n⌉ + 2) queries that delete less than an eighth of what is left, and as many
/// again for each eighth.
#[derive(Debug, Clone)]
pub(super) struct ClosureSearch {
    /// The entries that can be deleted: the elements of the list.
    leaves: Arc<[usize]>,
    search: BinaryReduction,
    /// Which entry mentions which other.
    mentions: Arc<[(usize, usize)]>,
    /// The weights of the elements.
    weights: Arc<[u32]>,
    /// The weight that was left at the beginning of the current period, and the queries since.
    before: u64,
    asked: u32,
    period: u32,
    has_ended: bool,
    /// Whether the files that the test names were enough, with those that they mention; `None`
    /// until that is known.
    named_suffice: Option<bool>,
}

impl ClosureSearch {
    /// Returns the search over those kept entries for which `is_leaf` holds.
    pub(super) fn new(
        input: &FolderInput,
        text: &FolderText,
        is_leaf: impl Fn(usize) -> bool,
    ) -> Self {
        let mentions = mentions_of_files(input, text);
        let graph = Requirements::new(input.listing.entries().len(), mentions.iter().copied());
        let named = input.named.iter().copied();
        let known = graph.closure(named.filter(|&entry| text.is_kept(entry)));
        let leaves = text.kept();
        let leaves: Vec<usize> = leaves
            .filter(|&entry| is_leaf(entry) && !known.contains(entry))
            .collect();
        let element = |entry: usize| leaves.binary_search(&entry).ok();
        let between =
            (mentions.iter()).filter_map(|&(user, used)| Some((element(user)?, element(used)?)));
        let requirements = Requirements::new(leaves.len(), between);
        let size = |&entry: &usize| text.size_of(&input.listing, entry);
        let weight = |entry| {
            u32::try_from(size(entry))
                .unwrap_or(u32::MAX)
                .saturating_add(1)
        };
        let weights: Vec<u32> = leaves.iter().map(weight).collect();
        let search = BinaryReduction::on(List::weighted(weights.iter().copied()), requirements);
        let mut search = Self {
            period: 2 * (leaves.len().max(1).ilog2() + 2),
            leaves: leaves.into(),
            before: 0,
            search,
            mentions: mentions.into(),
            weights: weights.into(),
            asked: 0,
            has_ended: false,
            named_suffice: None,
        };
        search.before = search.weight();
        // The empty folder is no candidate.
        if known.count() == 0 && search.ask().is_some() {
            search.skip();
        }
        search
    }

    /// Returns the weight of what is left.
    fn weight(&self) -> u64 {
        let best = self.search.best();
        best.iter()
            .map(|element| u64::from(self.weights[element]))
            .sum()
    }

    /// Returns the entries of a state that are named by the test, or mentioned by another one, if
    /// the first query has shown that nothing else is needed; otherwise none.
    pub(super) fn likely_needed(&self, input: &FolderInput, text: &FolderText) -> BTreeSet<usize> {
        if self.named_suffice != Some(true) {
            return BTreeSet::new();
        }
        let mentioned = self.mentions.iter();
        let mentioned = mentioned.filter(|(user, _)| text.is_kept(*user));
        let mentioned = mentioned.map(|&(_, used)| used);
        mentioned.chain(input.named.iter().copied()).collect()
    }

    /// Returns the entries that are not kept.
    pub(super) fn gone<'a>(&'a self, kept: &'a Subset) -> impl Iterator<Item = usize> + 'a {
        let leaves = self.leaves.iter().enumerate();
        leaves
            .filter(|(element, _)| !kept.contains(*element))
            .map(|(_, &entry)| entry)
    }

    pub(super) fn ask(&self) -> Option<Query<Subset>> {
        match self.has_ended {
            true => None,
            false => self.search.ask(),
        }
    }

    pub(super) fn tell(&mut self, verdict: Verdict) {
        self.search.tell(verdict);
        self.named_suffice.get_or_insert(verdict.is_interesting());
        self.asked += 1;
        if self.asked < self.period {
            return;
        }
        let left = self.weight();
        self.has_ended = left > self.before - self.before / WORTHWHILE;
        (self.before, self.asked) = (left, 0);
    }

    pub(super) fn skip(&mut self) {
        self.search.skip();
        self.named_suffice.get_or_insert(false);
    }

    pub(super) fn best(&self) -> Subset {
        self.search.best()
    }
}
