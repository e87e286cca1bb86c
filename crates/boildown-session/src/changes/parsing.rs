//! Whether files with some of their changes still parse.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use boildown_changes::{
    ChangeTree, ChangesError, Configuration, Contents, Entry, FilePath, ObjectId,
};
use boildown_syntax::Language;

/// Larger texts are taken to parse.
const LARGE: usize = 1 << 20;

/// Knows how well each changed file parses before and after, and that none may parse worse with some of its changes only. A mixture of
/// two texts that is no text of the language fails at once, and that failure says nothing.
pub(super) struct Parsing<'a> {
    contents: &'a Contents,
    files: HashMap<&'a FilePath, [Option<Entry>; 2]>,
    /// How many errors a file may have, once somebody asked.
    allowed: Mutex<HashMap<FilePath, Option<Allowed>>>,
    /// How many errors texts of these names have.
    counted: Mutex<HashMap<ObjectId, usize>>,
}

type Allowed = (&'static Language, usize);

impl<'a> Parsing<'a> {
    pub(super) fn of(tree: &'a ChangeTree, contents: &'a Contents) -> Self {
        let mut files = HashMap::new();
        for file in tree.files() {
            let entry = |side: &Option<(FilePath, Entry)>| side.as_ref().map(|(_, entry)| *entry);
            let sides = [entry(&file.old), entry(&file.new)];
            // A file that moved may be at either place.
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

    /// Whether every file that has some of its changes parses as well as it does without any, or with all.
    pub(super) fn holds(&self, configuration: &Configuration) -> Result<bool, ChangesError> {
        for (path, made) in configuration.made() {
            // Only a mixture of two texts is a text of its own.
            let Some((made, bytes)) = made.as_ref().and_then(|it| Some((it, it.bytes.as_ref()?)))
            else {
                continue;
            };
            if let Some((language, most)) = self.allowed(path)?
                && self.errors(language, made.id, bytes) > most
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn allowed(&self, path: &FilePath) -> Result<Option<Allowed>, ChangesError> {
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
            (language, errors.max().unwrap_or(0))
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
