//! The chunks that a halving still has to ask about.

use std::ops::Range;

use rpds::VectorSync;

use super::Order;

/// Disjoint chunks of a list in the order in which they are asked. Cheap to clone however many there are.
#[derive(Debug, Clone)]
pub(super) enum Frontier {
    /// A stack: the last one is next. As deep as the halving has gone, so it is short.
    Depth(Vec<Range<usize>>),
    /// A queue, which can get as long as the list.
    Breadth {
        /// Invariant: `at` is below its length unless the frontier is empty.
        level: VectorSync<Range<usize>>,
        at: usize,
        /// The halves of what this level could not delete.
        deeper: VectorSync<Range<usize>>,
    },
}

/// What follows on a question.
#[derive(Debug)]
pub(super) enum Following {
    /// The same one, again.
    Again(Range<usize>),
    /// A half of it.
    Half(Range<usize>),
}

impl Frontier {
    /// Begins with one chunk, or with none when that is empty.
    pub(super) fn new(order: Order, all: Range<usize>) -> Self {
        let all = (!all.is_empty()).then_some(all);
        match order {
            Order::Depth => Self::Depth(all.into_iter().collect()),
            Order::Breadth => Self::Breadth {
                level: all.into_iter().collect(),
                at: 0,
                deeper: VectorSync::new_sync(),
            },
        }
    }

    /// The first so many, of one level when it goes level by level.
    pub(super) fn first(&self, count: usize) -> Vec<Range<usize>> {
        match self {
            Self::Depth(chunks) => chunks.iter().rev().take(count).cloned().collect(),
            Self::Breadth { level, at, .. } => (*at..level.len())
                .map_while(|place| level.get(place).cloned())
                .take(count)
                .collect(),
        }
    }

    /// Puts in place of the first so many what follows on them, in the order of asking.
    pub(super) fn replace(&mut self, count: usize, following: Vec<Following>) {
        match self {
            Self::Depth(chunks) => {
                chunks.truncate(chunks.len() - count);
                let following = following.into_iter().rev();
                chunks.extend(
                    following.map(|(Following::Again(chunk) | Following::Half(chunk))| chunk),
                );
            }
            Self::Breadth { level, at, deeper } => {
                *at += count;
                for next in following {
                    match next {
                        // At the end of its level: what else there is on it was not asked about yet.
                        Following::Again(chunk) => level.push_back_mut(chunk),
                        Following::Half(chunk) => deeper.push_back_mut(chunk),
                    }
                }
                if *at == level.len() {
                    *level = std::mem::replace(deeper, VectorSync::new_sync());
                    *at = 0;
                }
            }
        }
    }
}
