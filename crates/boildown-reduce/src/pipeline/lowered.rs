//! The search for bytes near the front of a binary that can become smaller numbers.

use std::sync::Arc;

use boildown_document::{Candidate, Document};
use boildown_search::{Query, Search, Verdict};

use super::edited_bytes::EditedBytes;

/// Bytes behind this one are not lowered.
const LATEST: usize = 32;

/// The probability that a number can become smaller.
const ODDS: f64 = 0.2;

/// Lowers each byte near the front that could not become zero: by one, and then as far as a
/// bisection finds.
///
/// A header often says how many records follow, and a reader looks at all of them. No record can go
/// or become zeros then, and without its count no reader finds the others.
///
/// For example, of `09` and nine records of which a reader needs the second, `09` becomes `02`:
/// the queries are `08` (hit), `04` (hit), `02` (hit), `01` (miss).
///
/// # Guarantee
/// Each hit makes a byte smaller, so it ends.
/// # Cost
/// One query for each byte, and at most eight more for one that becomes smaller.
#[derive(Debug, Clone)]
pub(super) struct Lowered {
    /// In bytes that are not zero and no part of a derived number.
    best: EditedBytes,
    /// The tokens that are left, the next one last.
    left: Vec<usize>,
    /// The values of the next one: the largest that is too small, and the best one.
    bounds: (u8, u8),
}

impl Lowered {
    /// Starts on a document of single bytes.
    pub(super) fn new(document: &Arc<Document>) -> Self {
        let near = |&token: &usize| document.byte_range(token..token + 1).start < LATEST;
        let tokens = (0..document.len()).take_while(near);
        let mut left: Vec<usize> = tokens
            .filter(|&token| document.token(token)[0] > 1)
            .collect();
        left.reverse();
        let mut lowered = Self {
            best: EditedBytes::of(document),
            left,
            bounds: (0, 0),
        };
        lowered.begin();
        lowered
    }

    /// Begins with the next byte.
    fn begin(&mut self) {
        if let Some(&token) = self.left.last() {
            self.bounds = (0, self.best.document().token(token)[0]);
        }
    }

    /// Moves on to the next byte.
    fn end(&mut self) {
        self.left.pop();
        self.begin();
    }

    /// Returns the value that is asked about.
    fn value(&self, token: usize) -> u8 {
        match self.bounds {
            (_, best) if best == self.best.document().token(token)[0] => best - 1,
            (miss, best) => miss + (best - miss) / 2,
        }
    }

    /// Returns the best candidate with the value that is asked about.
    fn changed(&self, token: usize) -> EditedBytes {
        self.best.with([(token, self.value(token))])
    }

    /// Takes note of a verdict about the value that is asked about.
    fn learn(&mut self, token: usize, is_hit: bool) {
        let (value, first) = (self.value(token), self.best.document().token(token)[0]);
        match is_hit {
            true => {
                self.best = self.changed(token);
                self.bounds.1 = value;
            }
            false => self.bounds.0 = value,
        }
        // Where one less is too little, half is, too.
        let (miss, best) = self.bounds;
        if best == first || best <= miss + 1 {
            self.end();
        }
    }
}

impl Search for Lowered {
    type Candidate = Candidate;

    fn ask(&self) -> Option<Query<Candidate>> {
        let &token = self.left.last()?;
        Some(Query {
            candidate: self.changed(token).candidate(),
            odds: ODDS,
        })
    }

    fn tell(&mut self, verdict: Verdict) {
        if let Some(&token) = self.left.last() {
            self.learn(token, verdict.is_interesting());
        }
    }

    fn skip(&mut self) {
        if let Some(&token) = self.left.last() {
            self.learn(token, false);
        }
    }

    fn best(&self) -> Candidate {
        self.best.candidate()
    }
}

#[cfg(test)]
mod tests {
    use boildown_document::View;

    use super::*;

    #[test]
    fn a_byte_near_the_front_becomes_the_least_number_that_will_do() {
        let bytes: Arc<[u8]> = b"M\x09\x05\x01..........".as_slice().into();
        let document = Arc::new(Document::new(&bytes, View::Zeros(1)));
        let mut search = Lowered::new(&document);
        let mut asked = Vec::new();
        while let Some(query) = search.ask() {
            let bytes = query.candidate.bytes();
            if bytes[1] < 9 && bytes[2] == 5 {
                asked.push(bytes[1]);
            }
            let is_hit = bytes[0] == b'M' && bytes[1] >= 2 && bytes[4..] == *b"..........";
            search.tell(match is_hit {
                true => Verdict::Interesting,
                false => Verdict::Uninteresting,
            });
        }
        assert_eq!(asked, [8, 4, 2, 1]);
        assert_eq!(&**search.best().bytes(), b"M\x02\x01\x01..........");
    }
}
