//! The queue of chunks that a halving has not asked about yet.

use std::ops::Range;

use rpds::VectorSync;

/// The order in which a halving visits the chunks of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HalvingOrder {
    /// Both halves of a chunk, down to single elements, before the chunk beside it. Each query is
    /// close to the one before.
    #[default]
    Depth,
    /// All chunks of one level before their halves: large chunks are deleted first.
    Breadth,
}

impl HalvingOrder {
    /// The values of the parameter `order`.
    pub(super) const NAMES: [(&str, Self); 2] =
        [("depth", Self::Depth), ("breadth", Self::Breadth)];
}

/// Disjoint chunks of a list in the order in which they are asked about. Cheap to clone, however
/// many there are.
#[derive(Debug, Clone)]
pub(super) enum PendingChunks {
    /// A stack; the last chunk is asked about next. Its length is at most the depth of the halving,
    /// so it is short.
    Depth(Vec<Range<usize>>),
    /// A queue of one level. It can become as long as the list.
    Breadth {
        /// The chunks of this level.
        level: VectorSync<Range<usize>>,
        /// The next chunk of `level`. Invariant: below its length unless no chunk is pending.
        next_index: usize,
        /// The halves of the chunks of this level that could not be deleted.
        deeper: VectorSync<Range<usize>>,
    },
}

impl PendingChunks {
    /// Starts with one chunk, or with none if that is empty.
    pub(super) fn new(order: HalvingOrder, all: Range<usize>) -> Self {
        let all = (!all.is_empty()).then_some(all);
        match order {
            HalvingOrder::Depth => Self::Depth(all.into_iter().collect()),
            HalvingOrder::Breadth => Self::Breadth {
                level: all.into_iter().collect(),
                next_index: 0,
                deeper: VectorSync::new_sync(),
            },
        }
    }

    /// Returns the chunk that is asked about next.
    pub(super) fn first(&self) -> Option<&Range<usize>> {
        match self {
            Self::Depth(chunks) => chunks.last(),
            Self::Breadth {
                level, next_index, ..
            } => level.get(*next_index),
        }
    }

    /// Returns the chunks behind the first one, in the order of asking; none in the order of
    /// levels, where they are no larger.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Range<usize>> {
        let chunks = match self {
            Self::Depth(chunks) => chunks.as_slice(),
            Self::Breadth { .. } => &[],
        };
        chunks.iter().rev().skip(1)
    }

    /// Replaces the first chunk by its halves, in the order of asking, or removes it.
    pub(super) fn replace_first(&mut self, halves: Option<[Range<usize>; 2]>) {
        let halves = halves.into_iter().flatten();
        match self {
            Self::Depth(chunks) => {
                chunks.pop();
                chunks.extend(halves.rev());
            }
            Self::Breadth {
                level,
                next_index,
                deeper,
            } => {
                *next_index += 1;
                deeper.extend(halves);
                if *next_index == level.len() {
                    *level = std::mem::replace(deeper, VectorSync::new_sync());
                    *next_index = 0;
                }
            }
        }
    }
}
