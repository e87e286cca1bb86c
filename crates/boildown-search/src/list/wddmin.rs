//! ddmin with chunks of equal weight instead of equal length.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use super::weighed::Weighed;
use super::{List, Sweep};
use crate::odds::HitRate;
use crate::{Fate, Question, Restart, Search, Subset, Verdict, Wide};

/// Minimises with Wddmin: ddmin whose chunks weigh about the same, then a sweep.
///
/// Keeps one chunk alone when that is interesting, else drops one chunk when that is, else splits every chunk where its weight
/// halves. A chunk of one element that could not go is set aside until the end, when every element is tried alone.
///
/// # Guarantee
/// 1-minimal: dropping any single kept element was answered `Uninteresting` or `Unresolved`. Unlike [`Ddmin`](super::Ddmin) it
/// may ask about the empty list: at the end, when one element is left.
/// # Cost
/// O(n²) questions for n elements in the worst case, as ddmin. `tell` is O(k) for k chunks, and O(n / 64 + k) on a hit.
/// # Units
/// Elements are indices into the original list; they are never renumbered.
/// # Source
/// X. Zhou et al., *WDD*, ICSE 2025, Algorithm 1, with the split of [`Halving`](super::Halving). The whole list alone, with which
/// the paper begins, is known to be interesting and not asked. After a chunk was dropped the paper tries the others alone again,
/// and at two chunks their complements: both were just answered, and are not asked again. The final pass is a [`Sweep`]
/// instead of a loop that restarts at the first element: the same guarantee for fewer questions.
#[derive(Debug, Clone)]
pub struct Wddmin {
    list: List,
    items: Weighed,
    /// Chunks of `items`, in order. Invariant: all of their elements are kept.
    chunks: Arc<[Range<usize>]>,
    /// The number of kept elements in no chunk: each was a chunk of its own that could not go.
    aside: usize,
    mode: Mode,
    /// The chunk under trial. Invariant: below `chunks.len()` until the final pass.
    at: usize,
    rate: HitRate,
    /// The final pass, once no chunks are left.
    finish: Option<Sweep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Subset,
    Complement,
}

impl Wddmin {
    /// Starts on a list.
    #[must_use]
    pub fn on(list: List) -> Self {
        let mut machine = Self {
            items: Weighed::new(&list),
            list,
            chunks: Arc::new([]),
            aside: 0,
            mode: Mode::Subset,
            at: 0,
            rate: HitRate::new(0.2),
            finish: None,
        };
        machine.restart(machine.best());
        machine
    }

    /// Splits every chunk, and tries the halves alone.
    fn split(&mut self) {
        let mut finer = Vec::new();
        for chunk in self.chunks.iter() {
            if chunk.len() == 1 {
                self.aside += 1;
            } else {
                let middle = self.items.split(chunk);
                finer.extend([chunk.start..middle, middle..chunk.end]);
            }
        }
        self.chunks = finer.into();
        self.mode = Mode::Subset;
        self.at = 0;
        self.finish_without_chunks();
    }

    /// Tries the complements of chunks that have missed alone.
    fn begin_complements(&mut self) {
        self.mode = Mode::Complement;
        self.at = 0;
        self.finish_without_chunks();
        // One chunk is all that is kept; of two each is the complement of the other.
        if self.aside == 0 && (1..=2).contains(&self.chunks.len()) {
            self.split();
        }
    }

    fn finish_without_chunks(&mut self) {
        if self.chunks.is_empty() {
            self.finish = Some(Sweep::windows(self.list.kept.clone(), 1));
        }
    }

    fn question(&self, chunk: &Range<usize>) -> Question<Subset> {
        let elements = self.items.cut(chunk);
        match self.mode {
            Mode::Subset => Question {
                candidate: self.list.kept.only(elements),
                odds: 0.05,
            },
            Mode::Complement => Question {
                candidate: self.list.kept.without([elements]),
                odds: self.rate.odds(),
            },
        }
    }

    /// The chunks that come next whatever the answers are, if they are misses or are merged.
    fn next_chunks(&self, width: usize) -> &[Range<usize>] {
        let together = match self.mode {
            Mode::Subset => 1,
            // Dropped together, all chunks would leave nothing when nothing is set aside.
            Mode::Complement => self.chunks.len() - usize::from(self.aside == 0),
        };
        let end = self.chunks.len().min(self.at + together.min(width));
        &self.chunks[self.at..end]
    }

    fn miss(&mut self, count: usize) {
        self.at += count;
        if self.at == self.chunks.len() {
            match self.mode {
                Mode::Subset => self.begin_complements(),
                Mode::Complement => self.split(),
            }
        }
    }

    fn keep(&mut self, kept: Subset) {
        self.list.kept = kept;
        self.list.kept.commit();
    }
}

impl Search for Wddmin {
    type Candidate = Subset;

    fn ask(&self) -> Option<Question<Subset>> {
        match &self.finish {
            Some(sweep) => sweep.ask(),
            None => Some(self.question(&self.chunks[self.at])),
        }
    }

    fn tell(&mut self, verdict: Verdict) {
        self.settle(&[Fate::Told(verdict)]);
    }

    fn skip(&mut self) {
        self.settle(&[Fate::Skipped]);
    }

    fn best(&self) -> Subset {
        match &self.finish {
            Some(sweep) => sweep.best(),
            None => self.list.kept.clone(),
        }
    }
}

impl Wide for Wddmin {
    /// Several when they drop chunks: to keep one chunk alone excludes to keep another one.
    fn pending(&self, width: NonZeroUsize) -> Vec<Question<Subset>> {
        match &self.finish {
            Some(sweep) => sweep.pending(width),
            None => (self.next_chunks(width.get()).iter())
                .map(|chunk| self.question(chunk))
                .collect(),
        }
    }

    fn settle(&mut self, fates: &[Fate]) {
        if let Some(sweep) = &mut self.finish {
            return sweep.settle(fates);
        }
        let asked = self.next_chunks(fates.len()).to_vec();
        let mut hits = Vec::new();
        for (chunk, fate) in asked.iter().zip(fates) {
            if let Fate::Told(verdict) = fate
                && self.mode == Mode::Complement
            {
                self.rate.learn((*verdict).into());
            }
            if *fate == Fate::Told(Verdict::Interesting) {
                hits.push(chunk.clone());
            }
        }
        match (hits.first(), self.mode) {
            (None, _) => self.miss(asked.len()),
            (Some(only), Mode::Subset) => {
                self.keep(self.list.kept.only(self.items.cut(only)));
                self.chunks = Arc::new([only.clone()]);
                self.aside = 0;
                self.split();
            }
            (Some(_), Mode::Complement) => {
                self.keep(
                    self.list
                        .kept
                        .without(hits.iter().map(|chunk| self.items.cut(chunk))),
                );
                let left = self.chunks.iter().filter(|chunk| !hits.contains(chunk));
                self.chunks = left.cloned().collect();
                self.begin_complements();
            }
        }
    }
}

impl Restart for Wddmin {
    fn restart(&mut self, best: Subset) {
        self.list.kept = best;
        self.items = Weighed::new(&self.list);
        self.chunks = if self.items.len() == 0 {
            Arc::new([])
        } else {
            Arc::new([0..self.items.len()])
        };
        self.aside = 0;
        self.finish = None;
        self.split();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::testing::{distinct, eight_statements, trace};

    #[test]
    fn a_heavy_element_is_isolated_early_and_set_aside_until_the_end() {
        // 4 is needed, and 1 as long as 3 is there.
        let list = List::weighted([1, 1, 2, 4]);
        let (asked, left) = trace(Wddmin::on(list), |kept| {
            kept.contains(&4) && (!kept.contains(&3) || kept.contains(&1)) && kept.len() > 1
        });
        let expected: [(&[usize], bool); 9] = [
            (&[1, 2, 3], false),
            (&[4], false),
            // 4 is set aside; the rest is halved.
            (&[1, 2], false),
            (&[3], false),
            (&[3, 4], false),
            (&[1, 2, 4], true),
            // 1 and 2 together have missed alone, and dropping them leaves 4.
            (&[4], false),
            // No chunk but this one: its halves.
            (&[1], false),
            (&[2], false),
        ];
        let asked: Vec<(&[usize], bool)> =
            asked.iter().map(|(kept, hit)| (&kept[..], *hit)).collect();
        assert_eq!(asked[..9], expected);
        // Their complements, then the sweep.
        assert_eq!(
            asked[9..],
            [
                (&[2, 4][..], true),
                (&[4], false),
                (&[2], false),
                (&[4], false)
            ]
        );
        assert_eq!(left, [2, 4]);
    }

    #[test]
    fn of_equal_weights_the_eight_statements_cost_as_much_as_with_ddmin() {
        let (asked, left) = trace(Wddmin::on(List::uniform(8)), eight_statements);
        assert_eq!(left, [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!((asked.len(), distinct(&asked)), (35, 27));
    }

    #[test]
    fn a_list_of_one_element_is_only_swept() {
        let (asked, left) = trace(Wddmin::on(List::uniform(1)), |_| true);
        assert_eq!(asked, [(vec![], true)]);
        assert_eq!(left, []);
    }
}
