//! From coarse groups of changes down to single ones.

use std::sync::Arc;

use super::dd_plus::Parts;
use super::history::{Case, History, Step, blamed};
use super::recall::{Kind, Procedure, Recall, Wish, recalling};
use super::{Changes, Unions};
use crate::{Subset, Verdict};

/// Finds a smallest set of changes that fails, level by level: whole directories before files, files before hunks, hunks before
/// lines.
///
/// On each level the groups that are left are searched with [`DdPlus`](super::DdPlus). What it blames is asked about as a whole;
/// then groups are left out, many at a time and the last ones first, until no single one can go. A closing sweep goes over the groups
/// of all levels until nothing changes any more.
///
/// # Guarantee
/// `best` was told `Interesting`, or is the start. When the search has finished, `best` without any single group of any level that it
/// holds was told otherwise: it is 1-minimal on every level.
/// # Cost
/// O(g log g) questions on a level of g groups when one culprit is looked for and all can be judged, O(g²) in the worst case. Making
/// a question is O(n log n) for n elements at worst, and O(n/64) when few groups are left out.
/// # Units
/// Elements are indices into the list of smallest changes; they are never renumbered. A level names the group of each element.
/// # Source
/// dd+ on a hierarchy, after A. Zeller, *Yesterday, my program worked. Today, it does not. Why?*, ESEC/FSE 1999, which groups changes by
/// location and date, and G. Misherghi, Z. Su, *HDD: Hierarchical Delta Debugging*, ICSE 2006. The sweeps after dd+ are ours: what
/// it blames need not fail alone, nor be minimal.
/// # Example
/// ```
/// use boildown_search::changes::Descent;
/// use boildown_search::{Search as _, Verdict, run};
///
/// // Nine lines in three files; the fifth breaks it, together with the last.
/// let files = vec![0, 0, 0, 1, 1, 1, 2, 2, 2];
/// let lines = (0..9).collect();
/// let search = run(Descent::new(9, [files, lines]), |applied| {
///     if applied.contains(4) && applied.contains(8) { Verdict::Interesting } else { Verdict::Uninteresting }
/// });
/// assert_eq!(search.best().iter().collect::<Vec<_>>(), [4, 8]);
/// ```
#[derive(Debug, Clone)]
pub struct Descent {
    recall: Recall<Stages>,
}

#[derive(Debug, Clone)]
struct Stages {
    /// The group of each element, from the coarsest level to the finest.
    levels: Arc<[Vec<u32>]>,
    /// The level at work.
    level: usize,
    /// What is known to fail.
    best: Subset,
    stage: Stage,
    history: History,
}

#[derive(Debug, Clone)]
enum Stage {
    /// dd+ over groups, and the smallest set that has failed on this level.
    Blame(Arc<Groups>, Parts, Subset),
    /// What dd+ blames, as a whole.
    Whole(Subset),
    /// Leaving out groups.
    Trim(Trim),
    /// Leaving out single groups of all levels, and whether that has worked since the first level.
    Close(Trim, Worked),
    Finished,
}

/// Whether anything could be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worked {
    No,
    Yes,
}

/// The groups of a level that hold anything of a set, each as the runs of its elements.
#[derive(Debug)]
struct Groups(Vec<Vec<std::ops::Range<usize>>>);

impl Groups {
    fn of(set: &Subset, level: &[u32]) -> Self {
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

    /// The set without these groups.
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

    /// What of the set is in these groups.
    fn only(&self, set: &Subset, kept: &Subset) -> Subset {
        let others = (0..self.0.len()).filter(|&group| !kept.contains(group));
        self.cut(set, others)
    }

    /// The elements of these groups.
    fn elements(&self, groups: &Changes) -> Changes {
        let runs = groups.iter().flat_map(|group| self.0[group].clone());
        let mut elements: Vec<usize> = runs.flatten().collect();
        elements.sort_unstable();
        elements.into_iter().collect()
    }
}

/// Leaves out groups, from the last to the first, in stretches that halve until they are single.
#[derive(Debug, Clone)]
struct Trim {
    groups: Arc<Groups>,
    /// The groups that are left, as places in `groups`.
    left: Arc<[usize]>,
    /// How many groups at once. Invariant: at least 1.
    width: usize,
    /// Where the stretch under trial ends, in `left`; 0 at the end of a round.
    end: usize,
    worked: Worked,
}

impl Trim {
    /// Begins with stretches of so many groups.
    fn new(best: &Subset, level: &[u32], width: impl FnOnce(usize) -> usize) -> Self {
        let groups = Arc::new(Groups::of(best, level));
        let count = groups.0.len();
        Self {
            groups,
            left: (0..count).collect(),
            width: width(count).max(1),
            end: count,
            worked: Worked::No,
        }
    }

    fn start(&self) -> usize {
        self.end.saturating_sub(self.width)
    }

    /// What to ask about; `None` when finished. Leaving out everything is no question: that passes.
    fn candidate(&self, best: &Subset) -> Option<Subset> {
        if self.end == 0 {
            return None;
        }
        let stretch = &self.left[self.start()..self.end];
        Some(self.groups.cut(best, stretch.iter().copied()))
    }

    fn hear(&mut self, verdict: Verdict) {
        let start = self.start();
        if verdict.is_interesting() {
            self.worked = Worked::Yes;
            let (front, back) = (&self.left[..start], &self.left[self.end..]);
            self.left = front.iter().chain(back).copied().collect();
        }
        self.end = start;
        self.settle();
    }

    /// Goes on to the next round, or past what is no question.
    fn settle(&mut self) {
        loop {
            if self.end > 0 && self.end - self.start() == self.left.len() {
                // All that is left.
                self.end = 0;
            }
            if self.end > 0 || self.left.len() < 2 {
                return;
            }
            if self.width > 1 {
                self.width = (self.width / 2).min(self.left.len() / 2).max(1);
            } else if self.worked == Worked::Yes {
                self.worked = Worked::No;
            } else {
                return;
            }
            self.end = self.left.len();
        }
    }
}

impl Stages {
    fn new(all: Subset, levels: Arc<[Vec<u32>]>) -> Self {
        let mut stages = Self {
            levels,
            level: 0,
            best: all,
            stage: Stage::Finished,
            history: History::new_sync(),
        };
        if !stages.levels.is_empty() {
            stages.begin();
        }
        stages.settle();
        stages
    }

    /// Begins on a level.
    fn begin(&mut self) {
        let groups = Arc::new(Groups::of(&self.best, &self.levels[self.level]));
        let parts = Parts::on(Subset::full(groups.0.len()), Unions::Ask);
        self.stage = Stage::Blame(groups, parts, self.best.clone());
    }

    fn sweep(&self, level: usize) -> Trim {
        let mut trim = Trim::new(&self.best, &self.levels[level], |_| 1);
        trim.settle();
        trim
    }

    /// Moves on while the stage at work has no question.
    fn settle(&mut self) {
        loop {
            self.stage = match &self.stage {
                Stage::Blame(groups, parts, smallest) if parts.wish().is_none() => {
                    let start = Subset::full(groups.0.len());
                    let found = groups.only(&self.best, &blamed(parts.history(), &start));
                    self.best = smallest.clone();
                    Stage::Whole(found)
                }
                // Nobody is blamed, or no fewer than are known to fail.
                Stage::Whole(found) if !(1..self.best.count()).contains(&found.count()) => {
                    self.trim()
                }
                Stage::Trim(trim) if trim.end == 0 => {
                    if self.level + 1 < self.levels.len() {
                        self.level += 1;
                        self.begin();
                        continue;
                    }
                    self.level = 0;
                    Stage::Close(self.sweep(0), Worked::No)
                }
                Stage::Close(trim, worked) if trim.end == 0 => {
                    self.level += 1;
                    if self.level < self.levels.len() {
                        Stage::Close(self.sweep(self.level), *worked)
                    } else if *worked == Worked::Yes {
                        self.level = 0;
                        Stage::Close(self.sweep(0), Worked::No)
                    } else {
                        Stage::Finished
                    }
                }
                _ => return,
            };
        }
    }

    fn trim(&self) -> Stage {
        let level = &self.levels[self.level];
        let mut trim = Trim::new(&self.best, level, |count| count / 2);
        trim.settle();
        Stage::Trim(trim)
    }

    /// Notes what dd+ has decided since there were so many steps.
    fn note(&mut self, groups: &Groups, parts: &Parts, before: usize) {
        for step in parts.history().iter().skip(before) {
            if matches!(step.case, Case::Interference | Case::Preference) {
                self.history.push_back_mut(Step {
                    case: step.case,
                    searched: groups.elements(&step.searched),
                    part: groups.elements(&step.part),
                    within: groups.only(&self.best, &step.within),
                });
            }
        }
    }
}

impl Procedure for Stages {
    fn wish(&self) -> Option<Wish> {
        let (candidate, kind) = match &self.stage {
            Stage::Blame(groups, parts, _) => {
                let Wish { candidate, kind } = parts.wish()?;
                (groups.only(&self.best, &candidate), kind)
            }
            Stage::Whole(found) => (found.clone(), Kind::Part),
            Stage::Trim(trim) | Stage::Close(trim, _) => {
                (trim.candidate(&self.best)?, Kind::Complement)
            }
            Stage::Finished => return None,
        };
        Some(Wish { candidate, kind })
    }

    fn hear(&mut self, verdict: Verdict) {
        let wish = self.wish();
        match &mut self.stage {
            Stage::Blame(groups, parts, smallest) => {
                if verdict.is_interesting()
                    && let Some(Wish { candidate, .. }) = wish
                    && candidate.count() < smallest.count()
                {
                    *smallest = candidate;
                }
                let before = parts.history().len();
                parts.hear(verdict);
                let (groups, parts) = (Arc::clone(groups), parts.clone());
                self.note(&groups, &parts, before);
            }
            Stage::Whole(_) => {
                if verdict.is_interesting()
                    && let Some(Wish { candidate, .. }) = wish
                {
                    self.best = candidate;
                }
                self.stage = self.trim();
            }
            Stage::Trim(trim) | Stage::Close(trim, _) => {
                trim.hear(verdict);
                if verdict.is_interesting()
                    && let Some(Wish { candidate, .. }) = wish
                {
                    self.best = candidate;
                    if let Stage::Close(_, worked) = &mut self.stage {
                        *worked = Worked::Yes;
                    }
                }
            }
            Stage::Finished => {}
        }
        self.settle();
    }
}

impl Descent {
    /// Starts from so many changes, all applied. A level names the group of each; the coarsest comes first, and the last one should
    /// hold each change alone.
    #[must_use]
    pub fn new(changes: usize, levels: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let all = Subset::full(changes);
        let stages = Stages::new(all.clone(), levels.into_iter().collect());
        Self {
            recall: Recall::new(stages, all, [0.2, 0.2]),
        }
    }

    /// Returns the level at work, and whether it is being swept for the last time.
    #[must_use]
    pub fn level(&self) -> (usize, bool) {
        let stages = self.recall.procedure();
        let closing = matches!(stages.stage, Stage::Close(..) | Stage::Finished);
        (stages.level, closing)
    }

    /// Returns the answer on a configuration, if it was asked about.
    #[must_use]
    pub fn verdict(&self, applied: &Subset) -> Option<Verdict> {
        self.recall.verdict(applied)
    }
}

recalling!(Descent);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{needs, trace};
    use super::*;
    use crate::Search as _;

    fn levels(per_file: usize, count: usize) -> [Vec<u32>; 2] {
        let place = |element: usize| u32::try_from(element).expect("few");
        [
            (0..count)
                .map(|element| place(element / per_file))
                .collect(),
            (0..count).map(place).collect(),
        ]
    }

    #[test]
    fn one_culprit_takes_logarithmic_time() {
        for culprit in 1..=64 {
            let (machine, asked) = trace(Descent::new(64, levels(8, 64)), |set| {
                needs(set, &[culprit])
            });
            let found: Vec<usize> = machine.best().iter().collect();
            assert_eq!(found, [culprit - 1]);
            assert!(asked.matches(['✓', '✗']).count() <= 14, "{asked}");
        }
    }

    #[test]
    fn an_interference_of_two_files_is_found_and_noted() {
        let (machine, _) = trace(Descent::new(16, levels(4, 16)), |set| needs(set, &[2, 15]));
        assert_eq!(machine.best().iter().collect::<Vec<_>>(), [1, 14]);
        let noted = machine
            .history()
            .any(|step| step.case == Case::Interference);
        assert!(noted);
    }

    proptest! {
        #[test]
        fn the_best_is_known_to_fail_and_no_group_of_any_level_can_go(
            count in 1_usize..14, per_file in 1_usize..5, seed in any::<u64>(),
        ) {
            // Any answers whatever, but all changes fail.
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
            let (machine, _) = trace(Descent::new(count, levels.clone()), judge);
            let best = &machine.recall.procedure().best;
            prop_assert_eq!(best, &machine.best());
            prop_assert!(judge(best).is_interesting());
            for level in &levels {
                let groups = Groups::of(best, level);
                for group in 0..groups.0.len() {
                    let less = groups.cut(best, std::iter::once(group));
                    prop_assert!(less.count() == 0 || !judge(&less).is_interesting());
                }
            }
        }
    }
}
