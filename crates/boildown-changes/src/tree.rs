//! The changes between two states as a tree: commits, directories, files, hunks, lines.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use boildown_search::Subset;

use crate::lines::{Cut, Lines, cuts, hunks, is_text};
use crate::renames::renames;
use crate::{ChangesError, Configuration, Contents, Entry, FilePath, Kind, Made, State};

/// The changes between two states.
///
/// Its elements are the smallest changes: a line of a text, the renaming of a file, its mode, or the whole of a file that cannot be
/// cut. All are cut against the first state, so that any set of them can be applied to it.
#[derive(Debug)]
pub struct ChangeTree {
    base: State,
    files: Vec<FileChange>,
    /// The file of each element.
    file_of: Vec<u32>,
    /// The hunk of each element; every other element is a hunk of its own.
    hunk_of: Vec<u32>,
}

/// A file of one of the two states, unless it is not there.
type Side = Option<(FilePath, Entry)>;

/// What happened to one file.
#[derive(Debug)]
pub struct FileChange {
    /// Where and what it was, unless it was added.
    pub old: Option<(FilePath, Entry)>,
    /// Where and what it is, unless it was deleted.
    pub new: Option<(FilePath, Entry)>,
    /// Its changes in order; the first is the element `first`.
    parts: Vec<Part>,
    first: usize,
    /// The text of all insertions.
    inserted: Vec<u8>,
}

impl FileChange {
    /// Its elements.
    fn elements(&self) -> Range<usize> {
        self.first..self.first + self.parts.len()
    }

    /// Returns where it is, or was if it is gone.
    ///
    /// # Panics
    /// Never: a file that changed is somewhere.
    #[must_use]
    pub fn path(&self) -> &FilePath {
        let (path, _) = (self.new.as_ref().or(self.old.as_ref())).expect("it is somewhere");
        path
    }
}

/// A smallest change.
#[derive(Debug, Clone)]
enum Part {
    /// All of it: added, deleted, or another content that cannot be cut.
    Whole,
    /// It is at another path.
    Rename,
    /// It may be executed now, or not any more.
    Mode,
    /// These bytes of the old text become those of `inserted`.
    Edit {
        old: Range<u32>,
        new: Range<u32>,
        /// The line of the old text that it begins at, from 0.
        line: u32,
    },
}

/// What a level of the tree is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Commits.
    Commits,
    /// Directories.
    Directories,
    /// Files.
    Files,
    /// Groups of hunks that share new names.
    Names,
    /// Hunks.
    Hunks,
    /// Lines.
    Lines,
}

impl Layer {
    /// Returns its name for so many.
    #[must_use]
    pub fn name(self, number: usize) -> &'static str {
        match (self, number) {
            (Self::Commits, 1) => "commit",
            (Self::Commits, _) => "commits",
            (Self::Directories, 1) => "directory",
            (Self::Directories, _) => "directories",
            (Self::Files, 1) => "file",
            (Self::Files, _) => "files",
            (Self::Names, 1) => "group of hunks by new names",
            (Self::Names, _) => "groups of hunks by new names",
            (Self::Hunks, 1) => "hunk",
            (Self::Hunks, _) => "hunks",
            (Self::Lines, 1) => "line",
            (Self::Lines, _) => "lines",
        }
    }
}

impl ChangeTree {
    /// Finds the changes from one state to another.
    ///
    /// # Cost
    /// Reads every file that differs, once; holds what is inserted and no text.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn between(old: &State, new: &State, contents: &Contents) -> Result<Self, ChangesError> {
        let mut deleted: BTreeMap<FilePath, Entry> = BTreeMap::new();
        let mut added: BTreeMap<FilePath, Entry> = BTreeMap::new();
        let mut changed = Vec::new();
        for (path, entry) in old.iter() {
            match new.get(path) {
                None => drop(deleted.insert(path.clone(), entry)),
                Some(other) if other != entry => {
                    changed.push((Some((path.clone(), entry)), Some((path.clone(), other))));
                }
                Some(_) => {}
            }
        }
        for (path, entry) in new.iter() {
            if old.get(path).is_none() {
                added.insert(path.clone(), entry);
            }
        }
        for (from, to) in renames(&deleted, &added, contents)? {
            let (old, new) = (deleted.remove(&from), added.remove(&to));
            changed.push((old.map(|entry| (from, entry)), new.map(|entry| (to, entry))));
        }
        changed.extend(deleted.into_iter().map(|file| (Some(file), None)));
        changed.extend(added.into_iter().map(|file| (None, Some(file))));
        let path =
            |(old, new): &(Side, Side)| new.as_ref().or(old.as_ref()).map(|(path, _)| path.clone());
        changed.sort_by_key(path);
        let mut tree = Self {
            base: old.clone(),
            files: Vec::new(),
            file_of: Vec::new(),
            hunk_of: Vec::new(),
        };
        for (old, new) in changed {
            tree.push(old, new, contents)?;
        }
        Ok(tree)
    }

    /// Cuts the change of one file into elements.
    fn push(&mut self, old: Side, new: Side, contents: &Contents) -> Result<(), ChangesError> {
        let first = self.file_of.len();
        let (mut parts, mut inserted) = (Vec::new(), Vec::new());
        // Where each hunk begins, among the parts.
        let mut starts = Vec::new();
        let text = |entry: Option<Entry>| match entry {
            Some(entry) if entry.kind.is_plain() => contents.read(entry.id).map(Some),
            Some(_) => Ok(None),
            None => Ok(Some([].into())),
        };
        let (was, is) = (
            old.as_ref().map(|(_, entry)| *entry),
            new.as_ref().map(|(_, entry)| *entry),
        );
        let texts = match (was, is) {
            (_, None) => None,
            (was, is) => text(was)?
                .zip(text(is)?)
                .filter(|(before, after)| is_text(before) && is_text(after)),
        };
        match texts {
            Some((before, after)) if was.is_some() || !after.is_empty() => {
                if let (Some((old, was)), Some((new, is))) = (&old, &new) {
                    if old != new {
                        starts.push(parts.len());
                        parts.push(Part::Rename);
                    }
                    if was.kind != is.kind {
                        starts.push(parts.len());
                        parts.push(Part::Mode);
                    }
                }
                if was.map(|entry| entry.id) != is.map(|entry| entry.id) {
                    edits(&before, &after, &mut parts, &mut starts, &mut inserted);
                }
            }
            _ => {
                starts.push(0);
                parts.push(Part::Whole);
            }
        }
        let file = u32::try_from(self.files.len()).expect("memory holds fewer files");
        let mut hunk = self.hunk_of.last().map_or(0, |last| last + 1);
        for place in 0..parts.len() {
            if place > 0 && starts.contains(&place) {
                hunk += 1;
            }
            self.file_of.push(file);
            self.hunk_of.push(hunk);
        }
        self.files.push(FileChange {
            old,
            new,
            parts,
            first,
            inserted,
        });
        Ok(())
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.file_of.len()
    }

    /// Returns whether the two states are the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.file_of.is_empty()
    }

    /// Returns the state that changes are applied to.
    #[must_use]
    pub fn base(&self) -> &State {
        &self.base
    }

    /// Returns the files that changed, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> &[FileChange] {
        &self.files
    }

    /// Returns for each element the group that it is in, numbered from 0. Commits are told apart by
    /// [`by_commit`](Self::by_commit) only, and names by [`by_name`](Self::by_name).
    ///
    /// Files that moved from one directory to another did so together, as a group of its own: what names one of them names the
    /// others in the same way.
    ///
    /// # Panics
    /// When there are more than four billion.
    #[must_use]
    pub fn groups(&self, layer: Layer) -> Vec<u32> {
        match layer {
            Layer::Commits => vec![0; self.len()],
            Layer::Directories => self.numbered(|file, part| match (part, &file.old) {
                (Part::Rename, Some((old, _))) => (directory(file.path()), Some(directory(old))),
                (_, Some((old, _))) => (directory(old), None),
                (_, None) => (directory(file.path()), None),
            }),
            Layer::Files => self.numbered(|file, part| match (part, &file.old) {
                (Part::Rename, Some((old, _))) => (directory(file.path()), Some(directory(old))),
                _ => (&file.path()[..], None),
            }),
            Layer::Names | Layer::Hunks => self.hunk_of.clone(),
            Layer::Lines => {
                let all = u32::try_from(self.len()).expect("memory holds fewer elements");
                (0..all).collect()
            }
        }
    }

    /// What comes with each element, and the hunk that it is in.
    pub(crate) fn insertions(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let parts =
            (self.files.iter()).flat_map(|file| file.parts.iter().map(move |it| (file, it)));
        parts
            .zip(&self.hunk_of)
            .filter_map(|((file, part), &hunk)| {
                let Part::Edit { new, .. } = part else {
                    return None;
                };
                Some((hunk, &file.inserted[new.start as usize..new.end as usize]))
            })
    }

    /// Numbers the elements by a key, in the order in which keys come up.
    fn numbered<'a, K: Eq + std::hash::Hash>(
        &'a self,
        key: impl Fn(&'a FileChange, &'a Part) -> K,
    ) -> Vec<u32> {
        let mut numbers: HashMap<K, u32> = HashMap::new();
        let elements = self.files.iter().flat_map(|file| {
            let key = &key;
            file.parts.iter().map(move |part| key(file, part))
        });
        elements
            .map(|key| {
                let next = u32::try_from(numbers.len()).expect("memory holds fewer elements");
                *numbers.entry(key).or_insert(next)
            })
            .collect()
    }

    /// Returns for each element which of these states, that follow each other from the first state to the second, is the first one that
    /// has it for good, as far as the texts tell: the commit that it comes from.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn by_commit(
        &self,
        states: &[State],
        contents: &Contents,
    ) -> Result<Vec<u32>, ChangesError> {
        let last = u32::try_from(states.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let mut first: Vec<u32> = vec![last; self.len()];
        for file in &self.files {
            // From the last state back, as long as it is there.
            let mut open: Vec<bool> = vec![true; file.parts.len()];
            for (number, state) in states.iter().enumerate().rev() {
                let has = file.held_by(state, contents)?;
                for (place, held) in has.into_iter().enumerate() {
                    open[place] &= held;
                    if open[place] {
                        first[file.first + place] = u32::try_from(number).unwrap_or(last);
                    }
                }
            }
        }
        Ok(first)
    }

    /// Returns how many groups of a layer hold one of these elements.
    #[must_use]
    pub fn count(&self, layer: Layer, elements: &Subset) -> usize {
        let groups = self.groups(layer);
        let mut held: Vec<u32> = elements.iter().map(|element| groups[element]).collect();
        held.sort_unstable();
        held.dedup();
        held.len()
    }

    /// Returns where an element is: a file, and the line of the first state that it stands at when it is part of a text.
    #[must_use]
    pub fn place(&self, element: usize) -> String {
        let file = &self.files[self.file_of[element] as usize];
        let path = file.path();
        match &file.parts[element - file.first] {
            Part::Edit { line, .. } => format!("{path}:{}", line + 1),
            Part::Whole | Part::Rename | Part::Mode => path.to_string(),
        }
    }

    /// Makes the files of some changes. `None` when they cannot be files of one folder: one is at the path of a directory that another
    /// needs.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn configuration(
        &self,
        elements: &Subset,
        contents: &Contents,
    ) -> Result<Option<Configuration>, ChangesError> {
        let mut made: BTreeMap<FilePath, Option<Made>> = BTreeMap::new();
        let mut last = None;
        for element in elements.iter() {
            let file = self.file_of[element];
            if last.replace(file) == Some(file) {
                continue;
            }
            let file = &self.files[file as usize];
            let (path, found) = file.make(elements, contents)?;
            if let Some((old, _)) = &file.old
                && *old != path
            {
                made.entry(old.clone()).or_insert(None);
            }
            made.insert(path, found);
        }
        let configuration = Configuration::new(self.base.clone(), made);
        Ok(configuration.is_possible().then_some(configuration))
    }
}

/// Adds the changes inside a text, hunk by hunk.
fn edits(
    before: &[u8],
    after: &[u8],
    parts: &mut Vec<Part>,
    starts: &mut Vec<usize>,
    inserted: &mut Vec<u8>,
) {
    let old_starts = Lines { text: before }.starts();
    let old: Vec<&[u8]> = Lines { text: before }.iter().collect();
    let new: Vec<&[u8]> = Lines { text: after }.iter().collect();
    let narrow = |at: usize| u32::try_from(at).expect("a text is no larger");
    for hunk in hunks(before, after) {
        starts.push(parts.len());
        // What is inserted goes before the next old line that has not been passed.
        let mut at = hunk.before.start;
        for cut in cuts(&old[hunk.before.clone()], &new[hunk.after.clone()]) {
            let (lines, line) = match cut {
                Cut::Delete(_) => (at..at + 1, None),
                Cut::Insert(line) => (at..at, Some(line)),
                Cut::Replace(_, line) => (at..at + 1, Some(line)),
            };
            at = lines.end;
            let start = narrow(inserted.len());
            if let Some(line) = line {
                inserted.extend_from_slice(new[hunk.after.start + line]);
            }
            parts.push(Part::Edit {
                old: narrow(old_starts[lines.start])..narrow(old_starts[lines.end]),
                new: start..narrow(inserted.len()),
                line: narrow(lines.start),
            });
        }
    }
}

/// The directory that a file is in.
fn directory(path: &FilePath) -> &[u8] {
    let cut = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    &path[..cut]
}

impl FileChange {
    /// Which of its changes a state has.
    fn held_by(&self, state: &State, contents: &Contents) -> Result<Vec<bool>, ChangesError> {
        let at = |side: &Side| side.as_ref().and_then(|(path, _)| state.get(path));
        let (old, new) = (at(&self.old), at(&self.new));
        let moved = new.is_some() || self.new.is_none();
        let there = new.or(old).filter(|entry| entry.kind.is_plain());
        let is_edited = (self.parts.iter()).any(|part| matches!(part, Part::Edit { .. }));
        // What its text has that the old one has not, and which bytes of the old one are gone.
        let mut come: HashSet<Vec<u8>> = HashSet::new();
        let mut gone: Vec<Range<usize>> = Vec::new();
        if is_edited && let Some(there) = there {
            let before = match &self.old {
                Some((_, was)) => contents.read(was.id)?,
                None => [].into(),
            };
            let after = contents.read(there.id)?;
            let (starts, lines) = (
                Lines { text: &before }.starts(),
                Lines { text: &after }.iter().collect::<Vec<_>>(),
            );
            for hunk in hunks(&before, &after) {
                gone.push(starts[hunk.before.start]..starts[hunk.before.end]);
                come.extend(lines[hunk.after].iter().map(|line| line.to_vec()));
            }
        }
        let held = |part: &Part| match part {
            Part::Whole => match &self.new {
                Some((_, entry)) => new == Some(*entry),
                None => old.is_none(),
            },
            Part::Rename => moved && old.is_none(),
            Part::Mode => {
                let kind = |side: &Side| side.as_ref().map(|(_, entry)| entry.kind);
                there.map(|entry| entry.kind) == kind(&self.new)
            }
            Part::Edit { old, new, .. } => {
                let (old, new) = (
                    old.start as usize..old.end as usize,
                    &self.inserted[new.start as usize..new.end as usize],
                );
                let is_gone = old.is_empty()
                    || (gone.iter()).any(|gone| gone.start <= old.start && old.end <= gone.end);
                is_gone && (new.is_empty() || come.contains(new))
            }
        };
        Ok(self.parts.iter().map(held).collect())
    }

    /// The file with some of its changes, and where it is.
    fn make(
        &self,
        elements: &Subset,
        contents: &Contents,
    ) -> Result<(FilePath, Option<Made>), ChangesError> {
        let applied = |place: usize| elements.contains(self.first + place);
        let all = elements.count_in(self.elements()) == self.parts.len();
        let is = |wanted: fn(&Part) -> bool| {
            let place = self.parts.iter().position(wanted);
            place.is_some_and(applied)
        };
        match (&self.old, &self.new) {
            (Some((path, _)), None) => Ok((path.clone(), None)),
            (_, Some((path, entry))) if all => Ok((path.clone(), Some((*entry).into()))),
            (None, Some((path, entry))) => {
                let text = self.text(&[], elements);
                Ok((path.clone(), Some(Made::of(entry.kind, text))))
            }
            (Some((from, was)), Some((to, now))) => {
                let path = if is(|part| matches!(part, Part::Rename)) {
                    to
                } else {
                    from
                };
                let kind: Kind = if is(|part| matches!(part, Part::Mode)) {
                    now.kind
                } else {
                    was.kind
                };
                let edited = (self.parts.iter().enumerate())
                    .any(|(place, part)| matches!(part, Part::Edit { .. }) && applied(place));
                let made = if edited {
                    Made::of(kind, self.text(&contents.read(was.id)?, elements))
                } else {
                    Made::from(Entry { kind, id: was.id })
                };
                Ok((path.clone(), Some(made)))
            }
            (None, None) => unreachable!("a file that changed is somewhere"),
        }
    }

    /// The text with some of its edits.
    fn text(&self, before: &[u8], elements: &Subset) -> Vec<u8> {
        let mut text = Vec::with_capacity(before.len() + self.inserted.len());
        let mut copied = 0;
        for (place, part) in self.parts.iter().enumerate() {
            let Part::Edit { old, new, .. } = part else {
                continue;
            };
            if !elements.contains(self.first + place) {
                continue;
            }
            text.extend_from_slice(&before[copied..old.start as usize]);
            copied = old.end as usize;
            let new = &self.inserted[new.start as usize..new.end as usize];
            // The last line of a text need not end.
            if !new.is_empty() && text.last().is_some_and(|&byte| byte != b'\n') {
                text.push(b'\n');
            }
            text.extend_from_slice(new);
        }
        text.extend_from_slice(&before[copied..]);
        text
    }
}

impl Configuration {
    /// Whether no file is at the path of a directory that another one needs.
    fn is_possible(&self) -> bool {
        let present = (self.made().iter()).filter(|(_, made)| made.is_some());
        present.into_iter().all(|(path, _)| {
            let above = (0..path.len())
                .filter(|&at| path[at] == b'/')
                .all(|at| self.get(&path[..at].into()).is_none());
            let mut within = path.clone();
            within.push(b'/');
            let below = |other: &FilePath| other.starts_with(&within);
            let kept = (self.base().after(&within)).take_while(|(other, _)| below(other));
            let mut kept = kept.filter(|(other, _)| !matches!(self.made().get(*other), Some(None)));
            let mut made = self.made().range(within.clone()..);
            above
                && kept.next().is_none()
                && !made
                    .by_ref()
                    .take_while(|(other, _)| below(other))
                    .any(|(_, made)| made.is_some())
        })
    }
}
