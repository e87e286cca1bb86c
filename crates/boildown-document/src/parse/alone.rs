//! Parts of a text that were parsed alone.
//!
//! Candidates of one text differ from each other in few places, and candidates of different
//! speculative texts often in the same ones. What a part is alone does not depend on the rest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use boildown_search::Fingerprint;
use tree_sitter::Tree;

use super::items::{Item, count_errors, items_of};

/// A part of a text, parsed alone.
#[derive(Debug)]
pub(super) struct Alone {
    /// The number of error and missing nodes.
    pub(super) errors: usize,
    /// `None` if it is no list of items.
    pub(super) items: Option<Vec<Item>>,
}

impl Alone {
    pub(super) fn of(tree: &Tree) -> Self {
        Self {
            errors: count_errors(tree),
            items: items_of(tree),
        }
    }
}

/// What is known of a part: `None` if the parser gave up.
type Known = Option<Arc<Alone>>;

/// The parts that were parsed, by their fingerprints and whether any error was allowed.
#[derive(Debug, Default)]
pub(super) struct KnownParts(Mutex<HashMap<(Fingerprint, bool), Known>>);

/// At this number of parts, they are forgotten: a few megabytes.
const MOST: usize = 1 << 14;

impl KnownParts {
    pub(super) fn get(&self, part: (Fingerprint, bool)) -> Option<Known> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&part).cloned()
    }

    pub(super) fn insert(&self, part: (Fingerprint, bool), alone: Known) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(part, alone);
    }
}
