//! A hierarchical search over changes: from coarse groups down to single changes.

use std::sync::Arc;

use super::ask_once::{
    AskOnce, ConfigurationKind, ConfigurationQuery, ConfigurationSearch, search_by_ask_once,
};
use super::dd_plus::DdPlusState;
use super::decisions::{Decision, DecisionKind, History, blamed_changes};
use super::{ChangeList, UnionPolicy};
use crate::{Subset, Verdict};

/// Finds a 1-minimal set of changes that fails, level by level: directories before files, files
/// before hunks, hunks before lines.
///
/// On each level, the remaining groups go through three states:
/// 1. [`DdPlus`](super::DdPlus) searches for the groups to blame. After as many unresolved answers
///    in a row as there are groups, it is given up, and each group is tested alone: parts of a text
///    that was rewritten depend on each other.
/// 2. The blamed groups are tested together, without all others. If they fail, the others are
///    removed.
/// 3. A sweep removes runs of groups from the last to the first, then runs of half the length,
///    until no single group can be removed.
///
/// After the last level, a closing sweep tests every single group of every level, again and again
/// until it removes none.
///
/// For example, 9 lines in 3 files fail with the fifth and the last line together. On the level of
/// files, dd+ blames the second and the third file, and they fail together, so 6 lines are left. On
/// the level of lines, dd+ blames these two.
///
/// # Guarantee
/// `best` was told `Interesting`, or is the start. When the search is finished, `best` without any
/// single group that it holds, of any level, was not told `Interesting`: it is 1-minimal on every
/// level.
/// # Cost
/// O(g log g) queries on a level of g groups if there is one culprit and all configurations can be
/// judged, O(g²) in the worst case. Making a query is O(n log n) for n elements at worst, and
/// O(n/64) if few groups are left out.
/// # Units
/// Elements are indices into the list of smallest changes; they are never renumbered. A level names
/// the group of each element.
/// # Source
/// dd+ on a hierarchy, after A. Zeller, *Yesterday, my program worked. Today, it does not. Why?*,
/// ESEC/FSE 1999, which groups changes by location and date, and G. Misherghi, Z. Su, *HDD:
/// Hierarchical Delta Debugging*, ICSE 2006. The sweeps after dd+ are an addition, since the
/// changes that dd+ blames need not fail alone, nor be minimal.
/// # Example
/// ```
/// use boildown_search::changes::Descent;
/// use boildown_search::{Search as _, Verdict, run};
///
/// // Nine lines in three files. The fifth line and the last one cause the failure together.
/// let files = vec![0, 0, 0, 1, 1, 1, 2, 2, 2];
/// let lines = (0..9).collect();
/// let search = run(Descent::new(9, [files, lines]), |applied| {
///     match applied.contains(4) && applied.contains(8) {
///         true => Verdict::Interesting,
///         false => Verdict::Uninteresting,
///     }
/// });
/// assert_eq!(search.best().iter().collect::<Vec<_>>(), [4, 8]);
/// ```
#[derive(Debug, Clone)]
pub struct Descent {
    search: AskOnce<DescentState>,
}

#[derive(Debug, Clone)]
struct DescentState {
    /// The group of each element, from the coarsest level to the finest.
    levels: Arc<[Vec<u32>]>,
    /// The number of levels that are searched. Those after them are for the closing sweep only.
    searched: usize,
    /// The index of the current level.
    level: usize,
    /// The set known to fail that the current stage starts from.
    best: Subset,
    stage: DescentStage,
    history: History,
}

#[derive(Debug, Clone)]
enum DescentStage {
    /// dd+ over the groups of the level.
    Blame(Blame),
    /// The tests of each group alone, after dd+ was given up, and the next one.
    Alone(Arc<ElementGroups>, usize),
    /// The test of all changes that dd+ blames.
    Whole(Subset),
    /// The sweep over the groups of the level.
    Sweep(GroupSweep),
    /// The sweep over the single groups of all levels, and whether it has removed any since the
    /// first level.
    ClosingSweep(GroupSweep, AnyRemoved),
    Finished,
}

/// dd+ over the groups of a level.
#[derive(Debug, Clone)]
struct Blame {
    groups: Arc<ElementGroups>,
    dd_plus: DdPlusState,
    /// The smallest set that has failed in it.
    smallest: Subset,
    /// The number of its last answers that were unresolved.
    unresolved: usize,
}

/// Whether a sweep has removed any group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnyRemoved {
    No,
    Yes,
}

/// The groups of a level that hold elements of a set, each as the runs of its elements.
#[derive(Debug)]
struct ElementGroups(Vec<Vec<std::ops::Range<usize>>>);

impl ElementGroups {
    fn new(set: &Subset, level: &[u32]) -> Self {
        let mut runs: Vec<(u32, std::ops::Range<usize>)> = Vec::new();
        for element in set.iter() {
            match runs.last_mut() {
                Some((group, run)) if *group == level[element] && run.end == element => {
                    run.end += 1;
                }
                _ => runs.push((level[element], element..element + 1)),
            }
        }
        runs.sort_by_key(|(group, run)| (*group, run.start));
        let mut groups: Vec<Vec<_>> = Vec::new();
        let mut last = None;
        for (group, run) in runs {
            if last.replace(group) != Some(group) {
                groups.push(Vec::new());
            }
            groups.last_mut().expect("one was pushed").push(run);
        }
        Self(groups)
    }

    /// Returns the set without these groups.
    fn cut(&self, set: &Subset, groups: impl Iterator<Item = usize>) -> Subset {
        const FEW: usize = 8;
        let runs: Vec<_> = groups.flat_map(|group| self.0[group].clone()).collect();
        let many = runs.len() > FEW;
        let mut less = set.without(runs);
        if many {
            less.commit();
        }
        less
    }

    /// Returns the elements of the set that are in the `kept` groups.
    fn only(&self, set: &Subset, kept: &Subset) -> Subset {
        let others = (0..self.0.len()).filter(|&group| !kept.contains(group));
        self.cut(set, others)
    }

    /// Returns the elements of these groups.
    fn elements(&self, groups: &ChangeList) -> ChangeList {
        let runs = groups.iter().flat_map(|group| self.0[group].clone());
        let mut elements: Vec<usize> = runs.flatten().collect();
        elements.sort_unstable();
        elements.into_iter().collect()
    }
}

/// A sweep that tests the removal of runs of groups, from the last to the first. Each round halves
/// the runs; rounds of single groups are repeated until one removes nothing.
#[derive(Debug, Clone)]
struct GroupSweep {
    groups: Arc<ElementGroups>,
    /// The groups that are left, as indices into `groups`.
    left: Arc<[usize]>,
    /// The length of the runs. Invariant: at least 1.
    run_length: usize,
    /// The end of the tested run, as an index into `left`; 0 at the end of a round.
    end: usize,
    any_removed: AnyRemoved,
}

impl GroupSweep {
    /// Starts with runs of the length that `run_length` returns for the number of groups.
    fn new(best: &Subset, level: &[u32], run_length: impl FnOnce(usize) -> usize) -> Self {
        let groups = Arc::new(ElementGroups::new(best, level));
        let count = groups.0.len();
        Self {
            groups,
            left: (0..count).collect(),
            run_length: run_length(count).max(1),
            end: count,
            any_removed: AnyRemoved::No,
        }
    }

    fn start(&self) -> usize {
        self.end.saturating_sub(self.run_length)
    }

    /// Returns the set to test, or `None` when the sweep is finished. Removing all groups is never
    /// tested: the empty set passes.
    fn candidate(&self, best: &Subset) -> Option<Subset> {
        if self.end == 0 {
            return None;
        }
        let tested = &self.left[self.start()..self.end];
        Some(self.groups.cut(best, tested.iter().copied()))
    }

    fn record(&mut self, verdict: Verdict) {
        let start = self.start();
        if verdict.is_interesting() {
            self.any_removed = AnyRemoved::Yes;
            let (front, back) = (&self.left[..start], &self.left[self.end..]);
            self.left = front.iter().chain(back).copied().collect();
        }
        self.end = start;
        self.advance();
    }

    /// Starts the next round if this one is over.
    fn advance(&mut self) {
        loop {
            if self.end > 0 && self.end - self.start() == self.left.len() {
                // The run holds all groups that are left.
                self.end = 0;
            }
            if self.end > 0 || self.left.len() < 2 {
                return;
            }
            if self.run_length > 1 {
                self.run_length = (self.run_length / 2).min(self.left.len() / 2).max(1);
            } else if self.any_removed == AnyRemoved::Yes {
                self.any_removed = AnyRemoved::No;
            } else {
                return;
            }
            self.end = self.left.len();
        }
    }
}

impl DescentState {
    fn new(all: Subset, levels: Arc<[Vec<u32>]>, searched: usize) -> Self {
        let mut state = Self {
            levels,
            searched,
            level: 0,
            best: all,
            stage: DescentStage::Finished,
            history: History::new_sync(),
        };
        if searched > 0 {
            state.start_level();
        }
        state.advance();
        state
    }

    /// Starts dd+ on the current level.
    fn start_level(&mut self) {
        let groups = Arc::new(ElementGroups::new(&self.best, &self.levels[self.level]));
        let dd_plus = DdPlusState::on(Subset::full(groups.0.len()), UnionPolicy::Ask);
        self.stage = DescentStage::Blame(Blame {
            groups,
            dd_plus,
            smallest: self.best.clone(),
            unresolved: 0,
        });
    }

    fn single_sweep(&self, level: usize) -> GroupSweep {
        let mut sweep = GroupSweep::new(&self.best, &self.levels[level], |_| 1);
        sweep.advance();
        sweep
    }

    /// Advances to the next stage that has a query.
    fn advance(&mut self) {
        loop {
            self.stage = match &self.stage {
                DescentStage::Blame(blame) if blame.unresolved > blame.groups.0.len() => {
                    self.best = blame.smallest.clone();
                    let groups = ElementGroups::new(&self.best, &self.levels[self.level]);
                    DescentStage::Alone(Arc::new(groups), 0)
                }
                DescentStage::Alone(groups, next) if *next == groups.0.len() => {
                    self.halving_sweep()
                }
                DescentStage::Blame(blame) if blame.dd_plus.next_query().is_none() => {
                    let start = Subset::full(blame.groups.0.len());
                    let blamed = blamed_changes(blame.dd_plus.history(), &start);
                    let found = blame.groups.only(&self.best, &blamed);
                    self.best = blame.smallest.clone();
                    DescentStage::Whole(found)
                }
                // dd+ blames no change, or no fewer than are known to fail.
                DescentStage::Whole(found) if !(1..self.best.count()).contains(&found.count()) => {
                    self.halving_sweep()
                }
                DescentStage::Sweep(sweep) if sweep.end == 0 => {
                    if self.level + 1 < self.searched {
                        self.level += 1;
                        self.start_level();
                        continue;
                    }
                    self.level = 0;
                    DescentStage::ClosingSweep(self.single_sweep(0), AnyRemoved::No)
                }
                DescentStage::ClosingSweep(sweep, any_removed) if sweep.end == 0 => {
                    self.level += 1;
                    if self.level < self.levels.len() {
                        DescentStage::ClosingSweep(self.single_sweep(self.level), *any_removed)
                    } else if *any_removed == AnyRemoved::Yes {
                        self.level = 0;
                        DescentStage::ClosingSweep(self.single_sweep(0), AnyRemoved::No)
                    } else {
                        DescentStage::Finished
                    }
                }
                _ => return,
            };
        }
    }

    fn halving_sweep(&self) -> DescentStage {
        let level = &self.levels[self.level];
        let mut sweep = GroupSweep::new(&self.best, level, |count| count / 2);
        sweep.advance();
        DescentStage::Sweep(sweep)
    }

    /// Copies the interferences and preferences that dd+ has found after its first `before`
    /// decisions.
    fn note(&mut self, groups: &ElementGroups, dd_plus: &DdPlusState, before: usize) {
        for decision in dd_plus.history().iter().skip(before) {
            if matches!(
                decision.kind,
                DecisionKind::Interference | DecisionKind::Preference
            ) {
                self.history.push_back_mut(Decision {
                    kind: decision.kind,
                    searched: groups.elements(&decision.searched),
                    part: groups.elements(&decision.part),
                    within: groups.only(&self.best, &decision.within),
                });
            }
        }
    }
}

impl ConfigurationSearch for DescentState {
    fn next_query(&self) -> Option<ConfigurationQuery> {
        let (candidate, kind) = match &self.stage {
            DescentStage::Blame(blame) => {
                let ConfigurationQuery { candidate, kind } = blame.dd_plus.next_query()?;
                (blame.groups.only(&self.best, &candidate), kind)
            }
            DescentStage::Alone(groups, next) => {
                let others = (0..groups.0.len()).filter(|group| group != next);
                (groups.cut(&self.best, others), ConfigurationKind::Part)
            }
            DescentStage::Whole(found) => (found.clone(), ConfigurationKind::Part),
            DescentStage::Sweep(sweep) | DescentStage::ClosingSweep(sweep, _) => {
                (sweep.candidate(&self.best)?, ConfigurationKind::Complement)
            }
            DescentStage::Finished => return None,
        };
        Some(ConfigurationQuery { candidate, kind })
    }

    fn record(&mut self, verdict: Verdict) {
        let next_query = self.next_query();
        match &mut self.stage {
            DescentStage::Blame(blame) => {
                if verdict.is_interesting()
                    && let Some(ConfigurationQuery { candidate, .. }) = next_query
                    && candidate.count() < blame.smallest.count()
                {
                    blame.smallest = candidate;
                }
                blame.unresolved = match verdict {
                    Verdict::Unresolved => blame.unresolved + 1,
                    Verdict::Interesting | Verdict::Uninteresting => 0,
                };
                let before = blame.dd_plus.history().len();
                blame.dd_plus.record(verdict);
                let (groups, dd_plus) = (Arc::clone(&blame.groups), blame.dd_plus.clone());
                self.note(&groups, &dd_plus, before);
            }
            DescentStage::Alone(_, next) => match next_query {
                Some(query) if verdict.is_interesting() => {
                    self.best = query.candidate;
                    self.stage = self.halving_sweep();
                }
                _ => *next += 1,
            },
            DescentStage::Whole(_) => {
                if verdict.is_interesting()
                    && let Some(ConfigurationQuery { candidate, .. }) = next_query
                {
                    self.best = candidate;
                }
                self.stage = self.halving_sweep();
            }
            DescentStage::Sweep(sweep) | DescentStage::ClosingSweep(sweep, _) => {
                sweep.record(verdict);
                if verdict.is_interesting()
                    && let Some(ConfigurationQuery { candidate, .. }) = next_query
                {
                    self.best = candidate;
                    if let DescentStage::ClosingSweep(_, any_removed) = &mut self.stage {
                        *any_removed = AnyRemoved::Yes;
                    }
                }
            }
            DescentStage::Finished => {}
        }
        self.advance();
    }
}

impl Descent {
    /// Starts from this many changes, all applied. A level names the group of each change. The
    /// coarsest level comes first; the last one should put each change into a group of its own.
    #[must_use]
    pub fn new(changes: usize, levels: impl IntoIterator<Item = Vec<u32>>) -> Self {
        Self::within(&Subset::full(changes), levels, [])
    }

    /// Starts from some of the changes, which are known to fail. The groups of the `closing` levels
    /// are left out in the closing sweep only.
    #[must_use]
    pub fn within(
        start: &Subset,
        levels: impl IntoIterator<Item = Vec<u32>>,
        closing: impl IntoIterator<Item = Vec<u32>>,
    ) -> Self {
        let mut all: Vec<Vec<u32>> = levels.into_iter().collect();
        let searched = all.len();
        all.extend(closing);
        let state = DescentState::new(start.clone(), all.into(), searched);
        Self {
            search: AskOnce::new(state, start.clone(), [0.2, 0.2]),
        }
    }

    /// Returns the index of the current level, and whether the closing sweep has started.
    #[must_use]
    pub fn level(&self) -> (usize, bool) {
        let state = self.search.inner();
        let closing = matches!(
            state.stage,
            DescentStage::ClosingSweep(..) | DescentStage::Finished
        );
        (state.level, closing)
    }

    /// Returns the verdict on a configuration, if it was asked about.
    #[must_use]
    pub fn verdict(&self, applied: &Subset) -> Option<Verdict> {
        self.search.verdict(applied)
    }
}

search_by_ask_once!(Descent);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{needs, trace};
    use super::*;
    use crate::Search as _;

    fn levels(per_file: usize, count: usize) -> [Vec<u32>; 2] {
        let group = |element: usize| u32::try_from(element).expect("few");
        [
            (0..count)
                .map(|element| group(element / per_file))
                .collect(),
            (0..count).map(group).collect(),
        ]
    }

    #[test]
    fn one_culprit_takes_logarithmically_many_queries() {
        for culprit in 1..=64 {
            let (search, asked) = trace(Descent::new(64, levels(8, 64)), |set| {
                needs(set, &[culprit])
            });
            let found: Vec<usize> = search.best().iter().collect();
            assert_eq!(found, [culprit - 1]);
            assert!(asked.matches(['✓', '✗']).count() <= 14, "{asked}");
        }
    }

    #[test]
    fn an_interference_of_two_files_is_found_and_noted() {
        let (search, _) = trace(Descent::new(16, levels(4, 16)), |set| needs(set, &[2, 15]));
        assert_eq!(search.best().iter().collect::<Vec<_>>(), [1, 14]);
        let noted = search
            .history()
            .any(|decision| decision.kind == DecisionKind::Interference);
        assert!(noted);
    }

    #[test]
    fn changes_that_depend_on_each_other_take_few_queries() {
        // Of 32 changes, the first eight are a rewritten part: any of them needs all of them.
        let judge = |set: &Subset| match (0..8).filter(|it| set.contains(*it)).count() {
            0 => Verdict::Uninteresting,
            8 if (8..31).all(|it| set.contains(it)) => Verdict::Interesting,
            _ => Verdict::Unresolved,
        };
        let (search, asked) = trace(Descent::new(32, levels(32, 32)), judge);
        assert_eq!(search.best().count(), 31);
        let count = asked.matches('?').count();
        assert!(count <= 4 * 32, "{count}: {asked}");
    }

    #[test]
    fn groups_of_a_closing_level_are_left_out_at_the_end() {
        // Of the first four changes, the last two can only be left out together.
        let judge = |set: &Subset| match (set.contains(0), set.contains(2) == set.contains(3)) {
            (_, false) => Verdict::Unresolved,
            (true, true) => Verdict::Interesting,
            (false, true) => Verdict::Uninteresting,
        };
        let start = Subset::full(6).only(0..4);
        let single = || (0..6).collect::<Vec<u32>>();
        let (search, _) = trace(Descent::within(&start, [], []), judge);
        assert_eq!(search.best().count(), 4);
        let (search, _) = trace(
            Descent::within(&start, [single()], [vec![0, 1, 2, 2, 4, 5]]),
            judge,
        );
        assert_eq!(search.best().iter().collect::<Vec<_>>(), [0]);
    }

    proptest! {
        #[test]
        fn the_best_set_fails_and_no_group_of_any_level_can_be_removed(
            count in 1_usize..14, per_file in 1_usize..5, seed in any::<u64>(),
        ) {
            // Arbitrary verdicts, but all changes together fail.
            let judge = |set: &Subset| {
                let sum = set.iter().fold(seed, |sum, element| {
                    (sum ^ (element as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
                });
                match (set.count() == count, sum % 3) {
                    (true, _) | (_, 0) => Verdict::Interesting,
                    (_, 1) => Verdict::Uninteresting,
                    _ => Verdict::Unresolved,
                }
            };
            let levels = levels(per_file, count);
            let (search, _) = trace(Descent::new(count, levels.clone()), judge);
            let best = &search.search.inner().best;
            prop_assert_eq!(best, &search.best());
            prop_assert!(judge(best).is_interesting());
            for level in &levels {
                let groups = ElementGroups::new(best, level);
                for group in 0..groups.0.len() {
                    let less = groups.cut(best, std::iter::once(group));
                    prop_assert!(less.count() == 0 || !judge(&less).is_interesting());
                }
            }
        }
    }
}
