//! Hunks that speak of the same new thing.

use std::collections::{BTreeMap, HashSet};

use crate::tree::{ChangeTree, Layer};
use crate::{ChangesError, Contents};

/// Shorter words are in anything.
const SHORTEST: usize = 4;

impl ChangeTree {
    /// Returns for each element the group of hunks that it is in: those that share a name that no changed file had before, and those
    /// that share another one with one of them. What defines something new and what uses it thus go together.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn by_name(&self, contents: &Contents) -> Result<Vec<u32>, ChangesError> {
        let mut old: HashSet<Vec<u8>> = HashSet::new();
        for (_, entry) in self.files().iter().filter_map(|file| file.old.as_ref()) {
            if entry.kind.is_plain() {
                let text = contents.read(entry.id)?;
                old.extend(words(&text).map(<[u8]>::to_vec));
            }
        }
        let mut holders: BTreeMap<&[u8], Vec<u32>> = BTreeMap::new();
        for (hunk, text) in self.insertions() {
            for word in words(text).filter(|word| !old.contains(*word)) {
                holders.entry(word).or_default().push(hunk);
            }
        }
        let hunks = self.groups(Layer::Hunks);
        let count = hunks.last().map_or(0, |last| last + 1);
        let mut groups = Groups((0..count).collect());
        for hunks in holders.values() {
            for pair in hunks.windows(2) {
                groups.join(pair[0], pair[1]);
            }
        }
        Ok(hunks.into_iter().map(|hunk| groups.of(hunk)).collect())
    }
}

/// What may be names, in any language.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.split(move |byte| !is_part(byte))
        .filter(|word| word.len() >= SHORTEST)
}

/// Disjoint groups, each named by its first hunk: for each hunk an earlier one of its group, or itself.
struct Groups(Vec<u32>);

impl Groups {
    fn of(&mut self, mut hunk: u32) -> u32 {
        loop {
            let above = self.0[hunk as usize];
            if above == hunk {
                return hunk;
            }
            // The way gets shorter each time that it is gone.
            self.0[hunk as usize] = self.0[above as usize];
            hunk = above;
        }
    }

    fn join(&mut self, one: u32, two: u32) {
        let (one, two) = (self.of(one), self.of(two));
        self.0[one.max(two) as usize] = one.min(two);
    }
}
