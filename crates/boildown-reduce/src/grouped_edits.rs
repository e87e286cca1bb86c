//! Edits in groups, by a list algorithm over each group.

use std::sync::Arc;

use boildown_document::{Candidate, Check, Document, Substitutes};
use boildown_search::algorithms::Algorithm;
use boildown_search::list::{List, ListAlgorithm as _};
use boildown_search::{AnyListSearch, Query, Search, Subset, Verdict};

use crate::edit::{Edit, EditSet, edited};

/// Sets of edits that are tried together.
pub(crate) type EditGroup = Vec<EditSet>;

/// Makes as many edits of each group as possible, one group after the other.
///
/// # Guarantee
/// Ends with an interesting candidate. What it asks about deletes at least `smallest` tokens.
/// # Cost
/// That of the list algorithm over each group, whose elements weigh as many tokens as they delete.
/// A candidate is linear in the number of edits of the group.
/// # Units
/// Ranges of edits are of tokens of the document.
#[derive(Debug, Clone)]
pub(crate) struct GroupedEdits {
    document: Arc<Document>,
    /// The check of the parse gate on each candidate.
    check: Check,
    group: Group,
    /// The groups that are to come, the next one last.
    later: Vec<Group>,
    /// What is kept where the list of `group` begins, and what stands in the place of the rest.
    before: (Subset, Substitutes),
    /// Queries that would delete fewer tokens are skipped.
    smallest: usize,
    /// Whether no edit puts a text in the place of tokens.
    only_deletes: bool,
    next: Option<Query<Candidate>>,
}

#[derive(Debug, Clone)]
struct Group {
    sets: Arc<[EditSet]>,
    list: AnyListSearch,
}

impl GroupedEdits {
    /// Starts a search over the edits of a document.
    pub(crate) fn new(
        document: &Arc<Document>,
        groups: impl IntoIterator<Item = EditGroup>,
        algorithm: &Algorithm,
        smallest: usize,
        check: Check,
    ) -> Self {
        let groups = groups.into_iter();
        let mut later: Vec<Group> = groups.map(|group| Group::new(group, algorithm)).collect();
        later.reverse();
        let mut edits = later.iter().flat_map(|group| group.sets.iter().flatten());
        let only_deletes = edits.all(Edit::is_deletion);
        let mut search = Self {
            document: Arc::clone(document),
            check,
            group: Group::new(Vec::new(), algorithm),
            later,
            before: (Subset::full(document.len()), Substitutes::new()),
            smallest: smallest.max(1),
            only_deletes,
            next: None,
        };
        search.advance();
        search
    }

    /// Returns whether no edit puts a text in the place of tokens.
    pub(crate) fn only_deletes(&self) -> bool {
        self.only_deletes
    }

    /// Moves on to the next query that deletes enough.
    fn advance(&mut self) {
        self.next = loop {
            let Some(query) = self.group.list.ask() else {
                let Some(later) = self.later.pop() else {
                    break None;
                };
                self.before = self.group.edited(&self.before, &self.group.list.best());
                self.group = later;
                continue;
            };
            if self.group.deletes(&query.candidate) >= self.smallest {
                break Some(query.map(|kept| self.candidate(&kept, self.check)));
            }
            self.group.list.skip();
        };
    }

    fn candidate(&self, kept: &Subset, check: Check) -> Candidate {
        let (tokens, substitutes) = self.group.edited(&self.before, kept);
        Candidate::new(Arc::clone(&self.document), tokens, check).with(Arc::new(substitutes))
    }
}

impl Group {
    fn new(sets: EditGroup, algorithm: &Algorithm) -> Self {
        let weights = sets.iter().map(|edits| weight(edits));
        let weights = weights.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
        let list = algorithm.on(List::weighted(weights));
        Self {
            sets: sets.into(),
            list,
        }
    }

    /// Returns the number of tokens that go when only these sets are not made.
    fn deletes(&self, kept: &Subset) -> usize {
        let best = self.list.best();
        let gone = best.cuts_to(kept).into_iter().flatten();
        let gone = gone.filter(|&set| best.contains(set));
        gone.map(|set| weight(&self.sets[set])).sum()
    }

    /// Returns the tokens and the texts after the sets that are not `kept`.
    fn edited(&self, before: &(Subset, Substitutes), kept: &Subset) -> (Subset, Substitutes) {
        let made = self.sets.iter().enumerate();
        let made = made.filter(|(set, _)| !kept.contains(*set));
        let (mut tokens, texts) = edited(&before.0, &before.1, made.flat_map(|(_, edits)| edits));
        tokens.commit();
        (tokens, texts)
    }
}

/// Returns the number of tokens that edits delete.
fn weight(edits: &[Edit]) -> usize {
    edits.iter().map(|edit| edit.cut().len()).sum()
}

impl Search for GroupedEdits {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        self.next.clone()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.group.list.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.group.list.skip();
        self.advance();
    }

    fn best(&self) -> Candidate {
        self.candidate(&self.group.list.best(), Check::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::reduced_text::{program, reduced};

    /// Returns what is left, and the number of queries, when `needed` has to stay.
    fn run(groups: &[&[&[Range<usize>]]], smallest: usize, needed: &str) -> (String, usize) {
        let (document, _) = program("0 1 2 3 4 5 6 7 8 9");
        let set = |set: &&[Range<usize>]| set.iter().map(Edit::deletion).collect();
        let groups = groups.iter().map(|group| group.iter().map(set).collect());
        let search = GroupedEdits::new(
            &document,
            groups,
            &Algorithm::default(),
            smallest,
            Check::Nothing,
        );
        assert!(search.only_deletes());
        reduced(search, &[needed])
    }

    #[test]
    fn a_group_that_may_go_goes_in_one_query() {
        let groups: [&[&[_]]; 2] = [&[&[0..2], &[3..4, 6..9]], &[&[5..6]]];
        assert_eq!(run(&groups, 1, "9"), ("2 4 9".to_owned(), 2));
    }

    #[test]
    fn what_a_deletion_needs_keeps_all_of_it() {
        let groups: [&[&[_]]; 2] = [&[&[0..2], &[3..4, 6..9]], &[&[5..6]]];
        assert_eq!(run(&groups, 1, "7").0, "2 3 4 6 7 8 9");
    }

    #[test]
    fn queries_that_delete_too_little_are_not_asked() {
        let groups: [&[&[_]]; 2] = [&[&[0..2], &[3..4]], &[&[5..9]]];
        assert_eq!(run(&groups, 4, "9"), ("0 1 2 3 4 9".to_owned(), 1));
    }

    #[test]
    fn a_text_takes_the_place_of_what_is_deleted() {
        let (document, _) = program("0 1 2 3 4 5 6 7 8 9");
        let groups = [vec![
            vec![Edit::new(&(1..4), *b"x")],
            vec![Edit::new(&(6..9), *b"y")],
        ]];
        let search = GroupedEdits::new(&document, groups, &Algorithm::default(), 1, Check::Nothing);
        assert!(!search.only_deletes());
        assert_eq!(reduced(search, &["7"]).0, "0 x 4 5 6 7 8 9");
    }
}
