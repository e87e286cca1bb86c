//! The estimated share of needed elements, alone and beside another needed one.

/// How often an element is needed, learned from the elements that are decided, right to left.
///
/// The elements are taken for a Markov chain: the odds depend on whether the element to the right
/// is needed. Where needed elements stand together, the one beside a needed element is tried alone,
/// and long runs are tried elsewhere; where they are independent, both odds become the same.
///
/// Only counts are kept, so the estimates are the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NeededShare {
    /// Elements to the left of one that could be deleted, or of none.
    after_removable: Counts,
    /// Elements to the left of a needed one.
    after_needed: Counts,
    /// Whether the element that was decided last is needed.
    last_needed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    needed: usize,
    removable: usize,
}

impl NeededShare {
    /// The share before anything is known is one in ten, as if half an element had been needed and
    /// four and a half had not.
    const PRIOR_NEEDED: f64 = 0.5;
    const PRIOR_ALL: f64 = 5.0;

    pub(super) fn new() -> Self {
        Self {
            after_removable: Counts::default(),
            after_needed: Counts::default(),
            last_needed: false,
        }
    }

    /// Starts at the end of another list with what is known.
    pub(super) fn at_a_new_end(self) -> Self {
        Self {
            last_needed: false,
            ..self
        }
    }

    /// Records that the next `count` elements can be deleted.
    pub(super) fn removable(&mut self, count: usize) {
        if count > 0 {
            self.counts().removable += 1;
            self.last_needed = false;
            self.after_removable.removable += count - 1;
        }
    }

    /// Records that the next element is needed.
    pub(super) fn needed(&mut self) {
        self.counts().needed += 1;
        self.last_needed = true;
    }

    fn counts(&mut self) -> &mut Counts {
        match self.last_needed {
            true => &mut self.after_needed,
            false => &mut self.after_removable,
        }
    }

    /// Returns the probability that an element to the left of a removable one is needed.
    fn after_removable(&self) -> f64 {
        let Counts { needed, removable } = self.after_removable;
        (needed as f64 + Self::PRIOR_NEEDED) / ((needed + removable) as f64 + Self::PRIOR_ALL)
    }

    /// Returns the probability that the next element is needed.
    fn next(&self) -> f64 {
        let alone = self.after_removable();
        if !self.last_needed {
            return alone;
        }
        // Before anything is known about neighbours, they are like the others.
        let Counts { needed, removable } = self.after_needed;
        (needed as f64 + alone) / ((needed + removable) as f64 + 1.0)
    }

    /// Returns the probability that none of the next `length` elements is needed.
    pub(super) fn all_removable(&self, length: usize) -> f64 {
        let one = 1.0 - self.after_removable();
        (1..length).fold(1.0 - self.next(), |all, _| all * one)
    }

    /// Returns the length of the run whose deletion is a hit in about half of all cases: at least 1
    /// and at most `limit`, which is at least 1.
    pub(super) fn even_run(&self, limit: usize) -> usize {
        let one = 1.0 - self.after_removable();
        let mut all = 1.0 - self.next();
        for length in 1..limit {
            let longer = all * one;
            // The longer run is further from one half.
            if longer + all < 1.0 {
                return length;
            }
            all = longer;
        }
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_grows_while_everything_can_be_deleted() {
        let mut share = NeededShare::new();
        let mut lengths = Vec::new();
        for _ in 0..5 {
            lengths.push(share.even_run(1000));
            share.removable(share.even_run(1000));
        }
        assert_eq!(lengths, [7, 16, 38, 91, 217]);
        assert_eq!(share.even_run(100), 100);
    }

    #[test]
    fn needed_elements_that_stand_together_are_tried_alone() {
        let mut share = NeededShare::new();
        for _ in 0..4 {
            share.removable(10);
            for _ in 0..5 {
                share.needed();
            }
        }
        assert_eq!(share.even_run(100), 1);
        share.removable(1);
        assert_eq!(share.even_run(100), 7);
    }

    #[test]
    fn half_of_independent_elements_needed_means_one_by_one() {
        let mut share = NeededShare::new();
        for _ in 0..20 {
            share.removable(1);
            share.needed();
            share.needed();
            share.removable(1);
        }
        assert_eq!(share.even_run(100), 1);
        assert!((share.all_removable(1) - 0.5).abs() < 0.05);
    }
}
