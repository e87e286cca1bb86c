//! The stretches in which two texts differ.

use std::ops::Range;

use crate::common_ends::{common_end, common_start};

/// A stretch of a text, and what an edit makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

/// The number of equal bytes that end a stretch.
const ANCHOR: usize = 32;

/// The distances from the end of what is equal at which an anchor is looked for. Near a deletion
/// the white space of the text may change too.
const DISTANCES: [usize; 6] = [0, 8, 32, 128, 512, 2048];

/// Returns stretches outside of which two texts are equal; none when they are equal.
///
/// Exact for one deletion. After several, a stretch ends where the next bytes of the new text stand
/// in the old one for the first time. That may be too early, in other text that begins in the same
/// way; then more stretches follow. Linear in the lengths of the texts.
pub(crate) fn stretches(old: &[u8], new: &[u8]) -> Vec<Stretch> {
    let start = common_start(old, new);
    if start == old.len() && start == new.len() {
        return Vec::new();
    }
    let same_after = common_end(&old[start..], &new[start..]);
    let (old_end, new_end) = (old.len() - same_after, new.len() - same_after);
    let mut stretches = Vec::new();
    let (mut from_old, mut from_new) = (start, start);
    while let Some((at_old, at_new)) =
        anchor(&old[from_old..old_end], &new[from_new..new_end]).filter(|_| from_old < old_end)
    {
        let (at_old, at_new) = (from_old + at_old, from_new + at_new);
        // The bytes before the anchor may be equal too.
        let equal = common_end(&old[from_old..at_old], &new[from_new..at_new]);
        stretches.push(Stretch {
            before: from_old..at_old - equal,
            after: from_new..at_new - equal,
        });
        let equal = common_start(&old[at_old..old_end], &new[at_new..new_end]);
        (from_old, from_new) = (at_old + equal, at_new + equal);
    }
    if from_old < old_end || from_new < new_end {
        stretches.push(Stretch {
            before: from_old..old_end,
            after: from_new..new_end,
        });
    }
    stretches
}

/// Returns where bytes of `new` stand in `old`, and where in `new`.
fn anchor(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    DISTANCES.into_iter().find_map(|at_new| {
        let anchor = new.get(at_new..at_new + ANCHOR)?;
        Some((find(old, anchor)?, at_new))
    })
}

/// Returns where a text begins first in another one.
fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    const HEAD: usize = 8;
    let head = wanted.first_chunk::<HEAD>()?;
    let mut from = 0;
    loop {
        let heads = text.get(from..)?.windows(HEAD);
        let at = from + { heads }.position(|bytes| bytes == head)?;
        if text[at..].starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a text that a deletion anywhere changes recognisably.
    fn text() -> String {
        (0..2000).map(|number| format!("{number},")).collect()
    }

    #[test]
    fn two_deletions_are_two_stretches() {
        let old = text();
        let new = old.replacen("100,101,", "", 1).replacen("1500,", "", 1);
        let found = stretches(old.as_bytes(), new.as_bytes());
        let lengths: Vec<(usize, usize)> = found
            .iter()
            .map(|stretch| (stretch.before.len(), stretch.after.len()))
            .collect();
        assert_eq!(lengths, [(8, 0), (5, 0)]);
    }

    #[test]
    fn white_space_that_changes_with_a_deletion_belongs_to_it() {
        let old = format!("{}if (a) {{\n    b();\n}}{}", text(), text());
        let new = old.replacen("if (a) {\n    b();\n}", "b();", 1);
        let new = new.replacen("1700,", "", 2).replacen("1700", "1700,", 1);
        let found = stretches(old.as_bytes(), new.as_bytes());
        assert!(found.len() <= 3, "{found:?}");
    }

    proptest! {
        #[test]
        fn texts_are_equal_outside_of_the_stretches(
            old in "[ab\n]{0,300}",
            cuts in prop::collection::vec((0_usize..300, 0_usize..80, "[ab]{0,2}"), 0..5),
        ) {
            let mut new = old.clone();
            for (start, length, instead) in cuts {
                let start = start.min(new.len());
                let end = (start + length).min(new.len());
                new.replace_range(start..end, &instead);
            }
            let (old, new) = (old.as_bytes(), new.as_bytes());
            let (mut from_old, mut from_new) = (0, 0);
            let end = Stretch { before: old.len()..old.len(), after: new.len()..new.len() };
            for stretch in stretches(old, new).into_iter().chain([end]) {
                prop_assert_eq!(&old[from_old..stretch.before.start], &new[from_new..stretch.after.start]);
                (from_old, from_new) = (stretch.before.end, stretch.after.end);
            }
        }
    }
}
