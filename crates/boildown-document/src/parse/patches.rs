//! The places where two texts differ.

use std::ops::Range;

use memchr::memmem;

use super::items::Item;
use crate::common_ends::common_start;
use crate::document::is_word;

/// A stretch of a text that an edit replaces: some of its items, or none, with the space around
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Patch {
    /// The items of the text before the edit.
    pub(super) items: Range<usize>,
    /// The bytes of the text after the edit that stand there, up to the next item.
    pub(super) after: Range<usize>,
}

/// The number of items after a changed one that are looked for wherever they may be. Further ones
/// are found by what stands at some places of the new text.
const SOUGHT: usize = 256;

/// Shorter items, in bytes, may stand anywhere.
const SHORTEST: usize = 8;

/// The items on either side by which a patch is widened.
const WIDER: usize = 3;

/// The bytes of an item that are looked for.
const NEEDLE: usize = 64;

/// The bytes by which an edit may lengthen what it changes.
const LENGTHENED: usize = 1 << 10;

/// Two texts: one with its items, and one after an edit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'a> {
    pub(super) items: &'a [Item],
    pub(super) old: &'a [u8],
    pub(super) new: &'a [u8],
}

impl Texts<'_> {
    /// Returns the patches that make the new text of the old one, ascending.
    ///
    /// Outside of them the texts are the same. They are not always the smallest ones, but nearly so
    /// for deletions.
    /// # Cost
    /// Linear in the sizes of the texts, and for each patch in the items and bytes near it. Where
    /// nothing near it stays, the rest of the old text is searched a logarithmic number of times.
    pub(super) fn patches(self) -> Vec<Patch> {
        let mut patches = Vec::new();
        let mut next = 0;
        // The ends of what is the same, in the old text and in the new one.
        let (mut before, mut after) = (0, 0);
        loop {
            let same = self.same_items(next, before, after);
            if let Some(last) = same.clone().last() {
                next = same.end;
                after += self.items[last].end - before;
            }
            if next == self.items.len() && self.new[after..].trim_ascii().is_empty() {
                return patches;
            }
            let (kept, end) = self.next_kept(next, after);
            patches.push(self.patch(next..kept, after..end));
            let Some(item) = self.items.get(kept) else {
                return patches;
            };
            (next, before, after) = (kept, item.start, end);
        }
    }

    /// Returns the patch of these items. What follows an item without replacing another one is
    /// part of that item.
    fn patch(self, items: Range<usize>, after: Range<usize>) -> Patch {
        let is_blank = self.new[after.clone()].trim_ascii().is_empty();
        match items.start.checked_sub(1) {
            Some(item) if items.is_empty() && !is_blank => Patch {
                items: item..items.end,
                after: after.start - self.text(item).len()..after.end,
            },
            _ => Patch { items, after },
        }
    }

    /// Returns where a patch stands in the new text with what may make it whole: two items on each
    /// side where it lost its end. Returns also the errors of these items. Of the items `near`,
    /// only those of the patch are changed.
    pub(super) fn with_neighbours(
        self,
        patch: &Patch,
        near: Range<usize>,
    ) -> (Range<usize>, usize) {
        let Patch { items, after } = patch;
        let ends = |text: &[u8]| (text.first().copied(), text.last().copied());
        let before = stretch(&self.items[items.clone()]);
        let (first, last) = ends(&self.old[before]);
        let (first_now, last_now) = ends(self.new[after.clone()].trim_ascii());
        let is_apart = |&item: &usize| !self.items[item].is_extra;
        let left = (near.start..items.start).rev().filter(is_apart).take(2);
        let right = (items.end..near.end).filter(is_apart).take(2);
        let left = left.last().filter(|_| first != first_now);
        let right = right.last().filter(|_| last != last_now);
        let left = &self.items[left.unwrap_or(items.start)..items.start];
        let right = &self.items[items.end..right.map_or(items.end, |item| item + 1)];
        let errors = left.iter().chain(right).map(|item| item.errors).sum();
        let from = after.start - stretch(left).len();
        (from..after.end + stretch(right).len(), errors)
    }

    /// Adds the items on either side to a patch, and joins it with the patches that it meets.
    /// Returns the indices of those that it replaces.
    pub(super) fn widen(self, patches: &mut Vec<Patch>, at: usize) -> Range<usize> {
        let Patch { items, after } = patches[at].clone();
        let (mut items, mut after) = (items, after);
        let mut merged = at..at + 1;
        let wanted = items.start.saturating_sub(WIDER);
        match at.checked_sub(1).map(|before| &patches[before]) {
            Some(before) if before.items.end >= wanted => {
                (items.start, after.start) = (before.items.start, before.after.start);
                merged.start -= 1;
            }
            before => {
                // Where an item before the patch stood, and where it stands.
                let (from, to) = match before {
                    Some(before) => (self.items[before.items.end].start, before.after.end),
                    None => (0, 0),
                };
                if wanted < items.start {
                    (items.start, after.start) = (wanted, self.items[wanted].start - from + to);
                }
            }
        }
        let wanted = (items.end + WIDER).min(self.items.len());
        match patches.get(at + 1) {
            Some(next) if next.items.start <= wanted => {
                (items.end, after.end) = (next.items.end, next.after.end);
                merged.end += 1;
            }
            _ => {
                after.end = match (self.items.get(items.end), self.items.get(wanted)) {
                    (Some(from), Some(to)) => after.end + to.start - from.start,
                    _ => self.new.len(),
                };
                items.end = wanted;
            }
        }
        patches.splice(merged.clone(), [Patch { items, after }]);
        merged
    }

    /// Returns the items from `next` on that follow in both texts, in the old one after `before`
    /// and in the new one after `after`.
    fn same_items(self, next: usize, before: usize, after: usize) -> Range<usize> {
        let same = before + common_start(&self.old[before..], &self.new[after..]);
        let mut end = next + self.items[next..].partition_point(|item| item.end <= same);
        // `int a` is not in `int ab`.
        let is_cut = end > next
            && self.items[end - 1].end == same
            && is_in_word(self.new, after + same - before);
        end -= usize::from(is_cut);
        next..end
    }

    /// Returns the first item from `next` on that is found in the new text after `after`, and
    /// where. Returns the ends of both if none is.
    fn next_kept(self, next: usize, after: usize) -> (usize, usize) {
        let rest = self.new[after..].trim_ascii_start();
        let begin = self.new.len() - rest.len();
        let is_first = |&item: &usize| self.stands_at(item, begin);
        let is_long = |&item: &usize| item == next || self.text(item).len() >= SHORTEST;
        let items = (next..self.items.len()).filter(is_long);
        let near = items.clone().take(4 * SOUGHT);
        (near.clone().find(is_first).map(|item| (item, begin)))
            .or_else(|| {
                near.take(SOUGHT)
                    .find_map(|item| self.find(item, next, begin))
            })
            .or_else(|| items.clone().find(is_first).map(|item| (item, begin)))
            .or_else(|| self.find_far(next, begin))
            .unwrap_or((self.items.len(), self.new.len()))
    }

    /// Returns an item and where it is found in the new text, if that is not too far after `begin`,
    /// which is where the item `next` could stand.
    fn find(self, item: usize, next: usize, begin: usize) -> Option<(usize, usize)> {
        let text = self.text(item);
        let moved = self.items[item].start - self.items[next].start + LENGTHENED;
        let limit = self.new.len().min(begin + moved + text.len());
        let needle = &text[..text.len().min(NEEDLE)];
        memmem::find_iter(&self.new[begin..limit], needle)
            .map(|from| begin + from)
            .find(|&from| self.stands_at(item, from) && !is_in_word(self.new, from))
            .map(|from| (item, from))
    }

    /// Returns the first item that follows what stands at some place of the new text after `begin`,
    /// if it still does, and where. Each place is twice as far as the one before.
    fn find_far(self, next: usize, begin: usize) -> Option<(usize, usize)> {
        let from = self.items.get(next)?.start;
        let places = (0..).map(|step| begin + (NEEDLE << step));
        let places = places.map_while(|place| Some((place, self.new.get(place..place + NEEDLE)?)));
        let mut found = places.filter_map(|(place, needle)| {
            let place_before = from + memmem::find(&self.old[from..], needle)?;
            let item = self.items.partition_point(|item| item.start < place_before);
            let moved = self.items.get(item)?.start - place_before;
            Some((item, place + moved))
        });
        found.find(|&(item, place)| {
            place < self.new.len() && self.stands_at(item, place) && !is_in_word(self.new, place)
        })
    }

    /// Returns whether the new text has an item at a place, and no longer word there.
    fn stands_at(self, item: usize, at: usize) -> bool {
        let text = self.text(item);
        self.new[at..].starts_with(text) && !is_in_word(self.new, at + text.len())
    }

    fn text(&self, item: usize) -> &[u8] {
        &self.old[self.items[item].range()]
    }
}

/// Returns the bytes from the first of some items to the last.
fn stretch(items: &[Item]) -> Range<usize> {
    let ends = items.first().zip(items.last());
    ends.map_or(0..0, |(first, last)| first.start..last.end)
}

/// Returns whether a place is between two bytes of a word.
fn is_in_word(text: &[u8], at: usize) -> bool {
    let is = |at: usize| text.get(at).is_some_and(|&byte| is_word(byte));
    at > 0 && is(at - 1) && is(at)
}
