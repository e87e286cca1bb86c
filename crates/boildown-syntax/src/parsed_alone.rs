//! Parses of windows alone, remembered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use boildown_search::Fingerprint;

use crate::items::Item;

/// A stretch of a text, parsed alone.
#[derive(Debug, Clone)]
pub(crate) struct ParsedAlone {
    /// The number of error and missing nodes; `usize::MAX` without a tree.
    pub(crate) errors: usize,
    /// Its top-level nodes. `None` if it has no list of them.
    pub(crate) items: Option<Arc<[Item]>>,
}

/// Windows that were parsed, by their text and by whether the parser went on after an error.
///
/// Speculation edits the same function on many bases, which differ elsewhere, and clones of a
/// search ask about the same edit again. Two in three windows were parsed before. Shared by all
/// clones of a search: a parse depends on the text alone, so that nothing depends on what is
/// remembered.
#[derive(Debug, Clone, Default)]
pub(crate) struct WindowMemory(Arc<Mutex<Generations>>);

type Key = (Fingerprint, bool);

#[derive(Debug, Default)]
struct Generations {
    newest: HashMap<Key, ParsedAlone>,
    older: HashMap<Key, ParsedAlone>,
}

/// The number of windows that are remembered at least. With a handful of items each, they take
/// about 1 MB.
const REMEMBERED: usize = 1 << 11;

/// A window with more items than this is not remembered.
const MOST_ITEMS: usize = 256;

impl WindowMemory {
    pub(crate) fn get(&self, key: Key) -> Option<ParsedAlone> {
        let generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = generations.newest.get(&key);
        newest.or_else(|| generations.older.get(&key)).cloned()
    }

    pub(crate) fn insert(&self, key: Key, parsed: &ParsedAlone) {
        let items = parsed.items.as_ref().map_or(0, |items| items.len());
        if items > MOST_ITEMS {
            return;
        }
        let mut generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if generations.newest.len() >= REMEMBERED {
            generations.older = std::mem::take(&mut generations.newest);
        }
        generations.newest.insert(key, parsed.clone());
    }
}
