//! Index types of a tree: one each for nodes, sibling lists and slots, and the vectors they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

/// An index into an [`IdVec`].
pub trait Id: Copy + Ord {
    /// Returns the id of the element at a position.
    fn new(index: usize) -> Self;

    /// Returns the position of the element.
    fn index(self) -> usize;
}

/// Returns a position or a number of tokens in half of the memory: large trees are made of these.
///
/// # Panics
/// From 2^32 on.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "checked right before")]
pub(super) const fn small(index: usize) -> u32 {
    assert!(
        index <= u32::MAX as usize,
        "fewer than 2^32 tokens and nodes"
    );
    index as u32
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The largest id.
            pub const MAX: Self = Self(u32::MAX);

            /// Returns the id of the element at a position.
            ///
            /// # Panics
            /// From the position 2^32 on.
            #[inline]
            #[must_use]
            pub const fn new(index: usize) -> Self {
                Self(small(index))
            }

            /// Returns the position of the element.
            #[inline]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                Self::new(index)
            }

            #[inline]
            fn index(self) -> usize {
                self.index()
            }
        }
    };
}

id! {
    /// The index of a node in preorder: an index into [`Tree::nodes`](super::Tree::nodes).
    NodeId
}

id! {
    /// The index of a sibling list: an index into [`Tree::lists`](super::Tree::lists).
    ListId
}

id! {
    /// The index of a slot: an index into [`Tree::slots`](super::Tree::slots).
    SlotId
}

impl NodeId {
    /// The root of a tree.
    pub const ROOT: Self = Self(0);

    /// Returns the next node in preorder: the first child, if the node has children.
    #[inline]
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Consecutive ids, from `start` to before `end`. Iterates over them, as [`Range`] does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdRange<I> {
    /// The first id.
    pub start: I,
    /// The id after the last one.
    pub end: I,
}

impl<I> From<Range<I>> for IdRange<I> {
    #[inline]
    fn from(Range { start, end }: Range<I>) -> Self {
        Self { start, end }
    }
}

impl<I: Id> Iterator for IdRange<I> {
    type Item = I;

    #[inline]
    fn next(&mut self) -> Option<I> {
        let next = self.start;
        (next < self.end).then(|| {
            self.start = I::new(next.index() + 1);
            next
        })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.start.index()..self.end.index()).size_hint()
    }
}

impl<I: Id> ExactSizeIterator for IdRange<I> {}

/// A vector indexed by one type of ids only. Elements keep their ids: none is ever removed.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    elements: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// Returns `len` copies of a value.
    #[must_use]
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        vec![value; len].into()
    }

    /// Appends an element, and returns its id.
    #[inline]
    pub fn push(&mut self, element: T) -> I {
        let id = self.next_id();
        self.elements.push(element);
        id
    }

    /// Gives back the memory that no element needs.
    pub fn shrink_to_fit(&mut self) {
        self.elements.shrink_to_fit();
    }

    /// Returns the id that the next element will get.
    #[inline]
    #[must_use]
    pub fn next_id(&self) -> I {
        I::new(self.elements.len())
    }

    /// Returns the ids of all elements, in ascending order.
    #[inline]
    #[must_use]
    pub fn ids(&self) -> IdRange<I> {
        self.ids_from(I::new(0))
    }

    /// Returns the ids from `first` on, in ascending order.
    #[inline]
    #[must_use]
    pub fn ids_from(&self, first: I) -> IdRange<I> {
        (first..self.next_id()).into()
    }

    /// Returns all elements with their ids, in order.
    #[inline]
    pub fn enumerate(&self) -> impl Iterator<Item = (I, &T)> {
        let elements = self.elements.iter().enumerate();
        elements.map(|(index, element)| (I::new(index), element))
    }

    /// Returns the number of elements.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns all elements, in the order of their ids.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.elements.iter()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.elements[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.elements[id.index()]
    }
}

impl<I: Id, T> Index<IdRange<I>> for IdVec<I, T> {
    type Output = [T];

    #[inline]
    fn index(&self, ids: IdRange<I>) -> &[T] {
        &self.elements[ids.start.index()..ids.end.index()]
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(elements: Vec<T>) -> Self {
        Self {
            elements,
            id: PhantomData,
        }
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> Self {
        Vec::from_iter(elements).into()
    }
}

impl<I, T> Extend<T> for IdVec<I, T> {
    fn extend<E: IntoIterator<Item = T>>(&mut self, elements: E) {
        self.elements.extend(elements);
    }
}

impl<'a, I, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_count_up_from_zero_and_ranges_of_them_select_elements() {
        let mut kinds: IdVec<SlotId, char> = IdVec::default();
        assert_eq!(kinds.push('a'), SlotId::new(0));
        let first = kinds.next_id();
        kinds.extend(['b', 'c']);
        let ids = kinds.ids_from(first);
        assert_eq!(ids.len(), 2);
        assert_eq!(&kinds[ids.clone()], ['b', 'c']);
        assert_eq!(ids.collect::<Vec<_>>(), [SlotId::new(1), SlotId::new(2)]);
        assert_eq!(kinds[SlotId::new(2)], 'c');
        assert!(kinds.ids().eq(kinds.enumerate().map(|(id, _)| id)));
    }
}
