//! What is part of a known miss is less likely to hit.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use crate::odds::HitRate;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Runs a minimiser, and lowers the odds of every candidate that is part of a known miss, as far as experience says.
///
/// To a monotone oracle what is part of a miss is a miss. How monotone an oracle is shows in two hit rates: of candidates that
/// are part of a known miss, and of all others. [`new`](Self::new) only predicts with them: the planner speculates better, and the
/// questions that are told are those of the machine. [`skipping`](Self::skipping) does not ask what is too unlikely.
///
/// # Guarantee
/// [`new`](Self::new): that of the machine. [`skipping`](Self::skipping): that of the machine when the oracle is monotone; else only that the
/// result is interesting.
/// # Cost
/// At most the questions of the machine. Each costs a comparison with up to 64 misses, O(the ranges they lack).
/// # Units
/// Candidates have to be parts of the best one so far, as those of a minimiser are.
/// # Source
/// The idea is that of Y. Tao, J. Xue, *Accelerating Delta Debugging through Probabilistic Monotonicity Assessment*, EASE 2025.
/// The confidence function is not theirs: a ratio of two hit rates for the odds, a threshold on one of them for what is skipped.
#[derive(Debug, Clone)]
pub struct KnownMisses<M> {
    /// Stands at a question that is worth asking.
    machine: M,
    /// Invariant: at most `MOST`, and none of them is part of another one.
    misses: Arc<Vec<Miss>>,
    /// How often parts of known misses hit.
    parts: HitRate,
    /// How often all other candidates hit.
    others: HitRate,
    /// Parts of known misses are skipped while they hit less often than this.
    threshold: f64,
}

/// A known miss, by what it lacks of the best candidate: what lacks all of that too is part of the miss.
#[derive(Debug, Clone)]
struct Miss {
    /// Invariant: sorted, disjoint, each with an element of the best candidate; at least one.
    lack: Arc<[Range<usize>]>,
    /// The number of elements it lacked when it was told.
    size: usize,
}

impl<M: Search<Candidate = Subset>> KnownMisses<M> {
    /// How many misses are remembered.
    const MOST: usize = 64;

    /// Asks everything that `machine` asks.
    pub fn new(machine: M) -> Self {
        Self::skipping(machine, 0.0)
    }

    /// Skips what is part of a known miss from when less than this share of such candidates hit, in `0.0..=1.0`. A fifth is
    /// assumed at first, so that below that a few dozen of them are asked in any case. Once skipped, always skipped: the share no longer changes.
    pub fn skipping(machine: M, threshold: f64) -> Self {
        let mut known = Self {
            machine,
            misses: Arc::default(),
            parts: HitRate::new(0.2),
            others: HitRate::new(0.2),
            threshold,
        };
        known.pass();
        known
    }

    /// Returns the machine.
    pub fn inner(&self) -> &M {
        &self.machine
    }

    fn is_part(&self, candidate: &Subset) -> bool {
        let lacks = |range: &Range<usize>| !candidate.any_in(range.clone());
        self.misses.iter().any(|miss| miss.lack.iter().all(lacks))
    }

    /// Whether a candidate is not worth asking.
    fn is_hopeless(&self, candidate: &Subset) -> bool {
        self.parts.odds() < self.threshold && self.is_part(candidate)
    }

    /// Skips what is not worth asking.
    fn pass(&mut self) {
        while let Some(question) = self.machine.ask()
            && self.is_hopeless(&question.candidate)
        {
            self.machine.skip();
        }
    }

    /// The same question, less likely when it is part of a known miss and those have hit less often than others.
    fn weigh(&self, mut question: Question<Subset>) -> Question<Subset> {
        if self.is_part(&question.candidate) {
            question.odds *= (self.parts.odds() / self.others.odds()).min(1.0);
        }
        question
    }

    /// Hears the fates of questions, tells them to the machine by `forward`, and remembers the misses.
    fn hear(
        &mut self,
        questions: &[Question<Subset>],
        fates: &[Fate],
        forward: impl FnOnce(&mut M),
    ) {
        let before = self.machine.best();
        let mut lacks = Vec::new();
        let mut hit = false;
        for (Question { candidate, .. }, fate) in questions.iter().zip(fates) {
            let Fate::Told(verdict) = *fate else {
                continue;
            };
            let is_part = self.is_part(candidate);
            let rate = if is_part {
                &mut self.parts
            } else {
                &mut self.others
            };
            rate.learn(verdict.into());
            hit |= verdict == Verdict::Interesting;
            if !verdict.is_interesting() && !is_part {
                lacks.push(before.cuts_to(candidate));
            }
        }
        forward(&mut self.machine);
        if hit {
            self.forget_what_is_gone();
        }
        // Only now: of questions asked together a miss may be one of the new best candidate without the same elements.
        for lack in lacks {
            self.remember(lack);
        }
        self.pass();
    }

    /// Adds a miss by what it lacks, in place of all that are part of it. When there are too many, the one that lacks the most is
    /// forgotten, since it says the least; of several the youngest, since a search that goes round and round asks the oldest next.
    fn remember(&mut self, mut lack: Vec<Range<usize>>) {
        let best = self.machine.best();
        lack.retain(|range| best.any_in(range.clone()));
        let candidate = best.without(lack.iter().cloned());
        if lack.is_empty() || self.is_part(&candidate) {
            return;
        }
        let misses = Arc::make_mut(&mut self.misses);
        misses.retain(|other| {
            let other = best.without(other.lack.iter().cloned());
            lack.iter().any(|range| other.any_in(range.clone()))
        });
        misses.push(Miss {
            size: lack.iter().map(|range| best.count_in(range.clone())).sum(),
            lack: lack.into(),
        });
        if misses.len() > Self::MOST {
            let forgotten = (0..misses.len()).max_by_key(|&place| misses[place].size);
            forgotten.map(|place| misses.remove(place));
        }
    }

    /// After a hit: forgets which deleted elements the misses lack, and the misses that the best candidate is part of.
    fn forget_what_is_gone(&mut self) {
        let best = self.machine.best();
        let lives = |range: &Range<usize>| best.any_in(range.clone());
        let misses = Arc::make_mut(&mut self.misses);
        for Miss { lack, .. } in &mut *misses {
            if !lack.iter().all(lives) {
                *lack = lack.iter().filter(|range| lives(range)).cloned().collect();
            }
        }
        misses.retain(|miss| !miss.lack.is_empty());
    }
}

impl<M: Search<Candidate = Subset>> Search for KnownMisses<M> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.machine.ask().map(|question| self.weigh(question))
    }

    fn certain(&self) -> Vec<Question<Subset>> {
        let questions = self.machine.certain().into_iter();
        let asked = questions.take_while(|question| !self.is_hopeless(&question.candidate));
        asked.map(|question| self.weigh(question)).collect()
    }

    fn tell(&mut self, verdict: Verdict) {
        let question: Vec<_> = self.machine.ask().into_iter().collect();
        self.hear(&question, &[Fate::Told(verdict)], |machine| {
            machine.tell(verdict);
        });
    }

    fn skip(&mut self) {
        self.machine.skip();
        self.pass();
    }

    fn best(&self) -> Subset {
        self.machine.best()
    }
}

impl<M: Wide> Wide for KnownMisses<M> {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let questions = self.machine.pending(width).into_iter();
        // What comes before the first one that is skipped: the machine hears of its questions in their order.
        let asked = questions.take_while(|question| !self.is_hopeless(&question.candidate));
        asked.map(|question| self.weigh(question)).collect()
    }

    fn union(&self, asked: &[Question<Subset>], places: &[usize]) -> Subset {
        self.machine.union(asked, places)
    }

    fn settle(&mut self, fates: &[Fate]) {
        let Some(width) = NonZeroUsize::new(fates.len()) else {
            return;
        };
        let questions = self.machine.pending(width);
        self.hear(&questions, fates, |machine| machine.settle(fates));
    }
}

impl<M: Restart<Candidate = Subset>> Restart for KnownMisses<M> {
    fn restart(&mut self, best: Subset) {
        let before = self.machine.best();
        self.machine.restart(best);
        let best = self.machine.best();
        if best.intersection([&before]) == best {
            self.forget_what_is_gone();
        } else {
            // What the misses lack, they lack of another set.
            self.misses = Arc::default();
        }
        self.pass();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::list::{Ddmin, List, NMinimal, Sweep, Wddmin};

    /// Runs a machine over six elements, where `oracle` has a bit for each set of them. Checks at each question whether it is
    /// known to be part of a miss, against all that were told; then once more from the result.
    fn check<M: Search<Candidate = Subset> + Restart>(
        machine: M,
        threshold: f64,
        oracle: u64,
    ) -> Result<(), TestCaseError> {
        let is_hit =
            |kept: &Subset| oracle >> kept.iter().map(|element| 1 << element).sum::<u64>() & 1 == 1;
        let is_part = |kept: &Subset, of: &Subset| kept.iter().all(|element| of.contains(element));
        let mut known = KnownMisses::skipping(machine, threshold);
        let mut misses: Vec<Subset> = Vec::new();
        let mut refuted = false;
        for _ in 0..2 {
            while let Some(question) = known.ask() {
                let plain = known.inner().ask().expect("both ask the same");
                // A miss that the best candidate is part of tells nothing, and those that are part of it are lost with it.
                let before = misses.len();
                misses.retain(|miss| !is_part(&known.best(), miss));
                refuted |= misses.len() < before;
                let is_known = known.is_part(&question.candidate);
                let expected = misses.iter().any(|miss| is_part(&question.candidate, miss));
                prop_assert!(!is_known || expected);
                prop_assert!(is_known || !expected || refuted);
                prop_assert!(question.odds <= plain.odds);
                prop_assert!(
                    !is_known || threshold < 1.0,
                    "asked {:?} for nothing",
                    question.candidate
                );
                if is_hit(&question.candidate) {
                    known.tell(Verdict::Interesting);
                } else {
                    misses.push(question.candidate);
                    known.tell(Verdict::Uninteresting);
                }
            }
            known.restart(known.best());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn parts_of_known_misses_are_known(oracle in any::<u64>()) {
            for threshold in [0.0, 1.0] {
                let list = List::uniform(6);
                check(Ddmin::on(list.clone()), threshold, oracle)?;
                check(Wddmin::on(list.clone()), threshold, oracle)?;
                check(Sweep::on(list.clone()), threshold, oracle)?;
                check(NMinimal::on(list), threshold, oracle)?;
            }
        }
    }

    #[test]
    fn odds_fall_as_parts_of_misses_miss_more_often_than_others() {
        let mut known = KnownMisses::new(Sweep::on(List::uniform(60)));
        // Every third can go, so that all the others are asked again.
        let hits =
            |kept: &Subset| (0..60).all(|element| element % 3 == 0 || kept.contains(element));
        let mut ratio = 1.0;
        while let Some(question) = known.ask() {
            let plain = known.inner().ask().expect("both ask the same");
            ratio = question.odds / plain.odds;
            known.tell(if hits(&question.candidate) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        assert!(ratio < 0.5, "{ratio}");
    }

    #[test]
    fn no_more_than_64_misses_are_remembered() {
        let mut known = KnownMisses::new(Sweep::on(List::uniform(100)));
        while known.ask().is_some() {
            known.tell(Verdict::Uninteresting);
        }
        assert_eq!(known.misses.len(), 64);
    }
}
