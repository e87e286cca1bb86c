//! Simulated oracles: pure functions from a subset of a list to a verdict.

use std::sync::Arc;

use boildown_search::{Subset, Verdict};

/// An oracle that is a pure function of the kept elements.
#[derive(Debug, Clone)]
pub enum ListOracle {
    /// Interesting while all of these elements are kept. Monotone and unambiguous.
    Needs(NeededElements),
    /// Interesting while the roots are kept, and every kept element that uses another has it. Not
    /// monotone.
    DefUse {
        /// The elements that are always needed.
        roots: NeededElements,
        /// Pairs of an element and an earlier one that it uses.
        uses: Arc<[(usize, usize)]>,
    },
    /// Interesting while the needed elements are kept, and both or none of each pair. No single
    /// element of a pair can be removed.
    Pairs {
        /// The elements that are always needed.
        needed: NeededElements,
        /// The pairs. No element is in two of them.
        pairs: Arc<[(usize, usize)]>,
    },
    /// The eight statements of the running example of the ProbDD paper.
    EightStatements,
    /// The text `2424`, interesting while it contains `42`.
    FortyTwo,
}

/// A set of elements that have to be kept.
#[derive(Debug, Clone)]
pub struct NeededElements {
    /// For each element, the number of needed elements before it. The last entry, one more than
    /// there are elements, is the number of all.
    count_before: Arc<[u32]>,
}

impl NeededElements {
    /// Makes a set from a flag for each element: whether it is needed.
    #[must_use]
    pub fn new(needed: impl IntoIterator<Item = bool>) -> Self {
        let mut count = 0;
        let counts = needed.into_iter().map(|needed| {
            count += u32::from(needed);
            count
        });
        Self {
            count_before: std::iter::once(0).chain(counts).collect(),
        }
    }

    /// Returns the number of needed elements.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count_before[self.count_before.len() - 1] as usize
    }

    /// Returns whether an element is needed.
    #[must_use]
    pub fn contains(&self, element: usize) -> bool {
        self.count_before[element] < self.count_before[element + 1]
    }

    /// Returns whether all needed elements are kept. The cost depends on the number of runs in
    /// `kept`, not on the number of elements.
    #[must_use]
    pub fn are_in(&self, kept: &Subset) -> bool {
        let mut end = 0;
        for run in kept.runs() {
            if self.count_before[end] < self.count_before[run.start] {
                return false;
            }
            end = run.end;
        }
        self.count_before[end] == self.count_before[self.count_before.len() - 1]
    }
}

impl ListOracle {
    /// Returns the verdict on a subset of the list that this oracle was made for.
    #[must_use]
    pub fn judge(&self, kept: &Subset) -> Verdict {
        let interesting = match self {
            Self::Needs(needed) => needed.are_in(kept),
            Self::DefUse { roots, uses } => {
                roots.are_in(kept)
                    && (uses.iter())
                        .all(|&(user, used)| !kept.contains(user) || kept.contains(used))
            }
            Self::Pairs { needed, pairs } => {
                needed.are_in(kept)
                    && (pairs.iter())
                        .all(|&(one, other)| kept.contains(one) == kept.contains(other))
            }
            Self::EightStatements => eight_statements(kept),
            Self::FortyTwo => {
                let text = kept.iter().map(|at| b"2424"[at]).collect::<Vec<u8>>();
                text.windows(2).any(|pair| pair == b"42")
            }
        };
        if interesting {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    }
}

/// The example of G. Wang et al., *Probabilistic Delta Debugging*, ESEC/FSE 2021, Fig. 1.
/// Statements count from 1 there.
fn eight_statements(kept: &Subset) -> bool {
    const USES: [(usize, &[usize]); 5] = [
        (2, &[1]),
        (4, &[1]),
        (5, &[2, 4]),
        (6, &[2, 4]),
        (7, &[2, 4, 5, 6]),
    ];
    let is_kept = |statement: usize| kept.contains(statement - 1);
    let all_kept = |statements: &[usize]| statements.iter().all(|&statement| is_kept(statement));
    is_kept(8)
        && (USES.iter()).all(|(user, used)| !is_kept(*user) || all_kept(used))
        && (!is_kept(4) || all_kept(&[5, 6]))
        && (is_kept(3) || is_kept(7))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn needed_elements_are_kept_if_they_are_a_subset(
            needed in proptest::collection::vec(any::<bool>(), 1..80),
            cuts in proptest::collection::vec((0_usize..80, 0_usize..9), 0..9),
        ) {
            let needs = NeededElements::new(needed.iter().copied());
            let clip = |(start, length): (usize, usize)| start.min(needed.len())..(start + length).min(needed.len());
            let kept = Subset::full(needed.len()).without(cuts.into_iter().map(clip));
            let expected = (0..needed.len()).all(|element| !needed[element] || kept.contains(element));
            prop_assert_eq!(needs.are_in(&kept), expected);
            prop_assert_eq!(needs.count(), needed.iter().filter(|needed| **needed).count());
            prop_assert!((0..needed.len()).all(|element| needs.contains(element) == needed[element]));
        }
    }

    #[test]
    fn the_examples_of_papers_have_their_known_verdicts() {
        let judge = |oracle: &ListOracle, length: usize, kept: &[usize]| {
            let removed = (0..length).filter(|element| !kept.contains(element));
            let kept = Subset::full(length).without(removed.map(|element| element..element + 1));
            oracle.judge(&kept).is_interesting()
        };
        let statements = |kept: &[usize]| {
            let kept: Vec<usize> = kept.iter().map(|statement| statement - 1).collect();
            judge(&ListOracle::EightStatements, 8, &kept)
        };
        assert!(statements(&[1, 2, 3, 4, 5, 6, 7, 8]));
        assert!(statements(&[1, 2, 4, 5, 6, 7, 8]), "the result of ddmin");
        assert!(statements(&[3, 8]), "the smallest result");
        assert!(!statements(&[1, 2, 4, 5, 6, 8]));
        assert!(judge(&ListOracle::FortyTwo, 4, &[1, 2]));
        assert!(judge(&ListOracle::FortyTwo, 4, &[1, 2, 3]), "424");
        assert!(!judge(&ListOracle::FortyTwo, 4, &[0, 1]));
    }
}
