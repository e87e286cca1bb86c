//! A filter that tells which candidates cannot have a verdict in the file.

use std::sync::atomic::{AtomicU64, Ordering};

use boildown_search::Fingerprint;
use rusqlite::Connection;

/// A set of contents that may say of a content that it is in it, though it is not (a *Bloom
/// filter*), in a constant size. Most candidates are new: without a filter, each of them would cost
/// a look into the file.
#[derive(Debug)]
pub(super) struct ContentFilter(Vec<AtomicU64>);

/// The number of bits: with a hundred thousand contents, it is wrong about one new one in ninety.
const BITS: usize = 1 << 20;

/// The number of bits that are set for a content.
const PROBES: u32 = 4;

/// The most contents that are read from a file. With more, each look goes into the file.
const MAX_READ: usize = 100_000;

impl ContentFilter {
    fn new(words: u64) -> Self {
        Self((0..BITS / 64).map(|_| AtomicU64::new(words)).collect())
    }

    /// Returns the filter of the verdicts in the file.
    pub(super) fn read(database: &Connection) -> rusqlite::Result<Self> {
        let mut statement = database.prepare("SELECT content FROM verdicts LIMIT ?1")?;
        let filter = Self::new(0);
        let mut rows = statement.query([MAX_READ as i64])?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            // What is not a content, in a damaged file, is never looked for.
            if let Ok(bits) = row.get(0).map(u128::from_le_bytes) {
                filter.add(Fingerprint::new(bits));
            }
            count += 1;
        }
        Ok(match count < MAX_READ {
            true => filter,
            false => Self::new(u64::MAX),
        })
    }

    pub(super) fn add(&self, content: Fingerprint) {
        for (word, bit) in self.places(content) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Returns whether the content may be in the set.
    pub(super) fn may_have(&self, content: Fingerprint) -> bool {
        let mut places = self.places(content);
        places.all(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }

    fn places(&self, content: Fingerprint) -> impl Iterator<Item = (&AtomicU64, u64)> {
        let bits = content.bits();
        (0..PROBES).map(move |probe| {
            let place = (bits >> (32 * probe)) as usize % BITS;
            (&self.0[place / 64], 1 << (place % 64))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint_of;

    #[test]
    fn a_content_that_was_added_is_never_missing_and_most_others_are() {
        let content = |number: u32| fingerprint_of(&number.to_le_bytes());
        let filter = ContentFilter::new(0);
        (0..20_000).for_each(|number| filter.add(content(number)));
        assert!((0..20_000).all(|number| filter.may_have(content(number))));
        let wrong = (20_000..40_000).filter(|number| filter.may_have(content(*number)));
        assert!(wrong.count() < 20);
    }
}
