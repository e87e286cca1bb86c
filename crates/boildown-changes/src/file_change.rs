//! The change of one file: its elements, and the file that a subset of them makes.

use std::collections::HashSet;
use std::ops::Range;

use boildown_search::Subset;

use crate::lines::{LineChange, TextLines, hunks, is_text, line_changes};
use crate::{ChangesError, Contents, Entry, FileKind, FilePath, FileVersion, State};

/// A file with the path at which it is.
pub type LocatedEntry = (FilePath, Entry);

/// The change of one file between two states. At least one of `old` and `new` is present.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// The file in the first state; `None` when it was added.
    pub old: Option<LocatedEntry>,
    /// The file in the second state; `None` when it was deleted.
    pub new: Option<LocatedEntry>,
    /// The elements of this file, in the order of the text. The first of them has the index
    /// `first_element` in the tree, the others follow.
    pub(crate) changes: Vec<ElementChange>,
    pub(crate) first_element: usize,
    /// The bytes that all edits insert, one after the other.
    pub(crate) inserted: Vec<u8>,
}

/// What one element of the tree changes.
#[derive(Debug, Clone)]
pub(crate) enum ElementChange {
    /// The file is added or deleted, or its content is replaced and cannot be split.
    WholeFile,
    /// The file moves to another path.
    Rename,
    /// The file becomes executable, or ceases to be.
    Mode,
    /// The bytes `old` of the old text are replaced by the bytes `new` of `inserted`.
    Edit {
        old: Range<u32>,
        new: Range<u32>,
        /// The first line of the old text that is replaced, from 0.
        line: u32,
        /// For words, the character of the line at which they begin, from 0; `None` for lines.
        column: Option<u32>,
    },
}

/// An element of the tree that changes a line of a text: replaces, deletes or inserts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEdit {
    /// The element.
    pub element: usize,
    /// The old line that is replaced or deleted, or before which the new line is inserted; from 0.
    pub line: usize,
    /// Whether the old line is replaced or deleted.
    pub deletes: bool,
    /// Whether a new line is inserted.
    pub inserts: bool,
}

/// The bytes that an element deletes, and those that it inserts.
pub(crate) struct ChangedText {
    pub(crate) element: usize,
    pub(crate) deleted_and_inserted: [Vec<u8>; 2],
}

/// The elements of a file while it is split.
#[derive(Default)]
struct SplitChange {
    changes: Vec<ElementChange>,
    /// The index in `changes` at which each hunk begins.
    hunk_starts: Vec<usize>,
    inserted: Vec<u8>,
}

impl SplitChange {
    /// Adds a change that is a hunk of its own.
    fn push_single(&mut self, change: ElementChange) {
        self.hunk_starts.push(self.changes.len());
        self.changes.push(change);
    }

    /// Adds the line changes between two texts, hunk by hunk.
    fn push_edits(&mut self, before: &[u8], after: &[u8]) {
        let old_starts = TextLines { text: before }.starts();
        let old: Vec<&[u8]> = TextLines { text: before }.iter().collect();
        let new: Vec<&[u8]> = TextLines { text: after }.iter().collect();
        let narrow = |offset: usize| u32::try_from(offset).expect("texts are below 4 GiB");
        for hunk in hunks(before, after) {
            self.hunk_starts.push(self.changes.len());
            // An insertion goes before the next old line that has not been passed.
            let mut next_line = hunk.before.start;
            for change in line_changes(&old[hunk.before.clone()], &new[hunk.after.clone()]) {
                let (lines, inserted) = match change {
                    LineChange::Delete(_) => (next_line..next_line + 1, None),
                    LineChange::Insert(line) => (next_line..next_line, Some(line)),
                    LineChange::Replace(_, line) => (next_line..next_line + 1, Some(line)),
                };
                next_line = lines.end;
                let start = narrow(self.inserted.len());
                if let Some(line) = inserted {
                    self.inserted
                        .extend_from_slice(new[hunk.after.start + line]);
                }
                self.changes.push(ElementChange::Edit {
                    old: narrow(old_starts[lines.start])..narrow(old_starts[lines.end]),
                    new: start..narrow(self.inserted.len()),
                    line: narrow(lines.start),
                    column: None,
                });
            }
        }
    }
}

impl FileChange {
    /// Splits the change of one file into elements. Also returns the positions in
    /// [`changes`](Self::changes) at which a hunk begins.
    ///
    /// A file with two texts is split into its rename, its mode and its lines. An added text is
    /// split into lines. Anything else, such as a deleted or a binary file, is one element.
    pub(crate) fn split(
        old: Option<LocatedEntry>,
        new: Option<LocatedEntry>,
        first_element: usize,
        contents: &Contents,
    ) -> Result<(Self, Vec<usize>), ChangesError> {
        let read = |entry: Option<Entry>| match entry {
            Some(entry) if entry.kind.is_plain() => contents.read(entry.id).map(Some),
            Some(_) => Ok(None),
            None => Ok(Some([].into())),
        };
        let old_entry = old.as_ref().map(|(_, entry)| *entry);
        let new_entry = new.as_ref().map(|(_, entry)| *entry);
        let texts = match new_entry {
            None => None,
            Some(_) => read(old_entry)?
                .zip(read(new_entry)?)
                .filter(|(before, after)| is_text(before) && is_text(after)),
        };
        let mut split = SplitChange::default();
        match texts {
            Some((before, after)) if old_entry.is_some() || !after.is_empty() => {
                if let (Some((from, was)), Some((to, is))) = (&old, &new) {
                    if from != to {
                        split.push_single(ElementChange::Rename);
                    }
                    if was.kind != is.kind {
                        split.push_single(ElementChange::Mode);
                    }
                }
                if old_entry.map(|entry| entry.id) != new_entry.map(|entry| entry.id) {
                    split.push_edits(&before, &after);
                }
            }
            _ => split.push_single(ElementChange::WholeFile),
        }
        let file = Self {
            old,
            new,
            changes: split.changes,
            first_element,
            inserted: split.inserted,
        };
        Ok((file, split.hunk_starts))
    }

    /// Returns the path in the second state, or in the first if the file was deleted.
    ///
    /// # Panics
    /// Never: the file is in one of the states.
    pub fn path(&self) -> &FilePath {
        let (path, _) = (self.new.as_ref().or(self.old.as_ref()))
            .expect("a changed file is in one of the states");
        path
    }

    /// Returns the first element of the tree that belongs to this file.
    pub fn first_element(&self) -> usize {
        self.first_element
    }

    /// Returns the elements of the tree that belong to this file.
    pub(crate) fn elements(&self) -> Range<usize> {
        self.first_element..self.first_element + self.changes.len()
    }

    /// Returns the elements of this file that change a line, in the order of the text.
    pub fn line_edits(&self) -> impl Iterator<Item = LineEdit> + '_ {
        let changes = self.changes.iter().enumerate();
        changes.filter_map(|(index, change)| match change {
            ElementChange::Edit {
                old,
                new,
                line,
                column: None,
            } => Some(LineEdit {
                element: self.first_element + index,
                line: *line as usize,
                deletes: !old.is_empty(),
                inserts: !new.is_empty(),
            }),
            _ => None,
        })
    }

    /// Returns the bytes that a change inserts; `None` for a change that is not an edit.
    pub(crate) fn insertion(&self, change: &ElementChange) -> Option<&[u8]> {
        let ElementChange::Edit { new, .. } = change else {
            return None;
        };
        Some(&self.inserted[new.start as usize..new.end as usize])
    }

    /// Returns for each element of this file the bytes that it deletes and those that it inserts. A
    /// file that is added or deleted as a whole has all its bytes; a renaming has none.
    pub(crate) fn changed_texts(
        &self,
        contents: &Contents,
    ) -> Result<Vec<ChangedText>, ChangesError> {
        let read = |side: &Option<LocatedEntry>| match side {
            Some((_, entry)) if entry.kind.is_plain() => contents.read(entry.id),
            _ => Ok([].into()),
        };
        let before = read(&self.old)?;
        let mut texts = Vec::with_capacity(self.changes.len());
        for (index, change) in self.changes.iter().enumerate() {
            let deleted_and_inserted = match change {
                ElementChange::Edit { old, .. } => [
                    before[old.start as usize..old.end as usize].to_vec(),
                    self.insertion(change).unwrap_or_default().to_vec(),
                ],
                ElementChange::WholeFile => [before.to_vec(), read(&self.new)?.to_vec()],
                ElementChange::Rename | ElementChange::Mode => [Vec::new(), Vec::new()],
            };
            texts.push(ChangedText {
                element: self.first_element + index,
                deleted_and_inserted,
            });
        }
        Ok(texts)
    }

    /// Returns for each change of this file whether a state already has it.
    ///
    /// An edit counts as present when the old text no longer has the deleted line, and the inserted
    /// line is among the lines that differ from the old text.
    pub(crate) fn changes_held_by(
        &self,
        state: &State,
        contents: &Contents,
    ) -> Result<Vec<bool>, ChangesError> {
        let entry_in_state = |side: &Option<LocatedEntry>| {
            let (path, _) = side.as_ref()?;
            state.get(path)
        };
        let (at_old_path, at_new_path) = (entry_in_state(&self.old), entry_in_state(&self.new));
        let is_at_new_path = at_new_path.is_some() || self.new.is_none();
        let current = (at_new_path.or(at_old_path)).filter(|entry| entry.kind.is_plain());
        let has_edits =
            (self.changes.iter()).any(|change| matches!(change, ElementChange::Edit { .. }));
        // Lines that the state has and the old text has not, and byte ranges of the old text that
        // the state does not have.
        let mut new_lines: HashSet<Vec<u8>> = HashSet::new();
        let mut deleted_ranges: Vec<Range<usize>> = Vec::new();
        if has_edits && let Some(current) = current {
            let before = match &self.old {
                Some((_, entry)) => contents.read(entry.id)?,
                None => [].into(),
            };
            let after = contents.read(current.id)?;
            let starts = TextLines { text: &before }.starts();
            let lines: Vec<&[u8]> = TextLines { text: &after }.iter().collect();
            for hunk in hunks(&before, &after) {
                deleted_ranges.push(starts[hunk.before.start]..starts[hunk.before.end]);
                new_lines.extend(lines[hunk.after].iter().map(|line| line.to_vec()));
            }
        }
        let is_held = |change: &ElementChange| match change {
            ElementChange::WholeFile => match &self.new {
                Some((_, entry)) => at_new_path == Some(*entry),
                None => at_old_path.is_none(),
            },
            ElementChange::Rename => is_at_new_path && at_old_path.is_none(),
            ElementChange::Mode => {
                let new_kind = self.new.as_ref().map(|(_, entry)| entry.kind);
                current.map(|entry| entry.kind) == new_kind
            }
            ElementChange::Edit { old, .. } => {
                let old = old.start as usize..old.end as usize;
                let inserted = self.insertion(change).unwrap_or_default();
                let is_deleted = old.is_empty()
                    || (deleted_ranges.iter())
                        .any(|range| range.start <= old.start && old.end <= range.end);
                is_deleted && (inserted.is_empty() || new_lines.contains(inserted))
            }
        };
        Ok(self.changes.iter().map(is_held).collect())
    }

    /// Returns the path and the file with a subset of its changes applied; no file when it is
    /// deleted.
    pub(crate) fn apply(
        &self,
        elements: &Subset,
        contents: &Contents,
    ) -> Result<(FilePath, Option<FileVersion>), ChangesError> {
        let is_applied = |index: usize| elements.contains(self.first_element + index);
        let all_applied = elements.count_in(self.elements()) == self.changes.len();
        let first_is_applied = |wanted: fn(&ElementChange) -> bool| {
            let index = self.changes.iter().position(wanted);
            index.is_some_and(is_applied)
        };
        match (&self.old, &self.new) {
            (Some((path, _)), None) => Ok((path.clone(), None)),
            (_, Some((path, entry))) if all_applied => Ok((path.clone(), Some((*entry).into()))),
            (None, Some((path, entry))) => {
                let text = self.edited_text(&[], elements);
                let file = FileVersion::from_bytes(entry.kind, text);
                Ok((path.clone(), Some(file)))
            }
            (Some((from, was)), Some((to, is))) => {
                let renamed = first_is_applied(|change| matches!(change, ElementChange::Rename));
                let path = if renamed { to } else { from };
                let mode_changed = first_is_applied(|change| matches!(change, ElementChange::Mode));
                let kind: FileKind = if mode_changed { is.kind } else { was.kind };
                let edited = (self.changes.iter().enumerate()).any(|(index, change)| {
                    matches!(change, ElementChange::Edit { .. }) && is_applied(index)
                });
                let file = if edited {
                    let text = self.edited_text(&contents.read(was.id)?, elements);
                    FileVersion::from_bytes(kind, text)
                } else {
                    FileVersion::from(Entry { kind, id: was.id })
                };
                Ok((path.clone(), Some(file)))
            }
            (None, None) => unreachable!("a changed file is in one of the states"),
        }
    }

    /// Returns the old text with a subset of the edits applied.
    fn edited_text(&self, before: &[u8], elements: &Subset) -> Vec<u8> {
        let mut text = Vec::with_capacity(before.len() + self.inserted.len());
        let mut copied = 0;
        for (index, change) in self.changes.iter().enumerate() {
            let ElementChange::Edit {
                old, new, column, ..
            } = change
            else {
                continue;
            };
            if !elements.contains(self.first_element + index) {
                continue;
            }
            text.extend_from_slice(&before[copied..old.start as usize]);
            copied = old.end as usize;
            let inserted = &self.inserted[new.start as usize..new.end as usize];
            // The last line of a text may lack its line break; a line after it needs one.
            let is_line = column.is_none() && !inserted.is_empty();
            if is_line && text.last().is_some_and(|&byte| byte != b'\n') {
                text.push(b'\n');
            }
            text.extend_from_slice(inserted);
        }
        text.extend_from_slice(&before[copied..]);
        text
    }
}
