//! The order on texts: every hit of a reduction makes its input smaller in it.

use std::cmp::Ordering;

use crate::common_ends::{common_end, common_start};
use crate::document::is_word;

/// A well-founded, total order on texts.
///
/// The pipeline asks about a candidate only if it is smaller than the best one. No text can
/// therefore come back, whatever the passes propose and whatever the verdicts are. Without the
/// order, one pass could delete the middle of `a_b`, which leaves `a b`, and another could join
/// that to `a_b` again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOrder {
    /// Fewer words and other visible characters; then fewer visible bytes; then fewer bytes; then
    /// earlier in the order of bytes. For texts.
    Words,
    /// The same, but `#x0f` is one word, and fewer names come before fewer visible bytes: a literal
    /// is simpler than a name. For scripts of SMT-LIB. In other texts, to delete the first byte of
    /// `0a` has to make them smaller.
    Terms,
    /// Fewer lines; then as in the order of words.
    Lines,
    /// Fewer bytes; then fewer bytes other than zero; then earlier in the order of bytes. For
    /// binaries, and for texts of which the bytes count.
    Bytes,
}

impl TextOrder {
    /// Compares two texts. Linear in their lengths, but only the stretch in which they differ is
    /// looked at byte by byte.
    pub fn compare(self, left: &[u8], right: &[u8]) -> Ordering {
        let (mut start, after) = differing(left, right);
        let mut ends = [left.len() - after, right.len() - after];
        if self != Self::Bytes {
            // A word that begins or ends outside of the stretch is counted with it.
            while start > 0 && (is_word(left[start - 1]) || left[start - 1] == b'#') {
                start -= 1;
            }
            while ends[0] < left.len() && is_word(left[ends[0]]) {
                ends = ends.map(|end| end + 1);
            }
        }
        let [left_size, right_size] =
            [&left[start..ends[0]], &right[start..ends[1]]].map(|text| self.size(text));
        left_size
            .cmp(&right_size)
            .then_with(|| left[start..].cmp(&right[start..]))
    }

    /// Returns the size of a text, in units of descending importance.
    fn size(self, text: &[u8]) -> [usize; 4] {
        match self {
            Self::Words | Self::Terms => {
                let size = TextSize::of(text, self);
                [size.words, size.names, size.visible, text.len()]
            }
            Self::Lines => {
                let size = TextSize::of(text, self);
                let ends = text.iter().filter(|&&byte| byte == b'\n');
                [ends.count(), size.words, size.visible, text.len()]
            }
            Self::Bytes => {
                let set = text.iter().filter(|&&byte| byte != 0);
                [text.len(), set.count(), 0, 0]
            }
        }
    }
}

/// What a text consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextSize {
    /// Words and other visible characters. In the order of terms, `#x0f` and `#b01` are words.
    pub words: usize,
    /// Words that begin with a letter, in the order of terms.
    pub names: usize,
    /// Visible bytes.
    pub visible: usize,
}

impl TextSize {
    /// Returns the size of a text. Linear in its length.
    #[must_use]
    pub fn of(text: &[u8], order: TextOrder) -> Self {
        match order {
            TextOrder::Terms => Self::of_terms(text),
            TextOrder::Words | TextOrder::Lines | TextOrder::Bytes => Self::of_plain(text),
        }
    }

    fn of_terms(text: &[u8]) -> Self {
        let mut size = Self::default();
        let mut before = b' ';
        for (at, &byte) in text.iter().enumerate() {
            let is_visible = !byte.is_ascii_whitespace();
            let continues =
                is_word(byte) && (is_word(before) || before == b'#' && is_digits(&text[at..]));
            size.words += usize::from(is_visible && !continues);
            let is_name = byte.is_ascii_alphabetic() || byte == b'_';
            size.names += usize::from(is_name && !continues);
            size.visible += usize::from(is_visible);
            before = byte;
        }
        size
    }

    /// Counts without branches, and chunks in single bytes: so the compiler makes it count many
    /// bytes at once. It is asked of each candidate.
    fn of_plain(text: &[u8]) -> Self {
        let is_visible = |byte: u8| u8::from(!is_space(byte));
        let begins =
            |before: u8, byte: u8| u8::from(!is_space(byte) & !(is_word(before) & is_word(byte)));
        let mut size = Self::default();
        let mut before = b' ';
        for chunk in text.chunks(usize::from(u8::MAX)) {
            let pairs = chunk.iter().zip(&chunk[1..]);
            let others: u8 = pairs.map(|(&before, &byte)| begins(before, byte)).sum();
            let visible: u8 = chunk.iter().map(|&byte| is_visible(byte)).sum();
            size.words += usize::from(begins(before, chunk[0]) + others);
            size.visible += usize::from(visible);
            before = chunk[chunk.len() - 1];
        }
        size
    }
}

/// Returns whether a byte is white space of ASCII. Without a branch.
fn is_space(byte: u8) -> bool {
    (byte == b' ') | (byte == b'\t') | (byte == b'\n') | (byte == b'\r') | (byte == 0x0c)
}

/// Returns whether a text after a `#` begins with the digits of a literal.
pub fn is_digits(text: &[u8]) -> bool {
    match text {
        [b'x', digit, ..] => digit.is_ascii_hexdigit(),
        [b'b', digit, ..] => matches!(digit, b'0' | b'1'),
        _ => false,
    }
}

/// Returns where two texts begin to differ, and how many bytes they have in common after that.
fn differing(left: &[u8], right: &[u8]) -> (usize, usize) {
    let start = common_start(left, right);
    (start, common_end(&left[start..], &right[start..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn ascending(order: TextOrder, texts: &[&str]) {
        for pair in texts.windows(2) {
            let [smaller, larger] = [pair[0].as_bytes(), pair[1].as_bytes()];
            assert_eq!(order.compare(smaller, larger), Ordering::Less, "{pair:?}");
            assert_eq!(order.compare(larger, smaller), Ordering::Greater);
            assert_eq!(order.compare(larger, larger), Ordering::Equal);
        }
    }

    #[test]
    fn fewer_words_are_smaller_then_fewer_visible_bytes_then_less_white_space() {
        ascending(
            TextOrder::Words,
            &[
                "", " ", "a", "b", "a_b", "a b", "a c", "a  b", "ab b", "a+b",
            ],
        );
        ascending(
            TextOrder::Terms,
            &[
                "", " ", "0", "#x0f", "a", "b", "a_b", "1 b", "#x1 b", "a b", "a c", "a  b",
                "ab b", "a+b",
            ],
        );
    }

    #[test]
    fn fewer_bytes_are_smaller_then_more_zeros() {
        ascending(
            TextOrder::Bytes,
            &["", "\0", "a", "b", "\0\0", "\0a", "a\0", "aa"],
        );
    }

    proptest! {
        #[test]
        fn only_the_stretch_that_differs_has_to_be_looked_at(
            (start, end) in ("[ab_ #0]{0,6}", "[ab_ #0]{0,6}"),
            (left, right) in ("[ab_ #0]{0,4}", "[ab_ #0]{0,4}"),
            order in prop_oneof![Just(TextOrder::Words), Just(TextOrder::Terms)],
        ) {
            let [left, right] = [left, right].map(|middle| format!("{start}{middle}{end}").into_bytes());
            let whole = |text: &[u8]| {
                let size = TextSize::of(text, order);
                (size.words, size.names, size.visible, text.len(), text.to_vec())
            };
            let expected = whole(&left).cmp(&whole(&right));
            prop_assert_eq!(order.compare(&left, &right), expected);
        }

        #[test]
        fn deleting_a_byte_of_a_word_makes_a_text_smaller(
            (start, word, end) in ("[a +]{0,4}", "[a0_]{2,5}", "[a +]{0,4}"),
            at in 0_usize..5,
        ) {
            let whole = format!("{start}{word}{end}");
            let mut shorter = whole.clone();
            shorter.remove(start.len() + at % word.len());
            let order = TextOrder::Words.compare(shorter.as_bytes(), whole.as_bytes());
            prop_assert!(order.is_lt(), "{shorter:?} {whole:?}");
        }
    }
}
