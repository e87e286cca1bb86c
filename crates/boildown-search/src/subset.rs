//! Subsets of a list, which are the candidates of list searches.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use fixedbitset::FixedBitSet;

use crate::Fingerprint;
use crate::fingerprint::Fingerprinted;

/// A subset of the elements `0..universe`, stored as a shared base minus a few cuts.
///
/// An element is an index into the original list, as a `usize`; elements are never renumbered.
/// Deletions are ranges of elements, so an index type of its own would be unwrapped at every use;
/// the index spaces that are easily confused (nodes, sibling lists and slots of a tree) have types
/// in [`tree`](crate::tree).
///
/// Deriving a candidate from a shared base costs O(number of cuts). Nothing proportional to the
/// list is copied until a cut is committed.
#[derive(Clone)]
pub struct Subset {
    base: Arc<Base>,
    /// Ranges of elements that are excluded, even if the base holds them. Sorted, disjoint.
    cuts: Vec<Range<usize>>,
}

/// The elements that candidates share.
#[derive(Clone)]
struct Base {
    bits: FixedBitSet,
    /// The sum of the hashes of the elements; computed for the first fingerprint.
    sum: OnceLock<u128>,
}

impl Base {
    fn new(bits: FixedBitSet) -> Arc<Self> {
        Arc::new(Self {
            bits,
            sum: OnceLock::new(),
        })
    }

    fn change(&mut self) -> &mut FixedBitSet {
        self.sum.take();
        &mut self.bits
    }
}

impl Deref for Base {
    type Target = FixedBitSet;

    fn deref(&self) -> &FixedBitSet {
        &self.bits
    }
}

impl Subset {
    /// Returns the set of all elements `0..universe`.
    #[must_use]
    pub fn full(universe: usize) -> Self {
        let mut base = FixedBitSet::with_capacity(universe);
        base.insert_range(..);
        Self {
            base: Base::new(base),
            cuts: Vec::new(),
        }
    }

    /// Returns the number of elements of the original list, kept or not.
    #[must_use]
    pub fn universe(&self) -> usize {
        self.base.len()
    }

    /// Returns this set without the given ranges of elements.
    #[must_use]
    pub fn without(&self, cuts: impl IntoIterator<Item = Range<usize>>) -> Self {
        let mut all = self.cuts.clone();
        all.extend(cuts.into_iter().filter(|cut| !cut.is_empty()));
        all.sort_unstable_by_key(|cut| (cut.start, cut.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for cut in all {
            match merged.last_mut() {
                Some(last) if cut.start <= last.end => last.end = last.end.max(cut.end),
                _ => merged.push(cut),
            }
        }
        Self {
            base: Arc::clone(&self.base),
            cuts: merged,
        }
    }

    /// Returns the union of this set and the given ranges of elements. O(universe / 64).
    ///
    /// # Panics
    /// When a range reaches beyond the universe.
    #[must_use]
    pub fn with(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Self {
        let mut all = self.clone();
        all.commit();
        let base = Arc::make_mut(&mut all.base).change();
        for range in ranges {
            base.insert_range(range);
        }
        all
    }

    /// Returns the elements of this set that are inside `range`.
    #[must_use]
    pub fn only(&self, range: Range<usize>) -> Self {
        self.without([0..range.start, range.end..self.universe()])
    }

    /// Returns the intersection with other sets over the same list. Cheap when all share a base.
    #[must_use]
    pub fn intersection<'a>(&self, others: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut base = Arc::clone(&self.base);
        let mut cuts = Vec::new();
        for other in others {
            if !Arc::ptr_eq(&base, &other.base) {
                Arc::make_mut(&mut base)
                    .change()
                    .intersect_with(&other.base);
            }
            cuts.extend_from_slice(&other.cuts);
        }
        let own = Self {
            base,
            cuts: self.cuts.clone(),
        };
        own.without(cuts)
    }

    /// Applies the cuts to the base, so that later candidates carry only their own cuts. O(universe
    /// / 64) when the base is shared.
    pub fn commit(&mut self) {
        if self.cuts.is_empty() {
            return;
        }
        let sum = (self.base.sum.get()).map(|sum| sum.wrapping_sub(self.sum_of_cuts()));
        let base = Arc::make_mut(&mut self.base);
        for cut in self.cuts.drain(..) {
            base.bits.remove_range(cut);
        }
        base.sum = sum.map(OnceLock::from).unwrap_or_default();
    }

    /// Returns whether `element` is kept.
    #[must_use]
    pub fn contains(&self, element: usize) -> bool {
        let after = self.cuts.partition_point(|cut| cut.end <= element);
        let is_cut = (self.cuts.get(after)).is_some_and(|cut| cut.start <= element);
        self.base.contains(element) && !is_cut
    }

    /// Returns the number of kept elements. O(universe / 64).
    #[must_use]
    pub fn count(&self) -> usize {
        self.count_in(0..self.universe())
    }

    /// Returns the number of kept elements inside `range`.
    #[must_use]
    pub fn count_in(&self, range: Range<usize>) -> usize {
        self.pieces(range)
            .map(|piece| self.base.count_ones(piece))
            .sum()
    }

    /// Returns whether any element inside `range` is kept. Stops at the first one.
    #[must_use]
    pub fn any_in(&self, range: Range<usize>) -> bool {
        self.first_in(range).is_some()
    }

    /// Returns the first kept element of `range`.
    #[must_use]
    pub fn first_in(&self, range: Range<usize>) -> Option<usize> {
        let words = self.base.as_slice();
        self.pieces(range).find_map(|piece| {
            let end = piece.end.min(self.universe());
            let words = &words[..end.div_ceil(usize::BITS as usize)];
            next_one(words, piece.start).filter(|&element| element < end)
        })
    }

    /// Returns the last kept element of `range`.
    #[must_use]
    pub fn last_in(&self, range: Range<usize>) -> Option<usize> {
        let words = self.base.as_slice();
        let pieces: Vec<Range<usize>> = self.pieces(range).collect();
        pieces.into_iter().rev().find_map(|piece| {
            previous_one(words, piece.end.min(self.universe()))
                .filter(|&element| element >= piece.start)
        })
    }

    /// Returns whether `other` holds all elements of this set. Cheap when both share a base.
    #[must_use]
    pub fn is_subset_of(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.base, &other.base) {
            return other.cuts.iter().all(|cut| self.count_in(cut.clone()) == 0);
        }
        self.to_bits().is_subset(&other.to_bits())
    }

    /// Returns ranges that cover every element of this set that is not in `smaller`, and no element
    /// of `smaller`. Sorted, disjoint. There are few ranges when both share a base.
    #[must_use]
    pub fn cuts_to(&self, smaller: &Self) -> Vec<Range<usize>> {
        if Arc::ptr_eq(&self.base, &smaller.base) {
            let mut cuts = smaller.cuts.clone();
            cuts.retain(|cut| self.any_in(cut.clone()));
            return cuts;
        }
        let mut lost = self.to_bits();
        lost.difference_with(&smaller.to_bits());
        let lost = Self::from_bits(lost);
        lost.runs().collect()
    }

    /// Returns whether both are handles of the same set. Cheap; equal sets with different bases are
    /// not recognised.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.base, &other.base) && self.cuts == other.cuts
    }

    /// Returns the kept elements in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.runs().flatten()
    }

    /// Returns the maximal runs of neighbouring kept elements, in ascending order.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.runs_in(0..self.universe())
    }

    /// The maximal runs of neighbouring kept elements inside `range`.
    fn runs_in(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let words = self.base.as_slice();
        self.pieces(range).flat_map(move |piece| {
            let mut next = piece.start;
            std::iter::from_fn(move || {
                let start = next_one(words, next).filter(|&element| element < piece.end)?;
                next = next_zero(words, start).min(piece.end);
                Some(start..next)
            })
        })
    }

    /// Returns the elements of this set that are not in `other`, a set over the same list, in
    /// ascending order. Proportional to the cuts of `other` when both share a base.
    #[must_use]
    pub fn lost_in(&self, other: &Self) -> Vec<usize> {
        let cuts = self.cuts_to(other).into_iter();
        cuts.flat_map(|cut| self.runs_in(cut)).flatten().collect()
    }

    /// Returns one bit for each element of the original list. O(universe / 64).
    #[must_use]
    pub fn to_bits(&self) -> FixedBitSet {
        let mut bits = self.base.bits.clone();
        for cut in &self.cuts {
            bits.remove_range(cut.clone());
        }
        bits
    }

    /// Returns the set of the elements whose bits are set.
    #[must_use]
    pub fn from_bits(bits: FixedBitSet) -> Self {
        Self {
            base: Base::new(bits),
            cuts: Vec::new(),
        }
    }

    /// The parts of `range` that no cut covers.
    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let first = self.cuts.partition_point(|cut| cut.end <= range.start);
        let mut cuts = self.cuts[first..].iter();
        let mut start = range.start;
        let mut done = false;
        std::iter::from_fn(move || {
            while !done {
                let piece = match cuts.next() {
                    Some(cut) if cut.start < range.end => {
                        let piece = start..cut.start;
                        start = cut.end;
                        piece
                    }
                    _ => {
                        done = true;
                        start..range.end
                    }
                };
                if piece.start < piece.end {
                    return Some(piece);
                }
            }
            None
        })
    }
}

/// The first set bit at or after `from`.
fn next_one(words: &[usize], from: usize) -> Option<usize> {
    let bits = usize::BITS as usize;
    let mut at = from / bits;
    let mut word = *words.get(at)? & (usize::MAX << (from % bits));
    while word == 0 {
        at += 1;
        word = *words.get(at)?;
    }
    Some(at * bits + word.trailing_zeros() as usize)
}

/// The last set bit before `end`.
fn previous_one(words: &[usize], end: usize) -> Option<usize> {
    let bits = usize::BITS as usize;
    let mut at = end.checked_sub(1)? / bits;
    let mut word = words[at] & (usize::MAX >> (bits - 1 - (end - 1) % bits));
    while word == 0 {
        at = at.checked_sub(1)?;
        word = words[at];
    }
    Some(at * bits + word.ilog2() as usize)
}

/// The first clear bit at or after `from`.
fn next_zero(words: &[usize], from: usize) -> usize {
    let bits = usize::BITS as usize;
    let mut at = from / bits;
    let mut word = !words.get(at).copied().unwrap_or(0) & (usize::MAX << (from % bits));
    while word == 0 {
        at += 1;
        word = !words.get(at).copied().unwrap_or(0);
    }
    at * bits + word.trailing_zeros() as usize
}

impl std::fmt::Debug for Subset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl PartialEq for Subset {
    fn eq(&self, other: &Self) -> bool {
        self.universe() == other.universe() && self.iter().eq(other.iter())
    }
}

impl Eq for Subset {}

impl Fingerprinted for Subset {
    /// Proportional to the number of cut elements, or to the number of kept elements if that is
    /// smaller.
    fn fingerprint(&self) -> Fingerprint {
        let cut: usize = self.cuts.iter().map(Range::len).sum();
        let sum = if cut > self.universe() / 2 {
            sum(self.iter())
        } else {
            let whole = self.base.sum.get_or_init(|| sum(self.base.ones()));
            whole.wrapping_sub(self.sum_of_cuts())
        };
        Fingerprint::new(sum)
    }
}

impl Subset {
    /// Returns the sum of the hashes of the elements that the cuts remove from the base.
    fn sum_of_cuts(&self) -> u128 {
        let whole = Self {
            base: Arc::clone(&self.base),
            cuts: Vec::new(),
        };
        let cuts = self.cuts.iter().cloned();
        sum(cuts.flat_map(|cut| whole.runs_in(cut)).flatten())
    }
}

/// The hash of one element. A set is hashed as the sum of its elements, so the order does not
/// matter and elements can be subtracted again.
fn sum(elements: impl Iterator<Item = usize>) -> u128 {
    elements.fold(0, |sum: u128, element| sum.wrapping_add(hash(element)))
}

/// Combines two independent 64-bit hashes by the finaliser of `SplitMix64`.
fn hash(element: usize) -> u128 {
    let mix = |seed: u64| {
        let mut bits = (element as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(seed);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    (u128::from(mix(0x243f_6a88_85a3_08d3)) << 64) | u128::from(mix(0xa409_3822_299f_31d0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cuts_behave_like_set_difference(
            universe in 0_usize..200,
            committed in proptest::collection::vec((0_usize..200, 0_usize..40), 0..4),
            pending in proptest::collection::vec((0_usize..200, 0_usize..40), 0..4),
            window in (0_usize..200, 0_usize..100),
        ) {
            let clip = |(start, length): (usize, usize)| start.min(universe)..(start + length).min(universe);
            let mut set = Subset::full(universe).without(committed.iter().copied().map(clip));
            set.commit();
            let set = set.without(pending.iter().copied().map(clip));
            let expected: Vec<usize> = (0..universe)
                .filter(|e| !committed.iter().chain(&pending).any(|&cut| clip(cut).contains(e)))
                .collect();
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(set.count(), expected.len());
            let mut same = set.clone();
            prop_assert_eq!(set.fingerprint(), Fingerprint::new(sum(expected.iter().copied())));
            same.commit();
            prop_assert_eq!(same.fingerprint(), set.fingerprint());
            let runs: Vec<_> = set.runs().collect();
            prop_assert!(runs.iter().all(|run| !run.is_empty()));
            prop_assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start));
            let window = clip(window);
            prop_assert_eq!(set.count_in(window.clone()), expected.iter().filter(|e| window.contains(e)).count());
            prop_assert_eq!(set.only(window.clone()).iter().collect::<Vec<_>>(),
                expected.iter().copied().filter(|e| window.contains(e)).collect::<Vec<_>>());
            prop_assert_eq!(set.any_in(window.clone()), set.count_in(window.clone()) > 0);
            for element in 0..universe {
                prop_assert_eq!(set.contains(element), expected.contains(&element));
            }
            let more = set.with([window.clone(), 0..0]);
            prop_assert_eq!(more.iter().collect::<Vec<_>>(),
                (0..universe).filter(|e| expected.contains(e) || window.contains(e)).collect::<Vec<_>>());
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), expected.clone(), "the set itself stays");
            let whole = Subset::full(universe).without(committed.iter().copied().map(clip));
            let lost: Vec<usize> = whole.iter().filter(|element| !expected.contains(element)).collect();
            prop_assert_eq!(whole.lost_in(&set), lost.clone());
            prop_assert_eq!(whole.lost_in(&whole.without(pending.iter().copied().map(clip))), lost);
            prop_assert_eq!(&Subset::from_bits(set.to_bits()), &set);
            prop_assert_eq!(set.first_in(window.clone()), expected.iter().copied().find(|e| window.contains(e)));
            prop_assert_eq!(set.last_in(window.clone()), expected.iter().copied().rfind(|e| window.contains(e)));
            let mut apart = set.without([window.clone()]);
            apart.commit();
            for smaller in [set.without([window.clone()]), apart] {
                let cuts = set.cuts_to(&smaller);
                prop_assert!(cuts.windows(2).all(|pair| pair[0].end <= pair[1].start));
                prop_assert!(cuts.iter().all(|cut| set.any_in(cut.clone())));
                let again = set.without(cuts);
                prop_assert_eq!(again.fingerprint(), smaller.fingerprint());
                prop_assert_eq!(&again, &smaller);
                prop_assert!(smaller.is_subset_of(&set));
                prop_assert_eq!(set.is_subset_of(&smaller), set == smaller);
            }
        }
    }

    #[test]
    fn equal_sets_have_equal_fingerprints_however_they_were_cut() {
        let one = Subset::full(10).without([2..4]).without([3..6]);
        let mut two = Subset::full(10).without([2..6]);
        two.commit();
        assert_eq!(one.fingerprint(), two.fingerprint());
        assert_ne!(
            one.fingerprint(),
            Subset::full(10).without([2..5]).fingerprint()
        );
    }
}
