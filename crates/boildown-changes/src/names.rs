//! Groups of hunks that share a new identifier.

use std::collections::{BTreeMap, HashSet};

use crate::tree::{ChangeTree, ChangeUnit};
use crate::{ChangesError, Contents};

/// Shortest word, in bytes, that is taken for an identifier. Shorter words occur everywhere.
const MIN_IDENTIFIER_LENGTH: usize = 4;

impl ChangeTree {
    /// Returns for each element the group of hunks that it belongs to.
    ///
    /// Two hunks are in one group when both insert the same *new* identifier: a word that occurs in
    /// no changed file of the first state. The relation is transitive. So the definition of a new
    /// function and its calls are removed together. A group has the number of its first hunk, so
    /// that numbers have gaps.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn groups_by_new_name(&self, contents: &Contents) -> Result<Vec<u32>, ChangesError> {
        let mut old_words: HashSet<Vec<u8>> = HashSet::new();
        for (_, entry) in self.files().iter().filter_map(|file| file.old.as_ref()) {
            if entry.kind.is_plain() {
                let text = contents.read(entry.id)?;
                old_words.extend(identifiers(&text).map(<[u8]>::to_vec));
            }
        }
        let mut hunks_by_word: BTreeMap<&[u8], Vec<u32>> = BTreeMap::new();
        for (hunk, text) in self.insertions() {
            for word in identifiers(text).filter(|word| !old_words.contains(*word)) {
                hunks_by_word.entry(word).or_default().push(hunk);
            }
        }
        let hunk_of = self.groups(ChangeUnit::Hunks);
        let count = hunk_of.last().map_or(0, |last| last + 1);
        let mut sets = DisjointSets::new(count);
        for hunks in hunks_by_word.values() {
            for pair in hunks.windows(2) {
                sets.union(pair[0], pair[1]);
            }
        }
        Ok(hunk_of.into_iter().map(|hunk| sets.find(hunk)).collect())
    }
}

/// Splits a text of any language into words that may be identifiers.
fn identifiers(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.split(move |byte| !is_part(byte))
        .filter(|word| word.len() >= MIN_IDENTIFIER_LENGTH)
}

/// A union-find structure over hunks. The smallest hunk of a set represents it.
///
/// The vector holds, for each hunk, a hunk of its set that is smaller, or itself.
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    fn new(count: u32) -> Self {
        Self((0..count).collect())
    }

    /// Returns the smallest hunk of a set. Halves the path to it on the way.
    fn find(&mut self, mut hunk: u32) -> u32 {
        loop {
            let parent = self.0[hunk as usize];
            if parent == hunk {
                return hunk;
            }
            self.0[hunk as usize] = self.0[parent as usize];
            hunk = parent;
        }
    }

    fn union(&mut self, one: u32, two: u32) {
        let (one, two) = (self.find(one), self.find(two));
        self.0[one.max(two) as usize] = one.min(two);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_represented_by_its_smallest_member() {
        let mut sets = DisjointSets::new(6);
        sets.union(5, 3);
        sets.union(4, 5);
        sets.union(1, 4);
        let found: Vec<u32> = (0..6).map(|hunk| sets.find(hunk)).collect();
        assert_eq!(found, [0, 1, 2, 1, 1, 1]);
    }

    #[test]
    fn identifiers_have_at_least_four_bytes() {
        let found: Vec<&[u8]> = identifiers(b"let fresh_1 = foo(nam\xc3\xa9);").collect();
        assert_eq!(found, [&b"fresh_1"[..], b"nam\xc3\xa9"]);
    }
}
