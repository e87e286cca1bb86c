//! A state of a folder, and its bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::str;
use std::sync::Arc;

use crate::listing::hash_of;
use crate::{Entry, EntryKind, FolderSize, Listing};

/// A state of a folder: the entries of the original that are kept, and the contents of the files
/// that were changed.
///
/// # Bytes
/// Equal states have equal bytes. The state without any entry is no bytes at all. Any other one
/// begins with four lines: the format with its version, the hash of the original, the size of the
/// state, and the kept entries. A line for each changed file follows, and then its content:
///
/// ```text
/// boildown folder 1
/// 5ce4c1b5d7a1ae5a1d3a3a6aeae2f7a1
/// 1234 bytes in 3 files
/// keep 0-2 5
/// file 1 21
/// int main() { f(); }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderText {
    /// The kept entries: ascending, disjoint, not adjacent, none empty. With an entry, the folders
    /// that it is in are kept.
    kept: Vec<Range<usize>>,
    /// The contents that differ from the original, by entry. Only of kept files.
    changed: BTreeMap<usize, Arc<[u8]>>,
}

/// Why bytes are no state of a folder.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FolderTextError {
    /// They have another format.
    #[error("the bytes are no state of a folder")]
    Format,
    /// They are a state of another folder.
    #[error("the bytes are a state of another folder")]
    OtherFolder,
}

const FORMAT: &[u8] = b"boildown folder 1";

impl FolderText {
    /// Returns the original.
    #[must_use]
    pub fn whole(listing: &Listing) -> Self {
        let count = listing.entries().len();
        Self {
            kept: Vec::from_iter((count > 0).then_some(0..count)),
            changed: BTreeMap::new(),
        }
    }

    /// Returns the state with these entries, the folders that they are in, and these contents. A
    /// content that is the original one, or that of an entry that is not kept, is left out.
    #[must_use]
    pub fn new(
        listing: &Listing,
        kept: impl IntoIterator<Item = usize>,
        changed: BTreeMap<usize, Arc<[u8]>>,
    ) -> Self {
        let mut is_kept = vec![false; listing.entries().len()];
        for entry in kept {
            let mut next = Some(entry);
            while let Some(entry) = next.filter(|&entry| !is_kept[entry]) {
                is_kept[entry] = true;
                next = listing.parent(entry);
            }
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for entry in (0..is_kept.len()).filter(|&entry| is_kept[entry]) {
            match ranges.last_mut().filter(|last| last.end == entry) {
                Some(last) => last.end += 1,
                None => ranges.push(entry..entry + 1),
            }
        }
        let is_new = |entry: &usize, content: &mut Arc<[u8]>| match &listing.entries()[*entry].kind
        {
            EntryKind::File { size, hash, .. } => {
                is_kept[*entry] && (*size != content.len() as u64 || *hash != hash_of(content))
            }
            EntryKind::Folder { .. } | EntryKind::Link { .. } => false,
        };
        let mut changed = changed;
        changed.retain(is_new);
        Self {
            kept: ranges,
            changed,
        }
    }

    /// Returns this state with another content of a kept file.
    #[must_use]
    pub fn with_content(&self, listing: &Listing, entry: usize, content: &Arc<[u8]>) -> Self {
        let mut changed = self.changed.clone();
        changed.insert(entry, Arc::clone(content));
        if let EntryKind::File { size, hash, .. } = &listing.entries()[entry].kind
            && *size == content.len() as u64
            && *hash == hash_of(content)
        {
            changed.remove(&entry);
        }
        Self {
            kept: self.kept.clone(),
            changed,
        }
    }

    /// Returns whether an entry is kept.
    #[must_use]
    pub fn is_kept(&self, entry: usize) -> bool {
        let after = self.kept.partition_point(|range| range.start <= entry);
        after > 0 && entry < self.kept[after - 1].end
    }

    /// Returns the kept entries, in order.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        self.kept.iter().cloned().flatten()
    }

    /// Returns the contents that differ from the original, by entry.
    #[must_use]
    pub fn changed(&self) -> &BTreeMap<usize, Arc<[u8]>> {
        &self.changed
    }

    /// Returns the size in bytes of a kept file.
    #[must_use]
    pub fn size_of(&self, listing: &Listing, entry: usize) -> u64 {
        let changed = self.changed.get(&entry);
        changed.map_or_else(
            || listing.entries()[entry].size(),
            |content| content.len() as u64,
        )
    }

    /// Returns the size.
    #[must_use]
    pub fn size(&self, listing: &Listing) -> FolderSize {
        let mut size = FolderSize::default();
        for range in &self.kept {
            let kept = listing.size_of(range);
            size.bytes += kept.bytes;
            size.files += kept.files;
        }
        let changed = self.changed.iter();
        for (&entry, content) in changed.filter(|(entry, _)| self.is_kept(**entry)) {
            size.bytes = size.bytes - listing.entries()[entry].size() + content.len() as u64;
        }
        size
    }

    /// Returns the entries that only one of two states of a folder keeps, or whose contents differ
    /// in them; in order.
    #[must_use]
    pub fn differing(&self, other: &Self) -> BTreeSet<usize> {
        let [ours, theirs] = [(self, 0), (other, 1)].map(|(text, state)| {
            let ends = move |range: &Range<usize>| [(range.start, state), (range.end, state)];
            text.kept.iter().flat_map(ends)
        });
        let mut ends: Vec<(usize, usize)> = ours.chain(theirs).collect();
        ends.sort_unstable();
        let mut entries = BTreeSet::new();
        let mut is_kept = [false; 2];
        let mut start = 0;
        for (end, state) in ends {
            if is_kept[0] != is_kept[1] {
                entries.extend(start..end);
            }
            is_kept[state] = !is_kept[state];
            start = end;
        }
        let changed = self.changed.keys().chain(other.changed.keys());
        let differs = |entry: &&usize| self.changed.get(entry) != other.changed.get(entry);
        entries.extend(changed.filter(differs));
        entries
    }

    /// Returns a hash of the files and links of this state with their paths, in hexadecimal digits.
    /// It is the same for equal states of different originals. Permissions do not count.
    #[must_use]
    pub fn content_hash(&self, listing: &Listing) -> String {
        let entry = |number: usize| {
            let entry = &listing.entries()[number];
            let kind = match (&entry.kind, self.changed.get(&number)) {
                (_, Some(content)) => EntryKind::file(0, content),
                (EntryKind::Folder { .. }, None) => EntryKind::Folder { mode: 0 },
                (EntryKind::File { size, hash, .. }, None) => EntryKind::File {
                    mode: 0,
                    size: *size,
                    hash: *hash,
                },
                (kind @ EntryKind::Link { .. }, None) => kind.clone(),
            };
            Entry {
                path: entry.path.clone(),
                kind,
            }
        };
        let kept = Listing::new(self.kept().map(entry).collect());
        kept.hash().to_owned()
    }

    /// Returns the bytes.
    #[must_use]
    pub fn write(&self, listing: &Listing) -> Vec<u8> {
        if self.kept.is_empty() {
            return Vec::new();
        }
        let contents: usize = self
            .changed
            .values()
            .map(|content| content.len() + 32)
            .sum();
        let mut bytes = Vec::with_capacity(contents + 128 + 12 * self.kept.len());
        let size = self.size(listing);
        bytes.extend_from_slice(FORMAT);
        let head = format!(
            "\n{}\n{} bytes in {} files\nkeep",
            listing.hash(),
            size.bytes,
            size.files
        );
        bytes.extend_from_slice(head.as_bytes());
        for range in &self.kept {
            let range = match range.len() {
                1 => format!(" {}", range.start),
                _ => format!(" {}-{}", range.start, range.end - 1),
            };
            bytes.extend_from_slice(range.as_bytes());
        }
        bytes.push(b'\n');
        for (entry, content) in &self.changed {
            bytes.extend_from_slice(format!("file {entry} {}\n", content.len()).as_bytes());
            bytes.extend_from_slice(content);
            bytes.push(b'\n');
        }
        bytes
    }

    /// Reads the bytes of a state.
    ///
    /// # Errors
    /// [`FolderTextError`] when they are none of this folder.
    pub fn read(bytes: &[u8], listing: &Listing) -> Result<Self, FolderTextError> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let mut rest = bytes;
        let mut line = || text_line(&mut rest).ok_or(FolderTextError::Format);
        if line()?.as_bytes() != FORMAT {
            return Err(FolderTextError::Format);
        }
        if line()? != listing.hash() {
            return Err(FolderTextError::OtherFolder);
        }
        line()?;
        let ranges = line()?.strip_prefix("keep").and_then(|ranges| {
            let ranges = ranges.split_ascii_whitespace();
            ranges.map(range).collect::<Option<Vec<_>>>()
        });
        let kept = ranges.ok_or(FolderTextError::Format)?;
        let mut changed = BTreeMap::new();
        while !rest.is_empty() {
            let (entry, content) = changed_file(&mut rest).ok_or(FolderTextError::Format)?;
            changed.insert(entry, content);
        }
        let count = listing.entries().len();
        let is_valid = kept.last().is_none_or(|last| last.end <= count)
            && kept.windows(2).all(|pair| pair[0].end < pair[1].start)
            && kept.iter().all(|range| !range.is_empty())
            && changed.keys().all(|&entry| entry < count);
        let text = Self { kept, changed };
        is_valid.then_some(text).ok_or(FolderTextError::Format)
    }

    /// Returns whether bytes look like a state of a folder. The empty state is no bytes.
    #[must_use]
    pub fn is_state(bytes: &[u8]) -> bool {
        bytes
            .strip_prefix(FORMAT)
            .is_some_and(|rest| rest.starts_with(b"\n"))
    }

    /// Returns the size of the state that these bytes are; none of it is checked.
    #[must_use]
    pub fn size_in(bytes: &[u8]) -> FolderSize {
        let mut rest = bytes;
        let mut third = || {
            text_line(&mut rest)?;
            text_line(&mut rest)?;
            text_line(&mut rest)
        };
        let size = third().and_then(|line| {
            let mut words = line.split(' ');
            let bytes = words.next()?.parse().ok()?;
            let files = words.nth(2)?.parse().ok()?;
            Some(FolderSize { bytes, files })
        });
        size.unwrap_or_default()
    }
}

/// Takes a line off the front of some bytes.
fn text_line<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let end = rest.iter().position(|&byte| byte == b'\n')?;
    let line = str::from_utf8(&rest[..end]).ok()?;
    *rest = &rest[end + 1..];
    Some(line)
}

/// Reads `3` or `3-5`.
fn range(text: &str) -> Option<Range<usize>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let last: usize = last.parse().ok()?;
    Some(first.parse().ok()?..last.checked_add(1)?)
}

/// Takes a changed file off the front of some bytes.
fn changed_file(rest: &mut &[u8]) -> Option<(usize, Arc<[u8]>)> {
    let mut words = text_line(rest)?.strip_prefix("file ")?.split(' ');
    let entry = words.next()?.parse().ok()?;
    let size: usize = words.next()?.parse().ok()?;
    let (content, after) = rest.split_at_checked(size)?;
    *rest = after.strip_prefix(b"\n")?;
    Some((entry, content.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `dir/`, `dir/a`, `dir/b`, `z`: numbers 0 to 3.
    fn listing() -> Listing {
        let entry = |path: &str, kind| Entry {
            path: path.as_bytes().into(),
            kind,
        };
        Listing::new(vec![
            entry("dir", EntryKind::Folder { mode: 0o755 }),
            entry("dir/a", EntryKind::file(0o644, b"aaa")),
            entry("dir/b", EntryKind::file(0o644, b"bb")),
            entry("z", EntryKind::file(0o755, b"z")),
        ])
    }

    #[test]
    fn equal_contents_have_equal_hashes_whatever_the_original_was() {
        let small = Listing::new(vec![Entry {
            path: b"z".as_slice().into(),
            kind: EntryKind::file(0o600, b"new"),
        }]);
        let whole = FolderText::whole(&small).content_hash(&small);
        let listing = listing();
        let state = |content| FolderText::new(&listing, [3], contents([(3, content)]));
        assert_eq!(state("new").content_hash(&listing), whole);
        assert_ne!(state("old").content_hash(&listing), whole);
    }

    fn contents<const N: usize>(contents: [(usize, &str); N]) -> BTreeMap<usize, Arc<[u8]>> {
        contents
            .map(|(entry, text)| (entry, text.as_bytes().into()))
            .into()
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let listing = listing();
        for text in [
            FolderText::whole(&listing),
            FolderText::new(&listing, [2, 3], contents([(2, "file 9 9\n"), (3, "")])),
            FolderText::new(&listing, [], contents([])),
        ] {
            let bytes = text.write(&listing);
            assert_eq!(FolderText::read(&bytes, &listing).as_ref(), Ok(&text));
            assert_eq!(FolderText::size_in(&bytes), text.size(&listing));
        }
    }

    #[test]
    fn equal_states_have_equal_bytes() {
        let listing = listing();
        let one = FolderText::new(&listing, [3, 1], contents([(1, "aaa"), (2, "gone")]));
        let other = FolderText::new(&listing, [0, 1, 3], contents([]));
        assert_eq!(one.write(&listing), other.write(&listing));
        assert_eq!(one.kept().collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(one.size(&listing), FolderSize { bytes: 4, files: 2 });
        let back = other.with_content(&listing, 1, &b"x".as_slice().into());
        assert_eq!(back.size_of(&listing, 1), 1);
        assert_eq!(
            back.with_content(&listing, 1, &b"aaa".as_slice().into()),
            one
        );
    }

    #[test]
    fn states_differ_in_what_only_one_keeps_and_in_changed_contents() {
        let listing = listing();
        let text = |kept: &[usize], changed| {
            FolderText::new(&listing, kept.iter().copied(), contents(changed))
        };
        let one = text(&[1, 3], [(1, "x"), (3, "y")]);
        let differing = |other: &FolderText| Vec::from_iter(one.differing(other));
        assert_eq!(differing(&text(&[1, 3], [(1, "x"), (3, "y")])), []);
        assert_eq!(differing(&text(&[1, 2, 3], [(1, "x"), (3, "z")])), [2, 3]);
        assert_eq!(differing(&FolderText::default()), [0, 1, 3]);
        assert_eq!(differing(&FolderText::whole(&listing)), [1, 2, 3]);
    }

    #[test]
    fn a_folder_goes_with_the_last_file_in_it() {
        let listing = listing();
        let text = FolderText::new(&listing, [3], contents([]));
        assert!(!text.is_kept(0));
        assert!(text.is_kept(3));
    }

    #[test]
    fn other_bytes_are_an_error() {
        let listing = listing();
        let read = |bytes: &[u8]| FolderText::read(bytes, &listing).unwrap_err();
        assert_eq!(read(b"int main() {}\n"), FolderTextError::Format);
        let whole = FolderText::whole(&listing).write(&listing);
        assert_eq!(read(&whole[..whole.len() - 1]), FolderTextError::Format);
        let other = Listing::new(listing.entries()[3..].to_vec());
        assert_eq!(
            FolderText::read(&whole, &other),
            Err(FolderTextError::OtherFolder)
        );
        let beyond = String::from_utf8(whole)
            .unwrap()
            .replace("keep 0-3", "keep 0-4");
        assert_eq!(read(beyond.as_bytes()), FolderTextError::Format);
    }
}
