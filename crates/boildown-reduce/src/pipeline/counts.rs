//! The search for a number near the front that counts a list behind it.

use std::ops::Range;
use std::sync::Arc;

use boildown_document::{Candidate, Document};
use boildown_search::{Query, Search, Verdict};

use super::edited_bytes::EditedBytes;

/// A count is not searched for beyond this byte.
const LATEST: usize = 16;

/// The probability that a count and its list become smaller together.
const ODDS: f64 = 0.05;

/// Lowers a small number and deletes as many elements of a list that fills the rest, for each
/// number near the front that may count such a list.
///
/// Nothing else lowers a count when the layout is unknown: the number alone makes the input no
/// smaller, and without it no element can go. The elements are taken to be of equal size. First
/// half of them go, then one, from the end or from the begin of the list; once a number has turned
/// out to be a count, each element alone, too.
///
/// For example, after `02`, the list `aabb` becomes `aa` while the number becomes `01`.
///
/// # Guarantee
/// Each hit makes the input shorter, so it ends.
/// # Cost
/// At most six queries for each number, and one for each element that a known count counts.
#[derive(Debug, Clone)]
pub(super) struct Counts {
    best: EditedBytes,
    /// What is asked about next, the last one first.
    left: Vec<SmallerList>,
}

/// A number that becomes smaller, and the elements that go.
#[derive(Debug, Clone)]
struct SmallerList {
    /// The token of the number's last byte that is not zero.
    number: usize,
    value: u8,
    gone: Range<usize>,
}

impl Counts {
    /// Starts on a document of single bytes.
    pub(super) fn new(document: &Arc<Document>) -> Self {
        let mut counts = Self {
            best: EditedBytes::of(document),
            left: Vec::new(),
        };
        counts.collect(None);
        counts
    }

    /// Collects what may be asked about. `known` is a number that is a count.
    fn collect(&mut self, known: Option<usize>) {
        let tokens = self.best.tokens();
        let mut found = Vec::new();
        for (place, &number) in tokens.iter().enumerate().take(LATEST) {
            let (value, rest) = (self.best.byte(number), &tokens[place + 1..]);
            let count = usize::from(value);
            if count < 2 || count > rest.len() {
                continue;
            }
            // What is between the number and the list makes the quotient too large.
            let size = rest.len() / count;
            let mut sizes = vec![size, size & !3];
            sizes.retain(|&size| size > 0);
            sizes.dedup();
            for size in sizes {
                let list = rest.len() - count * size;
                let mut propose = |left: u8, first: usize| {
                    let gone = (count - usize::from(left)) * size;
                    let gone = &rest[list + first * size..][..gone];
                    found.push(SmallerList {
                        number,
                        value: left,
                        gone: gone[0]..gone[gone.len() - 1] + 1,
                    });
                };
                let half = value / 2;
                propose(half, usize::from(half));
                propose(half, 0);
                propose(value - 1, count - 1);
                if known == Some(number) {
                    (0..count - 1).for_each(|element| propose(value - 1, element));
                }
            }
        }
        found.reverse();
        self.left = found;
    }

    fn changed(&self, smaller: &SmallerList) -> EditedBytes {
        let lowered = self.best.with([(smaller.number, smaller.value)]);
        lowered.without(smaller.gone.clone())
    }
}

impl Search for Counts {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        Some(Query {
            candidate: self.changed(self.left.last()?).candidate(),
            odds: ODDS,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        let Some(asked) = self.left.pop() else {
            return;
        };
        if verdict.is_interesting() {
            self.best = self.changed(&asked);
            self.collect(Some(asked.number));
        }
    }

    fn skip(&mut self) {
        self.left.pop();
    }

    fn best(&self) -> Candidate {
        self.best.candidate()
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::View;
    use boildown_search::run;

    use super::*;

    #[test]
    fn a_count_and_the_list_behind_it_become_smaller_together() {
        // A count of two bytes, something of no size that matters, five elements of four bytes.
        let bytes: Arc<[u8]> = b"MAGI\0\x05..-aaa-bbb-ccc-ddd-eee".as_slice().into();
        let document = Arc::new(Document::new(&bytes, View::Bytes(1)));
        let search = run(Counts::new(&document), |candidate: &Candidate| {
            let bytes = candidate.bytes();
            let count = usize::from(bytes[5]);
            let is_whole = bytes[..4] == *b"MAGI" && bytes.len() == 8 + 4 * count;
            match is_whole && bytes.windows(4).any(|element| element == b"-ccc") {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            }
        });
        assert_eq!(&**search.best().bytes(), b"MAGI\0\x01..-ccc");
    }
}
