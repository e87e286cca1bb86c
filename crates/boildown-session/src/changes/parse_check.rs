//! Check that files with some of their changes still parse, and keep their blocks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use boildown_changes::{
    ChangeTree, ChangedDefinitions, ChangesError, Configuration, Contents, FilePath,
    NamedInFailure, ObjectId,
};
use boildown_document::Outline;
use boildown_search::Subset;

use super::outcome_rule::UnresolvedReason;
use super::statements::FileStatements;

/// Number of changed files above which the others are not read: each costs as much time as a parse
/// of both its texts.
const MAX_FILES: usize = 2000;

/// Reads the trees of changed files, and rejects sets of changes that make no sense of them.
///
/// A file with only some of its changes may have syntax errors that neither the old nor the new
/// file has, or its statements may be where neither file has them. The command fails on the first
/// at once, and on the second in a way that shows nothing about the changes. So a file may have as
/// many errors as the worse of its two versions, and it [keeps its
/// blocks](FileStatements::keeps_blocks).
pub(super) struct ParseCheck<'a> {
    tree: &'a ChangeTree,
    contents: &'a Contents,
    /// The index of each changed file, by its path.
    files: HashMap<&'a FilePath, usize>,
    /// The statements of each file, as far as they were read. `None` for files in no known
    /// language, which are not checked.
    statements: Mutex<HashMap<usize, Option<Arc<FileStatements>>>>,
    /// The outline of each text with some of its changes, as far as they were read.
    outlines: Mutex<HashMap<ObjectId, Arc<Outline>>>,
}

impl<'a> ParseCheck<'a> {
    pub(super) fn new(tree: &'a ChangeTree, contents: &'a Contents) -> Self {
        let mut files = HashMap::new();
        for (index, file) in tree.files().iter().enumerate() {
            // A set of changes may hold a moved file at its old or at its new path.
            for (path, _) in [&file.old, &file.new].into_iter().flatten() {
                files.insert(path, index);
            }
        }
        Self {
            tree,
            contents,
            files,
            statements: Mutex::default(),
            outlines: Mutex::default(),
        }
    }

    /// Returns why the files with a set of changes, of which `made` are some, need not be tested;
    /// `None` if they parse and keep their blocks. A line of which only some words are changed is
    /// in some of the sets.
    pub(super) fn rejects(
        &self,
        sets: &[Subset],
        made: &Configuration,
    ) -> Result<Option<UnresolvedReason>, ChangesError> {
        for (path, made) in made.overrides() {
            // Only a file with some of its changes has bytes of its own.
            let Some((made, bytes)) = made.as_ref().and_then(|it| Some((it, it.bytes.as_ref()?)))
            else {
                continue;
            };
            let Some(file) = self.files.get(path) else {
                continue;
            };
            let Some(file) = self.statements(*file)? else {
                continue;
            };
            let known = lock(&self.outlines).get(&made.id).cloned();
            let outline = known.unwrap_or_else(|| {
                let outline = Arc::new(file.language.outline(bytes));
                lock(&self.outlines).insert(made.id, Arc::clone(&outline));
                outline
            });
            if outline.errors > file.most_errors {
                return Ok(Some(UnresolvedReason::DoesNotParse));
            }
            if !sets.iter().any(|set| file.keeps_blocks(set, &outline)) {
                return Ok(Some(UnresolvedReason::BreaksBlocks));
            }
        }
        Ok(None)
    }

    /// Returns the definitions of the names in the changes but those that the failure is about.
    pub(super) fn definitions(
        &self,
        failure: &NamedInFailure<'_>,
    ) -> Result<ChangedDefinitions, ChangesError> {
        let mut functions = Vec::new();
        for file in 0..self.tree.files().len() {
            if let Some(file) = self.statements(file)? {
                functions.extend(file.functions.iter().cloned());
            }
        }
        ChangedDefinitions::read(self.tree, self.contents, failure, &functions)
    }

    /// Returns the statements of a changed file, given by its index.
    pub(super) fn statements(
        &self,
        file: usize,
    ) -> Result<Option<Arc<FileStatements>>, ChangesError> {
        let known = lock(&self.statements).get(&file).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let read = match lock(&self.statements).len() < MAX_FILES {
            true => FileStatements::read(&self.tree.files()[file], self.contents)?,
            false => None,
        };
        let read = read.map(Arc::new);
        lock(&self.statements).insert(file, read.clone());
        Ok(read)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
