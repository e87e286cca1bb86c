//! Some of the changes, cheap to pass around.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::Subset;

/// Some of the changes, in ascending order: a stretch of a shared list.
#[derive(Clone)]
pub struct Changes {
    /// Ascending.
    list: Arc<[usize]>,
    /// Positions in `list`.
    stretch: Range<usize>,
}

impl Changes {
    /// Returns the number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stretch.len()
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stretch.is_empty()
    }

    /// Returns the changes as elements of the original list, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.elements().iter().copied()
    }

    pub(super) fn of(set: &Subset) -> Self {
        set.iter().collect()
    }

    /// One of so many parts of nearly equal size; the borders are at ⌊length·k/parts⌋.
    pub(super) fn part(&self, place: usize, parts: usize) -> Self {
        let border = |place| self.stretch.start + self.len() * place / parts;
        Self {
            list: Arc::clone(&self.list),
            stretch: border(place)..border(place + 1),
        }
    }

    /// Everything but these, which are all among them. Shares the list when they are a beginning or an end of it.
    pub(super) fn without(&self, others: &Self) -> Self {
        if Arc::ptr_eq(&self.list, &others.list) {
            let rest = if others.stretch.start == self.stretch.start {
                Some(others.stretch.end..self.stretch.end)
            } else if others.stretch.end == self.stretch.end {
                Some(self.stretch.start..others.stretch.start)
            } else {
                None
            };
            if let Some(stretch) = rest {
                return Self {
                    list: Arc::clone(&self.list),
                    stretch,
                };
            }
        }
        let mut others = others.iter().peekable();
        self.iter()
            .filter(|&element| others.next_if_eq(&element).is_none())
            .collect()
    }

    /// From the first of them to the last, with whatever lies between.
    pub(super) fn span(&self) -> Range<usize> {
        match self.elements() {
            [] => 0..0,
            [first, .., last] | [first @ last] => *first..*last + 1,
        }
    }

    /// The maximal runs of neighbours.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut rest = self.elements();
        std::iter::from_fn(move || {
            let (&first, &last) = (rest.first()?, rest.last()?);
            let length = if last - first + 1 == rest.len() {
                rest.len()
            } else {
                1 + rest
                    .windows(2)
                    .take_while(|pair| pair[0] + 1 == pair[1])
                    .count()
            };
            rest = &rest[length..];
            Some(first..first + length)
        })
    }

    fn elements(&self) -> &[usize] {
        &self.list[self.stretch.clone()]
    }
}

/// From elements in ascending order.
impl FromIterator<usize> for Changes {
    fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
        let list: Arc<[usize]> = elements.into_iter().collect();
        Self {
            stretch: 0..list.len(),
            list,
        }
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.elements()).finish()
    }
}

impl PartialEq for Changes {
    fn eq(&self, other: &Self) -> bool {
        self.elements() == other.elements()
    }
}

impl Eq for Changes {}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(elements: &[usize]) -> Changes {
        elements.iter().copied().collect()
    }

    #[test]
    fn parts_cover_everything_in_order_and_differ_by_at_most_one() {
        let all = changes(&[0, 1, 2, 3, 5, 6, 8, 9, 10, 11]);
        let parts: Vec<Changes> = (0..4).map(|place| all.part(place, 4)).collect();
        let expected: [&[usize]; 4] = [&[0, 1], &[2, 3, 5], &[6, 8], &[9, 10, 11]];
        assert_eq!(parts, expected.map(changes));
    }

    #[test]
    fn what_is_left_of_a_middle_part_is_listed_anew_and_of_an_outer_one_shared() {
        let all = changes(&[1, 2, 4, 5, 6, 9]);
        assert_eq!(all.without(&all.part(0, 3)), changes(&[4, 5, 6, 9]));
        assert_eq!(all.without(&all.part(1, 3)), changes(&[1, 2, 6, 9]));
        assert_eq!(all.without(&all.part(2, 3)), changes(&[1, 2, 4, 5]));
        assert_eq!(all.without(&changes(&[2, 9])), changes(&[1, 4, 5, 6]));
        assert!(all.without(&all).is_empty());
    }

    #[test]
    fn runs_are_maximal() {
        let runs = |elements: &[usize]| changes(elements).runs().collect::<Vec<_>>();
        assert_eq!(runs(&[]), [0..0; 0]);
        assert_eq!(runs(&[3]), [3..4]);
        assert_eq!(runs(&[1, 2, 4, 5, 6, 9]), [1..3, 4..7, 9..10]);
        assert_eq!(changes(&[1, 2, 9]).span(), 1..10);
    }
}
