//! Counter-based delta debugging: probabilistic delta debugging without the probabilities.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::sigma::is_worth_adding;
use super::{Direction, List, Sigma};
use crate::odds::RatesBySize;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Removes chunks of neighbours in rounds, each round with smaller chunks, the last one element by element.
///
/// A round asks about every chunk once, right to left unless told otherwise, and drops those that can go. The chunk sizes are
/// those that `ProbDD` would choose if all elements missed equally often, so they depend on the number of the round only: 10, 6,
/// 3, 2, 1 when σ is a tenth, 4, 2, 1 when it is a quarter.
///
/// # Guarantee
/// Ends with an interesting set. Minimal when the oracle is monotone, the minimum when it is unambiguous too: each element that
/// is left missed alone, at some time. 1-minimal only when followed by [`Sweep`](super::Sweep).
/// # Cost
/// n/s questions in a round with chunks of s, when nothing can go: 2.1 n altogether for n elements when σ is a tenth, 1.75 n when
/// it is a quarter. The questions of a round are disjoint and known in advance. `tell` is O(1), O(n / 64) on a hit and O(n) at
/// the end of each round.
/// # Units
/// Elements are indices into the original list; they are never renumbered. Weights are ignored.
/// # Source
/// M. Zhang et al., *Toward a Better Understanding of Probabilistic Delta Debugging*, ICSE 2025 (CDD). The probability grows by
/// the factor 1/(1 − 1/e) a round, which is what a miss does to a group of the best size in the limit of small
/// probabilities; exact updates with whole group sizes would give slightly different chunks (10, 6, 4, 2, 1 for a tenth). The size of
/// a round is `ProbDD`'s, the larger of two equally good ones. A chunk of one that missed is not asked about again.
#[derive(Debug, Clone)]
pub struct Cdd {
    kept: Subset,
    /// The chunk size of each round.
    sizes: Arc<[usize]>,
    direction: Direction,
    /// The number of the round; `sizes.len()` when finished.
    round: usize,
    /// The undecided elements at the beginning of this round, in the order in which they are asked about.
    items: Arc<[usize]>,
    /// The first item of this round that is not yet part of a chunk.
    at: usize,
    /// Chunks of this round that are to be asked about again, the last one first.
    postponed: Vec<Range<usize>>,
    rates: RatesBySize,
}

/// The chunk sizes of all rounds.
fn schedule(sigma: Sigma) -> Vec<usize> {
    /// 1/(1 − 1/e), as a number so that it is the same on every platform.
    const GROWTH: f64 = 1.581_976_706_869_326_5;
    let mut p = sigma.get();
    let mut sizes = Vec::new();
    loop {
        let size = best_size(p);
        sizes.push(size);
        if size == 1 {
            return sizes;
        }
        p *= GROWTH;
    }
}

/// The size for which size·(1 − p)^size is highest; the larger of two.
fn best_size(p: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and at most 2³⁰ for the least sigma"
    )]
    let mut size = (1.0 / p) as usize;
    // The quotient is rounded: it may be one off.
    while size > 1 && !is_worth_adding(size, p) {
        size -= 1;
    }
    while is_worth_adding(size + 1, p) {
        size += 1;
    }
    size.max(1)
}

impl Cdd {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        Self::with_sigma(list, Sigma::TENTH, Direction::Backwards)
    }

    /// Starts on a list, with another schedule or direction.
    #[must_use]
    pub fn with_sigma(list: List, sigma: Sigma, direction: Direction) -> Self {
        let mut machine = Self {
            kept: list.kept,
            sizes: schedule(sigma).into(),
            direction,
            round: 0,
            items: Arc::new([]),
            at: 0,
            postponed: Vec::new(),
            rates: RatesBySize::new(0.4),
        };
        machine.restart(machine.best());
        machine
    }

    /// Takes the next chunks of this round out.
    fn take(&mut self, count: usize) -> Vec<Range<usize>> {
        let next = || {
            self.postponed.pop().or_else(|| {
                let size = *self.sizes.get(self.round)?;
                let chunk = self.at..self.items.len().min(self.at.saturating_add(size));
                self.at = chunk.end;
                (!chunk.is_empty()).then_some(chunk)
            })
        };
        std::iter::from_fn(next).take(count).collect()
    }

    fn cut(&self, chunk: &Range<usize>) -> Range<usize> {
        let (first, last) = (self.items[chunk.start], self.items[chunk.end - 1]);
        first.min(last)..first.max(last) + 1
    }

    fn question(&self, chunk: &Range<usize>) -> Question<Subset> {
        Question {
            candidate: self.kept.without([self.cut(chunk)]),
            odds: self.rates.odds(chunk.len()),
        }
    }

    /// Goes on to the next round that has anything to ask about when this one is over.
    fn advance(&mut self) {
        while self.at == self.items.len()
            && self.postponed.is_empty()
            && let Some(&size) = self.sizes.get(self.round)
        {
            // What is left over at the end of a round may be a single element: it has been asked about alone.
            let decided = usize::from(self.items.len() % size == 1);
            let undecided = &self.items[..self.items.len() - decided];
            let stays = |element: &usize| self.kept.contains(*element);
            self.items = undecided.iter().copied().filter(stays).collect();
            self.at = 0;
            self.round += 1;
        }
    }
}

impl Search for Cdd {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        self.pending(NonZeroUsize::MIN).pop()
    }

    fn tell(&mut self, verdict: Verdict) {
        self.settle(&[Fate::Told(verdict)]);
    }

    fn skip(&mut self) {
        self.settle(&[Fate::Skipped]);
    }

    fn best(&self) -> Subset {
        self.kept.clone()
    }
}

impl Wide for Cdd {
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        let chunks = self.clone().take(width.get());
        chunks.iter().map(|chunk| self.question(chunk)).collect()
    }

    fn settle(&mut self, fates: &[Fate]) {
        let chunks = self.take(fates.len());
        let mut cuts = Vec::new();
        // In reverse, so that among those that are asked again the first is asked first.
        for (chunk, fate) in chunks.into_iter().zip(fates).rev() {
            if let Fate::Told(verdict) = fate {
                self.rates.learn(chunk.len(), (*verdict).into());
            }
            match fate {
                Fate::Told(Verdict::Interesting) => cuts.push(self.cut(&chunk)),
                Fate::Postponed => self.postponed.push(chunk),
                Fate::Told(_) | Fate::Skipped => {}
            }
        }
        if !cuts.is_empty() {
            self.kept = self.kept.without(cuts);
            self.kept.commit();
        }
        self.advance();
    }
}

impl Restart for Cdd {
    fn restart(&mut self, best: Subset) {
        let mut items: Vec<usize> = best.iter().collect();
        if self.direction == Direction::Backwards {
            items.reverse();
        }
        self.items = items.into();
        self.kept = best;
        self.round = 0;
        self.at = 0;
        self.postponed = Vec::new();
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check_schedule(sigma: f64, expected: &[usize]) {
        assert_eq!(schedule(Sigma::new(sigma).unwrap()), expected);
    }

    #[test]
    fn chunks_shrink_by_a_known_schedule() {
        check_schedule(0.1, &[10, 6, 3, 2, 1]);
        check_schedule(0.25, &[4, 2, 1]);
        check_schedule(0.05, &[20, 12, 7, 5, 3, 2, 1]);
        check_schedule(0.01, &[100, 63, 39, 25, 15, 10, 6, 4, 2, 1]);
        check_schedule(0.9, &[1]);
        check_schedule(0.5, &[2, 1]);
    }

    #[test]
    fn the_least_sigma_has_a_schedule() {
        let sizes = schedule(Sigma::new(1.0 / f64::from(1 << 30)).unwrap());
        assert_eq!(sizes.first(), Some(&(1 << 30)));
        assert!(sizes.len() < 60);
    }

    /// What each question deletes, and what is left.
    fn trace(mut machine: Cdd, hits: impl Fn(&Subset) -> bool) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut asked = Vec::new();
        while let Some(question) = machine.ask() {
            let (kept, best) = (question.candidate, machine.best());
            asked.push(
                best.iter()
                    .filter(|&element| !kept.contains(element))
                    .collect(),
            );
            let verdict = [Verdict::Uninteresting, Verdict::Interesting][usize::from(hits(&kept))];
            machine.tell(verdict);
        }
        (asked, machine.best().iter().collect())
    }

    #[test]
    fn rounds_of_four_two_and_one_right_to_left() {
        let machine = Cdd::with_sigma(List::uniform(11), Sigma::QUARTER, Direction::Backwards);
        let (asked, left) = trace(machine, |kept| kept.contains(1) && kept.contains(5));
        let expected: [&[usize]; 8] = [
            &[7, 8, 9, 10],
            &[3, 4, 5, 6],
            &[0, 1, 2],
            &[5, 6],
            &[3, 4],
            &[1, 2],
            // 0 is what is left over: it goes alone.
            &[0],
            &[6],
        ];
        assert_eq!(asked[..8], expected);
        assert_eq!(asked[8..], [[5], [2], [1]]);
        assert_eq!(left, [1, 5]);
    }

    #[test]
    fn an_element_that_missed_alone_is_not_asked_about_again() {
        let machine = Cdd::with_sigma(List::uniform(5), Sigma::QUARTER, Direction::Forwards);
        let (asked, left) = trace(machine, |_| false);
        let expected: [&[usize]; 8] = [
            &[0, 1, 2, 3],
            &[4],
            &[0, 1],
            &[2, 3],
            &[0],
            &[1],
            &[2],
            &[3],
        ];
        assert_eq!(asked, expected);
        assert_eq!(left, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn all_chunks_of_a_round_can_be_asked_at_once_and_postponed_ones_come_again() {
        let width = NonZeroUsize::new(8).unwrap();
        let mut machine = Cdd::with_sigma(List::uniform(11), Sigma::QUARTER, Direction::Backwards);
        let counts = |machine: &Cdd| -> Vec<usize> {
            let questions = machine.pending(width).into_iter();
            questions
                .map(|question| question.candidate.count())
                .collect()
        };
        assert_eq!(counts(&machine), [7, 7, 8]);
        let hit = Fate::Told(Verdict::Interesting);
        machine.settle(&[Fate::Postponed, hit, Fate::Told(Verdict::Uninteresting)]);
        assert_eq!(counts(&machine), [3]);
        machine.tell(Verdict::Uninteresting);
        assert_eq!(counts(&machine), [5, 5, 5, 6]);
    }

    proptest! {
        #[test]
        fn questions_are_at_most_those_of_the_schedule(
            n in 1_usize..200,
            sigma in prop_oneof![Just(0.1), Just(0.25), 0.01..0.9],
            verdicts in proptest::collection::vec(0_u8..5, 1..60),
        ) {
            let sigma = Sigma::new(sigma).unwrap();
            let mut machine = Cdd::with_sigma(List::uniform(n), sigma, Direction::Backwards);
            let most: usize = schedule(sigma).into_iter().map(|size| n.div_ceil(size)).sum();
            let mut verdicts = verdicts.iter().cycle();
            let mut asked = 0;
            while machine.ask().is_some() {
                asked += 1;
                match verdicts.next() {
                    Some(0) => machine.tell(Verdict::Interesting),
                    Some(1) => machine.skip(),
                    _ => machine.tell(Verdict::Uninteresting),
                }
            }
            prop_assert!(asked <= most, "{asked} > {most}");
        }
    }
}
