//! Any list machine, with an eye on the requirements that its candidates break.

use std::num::NonZeroUsize;

use rpds::RedBlackTreeMapSync;

use super::Requirements;
use crate::odds::HitRate;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Skips candidates that keep an element and delete what it requires, or asks about them with low odds; and learns for each
/// element how often its deletions missed.
///
/// A candidate is *broken* when it is not closed among the elements of the best. Odds are the machine's own, scaled by how much
/// more or less often such a candidate hits than others: broken or whole, and by how many of the small deletions of its most
/// suspicious element have missed before.
///
/// # Guarantee
/// With [`Broken::Ask`] that of the machine: only odds change, so only speculation. With [`Broken::Skip`] that of the machine over
/// the deletions that break nothing; an element is never deleted before what requires it, and elements that require each
/// other only when the machine deletes them together.
/// # Cost
/// At most the machine's questions. `tell` costs what is deleted and what requires it directly.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// K. Heo, W. Lee, P. Pashakhanloo, M. Naik, *Effective Program Debloating via Reinforcement Learning*, CCS 2018 (CHISEL): candidates
/// that break a use-def chain are rejected without a test, and the others ordered by learned odds. Here the order is the
/// machine's own and the odds steer speculation, since a learned order that changed what is asked would need another
/// machine, [`Chisel`](super::Chisel). Counts instead of its decision tree.
#[derive(Debug, Clone)]
pub struct Rejecting<M> {
    machine: M,
    requirements: Requirements,
    broken: Broken,
    /// The machine's question with these odds, and what kind it is. `None` when finished.
    question: Option<(Question<Subset>, Kind)>,
    /// For each element, how many deletions of at most [`Self::SMALL`] elements with it among them have missed.
    misses: RedBlackTreeMapSync<usize, u32>,
    rates: Rates,
}

/// What to do with a candidate that breaks a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// Skip it: the machine moves on as if it had missed.
    Skip,
    /// Ask about it, with the odds that such candidates have had so far.
    Ask,
}

/// What is counted separately.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// 0 for whole, 1 for broken.
    broken: usize,
    /// How often the most suspicious element's deletions have missed, at most 3.
    missed: usize,
}

#[derive(Debug, Clone, Copy)]
struct Rates {
    all: HitRate,
    kinds: [[HitRate; 4]; 2],
}

impl Rates {
    /// What `odds` become for a question of this kind.
    fn scale(&self, kind: Kind, odds: f64) -> f64 {
        let rate = self.kinds[kind.broken][kind.missed].odds();
        (odds * rate / self.all.odds()).clamp(0.001, 0.999)
    }

    fn learn(&mut self, kind: Kind, verdict: Verdict) {
        self.all.learn(verdict.into());
        self.kinds[kind.broken][kind.missed].learn(verdict.into());
    }
}

impl<M> Rejecting<M> {
    /// A miss of a larger deletion says next to nothing of each of its elements.
    const SMALL: usize = 64;
}

impl<M: Search<Candidate = Subset>> Rejecting<M> {
    /// Watches the candidates of `machine`.
    pub fn new(machine: M, requirements: Requirements, broken: Broken) -> Self {
        let (whole, low) = (HitRate::new(0.2), HitRate::new(0.02));
        let mut rejecting = Self {
            machine,
            requirements,
            broken,
            question: None,
            misses: RedBlackTreeMapSync::new_sync(),
            rates: Rates {
                all: whole,
                kinds: [[whole; 4], [low; 4]],
            },
        };
        rejecting.advance();
        rejecting
    }

    /// Returns the machine, told everything so far.
    pub fn inner(&self) -> &M {
        &self.machine
    }

    /// The question with its odds scaled; `None` when it is to be skipped.
    fn assess(
        &self,
        best: &Subset,
        question: Question<Subset>,
    ) -> Option<(Question<Subset>, Kind)> {
        let lost = best.lost_in(&question.candidate);
        let whole = self.requirements.none_requires(&lost, &question.candidate);
        if !whole && self.broken == Broken::Skip {
            return None;
        }
        let missed = |element| self.misses.get(element).copied().unwrap_or(0);
        let suspicion = if lost.len() <= Self::SMALL {
            lost.iter().map(missed).max().unwrap_or(0)
        } else {
            0
        };
        let kind = Kind {
            broken: usize::from(!whole),
            missed: suspicion.min(3) as usize,
        };
        let odds = self.rates.scale(kind, question.odds);
        Some((Question { odds, ..question }, kind))
    }

    /// Counts an answer to a question about the best.
    fn learn(&mut self, best: &Subset, question: &Question<Subset>, kind: Kind, verdict: Verdict) {
        self.rates.learn(kind, verdict);
        let lost = best.lost_in(&question.candidate);
        if verdict.is_interesting() || lost.len() > Self::SMALL {
            return;
        }
        for element in lost {
            let missed = self.misses.get(&element).copied().unwrap_or(0);
            self.misses.insert_mut(element, missed.saturating_add(1));
        }
    }

    /// Walks on to the next question that is to be asked. Ends, since the machine ends whatever is skipped.
    fn advance(&mut self) {
        let best = self.machine.best();
        loop {
            let Some(question) = self.machine.ask() else {
                self.question = None;
                return;
            };
            self.question = self.assess(&best, question);
            if self.question.is_some() {
                return;
            }
            self.machine.skip();
        }
    }
}

impl<M: Search<Candidate = Subset>> Search for Rejecting<M> {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.question.as_ref().map(|(question, _)| question.clone())
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some((question, kind)) = self.question.take() {
            self.learn(&self.machine.best(), &question, kind, verdict);
        }
        self.machine.tell(verdict);
        self.advance();
    }

    fn skip(&mut self) {
        self.machine.skip();
        self.advance();
    }

    fn best(&self) -> Subset {
        self.machine.best()
    }
}

/// Deletions that break nothing alone break nothing together: what keeps an element keeps it whole in each candidate.
impl<M: Wide> Wide for Rejecting<M> {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        // What is to be skipped has to become the machine's first question before it can be.
        let best = self.machine.best();
        let questions = self.machine.pending(width).into_iter();
        questions
            .map_while(|question| Some(self.assess(&best, question)?.0))
            .collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let width = NonZeroUsize::new(fates.len()).unwrap_or(NonZeroUsize::MIN);
        let best = self.machine.best();
        for (question, fate) in self.machine.pending(width).into_iter().zip(fates) {
            if let Fate::Told(verdict) = fate
                && let Some((question, kind)) = self.assess(&best, question)
            {
                self.learn(&best, &question, kind, *verdict);
            }
        }
        self.machine.settle(fates);
        self.advance();
    }
}

/// What was learned about elements and hit rates stays.
impl<M: Restart<Candidate = Subset>> Restart for Rejecting<M> {
    fn restart(&mut self, best: Subset) {
        self.machine.restart(best);
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{Halving, List, Sweep};

    fn kept(question: &Question<Subset>) -> Vec<usize> {
        question.candidate.iter().collect()
    }

    #[test]
    fn a_broken_candidate_is_skipped() {
        // All require 0: while 3 is needed, 0 is no question.
        let requirements = Requirements::new(4, (1..4).map(|user| (user, 0)));
        let halving = Halving::on(List::uniform(4));
        let mut machine = Rejecting::new(halving, requirements, Broken::Skip);
        let mut asked = Vec::new();
        while let Some(question) = machine.ask() {
            asked.push(kept(&question));
            machine.tell(if question.candidate.contains(3) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting
            });
        }
        let expected: [&[usize]; 5] = [&[], &[0, 1], &[0, 1, 2], &[0, 1, 3], &[0, 3]];
        assert_eq!(asked, expected);
        assert_eq!(machine.best().iter().collect::<Vec<_>>(), [0, 3]);
    }

    #[test]
    fn a_broken_candidate_and_one_that_missed_before_have_low_odds() {
        let sweep = Sweep::on(List::uniform(4));
        let requirements = Requirements::new(4, [(3, 2)]);
        let mut machine = Rejecting::new(sweep.clone(), requirements, Broken::Ask);
        let whole = machine.ask().expect("3 is asked about").odds;
        machine.tell(Verdict::Uninteresting);
        let broken = machine.ask().expect("2 is asked about");
        assert_eq!(kept(&broken), [0, 1, 3]);
        assert!(broken.odds < whole / 5.0, "{} and {whole}", broken.odds);
        // 3 misses every time, 2 never does.
        let mut machine = Rejecting::new(sweep, Requirements::new(4, []), Broken::Ask);
        for _ in 0..5 {
            machine.restart(Subset::full(4));
            machine.tell(Verdict::Uninteresting);
            machine.tell(Verdict::Interesting);
        }
        machine.restart(Subset::full(4));
        let suspicious = machine.ask().expect("3 is asked about").odds;
        machine.tell(Verdict::Uninteresting);
        let fresh = machine.ask().expect("2 is asked about").odds;
        assert!(suspicious < fresh, "{suspicious} and {fresh}");
    }
}
