//! The changes between two states as a tree: commits, directories, files, hunks, lines.

use std::collections::{BTreeMap, HashMap};

use boildown_search::Subset;

use crate::file_change::{ElementChange, FileChange, LocatedEntry};
use crate::renames::renames;
use crate::{ChangesError, Configuration, Contents, Entry, FilePath, FileVersion, State};

/// The changes between two states.
///
/// Its elements are the smallest changes: one line of a text, the renaming of a file, its mode, or
/// a whole file that cannot be split. Each is expressed against the first state, so that any
/// subset can be applied to that state. Elements are numbered from 0, in the order of the paths
/// and then of the text.
#[derive(Debug)]
pub struct ChangeTree {
    pub(crate) base: State,
    pub(crate) files: Vec<FileChange>,
    /// For each element, the index of its file in `files`.
    pub(crate) file_of: Vec<u32>,
    /// For each element, its hunk. An element that is not part of a text is a hunk of its own.
    pub(crate) hunk_of: Vec<u32>,
}

/// The unit by which a level of the tree groups its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeUnit {
    /// Commits.
    Commits,
    /// Directories.
    Directories,
    /// Files.
    Files,
    /// Groups of hunks that share new identifiers.
    Names,
    /// Hunks.
    Hunks,
    /// Statements, definitions and other parts of a text by its grammar.
    Statements,
    /// Lines: every element is a group of its own.
    Lines,
    /// Words of lines, and the white space between them.
    Words,
}

impl ChangeUnit {
    /// Returns the English noun for this number of units: "hunk" for 1, "hunks" for others.
    pub fn noun(self, number: usize) -> &'static str {
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
            (Self::Statements, 1) => "statement",
            (Self::Statements, _) => "statements",
            (Self::Lines, 1) => "line",
            (Self::Lines, _) => "lines",
            (Self::Words, 1) => "word",
            (Self::Words, _) => "words",
        }
    }
}

impl ChangeTree {
    /// Finds the changes from one state to another.
    ///
    /// # Cost
    /// Reads every file that differs once. Keeps the inserted lines in memory, but no whole text.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn between(old: &State, new: &State, contents: &Contents) -> Result<Self, ChangesError> {
        let mut tree = Self {
            base: old.clone(),
            files: Vec::new(),
            file_of: Vec::new(),
            hunk_of: Vec::new(),
        };
        for (old, new) in changed_files(old, new, contents)? {
            tree.push_file(old, new, contents)?;
        }
        Ok(tree)
    }

    /// Splits the change of one file into elements and adds them.
    fn push_file(
        &mut self,
        old: Option<LocatedEntry>,
        new: Option<LocatedEntry>,
        contents: &Contents,
    ) -> Result<(), ChangesError> {
        let first_element = self.file_of.len();
        let (change, hunk_starts) = FileChange::split(old, new, first_element, contents)?;
        let file = u32::try_from(self.files.len()).expect("memory holds fewer files");
        let mut hunk = self.hunk_of.last().map_or(0, |last| last + 1);
        for index in 0..change.changes.len() {
            if index > 0 && hunk_starts.contains(&index) {
                hunk += 1;
            }
            self.file_of.push(file);
            self.hunk_of.push(hunk);
        }
        self.files.push(change);
        Ok(())
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.file_of.len()
    }

    /// Returns whether the two states are equal.
    pub fn is_empty(&self) -> bool {
        self.file_of.is_empty()
    }

    /// Returns the first state, to which changes are applied.
    pub fn base(&self) -> &State {
        &self.base
    }

    /// Returns the files that changed, ordered by path.
    pub fn files(&self) -> &[FileChange] {
        &self.files
    }

    /// Returns the index of the file of an element in [`files`](Self::files).
    ///
    /// # Panics
    /// When there is no such element.
    pub fn file_of(&self, element: usize) -> usize {
        self.file_of[element] as usize
    }

    /// Returns for each element the number of the group that it belongs to, from 0 in the order of
    /// the elements.
    ///
    /// The tree does not know commits, identifiers and grammars: all elements are one commit here,
    /// [`ChangeUnit::Names`] gives hunks, and [`ChangeUnit::Statements`] lines. See
    /// [`groups_by_commit`](Self::groups_by_commit) and
    /// [`groups_by_new_name`](Self::groups_by_new_name).
    ///
    /// By directories and by files, all files that moved from one directory to another are one
    /// group: text that refers to one of them usually refers to the others in the same way.
    ///
    /// # Panics
    /// When there are more than four billion elements.
    pub fn groups(&self, unit: ChangeUnit) -> Vec<u32> {
        match unit {
            ChangeUnit::Commits => vec![0; self.len()],
            ChangeUnit::Directories => {
                self.numbered_by_key(|file, change| match (change, &file.old) {
                    (ElementChange::Rename, Some((old, _))) => move_key(old, file.path()),
                    (_, Some((old, _))) => (directory(old), None),
                    (_, None) => (directory(file.path()), None),
                })
            }
            ChangeUnit::Files => self.numbered_by_key(|file, change| match (change, &file.old) {
                (ElementChange::Rename, Some((old, _))) => move_key(old, file.path()),
                _ => (&file.path()[..], None),
            }),
            ChangeUnit::Names | ChangeUnit::Hunks => self.hunk_of.clone(),
            ChangeUnit::Statements | ChangeUnit::Lines | ChangeUnit::Words => {
                let all = u32::try_from(self.len()).expect("memory holds fewer elements");
                (0..all).collect()
            }
        }
    }

    /// Returns the number of bytes of texts that a set of elements deletes and inserts.
    pub fn changed_bytes(&self, elements: &Subset) -> usize {
        let changes = elements.iter().map(|element| {
            let file = &self.files[self.file_of(element)];
            match &file.changes[element - file.first_element] {
                ElementChange::Edit { old, new, .. } => old.len() + new.len(),
                _ => 0,
            }
        });
        changes.sum()
    }

    /// Returns what an element inserts, if it is part of a text.
    ///
    /// # Panics
    /// When there is no such element.
    pub fn inserted(&self, element: usize) -> Option<&[u8]> {
        let file = &self.files[self.file_of(element)];
        file.insertion(&file.changes[element - file.first_element])
    }

    /// Returns the hunk and the inserted bytes of each element that is an edit.
    pub(crate) fn insertions(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let changes = (self.files.iter())
            .flat_map(|file| file.changes.iter().map(move |change| (file, change)));
        changes
            .zip(&self.hunk_of)
            .filter_map(|((file, change), &hunk)| Some((hunk, file.insertion(change)?)))
    }

    /// Numbers the elements by a key, from 0 in the order in which keys first occur.
    fn numbered_by_key<'a, K: Eq + std::hash::Hash>(
        &'a self,
        key: impl Fn(&'a FileChange, &'a ElementChange) -> K,
    ) -> Vec<u32> {
        let mut numbers: HashMap<K, u32> = HashMap::new();
        let keys = self.files.iter().flat_map(|file| {
            let key = &key;
            file.changes.iter().map(move |change| key(file, change))
        });
        keys.map(|key| {
            let next = u32::try_from(numbers.len()).expect("memory holds fewer elements");
            *numbers.entry(key).or_insert(next)
        })
        .collect()
    }

    /// Returns for each element the state that introduced it, as an index in `states`.
    ///
    /// `states` are those after each commit, in the order of history; the last is the second state
    /// of this tree. An element belongs to the first state from which on all states have it. Its
    /// lines are compared as text: a line that was moved may be attributed to another commit.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn groups_by_commit(
        &self,
        states: &[State],
        contents: &Contents,
    ) -> Result<Vec<u32>, ChangesError> {
        let last = u32::try_from(states.len().saturating_sub(1)).unwrap_or(u32::MAX);
        let mut introduced_by: Vec<u32> = vec![last; self.len()];
        for file in &self.files {
            // Backwards from the last state, as long as the change is present.
            let mut still_held: Vec<bool> = vec![true; file.changes.len()];
            for (number, state) in states.iter().enumerate().rev() {
                let held = file.changes_held_by(state, contents)?;
                for (index, held) in held.into_iter().enumerate() {
                    still_held[index] &= held;
                    if still_held[index] {
                        introduced_by[file.first_element + index] =
                            u32::try_from(number).unwrap_or(last);
                    }
                }
            }
        }
        Ok(introduced_by)
    }

    /// Returns how many groups of a unit contain at least one of these elements.
    pub fn count(&self, unit: ChangeUnit, elements: &Subset) -> usize {
        let groups = self.groups(unit);
        let mut found: Vec<u32> = elements.iter().map(|element| groups[element]).collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    }

    /// Returns the location of an element for messages: `src/a.c:12`, `src/a.c:12:7` for words, or
    /// only the path when it is not part of a text. Lines are those of the first state, from 1.
    pub fn location(&self, element: usize) -> String {
        let file = &self.files[self.file_of[element] as usize];
        let path = file.path();
        match &file.changes[element - file.first_element] {
            ElementChange::Edit { line, column, .. } => match column {
                Some(column) => format!("{path}:{}:{}", line + 1, column + 1),
                None => format!("{path}:{}", line + 1),
            },
            ElementChange::WholeFile | ElementChange::Rename | ElementChange::Mode => {
                path.to_string()
            }
        }
    }

    /// Applies a subset of the changes to the first state.
    ///
    /// Returns `None` when the files cannot exist together: one is at the path of a directory that
    /// another needs.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn configuration(
        &self,
        elements: &Subset,
        contents: &Contents,
    ) -> Result<Option<Configuration>, ChangesError> {
        let mut overrides: BTreeMap<FilePath, Option<FileVersion>> = BTreeMap::new();
        let mut last_file = None;
        for element in elements.iter() {
            let file = self.file_of[element];
            if last_file.replace(file) == Some(file) {
                continue;
            }
            let file = &self.files[file as usize];
            let (path, version) = file.apply(elements, contents)?;
            if let Some((old, _)) = &file.old
                && *old != path
            {
                // Another file may have been moved or added to the old path.
                overrides.entry(old.clone()).or_insert(None);
            }
            overrides.insert(path, version);
        }
        let configuration = Configuration::new(self.base.clone(), overrides);
        let is_possible = configuration.has_no_path_conflict();
        Ok(is_possible.then_some(configuration))
    }
}

/// A file in the first state, in the second state, or in both.
type ChangedFile = (Option<LocatedEntry>, Option<LocatedEntry>);

/// Returns the files that differ between two states, ordered by path. A renamed file is one pair.
fn changed_files(
    old: &State,
    new: &State,
    contents: &Contents,
) -> Result<Vec<ChangedFile>, ChangesError> {
    let mut deleted: BTreeMap<FilePath, Entry> = BTreeMap::new();
    let mut added: BTreeMap<FilePath, Entry> = BTreeMap::new();
    let mut changed: Vec<ChangedFile> = Vec::new();
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
    changed.sort_by_key(|(old, new)| new.as_ref().or(old.as_ref()).map(|(path, _)| path.clone()));
    Ok(changed)
}

/// Returns the directory of a file; the empty path for a file in the root.
fn directory(path: &FilePath) -> &[u8] {
    let end = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    &path[..end]
}

/// Returns the key that groups files moved from one directory to the same other one.
fn move_key<'a>(from: &'a FilePath, to: &'a FilePath) -> (&'a [u8], Option<&'a [u8]>) {
    (directory(to), Some(directory(from)))
}
