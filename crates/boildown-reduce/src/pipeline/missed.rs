//! Memory of deletions that missed, so that later passes do not ask about them again.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Document, View, fingerprint_of_texts};
use boildown_search::{Fingerprint, Subset};
use rpds::{HashTrieMapSync, HashTrieSetSync};

/// The number of kept tokens before and after a cut that are part of its surroundings.
const SURROUNDINGS: usize = 2;

/// Larger deletions, in tokens, are not remembered: they are few, and seldom come again.
const LARGEST: usize = 256;

/// The deletions that missed in the passes before, and in the pass at work.
///
/// A deletion is likely to miss again while nothing has changed around it. It is known by the text
/// that it deletes and a few tokens around that, which are the same after a pass has read the
/// result anew. Where the same deletion can be made in several places, it is passed over in as
/// many of them as it missed in. Once half of the text is gone, what was the reason of a miss may
/// be gone too, and it is forgotten. What proves that a result is 1-minimal is asked in any case.
#[derive(Debug, Clone, Default)]
pub(super) struct MissedDeletions {
    /// From the passes before.
    before: Arc<HashMap<Fingerprint, Miss>>,
    /// Those of the pass at work, by place.
    here: HashTrieMapSync<Fingerprint, (Fingerprint, usize)>,
    /// The places that the pass at work has passed over.
    places: HashTrieSetSync<Fingerprint>,
    /// How many of them there are, by deletion.
    counts: HashTrieMapSync<Fingerprint, usize>,
}

/// What is known about a deletion that missed.
#[derive(Debug, Clone, Copy, Default)]
struct Miss {
    /// The number of places.
    places: usize,
    /// The size of the text at that time, in bytes.
    size: usize,
}

/// A deletion, as it is remembered.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownDeletion {
    /// Identifies it within a pass.
    place: Fingerprint,
    /// Identifies it across passes.
    text: Fingerprint,
}

impl KnownDeletion {
    /// Returns the deletion that leads from `best` to `candidate`, two sets of tokens of a
    /// document; `None` if it is not remembered.
    pub(super) fn new(document: &Document, best: &Subset, candidate: &Subset) -> Option<Self> {
        let cuts = best.cuts_to(candidate);
        let size: usize = cuts.iter().map(|cut| best.count_in(cut.clone())).sum();
        if size > LARGEST {
            return None;
        }
        let mut tokens = Vec::with_capacity(size + 2 * SURROUNDINGS * cuts.len());
        for cut in &cuts {
            tokens.extend(around(best, cut));
        }
        // What cannot be overwritten with zeros may be taken out.
        let kind: &[u8] = match document.view() {
            View::Zeros(_) => b"zeros",
            _ => b"",
        };
        let places: Vec<[u8; 8]> = tokens.iter().map(|token| token.to_le_bytes()).collect();
        Some(Self {
            place: fingerprint_of_texts(places.iter().map(<[u8; 8]>::as_slice)),
            text: fingerprint_of_texts(
                tokens
                    .iter()
                    .map(|&token| document.token(token))
                    .chain([kind]),
            ),
        })
    }
}

/// Returns the kept tokens of a cut, and those right before and after it.
fn around(kept: &Subset, cut: &Range<usize>) -> impl Iterator<Item = usize> {
    /// What is further away is not beside the cut.
    const FAR: usize = 64;
    let is_kept = |token: &usize| kept.contains(*token);
    let before = cut.start.saturating_sub(FAR)..cut.start;
    let mut before: Vec<usize> = before.rev().filter(is_kept).take(SURROUNDINGS).collect();
    before.reverse();
    let after = cut.end..(cut.end + FAR).min(kept.universe());
    let after: Vec<usize> = after.filter(is_kept).take(SURROUNDINGS).collect();
    let within: Vec<usize> = cut.clone().filter(is_kept).collect();
    before.into_iter().chain(within).chain(after)
}

impl MissedDeletions {
    /// Remembers a miss, with the size of the best text, in bytes.
    pub(super) fn insert(&mut self, deletion: KnownDeletion, size: usize) {
        self.here.insert_mut(deletion.place, (deletion.text, size));
    }

    /// Returns whether a deletion is to be passed over, and counts it as passed over then. `size`
    /// is that of the best text, in bytes.
    pub(super) fn passes_over(&mut self, deletion: KnownDeletion, size: usize) -> bool {
        let KnownDeletion { place, text } = deletion;
        if self.places.contains(&place) {
            return true;
        }
        let count = self.counts.get(&text).copied().unwrap_or(0);
        let is_known = (self.before.get(&text))
            .is_some_and(|miss| count < miss.places && 2 * size > miss.size);
        if is_known {
            self.places.insert_mut(place);
            self.counts.insert_mut(text, count + 1);
        }
        is_known
    }

    /// Returns whether no pass before has missed.
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    /// Makes what missed in the pass at work known to the passes after it.
    pub(super) fn end_pass(&mut self) {
        let mut places: BTreeMap<Fingerprint, Miss> = BTreeMap::new();
        for &(text, size) in self.here.values() {
            let miss = places.entry(text).or_default();
            miss.places += 1;
            miss.size = miss.size.max(size);
        }
        if !places.is_empty() {
            let before = Arc::make_mut(&mut self.before);
            for (text, miss) in places {
                let known = before.entry(text).or_default();
                let places = known.places.max(miss.places);
                *known = Miss { places, ..miss };
            }
        }
        (self.here, self.places) = (HashTrieMapSync::default(), HashTrieSetSync::default());
        self.counts = HashTrieMapSync::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Document {
        Document::new(&text.as_bytes().into(), View::Blocks)
    }

    /// Returns the deletion of these tokens of a text, and the size of the text.
    fn deletion(text: &str, tokens: Range<usize>) -> (KnownDeletion, usize) {
        let document = words(text);
        let all = Subset::full(document.len());
        let without = all.without([tokens]);
        let known = KnownDeletion::new(&document, &all, &without).expect("it is small");
        (known, text.len())
    }

    fn after_a_miss(text: &str, tokens: Range<usize>) -> MissedDeletions {
        let mut missed = MissedDeletions::default();
        let (known, size) = deletion(text, tokens);
        missed.insert(known, size);
        missed.end_pass();
        missed
    }

    fn passes_over(missed: &mut MissedDeletions, text: &str, tokens: Range<usize>) -> bool {
        let (known, size) = deletion(text, tokens);
        missed.passes_over(known, size)
    }

    #[test]
    fn a_deletion_that_missed_is_passed_over_while_its_surroundings_stay() {
        let is_passed_over = |text, tokens| {
            let mut missed = after_a_miss("a b c d e f g", 3..4);
            assert!(!missed.is_empty());
            passes_over(&mut missed, text, tokens)
        };
        assert!(is_passed_over("b c d e f g", 2..3), "three tokens away");
        assert!(!is_passed_over("a b d e f g", 2..3), "a neighbour is gone");
        assert!(!is_passed_over("a b c d e f g", 4..5), "another deletion");
    }

    #[test]
    fn a_miss_is_forgotten_when_half_of_the_text_is_gone() {
        let mut missed = after_a_miss("a b c d e f g h i j k l m", 1..2);
        assert!(!passes_over(&mut missed, "a b c d", 1..2));
        assert!(passes_over(&mut missed, "a b c d e f g", 1..2));
    }

    #[test]
    fn of_equal_deletions_as_many_are_passed_over_as_missed() {
        let text = "x x a x x b x x a x x";
        let mut missed = after_a_miss(text, 2..3);
        assert!(passes_over(&mut missed, text, 2..3));
        assert!(passes_over(&mut missed, text, 2..3), "the same place again");
        assert!(
            !passes_over(&mut missed, text, 8..9),
            "missed in one place only"
        );
    }

    #[test]
    fn misses_of_the_pass_at_work_are_not_used_in_it() {
        let mut missed = MissedDeletions::default();
        let (known, size) = deletion("a b c", 1..2);
        missed.insert(known, size);
        assert!(!missed.passes_over(known, size));
        missed.end_pass();
        assert!(missed.passes_over(known, size));
    }
}
