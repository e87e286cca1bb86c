//! A list of changes that is cheap to clone and to split.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::Subset;

/// Changes in ascending order: a range of a shared list. Cloning and splitting copy no changes.
#[derive(Clone)]
pub struct ChangeList {
    /// All changes of the shared list, ascending.
    list: Arc<[usize]>,
    /// Positions in `list`.
    range: Range<usize>,
}

impl ChangeList {
    /// Returns the number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Returns the changes as elements of the original list, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.elements().iter().copied()
    }

    pub(crate) fn from_subset(set: &Subset) -> Self {
        set.iter().collect()
    }

    /// Returns the part with this index, of `parts` parts of nearly equal size. The borders are at
    /// ⌊length·k/parts⌋.
    pub(crate) fn part(&self, index: usize, parts: usize) -> Self {
        let border = |index| self.range.start + self.len() * index / parts;
        Self {
            list: Arc::clone(&self.list),
            range: border(index)..border(index + 1),
        }
    }

    /// Returns the changes without `others`, which is a subset of them. Shares the list if `others`
    /// is a prefix or a suffix of it.
    pub(crate) fn without(&self, others: &Self) -> Self {
        if Arc::ptr_eq(&self.list, &others.list) {
            let rest = if others.range.start == self.range.start {
                Some(others.range.end..self.range.end)
            } else if others.range.end == self.range.end {
                Some(self.range.start..others.range.start)
            } else {
                None
            };
            if let Some(range) = rest {
                return Self {
                    list: Arc::clone(&self.list),
                    range,
                };
            }
        }
        let mut others = others.iter().peekable();
        self.iter()
            .filter(|&element| others.next_if_eq(&element).is_none())
            .collect()
    }

    /// Returns the range from the first change to the last, with all elements between them.
    pub(crate) fn span(&self) -> Range<usize> {
        match self.elements() {
            [] => 0..0,
            [first, .., last] | [first @ last] => *first..*last + 1,
        }
    }

    /// Returns the maximal runs of consecutive elements.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
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
        &self.list[self.range.clone()]
    }
}

/// The elements have to be in ascending order.
impl FromIterator<usize> for ChangeList {
    fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
        let list: Arc<[usize]> = elements.into_iter().collect();
        Self {
            range: 0..list.len(),
            list,
        }
    }
}

impl fmt::Debug for ChangeList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.elements()).finish()
    }
}

impl PartialEq for ChangeList {
    fn eq(&self, other: &Self) -> bool {
        self.elements() == other.elements()
    }
}

impl Eq for ChangeList {}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(elements: &[usize]) -> ChangeList {
        elements.iter().copied().collect()
    }

    #[test]
    fn parts_cover_all_changes_in_order_and_differ_in_length_by_at_most_one() {
        let all = changes(&[0, 1, 2, 3, 5, 6, 8, 9, 10, 11]);
        let parts: Vec<ChangeList> = (0..4).map(|index| all.part(index, 4)).collect();
        let expected: [&[usize]; 4] = [&[0, 1], &[2, 3, 5], &[6, 8], &[9, 10, 11]];
        assert_eq!(parts, expected.map(changes));
    }

    #[test]
    fn without_removes_prefixes_suffixes_and_middle_parts() {
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
