//! The files that differ between two configurations.

use std::collections::{BTreeMap, BTreeSet};

use crate::renames::renames;
use crate::{ChangesError, Configuration, Contents, Entry, FilePath, FileVersion};

/// One side of a changed file.
#[derive(Clone)]
pub(crate) struct PatchSide {
    pub(crate) path: FilePath,
    pub(crate) file: FileVersion,
}

/// A changed file. At least one side is present.
#[derive(Clone)]
pub(crate) struct FileDiff {
    pub(crate) before: Option<PatchSide>,
    pub(crate) after: Option<PatchSide>,
}

/// Returns the files that differ, ordered by path, with renames detected.
pub(crate) fn file_diffs(
    before: &Configuration,
    after: &Configuration,
    contents: &Contents,
) -> Result<Vec<FileDiff>, ChangesError> {
    contents.add_configuration(before);
    contents.add_configuration(after);
    let side = |path: FilePath, file: FileVersion| Some(PatchSide { path, file });
    let mut deleted: BTreeMap<FilePath, Entry> = BTreeMap::new();
    let mut added: BTreeMap<FilePath, Entry> = BTreeMap::new();
    let mut diffs = Vec::new();
    for path in differing_paths(before, after) {
        match (before.get(&path), after.get(&path)) {
            (Some(old), None) => drop(deleted.insert(path, old.entry())),
            (None, Some(new)) => drop(added.insert(path, new.entry())),
            (old, new) => diffs.push(FileDiff {
                before: old.and_then(|file| side(path.clone(), file)),
                after: new.and_then(|file| side(path, file)),
            }),
        }
    }
    for (from, to) in renames(&deleted, &added, contents)? {
        let (old, new) = (deleted.remove(&from), added.remove(&to));
        diffs.push(FileDiff {
            before: old.and_then(|entry| side(from, entry.into())),
            after: new.and_then(|entry| side(to, entry.into())),
        });
    }
    diffs.extend(deleted.into_iter().map(|(path, entry)| FileDiff {
        before: side(path, entry.into()),
        after: None,
    }));
    diffs.extend(added.into_iter().map(|(path, entry)| FileDiff {
        before: None,
        after: side(path, entry.into()),
    }));
    diffs.sort_by_key(|diff| {
        let side = diff.after.as_ref().or(diff.before.as_ref());
        side.map(|side| side.path.clone())
    });
    Ok(diffs)
}

/// Returns the paths at which two configurations differ, in order.
///
/// Only overrides are compared when both configurations have the same base.
fn differing_paths(one: &Configuration, two: &Configuration) -> BTreeSet<FilePath> {
    let overridden = one.overrides().keys().chain(two.overrides().keys());
    let mut paths: BTreeSet<FilePath> = overridden.cloned().collect();
    if one.base() != two.base() {
        let bases = one.base().iter().chain(two.base().iter());
        paths.extend(bases.map(|(path, _)| path.clone()));
    }
    paths.retain(|path| !is_same(one.get(path).as_ref(), two.get(path).as_ref()));
    paths
}

/// Returns whether two files are equal, or both missing.
pub(crate) fn is_same(one: Option<&FileVersion>, two: Option<&FileVersion>) -> bool {
    one.map(FileVersion::entry) == two.map(FileVersion::entry)
}
