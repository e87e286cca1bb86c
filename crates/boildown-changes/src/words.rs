//! Words: the smallest changes inside lines.

use std::ops::Range;

use boildown_search::Subset;

use crate::file_change::{ElementChange, FileChange};
use crate::tokens::{Hunk, are_similar, is_blank, starts, tokens, word_hunks};
use crate::{ChangeTree, ChangesError, Contents};

/// Length of a line, in bytes, above which a single change in it is told from the line.
const LONG_LINE: usize = 120;

/// The lines that are cut into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutLines {
    /// Those in which several passages differ, or white space, and long ones.
    Needed,
    /// All.
    All,
}

/// A change of words, with the text around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordChange {
    /// What is deleted.
    pub deleted: Vec<u8>,
    /// What is inserted.
    pub inserted: Vec<u8>,
    /// The old text of the line before and after it.
    pub around: [Vec<u8>; 2],
}

/// A tree of changes in which some lines are cut into words.
///
/// Its elements are those of the tree that was cut, but for these lines. A line that was replaced,
/// or neighbouring lines of one statement, are a *passage*; and so are those of which some were
/// deleted and the others inserted. The words of a passage take the place of its lines. White space
/// is a word of its own.
#[derive(Debug)]
pub struct WordTree {
    tree: ChangeTree,
    /// For each element, where it comes from.
    origins: Vec<Origin>,
    /// For each element of the tree that was cut, the elements that took its place: those of its
    /// passage, if it is in one.
    places: Vec<Range<usize>>,
}

/// Where an element of a tree with words comes from.
#[derive(Debug, Clone)]
struct Origin {
    /// The element of the tree that was cut: the same, or the first one of the passage.
    line: usize,
    kind: OriginKind,
}

/// What an element of a tree with words changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OriginKind {
    /// The same as before.
    Uncut,
    Word,
    /// Only white space.
    Blank,
}

impl WordTree {
    /// Returns the tree.
    pub fn tree(&self) -> &ChangeTree {
        &self.tree
    }

    /// Returns the element of the tree that was cut which an element took the place of: the first
    /// one of a passage.
    ///
    /// # Panics
    /// When there is no such element.
    pub fn origin(&self, element: usize) -> usize {
        self.origins[element].line
    }

    /// Returns whether an element is a word, or white space.
    ///
    /// # Panics
    /// When there is no such element.
    pub fn is_word(&self, element: usize) -> bool {
        self.origins[element].kind != OriginKind::Uncut
    }

    /// Returns whether an element is white space.
    ///
    /// # Panics
    /// When there is no such element.
    pub fn is_blank(&self, element: usize) -> bool {
        self.origins[element].kind == OriginKind::Blank
    }

    /// Returns whether several lines are one passage.
    pub fn has_long_passage(&self) -> bool {
        let pairs = self.places.windows(2);
        pairs.into_iter().any(|places| places[0] == places[1])
    }

    /// Returns the words that an element changes; `None` if it is no word.
    ///
    /// # Errors
    /// [`ChangesError`] when the file cannot be read.
    ///
    /// # Panics
    /// When there is no such element.
    pub fn word(
        &self,
        element: usize,
        contents: &Contents,
    ) -> Result<Option<WordChange>, ChangesError> {
        let file = &self.tree.files[self.tree.file_of(element)];
        let change = &file.changes[element - file.first_element];
        let (ElementChange::Edit { old, .. }, Some((_, entry)), Some(inserted), true) = (
            change,
            &file.old,
            file.insertion(change),
            self.is_word(element),
        ) else {
            return Ok(None);
        };
        let text = contents.read(entry.id)?;
        let (start, end) = (old.start as usize, old.end as usize);
        let line_start = text[..start].iter().rposition(|byte| *byte == b'\n');
        let line_end = match text[start..end].ends_with(b"\n") {
            true => Some(0),
            false => text[end..].iter().position(|byte| *byte == b'\n'),
        };
        Ok(Some(WordChange {
            deleted: text[start..end].to_vec(),
            inserted: inserted.to_vec(),
            around: [
                text[line_start.map_or(0, |at| at + 1)..start].to_vec(),
                text[end..line_end.map_or(text.len(), |at| end + at)].to_vec(),
            ],
        }))
    }

    /// Returns the elements that took the place of some of the tree that was cut.
    pub fn words_of(&self, lines: &Subset) -> Subset {
        let none = Subset::full(self.tree.len()).only(0..0);
        let mut words = none.with(lines.iter().map(|line| self.places[line].clone()));
        words.commit();
        words
    }

    /// Returns the elements of the tree that was cut of which all words are in a set, and those of
    /// which some are.
    pub fn lines_of(&self, words: &Subset) -> [Subset; 2] {
        let all = Subset::full(self.places.len());
        let less = |is_out: &dyn Fn(&Range<usize>) -> bool| {
            let places = self.places.iter().enumerate();
            let out = places.filter(|(_, words)| is_out(words));
            let mut set = all.without(out.map(|(line, _)| line..line + 1));
            set.commit();
            set
        };
        [
            less(&|place| words.count_in(place.clone()) < place.len()),
            less(&|place| !words.any_in(place.clone())),
        ]
    }
}

impl ChangeTree {
    /// Cuts some lines into words. `statements` has the statement of each element. Leaves deleted
    /// and inserted lines whole that have less than half of their text in common. `None` if none is
    /// cut.
    ///
    /// # Errors
    /// [`ChangesError`] when a content cannot be read.
    pub fn cut_to_words(
        &self,
        lines: &Subset,
        statements: &[u32],
        which: CutLines,
        contents: &Contents,
    ) -> Result<Option<WordTree>, ChangesError> {
        let mut cut = WordTree {
            tree: Self {
                base: self.base.clone(),
                files: Vec::with_capacity(self.files.len()),
                file_of: Vec::new(),
                hunk_of: Vec::new(),
            },
            origins: Vec::new(),
            places: Vec::with_capacity(self.len()),
        };
        for file in &self.files {
            let before = match &file.old {
                Some((_, entry)) if entry.kind.is_plain() && lines.any_in(file.elements()) => {
                    contents.read(entry.id)?
                }
                _ => [].into(),
            };
            let before = TextToCut {
                text: &before,
                which,
            };
            let mut next = 0;
            cut.start_file(file);
            while next < file.changes.len() {
                let passage = file.passage(next, lines, statements);
                next = passage.end;
                if !lines.contains(file.first_element + passage.start) {
                    cut.push_uncut(file, passage);
                } else if let Some(words) = file.words_of(passage.clone(), &before) {
                    cut.push_words(file, passage, words);
                } else {
                    for line in passage {
                        match file.words_of(line..line + 1, &before) {
                            Some(words) => cut.push_words(file, line..line + 1, words),
                            None => cut.push_uncut(file, line..line + 1),
                        }
                    }
                }
            }
        }
        let hunks = cut.origins.iter().map(|it| self.hunk_of[it.line]);
        cut.tree.hunk_of = hunks.collect();
        let is_cut = cut.origins.iter().any(|it| it.kind != OriginKind::Uncut);
        Ok(is_cut.then_some(cut))
    }
}

impl WordTree {
    /// Adds a file without elements.
    fn start_file(&mut self, file: &FileChange) {
        self.tree.files.push(FileChange {
            changes: Vec::with_capacity(file.changes.len()),
            first_element: self.origins.len(),
            ..file.clone()
        });
    }

    /// Adds an element to the last file.
    fn push(&mut self, origin: Origin, change: ElementChange) {
        let count = u32::try_from(self.tree.files.len()).expect("memory holds fewer files");
        let file = self.tree.files.last_mut().expect("a file was started");
        file.changes.push(change);
        self.tree.file_of.push(count - 1);
        self.origins.push(origin);
    }

    /// Adds elements of a file as they are.
    fn push_uncut(&mut self, file: &FileChange, elements: Range<usize>) {
        for index in elements {
            let at = self.origins.len();
            self.places.push(at..at + 1);
            let line = file.first_element + index;
            let kind = OriginKind::Uncut;
            self.push(Origin { line, kind }, file.changes[index].clone());
        }
    }

    /// Adds the words of a passage.
    fn push_words(&mut self, file: &FileChange, passage: Range<usize>, words: Vec<Word>) {
        let line = file.first_element + passage.start;
        let place = self.origins.len()..self.origins.len() + words.len();
        self.places.extend(passage.map(|_| place.clone()));
        for word in words {
            let kind = match word.is_blank {
                true => OriginKind::Blank,
                false => OriginKind::Word,
            };
            let made = self.tree.files.last_mut().expect("a file was started");
            let start = narrow(made.inserted.len());
            made.inserted.extend_from_slice(&word.inserted);
            let change = ElementChange::Edit {
                old: word.old,
                new: start..narrow(made.inserted.len()),
                line: word.line,
                column: Some(word.column),
            };
            self.push(Origin { line, kind }, change);
        }
    }
}

/// The old text of a file.
struct TextToCut<'a> {
    text: &'a [u8],
    which: CutLines,
}

/// A replaced part of a passage.
struct Word {
    /// Its bytes in the old text.
    old: Range<u32>,
    inserted: Vec<u8>,
    line: u32,
    column: u32,
    is_blank: bool,
}

impl FileChange {
    /// Returns the passage that begins with an element of this file, given by its index. An element
    /// outside of `lines` is alone.
    fn passage(&self, start: usize, lines: &Subset, statements: &[u32]) -> Range<usize> {
        let edit = |index: usize| match self.changes.get(index)? {
            ElementChange::Edit { old, new, .. } => {
                let is_half = old.is_empty() != new.is_empty();
                let element = self.first_element + index;
                (lines.contains(element)).then_some((old, is_half, statements[element]))
            }
            _ => None,
        };
        let mut end = start + 1;
        while let Some(((last_old, is_half, statement), next)) = edit(end - 1).zip(edit(end))
            && next.0.start == last_old.end
            && (next.2 == statement || next.1 && is_half)
        {
            end += 1;
        }
        start..end
    }

    /// Returns the words of a passage; `None` if it is left whole.
    fn words_of(&self, passage: Range<usize>, before: &TextToCut<'_>) -> Option<Vec<Word>> {
        let edit = |index: usize| match &self.changes[index] {
            ElementChange::Edit { old, new, line, .. } => Some((old, new, *line)),
            _ => None,
        };
        let (first_old, first_new, first_line) = edit(passage.start)?;
        let (last_old, last_new, _) = edit(passage.end - 1)?;
        let old = before
            .text
            .get(first_old.start as usize..last_old.end as usize)?;
        let new = (self.inserted).get(first_new.start as usize..last_new.end as usize)?;
        let (old_tokens, new_tokens) = (tokens(old), tokens(new));
        let hunks = word_hunks(&old_tokens, &new_tokens);
        let is_cut = match passage.len() {
            1 if before.which == CutLines::All => true,
            1 => {
                let is_white_space = |hunk: &Hunk| {
                    let changed = [
                        &old_tokens[hunk.before.clone()],
                        &new_tokens[hunk.after.clone()],
                    ];
                    changed.concat().into_iter().all(is_blank)
                };
                let is_long = old.len().max(new.len()) > LONG_LINE;
                hunks.len() > 1 || is_long || hunks.iter().any(is_white_space)
            }
            _ => are_similar(&old_tokens, &new_tokens, &hunks),
        };
        if !is_cut || hunks.is_empty() || old.is_empty() || new.is_empty() {
            return None;
        }
        let (old_starts, new_starts) = (starts(&old_tokens), starts(&new_tokens));
        let words = hunks.into_iter().map(|hunk| {
            let at = old_starts[hunk.before.start]..old_starts[hunk.before.end];
            let inserted = &new[new_starts[hunk.after.start]..new_starts[hunk.after.end]];
            let line_start = old[..at.start].iter().rposition(|byte| *byte == b'\n');
            let line_start = line_start.map_or(0, |at| at + 1);
            let is_line_break = |byte: &&u8| **byte == b'\n';
            let line_breaks = old[..at.start].iter().filter(is_line_break).count();
            Word {
                old: first_old.start + narrow(at.start)..first_old.start + narrow(at.end),
                inserted: inserted.to_vec(),
                line: first_line + narrow(line_breaks),
                column: narrow(count_characters(&old[line_start..at.start])),
                is_blank: is_blank(&old[at]) && is_blank(inserted),
            }
        });
        Some(words.collect())
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("texts are below 4 GiB")
}

/// Returns the number of characters of a text in UTF-8.
fn count_characters(text: &[u8]) -> usize {
    let begins = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    text.iter().filter(begins).count()
}
