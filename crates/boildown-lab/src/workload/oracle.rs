//! What decides whether a subset is interesting.

use std::sync::Arc;

use boildown_search::{Subset, Verdict};

/// An oracle as a pure function of the kept elements.
#[derive(Debug, Clone)]
pub enum Oracle {
    /// Interesting while all of these are kept: monotone and unambiguous.
    Needs(Needs),
    /// Interesting while the roots are kept, and with every user what it uses: not monotone.
    DefUse {
        /// What is needed in any case.
        roots: Needs,
        /// Each user with the one element before it that it cannot do without.
        uses: Arc<[(usize, usize)]>,
    },
    /// Interesting while the needed elements are kept and no pair is torn apart: no single element of a pair can go.
    Pairs {
        /// What is needed in any case.
        needed: Needs,
        /// Elements that stay together or go together. No element is in two pairs.
        pairs: Arc<[(usize, usize)]>,
    },
    /// The eight statements of the running example of the ProbDD paper.
    EightStatements,
    /// The text `2424`, interesting while it contains `42`.
    FortyTwo,
}

/// A set of elements that have to be there.
#[derive(Debug, Clone)]
pub struct Needs {
    /// How many needed elements come before each element; one more entry than there are elements.
    before: Arc<[u32]>,
}

impl Needs {
    /// Takes whether each element is needed.
    #[must_use]
    pub fn new(needed: impl IntoIterator<Item = bool>) -> Self {
        let mut count = 0;
        let counts = needed.into_iter().map(|needed| {
            count += u32::from(needed);
            count
        });
        Self {
            before: std::iter::once(0).chain(counts).collect(),
        }
    }

    /// Returns the number of needed elements.
    #[must_use]
    pub fn count(&self) -> usize {
        self.before[self.before.len() - 1] as usize
    }

    /// Returns whether an element is needed.
    #[must_use]
    pub fn contains(&self, element: usize) -> bool {
        self.before[element] < self.before[element + 1]
    }

    /// Returns whether all needed elements are kept. Looks at the gaps of `kept` only.
    #[must_use]
    pub fn are_in(&self, kept: &Subset) -> bool {
        let mut end = 0;
        for run in kept.runs() {
            if self.before[end] < self.before[run.start] {
                return false;
            }
            end = run.end;
        }
        self.before[end] == self.before[self.before.len() - 1]
    }
}

impl Oracle {
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

    /// Returns the smallest interesting subset, where there is only one.
    #[must_use]
    pub fn minimum(&self) -> Option<usize> {
        match self {
            Self::Needs(needed) => Some(needed.count()),
            Self::FortyTwo => Some(2),
            Self::DefUse { .. } | Self::Pairs { .. } | Self::EightStatements => None,
        }
    }
}

/// G. Wang et al., *Probabilistic Delta Debugging*, ESEC/FSE 2021, Fig. 1. Statements count from 1 there.
fn eight_statements(kept: &Subset) -> bool {
    const USES: [(usize, &[usize]); 5] = [
        (2, &[1]),
        (4, &[1]),
        (5, &[2, 4]),
        (6, &[2, 4]),
        (7, &[2, 4, 5, 6]),
    ];
    let has = |statement: usize| kept.contains(statement - 1);
    let are_there = |statements: &[usize]| statements.iter().all(|&statement| has(statement));
    has(8)
        && (USES.iter()).all(|(user, used)| !has(*user) || are_there(used))
        && (!has(4) || are_there(&[5, 6]))
        && (has(3) || has(7))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn needs_are_a_subset(
            needed in proptest::collection::vec(any::<bool>(), 1..80),
            cuts in proptest::collection::vec((0_usize..80, 0_usize..9), 0..9),
        ) {
            let needs = Needs::new(needed.iter().copied());
            let clip = |(start, length): (usize, usize)| start.min(needed.len())..(start + length).min(needed.len());
            let kept = Subset::full(needed.len()).without(cuts.into_iter().map(clip));
            let expected = (0..needed.len()).all(|element| !needed[element] || kept.contains(element));
            prop_assert_eq!(needs.are_in(&kept), expected);
            prop_assert_eq!(needs.count(), needed.iter().filter(|needed| **needed).count());
            prop_assert!((0..needed.len()).all(|element| needs.contains(element) == needed[element]));
        }
    }

    #[test]
    fn the_examples_of_the_papers() {
        let judge = |oracle: &Oracle, length: usize, kept: &[usize]| {
            let gone = (0..length).filter(|element| !kept.contains(element));
            let kept = Subset::full(length).without(gone.map(|element| element..element + 1));
            oracle.judge(&kept).is_interesting()
        };
        let statements = |kept: &[usize]| {
            let kept: Vec<usize> = kept.iter().map(|statement| statement - 1).collect();
            judge(&Oracle::EightStatements, 8, &kept)
        };
        assert!(statements(&[1, 2, 3, 4, 5, 6, 7, 8]));
        assert!(statements(&[1, 2, 4, 5, 6, 7, 8]), "what ddmin finds");
        assert!(statements(&[3, 8]), "the smallest");
        assert!(!statements(&[1, 2, 4, 5, 6, 8]));
        assert!(judge(&Oracle::FortyTwo, 4, &[1, 2]));
        assert!(judge(&Oracle::FortyTwo, 4, &[1, 2, 3]), "424");
        assert!(!judge(&Oracle::FortyTwo, 4, &[0, 1]));
    }
}
