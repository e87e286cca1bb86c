//! Bisection of a history with branches and merges.

use rpds::RedBlackTreeSetSync;

use super::ancestry::Ancestry;
use super::ask_once::{
    AskOnce, ConfigurationKind, ConfigurationQuery, ConfigurationSearch, search_by_ask_once,
};
use super::decisions::{Decision, DecisionKind, History};
use crate::Verdict;

/// Bisects a history with branches and merges for the first commit that fails.
///
/// A query is a commit with all its ancestors. When it fails, the culprit is among these; when it
/// passes, it is not. Each query divides the commits that may be the culprit as evenly as possible,
/// whatever branches they are on, so a merge costs nothing. Commits that cannot be judged are left
/// out, and the next query is some way from them: at place 1, 3, 7, … of all commits in the order
/// of how evenly they divide the others.
///
/// For example, commits 1 and 2 are on two branches that begin at commit 0 and that commit 3
/// merges. Commit 3 fails. The first query is 1 with 0; if it passes, 2 or 3 is the culprit, and
/// the second query is 2 with 0.
///
/// # Guarantee
/// The commit [`failing`](Self::failing) was told `Interesting`, or is the last one. Every parent
/// of it is an ancestor of a commit that was told `Uninteresting`, or
/// [`suspects`](Self::suspects) lists the commits that could not be judged and may be the culprit
/// too. With one culprit that no commit repairs, the culprit is `failing` or a suspect.
/// # Cost
/// At most ⌈log₂ n⌉ queries for n commits without branches if none is unresolved. With branches
/// about as many; a star of n branches takes n − 1. `tell` takes time proportional to the commits,
/// once more for each merge.
/// # Units
/// Commits, by their number in the [`Ancestry`].
/// # Source
/// As `git bisect`, which chooses at random among the commits near one that cannot be tested.
/// # Example
/// ```
/// use boildown_search::changes::{Ancestry, BisectGraph};
/// use boildown_search::{Verdict, run};
///
/// let history = Ancestry::new(vec![vec![], vec![0], vec![0], vec![1, 2]]);
/// let search = run(BisectGraph::new(history), |applied| match applied.contains(2) {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// });
/// assert_eq!(search.failing(), 2);
/// assert_eq!(search.suspects(), [2]);
/// ```
#[derive(Debug, Clone)]
pub struct BisectGraph {
    search: AskOnce<GraphState>,
}

#[derive(Debug, Clone)]
struct GraphState {
    commits: Ancestry,
    /// The commits that may be the culprit, ascending. Invariant: `failing` is the last one and
    /// descends from all others.
    open: Vec<usize>,
    failing: usize,
    unresolved: RedBlackTreeSetSync<usize>,
    /// The commit of the next query.
    next: Option<usize>,
    history: History,
}

impl GraphState {
    /// Chooses the open commit that divides the others most evenly.
    fn choose(&mut self) {
        let mut is_open = vec![false; self.commits.len()];
        for commit in &self.open {
            is_open[*commit] = true;
        }
        let sums = (self.commits).sums(|commit| f64::from(u8::from(is_open[commit])));
        let all = self.open.len() as f64;
        let mut testable: Vec<usize> = (self.open.iter().copied())
            .filter(|commit| *commit != self.failing && !self.unresolved.contains(commit))
            .collect();
        let evenness = |commit: &usize| sums[*commit].min(all - sums[*commit]);
        // The first of two equal ones, so that verdicts do not depend on a sort.
        testable.sort_by(|a, b| evenness(b).total_cmp(&evenness(a)).then(a.cmp(b)));
        let skipped = (self.open.iter()).filter(|commit| self.unresolved.contains(*commit));
        let place = (1_usize << skipped.count().min(32)) - 1;
        self.next = testable.get(place).or(testable.first()).copied();
    }

    fn note(&mut self, kind: DecisionKind, part: Vec<usize>) {
        self.history.push_back_mut(Decision {
            kind,
            part: part.into_iter().collect(),
            searched: self.open.iter().copied().collect(),
            within: self.commits.with_ancestors(self.failing),
        });
    }
}

impl ConfigurationSearch for GraphState {
    fn next_query(&self) -> Option<ConfigurationQuery> {
        Some(ConfigurationQuery {
            candidate: self.commits.with_ancestors(self.next?),
            kind: ConfigurationKind::Part,
        })
    }

    fn record(&mut self, verdict: Verdict) {
        let Some(commit) = self.next else {
            return;
        };
        let inside = self.commits.closure(commit);
        let (within, outside): (Vec<usize>, Vec<usize>) =
            self.open.iter().partition(|commit| inside[**commit]);
        match verdict {
            Verdict::Interesting => {
                self.note(DecisionKind::SmallerFailing, within.clone());
                self.open = within;
                self.failing = commit;
            }
            Verdict::Uninteresting => {
                self.note(DecisionKind::LargerPassing, outside.clone());
                self.open = outside;
            }
            Verdict::Unresolved => self.unresolved.insert_mut(commit),
        }
        self.choose();
    }
}

impl BisectGraph {
    /// Starts from a history whose last commit fails. Without any of its commits, it passes.
    ///
    /// # Panics
    /// If the history is empty.
    #[must_use]
    pub fn new(commits: Ancestry) -> Self {
        Self::past(commits, [])
    }

    /// Starts from a history in which these commits are known not to be judged.
    ///
    /// # Panics
    /// If the history is empty.
    #[must_use]
    pub fn past(commits: Ancestry, unresolved: impl IntoIterator<Item = usize>) -> Self {
        assert!(!commits.is_empty(), "there is a commit that fails");
        let failing = commits.len() - 1;
        let start = commits.with_ancestors(failing);
        let mut state = GraphState {
            open: start.iter().collect(),
            failing,
            unresolved: unresolved.into_iter().collect(),
            next: None,
            history: History::new_sync(),
            commits,
        };
        state.choose();
        Self {
            search: AskOnce::new(state, start, [0.5, 0.5]),
        }
    }

    /// Returns the commit that fails and has no failing ancestor that is known.
    #[must_use]
    pub fn failing(&self) -> usize {
        self.search.inner().failing
    }

    /// Returns the commits that may be the culprit, in ascending order: the failing one, and its
    /// ancestors that could not be judged.
    #[must_use]
    pub fn suspects(&self) -> &[usize] {
        &self.search.inner().open
    }
}

search_by_ask_once!(BisectGraph);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ancestry::tests::histories;
    use super::super::testing::trace;
    use super::*;
    use crate::Subset;

    fn count(asked: &str) -> usize {
        asked.matches(['✓', '✗', '?']).count()
    }

    fn judge(culprit: usize) -> impl Fn(&Subset) -> Verdict {
        move |set| match set.contains(culprit) {
            true => Verdict::Interesting,
            false => Verdict::Uninteresting,
        }
    }

    proptest! {
        #[test]
        fn the_culprit_is_found_on_whatever_branch_it_is(
            history in histories(60), choice in any::<usize>(),
        ) {
            let culprit = choice % history.len();
            let (search, _) = trace(BisectGraph::new(history.clone()), judge(culprit));
            prop_assert_eq!(search.failing(), culprit);
            prop_assert_eq!(search.suspects(), [culprit]);
        }

        #[test]
        fn past_commits_that_cannot_be_judged_the_culprit_is_a_suspect(
            history in histories(40), choice in any::<usize>(), modulus in 2..5_usize,
        ) {
            let culprit = choice % history.len();
            let cannot = |commit: usize| commit % modulus == 1 && commit + 1 < history.len();
            let (search, asked) = trace(BisectGraph::new(history.clone()), |set| {
                // Which commit it is about: the one that all others are ancestors of.
                let commit = set.iter().last().expect("it is not empty");
                if cannot(commit) { Verdict::Unresolved } else { judge(culprit)(set) }
            });
            prop_assert!(search.suspects().contains(&culprit), "{}", asked);
            for suspect in search.suspects() {
                prop_assert!(*suspect == search.failing() || cannot(*suspect));
            }
        }

        #[test]
        fn any_verdicts_end_the_search(
            history in histories(30), verdicts in proptest::collection::vec(0..3_u8, 200),
        ) {
            let asked_so_far = std::cell::Cell::new(0);
            let most = history.len();
            let next = || verdicts.get(asked_so_far.replace(asked_so_far.get() + 1));
            let (_, asked) = trace(BisectGraph::new(history), |_| match next() {
                Some(0) => Verdict::Interesting,
                Some(1) => Verdict::Uninteresting,
                _ => Verdict::Unresolved,
            });
            prop_assert!(count(&asked) <= most);
        }
    }

    #[test]
    fn a_line_takes_as_many_queries_as_halving() {
        for culprit in 0..100 {
            let (search, asked) = trace(BisectGraph::new(Ancestry::line(100)), judge(culprit));
            assert_eq!(search.failing(), culprit);
            assert!(count(&asked) <= 7, "{asked}");
        }
    }

    #[test]
    fn branches_take_hardly_more_queries_than_a_line() {
        // 30 merges of branches of three commits into a main line.
        let mut parents: Vec<Vec<usize>> = vec![vec![]];
        let mut main = 0;
        for _ in 0..30 {
            let first = parents.len();
            parents.extend([vec![main], vec![first], vec![first + 1]]);
            parents.extend([vec![main], vec![first + 3, first + 2]]);
            main = parents.len() - 1;
        }
        let history = Ancestry::new(parents);
        let queries = (0..history.len()).map(|culprit| {
            let (search, asked) = trace(BisectGraph::new(history.clone()), judge(culprit));
            assert_eq!(search.failing(), culprit);
            count(&asked)
        });
        // log₂ 151 is 7.2.
        assert!(queries.max() <= Some(9));
    }

    #[test]
    fn known_unresolved_commits_are_not_asked_about() {
        let search = BisectGraph::past(Ancestry::line(9), [3, 4, 5]);
        let (search, asked) = trace(search, judge(4));
        assert_eq!(search.suspects(), [3, 4, 5, 6]);
        assert!(!asked.contains('?'), "{asked}");
    }
}
