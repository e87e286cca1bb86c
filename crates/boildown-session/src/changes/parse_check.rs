//! Check that files with some of their changes still parse.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use boildown_changes::{
    ChangeTree, ChangesError, Configuration, Contents, Entry, FilePath, ObjectId,
};
use boildown_syntax::Language;

/// Size, in bytes, above which a file is not checked.
const LARGE: usize = 1 << 20;

/// Counts syntax errors of changed files, and rejects sets of changes that add some.
///
/// A file with only some of its changes may have syntax errors that neither the old nor the new
/// file has. The command fails on it at once, and that failure shows nothing about the changes.
/// So a file may have as many errors as the worse of its two versions, and no more.
pub(super) struct ParseCheck<'a> {
    contents: &'a Contents,
    /// The old and the new version of each changed file, by its path.
    files: HashMap<&'a FilePath, [Option<Entry>; 2]>,
    /// The number of errors that each file may have, as far as it was computed. `None` for files in
    /// no known language, which are not checked.
    allowed: Mutex<HashMap<FilePath, Option<AllowedErrors>>>,
    /// The number of errors in each text, as far as they were counted.
    counted: Mutex<HashMap<ObjectId, usize>>,
}

#[derive(Debug, Clone, Copy)]
struct AllowedErrors {
    language: &'static Language,
    most: usize,
}

impl<'a> ParseCheck<'a> {
    pub(super) fn new(tree: &'a ChangeTree, contents: &'a Contents) -> Self {
        let mut files = HashMap::new();
        for file in tree.files() {
            let entry = |side: &Option<(FilePath, Entry)>| side.as_ref().map(|(_, entry)| *entry);
            let sides = [entry(&file.old), entry(&file.new)];
            // A set of changes may hold a moved file at its old or at its new path.
            for (path, _) in [&file.old, &file.new].into_iter().flatten() {
                files.insert(path, sides);
            }
        }
        Self {
            contents,
            files,
            allowed: Mutex::default(),
            counted: Mutex::default(),
        }
    }

    /// Returns whether no file has more errors than the worse of its two versions.
    pub(super) fn parses(&self, configuration: &Configuration) -> Result<bool, ChangesError> {
        for (path, made) in configuration.overrides() {
            // Only a file with some of its changes has bytes of its own.
            let Some((made, bytes)) = made.as_ref().and_then(|it| Some((it, it.bytes.as_ref()?)))
            else {
                continue;
            };
            if let Some(allowed) = self.allowed(path)?
                && self.errors(allowed.language, made.id, bytes) > allowed.most
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn allowed(&self, path: &FilePath) -> Result<Option<AllowedErrors>, ChangesError> {
        let known = lock(&self.allowed).get(path).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let sides = self.files.get(path).into_iter().flatten().flatten();
        let mut texts: Vec<(ObjectId, Arc<[u8]>)> = Vec::new();
        for entry in sides {
            texts.push((entry.id, self.contents.read(entry.id)?));
        }
        let head = texts.last().map_or(&[][..], |(_, text)| text);
        let language = Language::detect(&path.to_string(), head);
        let language = language.filter(|_| texts.iter().all(|(_, text)| text.len() <= LARGE));
        let allowed = language.map(|language| {
            let errors = texts
                .iter()
                .map(|(id, text)| self.errors(language, *id, text));
            let most = errors.max().unwrap_or(0);
            AllowedErrors { language, most }
        });
        lock(&self.allowed).insert(path.clone(), allowed);
        Ok(allowed)
    }

    fn errors(&self, language: &'static Language, id: ObjectId, text: &[u8]) -> usize {
        let known = lock(&self.counted).get(&id).copied();
        known.unwrap_or_else(|| {
            let errors = language.errors(text);
            lock(&self.counted).insert(id, errors);
            errors
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
