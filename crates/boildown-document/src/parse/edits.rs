//! The edits between two texts, for the tree of the first to be reused for the second.

use memchr::memmem::Finder;
use memchr::{memchr_iter, memrchr};
use tree_sitter::{InputEdit, Point, Tree};

use crate::common_ends::{common_end, common_start};

/// The edits that make one text of another, ascending, each in the positions that the ones before
/// it leave. A candidate with many deletions all over a text keeps the subtrees between them.
#[derive(Debug)]
pub(super) struct TreeEdits {
    edits: Vec<InputEdit>,
    /// The number of bytes of the older text that are replaced.
    pub(super) replaced: usize,
}

/// The bytes by which what stays is recognised after a change.
const NEEDLE: usize = 32;

/// The bytes of the new text after a change at which that is tried: the change may replace
/// something by up to about so much.
const SOUGHT: usize = 64;

/// The bytes by which an edit may lengthen what it changes.
const LENGTHENED: usize = 1 << 10;

/// At this number of edits, the rest is one.
const MOST: usize = 1 << 10;

impl TreeEdits {
    /// Returns edits outside of which the texts are equal. They are not always the smallest ones.
    ///
    /// # Cost
    /// Linear in the sizes of the texts, and for each edit in what it deletes.
    pub(super) fn between(old: &[u8], new: &[u8]) -> Self {
        let start = common_start(old, new);
        let same_end = common_end(&old[start..], &new[start..]);
        let texts = TextPair {
            old: &old[..old.len() - same_end],
            new: &new[..new.len() - same_end],
        };
        let mut edits = Vec::new();
        let mut replaced = 0;
        // The ends of the last edit in both texts, and in the new one as a position.
        let (mut before, mut after, mut position) = (0, 0, Point::new(0, 0));
        while let Some((from_old, from_new)) = texts.next_difference(before, after) {
            let (to_old, to_new) = match edits.len() < MOST {
                true => texts.next_same(from_old, from_new),
                false => (texts.old.len(), texts.new.len()),
            };
            let start_position = advance(position, &new[after..from_new]);
            let new_end_position = advance(start_position, &new[from_new..to_new]);
            edits.push(InputEdit {
                start_byte: from_new,
                old_end_byte: from_new + to_old - from_old,
                new_end_byte: to_new,
                start_position,
                old_end_position: advance(start_position, &old[from_old..to_old]),
                new_end_position,
            });
            replaced += to_old - from_old;
            (before, after, position) = (to_old, to_new, new_end_position);
        }
        Self { edits, replaced }
    }

    /// Returns the tree of the older text, marked where the edits change it.
    pub(super) fn mark(&self, tree: &Tree) -> Tree {
        let mut tree = tree.clone();
        for edit in &self.edits {
            tree.edit(edit);
        }
        tree
    }
}

/// Two texts without their common end.
#[derive(Debug, Clone, Copy)]
struct TextPair<'a> {
    old: &'a [u8],
    new: &'a [u8],
}

impl TextPair<'_> {
    /// Returns where the texts differ next, from these places on.
    fn next_difference(self, before: usize, after: usize) -> Option<(usize, usize)> {
        let same = common_start(&self.old[before..], &self.new[after..]);
        let (before, after) = (before + same, after + same);
        (before < self.old.len() || after < self.new.len()).then_some((before, after))
    }

    /// Returns where the texts are the same again, after they differ from these places on; their
    /// ends if that is not found.
    fn next_same(self, before: usize, after: usize) -> (usize, usize) {
        let ends = (self.old.len(), self.new.len());
        // Only so much of the old text can be deleted.
        let surplus = (ends.0 - before).saturating_sub(ends.1 - after) + LENGTHENED;
        (after..(after + SOUGHT).min(ends.1))
            .filter(|&from| from == after || !is_inside_word(self.new, from))
            .filter_map(|from| Some((from, self.new.get(from..from + NEEDLE)?)))
            .find_map(|(from, needle)| {
                let limit = ends.0.min(before + surplus + (from - after) + NEEDLE);
                let found = Finder::new(needle).find(&self.old[before..limit])?;
                Some((before + found, from))
            })
            .unwrap_or(ends)
    }
}

/// Returns whether both bytes beside a place are letters or digits.
fn is_inside_word(text: &[u8], at: usize) -> bool {
    text[at - 1].is_ascii_alphanumeric() && text[at].is_ascii_alphanumeric()
}

fn advance(from: Point, text: &[u8]) -> Point {
    match memrchr(b'\n', text) {
        Some(last) => {
            let rows = memchr_iter(b'\n', text).count();
            Point::new(from.row + rows, text.len() - last - 1)
        }
        None => Point::new(from.row, from.column + text.len()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the text after the edits, whose new texts are taken from `new`.
    fn apply(edits: &TreeEdits, old: &[u8], new: &[u8]) -> Vec<u8> {
        let mut text = old.to_vec();
        for edit in &edits.edits {
            let inserted = new[edit.start_byte..edit.new_end_byte].iter().copied();
            text.splice(edit.start_byte..edit.old_end_byte, inserted);
        }
        text
    }

    fn position(text: &[u8], at: usize) -> Point {
        advance(Point::new(0, 0), &text[..at])
    }

    proptest! {
        #[test]
        fn edits_make_the_new_text_of_the_old_one(
            parts in prop::collection::vec(("[ab\n]{0,80}", "[ab\n]{0,9}", "[ab\n]{0,9}"), 0..9),
        ) {
            let texts = [1, 2].map(|side| {
                let part = |(same, old, new): &(String, String, String)| {
                    format!("{same}{}", if side == 1 { old } else { new })
                };
                parts.iter().map(part).collect::<String>().into_bytes()
            });
            let [old, new] = texts;
            let edits = TreeEdits::between(&old, &new);
            prop_assert_eq!(apply(&edits, &old, &new), new.clone());
            let mut text = old;
            for edit in &edits.edits {
                prop_assert_eq!(edit.start_position, position(&text, edit.start_byte));
                prop_assert_eq!(edit.old_end_position, position(&text, edit.old_end_byte));
                let inserted = new[edit.start_byte..edit.new_end_byte].iter().copied();
                text.splice(edit.start_byte..edit.old_end_byte, inserted);
                prop_assert_eq!(edit.new_end_position, position(&text, edit.new_end_byte));
            }
        }
    }

    #[test]
    fn deletions_all_over_a_text_are_edits_of_their_own() {
        let lines: Vec<String> = (0..400)
            .map(|line| format!("  call({line}, a[{line}]);\n"))
            .collect();
        let old = lines.concat();
        let kept: Vec<&str> = (lines.iter().enumerate())
            .filter(|(at, _)| at % 20 != 7)
            .map(|(_, line)| line.as_str())
            .collect();
        let edits = TreeEdits::between(old.as_bytes(), kept.concat().as_bytes());
        assert_eq!(edits.edits.len(), 20);
        assert_eq!(edits.replaced, old.len() - kept.concat().len());
    }
}
