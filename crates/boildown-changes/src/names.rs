//! Groups of hunks that share a new identifier.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use boildown_search::Subset;

use crate::disjoint_sets::DisjointSets;
use crate::tree::{ChangeTree, ChangeUnit};
use crate::{ChangesError, Contents};

/// Shortest word, in bytes, that is taken for an identifier. Shorter words occur everywhere.
pub(crate) const MIN_IDENTIFIER_LENGTH: usize = 4;

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
        let old_words = self.old_words(contents)?;
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

/// Number of elements with a new word above which it does not say that they belong together.
const MAX_COMPANIONS: usize = 8;

impl ChangeTree {
    /// Returns the words of the changed files of the first state.
    fn old_words(&self, contents: &Contents) -> Result<HashSet<Vec<u8>>, ChangesError> {
        let mut words: HashSet<Vec<u8>> = HashSet::new();
        for (_, entry) in self.files().iter().filter_map(|file| file.old.as_ref()) {
            if entry.kind.is_plain() {
                let text = contents.read(entry.id)?;
                words.extend(split_words(&text).map(<[u8]>::to_vec));
            }
        }
        Ok(words)
    }

    /// Returns the elements outside of a set that insert a word which some of the set insert too,
    /// and which no changed file of the first state has. Leaves out words that many elements have.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn companions(
        &self,
        set: &Subset,
        contents: &Contents,
    ) -> Result<Vec<usize>, ChangesError> {
        let old_words = self.old_words(contents)?;
        let words = |element| split_words(self.inserted(element).unwrap_or_default());
        let new = set.iter().flat_map(words);
        let mut with: HashMap<&[u8], Vec<usize>> = (new.filter(|it| !old_words.contains(*it)))
            .map(|word| (word, Vec::new()))
            .collect();
        for element in (0..self.len()).filter(|it| !set.contains(*it)) {
            for word in words(element) {
                if let Some(found) = with.get_mut(word) {
                    found.push(element);
                }
            }
        }
        let few = with.into_values().filter(|it| it.len() <= MAX_COMPANIONS);
        let companions: BTreeSet<usize> = few.flatten().collect();
        Ok(companions.into_iter().collect())
    }

    /// Returns the elements that insert or delete one of some words, each with the index of the
    /// word. Words are made of letters, digits and underscores.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn mentions(
        &self,
        words: &[Vec<u8>],
        contents: &Contents,
    ) -> Result<Vec<(usize, usize)>, ChangesError> {
        let indices: HashMap<&[u8], usize> = (words.iter().enumerate())
            .map(|(index, word)| (&word[..], index))
            .collect();
        let mut mentions = Vec::new();
        for file in self.files() {
            for changed in file.changed_texts(contents)? {
                let mut found: Vec<usize> = (changed.deleted_and_inserted.iter())
                    .flat_map(|text| split_words(text))
                    .filter_map(|word| indices.get(word).copied())
                    .collect();
                found.sort_unstable();
                found.dedup();
                mentions.extend(found.into_iter().map(|word| (changed.element, word)));
            }
        }
        Ok(mentions)
    }
}

/// Splits a text of any language into words that may be identifiers.
fn identifiers(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    split_words(text).filter(|word| word.len() >= MIN_IDENTIFIER_LENGTH)
}

/// Splits a text into words of letters, digits and underscores.
pub(crate) fn split_words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.split(move |byte| !is_part(byte))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_at_least_four_bytes() {
        let found: Vec<&[u8]> = identifiers(b"let fresh_1 = foo(nam\xc3\xa9);").collect();
        assert_eq!(found, [&b"fresh_1"[..], b"nam\xc3\xa9"]);
    }
}
